package fmm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// full reports whether tests run all seeded cases instead of a sample.
func full() bool { return os.Getenv("INPOLY_FULL") == "1" }

// rounds returns a number of seeded cases: the second parameter if INPOLY_FULL=1 is set, a tenth of
// the first with -short, and otherwise the first.
func rounds(sample, all int) int {
	switch {
	case full():
		return all
	case testing.Short():
		return max(1, sample/10)
	}
	return sample
}

// seeded returns a random generator for the given seed. Each test has its own seed.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0xf33)) }

func corners(m *mesh.Mesh) []mesh.Triangle {
	out := make([]mesh.Triangle, m.NumFaces())
	for f := range out {
		out[f] = m.Triangle(int32(f))
	}
	return out
}

func soupOf(tris []mesh.Triangle) mesh.Soup {
	var s mesh.Soup
	for _, t := range tris {
		k := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, t[:]...)
		s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
	}
	return s
}

func newPlan(t testing.TB, tris []mesh.Triangle, opt Options) *Plan {
	t.Helper()
	p, err := New(t.Context(), tris, opt)
	if err != nil {
		t.Fatalf("New of %d triangles with %s: %v", len(tris), optionText(opt), err)
	}
	return p
}

func optionText(opt Options) string {
	return fmt.Sprintf("ε=%g, %d known points, %d expected, depth %d, %d workers", opt.Epsilon, len(opt.Points), opt.ExpectedPoints, opt.Depth, opt.Workers)
}

type answers struct {
	w, bound []float64
	on       []bool
	direct   []float64 // bounds of the direct sum, set only in a reference
}

func newAnswers(n int) answers {
	return answers{w: make([]float64, n), bound: make([]float64, n), on: make([]bool, n)}
}

func windings(t testing.TB, p *Plan, pts []r3.Vector, workers int) answers {
	t.Helper()
	a := newAnswers(len(pts))
	if err := p.WindingsTo(t.Context(), a.w, a.bound, a.on, pts, workers); err != nil {
		t.Fatal(err)
	}
	return a
}

// same compares the bits of a and b, and reports the first point at which they differ.
func (a answers) same(t *testing.T, name string, b answers, pts []r3.Vector) {
	t.Helper()
	bits := math.Float64bits
	for i := range a.w {
		if bits(a.w[i]) != bits(b.w[i]) || bits(a.bound[i]) != bits(b.bound[i]) || a.on[i] != b.on[i] {
			t.Errorf("%s: at %#v %v ± %v on=%v, but %v ± %v on=%v", name, pts[i], a.w[i], a.bound[i], a.on[i], b.w[i], b.bound[i], b.on[i])
			return
		}
	}
}

// reference returns the winding numbers of the direct sum. For points off the surface of a closed
// mesh, it returns the exact integers.
func reference(t testing.TB, m *mesh.Mesh, pts []r3.Vector) answers {
	t.Helper()
	a := newAnswers(len(pts))
	if err := bem.NewDirect(m, 0).WindingsTo(t.Context(), a.w, a.bound, a.on, pts); err != nil {
		t.Fatal(err)
	}
	a.direct = slices.Clone(a.bound)
	if m.Closed() && m.NumFaces() > 0 {
		c := caster(t, m)
		var s raycross.Scratch
		for i, x := range pts {
			if !a.on[i] && vec.Finite(x) {
				a.w[i], a.bound[i] = c.Winding(x, &s)
			}
		}
	}
	return a
}

