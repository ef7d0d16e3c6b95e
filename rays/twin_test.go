package rays

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// The types of this file compute hits, winding numbers and intervals in rational arithmetic. They share
// no code with the package, and have no tree and no symbolic displacement.

type rat = *big.Rat

type ratVec [3]rat

func ratOf(x float64) rat { return new(big.Rat).SetFloat64(x) }

func ratVecOf(p r3.Vector) ratVec { return ratVec{ratOf(p.X), ratOf(p.Y), ratOf(p.Z)} }

func (p ratVec) sub(q ratVec) (d ratVec) {
	for k := range d {
		d[k] = new(big.Rat).Sub(p[k], q[k])
	}
	return d
}

// along returns p + t·d.
func (p ratVec) along(d ratVec, t rat) (q ratVec) {
	for k := range q {
		q[k] = new(big.Rat).Mul(d[k], t)
		q[k].Add(q[k], p[k])
	}
	return q
}

func (p ratVec) dot(q ratVec) rat {
	s := new(big.Rat)
	for k := range p {
		s.Add(s, new(big.Rat).Mul(p[k], q[k]))
	}
	return s
}

func (p ratVec) cross(q ratVec) (c ratVec) {
	for k := range c {
		i, j := (k+1)%3, (k+2)%3
		c[k] = new(big.Rat).Mul(p[i], q[j])
		c[k].Sub(c[k], new(big.Rat).Mul(p[j], q[i]))
	}
	return c
}

// integers returns the vectors, multiplied by a common power of two that makes the components integers.
// The denominators must be powers of two. Integers are faster, because rational numbers need a greatest
// common divisor. Signs and quotients of the same degree do not change.
func integers(vs ...ratVec) []ratVec {
	shift := 0
	for _, v := range vs {
		for _, x := range v {
			shift = max(shift, x.Denom().BitLen()-1)
		}
	}
	scale := new(big.Int).Lsh(big.NewInt(1), uint(shift))
	out := make([]ratVec, len(vs))
	for i, v := range vs {
		for k, x := range v {
			n := new(big.Int).Mul(x.Num(), scale)
			out[i][k] = new(big.Rat).SetInt(n.Rsh(n, uint(x.Denom().BitLen()-1)))
		}
	}
	return out
}

// between returns a fraction between lo and hi, whose denominator is a power of two.
func between(lo, hi rat) rat {
	for k := uint(1); ; k *= 2 {
		n := new(big.Int).Lsh(lo.Num(), k)
		n.Div(n, lo.Denom()) // rounded down
		t := new(big.Rat).SetFrac(n.Add(n, big.NewInt(1)), new(big.Int).Lsh(big.NewInt(1), k))
		if t.Cmp(hi) < 0 {
			return t
		}
	}
}

func (p ratVec) zero() bool { return p[0].Sign() == 0 && p[1].Sign() == 0 && p[2].Sign() == 0 }

// span is the set of parameters from lo to hi. A nil end is infinite.
type span struct{ lo, hi rat }

func (s span) empty() bool { return s.lo != nil && s.hi != nil && s.lo.Cmp(s.hi) > 0 }

// cut returns the parameters of s for which c + m·t ≥ 0.
func (s span) cut(c, m rat) span {
	if m.Sign() == 0 {
		if c.Sign() < 0 {
			return span{big.NewRat(1, 1), new(big.Rat)}
		}
		return s
	}
	t := new(big.Rat).Quo(c, m)
	t.Neg(t)
	if m.Sign() > 0 {
		if s.lo == nil || t.Cmp(s.lo) > 0 {
			s.lo = t
		}
	} else if s.hi == nil || t.Cmp(s.hi) < 0 {
		s.hi = t
	}
	return s
}

// twin is a line in rational arithmetic. Its float64 numbers select faces that it can meet.
type twin struct {
	a, d  ratVec
	limit span

	start, x, y r3.Vector // x and y are about at right angles to the line

	scale rat // all exact vectors, also those of vertices, have this factor; nil means 1
}

func twinOf(l line) twin {
	w := twin{limit: span{lo: new(big.Rat)}, start: l.a}
	a, b, d := l.world()
	w.a, w.d = ratVecOf(a), ratVecOf(d)
	if l.segment {
		w.d = ratVecOf(b).sub(w.a)
		w.limit.hi = big.NewRat(1, 1)
	}
	if l.posed != nil {
		w.place(l.posed.place.Pose())
	}
	w.frame(l.d)
	return w
}

