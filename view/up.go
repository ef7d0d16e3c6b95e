package view

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/loaders"
)

// up returns the axis that points up: Options.Up, or a guess from the format of the mesh file. For
// glTF, the specification requires y. For OBJ, y is the convention. For all other formats, up
// returns z.
func (s *Scene) up() int {
	if s.opt.Up != "" {
		return strings.Index(axisNames, s.opt.Up)
	}
	switch s.report.Source.Format {
	case loaders.GLTF, loaders.GLB, loaders.OBJ:
		return 1
	}
	return 2
}

// checkUp returns an error if Options.Up is not the name of an axis.
func (opt *Options) checkUp() error {
	if opt.Up != "" && (len(opt.Up) != 1 || !strings.Contains(axisNames, opt.Up)) {
		return fmt.Errorf("view: Up is %q: expected x, y or z", opt.Up)
	}
	return nil
}