func caster(t testing.TB, m *mesh.Mesh) *raycross.Caster {
	t.Helper()
	x, err := m.Index(t.Context(), bvh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := raycross.New(x, raycross.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// worst holds the largest ratio of an error to its bound, and the largest ratio of a bound to
// epsilon. The possible error of the reference is subtracted from each error.
type worst struct{ error, bound float64 }

// check compares the answers of a plan with the reference. It reports errors above their bounds,
// and points that only one of the two finds on the surface. It also reports bounds above epsilon,
// unless the direct sum has a large bound too.
func check(t *testing.T, name string, epsilon float64, got, want answers, pts []r3.Vector) (w worst) {
	t.Helper()
	bad := 0
	complain := func(i int, what string) {
		t.Helper()
		if bad++; bad <= 3 {
			t.Errorf("%s: at %#v: %s: got %v ± %v on=%v, want %v ± %v on=%v, direct ± %v", name, pts[i], what,
				got.w[i], got.bound[i], got.on[i], want.w[i], want.bound[i], want.on[i], want.direct[i])
		}
	}
	for i, x := range pts {
		if !vec.Finite(x) {
			if !math.IsNaN(got.w[i]) || !math.IsInf(got.bound[i], 1) || got.on[i] {
				complain(i, "a point that is not finite")
			}
			continue
		}
		e := math.Abs(got.w[i] - want.w[i])
		if !(e <= got.bound[i]+want.bound[i]) {
			complain(i, fmt.Sprintf("the error %g exceeds its bound", e))
		}
		if got.on[i] != want.on[i] {
			complain(i, "on")
		}
		if !(got.bound[i] <= epsilon) && !(want.direct[i] > epsilon/doubtfulRatio) {
			complain(i, "the bound exceeds epsilon")
		}
		if got.bound[i] > 0 {
			w.error = max(w.error, (e-want.bound[i])/got.bound[i])
			if !(want.direct[i] > epsilon/doubtfulRatio) {
				w.bound = max(w.bound, got.bound[i]/epsilon)
			}
		}
	}
	if bad > 3 {
		t.Errorf("%s: %d errors in total, %d points", name, bad, len(pts))
	}
	return w
}

// If epsilon is at least doubtfulRatio times the bound of the direct sum, the bound of a plan must
// be at most epsilon. At smaller ratios it can exceed epsilon, because the near-field kernel has
// larger bounds than the direct sum.
const doubtfulRatio = 1000

// spots returns n points for m. About half of the points are near the surface, and an eighth are on
// the surface or next to it. The others are in the box of m, outside the box, or far away.
func spots(m *mesh.Mesh, n int, seed uint64) []r3.Vector {
	r := seeded(seed)
	box := m.Box()
	if m.NumFaces() == 0 {
		box = bvh.Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}
	}
	size := box.Size()
	longest := max(size.X, size.Y, size.Z)
	if longest == 0 {
		longest = max(vec.MaxAbs(box.Max), 1)
	}
	middle := box.Min.Mul(0.5).Add(box.Max.Mul(0.5))
	direction := func() r3.Vector {
		return r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
	}
	pts := make([]r3.Vector, 0, n+1)
	for len(pts) < n {
		var x r3.Vector
		kind := r.IntN(16)
		if m.NumFaces() == 0 {
			kind = 10 + r.IntN(6)
		}
		switch {
		case kind < 10: // point near the surface or on it
			t := m.Triangle(int32(r.IntN(m.NumFaces())))
			i := r.IntN(3)
			u, v := r.Float64(), r.Float64()
			switch {
			case u+v > 1:
				u, v = 1-u, 1-v
			case kind == 8 && r.IntN(3) > 0: // point on an edge or at a vertex
				u = 0
				v = float64(r.IntN(5)) / 4
			}
			e1, e2 := t[(i+1)%3].Sub(t[i]), t[(i+2)%3].Sub(t[i])
			x = t[i].Add(e1.Mul(u)).Add(e2.Mul(v))
			edge := max(e1.Norm(), e2.Norm())
			if kind < 8 {
				if r.IntN(2) == 0 {
					edge = longest / float64(int(1)<<r.IntN(8))
				}
				x = x.Add(direction().Mul(edge * math.Exp2(-10*r.Float64())))
			}
			if kind == 9 && r.IntN(2) == 0 {
				x.X = math.Nextafter(x.X, math.Inf(1-2*r.IntN(2)))
			}
		case kind < 14: // point in the box or in the margin around it
			f := func(lo, size float64) float64 { return lo + (1.5*r.Float64()-0.25)*size }
			x = r3.Vector{X: f(box.Min.X, size.X), Y: f(box.Min.Y, size.Y), Z: f(box.Min.Z, size.Z)}
		default:
			x = middle.Add(direction().Mul(longest * math.Exp2(30*r.Float64()*r.Float64())))
		}
		pts = append(pts, x)
		if r.IntN(20) == 0 {
			pts = append(pts, x) // some points coincide
		}
	}
	pts = pts[:n]
	nan, inf := math.NaN(), math.Inf(1)
	special := []r3.Vector{
		{}, {X: nan}, {Y: inf}, {Z: -inf}, {X: nan, Y: inf}, box.Min, box.Max, {X: math.SmallestNonzeroFloat64}, box.Max.Mul(2), middle,
	}
	for _, x := range special {
		if i := r.IntN(2 * n); i < n && n > 3*len(special) {
			pts[i] = x
		}
	}
	return pts
}

// reachable returns a plan for opt, and its epsilon. If New returns an ErrEpsilon, reachable uses
// the epsilon that the message names.
func reachable(t *testing.T, name string, tris []mesh.Triangle, opt Options) (*Plan, float64) {
	t.Helper()
	p, err := New(t.Context(), tris, opt)
	if err == nil {
		return p, opt.Epsilon
	}
	if !errors.Is(err, ErrEpsilon) {
		t.Fatalf("%s: %s: %v", name, optionText(opt), err)
	}
	// The first error occurs before the tree is built, so it names an estimate of the reachable
	// epsilon. A later error names a reachable epsilon.
	for range 2 {
		opt.Epsilon = namedEpsilon(t, err)
		if p, err = New(t.Context(), tris, opt); err == nil {
			return p, opt.Epsilon
		}
	}
	t.Errorf("%s: %s, which the last error named as reachable: %v", name, optionText(opt), err)
	return nil, 0
}

func namedEpsilon(t *testing.T, err error) float64 {
	t.Helper()
	var wanted, named float64
	text := err.Error()
	const format = ": %g; the smallest value that can be reached is about %g"
	if n, _ := fmt.Sscanf(text, ErrEpsilon.Error()+format, &wanted, &named); n == 2 && named > wanted {
		return named
	}
	t.Fatalf("error %q does not name a value that can be reached", text)
	return 0
}
