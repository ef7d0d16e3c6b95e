package binding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// newAnswers returns slices for all answers of n points, filled with wrong values.
func newAnswers(n int) Answers {
	numbers := func() []float64 { return slices.Repeat([]float64{-77}, n) }
	counts := func() []int32 { return slices.Repeat([]int32{-77}, n) }
	return Answers{
		Sides:   slices.Repeat([]side.Side{77}, n),
		Winding: numbers(), Bound: numbers(), Distance: numbers(), DistanceBound: numbers(),
		Face: counts(), NearestBody: counts(), Body: counts(),
		Nearest:      slices.Repeat([]r3.Vector{{X: -77, Y: -77, Z: -77}}, n),
		NearestBound: numbers(), Barycentric: slices.Repeat([][3]float64{{-77, -77, -77}}, n),
		Feature: slices.Repeat([]inpoly.Feature{77}, n), Normal: slices.Repeat([]r3.Vector{{X: -77}}, n),
	}
}

// text returns the answers for point i as one string, in which different numbers differ.
func (a *Answers) text(i int) string {
	p := a.Nearest[i]
	return fmt.Sprintf("side %d, winding %x ± %x, distance %x ± %x, face %d of %d at %x %x %x ± %x, %x, feature %d, normal %x, body %d",
		a.Sides[i], a.Winding[i], a.Bound[i], a.Distance[i], a.DistanceBound[i], a.Face[i], a.NearestBody[i], p.X, p.Y, p.Z,
		a.NearestBound[i], a.Barycentric[i], a.Feature[i], a.Normal[i], a.Body[i])
}

// single returns the answers for p from the methods for single points.
func single(a *assembly.Assembly, p r3.Vector, c assembly.Choice) Answers {
	out := newAnswers(1)
	out.Sides[0], out.Body[0] = a.Side(p), a.Body(p, c)
	out.Winding[0], out.Bound[0] = a.Winding(p)
	d, body, face := a.Distance(p)
	out.Distance[0], out.DistanceBound[0], out.NearestBody[0], out.Face[0] = d, inpoly.DistanceBound(d), body, -1
	near := []inpoly.Nearest{{}}
	if face >= 0 {
		out.Face[0] = a.FileFace(int(body), face)
	}
	if err := a.Solid(int(max(body, 0))).NearestTo(context.Background(), near, []r3.Vector{p}); err != nil {
		panic(err)
	}
	out.setNearest(near)
	return out
}

// probes returns points in and around the meshes, corners, and points that are not finite.
func probes(meshes []Mesh, n int, r *rand.Rand) []r3.Vector {
	pts := []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}, {Z: math.Inf(-1)}, {X: 0x1p100}, {}}
	for len(pts) < n {
		m := meshes[r.IntN(len(meshes))]
		if len(m.Vertices) == 0 {
			continue
		}
		v := m.Vertices[r.IntN(len(m.Vertices))]
		p := r3.Vector{X: v.X + r.Float64() - .5, Y: v.Y + r.Float64() - .5, Z: v.Z + r.Float64() - .5}
		if r.IntN(5) == 0 {
			p = v
		}
		pts = append(pts, p)
	}
	return pts
}

// clone copies the slices of meshes, because New overwrites them.
func clone(meshes []Mesh) []Mesh {
	out := slices.Clone(meshes)
	for i := range out {
		out[i].Vertices, out[i].Faces = slices.Clone(out[i].Vertices), slices.Clone(out[i].Faces)
	}
	return out
}

var cases = []struct {
	name   string
	meshes []Mesh
	opt    Options
}{
	{"cube", []Mesh{{Soup: testmesh.UnitCube()}}, Options{}},
	{"star", []Mesh{{Soup: testmesh.Star(3, .5, 1)}}, Options{Workers: 2}},
	{"nested", []Mesh{{Soup: testmesh.Nested(true)}}, Options{Rule: "evenodd", Method: "cells"}},
	{"open", []Mesh{{Soup: testmesh.Hemisphere(2)}}, Options{Rule: "positive", Method: "raycross"}},
	{"tolerance", []Mesh{{Soup: testmesh.UnitCube()}}, Options{Tolerance: .1, Orient: "never"}},
	{"empty", []Mesh{{}}, Options{}},
	{"several", []Mesh{
		{Name: "a", Soup: testmesh.UnitCube()},
		{Name: "b", Soup: testmesh.Translate(testmesh.Star(2, .3, 2), r3.Vector{X: .5})},
		{Name: "a", Soup: testmesh.Hemisphere(1)},
	}, Options{Rule: "nonzero"}},
}

