package vtk

import (
	"bytes"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

func read(s *soup.Source, b *soup.Builder) error {
	b.CountNonPlanar = true
	r := &reader{s: s, b: b}
	readFormat := readLegacy
	switch {
	case isLegacy(s.Data):
	case isXML(s.Data) || bytes.HasPrefix(bytes.TrimLeft(trimMark(s.Data), " \t\r\n"), []byte("<")):
		readFormat = readXML
		if scan.UTF16Order(s.Data) != nil {
			if err := s.PlainText(); err != nil {
				return err
			}
		}
	default:
		return soup.AtByte(0, soup.ErrSyntax, "the file begins neither with %q nor with an XML tag", legacyHead)
	}
	s.Data = trimMark(s.Data)
	if err := readFormat(r); err != nil {
		return err
	}
	r.notes()
	return nil
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
func unsupportedData(kind string) *soup.Error {
	return soup.AtPath("", soup.ErrUnsupported, "the data set has the type %s, must be polygonal data, a grid or image data", quote.Word(kind)).
		WithHint(surfaceHint)
}
