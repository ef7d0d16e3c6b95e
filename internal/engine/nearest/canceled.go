package nearest

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/angle"
	"github.com/inpoly/inpoly/mesh"
)

// wedge is a triangle at a vertex or at an edge, as one term of a sum of normals. The vertex is the
// first corner of the wedge. The edge joins its first two corners.
type wedge struct {
	corners [3]int32
	times   int // number of faces with these corners in this order, minus number of opposite faces; not 0
}

// collect returns the wedges of some faces. The function corners returns the corners of the wedge
// of face i and its orientation, +1 or −1. Orientation 0 omits the face. Wedges of opposite faces
// cancel, so the list is empty if each face has an opposite face.
func collect(faces []int32, corners func(i int32) (c [3]int32, sign int)) []wedge {
	var list []wedge
	at := make(map[[3]int32]int, len(faces))
	for _, i := range faces {
		c, sign := corners(i)
		if sign == 0 {
			continue
		}
		k, ok := at[c]
		if !ok {
			k = len(list)
			at[c] = k
			list = append(list, wedge{corners: c})
		}
		list[k].times += sign
	}
	return slices.DeleteFunc(list, func(w wedge) bool { return w.times == 0 })
}

// wedgesAt returns the wedges at a vertex.
func (n *normals) wedgesAt(m *mesh.Mesh, v int32) []wedge {
	return collect(n.fans[n.first[v]:n.first[v+1]], func(i int32) (c [3]int32, sign int) {
		f, k := &m.Faces[i], 0
		for f[k] != v {
			k++
		}
		switch b, c := f[(k+1)%3], f[(k+2)%3]; {
		case b < c && b != v && c != v:
			return [3]int32{v, b, c}, 1
		case c < b && b != v && c != v:
			return [3]int32{v, c, b}, -1
		}
		return [3]int32{}, 0
	})
}

// wedgesAlong returns the wedges at the edge from v to w. The vertices must differ.
func (n *normals) wedgesAlong(m *mesh.Mesh, v, w int32) []wedge {
	return collect(n.around(v, w), func(i int32) (c [3]int32, sign int) {
		f := &m.Faces[i]
		x := opposite(f, v, w)
		switch {
		case !hasEdge(f, v, w) || x == v:
			return [3]int32{}, 0
		case hasHalfEdge(f, v, w):
			return [3]int32{v, w, x}, 1
		}
		return [3]int32{v, w, x}, -1
	})
}

// precise returns the unit vector along the sum of the normals of the wedges. If byAngle is true,
// the weight of each normal is the angle at the first corner. precise serves for sums that float64
// does not resolve. The result is zero if the exact sum is zero.
//
// Some sums are certainly zero by integer arithmetic: in each plane, the angles of the faces that
// look up equal the angles of the faces that look down. Other sums are computed with more and more
// bits until their directions are certain. If the squared normals have b bits, the angle between
// two planes that are not parallel is at least 2^−b. So a sum below 2^(−4b−1024) of its terms
// counts as zero.
func precise(m *mesh.Mesh, wedges []wedge, byAngle bool) r3.Vector {
	var s weighted
	for _, w := range wedges {
		t := w.triangle(m)
		normal, angle := normalAt(&t, 0)
		if !byAngle {
			angle = 1
		}
		s.add(normal, angle*float64(w.times))
	}
	if u, ok := s.unit(); ok {
		return u
	}
	terms := uncanceledTerms(m, wedges, byAngle)
	if len(terms) == 0 {
		return r3.Vector{}
	}
	size := 0
	for _, t := range terms {
		size = max(size, t.squared.BitLen())
	}
	for prec := 128; ; prec *= 2 {
		if u, ok := sumOf(terms, byAngle, uint(prec)); ok || prec > 4*size+1024 {
			return u
		}
	}
}

func (w *wedge) triangle(m *mesh.Mesh) mesh.Triangle {
	return mesh.Triangle{m.Vertices[w.corners[0]], m.Vertices[w.corners[1]], m.Vertices[w.corners[2]]}
}

// exactTerm is a wedge of positive area with integer coordinates in a common unit.
type exactTerm struct {
	wedge
	normal  intVector // the cross product of the two edges at the first corner
	squared big.Int   // normal·normal
	cosine  big.Int   // the scalar product of the two edges
	axis    int       // the index of the largest component of normal
	plane   *planeSum
}

// planeSum is the sum of all wedges in parallel planes, relative to the normal of the first wedge.
type planeSum struct {
	first  *exactTerm
	faces  int           // for sums without angles: the sum of times
	turn   float64       // the sum of the angles, rounded
	zero   bool          // the sum is certainly zero
	rays   map[int32]int // number of angles that end at a vertex, minus number of angles that begin there
	sorted []int32       // the keys of rays in the order of their first appearance
}

// uncanceledTerms returns the terms of all planes except those whose sums are certainly zero.
func uncanceledTerms(m *mesh.Mesh, wedges []wedge, byAngle bool) []*exactTerm {
	var terms []*exactTerm
	var x exact
	var planes []*planeSum
	at := make(map[direction][]*planeSum)
	for _, w := range wedges {
		corners, t := w.triangle(m), &exactTerm{wedge: w}
		x.load(&corners[0], &corners)
		x.cross(&t.normal, &x.corners[1], &x.corners[2])
		x.dot(&t.squared, &t.normal, &t.normal)
		if t.squared.Sign() == 0 {
			continue
		}
		x.dot(&t.cosine, &x.corners[1], &x.corners[2])
		terms = append(terms, t)
		d := t.direction()
		for _, p := range at[d] {
			if x.parallel(&p.first.normal, &t.normal) {
				t.plane = p
			}
		}
		if t.plane == nil {
			t.plane = &planeSum{first: t, rays: make(map[int32]int)}
			planes, at[d] = append(planes, t.plane), append(at[d], t.plane)
		}
		_, angle := normalAt(&corners, 0)
		t.plane.add(t, angle)
	}
	for _, p := range planes {
		p.zero = p.isZero(m, byAngle)
	}
	return slices.DeleteFunc(terms, func(t *exactTerm) bool { return t.plane.zero })
}

