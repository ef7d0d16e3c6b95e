package bem

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// callBlocks is the number of blocks that one call of a kernel does. A factor
// has a modulus between 1/2, but for rounding, and √(4²+1) < 2^2.1, so the product
// of all lanes stays between 2^(−8·48) and 2^(2.1·8·48) < 2^807.
const callBlocks = 48

// PanelSum is the working memory of one goroutine. The zero value is ready.
type PanelSum struct {
	Scratch
	state panelState
}

// panelState is what a kernel reads and writes.
type panelState struct {
	re, im float64 // product of the factors
	turns  int64
	sizes  float64    // Σ limit/(|b−x||c−x|): see errorPanel
	x      [3]float64 // the point, scaled

	// The cursor, before and after: number of spans that are done, and of blocks
	// of the next one, −1 if it is not within the blocks.
	span, done int64

	count int64              // blocks done by the call
	limit int64              // blocks that there are
	used  int64              // of list
	list  [callBlocks]uint64 // lanes left to the scalar path: block<<8 | a bit for each
}

// Winding returns (1/4π) Σ Ω over the triangles in spans, a bound of its absolute
// error, and whether x lies exactly on one of them; those contribute 0. Triangles
// may be in several spans. A triangle with the longest edge E at a distance r adds
// about 6·10^−14·(E/r)² to the bound, and those done one by one what they add to
// that of Direct.Winding. If x is not finite, w is NaN and bound +Inf. Winding
// panics if a span is not one of p. No allocation unless an exact sign needs its
// last stage.
//
// Cost: about 2 ns a triangle with AVX-512, and one arc tangent in all. Triangles
// with a corner nearer than 0.36 of their longest edge, or seen as nearly half of
// the sky, take 20 ns or so each.
func (p *Panels) Winding(x r3.Vector, spans []Span, s *PanelSum) (w, bound float64, on bool) {
	if !vec.Finite(x) {
		return math.NaN(), math.Inf(1), false
	}
	t := tally{spin: identity}
	at := r3.Vector{X: float64(x.X * p.scale), Y: float64(x.Y * p.scale), Z: float64(x.Z * p.scale)}
	if !(vec.MaxAbs(at) <= farPoint) || len(p.blocks) == 0 {
		on = p.scalar(&t, x, spans, s)
	} else {
		on = p.sum(&t, x, at, spans, s)
	}
	w, bound = t.total()
	return w, bound, on
}

// sum multiplies the factors of all triangles in spans into t.
func (p *Panels) sum(t *tally, x, at r3.Vector, spans []Span, s *PanelSum) (on bool) {
	st := &s.state
	st.x = [3]float64{at.X, at.Y, at.Z}
	st.span, st.done, st.limit = 0, 0, int64(len(p.blocks))
	blocks := int64(0)
	sizes := 0.0
	for st.span < int64(len(spans)) {
		p.kernel.winding(st, p.blocks, spans)
		if st.done < 0 {
			panic("bem: span out of range")
		}
		if blocks > 0 {
			t.spin = t.spin.rescale()
		}
		blocks += st.count
		t.spin = t.spin.times(spin{st.re, st.im, st.turns})
		sizes += st.sizes
		for _, entry := range st.list[:st.used] {
			b := entry >> lanes
			first := p.first[b]
			// Bits of empty lanes, which x may hit as well, do not count.
			missed := entry & (1<<lanes - 1) & (1<<(p.first[b+1]-first) - 1)
			for ; missed != 0; missed &= missed - 1 {
				tri := &p.tris[first+int32(bits.TrailingZeros64(missed))]
				if t.add(x, tri, &s.Scratch) {
					on = true
				}
			}
		}
	}
	t.factors += float64(lanes * blocks)
	t.err += errorPanel * sizes
	return on
}

// scalar is sum for points so far away that their distances leave the range of
// the kernels.
func (p *Panels) scalar(t *tally, x r3.Vector, spans []Span, s *PanelSum) (on bool) {
	for _, span := range spans {
		tris := p.tris[p.first[span.First]:p.first[span.First+span.Count]]
		for i := range tris {
			if t.add(x, &tris[i], &s.Scratch) {
				on = true
			}
			if i%blockFactors == blockFactors-1 {
				t.spin = t.spin.rescale()
			}
		}
		t.spin = t.spin.rescale()
		t.factors += float64(len(tris))
	}
	return on
}

// add multiplies the factor of one triangle into t and tells whether x lies on
// it. It is Direct.add for a single triangle; the caller counts factors and
// rescales.
func (t *tally) add(x r3.Vector, tri *mesh.Triangle, sc *Scratch) (on bool) {
	a, b, c := tri[0].Sub(x), tri[1].Sub(x), tri[2].Sub(x)
	qa, qb, qc := a.Dot(a), b.Dot(b), c.Dot(c)
	if ((math.Float64bits(qa)-loSquare)|(math.Float64bits(qb)-loSquare)|(math.Float64bits(qc)-loSquare))>>rangeBits == 0 {
		la, lb, lc := math.Sqrt(qa), math.Sqrt(qb), math.Sqrt(qc)
		size := float64(float64(la*lb) * lc)
		den := size + float64(a.Dot(b)*lc) + float64(b.Dot(c)*la) + float64(c.Dot(a)*lb)
		if den > gate*size {
			det := a.Dot(b.Cross(c))
			n := 1 / (den + math.Abs(det))
			t.slant += size * n
			t.spin = t.spin.mul(den*n, det*n)
			return false
		}
	}
	f, on := sc.triangle(x, tri[0], tri[1], tri[2])
	t.err += f.err
	t.spin = t.spin.mulAny(f.re, f.im)
	return on
}
