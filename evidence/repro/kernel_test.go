package main

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// The gradients of truncated kernels are the differences of their values.
func TestTruncated(t *testing.T) {
	x, y := r3.Vector{X: 0.3, Y: -0.2, Z: 0.4}, r3.Vector{X: 1, Y: 0.5, Z: -0.7}
	_, gradient := truncated(x, y)
	const h = 1e-6
	for k, e := range []r3.Vector{{X: h}, {Y: h}, {Z: h}} {
		up, _ := truncated(x, y.Add(e))
		down, _ := truncated(x, y.Sub(e))
		for p := range up {
			if got, want := component(gradient[p], k), (up[p]-down[p])/(2*h); math.Abs(got-want) > 1e-8 {
				t.Errorf("degree %d, axis %d: %v, want %v", p, k, got, want)
			}
		}
	}
	if k, _ := truncated(x, y.Mul(4)); math.Abs(k[kernelDegree]-1/x.Sub(y.Mul(4)).Norm()) > 1e-14 {
		t.Errorf("far away: %v", k[kernelDegree])
	}
}

// The signs of eqs. 14 and 15 matter for translations, and not for eq. 13.
func TestPrintedSigns(t *testing.T) {
	if e := shiftError(false); e > 1e-15 {
		t.Errorf("with signs: %g", e)
	}
	if e := shiftError(true); e < 1e-3 {
		t.Errorf("as printed: %g", e)
	}
	for _, asPrinted := range []bool{false, true} {
		if e := additionError(asPrinted); e > 1e-13 {
			t.Errorf("eq. 13, as printed %t: %g", asPrinted, e)
		}
	}
}

// With the same degree on all levels, the operations are those of the method as printed. With variable order, the
// finest level has the degree of the leaves.
func TestVariableOrder(t *testing.T) {
	made := newPrintedPlans(testmesh.Sphere(3))
	f := newVariable(made, 3, false)
	if f.degree(3) != leafDegree || f.degree(0) != leafDegree+3 {
		t.Errorf("degrees %d and %d", f.degree(3), f.degree(0))
	}
	more := f.setUpOps()
	f.vary = 0
	if same := f.setUpOps(); same >= more {
		t.Errorf("%v operations with one degree, %v with more on coarse levels", same, more)
	}
	if e, err := variableError(t.Context(), 3, 300); err != nil || e > 0.05 {
		t.Errorf("error %v, %v", e, err)
	}
}
