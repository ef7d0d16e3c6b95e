package raycross

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// openSide returns the side of p for a mesh with a boundary. p must be finite. The winding number
// is W = χ + (1/4π) Σ m_e Ω_e, the sum of χ from one ray and the boundary sum. If this float64 sum
// and its bound do not decide the side, arbitrary precision decides. If W is equal to a threshold of
// the rule, as in the plane of a planar hole, the side is Unknown.
func (c *Caster) openSide(p r3.Vector, s *Scratch) side.Side {
	n, w, bound := c.boundaryWinding(p, nil, c.boundary, s)
	if n.OnSurface {
		return side.OnSurface
	}
	if got, ok := c.rule.Decide(w, bound); ok {
		return got
	}
	s.edges += uint64(c.boundary.Len())
	if bound < 0.25 && c.boundary.Coplanar(p, &s.signs) {
		// W and the threshold are both multiples of 1/2 within bound of w, so they are equal.
		return side.Unknown
	}
	s.stats.Reference++
	exact := func(t float64) (sign int, ok bool) {
		s.edges += exactCost * uint64(c.boundary.Len())
		return c.boundary.Compare(p, n.Target, n.Signed, t, s.Done)
	}
	return decideExact(c.rule, w, bound, exact)
}

// exactCost is the time for one boundary edge in arbitrary precision, divided by the time in
// float64.
const exactCost = 1000

// boundaryWinding casts rays from p, and discards rays that are degenerate or intersect an edge of
// chain. For the first remaining ray, it returns the count, the winding number w, and a bound of
// the error of w. chain is the boundary chain of all faces except skipFaces. If p is on the
// surface, boundaryWinding sets only n.OnSurface.
func (c *Caster) boundaryWinding(p r3.Vector, skipFaces map[int32]bool, chain *bem.Boundary, s *Scratch) (n Count, w, bound float64) {
	for attempt := 0; ; attempt++ {
		n, ok := c.attempt(p, attempt, skipFaces, s)
		if !ok {
			continue
		}
		if n.OnSurface {
			return n, 0, 0
		}
		s.stats.Boundary++
		w, bound, ok := c.addBoundary(chain, p, n, s)
		if ok {
			return n, w, bound
		}
	}
}

// addBoundary returns n.Signed plus the boundary sum of chain, and a bound of the error. ok is
// false if the ray intersects an edge of chain.
func (c *Caster) addBoundary(chain *bem.Boundary, p r3.Vector, n Count, s *Scratch) (w, bound float64, ok bool) {
	s.edges += uint64(chain.Len())
	frac, bound, ok := chain.Sum(p, n.Target, &s.bem)
	if !ok {
		return 0, 0, false
	}
	w = float64(n.Signed) + frac
	// Rounding the sum w adds at most 2^−53·|w| to the error. The factor 1 + 2^−50 covers the
	// rounding of the bound.
	return w, (bound + 0x1p-53*math.Abs(w)) * (1 + 0x1p-50), true
}

// decideExact returns the side of a point whose winding number W lies within w ± bound. exact(t)
// returns the sign of W−t in arbitrary precision, or false if the precision does not suffice.
func decideExact(rule side.Rule, w, bound float64, exact func(t float64) (sign int, ok bool)) side.Side {
	compare := func(t float64) (sign int, ok bool) {
		switch {
		case w-t > bound:
			return 1, true
		case t-w > bound:
			return -1, true
		}
		return exact(t)
	}
	if rule == side.EvenOdd {
		return evenOddExact(w, bound, compare)
	}
	upSign, upKnown := -1, true // the sign of W−1/2, and whether it is known; the rule Negative does not use it
	if rule != side.Negative {
		upSign, upKnown = compare(0.5)
	}
	downSign, downKnown := 1, true // the sign of W+1/2, and whether it is known; the rule Positive does not use it
	if rule != side.Positive {
		downSign, downKnown = compare(-0.5)
	}
	switch {
	case upKnown && upSign > 0 || downKnown && downSign < 0:
		return side.Inside
	case upKnown && downKnown:
		return side.Outside
	}
	return side.Unknown
}

