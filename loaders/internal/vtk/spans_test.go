package vtk

import (
	"math/rand/v2"
	"testing"
)

// spans agrees with a list of flags.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 8))
	for range 300 {
		var s spans
		var flags [64]bool
		for range 40 {
			from := r.IntN(60)
			to := from + r.IntN(5)
			want := true
			for i := from; i < to; i++ {
				want = want && !flags[i]
				flags[i] = true
			}
			if got := s.add(from, to); got != want {
				t.Fatalf("add(%d, %d) = %v, want %v, for %v", from, to, got, want, s)
			}
		}
		at := 0
		for i, span := range s {
			if span.from >= span.to || i > 0 && span.from <= s[i-1].to {
				t.Fatalf("bad spans %v", s)
			}
			for ; at < span.to; at++ {
				if flags[at] != (at >= span.from) {
					t.Fatalf("position %d is %v in %v", at, flags[at], s)
				}
			}
		}
		for ; at < len(flags); at++ {
			if flags[at] {
				t.Fatalf("position %d is missing in %v", at, s)
			}
		}
	}
}
