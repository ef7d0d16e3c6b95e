package raycross

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/oriented"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// A ray has the same crossings in both trees.
func TestBothTrees(t *testing.T) {
	meshes := solids()
	for _, s := range testmesh.Slivers(200) {
		meshes[s.Name] = testmesh.Mesh(s.Soup)
		meshes["open "+s.Name] = testmesh.Mesh(testmesh.Without(s.Soup, 0, 50))
		meshes["tiny "+s.Name] = testmesh.Mesh(testmesh.Scale(s.Soup, 0x1p-700))
		meshes["huge "+s.Name] = testmesh.Mesh(testmesh.Scale(s.Soup, 0x1p900))
		meshes["far "+s.Name] = testmesh.Mesh(testmesh.Translate(s.Soup, r3.Vector{X: 1e9, Y: -1e10, Z: 1e8}))
	}
	for name, m := range meshes {
		c := newCaster(t, m, Options{})
		tree, err := c.orientedTree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var s Scratch
		crossings := uint64(0)
		for _, p := range tries(m, 30, 43) {
			if !c.box.Contains(p) {
				continue
			}
			for number := range 2 {
				q := aim(p, c.box, rayLength(c.largest), c.seed, number)
				var wide, thin Count
				atWide, atThin := c.castWide(&q, nil, &wide, &s), c.castThin(tree, &q, nil, &thin, &s)
				if (atWide == miss) != (atThin == miss) || atWide == miss && wide != thin {
					t.Fatalf("%s, %v: %+v %d, with oriented boxes %+v %d", name, p, wide, atWide, thin, atThin)
				}
				crossings += wide.Crossings
			}
		}
		if crossings == 0 {
			t.Errorf("%s: no ray crosses a face", name)
		}
	}
}

// Where one product of coordinates overflows and the other one does not, rays still have the same crossings in both trees.
func TestBothTreesAtOverflow(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 5))
	for _, s := range testmesh.Slivers(300)[:2] {
		for e := 504; e <= 513; e++ {
			scale := math.Ldexp(1, e)
			m := testmesh.Mesh(testmesh.Scale(s.Soup, scale))
			c := newCaster(t, m, Options{})
			tree, err := c.orientedTree(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var scratch Scratch
			for _, p := range testmesh.Near(m, 300, .1*scale, r) {
				if !c.box.Contains(p) {
					continue
				}
				q := aim(p, c.box, rayLength(c.largest), c.seed, 0)
				var wide, thin Count
				atWide, atThin := c.castWide(&q, nil, &wide, &scratch), c.castThin(tree, &q, nil, &thin, &scratch)
				if (atWide == miss) != (atThin == miss) || atWide == miss && wide != thin {
					t.Fatalf("%s times 2^%d, %v: %+v, with oriented boxes %+v", s.Name, e, p, wide, thin)
				}
			}
		}
	}
}

// On meshes of slivers, the tree of oriented boxes is built after some rays, changes no side, and keeps the work of a
// ray almost independent of the number of faces. On other meshes it is not used.
func TestOrientedWhenItPays(t *testing.T) {
	const n = 3000
	for _, s := range testmesh.Slivers(n) {
		m := testmesh.Mesh(s.Soup)
		c, plain := newCaster(t, m, Options{}), newCaster(t, m, Options{})
		plain.slivers = lazy.NewUpgrade[*oriented.Tree](nil, func(*oriented.Tree, int64) bool { return false }, plain.buildSlivers)
		pts := testmesh.Near(m, 2*n, .1, rand.New(rand.NewPCG(43, 7)))
		got, want := make([]side.Side, len(pts)), make([]side.Side, len(pts))
		if _, err := c.SidesTo(t.Context(), got, pts, 2); err != nil {
			t.Fatal(err)
		}
		stats, err := plain.SidesTo(t.Context(), want, pts, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			if got[i] != want[i] {
				t.Fatalf("%s, %v: %v, want %v", s.Name, p, got[i], want[i])
			}
		}
		before := float64(stats.Triangles+stats.Nodes) / float64(max(1, stats.Rays))
		if c.slivers.Current() == nil {
			if before > 500 {
				t.Errorf("%s: a ray takes %.0f steps, but there are no oriented boxes", s.Name, before)
			}
			continue
		}
		if stats, err = c.SidesTo(t.Context(), got, pts, 2); err != nil {
			t.Fatal(err)
		}
		after := float64(stats.Triangles+stats.Nodes) / float64(stats.Rays)
		t.Logf("%s: %.0f steps a ray, %.0f with oriented boxes", s.Name, before, after)
		if after > 400 {
			t.Errorf("%s: %.0f steps a ray with oriented boxes", s.Name, after)
		}
	}
	for name, soup := range map[string]mesh.Soup{"torus": testmesh.Torus(2, .5, 80, 40), "tangle": testmesh.Tangle(300, 2000, 3)} {
		m := testmesh.Mesh(soup)
		c := newCaster(t, m, Options{})
		if _, err := c.SidesTo(t.Context(), make([]side.Side, 20_000), tries(m, 20_000, 5), 2); err != nil {
			t.Fatal(err)
		}
		if c.slivers.Current() != nil {
			t.Errorf("%s: oriented boxes", name)
		}
	}
}
