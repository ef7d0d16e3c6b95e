package main

import (
	"context"
	"math"
	"strings"
	"testing"
)

// Other processes measure all times that decide a statement of H1, so that each time has a range.
func TestTimesOfOtherProcesses(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"H1"} {
		e, err := find(name)
		if err != nil {
			t.Fatal(err)
		}
		r := &Run{Size: Tiny, Threads: 1, Cache: cache}
		for range enough {
			other := &Run{Size: Tiny, Threads: 1, Cache: cache, TimesOnly: true}
			res, err := e.Run(context.Background(), other)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Statements)+len(res.Figures)+len(res.Tables) > 0 {
				t.Errorf("%s: a process that only measures has results", name)
			}
			r.others = append(r.others, Times{Seconds: other.own, Load: Load{Share: 1, Drift: 1, Others: math.NaN()}})
		}
		res, err := e.Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		timed := 0
		for _, s := range res.Statements {
			if s.Decides != Time {
				continue
			}
			timed++
			if !strings.Contains(s.Ours, "(") || strings.Contains(s.Why, "processes measured") {
				t.Errorf("%s: no range of five processes: %s %s", s.ID, s.Ours, s.Why)
			}
		}
		if timed < 2 {
			t.Errorf("%s: %d statements about times", name, timed)
		}
		for key := range r.own {
			for _, o := range r.others {
				if _, ok := o.Seconds[key]; !ok {
					t.Errorf("%s: only one process measures %q", name, key)
				}
			}
		}
	}
}

// The fastest step of each process has the slowdown 1.
func TestStepSlowdown(t *testing.T) {
	list := []leveled{{levels: 1, steps: []float64{4, 6}}, {levels: 2, steps: []float64{2, 2}}, {levels: 3, steps: []float64{1, 3}}, {levels: 4}}
	s := stepSlowdown("", list, 2)
	want := [][3]float64{{4, 3, 4}, {2, 1, 2}, {1.5, 1, 1.5}} // median (the larger of two), low, high
	if len(s.X) != len(want) {
		t.Fatalf("%d points, want %d", len(s.X), len(want))
	}
	for i, w := range want {
		if s.Y[i] != w[0] || s.Low[i] != w[1] || s.High[i] != w[2] {
			t.Errorf("%g levels: %g (%g–%g), want %v", s.X[i], s.Y[i], s.Low[i], s.High[i], w)
		}
	}
}

// Wider ranges are judged for all K: if only some K make the wider range cheaper, K is the cause.
func TestWider(t *testing.T) {
	at := func(tests, visits float64) related {
		return related{counts: leveled{n: 10, tests: tests, visits: visits}}
	}
	for _, c := range []struct {
		name    string
		uv      related
		verdict Verdict
		cause   Cause
	}{
		{"less", at(90, 180), Yes, Agrees},
		{"more tests, fewer cells", at(115, 150), No, Parameters},
		{"more", at(120, 220), No, Kernel},
	} {
		s := wider(map[string]related{"UV, ω = 10": at(100, 200), "UV, ω = 50": c.uv, "bi, ω = 10": at(100, 200), "bi, ω = 50": at(90, 190)})
		if s.Verdict != c.verdict || s.Cause != c.cause {
			t.Errorf("%s: got %s, %q: %s", c.name, s.Verdict, s.Cause, s.Ours)
		}
	}
	if s := wider(map[string]related{"UV, ω = 10": at(100, 200)}); s.Verdict != Unchecked {
		t.Errorf("without ω = 50: got %s", s.Verdict)
	}
}
