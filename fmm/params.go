package fmm

import (
	"fmt"
	"math"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
)

// roundoff is half the distance from 1 to the next float64.
const roundoff = 0x1p-53

// expansionParams holds the parameters of an evaluation tree.
type expansionParams struct {
	degreeChoice
	epsilon    float64
	tolerance  float64 // of the truncation in each point
	points     float64 // expected in the box
	known      bool    // the points are known: cells without points are skipped
	volume     float64 // of the cube, in volumes of the box
	leafRadius float64 // mean radius of the leaves of the source tree, in units of the cube
	depth      int     // largest number of levels below the cube
	fixedDepth bool    // divide down to depth wherever there is a near field
	cost       costs
	rounding   *[roundingBins]float64
	workers    int
}

// degreeChoice holds the degrees and the leaf size chosen for a tolerance.
type degreeChoice struct {
	degrees
	leaf int // largest number of triangles in a leaf of the source tree
}

// chooseDegrees returns the choice that takes the least time for a tolerance, measured on a sphere,
// a foam and a soup. Any choice would do, because the trees keep the bounds.
func chooseDegrees(epsilon float64) degreeChoice {
	switch {
	case epsilon >= 0.1:
		return degreeChoice{degrees{4, 4, 6}, 8}
	case epsilon >= 1e-3:
		return degreeChoice{degrees{7, 7, 11}, 8}
	case epsilon >= 1e-5:
		return degreeChoice{degrees{10, 10, 14}, 16}
	case epsilon >= 1e-7:
		return degreeChoice{degrees{14, 14, 18}, 32}
	}
	return degreeChoice{degrees{20, 20, 25}, 64}
}

// newParams returns the parameters for src, except points and volume. Errors: ErrEpsilon if epsilon
// cannot be reached.
func newParams(src *sourceTree, c degreeChoice, epsilon float64) (expansionParams, error) {
	p := expansionParams{degreeChoice: c, epsilon: epsilon, depth: src.depth, cost: measuredCosts(c.degrees, len(src.tris)), leafRadius: src.leafRadius()}
	if c.rotated() {
		p.depth = min(p.depth, maxRotatedDepth)
	}
	p.rounding = c.roundings(len(src.levels), p.depth)
	least := typicalRounding * p.rounding[roundingBins/2]
	if p.tolerance = truncationShare * (epsilon - least); p.tolerance < epsilon/4 {
		return p, epsilonError(epsilon, 4*least)
	}
	return p, nil
}

// truncationShare is the share that truncation may use of the tolerance that remains after
// rounding. nearShare is the share of epsilon for the near field; it is taken from the remainder.
const (
	truncationShare = 0.95     // tuning
	nearShare       = 1.0 / 32 // tuning
)

// epsilonError is the error for an epsilon that cannot be reached.
func epsilonError(epsilon, reachable float64) error {
	unit := math.Pow(10, math.Floor(math.Log10(reachable)))
	return fmt.Errorf("%w: %.2g, and no less than about %.1g can be reached", ErrEpsilon, epsilon, math.Ceil(reachable/unit)*unit)
}

// maxRotatedDepth is the largest depth of evaluation trees at high degrees. Each level costs
// precision.
const maxRotatedDepth = 12 // tuning

// typicalRounding is the sum of cover/(4πD²) over all pairs of a point, for an ordinary surface.
const typicalRounding = 4

// roundingBins is the number of bins of the ratio (reach+b)/D of a pair, from 0 to maxSum.
const (
	roundingBins = 256
	maxSum       = 0.97
)