// place moves the line from the world to the frame of a mesh with the pose p. The frame has the factor |q|², so that
// the coordinates of the line need no quotient.
func (w *twin) place(p motion.Pose) {
	q := p.Rotation
	c := [4]rat{ratOf(q.Real), ratOf(q.Imag), ratOf(q.Jmag), ratOf(q.Kmag)}
	sum := func(terms ...[3]int) rat { // of factor · c[i] · c[j]
		s := new(big.Rat)
		for _, t := range terms {
			x := new(big.Rat).Mul(c[t[1]], c[t[2]])
			s.Add(s, x.Mul(x, big.NewRat(int64(t[0]), 1)))
		}
		return s
	}
	w.scale = sum([3]int{1, 0, 0}, [3]int{1, 1, 1}, [3]int{1, 2, 2}, [3]int{1, 3, 3})
	columns := [3]ratVec{ // of the rotation, times the scale
		{sum([3]int{1, 0, 0}, [3]int{1, 1, 1}, [3]int{-1, 2, 2}, [3]int{-1, 3, 3}), sum([3]int{2, 1, 2}, [3]int{2, 0, 3}), sum([3]int{2, 1, 3}, [3]int{-2, 0, 2})},
		{sum([3]int{2, 1, 2}, [3]int{-2, 0, 3}), sum([3]int{1, 0, 0}, [3]int{-1, 1, 1}, [3]int{1, 2, 2}, [3]int{-1, 3, 3}), sum([3]int{2, 2, 3}, [3]int{2, 0, 1})},
		{sum([3]int{2, 1, 3}, [3]int{2, 0, 2}), sum([3]int{2, 2, 3}, [3]int{-2, 0, 1}), sum([3]int{1, 0, 0}, [3]int{-1, 1, 1}, [3]int{-1, 2, 2}, [3]int{1, 3, 3})},
	}
	a, d := w.a.sub(ratVecOf(p.Translation)), w.d
	for k := range 3 {
		w.a[k], w.d[k] = columns[k].dot(a), columns[k].dot(d)
	}
}

// vertex returns the exact coordinates of a vertex.
func (w *twin) vertex(v r3.Vector) ratVec {
	p := ratVecOf(v)
	if w.scale != nil {
		for k := range p {
			p[k].Mul(p[k], w.scale)
		}
	}
	return p
}

func (w *twin) frame(d r3.Vector) {
	if n := d.Norm(); n > 1e-100 && n < 1e100 {
		d = d.Mul(1 / n)
		w.x = d.Ortho()
		w.y = d.Cross(w.x)
	}
}

// far reports whether the whole line is certainly far from the triangle.
func (w *twin) far(t *mesh.Triangle) bool {
	for _, axis := range [2]r3.Vector{w.x, w.y} {
		lo, hi, size := math.Inf(1), math.Inf(-1), 0.0
		for _, p := range t {
			v := p.Sub(w.start)
			lo, hi, size = min(lo, v.Dot(axis)), max(hi, v.Dot(axis)), max(size, p1(v))
		}
		if margin := 1e-9 * (size + p1(w.start)); lo > margin || hi < -margin {
			return true
		}
	}
	return false
}

func p1(v r3.Vector) float64 { return math.Abs(v.X) + math.Abs(v.Y) + math.Abs(v.Z) }

// meets returns the parameters of the line on the closed triangle, clipped to w.limit.
func (w *twin) meets(t *mesh.Triangle) (s span, ok bool) {
	if w.far(t) {
		return s, false
	}
	v := integers(w.a, w.d, w.vertex(t[0]), w.vertex(t[1]), w.vertex(t[2]))
	a, d, p := v[0], v[1], v[2:]
	n := p[1].sub(p[0]).cross(p[2].sub(p[0]))
	s = w.limit
	if n.zero() {
		return s.cutFlat(a, d, p)
	}
	// The point is in the plane: (a−p)·n + t·d·n = 0.
	s = s.cut(a.sub(p[0]).dot(n), d.dot(n))
	if s.empty() {
		return s, false
	}
	s = s.cut(p[0].sub(a).dot(n), new(big.Rat).Neg(d.dot(n)))
	for j := range 3 {
		if s.empty() {
			return s, false
		}
		e := p[(j+1)%3].sub(p[j])
		s = s.cut(e.cross(a.sub(p[j])).dot(n), e.cross(d).dot(n))
	}
	return s, !s.empty()
}

