package rigid

import (
	"bytes"
	"testing"
)

// TestHeap compares steps of the 2,000 polyhedra of BenchmarkPolyhedra, each with 200 triangles, for
// several numbers of workers. One of the worlds stops after half of the steps and continues from a file.
func TestHeap(t *testing.T) {
	for _, kind := range heaps {
		t.Run(kind.name, func(t *testing.T) {
			bodies, steps := 400, 6
			if full {
				bodies, steps = 2000, 200
			}
			scene := func(workers int) Scene {
				s := heap(t, 10, 20, workers, kind.body)
				s.Bodies = s.Bodies[:bodies]
				return s
			}
			options := func(workers int) Options {
				return Options{TimeStep: 2e-4, Law: gritLaw, Workers: workers, Contacts: kind.contacts}
			}
			var want uint64
			for _, workers := range []int{1, 2, 3} {
				w := newWorld(t, scene(workers), options(workers))
				walk(t, w, steps/2)
				if workers == 3 {
					again, err := Load(t.Context(), bytes.NewReader(saved(t, w)), scene(2), options(2))
					if err != nil {
						t.Fatal(err)
					}
					w = again
				}
				walk(t, w, steps-steps/2)
				if workers == 1 {
					kinds := map[Kind]int{}
					for _, c := range w.Contacts() {
						kinds[c.Kind]++
					}
					t.Log(kinds)
					a, b := kinds[NodeOfA], kinds[NodeOfB]
					if kind.contacts == Layers {
						a, b = kinds[FaceOfA], kinds[FaceOfB]
					}
					if a < bodies/2 || b < bodies/2 {
						t.Fatal("the test compares little")
					}
					want = hashOf(w)
				} else if hashOf(w) != want {
					t.Errorf("%d workers: another trajectory", workers)
				}
			}
		})
	}
}
