package off

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// layout returns the number of words of a vertex. It sets p.lines if every vertex and every face
// has a line of its own.
//
// The keyword declares how many numbers a vertex has. A color has three or four numbers. If p.lines
// is set, vertices can have more numbers, for example undeclared colors. All vertices must have as
// many numbers as the first vertex.
func (p *textReader) layout(vertices, faces int64) (words int, err error) {
	words = p.kind.numbers()
	first := p.skip(p.at, false)
	at := first
	for k := range vertices {
		at = scan.LineEnd(p.text, p.skip(at, false))
		if err := p.s.Check(int(k)); err != nil {
			return 0, err
		}
	}
	if vertices == 0 || at == len(p.text) {
		return words, nil
	}
	if p.lines, err = p.faceRows(at, faces); err != nil || !p.lines {
		return words, err
	}
	least := words
	if p.kind.color {
		least--
	}
	found := p.words(first)
	if found > words {
		p.b.Note("ignored %d extra numbers of each vertex: the keyword in the header does not declare them", found-words)
	}
	return max(found, least), nil
}

// words returns the number of words from i to the end of the line.
func (p *textReader) words(i int) (n int) {
	for {
		i = p.skip(i, true)
		if i == len(p.text) || p.text[i] == '\n' {
			return n
		}
		n++
		for !p.wordEnds(i) {
			i++
		}
	}
}

// faceRows reports whether each of the n lines from position i on begins like a face: with a number
// k and at least k more words. Blank lines do not count.
func (p *textReader) faceRows(i int, n int64) (bool, error) {
	for k := range n {
		i = p.skip(i, false)
		size, length, ok := decimal.ParseInt(p.text[i:])
		if !ok || size < 0 || int64(p.words(i+length)) < size {
			return false, nil
		}
		i = scan.LineEnd(p.text, i)
		if err := p.s.Check(int(k)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// vertices reads n vertices. Each vertex has the given number of words.
func (p *textReader) vertices(n int64, words int) error {
	if err := p.b.GrowVertices(int(n)); err != nil {
		return err
	}
	for k := range n {
		p.at = p.skip(p.at, false)
		var v r3.Vector
		from := p.at
		for _, x := range [3]*float64{&v.X, &v.Y, &v.Z} {
			var err error
			if *x, err = p.number("a coordinate"); err != nil {
				return err
			}
		}
		if _, err := p.b.AddVertex(v); err != nil {
			return p.text.Fail(from, err, "vertex %d", k)
		}
		for range words - 3 {
			if _, err := p.number("a normal, color or texture coordinate"); err != nil {
				return err
			}
		}
		if p.lines && !p.lineEnds(p.at) {
			return p.text.Fail(from, soup.ErrSyntax, "vertex %d has more numbers than the first vertex, which has %d", k, words)
		}
		if err := p.s.Check(int(k)); err != nil {
			return err
		}
	}
	return nil
}

// faces reads n faces. If p.lines is set, the words after the corners are the color of the face. A
// color is one index, or three or four numbers.
func (p *textReader) faces(n int64) error {
	var corners []int32
	for k := range n {
		p.at = p.skip(p.at, false)
		from := p.at
		size, err := p.count("the number of corners")
		if err != nil {
			return err
		}
		if size == 0 {
			return p.text.Fail(from, soup.ErrSyntax, "a face has no corners")
		}
		if left := int64(len(p.text) - p.at); size > left/2 {
			return p.text.Fail(from, soup.ErrTruncated, "a face declares %d corners, but only %d bytes are left", size, left)
		}
		corners = corners[:0]
		if err := p.corners(&corners, int(size)); err != nil {
			return err
		}
		if len(corners) < 3 {
			p.small++
		} else if err := p.b.AddPolygon(corners); err != nil {
			return err
		}
		if p.lines {
			if c := p.words(p.at); c == 2 || c > 4 {
				p.odd++
			}
			p.at = scan.LineEnd(p.text, p.at)
		}
		if err := p.s.Check(int(k)); err != nil {
			return err
		}
	}
	return nil
}

// corners reads n indices and appends them to dst.
func (p *textReader) corners(dst *[]int32, n int) error {
	if err := soup.Grow(p.b.Budget, dst, n, 4); err != nil {
		return err
	}
	for range n {
		p.at = p.skip(p.at, false)
		i := p.at
		v, err := p.number("an index")
		if err != nil {
			return err
		}
		if v != math.Trunc(v) || !(v >= 0 && v < float64(len(p.b.Vertices))) {
			return p.text.Fail(i, soup.ErrIndexRange, "a face refers to vertex %v, counted from 0, but the file has %d vertices", v, len(p.b.Vertices))
		}
		*dst = append(*dst, int32(v))
	}
	return nil
}
