package main

import (
	"fmt"
	"math"
	"slices"
)

// family is a family of bodies, with the measurements of all methods, bodies and grids.
type family struct {
	id, what string // P1, spheres or P3, foams
	all      []timedPair
	grids    []int
	sizes    []int   // numbers of triangles, ascending
	least    float64 // number of triangles from which exponents are fitted
	paper    bool    // the bodies and grids are those of the paper
}

func newFamily(id, what string, all []timedPair, grids []int, least float64, size Size) *family {
	f := &family{id: id, what: what, all: all, grids: grids, least: least, paper: size == Paper}
	for _, x := range all {
		f.sizes = append(f.sizes, x.triangles)
	}
	slices.Sort(f.sizes)
	f.sizes = slices.Compact(f.sizes)
	return f
}

// statements checks those statements of §3 and §4 that apply to both families.
func (f *family) statements(r *Run) []Statement {
	return slices.Concat(f.growth(), f.depths(), f.comparison(r))
}

// large returns s if the run has the bodies and grids of the paper. If they are smaller, it returns s
// as not checked.
func (f *family) large(s Statement) Statement {
	if !f.paper {
		return s.unchecked()
	}
	return s
}

func (f *family) largest() int { return f.sizes[len(f.sizes)-1] }
func (f *family) grid() int    { return f.grids[len(f.grids)-1] }

// get returns a measurement of the family.
func (f *family) get(method string, triangles, grid int) timedPair {
	x, _ := at(f.all, method, triangles, grid)
	return x
}

// from names the least number of triangles of a fit.
func (f *family) from() string {
	if f.least == 0 {
		return ""
	}
	return " from " + short(f.least) + " on"
}

// better returns the numbers of triangles for which a method needs fewer operations than ray crossing,
// as text.
func (f *family) better(method string, grid int) string {
	return crossingText(series(f.all, method, grid, operations), series(f.all, methodRC, grid, operations))
}

// growth checks how the operations grow.
func (f *family) growth() []Statement {
	triangles, points := linearity(f.all, methodRC, f.grids, f.least, operations, evaluationOnly)
	wc, _ := linearity(f.all, methodWC, f.grids, f.least, operations, evaluationOnly)
	last := wc[len(wc)-1].Exponent
	why := ""
	if f.least > 0 {
		why = "Below, the faces that a ray hits dominate."
	}
	return []Statement{
		counted(f.id+".rc-linear", "RC is linear for "+f.what, fmt.Sprintf("§3: RC is linear in triangles and points (%s).", f.what),
			fmt.Sprintf("Exponents of the operations over triangles%s, by grid: %s; over points: %s.", f.from(), exponents(triangles), exponents(points)), ".85–1.15",
			exponentsWithin(triangles, 0.85, 1.15) && exponentsWithin(points, 0.85, 1.15), Fails, why).number("exponent " + exponents(triangles[len(triangles)-1:])),
		counted(f.id+".wc-sublinear", "FMM WC is better than linear for "+f.what, fmt.Sprintf("§3: FMM WC is better than linear in the triangles, least so for few points (%s).", f.what),
			fmt.Sprintf("Exponents of the operations%s, by grid: %s.", f.from(), exponents(wc)), "last below 1, and not above the first", last < 1 && last <= wc[0].Exponent, Parameters, "").number(fmt.Sprintf("exponent %.2f", last)),
	}
}

// depths checks what the paper says about the well-chosen and the pre-chosen depth.
func (f *family) depths() []Statement {
	few := f.get(methodPC, f.largest(), f.grids[0])
	similar, bodies, worst := 0, 0, 0.0
	for _, n := range f.sizes {
		for _, g := range f.grids {
			worst = max(worst, f.get(methodPC, n, g).ops()/f.get(methodWC, n, g).ops())
		}
		if float64(n) >= f.least {
			bodies++
			if f.get(methodPC, n, f.grids[1]).ops() < 1.5*f.get(methodPC, n, f.grids[0]).ops() {
				similar++
			}
		}
	}
	dominates, why := few.setUpOps > 0.5*few.ops(), ""
	if !dominates {
		why = "The paper does not state its depths; a deeper tree has a larger set-up."
	}
	return []Statement{
		f.large(counted(f.id+".set-up", "the set-up dominates FMM PC for fine "+f.what+" and few points", fmt.Sprintf("§3: for few points, the set-up dominates FMM PC for fine meshes (%s).", f.what),
			fmt.Sprintf("%d triangles, %d³ points: the set-up has %s of the operations.", f.largest(), f.grids[0], percent(few.setUpOps/few.ops())), "above 50 %", dominates, Parameters, why).number(percent(few.setUpOps / few.ops()))),
		f.large(counted(f.id+".similar", "FMM PC is similar for all grids of points ("+f.what+")", fmt.Sprintf("§4: FMM PC is often very similar for all grids (%s).", f.what),
			fmt.Sprintf("From %d³ to %d³ points, its operations grow by less than half for %d of %d bodies%s.", f.grids[0], f.grids[1], similar, bodies, f.from()), "at least half", 2*similar >= bodies, Parameters, "")),
		counted(f.id+".wc-pc", "FMM WC is sometimes much better than PC for "+f.what, fmt.Sprintf("§3: FMM WC is better than PC, sometimes much (%s).", f.what), fmt.Sprintf("PC needs up to %s times the operations of WC.", short(worst)), "above 2", worst > 2, Parameters, ""),
	}
}

