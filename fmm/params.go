package fmm

import (
	"fmt"
	"math"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
)

// roundoff is the largest relative error of one float64 rounding.
const roundoff = 0x1p-53

type expansionParams struct {
	degreeChoice
	epsilon    float64
	tolerance  float64 // limit of the truncation error at each point
	points     float64 // number of points expected in the box
	known      bool    // true if all points are known, so that cells without points are skipped
	sample     float64 // number of expected points for each known point
	volume     float64 // volume of the cube, in units of the volume of the box
	leafRadius float64 // mean radius of the leaves of the source tree, in units of the cube
	depth      int     // largest number of levels below the cube
	fixedDepth bool    // true if each cell with a near field is divided, down to the largest depth
	cost       costs
	rounding   *[roundingBins]float64
	workers    int
}

type degreeChoice struct {
	degrees
	leaf int // largest number of triangles in a leaf of the source tree
}

// From manyTriangles triangles on, most of the time of a query is the near field. Then higher
// degrees pay, because the trees can be less deep. // tuning
const manyTriangles = 1 << 14

// chooseDegrees returns the degrees that were fastest for epsilon in measurements on spheres, a
// foam, a soup and the caps of holes. Every choice gives correct results, because the trees respect
// the bounds.
func chooseDegrees(epsilon float64, triangles int) degreeChoice {
	many := triangles >= manyTriangles
	choose := func(few, other degreeChoice) degreeChoice {
		if many {
			return other
		}
		return few
	}
	switch {
	case epsilon >= 0.1:
		return choose(degreeChoice{degrees{4, 4, 6}, 8}, degreeChoice{degrees{7, 7, 9}, 8})
	case epsilon >= 1e-2:
		return choose(degreeChoice{degrees{7, 7, 11}, 8}, degreeChoice{degrees{10, 10, 13}, 8})
	case epsilon >= 1e-3:
		return choose(degreeChoice{degrees{7, 7, 11}, 8}, degreeChoice{degrees{12, 12, 15}, 16})
	case epsilon >= 1e-5:
		return choose(degreeChoice{degrees{10, 10, 14}, 16}, degreeChoice{degrees{14, 14, 17}, 16})
	case epsilon >= 1e-7:
		return choose(degreeChoice{degrees{10, 10, 14}, 16}, degreeChoice{degrees{14, 14, 18}, 32})
	}
	return degreeChoice{degrees{20, 20, 25}, 64}
}

// newParams returns the parameters for src, except the number of points and the volume. The error
// is an ErrEpsilon if epsilon cannot be reached.
func newParams(src *sourceTree, c degreeChoice, epsilon float64) (expansionParams, error) {
	p := expansionParams{degreeChoice: c, epsilon: epsilon, depth: src.depth, cost: measuredCosts(c.degrees, len(src.tris)), leafRadius: src.leafRadius()}
	if c.local > highDegree || c.local > highDegreeOfFew && len(src.tris) < manyTriangles {
		p.depth = min(p.depth, maxHighDepth)
	}
	p.rounding = c.roundings(len(src.levels), p.depth)
	least := typicalRounding * p.rounding[roundingBins/2]
	if p.tolerance = truncationShare * (epsilon - least); p.tolerance < epsilon/4 {
		return p, EpsilonError(epsilon, 4*least)
	}
	return p, nil
}

// The truncation error is at most truncationShare times (epsilon − rounding bound). The error of
// the near field is at most nearShare times epsilon.
const (
	truncationShare = 0.95     // tuning
	nearShare       = 1.0 / 32 // tuning
)

// EpsilonError returns an error that wraps ErrEpsilon. The message names epsilon and the smallest
// epsilon that can be reached. The latter is rounded up to two digits, so that a user can pass it.
func EpsilonError(epsilon, reachable float64) error {
	unit := math.Pow(10, math.Floor(math.Log10(reachable))-1)
	return fmt.Errorf("%w: %.2g; the smallest value that can be reached is about %.2g", ErrEpsilon, epsilon, math.Ceil(reachable/unit)*unit)
}