// All batches have the answers of the methods for single points, bit by bit. The winding numbers,
// which can depend on the number of points, equal those of the same batch of an Assembly.
func TestLocate(t *testing.T) {
	for _, c := range cases {
		open := func() *Solid {
			s, err := New(t.Context(), clone(c.meshes), c.opt)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			return s
		}
		pts := probes(append(slices.Clone(c.meshes), Mesh{Soup: testmesh.UnitCube()}), 300, rand.New(rand.NewPCG(1, 2)))
		for _, choice := range []assembly.Choice{assembly.First, assembly.Innermost, assembly.Count} {
			s := open()
			batch := inpoly.Answers{}
			batch.Winding, batch.Bound = make([]float64, len(pts)), make([]float64, len(pts))
			if _, err := s.Assembly.LocateTo(t.Context(), assembly.Query{}, batch, pts); err != nil {
				t.Fatal(err)
			}
			want := make([]string, len(pts))
			for i, p := range pts {
				a := single(s.Assembly, p, choice)
				a.Winding[0], a.Bound[0] = batch.Winding[i], batch.Bound[i]
				want[i] = a.text(0)
			}
			for name, call := range map[string]func(s *Solid, a Answers) error{
				"LocateTo": func(s *Solid, a Answers) error { return s.LocateTo(t.Context(), a, pts, nil) },
				"LocateFuncTo": func(s *Solid, a Answers) error {
					return s.LocateFuncTo(t.Context(), a, len(pts), func(dst []r3.Vector, lo int) { copy(dst, pts[lo:]) }, nil)
				},
			} {
				got := newAnswers(len(pts))
				got.Choice = choice
				if err := call(open(), got); err != nil {
					t.Fatalf("%s: %s: %v", c.name, name, err)
				}
				for i, p := range pts {
					if got := got.text(i); got != want[i] {
						t.Fatalf("%s: %s: choice %v: point %v:\ngot  %s\nwant %s", c.name, name, choice, p, got, want[i])
					}
				}
			}
		}
	}
}

