package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/neighbor"
)

// levels2012 holds the numbers of levels to count. Figure 4 of the paper shows 1 to 50 levels.
var levels2012 = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 25, 30, 40, 50}

// timedLevels is the largest number of levels whose steps are measured.
const timedLevels = 12

// packings2012 returns the description of a packing of H1.
func (r *Run) packings2012(kind string, fraction float64) packingSpec {
	return packingSpec{kind, pick(r.Size, 5.0, 10, 50), pick(r.Size, 300, 4000, 125001), min(fraction, pick(r.Size, 0.2, 0.5, 1)), pick(r.Size, 5, 300, 500)}
}

func (r *Run) packingsH1() []packingSpec {
	return []packingSpec{r.packings2012("UV", 0.62), r.packings2012("US", 0.62)}
}

func (r *Run) packingsH3() []packingSpec {
	return []packingSpec{r.packings2012("UV", 0.1), r.packings2012("UV", 0.4), r.packings2012("US", 0.1), r.packings2012("US", 0.4)}
}

// countedPacking is a packing with its counts by number of levels.
type countedPacking struct {
	spec   packingSpec
	p      *packed
	list   []leveled
	chosen int // number of levels of the recipe
}

// full reports whether the packing is one of figure 4 of the paper.
func (l countedPacking) full() bool { return l.spec.n == 125001 && l.spec.fraction == 0.62 }

// short returns the name of the packing in a statement.
func (l countedPacking) short() string {
	return fmt.Sprintf("%s, ν = %g", l.spec.kind, l.spec.fraction)
}

// countPackings counts all packings, and adds the counts to a table and the curves to a figure.
func (r *Run) countPackings(ctx context.Context, name string, specs []packingSpec, f *Figure, res *Result) ([]countedPacking, error) {
	levels := pick(r.Size, levels2012[:4], levels2012[:12], levels2012)
	r.progress.plan(2 * len(levels) * len(specs))
	table := Table{Name: name + "-levels", Title: "Counts by number of levels", Long: true,
		Columns: []string{"packing", "levels", "particles a cell m", "tests a particle", "tests of balls a particle", "visited cells a particle", "work a particle", "L(m+K)", "s a step"}}
	summary := Table{Name: name + "-summary", Long: true, Title: "Counts a particle and step, with one level and with the best number of levels",
		Columns: []string{"packing", "best L", "recipe's L", "L = 1: tests", "L = 1: work", "best: tests", "best: cells", "best: work", "work, 1 level / best", "contacts a particle"}}
	var all []countedPacking
	for hue, spec := range specs {
		p, err := r.packing(ctx, spec)
		if err != nil {
			return nil, err
		}
		l := countedPacking{spec: spec, p: p, chosen: len(neighbor.OptimalLevels(p.radii(), 1, 3))}
		if l.list, err = r.levelCounts(ctx, p, levels); err != nil {
			return nil, fmt.Errorf("%s: %w", spec, err)
		}
		if name == "H1" {
			if err := r.levelTimes(ctx, p, spec.kind, l.list[:min(timedLevels, len(l.list))], func(sizes []float64) neighbor.Method[neighbor.Sphere] { return paperGrid(sizes) }); err != nil {
				return nil, err
			}
		}
		contacts, err := contactsOf(ctx, p.balls)
		if err != nil {
			return nil, err
		}
		for _, x := range l.list {
			table.Add(spec.String(), x.levels, x.load, x.tests/x.n, x.exact/x.n, x.visits/x.n, x.work()/x.n, x.predicted(), x.seconds)
		}
		one, b := l.list[0], best(l.list, work)
		summary.Add(spec.String(), b.levels, l.chosen, one.tests/one.n, one.work()/one.n, b.tests/b.n, b.visits/b.n, b.work()/b.n, one.work()/b.work(), float64(len(contacts))/b.n)
		a, c := slowdown(l.short()+", work", l.list, work), slowdown(l.short()+", eq. 7", l.list, predicted)
		a.Hue, c.Hue, c.Style = hue+1, hue+1, Prediction
		f.Series = append(f.Series, a, c)
		if t := l.list[:min(timedLevels, len(l.list))]; name == "H1" {
			s := slowdown(l.short()+", time", t, func(l leveled) float64 { return l.seconds })
			s.Hue, s.Style = hue+1, Dashed
			f.Series = append(f.Series, s)
		}
		all = append(all, l)
	}
	res.Tables = append(res.Tables, summary, table)
	return all, nil
}

