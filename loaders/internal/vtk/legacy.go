package vtk

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// legacy reads a legacy file.
type legacy struct {
	*reader
	text   soup.Text
	at     int
	binary bool
	kind   string // type of the data set
	points bool   // the points were read
	types  []int32
	cells  *cellList
	polys  *cellList
	strips *cellList

	structured legacyGrid
}

// Types of data sets without a structure.
const (
	polySet = "POLYDATA"
	gridSet = "UNSTRUCTURED_GRID"
)

// readLegacy reads a file of three header lines (version, title, ASCII or BINARY), the type of the data
// set, and sections. It stops at the attributes of points or cells, which come last. It does not read the
// ghost flags among them, but adds a note.
func readLegacy(r *reader) error {
	l := &legacy{reader: r, text: r.s.Data}
	l.skipLine()
	l.skipLine()
	switch word := strings.ToUpper(l.word()); word {
	case "BINARY":
		l.binary = true
	default: // lone carriage returns hide the third line
		if err := r.s.PlainText(); err != nil {
			return err
		}
		l.text, l.at = r.s.Data, 0
		l.skipLine()
		l.skipLine()
		if !strings.EqualFold(l.word(), "ASCII") {
			return soup.AtLine(3, soup.ErrSyntax, "the third line must be ASCII or BINARY")
		}
	}
	if word := l.word(); !strings.EqualFold(word, "DATASET") {
		if word == "" {
			return l.text.Fail(l.at, soup.ErrTruncated, "the file ends where the word DATASET should follow")
		}
		return unsupportedData(word)
	}
	l.kind = strings.ToUpper(l.word())
	switch l.kind {
	case polySet, gridSet, structuredGridSet, rectilinearGridSet:
	case structuredPointsSet:
		l.structured.spacing = [3]float64{1, 1, 1}
	default:
		return unsupportedData(l.kind)
	}
	for l.sectionFollows() {
		if err := l.section(); err != nil {
			return err
		}
	}
	if rest := l.text[l.at:]; bytes.Contains(rest, []byte(ghostTypes)) || bytes.Contains(rest, []byte(ghostLevels)) {
		l.b.Note("the ghost flags of legacy files are not read: cells with the flag duplicate or hidden are part of the mesh")
	}
	return l.addAll()
}

func (l *legacy) skipLine() { l.at = min(scan.LineEnd(l.text, l.at)+1, len(l.text)) }

// word returns the next word, or "" at the end of the file.
func (l *legacy) word() string {
	i := scan.SkipSpace(l.text, l.at)
	l.at = scan.WordEnd(l.text, i)
	return string(l.text[i:l.at])
}

// peek returns the next word in upper case without reading it.
func (l *legacy) peek() string {
	at := l.at
	word := l.word()
	l.at = at
	return strings.ToUpper(word)
}

// count reads an integer from 0 to 2^31 − 1.
func (l *legacy) count(what string) (int64, error) {
	i := scan.SkipSpace(l.text, l.at)
	n, length, ok := decimal.ParseInt(l.text[i:])
	if !ok || n < 0 || n > math.MaxInt32 || i+length < len(l.text) && !scan.IsSpace(l.text[i+length]) {
		return 0, l.text.Expected(i, what)
	}
	l.at = i + length
	return n, nil
}

// sectionFollows reports whether a section of the geometry follows.
func (l *legacy) sectionFollows() bool {
	switch l.peek() {
	case "", "POINT_DATA", "CELL_DATA":
		return false
	}
	return true
}

// section reads a section.
func (l *legacy) section() (err error) {
	from := scan.SkipSpace(l.text, l.at)
	poly, grid := l.kind == polySet, l.kind == gridSet
	word := strings.ToUpper(l.word())
	switch {
	case word == "POINTS" && (poly || grid || l.kind == structuredGridSet):
		return l.readPoints(from)
	case word == "METADATA":
		l.metadata()
		return nil
	case word == "FIELD":
		return l.field()
	case poly && (word == "VERTICES" || word == "LINES"):
		c, err := l.cellSection()
		if err == nil {
			l.lines += len(c.ends)
			c.release(l.b.Budget)
		}
		return err
	case poly && word == "POLYGONS" && l.polys == nil:
		l.polys, err = l.cellSection()
		return err
	case poly && word == "TRIANGLE_STRIPS" && l.strips == nil:
		l.strips, err = l.cellSection()
		return err
	case grid && word == "CELLS" && l.cells == nil:
		l.cells, err = l.cellSection()
		return err
	case grid && word == "CELL_TYPES" && l.types == nil:
		n, err := l.count("the number of cell types")
		if err != nil {
			return err
		}
		return l.array(int32s, &l.types, n, "cell types")
	case !poly && !grid:
		if known, err := l.structuredSection(word, from); known {
			return err
		}
	}
	return l.text.Fail(from, soup.ErrSyntax, "found %s instead of a section of the data set", quote.Word(l.text[from:l.at]))
}

