package binding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/rays"
	"github.com/inpoly/inpoly/section"
	"github.com/inpoly/inpoly/side"
)

// randomLines returns lines between random points in and around the meshes of probes.
func randomLines(meshes []Mesh, n int, segments bool, seed uint64) Lines {
	r := rand.New(rand.NewPCG(seed, 3))
	finite := func(p r3.Vector) bool { return p.Sub(p) == r3.Vector{} }
	pts := slices.DeleteFunc(probes(append(meshes, Mesh{Soup: testmesh.UnitCube()}), 2*n+10, r), func(p r3.Vector) bool { return !finite(p) })
	l := Lines{Segments: segments}
	for i := range n {
		a, b := pts[2*i], pts[2*i+1]
		if !segments {
			if b = b.Sub(a); b == (r3.Vector{}) {
				b = r3.Vector{X: 1}
			}
		}
		l.Starts, l.Vectors = append(l.Starts, a), append(l.Vectors, b)
	}
	return l
}

// twinHits returns the hits of one line with each solid, from package rays alone.
func twinHits(t *testing.T, s *Solid, l Lines, i int) (hits []rays.Hit, body []int32) {
	for k := range s.Len() {
		c, err := rays.New(t.Context(), s.Solid(k))
		if err != nil {
			t.Fatal(err)
		}
		var found rays.Hits
		if l.Segments {
			err = rays.AllTo(t.Context(), c, &found, []rays.Segment{{A: l.Starts[i], B: l.Vectors[i]}})
		} else {
			err = rays.AllTo(t.Context(), c, &found, []rays.Ray{{Origin: l.Starts[i], Direction: l.Vectors[i]}})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Hits {
			h.Face = s.FileFace(k, h.Face)
			hits, body = append(hits, h), append(body, int32(k))
		}
	}
	return hits, body
}

// The hits with several solids are those with each of them, and their parameters ascend. The first hit
// is the first of all hits.
func TestHits(t *testing.T) {
	total := 0
	for _, c := range cases {
		s, err := New(t.Context(), clone(c.meshes), c.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, segments := range []bool{false, true} {
			l := randomLines(clone(c.meshes), 60, segments, 7)
			all, err := s.AllHits(t.Context(), l, nil)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			n := len(l.Starts)
			var first Hits
			first.grow(n)
			met := make([]bool, n)
			if err := errors.Join(s.FirstHitsTo(t.Context(), first, l, nil), s.AnyHitsTo(t.Context(), met, l, nil)); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				text := func(h *Hits, k int64) string {
					return fmt.Sprintf("%.14g %d %d %d %d", h.T[k], h.Face[k], h.Body[k], h.Sign[k], h.Jump[k])
				}
				lo, hi := all.Offsets[i], all.Offsets[i+1]
				var got, want []string
				for k := lo; k < hi; k++ {
					if got = append(got, text(&all.Hits, k)); k > lo && all.T[k] < all.T[k-1] {
						t.Errorf("%s: line %d: parameter %g after %g", c.name, i, all.T[k], all.T[k-1])
					}
				}
				hits, body := twinHits(t, s, l, i)
				for k, h := range hits {
					want = append(want, fmt.Sprintf("%.14g %d %d %d %d", h.T, h.Face, body[k], h.Sign, h.Jump))
				}
				total += len(want)
				slices.Sort(want)
				if met[i] != (len(got) > 0) {
					t.Errorf("%s: line %d: %d hits, but AnyHitsTo says %v", c.name, i, len(got), met[i])
				}
				const none = "+Inf -1 -1 0 0"
				if f := text(&first, int64(i)); len(got) > 0 && f != got[0] || len(got) == 0 && f != none {
					t.Errorf("%s: line %d: first hit %s of %v", c.name, i, f, got)
				}
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("%s: line %d: hits %v, want %v", c.name, i, got, want)
				}
			}
		}
	}
	if total < 300 {
		t.Errorf("%d hits: the lines do not try enough", total)
	}
}