// maxHighDepth is the largest depth of evaluation trees at degrees above highDegree, or above
// highDegreeOfFew for fewer than manyTriangles triangles. Each level adds rounding errors, which
// matter at high degrees. // tuning
const (
	maxHighDepth    = 12
	highDegree      = 14
	highDegreeOfFew = 10
)

// typicalRounding is the sum of node.cover/(4πD²) over all pairs of a point, for an ordinary
// surface. D is the distance between the centers of a pair.
const typicalRounding = 4

// roundingBins is the number of entries in the table that roundings returns. The ratios of the
// entries go from 0 to maxSum.
const (
	roundingBins = 256
	maxSum       = 0.97
)

// roundings returns a table of rounding bounds for pairs. Each entry is for one ratio
// (node.reach+b)/D. D is the distance of the centers, and b is the radius of the target cell. The
// entry times node.cover/(4πD²) bounds the rounding error that the pair adds to the potential.
// docs/design/019-rounding.md derives the counts. The numbers in parentheses are its sections.
func (c degreeChoice) roundings(levels, depth int) *[roundingBins]float64 {
	recurrence := func(n float64) float64 { return 5*n*n + 11*n + 4 } // (3)
	p, q, kept := float64(c.multipole), float64(c.local), float64(max(c.multipole, c.local, c.kept))
	// These functions count the roundings of a term of total degree n.
	momentRoundings := func(n float64) float64 {
		side := min(n, kept)
		up := octantError + 10*side + 5                           // (5)
		return 2*side + float64(3*c.leaf+20) + float64(levels)*up // (4)
	}
	expansionRoundings := func(n float64) float64 {
		side := min(n, kept)
		evaluate := recurrence(side) + 9*kept + 25 // (8) by orders, and from the source tree
		if c.local <= rowsDegree {
			evaluate += (6*q + 8) * math.Pow(1+math.Sqrt2, min(n, q)) // (8) by rows
		}
		translate := 50*n + p + 62 + typicalPairs/8 // (6)
		down := octantError + side + q + 6          // (7)
		return evaluate + translate + float64(depth)*down
	}
	var out [roundingBins]float64
	for i := range out {
		t := float64(i+1) / roundingBins * maxSum
		power := 1.0
		for n := 1.0; ; n++ {
			size := roundoff * math.Sqrt(2*n+1) * n * power // (2)
			out[i] += size * momentRoundings(n)
			if n <= float64(c.multipole+c.local) {
				out[i] += size * expansionRoundings(n)
			} else if ratio := t * math.Pow((n+1)/n, 1.5); ratio < seriesEnd {
				// From here on, each term is at most ratio times the previous term.
				out[i] += size * momentRoundings(n) * ratio / (1 - ratio)
				break
			}
			power *= t
		}
	}
	return &out
}

// seriesEnd is the largest ratio of successive terms for which a geometric series bounds the
// remaining terms. It exceeds maxSum.
const seriesEnd = 0.99 // tuning

// octantError bounds the relative error of R_n at octant(o) for each degree n ≤ 30, in units of
// roundoff. TestOctantError compares all of these values with their values in 300 bits, which
// proves the constant (docs/design/019-rounding.md, section 5).
const octantError = 16

// rowsDegree is the largest degree at which evaluateMany uses a recurrence by rows.
const rowsDegree = 10

// typicalPairs is the number of pairs for which the rounding bound of a cell is computed: the pairs
// that the cell and its ancestors accepted. If a cell has more pairs, the bound increases in
// proportion.
const typicalPairs = 1 << 12

// total returns the error bound of a far field from the sums of the bounds of its pairs.
func (p *expansionParams) total(truncation, rounding float64, pairs int32) float64 {
	rounding *= max(1, float64(pairs)/typicalPairs)
	return (truncation+rounding)*(1+safety) + underflow
}

