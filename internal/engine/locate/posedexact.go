package locate

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// The functions in this file find the answers for points so close to a face that the rounding of
// their position matters. A ray starts at the exact position of the point, and every sign is exact;
// see motion.Point. raycross does the same for float64 points.

// local looks for faces near the point x. If a face contains x, on is true, and m.on lists all such
// faces. If on is false, close reports whether a face can be within x.Radius of x.Near.
func (s *Stage) local(x *motion.Point, m *posedMemory) (on, close bool) {
	tree := s.surface.MustIndex().Tree
	tris := tree.Triangles()
	m.on = m.on[:0]
	// Rounding the corners of the cube moves them by less than the radius: by at most 2⁻⁵³ of a
	// coordinate, and the coordinate is at most 2⁵³/10 times the radius.
	cube := grownBox(bvh.Box{Min: x.Near, Max: x.Near}, 2*x.Radius)
	m.walk.Start(tree.Tree(), cube)
	for first, count, ok := m.walk.Next(); ok; first, count, ok = m.walk.Next() {
		for i := first; i < first+count; i++ {
			t := (*[3]r3.Vector)(&tris[i])
			if !boxOf(t).Overlaps(cube) || x.Sign(&t[0], &t[1], &t[2]) != 0 {
				continue
			}
			close = true
			if x.OnTriangle(t) {
				m.on = append(m.on, i)
			}
		}
	}
	slices.Sort(m.on)
	return len(m.on) > 0, close
}

func boxOf(t *[3]r3.Vector) bvh.Box {
	return bvh.Box{Min: t[0], Max: t[0]}.Add(t[1]).Add(t[2])
}

// exactSide returns the side of x, which is on no face.
func (s *Stage) exactSide(x *motion.Point, m *posedMemory) side.Side {
	m.on = m.on[:0]
	if s.pose.counts {
		c := s.cast(x, m, 0)
		for n := 1; !c.ok; n++ {
			if m.interrupted() {
				return side.Unknown
			}
			c = s.cast(x, m, n)
		}
		return s.pose.rule.Apply(c.signed, c.crossings)
	}
	for _, prec := range [...]uint{128, 256} {
		w, bound := s.sum(x, m, s.surface.boundary().chain, prec)
		if w == nil {
			return side.Unknown
		}
		if d, ok := decide(s.pose.rule, w, bound); ok {
			return d
		}
	}
	return side.Unknown
}

// exactWinding returns the winding number of x without the faces in m.on, which contain x.
func (s *Stage) exactWinding(x *motion.Point, m *posedMemory) (w, bound float64) {
	limit := math.Inf(1)
	if s.epsilon > 0 {
		limit = s.epsilon * PreciseShare
	}
	return Nearest(s.preciseWinding(x, m, limit))
}

// preciseWinding does the work of exactWinding. The bound is at most limit if 256 bits suffice. The
// results are nil if m.done is closed.
func (s *Stage) preciseWinding(x *motion.Point, m *posedMemory, limit float64) (w, bound *big.Float) {
	chain := s.surface.boundary().chain
	if len(m.on) > 0 {
		if chain == nil {
			chain = bem.NewChain(nil, nil)
		}
		tris := s.surface.MustIndex().Tree.Triangles()
		m.tris = m.tris[:0]
		for _, i := range m.on {
			m.tris = append(m.tris, tris[i])
		}
		chain = chain.Without(m.tris)
	}
	for _, prec := range [...]uint{128, 256} {
		if w, bound = s.sum(x, m, chain, prec); w == nil || bound.Cmp(big.NewFloat(limit)) <= 0 {
			break
		}
	}
	return w, bound
}

// sum returns the winding number of x without the faces in m.on, and a bound of its error. chain is
// the boundary of the other faces. It is nil if they have no boundary. The results are nil if
// m.done is closed.
func (s *Stage) sum(x *motion.Point, m *posedMemory, chain *bem.Boundary, prec uint) (w, bound *big.Float) {
	for n := 0; ; n++ {
		if m.interrupted() {
			return nil, nil
		}
		c := s.cast(x, m, n)
		switch {
		case !c.ok:
			continue
		case chain == nil:
			return new(big.Float).SetInt64(c.signed), new(big.Float)
		}
		w, bound, ok := chain.ExtendedSumAt(x, c.target, prec, m.done)
		if ok {
			w.SetPrec(1 << 10) // see raycross.Caster.PreciseWinding
			return w.Add(w, new(big.Float).SetInt64(c.signed)), bound
		} // otherwise the ray meets an edge of the chain
	}
}