// Each answer can be computed alone.
func TestLocateOne(t *testing.T) {
	c := cases[len(cases)-1]
	s, err := New(t.Context(), clone(c.meshes), c.opt)
	if err != nil {
		t.Fatal(err)
	}
	pts := probes(c.meshes, 100, rand.New(rand.NewPCG(3, 4)))
	all := newAnswers(len(pts))
	if err := s.LocateTo(t.Context(), all, pts, nil); err != nil {
		t.Fatal(err)
	}
	alone := newAnswers(len(pts))
	for _, a := range []Answers{
		{}, {Sides: alone.Sides}, {Winding: alone.Winding}, {Bound: alone.Bound}, {Distance: alone.Distance},
		{DistanceBound: alone.DistanceBound}, {Face: alone.Face}, {NearestBody: alone.NearestBody},
		{Nearest: alone.Nearest}, {NearestBound: alone.NearestBound}, {Barycentric: alone.Barycentric},
		{Feature: alone.Feature}, {Normal: alone.Normal}, {Body: alone.Body},
	} {
		if err := s.LocateTo(t.Context(), a, pts, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range pts {
		if got, want := alone.text(i), all.text(i); got != want {
			t.Fatalf("point %v: alone\n%s\ntogether\n%s", pts[i], got, want)
		}
	}
}

// If the context ends between two chunks, the answers of the first chunk are correct, and the others
// are marked as not computed.
func TestLocateCanceled(t *testing.T) {
	s, err := New(t.Context(), clone(cases[0].meshes), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const n, size = 1000, 250
	pts := slices.Repeat([]r3.Vector{{X: .25, Y: .5, Z: .5}}, n)
	ctx, cancel := context.WithCancel(t.Context())
	var reports []int64
	a := newAnswers(n)
	err = s.chunks(ctx, &a, n, size, func(done, total int64) {
		if reports = append(reports, done); total != n {
			t.Errorf("total %d, want %d", total, n)
		}
		cancel()
	}, func(lo, hi int) []r3.Vector { return pts[lo:hi] })
	if !errors.Is(err, context.Canceled) || len(reports) != 1 || reports[0] != size {
		t.Fatalf("error %v, progress %v", err, reports)
	}
	none := newAnswers(1)
	none.clear()
	want := single(s.Assembly, pts[0], assembly.First)
	for i := range n {
		if i == size {
			want = none
		}
		if got := a.text(i); got != want.text(0) {
			t.Fatalf("point %d: %s, want %s", i, got, want.text(0))
		}
	}
}

// With progress, distances advance in steps, and a cancel keeps the finished steps. The winding numbers
// are those of a call without progress.
func TestLocateSteps(t *testing.T) {
	const n = firstStep + 1000
	pts := probes(cases[0].meshes, n, rand.New(rand.NewPCG(7, 8)))
	open := func() *Solid {
		s, err := New(t.Context(), []Mesh{{Soup: testmesh.Hemisphere(2)}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want, got, canceled := newAnswers(n), newAnswers(n), newAnswers(n)
	if err := open().LocateTo(t.Context(), want, pts, nil); err != nil {
		t.Fatal(err)
	}
	var reports []int64
	if err := open().LocateTo(t.Context(), got, pts, func(done, _ int64) { reports = append(reports, done) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(reports, []int64{firstStep, n}) {
		t.Errorf("progress %v", reports)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := open().LocateTo(ctx, canceled, pts, func(int64, int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for i := range n {
		if got.text(i) != want.text(i) {
			t.Fatalf("point %d: %s, without progress %s", i, got.text(i), want.text(i))
		}
		if i >= firstStep { // the whole chunk has winding numbers, sides and bodies
			none := newAnswers(1)
			none.clear()
			none.Sides[0], none.Winding[0], none.Bound[0], none.Body[0] = want.Sides[i], want.Winding[i], want.Bound[i], want.Body[i]
			if canceled.text(i) != none.text(0) {
				t.Fatalf("point %d after a cancel: %s, want %s", i, canceled.text(i), none.text(0))
			}
		} else if canceled.text(i) != want.text(i) {
			t.Fatalf("point %d before a cancel: %s, want %s", i, canceled.text(i), want.text(i))
		}
	}
}

// Slices of a wrong length are an error and are not written.
func TestLocateLengths(t *testing.T) {
	s, err := New(t.Context(), clone(cases[0].meshes), Options{})
	if err != nil {
		t.Fatal(err)
	}
	pts := make([]r3.Vector, 3)
	wrong := newAnswers(2)
	for _, a := range []Answers{
		{Sides: wrong.Sides}, {Winding: wrong.Winding}, {Bound: wrong.Bound}, {Distance: wrong.Distance},
		{DistanceBound: wrong.DistanceBound}, {Face: wrong.Face}, {NearestBody: wrong.NearestBody},
		{Nearest: wrong.Nearest}, {Body: wrong.Body}, {Choice: assembly.Count + 1},
	} {
		if err := s.LocateTo(t.Context(), a, pts, nil); CodeOf(err) != Argument {
			t.Errorf("%+v: error %v", a, err)
		}
	}
	if fresh := newAnswers(2); wrong.text(1) != fresh.text(1) {
		t.Errorf("answers were written: %s", wrong.text(1))
	}
	if err := s.LocateFuncTo(t.Context(), Answers{Sides: wrong.Sides}, 3, nil, nil); CodeOf(err) != Argument {
		t.Errorf("LocateFuncTo: error %v", err)
	}
}

// Faces have the numbers of their file, also if the bodies of the file are split.
func TestSplitFaces(t *testing.T) {
	data := []byte("o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 4 5 6\n")
	for _, split := range []bool{false, true} {
		s, err := Read(t.Context(), "two.obj", data, Options{SplitBodies: split})
		if err != nil {
			t.Fatal(err)
		}
		face, body := []int32{9}, []int32{9}
		p := r3.Vector{X: .25, Y: .25, Z: 5}
		if err := s.LocateTo(t.Context(), Answers{Face: face, NearestBody: body}, []r3.Vector{p}, nil); err != nil {
			t.Fatal(err)
		}
		list := s.Explain(p)
		e := list[body[0]]
		if want := map[bool]int32{true: 1}[split]; face[0] != 1 || body[0] != want || e.On[0].Face != 1 || e.Nearest.Face != 1 {
			t.Errorf("split %v: face %d of solid %d, want 1 of %d; %+v", split, face[0], body[0], want, e)
		}
		if want := "it lies exactly on face 1"; e.Because != want {
			t.Errorf("because %q, want %q", e.Because, want)
		}
	}
}

// New gives the solids of assembly.New.
func TestNewEqualsAssembly(t *testing.T) {
	c := cases[len(cases)-1]
	s, err := New(t.Context(), clone(c.meshes), c.opt)
	if err != nil {
		t.Fatal(err)
	}
	var parts []assembly.Part
	for _, m := range clone(c.meshes) {
		welded, err := mesh.New(t.Context(), m.Soup, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, assembly.Part{Name: m.Name, Mesh: welded})
	}
	want, err := assembly.New(t.Context(), parts, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Len() {
		if s.Name(i) != want.Name(i) || !slices.Equal(s.Solid(i).Mesh().Vertices, want.Solid(i).Mesh().Vertices) {
			t.Errorf("solid %d: %s, want %s with the same vertices", i, s.Name(i), want.Name(i))
		}
	}
}
