package voxels

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// HexahedraTo writes the position of each hexahedron to dst, as BoxesTo does for boxes. A hexahedron is
// the convex hull of eight corners in any order. So the corners of a side need not be in a plane; after
// the rounding of a rotated box, they rarely are. Corners can coincide. The positions are exact for the
// given coordinates. A hexahedron with an infinite or NaN coordinate is Unknown. A hexahedron near the
// surface takes some microseconds, or some tens of microseconds at a pose.
func HexahedraTo(ctx context.Context, s inpoly.Target, dst []Position, corners [][8]r3.Vector) error {
	if len(dst) != len(corners) {
		panic(fmt.Sprintf("voxels: dst has length %d, but there are %d hexahedra", len(dst), len(corners)))
	}
	place := locate.Of(s).Place
	return positionsTo(ctx, s, dst, nil, func() convex {
		if place != nil {
			return newPosedHull(place, func(i int) ([8]r3.Vector, bool) { return corners[i], true })
		}
		return &hull{all: corners}
	})
}

// hull is the convex body of a hexahedron.
type hull struct {
	all     [][8]r3.Vector
	corners [8]r3.Vector
	box     bvh.Box
	signs   predicates.Counter

	// sides and triangles are set by the first call of touches for a hexahedron. The triangles of three
	// corners in each side cover the boundary of the hull. If the corners are in a plane, there are no
	// sides, and the triangles cover the hull.
	ready     bool
	sides     []hullSide
	triangles [][3]r3.Vector
}

// hullSide is the plane of a side of a hull. sign is the sign of the other corners relative to the
// plane of corners a, b and c, and in has a bit for each corner in this plane.
type hullSide struct {
	a, b, c int
	sign    int
	in      uint8
}

func (h *hull) set(i int) (bvh.Box, bool) {
	h.corners, h.box, h.ready = h.all[i], bvh.EmptyBox(), false
	for _, v := range h.corners {
		if !vec.Finite(v) {
			return h.box, false
		}
		h.box = h.box.Add(v)
	}
	return h.box, true
}

// point returns a corner. The mean of the corners would not do: after rounding, it can lie outside
// a thin hull.
func (h *hull) point() (p r3.Vector, reach float64) {
	p = h.corners[0]
	for _, v := range h.corners[1:] {
		reach = max(reach, distanceAbove(v.Sub(p)))
	}
	return p, reach
}

// prepare finds the sides of the hull.
func (h *hull) prepare() {
	h.ready, h.sides, h.triangles = true, h.sides[:0], h.triangles[:0]
	v := &h.corners
	for a := range v {
		for b := a + 1; b < len(v); b++ {
			for c := b + 1; c < len(v); c++ {
				h.addSide(a, b, c)
			}
		}
	}
	if len(h.sides) > 0 {
		return
	}
	for a := range v {
		for b := a + 1; b < len(v); b++ {
			for c := b + 1; c < len(v); c++ {
				h.triangles = append(h.triangles, [3]r3.Vector{v[a], v[b], v[c]})
			}
		}
	}
}

// addSide adds the triangle of three corners if no corners are on different sides of its plane.
func (h *hull) addSide(a, b, c int) {
	v := &h.corners
	s := hullSide{a: a, b: b, c: c}
	for i := range v {
		if i == a || i == b || i == c {
			s.in |= 1 << i
			continue
		}
		switch sign := h.signs.Orient3D(v[a], v[b], v[c], v[i]); {
		case sign == 0:
			s.in |= 1 << i
		case sign == -s.sign:
			return
		default:
			s.sign = sign
		}
	}
	if s.sign == 0 { // the three corners are on a line, or all corners are in a plane
		return
	}
	h.triangles = append(h.triangles, [3]r3.Vector{v[a], v[b], v[c]})
	for i := range h.sides {
		if h.sides[i].in == s.in {
			return
		}
	}
	h.sides = append(h.sides, s)
}

// touches reports whether the hull and a triangle share a point. If they do, a corner of the triangle is
// in the hull, or the triangle meets the boundary of the hull.
func (h *hull) touches(t *mesh.Triangle) bool {
	u := (*[3]r3.Vector)(t)
	if box := (bvh.EmptyBox()).Add(u[0]).Add(u[1]).Add(u[2]); !box.Overlaps(h.box) {
		return false
	}
	if !h.ready {
		h.prepare()
	}
	beyond := uint8(0) // bit i is set if corner i of the triangle is beyond some side
	for i := range h.sides {
		s := &h.sides[i]
		a, b, c := h.corners[s.a], h.corners[s.b], h.corners[s.c]
		here := uint8(0)
		for k := range u {
			if h.signs.Orient3D(a, b, c, u[k]) == -s.sign {
				here |= 1 << k
			}
		}
		if here == 7 {
			return false
		}
		beyond |= here
	}
	if len(h.sides) > 0 && beyond != 7 {
		return true
	}
	for i := range h.triangles {
		if h.signs.TrianglesTouch(&h.triangles[i], u) {
			return true
		}
	}
	return false
}
