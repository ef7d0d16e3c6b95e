package fmm

import (
	"math"
	"sync/atomic"

	"github.com/inpoly/inpoly/harmonics"
)

type degrees struct {
	multipole int // p, the degree of the moments that M2L translates
	local     int // q, the degree of the local expansions
	kept      int // K ≥ p, the degree of the stored moments and norms
}

// A pair consists of a source cluster and a target cell. pairGeometry is the part of the error
// bound of a pair that does not depend on the moments. D is the distance between the two centers, b
// the radius of the target cell, and K the degree of the stored moments. The unit of length is half
// the side of the source cell. docs/design/016-error-bounds.md (Pairs of clusters) derives the
// bound.
type pairGeometry struct {
	weight []float64 // for each degree 0 … K, the factor by which the bound multiplies the norm
	far    float64   // factor of node.tail in the bound for all degrees above K
	x      float64   // value 1/(D−b), or 0 if the target cell extends to the center of the source cell
	near   float64   // value 1/D
	b      float64
}

// newPairGeometry returns the geometry for the squared distance d2 of the centers and the radius b
// of the target cell.
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

// maxRatio limits the ratio of the source radius to D−b, where D and b are as in pairGeometry. If
// the ratio is larger, the series of the bounds converge slowly, and the pair is not translated.
const maxRatio = 0.9 // tuning

// bounds returns upper bounds of the two errors that the pair adds to the potential: the truncation
// error and the rounding error. truncation is +Inf if the expansions converge slowly or not at all.
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
	// The degrees s > K contribute the factor Σ_{s>K} s t^{s−1−K} = (K+1)/(1−t) + t/(1−t)².
	u := 1 / (1 - t)
	sum += n.tail * g.far * u * (k + t*u)
	return sum * (1 + safety), n.roundingBound(r, g.near, table)
}

// roundingBound bounds the rounding error of a pair. r is the ratio (n.reach+b)/D, which must be
// below maxSum, and invD is 1/D. D and b are as in pairGeometry.
func (n *node) roundingBound(r, invD float64, table *[roundingBins]float64) float64 {
	return n.cover * invD * invD / (4 * math.Pi) * table[int(r*(roundingBins/maxSum))] * (1 + safety)
}

// geometryCache stores pair geometries, indexed by the difference of levels and the distance of the
// centers. The first caller that needs a geometry computes it. If several callers compute the same
// geometry at the same time, their results are equal.
type geometryCache struct {
	deg degrees
	// For cells of equal levels, the components of offset are even, and the table index is
	// |offset|²/4. Otherwise the components are odd, and the table index is (|offset|²−3)/8.
	same [keptOffsets]atomic.Pointer[pairGeometry]
	up   [keptOffsets]atomic.Pointer[pairGeometry]           // for a source that is one level coarser
	down [maxFiner][keptOffsets]atomic.Pointer[pairGeometry] // for a source that is finer by 1 … maxFiner levels
}

// keptOffsets is the number of squared distances in each table of geometryCache.
const keptOffsets = 512 // tuning

// offset is the center of a target cell minus the center of a source cell. The unit is half the
// side of the smaller cell. finer is the level of the source minus the level of the target.
type offset struct {
	x, y, z int32
	finer   int8
}

// between returns the offset from the center of n to the center of c.
func between(n *node, c cell, level int8) offset {
	finer := n.level - level
	up, down := max(finer, 0), max(-finer, 0)
	return offset{
		x:     (2*c.x+1)<<up - (2*n.x+1)<<down,
		y:     (2*c.y+1)<<up - (2*n.y+1)<<down,
		z:     (2*c.z+1)<<up - (2*n.z+1)<<down,
		finer: finer,
	}
}

func (o offset) square() int64 {
	x, y, z := int64(o.x), int64(o.y), int64(o.z)
	return x*x + y*y + z*z
}

func (t *geometryCache) of(o offset) *pairGeometry {
	d2 := o.square()
	var list *[keptOffsets]atomic.Pointer[pairGeometry]
	i := int64(keptOffsets)
	switch {
	case o.finer == 0:
		list, i = &t.same, d2/4
	case o.finer == -1:
		list, i = &t.up, (d2-3)/8
	case o.finer > 0 && o.finer <= maxFiner:
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
