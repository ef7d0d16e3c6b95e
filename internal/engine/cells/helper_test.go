package cells_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

var rules = []side.Rule{side.NonZero, side.Positive, side.Negative, side.EvenOdd}

// full reports whether the long versions of the tests run.
func full() bool { return os.Getenv("INPOLY_FULL") == "1" }

// rounds selects the number of seeded cases of a test. It depends on INPOLY_FULL and -short.
func rounds(sample, all int) int {
	switch {
	case full():
		return all
	case testing.Short():
		return max(1, sample/10)
	}
	return (sample + 1) / 2
}

// fataler has the methods that *testing.T and *rapid.T share.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// twin holds an index and a Caster of one mesh for each of several rules. Under each rule, the
// index and the Caster must give the same results.
type twin struct {
	name  string
	mesh  *mesh.Mesh
	rules []side.Rule
	index []*cells.Index
	rays  []*raycross.Caster
	calls atomic.Int64 // number of calls of Options.Rays
	wrong int          // number of reported differences
	few   bool         // whether twin.check makes fewer queries
}

// within is the time limit to build an index, or to query one set of points. An index takes far
// less time, and a degraded grid would take far more. The tests have no other time limits.
const within = 2 * time.Minute

// watch starts a timer. If the caller does not stop the timer in time, the test panics and prints
// the mesh. A context cannot replace the timer, because an endless loop does not check any context.
func (w *twin) watch(what string) *time.Timer {
	most := time.Duration(rounds(1, 20)) * within
	return time.AfterFunc(most, func() {
		text := fmt.Sprintf("%s: %d faces", w.name, w.mesh.NumFaces())
		if w.mesh.NumFaces() <= 100 {
			text = fmt.Sprintf("%s: faces %v, vertices", w.name, w.mesh.Faces)
			for _, v := range w.mesh.Vertices {
				text += " " + hex(v)
			}
		}
		panic(fmt.Sprintf("still running after %v while %s: %s", most, what, text))
	})
}

// validated is the largest number of faces for which newLargeTwin calls Validate.
const validated = 3000

// newTwin builds an index of m for each rule and checks its size. It sets opt.Rule and opt.Rays.
// Without INPOLY_FULL=1 it validates the index of one rule, which depends on the mesh and its name.
func newTwin(ctx context.Context, t fataler, name string, m *mesh.Mesh, opt cells.Options, rules ...side.Rule) *twin {
	t.Helper()
	w := newLargeTwin(ctx, t, name, m, opt, rules...)
	for _, x := range w.index {
		checkBytes(t, name, x.Shape(), m, opt.ExpectedPoints)
	}
	return w
}

// newLargeTwin does the work of newTwin, but does not check the size of the indexes.
func newLargeTwin(ctx context.Context, t fataler, name string, m *mesh.Mesh, opt cells.Options, rules ...side.Rule) *twin {
	t.Helper()
	w := &twin{name: name, mesh: m, rules: rules}
	defer w.watch("the index is built").Stop()
	casters, err := newCasters(ctx, m, rules...)
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range casters {
		opt.Rule = rules[k]
		opt.Rays = func(context.Context) (*raycross.Caster, error) {
			w.calls.Add(1)
			return c, nil
		}
		x, err := cells.New(ctx, m, opt)
		if err != nil {
			t.Fatalf("%s: %v: %v", name, rules[k], err)
		}
		if m.NumFaces() <= validated && (full() || k == (m.NumFaces()/2+len(name))%len(w.rules)) {
			validate := x.Validate
			if full() {
				validate = x.ValidateAll
			}
			if err := validate(ctx); err != nil {
				t.Fatalf("%s: %v: invalid index: %v", name, rules[k], err)
			}
		}
		checkShape(t, name, x.Shape(), m)
		w.rays, w.index = append(w.rays, c), append(w.index, x)
	}
	return w
}

