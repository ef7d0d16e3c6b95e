package off

import (
	"encoding/binary"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// binaryReader reads the words of a binary OFF file: big-endian int32 and float32 after the
// line with the keyword (Geomview manual, "OFF Files").
type binaryReader struct {
	data []byte
	at   int
	err  error // the first one
}

// word returns the next four bytes. After the end it returns 0 and sets err.
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

// count reads the number of elements that take at least size bytes each.
func (p *binaryReader) count(size int, what string) int {
	at := int64(p.at)
	n := int64(int32(p.word()))
	if left := int64(len(p.data) - p.at); p.err == nil && (n < 0 || n > left/int64(size)) {
		p.err = soup.AtByte(at, soup.ErrTruncated, "%d %s do not fit in the %d bytes that follow", n, what, left)
		return 0
	}
	return int(n)
}

// readBinary reads a binary file. "BINARY" ends at the given place.
func readBinary(s *soup.Source, b *soup.Builder, k vertexKind, at int) error {
	if k.four || k.any {
		return soup.AtByte(0, soup.ErrUnsupported, "binary vertices without exactly three coordinates")
	}
	p := &binaryReader{data: s.Data, at: min(scan.LineEnd(s.Data, at)+1, len(s.Data))}
	stride := 4 * k.numbers()
	vertices := p.count(stride, "vertices")
	faces := p.count(8, "faces") // number of corners, number of colors
	p.word()                     // edges
	if p.err != nil {
		return p.err
	}
	if err := b.GrowVertices(vertices); err != nil {
		return err
	}
	for i := range vertices {
		from := p.at
		var x [3]float64
		for c := range x {
			x[c] = float64(math.Float32frombits(p.word()))
		}
		if p.at = from + stride; p.err != nil {
			return p.err
		}
		if _, err := b.AddVertex(r3.Vector{X: x[0], Y: x[1], Z: x[2]}); err != nil {
			return soup.AtByte(int64(from), err, "vertex %d", i)
		}
	}
	if err := p.faces(s, b, faces); err != nil {
		return err
	}
	if rest := len(p.data) - p.at; rest > 0 {
		b.Note("bytes ignored after the last face: %d", rest)
	}
	return s.Step(int64(len(s.Data)))
}

// faces reads n faces.
func (p *binaryReader) faces(s *soup.Source, b *soup.Builder, n int) error {
	var corners []int32
	small := 0
	for k := range n {
		from := p.at
		size := p.count(4, "corners")
		if p.err == nil && size == 0 {
			return soup.AtByte(int64(from), soup.ErrSyntax, "face %d has no corners", k)
		}
		var err error
		if corners, err = soup.Extend(b.Budget, corners[:0], size, 4); err != nil {
			return err
		}
		for range size {
			v := p.word()
			if p.err == nil && int64(v) >= int64(len(b.Vertices)) {
				return soup.AtByte(int64(p.at-4), soup.ErrIndexRange, "a face refers to vertex %d of %d, counted from 0", int32(v), len(b.Vertices))
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
		const look = 1 << 12 // faces between two checks of the context
		if k%look == look-1 && s.Err() != nil {
			return s.Err()
		}
	}
	noteSmall(b, small)
	return nil
}
