package loaders

func readSTL(*source, *builder) error     { return ErrUnsupported }
func readOBJ(*source, *builder) error     { return ErrUnsupported }
func readPLY(*source, *builder) error     { return ErrUnsupported }
func readOFF(*source, *builder) error     { return ErrUnsupported }
func readGLTF(*source, *builder) error    { return ErrUnsupported }
func readGLB(*source, *builder) error     { return ErrUnsupported }
func readThreeMF(*source, *builder) error { return ErrUnsupported }
