package rays

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// openTetrahedron lacks the face x + y + z = 1.
func openTetrahedron() mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}},
	}
}

// A segment through a small open solid has the same parts in reach, however long it is.
func TestLengthOfSegment(t *testing.T) {
	c := caster(t, testmesh.Mesh(openTetrahedron()), inpoly.Options{})
	step := Step * math.Sqrt(3)
	for e := range 13 {
		half := math.Pow10(e)
		for _, s := range []Segment{
			{r3.Vector{X: 0.2, Y: 0.2, Z: -half}, r3.Vector{X: 0.2, Y: 0.2, Z: half}},
			{r3.Vector{X: 0.2, Y: 0.2, Z: half}, r3.Vector{X: 0.2, Y: 0.2, Z: -half}},
		} {
			one := intervals(t, c, 0, s)
			var two Intervals
			if err := PolylinesTo(t.Context(), c, &two, [][]r3.Vector{{s.A, {X: 0.2, Y: 0.2, Z: 0.3}, s.B}}, 0); err != nil {
				t.Fatal(err)
			}
			for _, v := range []Intervals{one, two} {
				if up := s.B.Z > 0; len(v.Unsampled) != 0 || sides(v.Of(0)) != map[bool]string{true: "oi?o", false: "o?io"}[up] {
					t.Fatalf("%v: %+v", s, v)
				}
				for _, x := range v.Of(0) {
					switch {
					case x.Side == inpoly.Inside && math.Abs(x.Length-0.6) > step+x.LengthBound,
						x.Side == inpoly.Unknown && x.Length > step+x.LengthBound:
						t.Errorf("%v: %+v", s, v)
					}
				}
			}
		}
	}
}

// twinPoint returns the point of s with the parameter t, rounded once for each coordinate.
func twinPoint(s Segment, t float64) r3.Vector {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
	at := func(a, b float64) float64 {
		d := num(b)
		d.Sub(d, num(a)).Mul(d, num(t)).Add(d, num(a))
		x, _ := d.Float64()
		return x
	}
	return r3.Vector{X: at(s.A.X, s.B.X), Y: at(s.A.Y, s.B.Y), Z: at(s.A.Z, s.B.Z)}
}

// reachTwin counts what checkReach has compared.
type reachTwin struct{ near, far, inside, segments int }