// evenOddExact returns the side for a winding number W under the rule EvenOdd. It finds the integer
// nearest to W by comparing W with half-integers, from w − bound upward.
func evenOddExact(w, bound float64, compare func(t float64) (sign int, ok bool)) side.Side {
	// Each edge close to the point increases the bound. If the bound reaches maxBound, the side is
	// Unknown.
	const maxBound = 1 << 10 // tuning
	if !(bound < maxBound) {
		return side.Unknown
	}
	k := math.Floor(w-bound) - 1 // k+1/2 < w−bound ≤ W
	for {
		sign, ok := compare(k + 0.5)
		if !ok {
			return side.Unknown
		}
		if sign < 0 {
			break
		}
		k++
	}
	// Now k−1/2 < W < k+1/2, so k is the integer nearest to W.
	if math.Mod(k, 2) != 0 {
		return side.Inside
	}
	return side.Outside
}

// Winding returns the winding number of p and a bound of its error.
//
// If the mesh is closed and p is not on the surface, w is an exact integer and bound is 0. If p is
// on the surface, the faces that contain p contribute nothing. For example, if p is inside a face
// of a closed mesh, w is the mean of the winding numbers on the two sides of the face. If p is not
// finite, w is NaN and bound is +Inf. Winding allocates only if p is on the surface or a sign needs
// arbitrary precision.
func (c *Caster) Winding(p r3.Vector, s *Scratch) (w, bound float64) {
	s.stats.Points++
	switch {
	case !vec.Finite(p):
		return math.NaN(), math.Inf(1)
	case c.boundary == nil && !c.box.Contains(p):
		return 0, 0
	case c.boundary == nil:
		n := c.Count(p, s)
		if n.OnSurface {
			return c.windingOn(p, s)
		}
		return float64(n.Signed), 0
	}
	n, w, bound := c.boundaryWinding(p, nil, c.boundary, s)
	if n.OnSurface {
		return c.windingOn(p, s)
	}
	return w, bound
}

// windingOn does the work of Winding if p is on the surface. It leaves out the faces that contain
// p.
func (c *Caster) windingOn(p r3.Vector, s *Scratch) (w, bound float64) {
	onFaces, chain := c.without(p, s)
	_, w, bound = c.boundaryWinding(p, onFaces, chain, s)
	return w, bound
}

// PreciseWinding returns the winding number that Winding approximates, and a bound of its error.
// The bound is at most limit if 256 bits suffice; see bem.Boundary.PreciseSum. If s.Done is closed
// first, the results are nil. p must be finite. PreciseWinding takes O(N) time for N boundary
// edges, about a microsecond for each edge. It allocates memory.
func (c *Caster) PreciseWinding(p r3.Vector, limit float64, s *Scratch) (w, bound *big.Float) {
	skip, chain := c.without(p, s)
	for attempt := 0; ; attempt++ {
		n, ok := c.attempt(p, attempt, skip, s)
		switch {
		case !ok:
			continue
		case chain == nil:
			return new(big.Float).SetInt64(n.Signed), new(big.Float)
		}
		s.edges += preciseCost * uint64(chain.Len())
		if w, bound, ok = chain.PreciseSum(p, n.Target, limit, s.Done); ok {
			w.SetPrec(preciseBits)
			return w.Add(w, new(big.Float).SetInt64(n.Signed)), bound
		}
		select {
		case <-s.Done:
			return nil, nil
		default: // the ray meets an edge of the chain
		}
	}
}

// preciseCost is the time for one boundary edge in bem.Boundary.PreciseSum, divided by the time in
// float64.
const preciseCost = 40

// preciseBits suffices for the exact sum of a number of 256 bits below 2^32 and an integer of 64
// bits, unless the number is below 2^−700.
const preciseBits = 1 << 10
