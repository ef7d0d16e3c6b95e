package fmm

import (
	"fmt"
	"math"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
)

// roundoff is half the distance from 1 to the next float64.
const roundoff = 0x1p-53

// layout is what an evaluation tree is built for.
type layout struct {
	quality
	epsilon   float64
	tolerance float64 // of the truncation in each point
	points    float64 // expected in the box
	known     bool    // cells without points are left out
	volume    float64 // of the cube, in volumes of the box
	grain     float64 // radius of leaves of the source tree in units of the cube
	depth     int     // levels below the cube, at most
	forced    bool    // divide down to depth wherever there is a near field
	cost      costs
	rounding  *[roundingBins]float64
	workers   int
}

// quality is what an error asks for.
type quality struct {
	degrees
	leaf int // triangles in a leaf of the source tree, at most
}

// qualityFor returns the degrees that take the least time for an error, measured
// on a sphere, a foam and a soup. Any would do: the trees see to it that the bounds
// are kept.
func qualityFor(epsilon float64) quality {
	switch {
	case epsilon >= 0.1:
		return quality{degrees{4, 4, 6}, 8}
	case epsilon >= 1e-3:
		return quality{degrees{7, 7, 11}, 8}
	case epsilon >= 1e-5:
		return quality{degrees{10, 10, 14}, 16}
	case epsilon >= 1e-7:
		return quality{degrees{14, 14, 18}, 32}
	}
	return quality{degrees{20, 20, 25}, 64}
}

// newLayout returns the layout for src, but for points and volume.
func newLayout(src *source, q quality, epsilon float64) (layout, error) {
	l := layout{quality: q, epsilon: epsilon, depth: src.depth, cost: measuredCosts(q.degrees, len(src.tris)), grain: src.grain()}
	if q.rotated() {
		l.depth = min(l.depth, mostPrecise)
	}
	l.rounding = q.roundings(len(src.levels), l.depth)
	least := typicalRounding * l.rounding[roundingBins/2]
	if l.tolerance = left * (epsilon - least); l.tolerance < epsilon/4 {
		return l, tooSmall(epsilon, 4*least)
	}
	return l, nil
}

// left is the part of what rounding leaves that truncation may take. Of the rest,
// nearShare of epsilon is for the near field.
const (
	left      = 0.95
	nearShare = 1.0 / 32
)

// tooSmall is the error for an epsilon below what can be reached.
func tooSmall(epsilon, reachable float64) error {
	unit := math.Pow(10, math.Floor(math.Log10(reachable)))
	return fmt.Errorf("%w: %.2g, and no less than about %.1g can be reached", ErrEpsilon, epsilon, math.Ceil(reachable/unit)*unit)
}

// mostPrecise is the depth of evaluation trees at high degrees: each level costs precision. A
// choice.
const mostPrecise = 12

// typicalRounding is what cover/(4πD²) of all pairs of a point add up to for an
// ordinary surface.
const typicalRounding = 4

// roundingBins divide the ratio (reach+b)/D of a pair, from 0 to mostSum.
const (
	roundingBins = 256
	mostSum      = 0.97
)

