package main

import (
	"context"
	"fmt"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// runP3 repeats figures 12 to 15 of Muth, Of, Eberhard, Steinbach 2006.
func runP3(ctx context.Context, r *Run) (*Result, error) {
	// At size paper, the foams have 28,792, 118,304 and 488,448 triangles.
	bodies := []func() *mesh.Mesh{}
	for _, resolution := range pick(r.Size, []int{8, 12}, []int{10, 14, 20}, []int{20, 38, 75}) {
		opt := testmesh.FoamOptions{Resolution: resolution, Seed: 1}
		if r.Size == Paper {
			opt.Seed = 0
		}
		bodies = append(bodies, func() *mesh.Mesh { return testmesh.Foam(opt) })
	}
	grids := pick(r.Size, []int{4, 6}, []int{10, 20}, []int{10, 20, 40, 80})
	all, err := r.contestAll(ctx, bodies, grids, methods)
	if err != nil {
		return nil, err
	}
	largest := bodies[len(bodies)-1]().NumFaces()
	smallest := crossingText(series(all, methodPC, grids[0], ""), series(all, methodRC, grids[0], ""))
	return &Result{
		Figures: pipFigures(all, grids, "foams", [4]string{"P3-fig12", "P3-fig13", "P3-fig14", "P3-fig15"}),
		Tables: []Table{
			crossingTable(all, grids, "P3-crossings", "Ranges of the number of triangles in which one method is faster than another. The total times are compared"),
			fasterTable(all, largest, grids[len(grids)-1], "P3-faster"),
			timesTable("P3-times", "All times", all),
		},
		Statements: append(pipStatements(all, grids, 0), Statement{
			fmt.Sprintf("For the smallest grid, %d³ points, ray crossing is faster than FMM PC (§3.2).", grids[0]),
			"FMM PC is faster than RC in this range of triangles: " + smallest, verdict(smallest == "nowhere")}),
		Notes: append(pipNotes(r), "The foams of the paper are not public. They have 28,952, 120,868 and 494,124 triangles. The open-cell foams here are struts around the edges of Voronoi cells. "+
			"With `--size paper`, their numbers of triangles are within 3 % of the paper's numbers. With other sizes they are smaller."),
	}, nil
}
