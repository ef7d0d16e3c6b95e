package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/neighbor"
)

// variants counts the work for other cell sizes, for another search range with the cell sizes of
// the recipe, and for larger ratios of size.
func (r *Run) variants(ctx context.Context, l countedPacking) ([]Statement, error) {
	radii := l.p.radii()
	own := neighbor.OptimalLevels(radii, 1, 3)
	doubled := doubledSizes(radii)
	contacts, err := contactsOf(ctx, l.p.balls)
	if err != nil {
		return nil, err
	}
	var counts [4]leveled
	for i, g := range []*cellGrid[neighbor.Sphere]{paperGrid(own), iwaiGrid(own), paperGrid(doubled), paperGrid(neighbor.LevelSizes(radii, 1, 3, len(doubled)))} {
		if counts[i], err = countLevels(ctx, l.p.balls, g, contacts); err != nil {
			return nil, err
		}
	}
	equal, iwai, twice, free := counts[0], counts[1], counts[2], counts[3]
	better, least, err := balanced(ctx, l.p.balls, own)
	if err != nil {
		return nil, err
	}
	m := loads(better, radii)
	m = m[:max(1, len(m)-1)] // the last level has the rest
	larger, err := r.larger(ctx)
	if err != nil {
		return nil, err
	}
	ex, err := example(ctx)
	if err != nil {
		return nil, err
	}
	save, phrase := 1-least/equal.work(), "equal m on all levels is optimal"
	if save > 0.05 {
		phrase = "no sizes of cells are better than equal m on all levels"
	}
	return []Statement{
		counted("H1.equal", phrase, "Hypothesis 1: equal m on all levels is optimal.", fmt.Sprintf("For UV and %d levels, the best sizes found save %.1f %% of the work (m from %s to %s).", len(own), 100*save, short(slices.Min(m)), short(slices.Max(m))),
			"at most 5 % to save", save <= 0.05, Other, "The paper minimizes eq. 7, which has the same work for each level; here it is counted."),
		larger,
		counted("H1.free", "free cell sizes beat doubled ones", "§2.1: free cell sizes perform better than s_{h+1} = 2 s_h.", fmt.Sprintf("Doubled sizes (%d levels) need %.2f times the work of as many free sizes.", len(doubled), twice.work()/free.work()),
			"above 1", twice.work() > free.work(), Fails, ""),
		counted("H1.range", "the search range beats that of Iwai et al.", "§1, figure 1: the range r + s/2 is smaller than that of Iwai et al. (r + s).", fmt.Sprintf("The range r + s needs %.2f times the work.", iwai.work()/equal.work()),
			"above 1", iwai.work() > equal.work(), Fails, ""),
		ex,
	}, nil
}

// larger compares the gain of levels for the size ratio of the paper and a larger one.
func (r *Run) larger(ctx context.Context) (Statement, error) {
	n := pick(r.Size, 2000, 125001, 125001)
	var gain [2]float64
	for i, ratio := range []float64{50, 100} {
		balls := scattered(packingSpec{kind: "UV", ratio: ratio, n: n, fraction: 0.62})
		var err error
		if gain[i], err = savedByLevels(ctx, balls, neighbor.OptimalLevels(radiiOf(balls), 1, 3)); err != nil {
			return Statement{}, err
		}
	}
	s := counted("H1.larger", "levels save more for ω > 50", "Abstract: for size ratios above 50, the speed-up is expected to be even better.",
		fmt.Sprintf("%d balls (UV, ν = .62) at random places: one level needs %s times the work of the recipe's for ω = 50, %s times for ω = 100.", n, short(gain[0]), short(gain[1])), "more for 100", gain[1] > gain[0], Fails, "")
	if r.Size == Tiny {
		s = s.unchecked()
	}
	return s, nil
}

// exampleCells returns the cells that particle B of figure 1 searches on level 1: from (x₀, y₀) to
// (x₁, y₁). B has the radius 4 and is at (10.3, y). The cells have the sizes 3 and 8.
func exampleCells(ctx context.Context, y, reach float64) ([4]int32, error) {
	g := newCellGrid[neighbor.Disk](3, 8)
	g.reach = reach
	at := func(x, y, r float64) neighbor.Disk { return neighbor.Disk{Center: r2.Point{X: x, Y: y}, Radius: r} }
	// The other disks are in the corners of the figure, so that cells begin at (0, 0).
	if err := g.Update(ctx, []neighbor.Disk{at(0, 0, 1.5), at(10.3, y, 4), at(32, 32, 1.5)}); err != nil {
		return [4]int32{}, err
	}
	first, last := g.cellRange(1, 0)
	return [4]int32{first[0], first[1], last[0], last[1]}, nil
}

// example checks the cells of figure 1.
func example(ctx context.Context) (Statement, error) {
	printed := func(y float64) (cells [4]int32, holds bool, err error) {
		if cells, err = exampleCells(ctx, y, 0.5); err != nil {
			return cells, false, err
		}
		iwai, err := exampleCells(ctx, y, 1)
		return cells, cells == [4]int32{1, 3, 5, 6} && iwai[0] == 1 && iwai[1] == 2, err
	}
	cells, holds, err := printed(14.4)
	if err != nil {
		return Statement{}, err
	}
	why := ""
	if !holds {
		low, high := math.Inf(1), math.Inf(-1)
		for k := 140; k < 160; k++ { // middles of tenths, because borders of cells are at multiples of a tenth
			_, ok, err := printed((float64(k) + 0.5) / 10)
			if err != nil {
				return Statement{}, err
			}
			if ok {
				low, high = min(low, float64(k)/10), max(high, float64(k+1)/10)
			}
		}
		if low < high {
			why = fmt.Sprintf("Probably a misprint: all printed cells are right for y between %g and %g.", low, high)
		}
	}
	return counted("H1.example", "the cells of figure 1 (probably a misprint)", "Figure 1: B at (10.3, 14.4) searches the cells (1,3) to (5,6); Iwai et al. would begin at (1,2).",
		fmt.Sprintf("Eq. 4 gives (%d,%d) to (%d,%d).", cells[0], cells[1], cells[2], cells[3]), "the printed cells", holds, Fails, why), nil
}
