package loaders

import (
	"bytes"
	"math"

	"github.com/golang/geo/r3"
)

// plyFormat describes PLY.
func plyFormat() format {
	return format{Name: "ply", Signature: func(data []byte) bool { return firstWord(data) == "ply" }, Read: readPLY}
}

// readPLY reads PLY, ASCII or binary: the elements vertex (x, y, z of any type),
// face and tristrips (lists vertex_indices or vertex_index; in strips −1 begins a
// new one). Other elements and properties are passed over, wherever they stand; an
// element with vertex indices of its own is noted, or refused if there are no faces.
func readPLY(s *source, b *builder) error {
	if err := s.plyText(); err != nil {
		return err
	}
	h, err := readPLYHeader(s.data)
	if err != nil {
		return err
	}
	if err := h.skippedFaces(b); err != nil {
		return err
	}
	if h.vertices > math.MaxInt32 {
		return atPath("", ErrTooLarge, "%d vertices", h.vertices)
	}
	var pieces []*plyPiece
	if h.ASCII {
		pieces, err = readASCIIPLY(s, b, h)
	} else {
		pieces, err = readBinaryPLY(s, b, h)
	}
	if err != nil {
		return err
	}
	return joinPLY(b, pieces, int(h.vertices))
}

// plyText applies plainText to ASCII files. A binary one begins with the bytes
// "ply" as they are, and its body must not be touched.
func (s *source) plyText() error {
	head := s.data[:min(len(s.data), 128)] // comments rarely stand before the format
	if bytes.HasPrefix(s.data, []byte("ply")) && !bytes.Contains(head, []byte("format ascii")) {
		return nil
	}
	return s.plainText()
}

// plyPiece is what one piece of a PLY body holds.
type plyPiece struct {
	mem   *budget
	total int64 // vertices of the file
	verts []r3.Vector
	faces faceList
	xyz   r3.Vector // of the row that is being read
	n     int       // corners of the list that is being read
}

func newPLYPiece(mem *budget, total int64) *plyPiece {
	return &plyPiece{mem: mem, total: total, faces: faceList{mem: mem}}
}

// scalar takes the value of a property that is no list.
func (p *plyPiece) scalar(role plyRole, v float64) {
	switch role {
	case plyX:
		p.xyz.X = v
	case plyY:
		p.xyz.Y = v
	case plyZ:
		p.xyz.Z = v
	}
}

// index takes a corner. The error lacks its place.
func (p *plyPiece) index(role plyRole, v float64) error {
	p.n++
	if v >= 0 && v < float64(p.total) && v == math.Trunc(v) || v == stripRestart && role == plyStrip {
		return p.faces.corner(int32(v))
	}
	return reason(ErrIndexRange, "a face refers to vertex %v of %d, counted from 0", v, p.total)
}

// endRow ends a row of e. The error lacks its place.
func (p *plyPiece) endRow(e *plyElement) error {
	if e.use == plyVertices {
		if err := checkVertex(p.xyz); err != nil {
			return reason(err, "vertex (%v, %v, %v)", p.xyz.X, p.xyz.Y, p.xyz.Z)
		}
		if len(p.verts) == cap(p.verts) {
			var err error
			if p.verts, err = extend(p.mem, p.verts, 1, vertexBytes); err != nil {
				return err
			}
		}
		p.verts = append(p.verts, p.xyz)
		return nil
	}
	n := p.n
	p.n = 0
	switch e.use {
	case plyStrips:
		if n == 0 {
			return nil
		}
		return p.faces.size(-n)
	case plyFaces:
		if n < 3 {
			return reason(ErrSyntax, "a face with %d corners", n)
		}
		return p.faces.size(n)
	}
	return nil
}

// free gives the memory back.
func (p *plyPiece) free() {
	p.mem.release(vertexBytes * int64(cap(p.verts)))
	p.verts = nil
	p.faces.free()
}

// joinPLY gives the pieces' vertices and faces to the builder.
func joinPLY(b *builder, pieces []*plyPiece, vertices int) error {
	if len(pieces) == 1 { // nothing to join
		b.verts, pieces[0].verts = pieces[0].verts, nil
	} else if err := b.growVertices(vertices); err != nil {
		return err
	}
	triangles := 0
	for _, p := range pieces {
		if err := b.ctxDone(); err != nil {
			return err
		}
		b.verts = append(b.verts, p.verts...)
		triangles += p.faces.triangles()
	}
	if err := b.expectFaces(triangles); err != nil {
		return err
	}
	for _, p := range pieces {
		if err := p.faces.emit(b, nil); err != nil {
			return err
		}
		p.free()
	}
	return nil
}
