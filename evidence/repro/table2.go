package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// table2 holds the seconds of the evaluation in table 2, by grid and number of triangles.
var table2 = map[int]map[int]string{
	10: {8192: "< 1", 32768: "≈ 1", 131072: "< 1"},
	20: {8192: "≈ 1", 32768: "5", 131072: "3"},
	40: {8192: "10", 32768: "40", 131072: "24"},
	80: {8192: "83", 32768: "329", 131072: "202"},
}

// printedSeconds returns the numbers of triangles and the seconds of a row of table 2, in ascending order,
// without entries that are only limits.
func printedSeconds(grid int) (triangles, seconds []float64) {
	for _, n := range bodies2 {
		if s, err := strconv.ParseFloat(table2[grid][n], 64); err == nil {
			triangles, seconds = append(triangles, float64(n)), append(seconds, s)
		}
	}
	return triangles, seconds
}

// bodies2 holds the numbers of triangles of the bodies of table 2. firstBody2 is the number of
// refinements of the first body.
var bodies2 = []int{8192, 32768, 131072}

const firstBody2 = 5

// These are the parameters that the fit of table 2 tries: d of eq. 16, and depths of trees. Larger d need more
// solid angles than all triangles at the depths that fit.
var (
	tried2d      = []float64{1.25, 1.5, 1.75, 2, 2.5, 3, 4}
	tried2Depths = []int{1, 2, 3, 4, 5}
)

// fit2 is a fit of table 2: the paper states neither d nor the depths, and it gives times of one
// machine. If solid angles take nearly all of the time, the numbers of solid angles determine the
// three times in the row of 80³ points, up to one factor: the time of a solid angle.
type fit2 struct {
	d       float64
	depths  [3]int
	angles  [3]float64 // solid angles per point
	seconds float64    // seconds for a solid angle
	worst   float64    // largest |ln| of fitted seconds / seconds of the paper
}

// String names the parameters.
func (f fit2) String() string {
	return fmt.Sprintf("depths %d, %d, %d with d = %g", f.depths[0], f.depths[1], f.depths[2], f.d)
}

// deeper reports whether the depths are as the text says: the times fall for the third body because its
// tree is deeper.
func (f fit2) deeper() bool { return f.depths[0] == f.depths[1] && f.depths[2] > f.depths[1] }

// angles2 counts the solid angles per point, by d, depth and body.
type angles2 map[float64]map[int][3]float64

// countAngles2 counts the solid angles for a grid of n³ points.
func countAngles2(ctx context.Context, ds []float64, depths []int, n int) (angles2, error) {
	all := angles2{}
	for _, d := range ds {
		all[d] = map[int][3]float64{}
	}
	for k := range bodies2 {
		m := testmesh.Sphere(firstBody2 + k)
		tris, pts := trianglesOf(m), gridPoints(m.Box(), n)
		for _, d := range ds {
			for _, depth := range depths {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				_, near := newPrinted(tris, m.Box(), depth, d, false).evaluationOps(pts)
				x := all[d][depth]
				x[k] = near / float64(len(pts))
				all[d][depth] = x
			}
		}
	}
	return all, nil
}

// fits fits the time of a solid angle for every d and all depths that do not fall with the number of
// triangles. The best fit comes first. The time of a solid angle minimizes the largest error.
func (a angles2) fits(points float64) []fit2 {
	_, seconds := printedSeconds(80)
	var depths []int
	var list []fit2
	for d, byDepth := range a {
		depths = depths[:0]
		for depth := range byDepth {
			depths = append(depths, depth)
		}
		slices.Sort(depths)
		for i, one := range depths {
			for j, two := range depths[i:] {
				for _, three := range depths[i+j:] {
					f := fit2{d: d, depths: [3]int{one, two, three}}
					low, high := math.Inf(1), math.Inf(-1)
					for k, depth := range f.depths {
						f.angles[k] = byDepth[depth][k]
						s := seconds[k] / (f.angles[k] * points)
						low, high = min(low, s), max(high, s)
					}
					f.seconds, f.worst = math.Sqrt(low*high), math.Log(high/low)/2
					list = append(list, f)
				}
			}
		}
	}
	slices.SortFunc(list, func(x, y fit2) int {
		return cmp.Or(cmp.Compare(x.worst, y.worst), cmp.Compare(x.d, y.d), slices.Compare(x.depths[:], y.depths[:]))
	})
	return list
}

