package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// runP3 repeats figures 12 to 15 of Muth, Of, Eberhard, Steinbach 2006.
func runP3(ctx context.Context, r *Run) (*Result, error) {
	// At size paper, the foams have 28,792, 118,304 and 488,448 triangles.
	bodies := []func() *mesh.Mesh{}
	for _, resolution := range pick(r.Size, []int{8, 12}, []int{10, 14, 20}, []int{20, 38, 75}) {
		opt := mesh.FoamOptions{Resolution: resolution, Seed: 1}
		if r.Size == Paper {
			opt.Seed = 0
		}
		bodies = append(bodies, func() *mesh.Mesh { return testmesh.Foam(opt) })
	}
	grids := pick(r.Size, []int{4, 6}, []int{10, 20}, []int{10, 20, 40, 80})
	chosen := methods
	if r.TimesOnly && !r.AllMethods { // the set-up of FMM PC takes long, and its time decides nothing
		chosen = slices.DeleteFunc(slices.Clone(methods), func(m string) bool { return m == methodPC })
	}
	all, err := r.contestAll(ctx, bodies, grids, chosen)
	if err != nil {
		return nil, err
	}
	if r.TimesOnly {
		return &Result{}, nil
	}
	rc, pc := series(all, methodRC, grids[0], operations), series(all, methodPC, grids[0], operations)
	least, most := math.Inf(1), 0.0
	for i := range rc.Y {
		least, most = min(least, pc.Y[i]/rc.Y[i]), max(most, pc.Y[i]/rc.Y[i])
	}
	f := newFamily("P3", "foams", all, grids, 0, r.Size)
	why := ""
	if f.better(methodPC, f.grid()) == "nowhere" {
		why = fmt.Sprintf("PC also needs more with %d³ points.", f.grid())
	}
	list := append(f.statements(r), counted("P3.smallest", "RC beats FMM PC for few points", fmt.Sprintf("§3.2: for the smallest grid (%d³ points) RC is better than FMM PC.", grids[0]),
		fmt.Sprintf("PC needs %s to %s times the operations of RC.", short(least), short(most)), "above 1", least > 1, Kernel, why))
	return &Result{
		Figures:    pipFigures(all, grids, "foams", [2]string{"P3-fig15", "P3-times"}),
		Tables:     []Table{hidden(rangesTable(all, grids, "P3-ranges")), hidden(endsTable(all, grids, "P3-ends")), timesTable("P3-all", all)},
		Statements: list,
		Notes:      []string{"The foams of the paper (28,952, 120,868 and 494,124 triangles) are not public. Ours have struts around the edges of Voronoi cells; at size paper their numbers of triangles are within 3 %."},
	}, nil
}
