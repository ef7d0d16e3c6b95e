package main

import (
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	five := func(v ...float64) Interval { return newInterval(v) }
	for _, c := range []struct {
		name  string
		i     Interval
		busy  string
		drift float64
		want  Verdict
	}{
		{"inside", five(1.2, 1.1, 1.3, 1.25, 1.15), "", 1, Yes},
		{"below", five(0.5, 0.6, 0.7, 0.8, 0.9), "", 1, No},
		{"above", five(2.5, 2.6, 2.7, 2.8, 2.9), "", 1, No},
		{"across", five(0.9, 1.1, 1.2, 1.3, 1.4), "", 1, Inconclusive},
		{"few", five(1.2, 1.2, 1.2, 1.2), "", 1, Inconclusive},
		{"busy", five(1.2, 1.1, 1.3, 1.25, 1.15), "other processes", 1, Inconclusive},
		{"inside, limits beyond the drift", five(1.4, 1.41, 1.42, 1.43, 1.44), "", 1.3, Yes},
		{"inside, a limit within the drift", five(1.2, 1.21, 1.22, 1.23, 1.24), "", 1.3, Inconclusive},
		{"below, the limit beyond the drift", five(0.5, 0.6, 0.7, 0.7, 0.7), "", 1.3, No},
		{"below, the limit within the drift", five(0.5, 0.6, 0.7, 0.7, 0.8), "", 1.3, Inconclusive},
		{"above, the limit beyond the drift", five(2.7, 2.8, 2.9, 3, 3), "", 1.3, No},
		{"above, the limit within the drift", five(2.5, 2.6, 2.7, 2.8, 2.9), "", 1.3, Inconclusive},
	} {
		v, cause, why := c.i.judge(1, 2, c.busy, c.drift)
		if v != c.want || (v == Inconclusive) != (why != "") || (v == Yes) != (cause == Agrees) {
			t.Errorf("%s: got %s, %q, %q, want %s", c.name, v, cause, why, c.want)
		}
	}
	if i := five(3, 1, 2); i.Low != 1 || i.Median != 2 || i.High != 3 || i.N != 3 || i.String() != "2.00 (1.00–3.00)" {
		t.Errorf("got %+v, %s", i, i)
	}
}

func TestStatementCheck(t *testing.T) {
	good := counted("X.y", "", "paper", "ours", "limit", true, Fails, "")
	if err := good.check(); err != nil || good.Cause != Agrees {
		t.Errorf("got %v, cause %q", err, good.Cause)
	}
	bad := []Statement{{}, good, good, good, good}
	bad[1].Ours = ""
	bad[2].Verdict = Inconclusive
	bad[3].Verdict = No
	bad[4].Decides = "feeling"
	for i, s := range bad {
		if s.check() == nil {
			t.Errorf("statement %d: no error", i)
		}
	}
}

func TestLoad(t *testing.T) {
	quiet := Load{Share: 1, Others: 0, Drift: 1.01}
	for _, c := range []struct {
		change func(*Load)
		busy   bool
		drift  float64
	}{
		{func(*Load) {}, false, 1},
		{func(l *Load) { l.Share = 0.8 }, true, 1},
		{func(l *Load) { l.Others = 0.5 }, true, 1},
		{func(l *Load) { l.Drift = 1.4 }, false, 1.4},
		{func(l *Load) { l.Share, l.Others, l.Drift = math.NaN(), math.NaN(), math.NaN() }, false, 1},
		{func(l *Load) { l.Share, l.Others, l.Drift = -1, -1, -1 }, false, 1},
	} {
		l := quiet
		c.change(&l)
		if busy := l.busy() != ""; busy != c.busy || l.drift() != c.drift || l.quiet() != (!c.busy && c.drift == 1) {
			t.Errorf("%+v: busy %t, drift %g, quiet %t, want %t, %g", l, busy, l.drift(), l.quiet(), c.busy, c.drift)
		}
	}
	m := newLoadMeter()
	if _, err := m.watch(func() error { m.calibrate(); return nil }); err != nil {
		t.Fatal(err)
	}
	m.calibration = append(m.calibration, 1000) // a disturbance between the start and the end
	for range 2 {
		if l := m.load(); l.Drift < 1 || l.Drift > 100 || l.Share > 1 || len(m.calibration) != 2 {
			t.Errorf("got %+v from %v", l, m.calibration)
		}
	}
}

// A process reports which verdicts changed between runs.
func TestChanges(t *testing.T) {
	a, b := counted("A", "", "p", "o", "c", true, Fails, ""), counted("A", "", "p", "o", "c", false, Fails, "")
	if got := changes([][]Statement{{a}, {a}}, "A"); got != "" {
		t.Errorf("got %q for equal runs", got)
	}
	if got := changes([][]Statement{{a}, {b}, {}}, "A"); got != "A: yes, no, missing" {
		t.Errorf("got %q", got)
	}
}

// The fit finds K from times that follow the model exactly.
func TestFitOverhead(t *testing.T) {
	var list []leveled
	var s []float64
	for l := 1; l <= 6; l++ {
		x := leveled{levels: l, n: 1000, tests: 1e6 / float64(l*l), visits: 2e4 * float64(l)}
		list, s = append(list, x), append(s, 3e-9*x.tests+1.2e-9*x.visits+5e-8*x.n)
	}
	if k := fitOverhead(list, s); math.Abs(k-0.4) > 1e-9 {
		t.Errorf("K = %v, want 0.4", k)
	}
}

func TestBuildInterval(t *testing.T) {
	s := Series{X: []float64{1000, 10000, 100000}}
	for _, n := range s.X {
		s.Y = append(s.Y, 10*n+n*(n-1)/2/verletSteps)
	}
	if got := buildInterval(s, 1); got != "No interval of builds gives 1." {
		t.Errorf("got %q", got)
	}
	if got := buildInterval(s, fitTail(s, 0).Exponent); got[:23] != "A build every 100 steps" {
		t.Errorf("got %q", got)
	}
}

func TestQuiet(t *testing.T) {
	for _, holds := range []bool{true, false} {
		s := quiet(counted("V0.x", "phrase", "paper", "ours", "limit", holds, Fails, ""))
		if (s.Phrase == "") != holds {
			t.Errorf("holds %v: phrase %q", holds, s.Phrase)
		}
	}
}

func TestSteepest(t *testing.T) {
	if at := steepest(Series{X: []float64{1, 2, 4, 8}, Y: []float64{1, 2, 8, 16}}); at != 1 {
		t.Errorf("got %d, want 1", at)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		p    Power
		want bool
	}{{Power{Exponent: 1, Error: 0.05}, true}, {Power{Exponent: 1, Error: 0.2}, false}, {Power{Exponent: 1, Error: math.NaN()}, true}, {Power{Exponent: 1.2}, false}} {
		if got := within(c.p, 0.9, 1.1); got != c.want {
			t.Errorf("%+v: got %v", c.p, got)
		}
	}
}