// checkReach compares the intervals of long segments with the exact sides of dense points. If all points
// within a step of a point have its side, the interval of this point must have this side.
func (n *reachTwin) check(t *testing.T, c *Caster, r *rand.Rand, most int) {
	t.Helper()
	box := c.tree.Bounds()
	diagonal := vec.Norm(box.Size())
	step := Step * diagonal
	reach := c.reach.Must()
	pick := func() r3.Vector {
		u := func(lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }
		return r3.Vector{X: u(box.Min.X, box.Max.X), Y: u(box.Min.Y, box.Max.Y), Z: u(box.Min.Z, box.Max.Z)}
	}
	for range most {
		// A line through the box, near it, or along an axis.
		p, u := pick(), r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Normalize()
		switch r.IntN(4) {
		case 0:
			p = p.Add(r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Mul(diagonal / 2))
		case 1:
			u = []r3.Vector{{X: 1}, {Y: -1}, {Z: 1}}[r.IntN(3)]
		}
		length, share := 2*diagonal*math.Pow10(r.IntN(13)), []float64{0, 0.5, 1, r.Float64()}[r.IntN(4)]
		s := Segment{p.Sub(u.Mul(length * share)), p.Add(u.Mul(length * (1 - share)))}
		got := intervals(t, c, 0, s)
		if len(got.Unsampled) > 0 {
			t.Fatalf("%v is not sampled", s)
		}
		checkCover(t, s, got.Of(0))
		n.segments++
		// Points at a distance of a fifth of a step in reach, and some beyond.
		l := worldLine(&s)
		enter, leave := clip(&l, reach)
		from, to := max(0, enter-step/length), min(1, leave+step/length)
		ts := []float64{r.Float64(), r.Float64(), r.Float64(), enter, leave, 0, 1}
		ts = ts[:min(len(ts), 3+r.IntN(5))]
		count := 0
		if from < to {
			count = min(20000, int((to-from)*length/step*5))
		}
		for i := range count {
			ts = append(ts, from+(to-from)*float64(i)/float64(count))
		}
		slices.Sort(ts)
		pts := make([]r3.Vector, len(ts))
		want := make([]inpoly.Side, len(ts))
		for i, x := range ts {
			pts[i] = twinPoint(s, max(0, min(x, 1)))
		}
		c.locate(t.Context(), want, pts)
		noise := 4 * epsilon * length // of parameters
		k := 0
		for i, x := range ts {
			if want[i] == inpoly.Unknown || want[i] == inpoly.OnSurface || x < 0 || x > 1 {
				continue
			}
			constant := true
			for j := i; j >= 0 && (x-ts[j])*length <= step*1.25+noise; j-- {
				constant = constant && want[j] == want[i]
			}
			for j := i; j < len(ts) && (ts[j]-x)*length <= step*1.25+noise; j++ {
				constant = constant && want[j] == want[i]
			}
			far := x < enter-noise/length || x > leave+noise/length
			if far && want[i] != inpoly.Outside {
				t.Fatalf("%v: %v is %v beyond the reach", s, pts[i], want[i])
			}
			if !constant {
				continue
			}
			if far {
				n.far++
			} else {
				n.near++
			}
			of := got.Of(0)
			for k = 0; k < len(of)-1 && of[k].To+of[k].ToBound < x; k++ {
			}
			v := of[k]
			if edge := 8*(v.FromBound+v.ToBound) + 8*epsilon; math.Abs(x-v.From) < edge || math.Abs(x-v.To) < edge {
				continue // at the end of an interval, within its bound
			}
			if v.Side == inpoly.OnSurface {
				continue // the rounded point is not on the face
			}
			if v.Side != want[i] {
				// Parameters of the longest segments do not tell samples next to a hit from the hit.
				if v.Side == inpoly.Unknown && v.Length < 4*(step+noise) {
					continue
				}
				t.Fatalf("%v (length %g, step %g): %v at %v is %v in %+v", s, length, step, pts[i], x, want[i], v)
			}
			if want[i] == inpoly.Inside {
				n.inside++
			}
		}
	}
}

// Intervals equal the exact sides of dense points, at all lengths, near and far, for all rules.
func TestReachEqualsTwin(t *testing.T) {
	square := testmesh.Without(testmesh.UnitCube(), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	soups := map[string]mesh.Soup{
		"tetrahedron": openTetrahedron(), "hemisphere": testmesh.Hemisphere(3), "copies": testmesh.Copies(testmesh.Hemisphere(1), 5),
		"many copies": testmesh.Copies(square, 300), "star": testmesh.Without(testmesh.Star(2, .5, 1), 0, 1, 2, 17, 40, 41),
		"tangle": testmesh.Tangle(10, 60, 2), "triangles": testmesh.Triangles(40, 3), "sheet": testmesh.Sheet(5), "moebius": testmesh.Moebius(12),
		"open and closed": testmesh.Union(testmesh.Hemisphere(2), testmesh.Star(2, .5, 1), testmesh.Translate(square, r3.Vector{X: 5})),
		"inverted":        testmesh.Flip(openTetrahedron(), 0, 1, 2),
		"far from 0":      testmesh.Translate(testmesh.Hemisphere(2), r3.Vector{X: 1e6, Y: -3e7, Z: 1e5}),
		"small":           testmesh.Scale(testmesh.Hemisphere(2), 1e-9), "large": testmesh.Scale(testmesh.Hemisphere(2), 1e200),
		"nested": testmesh.Union(testmesh.Hemisphere(2), testmesh.Scale(testmesh.Hemisphere(2), 3)),
	}
	var n reachTwin
	most := 1
	if testcorpus.Full() {
		most = 200
	}
	seed := uint64(0)
	for _, rule := range rules {
		for name, soup := range soups {
			h := fnv.New64a()
			h.Write([]byte(name))
			seed = h.Sum64() + uint64(rule)
			c := caster(t, testmesh.Mesh(soup), inpoly.Options{Rule: rule, Orient: inpoly.OrientNever})
			if c.Exact() {
				continue
			}
			t.Run(name+" "+rule.String(), func(t *testing.T) { n.check(t, c, rand.New(rand.NewPCG(38, seed)), most) })
		}
	}
	t.Logf("%+v", n)
	if n.segments < 40 || n.near < 10000 || n.inside < 1000 || n.far < 50 {
		t.Error("the test covers too little")
	}
}

// TestReachOfCorpus is TestReachEqualsTwin for open meshes of the corpus.
func TestReachOfCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	meshes, faces, lines := 6, 3000, 4
	if testcorpus.Full() {
		meshes, faces, lines = 60, 100_000, 10
	}
	var n reachTwin
	r := rand.New(rand.NewPCG(38, 60))
	for _, i := range r.Perm(len(rows)) {
		if k, err := strconv.Atoi(rows[i]["triangles"]); err != nil || k > faces || meshes == 0 {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, rows[i]["path"]), loaders.Options{})
		if err != nil {
			continue // the tests of package loaders check which files can be loaded
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil || m.Closed() || m.NumFaces() == 0 {
			continue
		}
		c := caster(t, m, inpoly.Options{Rule: rules[r.IntN(len(rules))]})
		if c.Exact() {
			continue
		}
		meshes--
		t.Run(rows[i]["path"], func(t *testing.T) { n.check(t, c, r, lines) })
	}
	t.Logf("%+v", n)
	if meshes > 0 || n.near == 0 {
		t.Error("the test covers too little")
	}
}

