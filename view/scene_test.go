package view

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/intersect"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func vector(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }

func newSolid(t testing.TB, s mesh.Soup, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	solid, err := inpoly.New(context.Background(), testmesh.Mesh(s), opt)
	if err != nil {
		t.Fatal(err)
	}
	return solid
}

// newCloud returns a cloud of n random points in a box, and computes the sides of the points.
func newCloud(t testing.TB, solid *inpoly.Solid, lo, hi r3.Vector, n, most int) *Cloud {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	pts, sides := make([]r3.Vector, n), make([]inpoly.Side, n)
	for i := range pts {
		d := hi.Sub(lo)
		pts[i] = lo.Add(vector(d.X*rng.Float64(), d.Y*rng.Float64(), d.Z*rng.Float64()))
	}
	if err := solid.SidesTo(context.Background(), sides, pts); err != nil {
		t.Fatal(err)
	}
	c := NewCloud(most)
	c.Add(0, pts, sides)
	return c
}

func newScene(t testing.TB, solid *inpoly.Solid, cloud *Cloud, opt Options) *Scene {
	t.Helper()
	if opt.Pixels == 0 {
		opt.Pixels = 40
	}
	s, err := New(context.Background(), solid, cloud, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// brokenSoup is a sphere with a hole, flipped faces, a fin (an edge with three faces), a duplicate
// face and a face without area.
func brokenSoup() mesh.Soup {
	sphere := testmesh.Sphere(3)
	s := mesh.Soup{Vertices: slices.Clone(sphere.Vertices), Faces: slices.Clone(sphere.Faces)}
	s = testmesh.Without(s, 100, 101)
	s = testmesh.Flip(s, 200, 300, 301)
	f := s.Faces[50]
	n := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, vector(0, 0, 1.5), vector(2, 0, 0), vector(3, 0, 0), vector(4, 0, 0))
	s.Faces = append(s.Faces, [3]int32{f[0], f[1], n}, s.Faces[20], [3]int32{n + 1, n + 2, n + 3})
	return s
}

// TestDefectsMatchReport compares the layers with the counts of the diagnosis, which a different
// algorithm computes.
func TestDefectsMatchReport(t *testing.T) {
	soups := map[string]mesh.Soup{
		"cube":       testmesh.Cube(vector(0, 0, 0), vector(1, 2, 3)),
		"open":       testmesh.Without(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), 3),
		"broken":     brokenSoup(),
		"moebius":    testmesh.Moebius(12),
		"hemisphere": testmesh.Hemisphere(3),
		"cavity":     testmesh.Nested(true),
		"double":     testmesh.Double(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), 1, 4),
		"copies":     testmesh.Copies(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), 3),
		"flipped":    testmesh.Flip(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1))),
		"crossing":   testmesh.Union(testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), testmesh.Cube(vector(.5, .25, .125), vector(2, 2, 2))),
	}
	for name, soup := range soups {
		t.Run(name, func(t *testing.T) {
			solid := newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientNever})
			s := newScene(t, solid, nil, Options{})
			d := solid.Report().Diagnosis
			got := map[string]int{}
			for _, l := range s.layers {
				got[l.Key] = l.Total
				if l.Shown() != l.Total {
					t.Errorf("%s: %d of %d are drawn", l.Key, l.Shown(), l.Total)
				}
			}
			want := map[string]int{"open": d.BoundaryEdges, "misoriented": d.MisorientedEdges, "nonmanifold": d.NonManifoldEdges,
				"duplicate": d.DuplicateFaces, "zero": d.ZeroArea}
			for key, n := range want {
				if got[key] != n {
					t.Errorf("%s: %d in the picture, %d in the report", key, got[key], n)
				}
			}
			found, err := intersect.Find(context.Background(), solid.Mesh(), intersect.Options{Faces: true})
			if err != nil || got["intersecting"] != len(found.Faces) {
				t.Errorf("%d intersecting faces, want %d (%v)", got["intersecting"], len(found.Faces), err)
			}
			if (got["inward"] > 0) != (d.InwardComponents > 0) {
				t.Errorf("%d faces of %d components face inward", got["inward"], d.InwardComponents)
			}
			if _, o, err := solid.Mesh().Oriented(context.Background()); err != nil || s.flipped != len(o.Flipped) {
				t.Errorf("%d flipped faces, want %d (%v)", s.flipped, len(o.Flipped), err)
			}
		})
	}
}

