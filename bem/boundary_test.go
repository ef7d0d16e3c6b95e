package bem

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// table computes the net multiplicity of each canonical edge by brute force. It omits edges whose
// net multiplicity is 0.
func table(edges [][2]r3.Vector, mult []int64) map[edge]int64 {
	sum := map[edge]int64{}
	for i, e := range edges {
		a, b, m := e[0].Add(r3.Vector{}), e[1].Add(r3.Vector{}), mult[i]
		if a == b {
			continue
		}
		if a.Cmp(b) > 0 {
			a, b, m = b, a, -m
		}
		sum[edge{a, b}] += m
	}
	for e, m := range sum {
		if m == 0 {
			delete(sum, e)
		}
	}
	return sum
}

// chainTable converts b to a table and checks that each edge is stored in the correct list.
func chainTable(t *testing.T, b *Boundary) map[edge]int64 {
	t.Helper()
	var edges [][2]r3.Vector
	var mult []int64
	for _, e := range b.single {
		edges, mult = append(edges, [2]r3.Vector{e.a, e.b}), append(mult, 1)
	}
	for i, e := range b.multiple {
		edges, mult = append(edges, [2]r3.Vector{e.a, e.b}), append(mult, int64(b.mult[i]))
		if b.mult[i] < 2 {
			t.Errorf("edge %v of multiplicity %d is in multiple", e, b.mult[i])
		}
	}
	sum := table(edges, mult)
	if len(sum) != b.Len() || len(b.multiple) != len(b.mult) {
		t.Errorf("Len is %d for %d different edges; multiple has %d edges and %d multiplicities", b.Len(), len(sum), len(b.multiple), len(b.mult))
	}
	return sum
}

func sameTable(t *testing.T, trial int, got, want map[edge]int64) {
	t.Helper()
	for e, m := range want {
		if got[e] != m {
			t.Fatalf("trial %d: edge %v has multiplicity %d, want %d", trial, e, got[e], m)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("trial %d: %d edges, want %d", trial, len(got), len(want))
	}
}

func TestNewChainAgainstTable(t *testing.T) {
	rng := newRand(10)
	grid := worlds[1].vertex
	for trial := range 500 {
		edges := make([][2]r3.Vector, rng.IntN(40))
		mult := make([]int32, len(edges))
		wide := make([]int64, len(edges))
		for i := range edges {
			edges[i] = [2]r3.Vector{grid(rng), grid(rng)}
			for k := range edges[i] {
				edges[i][k].Z = math.Copysign(0, float64(rng.IntN(2))-0.5)
			}
			mult[i] = rng.Int32N(7) - 3
			wide[i] = int64(mult[i])
		}
		sameTable(t, trial, chainTable(t, NewChain(edges, mult)), table(edges, wide))
	}
}

func TestNewBoundaryAndWithout(t *testing.T) {
	rng := newRand(11)
	for trial := range 500 {
		m := mustMesh(soup(rng, 1+rng.IntN(30), 3+rng.IntN(6), func() r3.Vector { return worlds[1].vertex(rng) }))
		tris := triangles(m)
		take := tris[:rng.IntN(len(tris)+1)]
		var edges [][2]r3.Vector
		var mult []int64
		add := func(f mesh.Triangle, m int64) {
			for k := range f {
				edges, mult = append(edges, [2]r3.Vector{f[k], f[(k+1)%3]}), append(mult, m)
			}
		}
		for _, f := range tris {
			add(f, 1)
		}
		b := NewBoundary(m)
		sameTable(t, trial, chainTable(t, b), table(edges, mult))
		before := b.Len()
		for _, f := range take {
			add(f, -1)
		}
		sameTable(t, trial, chainTable(t, b.Without(take)), table(edges, mult))
		if b.Len() != before {
			t.Fatalf("trial %d: Without changed its receiver", trial)
		}
		if n := b.Without(tris).Len(); n != 0 {
			t.Fatalf("trial %d: %d edges without triangles, want 0", trial, n)
		}
	}
}

func TestNewChainPanics(t *testing.T) {
	e := [2]r3.Vector{{X: 1}, {Y: 1}}
	for name, f := range map[string]func(){
		"lengths":  func() { NewChain([][2]r3.Vector{e}, nil) },
		"overflow": func() { NewChain([][2]r3.Vector{e, e, e}, []int32{math.MaxInt32, math.MaxInt32, math.MaxInt32}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: got no panic, want one", name)
				}
			}()
			f()
		}()
	}
}
