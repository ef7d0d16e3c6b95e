package rays

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// badNumbers are coordinates that no line can have.
var badNumbers = []struct {
	x    float64
	want error
}{
	{math.NaN(), mesh.ErrNotFinite}, {math.Inf(1), mesh.ErrNotFinite}, {math.Inf(-1), mesh.ErrNotFinite},
	{2 * mesh.MaxCoordinate, mesh.ErrTooLarge}, {-math.MaxFloat64, mesh.ErrTooLarge},
}

// spoil returns v with one bad coordinate, and the error of this coordinate.
func spoil(v r3.Vector, r *rand.Rand) (r3.Vector, error) {
	bad := badNumbers[r.IntN(len(badNumbers))]
	*[]*float64{&v.X, &v.Y, &v.Z}[r.IntN(3)] = bad.x
	return v, bad.want
}

func TestCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 6))
	for range 200 {
		a, b := r3.Vector{X: r.NormFloat64(), Y: 1, Z: 2}, r3.Vector{X: r.NormFloat64(), Z: -3}
		bad, want := spoil(a, r)
		for _, x := range []struct {
			line interface{ Check() error }
			want error
		}{
			{Ray{a, b}, nil}, {Ray{bad, b}, want}, {Ray{a, bad}, want}, {Ray{Origin: a}, ErrDirection},
			{Segment{a, b}, nil}, {Segment{bad, b}, want}, {Segment{a, bad}, want}, {Segment{a, a}, nil},
			{Segment{a.Mul(mesh.MaxCoordinate), a.Mul(-mesh.MaxCoordinate)}.clamped(), nil},
		} {
			if err := x.line.Check(); !errors.Is(err, x.want) {
				t.Errorf("%v: %v, want %v", x.line, err, x.want)
			}
		}
	}
}

// clamped returns s with coordinates of at most mesh.MaxCoordinate.
func (s Segment) clamped() Segment {
	for _, x := range []*float64{&s.A.X, &s.A.Y, &s.A.Z, &s.B.X, &s.B.Y, &s.B.Z} {
		*x = min(max(*x, -mesh.MaxCoordinate), mesh.MaxCoordinate)
	}
	return s
}

// TestBadLines spoils every third line of a batch. The other lines keep their answers, bit for bit, and the
// spoiled lines answer NaN and Unknown.
func TestBadLines(t *testing.T) {
	cube := testmesh.Mesh(testmesh.UnitCube())
	empty := testmesh.Mesh(mesh.Soup{})
	for name, c := range map[string]*Caster{
		"closed": caster(t, cube, inpoly.Options{}), "even-odd": caster(t, cube, inpoly.Options{Rule: inpoly.EvenOdd}),
		"open": caster(t, testmesh.Mesh(testmesh.Hemisphere(2)), inpoly.Options{}), "empty": caster(t, empty, inpoly.Options{}),
	} {
		r := rand.New(rand.NewPCG(38, 7))
		n := 3*blockSize + 7
		rays, segments := make([]Ray, n), make([]Segment, n)
		isBad := make([]bool, n)
		for i := range n {
			a := r3.Vector{X: 3*r.Float64() - 1, Y: 3*r.Float64() - 1, Z: 3*r.Float64() - 1}
			b := r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}
			rays[i], segments[i] = Ray{a, b.Sub(a)}, Segment{a, b}
			isBad[i] = i%3 == 0
		}
		clean := answer(t, c, rays, segments)
		for i := range n {
			if !isBad[i] {
				continue
			}
			bad, _ := spoil(rays[i].Origin, r)
			switch i / 3 % 3 {
			case 0:
				rays[i].Origin, segments[i].A = bad, bad
			case 1:
				rays[i].Direction, segments[i].B = bad, bad
			case 2:
				rays[i].Direction, segments[i].B = r3.Vector{}, bad
			}
		}
		got := answer(t, c, rays, segments)
		for i, bad := range isBad {
			if !bad {
				if !got.line(i).same(clean.line(i)) {
					t.Fatalf("%s: line %d: %+v, want %+v", name, i, got.line(i), clean.line(i))
				}
				continue
			}
			x := got.line(i)
			for _, hits := range [][]Hit{x.first, x.all, x.allSegments} {
				if len(hits) != 1 || hits[0].Face != -1 || !math.IsNaN(hits[0].T) || !math.IsInf(hits[0].Bound, 1) || hits[0].Sign != 0 || hits[0].Jump != 0 {
					t.Fatalf("%s: line %d: hits %+v", name, i, hits)
				}
			}
			if len(x.events) != 1 || !math.IsNaN(x.events[0].T) || x.events[0].Jump != 0 {
				t.Fatalf("%s: line %d: events %+v", name, i, x.events)
			}
			for k, v := range [][]Interval{x.intervals, x.polyline} {
				if len(v) != 1 || v[0].Side != inpoly.Unknown || v[0].From != 0 || v[0].To != 1 || v[0].FromSegment != 0 ||
					v[0].ToSegment != int32(k) || !math.IsNaN(v[0].Length) || !math.IsInf(v[0].LengthBound, 1) {
					t.Fatalf("%s: line %d: intervals %+v", name, i, v)
				}
			}
			if x.any {
				t.Fatalf("%s: line %d meets a face", name, i)
			}
		}
	}
}

