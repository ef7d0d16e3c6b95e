package voxels

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// TestDistance compares the distances of a cube with their formula: bounds hold and signs are exact, also of
// numbers that float32 would round to 0.
func TestDistance(t *testing.T) {
	for _, scale := range []float64{1, 0x1p-170} {
		cube := testmesh.Mesh(testmesh.Scale(testmesh.UnitCube(), scale))
		s, err := inpoly.New(t.Context(), cube, inpoly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := 0.3 * scale
		g := Grid{Origin: r3.Vector{X: -0.65 * scale, Y: -0.65 * scale, Z: -0.65 * scale}, Spacing: r3.Vector{X: h, Y: h, Z: h}, Counts: [3]int{7, 8, 6}}
		for _, wide := range []bool{false, true} {
			var out bytes.Buffer
			sum, err := Write(t.Context(), &out, s, g, Options{Quantity: Distance, Error: true, Float64: wide, Format: Raw})
			if err != nil {
				t.Fatal(err)
			}
			if sum.Inside+sum.Outside+sum.On != int64(g.Len()) || sum.Inside == 0 {
				t.Errorf("counts %+v", sum)
			}
			number := func() float64 {
				if wide {
					return math.Float64frombits(binary.LittleEndian.Uint64(out.Next(8)))
				}
				return float64(math.Float32frombits(binary.LittleEndian.Uint32(out.Next(4))))
			}
			for k := range 6 {
				for j := range 8 {
					for i := range 7 {
						p := g.Center(i, j, k)
						out := func(x float64) float64 { return max(-x, x-scale) }
						x, y, z := out(p.X), out(p.Y), out(p.Z)
						want := max(x, y, z)
						if want > 0 {
							want = math.Hypot(math.Hypot(max(x, 0), max(y, 0)), max(z, 0))
						}
						d, e := number(), number()
						if !(math.Abs(d-want) <= e+4*ulp*math.Abs(want)) || (d < 0) != (want < 0) || (d > 0) != (want > 0) {
							t.Errorf("scale %g, float64 %v, %v: %g ± %g, want %g", scale, wide, p, d, e, want)
						}
					}
				}
			}
		}
	}
}