// interrupted reports whether m.done is closed.
func (m *posedMemory) interrupted() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// decide returns the side of a point with the winding number w and the bound of its error. The
// sides of all rules change only at odd multiples of 1/2. Let t be the nearest of these to w. If w
// is certainly above or certainly below t, decide applies the rule to t + 1/4 or t − 1/4.
func decide(rule side.Rule, w, bound *big.Float) (s side.Side, ok bool) {
	if bound.Cmp(big.NewFloat(0.25)) >= 0 {
		return side.Unknown, false
	}
	f, _ := w.Float64()
	t := math.Floor(f) + 0.5
	d := new(big.Float).SetPrec(1<<10).Sub(w, big.NewFloat(t))
	if new(big.Float).Abs(d).Cmp(bound) <= 0 {
		return side.Unknown, false
	}
	return rule.Decide(t+0.25*float64(d.Sign()), 0)
}

// crossed is what a ray from a point has crossed.
type crossed struct {
	target    r3.Vector
	signed    int64  // sum of the signs of the crossings
	crossings uint64 // number of crossings
	ok        bool   // false if the ray intersects an edge or a vertex
}

// cast casts a ray from x. The ray ignores the faces in m.on, which must be all faces that contain
// x. The ray leaves the box of the mesh through the nearest side, almost parallel to an axis. So
// the box around the ray is thin. Rays with larger numbers deviate more from the axis.
func (s *Stage) cast(x *motion.Point, m *posedMemory, number int) crossed {
	tree := s.surface.MustIndex().Tree
	tris := tree.Triangles()
	c := crossed{target: s.aim(x.Near, number), ok: true}
	m.walk.Start(tree.Tree(), grownBox(bvh.Box{Min: x.Near, Max: x.Near}, 2*x.Radius).Add(c.target))
	for first, count, ok := m.walk.Next(); ok; first, count, ok = m.walk.Next() {
		for i := first; i < first+count; i++ {
			if _, on := slices.BinarySearch(m.on, i); on {
				continue
			}
			sign, ok := cross(x, &c.target, (*[3]r3.Vector)(&tris[i]))
			if !ok {
				return crossed{}
			}
			if sign != 0 {
				c.signed += int64(sign)
				c.crossings++
			}
		}
	}
	return c
}

// cross returns +1 if the ray from x to the target crosses the triangle in the direction of its
// normal, −1 if it crosses in the other direction, and 0 if it does not cross. ok is false if the ray
// intersects an edge or a vertex. x is not on the triangle, and the target is outside of the box of
// the mesh. raycross.intersect has the proof.
func cross(x *motion.Point, target *r3.Vector, t *[3]r3.Vector) (sign int, ok bool) {
	u := x.Orient3D(target, &t[0], &t[1])
	v := x.Orient3D(target, &t[1], &t[2])
	if u*v < 0 {
		return 0, true
	}
	w := x.Orient3D(target, &t[2], &t[0])
	if u*w < 0 || v*w < 0 {
		return 0, true
	}
	s := u | v | w // the common sign of those that are not 0
	d := x.Orient3D(&t[0], &t[1], &t[2])
	switch {
	case s != 0 && d != 0 && d != s:
		return 0, true // the triangle is behind x
	case u != 0 && v != 0 && w != 0:
		return s, d != 0
	case s == 0 && predicates.ZeroArea(t[0], t[1], t[2]):
		return 0, true // x is on the line of a triangle that contributes nothing
	}
	return 0, false
}

