package neighbor

import (
	"math"
	"slices"
	"sort"
)

// accessCost is the constant K of Ogarko & Luding (2012), eq. (7). K is the time to visit a cell
// divided by the time to test a pair.
const accessCost = .3

// OptimalLevels returns the cell sizes of the hierarchical grid that minimizes L(m+K). L is the
// number of levels, m is the number of bodies per cell in each level, and K = 0.3 (Ogarko & Luding
// 2012, eq. (7) and appendix A). The bodies are put into levels in order of size. A level ends if
// one more body would give the level more than m bodies per cell. For each L, m is the smallest
// number for which L levels are enough. Bodies of one size are in the same level. The size of a
// level is its largest diameter. Sizes are ascending.
//
// radii must be positive and can be in any order. size is the side of the cube or square that
// contains the bodies. A size below the largest diameter counts as this diameter. axes is 2 or 3.
// If there are no radii, the result is empty. OptimalLevels takes O(n log n) time.
func OptimalLevels(radii []float64, size float64, axes int) []float64 {
	groups, upTo := equalGroups(radii)
	return newLevelPlan(groups, upTo, size, axes).optimal()
}

// LevelSizes returns the cell sizes of the hierarchical grid that has at most the given number of
// levels and the smallest number of bodies per cell. levels must be at least 1. See OptimalLevels
// for the other arguments.
func LevelSizes(radii []float64, size float64, axes, levels int) []float64 {
	groups, upTo := equalGroups(radii)
	r := newLevelPlan(groups, upTo, size, axes)
	return r.sizes(r.smallest(levels))
}

// equalGroups returns the distinct radii in ascending order. upTo[i] is the number of bodies whose
// radius is at most groups[i].
func equalGroups(radii []float64) (groups []float64, upTo []int) {
	for i, r := range slices.Sorted(slices.Values(radii)) {
		if len(groups) == 0 || r != groups[len(groups)-1] {
			groups, upTo = append(groups, r), append(upTo, 0)
		}
		upTo[len(upTo)-1] = i + 1
	}
	return groups, upTo
}

// levelPlan divides groups of bodies into levels. All bodies of a group have the same size.
type levelPlan struct {
	digits int       // precision of the number m of bodies per cell, in bits of exponent and fraction
	radii  []float64 // radius of each group, ascending
	upTo   []int     // number of bodies in each group and all smaller groups
	cells  []float64 // number of cells in the world if the cell size is the diameter of the group
}

func newLevelPlan(radii []float64, upTo []int, size float64, axes int) *levelPlan {
	r := &levelPlan{digits: 63, radii: radii, upTo: upTo, cells: make([]float64, len(radii))}
	if len(radii) > 0 {
		size = max(size, 2*radii[len(radii)-1])
	}
	for i, radius := range radii {
		side := .5 * size / radius
		r.cells[i] = side * side
		if axes == 3 {
			r.cells[i] *= side
		}
	}
	return r
}

// bodies returns the number of bodies in groups [i, j).
func (r *levelPlan) bodies(i, j int) float64 {
	n := r.upTo[j-1]
	if i > 0 {
		n -= r.upTo[i-1]
	}
	return float64(n)
}

// next returns the end of the level that begins with group i. The end is the first group that would
// give the level more than m bodies per cell. Each added group increases the number of bodies per
// cell, because it adds bodies and enlarges the cells.
func (r *levelPlan) next(i int, m float64) int {
	rest := len(r.radii) - i - 1
	return i + 1 + sort.Search(rest, func(k int) bool {
		return r.bodies(i, i+k+2) > m*r.cells[i+k+1]
	})
}

// count returns the number of levels for m bodies per cell, or limit+1 if that number exceeds
// limit. A larger m never needs more levels.
func (r *levelPlan) count(m float64, limit int) int {
	levels := 0
	for i := 0; i < len(r.radii) && levels <= limit; levels++ {
		i = r.next(i, m)
	}
	return levels
}

// smallest returns the smallest m for which the given number of levels is enough. It bisects the
// floating-point numbers with a precision of r.digits bits.
func (r *levelPlan) smallest(levels int) float64 {
	if len(r.radii) == 0 {
		return 0
	}
	shift := 63 - r.digits
	lo, hi := uint64(0), math.Float64bits(math.Inf(1))>>shift
	for lo < hi {
		mid := lo + (hi-lo)/2
		if r.count(math.Float64frombits(mid<<shift), levels) <= levels {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return math.Float64frombits(lo << shift)
}

// sizes returns the cell sizes for m bodies per cell.
func (r *levelPlan) sizes(m float64) []float64 {
	var sizes []float64
	for i := 0; i < len(r.radii); {
		i = r.next(i, m)
		sizes = append(sizes, 2*r.radii[i-1])
	}
	return sizes
}

// maxLevels is the largest number of levels that optimal returns. Ogarko & Luding 2012 try up to 50
// levels and find that more than 10 are useless.
const maxLevels = 64

// optimal returns the cell sizes that minimize L(m+K). It stops when L·K exceeds the smallest cost
// so far.
func (r *levelPlan) optimal() []float64 {
	if len(r.radii) == 0 {
		return nil
	}
	best, bestM := math.Inf(1), math.Inf(1)
	for levels := 1; levels <= maxLevels && float64(levels)*accessCost < best; levels++ {
		m := r.smallest(levels)
		if cost := float64(levels) * (m + accessCost); cost < best {
			best, bestM = cost, m
		}
	}
	return r.sizes(bestM)
}