// runH1 repeats figure 4 of Ogarko and Luding 2012.
func runH1(ctx context.Context, r *Run) (*Result, error) {
	if r.TimesOnly {
		return &Result{}, r.timesH1(ctx)
	}
	res := &Result{}
	f := Figure{Name: "H1-fig4", Title: "Slowdown by the number of levels: counted work, time and eq. 7", X: "number of levels L", Y: "slowdown factor SF", LogX: true, LogY: true}
	all, err := r.countPackings(ctx, "H1", r.packingsH1(), &f, res)
	if err != nil {
		return nil, err
	}
	res.Figures = []Figure{f}
	uv, us := all[0], all[1]
	rest := uv.restOfStep()
	res.Statements = append(uniformVolume(uv, rest), uniformSize(us, rest)...)
	for _, l := range all {
		res.Statements = append(res.Statements, l.eq7("H1", "eq. 7 predicts the work ("+l.spec.kind+")"))
	}
	more, err := r.variants(ctx, uv)
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, more...)
	res.Statements = append(res.Statements, counted("H1.example", "", "Figure 1: the cells from (1,3,1) to (5,6,1) are searched for particle B at (10.3, 14.4), and Iwai et al. would begin at (1,2,1).",
		"Eq. 4 begins at (1,2,1): ⌊(14.4 − 5.5)/3⌋ = 2.", "eq. 4 gives the printed cells", false, Fails, "Probably a misprint: all printed cells are right for y from 14.5 to 15.4."))
	k, why, err := r.overheads(ctx, uv, us)
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, r.timedStatement("H1.K", "K is between .2 and .45", "§3.2: K is from .2 to .45.", "A fit of a·tests + b·cells + c·N to the times of the search gives K = b/a = "+k.String()+".",
		"all of .2–.45", k, leastOverhead, mostOverhead, Kernel, why))
	boxes, err := r.boxesFirst(ctx, uv)
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, r.timedStatement("H1.boxes", "", "§2.2: testing boxes before balls usually increases the performance.", "The search takes "+boxes.String()+" of its time without boxes.", "below 1", boxes, 0, 1, Kernel,
		fmt.Sprintf("%.0f %% of the tested pairs have boxes that overlap.", 100*best(uv.list, work).exact/best(uv.list, work).tests)))
	res.Notes = []string{
		"The paper makes packings by an event-driven simulation. Here package dem relaxes overlaps, then the balls move elastically, with the overlaps of 1 % that the paper states. This does not affect the number of tests.",
		"In the chart, times are of a step with forces and integration.",
	}
	return res, nil
}

// timesH1 measures what another process judges. It leaves out one level for uniform volume, which
// takes most of the time.
func (r *Run) timesH1(ctx context.Context) error {
	var both [2]countedPacking
	for i, spec := range r.packingsH1() {
		p, err := r.packing(ctx, spec)
		if err != nil {
			return err
		}
		levels := pick(r.Size, levels2012[:4], levels2012[:12], levels2012[:12])
		var list []leveled
		for _, n := range levels[1:] {
			if len(neighbor.LevelSizes(p.radii(), 1, 3, n)) == n {
				list = append(list, leveled{levels: n})
			}
		}
		both[i] = countedPacking{spec: spec, p: p, list: list}
		if err := r.levelTimes(ctx, p, spec.kind, list, func(sizes []float64) neighbor.Method[neighbor.Sphere] { return paperGrid(sizes) }); err != nil {
			return err
		}
	}
	_, err := r.boxesFirst(ctx, both[0])
	return err
}

// gain2012 is the speed-up of the best number of levels over one level for uniform volume.
const gain2012 = 220

// restOfStep returns the time of the rest of a step (forces, integration, insertion into cells), in
// units of a test a particle, with which levels save the factor of the paper. The paper measures whole
// steps, and the rest does not depend on the levels.
func (l countedPacking) restOfStep() float64 {
	one, b := l.list[0], best(l.list, work)
	return (one.work()/one.n - gain2012*b.work()/b.n) / (gain2012 - 1)
}

