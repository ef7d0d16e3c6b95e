// Package locatetest is the conformance suite of strategies. The function Test checks the
// requirements that every locate.Locator must meet.
//
//	func TestMine(t *testing.T) {
//		locatetest.Test(t, func(ctx context.Context, s *locate.Surface, w locate.Workload) (locate.Locator, error) {
//			return locate.WithFallback(newMine(s), locate.Exact(s), w.Rule, w.Parity, w.Epsilon), nil
//		})
//	}
//
// The suite compares the strategies with two oracles: the direct sum of solid angles, whose bounds
// are certified, and package referee, which uses integers and shares no code with the strategies.
package locatetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/testrace"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Build builds the strategy under test for the mesh of s. The bound of winding numbers of an
// open mesh must be at most w.Epsilon.
type Build func(ctx context.Context, s *locate.Surface, w locate.Workload) (locate.Locator, error)

// epsilon is the requested error of the winding numbers of open meshes.
const epsilon = 1e-5

// Test runs the suite and reports all failures. The meshes are closed, open, nested, flipped,
// doubled, tangled and empty. Test uses the rules NonZero and EvenOdd, or all rules if
// INPOLY_FULL=1 is set.
func Test(t *testing.T, build Build) {
	for _, c := range cases() {
		for rule := side.NonZero; rule <= side.EvenOdd; rule++ {
			if !testcorpus.Full() && rule != side.NonZero && rule != side.EvenOdd {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", c.name, rule), func(t *testing.T) {
				newSuite(t, build, c, rule).run(t)
			})
		}
	}
}

// testCase is a mesh with points. The oracles answer its points once for all strategies.
type testCase struct {
	name   string
	mesh   *mesh.Mesh
	pts    []r3.Vector
	direct func() sums      // by the direct sum
	judged func() []verdict // by integer arithmetic
}

// sums holds winding numbers by the direct sum, their bounds, and whether each point lies on a face.
type sums struct {
	w, bound []float64
	on       []bool
	err      error
}

// verdict is the answer of package referee for one point.
type verdict struct {
	signed, crossings int
	on                bool
}

func newCase(name string, m *mesh.Mesh) testCase {
	c := testCase{name: name, mesh: m, pts: probes(m, 300)}
	c.direct = sync.OnceValue(func() sums {
		n := len(c.pts)
		s := sums{w: make([]float64, n), bound: make([]float64, n), on: make([]bool, n)}
		s.err = bem.NewDirect(m, 0).WindingsTo(context.Background(), s.w, s.bound, s.on, c.pts)
		return s
	})
	c.judged = sync.OnceValue(func() []verdict {
		out := make([]verdict, len(c.pts))
		for i, p := range c.pts {
			if vec.Finite(p) {
				out[i].signed, out[i].crossings, out[i].on = referee.Judge(m.Vertices, m.Faces, p)
			}
		}
		return out
	})
	return c
}

var cases = sync.OnceValue(func() []testCase {
	star := testmesh.Star(3, 0.5, 1)
	soups := map[string]mesh.Soup{
		"cube": testmesh.UnitCube(), "tetrahedron": testmesh.Tetrahedron(), "zero area": testmesh.WithDegenerate(testmesh.UnitCube(), 6, 3),
		"closed": star, "nested": testmesh.Nested(true), "overlapping": testmesh.Overlapping(),
		"doubled": testmesh.Double(testmesh.UnitCube()), "inverted": testmesh.Flip(star),
		"hole": testmesh.Without(star, 7), "hemisphere": testmesh.Hemisphere(3), "sheet": testmesh.Sheet(8),
		"flipped": testmesh.Flip(star, 5, 6, 77, 300), "tangle": testmesh.Tangle(40, 200, 2), "soup": testmesh.Triangles(200, 3),
		"one triangle": testmesh.Triangles(1, 3), "empty": {},
		"far": testmesh.Translate(testmesh.Without(star, 3, 50), r3.Vector{X: 1e6, Y: -3e5, Z: 1e7}),
	}
	var out []testCase
	for name, s := range soups {
		out = append(out, newCase(name, testmesh.Mesh(s)))
	}
	slices.SortFunc(out, func(a, b testCase) int { return strings.Compare(a.name, b.name) })
	return out
})

// probes returns about n points in and around the box of m. Some points lie on or very close to
// vertices, edges and faces. Some points are not finite.
func probes(m *mesh.Mesh, n int) []r3.Vector {
	pts := []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}, {X: 1e300}, {}, {X: .5, Y: .5, Z: .5}}
	if m.NumFaces() == 0 {
		return pts
	}
	// The winding numbers of distant points are small but not 0 if the mesh is open.
	box := m.Box()
	for _, factor := range []float64{2, 10, 100, 1e4} {
		far := box.Size().Mul(factor)
		pts = append(pts, box.Max.Add(far), box.Min.Sub(far), box.Max.Add(r3.Vector{X: far.X}))
	}
	return append(pts, testcorpus.Probes(m, n/2, n/10, rand.New(rand.NewPCG(7, uint64(m.NumFaces()))))...)
}