// Where samples at a distance of a step would be too many, parts are uncertain, and Unsampled counts the lines.
func TestUnsampled(t *testing.T) {
	c := caster(t, testmesh.Mesh(openTetrahedron()), inpoly.Options{Workers: 2})
	step := Step * math.Sqrt(3)
	// As if W were large far from the mesh. Then the part in reach has 2·10⁵ steps.
	wide := caster(t, testmesh.Mesh(openTetrahedron()), inpoly.Options{Workers: 2})
	const half = 700
	wide.reach = lazy.New(func(context.Context) (*bvh.Box, error) {
		return &bvh.Box{Min: r3.Vector{X: -half, Y: -half, Z: -half}, Max: r3.Vector{X: half, Y: half, Z: half}}, nil
	})
	short := Segment{r3.Vector{X: 0.2, Y: 0.2, Z: -2}, r3.Vector{X: 0.2, Y: 0.2, Z: 3}}
	long := Segment{r3.Vector{X: 0.2, Y: 0.2, Z: -1e4}, r3.Vector{X: 0.2, Y: 0.2, Z: 1e4}}
	beside := Segment{r3.Vector{X: 600, Y: 600, Z: -1e4}, r3.Vector{X: 600, Y: 600, Z: 1e4}}
	v := intervals(t, wide, 0, short, long, beside)
	if !slices.Equal(v.Unsampled, []int{1, 2}) {
		t.Errorf("lines %v are not sampled, want 1 and 2", v.Unsampled)
	}
	if got := sides(v.Of(0)); got != "oi?o" {
		t.Errorf("short: %s", got)
	}
	if got := sides(v.Of(1)); got != "o?oi?o?o" {
		t.Errorf("long: %s", got)
	}
	if got := sides(v.Of(2)); got != "o?o?o" {
		t.Errorf("beside: %s", got)
	}
	normal := intervals(t, c, 0, long)
	want, of := normal.Of(0), v.Of(1)
	if d := math.Abs(of[3].Length - want[1].Length); d > step {
		t.Errorf("%g inside, want %g", of[3].Length, want[1].Length)
	}
	// There are two parts: below the face z = 0, and above it.
	below, above := of[3].From-of[1].To, of[len(of)-2].From-of[3].From
	for _, x := range []float64{below, above} {
		if x *= 2e4; x > mostDefaultSamples*step || x < mostDefaultSamples*step*0.99 {
			t.Errorf("%g is sampled, want about %g, in %+v", x, mostDefaultSamples*step, of)
		}
	}
	// The numbers of lines are those of the batch, also in later blocks.
	many := slices.Repeat([]Segment{short}, 3*blockSize)
	many[1], many[blockSize+5], many[3*blockSize-1] = long, beside, long
	if v := intervals(t, wide, 0, many...); !slices.Equal(v.Unsampled, []int{1, blockSize + 5, 3*blockSize - 1}) {
		t.Errorf("lines %v are not sampled", v.Unsampled)
	}
	// A larger step decides all.
	if v := intervals(t, wide, 0.1, long, beside); len(v.Unsampled) != 0 || sides(v.Of(1)) != "o" {
		t.Errorf("step 0.1: %+v", v)
	}
	var p Intervals
	lines := [][]r3.Vector{{short.A, short.B}, {long.A, {X: 0.2, Y: 0.2, Z: 0.1}, long.B}, {beside.A, {X: 600, Y: 600}, beside.B}}
	if err := PolylinesTo(t.Context(), wide, &p, lines, 0); err != nil || !slices.Equal(p.Unsampled, []int{1, 2}) {
		t.Errorf("polylines: %v not sampled, %v", p.Unsampled, err)
	}
	// The parameters of so long segments are farther apart than a step.
	for _, e := range []int{17, 100} {
		z := math.Pow10(e)
		v := intervals(t, c, 0, Segment{r3.Vector{X: 0.2, Y: 0.2, Z: -z}, r3.Vector{X: 0.2, Y: 0.2, Z: z}})
		if got := sides(v.Of(0)); got != "o?o" || len(v.Unsampled) != 1 {
			t.Errorf("length 2·10^%d: %s, %v not sampled", e, got, v.Unsampled)
		}
		v = intervals(t, c, 0, Segment{r3.Vector{X: 0.2, Y: 0.2, Z: 0.1}, r3.Vector{X: 0.2, Y: 0.2, Z: z}})
		if got := sides(v.Of(0)); got != "i?o" || len(v.Unsampled) != 0 {
			t.Errorf("from inside, length 10^%d: %s, %v not sampled", e, got, v.Unsampled)
		}
	}
}

