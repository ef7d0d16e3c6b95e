package rays

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

func intervals(t *testing.T, c *Caster, step float64, segments ...Segment) Intervals {
	t.Helper()
	var v Intervals
	if err := IntervalsTo(context.Background(), c, &v, segments, step); err != nil {
		t.Fatal(err)
	}
	return v
}

// sides returns the sides of intervals as letters.
func sides(of []Interval) (s string) {
	for _, v := range of {
		s += map[inpoly.Side]string{
			inpoly.Inside: "i", inpoly.Outside: "o", inpoly.OnSurface: "s", inpoly.Unknown: "?",
		}[v.Side]
	}
	return s
}

func TestIntervalsOfKnownSegments(t *testing.T) {
	v := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	cubes := testmesh.Union(testmesh.Cube(v(0, 0, 0), v(2, 2, 2)), testmesh.Cube(v(1, 0.5, 0.5), v(3, 1.5, 1.5)))
	c := caster(t, testmesh.Mesh(cubes), inpoly.Options{})
	for _, x := range []struct {
		name    string
		segment Segment
		sides   string
		inside  float64
	}{
		{"through both", Segment{v(-1, 1, 1), v(4, 1, 1)}, "oio", 3},
		{"inside", Segment{v(0.5, 1, 1), v(2.5, 1, 1)}, "i", 2},
		{"ends on the surface", Segment{v(0, 1, 1), v(3, 1, 1)}, "i", 3},
		{"outside from the surface", Segment{v(0, 1, 1), v(-1, 1, 1)}, "o", 0},
		{"touches an edge", Segment{v(-1, 1, 1), v(1, -1, 1)}, "o", 0},
		{"touches a vertex", Segment{v(-1, 1, 0), v(1, -1, 0)}, "o", 0},
		{"in a face", Segment{v(-1, 1, 0), v(3, 1, 0)}, "oso", 0},
		{"along an edge", Segment{v(0, 0, 0), v(2, 0, 0)}, "s", 0},
		{"in an inner face", Segment{v(0.5, 1, 0.5), v(3.5, 1, 0.5)}, "iso", 0.5},
		{"point inside", Segment{v(0.5, 1, 1), v(0.5, 1, 1)}, "i", 0},
		{"point on the surface", Segment{v(0, 1, 1), v(0, 1, 1)}, "s", 0},
		{"point outside", Segment{v(0, 9, 1), v(0, 9, 1)}, "o", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			for _, s := range []Segment{x.segment, {x.segment.B, x.segment.A}} {
				v := intervals(t, c, 0, s)
				inside := 0.0
				for _, w := range v.Of(0) {
					if w.Side == inpoly.Inside {
						inside += w.Length
					}
				}
				got := sides(v.Of(0))
				if s != x.segment { // backward
					reversed := ""
					for _, b := range got {
						reversed = string(b) + reversed
					}
					got = reversed
				}
				if got != x.sides || math.Abs(inside-x.inside) > 1e-12 {
					t.Errorf("%v: %s, %g inside, want %s, %g", s, got, inside, x.sides, x.inside)
				}
			}
		})
	}
}

// The intervals of a polyline are those of its segments, merged.
func TestPolylines(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	for round := range 60 {
		m := testmesh.Mesh(gridSoup(r))
		if round%3 == 0 {
			m = testmesh.Mesh(testmesh.Star(2, 0.75, 1))
		}
		c := caster(t, m, inpoly.Options{Orient: inpoly.OrientNever})
		var lines [][]r3.Vector
		for range 5 {
			var p []r3.Vector
			for range r.IntN(6) {
				q := pick(m, r)
				p = append(p, q)
				if r.IntN(4) == 0 {
					p = append(p, q)
				}
			}
			lines = append(lines, p)
		}
		var got Intervals
		if err := PolylinesTo(context.Background(), c, &got, lines, 0); err != nil {
			t.Fatal(err)
		}
		for i, p := range lines {
			checkPolyline(t, c, p, got.Of(i))
		}
	}
}

func checkPolyline(t *testing.T, c *Caster, p []r3.Vector, got []Interval) {
	t.Helper()
	var want []Interval
	for k := range p {
		s := Segment{p[max(0, k-1)], p[k]}
		if s.A == s.B {
			continue
		}
		v := intervals(t, c, 0, s)
		for _, x := range v.Of(0) {
			x.FromSegment, x.ToSegment = int32(k-1), int32(k-1)
			if n := len(want); n > 0 && want[n-1].Side == x.Side {
				want[n-1].To, want[n-1].ToBound, want[n-1].ToSegment = x.To, x.ToBound, x.ToSegment
				want[n-1].Length += x.Length
				continue
			}
			want = append(want, x)
		}
	}
	if len(p) > 0 && len(want) == 0 { // all points are equal
		if len(got) != 1 || got[0].Side != c.set.Exact.Side(p[0]) || got[0].Length != 0 {
			t.Fatalf("%v: %+v", p, got)
		}
		return
	}
	if len(got) != len(want) {
		t.Fatalf("%v: %+v, want %+v", p, got, want)
	}
	if len(want) > 0 { // segments that are points belong to the interval before them, or to the first one
		want[0].FromSegment, want[len(want)-1].ToSegment = 0, int32(len(p)-2)
	}
	for k := range want[:max(0, len(want)-1)] {
		want[k].ToSegment = max(want[k].ToSegment, want[k+1].FromSegment-1)
		if want[k+1].From > 0 {
			want[k].ToSegment = want[k+1].FromSegment
		}
	}
	for k, v := range got {
		w := want[k]
		if v.Side != w.Side || v.From != w.From || v.To != w.To || v.FromSegment != w.FromSegment ||
			v.ToSegment != w.ToSegment || math.Abs(v.Length-w.Length) > v.LengthBound {
			t.Fatalf("%v: %+v, want %+v", p, v, w)
		}
	}
}

