package dem

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// FuzzSpheres calls NewSpheres with arbitrary numbers. If NewSpheres succeeds, each step must keep
// all numbers finite, or fail and leave the world unchanged.
func FuzzSpheres(f *testing.F) {
	number := func(x ...float64) (data []byte) {
		for _, x := range x {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
		return data
	}
	f.Add(1e-3, 1e3, 0., 1., byte(0), number(0, 0, 0, 1, 1, 0, 0, 1.5, 0, 0, 1, -1, 0, 0))
	f.Add(1e-3, 1e9, 1e3, 1., byte(7), number(.1, 0, 0, .5, 1e3, 0, 0))
	f.Add(1e300, 1e-300, 0., 1e300, byte(2), number(0, 0, 0, 1e-200, 1e200, 0, 0))
	f.Add(math.NaN(), 1., -1., 0., byte(1), number(math.Inf(1), 0, 0, 1, 0, 0, 0))
	f.Fuzz(func(t *testing.T, step, stiffness, damping, side float64, axes byte, data []byte) {
		var s SphereScene
		for ; len(data) >= 56 && len(s.Balls) < 20; data = data[56:] {
			var x [7]float64
			for i := range x {
				x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
			}
			s.Balls = append(s.Balls, neighbor.Sphere{Center: r3.Vector{X: x[0], Y: x[1], Z: x[2]}, Radius: x[3]})
			s.Velocities = append(s.Velocities, r3.Vector{X: x[4], Y: x[5], Z: x[6]})
		}
		s.Walls = bvh.Box{Min: r3.Vector{X: -side, Y: -side, Z: -side}, Max: r3.Vector{X: side, Y: side, Z: side}}
		s.Periodic = [3]bool{axes&1 > 0, axes&2 > 0, axes&4 > 0}
		w, err := NewSpheres(t.Context(), s, brute(), Options{TimeStep: step, Stiffness: stiffness, Damping: damping, Workers: 1})
		if err != nil {
			return
		}
		state := func() uint64 {
			pairs, forces := w.Contacts()
			return hash(w.Balls(), w.Velocities(), pairs, forces, w.Images(), w.now.crossings, w.Steps())
		}
		for range 5 {
			before := state()
			if w.Step(t.Context()) != nil {
				if state() != before {
					t.Fatal("a failed step has changed the world")
				}
				return
			}
			for i, b := range w.Balls() {
				for _, x := range []r3.Vector{b.Center, w.Velocities()[i]} {
					if !finite(x.X) || !finite(x.Y) || !finite(x.Z) {
						t.Fatalf("ball %d at %v with the velocity %v", i, b.Center, w.Velocities()[i])
					}
				}
			}
		}
	})
}