// cutFlat returns the parameters of s for which a + t·d is on a triangle of zero area, which is the
// longest of its edges.
func (s span) cutFlat(a, d ratVec, p []ratVec) (span, bool) {
	u, e := p[0], p[1].sub(p[0])
	for j := range 3 {
		if f := p[(j+1)%3].sub(p[j]); f.dot(f).Cmp(e.dot(e)) > 0 {
			u, e = p[j], f
		}
	}
	r := a.sub(u)
	c, m := r.cross(e), d.cross(e)
	if e.zero() { // the triangle is a point
		c, m = r, d
	}
	for k := range 3 {
		if s = s.cut(c[k], m[k]); s.empty() {
			return s, false
		}
		if s = s.cut(new(big.Rat).Neg(c[k]), new(big.Rat).Neg(m[k])); s.empty() {
			return s, false
		}
	}
	s = s.cut(r.dot(e), d.dot(e))
	s = s.cut(new(big.Rat).Sub(e.dot(e), r.dot(e)), new(big.Rat).Neg(d.dot(e)))
	return s, !s.empty()
}

// twinHit is a face that the line meets, and its parameters there.
type twinHit struct {
	face int32
	span
}

func (w *twin) hits(m *mesh.Mesh) (out []twinHit) {
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		if s, ok := w.meets(&t); ok {
			out = append(out, twinHit{int32(f), s})
		}
	}
	slices.SortStableFunc(out, func(g, h twinHit) int { return g.lo.Cmp(h.lo) })
	return out
}

// windingAt returns the winding number of the point p of the line, which must not be on the surface, and the number
// of crossings of a ray. The denominators of p must be powers of two.
func (l *twin) windingAt(m *mesh.Mesh, p ratVec, r *rand.Rand) (n int64, crossings uint64) {
next:
	for {
		v := func() float64 { return float64(r.IntN(1<<20) - 1<<19) }
		dir := r3.Vector{X: v(), Y: v(), Z: v()}
		w := twin{a: p, d: ratVecOf(dir), scale: l.scale}
		unscaled := p
		for k := range p {
			if l.scale != nil {
				unscaled[k] = new(big.Rat).Quo(p[k], l.scale)
			}
		}
		w.start.X, _ = unscaled[0].Float64()
		w.start.Y, _ = unscaled[1].Float64()
		w.start.Z, _ = unscaled[2].Float64()
		w.frame(dir)
		n, crossings = 0, 0
		for f := range m.Faces {
			t := m.Triangle(int32(f))
			if w.far(&t) {
				continue
			}
			q := integers(p, w.vertex(t[0]), w.vertex(t[1]), w.vertex(t[2]))
			q = []ratVec{q[1].sub(q[0]), q[2].sub(q[0]), q[3].sub(q[0])}
			normal := q[1].sub(q[0]).cross(q[2].sub(q[0]))
			if normal.zero() {
				continue
			}
			var s [3]int
			for j := range 3 {
				s[j] = w.d.dot(q[j].cross(q[(j+1)%3])).Sign()
			}
			lo, hi := min(s[0], s[1], s[2]), max(s[0], s[1], s[2])
			switch ahead := q[0].dot(normal).Sign(); {
			case lo < 0 && hi > 0:
			case lo == hi && lo != 0:
				if ahead == lo {
					n += int64(lo)
					crossings++
				}
			default:
				continue next // the ray meets an edge
			}
		}
		return n, crossings
	}
}

// piece is an interval of a twin.
type piece struct {
	side side.Side
	span
}

// pieces divides a segment at the hits, and merges neighbors with the same side. The mesh must be closed,
// or the rule must be EvenOdd and every edge must have an even number of faces.
func (w *twin) pieces(m *mesh.Mesh, hits []twinHit, rule side.Rule, r *rand.Rand) (out []piece) {
	ends := []rat{w.limit.lo, w.limit.hi}
	for _, h := range hits {
		ends = append(ends, h.lo, h.hi)
	}
	slices.SortFunc(ends, func(x, y rat) int { return x.Cmp(y) })
	ends = slices.CompactFunc(ends, func(x, y rat) bool { return x.Cmp(y) == 0 })
	for i := range ends[1:] {
		mid := between(ends[i], ends[i+1])
		at := side.Unknown
		for _, h := range hits {
			if h.lo.Cmp(mid) < 0 && mid.Cmp(h.hi) < 0 {
				at = side.OnSurface
			}
		}
		if at == side.Unknown {
			at = rule.Apply(w.windingAt(m, w.a.along(w.d, mid), r))
		}
		if n := len(out); n > 0 && out[n-1].side == at {
			out[n-1].hi = ends[i+1]
		} else {
			out = append(out, piece{at, span{ends[i], ends[i+1]}})
		}
	}
	return out
}
