package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// runV4 checks eqs. 3 and 4, other counts of §2.2, and figure 10 of Muth, Müller, Eberhard, Luding
// 2007.
func runV4(ctx context.Context, r *Run) (*Result, error) {
	res := &Result{}
	if err := testEstimates(ctx, r, res); err != nil {
		return nil, err
	}
	if err := contactMatrix(ctx, r, res); err != nil {
		return nil, err
	}
	s, err := verletStatement(ctx, r)
	res.Statements = append(res.Statements, s)
	return res, err
}

// estimate3 is eq. 3: the number of tests with n particles in m cells along each of d axes.
func estimate3(n, m, d int) float64 {
	cells := math.Pow(float64(m), float64(d))
	perCell := float64(n) / cells
	return (math.Pow(3, float64(d))*perCell*perCell/2 - perCell/2) * cells
}

// cellCount holds the counts of linked cells of size 1 with random particles.
type cellCount struct {
	n             int // particles
	tests, visits float64
}

// countCells counts n random particles in m cells along each of d axes. It fails if another method
// finds different contacts.
func countCells(ctx context.Context, n, m, d int) (cellCount, error) {
	random := rand.New(rand.NewPCG(3, uint64(d)))
	if d == 2 {
		g := newCellGrid[neighbor.Disk](1)
		err := sameContacts(ctx, g, neighbor.NewHierarchicalGrid[neighbor.Disk](neighbor.GridOptions{}), randomDisks(random, n, float64(m), 0.01, 0.4))
		return cellCount{n, float64(g.stats.Tests), float64(g.visits)}, err
	}
	g := newCellGrid[neighbor.Sphere](1)
	err := sameContacts(ctx, g, neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{}), randomBalls(random, n, float64(m), 0.01, 0.4))
	return cellCount{n, float64(g.stats.Tests), float64(g.visits)}, err
}

// sameContacts fails if two methods find different contacts.
func sameContacts[T neighbor.Body](ctx context.Context, a, b neighbor.Method[T], bodies []T) error {
	for _, m := range []neighbor.Method[T]{a, b} {
		if err := m.Update(ctx, bodies); err != nil {
			return err
		}
	}
	if !slices.Equal(a.Pairs(), b.Pairs()) {
		return fmt.Errorf("%d particles: linked cells find %d contacts, but another method finds %d", len(bodies), len(a.Pairs()), len(b.Pairs()))
	}
	return nil
}

// testEstimates compares the estimates of the numbers of tests with counts for random particles.
func testEstimates(ctx context.Context, r *Run, res *Result) error {
	table := Table{Name: "V4-tests", Long: true, Title: "Tests of linked cells with n_c particles a cell: counted and estimated", Columns: []string{"axes", "n_c", "particles", "counted", "eq. 3", "eq. 4 (13.5 n n_c in space)", "cells visited for a particle"}}
	plane, space := pick(r.Size, 20, 60, 100), pick(r.Size, 8, 16, 30)
	var visits []float64
	var off4, eqs4 []float64 // in the plane: the counts against eq. 4, and eq. 3 against eq. 4
	off3 := 0.0              // the largest difference of the counts from eq. 3
	for _, c := range []struct{ d, m, perCell int }{{2, plane, 3}, {2, plane, 10}, {2, plane, 30}, {3, space, 3}} {
		n := c.perCell * int(math.Pow(float64(c.m), float64(c.d)))
		got, err := countCells(ctx, n, c.m, c.d)
		if err != nil {
			return err
		}
		e3, e4 := estimate3(n, c.m, c.d), []float64{4.5, 13.5}[c.d-2]*float64(n)*float64(c.perCell)
		table.Add(c.d, c.perCell, n, got.tests, e3, e4, got.visits/float64(n))
		if c.perCell == 3 {
			off3 = max(off3, math.Abs(got.tests/e3-1))
			visits = append(visits, got.visits/float64(n))
		}
		if c.d == 2 {
			off4, eqs4 = append(off4, math.Abs(got.tests/e4-1)), append(eqs4, math.Abs(e3/e4-1))
		}
	}
	few, err := fewCells(ctx)
	if err != nil {
		return err
	}
	each := func(x []float64) string {
		return fmt.Sprintf("%.1f, %.1f and %.1f %%", 100*x[0], 100*x[1], 100*x[2])
	}
	res.Tables = append(res.Tables, table)
	res.Statements = append(res.Statements,
		counted("V4.eq3", "eq. 3", "Eq. 3: with n_c particles in each of m^d cells (d axes), LC tests (3^d n_c²/2 − n_c/2) m^d pairs, away from walls.", fmt.Sprintf("For n_c = 3 counts differ by at most %s.", percent(off3)), "15 %", off3 < 0.15, Fails, "Cells at walls have fewer neighbors."),
		quiet(counted("V4.eq4", "eq. 4", "Eq. 4: for large n_c, 4.5 n n_c is almost identical to eq. 3 in the plane.", fmt.Sprintf("For n_c = 3, 10, 30 they differ by %s; counts from eq. 4 by %s.", each(eqs4), each(off4)), "1 % and 5 % for 30", eqs4[2] < 0.01 && off4[2] < 0.05, Fails, "")),
		quiet(counted("V4.half", "(3^d + 1)/2 cells suffice", "§2.2: only (3^d + 1)/2 cells need to be examined.", fmt.Sprintf("%s cells in the plane and %s in space, on average; all contacts are found.", short(visits[0]), short(visits[1])), "at most 5 and 14", visits[0] <= 5 && visits[1] <= 14, Fails, "")),
		few)
	return nil
}