// suite tests one strategy on one mesh under one rule. It holds the answers of the oracles.
type suite struct {
	testCase
	rule   side.Rule
	parity bool
	l      locate.Locator

	w, bound []float64   // winding numbers by the direct sum, and their bounds
	on       []bool      // whether each point lies on a face
	sides    []side.Side // expected sides; Unknown if no oracle decides
}

func newSuite(t *testing.T, build Build, c testCase, rule side.Rule) *suite {
	t.Helper()
	s := &suite{testCase: c, rule: rule, parity: locate.Parity(c.mesh, rule)}
	w := locate.NewWorkload(c.mesh, locate.Workload{Rule: rule, Epsilon: epsilon})
	var err error
	if s.l, err = build(t.Context(), locate.NewSurface(c.mesh, locate.SurfaceOptions{Rule: rule}), w); err != nil {
		t.Fatal(err)
	}
	direct := c.direct()
	if direct.err != nil {
		t.Fatal(direct.err)
	}
	s.w, s.bound, s.on = slices.Clone(direct.w), slices.Clone(direct.bound), direct.on
	for i, p := range c.pts {
		s.sides = append(s.sides, s.judge(i, p))
	}
	return s
}

// judge returns the side of p, the point with index i, according to the oracles.
func (s *suite) judge(i int, p r3.Vector) side.Side {
	if !vec.Finite(p) {
		return side.Unknown
	}
	closed := s.mesh.Closed()
	if closed || s.parity {
		v := s.judged()[i]
		if v.on {
			return side.OnSurface
		}
		if closed {
			s.w[i], s.bound[i] = float64(v.signed), 0
		}
		return s.rule.Apply(int64(v.signed), uint64(v.crossings))
	}
	if s.on[i] {
		return side.OnSurface
	}
	got, ok := s.rule.Decide(s.w[i], s.bound[i])
	if !ok {
		return side.Unknown
	}
	return got
}

func (s *suite) run(t *testing.T) {
	t.Run("single", s.single)
	t.Run("batch", s.batch)
	t.Run("order", s.order)
	t.Run("interrupted", s.interrupted)
	if !testrace.Enabled {
		t.Run("allocations", s.allocations)
	}
	t.Run("panics", s.panics)
	if s.l.Bytes() < 0 {
		t.Errorf("Bytes() = %d", s.l.Bytes())
	}
}

func (s *suite) checkSide(t *testing.T, i int, got side.Side) {
	t.Helper()
	if want := s.sides[i]; got != want && (want != side.Unknown || !vec.Finite(s.pts[i])) {
		t.Errorf("side of %v: %v, want %v", s.pts[i], got, want)
	}
}

func (s *suite) checkWinding(t *testing.T, i int, w, bound float64) {
	t.Helper()
	p := s.pts[i]
	if !vec.Finite(p) {
		if !math.IsNaN(w) || !math.IsInf(bound, 1) {
			t.Errorf("W of %v: %v ± %v, want NaN ± Inf", p, w, bound)
		}
		return
	}
	if !(math.Abs(w-s.w[i]) <= bound+s.bound[i]) {
		t.Errorf("W of %v: %v ± %v, want %v ± %v", p, w, bound, s.w[i], s.bound[i])
	}
	if s.mesh.Closed() && s.sides[i] != side.OnSurface && bound != 0 {
		t.Errorf("W of %v: bound %v, want 0 for a closed mesh", p, bound)
	}
}

func (s *suite) single(t *testing.T) {
	for i, p := range s.pts {
		s.checkSide(t, i, s.l.Side(p))
		w, bound := s.l.Winding(p)
		s.checkWinding(t, i, w, bound)
	}
}

func answers(n int) side.Answers {
	return side.Answers{Sides: make([]side.Side, n), Winding: make([]float64, n), Bound: make([]float64, n)}
}

// locate returns the answers for pts. It uses two workers.
func (s *suite) locate(t *testing.T, pts []r3.Vector) side.Answers {
	t.Helper()
	dst := answers(len(pts))
	if _, err := s.l.LocateTo(t.Context(), dst, pts, 2); err != nil {
		t.Fatal(err)
	}
	return dst
}

// batch checks the answers and statistics of batches of several sizes, with one worker and with
// three workers. A batch requests sides, winding numbers, or both.
func (s *suite) batch(t *testing.T) {
	var first side.Answers
	for _, workers := range []int{1, 3} {
		for _, n := range []int{0, 1, locate.Few, locate.Few + 1, len(s.pts)} {
			n = min(n, len(s.pts))
			both := answers(n)
			stats, err := s.l.LocateTo(t.Context(), both, s.pts[:n], workers)
			s.checkStats(t, stats, err, both.Sides)
			apart := answers(n)
			stats, err = s.l.LocateTo(t.Context(), side.Answers{Sides: apart.Sides}, s.pts[:n], workers)
			s.checkStats(t, stats, err, apart.Sides)
			if _, err := s.l.LocateTo(t.Context(), side.Answers{Winding: apart.Winding, Bound: apart.Bound}, s.pts[:n], workers); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				s.checkSide(t, i, both.Sides[i])
				s.checkWinding(t, i, both.Winding[i], both.Bound[i])
			}
			if !same(both, apart) {
				t.Errorf("%d points, %d workers: answers of one call for sides and winding numbers differ from answers of separate calls", n, workers)
			}
			if first.Sides == nil && n == len(s.pts) {
				first = both
			}
			if n == len(s.pts) && !same(first, both) {
				t.Errorf("the answers of %d workers differ from the answers of one worker", workers)
			}
		}
	}
}

