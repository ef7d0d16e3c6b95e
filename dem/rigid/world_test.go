package rigid

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSeek(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		keys := make([]key, n)
		for i := range keys {
			keys[i] = key{part: uint8(rng.IntN(3)), lo: rng.Int32N(5), hi: rng.Int32N(4), kind: Kind(rng.IntN(3)), feature: rng.Int32N(3)}
		}
		slices.SortFunc(keys, compareKeys)
		k := worker{last: rng.IntN(100)}
		for range 200 {
			want := key{part: uint8(rng.IntN(4)), lo: rng.Int32N(6), hi: rng.Int32N(4), kind: Kind(rng.IntN(3)), feature: rng.Int32N(4)}
			first := slices.IndexFunc(keys, func(x key) bool { return compareKeys(x, want) >= 0 })
			if first < 0 {
				first = n
			}
			if got := k.seek(keys, want); got != first {
				t.Fatalf("%d keys: index %d, want %d", n, got, first)
			}
		}
	}
}

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
