package assembly_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

var bodyChoices = []assembly.Choice{assembly.First, assembly.Innermost, assembly.Count}

// The winding numbers of open meshes have the same bits for every number of workers, even if the
// method Auto replaces its first index while workers wait. Without INPOLY_FULL=1 the test uses fewer
// points.
func TestWindingsWorkers(t *testing.T) {
	var parts []assembly.Part
	for seed := range uint64(3) {
		s := testmesh.Star(4, 0.5, seed)
		n := 0
		s.Faces = slices.DeleteFunc(s.Faces, func([3]int32) bool { n++; return n%5 == 0 })
		parts = append(parts, partsOf(s)...)
		parts[seed].Name = fmt.Sprint(seed)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	count, expected := 1000, int64(100_000)
	if testcorpus.Full() {
		count, expected = 3000, 1_000_000
	}
	pts := make([]r3.Vector, count)
	for i := range pts {
		pts[i] = r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()}.Mul(3).Sub(r3.Vector{X: 1.5, Y: 1.5, Z: 1.5})
	}
	want := make([]float64, len(pts))
	w, bound := make([]float64, len(pts)), make([]float64, len(pts))
	for _, workers := range []int{1, 3} {
		a := newAssembly(t, inpoly.Options{Workers: workers, ExpectedPoints: expected}, parts)
		if err := windingsTo(a, t.Context(), w, bound, pts); err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			copy(want, w)
			if slices.Max(bound) < 1e-10 {
				t.Fatalf("the largest bound is %g: no multipoles are used", slices.Max(bound))
			}
		}
		for i := range pts {
			if w[i] != want[i] {
				t.Fatalf("%d workers, point %d: W = %v, with one worker %v", workers, i, w[i], want[i])
			}
		}
	}
}

// The bodies, sets and sides of an assembly equal the values computed from the answers of its
// solids. The test covers single points and batches, with every method, rule, tolerance and number
// of workers. Without INPOLY_FULL=1 the test uses a quarter of the options for each scene.
func TestEqualsItsSolids(t *testing.T) {
	for name, soups := range scenes() {
		pts := scenePoints(soups, 3)
		volume := volumes(soups)
		for k, opt := range []inpoly.Options{
			{}, {Rule: inpoly.EvenOdd}, {Rule: inpoly.Positive, Method: inpoly.RayCrossing}, {Rule: inpoly.Negative, Method: inpoly.Cells},
			{Method: inpoly.FMM}, {Method: inpoly.Direct, Tolerance: 0.0625}, {Tolerance: 1e-3, Rule: inpoly.EvenOdd}, {ExpectedPoints: 10},
		} {
			if !testcorpus.Full() && k%4 != len(name)%4 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v/%v/%g", name, opt.Method, opt.Rule, opt.Tolerance), func(t *testing.T) {
				want := newTruth(t, opt, soups, pts)
				for _, workers := range []int{1, 3} {
					opt.Workers = workers
					checkAssembly(t, newAssembly(t, opt, partsOf(soups...)), want, volume)
				}
			})
		}
	}
}

