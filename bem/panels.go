package bem

import (
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Panels holds triangles in groups, packed for summing their solid angles at many points: the near
// field of a multipole method. It is immutable and safe for concurrent use.
//
// Each group begins a new block of eight triangles, one for each lane of a vector register. A block
// takes 1 KiB, so a triangle takes 128 bytes beside its corners, and more if groups leave lanes
// empty.
type Panels struct {
	tris   []mesh.Triangle
	blocks []panelBlock
	first  []int32 // first triangle of each block, and the number of triangles
	starts []int32 // first triangle of each group, and the number of triangles
	scale  float64 // power of two: coordinates in blocks are less than 4
	kernel kernel
}

// kernel is an implementation of the sum over blocks.
type kernel uint8

const (
	generic kernel = iota
	avx2
	avx512
)

// Span is a run of blocks of Panels. Panels.Span makes it.
type Span struct {
	First, Count int32
}

// lanes is the number of triangles in a block.
const lanes = 8

// panelBlock holds eight triangles a, b, c in the rows that the kernels read, with e1 = b−a,
// e2 = c−a and n = e1×e2. An empty lane holds the first corner of the block three times.
type panelBlock [16][lanes]float64

// Rows of a block. e1, e2 and n are negated because the kernels multiply them by x−a.
const (
	rowA     = 0
	rowE1    = 3
	rowE2    = 6
	rowN     = 9
	rowC1    = 12 // |e1|²
	rowC2    = 13 // |e2|²
	rowC12   = 14 // e1·e2
	rowLimit = 15 // slightly more than an eighth of the square of the longest edge
)

// NewPanels packs tris, whose coordinates must be finite, and keeps the slice. Group i is
// tris[starts[i]:starts[i+1]]; the last group ends with tris. If there are no triangles, starts may
// be empty. The cost is O(N). NewPanels panics unless starts ascends from 0 within tris.
func NewPanels(tris []mesh.Triangle, starts []int32) *Panels {
	if !slices.IsSorted(starts) || len(starts) > 0 && (starts[0] != 0 || int(starts[len(starts)-1]) > len(tris)) ||
		len(starts) == 0 && len(tris) > 0 || len(tris) > math.MaxInt32-lanes {
		panic("bem: groups are not in order, or do not cover the triangles")
	}
	p := &Panels{tris: tris, scale: panelScale(tris), kernel: panelKernels()[0]}
	p.starts = append(slices.Clone(starts), int32(len(tris)))
	n := 0
	for i := range starts {
		n += blocksOf(p.starts[i+1] - p.starts[i])
	}
	p.blocks = make([]panelBlock, n)
	p.first = make([]int32, 0, n+1)
	for i := range starts {
		for lo := p.starts[i]; lo < p.starts[i+1]; lo += lanes {
			b := &p.blocks[len(p.first)]
			p.first = append(p.first, lo)
			for lane := range int32(lanes) {
				if lo+lane < p.starts[i+1] {
					b.set(lane, &tris[lo+lane], p.scale)
					continue
				}
				a := tris[lo][0]
				b.set(lane, &mesh.Triangle{a, a, a}, p.scale)
			}
		}
	}
	p.first = append(p.first, int32(len(tris)))
	return p
}

func blocksOf(triangles int32) int { return (int(triangles) + lanes - 1) / lanes }

// Len returns the number of triangles.
func (p *Panels) Len() int { return len(p.tris) }

// Span returns the blocks of the triangles lo ≤ i < hi, in O(log N). It panics unless lo ≤ hi and
// each is the start of a group or the number of triangles.
func (p *Panels) Span(lo, hi int32) Span {
	_, okLo := slices.BinarySearch(p.starts, lo)
	_, okHi := slices.BinarySearch(p.starts, hi)
	if !okLo || !okHi || lo > hi {
		panic("bem: a span is not made of groups")
	}
	first, _ := slices.BinarySearch(p.first, lo)
	end, _ := slices.BinarySearch(p.first, hi)
	return Span{int32(first), int32(end - first)}
}

// panelScale returns the power of two that brings the largest coordinate into [1/2, 1). The power
// itself stays in the range of float64, so near the ends of that range the coordinate only comes
// close.
func panelScale(tris []mesh.Triangle) float64 {
	m := 0.0
	for i := range tris {
		for _, v := range tris[i] {
			m = max(m, vec.MaxAbs(v))
		}
	}
	_, e := math.Frexp(m)
	return math.Ldexp(1, min(max(-e, -1022), 1000))
}

// set puts t into a lane, scaled.
func (b *panelBlock) set(lane int32, t *mesh.Triangle, scale float64) {
	v := func(i int) r3.Vector {
		return r3.Vector{X: float64(t[i].X * scale), Y: float64(t[i].Y * scale), Z: float64(t[i].Z * scale)}
	}
	a := v(0)
	e1, e2, e3 := v(1).Sub(a), v(2).Sub(a), v(2).Sub(v(1))
	put := func(row int, v r3.Vector) {
		b[row][lane], b[row+1][lane], b[row+2][lane] = v.X, v.Y, v.Z
	}
	put(rowA, a)
	put(rowE1, e1.Mul(-1))
	put(rowE2, e2.Mul(-1))
	put(rowN, e1.Cross(e2).Mul(-1))
	b[rowC1][lane], b[rowC2][lane], b[rowC12][lane] = e1.Norm2(), e2.Norm2(), e1.Dot(e2)
	b[rowLimit][lane] = max(e1.Norm2(), e2.Norm2(), e3.Norm2())*(inflate/8) + minSquare
}

// callBlocks is the number of blocks that one call of a kernel does. Up to rounding, a factor has a
// modulus between 1/2 and √(4²+1) < 2^2.1, so the product of all lanes stays between 2^(−8·48) and
// 2^(2.1·8·48) < 2^807.
const callBlocks = 48

// PanelSum is the working memory of one goroutine. The zero value is ready.
type PanelSum struct {
	Scratch
	state panelState
}

// panelState is the input and output of a kernel.
type panelState struct {
	re, im float64 // product of the factors
	turns  int64
	sizes  float64    // Σ limit/(|b−x||c−x|): see errorPanel
	x      [3]float64 // the point, scaled

	// The cursor, before and after the call: the number of finished spans, and the number of
	// finished blocks of the next span, or −1 if that span is not within the blocks.
	span, done int64

	count int64              // blocks done by the call
	limit int64              // number of blocks
	used  int64              // length of list
	list  [callBlocks]uint64 // lanes left to the scalar path: block<<8 | a bit a lane
}

// Winding returns (1/4π) Σ Ω over the triangles in spans, a bound of its absolute error, and
// whether x lies exactly on one of them. Triangles that contain x contribute 0. A triangle may be
// in several spans. If x is not finite, w is NaN and bound +Inf; for no spans w is 0. Winding
// panics if a span is out of range. It allocates only if an exact sign needs its last stage.
//
// A triangle with the longest edge E at a distance r adds about 6·10^−14·(E/r)² to the bound.
// Triangles of the scalar path add the same as in Direct.Winding.
//
// The cost is O(N): about 2 ns a triangle with AVX-512, and one arc tangent in all. The scalar path
// takes about 20 ns a triangle. It does triangles with a corner nearer than 0.36 of their longest
// edge, or seen as nearly half of the sky.
func (p *Panels) Winding(x r3.Vector, spans []Span, s *PanelSum) (w, bound float64, on bool) {
	if !vec.Finite(x) {
		return math.NaN(), math.Inf(1), false
	}
	t := accumulator{product: identity}
	at := r3.Vector{X: float64(x.X * p.scale), Y: float64(x.Y * p.scale), Z: float64(x.Z * p.scale)}
	if !(vec.MaxAbs(at) <= maxPoint) || len(p.blocks) == 0 {
		on = p.scalar(&t, x, spans, s)
	} else {
		on = p.sum(&t, x, at, spans, s)
	}
	w, bound = t.total()
	return w, bound, on
}

// sum multiplies the factors of all triangles in spans into t.
func (p *Panels) sum(t *accumulator, x, at r3.Vector, spans []Span, s *PanelSum) (on bool) {
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
			t.product = t.product.rescale()
		}
		blocks += st.count
		t.product = t.product.times(product{st.re, st.im, st.turns})
		sizes += st.sizes
		for _, entry := range st.list[:st.used] {
			b := entry >> lanes
			first := p.first[b]
			// Ignore the bits of empty lanes; x may be near these too.
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

// scalar is sum for points so far away that their distances leave the range of the kernels.
func (p *Panels) scalar(t *accumulator, x r3.Vector, spans []Span, s *PanelSum) (on bool) {
	for _, span := range spans {
		tris := p.tris[p.first[span.First]:p.first[span.First+span.Count]]
		for i := range tris {
			if t.add(x, &tris[i], &s.Scratch) {
				on = true
			}
			if i%blockFactors == blockFactors-1 {
				t.product = t.product.rescale()
			}
		}
		t.product = t.product.rescale()
		t.factors += float64(len(tris))
	}
	return on
}

// add multiplies the factor of one triangle into t and reports whether x lies on the triangle. It
// is Direct.add for a single triangle; the caller counts factors and rescales.
func (t *accumulator) add(x r3.Vector, tri *mesh.Triangle, sc *Scratch) (on bool) {
	a, b, c := tri[0].Sub(x), tri[1].Sub(x), tri[2].Sub(x)
	qa, qb, qc := a.Dot(a), b.Dot(b), c.Dot(c)
	if ((math.Float64bits(qa)-loSquare)|(math.Float64bits(qb)-loSquare)|(math.Float64bits(qc)-loSquare))>>rangeBits == 0 {
		la, lb, lc := math.Sqrt(qa), math.Sqrt(qb), math.Sqrt(qc)
		size := float64(float64(la*lb) * lc)
		den := size + float64(a.Dot(b)*lc) + float64(b.Dot(c)*la) + float64(c.Dot(a)*lb)
		if den > minNorm*size {
			det := a.Dot(b.Cross(c))
			n := 1 / (den + math.Abs(det))
			t.cond += size * n
			t.product = t.product.mul(den*n, det*n)
			return false
		}
	}
	f, on := sc.triangle(x, tri[0], tri[1], tri[2])
	t.err += f.err
	t.product = t.product.mulAny(f.re, f.im)
	return on
}

// windingGeneric is the scalar twin of the kernels. It multiplies the factors of at most callBlocks
// blocks of spans, from the cursor on. With A = a−x, and b and c from their edges,
//
//	A·B = |A|² + A·e1             |B|² = A·B + (A·e1 + |e1|²)
//	A·C = |A|² + A·e2             |C|² = A·C + (A·e2 + |e2|²)
//	B·C = A·B + (A·e2 + e1·e2)    A·(B×C) = A·n
//
// and z/(|A||B||C|) = 1 + A·B/(|A||B|) + B·C/(|B||C|) + C·A/(|C||A|) + i·A·n/(|A||B||C|). The real
// part is den. The scalar path does the triangle if a corner is nearer to x than 1/√8 of the
// longest edge, or if den < ½.
func windingGeneric(st *panelState, blocks []panelBlock, spans []Span) {
	st.count, st.used, st.sizes = 0, 0, 0
	p := identity
	for ; st.span < int64(len(spans)); st.span++ {
		first, count := int64(spans[st.span].First), int64(spans[st.span].Count)
		if first < 0 || count < 0 || first+count > st.limit {
			st.done = -1
			return
		}
		for ; st.done < count && st.count < callBlocks; st.done++ {
			st.count++
			b := first + st.done
			if missed := st.multiply(&p, &blocks[b]); missed != 0 {
				st.list[st.used] = uint64(b)<<lanes | missed
				st.used++
			}
		}
		if st.done < count {
			break
		}
		st.done = 0
	}
	st.re, st.im, st.turns = p.re, p.im, p.turns
}

// multiply multiplies the factors of b into p, and returns a bit for each lane that it left out.
func (st *panelState) multiply(p *product, b *panelBlock) (missed uint64) {
	z := *p
	for i := range lanes {
		dx, dy, dz := st.x[0]-b[rowA][i], st.x[1]-b[rowA+1][i], st.x[2]-b[rowA+2][i] // −A
		qa := float64(dx*dx) + float64(dy*dy) + float64(dz*dz)
		p1 := float64(dx*b[rowE1][i]) + float64(dy*b[rowE1+1][i]) + float64(dz*b[rowE1+2][i])
		p2 := float64(dx*b[rowE2][i]) + float64(dy*b[rowE2+1][i]) + float64(dz*b[rowE2+2][i])
		ab, ca := qa+p1, qa+p2
		bc := ab + (p2 + b[rowC12][i])
		qb, qc := ab+(p1+b[rowC1][i]), ca+(p2+b[rowC2][i])
		limit := b[rowLimit][i]
		if !(qa >= limit && qb >= limit && qc >= limit) {
			missed |= 1 << i
			continue
		}
		la, lb, lc := math.Sqrt(qa), math.Sqrt(qb), math.Sqrt(qc)
		y := 1 / float64(float64(la*lb)*lc)
		ybc := float64(la * y)
		den := 1 + float64(ab*float64(lc*y)) + float64(ca*float64(lb*y)) + float64(bc*ybc)
		if !(den >= 0.5) {
			missed |= 1 << i
			continue
		}
		st.sizes += float64(limit * ybc)
		det := float64(dx*b[rowN][i]) + float64(dy*b[rowN+1][i]) + float64(dz*b[rowN+2][i])
		z = z.mul(den, float64(det*y))
	}
	*p = z
	return missed
}