// checkStats checks the statistics and the error of a batch with the given sides.
func (s *suite) checkStats(t *testing.T, stats side.Stats, err error, sides []side.Side) {
	t.Helper()
	unknown := uint64(0)
	for _, got := range sides {
		if got == side.Unknown {
			unknown++
		}
	}
	if err != nil || stats.Points != uint64(len(sides)) || stats.Undecided != unknown {
		t.Errorf("error %v; %d of %d points counted; %d points undecided, want %d", err, stats.Points, len(sides), stats.Undecided, unknown)
	}
}

// same reports whether a and b are equal bit for bit.
func same(a, b side.Answers) bool {
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return slices.Equal(a.Sides, b.Sides) && slices.EqualFunc(a.Winding, b.Winding, bits) && slices.EqualFunc(a.Bound, b.Bound, bits)
}

func (s *suite) order(t *testing.T) {
	reversed := slices.Clone(s.pts)
	slices.Reverse(reversed)
	forwards, backwards := s.locate(t, s.pts), s.locate(t, reversed)
	slices.Reverse(backwards.Sides)
	slices.Reverse(backwards.Winding)
	slices.Reverse(backwards.Bound)
	if !same(forwards, backwards) {
		t.Error("answers depend on the order of points")
	}
}

// endsLater is a context that ends at the call of Err after which callsLeft is 0.
type endsLater struct {
	context.Context
	callsLeft int
	done      chan struct{}
}

func (c *endsLater) Err() error {
	if c.callsLeft--; c.callsLeft == 0 {
		close(c.done)
	}
	if c.callsLeft <= 0 {
		return context.Canceled
	}
	return nil
}

func (c *endsLater) Done() <-chan struct{} { return c.done }

// interrupted checks that an interrupted batch returns the error of its context. Each element of
// the answers must hold the correct answer or no answer.
func (s *suite) interrupted(t *testing.T) {
	n := len(s.pts)
	want := s.locate(t, s.pts)
	for _, left := range []int{1, 2, 3, 10, 50} {
		got := answers(n)
		for i := range got.Sides { // LocateTo must overwrite these values
			got.Sides[i], got.Winding[i], got.Bound[i] = side.Inside, 12345, 0
		}
		_, err := s.l.LocateTo(&endsLater{t.Context(), left, make(chan struct{})}, got, s.pts, 1)
		if left == 1 && n > 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("the context has ended: got error %v, want context canceled", err)
		}
		for i := range got.Sides {
			cleared := err != nil && got.Sides[i] == side.Unknown
			if !cleared && got.Sides[i] != want.Sides[i] {
				t.Errorf("the context ends at check %d (error %v): got side %v for point %v, want side %v or Unknown", left, err, got.Sides[i], s.pts[i], want.Sides[i])
			}
			cleared = err != nil && math.IsNaN(got.Winding[i]) && math.IsInf(got.Bound[i], 1)
			if !cleared && math.Float64bits(got.Winding[i]) != math.Float64bits(want.Winding[i]) {
				t.Errorf("the context ends at check %d (error %v): got W = %v for point %v, want W = %v or NaN", left, err, got.Winding[i], s.pts[i], want.Winding[i])
			}
		}
	}
}

// allocations checks that a query for a point away from the surface allocates no memory.
func (s *suite) allocations(t *testing.T) {
	box := s.mesh.Box()
	p := r3.Vector{X: .31, Y: .42, Z: .53}
	if !box.Empty() {
		size := box.Size()
		p = box.Min.Add(r3.Vector{X: .31 * size.X, Y: .42 * size.Y, Z: .53 * size.Z})
		if size.Z == 0 { // the mesh is a flat sheet
			p.Z += .37 * size.Norm()
		}
	}
	s.l.Side(p) // the first query can build an index
	s.l.Winding(p)
	if n := testing.AllocsPerRun(50, func() { s.l.Side(p) }); n != 0 {
		t.Errorf("Side of %v: %v allocations, want 0", p, n)
	}
	if n := testing.AllocsPerRun(50, func() { s.l.Winding(p) }); n != 0 {
		t.Errorf("Winding of %v: %v allocations, want 0", p, n)
	}
}

func (s *suite) panics(t *testing.T) {
	for name, dst := range map[string]side.Answers{
		"sides": {Sides: make([]side.Side, 1)}, "winding": {Winding: make([]float64, 2), Bound: make([]float64, 1)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("case %s: no panic, although answers and points differ in length", name)
				}
			}()
			_, _ = s.l.LocateTo(t.Context(), dst, s.pts[:2], 1)
		}()
	}
}
