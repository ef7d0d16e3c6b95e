package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// muchLower is the largest ratio of the angles of repose that we call “much lower”. The paper states no
// number.
const muchLower = 0.75

// runS4 compares the angles of repose of round and of angular particles (Schinner 1999, §1).
func runS4(ctx context.Context, r *Run) (*Result, error) {
	plan := pick(r.Size, heapPlan{20, 2, 6, 6}, heapPlan{40, 2, 10, 12}, heapPlan{300, 10, 25, 40})
	kinds := []struct {
		name  string
		shape grain
	}{{"round", roundGrain}, {"angular", angularGrain}}
	table := Table{Name: "S4-heaps", Long: true, Title: "Angles of repose: of each heap, and of the same heap when a quarter of the time is left",
		Columns: []string{"particles", "heap", "angle °", "angle before °", "height"}}
	f := Figure{Name: "S4-surface", Title: fmt.Sprintf("Heaps of %d particles: mean surface and its range", plan.particles),
		X: "distance from the middle [mean radii]", Y: "height [mean radii]"}
	r.progress.plan(len(kinds) * plan.heaps)
	all := make([][]float64, len(kinds))
	for k, kind := range kinds {
		var angles []float64
		var surfaces [][]float64
		for seed := range plan.heaps {
			h, err := plan.build(ctx, kind.shape, uint64(seed), r.Threads)
			if err != nil {
				return nil, fmt.Errorf("heap %d of %s particles: %w", seed, kind.name, err)
			}
			angles, surfaces = append(angles, h.angle), append(surfaces, h.surface)
			table.Add(kind.name, seed, h.angle, h.before, slices.Max(h.surface))
			r.progress.step(kind.name)
		}
		all[k] = angles
		curve := Series{Name: kind.name, Hue: k + 1}
		for i := range surfaces[0] {
			var y []float64
			for _, s := range surfaces {
				y = append(y, s[i])
			}
			curve.AddRange(heapBin*float64(i-len(surfaces[0])/2), stat.Mean(y, nil), slices.Min(y), slices.Max(y))
		}
		f.Series = append(f.Series, curve)
	}
	s := reposeStatement(all[0], all[1])
	if r.Size != Paper {
		s = s.unchecked() // heaps of so few particles are too low for a flank
	}
	return &Result{Figures: []Figure{f}, Tables: []Table{table}, Statements: []Statement{s},
		Notes: []string{fmt.Sprintf("%d columns of %d particles (round: %d corners, angular: 4–7), twice as wide as high, collapse on rough ground; μ = %.1f. Lines fit both flanks from 80 to 20 %% of the height. Intervals: 95 %%.",
			plan.heaps, plan.particles, roundCorners, heapFriction)}}, nil
}

// reposeStatement judges the angles of repose of heaps. The range of the ratio of the means follows from the ends of
// both 95 % intervals.
func reposeStatement(round, angular []float64) Statement {
	a, b := newMeanAngle(round), newMeanAngle(angular)
	least, most := (a.mean-a.error)/(b.mean+b.error), (a.mean+a.error)/(b.mean-b.error)
	if b.mean <= b.error {
		most = math.Inf(1) // the angle of angular particles can be 0
	}
	s := counted("S4.repose", "heaps of round particles are much flatter", "§1: “The angle of repose for heaps built from round particles is much lower than for realistic rough particles.”",
		fmt.Sprintf("Round %s, angular %s; ratio %.3f (%.3f–%.3f).", a, b, a.mean/b.mean, least, most),
		"at most .75", b.mean > b.error && most <= muchLower, Parameters,
		fmt.Sprintf("Single heaps: %.1f°–%.1f° and %.1f°–%.1f°. The paper has neither friction nor numbers.", slices.Min(round), slices.Max(round), slices.Min(angular), slices.Max(angular))).number(fmt.Sprintf("%.3f (%.3f–%.3f) of the angle", a.mean/b.mean, least, most))
	if least <= muchLower && most > muchLower {
		s.Verdict, s.Cause, s.Why = Inconclusive, Noise, "the measured range includes our limit, so the answer could be yes or no. "+s.Why
	}
	return s
}

// meanAngle is the mean of some angles in degrees, and half the width of its 95 % confidence interval
// (Student's t-distribution).
type meanAngle struct{ mean, error float64 }

// newMeanAngle returns the mean of at least two angles.
func newMeanAngle(angles []float64) meanAngle {
	mean, deviation := stat.MeanStdDev(angles, nil)
	n := float64(len(angles))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return meanAngle{mean, t * deviation / math.Sqrt(n)}
}

func (m meanAngle) String() string { return fmt.Sprintf("%.1f° ± %.1f°", m.mean, m.error) }
