package rays

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// testPoses returns poses that exchange axes, that keep an axis, and any others, near and far.
func testPoses(r *rand.Rand) []pose.Pose {
	axis := func(x float64) r3.Vector {
		return r3.Vector{X: x * r.NormFloat64(), Y: x * r.NormFloat64(), Z: x * r.NormFloat64()}
	}
	whole := func() r3.Vector {
		return r3.Vector{X: float64(r.IntN(9) - 4), Y: float64(r.IntN(9) - 4), Z: float64(r.IntN(9) - 4)}
	}
	any := func() quat.Number {
		return quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
	}
	list := []pose.Pose{
		{Rotation: quat.Number{Real: 1}, Translation: whole()},
		{Rotation: quat.Number{Real: 1}, Translation: axis(1)},
		{Rotation: quat.Number{Real: 1, Kmag: 1}, Translation: whole()},
		{Rotation: quat.Number{Real: 1, Imag: 1, Jmag: 1, Kmag: 1}, Translation: whole()},
		{Rotation: quat.Number{Imag: 1}, Translation: axis(1)},
		{Rotation: quat.Number{Real: 2, Kmag: 1}, Translation: whole()}, // keeps z
		{Rotation: quat.Number{Real: 3, Jmag: -1}, Translation: whole()},
		{Rotation: quat.Number{Real: 1, Imag: 2, Jmag: 3, Kmag: 4}, Translation: whole()},
		{Rotation: any()},
		{Rotation: any(), Translation: axis(1)},
		{Rotation: any(), Translation: axis(1e6)},
		{Rotation: any(), Translation: axis(1e-9)},
		{Rotation: any(), Translation: axis(1e15)},
	}
	for i := range list { // equal components stay equal, and 0 stays 0, so the exact rotations keep their properties
		q := &list[i].Rotation
		*q = quat.Scale(1/quat.Abs(*q), *q)
	}
	return list
}

