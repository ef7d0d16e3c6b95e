package loaders

// earClipper holds the scratch of polygon triangulation.
type earClipper struct{}

// polygon appends the triangles of a face with the given corners.
func (b *builder) polygon(corners []int32) error {
	for _, c := range corners {
		if !b.inRange(int64(c)) {
			return ErrIndexRange
		}
	}
	for k := 2; k < len(corners); k++ {
		if err := b.emit(corners[0], corners[k-1], corners[k]); err != nil {
			return err
		}
	}
	return nil
}