// On an open mesh, points inside and outside of intervals have the sides of the solid, and the step
// bounds the uncertain parts.
func TestIntervalsOfOpenMesh(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 5))
	c := caster(t, testmesh.Mesh(testmesh.Hemisphere(3)), inpoly.Options{})
	if c.Exact() {
		t.Fatal("the intervals of an open mesh are exact")
	}
	const step = 0.01
	uncertain := 0
	for range 20 {
		s := Segment{pick(c.mesh, r), pick(c.mesh, r)}
		v := intervals(t, c, step, s)
		for _, x := range v.Of(0) {
			if x.Side == inpoly.Unknown {
				uncertain++
				if x.Length > 3*step {
					t.Errorf("%v: %+v is longer than a step", s, x)
				}
				continue
			}
			for range 5 {
				p := s.Point(x.From + r.Float64()*(x.To-x.From))
				if got := c.set.Exact.Side(p); got != x.Side && x.Length > 1e-9 && got != inpoly.OnSurface {
					t.Errorf("%v: %v is %v in %+v", s, p, got, x)
				}
			}
		}
	}
	if uncertain == 0 {
		t.Error("no interval is uncertain: the test covers too little")
	}
	for _, step := range []float64{-1, math.NaN(), math.Inf(1), 1e-9} {
		var v Intervals
		err := IntervalsTo(context.Background(), c, &v, []Segment{{B: r3.Vector{X: 9}}}, step)
		if !errors.Is(err, ErrStep) {
			t.Errorf("step %g: %v, want ErrStep", step, err)
		}
	}
}

// The answers depend neither on the number of workers nor on the method of the solid.
func TestWorkersAndMethods(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 6))
	m := testmesh.Mesh(testmesh.Star(3, 0.75, 1))
	rs, segments := randomLines(m, 1000, r)
	var hits []Hit
	var events Events
	var parts Intervals
	for _, opt := range []inpoly.Options{
		{Workers: 1}, {Workers: 3}, {Workers: 2, Method: inpoly.RayCrossing},
		{Workers: 2, Method: inpoly.FMM}, {Method: inpoly.Columns},
	} {
		c := caster(t, m, opt)
		var e Events
		var v Intervals
		h := make([]Hit, len(segments))
		for _, err := range []error{
			FirstTo(context.Background(), c, h, segments),
			EventsTo(context.Background(), c, &e, rs),
			IntervalsTo(context.Background(), c, &v, segments, 0),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if hits == nil {
			hits, events, parts = h, e, v
			continue
		}
		if !reflect.DeepEqual(h, hits) || !reflect.DeepEqual(e, events) || !reflect.DeepEqual(v, parts) {
			t.Errorf("%+v: other answers than with one worker", opt)
		}
	}
}

func TestContextEnds(t *testing.T) {
	c := caster(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	segments := []Segment{{B: r3.Vector{X: 2}}}
	var all Hits
	var events Events
	var v Intervals
	for name, err := range map[string]error{
		"FirstTo":     FirstTo(ctx, c, make([]Hit, 1), segments),
		"AnyTo":       AnyTo(ctx, c, make([]bool, 1), segments),
		"AllTo":       AllTo(ctx, c, &all, segments),
		"EventsTo":    EventsTo(ctx, c, &events, segments),
		"IntervalsTo": IntervalsTo(ctx, c, &v, segments, 0),
		"PolylinesTo": PolylinesTo(ctx, c, &v, [][]r3.Vector{{{}, {X: 2}}}, 0),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all.Hits)+len(events.Events)+len(v.Intervals) != 0 ||
		len(all.Offsets) != 1 || len(events.Offsets) != 1 || len(v.Offsets) != 1 {
		t.Errorf("answers after an error: %+v, %+v, %+v", all, events, v)
	}
}

// Batches that fit in the slices of dst allocate only working memory, not memory for each line.
func TestFewAllocations(t *testing.T) {
	c := caster(t, testmesh.Sphere(3), inpoly.Options{Workers: 1, Method: inpoly.Cells})
	r := rand.New(rand.NewPCG(21, 7))
	var segments []Segment
	for range 2000 {
		c := func() float64 { return 2*r.Float64() - 1 }
		segments = append(segments, Segment{r3.Vector{X: c(), Y: c(), Z: c()}, r3.Vector{X: c(), Y: c(), Z: c()}})
	}
	hits := make([]Hit, len(segments))
	var all Hits
	var v Intervals
	for name, f := range map[string]func() error{
		"FirstTo":     func() error { return FirstTo(context.Background(), c, hits, segments) },
		"AllTo":       func() error { return AllTo(context.Background(), c, &all, segments) },
		"IntervalsTo": func() error { return IntervalsTo(context.Background(), c, &v, segments, 0) },
	} {
		if err := f(); err != nil { // later calls reuse the slices
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(3, func() { _ = f() }); n > float64(len(segments)/10) {
			t.Errorf("%s: %v allocations for %d lines", name, n, len(segments))
		}
	}
}
