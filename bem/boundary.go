package bem

import (
	"cmp"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

type edge struct {
	a, b r3.Vector
}

// Boundary is a chain of directed edges with multiplicities: the boundary ∂S of a surface. It is
// immutable and safe for concurrent use.
type Boundary struct {
	single   []edge // edges of multiplicity ±1; an edge of −1 is stored reversed
	multiple []edge // edges of other multiplicities; an edge of negative multiplicity is stored reversed
	mult     []uint32
}

// NewBoundary returns the boundary chain of m, with its edges in the order of m.Boundary(). The
// chain takes 48 bytes for each edge.
func NewBoundary(m *mesh.Mesh) *Boundary {
	chain := m.Boundary()
	b := &Boundary{single: make([]edge, 0, len(chain))}
	for _, e := range chain {
		b.add(edge{m.Vertices[e.A], m.Vertices[e.B]}, int64(e.Mult))
	}
	return b
}

// NewChain returns the chain Σ mult[i]·edges[i], where edges[i] leads from edges[i][0] to
// edges[i][1]. It merges equal edges, cancels opposite edges, and drops edges of length 0. −0
// equals +0. Coordinates must be finite. The cost is O(N log N) for N edges. NewChain panics if
// edges and mult differ in length, or if the total multiplicity of an edge exceeds 32 bits.
func NewChain(edges [][2]r3.Vector, mult []int32) *Boundary {
	if len(edges) != len(mult) {
		panic("bem: the slices of edges and multiplicities differ in length")
	}
	terms := make([]term, len(edges))
	for i, e := range edges {
		terms[i] = canonical(edge{e[0], e[1]}, int64(mult[i]))
	}
	b := &Boundary{}
	for _, t := range merge(terms) {
		b.add(t.edge, t.mult)
	}
	return b
}

// Len returns the number of edges with a multiplicity other than 0.
func (b *Boundary) Len() int { return len(b.single) + len(b.multiple) }

// add appends e with multiplicity mult. The chain must not contain e.
func (b *Boundary) add(e edge, mult int64) {
	if mult < 0 {
		e, mult = edge{e.b, e.a}, -mult
	}
	switch {
	case mult == 0:
	case mult == 1:
		b.single = append(b.single, e)
	case mult>>32 != 0:
		panic("bem: the multiplicity of an edge exceeds 32 bits")
	default:
		b.multiple = append(b.multiple, e)
		b.mult = append(b.mult, uint32(mult))
	}
}

// Coplanar reports whether x and all edges of the chain lie in one plane. If they do, every winding
// number W of x is a multiple of 1/2, for any surface with this boundary that does not contain x.
// Proof: a cone C from x to the boundary closes the surface. So near x, the winding numbers of the
// surface and of C add up to an integer. C is flat, and the boundary turns around x an integer
// number k of times. So the winding number of C tends to ±k/2 at x.
//
// Coplanar is exact and counts the signs that it needs. For most points it returns after a few
// edges.
func (b *Boundary) Coplanar(x r3.Vector, signs *predicates.Counter) bool {
	var plane [2]r3.Vector // with x, three points of the plane
	found := false
	for _, edges := range [2][]edge{b.single, b.multiple} {
		for _, e := range edges {
			switch {
			case found && (signs.Orient3D(x, plane[0], plane[1], e.a) != 0 || signs.Orient3D(x, plane[0], plane[1], e.b) != 0):
				return false
			case !found && !signs.ZeroArea(x, e.a, e.b):
				plane, found = [2]r3.Vector{e.a, e.b}, true
			}
		}
	}
	return true
}

// Without returns the chain b minus the boundaries of the given triangles. Without makes Sum usable
// at a point x on the surface: pass all triangles of the mesh that contain x, including triangles
// of zero area. Then no edge of the result contains x, and these triangles contribute 0 to Sum and
// to the winding number of x. The cost is O(N) for N edges.
func (b *Boundary) Without(tris []mesh.Triangle) *Boundary {
	terms := make([]term, 0, 3*len(tris))
	for _, t := range tris {
		for k := range t {
			terms = append(terms, canonical(edge{t[k], t[(k+1)%3]}, -1))
		}
	}
	terms = merge(terms)
	change := make(map[edge]int64, len(terms))
	box := bvh.EmptyBox()
	for _, t := range terms {
		change[t.edge] = t.mult
		box = box.Add(t.a).Add(t.b)
	}
	out := &Boundary{single: make([]edge, 0, len(b.single)+len(terms))}
	move := func(e edge, mult int64) {
		if box.Contains(e.a) && box.Contains(e.b) {
			c := canonical(e, mult)
			if d, ok := change[c.edge]; ok {
				delete(change, c.edge)
				e, mult = c.edge, c.mult+d
			}
		}
		out.add(e, mult)
	}
	for _, e := range b.single {
		move(e, 1)
	}
	for i, e := range b.multiple {
		move(e, int64(b.mult[i]))
	}
	for _, t := range terms {
		if _, ok := change[t.edge]; ok {
			out.add(t.edge, t.mult)
		}
	}
	return out
}

// term is an edge with its multiplicity. A term is canonical if a < b in lexicographic order, where
// −0 equals +0.
type term struct {
	edge
	mult int64
}

func canonical(e edge, mult int64) term {
	if e.a.Cmp(e.b) > 0 {
		return term{edge{e.b, e.a}, -mult}
	}
	return term{e, mult}
}

// merge sorts canonical terms in place and adds the multiplicities of equal edges. It drops terms
// whose multiplicity becomes 0.
func merge(terms []term) []term {
	slices.SortFunc(terms, func(s, t term) int {
		return cmp.Or(s.a.Cmp(t.a), s.b.Cmp(t.b))
	})
	out := terms[:0]
	for i := 0; i < len(terms); {
		sum := terms[i]
		for i++; i < len(terms) && terms[i].edge == sum.edge; i++ {
			sum.mult += terms[i].mult
		}
		if sum.mult != 0 && sum.a != sum.b {
			out = append(out, sum)
		}
	}
	return out
}

// Sum returns w = (1/4π) Σ m_e Ω(a−x, b−x, d) over the edges e = (a, b) with multiplicity m_e, and
// a bound of the absolute error of w. d is the unit vector along x−target. Let the segment from x
// to target cross the surface, and let χ be the sum of the signs of these crossings. If no triangle
// of the surface crosses the ray from x beyond target, the winding number W(x) is χ + w.
//
// If the segment passes close to an edge, predicates.Orient3D decides on which side of the edge it
// passes. So if χ comes from exact predicates, the error of χ + w is never a whole turn. An edge
// within a rounding error of x adds at most a quarter of a turn to the bound. The same holds for
// each edge at a vertex that lies within a rounding error of the ray.
//
// ok is false if the ray from x to target meets an edge of the chain exactly, for example if x lies
// on an edge. The caller must then choose another target. If x lies on the surface, call Sum on the
// chain that Without returns. If x or target is not finite, w is NaN and bound +Inf. For an empty
// chain w and bound are 0.
//
// The cost for N edges is O(N): a little more than two square roots for each edge, plus one arc
// tangent in total. Sum allocates only if an exact sign needs arbitrary precision.
func (b *Boundary) Sum(x, target r3.Vector, sc *Scratch) (w, bound float64, ok bool) {
	if !vec.Finite(x) || !vec.Finite(target) {
		return math.NaN(), math.Inf(1), true
	}
	if b.Len() == 0 {
		return 0, 0, true
	}
	r := ray{x: x, target: target, c: scaledDiff(x, target)}
	t := accumulator{product: identity}
	for i := 0; i < len(b.single); i += blockFactors {
		if ok := r.addSingle(&t, b.single[i:min(i+blockFactors, len(b.single))], sc); !ok {
			return 0, math.Inf(1), false
		}
	}
	for i, m := range b.mult {
		f, ok := r.factor(b.multiple[i], sc)
		if !ok {
			return 0, math.Inf(1), false
		}
		t.product = t.product.times(product{re: f.re, im: f.im}.pow(m)).rescale()
		t.err += f.err * float64(m)
		t.factors += 2*float64(m) + 1
	}
	w, bound = t.total()
	return w, bound, true
}

type ray struct {
	x, target r3.Vector
	c         r3.Vector // x − target, scaled; the third corner lies at infinity in this direction
}

// addSingle multiplies t by the factors of edges of multiplicity 1. It takes at most blockFactors
// edges. Its inline code for ordinary edges rounds exactly as factor and oosteromStrackee do.
func (r *ray) addSingle(t *accumulator, edges []edge, sc *Scratch) (ok bool) {
	x, c := r.x, r.c
	lc := math.Sqrt(c.Dot(c))
	p, cond := t.product, t.cond
	for i := range edges {
		e := &edges[i]
		ax, ay, az := e.a.X-x.X, e.a.Y-x.Y, e.a.Z-x.Z
		bx, by, bz := e.b.X-x.X, e.b.Y-x.Y, e.b.Z-x.Z
		qa := float64(ax*ax) + float64(ay*ay) + float64(az*az)
		qb := float64(bx*bx) + float64(by*by) + float64(bz*bz)
		if ((math.Float64bits(qa)-loSquare)|(math.Float64bits(qb)-loSquare))>>rangeBits == 0 {
			la, lb := math.Sqrt(qa), math.Sqrt(qb)
			ab := float64(ax*bx) + float64(ay*by) + float64(az*bz)
			bc := float64(bx*c.X) + float64(by*c.Y) + float64(bz*c.Z)
			ca := float64(c.X*ax) + float64(c.Y*ay) + float64(c.Z*az)
			det := float64(ax*(float64(by*c.Z)-float64(bz*c.Y))) +
				float64(ay*(float64(bz*c.X)-float64(bx*c.Z))) +
				float64(az*(float64(bx*c.Y)-float64(by*c.X)))
			s := float64(float64(la*lb) * lc)
			den := s + float64(ab*lc) + float64(bc*la) + float64(ca*lb)
			if den > minNorm*s {
				n := 1 / (den + math.Abs(det))
				cond += s * n
				re, im := den*n, det*n // product.mul, written out because it is too large to be inlined
				newIm := float64(p.re*im) + float64(p.im*re)
				p = product{float64(p.re*re) - float64(p.im*im), newIm, p.turns + p.crossing(newIm)}
				continue
			}
		}
		f, ok := r.factor(*e, sc)
		if !ok {
			return false
		}
		t.err += f.err
		p = p.mulAny(f.re, f.im)
	}
	t.product, t.cond = p.rescale(), cond
	t.factors += float64(len(edges))
	return true
}

// factor returns the factor of one edge. ok is false if the ray meets the edge.
func (r *ray) factor(e edge, sc *Scratch) (f factor, ok bool) {
	sc.Near++
	den, det, s := oosteromStrackee(scaledDiff(e.a, r.x), scaledDiff(e.b, r.x), r.c)
	if !needsSign(den, det, s) {
		return newFactor(den, det, s, 0), true
	}
	// det has the sign of (x−target)·((a−x)×(b−x)).
	sign := -sc.Signs.Orient3D(r.target, e.a, e.b, r.x)
	if sign == 0 {
		return factor{}, false
	}
	return newFactor(den, det, s, sign), true
}