func checkAssembly(t *testing.T, a *assembly.Assembly, want *truth, volume []float64) {
	t.Helper()
	pts := want.pts
	sides := make([]inpoly.Side, len(pts))
	if err := a.SidesTo(t.Context(), sides, pts); err != nil {
		t.Fatal(err)
	}
	var sets inpoly.Sets
	for range 2 { // the second pass reuses the memory of the sets
		if err := bodySetsTo(a, t.Context(), &sets, pts); err != nil {
			t.Fatal(err)
		}
	}
	if sets.Len() != len(pts) {
		t.Fatalf("%d sets for %d points", sets.Len(), len(pts))
	}
	for i, p := range pts {
		if w := want.side(i); sides[i] != w || a.Side(p) != w {
			t.Fatalf("side of %v: %v, as a single point %v, want %v", p, sides[i], a.Side(p), w)
		}
		bodies, certain := want.set(i)
		got, sure := sets.At(i)
		one, sureOne := a.Bodies(nil, p)
		if !slices.Equal(got, bodies) || sure != certain || !slices.Equal(one, bodies) || sureOne != certain {
			t.Fatalf("bodies at %v: %v %v, as a single point %v %v, want %v %v", p, got, sure, one, sureOne, bodies, certain)
		}
	}
	for _, c := range bodyChoices {
		alone, with, both := make([]int32, len(pts)), make([]int32, len(pts)), make([]inpoly.Side, len(pts))
		if err := bodiesTo(a, t.Context(), alone, c, pts); err != nil {
			t.Fatal(err)
		}
		stats, err := sidesBodiesTo(a, t.Context(), both, with, c, pts)
		unknown := 0
		for _, s := range sides {
			if s == inpoly.Unknown {
				unknown++
			}
		}
		if err != nil || stats.Points != uint64(len(pts)) || stats.Undecided != uint64(unknown) {
			t.Fatalf("%d points of %d counted, %d of %d undecided, error %v", stats.Points, len(pts), stats.Undecided, unknown, err)
		}
		for i, p := range pts {
			w := want.body(i, c, volume)
			if alone[i] != w || with[i] != w || a.Body(p, c) != w {
				t.Fatalf("%v at %v: %d, together with sides %d, as a single point %d, want %d", c, p, alone[i], with[i], a.Body(p, c), w)
			}
		}
		if !slices.Equal(both, sides) {
			t.Fatalf("%v: sides differ if bodies are requested too", c)
		}
	}
}

// In some scenes, points outside the box of an open mesh are inside the open mesh.
func TestInsideBeyondBoxes(t *testing.T) {
	soups := scenes()["open in layers"]
	pts := scenePoints(soups, 3)
	want := newTruth(t, inpoly.Options{}, soups, pts)
	n := 0
	for k, s := range want.sides {
		b := testmesh.Mesh(soups[k]).Box()
		for i, p := range pts {
			if s[i] == inpoly.Inside && !b.Contains(p) {
				n++
			}
		}
	}
	if n < 20 {
		t.Errorf("%d points outside the box are inside, want more: the other tests need them", n)
	}
}

// A block with many pairs of a point and a box is divided into several parts. For many points, an
// assembly queries its solids in batches.
func TestManyPairs(t *testing.T) {
	var soups []mesh.Soup
	for k := range 48 {
		soups = append(soups, box(-float64(k+1), -float64(k+1), -float64(k+1), 2*float64(k+1)))
	}
	rng := rand.New(rand.NewPCG(2, 3))
	pts := make([]r3.Vector, 30_000)
	for i := range pts {
		pts[i] = r3.Vector{X: float64(rng.IntN(100) - 50), Y: float64(rng.IntN(1000)-500) / 10, Z: float64(rng.IntN(1000)-500) / 10}
	}
	for _, workers := range []int{1, 4} {
		a := newAssembly(t, inpoly.Options{Workers: workers}, partsOf(soups...))
		bodies, counts := make([]int32, len(pts)), make([]int32, len(pts))
		if err := bodiesTo(a, t.Context(), bodies, assembly.Innermost, pts); err != nil {
			t.Fatal(err)
		}
		if err := bodiesTo(a, t.Context(), counts, assembly.Count, pts); err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			// Half the edge of cube k is k+1. The cube contains p if no coordinate of p has a magnitude
			// above k+1.
			k := max(0, int32(math.Ceil(max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z))))-1)
			wantBody, wantCount := k, 48-k
			if k >= 48 {
				wantBody, wantCount = inpoly.NoBody, 0
			}
			if bodies[i] != wantBody || counts[i] != wantCount {
				t.Fatalf("%v: body %d of %d, want %d of %d", p, bodies[i], counts[i], wantBody, wantCount)
			}
		}
	}
}

