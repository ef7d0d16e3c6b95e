package voxels

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// fieldVariation bounds how much the winding number W of an open mesh varies near a point. W of an
// open mesh also varies off the surface, where it can cross the threshold of the rule.
//
// Up to its sign, the gradient of W is the magnetic field of a current along the boundary chain
// (law of Biot and Savart): ∇W(x) = (1/4π) Σ_e m_e ∫_e dl × (x−y)/|x−y|³, where m_e is the
// multiplicity of the edge e. Consider the points within the distance r of c that no face separates
// from c. At these points, W differs from W(c) by at most r/4π · Σ_e |m_e| |e| / (dist(c, e) − r)².
type fieldVariation struct {
	rule   inpoly.Rule
	groups []edgeGroup
}

// edgeGroup is a group of boundary edges that are close to each other.
type edgeGroup struct {
	box    bvh.Box
	length float64 // sum over the edges of length·|multiplicity|
	edges  []weightedEdge
}

type weightedEdge struct {
	a, b   r3.Vector
	length float64 // length·|multiplicity|
}

// groupEdges is the number of edges of a group. It is about the square root of the number of edges
// of a large boundary. Visiting all groups then takes about as long as visiting the edges of one
// group.
const groupEdges = 64 // tuning

// newFieldVariation returns the fieldVariation of m, or nil if sides change only at the surface.
//
// vertices are the vertices of m in the world. If they have errors, the caller adds the largest error to r.
func newFieldVariation(ctx context.Context, m *mesh.Mesh, vertices []r3.Vector, rule inpoly.Rule) (*fieldVariation, error) {
	if sidesChangeOnlyAtFaces(m, rule) {
		return nil, nil
	}
	chain := m.Boundary()
	boxes := make([]bvh.Box, len(chain))
	for i, e := range chain {
		boxes[i] = bvh.EmptyBox().Add(vertices[e.A]).Add(vertices[e.B])
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{})
	if err != nil {
		return nil, err
	}
	v := &fieldVariation{rule: rule}
	for near := range slices.Chunk(tree.Index(), groupEdges) {
		g := edgeGroup{box: bvh.EmptyBox()}
		for _, i := range near {
			e := chain[i]
			w := weightedEdge{a: vertices[e.A], b: vertices[e.B]}
			w.length = math.Abs(float64(e.Mult)) * vec.Norm(m.Vertices[e.B].Sub(m.Vertices[e.A]))
			g.length += w.length
			g.box = g.box.Union(boxes[i])
			g.edges = append(g.edges, w)
		}
		v.groups = append(v.groups, g)
	}
	// Groups of large total length come first. The sum then exceeds its limit after fewer groups.
	slices.SortStableFunc(v.groups, func(a, b edgeGroup) int { return cmp.Compare(b.length, a.length) })
	return v, nil
}

// sidesChangeOnlyAtFaces reports whether the mesh is closed, or the parity of crossings decides the sides.
func sidesChangeOnlyAtFaces(m *mesh.Mesh, rule inpoly.Rule) bool {
	return len(m.Boundary()) == 0 || rule == inpoly.EvenOdd && m.EvenEdges()
}

// sameSide reports whether all points near c have the same side as c. A point is near c if its
// distance is at most r and no face separates it from c. The winding number of c is w ± bound.
func (v *fieldVariation) sameSide(c r3.Vector, r, w, bound float64) bool {
	margin := v.thresholdDistance(w) - bound
	return margin > 0 && v.bound(c, r, margin) < margin
}

// thresholdDistance returns the distance of w from the nearest threshold of the rule.
func (v *fieldVariation) thresholdDistance(w float64) float64 {
	switch v.rule {
	case inpoly.Positive:
		return math.Abs(w - 0.5)
	case inpoly.Negative:
		return math.Abs(w + 0.5)
	case inpoly.EvenOdd:
		return 0.5 - math.Abs(w-math.RoundToEven(w))
	}
	return math.Abs(math.Abs(w) - 0.5)
}

// bound returns an upper bound of the variation of W within the distance r of c. It stops early and
// returns +Inf if this bound reaches the given limit.
func (v *fieldVariation) bound(c r3.Vector, r, limit float64) float64 {
	// Each term is positive and is rounded about twenty times. The sum of n ≤ 2^23 terms is rounded
	// n times. The factor covers all these roundings.
	const rounding = 1 + 0x1p-28
	f := r / (4 * math.Pi) * rounding
	limit /= f
	sum := 0.0
	term := func(length, distance float64) float64 {
		d := distance*(1-16*ulp) - r
		if !(d > 0) {
			return math.Inf(1)
		}
		return length / d / d
	}
	for i := range v.groups {
		g := &v.groups[i]
		// If d−r exceeds the diagonal of the box, one term for the box replaces the terms of its
		// edges. This term is at most 4 times as large as the sum of the terms of the edges.
		if d := boxDistance(c, g.box); d-r > vec.Norm(g.box.Size()) {
			sum += term(g.length, d)
		} else {
			for _, e := range g.edges {
				if sum += term(e.length, segmentDistance(c, e.a, e.b)); !(sum < limit) {
					break
				}
			}
		}
		if !(sum < limit) {
			return math.Inf(1)
		}
	}
	return sum * f
}

func boxDistance(p r3.Vector, b bvh.Box) float64 {
	off := func(x, lo, hi float64) float64 { return max(lo-x, x-hi, 0) }
	return vec.Norm(r3.Vector{X: off(p.X, b.Min.X, b.Max.X), Y: off(p.Y, b.Min.Y, b.Max.Y), Z: off(p.Z, b.Min.Z, b.Max.Z)})
}

// segmentDistance returns a lower bound of the distance from p to the segment ab. The bound is too
// small by at most 2^−46 times the largest coordinate of b−a and p−a.
func segmentDistance(p, a, b r3.Vector) float64 {
	ab, ap := b.Sub(a), p.Sub(a)
	scale := max(math.Abs(ab.X), math.Abs(ab.Y), math.Abs(ab.Z), math.Abs(ap.X), math.Abs(ap.Y), math.Abs(ap.Z))
	if !(scale > 0) || math.IsInf(scale, 0) {
		return 0
	}
	ab, ap = ab.Mul(1/scale), ap.Mul(1/scale)
	t := 0.0
	if d := ab.Dot(ab); d > 0 {
		t = min(max(ap.Dot(ab)/d, 0), 1)
	}
	// Coordinates are scaled to at most 1, and u = 2^−53. The foot of p moves along ab by at most
	// 4·3u√3 because of rounding. The distance changes by at most this length. The roundings of the
	// foot, of the inputs and of the difference add u√3 each. The norm is at most 2√3 and has a
	// relative error of 3u. The total error is below 64u.
	return max(0, ap.Sub(ab.Mul(t)).Norm()-64*ulp) * scale
}
