package bem

import (
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Panels stores groups of triangles in a layout for fast sums of solid angles at many points. A
// multipole method uses Panels for its near field. Panels are immutable and safe for concurrent
// use.
//
// Each group begins a new block. A block has eight triangles, one for each lane of a vector
// register. A block takes 1 KiB. So a triangle takes 128 bytes, or more if groups do not fill their
// last blocks. In addition, Panels keep the corners in the slice of the caller.
type Panels struct {
	tris   []mesh.Triangle
	blocks []panelBlock
	first  []int32 // index of the first triangle of each block, followed by the number of triangles
	starts []int32 // index of the first triangle of each group, followed by the number of triangles
	scale  float64 // power of two that makes scaled coordinates less than 4
	kernel kernel
}

// kernel identifies an implementation of the sum over blocks.
type kernel uint8

const (
	generic kernel = iota
	avx2
	avx512
)

// Span is a range of blocks of Panels. Panels.Span returns it.
type Span struct {
	First, Count int32
}

// lanes is the number of triangles in a block.
const lanes = 8

// panelBlock stores eight triangles a, b, c in the rows that the kernels read. Here e1 = b−a, e2 =
// c−a and n = e1×e2. In an unused lane all three corners are the first corner of the block.
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

// NewPanels packs tris, whose coordinates must be finite. It keeps a reference to tris. Group i is
// tris[starts[i]:starts[i+1]], and the last group extends to the end of tris. The cost is O(N) for
// N triangles. NewPanels panics unless starts is in ascending order, begins with 0 and stays within
// tris. If tris is empty, starts can be empty.
func NewPanels(tris []mesh.Triangle, starts []int32) *Panels {
	if !slices.IsSorted(starts) || len(starts) > 0 && (starts[0] != 0 || int(starts[len(starts)-1]) > len(tris)) ||
		len(starts) == 0 && len(tris) > 0 || len(tris) > math.MaxInt32-lanes {
		panic("bem: the starts of the groups must be in ascending order, from 0 to at most the number of triangles")
	}
	p := &Panels{tris: tris, scale: panelScale(tris), kernel: panelKernels()[0]}
	p.starts = append(slices.Clone(starts), int32(len(tris)))
	n := 0
	for i := range starts {
		n += (int(p.starts[i+1]-p.starts[i]) + lanes - 1) / lanes
	}
	p.blocks = make([]panelBlock, n)
	p.first = make([]int32, 0, n+1)
	for i := range starts {
		for lo := p.starts[i]; lo < p.starts[i+1]; lo += lanes {
			b := &p.blocks[len(p.first)]
			p.first = append(p.first, lo)
			for lane := range int32(lanes) {
				t := mesh.Triangle{tris[lo][0], tris[lo][0], tris[lo][0]}
				if lo+lane < p.starts[i+1] {
					t = tris[lo+lane]
				}
				b.set(lane, &t, p.scale)
			}
		}
	}
	p.first = append(p.first, int32(len(tris)))
	return p
}

// Len returns the number of triangles in p.
func (p *Panels) Len() int { return len(p.tris) }

// Span returns the blocks of the triangles lo ≤ i < hi, in O(log N) time. Each of lo and hi must be
// the start of a group or the number of triangles. Otherwise, or if lo > hi, Span panics.
func (p *Panels) Span(lo, hi int32) Span {
	_, okLo := slices.BinarySearch(p.starts, lo)
	_, okHi := slices.BinarySearch(p.starts, hi)
	if !okLo || !okHi || lo > hi {
		panic("bem: lo and hi must be starts of groups or the number of triangles, with lo ≤ hi")
	}
	first, _ := slices.BinarySearch(p.first, lo)
	end, _ := slices.BinarySearch(p.first, hi)
	return Span{int32(first), int32(end - first)}
}

// panelScale returns the power of two that brings the largest coordinate into [1/2, 1). The power
// is limited to the range of float64.
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

// callBlocks is the largest number of blocks in one call of a kernel. Up to rounding, the modulus
// of a factor is between 1/2 and √(4²+1) < 2^2.1. So the product of all lanes stays between
// 2^(−8·48) and 2^(2.1·8·48) < 2^807.
const callBlocks = 48

// PanelSum is the working memory of Panels.Winding for one goroutine. The zero value is ready.
type PanelSum struct {
	Scratch
	state panelState
}

// panelState is the input and output of a kernel.
type panelState struct {
	re, im float64
	turns  int64
	sizes  float64 // sum of the error bounds of the factors, divided by errorPanel
	x      [3]float64

	// span and done are the cursor of the kernel: the number of finished spans, and the number of
	// finished blocks in the next span. A kernel starts at the cursor and moves it. If the next
	// span is out of range, the kernel sets done to −1.
	span, done int64

	count int64 // number of blocks that this call processed
	limit int64 // number of blocks in Panels
	used  int64
	list  [callBlocks]uint64 // lanes for the scalar path: block<<8 plus one bit for each lane
}

// Winding returns (1/4π) Σ Ω over the triangles in spans, a bound of its absolute error, and
// whether x lies exactly on one of the triangles. Triangles that contain x contribute 0. Spans can
// overlap. If x is not finite, w is NaN and bound +Inf. If there are no spans, w is 0. Winding
// panics if a span is out of range. It allocates only if an exact sign needs arbitrary precision.
//
// Let E be the length of the longest edge of a triangle, and r the distance of the triangle from x.
// The triangle adds about 6·10^−14·(E/r)² to the bound. If the scalar path handles the triangle, it
// adds the same amount as in Direct.Winding.
//
// The cost for N triangles is O(N): about 2 ns for each triangle with AVX-512, and one arc tangent.
// The scalar path takes about 20 ns for each triangle. It handles the triangles that are close to x
// or look large from x: a corner is nearer to x than 0.36 times the longest edge, or the triangle
// covers nearly half of the sphere around x.
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

// sum multiplies t by the factors of all triangles in the spans.
func (p *Panels) sum(t *accumulator, x, at r3.Vector, spans []Span, s *PanelSum) (on bool) {
	st := &s.state
	st.x = [3]float64{at.X, at.Y, at.Z}
	st.span, st.done, st.limit = 0, 0, int64(len(p.blocks))
	blocks := int64(0)
	sizes := 0.0
	for st.span < int64(len(spans)) {
		p.kernel.winding(st, p.blocks, spans)
		if st.done < 0 {
			panic("bem: a span is outside the blocks of the panels")
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
			// Clear the bits of unused lanes. Some are set if a corner is near x.
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

// scalar does the work of sum for points that are too far away for the kernels.
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
// computes what Direct.add computes for one face. The caller counts the factors and calls rescale.
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
		// The triangle looks large from x, and the sign of det is certain.
		if det := a.Dot(b.Cross(c)); math.Abs(det) > minNorm*size {
			n := 1 / (math.Abs(den) + math.Abs(det))
			t.cond += size * n
			t.product = t.product.mulAny(den*n, det*n)
			return false
		}
	}
	f, on := sc.triangle(x, tri[0], tri[1], tri[2])
	t.err += f.err
	t.product = t.product.mulAny(f.re, f.im)
	return on
}

// windingGeneric is the kernel without vector registers. It begins at the cursor of st and
// multiplies the factors of at most callBlocks blocks of spans. A, B, C are the corners relative to
// x:
//
//	A·B = |A|² + A·e1             |B|² = A·B + (A·e1 + |e1|²)
//	A·C = |A|² + A·e2             |C|² = A·C + (A·e2 + |e2|²)
//	B·C = A·B + (A·e2 + e1·e2)    A·(B×C) = A·n
//	den = 1 + A·B/(|A||B|) + B·C/(|B||C|) + C·A/(|C||A|)
//	det = A·n/(|A||B||C|)
//
// windingGeneric leaves a triangle to the scalar path in two cases: a corner is nearer to x than
// 1/√8 of the longest edge, or den < ½.
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

// multiply multiplies the factors of b into p. In the result, one bit is set for each lane that it
// skipped.
func (st *panelState) multiply(p *product, b *panelBlock) (missed uint64) {
	z := *p
	for i := range lanes {
		dx, dy, dz := st.x[0]-b[rowA][i], st.x[1]-b[rowA+1][i], st.x[2]-b[rowA+2][i] // vector −A
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