// An assembly of thousands of small cubes returns correct answers.
func TestThousands(t *testing.T) {
	const side = 14
	var soups []mesh.Soup
	for k := range side * side * side {
		soups = append(soups, box(float64(2*(k%side)), float64(2*(k/side%side)), float64(2*(k/side/side)), 1))
	}
	a := newAssembly(t, inpoly.Options{}, partsOf(soups...))
	rng := rand.New(rand.NewPCG(4, 5))
	pts := make([]r3.Vector, 40_000)
	for i := range pts {
		at := func() float64 {
			if rng.IntN(4) == 0 {
				return float64(rng.IntN(2*side+2) - 1)
			}
			return (2*side+2)*rng.Float64() - 1
		}
		pts[i] = r3.Vector{X: at(), Y: at(), Z: at()}
	}
	bodies, sides := make([]int32, len(pts)), make([]inpoly.Side, len(pts))
	if _, err := sidesBodiesTo(a, t.Context(), sides, bodies, assembly.First, pts); err != nil {
		t.Fatal(err)
	}
	for i, p := range pts {
		want, wantSide := int32(0), inpoly.Inside
		for k, x := range []float64{p.X, p.Y, p.Z} {
			cell := math.Floor(x / 2)
			off := x - 2*cell
			if cell < 0 || cell >= side || off > 1 {
				want, wantSide = inpoly.NoBody, inpoly.Outside
				break
			}
			if off == 0 || off == 1 {
				wantSide = inpoly.OnSurface
			}
			want += int32(cell) * int32([]int{1, side, side * side}[k])
		}
		if bodies[i] != want || sides[i] != wantSide {
			t.Fatalf("%v: body %d, %v, want %d, %v", p, bodies[i], sides[i], want, wantSide)
		}
	}
	if m := a.Memory(); m < side*side*side*12*12 || m > side*side*side*50_000 {
		t.Errorf("%d bytes for %d cubes", m, a.Len())
	}
}

// An answer is Uncertain if it depends on a side that is Unknown.
func TestUncertain(t *testing.T) {
	open := testmesh.Without(box(0, 0, 0, 1), 10, 11) // W = 1/2 in the middle of the missing face of the cube
	p := r3.Vector{X: 0.5, Y: 0.5, Z: 1}
	if s := newSolid(t, open, inpoly.Options{}).Side(p); s != inpoly.Unknown {
		t.Fatalf("side %v in the opening of a cube, want %v: the test needs such a point", s, inpoly.Unknown)
	}
	small, large, on := box(0.25, 0.25, 0.75, 0.5), box(-1, -1, -1, 4), box(0, 0, 1, 0.5)
	const unsure = inpoly.UncertainBody
	for name, c := range map[string]struct {
		soups                   []mesh.Soup
		first, innermost, count int32
		bodies                  []int32
		side                    inpoly.Side
	}{
		"alone":         {[]mesh.Soup{open}, unsure, unsure, unsure, nil, inpoly.Unknown},
		"after small":   {[]mesh.Soup{small, open}, 0, 0, unsure, []int32{0}, inpoly.Inside},
		"before small":  {[]mesh.Soup{open, small}, unsure, 1, unsure, []int32{1}, inpoly.Inside},
		"after large":   {[]mesh.Soup{large, open}, 0, unsure, unsure, []int32{0}, inpoly.Inside},
		"before large":  {[]mesh.Soup{open, large}, unsure, unsure, unsure, []int32{1}, inpoly.Inside},
		"between":       {[]mesh.Soup{large, open, small}, 0, 2, unsure, []int32{0, 2}, inpoly.Inside},
		"on another":    {[]mesh.Soup{on, open}, 0, 0, unsure, []int32{0}, inpoly.Unknown},
		"beside others": {[]mesh.Soup{box(5, 5, 5, 1), open}, unsure, unsure, unsure, nil, inpoly.Unknown},
	} {
		a := newAssembly(t, inpoly.Options{}, partsOf(c.soups...))
		want := newTruth(t, inpoly.Options{}, c.soups, []r3.Vector{p})
		checkAssembly(t, a, want, volumes(c.soups))
		got, certain := a.Bodies(nil, p)
		if certain || !slices.Equal(got, c.bodies) {
			t.Errorf("%s: bodies %v, certain: %v; want %v", name, got, certain, c.bodies)
		}
		for k, want := range []int32{c.first, c.innermost, c.count} {
			if got := a.Body(p, bodyChoices[k]); got != want {
				t.Errorf("%s: %v is %d, want %d", name, bodyChoices[k], got, want)
			}
		}
		if got := a.Side(p); got != c.side {
			t.Errorf("%s: %v, want %v", name, got, c.side)
		}
		if d, _, face := a.Distance(p); math.IsNaN(d) != (c.side == inpoly.Unknown) || face < 0 {
			t.Errorf("%s: distance %g to face %d, side %v", name, d, face, c.side)
		}
	}
}

