package soup

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/predicates"
)

// AddPolygon triangulates a face with three or more corners and appends its
// len(corners)−2 triangles. Errors: ErrIndexRange, ErrTooLarge, the context's.
//
// A face that is star-shaped around its first corner, as convex ones are, becomes the fan
// around it. Other faces are cut by ear clipping in the projection along the largest
// component of the area vector, with exact signs: a fan would have triangles outside the
// face. Faces that are not planar are cut by their projection, too. A face without area, and
// the rest of a face that crosses itself, becomes a fan. Notes count all but simple fans.
//
// The boundary of the triangles is always the boundary of the face, so triangulation never
// opens or closes a mesh.
func (b *Builder) AddPolygon(corners []int32) error {
	if len(corners) == 3 {
		b.Polygons++
		return b.AddTriangle(corners[0], corners[1], corners[2])
	}
	for _, c := range corners {
		if !b.inRange(int64(c)) {
			return ErrIndexRange
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	b.Polygons++
	if err := b.reserveEars(len(corners)); err != nil {
		return err
	}
	if solid, err := b.project(corners); err != nil {
		return err
	} else if !solid {
		b.flatFaces++
		return b.fan(corners)
	}
	if seen, err := b.seenFromFirst(); err != nil {
		return err
	} else if seen {
		return b.fan(corners)
	}
	b.concave++
	return b.clip(corners)
}

// fan appends the fan of triangles around the first corner.
func (b *Builder) fan(corners []int32) error {
	for k := 2; k < len(corners); k++ {
		if err := b.AppendTriangle(corners[0], corners[k-1], corners[k]); err != nil {
			return err
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	return nil
}

// earClipper holds a polygon in its plane of projection, and the ring of its corners that
// are not cut off yet.
type earClipper struct {
	at         []r3.Vector // projected corners, counterclockwise, Z = 0
	prev, next []int32     // ring
	queue      []int32     // corners to be tested, from head on; has room for twice the ring
	head       int
	queued     []bool // corner is in the queue
	removed    []bool // corner was cut off
	remaining  int
	first      int32 // one of the remaining corners
	tree       earTree
	signs      predicates.Counter
}

// earBytes is the size of a corner in an earClipper, without the nodes of the tree:
// 24 + 6·4 + 3·1.
const earBytes = 51

// reserveEars makes room for a polygon of n corners.
func (b *Builder) reserveEars(n int) error {
	e := &b.ears
	if n <= cap(e.at) {
		return nil
	}
	size := max(n, 2*cap(e.at), 64)
	if err := b.Budget.Reserve(earBytes * int64(size-cap(e.at))); err != nil {
		return err
	}
	e.at = make([]r3.Vector, 0, size)
	e.prev, e.next = make([]int32, size), make([]int32, size)
	e.queue = make([]int32, 0, 2*size)
	e.removed, e.queued = make([]bool, size), make([]bool, size)
	e.tree.corners, e.tree.leaf = make([]int32, 0, size), make([]int32, size)
	e.tree.marked = make([]bool, size)
	return nil
}

// project drops the coordinate in which the area vector is largest. It orders the other two
// such that the polygon runs counterclockwise. It returns false for a polygon without area.
func (b *Builder) project(corners []int32) (bool, error) {
	normal, err := b.areaVector(corners)
	if err != nil {
		return false, err
	}
	x, y, z := math.Abs(normal.X), math.Abs(normal.Y), math.Abs(normal.Z)
	largest := max(x, y, z)
	if !(largest > 0) {
		return false, nil
	}
	e := &b.ears
	e.at = e.at[:0]
	for _, c := range corners {
		if err := b.visit(); err != nil {
			return false, err
		}
		v, w := b.Vertices[c], r3.Vector{}
		var up bool
		switch largest {
		case x:
			w.X, w.Y, up = v.Y, v.Z, normal.X > 0
		case y:
			w.X, w.Y, up = v.Z, v.X, normal.Y > 0
		default:
			w.X, w.Y, up = v.X, v.Y, normal.Z > 0
		}
		if !up {
			w.X, w.Y = w.Y, w.X
		}
		e.at = append(e.at, w)
	}
	return true, nil
}

// areaVector returns a positive multiple of the polygon's area vector, Σ pᵢ×pᵢ₊₁ relative
// to the first corner (Newell's method; Sutherland, Sproull and Schumacker 1974). The caller
// uses only the largest component and its sign. Rounding may select another projection, but
// every projection gives correct triangles.
func (b *Builder) areaVector(corners []int32) (r3.Vector, error) {
	verts := b.Vertices
	first, size := verts[corners[0]], 0.0
	for _, c := range corners {
		if err := b.visit(); err != nil {
			return r3.Vector{}, err
		}
		d := verts[c].Sub(first)
		size = max(size, math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z))
	}
	// Scaling to 1 by a power of two prevents overflow and underflow of the products.
	// Differences come after scaling because they could overflow, too.
	_, exp := math.Frexp(size)
	if math.IsInf(size, 0) {
		exp = 1025 // the difference of two numbers below 2^1024
	}
	local := func(c int32) r3.Vector {
		v := verts[c]
		return r3.Vector{
			X: math.Ldexp(v.X, -exp) - math.Ldexp(first.X, -exp),
			Y: math.Ldexp(v.Y, -exp) - math.Ldexp(first.Y, -exp),
			Z: math.Ldexp(v.Z, -exp) - math.Ldexp(first.Z, -exp),
		}
	}
	var sum r3.Vector
	last := local(corners[1])
	for _, c := range corners[2:] {
		if err := b.visit(); err != nil {
			return r3.Vector{}, err
		}
		p := local(c)
		sum = sum.Add(last.Cross(p))
		last = p
	}
	return sum, nil
}

// turn returns the exact sign of the area of the projected triangle i, j, k: +1 for a left
// turn. It is Orient3D with a fourth point below the plane Z = 0.
func (e *earClipper) turn(i, j, k int32) int { return e.turnTo(i, j, e.at[k]) }

func (e *earClipper) turnTo(i, j int32, p r3.Vector) int {
	a, b := e.at[i], e.at[j]
	return e.signs.Orient3D(a, b, p, r3.Vector{X: a.X, Y: a.Y, Z: -1})
}

// seenFromFirst reports whether the polygon is star-shaped around corner 0: no triangle of
// the fan is inverted.
func (b *Builder) seenFromFirst() (bool, error) {
	for k := 2; k < len(b.ears.at); k++ {
		if b.ears.turn(0, int32(k-1), int32(k)) < 0 {
			return false, nil
		}
		if err := b.visit(); err != nil {
			return false, err
		}
	}
	return true, nil
}
