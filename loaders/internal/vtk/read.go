package vtk

import (
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

func read(s *soup.Source, b *soup.Builder) error {
	if !isLegacy(s.Data) {
		return soup.AtByte(0, soup.ErrSyntax, "the file does not begin with %q", legacyHead)
	}
	s.Data = trimMark(s.Data)
	b.CountNonPlanar = true
	r := &reader{s: s, b: b}
	if err := readLegacy(r); err != nil {
		return err
	}
	r.notes()
	return s.Step(int64(len(s.Data)))
}

// reader collects the cells of a file.
type reader struct {
	s *soup.Source
	b *soup.Builder
	cellAdder
}

// surfaceHint is the advice for files without cells that can be read.
const surfaceHint = "export its surface as PLY or STL, for example with ParaView (filter Extract Surface)"

// unsupportedData returns the error for a data set of another type.
func unsupportedData(kind string) error {
	return soup.AtPath("", soup.ErrUnsupported, "the data set has the type %s, must be polygonal data or an unstructured grid", quote.Word(kind)).
		WithHint(surfaceHint)
}
