package rigid

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// crowd returns bodies of all kinds that overlap each other and walls by a lot, or such bodies in a periodic cell.
func crowd(t testing.TB, rng *rand.Rand, periodic bool) Scene {
	random := func() r3.Vector { return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()} }
	shapes := []*Shape{polyhedron(t, box(r3.Vector{X: .2, Y: .2, Z: .2}, 1)), compoundL(t), polyhedron(t, box(r3.Vector{X: .4, Y: .03, Z: .2}, 1)), ball(t, .1)}
	s := Scene{Walls: ground()}
	if periodic {
		s.Cell = neighbor.Cell{Min: r3.Vector{X: -.3, Y: -.3}, Max: r3.Vector{X: .3, Y: .3}, Periodic: [3]bool{true, true, false}}
	} else {
		shapes = append(shapes, polyhedron(t, pebble(.15, .1, .12)))
		step := join(box(r3.Vector{X: 9, Y: 9, Z: .5}, 1), placed(box(r3.Vector{X: .2, Y: .2, Z: .4}, 1), r3.Vector{X: .4, Z: .3}))
		s.Walls = append(s.Walls, Wall{Solid: solidOf(t, placed(box(r3.Vector{X: .5, Y: .5, Z: .5}, 1), r3.Vector{Z: .1}))}, Wall{Solid: solidOf(t, step)})
	}
	for i := range 14 {
		at := r3.Vector{X: .5 * rng.Float64(), Y: .5 * rng.Float64(), Z: .1 + .6*rng.Float64()}
		s.Bodies = append(s.Bodies, Body{Shape: shapes[i%len(shapes)], Density: 1000, Pose: turned(t, random(), 6*rng.Float64(), at)})
	}
	return s
}

// TestKeysAreUnique checks that no two contacts of faces have the same key, that keys ascend, and that Load accepts
// them.
func TestKeysAreUnique(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	faces := 0
	for k := range 12 {
		s := crowd(t, rng, k%2 == 0)
		o := Options{TimeStep: 1e-6, Law: Linear{Ball: Spring{1e3, 0}, Surface: Spring{1e5, 0}, Friction: .3}}
		w := newWorld(t, s, o)
		walk(t, w, 2)
		for i, c := range w.now.contacts {
			if c.Kind == FaceOfA || c.Kind == FaceOfB {
				faces++
			}
			if i > 0 && compareKeys(w.now.keys[i-1], w.now.keys[i]) >= 0 && c.Kind != Ball {
				t.Fatalf("contact %d has the key %v after %v", i, w.now.keys[i], w.now.keys[i-1])
			}
		}
		file := saved(t, w)
		again, err := Load(t.Context(), bytes.NewReader(file), s, o)
		if err != nil {
			t.Fatal(err)
		}
		walk(t, w, 1)
		walk(t, again, 1)
		if hashOf(w) != hashOf(again) {
			t.Error("another trajectory after Load")
		}
	}
	if faces < 1000 {
		t.Errorf("%d contacts of faces: the test compares little", faces)
	}
}