// roundings tabulates the rounding bound of a pair by (reach+b)/D. The table value times
// cover/(4πD²) bounds the rounding error that the pair adds to J. The terms of degrees s and n of a
// pair, n+s = N, are at most C(N,n) bⁿ s·reach^{s−1}·cover/D^{N+1}. Together they are at most N
// (reach+b)^{N−1}·cover/D^{N+1}. No term passes through more roundings than these:
//
//   - P2M: R, and the edges of a leaf.
//   - M2M, for each level: the matrix, and sums by degree or of all columns.
//   - M2L: the matrix and its columns, or rotations: four changes of axes and a translation, each
//     no longer than N+1.
//   - L2L, for each level: the matrix, and sums by degree or of all columns.
//   - L2P: evaluateMany. Its rows of low degrees q have errors of up to 2^q units (a test);
//     otherwise Q_n^m, sums over n and Horner over m.
//   - The sum over all pairs.
//
// R and S of degree n have relative errors below (n²/2+2n+8)·2^−53 of the norm of the degree, and R
// at the centers of octants has octantError·2^−53 (tests). The absolute sums of a translation from
// degree s to n exceed the sharp factor C(n+s,n) by a factor of at most √(2 min(n,s)+1): in the
// scaling that makes norms Euclidean, its matrix has 2 min(n,s)+1 singular values, none larger than
// the sharp factor.
//
// Beyond N = p+q nothing is evaluated, but the norms that bound the omitted terms are norms of
// rounded moments. There P2M and M2M count, to the end of the series.
func (c degreeChoice) roundings(levels, depth int) *[roundingBins]float64 {
	table := func(n float64) float64 { return n*n/2 + 2*n + 8 }
	most := float64(max(c.multipole, c.local, c.kept))
	// moments and expansions count the roundings of a term of total degree n.
	moments := func(n float64) float64 {
		side := min(n, most)
		up := octantError + 3*side + 3
		if c.kept <= denseDegree {
			up = octantError + float64(harmonics.Len(c.kept))
		}
		return table(side) + float64(3*c.leaf+10) + float64(levels)*up
	}
	expansions := func(n float64) float64 {
		side := min(n, most)
		down := octantError + 3*side + 3
		terms := table(side) + 6*side + 20 + math.Ldexp(1, min(c.local, 10)) + typicalPairs
		if c.rotated() {
			terms += 6*(n+1) + 2*table(side)
		} else {
			terms += table(n) + float64(harmonics.Len(c.multipole))
			down = octantError + float64(harmonics.Len(c.local))
		}
		return terms + float64(depth)*down
	}
	var out [roundingBins]float64
	for i := range out {
		t := float64(i+1) / roundingBins * maxSum
		power := 1.0
		for n := 1.0; ; n++ {
			size := roundoff * math.Sqrt(n+1) * n * power
			out[i] += size * moments(n)
			if n <= float64(c.multipole+c.local) {
				out[i] += size * expansions(n)
			} else if ratio := t * math.Pow((n+1)/n, 1.5); ratio < seriesEnd {
				// The terms from here on shrink by that ratio or faster.
				out[i] += size * moments(n) * ratio / (1 - ratio)
				break
			}
			power *= t
		}
	}
	return &out
}

// seriesEnd is the ratio of terms below which the rest of a series is summed as a geometric one. It
// exceeds maxSum.
const seriesEnd = 0.99 // tuning

// octantError bounds the relative error of R at octant(o) in units of 2^−53, by degree, up to
// degree 30.
const octantError = 16

// typicalPairs is the usual largest number of pairs translated to a cell and its ancestors. If
// there are more, their rounding bound is scaled up.
const typicalPairs = 1 << 10

// total returns the bound of a far field of the given number of pairs, from the sums of their
// truncation and rounding bounds.
func (p *expansionParams) total(truncation, rounding float64, pairs int32) float64 {
	rounding *= max(1, float64(pairs)/typicalPairs)
	return (truncation + rounding) * (1 + safety)
}

// costs holds estimated times of one worker in nanoseconds.
type costs struct {
	near     float64 // a triangle of the near field, a point
	cell     float64 // a cell of the evaluation tree
	assess   float64 // the bounds of a pair
	pair     float64 // the translation of an accepted pair
	clusters float64 // a point from the source tree
}

// cachedTriangles is the number of triangles whose panels take half of the second-level cache (1
// MiB), so that the near-field kernel finds them there.
const cachedTriangles = 1 << 12