func TestFlippedFaces(t *testing.T) {
	sphere := testmesh.Sphere(3)
	flip := []int32{7, 40, 41, 333}
	soup := testmesh.Flip(mesh.Soup{Vertices: slices.Clone(sphere.Vertices), Faces: slices.Clone(sphere.Faces)}, 7, 40, 41, 333)
	s := newScene(t, newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientNever}), nil, Options{})
	i := slices.IndexFunc(s.layers, func(l *layer) bool { return l.Key == "flipped" })
	if i < 0 || !slices.Equal(s.layers[i].faces, flip) {
		t.Fatalf("layers %v: want the flipped faces %v", s.layers, flip)
	}
	for _, mode := range []inpoly.Orient{inpoly.OrientAuto, inpoly.OrientAlways} {
		s = newScene(t, newSolid(t, soup, inpoly.Options{Orient: mode}), nil, Options{})
		if len(s.layers) != 1 || s.layers[0].Key != "flipped" || !slices.Equal(s.layers[0].faces, flip) || s.flipped != len(flip) {
			t.Errorf("%v: layers %v, want only the faces %v that were turned over", mode, s.layers, flip)
		}
	}
}

func TestFrame(t *testing.T) {
	tests := map[string]bvh.Box{
		"unit":   {Min: vector(0, 0, 0), Max: vector(1, 1, 1)},
		"flat":   {Min: vector(-3, 2, 5), Max: vector(4, 2, 5)},
		"huge":   {Min: vector(-0x1p1000, 0, 0), Max: vector(0x1p1000, 1, 1)},
		"tiny":   {Min: vector(0, 0, 0), Max: vector(0x1p-1074, 0x1p-1073, 0x1p-1070)},
		"offset": {Min: vector(1e6, 1e6, 1e6), Max: vector(1e6+0.01, 1e6+0.02, 1e6+0.01)},
		"point":  {Min: vector(7, 7, 7), Max: vector(7, 7, 7)},
		"power":  {Min: vector(-4, -4, -4), Max: vector(4, 4, 4)},
	}
	for name, box := range tests {
		f := newFrame(box)
		top := float32(0)
		for _, p := range []r3.Vector{box.Min, box.Max} {
			if !f.near(p) {
				t.Errorf("%s: corner %v is far from its box", name, p)
			}
			for _, x := range f.local(p) {
				if !(x >= -1 && x <= 1) {
					t.Errorf("%s: corner %v is %v in the frame", name, p, f.local(p))
				}
				top = max(top, x)
			}
		}
		if name != "point" && top <= 0.5 {
			t.Errorf("%s: the box reaches %g in the frame, want more than 1/2", name, top)
		}
		for _, p := range []r3.Vector{vector(math.NaN(), 0, 0), vector(math.Inf(1), 0, 0)} {
			if f.near(p) {
				t.Errorf("%s: %v is near", name, p)
			}
		}
	}
	f := newFrame(tests["unit"])
	if f.near(vector(1e9, 0, 0)) || !f.near(vector(1e3, 0, 0)) {
		t.Error("of 1000 and a thousand million box sizes the first only should be near")
	}
	if f := newFrame(bvh.EmptyBox()); f.local(vector(1, 2, 3)) != [3]float32{1, 2, 3} {
		t.Error("the frame of no box is not that of the coordinates")
	}
}

func TestReduced(t *testing.T) {
	m := testmesh.Sphere(5) // 8192 triangles
	f := newFrame(m.Box())
	draw := func(most int) surface {
		s, err := newSurface(context.Background(), &subject{vertices: m.Vertices, faces: m.Faces}, f, most)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := draw(len(m.Faces)); s.reduced || len(s.faces) != len(m.Faces) {
		t.Errorf("%d of %d faces, reduced: %v", len(s.faces), len(m.Faces), s.reduced)
	}
	for _, most := range []int{8191, 1000, 100, 10, 1} {
		s := draw(most)
		if !s.reduced || len(s.faces) > most || most >= 1000 && len(s.faces) < most/2 {
			t.Errorf("at most %d triangles: got %d, reduced: %v", most, len(s.faces), s.reduced)
		}
		seen := map[[3]uint32]bool{}
		for _, t3 := range s.faces {
			if t3[0] == t3[1] || t3[1] == t3[2] || t3[2] == t3[0] || seen[t3] {
				t.Fatalf("triangle %v is twice there or has no area", t3)
			}
			seen[t3] = true
			for _, v := range t3 {
				p := s.vertices[v]
				if r := math.Hypot(math.Hypot(float64(p[0]), float64(p[1])), float64(p[2])); most >= 1000 && math.Abs(r-1) > 0.1 {
					t.Fatalf("vertex %v of the coarse sphere has the radius %g", p, r)
				}
			}
		}
	}
}

func TestOptions(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	for _, opt := range []Options{{Pixels: -1}, {Pixels: MaxPixels + 1}, {Triangles: -1}, {Plane: &Plane{Axis: 3}}, {Plane: &Plane{Axis: 0, Value: math.NaN()}},
		{Up: "w"}, {Up: "xy"}, {ColorBy: "state"}, {Files: []string{"a", "b"}}, {Body: assembly.Count}} {
		if _, err := New(context.Background(), solid, nil, opt); err == nil {
			t.Errorf("options %+v were accepted", opt)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, solid, nil, Options{}); err == nil {
		t.Error("a context that has ended was ignored")
	}
}