// fitTable2 fits the depths and d to table 2, and shows how well the best fits and their rivals agree.
func (r *Run) fitTable2(ctx context.Context, res *Result) error {
	s := counted("P2.fit", "the depths and d that fit table 2", "Table 2: its times follow from solid angles, with a deeper tree for 131,072 triangles.", "This size has no such body.", "a deeper tree, and an error below 2 %", true, Parameters, "").uncounted(FittedTo)
	if r.Size != Paper {
		res.Statements = append(res.Statements, s.unchecked())
		return nil
	}
	grids := []int{20, 40, 80}
	angles := map[int]angles2{}
	for _, n := range grids {
		var err error
		if angles[n], err = countAngles2(ctx, tried2d, tried2Depths, n); err != nil {
			return err
		}
	}
	list := angles[80].fits(float64(cube(80)))
	t := Table{Name: "P2-depths", Title: "The fits of table 2 with the smallest errors: the time of a solid angle is fitted to the three seconds with 80³ points",
		Columns: []string{"d", "depths", "solid angles a point", "ns a solid angle", "largest error %"}}
	for _, f := range list[:8] {
		t.Add(fmt.Sprintf("%g", f.d), fmt.Sprintf("%d, %d, %d", f.depths[0], f.depths[1], f.depths[2]), fmt.Sprintf("%.0f, %.0f, %.0f", f.angles[0], f.angles[1], f.angles[2]), 1e9*f.seconds, 100*math.Expm1(f.worst))
	}
	res.Tables = append(res.Tables, t)
	res.Figures = append(res.Figures, errorsByD(list), residuals2(list, angles, grids))
	best := list[0]
	ours := fmt.Sprintf("The %s and %.0f ns a solid angle fit best: %.1f %%.", best, 1e9*best.seconds, 100*math.Expm1(best.worst))
	why := ""
	for _, f := range list {
		if f.deeper() && f.depths != best.depths {
			why = fmt.Sprintf("Next are the %s: %.1f %%.", f, 100*math.Expm1(f.worst))
			break
		}
	}
	s = counted(s.ID, s.Phrase, s.Paper, ours, s.Criterion, best.deeper() && best.worst < 0.02, Parameters, why).uncounted(FittedTo)
	res.Statements = append(res.Statements, s)
	return nil
}

// errorsByD shows the errors of the fits whose depths agree with the text.
func errorsByD(list []fit2) Figure {
	f := Figure{Name: "P2-fit", Title: "Fits of table 2: largest error by d, for depths that agree with the text", X: "d in eq. 16", Y: "largest error [%]", LogY: true}
	for hue, first := range []int{2, 3, 4} {
		s := Series{Name: fmt.Sprintf("depths %d, %d, %d", first, first, first+1), Hue: hue + 1}
		for _, d := range tried2d {
			for _, x := range list {
				if x.d == d && x.depths == [3]int{first, first, first + 1} {
					s.Add(d, 100*math.Expm1(x.worst))
				}
			}
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// residuals2 shows the fitted seconds divided by the seconds of the paper. It shows the best fit, and the
// best fit with the depths 2, 2, 3. The numbers of 20³ and 40³ points are not part of the fit.
func residuals2(list []fit2, angles map[int]angles2, grids []int) Figure {
	f := Figure{Name: "P2-residuals", Title: "Fits of table 2: fitted seconds / printed seconds", X: "printed seconds", Y: "fitted / printed", LogX: true}
	shallow := list[slices.IndexFunc(list, func(x fit2) bool { return x.d == list[0].d && x.depths == [3]int{2, 2, 3} })]
	for hue, x := range []fit2{list[0], shallow} {
		s := Series{Name: x.String(), Hue: hue + 1, Style: Marks}
		for _, n := range grids {
			for k, triangles := range bodies2 {
				if printed, err := strconv.ParseFloat(table2[n][triangles], 64); err == nil {
					s.Add(printed, angles[n][x.d][x.depths[k]][k]*float64(cube(n))*x.seconds/printed)
				}
			}
		}
		f.Series = append(f.Series, s)
	}
	rounding := [2]Series{{Name: "rounding of the paper", Style: Prediction, Hue: 8}, {Name: "rounding, lower", Style: Prediction, Hue: 8}}
	for _, s := range []float64{3, 5, 10, 20, 40, 80, 160, 330} {
		rounding[0].Add(s, (s+0.5)/s)
		rounding[1].Add(s, (s-0.5)/s)
	}
	f.Series = append(f.Series, rounding[0], rounding[1])
	return f
}
