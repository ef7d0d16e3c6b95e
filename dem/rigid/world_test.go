package rigid

import (
	"testing"
)

func TestSameForAllWorkers(t *testing.T) {
	n, steps := 40, 300
	if full {
		n, steps = 200, 5000
	}
	want := uint64(0)
	for _, workers := range []int{1, 2, 3} {
		s := pile(t, n, 1)
		for i := range s.Bodies { // they overlap soon
			p := &s.Bodies[i].Pose.Translation
			p.Z = .6 + .8*(p.Z-1)
		}
		w := newWorld(t, s, Options{TimeStep: 1e-3, Law: gritLaw, Workers: workers})
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
