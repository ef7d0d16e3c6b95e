package stl

import (
	"testing"

	"github.com/golang/geo/r3"
)

func TestUnitNormal(t *testing.T) {
	for _, size := range []float64{0x1p-1000, 1, 0x1p+1000} {
		if got, want := unitNormal(r3.Vector{}, r3.Vector{X: size}, r3.Vector{Y: size}), (r3.Vector{Z: 1}); got != want {
			t.Errorf("size %g: got %v, want %v", size, got, want)
		}
	}
	if got := unitNormal(r3.Vector{X: 1}, r3.Vector{X: 2}, r3.Vector{X: 3}); got != (r3.Vector{}) {
		t.Errorf("no area: got %v, want zero", got)
	}
}
