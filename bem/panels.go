package bem

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Panels holds triangles in groups, packed for the sum of their solid angles at
// one point after another: the near field of a multipole method. It is immutable
// and safe for concurrent use.
//
// Each group begins a new block of eight triangles, which are the lanes of a
// vector register. A block takes 1 KiB, so a triangle takes 128 bytes beside its
// corners, and more where groups leave lanes empty.
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

// Span is a run of blocks of Panels. Only Panels.Span makes one that is of use.
type Span struct {
	First, Count int32
}

// lanes is the number of triangles in a block.
const lanes = 8

// panelBlock holds, row by row, what the kernels read of eight triangles a, b, c
// with e1 = b−a, e2 = c−a and n = e1×e2. Empty lanes hold the first corner of
// the group three times.
type panelBlock [16][lanes]float64

// Rows of a block. e1, e2 and n are negated, as the kernels multiply them by
// x−a.
const (
	rowA     = 0
	rowE1    = 3
	rowE2    = 6
	rowN     = 9
	rowC1    = 12 // |e1|²
	rowC2    = 13 // |e2|²
	rowC12   = 14 // e1·e2
	rowLimit = 15 // an eighth of the square of the longest edge, a bit more
)

// NewPanels packs tris, whose coordinates must be finite, and keeps them. Group i
// is tris[starts[i]:starts[i+1]], and the last one ends with tris. NewPanels
// panics unless starts ascends from 0 within tris; for no triangles it may be
// empty.
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

// Span returns the blocks of the triangles lo ≤ i < hi. It panics unless lo and
// hi are starts of groups or the number of triangles, and lo ≤ hi.
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

// panelScale returns the power of two that brings the largest coordinate into
// [1/2, 1), or nearly so at the ends of the range of float64, where the power
// itself must stay in it.
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
	b[rowLimit][lane] = max(e1.Norm2(), e2.Norm2(), e3.Norm2())*(inflate/8) + leastSquare
}
