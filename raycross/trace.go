package raycross

import (
	"cmp"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/order"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Crossing is a face that a ray crosses. Face and Sign are exact. Point and Distance are rounded.
type Crossing struct {
	Face     int32
	Sign     int8      // +1 if the ray leaves through the face along its normal, −1 if the ray enters
	Point    r3.Vector // point where the ray crosses the face; it lies on the triangle, up to rounding
	Distance float64   // distance of Point from the start of the ray
}

// Trace describes one ray and its crossings. The winding number is
//
//	W = Σ Sign over Crossings + Boundary
//
// Neither term counts the faces that contain the start of the ray.
type Trace struct {
	Target    r3.Vector  // R, the end of the ray
	Discarded int        // number of earlier rays that were discarded because they intersected an edge or a vertex
	On        []int32    // numbers of the faces that exactly contain the start of the ray, in ascending order
	Crossings []Crossing // sorted by distance, then by face
	Signed    int64      // χ: the sum of the signs of Crossings

	// These three fields describe the boundary chain of all faces except the faces in On. Edges is
	// the number of edges of the chain. Boundary is the sum (1/4π) Σ m_e Ω_e over these edges, and
	// BoundaryBound bounds the error of Boundary. All three fields are 0 if the mesh is closed and
	// On is empty.
	Edges                   int
	Boundary, BoundaryBound float64

	// Winding and Bound equal the results of Caster.Winding.
	Winding, Bound float64
}

// Trace describes the ray that Winding uses. It casts rays from p until one ray is not degenerate.
// It allocates memory for the slices of the result. p must be finite.
func (c *Caster) Trace(p r3.Vector, s *Scratch) Trace {
	onFaces, chain := c.without(p, s)
	t := Trace{}
	for i := range onFaces {
		t.On = append(t.On, c.order[i])
	}
	slices.Sort(t.On)
	if chain != nil {
		t.Edges = chain.Len()
	}
	for ; ; t.Discarded++ {
		n, ok := c.attempt(p, t.Discarded, onFaces, s)
		if !ok {
			continue
		}
		t.Target, t.Signed = n.Target, n.Signed
		t.Winding = float64(n.Signed)
		if chain != nil {
			s.stats.Boundary++
			if t.Boundary, t.BoundaryBound, ok = chain.Sum(p, n.Target, &s.bem); !ok {
				continue
			}
			t.Winding, t.Bound, _ = c.addBoundary(chain, p, n, s)
		}
		if n.Crossings > 0 {
			q := aim(p, c.box, rayLength(max(c.largest, vec.MaxAbs(p))), c.seed, t.Discarded)
			t.Crossings = c.crossings(&q, onFaces, s)
		}
		return t
	}
}

// without finds the faces that contain p, and returns them and the boundary chain of all other
// faces. The keys of onFaces are indices into c.tris. onFaces is nil if no face contains p. In this
// case chain is the boundary of the mesh, or nil if the mesh is closed.
func (c *Caster) without(p r3.Vector, s *Scratch) (onFaces map[int32]bool, chain *bem.Boundary) {
	var faces []mesh.Triangle
	s.points.Start(c.tree, p)
	for {
		first, count, ok := s.points.Next()
		if !ok {
			break
		}
		for i := first; i < first+count; i++ {
			if t := c.tris[i]; s.signs.OnTriangle(p, t[0], t[1], t[2]) {
				if onFaces == nil {
					onFaces = make(map[int32]bool)
				}
				onFaces[i] = true
				faces = append(faces, t)
			}
		}
	}
	chain = c.boundary
	if len(faces) > 0 {
		if chain == nil {
			chain = bem.NewChain(nil, nil)
		}
		chain = chain.Without(faces)
	}
	return onFaces, chain
}

// crossings lists the faces that q crosses, except the faces in onFaces. q must not be degenerate.
func (c *Caster) crossings(q *ray, onFaces map[int32]bool, s *Scratch) []Crossing {
	var list []Crossing
	s.walk.Start(c.tree, q.p, q.r)
	for {
		first, count, more := s.walk.Next()
		if !more {
			break
		}
		for i := first; i < first+count; i++ {
			if onFaces[i] || c.zeroArea != nil && c.zeroArea[i>>6]>>(i&63)&1 == 1 {
				continue
			}
			x := Crossing{Face: c.order[i]}
			switch intersect(q, &c.tris[i], c.bound, &s.signs) {
			case leaves:
				x.Sign = 1
			case enters:
				x.Sign = -1
			default:
				continue
			}
			x.Point = q.piercing(&c.tris[i])
			d := x.Point.Sub(q.p)
			x.Distance = math.Hypot(math.Hypot(d.X, d.Y), d.Z)
			list = append(list, x)
		}
	}
	if len(list) < 2 {
		return list // nil without crossings
	}
	return order.Sorted(list, func(a, b *Crossing) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Face, b.Face))
	})
}

// piercing returns the point where q crosses t. The point is a weighted mean of the corners. The
// weight of a corner is the edge function of the opposite edge (see intersect). Even if the weights
// have large rounding errors, the result is a point of the triangle.
func (q *ray) piercing(t *mesh.Triangle) r3.Vector {
	var x, y [3]float64
	most := 0.0
	for k := range t {
		x[k], y[k] = q.shear(&t[k])
		most = max(most, math.Abs(x[k]), math.Abs(y[k]))
	}
	if most == 0 {
		return t[0]
	}
	var weight [3]float64
	for k := range t {
		i, j := (k+1)%3, (k+2)%3
		// Division by the largest |coordinate| keeps the products in range.
		weight[k] = float64(x[i]/most*(y[j]/most)) - float64(y[i]/most*(x[j]/most))
	}
	sum := weight[0] + weight[1] + weight[2]
	var p r3.Vector
	rest := 0.0
	for k := range weight {
		// All exact weights have the sign of their sum. A rounded weight can have the other sign.
		weight[k] = max(0, weight[k]/sum)
		rest += weight[k]
	}
	if !(rest > 0) || math.IsInf(rest, 0) { // the ray lies almost in the plane of the triangle, so rounding errors dominate the weights
		weight, rest = [3]float64{1, 1, 1}, 3
	}
	for k := range t {
		p = p.Add(t[k].Sub(q.p).Mul(weight[k] / rest))
	}
	return q.p.Add(p)
}
