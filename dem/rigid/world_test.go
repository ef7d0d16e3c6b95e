package rigid

import (
	"testing"
)

func TestSameForAllWorkers(t *testing.T) {
	n, steps := 40, 2000
	if full {
		n, steps = 200, 5000
	}
	want := uint64(0)
	for _, workers := range []int{1, 2, 3} {
		w := newWorld(t, pile(t, n, 1), Options{TimeStep: 5e-4, Law: gritLaw, Workers: workers})
		walk(t, w, steps)
		kinds := map[Kind]int{}
		for _, c := range w.Contacts() {
			kinds[c.Kind]++
		}
		t.Log(kinds, w.Energy())
		if kinds[Ball] == 0 || kinds[NodeOfA] == 0 || kinds[NodeOfB] == 0 {
			t.Fatal("the test compares little")
		}
		got := hashOf(w)
		if want == 0 {
			want = got
		} else if got != want {
			t.Errorf("%d workers: another trajectory", workers)
		}
	}
}
