package predicates

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// Around equals the winding number around p+(δ, δ²) for a small δ. The coordinates are small
// integers, so all areas are exact.
func TestAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const delta = 0x1p-16
	area := func(a, b, p r3.Vector) float64 { return (a.X-p.X)*(b.Y-p.Y) - (a.Y-p.Y)*(b.X-p.X) }
	var counts [3]int
	near, filtered := 0, Counter{}
	for range 60_000 {
		var v [4]r3.Vector
		for i := range v {
			v[i] = r3.Vector{X: float64(rng.IntN(7)), Y: float64(rng.IntN(7)), Z: float64(rng.IntN(7))}
		}
		a, b, c, p := v[0], v[1], v[2], v[3]
		q := p.Add(r3.Vector{X: delta, Y: delta * delta})
		want := 0
		if u, v, w := area(a, b, q), area(b, c, q), area(c, a, q); u > 0 && v > 0 && w > 0 {
			want = 1
		} else if u < 0 && v < 0 && w < 0 {
			want = -1
		}
		got, touches := filtered.Around(p, a, b, c)
		if got != want {
			t.Fatalf("%v, %v, %v around %v: %d, want %d", a, b, c, p, got, want)
		}
		counts[got+1]++
		onEdge := false
		for i := range 3 {
			u, w := v[i], v[(i+1)%3]
			u.Z, w.Z = 0, 0
			if new(Counter).OnSegment(r3.Vector{X: p.X, Y: p.Y}, u, w) {
				onEdge = true
			}
		}
		if onEdge {
			near++
			if !touches {
				t.Fatalf("%v, %v, %v around %v: near is false on an edge", a, b, c, p)
			}
		}
		// Exact stages return the same result at other scales, where areas overflow or underflow.
		k := math.Ldexp(1, 600*rng.IntN(3)-600)
		if got, again := new(Counter).Around(p.Mul(k), a.Mul(k), b.Mul(k), c.Mul(k)); got != want || onEdge && !again {
			t.Fatalf("%v, %v, %v around %v, times %g: %d, want %d", a, b, c, p, k, got, want)
		}
	}
	if min(counts[0], counts[1], counts[2], near) < 1500 || filtered.Filter < 15_000 {
		t.Errorf("results %v, %d on edges, %d by the filter: the test covers too little", counts, near, filtered.Filter)
	}
}
