package fmm

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/harmonics"
)

// Evaluation from the source tree alone, without an evaluation tree (M2P): for
// points that no leaf holds, and for few points.

// spanBuffer is how many spans of the near field are summed at once.
const spanBuffer = 64

// firstShare is which part of the tolerance a cluster may spend at first. A choice: less, and too few are
// accepted; more, and a second attempt is needed too often.
const firstShare = 1.0 / 32

// attempts is how often the share is quartered before everything is near field.
const attempts = 8

// farAway is where nothing but a bound of J is needed, in units of half the side of
// the cube: J is as small as rounding, and powers of the distance, up to K+2, do not
// underflow before.
const farAway = 0x1p30

// fromClusters is Winding by the multipole expansions of clusters. Each is
// evaluated up to the degree that its share of the tolerance asks for.
func (p *Plan) fromClusters(x r3.Vector, s *Scratch) (w, bound float64, on bool) {
	if d := x.Sub(p.src.centre(cell{}, 0)).Mul(1 / p.src.half(0)).Norm(); !(d < farAway) {
		// A surface of that area within reach fills no more of the sphere.
		gap := min(d, 0x1p500) - p.src.nodes[0].reach
		return 0, p.src.area/(4*math.Pi*gap*gap)*(1+safety) + math.SmallestNonzeroFloat64, false
	}
	share := p.spec.tolerance * firstShare
	for range attempts {
		if w, bound, on, ok := p.clusters(x, share, s); ok {
			return w, bound, on
		}
		share /= 4
	}
	w, bound, on, _ = p.clusters(x, 0, s)
	return w, bound, on
}

// clusters gives up, ok = false, when the errors of truncation exceed the tolerance.
func (p *Plan) clusters(x r3.Vector, share float64, s *Scratch) (w, bound float64, on, ok bool) {
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
		y := x.Sub(src.centre(n.cell, int(n.level))).Mul(1 / src.half(int(n.level)))
		norms := src.norms[int(i)*(src.degree+1) : (int(i)+1)*(src.degree+1)]
		if degree, e, r := multipoleDegree(n, norms, y.Norm(), share, p.spec.rounding); degree >= 0 {
			truncation += e
			if truncation > p.spec.tolerance {
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
	return w, bound + p.spec.total(truncation, rounding, used), on, true
}

// multipoleDegree returns the lowest degree at which the expansion of a cluster
// omits at most share, at a distance d of its centre, with bounds of what it
// omits and of rounding; −1 if there is none.
func multipoleDegree(n *node, norms []float64, d, share float64, table *[roundingBins]float64) (degree int, truncation, rounding float64) {
	if !(d > 0) {
		return -1, 0, 0
	}
	x := 1 / d
	t, r := n.radius*x, n.reach*x
	if !(t < mostRatio && r < mostRatio) { // mostRatio < mostSum
		return -1, 0, 0
	}
	last := len(norms) - 1 // K
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
	return degree, e, n.round(r, x, table)
}
