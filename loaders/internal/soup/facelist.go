package soup

// FaceList collects faces, as stored, until all vertices are known.
type FaceList struct {
	budget  *Budget
	corners []int32 // of all faces
	sizes   []int32 // corners of each face, negative for a strip; nil while all are triangles
}

// NewFaceList returns an empty list.
func NewFaceList(mem *Budget) *FaceList { return &FaceList{budget: mem} }

// NumCorners returns the number of corners so far.
func (l *FaceList) NumCorners() int { return len(l.corners) }

// Shift adds by to the vertex indices at the given places among the corners.
func (l *FaceList) Shift(places []int32, by int32) {
	for _, i := range places {
		l.corners[i] += by
	}
}

// EndStrip ends a triangle strip of n corners.
func (l *FaceList) EndStrip(n int) error { return l.EndFace(-n) }

// Len returns the number of faces.
func (l *FaceList) Len() int {
	if l.sizes != nil {
		return len(l.sizes)
	}
	return len(l.corners) / 3
}

// AddCorner appends a corner to the face that EndFace or EndStrip will end.
func (l *FaceList) AddCorner(v int32) (err error) {
	if len(l.corners) == cap(l.corners) {
		if l.corners, err = Extend(l.budget, l.corners, 1, 4); err != nil {
			return err
		}
	}
	l.corners = append(l.corners, v)
	return nil
}

// EndFace ends a face of n corners.
func (l *FaceList) EndFace(n int) (err error) {
	if l.sizes == nil {
		if n == 3 {
			return nil
		}
		before := (len(l.corners) - max(n, -n)) / 3
		if l.sizes, err = Extend(l.budget, l.sizes, before+1, 4); err != nil {
			return err
		}
		for range before {
			l.sizes = append(l.sizes, 3)
		}
	}
	if len(l.sizes) == cap(l.sizes) {
		if l.sizes, err = Extend(l.budget, l.sizes, 1, 4); err != nil {
			return err
		}
	}
	l.sizes = append(l.sizes, int32(n))
	return nil
}

// MaxTriangles returns an upper bound of the number of triangles. It is exact but for
// restarts and stitches in strips.
func (l *FaceList) MaxTriangles() int {
	if l.sizes == nil {
		return len(l.corners) / 3
	}
	n := 0
	for _, s := range l.sizes {
		n += int(max(s, -s, 2)) - 2
	}
	return n
}

// Free releases the memory.
func (l *FaceList) Free() {
	l.budget.Release(4 * int64(cap(l.corners)+cap(l.sizes)))
	l.corners, l.sizes = nil, nil
}

// AppendTo appends the faces to b, whose vertices they refer to. If before is not nil, it is
// called before each face.
func (l *FaceList) AppendTo(b *Builder, before func(face int) error) error {
	rest := l.corners
	for f := range l.Len() {
		if before != nil {
			if err := before(f); err != nil {
				return err
			}
		}
		n := int32(3)
		if l.sizes != nil {
			n = l.sizes[f]
		}
		var err error
		if n < 0 {
			n = -n
			err = b.addStrip(rest[:n])
		} else {
			err = b.AddPolygon(rest[:n])
		}
		if err != nil {
			return err
		}
		rest = rest[n:]
		const look = 1 << 14 // faces between looks at the context
		if f%look == look-1 {
			if err := b.ctxDone(); err != nil {
				return err
			}
		}
	}
	return nil
}

// StripRestart stands in place of a vertex of a strip and begins a new strip.
const StripRestart = -1

// addStrip appends the triangles of a strip. Every other one is reversed, so all have the
// orientation of the first. Triangles with a vertex twice only stitch strips together and
// are dropped.
func (b *Builder) addStrip(corners []int32) error {
	b.Polygons++
	run := 0 // corners since the restart
	for k, c := range corners {
		if c == StripRestart {
			run = 0
			continue
		}
		if !b.inRange(int64(c)) {
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
