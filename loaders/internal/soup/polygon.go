package soup

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// AddPolygon triangulates a face with three or more corners and appends len(corners)−2 triangles,
// as documented in loaders.Load. It records that they are triangles of one polygon. It finds ears in
// the projection along the largest component of the area vector, even if the face is not planar.
// Errors: ErrIndexRange, ErrTooLarge, and the error of the context.
func (b *Builder) AddPolygon(corners []int32) error {
	if len(corners) == 3 {
		b.Polygons++
		return b.AddTriangle(corners[0], corners[1], corners[2])
	}
	for _, c := range corners {
		if !b.inRange(c) {
			return ErrIndexRange
		}
		if err := b.visit(); err != nil {
			return err
		}
	}
	b.Polygons++
	if b.CountNonPlanar && !b.planar(corners) {
		b.nonPlanar++
	}
	if err := b.beginPolygon(len(corners) - 2); err != nil {
		return err
	}
	if err := b.reserveEars(len(corners)); err != nil {
		return err
	}
	if solid, err := b.project(corners, corners); err != nil {
		return err
	} else if !solid {
		b.flatFaces++
		return b.fan(corners)
	}
	least, err := b.leastTurn()
	switch {
	case err != nil:
		return err
	case least > 0:
		return b.fan(corners)
	case least < 0:
		b.concave++
	}
	return b.clip(corners)
}

// planar reports whether the corners of a polygon are in a plane. It tests the volumes that the next
// corner spans with each triangle of the fan around the first corner, and with each three successive
// corners. For four corners the result is exact. A larger polygon with corners on a line can be taken for
// planar.
func (b *Builder) planar(corners []int32) bool {
	v, signs := b.Vertices, &b.ears.signs
	first := v[corners[0]]
	for k := 3; k < len(corners); k++ {
		p, q, r := v[corners[k-2]], v[corners[k-1]], v[corners[k]]
		if signs.Orient3D(first, p, q, r) != 0 || signs.Orient3D(v[corners[k-3]], p, q, r) != 0 {
			return false
		}
	}
	return true
}

// beginPolygon records that the next n triangles are triangles of one polygon.
func (b *Builder) beginPolygon(n int) error {
	if len(b.ranges) == cap(b.ranges) {
		if err := Grow(b.Budget, &b.ranges, 1, polygonBytes); err != nil {
			return err
		}
	}
	b.ranges = append(b.ranges, mesh.Polygon{First: int32(b.faces()), Count: int32(n)})
	return nil
}

// polygonBytes is the size of a mesh.Polygon.
const polygonBytes = 8

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

// earClipper holds a projected polygon and a ring. The ring links the corners that are not cut off
// yet.
type earClipper struct {
	at         []r3.Vector // projected corners in counterclockwise order; Z = 0
	prev, next []int32     // neighbors of each corner in the ring
	queue      []int32     // corners to test: queue[head:]; the capacity is twice the size of the ring
	head       int
	queued     []bool // reports for each corner whether it is in the queue
	removed    []bool // reports for each corner whether it was cut off
	remaining  int    // number of corners in the ring
	first      int32  // one of the corners in the ring
	tree       earTree
	signs      predicates.Counter
}

// earBytes is the memory of an earClipper for each corner, without the nodes of the tree.
const earBytes = 24 + 6*4 + 3*1

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

// project projects the corners along the largest component of the area vector of a ring. The
// projected ring is in counterclockwise order. project returns false if the ring has no area.
func (b *Builder) project(corners, ring []int32) (bool, error) {
	normal, err := b.areaVector(ring)
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
		v := b.Vertices[c]
		var w r3.Vector
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

// areaVector returns a positive multiple of the area vector of the polygon. By Newell's method
// (Sutherland, Sproull and Schumacker 1974), this is the sum of the cross products of consecutive
// corners, relative to the first corner. The result only selects a projection. A rounding error is
// harmless, because the triangles are correct in every projection.
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
	// The factor 2^−exp prevents overflow and underflow of products. The coordinates are scaled
	// before the subtraction, because differences of unscaled coordinates could overflow.
	_, exp := math.Frexp(size)
	if math.IsInf(size, 0) {
		exp = 1025 // 2^exp is above the difference of any two float64 numbers
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

// turn returns the exact sign of the area of the projected triangle i, j, k. The sign is +1 for a
// left turn.
func (e *earClipper) turn(i, j, k int32) int { return e.turnTo(i, j, e.at[k]) }

// turnTo returns the exact sign of the area of the triangle i, j, p.
func (e *earClipper) turnTo(i, j int32, p r3.Vector) int {
	a, b := e.at[i], e.at[j]
	return e.signs.Orient3D(a, b, p, r3.Vector{X: a.X, Y: a.Y, Z: -1})
}

// leastTurn returns the smallest sign of the areas of the triangles in the fan around corner 0. If
// it is positive, the fan covers the polygon exactly. If it is 0, some triangles have no area, and
// ear clipping can avoid them. Triangles with a repeated corner do not count, because no
// triangulation can avoid these.
func (b *Builder) leastTurn() (int, error) {
	least, at := 1, b.ears.at
	for k := 2; k < len(at); k++ {
		sign := b.ears.turn(0, int32(k-1), int32(k))
		if sign < 0 {
			return sign, nil
		}
		if sign == 0 && at[0] != at[k-1] && at[k-1] != at[k] && at[k] != at[0] {
			least = 0
		}
		if err := b.visit(); err != nil {
			return 0, err
		}
	}
	return least, nil
}