// Innermost compares volumes even if they exceed the range of float64.
func TestInnermostScales(t *testing.T) {
	for _, e := range []int{-1000, -600, -340, 0, 340, 600, 990} {
		s := math.Ldexp(1, e)
		cube := func(edge float64) mesh.Soup { return testmesh.Scale(box(-edge/2, -edge/2, -edge/2, edge), s) }
		a := newAssembly(t, inpoly.Options{}, partsOf(cube(4), cube(2), cube(8), cube(2), mesh.Soup{}))
		for _, c := range []struct {
			x    float64
			want int32
		}{{0.5, 1}, {1, 1}, {1.5, 0}, {3, 2}, {5, inpoly.NoBody}} {
			if got := a.Body(r3.Vector{X: c.x * s}, assembly.Innermost); got != c.want {
				t.Errorf("scale 2^%d, %g: body %d, want %d", e, c.x, got, c.want)
			}
		}
	}
}

func TestDoesNotAllocate(t *testing.T) {
	soups := scenes()["nested"]
	for _, method := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells} {
		a := newAssembly(t, inpoly.Options{Method: method}, partsOf(soups...))
		dst := make([]int32, 0, len(soups))
		p := r3.Vector{X: 0.3, Y: 0.2, Z: 0.1}
		a.Distance(p) // this call builds the tree over all faces
		for name, f := range map[string]func(){
			"Bodies":   func() { dst, _ = a.Bodies(dst[:0], p) },
			"Body":     func() { a.Body(p, assembly.Innermost) },
			"Side":     func() { a.Side(p) },
			"Winding":  func() { a.Winding(p) },
			"Distance": func() { a.Distance(p) },
		} {
			if n := testing.AllocsPerRun(50, f); n != 0 {
				t.Errorf("%v: %s allocates %g times", method, name, n)
			}
		}
	}
}

// canceled is a context that ends after a given number of calls of its method Err.
type canceled struct {
	context.Context
	left  int
	ended chan struct{}
}

func (c *canceled) Err() error {
	if c.left--; c.left == 0 {
		close(c.ended)
	}
	if c.left <= 0 {
		return context.Canceled
	}
	return nil
}

func (c *canceled) Done() <-chan struct{} { return c.ended }

