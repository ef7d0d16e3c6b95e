package main

import (
	"math"
	"testing"
)

func TestFitPowerExact(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16}
	var y []float64
	for _, v := range x {
		y = append(y, 3*math.Pow(v, 1.36))
	}
	p := fitPower(x, y)
	if math.Abs(p.Exponent-1.36) > 1e-12 || math.Abs(p.Factor-3) > 1e-11 || p.Error > 1e-12 || p.Points != 5 {
		t.Errorf("got %+v, want exponent 1.36, factor 3, error 0, 5 points", p)
	}
}

// The natural logarithms are y = 0, 1, 1 at x = 0, 1, 2. The fit has slope ½, intercept 1/6 and
// residuals −1/6, 1/3, −1/6. Σ residual² is 1/6, and Σ(x − mean)² is 2. So the standard error is
// 1/√12.
func TestFitPowerError(t *testing.T) {
	p := fitPower([]float64{1, math.E, math.E * math.E}, []float64{1, math.E, math.E})
	if math.Abs(p.Exponent-0.5) > 1e-12 || math.Abs(p.Error-1/math.Sqrt(12)) > 1e-12 {
		t.Errorf("got %+v, want exponent 0.5 ± %.4f", p, 1/math.Sqrt(12))
	}
}

func TestFitPowerFew(t *testing.T) {
	if p := fitPower([]float64{1, 10}, []float64{2, 20}); math.Abs(p.Exponent-1) > 1e-12 || !math.IsNaN(p.Error) {
		t.Errorf("two points: got %+v, want exponent 1 without an error", p)
	}
	if p := fitPower([]float64{1, -1}, []float64{2, 2}); !math.IsNaN(p.Exponent) {
		t.Errorf("one point: got %+v, want NaN", p)
	}
	if p := fitTail(Series{X: []float64{1, 10, 100}, Y: []float64{5, 10, 100}}, 10); math.Abs(p.Exponent-1) > 1e-12 {
		t.Errorf("tail: got %+v, want exponent 1", p)
	}
}

func TestCrossings(t *testing.T) {
	x := []float64{1, 10, 100, 1000}
	constant := Series{X: x, Y: []float64{10, 10, 10, 10}}
	for _, c := range []struct {
		name string
		y    []float64
		at   []float64
		text string
	}{
		{"x itself", []float64{1, 10, 100, 1000}, []float64{10}, "from 10.0"},
		{"between", []float64{1, math.Sqrt(10), 10 * math.Sqrt(10), 1000}, []float64{math.Pow(10, 1.5)}, "from 31.6"},
		{"falling", []float64{1000, 100, 1, 0.1}, []float64{math.Pow(10, 1.5)}, "below 31.6"},
		{"none, slower", []float64{1, 2, 3, 4}, nil, "nowhere"},
		{"none, faster", []float64{11, 20, 30, 40}, nil, "everywhere"},
		{"twice", []float64{1, 100, 1, 1}, []float64{math.Sqrt(10), math.Pow(10, 1.5)}, "from 3.16 to 31.6"},
		{"twice, faster first", []float64{100, 1, 100, 1000}, []float64{math.Pow(10, 0.5), math.Pow(10, 1.5)}, "below 3.16, from 31.6"},
	} {
		s := Series{X: x, Y: c.y}
		got := crossings(constant, s)
		if len(got) != len(c.at) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.at)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.at[i]) > 1e-9*c.at[i] {
				t.Errorf("%s: got %v, want %v", c.name, got, c.at)
			}
		}
		if text := crossingText(constant, s); text != c.text {
			t.Errorf("%s: got %q, want %q", c.name, text, c.text)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 3 {
		t.Errorf("got %v, want 3: the upper one", got)
	}
}
