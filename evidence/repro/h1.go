package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

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

// withLevels returns the counts with n levels. If n levels are not possible, it returns the counts
// with the largest possible number below n.
func (l countedPacking) withLevels(n int) leveled {
	got := l.list[0]
	for _, x := range l.list {
		if x.levels <= n {
			got = x
		}
	}
	return got
}

// short returns the name of the packing in a statement.
func (l countedPacking) short() string {
	return fmt.Sprintf("%s, ν = %g", l.spec.kind, l.spec.fraction)
}

// countPackings counts all packings, and adds the counts to tables. It draws a figure of the slowdown for each kind of
// packing.
func (r *Run) countPackings(ctx context.Context, name string, specs []packingSpec, res *Result) ([]countedPacking, error) {
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
			if err := r.levelTimes(ctx, p, spec.kind, l.list[:min(timedLevels, len(l.list))]); err != nil {
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
		a, c := slowdown("work", l.list, work), slowdown("eq. 7", l.list, predicted)
		title := fmt.Sprintf("Slowdown by levels, %s, N = %d, ω = %g", l.short(), spec.n, spec.ratio)
		if name == "H3" { // one figure for both fractions of a kind
			a.Name, c.Name = fmt.Sprintf("work, ν = %g", spec.fraction), fmt.Sprintf("eq. 7, ν = %g", spec.fraction)
			title = fmt.Sprintf("Slowdown by levels, %s, N = %d, ω = %g", spec.kind, spec.n, spec.ratio)
		}
		if hue == 0 || specs[hue-1].kind != spec.kind {
			res.Figures = append(res.Figures, Figure{Name: name + "-" + spec.kind, Title: title, X: "number of levels L", Y: "slowdown factor SF", LogX: true, LogY: true})
		}
		f := &res.Figures[len(res.Figures)-1]
		a.Hue, c.Hue, c.Style = len(f.Series)/2+1, len(f.Series)/2+1, Prediction
		f.Series = append(f.Series, a, c)
		if name == "H1" {
			s := stepSlowdown("time of a step", l.list, r.samples())
			s.Hue, s.Style = 2, Dashed
			f.Series = append(f.Series, s)
			if l.full() { // the paper states only these numbers
				s := Series{Name: "the paper", Hue: 3, Style: FromPaper}
				s.Add(1, map[string]float64{"UV": gain2012, "US": 1.3}[spec.kind])
				f.Series = append(f.Series, s)
			}
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
	specs := r.packingsH1()
	all, err := r.countPackings(ctx, "H1", specs, res)
	if err != nil {
		return nil, err
	}
	uv, us := all[0], all[1]
	boxes, err := r.boxesFirst(ctx, uv)
	if err != nil {
		return nil, err
	}
	k, err := r.overheads(uv, us)
	if err != nil {
		return nil, err
	}
	// All times are measured before any verdict, because the verdicts consider the load during all
	// measurements.
	same, err := r.uniformSize(ctx, us)
	if err != nil {
		return nil, err
	}
	res.Statements = append(r.uniformVolume(uv), same...)
	for _, l := range all {
		res.Statements = append(res.Statements, eq7("H1.eq7-"+l.spec.kind, "eq. 7 predicts the work of "+l.spec.kind, "§4.3: eq. 7, L(m + 0.3), is in very good agreement ("+l.spec.kind+").", l))
	}
	more, err := r.variants(ctx, uv)
	if err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, more...)
	if more, err = r.claims2012(ctx); err != nil {
		return nil, err
	}
	res.Statements = append(res.Statements, more...)
	res.Statements = append(res.Statements, r.timedStatement("H1.K", "K is between .2 and .45", "§3.2: K is from .2 to .45.", "A fit of a·tests + b·cells + c·N to the times of the search gives K = b/a = "+k.String()+".",
		"all of .2–.45", k, leastOverhead, mostOverhead, Kernel, "K is the time of a look-up in a hash table, divided by that of a test.").tookTurns(r))
	b := best(uv.list, work)
	res.Statements = append(res.Statements, r.timedStatement("H1.boxes", "testing boxes first is faster", "§2.2: testing boxes before balls usually increases the performance.", "Boxes first: "+boxes.String()+" times as long.", "below 1", boxes, 0, 1, Kernel,
		fmt.Sprintf("The boxes of %.0f %% of the tested pairs overlap, so it pays if a test of two balls costs more than %.2f tests of their boxes.", 100*b.exact/b.tests, 1/(1-b.exact/b.tests))).tookTurns(r))
	res.Notes = []string{
		"The paper grows hard spheres in an event-driven simulation, then lets them move elastically. Our packings of 125,001 balls relax overlaps instead, which takes seconds; then they move as in the paper, with overlaps of 1 %. H1.packing compares both for as many balls as our event-driven code can grow.",
		"Times in the chart are of a step with forces and integration. The numbers of levels take turns; bars are the range of the processes.",
		simulatedCaches,
	}
	return res, nil
}

// timesH1 measures the times for a process that judges them.
func (r *Run) timesH1(ctx context.Context) error {
	var both [2]countedPacking
	for i, spec := range r.packingsH1() {
		p, err := r.packing(ctx, spec)
		if err != nil {
			return err
		}
		var list []leveled
		for _, n := range pick(r.Size, levels2012[:4], levels2012[:timedLevels], levels2012[:timedLevels]) {
			if len(neighbor.LevelSizes(p.radii(), 1, 3, n)) == n {
				list = append(list, leveled{levels: n})
			}
		}
		both[i] = countedPacking{spec: spec, p: p, list: list}
		if err := r.levelTimes(ctx, p, spec.kind, list); err != nil {
			return err
		}
	}
	_, err := r.boxesFirst(ctx, both[0])
	return err
}

// gain2012 is the factor by which a step gets shorter with levels, for uniform volume.
const gain2012 = 220

// uniformVolume checks the statements about figure 4 and uniform volume.
func (r *Run) uniformVolume(l countedPacking) []Statement {
	one, b, eight := l.list[0], best(l.list, work), l.withLevels(8)
	up := newInterval(ratios(one.steps, eight.steps))
	search := one.work() / eight.work()
	list := []Statement{
		counted("H1.uv-levels", "8 levels are best for UV", "§4.3: 8 levels are best for UV.", fmt.Sprintf("The work is smallest with %d levels; with %d it is %.0f %% larger.", b.levels, eight.levels, 100*(eight.work()/b.work()-1)),
			"8 levels within 10 % of the best", eight.work() <= 1.1*b.work(), Fails, ""),
		counted("H1.orders", "levels save orders of magnitude for UV", "§5: levels are orders of magnitude faster than one (UV).", fmt.Sprintf("Search alone: one level needs %s times the work of %d (%s and %s tests a particle).", short(search), eight.levels, short(one.tests/one.n), short(eight.tests/eight.n)),
			"above 100", search > 100, Fails, "").number(short(search) + " times the work"),
		r.timedStatement("H1.uv-gain", "levels save a factor of 220 for UV", "§4.3: a step with 8 levels is about 220 times as fast as with one (UV).", fmt.Sprintf("A step with one level takes %s times as long.", up),
			"220 ± 25 %", up, 0.75*gain2012, 1.25*gain2012, Kernel, restOfStep(one, eight, search)).tookTurns(r).number(short(up.Median) + " times"),
		counted("H1.recipe", "", "§3.2: the recipe gives 7 levels for UV with ω = 50.", fmt.Sprintf("The recipe gives %d.", l.chosen), "7", l.chosen == 7, Parameters,
			fmt.Sprintf("We chose ∝ r⁻³ for this. If “uniform volume” meant ∝ r², the recipe would give %d.", levelsOfVolumes(l.spec))).uncounted(FittedTo),
	}
	if gain := &list[2]; gain.Verdict == No {
		gain.Phrase = "a step with 8 levels is 220 times as fast as with one for UV"
	}
	own := l.withLevels(l.chosen)
	list = append(list, counted("H1.even", "m varies by 2 % between levels", "Appendix A: for UV, m varies by about ±2 % between 7 levels.",
		fmt.Sprintf("With %d levels m varies by ±%.1f %%, without the last level, which has the rest.", own.levels, 100*own.spread), "±3 %", own.spread <= 0.03, Fails, ""))
	if !l.full() {
		return uncheckedAll(list)
	}
	return list
}

// restOfStep says how long forces and integration must take, relative to the search, so that a step with one
// level takes gain2012 times as long as a step with eight levels. Let s be the time of the search with eight
// levels, g·s its time with one level, and r the rest of a step. Then (g·s + r)/(s + r) is gain2012.
func restOfStep(one, eight leveled, g float64) string {
	if len(eight.steps) == 0 || len(eight.detection) == 0 || g <= gain2012 {
		return "The share of forces and integration depends on the program."
	}
	rest, search := median(eight.steps)-median(eight.detection), median(eight.detection)
	if rest < 0.05*search && len(one.detection) > 0 && median(one.detection)/search < g {
		return "Almost all of a step is search here, and the search gains less time than work."
	}
	return fmt.Sprintf("It is %d if forces and integration take %s times as long as the search with 8 levels; here they take %s times as long.", gain2012, short((g-gain2012)/(gain2012-1)), short(rest/search))
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// uncheckedAll returns statements about a size that the run does not have.
func uncheckedAll(list []Statement) []Statement {
	for i, s := range list {
		list[i] = s.unchecked()
		if s.Decides == Time {
			list[i].Why = ""
		}
	}
	return list
}

// levelsOfVolumes returns the number of levels that the recipe would give if the volumes of the
// balls had a constant density.
func levelsOfVolumes(spec packingSpec) int {
	radii, sum := make([]float64, spec.n), 0.0
	for i := range radii {
		u := (float64(i) + 0.5) / float64(spec.n)
		volume := 1 + u*(spec.ratio*spec.ratio*spec.ratio-1)
		radii[i], sum = math.Cbrt(volume), sum+4*math.Pi/3*volume
	}
	for i := range radii {
		radii[i] *= math.Cbrt(spec.fraction / sum)
	}
	return len(neighbor.OptimalLevels(radii, 1, 3))
}

// simulatedLevels is the largest number of levels for which steps of US are simulated. With more levels, the
// search needs more work again.
const simulatedLevels = 6

// levelWorkloads are steps of worlds of US with several numbers of levels.
func levelWorkloads() map[string]workload {
	list := map[string]workload{}
	for n := 1; n <= simulatedLevels; n++ {
		list[levelWorkload(n)] = func(ctx context.Context, r *Run) (func() error, error) {
			p, err := r.packing(ctx, r.packings2012("US", 0.62))
			if err != nil {
				return nil, err
			}
			w, err := p.world(ctx, paperGrid(neighbor.LevelSizes(p.radii(), 1, 3, n)), 1)
			return func() error { return w.Step(ctx) }, err
		}
	}
	return list
}

// levelWorkload returns the name of a workload of levelWorkloads.
func levelWorkload(levels int) string { return fmt.Sprintf("US, %d levels", levels) }

// uniformSize checks the statements about figure 4 and uniform size. It uses instructions and cache misses of
// whole steps, because the times of different numbers of levels differ by less than their scatter.
func (r *Run) uniformSize(ctx context.Context, l countedPacking) ([]Statement, error) {
	one, b, two := l.list[0], best(l.list, work), l.withLevels(2)
	list := []Statement{
		counted("H1.us-levels", "2 levels are best for US", "§4.3: 2 levels are best for US.", "", "at most 1.1", true, Kernel, ""),
		counted("H1.us-gain", "2 levels save about 30 % for US", "§4.3: 2 levels are about 30 % faster than one for US.", "", "1.1–1.6", true, Kernel, ""),
	}
	if !l.full() {
		for i := range list {
			list[i].Ours = "This size has no such packing."
		}
		return uncheckedAll(list), nil
	}
	var steps []simulated
	for n := 1; n <= simulatedLevels; n++ {
		x, err := r.simulate(ctx, levelWorkload(n))
		if errors.Is(err, errNoValgrind) {
			return []Statement{list[0].unmeasured(err), list[1].unmeasured(err)}, nil
		}
		if err != nil {
			return nil, err
		}
		steps = append(steps, x)
	}
	// behind compares 2 levels with the best number of levels, and gain compares one level with 2
	// levels, for a given cost of a miss.
	behind := func(cost float64) float64 {
		least := math.Inf(1)
		for _, x := range steps {
			least = min(least, x.cycles(cost))
		}
		return steps[1].cycles(cost) / least
	}
	gain := func(cost float64) float64 { return steps[0].cycles(cost) / steps[1].cycles(cost) }
	behindTime, gainTime := newInterval(ratios(two.steps, fastestSteps(l.list, r.samples()))), newInterval(ratios(one.steps, two.steps))
	low, high := overCosts(behind)
	list[0] = r.countsOrTime(list[0], Interval{low, behind(100), high, enough}, behindTime, 0, 1.1,
		fmt.Sprintf("A step with 2 levels takes %%s times the %%s of the best number. Search alone: %d levels need least work, 2 need %.0f %%%% more.", b.levels, 100*(two.work()/b.work()-1)),
		"The more time forces and integration take, the less the number of levels matters.")
	low, high = overCosts(gain)
	list[1] = r.countsOrTime(list[1], Interval{low, gain(100), high, enough}, gainTime, 1.1, 1.6,
		fmt.Sprintf("A step with one level takes %%s times the %%s of 2. It has %.2f times the instructions, and %.2f and %.2f times the misses of the first and the last cache. Search alone: %.2f times the work.",
			steps[0].instructions/steps[1].instructions, steps[0].misses/steps[1].misses, steps[0].lastMisses/steps[1].lastMisses, one.work()/two.work()),
		"Forces and integration are the same with all levels.")
	return list, nil
}

// countsOrTime returns a copy of s with its verdict. Estimated cycles decide if they are on one side of the limits for
// all costs of a miss. Otherwise, times decide, for which the programs took turns. ours is a format for an interval and
// for the word cycles or time.
func (r *Run) countsOrTime(s Statement, cycles, times Interval, low, high float64, ours, why string) Statement {
	if v, _, _ := cycles.judge(low, high, "", 1); v != Inconclusive {
		return counted(s.ID, s.Phrase, s.Paper, fmt.Sprintf(ours, cycles, "cycles"), s.Criterion, v == Yes, Kernel, fmt.Sprintf("In time: %s. ", times)+why).number(short(cycles.Median) + " times the cycles")
	}
	return r.timedStatement(s.ID, s.Phrase, s.Paper, fmt.Sprintf(ours, times, "time"), s.Criterion, times, low, high, Kernel,
		fmt.Sprintf("In estimated cycles: %s, depending on the cost of a cache miss. ", cycles)+why).tookTurns(r).number(short(times.Median) + " times the time")
}

// closeTo is the largest ratio of the work and eq. 7 that counts as very good agreement.
const closeTo = 1.4

// eq7 compares eq. 7 with the counted work of some packings.
func eq7(id, phrase, paper string, packings ...countedPacking) Statement {
	var ours, far []string
	why, worst := "", 1.0
	for _, l := range packings {
		a, b := slowdown("", l.list, work), slowdown("", l.list, predicted)
		apart, at := deviation(a, b)
		ours = append(ours, fmt.Sprintf("%s: %.2f (at L = %g; least at %d and %d)", l.short(), apart, at, best(l.list, work).levels, best(l.list, predicted).levels))
		worst = max(worst, apart)
		if apart > closeTo {
			far = append(far, l.short())
			if at > float64(best(l.list, work).levels) {
				why = "Eq. 7 counts L levels for each ball, but small balls search few."
			}
		}
	}
	if len(far) > 0 && len(far) < len(packings) {
		phrase += " (fails for " + strings.Join(far, "; ") + ")"
	}
	if len(far) > 0 {
		why = strings.TrimSpace("The paper compares times of whole steps, and states no limit. " + why)
	}
	return counted(id, phrase, paper, "Largest factor between the slowdowns of work and eq. 7: "+strings.Join(ours, ", ")+".",
		fmt.Sprintf("at most %g", closeTo), len(far) == 0, Other, why).number(fmt.Sprintf("factor %.2f", worst))
}

// overheads fits K to the times of the search, for every process and both packings.
func (r *Run) overheads(packings ...countedPacking) (Interval, error) {
	var values []float64
	for k := range r.samples() {
		var list []leveled
		var seconds []float64
		for _, l := range packings {
			for _, x := range l.list {
				if k < len(x.detection) {
					list, seconds = append(list, x), append(seconds, x.detection[k])
				}
			}
		}
		if len(list) >= 3 {
			values = append(values, fitOverhead(list, seconds))
		}
	}
	if len(values) == 0 {
		return Interval{}, errors.New("no times for a fit of K")
	}
	return newInterval(values), nil
}

// boxesFirst returns, for each process, the time of the search with boxes divided by the time
// without boxes. The two searches take turns.
func (r *Run) boxesFirst(ctx context.Context, l countedPacking) (Interval, error) {
	sizes := neighbor.OptimalLevels(l.p.radii(), 1, 3)
	with, without := paperGrid(sizes), paperGrid(sizes)
	without.boxes = false
	s, err := r.phases(ctx, func() error { return with.Update(ctx, l.p.balls) }, func() error { return without.Update(ctx, l.p.balls) })
	if err != nil {
		return Interval{}, err
	}
	return newInterval(ratios(r.record("boxes true", s[0]), r.record("boxes false", s[1]))), nil
}

// runH3 repeats the counts of H1 with smaller volume fractions (Ogarko and Luding 2012, §4.3).
func runH3(ctx context.Context, r *Run) (*Result, error) {
	res := &Result{}
	specs := r.packingsH3()
	all, err := r.countPackings(ctx, "H3", specs, res)
	if err != nil {
		return nil, err
	}
	res.Statements = []Statement{eq7("H3.eq7", "eq. 7 predicts the work for smaller ν", "§4.3: eq. 7 also matches very well for smaller ν.", all...)}
	return res, nil
}