// posedCaster returns a Caster for m at the pose p.
func posedCaster(t *testing.T, m *mesh.Mesh, p pose.Pose, opt inpoly.Options) *Caster {
	t.Helper()
	s, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.At(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// moveLines moves lines from the frame of the mesh to the world, and rounds them.
func moveLines(p pose.Pose, rs []Ray, segments []Segment) {
	place, err := motion.Place(motion.Pose(p))
	if err != nil {
		panic(err)
	}
	back := func(v r3.Vector) r3.Vector { w, _ := place.Back(v); return w }
	for i := range segments {
		same := segments[i].A == segments[i].B
		segments[i] = Segment{back(segments[i].A), back(segments[i].B)}
		if same {
			segments[i].B = segments[i].A
		}
	}
	for i := range rs {
		d := place.Turn(rs[i].Direction)
		if rs[i].Origin = back(rs[i].Origin); d != (r3.Vector{}) {
			rs[i].Direction = d
		}
	}
}

// All answers at a pose equal those of the twin, which moves the line exactly.
func TestPosedEqualsTwin(t *testing.T) {
	n, every := 3, 3
	if testcorpus.Full() {
		n, every = 100, 1
	}
	r := rand.New(rand.NewPCG(22, 1))
	found, ties, exact := 0, 0, 0
	for i, s := range testmesh.Catalog() {
		m := testmesh.Mesh(s.Soup)
		for k, p := range testPoses(r) {
			if (i+k)%every != 0 {
				continue
			}
			c := posedCaster(t, m, p, inpoly.Options{Rule: rules[(i+k)%4], Orient: inpoly.OrientNever})
			rs, segments := randomLines(m, n, r)
			moveLines(p, rs, segments)
			f, e := checkLines(t, c, rs, r)
			g, h := checkLines(t, c, segments, r)
			found, ties = found+f+g, ties+e+h
			checkIntervals(t, c, segments, r)
			for i := range segments {
				if l := newLine(c, &segments[i], new(posed)); l.radius == 0 {
					exact++
				}
			}
		}
	}
	t.Logf("%d hits, %d events with several hits, %d exact segments", found, ties, exact)
	if found < 500 || ties < 50 || exact < 50 {
		t.Error("the test covers too little")
	}
}

// All answers at a pose equal those of the twin for solids whose faces coincide, and lines along their faces.
func TestPosedGridsEqualTwin(t *testing.T) {
	rounds := 8
	if testcorpus.Full() {
		rounds = 500
	}
	r := rand.New(rand.NewPCG(22, 2))
	found, ties := 0, 0
	for i := range rounds {
		for _, p := range testPoses(r) {
			c := posedCaster(t, testmesh.Mesh(gridSoup(r)), p, inpoly.Options{Rule: rules[i%4], Orient: inpoly.OrientNever})
			rs, segments := gridLines(3, r)
			if i%2 == 0 {
				moveLines(p, rs, segments)
			}
			f, e := checkLines(t, c, rs, r)
			g, h := checkLines(t, c, segments, r)
			found, ties = found+f+g, ties+e+h
			checkIntervals(t, c, segments, r)
		}
	}
	t.Logf("%d hits, %d events with several hits", found, ties)
	if found < 200 || ties < 50 {
		t.Error("the test covers too little")
	}
}

// At a pose that only exchanges axes and moves by whole numbers, the hits, the jumps and the intervals are those of the mesh
// whose vertices are moved. So the line is displaced along the axes of the world.
func TestPosedEqualsMoved(t *testing.T) {
	rounds := 150
	if testcorpus.Full() {
		rounds = 3000
	}
	r := rand.New(rand.NewPCG(22, 3))
	jumps, zero := 0, 0
	for i := range rounds {
		soup := gridSoup(r)
		for _, p := range testPoses(r)[:4] {
			if p.Translation.X != math.Trunc(p.Translation.X) {
				continue
			}
			moved := mesh.Soup{Faces: soup.Faces}
			place, err := motion.Place(motion.Pose(p))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range soup.Vertices {
				at, bound := place.Back(v)
				if moved.Vertices = append(moved.Vertices, at); bound != 0 {
					t.Fatalf("%+v moves %v inexactly", p, v)
				}
			}
			opt := inpoly.Options{Rule: rules[i%4], Orient: inpoly.OrientNever}
			at, want := posedCaster(t, testmesh.Mesh(soup), p, opt), caster(t, testmesh.Mesh(moved), opt)
			_, segments := gridLines(8, r)
			var a, b Hits
			var v, w Intervals
			for _, err := range []error{
				AllTo(t.Context(), at, &a, segments), AllTo(t.Context(), want, &b, segments),
				IntervalsTo(t.Context(), at, &v, segments, 0), IntervalsTo(t.Context(), want, &w, segments, 0),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for k, s := range segments {
				x, y := a.Of(k), b.Of(k)
				if len(x) != len(y) || len(v.Of(k)) != len(w.Of(k)) {
					t.Fatalf("%v: %+v and %+v, want %+v and %+v", s, x, v.Of(k), y, w.Of(k))
				}
				for j := range x {
					if x[j].Face != y[j].Face || x[j].Sign != y[j].Sign || x[j].Jump != y[j].Jump || math.Abs(x[j].T-y[j].T) > x[j].Bound+y[j].Bound {
						t.Fatalf("%v: %+v, want %+v", s, x, y)
					}
					if x[j].Jump == 0 {
						zero++
					} else {
						jumps++
					}
				}
				for j := range v.Of(k) {
					if x, y := v.Of(k)[j], w.Of(k)[j]; x.Side != y.Side || math.Abs(x.Length-y.Length) > x.LengthBound+y.LengthBound {
						t.Fatalf("%v: %+v, want %+v", s, v.Of(k), w.Of(k))
					}
				}
			}
		}
	}
	t.Logf("%d jumps, %d hits without a jump", jumps, zero)
	if min(jumps, zero) < 100 {
		t.Error("the test covers too little")
	}
}

// BenchmarkPosed measures lines through a solid without a pose and at a pose.
func BenchmarkPosed(b *testing.B) {
	m := testmesh.Mesh(testmesh.Star(5, .5, 1))
	s, err := inpoly.New(b.Context(), m, inpoly.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	p := pose.Pose{Rotation: quat.Number{Real: .5, Imag: .1, Jmag: -.7, Kmag: .3}, Translation: r3.Vector{X: 3, Y: -2, Z: 1}}
	p.Rotation = quat.Scale(1/quat.Abs(p.Rotation), p.Rotation)
	at, err := s.At(p)
	if err != nil {
		b.Fatal(err)
	}
	var rs []Ray
	var segments []Segment
	v := func() r3.Vector {
		return r3.Vector{X: 3*r.Float64() - 1.5, Y: 3*r.Float64() - 1.5, Z: 3*r.Float64() - 1.5}
	}
	for range 10_000 {
		segments = append(segments, Segment{v(), v()})
		rs = append(rs, Ray{v(), v()})
	}
	for _, target := range []struct {
		name string
		of   inpoly.Target
	}{{"plain", s}, {"posed", at}} {
		c, err := New(b.Context(), target.of)
		if err != nil {
			b.Fatal(err)
		}
		if target.name == "posed" {
			moveLines(p, rs, segments)
		}
		var all Hits
		var parts Intervals
		first := make([]Hit, len(rs))
		for _, call := range []struct {
			name string
			do   func() error
		}{
			{"first", func() error { return FirstTo(b.Context(), c, first, rs) }},
			{"all", func() error { return AllTo(b.Context(), c, &all, segments) }},
			{"intervals", func() error { return IntervalsTo(b.Context(), c, &parts, segments, 0) }},
		} {
			b.Run(call.name+"/"+target.name, func(b *testing.B) {
				for b.Loop() {
					if err := call.do(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rs)), "ns/line")
			})
		}
	}
}
