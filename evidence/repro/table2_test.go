package main

import (
	"math"
	"testing"
)

// With the d of eq. 16 that the experiments use, the depths that fit table 2 best are the pre-chosen ones, and
// the other numbers of the table then agree within their rounding and 4 %.
func TestFitTable2(t *testing.T) {
	ds, depths := []float64{admissible2006}, []int{2, 3, 4}
	angles, err := countAngles2(t.Context(), ds, depths, 20)
	if err != nil {
		t.Fatal(err)
	}
	best := angles.fits(float64(cube(80)))[0]
	for k, n := range bodies2 {
		if got := preChosen(n); got != best.depths[k] {
			t.Errorf("%d triangles: pre-chosen depth %d, fitted %d", n, got, best.depths[k])
		}
	}
	if !best.deeper() || best.worst > 0.01 {
		t.Errorf("%s: error %g", best, best.worst)
	}
	for _, n := range []int{20, 40} {
		x, seconds := printedSeconds(n)
		for i := range x {
			for k, triangles := range bodies2 {
				if float64(triangles) != x[i] {
					continue
				}
				fitted := best.angles[k] * float64(cube(n)) * best.seconds
				if math.Abs(fitted-seconds[i]) > 0.5+0.04*seconds[i] {
					t.Errorf("%d³ points, %d triangles: %g s, printed %g s", n, triangles, fitted, seconds[i])
				}
			}
		}
	}
}

// The fit finds the parameters of times that follow it exactly.
func TestFitsOfExactTimes(t *testing.T) {
	_, seconds := printedSeconds(80)
	const points, each = 1000, 2e-7
	exact := [3]float64{}
	for k, s := range seconds {
		exact[k] = s / (points * each)
	}
	other := [3]float64{exact[0] * 3, exact[1] * 2, exact[2] * 5}
	list := angles2{2: {1: other, 2: {exact[0], exact[1], other[2]}, 3: {other[0], other[1], exact[2]}}}.fits(points)
	if f := list[0]; f.d != 2 || f.depths != [3]int{2, 2, 3} || f.worst > 1e-12 || math.Abs(f.seconds/each-1) > 1e-12 || !f.deeper() {
		t.Errorf("got %+v", f)
	}
	if len(list) != 10 { // with repetition, three of three depths in ascending order
		t.Errorf("%d fits, want 10", len(list))
	}
}
