package main

import (
	"context"
	"math"
	"strings"
	"testing"
)

// pipByID returns the statement with an id.
func pipByID(t *testing.T, list []Statement, id string) Statement {
	t.Helper()
	for _, s := range list {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no statement %s", id)
	return Statement{}
}

// invented returns measurements of two bodies and two grids. RC has one operation a triangle and point, WC
// has the given number a point, PC twice as many.
func invented(wc float64) []timedPair {
	var all []timedPair
	for _, n := range []int{100, 1000} {
		for _, g := range []int{2, 4} {
			points := g * g * g
			for _, method := range methods {
				x := timedPair{method: method, triangles: n, points: points, share: 1, evaluationOps: float64(points), totals: []float64{1, 1, 1, 1, 1}, plain: math.NaN()}
				switch method {
				case methodRC:
					x.evaluationOps *= float64(n)
				case methodWC:
					x.evaluationOps *= wc
				case methodPC:
					x.evaluationOps *= 2 * wc
				case methodRays:
					x.totals = []float64{.2, .25, .25, .25, .25}
				case methodCells:
					x.totals = []float64{.1, .1, .1, .1, .1}
				}
				all = append(all, x)
			}
		}
	}
	return all
}

// The verdicts follow the operations, the times and the wrong sides.
func TestFamily(t *testing.T) {
	verdicts := func(all []timedPair, size Size) map[string]Verdict {
		list := map[string]Verdict{}
		f := newFamily("P3", "foams", all, []int{2, 4}, 0, size)
		for _, s := range append(f.statements(&Run{Size: size}), f.evaluation()) {
			list[s.ID] = s.Verdict
			if err := s.check(); err != nil {
				t.Error(err)
			}
			if s.Phrase == "" {
				t.Errorf("%s: no phrase", s.ID)
			}
			for _, text := range []string{s.Ours, s.Why} {
				if strings.Contains(text, "NaN") || strings.Contains(text, "–)") {
					t.Errorf("%s: %s", s.ID, text)
				}
			}
		}
		return list
	}
	wrong := invented(50)
	wrong[1].wrong = 1 // of WC
	slow := invented(50)
	for i := range slow {
		if slow[i].method == methodCells {
			slow[i].totals[4] = 2
		}
	}
	for _, c := range []struct {
		name string
		all  []timedPair
		size Size
		want map[string]Verdict
	}{
		{"FMM wins", invented(50), Paper, map[string]Verdict{"P3.many": Yes, "P3.most": Yes, "P3.correct": Yes, "P3.tree": Yes, "P3.rc-linear": Yes, "P1.evaluation": Yes, "P3.similar": No, "P3.set-up": No}},
		{"only WC wins for the largest body", invented(600), Paper, map[string]Verdict{"P3.many": No, "P3.most": No}},
		{"RC wins", invented(5000), Paper, map[string]Verdict{"P3.many": No, "P3.most": No}},
		{"one wrong side", wrong, Paper, map[string]Verdict{"P3.correct": No}},
		{"slow cells in one process", slow, Paper, map[string]Verdict{"P3.tree": Inconclusive}},
		{"small bodies", invented(50), Small, map[string]Verdict{"P3.many": Unchecked, "P3.most": Unchecked, "P1.evaluation": Unchecked, "P3.rc-linear": Yes}},
	} {
		got := verdicts(c.all, c.size)
		for id, want := range c.want {
			if got[id] != want {
				t.Errorf("%s: %s is %q, want %q", c.name, id, got[id], want)
			}
		}
	}
}

// No side and no certified bound is wrong. Statements that the paper does not make, and the one that
// determined the rule for the depth, are not counted.
func TestPointInPolyhedron(t *testing.T) {
	for name, ids := range map[string]map[string]string{
		"P1": {"P1.correct": "", "P1.tree": Addition},
		"P2": {"P2.deeper": FittedTo},
		"P3": {"P3.correct": "", "P3.tree": Addition},
		"P4": {"P4.plans": Addition},
	} {
		e, err := find(name)
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Run(context.Background(), &Run{Size: Tiny, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		for id, reason := range ids {
			s := pipByID(t, res.Statements, id)
			if s.Uncounted != reason {
				t.Errorf("%s: not counted: %q, want %q", id, s.Uncounted, reason)
			}
			if s.Decides == Count && s.Verdict == No {
				t.Errorf("%s: %s", id, s.Ours)
			}
		}
	}
}

// Table 2 has the exponent ln(202/83)/ln 16 between its ends, and a higher value between them.
func TestPrintedSeconds(t *testing.T) {
	x, y := printedSeconds(80)
	if len(x) != 3 || len(y) != 3 {
		t.Fatalf("%d and %d values, want 3", len(x), len(y))
	}
	got := fitPower(x, y).Exponent
	if want := math.Log(202.0/83) / math.Log(16); math.Abs(got-want) > 1e-9 {
		t.Errorf("exponent %g, want %g", got, want)
	}
}

// Another process measures the ends of the grids with all methods, except FMM PC of foams. A process
// without assembly measures everything.
func TestOtherProcesses(t *testing.T) {
	e, err := find("P3")
	if err != nil {
		t.Fatal(err)
	}
	for _, everything := range []bool{false, true} {
		r := &Run{Size: Tiny, Threads: 1, TimesOnly: true, AllMethods: everything}
		if _, err := e.Run(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		want := 2 * 2 * len(methods)
		if !everything {
			want -= 2 * 2
		}
		if len(r.own) != want {
			t.Errorf("everything %t: %d times, want %d", everything, len(r.own), want)
		}
	}
}
