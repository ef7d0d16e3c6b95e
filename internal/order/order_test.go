package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorted compares Sorted and Of with package slices.
func TestSorted(t *testing.T) {
	type pair struct{ a, b int }
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		var list []pair
		for i := range n {
			list = append(list, pair{rng.IntN(5), i})
		}
		rng.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
		before := slices.Clone(list)
		want := slices.SortedFunc(slices.Values(list), func(x, y pair) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
		got := Sorted(list, func(x, y *pair) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
		if !slices.Equal(got, want) || !slices.Equal(list, before) {
			t.Fatalf("%v: sorted %v, want %v", before, got, want)
		}
		for k, i := range Of(n, func(i, j int32) int { return cmp.Compare(list[j].b, list[i].b) }) {
			if list[i].b != n-1-k {
				t.Fatalf("%v: element %d is at place %d", list, i, k)
			}
		}
	}
}
