package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// runP2 repeats tables 1 and 2 of Muth, Of, Eberhard, Steinbach 2006: the costs of the operations, and
// the evaluation without the set-up.
func runP2(ctx context.Context, r *Run) (*Result, error) {
	res := &Result{}
	if err := r.costs(ctx, res); err != nil {
		return nil, err
	}
	if err := r.fitTable2(ctx, res); err != nil {
		return nil, err
	}
	first, last := pick(r.Size, 1, 4, 5), pick(r.Size, 2, 5, 7)
	grids := pick(r.Size, []int{4, 6}, []int{10, 20, 40}, []int{10, 20, 40, 80})
	all, err := r.contestAll(ctx, spheres(first, last), grids, []string{methodPC})
	if err != nil {
		return nil, err
	}
	for _, x := range all {
		if x.wrong > 0 {
			return nil, fmt.Errorf("%d triangles, %d points: %d sides differ from the results of package cells", x.triangles, x.points, x.wrong)
		}
	}
	t := Table{Name: "P2-table2", Title: "Table 2, the evaluation alone with FMM PC: seconds of the paper (2.8 GHz), our operations and seconds (one process, not judged)",
		Columns: []string{"points", "triangles", "depth", "the paper s", "operations", "solid angles a point", "s", "paper / ours"}}
	for _, n := range grids {
		for k := first; k <= last; k++ {
			triangles := testmesh.Sphere(k).NumFaces()
			a, _ := at(all, methodPC, triangles, n)
			printed, ok := table2[n][triangles]
			if !ok {
				printed = "–"
			}
			ratio := any("–")
			if s, err := strconv.ParseFloat(printed, 64); err == nil {
				ratio = s / a.evaluation
			}
			t.Add(fmt.Sprintf("%d³", n), triangles, a.depth, printed, a.evaluationOps, a.near/float64(a.points), a.evaluation, ratio)
		}
	}
	res.Tables = append(res.Tables, t)
	_, points := linearity(all, methodPC, grids, 0, operations, evaluationOnly)
	res.Statements = append(res.Statements, counted("P2.points", "", "Table 2: the evaluation is linear in the number of points.", "Exponents of its operations, one a body: "+exponents(points)+".", ".95–1.05", exponentsWithin(points, 0.95, 1.05), Fails, ""))
	s := counted("P2.deeper", "a deeper tree makes the evaluation cheaper", "Table 2: due to a deeper tree, 131,072 triangles are evaluated in .61 of the time of 32,768.", "This size has no such body.", "below 1", true, Parameters, "").uncounted(FittedTo)
	a, ok := at(all, methodPC, 32768, 80)
	if b, ok2 := at(all, methodPC, 131072, 80); ok && ok2 {
		factor := b.evaluationOps / a.evaluationOps
		s = counted(s.ID, s.Phrase, s.Paper, fmt.Sprintf("The factor of the operations is %.2f, with the depths %d and %d.", factor, b.depth, a.depth), s.Criterion, factor < 1, Parameters, fmt.Sprintf("In time: %.2f.", b.evaluation/a.evaluation)).uncounted(FittedTo)
	} else {
		s = s.unchecked()
	}
	res.Statements = append(res.Statements, s)
	return res, nil
}

// nearOffsets is the number of clusters in the near field of a cluster whose radius is half its
// diagonal. These are the cells whose centers are at most (d+1)·√3/2 = 2.6 edges away.
const nearOffsets = 81

// costs counts the operations of Table 1 for trees of growing depth of the finest sphere.
func (r *Run) costs(ctx context.Context, res *Result) error {
	const bound = 8 * nearOffsets // c_d: the sons of the near field of the father
	m := testmesh.Sphere(pick(r.Size, 3, 5, 7))
	tris, n := trianglesOf(m), float64(m.NumFaces())
	pts := gridPoints(m.Box(), pick(r.Size, 8, 20, 40))
	t := Table{Name: "P2-table1", Title: fmt.Sprintf("Table 1, counted for %d triangles (p = %d) by the depth of the trees", m.NumFaces(), degree2006(m.NumFaces())),
		Columns: []string{"depth", "N_ω", "N_σ / N_ω", "conversions / N_ω (bound 648)", "triangles a cluster", "solid angles a point / triangles a cluster (bound 81)"}}
	holds := true
	var across, targets, near float64
	for depth := 1; depth <= pick(r.Size, 3, 4, 6); depth++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := newPrinted(tris, m.Box(), depth, admissible2006, false)
		_, angles := f.evaluationOps(pts)
		c, leaf := f.counts, n/float64(len(f.levels[depth].omega))
		across, targets, near = max(across, c.across/c.clusters), max(targets, c.targets/c.clusters), max(near, angles/float64(len(pts))/leaf)
		t.Add(depth, int(c.clusters), c.targets/c.clusters, c.across/c.clusters, leaf, angles/float64(len(pts))/leaf)
		holds = holds && c.across <= bound*c.clusters && c.targets <= bound*c.clusters && angles <= nearOffsets*leaf*float64(len(pts))
	}
	res.Tables = append(res.Tables, t)
	res.Statements = append(res.Statements, counted("P2.costs", "the costs of table 1", "Table 1: N_ω clusters of triangles need at most c_d N_ω clusters of points (N_σ) and conversions; a near field has the O(log² N) triangles of O(1) clusters.",
		fmt.Sprintf("N_σ is at most %s N_ω, the conversions %s N_ω, and the near field %s clusters.", short(targets), short(across), short(near)), "c_d = 648 and 81 clusters", holds, Fails, ""))
	return nil
}
