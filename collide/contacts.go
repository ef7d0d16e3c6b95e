package collide

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/nearest"
)

// Contact is a node of body A in body B.
type Contact struct {
	A, B int32
	Node int32 // a vertex of the mesh of A
	Face int32 // of B, the one nearest to the node; of several the smallest
	// Side of the node, as B's Solid answers: Inside, OnSurface or, where even that
	// cannot be told, Unknown.
	Side inpoly.Side
	// Point is the node in the world.
	Point r3.Vector
	// Depth is the distance from the node to the nearest point of B's surface, which is
	// Point + Depth·Normal. It is negative for nodes that a Tolerance of B makes
	// OnSurface and that are outside, and NaN where Side is Unknown, or would be without that
	// Tolerance.
	Depth float64
	// Normal is the unit vector in the world that points out of B along that line, the way
	// that is shortest out of B. Where the node is so close to the surface that rounding leaves
	// less than six digits of it, it is the normal of Face by the order of its corners,
	// and zero if Face has no area. It is zero where Depth is NaN.
	Normal r3.Vector
	// Bound bounds the error of Depth, that of taking the node into the frame of B
	// included. A node whose Depth is not larger may not be in B.
	Bound float64
}

// Contacts returns the contacts of the last step: for each pair of bodies, in ascending
// order of the smaller number, then of the larger one, first the nodes of the smaller
// one, then those of the larger one, ascending. The slice is valid until the next Step.
func (w *World) Contacts() []Contact { return w.step.contacts }

// checkReport is how many contacts of a query are made before the context is looked at:
// those within a Tolerance ask for a side each, of all faces if the Solid is built so.
const checkReport = 1 << 4

// report makes the contacts.
func (w *World) report(ctx context.Context) error {
	s := &w.step
	total := 0
	for i := range s.queries {
		s.queries[i].out = total
		total += s.queries[i].hitCount
	}
	s.contacts = resize(s.contacts, total)
	return w.blocks(ctx, func(q *query, _ *worker) {
		out := s.contacts[q.out : q.out+q.hitCount]
		for i := range out {
			if i%checkReport == checkReport-1 && ctx.Err() != nil {
				return
			}
			n := q.hit + i
			out[i] = w.contact(q, s.nodes[s.hits[n]], s.sides[s.hits[n]], s.hitPts[n], &s.found[n])
		}
	})
}

// contact makes the contact of a node at p in the frame of b.
func (w *World) contact(q *query, node int32, side inpoly.Side, p r3.Vector, near *nearest.Result) Contact {
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	c := Contact{
		A: q.a, B: q.b, Node: node, Face: near.Face, Side: side,
		Point: w.frames[q.a].apply(a.mesh.Vertices[node]),
		Depth: near.Distance, Bound: near.Bound + q.bound,
	}
	if side == inpoly.OnSurface && near.Distance > 0 {
		// By the tolerance alone: so its side is asked for without.
		signed, _ := b.solid.Distance(p)
		c.Depth = -signed
	}
	if side == inpoly.Unknown || math.IsNaN(c.Depth) {
		c.Depth = math.NaN()
		return c
	}
	c.Normal = w.frames[q.b].turn(b.outward(p, c.Depth, near)).Normalize()
	return c
}

// directed is the relative error of a direction beyond which the normal of a face is
// better: six digits. A choice.
const directed = 0x1p-20

// outward returns the direction from p to the nearest point if p is inside by depth, that
// from there if it is outside, or the normal of the face if rounding leaves little
// of either.
func (h *shape) outward(p r3.Vector, depth float64, near *nearest.Result) r3.Vector {
	d := near.Point.Sub(p)
	// The point is off by the error of the distance and by the rounding of each of its
	// coordinates.
	if off := near.Bound + 0x1p-53*(math.Abs(near.Point.X)+math.Abs(near.Point.Y)+math.Abs(near.Point.Z)); off < directed*math.Abs(depth) {
		return unitVector(d.Mul(math.Copysign(1, depth)))
	}
	t := h.mesh.Triangle(near.Face)
	return faceNormal(t[0], t[1], t[2])
}

// unitVector returns v divided by its length, or zero if that is zero.
func unitVector(v r3.Vector) r3.Vector { return unitScaled(v).Normalize() }

// faceNormal returns the unit normal of a triangle, zero if that has no area as computed.
func faceNormal(a, b, c r3.Vector) r3.Vector {
	return unitVector(unitScaled(b.Sub(a)).Cross(unitScaled(c.Sub(a))))
}

// unitScaled multiplies v by a power of two so that its largest component is about 1, and
// squares neither over- nor underflow.
func unitScaled(v r3.Vector) r3.Vector {
	_, e := math.Frexp(max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)))
	return r3.Vector{X: math.Ldexp(v.X, -e), Y: math.Ldexp(v.Y, -e), Z: math.Ldexp(v.Z, -e)}
}