// uniformVolume checks the statements about figure 4 and uniform volume.
func uniformVolume(l countedPacking, rest float64) []Statement {
	one, b := l.list[0], best(l.list, work)
	eight := b
	for _, x := range l.list {
		if x.levels == 8 {
			eight = x
		}
	}
	up := one.work() / b.work()
	list := []Statement{
		counted("H1.uv-levels", "8 levels are best for UV", "§4.3: 8 levels are best for UV.", fmt.Sprintf("The work is smallest with %d levels; with 8 it is %.0f %% larger.", b.levels, 100*(eight.work()/b.work()-1)),
			"8 levels within 10 % of the best", eight.work() <= 1.1*b.work(), Fails, ""),
		counted("H1.uv-gain", "levels save a factor of 220 for UV", "§4.3: 8 levels are about 220 times as fast as one.", fmt.Sprintf("One level needs %s times the work of %d levels (%s and %s tests a particle).", short(up), b.levels, short(one.tests/one.n), short(b.tests/b.n)),
			"220 with a rest of the step of 0–100 tests a particle", rest >= 0 && rest <= 100, Kernel, fmt.Sprintf("The paper's 220 is for whole steps: forces, integration and insertion must take as long as %s tests a particle. Our steps are %s times as fast (not judged).", short(rest), short(one.seconds/best(timed(l.list), stepTime).seconds))),
		counted("H1.recipe", "the recipe gives 7 levels", "§3.2: the recipe gives 7 levels for UV with ω = 50.", fmt.Sprintf("The recipe gives %d.", l.chosen), "7", l.chosen == 7, Parameters, "With “uniform volume” as a uniform density of volumes (∝ r²) the recipe would give fewer levels than for US."),
	}
	for i := range list {
		if !l.full() {
			list[i] = list[i].unchecked()
		}
	}
	own := l.list[0]
	for _, x := range l.list {
		if x.levels == l.chosen {
			own = x
		}
	}
	return append(list, counted("H1.even", "", "Appendix A: with 7 levels for UV, the particles a cell vary by about ±2 % between levels.",
		fmt.Sprintf("With %d levels they vary by ±%.1f %%, without the last level, which has the rest.", own.levels, 100*own.spread), "±3 %", own.spread <= 0.03, Fails, ""))
}

func stepTime(l leveled) float64 { return l.seconds }

