package rigid

import (
	"bytes"
	"testing"
)

// TestHeap compares steps of the 2,000 polyhedra of BenchmarkPolyhedra, each with 200 triangles, for
// several numbers of workers. One of the worlds stops after half of the steps and continues from a file.
func TestHeap(t *testing.T) {
	steps := 20
	if full {
		steps = 200
	}
	options := func(workers int) Options { return Options{TimeStep: 2e-4, Law: gritLaw, Workers: workers} }
	var want uint64
	for _, workers := range []int{1, 2, 3} {
		w := newWorld(t, heap(t, 10, 20, workers, pebble), options(workers))
		walk(t, w, steps/2)
		if workers == 3 {
			again, err := Load(t.Context(), bytes.NewReader(saved(t, w)), heap(t, 10, 20, 2, pebble), options(2))
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
			if w.Len() != 2000 || kinds[NodeOfA] < 1000 || kinds[NodeOfB] < 1000 || kinds[Edges] < 10 {
				t.Fatal("the test compares little")
			}
			want = hashOf(w)
		} else if hashOf(w) != want {
			t.Errorf("%d workers: another trajectory", workers)
		}
	}
}