// fewCells compares linked cells with all pairs for two and three cells along an axis.
func fewCells(ctx context.Context) (Statement, error) {
	const perCell = 30
	shares := map[[2]int]float64{}
	for _, d := range []int{2, 3} {
		for _, m := range []int{2, 3} {
			n := perCell * int(math.Pow(float64(m), float64(d)))
			c, err := countCells(ctx, n, m, d)
			if err != nil {
				return Statement{}, err
			}
			shares[[2]int{d, m}] = (c.tests + overhead*c.visits) / float64(n*(n-1)/2)
		}
	}
	at := func(d, m int) string { return short(shares[[2]int{d, m}]) }
	return counted("V4.three", "three cells an axis are no benefit", "§2.2: m ≤ 3 cells an axis are no benefit over all pairs.", fmt.Sprintf("For m = 3, LC needs %s in the plane and %s in space of the work of all pairs; %s and %s for m = 2.", at(2, 3), at(3, 3), at(2, 2), at(3, 2)),
		"at least 1", shares[[2]int{2, 3}] >= 1 && shares[[2]int{3, 3}] >= 1 && shares[[2]int{2, 2}] >= 1 && shares[[2]int{3, 2}] >= 1, Fails, "It follows from eq. 3, which neglects walls."), nil
}

// contactMatrix repeats figure 10: 300 disks fall for two seconds. The matrix has the pairs whose
// boxes overlap. It is drawn for the first and the last time, and counted at matrixTimes times.
func contactMatrix(ctx context.Context, r *Run, res *Result) error {
	const n, columns, radius, width, gap, matrixTimes = 300, 15, 1e-3, 0.1, 2.02e-3, 20
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
	f := Figure{Name: "V4-fig10", Title: "300 falling disks: pairs whose boxes overlap", X: "number of the first disk", Y: "number of the second disk"}
	first, far, most := 0, 0, 0
	for k := range matrixTimes + 1 {
		for w.Time() < duration*float64(k)/matrixTimes {
			if err := w.Step(ctx); err != nil {
				return err
			}
		}
		list, err := boxPairs(ctx, w.Disks())
		if err != nil {
			return err
		}
		most = max(most, len(list))
		if k > 0 && k < matrixTimes {
			continue
		}
		s := Series{Name: "at the start", Style: Marks, Hue: 1}
		if k > 0 {
			s.Name, s.Hue = fmt.Sprintf("after %g s", duration), 2
		}
		for _, p := range list {
			s.Add(float64(p.A), float64(p.B))
			if k == 0 {
				first, far = len(list), max(far, int(p.B-p.A))
			}
		}
		f.Series = append(f.Series, s)
	}
	share := 100 * float64(most) / (n * (n - 1) / 2)
	res.Figures = append(res.Figures, f)
	res.Statements = append(res.Statements,
		quiet(counted("V4.diagonal", "at first only near numbers are neighbors", "Figure 10: at first only near numbers have overlapping boxes.", fmt.Sprintf("The numbers of the %d pairs differ by at most %d.", first, far), fmt.Sprintf("a row and one, %d", columns+1), far <= columns+1, Parameters, "")),
		counted("V4.sparse", "the matrix of pairs stays sparse", "Figure 10: the matrix of pairs is always sparse.", fmt.Sprintf("At %d times at most %.1f %% are pairs.", matrixTimes+1, share), "below 5 %", share < 5, Parameters, ""))
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
