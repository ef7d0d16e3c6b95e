package loaders

// faceList collects faces as stored, until all vertices are known.
type faceList struct {
	mem     *budget
	corners []int32 // of all faces
	sizes   []int32 // corners of each face, negative for a strip; nil while all are triangles
}

// count returns the number of faces.
func (l *faceList) count() int {
	if l.sizes != nil {
		return len(l.sizes)
	}
	return len(l.corners) / 3
}

// corner appends a corner of the face that size will end.
func (l *faceList) corner(v int32) (err error) {
	if len(l.corners) == cap(l.corners) {
		if l.corners, err = extend(l.mem, l.corners, 1, 4); err != nil {
			return err
		}
	}
	l.corners = append(l.corners, v)
	return nil
}

// size ends a face of n corners, or a strip of −n.
func (l *faceList) size(n int) (err error) {
	if l.sizes == nil {
		if n == 3 {
			return nil
		}
		before := (len(l.corners) - max(n, -n)) / 3
		if l.sizes, err = extend(l.mem, l.sizes, before+1, 4); err != nil {
			return err
		}
		for range before {
			l.sizes = append(l.sizes, 3)
		}
	}
	if len(l.sizes) == cap(l.sizes) {
		if l.sizes, err = extend(l.mem, l.sizes, 1, 4); err != nil {
			return err
		}
	}
	l.sizes = append(l.sizes, int32(n))
	return nil
}

// triangles returns how many triangles the faces have, at most: a strip's
// restarts and stitches count less.
func (l *faceList) triangles() int {
	if l.sizes == nil {
		return len(l.corners) / 3
	}
	n := 0
	for _, s := range l.sizes {
		n += int(max(s, -s, 2)) - 2
	}
	return n
}

// free gives the memory back.
func (l *faceList) free() {
	l.mem.release(4 * int64(cap(l.corners)+cap(l.sizes)))
	l.corners, l.sizes = nil, nil
}

// emit gives the faces to the builder, whose vertices they refer to. before, if
// not nil, is called before each face.
func (l *faceList) emit(b *builder, before func(face int) error) error {
	rest := l.corners
	for f := range l.count() {
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
			err = b.strip(rest[:n])
		} else {
			err = b.polygon(rest[:n])
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

// stripRestart in a strip begins a new one.
const stripRestart = -1

// strip appends the triangles of a triangle strip: every other one is turned, so
// that all have the orientation of the first. Triangles that name a vertex twice
// only stitch strips together and are no faces.
func (b *builder) strip(corners []int32) error {
	b.Polygons++
	run := 0 // corners since the restart
	for k, c := range corners {
		if c == stripRestart {
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
		if err := b.emit(p, q, c); err != nil {
			return err
		}
	}
	return nil
}
