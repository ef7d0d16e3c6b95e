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

// level bounds how much the winding number W of an open mesh changes off its surface,
// where it may pass the threshold of the rule.
//
// ∇W is, but for the sign, the field of a current along the boundary chain (the law of
// Biot and Savart): ∇W(x) = (1/4π) Σ_e m_e ∫_e dl × (x−y)/|x−y|³. So within the distance
// r of c, on the same side of all faces, W changes by no more than
// r/4π · Σ_e |m_e| |e| / (dist(c, e) − r)².
type level struct {
	rule   inpoly.Rule
	chunks []chunk
}

// chunk is a few edges that are near each other.
type chunk struct {
	box    bvh.Box
	length float64 // Σ |m_e| |e|
	edges  []weighted
}

type weighted struct {
	a, b   r3.Vector
	length float64
}

// chunkEdges is how many edges of the chain make a chunk: about the square root of
// large boundaries, so that their chunks and the edges of a near one take as long. A
// choice.
const chunkEdges = 64

// newLevel returns nil where W is constant off the surface: for a closed mesh, and
// where sides are the parity of crossings.
func newLevel(ctx context.Context, m *mesh.Mesh, rule inpoly.Rule) (*level, error) {
	chain := m.Boundary()
	if len(chain) == 0 || rule == inpoly.EvenOdd && m.EvenEdges() {
		return nil, nil
	}
	boxes := make([]bvh.Box, len(chain))
	for i, e := range chain {
		boxes[i] = bvh.EmptyBox().Add(m.Vertices[e.A]).Add(m.Vertices[e.B])
	}
	tree, err := bvh.Build(ctx, boxes, bvh.Options{})
	if err != nil {
		return nil, err
	}
	l := &level{rule: rule}
	for part := range slices.Chunk(tree.Index(), chunkEdges) {
		c := chunk{box: bvh.EmptyBox()}
		for _, i := range part {
			e := chain[i]
			w := weighted{a: m.Vertices[e.A], b: m.Vertices[e.B]}
			w.length = math.Abs(float64(e.Mult)) * vec.Norm(w.b.Sub(w.a))
			c.length += w.length
			c.box = c.box.Union(boxes[i])
			c.edges = append(c.edges, w)
		}
		l.chunks = append(l.chunks, c)
	}
	// The long ones first: a sum that is too large is known soon.
	slices.SortStableFunc(l.chunks, func(a, b chunk) int { return cmp.Compare(b.length, a.length) })
	return l, nil
}

// certain reports whether all points within the distance r of c that no face parts
// from it have the side that W = w ± bound gives c.
func (l *level) certain(c r3.Vector, r, w, bound float64) bool {
	room := l.margin(w) - bound
	return room > 0 && l.change(c, r, room) < room
}

// margin returns the distance of w from the next threshold of the rule.
func (l *level) margin(w float64) float64 {
	switch l.rule {
	case inpoly.Positive:
		return math.Abs(w - 0.5)
	case inpoly.Negative:
		return math.Abs(w + 0.5)
	case inpoly.EvenOdd:
		return 0.5 - math.Abs(w-math.RoundToEven(w))
	}
	return math.Abs(math.Abs(w) - 0.5)
}

// change returns a bound of the change of W within the distance r of c, or any number
// of at least most if it is not less.
func (l *level) change(c r3.Vector, r, most float64) float64 {
	// Each term is rounded some twenty times, and they are all positive: the factor
	// covers that and n roundings of their sum for n up to 2^23, more terms than are
	// worth adding.
	const rounding = 1 + 0x1p-28
	f := r / (4 * math.Pi) * rounding
	most /= f
	sum := 0.0
	add := func(length, distance float64) float64 {
		d := distance*(1-16*ulp) - r
		if !(d > 0) {
			return math.Inf(1)
		}
		return length / d / d
	}
	for i := range l.chunks {
		k := &l.chunks[i]
		// The box overestimates by less than a factor of 4 where it is farther away
		// than it is large.
		if d := boxDistance(c, k.box); d-r > vec.Norm(k.box.Size()) {
			sum += add(k.length, d)
		} else {
			for _, e := range k.edges {
				if sum += add(e.length, segmentDistance(c, e.a, e.b)); !(sum < most) {
					break
				}
			}
		}
		if !(sum < most) {
			return math.Inf(1)
		}
	}
	return sum * f
}

// boxDistance returns the distance from p to b.
func boxDistance(p r3.Vector, b bvh.Box) float64 {
	off := func(x, lo, hi float64) float64 { return max(lo-x, x-hi, 0) }
	return vec.Norm(r3.Vector{X: off(p.X, b.Min.X, b.Max.X), Y: off(p.Y, b.Min.Y, b.Max.Y), Z: off(p.Z, b.Min.Z, b.Max.Z)})
}

// segmentDistance returns at most the distance from p to the segment ab, and hardly
// less: in units of the largest coordinate of p−a and b−a the foot of the
// perpendicular is off by a few units of 2^−53 and so is the distance from it.
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
	// A foot that is off along ab by at most 4·3ε√3 is farther away by no more; its
	// rounding, that of the inputs and of the difference are off by ε√3 each, the norm,
	// at most 2√3, by 3ε of itself: below 64ε in all.
	return max(0, ap.Sub(ab.Mul(t)).Norm()-64*ulp) * scale
}