// data returns the values that follow the current line.
func (l *legacy) data(kind number) values {
	if !l.binary {
		return &textValues{text: l.text, at: l.at, end: len(l.text), previous: l.at}
	}
	l.skipLine()
	at := place{offset: int64(l.at)}
	return &binaryValues{place: at, in: &stream{place: at, text: l.text, at: l.at}, left: int64(len(l.text) - l.at), kind: kind, order: binary.BigEndian}
}

// after advances the position to the end of values that were read.
func (l *legacy) after(v values) {
	switch v := v.(type) {
	case *textValues:
		l.at = v.at
	case *binaryValues:
		l.at = v.in.at
	}
}

// array reads n integers of at least 0.
func (l *legacy) array(kind number, dst *[]int32, n int64, what string) error {
	v := l.data(kind)
	err := l.integers(v, dst, n, 0, what)
	l.after(v)
	return err
}

func (l *legacy) readPoints(from int) error {
	if l.points {
		return l.text.Fail(from, soup.ErrSyntax, "a second section POINTS")
	}
	l.points = true
	n, err := l.count("the number of points")
	if err != nil {
		return err
	}
	name := l.word()
	kind, ok := legacyNumber(name)
	if !ok {
		return l.text.Fail(from, soup.ErrUnsupported, "points of type %s", quote.Word(name))
	}
	v := l.data(kind)
	err = l.reader.points(v, n)
	l.after(v)
	return err
}

// cellSection reads cells. Since version 5, a section has an array of offsets, which begins with 0, and
// an array of points. Earlier versions store the number of points of each cell, followed by its points.
func (l *legacy) cellSection() (*cellList, error) {
	n, err := l.count("the number of cells")
	if err != nil {
		return nil, err
	}
	size, err := l.count("the size of the cells")
	if err != nil {
		return nil, err
	}
	c := &cellList{}
	if l.peek() == "OFFSETS" {
		return c, l.offsets(c, n, size)
	}
	if err := l.array(int32s, &c.corners, size, "cells"); err != nil {
		return nil, err
	}
	if n > size {
		return nil, l.text.Fail(l.at, soup.ErrSyntax, "%d cells have only %d numbers", n, size)
	}
	if err := soup.Grow(l.b.Budget, &c.ends, int(n), 4); err != nil {
		return nil, err
	}
	from, to := 0, 0
	for i := range n {
		if from == len(c.corners) || int64(c.corners[from]) > int64(len(c.corners)-from-1) {
			return nil, l.text.Fail(l.at, soup.ErrSyntax, "the numbers end in cell %d of %d", i, n)
		}
		k := int(c.corners[from])
		copy(c.corners[to:], c.corners[from+1:from+1+k])
		from, to = from+1+k, to+k
		c.ends = append(c.ends, int32(to))
	}
	if from < len(c.corners) {
		return nil, l.text.Fail(l.at, soup.ErrSyntax, "%d numbers follow the last of %d cells", len(c.corners)-from, n)
	}
	c.corners = c.corners[:to]
	return c, nil
}

// offsets reads the cells of a file of version 5 or later.
func (l *legacy) offsets(c *cellList, n, size int64) error {
	for _, a := range []struct {
		name string
		dst  *[]int32
		n    int64
	}{{"OFFSETS", &c.ends, n}, {"CONNECTIVITY", &c.corners, size}} {
		from := scan.SkipSpace(l.text, l.at)
		if !strings.EqualFold(l.word(), a.name) {
			return l.text.Expected(from, a.name)
		}
		name := l.word()
		kind, ok := legacyNumber(name)
		if !ok {
			return l.text.Fail(from, soup.ErrUnsupported, "numbers of type %s", quote.Word(name))
		}
		if err := l.array(kind, a.dst, a.n, a.name); err != nil {
			return err
		}
	}
	if len(c.ends) > 0 {
		if c.ends[0] != 0 {
			return l.text.Fail(l.at, soup.ErrSyntax, "the first offset is %d, must be 0", c.ends[0])
		}
		c.ends = c.ends[1:]
	}
	return nil
}

// addAll adds the cells of all sections.
func (l *legacy) addAll() error {
	switch l.kind {
	case structuredGridSet, rectilinearGridSet, structuredPointsSet:
		return l.addStructuredSet()
	case gridSet:
		g := &grid{types: l.types, path: "cell"}
		if l.cells != nil {
			g.cellList = *l.cells
		}
		if len(g.types) != len(g.ends) {
			return l.text.Fail(l.at, soup.ErrSyntax, "%d cells have %d types", len(g.ends), len(g.types))
		}
		if g.hasSolids() {
			l.useSkin()
		}
		if err := l.add(g); err != nil {
			return err
		}
		return l.finish()
	}
	if l.polys != nil {
		if err := l.polygons(&grid{cellList: *l.polys, path: "polygon"}, cellType{role: polygon}); err != nil {
			return err
		}
	}
	if l.strips != nil {
		return l.polygons(&grid{cellList: *l.strips, path: "strip"}, cellType{role: strip})
	}
	return nil
}
