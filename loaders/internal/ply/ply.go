// Package ply reads and writes PLY, the polygon file format.
package ply

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// Format describes PLY.
func Format() soup.Format {
	return soup.Format{Name: "ply", Signature: func(data []byte) bool { return scan.FirstWord(data) == "ply" }, Read: read}
}

// read reads ASCII or binary PLY: the positions of the vertices, and the corners of the faces and
// triangle strips. It skips other elements and properties; see skippedFaces.
func read(s *soup.Source, b *soup.Builder) error {
	if err := plainText(s); err != nil {
		return err
	}
	h, err := readHeader(s.Data)
	if err != nil {
		return err
	}
	if err := h.skippedFaces(b); err != nil {
		return err
	}
	if h.vertices > math.MaxInt32 {
		return soup.AtPath("", soup.ErrTooLarge, "%d vertices", h.vertices)
	}
	body := readBinary
	if h.ASCII {
		body = readASCII
	}
	parts, err := body(s, b, h)
	if err != nil {
		return err
	}
	return soup.Join(b, parts)
}

// plainText calls Source.PlainText unless the file is binary. The body of a binary file must stay
// unchanged.
func plainText(s *soup.Source) error {
	head := s.Data[:min(len(s.Data), 128)] // 128 bytes almost always contain the format line
	if bytes.HasPrefix(s.Data, []byte("ply")) && !bytes.Contains(head, []byte("format ascii")) {
		return nil
	}
	return s.PlainText()
}

// chunk is one parsed part of the body of a PLY file.
type chunk struct {
	*soup.Part
	numVertices int64      // number of vertices in the file
	xyz         [3]float64 // coordinates of the current row
	n           int        // number of corners in the current row
}

func newChunk(mem *soup.Budget, h *header) *chunk {
	return &chunk{Part: soup.NewPart(mem), numVertices: h.vertices}
}

// index adds a corner. The caller adds the place to errors.
func (p *chunk) index(role role, v float64) error {
	p.n++
	if v >= 0 && v < float64(p.numVertices) && v == math.Trunc(v) || v == soup.StripRestart && role == stripIndex {
		return p.AddCorner(int32(v))
	}
	return soup.Reason(soup.ErrIndexRange, "a face refers to vertex %v, counted from 0, but the file has %d vertices", v, p.numVertices)
}

// endRow ends the current row of e. The caller adds the place to errors.
func (p *chunk) endRow(e *element) error {
	if e.use == vertexRows {
		v := r3.Vector{X: p.xyz[0], Y: p.xyz[1], Z: p.xyz[2]}
		if !soup.InRange(v) {
			return soup.Reason(soup.RangeError(v), "vertex (%v, %v, %v)", v.X, v.Y, v.Z)
		}
		return p.AddVertex(v)
	}
	n := p.n
	p.n = 0
	switch e.use {
	case stripRows:
		if n == 0 {
			return nil
		}
		return p.EndFace(-n)
	case faceRows:
		if n < 3 {
			return soup.Reason(soup.ErrSyntax, "a face has %d corners, must have at least 3", n)
		}
		return p.EndFace(n)
	}
	return nil
}

// Write writes m as binary little-endian PLY; see loaders.WritePLY.
func Write(w io.Writer, m *mesh.Mesh) error {
	kind, size := "float", 4
	if slices.ContainsFunc(m.Vertices, func(v r3.Vector) bool { return soup.Float64s(soup.Float32s(v)) != v }) {
		kind, size = "double", 8
	}
	buf := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(buf, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", len(m.Vertices))
	fmt.Fprintf(buf, "property %[1]s x\nproperty %[1]s y\nproperty %[1]s z\n", kind)
	fmt.Fprintf(buf, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", len(m.Faces))
	for _, v := range m.Vertices {
		var row [24]byte
		for k, x := range [3]float64{v.X, v.Y, v.Z} {
			if size == 8 {
				binary.LittleEndian.PutUint64(row[8*k:], math.Float64bits(x))
			} else {
				binary.LittleEndian.PutUint32(row[4*k:], math.Float32bits(float32(x)))
			}
		}
		// Only Flush is checked, because it returns the first error of the bufio.Writer.
		buf.Write(row[:3*size])
	}
	for _, f := range m.Faces {
		row := [13]byte{3}
		for k, i := range f {
			binary.LittleEndian.PutUint32(row[1+4*k:], uint32(i))
		}
		buf.Write(row[:])
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("writing PLY: %w", err)
	}
	return nil
}