// comparison compares the multipole method with ray crossing.
func (f *family) comparison(r *Run) []Statement {
	grid, n := f.grid(), f.largest()
	rc, wc, pc := f.get(methodRC, n, grid), f.get(methodWC, n, grid), f.get(methodPC, n, grid)
	claim, limit := "§3, §4: for many faces and points FMM is faster than RC (spheres).", "WC above 1"
	holds := rc.ops() > wc.ops()
	if f.id == "P3" {
		claim, limit = "§3.2: with the largest grid, both FMM are strongly better than RC (foams).", "both above 2"
		holds = rc.ops() > 2*wc.ops() && rc.ops() > 2*pc.ops()
	}
	cases, wins, faster := 0, 0, 0
	asked, wrong := 0.0, 0
	for _, n := range f.sizes {
		for _, g := range f.grids {
			a, b := f.get(methodRC, n, g), f.get(methodWC, n, g)
			cases++
			wins += one(b.ops() < a.ops())
			faster += one(totalSeconds(b) < totalSeconds(a))
			for _, x := range []timedPair{a, b, f.get(methodPC, n, g)} {
				asked += math.Round(float64(x.points) / x.share)
				wrong += x.wrong
			}
		}
	}
	return []Statement{
		f.large(counted(f.id+".many", "FMM beats RC for many faces and points of "+f.what, claim,
			fmt.Sprintf("%d triangles, %d³ points: RC needs %s times the operations of WC and %s times those of PC. Fewer operations: WC %s, PC %s.", n, grid, short(rc.ops()/wc.ops()), short(rc.ops()/pc.ops()), f.better(methodWC, grid), f.better(methodPC, grid)), limit, holds, Kernel,
			fmt.Sprintf("In time RC / WC is %s%s.", newInterval(ratios(rc.totals, wc.totals)), withoutAssembly(rc.plain/wc.plain))).number(short(rc.ops()/wc.ops()) + " times the operations")),
		f.large(counted(f.id+".most", "FMM WC is better than RC in most cases ("+f.what+")", fmt.Sprintf("§4: FMM WC is for most cases better than RC (%s).", f.what),
			fmt.Sprintf("WC needs fewer operations in %d of %d cases and less time in %d.", wins, cases, faster), "more than half", 2*wins > cases, Kernel, f.boxTests(func(cost float64) bool {
				wins := 0
				for _, n := range f.sizes {
					for _, g := range f.grids {
						wins += one(f.get(methodWC, n, g).ops() < boxCost(cost)(f.get(methodRC, n, g)))
					}
				}
				return 2*wins > cases
			}))),
		counted(f.id+".correct", "both methods are correct for "+f.what, fmt.Sprintf("§3: both methods give correct results (%s).", f.what),
			fmt.Sprintf("%.0f sides by RC, WC and PC: %d are wrong.", asked, wrong), "none", wrong == 0, Parameters, "").number(fmt.Sprintf("%d of %.0f wrong", wrong, asked)),
		f.addition(r),
	}
}

// addition compares both methods of the paper with our rays through a tree and our cells, which find the
// same sides.
func (f *family) addition(r *Run) Statement {
	grid, n := f.grid(), f.largest()
	fastest := func(methods ...string) []float64 {
		var best []float64
		for i, method := range methods {
			for k, s := range f.get(method, n, grid).totals {
				if i == 0 {
					best = append(best, s)
				} else if k < len(best) {
					best[k] = min(best[k], s)
				}
			}
		}
		return best
	}
	multipoles, rc := fastest(methodWC, methodPC, methodWCCost, methodPCCost), fastest(methodRC)
	tree, cells := f.get(methodRays, n, grid), f.get(methodCells, n, grid)
	overTree, overCells := newInterval(ratios(multipoles, tree.totals)), newInterval(ratios(multipoles, cells.totals))
	least := make([]float64, min(len(multipoles), len(rc), len(tree.totals), len(cells.totals)))
	for k := range least {
		least[k] = min(multipoles[k], rc[k]) / max(tree.totals[k], cells.totals[k])
	}
	plain := math.Inf(1)
	for _, method := range []string{methodWC, methodPC, methodWCCost, methodPCCost} {
		plain = min(plain, f.get(method, n, grid).plain)
	}
	return r.timedStatement(f.id+".tree", fmt.Sprintf("rays through a tree are %s times and cells %s times as fast as the fastest FMM, ours included (%s)", overTree, overCells, f.what),
		fmt.Sprintf("Our addition: rays through a tree and cells beat both methods (%s).", f.what),
		fmt.Sprintf("%d triangles, %d³ points: the fastest FMM, ours included, takes %s times the time of the tree%s and %s times that of cells%s; RC %s times that of the tree.",
			n, grid, overTree, withoutAssembly(plain/tree.plain), overCells, withoutAssembly(plain/cells.plain), newInterval(ratios(rc, tree.totals))),
		"all ratios above 1", newInterval(least), 1, math.Inf(1), Fails, "").uncounted(Addition)
}

