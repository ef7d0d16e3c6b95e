package fmm

import (
	"math"
	"sync/atomic"

	"github.com/inpoly/inpoly/harmonics"
)

// degrees are those of the expansions.
type degrees struct {
	multipole int // p: of the moments that are translated
	local     int // q
	kept      int // K ≥ p: of the moments whose norms are known
}

// geometry is what the error bound of a pair (source cluster ω, target cell σ)
// depends on besides the moments of ω: how far apart the two are, and which is
// larger. Lengths are in units of half the side of ω's cell.
//
// The moments of ω up to degree p become a local expansion of degree q round the
// centre of σ. With D the distance of the centres, b the radius of σ, and P_s the
// norm of the moments of degree s, what is omitted is, in J, at most
//
//	(1/4π) (Σ_{s≤p} P_s T_s/D^{s+1} + Σ_{s>p} P_s/(D−b)^{s+1}),  T_s = Σ_{n>q} C(n+s,n) (b/D)ⁿ
//
// (harmonics.LocalTailsTo and NormsTo). For s > K the norms are not known, but
// P_s ≤ ∫ s|y|^{s−1} ds ≤ s a^{s−1−K} ∫ |y|^K ds for a cluster of radius a, as a dipole n at y has
// P_s ≤ s|y|^{s−1}|n|.
type geometry struct {
	weight []float64 // s = 0 … K: factor of P_s
	far    float64   // factor of ∫|y|^K ds, times the series over s > K
	x      float64   // 1/(D−b), or 0 if σ reaches the centre of ω
	near   float64   // 1/D
	b      float64
}

// newGeometry returns the geometry for a squared distance d2 and a radius b.
func newGeometry(deg degrees, d2, b float64) geometry {
	d := math.Sqrt(d2)
	g := geometry{weight: make([]float64, deg.kept+1)}
	if !(d > b*(1+safety)) {
		return g
	}
	g.x, g.near, g.b = 1/(d-b), 1/d, b
	harmonics.LocalTailsTo(g.weight[:deg.multipole+1], deg.local, b/d)
	near, far := 1/d/(4*math.Pi), g.x/(4*math.Pi)
	for s := range g.weight {
		if s <= deg.multipole {
			g.weight[s] *= near
		} else {
			g.weight[s] = far
		}
		near /= d
		far *= g.x
	}
	g.weight[0] = 0 // a surface has no moment of degree 0
	g.far = far
	return g
}

// mostRatio is the largest ratio of a/(D−b) at which a pair is looked at: beyond it the series of
// the bounds hardly converges. A choice.
const mostRatio = 0.9

// bounds returns how much the pair adds at most to the error of J in σ by
// truncation, and by rounding; +Inf where
// the expansions do not converge, or hardly.
func (g *geometry) bounds(n *node, norms []float64, table *[roundingBins]float64) (truncation, rounding float64) {
	t, r := n.radius*g.x, (n.reach+g.b)*g.near
	if !(g.x > 0 && t < mostRatio && r < mostSum) {
		return math.Inf(1), 0
	}
	sum := 0.0
	for s, w := range g.weight {
		sum += w * norms[s]
	}
	k := float64(len(g.weight)) // K+1
	// Σ_{s>K} s t^{s−1−K} = (K+1)/(1−t) + t/(1−t)²
	u := 1 / (1 - t)
	sum += n.tail * g.far * u * (k + t*u)
	return sum * (1 + safety), n.round(r, g.near, table)
}

// round bounds the rounding of a pair, r = (reach+b)/D < mostSum, near = 1/D.
func (n *node) round(r, near float64, table *[roundingBins]float64) float64 {
	return n.cover * near * near / (4 * math.Pi) * table[int(r*(roundingBins/mostSum))] * (1 + safety)
}

// geometries keeps those of pairs that are often met, by the difference of levels and
// the distance of the centres. They are made when they are first needed, the same
// whoever makes them.
type geometries struct {
	deg  degrees
	same [knownOffsets]atomic.Pointer[geometry]         // by |offset|²/4, offsets in half cells, which are even
	up   [knownOffsets]atomic.Pointer[geometry]         // source one level coarser: by (|offset|²−3)/8 in half cells of the target, which are odd
	down [finest][knownOffsets]atomic.Pointer[geometry] // source one level finer, or more: the same in half cells of the source
}

// knownOffsets is how many squared distances are kept.
const knownOffsets = 512

// offset is how the centre of a target cell lies from that of a source cell, in
// half sides of the smaller of both; finer is the level of the source less that of
// the target.
type offset struct {
	x, y, z int32
	finer   int8
}

// between returns the offset from n to the cell c of that level.
func between(n *node, c cell, level int8) offset {
	o := offset{finer: n.level - level}
	s, t := n.cell, c
	if o.finer >= 0 {
		o.x = (2*t.x+1)<<o.finer - 2*s.x - 1
		o.y = (2*t.y+1)<<o.finer - 2*s.y - 1
		o.z = (2*t.z+1)<<o.finer - 2*s.z - 1
		return o
	}
	k := -o.finer
	o.x = 2*t.x + 1 - (2*s.x+1)<<k
	o.y = 2*t.y + 1 - (2*s.y+1)<<k
	o.z = 2*t.z + 1 - (2*s.z+1)<<k
	return o
}

// square returns |o|².
func (o offset) square() int64 {
	x, y, z := int64(o.x), int64(o.y), int64(o.z)
	return x*x + y*y + z*z
}

// of returns the geometry of an offset.
func (t *geometries) of(o offset) *geometry {
	d2 := o.square()
	var list *[knownOffsets]atomic.Pointer[geometry]
	i := int64(knownOffsets)
	switch {
	case o.finer == 0:
		list, i = &t.same, d2/4
	case o.finer == -1:
		list, i = &t.up, (d2-3)/8
	case o.finer > 0 && o.finer <= finest:
		list, i = &t.down[o.finer-1], (d2-3)/8
	}
	if i < knownOffsets {
		if g := list[i].Load(); g != nil {
			return g
		}
	}
	k := math.Ldexp(1, int(min(o.finer, 0)))
	g := newGeometry(t.deg, float64(d2)*k*k, radius*math.Ldexp(1, int(o.finer)))
	if i < knownOffsets {
		list[i].Store(&g)
	}
	return &g
}