// roundings tabulates the bound of rounding, by (reach+b)/D: times
// cover/(4πD²) it bounds what rounding adds to J by a pair. The terms of degrees s and n of a pair,
// n+s = N, are at most C(N,n) bⁿ s·reach^{s−1}·cover/D^{N+1}, together
// N (reach+b)^{N−1}·cover/D^{N+1}. No term goes through more roundings than these:
//
//   - P2M: R, and the edges of a leaf.
//   - M2M, for each level: the matrix, and sums by degree or of all columns.
//   - M2L: the matrix and its columns, or rotations: four changes of axes and a
//     translation, each no longer than N+1.
//   - L2L, for each level: the matrix, and sums by degree or of all columns.
//   - L2P: evaluateMany, whose rows of low degrees q have errors of up to 2^q units
//     (a test), and Q_n^m, sums over n and Horner over m otherwise.
//   - All pairs are added up.
//
// R and S of degree n have relative errors below (n²/2+2n+8)·2^−53 of the norm of
// the degree, and R at the centres of octants octantError·2^−53 (tests). The sums of absolute
// values of a translation from degree s to n exceed the sharp factor C(n+s,n) at
// most √(2 min(n,s)+1) times, as its matrix, in the scaling that makes norms
// Euclidean, has as many singular values, none larger than that.
//
// Beyond N = p+q nothing is evaluated, but the norms that bound what is omitted are
// those of rounded moments: P2M and M2M count there, to the end of the series.
func (q quality) roundings(levels, depth int) *[roundingBins]float64 {
	table := func(n float64) float64 { return n*n/2 + 2*n + 8 }
	most := float64(max(q.multipole, q.local, q.kept))
	// moments and expansions count the roundings of a term of total degree n.
	moments := func(n float64) float64 {
		side := min(n, most)
		up := octantError + 3*side + 3
		if q.kept <= denseDegree {
			up = octantError + float64(harmonics.Len(q.kept))
		}
		return table(side) + float64(3*q.leaf+10) + float64(levels)*up
	}
	expansions := func(n float64) float64 {
		side := min(n, most)
		down := octantError + 3*side + 3
		terms := table(side) + 6*side + 20 + math.Ldexp(1, min(q.local, 10)) + mostPairs
		if q.rotated() {
			terms += 6*(n+1) + 2*table(side)
		} else {
			terms += table(n) + float64(harmonics.Len(q.multipole))
			down = octantError + float64(harmonics.Len(q.local))
		}
		return terms + float64(depth)*down
	}
	var out [roundingBins]float64
	for i := range out {
		t := float64(i+1) / roundingBins * mostSum
		power := 1.0
		for n := 1.0; ; n++ {
			size := roundoff * math.Sqrt(n+1) * n * power
			out[i] += size * moments(n)
			if n <= float64(q.multipole+q.local) {
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

// seriesEnd is the ratio of terms from which a series is closed as a geometric one;
// it exceeds mostSum. A choice.
const seriesEnd = 0.99

// octantError bounds the relative error of R at octant(o) in units of 2^−53, by
// degree, up to degree 30.
const octantError = 16

// mostPairs is how many pairs are translated to a cell and its ancestors as a rule;
// beyond, their rounding is scaled.
const mostPairs = 1 << 10

// total returns the bound of a far field of so many pairs: what they omit, and their
// rounding.
func (l *layout) total(truncation, rounding float64, pairs int32) float64 {
	rounding *= max(1, float64(pairs)/mostPairs)
	return (truncation + rounding) * (1 + safety)
}

// costs are in nanoseconds of one worker.
type costs struct {
	near     float64 // a triangle of the near field, a point
	cell     float64 // a cell of the evaluation tree
	look     float64 // a pair that is looked at: its bounds
	pair     float64 // a pair that is accepted: translation
	clusters float64 // a point from the source tree
}

// cached is how many triangles the near-field kernel finds in the second cache (1 MiB):
// their panels take half of it.
const cached = 1 << 12

// measuredCosts are for one worker of an AMD EPYC (Zen 4), with its vector kernels, beside another
// one: trees over spheres, a foam and a soup at all qualities. One worker alone takes two thirds of
// cell, look and pair.
func measuredCosts(d degrees, triangles int) costs {
	near := 3.0
	if triangles <= cached {
		near = 2
	}
	p := float64(d.multipole)
	translate := 0.11 * float64((harmonics.Len(d.multipole)-1)*padded(harmonics.Len(d.local)))
	if d.rotated() {
		translate = 2.2 * p * p * p
	}
	return costs{near: near, cell: 1500, look: 90, pair: 70 + translate, clusters: 150 * (30 + float64(harmonics.Len(d.kept)))}
}

// share is how many of the points are expected in a cell of that level.
func (l *layout) share(level int) float64 {
	return l.points * math.Ldexp(l.volume, -3*level)
}

// leastNear is a near field that is not worth any division: two or three blocks of the kernel.
const leastNear = 16

// lonely is the level below which the cells of a level are too few to keep a second
// worker busy, so that they take twice as long beside the points.
const lonely = 2

// In a child, of the clusters that its parent leaves to it, acceptedPairs are accepted. A leaf
// looks through the clusters below those, finest levels down, of which there are 4 times as many a
// level or as many as leaves of the source tree: looked at and accepted are these parts of them.
// Measured on spheres of 128 to 131,072 triangles, within a third.
const (
	acceptedPairs = 0.8
	lookedBelow   = 0.12
	acceptedBelow = 0.05
)

// children is the time that dividing a cell takes.
func (l *layout) children(points float64, near, pairs int) float64 {
	below := min(float64(near)/float64(l.leaf), math.Ldexp(float64(pairs), 2*finest))
	child := l.cost.cell +
		float64(pairs)*(l.cost.look+acceptedPairs*l.cost.pair) +
		below*(lookedBelow*l.cost.look+acceptedBelow*l.cost.pair)
	if l.known {
		return min(8, points) * child
	}
	return 8 * child
}

// ratio is the time that dividing a cell saves in units of what it takes. The near field of a
// surface grows with the square of the distance from which its leaves are accepted: the
// sum of the radii of leaf and cell, of which the second is halved. A point takes no longer than
// from the source tree.
func (l *layout) ratio(level int, points float64, near, pairs int) float64 {
	leaf, cell := l.grain, math.Sqrt(3)*math.Ldexp(1, -level)
	part := (leaf + cell/2) / (leaf + cell)
	saved := points * (1 - part*part) * min(float64(near)*l.cost.near, l.cost.clusters)
	taken := l.children(points, near, pairs)
	if level < lonely {
		taken *= 2
	}
	return saved / taken
}

// divide tells whether a cell gets children.
func (l *layout) divide(level int, points float64, near, pairs int) bool {
	switch {
	case level >= l.depth || near <= leastNear:
		return false
	case l.forced:
		return true
	}
	return l.ratio(level, points, near, pairs) > 1
}

// below estimates how many levels will follow below a cell that is divided.
func (l *layout) below(level int, points float64, near, pairs int) float64 {
	if l.forced {
		return float64(l.depth - level)
	}
	// A level divides the points by 8 and the near field by 4.
	return max(1, math.Log2(l.ratio(level, points, near, pairs))/5)
}

// volumes returns how many times the volume of box the cube has.
func volumes(f *frame, box bvh.Box) float64 {
	s := box.Size()
	v := f.side / s.X * (f.side / s.Y) * (f.side / s.Z)
	if !(v < math.MaxFloat64) { // flat
		return 1
	}
	return v
}