// newCasters returns a Caster of m for each rule. The Casters share one tree.
func newCasters(ctx context.Context, m *mesh.Mesh, rules ...side.Rule) ([]*raycross.Caster, error) {
	x, err := m.Index(ctx, bvh.Options{})
	if err != nil {
		return nil, err
	}
	var out []*raycross.Caster
	for _, rule := range rules {
		c, err := raycross.New(x, raycross.Options{Rule: rule})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// raysOf returns a function for Options.Rays. Each call of the function builds a Caster of m.
func raysOf(m *mesh.Mesh, rule side.Rule) func(ctx context.Context) (*raycross.Caster, error) {
	return func(ctx context.Context) (*raycross.Caster, error) {
		c, err := newCasters(ctx, m, rule)
		if err != nil {
			return nil, err
		}
		return c[0], nil
	}
}

// The index of a mesh with n faces and caps takes at most bytesFixed + bytesPerFace·n bytes, plus
// bytesPerPoint for each expected point. For meshes of ordinary shape, it takes 50 to 100 bytes per
// face. In the tests, long triangles that cross each other take up to about 500 bytes per face. The
// index does not grow with more than mostPoints points.
const (
	bytesFixed    = 16 << 10
	bytesPerFace  = 600
	bytesPerPoint = 28
	mostPoints    = 8 << 20
)

func checkBytes(t fataler, name string, s cells.Shape, m *mesh.Mesh, points int64) {
	t.Helper()
	if most := bytesFixed + bytesPerFace*int64(m.NumFaces()+s.Caps) + bytesPerPoint*min(points, mostPoints); s.Bytes > most {
		t.Errorf("%s: %d bytes for %d faces and caps, want at most %d: %+v", name, s.Bytes, m.NumFaces()+s.Caps, most, s)
	}
}

func checkShape(t fataler, name string, s cells.Shape, m *mesh.Mesh) {
	t.Helper()
	if min(s.Bricks, s.Crossed, s.Entries, s.Depth, s.RayOnly, s.Caps) < 0 || s.Bytes < 0 || !(s.Cell >= 0) || math.IsInf(s.Cell, 0) {
		t.Errorf("%s: impossible shape %+v", name, s)
	}
	if m.Closed() && s.Caps != 0 {
		t.Errorf("%s: %d caps close a boundary that is empty", name, s.Caps)
	}
}

// spot is a point and, for messages, the name of its kind.
type spot struct {
	r3.Vector
	kind string
}

func vectors(spots []spot) []r3.Vector {
	out := make([]r3.Vector, len(spots))
	for i, s := range spots {
		out[i] = s.Vector
	}
	return out
}

// mostReports is the largest number of differences that are reported for one mesh.
const mostReports = 3

// check compares the indexes with the Casters under every rule. It queries all spots in one batch
// and compares the sides. For every tenth spot, it also makes a single query and compares the side
// and the winding number.
func (w *twin) check(ctx context.Context, t fataler, spots []spot, workers int) {
	t.Helper()
	if !full() {
		defer w.watch("points are queried").Stop()
	}
	all := vectors(spots)
	for k, rule := range w.rules {
		pts, step := all, 10
		if w.few {
			step = 100
			if k > 0 {
				pts = all[:max(1, len(all)/10)]
			}
		}
		got, want := make([]side.Side, len(pts)), make([]side.Side, len(pts))
		if _, err := w.rays[k].SidesTo(ctx, want, pts, workers); err != nil {
			t.Fatal(err)
		}
		stats, err := w.index[k].SidesTo(ctx, got, pts, workers)
		if err != nil {
			t.Fatalf("%s: %v: %v", w.name, rule, err)
		}
		if stats.Points != uint64(len(pts)) {
			t.Errorf("%s: %v: %d points counted, want %d", w.name, rule, stats.Points, len(pts))
		}
		for i, s := range spots[:len(pts)] {
			if got[i] != want[i] {
				w.report(t, rule, i, s, fmt.Sprintf("side %v in a batch of %d, want %v as by rays", got[i], len(pts), want[i]))
			}
		}
		var one cells.Scratch
		var ray raycross.Scratch
		for i := k % step; i < len(pts); i += step {
			if side := w.index[k].Side(pts[i], &one); side != want[i] {
				w.report(t, rule, i, spots[i], fmt.Sprintf("side %v in a single query, want %v as by rays", side, want[i]))
			}
			v, b := w.index[k].Winding(pts[i], &one)
			if v2, b2 := w.rays[k].Winding(pts[i], &ray); !same(v, v2) || !same(b, b2) {
				w.report(t, rule, i, spots[i], fmt.Sprintf("W = %v ± %v, want %v ± %v as by rays", v, b, v2, b2))
			}
		}
	}
}

// judge compares the sides of n evenly chosen spots with the results of integer arithmetic. It
// skips a rule if the crossings of one ray do not determine the side under this rule.
func (w *twin) judge(t fataler, spots []spot, n int) {
	t.Helper()
	for i := 0; i < len(spots); i += max(1, len(spots)/n) {
		s := spots[i]
		if !vec.Finite(s.Vector) {
			continue
		}
		signed, crossings, on := referee.Judge(w.mesh.Vertices, w.mesh.Faces, s.Vector)
		for k, rule := range w.rules {
			want := rule.Apply(int64(signed), uint64(crossings))
			switch {
			case on:
				want = side.OnSurface
			case !w.mesh.Closed() && (rule != side.EvenOdd || !w.mesh.EvenEdges()):
				continue
			}
			var one cells.Scratch
			if got := w.index[k].Side(s.Vector, &one); got != want {
				w.report(t, rule, i, s, fmt.Sprintf("side %v, want %v as by integer arithmetic", got, want))
			}
		}
	}
}

// report reports a wrong result at one spot and adds the result of integer arithmetic.
func (w *twin) report(t fataler, rule side.Rule, i int, s spot, what string) {
	t.Helper()
	if w.wrong++; w.wrong > mostReports {
		return
	}
	verdict := ""
	if vec.Finite(s.Vector) && w.mesh.NumFaces() <= 50_000 {
		signed, crossings, on := referee.Judge(w.mesh.Vertices, w.mesh.Faces, s.Vector)
		verdict = fmt.Sprintf("; by integers %d signed of %d crossings, on the surface %v, mesh closed %v", signed, crossings, on, w.mesh.Closed())
	}
	t.Errorf("%s: %v: point %d (%s) %s: %s%s", w.name, rule, i, s.kind, hex(s.Vector), what, verdict)
}

// hex returns the coordinates of v in decimal, and then as exact hexadecimal numbers.
func hex(v r3.Vector) string {
	return fmt.Sprintf("(%.4g, %.4g, %.4g) = (%x, %x, %x)", v.X, v.Y, v.Z, v.X, v.Y, v.Z)
}

// same reports whether a and b are equal or both are NaN.
func same(a, b float64) bool { return a == b || a != a && b != b }