// After an interruption, each element holds the correct answer or no answer.
func TestInterrupted(t *testing.T) {
	soups := scenes()["mixed"]
	pts := scenePoints(soups, 4)
	a := newAssembly(t, inpoly.Options{Workers: 1}, partsOf(soups...))
	n := len(pts)
	wantSides, wantBodies, wantD, wantW := make([]inpoly.Side, n), make([]int32, n), make([]float64, n), make([]float64, n)
	body, face, bound := make([]int32, n), make([]int32, n), make([]float64, n)
	_, err := sidesBodiesTo(a, t.Context(), wantSides, wantBodies, assembly.First, pts)
	for _, e := range []error{err, distancesTo(a, t.Context(), wantD, body, face, pts), windingsTo(a, t.Context(), wantW, bound, pts)} {
		if e != nil {
			t.Fatal(e)
		}
	}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	partial := 0
	for _, left := range []int{1, 2, 5, 20, 50, 100, 300} {
		ended := func() *canceled { return &canceled{t.Context(), left, make(chan struct{})} }
		sides, bodies := make([]inpoly.Side, n), make([]int32, n)
		_, err := sidesBodiesTo(a, ended(), sides, bodies, assembly.First, pts)
		for i := range pts {
			if bodies[i] != wantBodies[i] && (err == nil || bodies[i] != inpoly.UncertainBody) || sides[i] != wantSides[i] && (err == nil || sides[i] != inpoly.Unknown) {
				t.Fatalf("%d checks of the context, error %v: body %d, %v at %v, want %d, %v", left, err, bodies[i], sides[i], pts[i], wantBodies[i], wantSides[i])
			}
			if err != nil && bodies[i] != inpoly.UncertainBody {
				partial++
			}
		}
		d, w := make([]float64, n), make([]float64, n)
		err = distancesTo(a, ended(), d, body, face, pts)
		for i := range pts {
			if !same(d[i], wantD[i]) && (err == nil || !math.IsNaN(d[i]) || face[i] >= 0) {
				t.Fatalf("%d checks of the context, error %v: distance %g at %v, want %g", left, err, d[i], pts[i], wantD[i])
			}
		}
		err = windingsTo(a, ended(), w, bound, pts)
		for i := range pts {
			if !same(w[i], wantW[i]) && (err == nil || !math.IsNaN(w[i])) {
				t.Fatalf("%d checks of the context, error %v: W = %g at %v, want %g", left, err, w[i], pts[i], wantW[i])
			}
		}
		var sets inpoly.Sets
		if err := bodySetsTo(a, ended(), &sets, pts); err != nil {
			if got, certain := sets.At(n - 1); certain || len(got) > 0 || sets.Len() != n {
				t.Fatalf("%d checks of the context: %v, certain: %v after %v", left, got, certain, err)
			}
		}
	}
	if partial == 0 {
		t.Error("no batch was interrupted halfway: the test tests nothing")
	}
}

// The working memory in an assembly does not grow with the number of solids. The method
// Memory counts each index only once.
func TestMemory(t *testing.T) {
	var soups []mesh.Soup
	for k := range 400 {
		soups = append(soups, testmesh.Translate(testmesh.Star(2, 0.3, 1), r3.Vector{X: 3 * float64(k%20), Y: 3 * float64(k/20)}))
	}
	a := newAssembly(t, inpoly.Options{Method: inpoly.Cells, Workers: 2}, partsOf(soups...))
	rng := rand.New(rand.NewPCG(6, 7))
	pts := make([]r3.Vector, 60_000)
	for i := range pts {
		pts[i] = r3.Vector{X: 60 * rng.Float64(), Y: 60 * rng.Float64(), Z: 2*rng.Float64() - 1}
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	dst := make([]inpoly.Side, len(pts))
	before := heap()
	if err := a.SidesTo(t.Context(), dst, pts); err != nil {
		t.Fatal(err)
	}
	// At most 32 solids store batches. A batch takes 107 kB per worker. Batches of all 400 solids
	// would take 43 MB.
	if after := heap(); after > before+16<<20 {
		t.Errorf("%d MB in use after a batch, %d MB before", after>>20, before>>20)
	}
	runtime.KeepAlive(a)
	open := partsOf(testmesh.Hemisphere(4))
	fixed := newAssembly(t, inpoly.Options{Method: inpoly.Cells, ExpectedPoints: 1_000_000}, open)
	auto := newAssembly(t, inpoly.Options{ExpectedPoints: 1_000_000}, open)
	if m := auto.Report().Solids[0].Method; m != inpoly.Cells {
		t.Fatalf("Auto chose %v: the test tests nothing", m)
	}
	if fixed.Memory() != auto.Memory() {
		t.Errorf("%d bytes with Cells, %d with Auto, which chose Cells", fixed.Memory(), auto.Memory())
	}
}
