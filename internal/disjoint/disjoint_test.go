package disjoint_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/inpoly/inpoly/internal/disjoint"
)

// groups stores a label for each element. The elements with the same label form a set.
type groups []int32

func newGroups(n int32) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = int32(i)
	}
	return g
}

func (g groups) union(a, b int32) {
	from, to := g[a], g[b]
	for i := range g {
		if g[i] == from {
			g[i] = to
		}
	}
}

func (g groups) first(i int32) int32 {
	for j := range g {
		if g[j] == g[i] {
			return int32(j)
		}
	}
	return -1
}

func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for round := range 300 {
		n := 1 + r.Int32N(30)
		want, s := newGroups(n), disjoint.New(int(n))
		for range r.Int32N(2 * n) {
			a, b := r.Int32N(n), r.Int32N(n)
			want.union(a, b)
			s.Union(a, b)
			for i := range n {
				if got := s.Find(i); got != want.first(i) {
					t.Fatalf("round %d: Find(%d) = %d, want %d", round, i, got, want.first(i))
				}
			}
		}
	}
}

// TestShared joins sets in several goroutines and compares the result with Sets.
func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	for round := range 40 {
		n := 1 + r.IntN(3000)
		want, got := disjoint.New(n), make(disjoint.Shared, n)
		got.Reset(0, n)
		var wg sync.WaitGroup
		for range 4 {
			var pairs [][2]int32
			for range n / 5 {
				i := r.Int32N(int32(n))
				j := max(0, i-r.Int32N(1+int32(n)>>r.IntN(8)))
				pairs = append(pairs, [2]int32{i, j})
				want.Union(i, j)
			}
			wg.Go(func() {
				for _, p := range pairs {
					got.Union(p[0], p[1])
				}
			})
		}
		wg.Wait()
		for i := range int32(n) {
			if got.Find(i) != want.Find(i) {
				t.Fatalf("round %d: Find(%d) = %d, want %d", round, i, got.Find(i), want.Find(i))
			}
		}
	}
}

// A value is known if and only if its element is in the set that contains 0. The known values are
// correct for any order of unions.
func TestWeighted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for round := range 500 {
		n := 2 + r.Int32N(30)
		value, want := make([]int32, n), newGroups(n)
		for i := range value {
			value[i] = r.Int32N(9) - 4
		}
		value[0] = 0
		u := disjoint.NewWeighted(int(n))
		if u.Len() != int(n) {
			t.Fatalf("length %d, want %d", u.Len(), n)
		}
		for range r.Int32N(2 * n) {
			a, b := r.Int32N(n), r.Int32N(n)
			u.Union(a, b, value[a]-value[b])
			want.union(a, b)
			for range 2 {
				i, j := r.Int32N(n), r.Int32N(n)
				ri, di := u.Find(i)
				rj, dj := u.Find(j)
				if joined := want[i] == want[j]; (ri == rj) != joined {
					t.Fatalf("round %d: elements %d and %d: joined is %v, want %v", round, i, j, ri == rj, joined)
				}
				if ri == rj && di-dj != value[i]-value[j] {
					t.Fatalf("round %d: the value of %d minus the value of %d is %d, want %d", round, i, j, di-dj, value[i]-value[j])
				}
			}
			i := r.Int32N(n)
			if got, ok := u.Value(i); ok != (want[i] == want[0]) || ok && got != value[i] {
				t.Fatalf("round %d: value of %d is %d, known %v; want %d, known %v", round, i, got, ok, value[i], want[i] == want[0])
			}
		}
	}
}