// measuredCosts returns the costs of one worker of an AMD EPYC (Zen 4), with its vector kernels,
// beside another worker. They were measured on trees over spheres, a foam and a soup, for all
// degree choices. A worker alone takes two thirds of cell, assess and pair.
func measuredCosts(d degrees, triangles int) costs {
	near := 3.0
	if triangles <= cachedTriangles {
		near = 2
	}
	p := float64(d.multipole)
	translate := 0.11 * float64((harmonics.Len(d.multipole)-1)*padded(harmonics.Len(d.local)))
	if d.rotated() {
		translate = 2.2 * p * p * p
	}
	return costs{near: near, cell: 1500, assess: 90, pair: 70 + translate, clusters: 150 * (30 + float64(harmonics.Len(d.kept)))}
}

// pointsAt returns the number of points expected in a cell of a level.
func (p *expansionParams) pointsAt(level int) float64 {
	return p.points * math.Ldexp(p.volume, -3*level)
}

// minNear is the largest near field that is never worth a division: two or three blocks of the
// kernel.
const minNear = 16

// parallelLevel is the first level with enough cells to keep two workers busy. The cost of cells on
// coarser levels counts twice.
const parallelLevel = 2

// acceptedPairs is the part of the clusters left by the parent that a child accepts. A leaf also
// assesses the clusters below these, down to finest levels. Their number grows by a factor of 4
// from level to level, but does not exceed the number of leaves of the source tree. assessedBelow
// and acceptedBelow are the parts of them that are assessed and accepted. Measured on spheres of
// 128 to 131,072 triangles, within a third.
const (
	acceptedPairs = 0.8  // tuning
	assessedBelow = 0.12 // tuning
	acceptedBelow = 0.05 // tuning
)

// childrenCost returns the time that dividing a cell takes.
func (p *expansionParams) childrenCost(points float64, near, pairs int) float64 {
	below := min(float64(near)/float64(p.leaf), math.Ldexp(float64(pairs), 2*finest))
	child := p.cost.cell +
		float64(pairs)*(p.cost.assess+acceptedPairs*p.cost.pair) +
		below*(assessedBelow*p.cost.assess+acceptedBelow*p.cost.pair)
	if p.known {
		return min(8, points) * child
	}
	return 8 * child
}

// gain returns the ratio of the time that dividing a cell saves to the time that it takes. The near
// field of a surface grows with the square of the distance from which its leaves are accepted: the
// sum of the radii of leaf and cell, of which division halves the second. A point never takes
// longer than from the source tree.
func (p *expansionParams) gain(level int, points float64, near, pairs int) float64 {
	leaf, cell := p.leafRadius, math.Sqrt(3)*math.Ldexp(1, -level)
	part := (leaf + cell/2) / (leaf + cell)
	saved := points * (1 - part*part) * min(float64(near)*p.cost.near, p.cost.clusters)
	taken := p.childrenCost(points, near, pairs)
	if level < parallelLevel {
		taken *= 2
	}
	return saved / taken
}

// divide reports whether a cell gets children.
func (p *expansionParams) divide(level int, points float64, near, pairs int) bool {
	switch {
	case level >= p.depth || near <= minNear:
		return false
	case p.fixedDepth:
		return true
	}
	return p.gain(level, points, near, pairs) > 1
}

// levelsBelow estimates the number of levels below a cell that is divided.
func (p *expansionParams) levelsBelow(level int, points float64, near, pairs int) float64 {
	if p.fixedDepth {
		return float64(p.depth - level)
	}
	// A level divides the points by 8 and the near field by 4.
	return max(1, math.Log2(p.gain(level, points, near, pairs))/5)
}

// volumeRatio returns the volume of the cube divided by the volume of box.
func volumeRatio(f *cube, box bvh.Box) float64 {
	s := box.Size()
	v := f.side / s.X * (f.side / s.Y) * (f.side / s.Z)
	if !(v < math.MaxFloat64) { // flat
		return 1
	}
	return v
}
