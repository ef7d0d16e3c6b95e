package neighbor

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pairsOf draws pairs of bodies below n, sorted unless they may repeat.
func pairsOf(t *rapid.T, n int32, label string, repeat bool) []Pair {
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pair {
		a := rapid.Int32Range(0, n-2).Draw(t, "a")
		return Pair{A: a, B: rapid.Int32Range(a+1, n-1).Draw(t, "b")}
	}), 0, 60).Draw(t, label)
	slices.SortFunc(list, comparePairs)
	if !repeat {
		list = slices.Compact(list)
	}
	return list
}

func comparePairs(p, q Pair) int {
	if p.A != q.A {
		return int(p.A) - int(q.A)
	}
	return int(p.B) - int(q.B)
}

func TestMergePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(2, 12).Draw(t, "n")
		old := pairsOf(t, n, "old", false)
		added, removed := pairsOf(t, n, "added", true), pairsOf(t, n, "removed", true)
		removed = slices.DeleteFunc(removed, func(p Pair) bool { return slices.Contains(added, p) })
		want := slices.Concat(old, added)
		slices.SortFunc(want, comparePairs)
		want = slices.DeleteFunc(slices.Compact(want), func(p Pair) bool { return slices.Contains(removed, p) })
		if got := mergePairs(nil, old, added, removed); !slices.Equal(got, want) {
			t.Fatalf("%v + %v − %v = %v, want %v", old, added, removed, got, want)
		}
	})
}

func TestDifferPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(2, 12).Draw(t, "n")
		then, now := pairsOf(t, n, "then", false), pairsOf(t, n, "now", false)
		wantAdded, wantRemoved := changes(then, now)
		added, removed := differPairs(nil, nil, then, now)
		if !slices.Equal(added, wantAdded) || !slices.Equal(removed, wantRemoved) {
			t.Fatalf("from %v to %v: added %v, removed %v; want %v, %v", then, now, added, removed, wantAdded, wantRemoved)
		}
	})
}

// TestSortPairs sorts few and many pairs, of few and many bodies.
func TestSortPairs(t *testing.T) {
	for _, n := range []int{2, 3, 2047, 2048, 2049, 1 << 22, 1<<31 - 1} {
		for _, count := range []int{0, 1, 2, 100, 2047, 2048, 5000} {
			state := uint64(n + count)
			next := func(limit int) int32 { // a linear congruential generator, high bits
				state = state*6364136223846793005 + 1442695040888963407
				return int32(state >> 33 % uint64(limit))
			}
			list := make([]Pair, count)
			for i := range list {
				b := 1 + next(n-1)
				list[i] = Pair{A: next(int(b)), B: b}
			}
			want := slices.Clone(list)
			slices.SortFunc(want, comparePairs)
			sortPairs(list, n)
			if !slices.Equal(list, want) {
				t.Errorf("%d pairs of %d bodies are not in order", count, n)
			}
		}
	}
}