// ErrStep is about samples in reach.
func TestStepOfLongSegment(t *testing.T) {
	c := caster(t, testmesh.Mesh(openTetrahedron()), inpoly.Options{})
	long := Segment{r3.Vector{X: 0.2, Y: 0.2, Z: -1e9}, r3.Vector{X: 0.2, Y: 0.2, Z: 1e9}}
	v := intervals(t, c, 1e-3, long)
	if got := sides(v.Of(0)); got != "oi?o" {
		t.Error(got)
	}
	if err := IntervalsTo(t.Context(), c, &v, []Segment{long}, 1e-7); !errors.Is(err, ErrStep) {
		t.Errorf("%v, want ErrStep", err)
	}
}

// The point of a parameter has an error of about one unit in the last place.
func TestPointOfSegment(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 2))
	for range 20000 {
		x := func() float64 { return r.NormFloat64() * math.Pow(10, 30*r.Float64()-15) }
		s := Segment{r3.Vector{X: x(), Y: x(), Z: x()}, r3.Vector{X: x(), Y: x(), Z: x()}}
		at := r.Float64()
		if r.IntN(2) == 0 { // a point near 0
			at = max(0, min(-s.A.X/(s.B.X-s.A.X), 1))
		}
		got, want := s.Point(at), twinPoint(s, at)
		for axis := range 3 {
			g, w := component(&got, axis), component(&want, axis)
			d := math.Abs(component(&s.B, axis) - component(&s.A, axis))
			if math.Abs(g-w) > 3*epsilon*math.Abs(w)+8*epsilon*epsilon*at*d {
				t.Fatalf("%v at %v: %v, want %v", s, at, got, want)
			}
		}
		if s.Point(0) != s.A || s.Point(1) != s.B {
			t.Fatalf("%v: ends %v, %v", s, s.Point(0), s.Point(1))
		}
	}
}