// direction is a normal divided by its largest component, rounded. Parallel normals have equal
// directions.
type direction struct {
	axis int
	x, y float64
}

// direction sets t.axis and returns the direction of the normal of t.
func (t *exactTerm) direction() direction {
	for k := range t.normal {
		if t.normal[k].CmpAbs(&t.normal[t.axis]) > 0 {
			t.axis = k
		}
	}
	ratio := func(k int) float64 {
		var a, b big.Float
		q, _ := new(big.Float).SetPrec(64).Quo(a.SetInt(&t.normal[k]), b.SetInt(&t.normal[t.axis])).Float64()
		return q
	}
	return direction{t.axis, ratio((t.axis + 1) % 3), ratio((t.axis + 2) % 3)}
}

// parallel reports whether a×b is zero.
func (x *exact) parallel(a, b *intVector) bool {
	x.cross(&x.n, a, b)
	return x.n[0].Sign() == 0 && x.n[1].Sign() == 0 && x.n[2].Sign() == 0
}

// add adds a term in the plane of p. angle is the angle of the wedge.
func (p *planeSum) add(t *exactTerm, angle float64) {
	times, k := t.times, p.first.axis
	if t.normal[k].Sign() != p.first.normal[k].Sign() {
		times = -times
	}
	p.faces += times
	p.turn += float64(times) * angle
	// A rotation about the opposite normal has the same rays.
	for i, change := range [2]int{-t.times, t.times} {
		v := t.corners[1+i]
		if _, ok := p.rays[v]; !ok {
			p.sorted = append(p.sorted, v)
		}
		p.rays[v] += change
	}
}

// isZero reports whether the sum is certainly zero. If byAngle is true, the sum of the angles is
// the angle of a rotation about the normal. The rotation takes the rays where angles begin to the
// rays where angles end. The sum is zero if this rotation is the identity and the rounded sum is
// not near another multiple of 2π.
func (p *planeSum) isZero(m *mesh.Mesh, byAngle bool) bool {
	if !byAngle {
		return p.faces == 0
	}
	if math.Abs(p.turn) > 1 {
		return false
	}
	var begins, ends []int32
	for _, v := range p.sorted {
		count := p.rays[v]
		if len(begins)+len(ends)+max(count, -count) > maxRays {
			return false
		}
		for range count {
			ends = append(ends, v)
		}
		for range -count {
			begins = append(begins, v)
		}
	}
	// The rotation from begins[i] to ends[i] is the argument of re + im·√−d, where d is the square of the
	// normal of p, divided by the component k of this normal, which is not zero.
	re, im := big.NewInt(1), new(big.Int)
	k := p.first.axis
	var x exact
	var dot, next, product big.Int
	a := m.Vertices[p.first.corners[0]]
	for i, v := range begins {
		t := mesh.Triangle{a, m.Vertices[v], m.Vertices[ends[i]]}
		x.load(&a, &t)
		x.cross(&x.n, &x.corners[1], &x.corners[2])
		x.dot(&dot, &x.corners[1], &x.corners[2])
		// Multiply re + im·√−d by dot·normal[k] + n[k]·√−d, and by −1 if normal[k] < 0.
		dot.Mul(&dot, &p.first.normal[k])
		sine := &x.n[k]
		next.Mul(re, &dot)
		next.Sub(&next, product.Mul(product.Mul(im, sine), &p.first.squared))
		im.Add(im.Mul(im, &dot), product.Mul(re, sine))
		re.Set(&next)
		if p.first.normal[k].Sign() < 0 {
			re.Neg(re)
			im.Neg(im)
		}
	}
	return im.Sign() == 0 && re.Sign() > 0
}

// maxRays limits the rays whose rotation isZero computes with integers (tuning).
const maxRays = 256

// sumOf returns the unit vector along the sum of the terms, computed with the given precision. It
// returns false if this precision does not determine the direction.
func sumOf(terms []*exactTerm, byAngle bool, prec uint) (r3.Vector, bool) {
	const guard = 64
	number := func() *big.Float { return new(big.Float).SetPrec(prec + guard) }
	sum, weight := [3]*big.Float{number(), number(), number()}, number()
	for _, t := range terms {
		length := number().SetInt(&t.squared)
		length.Sqrt(length)
		factor := number().SetInt64(int64(t.times))
		if byAngle {
			factor.Mul(factor, angle.Of(length, number().SetInt(&t.cosine), prec+guard))
		}
		weight.Add(weight, number().Abs(factor))
		factor.Quo(factor, length)
		for k, s := range sum {
			term := number().SetInt(&t.normal[k])
			s.Add(s, term.Mul(term, factor))
		}
	}
	u, exponent := largestTo1(sum[0], sum[1], sum[2])
	// Each term has an error of a few units of 2^(−prec−guard) of the weight, and so does each
	// addition.
	if u == (r3.Vector{}) || exponent < weight.MantExp(nil)-int(prec)+bits.Len(uint(len(terms))) {
		return r3.Vector{}, false
	}
	return u.Normalize(), true
}
