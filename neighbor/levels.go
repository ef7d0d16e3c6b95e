package neighbor

import (
	"math"
	"slices"
	"sort"
)

// accessCost is the constant K of Ogarko & Luding (2012), eq. (7): the cost of reaching a
// cell over that of a pair in it.
const accessCost = .3

// OptimalLevels returns the cell sizes of the hierarchical grid that minimizes L(m+K),
// L levels with m bodies a cell each, Ogarko & Luding (2012), eq. (7) with K = 0.3 and
// appendix A: m is the smallest one for which bodies put into levels in order of size, each
// level ended when it has more than m bodies a cell, fill no more than L levels. Bodies of one
// size are not divided among levels. Sizes are in
// ascending order; the size of a level is the largest diameter in it. radii need not be in
// order, but must be positive; size is the side of the cube, or square, that holds the
// bodies, and taken as the largest diameter if it is smaller; axes is 2 or 3. It takes O(n log n) time. Without radii there is no level.
func OptimalLevels(radii []float64, size float64, axes int) []float64 {
	groups, upTo := equalGroups(radii)
	return newRecipe(groups, upTo, size, axes).optimal()
}

// LevelSizes returns the cell sizes of a hierarchical grid of at most the given number of
// levels, at least 1, with the fewest bodies a cell; see OptimalLevels.
func LevelSizes(radii []float64, size float64, axes, levels int) []float64 {
	groups, upTo := equalGroups(radii)
	r := newRecipe(groups, upTo, size, axes)
	return r.sizes(r.smallest(levels))
}

// equalGroups returns the different radii, ascending, and how many bodies have them or
// smaller ones.
func equalGroups(radii []float64) (groups []float64, upTo []int) {
	for i, r := range slices.Sorted(slices.Values(radii)) {
		if len(groups) == 0 || r != groups[len(groups)-1] {
			groups, upTo = append(groups, r), append(upTo, 0)
		}
		upTo[len(upTo)-1] = i + 1
	}
	return groups, upTo
}

// recipe puts bodies into levels by groups of one size.
type recipe struct {
	digits int       // bits of m that are found, of the exponent and fraction of a float64
	radii  []float64 // of the groups, ascending
	upTo   []int     // number of bodies in this and smaller groups
	cells  []float64 // cells in the world whose size is the diameter, by group
}

func newRecipe(radii []float64, upTo []int, size float64, axes int) *recipe {
	r := &recipe{digits: 63, radii: radii, upTo: upTo, cells: make([]float64, len(radii))}
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
func (r *recipe) bodies(i, j int) float64 {
	n := r.upTo[j-1]
	if i > 0 {
		n -= r.upTo[i-1]
	}
	return float64(n)
}

// next returns where the level ends that begins with group i: before the first group with
// which it has more than m bodies a cell. Their number grows with the group, since both
// the bodies become more and the cells fewer.
func (r *recipe) next(i int, m float64) int {
	rest := len(r.radii) - i - 1
	return i + 1 + sort.Search(rest, func(k int) bool {
		return r.bodies(i, i+k+2) > m*r.cells[i+k+1]
	})
}

// count returns the number of levels for m bodies a cell, or limit+1 if it is larger than
// limit. It never grows with m: a level that begins later ends later.
func (r *recipe) count(m float64, limit int) int {
	levels := 0
	for i := 0; i < len(r.radii) && levels <= limit; levels++ {
		i = r.next(i, m)
	}
	return levels
}

// smallest returns the smallest m for which there are at most so many levels, by halving
// the interval of floating-point numbers with the digits wanted.
func (r *recipe) smallest(levels int) float64 {
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

// sizes returns the cell sizes for m bodies a cell.
func (r *recipe) sizes(m float64) []float64 {
	var sizes []float64
	for i := 0; i < len(r.radii); {
		i = r.next(i, m)
		sizes = append(sizes, 2*r.radii[i-1])
	}
	return sizes
}

// maxLevels is the largest number of levels that optimal returns. The paper finds no use for
// more than 10, and tries 50.
const maxLevels = 64

// optimal returns the cell sizes that minimize L(m+K). As L·K alone grows, L ends where it
// exceeds the best cost.
func (r *recipe) optimal() []float64 {
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
