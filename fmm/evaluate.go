package fmm

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/vec"
)

// Scratch is the working memory of one goroutine. It also counts work. The zero value is ready.
type Scratch struct {
	Near  uint64 // number of triangles in the near fields so far
	sum   bem.PanelSum
	spans [spanBuffer]bem.Span
	stack []int32
}

// Winding returns the winding number J(x) of the triangles and a bound of its error. It also
// reports whether x lies exactly on a triangle. Triangles that contain x contribute 0. If x is not
// finite, the winding number is NaN and the bound is +Inf.
//
// The bound is at most Epsilon plus the rounding of the near field (bem.Panels.Winding). That
// rounding is usually about 10^−12, and matters only if Epsilon is about 10^−10 or smaller. The
// rounding grows if x is within a few rounding errors of an edge, as in bem.Direct.Winding.
//
// If x lies in a leaf of the evaluation tree, the cost is O(1) plus the near field. Elsewhere the
// cost is about O(log N) for N triangles.
func (p *Plan) Winding(x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	if !vec.Finite(x) {
		return math.NaN(), math.Inf(1), false
	}
	if p.src == nil {
		return 0, 0, false
	}
	if i, ok := p.tree.find(x); ok {
		return p.near(&p.tree.leaves[i], p.tree.far(i, p.params.local, x), x, s)
	}
	return p.fromClusters(x, s)
}

// near adds the near field of leaf l to the given far field at x.
func (p *Plan) near(l *leaf, far float64, x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	if l.count == 0 {
		return far, l.bound, false
	}
	s.Near += uint64(l.near)
	w, bound, on = p.src.near.Winding(x, p.tree.spans[l.spans:l.spans+l.count], &s.sum)
	w += far
	return w, l.bound + bound + roundoff*math.Abs(w), on
}

// spanBuffer is the largest number of spans in one sum of a near field.
const spanBuffer = 64

// firstShare is the limit for the truncation error of one cluster in the first attempt of
// fromClusters, as a fraction of the tolerance. With a smaller limit, an attempt accepts too few
// clusters. With a larger limit, a second attempt is needed too often.
const firstShare = 1.0 / 32 // tuning

// attempts is the largest number of attempts of fromClusters. In the first one, the limit for the
// truncation error of a cluster is firstShare times the tolerance. Each later limit is a quarter of
// the one before. If all attempts fail, fromClusters sums over all triangles without expansions.
const attempts = 8 // tuning

// farDistance is the distance at which a point counts as far, in units of half the side of the
// cube. Beyond it, J is as small as its rounding error, so Winding returns 0 and a bound. Up to it,
// powers of 1/distance in the expansions do not underflow.
const farDistance = 0x1p30

// fromClusters computes Winding from the source tree alone (M2P), for points outside the leaves of
// the evaluation tree.
func (p *Plan) fromClusters(x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	if d := x.Sub(p.src.center(cell{}, 0)).Mul(1 / p.src.half(0)).Norm(); !(d < farDistance) {
		// gap is a lower bound of the distance from x to any triangle. Seen from x, triangles of
		// total area A cover at most the fraction A/(4π·gap²) of the sphere.
		gap := min(d, 0x1p500) - p.src.nodes[0].reach
		return 0, p.src.area/(4*math.Pi*gap*gap)*(1+safety) + math.SmallestNonzeroFloat64, false
	}
	share := p.params.tolerance * firstShare
	for range attempts {
		if w, bound, on, ok := p.sumClusters(x, share, s); ok {
			return w, bound, on
		}
		share /= 4
	}
	w, bound, on, _ = p.sumClusters(x, 0, s)
	return w, bound, on
}

// sumClusters adds the expansions of the clusters whose truncation error is at most share, and the
// solid angles of all other triangles. It returns false if the sum of the truncation errors exceeds
// the tolerance.
func (p *Plan) sumClusters(x r3.Vector, share float64, s *Scratch) (w, bound float64, on, ok bool) {
	src := p.src
	count := 0
	near := func() {
		v, b, o := src.near.Winding(x, s.spans[:count], &s.sum)
		w, bound, on = w+v, bound+b, on || o
		bound += roundoff * math.Abs(w)
		count = 0
	}
	truncation, rounding := 0.0, 0.0
	used := int32(0)
	s.stack = append(s.stack[:0], 0)
	for len(s.stack) > 0 {
		i := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		n := &src.nodes[i]
		y := x.Sub(src.center(n.cell, int(n.level))).Mul(1 / src.half(int(n.level)))
		norms := src.norms[int(i)*(src.degree+1) : (int(i)+1)*(src.degree+1)]
		if degree, e, r := multipoleDegree(n, norms, y.Norm(), share, p.params.rounding); degree >= 0 {
			truncation += e
			if truncation > p.params.tolerance {
				return 0, 0, false, false
			}
			rounding += r
			used++
			w -= harmonics.EvaluateMultipole(src.moments[int(i)*src.stride:(int(i)+1)*src.stride], degree, y) / (4 * math.Pi)
			bound += roundoff * math.Abs(w)
			continue
		}
		if n.kids > 0 {
			for k := n.child; k < n.child+int32(n.kids); k++ {
				s.stack = append(s.stack, k)
			}
			continue
		}
		s.Near += uint64(n.hi - n.lo)
		s.spans[count] = bem.Span{First: n.block, Count: n.blocks}
		if count++; count == spanBuffer {
			near()
		}
	}
	if count > 0 {
		near()
	}
	return w, bound + p.params.total(truncation, rounding, used), on, true
}

// multipoleDegree returns the lowest degree for which the truncation error at distance d is at most
// share, or −1 if there is none. It also returns bounds of the truncation error and of the rounding
// error.
func multipoleDegree(n *node, norms []float64, d, share float64, table *[roundingBins]float64) (degree int, truncation, rounding float64) {
	if !(d > 0) {
		return -1, 0, 0
	}
	x := 1 / d
	t, r := n.radius*x, n.reach*x
	if !(t < maxRatio && r < maxRatio) { // this also implies r < maxSum, because maxRatio < maxSum
		return -1, 0, 0
	}
	last := len(norms) - 1 // degree K
	far := x * x
	for range last {
		far *= x
	}
	far /= 4 * math.Pi
	u := 1 / (1 - t)
	e := n.tail * far * u * (float64(last+1) + t*u) * (1 + safety)
	if !(e <= share) {
		return -1, 0, 0
	}
	for degree = last; degree > 0; degree-- {
		far *= d
		more := e + norms[degree]*far*(1+safety)
		if !(more <= share) {
			break
		}
		e = more
	}
	return degree, e, n.roundingBound(r, x, table)
}
