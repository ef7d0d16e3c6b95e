package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// runV4 checks eqs. 3 to 5 and figures 9 and 10 of Muth, Müller, Eberhard, Luding 2007.
func runV4(ctx context.Context, r *Run) (*Result, error) {
	res := &Result{}
	if err := testEstimates(ctx, r, res); err != nil {
		return nil, err
	}
	return res, contactMatrix(ctx, r, res)
}

// estimate3 is eq. 3: the number of tests with n particles in m cells along each of d axes.
func estimate3(n, m, d int) float64 {
	cells := math.Pow(float64(m), float64(d))
	perCell := float64(n) / cells
	return (math.Pow(3, float64(d))*perCell*perCell/2 - perCell/2) * cells
}

// testEstimates compares the estimates of the numbers of tests with counts for random particles.
func testEstimates(ctx context.Context, r *Run, res *Result) error {
	table := Table{Name: "V4-tests", Long: true, Title: "Tests of linked cells with three particles a cell: counted and estimated", Columns: []string{"axes", "particles", "counted", "eq. 3", "eq. 4 (13.5 n n_c in space)", "counted / eq. 3"}}
	worst, close2 := 0.0, 0.0
	for _, c := range []struct{ d, m int }{{2, pick(r.Size, 20, 60, 100)}, {3, pick(r.Size, 8, 16, 30)}} {
		n := 3 * int(math.Pow(float64(c.m), float64(c.d)))
		random := rand.New(rand.NewPCG(3, uint64(c.d)))
		var tests uint64
		if c.d == 2 {
			g := newCellGrid[neighbor.Disk](1)
			if err := g.Update(ctx, randomDisks(random, n, float64(c.m), 0.01, 0.02)); err != nil {
				return err
			}
			tests = g.stats.Tests
		} else {
			g := newCellGrid[neighbor.Sphere](1)
			if err := g.Update(ctx, randomBalls(random, n, float64(c.m), 0.01, 0.02)); err != nil {
				return err
			}
			tests = g.stats.Tests
		}
		e3, e4 := estimate3(n, c.m, c.d), []float64{4.5, 13.5}[c.d-2]*float64(n)*3
		table.Add(c.d, n, int(tests), e3, e4, float64(tests)/e3)
		worst = max(worst, math.Abs(float64(tests)/e3-1))
		if c.d == 2 {
			close2 = math.Abs(e3/e4 - 1)
		}
	}
	m, brute := 100, neighbor.NewBruteForce[neighbor.Disk]()
	if err := brute.Update(ctx, randomDisks(rand.New(rand.NewPCG(5, 5)), m, 10, 0.1, 0.2)); err != nil {
		return err
	}
	res.Tables = append(res.Tables, table)
	res.Statements = append(res.Statements,
		counted("V4.eq3", "eqs. 3 to 5", "Eq. 3: LC tests (3^d n_c²/2 − n_c/2) m^d pairs, away from the edge.", fmt.Sprintf("With n_c = 3 the counts differ by at most %s.", percent(worst)), "20 %", worst < 0.2, Fails, "Cells at the edge have fewer neighbors; random particles make n_c vary, which adds n_c/2 a cell."),
		counted("V4.eq4", "", "Eq. 4: 4.5 n n_c is almost identical to eq. 3 in the plane.", fmt.Sprintf("For n_c = 3 they differ by %s.", percent(close2)), "10 %", close2 < 0.1, Fails, ""),
		counted("V4.eq5", "", "Eq. 5: without a method there are n(n−1)/2 tests.", fmt.Sprintf("%d for n = %d.", brute.Stats().Tests, m), "n(n−1)/2", brute.Stats().Tests == uint64(m*(m-1)/2), Fails, ""))
	return nil
}

// contactMatrix repeats figures 9 and 10: 300 disks fall for two seconds. The matrix of the pairs
// whose boxes overlap is first near the diagonal, and always sparse.
func contactMatrix(ctx context.Context, r *Run, res *Result) error {
	const n, columns, radius, width, gap = 300, 15, 1e-3, 0.1, 2.02e-3
	duration := pick(r.Size, 0.01, 0.5, 2.0)
	opt := dem.Options{TimeStep: 5e-5, Stiffness: 2e4, Density: 7000, Workers: r.Threads}
	random := rand.New(rand.NewPCG(9, 10))
	scene := dem.DiskScene{Walls: neighbor.Rect{Max: r2.Point{X: 2 * gap * columns, Y: 1}}, Gravity: r2.Point{Y: -9.81}}
	for i := range n {
		d := neighbor.Disk{Radius: radius * (1 + width*(2*random.Float64()-1))}
		d.Center = r2.Point{X: gap * (float64(i%columns) + 0.6), Y: gap * (float64(i/columns) + 0.6)}
		scene.Disks = append(scene.Disks, d)
		scene.Velocities = append(scene.Velocities, r2.Point{X: 0.1 * random.NormFloat64(), Y: 0.1 * random.NormFloat64()})
	}
	w, err := dem.NewDisks(ctx, scene, neighbor.NewAuto[neighbor.Disk](neighbor.AutoOptions{Workers: r.Threads}), opt)
	if err != nil {
		return err
	}
	f := Figure{Name: "V4-fig10", Title: "300 falling disks: numbers of the pairs whose boxes overlap, at two times", X: "number of the first disk", Y: "number of the second disk"}
	var pairs, far [2]int
	most := 0.0
	for k, name := range []string{"at the start", fmt.Sprintf("after %g s", duration)} {
		for k == 1 && w.Time() < duration {
			if err := w.Step(ctx); err != nil {
				return err
			}
		}
		s := Series{Name: name, Style: Marks, Hue: k + 1}
		list, err := boxPairs(ctx, w.Disks())
		if err != nil {
			return err
		}
		for _, p := range list {
			s.Add(float64(p.A), float64(p.B))
			far[k] = max(far[k], int(p.B-p.A))
		}
		pairs[k] = len(list)
		most = max(most, float64(len(list))/(n*(n-1)/2))
		f.Series = append(f.Series, s)
	}
	res.Figures = append(res.Figures, f)
	res.Statements = append(res.Statements,
		counted("V4.diagonal", "", "Figure 10, left: with the numbering of the start, only bodies with near numbers have overlapping boxes.", fmt.Sprintf("The numbers of the %d pairs differ by at most %d (%d disks in a row).", pairs[0], far[0], columns), "a row and one", far[0] <= columns+1, Parameters, ""),
		counted("V4.sparse", "the matrix of pairs stays sparse", "Figure 10, right: the matrix stays sparse for all times, but not near the diagonal.", fmt.Sprintf("At most %.1f %% of its entries are pairs. After %g s their numbers differ by up to %d.", 100*most, duration, far[1]), "below 5 %", most < 0.05, Parameters, ""))
	return nil
}

// boxPairs returns the pairs of disks whose bounding boxes overlap.
func boxPairs(ctx context.Context, disks []neighbor.Disk) ([]neighbor.Pair, error) {
	var boxes []neighbor.Rect
	for _, d := range disks {
		half := r2.Point{X: d.Radius, Y: d.Radius}
		boxes = append(boxes, neighbor.Rect{Min: d.Center.Sub(half), Max: d.Center.Add(half)})
	}
	m := neighbor.NewIncrementalSort[neighbor.Rect](neighbor.SortOptions{})
	err := m.Update(ctx, boxes)
	return m.Pairs(), err
}