// aim returns the end of ray number n from a point near p. The end is outside of the box of the mesh.
func (s *Stage) aim(p r3.Vector, n int) r3.Vector {
	var random rand.PCG
	random.Seed(math.Float64bits(p.X+0)^math.Float64bits(p.Y+0)<<1, math.Float64bits(p.Z+0)^uint64(n)<<32)
	unit := func() float64 { return float64(random.Uint64()>>11) * 0x1p-53 }
	low := [3]float64{s.pose.box.Min.X, s.pose.box.Min.Y, s.pose.box.Min.Z}
	high := [3]float64{s.pose.box.Max.X, s.pose.box.Max.Y, s.pose.box.Max.Z}
	at := [3]float64{p.X, p.Y, p.Z}
	length := max(high[0]-low[0], high[1]-low[1], high[2]-low[2], 0x1p-20*max(vec.MaxAbs(s.pose.box.Min), vec.MaxAbs(s.pose.box.Max), vec.MaxAbs(p)), 0x1p-900)
	axis, best, up := 0, math.Inf(1), false
	for k := range at {
		if d := at[k] - low[k]; d < best {
			axis, best, up = k, d, false
		}
		if d := high[k] - at[k]; d < best {
			axis, best, up = k, d, true
		}
	}
	aside := length * math.Ldexp(1, min(n, 14)-14)
	for k := range at {
		switch {
		case k != axis:
			at[k] += aside * (2*unit() - 1)
		case up:
			at[k] = max(at[k], high[k]) + length*(1+unit())
		default:
			at[k] = min(at[k], low[k]) - length*(1+unit())
		}
	}
	for k := range at {
		at[k] = max(-math.MaxFloat64, min(at[k], math.MaxFloat64))
	}
	return r3.Vector{X: at[0], Y: at[1], Z: at[2]}
}

// posedWithin reports whether the exact distance from x to the mesh is at most the tolerance. For
// most points, it needs only the results of Within for the rounded position.
func (s *Stage) posedWithin(x *motion.Point, m *posedMemory) bool {
	index := s.surface.MustIndex()
	nearest := index.Nearest
	less, more := math.Nextafter(s.tolerance-x.Radius, math.Inf(-1)), math.Nextafter(s.tolerance+x.Radius, math.Inf(1))
	switch {
	case x.Radius == 0:
		return nearest.Within(x.Near, s.tolerance, &m.nearest)
	case less >= 0 && nearest.Within(x.Near, less, &m.nearest):
		return true
	case !nearest.Within(x.Near, more, &m.nearest):
		return false
	}
	tris := index.Tree.Triangles()
	m.walk.Start(index.Tree.Tree(), grownBox(bvh.Box{Min: x.Near, Max: x.Near}, 2*more))
	for first, count, ok := m.walk.Next(); ok; first, count, ok = m.walk.Next() {
		for i := first; i < first+count; i++ {
			if x.Within((*[3]r3.Vector)(&tris[i]), s.tolerance) {
				return true
			}
		}
	}
	return false
}

// PreciseWinding returns the winding number of p, and a bound of its error. The bound is at most
// limit if 256 bits suffice; see raycross.Caster.PreciseWinding. p must be finite.
//
// Errors: the error of ctx if ctx ends first.
func (s *Set) PreciseWinding(ctx context.Context, p r3.Vector, limit float64) (w, bound *big.Float, err error) {
	rays, err := s.Surface.Rays(ctx)
	if err != nil {
		return nil, nil, err
	}
	if l := s.Winding; l.pose != nil {
		m := posedMemories.Get().(*posedMemory)
		defer posedMemories.Put(m)
		m.done = ctx.Done()
		l.pose.place.Exact(&m.point, p)
		if vec.Finite(m.point.Near) {
			l.local(&m.point, m)
			w, bound = l.preciseWinding(&m.point, m, limit)
		} else {
			v, off := l.Winding(p)
			w, bound = big.NewFloat(v), big.NewFloat(off)
		}
		m.done = nil
	} else {
		w, bound = rays.PreciseWinding(p, limit, &raycross.Scratch{Done: ctx.Done()})
	}
	if w == nil {
		return nil, nil, ctx.Err()
	}
	return w, bound, nil
}

// surfaceBoundary is the boundary of a mesh with its size.
type surfaceBoundary struct {
	chain         *bem.Boundary // nil if the mesh is closed
	edges, length float64       // number and length of the edges, counted with their multiplicities
}

func newBoundary(m *mesh.Mesh) *surfaceBoundary {
	if m.Closed() {
		return &surfaceBoundary{}
	}
	b := &surfaceBoundary{chain: bem.NewBoundary(m)}
	for _, e := range m.Boundary() {
		n := math.Abs(float64(e.Mult))
		b.edges += n
		b.length += n * vec.Norm(m.Vertices[e.B].Sub(m.Vertices[e.A]))
	}
	return b
}