// figure10 checks the sizes that §4 names. With 10³ points, ray crossing is better than the pre-chosen
// depth for the five coarsest spheres (up to 2,048 triangles). With 80³ points, it is better for the
// three coarsest spheres (up to 128 triangles).
func (f *family) figure10() []Statement {
	var list []Statement
	for _, c := range []struct {
		grid   int
		lo, hi float64 // the sizes between which the curves cross
	}{{10, 2048, 8192}, {80, 128, 512}} {
		rc, pc := series(f.all, methodRC, c.grid, operations), series(f.all, methodPC, c.grid, operations)
		cross, least := crossings(pc, rc), math.Inf(1)
		for i, x := range rc.X {
			if x <= c.lo {
				least = min(least, pc.Y[i]/rc.Y[i])
			}
		}
		why := ""
		if f.better(methodPC, c.grid) == "nowhere" {
			why = "PC also needs more for all larger spheres."
		}
		a := counted(fmt.Sprintf("P1.simple-%d", c.grid), fmt.Sprintf("RC wins for simple bodies (%d³ points)", c.grid), fmt.Sprintf("§4: RC is better for simple bodies, up to %s triangles with %d³ points.", short(c.lo), c.grid),
			fmt.Sprintf("Up to there, PC needs at least %s times the operations of RC.", short(least)), "above 1", least > 1, Kernel, why).number(short(least) + " times the operations")
		onceThere := func(cross []float64) bool { return len(cross) == 1 && cross[0] > c.lo && cross[0] < c.hi }
		b := counted(fmt.Sprintf("P1.cross-%d", c.grid), fmt.Sprintf("with %d³ points FMM PC wins from %s triangles on", c.grid, short(c.hi)),
			fmt.Sprintf("§4: from %s triangles on, FMM PC is better with %d³ points.", short(c.hi), c.grid),
			fmt.Sprintf("Fewer operations than RC: PC %s, WC %s.", f.better(methodPC, c.grid), f.better(methodWC, c.grid)), "PC crosses once, there", onceThere(cross), Kernel,
			f.boxTests(func(cost float64) bool {
				return onceThere(crossings(pc, series(f.all, methodRC, c.grid, boxCost(cost))))
			}))
		if len(rc.X) == 0 {
			a, b = a.unchecked(), b.unchecked()
			a.Ours, b.Ours, a.Why, b.Why = "This size has no such grid.", "This size has no such grid.", "", ""
		}
		list = append(list, a, b)
	}
	return list
}

// evaluation checks the growth of the evaluation with the largest grid.
func (f *family) evaluation() Statement {
	wc := fitTail(series(f.all, methodWC, f.grid(), evaluationOnly), f.least)
	pc := fitTail(series(f.all, methodPC, f.grid(), evaluationOnly), f.least)
	x, y := printedSeconds(80)
	return f.large(counted("P1.evaluation", "the evaluation of FMM is almost independent of the number of triangles", "§3.1: with 80³ points, the evaluation of FMM is almost independent of the number of triangles.",
		fmt.Sprintf("Exponents of its operations%s: WC %.2f, PC %.2f.", f.from(), wc.Exponent, pc.Exponent), "WC below .2", wc.Exponent < 0.2, Fails, fmt.Sprintf("The paper's own times in table 2 have %.2f (PC).", fitPower(x, y).Exponent)))
}

// boxTests returns the costs of a box test for which the condition holds, as text.
func (f *family) boxTests(holds func(cost float64) bool) string {
	const here, step, most = 1.0 / 15, 1.02, 10
	low, high := math.NaN(), math.NaN()
	for cost := here; cost < most; cost *= step {
		if holds(cost) {
			if math.IsNaN(low) {
				low = cost
			}
			high = cost
		}
	}
	const ours = "here it costs a fifteenth"
	switch {
	case low == here:
		return ""
	case math.IsNaN(low):
		return fmt.Sprintf("It does not for any cost of a box test up to %d solid angles; %s.", most, ours)
	case high*step >= most:
		return fmt.Sprintf("It does if a box test costs at least %s solid angles; %s.", short(low), ours)
	}
	return fmt.Sprintf("It does if a box test costs %s to %s solid angles; %s.", short(low), short(high), ours)
}

// boxCost returns the operations of ray crossing if a box test costs a multiple of a solid angle.
func boxCost(angles float64) func(timedPair) float64 {
	return func(x timedPair) float64 { return x.ops() + x.tested*(nearFlops*angles-boxFlops) }
}

// withoutAssembly returns a ratio of times without assembly as text, or "" if it was not measured.
func withoutAssembly(ratio float64) string {
	if math.IsNaN(ratio) {
		return ""
	}
	return fmt.Sprintf(" (without assembly %s)", short(ratio))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