// underflow bounds the sum of all underflow errors. Each is below 2^−1074, there are fewer than
// 2^50 operations, and later operations amplify an error by less than 2^200
// (docs/design/019-rounding.md, section 1).
const underflow = 0x1p-800

// costs holds estimated times, in nanoseconds, of one worker.
type costs struct {
	near     float64 // time for one triangle of the near field at one point
	cell     float64 // time for one cell of the evaluation tree
	assess   float64 // time for the bounds of one pair
	pair     float64 // time for the translation of one accepted pair
	clusters float64 // time for one point that is evaluated from the source tree
}

// The panels of cachedTriangles triangles fill half of a second-level cache of 1 MiB. If there are
// more triangles, the near-field kernel is slower because it reads panels from slower memory.
const cachedTriangles = 1 << 12

// measuredCosts returns the costs of one worker on an AMD EPYC (Zen 4) with vector kernels, while
// another worker is busy. They were measured on trees over spheres, a foam and a soup, for all
// degree choices. The cost of a pair was measured on an Intel Xeon with AVX-512.
func measuredCosts(d degrees, triangles int) costs {
	near := 3.0
	if triangles <= cachedTriangles {
		near = 2
	}
	p := float64(d.multipole)
	translate := p * p * (1 + p/10)
	return costs{near: near, cell: 1500, assess: 90, pair: 70 + translate, clusters: 150 * (30 + float64(harmonics.Len(d.kept)))}
}

// A cell with at most minNear triangles in its near field is never divided. Such a near field fills
// two or three blocks.
const minNear = 16

// parallelLevel is the first level with enough cells to keep two workers busy. On coarser levels,
// the time of a cell counts twice.
const parallelLevel = 2

// These constants are estimates for the cost model. acceptedPairs is the fraction of the open
// clusters of its parent that a child cell accepts. A child that is a leaf also assesses
// descendants of its open clusters, up to maxFiner levels finer than the leaf. The leaf assesses
// the fraction assessedBelow of these descendants, and accepts the fraction acceptedBelow. On
// spheres of 128 to 131,072 triangles, the measured fractions are within a third of these values.
const (
	acceptedPairs = 0.8  // tuning
	assessedBelow = 0.12 // tuning
	acceptedBelow = 0.05 // tuning
)

func (p *expansionParams) childrenCost(points float64, near, pairs int) float64 {
	// The number of descendants of the open clusters grows by a factor of 4 for each level, up to
	// the number of leaves.
	descendants := min(float64(near)/float64(p.leaf), math.Ldexp(float64(pairs), 2*maxFiner))
	child := p.cost.cell +
		float64(pairs)*(p.cost.assess+acceptedPairs*p.cost.pair) +
		descendants*(assessedBelow*p.cost.assess+acceptedBelow*p.cost.pair)
	if p.known {
		return min(8, points) * child
	}
	return 8 * child
}

// gain returns the time that dividing a cell saves, as a multiple of the time that the division
// takes. The near field of a surface is proportional to the square of the sum of two radii: the
// radius of a leaf of the source tree and the radius of the cell. The time for a point never
// exceeds the time of an evaluation from the source tree alone.
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

func (p *expansionParams) divide(level int, points float64, near, pairs int) bool {
	switch {
	case level >= p.depth || near <= minNear:
		return false
	case p.fixedDepth:
		return true
	}
	return p.gain(level, points, near, pairs) > 1
}

// levelsBelow estimates how many levels the tree will have below a cell.
func (p *expansionParams) levelsBelow(level int, points float64, near, pairs int) float64 {
	if p.fixedDepth {
		return float64(p.depth - level)
	}
	// Each level divides the number of points by 8 and the near field by 4. So the gain falls by a
	// factor of 2^5.
	return max(1, math.Log2(p.gain(level, points, near, pairs))/5)
}

func volumeRatio(f *cube, box bvh.Box) float64 {
	s := box.Size()
	v := f.side / s.X * (f.side / s.Y) * (f.side / s.Z)
	if !(v < math.MaxFloat64) { // the box is flat
		return 1
	}
	return v
}