// Lines beyond the first part have their own answers, progress reaches the end, and a line that is not
// valid does not affect the others.
func TestManyLines(t *testing.T) {
	s, err := New(t.Context(), []Mesh{{Soup: testmesh.UnitCube()}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := lineChunk + 10
	l := Lines{Starts: make([]r3.Vector, n), Vectors: make([]r3.Vector, n), Segments: true}
	for i := range n {
		x := float64(i+1) / float64(2*n) // from the inside to x = 1 + x
		l.Starts[i], l.Vectors[i] = r3.Vector{X: .5, Y: .5, Z: .25}, r3.Vector{X: 1 + x, Y: .5, Z: .25}
	}
	last := int64(0)
	list, err := s.Intervals(t.Context(), 0, l, 0, func(done, total int64) {
		if last = done; total != int64(n) {
			t.Errorf("total %d, want %d", total, n)
		}
	})
	if err != nil || last != int64(n) || len(list.Side) != 2*n || list.Offsets[n] != int64(2*n) {
		t.Fatalf("%v; %d of %d lines; %d intervals", err, last, n, len(list.Side))
	}
	for i := range n {
		if k := list.Offsets[i]; math.Abs(list.Length[k]-.5) > list.LengthBound[k] || list.Side[k] != 3 || list.Side[k+1] != 1 {
			t.Fatalf("segment %d: %g ± %g inside", i, list.Length[k], list.LengthBound[k])
		}
	}
	l.Starts[n-3].X = math.NaN()
	again, err := s.Intervals(t.Context(), 0, l, 0, nil)
	if err != nil || len(again.Side) != 2*n-1 {
		t.Fatalf("%v; %d intervals", err, len(again.Side))
	}
	for i := range n {
		k := again.Offsets[i]
		if bad := i == n-3; bad != (again.Side[k] == side.Unknown) || bad != math.IsNaN(again.Length[k]) || bad != math.IsInf(again.LengthBound[k], 1) {
			t.Fatalf("segment %d: side %v, length %g", i, again.Side[k], again.Length[k])
		}
	}
	hits, err := s.AllHits(t.Context(), l, nil)
	if err != nil || len(hits.T) != n {
		t.Fatalf("%v; %d hits", err, len(hits.T))
	}
	met := make([]bool, n)
	if err := s.AnyHitsTo(t.Context(), met, l, nil); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if bad := i == n-3; math.IsNaN(hits.T[i]) != bad || (hits.Face[i] < 0) != bad || (hits.Body[i] < 0) != bad || met[i] == bad {
			t.Fatalf("segment %d: hit %g, face %d, met %v", i, hits.T[i], hits.Face[i], met[i])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.AllHits(ctx, l, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

// Intervals of polylines and segments are those of package rays, for each of several solids.
func TestIntervals(t *testing.T) {
	for _, c := range cases {
		s, err := New(t.Context(), clone(c.meshes), c.opt)
		if err != nil {
			t.Fatal(err)
		}
		l := randomLines(clone(c.meshes), 30, true, 9)
		var points []r3.Vector
		offsets := []int64{0}
		var polylines [][]r3.Vector
		for i := range l.Starts {
			line := l.Starts[i:min(i+i%4, len(l.Starts))]
			points, polylines = append(points, line...), append(polylines, line)
			offsets = append(offsets, int64(len(points)))
		}
		for k := range s.Len() {
			caster, err := rays.New(t.Context(), s.Solid(k))
			if err != nil {
				t.Fatal(err)
			}
			var segments []rays.Segment
			for i := range l.Starts {
				segments = append(segments, rays.Segment{A: l.Starts[i], B: l.Vectors[i]})
			}
			var ofSegments, ofPolylines rays.Intervals
			if err := errors.Join(rays.IntervalsTo(t.Context(), caster, &ofSegments, segments, 0), rays.PolylinesTo(t.Context(), caster, &ofPolylines, polylines, 0)); err != nil {
				t.Fatal(err)
			}
			got, err := s.Intervals(t.Context(), k, l, 0, nil)
			checkIntervals(t, c.name+", segments", got, err, &ofSegments)
			got, err = s.PolylineIntervals(t.Context(), k, points, offsets, 0, nil)
			checkIntervals(t, c.name+", polylines", got, err, &ofPolylines)
		}
	}
}

func checkIntervals(t *testing.T, name string, got *IntervalList, err error, want *rays.Intervals) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var built rays.Intervals
	for _, o := range got.Offsets {
		built.Offsets = append(built.Offsets, int(o))
	}
	for i := range got.Side {
		built.Intervals = append(built.Intervals, rays.Interval{
			Side: got.Side[i], FromSegment: got.FromSegment[i], ToSegment: got.ToSegment[i], From: got.From[i], FromBound: got.FromBound[i],
			To: got.To[i], ToBound: got.ToBound[i], Length: got.Length[i], LengthBound: got.LengthBound[i],
		})
	}
	for _, i := range got.Unsampled {
		built.Unsampled = append(built.Unsampled, int(i))
	}
	if fmt.Sprint(built) != fmt.Sprint(*want) {
		t.Errorf("%s: got %v, want %v", name, built, *want)
	}
}

// The numbers of lines that are not sampled count from the first line, also in later chunks.
func TestUnsampledLines(t *testing.T) {
	open := testmesh.Without(testmesh.UnitCube(), 0)
	s, err := New(t.Context(), []Mesh{{Soup: open}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := r3.Vector{X: 0.3, Y: 0.4, Z: 0.6}
	l := Lines{Starts: slices.Repeat([]r3.Vector{p}, lineChunk+2), Vectors: slices.Repeat([]r3.Vector{p}, lineChunk+2), Segments: true}
	for _, i := range []int{1, lineChunk + 1} { // so long that parameters do not tell samples apart
		l.Starts[i], l.Vectors[i] = r3.Vector{X: 0.3, Y: 0.4, Z: -1e17}, r3.Vector{X: 0.3, Y: 0.4, Z: 1e17}
	}
	got, err := s.Intervals(t.Context(), 0, l, 0, nil)
	if err != nil || !slices.Equal(got.Unsampled, []int64{1, lineChunk + 1}) {
		t.Errorf("%v, %v", got.Unsampled, err)
	}
	points := []r3.Vector{p, p, l.Starts[1], p, l.Vectors[1]}
	got, err = s.PolylineIntervals(t.Context(), 0, points, []int64{0, 2, 2, 5}, 0, nil)
	if err != nil || !slices.Equal(got.Unsampled, []int64{2}) {
		t.Errorf("polylines: %v, %v", got.Unsampled, err)
	}
}

func TestBadLines(t *testing.T) {
	s, err := New(t.Context(), []Mesh{{Soup: testmesh.UnitCube()}, {Soup: testmesh.UnitCube()}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	posed, err := s.At([]pose.Pose{pose.At(r3.Vector{X: 1})})
	if err != nil {
		t.Fatal(err)
	}
	p := []r3.Vector{{}}
	ray, segment := Lines{Starts: p, Vectors: []r3.Vector{{X: 1}}}, Lines{Starts: p, Vectors: p, Segments: true}
	z := []section.Plane{section.AxisPlane(2, .5)}
	for text, call := range map[string]func() error{
		"1 starts and 0 directions": func() error { return s.AnyHitsTo(t.Context(), make([]bool, 1), Lines{Starts: p}, nil) },
		"1 starts and 0 ends": func() error {
			_, err := s.Intervals(t.Context(), 0, Lines{Starts: p, Segments: true}, 0, nil)
			return err
		},
		"0 answers for 1 lines":                  func() error { return s.AnyHitsTo(t.Context(), nil, ray, nil) },
		"2 faces for 1 lines":                    func() error { return s.FirstHitsTo(t.Context(), Hits{Face: make([]int32, 2)}, ray, nil) },
		"intervals need segments":                func() error { _, err := s.Intervals(t.Context(), 0, ray, 0, nil); return err },
		"number of the solid is 2":               func() error { _, err := s.Intervals(t.Context(), 2, segment, 0, nil); return err },
		"number of the solid is -1":              func() error { _, err := s.Measure(t.Context(), -1, "whole", 1); return err },
		"step":                                   func() error { _, err := s.Intervals(t.Context(), 0, segment, -1, nil); return err },
		"offsets of polylines must begin with 0": func() error { _, err := s.PolylineIntervals(t.Context(), 0, p, nil, 0, nil); return err },
		"less than the one before":               func() error { _, err := s.PolylineIntervals(t.Context(), 0, p, []int64{0, 2, 1}, 0, nil); return err },
		"vertices of solids at poses":            func() error { _, err := posed.Mesh(1); return err },
		"the number of the solid is 3":           func() error { _, err := s.Mesh(3); return err },
		"density is -1":                          func() error { _, err := s.Measure(t.Context(), 0, "whole", -1); return err },
		"unknown parts \"half\"":                 func() error { _, err := s.Measure(t.Context(), 0, "half", 1); return err },
		"unknown format of sections \"png\"":     func() error { _, err := s.Sections(t.Context(), 0, z, "png", "", nil); return err },
		"unknown unit":                           func() error { _, err := s.Sections(t.Context(), 0, z, "svg", "furlong", nil); return err },
		"plane 0: invalid plane": func() error {
			_, err := s.Sections(t.Context(), 0, make([]section.Plane, 1), "json", "", nil)
			return err
		},
		"3 poses for 2 solids": func() error { _, err := s.At(make([]pose.Pose, 3)); return err },
	} {
		if err := call(); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Lines meet solids at different poses in one order, and each solid has its own intervals.
func TestPosedLines(t *testing.T) {
	s, err := New(t.Context(), []Mesh{{Soup: testmesh.UnitCube()}, {Soup: testmesh.UnitCube()}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	turned := pose.Pose{Rotation: quat.Number{Real: math.Sqrt(0.5), Kmag: math.Sqrt(0.5)}, Translation: r3.Vector{X: 3}} // from 2 to 3 along x
	posed, err := s.At([]pose.Pose{turned, pose.At(r3.Vector{X: 1})})
	if err != nil {
		t.Fatal(err)
	}
	lines := Lines{Starts: []r3.Vector{{Y: .25, Z: .5}}, Vectors: []r3.Vector{{X: 4, Y: .25, Z: .5}}, Segments: true}
	all, err := posed.AllHits(t.Context(), lines, nil)
	if err != nil || !slices.Equal(all.T, []float64{.25, .5, .5, .75}) || !slices.Equal(all.Body, []int32{1, 0, 1, 0}) {
		t.Errorf("%v, %v, %v", err, all.T, all.Body)
	}
	for i, want := range []float64{.5, .25} {
		list, err := posed.Intervals(t.Context(), i, lines, 0, nil)
		if err != nil || len(list.Side) != 3 || list.From[1] != want || list.Length[1] != 1 {
			t.Errorf("solid %d: %v, %+v", i, err, list)
		}
	}
	if text, err := posed.Measure(t.Context(), 0, "whole", 1); err != nil || !strings.Contains(text, `"centroid":[2.5,0.5,0.5]`) {
		t.Errorf("%v: %s", err, text)
	}
	if text, err := posed.Sections(t.Context(), 0, []section.Plane{section.AxisPlane(0, 2.5)}, "json", "", nil); err != nil || !strings.Contains(text, `"area":1,`) {
		t.Errorf("%v: %s", err, text)
	}
	if list := posed.Explain(r3.Vector{X: 2.5, Y: .5, Z: .5}); list[0].Side != "in" || list[1].Side != "out" {
		t.Errorf("%+v", list)
	}
}

// The texts have the numbers of the Go packages, and a posed solid has the answers of the assembly.
func TestShapes(t *testing.T) {
	s, err := New(t.Context(), []Mesh{{Soup: testmesh.UnitCube()}, {Soup: testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 5})}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	planes := []section.Plane{section.AxisPlane(0, 5.25), section.AxisPlane(0, 9)}
	text, err := s.Sections(t.Context(), 1, planes, "json", "", nil)
	var list []struct {
		Area, AreaBound float64
		Polygons        []struct{ Outer struct{ Points [][3]float64 } }
	}
	if err != nil || json.Unmarshal([]byte(text), &list) != nil || len(list) != 2 || list[0].Area != 1 || len(list[0].Polygons[0].Outer.Points) < 4 || list[1].Polygons == nil {
		t.Errorf("%v: %s", err, text)
	}
	for _, format := range []string{"svg", "geojson"} {
		if text, err := s.Sections(t.Context(), 1, planes, format, "", nil); err != nil || !strings.Contains(text, map[string]string{"svg": "<svg", "geojson": "FeatureCollection"}[format]) {
			t.Errorf("%s: %v: %s", format, err, text)
		}
	}
	want, err := measure.Whole(t.Context(), s.Solid(1), measure.Options{Density: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"whole", "body", "component"} {
		text, err := s.Measure(t.Context(), 1, by, 3)
		var got []struct {
			Volume, Mass, MassBound float64
			Centroid                [3]float64
			Inertia                 [3][3]float64
		}
		if err != nil || json.Unmarshal([]byte(text), &got) != nil || len(got) != 1 || got[0].Mass != want.Mass || got[0].MassBound != want.MassBound || got[0].Inertia != want.Inertia {
			t.Errorf("%s: %v: %s", by, err, text)
		}
	}
	turned, err := pose.Turned(r3.Vector{Z: 1}, 1, r3.Vector{X: 7})
	if err != nil {
		t.Fatal(err)
	}
	posed, err := s.At([]pose.Pose{turned})
	if err != nil {
		t.Fatal(err)
	}
	if p := turned.Apply(r3.Vector{X: .5, Y: .5, Z: .5}); posed.Side(p) != 3 || s.Side(p) != 1 {
		t.Errorf("the point %v of the posed solid has the sides %v and %v", p, posed.Side(p), s.Side(p))
	}
	if s.Poses() != nil || len(posed.Poses()) != 2 || posed.Poses()[1] != turned {
		t.Errorf("poses %v and %v, want none and twice %v", s.Poses(), posed.Poses(), turned)
	}
	if box := s.Box(1); box.Min.X != 5 || box.Max.X != 6 {
		t.Errorf("box %v", box)
	}
	for k := range 8 { // corners of the second cube
		p := turned.Apply(r3.Vector{X: 5 + float64(k&1), Y: float64(k >> 1 & 1), Z: float64(k >> 2)})
		if box := posed.Box(1); !box.Contains(p) || box.Size().X > 3 {
			t.Errorf("the box %v at a pose does not contain the corner %v, or is too large", box, p)
		}
	}
	shift := pose.At(r3.Vector{Y: 3})
	again, err := posed.At([]pose.Pose{pose.At(r3.Vector{}), shift})
	if err != nil {
		t.Fatal(err)
	}
	if want := []pose.Pose{turned, shift.Mul(turned)}; !slices.Equal(again.Poses(), want) {
		t.Errorf("poses of a posed solid: %v, want %v", again.Poses(), want)
	}
	if p := again.Poses()[1].Apply(r3.Vector{X: 5.5, Y: .5, Z: .5}); again.Side(p) != 3 || posed.Side(p) != 1 {
		t.Errorf("the point %v has the sides %v and %v", p, again.Side(p), posed.Side(p))
	}
}