// answers has the answers of all functions for a batch of lines. Polyline i joins the ends of segment i and
// its end once more, so that it has two segments.
type answers struct {
	first               []Hit
	any                 []bool
	all, allSegments    Hits
	events              Events
	intervals, polyline Intervals
}

type lineAnswers struct {
	first, all, allSegments []Hit
	any                     bool
	events                  []Event
	intervals, polyline     []Interval
}

func answer(t *testing.T, c *Caster, rays []Ray, segments []Segment) *answers {
	t.Helper()
	a := &answers{first: make([]Hit, len(rays)), any: make([]bool, len(rays))}
	polylines := make([][]r3.Vector, len(segments))
	for i, s := range segments {
		polylines[i] = []r3.Vector{s.A, s.B, s.B}
	}
	ctx := context.Background()
	if err := errors.Join(
		FirstTo(ctx, c, a.first, rays), AnyTo(ctx, c, a.any, rays), AllTo(ctx, c, &a.all, rays), AllTo(ctx, c, &a.allSegments, segments),
		EventsTo(ctx, c, &a.events, rays), IntervalsTo(ctx, c, &a.intervals, segments, 0), PolylinesTo(ctx, c, &a.polyline, polylines, 0.01),
	); err != nil {
		t.Fatal(err)
	}
	return a
}

// line returns the answers for line i. The indexes of the hits of its events begin with 0.
func (a *answers) line(i int) lineAnswers {
	x := lineAnswers{
		first: a.first[i : i+1], all: a.all.Of(i), allSegments: a.allSegments.Of(i), any: a.any[i],
		intervals: a.intervals.Of(i), polyline: a.polyline.Of(i),
	}
	for _, e := range a.events.Of(i) {
		e.First, e.End = e.First-a.all.Offsets[i], e.End-a.all.Offsets[i]
		x.events = append(x.events, e)
	}
	return x
}

func (x lineAnswers) same(y lineAnswers) bool {
	return equal(x.first, y.first) && equal(x.all, y.all) && equal(x.allSegments, y.allSegments) && x.any == y.any &&
		equal(x.events, y.events) && equal(x.intervals, y.intervals) && equal(x.polyline, y.polyline)
}

// equal reports whether the elements of a and b are equal. NaN differs from NaN.
func equal[T comparable](a, b []T) bool {
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// TestBadPolylines has points that are not valid at each place of polylines.
func TestBadPolylines(t *testing.T) {
	c := caster(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	nan := r3.Vector{Y: math.NaN()}
	in := r3.Vector{X: .5, Y: .25, Z: .25}
	var v Intervals
	lines := [][]r3.Vector{{nan}, {in}, {}, {in, nan}, {in, in, in, nan, in}, {nan, in}, {in, in}}
	if err := PolylinesTo(context.Background(), c, &v, lines, 0); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		n    int
		side inpoly.Side
		last int32
		to   float64
	}{{1, inpoly.Unknown, 0, 0}, {1, inpoly.Inside, 0, 0}, {}, {1, inpoly.Unknown, 0, 1}, {1, inpoly.Unknown, 3, 1}, {1, inpoly.Unknown, 0, 1}, {1, inpoly.Inside, 0, 1}} {
		got := v.Of(i)
		if len(got) != want.n {
			t.Fatalf("polyline %d: %+v", i, got)
		}
		if want.n == 1 && (got[0].Side != want.side || got[0].ToSegment != want.last || got[0].To != want.to || got[0].FromSegment != 0 || got[0].From != 0 ||
			math.IsNaN(got[0].Length) != (want.side == inpoly.Unknown)) {
			t.Errorf("polyline %d: %+v, want %+v", i, got[0], want)
		}
	}
}

// TestStepErrors: the error of a refused batch names the limit.
func TestStepErrors(t *testing.T) {
	c := caster(t, testmesh.Mesh(testmesh.Hemisphere(1)), inpoly.Options{})
	long := []Segment{{B: r3.Vector{X: math.NaN()}}, {B: r3.Vector{X: 1}}}
	for _, x := range []struct {
		step float64
		want string
	}{
		{-1, "the step is -1, but must be finite and at least 0"}, {math.NaN(), "NaN"}, {math.Inf(1), "+Inf"},
		{1e-9, "line 1: step out of range: a segment of length 1 near the mesh would have more than 4194304 samples at the step 1e-09"},
	} {
		var v Intervals
		err := IntervalsTo(context.Background(), c, &v, long, x.step)
		if !errors.Is(err, ErrStep) || !strings.Contains(err.Error(), x.want) || len(v.Intervals) > 0 {
			t.Errorf("step %g: %v, want %q", x.step, err, x.want)
		}
	}
	var v Intervals
	if err := IntervalsTo(context.Background(), c, &v, long[:1], 1e-300); err != nil || len(v.Of(0)) != 1 {
		t.Errorf("a segment that is not valid is refused: %v", err)
	}
}
