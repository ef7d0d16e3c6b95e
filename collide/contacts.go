package collide

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/vec"
)

// Contact is a node of body A that is in body B.
type Contact struct {
	A, B int32
	Node int32 // index of the node: a vertex of the mesh of A
	Face int32 // nearest face of B; the smallest index if several faces are equally near
	// Side is OnSurface if the node touches the surface of B; see the package comment. Otherwise
	// Side is what B's Solid returns for the node: Inside, OnSurface, or Unknown if the Solid
	// cannot decide.
	Side inpoly.Side
	// Point is the position of the node in the world.
	Point r3.Vector
	// Depth is the distance from the node to the nearest point of B's surface. That point is Point
	// + Depth·Normal. Depth is negative if the computed position of the node is outside B, but
	// touches B or is within B's Tolerance. Depth is NaN if the Solid cannot decide the side of the
	// computed position, with or without its Tolerance.
	Depth float64
	// Normal is the unit vector along the shortest way out of B, in world coordinates. Because of
	// rounding, this direction can have fewer than six correct digits if the node is close to the
	// surface. Normal is then the normal of Face by the order of its corners, or zero if Face has
	// no area. Normal is also zero if Depth is NaN.
	Normal r3.Vector
	// Bound bounds the error of Depth. It includes the error of transforming the node into the frame
	// of B. If Depth does not exceed Bound, the node can be outside B.
	Bound float64
}

// Contacts returns the contacts of the last step. The contacts of a pair of bodies are consecutive.
// The pairs are in ascending order of their smaller body number, then of their larger body number.
// In each pair, contacts with A < B come first. Contacts with the same A and B are in ascending
// order of Node. The slice is valid until the next Step.
func (w *World) Contacts() []Contact { return w.step.contacts }

// checkReport is the number of contacts between two checks of the context. The depth of one contact
// can be a sum over all faces. // tuning
const checkReport = 1 << 4

// report writes the contacts of all queries to step.contacts.
func (w *World) report(ctx context.Context) error {
	s := &w.step
	total := 0
	for i := range s.queries {
		s.queries[i].out = total
		total += s.queries[i].hitCount
	}
	s.contacts = resize(s.contacts, total)
	return w.forEachQuery(ctx, func(q *query, _ *worker) {
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

// contact returns the contact of a node of body q.a. In the frame of body q.b, the node is at p.
func (w *World) contact(q *query, node int32, side inpoly.Side, p r3.Vector, near *nearest.Result) Contact {
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	c := Contact{
		A: q.a, B: q.b, Node: node, Face: near.Face, Side: side,
		Point: w.frames[q.a].Apply(a.mesh.Vertices[node]),
		Depth: near.Distance, Bound: nearest.ErrorBound(near.Distance) + q.bound,
	}
	if near.Distance <= q.touch {
		side, c.Side = inpoly.OnSurface, inpoly.OnSurface
	}
	if side == inpoly.OnSurface && near.Distance > 0 {
		// The node is OnSurface only because it touches B or is within the tolerance. The sign of
		// the depth follows from the side that the node has without touch and tolerance.
		signed, _ := b.solid.Distance(p)
		c.Depth = -signed
	}
	if side == inpoly.Unknown || math.IsNaN(c.Depth) {
		c.Depth = math.NaN()
		return c
	}
	c.Normal = w.frames[q.b].Turn(b.outward(p, c.Depth, near)).Normalize()
	return c
}

// maxDirError limits the relative error of the direction to the surface. If the error can be
// larger, Contact.Normal is the normal of the face.
const maxDirError = 0x1p-20

// outward returns the direction from p to near.Point if depth > 0, or else the opposite direction.
// If rounding leaves fewer than six correct digits, outward returns the normal of near.Face.
func (h *shape) outward(p r3.Vector, depth float64, near *nearest.Result) r3.Vector {
	d := near.Point.Sub(p)
	// pointError bounds the error of near.Point.
	if pointError := h.near.PointBound(near.Distance) + 0x1p-53*(math.Abs(near.Point.X)+math.Abs(near.Point.Y)+math.Abs(near.Point.Z)); pointError < maxDirError*math.Abs(depth) {
		return vec.Unit(d.Mul(math.Copysign(1, depth)))
	}
	t := h.mesh.Triangle(near.Face)
	return nearest.UnitNormal(&t)
}
