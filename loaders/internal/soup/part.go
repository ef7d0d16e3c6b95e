package soup

import "github.com/golang/geo/r3"

// Part collects the vertices, faces and bodies that are parsed from one part of a file. Its faces
// can refer to vertices that come later in the file. Join moves all parts to a Builder.
type Part struct {
	Vertices []r3.Vector

	budget   *Budget
	corners  []int32 // corners of all faces
	sizes    []int32 // number of corners of each face, negative for a strip; nil if all are triangles
	relative []int32 // positions of the corners that AddRelativeCorner added
	bodies   []partBody
}

// partBody is a named body.
type partBody struct {
	name      []byte
	firstFace int
}

// partBodyBytes is the size of a partBody.
const partBodyBytes = 32

// NewPart returns an empty Part.
func NewPart(mem *Budget) *Part { return &Part{budget: mem} }

// AddVertex appends a vertex. The caller must have checked the vertex.
func (p *Part) AddVertex(v r3.Vector) error {
	if len(p.Vertices) == cap(p.Vertices) {
		return p.growAndAdd(v)
	}
	p.Vertices = append(p.Vertices, v)
	return nil
}

// growAndAdd is the slow path of AddVertex, for a full slice. It is a separate function so that the
// compiler can inline AddVertex.
func (p *Part) growAndAdd(v r3.Vector) error {
	if err := Grow(p.budget, &p.Vertices, 1, VertexBytes); err != nil {
		return err
	}
	return p.AddVertex(v)
}

// BeginBody begins a named body for the faces that follow.
func (p *Part) BeginBody(name []byte) error {
	if err := Grow(p.budget, &p.bodies, 1, partBodyBytes); err != nil {
		return err
	}
	p.bodies = append(p.bodies, partBody{name, p.numFaces()})
	return nil
}

// NumCorners returns the number of corners so far.
func (p *Part) NumCorners() int { return len(p.corners) }

func (p *Part) numFaces() int {
	if p.sizes != nil {
		return len(p.sizes)
	}
	return len(p.corners) / 3
}

// AddCorner appends a corner to the current face, at vertex v of the file. EndFace ends the face.
func (p *Part) AddCorner(v int32) error {
	if len(p.corners) == cap(p.corners) {
		if err := Grow(p.budget, &p.corners, 1, 4); err != nil {
			return err
		}
	}
	p.corners = append(p.corners, v)
	return nil
}

// AddRelativeCorner appends a corner to the current face, at vertex v of the part.
func (p *Part) AddRelativeCorner(v int32) error {
	if len(p.relative) == cap(p.relative) {
		if err := Grow(p.budget, &p.relative, 1, 4); err != nil {
			return err
		}
	}
	p.relative = append(p.relative, int32(len(p.corners)))
	return p.AddCorner(v)
}

// EndFace ends a face of n corners. If n is negative, it ends a triangle strip of −n corners.
func (p *Part) EndFace(n int) error {
	if p.sizes == nil {
		if n == 3 {
			return nil
		}
		before := (len(p.corners) - max(n, -n)) / 3
		if err := Grow(p.budget, &p.sizes, before+1, 4); err != nil {
			return err
		}
		for range before {
			p.sizes = append(p.sizes, 3)
		}
	}
	if len(p.sizes) == cap(p.sizes) {
		if err := Grow(p.budget, &p.sizes, 1, 4); err != nil {
			return err
		}
	}
	p.sizes = append(p.sizes, int32(n))
	return nil
}

// maxTriangles returns an upper bound of the number of triangles in p. The bound can be too large
// if a strip has restarts or repeated vertices.
func (p *Part) maxTriangles() int {
	if p.sizes == nil {
		return len(p.corners) / 3
	}
	n := 0
	for _, s := range p.sizes {
		n += int(max(s, -s, 2)) - 2
	}
	return n
}

// Free drops the content of p and releases its memory to the budget.
func (p *Part) Free() {
	p.budget.Release(VertexBytes*int64(cap(p.Vertices)) + 4*int64(cap(p.corners)+cap(p.sizes)+cap(p.relative)) + partBodyBytes*int64(cap(p.bodies)))
	p.Vertices, p.corners, p.sizes, p.relative, p.bodies = nil, nil, nil, nil, nil
}

// Join appends the parts to b in order and frees the parts. Errors: ErrIndexRange, ErrTooLarge and
// the error of the context, all without a position in the file.
func Join(b *Builder, parts []*Part) error {
	vertices, triangles := 0, 0
	for _, p := range parts {
		vertices += len(p.Vertices)
		triangles += p.maxTriangles()
	}
	if len(parts) == 1 { // one part needs no copy
		b.Vertices, parts[0].Vertices = parts[0].Vertices, nil
	} else if err := b.GrowVertices(vertices); err != nil {
		return err
	}
	before := int32(0) // number of vertices in the parts before p
	for _, p := range parts {
		if err := b.Err(); err != nil {
			return err
		}
		b.Vertices = append(b.Vertices, p.Vertices...)
		for _, i := range p.relative {
			p.corners[i] += before
		}
		before += int32(len(p.Vertices))
	}
	if err := b.ExpectTriangles(triangles); err != nil {
		return err
	}
	for _, p := range parts {
		if err := b.appendFaces(p); err != nil {
			return err
		}
		p.Free()
	}
	return nil
}

// appendFaces appends the faces and bodies of p.
func (b *Builder) appendFaces(p *Part) error {
	rest, bodies := p.corners, p.bodies
	for f, faces := 0, p.numFaces(); ; f++ {
		for len(bodies) > 0 && bodies[0].firstFace <= f {
			if err := b.BeginBody(string(bodies[0].name)); err != nil {
				return err
			}
			bodies = bodies[1:]
		}
		if f == faces {
			return nil
		}
		n := int32(3)
		if p.sizes != nil {
			n = p.sizes[f]
		}
		var err error
		if n < 0 {
			n = -n
			err = b.AddStrip(rest[:n])
		} else {
			err = b.AddPolygon(rest[:n])
		}
		if err != nil {
			return err
		}
		rest = rest[n:]
		const look = 1 << 14 // number of faces between two checks of the context
		if f%look == look-1 {
			if err := b.ctxDone(); err != nil {
				return err
			}
		}
	}
}

// StripRestart is a special vertex index in a strip. A new strip begins after it.
const StripRestart = -1

// AddStrip appends the triangles of a strip. It reverses every second triangle, so that all
// triangles have the orientation of the first one. It drops triangles with a repeated vertex,
// because such triangles only connect two strips.
func (b *Builder) AddStrip(corners []int32) error {
	b.Polygons++
	run := 0 // number of corners since the last restart
	for k, c := range corners {
		if c == StripRestart {
			run = 0
			continue
		}
		if !b.inRange(c) {
			return ErrIndexRange
		}
		if run++; run < 3 {
			continue
		}
		p, q := corners[k-2], corners[k-1]
		if run%2 == 0 {
			p, q = q, p
		}
		if p == q || q == c || p == c {
			continue
		}
		if err := b.AppendTriangle(p, q, c); err != nil {
			return err
		}
	}
	return nil
}
