package off

import (
	"encoding/binary"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// binaryReader reads a binary OFF file. After the line with the keyword, the file consists of words
// of four bytes. A word is a big-endian int32 or float32 (Geomview manual, "OFF Files").
type binaryReader struct {
	data []byte
	at   int
	err  error // the first error that occurred
}

// word returns the next word. After the end of the file it returns 0 and sets err.
func (p *binaryReader) word() uint32 {
	if len(p.data)-p.at < 4 {
		if p.err == nil {
			p.err = soup.AtByte(int64(p.at), soup.ErrTruncated, "the file ends inside a number")
		}
		return 0
	}
	p.at += 4
	return binary.BigEndian.Uint32(p.data[p.at-4:])
}

// float reads the next word as a float32 number.
func (p *binaryReader) float() float64 { return float64(math.Float32frombits(p.word())) }

// count reads a number of elements. Each element needs at least size bytes.
func (p *binaryReader) count(size int, what string) int {
	at := int64(p.at)
	n := int64(int32(p.word()))
	if left := int64(len(p.data) - p.at); p.err == nil && (n < 0 || n > left/int64(size)) {
		p.err = soup.AtByte(at, soup.ErrTruncated, "%d %s do not fit in the %d bytes that follow", n, what, left)
		return 0
	}
	return int(n)
}

// readBinary reads the part of a binary OFF file after the word "BINARY".
func readBinary(s *soup.Source, b *soup.Builder, k vertexKind, at int) error {
	if k.four || k.any {
		return soup.AtByte(0, soup.ErrUnsupported, "binary vertices must have exactly three coordinates")
	}
	p := &binaryReader{data: s.Data, at: min(scan.LineEnd(s.Data, at)+1, len(s.Data))}
	stride := 4 * k.numbers()
	vertices := p.count(stride, "vertices")
	faces := p.count(8, "faces") // a face has at least a corner count and a color count
	p.word()                     // skip the number of edges
	if p.err != nil {
		return p.err
	}
	if err := b.GrowVertices(vertices); err != nil {
		return err
	}
	for i := range vertices {
		from := p.at
		v := r3.Vector{X: p.float(), Y: p.float(), Z: p.float()}
		if p.at = from + stride; p.err != nil {
			return p.err
		}
		if _, err := b.AddVertex(v); err != nil {
			return soup.AtByte(int64(from), err, "vertex %d", i)
		}
	}
	if err := p.faces(s, b, faces); err != nil {
		return err
	}
	if rest := len(p.data) - p.at; rest > 0 {
		b.Note("number of ignored bytes after the last face: %d", rest)
	}
	return s.Step(int64(len(s.Data)))
}

func (p *binaryReader) faces(s *soup.Source, b *soup.Builder, n int) error {
	var corners []int32
	small := 0
	for k := range n {
		from := p.at
		size := p.count(4, "corners")
		if p.err == nil && size == 0 {
			return soup.AtByte(int64(from), soup.ErrSyntax, "face %d has no corners", k)
		}
		corners = corners[:0]
		if err := soup.Grow(b.Budget, &corners, size, 4); err != nil {
			return err
		}
		for range size {
			v := p.word()
			if p.err == nil && int64(v) >= int64(len(b.Vertices)) {
				return soup.AtByte(int64(p.at-4), soup.ErrIndexRange, "a face refers to vertex %d, counted from 0, but the file has %d vertices", int32(v), len(b.Vertices))
			}
			corners = append(corners, int32(v))
		}
		colors := p.count(4, "colors")
		p.at += 4 * colors
		if p.err != nil {
			return p.err
		}
		if size < 3 {
			small++
		} else if err := b.AddPolygon(corners); err != nil {
			return err
		}
		if err := s.Check(k); err != nil {
			return err
		}
	}
	b.NoteCount(smallFaces, small)
	return nil
}
