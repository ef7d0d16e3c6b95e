package mesh

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// join finds the places that a search of all earlier places finds, also for points on a lattice, where many distances are equal.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 3))
	joined := 0
	for trial := range 300 {
		step := []float64{0, 1. / 64, 1. / 1024}[trial%3]
		offset := []float64{0, 1e6, -1e-3}[trial/3%3]
		soup := Soup{}
		for i := range int32(40) {
			for range 3 {
				p := r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64() * float64(trial%2)}
				if step > 0 {
					p = r3.Vector{X: float64(int(p.X/step)) * step, Y: float64(int(p.Y/step)) * step, Z: float64(int(p.Z/step)) * step}
				}
				soup.Vertices = append(soup.Vertices, p.Add(r3.Vector{X: offset, Y: offset, Z: offset}))
			}
			soup.Faces = append(soup.Faces, [3]int32{3 * i, 3*i + 1, 3*i + 2})
		}
		m, err := New(context.Background(), soup, Options{})
		if err != nil {
			t.Fatal(err)
		}
		width := []float64{1. / 64, .11, 1e-3, 1. / 16}[trial/9%4]
		s := seams{mesh: m, to: map[int32]int32{}}
		s.join(m.boundary, width)
		want := map[int32]int32{}
		g := seamGrid{mesh: m, width: width}
		inChain := map[int32]bool{}
		for _, e := range m.boundary {
			inChain[e.A], inChain[e.B] = true, true
		}
		for v := range int32(len(m.Vertices)) {
			nearest, least := v, width
			for u := range v {
				if _, moved := want[u]; moved || !inChain[u] || !inChain[v] {
					continue
				}
				d := distance(m.Vertices[u], m.Vertices[v])
				if d < least || d == least && nearest != v && g.before(u, nearest) {
					nearest, least = u, d
				}
			}
			if nearest != v {
				want[v] = nearest
			}
		}
		joined += len(want)
		if !maps.Equal(s.to, want) {
			t.Fatalf("trial %d, width %g: %v, want %v", trial, width, s.to, want)
		}
	}
	if joined < 1000 {
		t.Errorf("%d vertices are joined", joined)
	}
}

// If most vertices lie in few cells, a vertex still meets few places.
func TestJoinOfManyNearVertices(t *testing.T) {
	soup, r := Soup{}, rand.New(rand.NewPCG(1, 2))
	add := func(p r3.Vector, size float64) {
		k := int32(len(soup.Vertices))
		for range 3 {
			soup.Vertices = append(soup.Vertices, p.Add(r3.Vector{X: size * r.Float64(), Y: size * r.Float64(), Z: size * r.Float64()}))
		}
		soup.Faces = append(soup.Faces, [3]int32{k, k + 1, k + 2})
	}
	add(r3.Vector{}, 1000)
	for range 4000 {
		add(r3.Vector{X: 1 + r.Float64(), Y: 1 + r.Float64(), Z: 1 + r.Float64()}, 1e-3)
	}
	m, err := New(t.Context(), soup, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []float64{.3, .1} {
		s := seams{mesh: m, to: map[int32]int32{}}
		s.join(m.boundary, width)
		g := newSeamGrid(m, width, len(m.Vertices))
		for v := range int32(len(m.Vertices)) {
			if _, moved := s.to[v]; !moved {
				g.add(v)
			}
		}
		visits := 0
		for _, p := range m.Vertices {
			g.near(p, func(int32) { visits++ })
		}
		if mean := visits / len(m.Vertices); mean > 100 {
			t.Errorf("width %g: %d places, a vertex meets %d of them", width, len(g.places), mean)
		}
	}
}
