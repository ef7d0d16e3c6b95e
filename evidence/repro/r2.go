package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/neighbor"
)

// table2004 is one of tables 1 to 3 of Leszczynski and Ciesielski 2004. The table shows the seconds
// of the novel algorithm, and the seconds of linked cells for several numbers m² of cells in the
// square.
type table2004 struct {
	name  string
	side  float64
	disks func(random *rand.Rand, side float64, n int) []neighbor.Disk
	n     int
	novel float64
	lcm   []cells2004
}

type cells2004 struct {
	name string
	m    int
	s    float64
}

// tables2004 are the tables of the paper, which does not print the sides of the squares. A cell
// must not be smaller than the largest diameter. Table 1 has 100 cells and diameters up to 1, so
// the side is 10. This side results in the density of figure 2. Table 2 has 9 cells and diameters
// up to 2, so the side is 6. Table 3 also has side 6, with one cell for the particle of diameter
// 5.64.
var tables2004 = []table2004{
	{"table 1: 10,000 particles, d ∈ [0.02, 1]", 10,
		func(random *rand.Rand, side float64, n int) []neighbor.Disk {
			return randomDisks(random, n, side, 0.02, 1)
		}, 10000,
		1.627, []cells2004{{"LCM100", 10, 1.141}, {"LCM204", 7, 2.296}, {"LCM625", 4, 8.828}, {"LCM1111", 3, 12.332}}},
	{"table 2: 100 particles, d ∈ [0.1, 2]", 6,
		func(random *rand.Rand, side float64, n int) []neighbor.Disk {
			return randomDisks(random, n, side, 0.1, 2)
		}, 100,
		0.37, []cells2004{{"LCM11", 3, 1.01}, {"LCM25", 2, 1.4}, {"LCM100", 1, 1.59}}},
	{"table 3: 100 particles with d ∈ [0.1, 0.3] and one particle with d = 5.64", 6,
		func(random *rand.Rand, side float64, n int) []neighbor.Disk {
			disks := randomDisks(random, n, side, 0.1, 0.3)
			return append(disks, neighbor.Disk{Center: r2.Point{X: side / 2, Y: side / 2}, Radius: 2.82})
		}, 100,
		0.197, []cells2004{{"LCM101", 1, 1.38}}},
}

// runR2 repeats tables 1 to 3 of Leszczynski and Ciesielski 2004.
func runR2(ctx context.Context, r *Run) (*Result, error) {
	table := Table{Name: "R2-tables", Long: true, Title: "Ratios to the novel algorithm: the paper's times, work, and our times (not judged)",
		Columns: []string{"case", "method", "the paper", "work", "time", "tests a particle"}}
	res := &Result{Notes: []string{"The paper does not print the sides of the squares. Here they are 10 (table 1) and 6, so that no cell is smaller than the largest particle."}}
	r.progress.plan(len(tables2004))
	for k, t := range tables2004 {
		disks := t.disks(rand.New(rand.NewPCG(uint64(k), 2004)), t.side, pick(r.Size, 100, t.n, t.n))
		methods := []detection[neighbor.Disk]{{"novel alg.", func() neighbor.Method[neighbor.Disk] { return &radialScan[neighbor.Disk]{} }}}
		for _, c := range t.lcm {
			methods = append(methods, detection[neighbor.Disk]{c.name, func() neighbor.Method[neighbor.Disk] {
				return newCellGrid[neighbor.Disk](t.side / float64(c.m))
			}})
		}
		methods = append(methods, detection[neighbor.Disk]{"hierarchical grid (ours)", func() neighbor.Method[neighbor.Disk] {
			return neighbor.NewHierarchicalGrid[neighbor.Disk](neighbor.GridOptions{Workers: r.Threads})
		}})
		got, err := detect(ctx, r, disks, methods)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		agree := 0
		paper, ours := "", ""
		for i, m := range methods {
			printed, ratio := any("–"), got[i].work/got[0].work
			switch {
			case i == 0:
				printed = 1.0
			case i <= len(t.lcm):
				c := t.lcm[i-1]
				printed = c.s / t.novel
				if (c.s > t.novel) == (ratio > 1) {
					agree++
				}
				paper += fmt.Sprintf("%s %.2f, ", c.name, c.s/t.novel)
				ours += fmt.Sprintf("%s %.2f, ", c.name, ratio)
			}
			table.Add(t.name, m.name, printed, ratio, got[i].seconds/got[0].seconds, float64(got[i].tests)/float64(len(disks)))
		}
		why := ""
		for i := 2; i <= len(t.lcm); i++ {
			if got[i].tests == got[i-1].tests {
				why += fmt.Sprintf("%s and %s both test all pairs. ", t.lcm[i-2].name, t.lcm[i-1].name)
			}
		}
		s := counted(fmt.Sprintf("R2.table%d", k+1), fmt.Sprintf("who wins in table %d", k+1), fmt.Sprintf("Table %d (%s): multiples of novel's time: %s.", k+1, t.name[len("table 1: "):], paper[:len(paper)-2]), "Multiples of work: "+ours[:len(ours)-2]+".",
			"each on the same side of 1", agree == len(t.lcm), Kernel, strings.TrimSpace(why)).number(fmt.Sprintf("%s: %.2f times the work", t.lcm[0].name, got[1].work/got[0].work))
		if r.Size == Tiny {
			s = s.unchecked()
		}
		res.Statements = append(res.Statements, s)
		r.progress.step(t.name)
	}
	res.Tables = []Table{table}
	s, err := dispersion(ctx, pick(r.Size, 500, 10000, 10000))
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, s)
	return res, nil
}

// dispersion compares disks of one size with disks of many sizes and the same mean diameter. Cells are
// as large as the largest disk.
func dispersion(ctx context.Context, n int) (Statement, error) {
	const mean = 0.05
	side := math.Sqrt(float64(n) / density2004[0])
	var novel, lcm [2]float64
	for k, half := range []float64{0, 0.9 * mean} {
		disks := randomDisks(rand.New(rand.NewPCG(4, 2004)), n, side, mean-half, mean+half)
		scan, cells := &radialScan[neighbor.Disk]{}, newCellGrid[neighbor.Disk](mean+half)
		for i, m := range []neighbor.Method[neighbor.Disk]{scan, cells} {
			if err := m.Update(ctx, disks); err != nil {
				return Statement{}, err
			}
			[]*[2]float64{&novel, &lcm}[i][k] = float64(m.Stats().Tests)
		}
	}
	a, b := novel[1]/novel[0], lcm[1]/lcm[0]
	return counted("R2.dispersion", "only LCM suffers from wide ranges of size", "§4: the dispersion of diameters influences LCM, and not novel.",
		fmt.Sprintf("With diameters from .005 to .095 instead of .05, novel has %.2f times the tests, LCM %.2f times.", a, b), "novel below 1.1, LCM above", a < 1.1 && b > 1.1, Fails, "").number(fmt.Sprintf("LCM: %.2f times the tests", b)), nil
}
