package build

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/disjoint"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
	"github.com/inpoly/inpoly/raycross"
)

// capPotential holds bounds of the double-layer potential of the caps.
type capPotential struct {
	holes []hole
	scale float64 // power of two near 1/(size of the mesh)
}

// hole holds bounds for the caps of one or several connected parts of the boundary chain.
type hole struct {
	box  bvh.Box
	area float64 // upper bound of the total area of the caps, times scale²
}

// belowHalf compares each brick position with all holes. Merging of holes limits the number of
// comparisons to maxComparisons, but keeps at least leastHoles holes. // tuning
const (
	leastHoles     = 64
	maxComparisons = 1 << 22
)

// newCaps returns triangles that close the boundary chain of m, and bounds of the potential of
// these caps. If more than maxCaps triangles are necessary, newCaps returns false.
//
// Each connected part of the chain is a cycle and gets one apex. Each copy of an edge a→b gets the
// triangle b, a, apex. The mesh and the caps together have no boundary, so their winding number is
// an integer. This integer is the winding number of the mesh plus the double-layer potential of the
// caps. Triangles of zero area have no potential and are never crossed, so newCaps leaves them out.
func newCaps(m *mesh.Mesh, maxCaps int) ([]mesh.Triangle, *capPotential, bool) {
	chain := m.Boundary()
	count := 0
	for _, e := range chain {
		count += int(max(e.Mult, -e.Mult))
		if count > maxCaps {
			return nil, nil, false
		}
	}
	parts := disjoint.New(len(m.Vertices))
	for _, e := range chain {
		parts.Union(e.A, e.B)
	}
	type apex struct {
		hole int
		at   r3.Vector // mean of the vertices visited so far
		n    float64   // number of vertices visited so far
	}
	apexes := make(map[int32]*apex)
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	caps := make([]mesh.Triangle, 0, count)
	p := &capPotential{scale: math.Ldexp(1, min(-exp, 1000))}
	for _, e := range chain {
		s := apexes[parts.Find(e.A)]
		if s == nil {
			s = &apex{hole: len(p.holes)}
			apexes[parts.Find(e.A)] = s
			p.holes = append(p.holes, hole{box: bvh.EmptyBox()})
		}
		// A running mean cannot overflow, because it stays within the box.
		for _, v := range [2]int32{e.A, e.B} {
			s.n++
			s.at = s.at.Mul((s.n - 1) / s.n).Add(m.Vertices[v].Mul(1 / s.n))
		}
	}
	for _, e := range chain {
		s := apexes[parts.Find(e.A)]
		h := &p.holes[s.hole]
		a, b := m.Vertices[e.A], m.Vertices[e.B]
		if e.Mult < 0 {
			a, b = b, a
		}
		if predicates.ZeroArea(b, a, s.at) {
			continue
		}
		for range max(e.Mult, -e.Mult) {
			caps = append(caps, mesh.Triangle{b, a, s.at})
		}
		h.box = h.box.Add(a).Add(b).Add(s.at)
		// The scaled area of the cap is at most |u|·|v|/2. The term 2^−1000 covers underflow.
		u, v := b.Sub(a).Mul(p.scale), s.at.Sub(a).Mul(p.scale)
		h.area += float64(max(e.Mult, -e.Mult)) * (u.Norm()*v.Norm()/2 + 0x1p-1000)
	}
	p.holes = slices.DeleteFunc(p.holes, func(h hole) bool { return h.area == 0 })
	return caps, p, true
}

// merge merges holes for a grid with the given number of brick positions.
func (p *capPotential) merge(bricks int) {
	most := max(leastHoles, maxComparisons/bricks)
	if len(p.holes) <= most {
		return
	}
	// Holes are ordered by vertex number, so consecutive holes are usually close together.
	merged := make([]hole, most)
	for i := range merged {
		g := hole{box: bvh.EmptyBox()}
		for _, h := range p.holes[len(p.holes)*i/most : len(p.holes)*(i+1)/most] {
			g.box = g.box.Add(h.box.Min).Add(h.box.Max)
			g.area += h.area
		}
		merged[i] = g
	}
	p.holes = merged
}

// belowHalf reports whether the magnitude of the potential of all caps is certainly below 1/2 in
// the whole box. If the result is true, the winding number of the mesh rounds to the winding number
// of mesh and caps. Both numbers then give the same side under every rule.
//
// A surface of area A at distance d or more spans a solid angle of at most A/d². The limit 0.49
// leaves room for the rounding of areas and distances.
func (p *capPotential) belowHalf(box bvh.Box) bool {
	sum := 0.0
	for i := range p.holes {
		h := &p.holes[i]
		d := distance(h.box, box) * p.scale
		if !(d > 0x1p-400) {
			return false
		}
		sum += h.area / (d * d) / (4 * math.Pi)
		if !(sum < 0.49) {
			return false
		}
	}
	return true
}

func distance(a, b bvh.Box) float64 {
	between := func(amin, amax, bmin, bmax float64) float64 { return max(0, bmin-amax, amin-bmax) }
	return math.Hypot(between(a.Min.X, a.Max.X, b.Min.X, b.Max.X),
		math.Hypot(between(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y), between(a.Min.Z, a.Max.Z, b.Min.Z, b.Max.Z)))
}

// RayWinding computes the integer winding number of mesh and caps at single points. It uses rays
// but no grid. Only one goroutine at a time can use a RayWinding.
type RayWinding struct {
	parity  bool
	caster  *raycross.Caster
	Caps    *bem.Direct // nil without caps
	scratch raycross.Scratch
}

// NewRayWinding returns a RayWinding for the mesh and caps of g. rays is the function Options.Rays.
func NewRayWinding(ctx context.Context, g *layout.Grid, rays func(context.Context) (*raycross.Caster, error)) (*RayWinding, error) {
	c, err := rays(ctx)
	if err != nil {
		return nil, err
	}
	r := &RayWinding{parity: g.Parity, caster: c}
	r.scratch.Done = ctx.Done()
	if len(g.Caps) > 0 {
		soup := mesh.Soup{}
		for i, t := range g.Caps {
			soup.Vertices = append(soup.Vertices, t[:]...)
			soup.Faces = append(soup.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		}
		m, err := mesh.NewOwned(ctx, soup, mesh.Options{})
		if err != nil {
			return nil, err
		}
		r.Caps = bem.NewDirect(m, 1)
	}
	return r, nil
}

// At returns the winding number of p. ok is false if rays do not determine the winding number.
func (r *RayWinding) At(p r3.Vector) (w int32, ok bool) {
	if r.Caps == nil {
		n := r.caster.Count(p, &r.scratch)
		switch {
		case n.OnSurface:
			return 0, false
		case r.parity:
			return int32(n.Crossings & 1), true
		}
		return int32(n.Signed), n.Signed == int64(int32(n.Signed)) && int32(n.Signed) != unknownW
	}
	v, bound := r.caster.Winding(p, &r.scratch)
	capW, off, on := r.Caps.Winding(p)
	k := math.RoundToEven(v + capW)
	if on || !(math.Abs(v+capW-k)+bound+off < 0.5) || math.Abs(k) > 1<<30 {
		return 0, false
	}
	return int32(k), true
}