// timed returns the rows with a measured time.
func timed(list []leveled) []leveled {
	return slices.DeleteFunc(slices.Clone(list), func(l leveled) bool { return math.IsNaN(l.seconds) })
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// uniformSize checks the statements about figure 4 and uniform size. The rest of a step is that of
// uniform volume.
func uniformSize(l countedPacking, rest float64) []Statement {
	one, b, two := l.list[0], best(l.list, work), l.list[min(1, len(l.list)-1)]
	step := func(x leveled) float64 { return x.work()/x.n + rest }
	gain, behind := step(one)/step(two), step(two)/step(b)
	list := []Statement{
		counted("H1.us-levels", "2 levels are best for US", "§4.3: 2 levels are best for US.", fmt.Sprintf("The work is smallest with %d levels; with 2 it is %.0f %% larger, and a step with the rest of H1.uv-gain %.0f %%.", b.levels, 100*(two.work()/b.work()-1), 100*(behind-1)),
			"a step with 2 levels within 10 % of the best", behind <= 1.1, Kernel, ""),
		counted("H1.us-gain", "2 levels save about 30 % for US", "§4.3: 2 levels are about 30 % faster than one for US.", fmt.Sprintf("One level needs %.2f times the work of 2; with the rest of H1.uv-gain, a step takes %.2f times as long.", one.work()/two.work(), gain),
			"1.1–1.6 for a step", gain >= 1.1 && gain <= 1.6, Kernel, ""),
	}
	for i := range list {
		if !l.full() {
			list[i] = list[i].unchecked()
		}
	}
	return list
}

// eq7 compares eq. 7 with the counted work.
func (l countedPacking) eq7(experiment, phrase string) Statement {
	apart, at := deviation(slowdown("", l.list, work), slowdown("", l.list, predicted))
	return counted(fmt.Sprintf("%s.eq7-%s-%g", experiment, l.spec.kind, l.spec.fraction), phrase, "Eq. 7, L(m + 0.3), is in very good agreement ("+l.short()+").",
		fmt.Sprintf("Relative to their smallest values, work and eq. 7 differ by a factor of at most %.2f for %d–%d levels (at %g). They are smallest at L = %d and %d.",
			apart, l.list[0].levels, l.list[len(l.list)-1].levels, at, best(l.list, work).levels, best(l.list, predicted).levels), "factor below 2", apart < 2, Fails,
		"")
}

// variants counts other cell sizes and another search range for the number of levels of the recipe.
func (r *Run) variants(ctx context.Context, l countedPacking) ([]Statement, error) {
	contacts, err := contactsOf(ctx, l.p.balls)
	if err != nil {
		return nil, err
	}
	doubled := doubledSizes(l.p.radii())
	twice, err := countLevels(ctx, l.p.balls, paperGrid(doubled), contacts)
	if err != nil {
		return nil, err
	}
	free, err := countLevels(ctx, l.p.balls, paperGrid(neighbor.LevelSizes(l.p.radii(), 1, 3, len(doubled))), contacts)
	if err != nil {
		return nil, err
	}
	iwai, err := countLevels(ctx, l.p.balls, iwaiGrid(free2012(l)), contacts)
	if err != nil {
		return nil, err
	}
	own, err := countLevels(ctx, l.p.balls, paperGrid(free2012(l)), contacts)
	if err != nil {
		return nil, err
	}
	return []Statement{
		counted("H1.free", "free cell sizes beat doubled ones", "§2.1: independent cell sizes allow a better performance than s_{h+1} = 2 s_h.", fmt.Sprintf("Doubled sizes (%d levels) need %.2f times the work of as many free sizes (%s and %s tests a particle).", len(doubled), twice.work()/free.work(), short(twice.tests/twice.n), short(free.tests/free.n)),
			"above 1", twice.work() > free.work(), Fails, ""),
		counted("H1.range", "the search range beats that of Iwai et al.", "§1, figure 1: the range r + s/2 is smaller than that of Iwai et al. (r + s).", fmt.Sprintf("With the range r + s the work is %.2f times as large (%s and %s cells a particle).", iwai.work()/own.work(), short(iwai.visits/iwai.n), short(own.visits/own.n)),
			"above 1", iwai.work() > own.work(), Fails, ""),
	}, nil
}

// free2012 returns the cell sizes of the recipe.
func free2012(l countedPacking) []float64 { return neighbor.OptimalLevels(l.p.radii(), 1, 3) }

// overheads fits K to the times of every process and both packings.
func (r *Run) overheads(_ context.Context, packings ...countedPacking) (Interval, string, error) {
	var values []float64
	for k := range 1 + len(r.others) {
		var list []leveled
		var seconds []float64
		for _, l := range packings {
			for _, x := range l.list {
				if x.levels > 1 && k < len(x.detection) {
					list, seconds = append(list, x), append(seconds, x.detection[k])
				}
			}
		}
		if len(list) >= 3 {
			values = append(values, fitOverhead(list, seconds))
		}
	}
	if len(values) == 0 {
		return Interval{}, "", fmt.Errorf("no times for a fit of K")
	}
	return newInterval(values), "K depends on the processor: it is the time of a look-up in a hash table, divided by the time of a test.", nil
}

// boxesFirst returns the time of the search with boxes divided by the time without, in each process.
func (r *Run) boxesFirst(ctx context.Context, l countedPacking) (Interval, error) {
	var samples [2][]float64
	for k, boxes := range []bool{true, false} {
		g := paperGrid(free2012(l))
		g.boxes = boxes
		s, err := r.phases(ctx, func() error { return g.Update(ctx, l.p.balls) })
		if err != nil {
			return Interval{}, err
		}
		samples[k] = r.record(fmt.Sprintf("boxes %t", boxes), s[0])
	}
	return newInterval(ratios(samples[0], samples[1])), nil
}

// runH3 repeats the counts of H1 with smaller volume fractions (Ogarko and Luding 2012, §4.3).
func runH3(ctx context.Context, r *Run) (*Result, error) {
	res := &Result{}
	f := Figure{Name: "H3-fractions", Title: "Slowdown by the number of levels, lower volume fractions: counted work and eq. 7", X: "number of levels L", Y: "slowdown factor SF", LogX: true, LogY: true}
	all, err := r.countPackings(ctx, "H3", r.packingsH3(), &f, res)
	if err != nil {
		return nil, err
	}
	res.Figures = []Figure{f}
	for _, l := range all {
		res.Statements = append(res.Statements, l.eq7("H3", ""))
	}
	return res, nil
}
