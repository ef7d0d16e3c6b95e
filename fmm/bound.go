package fmm

import (
	"math"
	"sync/atomic"

	"github.com/inpoly/inpoly/harmonics"
)

// degrees holds the degrees of the expansions.
type degrees struct {
	multipole int // p: of the moments that M2L translates
	local     int // q: of the local expansions
	kept      int // K ≥ p: of the moments that are stored, with their norms
}

// pairGeometry is the part of the error bound of a pair (source cluster ω, target cell σ) that does
// not depend on the moments of ω: it depends on the distance of the two cells, and on which is
// larger. Lengths are in units of half the side of ω's cell.
//
// M2L turns the moments of ω up to degree p into a local expansion of degree q about the center of
// σ. Let D be the distance of the centers, b the radius of σ, and P_s the norm of the moments of
// degree s. Then the truncation error in J is at most
//
//	(1/4π) (Σ_{s≤p} P_s T_s/D^{s+1} + Σ_{s>p} P_s/(D−b)^{s+1}),  T_s = Σ_{n>q} C(n+s,n) (b/D)ⁿ
//
// (harmonics.LocalTailsTo and NormsTo). For s > K the norms are not known. For a cluster of radius
// a, P_s ≤ ∫ s|y|^{s−1} ds ≤ s a^{s−1−K} ∫ |y|^K ds, since a dipole n at y has P_s ≤ s|y|^{s−1}|n|.
type pairGeometry struct {
	weight []float64 // s = 0 … K: factor of P_s
	far    float64   // factor of ∫|y|^K ds, times the series over s > K
	x      float64   // 1/(D−b), or 0 if σ reaches the center of ω
	near   float64   // 1/D
	b      float64
}

// newPairGeometry returns the geometry for a squared distance d2 and a radius b.
func newPairGeometry(deg degrees, d2, b float64) pairGeometry {
	d := math.Sqrt(d2)
	g := pairGeometry{weight: make([]float64, deg.kept+1)}
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

// maxRatio is the largest ratio a/(D−b) of a pair that is assessed. Beyond it the series of the
// bounds hardly converges.
const maxRatio = 0.9 // tuning

// bounds returns upper bounds of the error that the pair adds to J in σ, by truncation and by
// rounding. truncation is +Inf if the expansions do not converge, or hardly.
func (g *pairGeometry) bounds(n *node, norms []float64, table *[roundingBins]float64) (truncation, rounding float64) {
	t, r := n.radius*g.x, (n.reach+g.b)*g.near
	if !(g.x > 0 && t < maxRatio && r < maxSum) {
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

// round bounds the rounding error of a pair with r = (reach+b)/D < maxSum and near = 1/D.
func (n *node) round(r, near float64, table *[roundingBins]float64) float64 {
	return n.cover * near * near / (4 * math.Pi) * table[int(r*(roundingBins/maxSum))] * (1 + safety)
}

// geometryCache keeps the geometries of frequent pairs, by the difference of levels and the
// distance of the centers. They are made when first needed; concurrent callers make equal ones.
type geometryCache struct {
	deg  degrees
	same [keptOffsets]atomic.Pointer[pairGeometry]         // same level: by |offset|²/4 in half cells, which are even
	up   [keptOffsets]atomic.Pointer[pairGeometry]         // source one level coarser: by (|offset|²−3)/8 in half cells of the target, which are odd
	down [finest][keptOffsets]atomic.Pointer[pairGeometry] // source finer by one level or more: the same in half cells of the source
}

// keptOffsets is the number of squared distances that are kept.
const keptOffsets = 512 // tuning

// offset is the center of a target cell minus the center of a source cell, in half sides of the
// smaller cell. finer is the level of the source minus the level of the target.
type offset struct {
	x, y, z int32
	finer   int8
}

// between returns the offset from n to the cell c of a level.
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
func (t *geometryCache) of(o offset) *pairGeometry {
	d2 := o.square()
	var list *[keptOffsets]atomic.Pointer[pairGeometry]
	i := int64(keptOffsets)
	switch {
	case o.finer == 0:
		list, i = &t.same, d2/4
	case o.finer == -1:
		list, i = &t.up, (d2-3)/8
	case o.finer > 0 && o.finer <= finest:
		list, i = &t.down[o.finer-1], (d2-3)/8
	}
	if i < keptOffsets {
		if g := list[i].Load(); g != nil {
			return g
		}
	}
	k := math.Ldexp(1, int(min(o.finer, 0)))
	g := newPairGeometry(t.deg, float64(d2)*k*k, radius*math.Ldexp(1, int(o.finer)))
	if i < keptOffsets {
		list[i].Store(&g)
	}
	return &g
}
