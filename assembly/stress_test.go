package assembly_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// subject is an assembly under stress with the answers that one goroutine has computed before. The
// goroutines replace the assembly by a fresh one from time to time, so that its lazy indexes are
// built again.
type subject struct {
	name    string
	parts   []assembly.Part
	opt     inpoly.Options
	current atomic.Pointer[assembly.Assembly]

	pts    []r3.Vector
	all    results
	choice map[assembly.Choice][]int32
	sets   [][]int32
	solids []results
	report string // Report as JSON, without times
}

// results holds the answers for the points of a subject.
type results struct {
	sides       []side.Side
	w, bound, d []float64
	face, body  []int32
}

func newResults(n int) results {
	return results{make([]side.Side, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]int32, n), make([]int32, n)}
}

func (r *results) answers(lo, hi int) inpoly.Answers {
	return inpoly.Answers{
		Answers:  side.Answers{Sides: r.sides[lo:hi], Winding: r.w[lo:hi], Bound: r.bound[lo:hi]},
		Distance: r.d[lo:hi], Face: r.face[lo:hi],
	}
}

func newSubject(t *testing.T, name string, opt inpoly.Options, soups ...mesh.Soup) *subject {
	s := &subject{name: name, parts: partsOf(soups...), opt: opt, choice: map[assembly.Choice][]int32{}}
	rng := rand.New(rand.NewPCG(uint64(len(name)), 0x57e5))
	n := 64
	if testing.Short() {
		n = 16
	}
	for _, p := range s.parts {
		s.pts = append(s.pts, testcorpus.Probes(p.Mesh, n, n/8, rng)...)
	}
	s.pts = append(s.pts, r3.Vector{X: math.NaN()}, r3.Vector{Y: math.Inf(1)}, r3.Vector{X: 1e300})
	rng.Shuffle(len(s.pts), func(i, j int) { s.pts[i], s.pts[j] = s.pts[j], s.pts[i] })
	one := s.opt
	one.Workers = 1
	a := newAssembly(t, one, s.parts)
	s.all = newResults(len(s.pts))
	for i, p := range s.pts {
		s.all.sides[i] = a.Side(p)
		s.all.w[i], s.all.bound[i] = a.Winding(p)
		s.all.d[i], s.all.body[i], s.all.face[i] = a.Distance(p)
		for _, c := range bodyChoices {
			s.choice[c] = append(s.choice[c], a.Body(p, c))
		}
		bodies, _ := a.Bodies(nil, p)
		s.sets = append(s.sets, bodies)
	}
	for k := range a.Len() {
		r := newResults(len(s.pts))
		for i, p := range s.pts {
			r.sides[i] = a.Solid(k).Side(p)
			r.w[i], r.bound[i] = a.Solid(k).Winding(p)
			r.d[i], r.face[i] = a.Solid(k).Distance(p)
		}
		s.solids = append(s.solids, r)
	}
	s.report = reportOf(a)
	s.current.Store(newAssembly(t, s.opt, s.parts))
	return s
}

// reportOf returns the report as JSON without its times.
func reportOf(a *assembly.Assembly) string {
	r := a.Report()
	r.Timings = inpoly.Timings{}
	for i := range r.Solids {
		r.Solids[i].Timings = inpoly.Timings{}
	}
	text, err := json.Marshal(r)
	return fmt.Sprint(string(text), err)
}

func equal(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// compare returns an error if the answers for one point differ. Winding numbers of open meshes can
// differ within their bounds.
func (r *results) compare(i int, got *results, k int) error {
	switch {
	case got.sides[k] != r.sides[i]:
		return fmt.Errorf("side %v, expected %v", got.sides[k], r.sides[i])
	case !(math.Abs(got.w[k]-r.w[i]) <= got.bound[k]+r.bound[i]) && !(math.IsNaN(got.w[k]) && math.IsNaN(r.w[i])):
		return fmt.Errorf("W = %v ± %v, expected %v ± %v", got.w[k], got.bound[k], r.w[i], r.bound[i])
	case !equal(got.d[k], r.d[i]) || got.face[k] != r.face[i]:
		return fmt.Errorf("distance %v, face %d; expected %v, face %d", got.d[k], got.face[k], r.d[i], r.face[i])
	}
	return nil
}

// compareCanceled works like compare, but every answer can be missing.
func (r *results) compareCanceled(i int, got *results, k int) error {
	x := newResults(1)
	x.sides[0], x.w[0], x.bound[0], x.d[0], x.face[0] = got.sides[k], got.w[k], got.bound[k], got.d[k], got.face[k]
	if x.sides[0] == side.Unknown {
		x.sides[0] = r.sides[i]
	}
	if math.IsNaN(x.w[0]) && math.IsInf(x.bound[0], 1) {
		x.w[0], x.bound[0] = r.w[i], r.bound[i]
	}
	if math.IsNaN(x.d[0]) && x.face[0] == -1 {
		x.d[0], x.face[0] = r.d[i], r.face[i]
	}
	return r.compare(i, &x, 0)
}

// query asks one random question and compares the answer.
func (s *subject) query(ctx context.Context, rng *rand.Rand) error {
	a := s.current.Load()
	i := rng.IntN(len(s.pts))
	p := s.pts[i]
	one := newResults(1)
	solid := rng.IntN(a.Len())
	alone := a.Solid(solid)
	switch rng.IntN(14) {
	case 0:
		for i, p := range s.pts {
			if got := a.Side(p); got != s.all.sides[i] {
				return fmt.Errorf("side of %v: %v, expected %v", p, got, s.all.sides[i])
			}
		}
	case 1:
		c := bodyChoices[rng.IntN(len(bodyChoices))]
		bodies, _ := a.Bodies(nil, p)
		if got := a.Body(p, c); got != s.choice[c][i] || !slices.Equal(bodies, s.sets[i]) {
			return fmt.Errorf("body %v of %v: %d, set %v; expected %d, set %v", c, p, got, bodies, s.choice[c][i], s.sets[i])
		}
	case 2:
		one.sides[0] = a.Side(p)
		one.w[0], one.bound[0] = a.Winding(p)
		one.d[0], one.body[0], one.face[0] = a.Distance(p)
		if one.body[0] != s.all.body[i] {
			return fmt.Errorf("nearest body of %v: %d, expected %d", p, one.body[0], s.all.body[i])
		}
		return s.all.compare(i, &one, 0)
	case 3:
		one.sides[0] = alone.Side(p)
		one.w[0], one.bound[0] = alone.Winding(p)
		one.d[0], one.face[0] = alone.Distance(p)
		return s.solids[solid].compare(i, &one, 0)
	case 4:
		e := alone.Explain(p)
		one.sides[0], one.w[0], one.bound[0], one.d[0], one.face[0] = e.Side, e.Winding, e.Bound, e.Nearest.Distance, e.Nearest.Face
		return s.solids[solid].compare(i, &one, 0)
	case 5:
		return s.batch(ctx, a, rng, false)
	case 6:
		short, cancel := context.WithTimeout(ctx, time.Duration(rng.IntN(2000))*time.Microsecond)
		defer cancel()
		return s.batch(short, a, rng, true)
	case 7:
		return s.solidBatch(ctx, alone, solid, rng, false)
	case 8:
		short, cancel := context.WithTimeout(ctx, time.Duration(rng.IntN(2000))*time.Microsecond)
		defer cancel()
		return s.solidBatch(short, alone, solid, rng, true)
	case 9:
		if got := reportOf(a); got != s.report || a.Memory() <= 0 {
			return fmt.Errorf("report %s, expected %s", got, s.report)
		}
	case 10:
		return s.grid(ctx, alone)
	case 11: // a build that is canceled
		short, cancel := context.WithTimeout(ctx, time.Duration(rng.IntN(3000))*time.Microsecond)
		defer cancel()
		b, err := assembly.New(short, s.parts, assembly.Options{Options: s.opt})
		switch {
		case err == nil:
			s.current.Store(b)
		case !errors.Is(err, context.DeadlineExceeded) || b != nil:
			return fmt.Errorf("canceled build: %v", err)
		}
	case 12:
		if rng.IntN(4) == 0 {
			b, err := assembly.New(ctx, s.parts, assembly.Options{Options: s.opt})
			if err != nil {
				return err
			}
			s.current.Store(b)
		}
	case 13: // a context that has ended
		done, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := a.LocateTo(done, assembly.Query{}, inpoly.Answers{Answers: side.Answers{Sides: one.sides}}, s.pts[i:i+1]); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("ended context: %v", err)
		}
	}
	return nil
}

// batch queries all answers of the assembly for some points.
func (s *subject) batch(ctx context.Context, a *assembly.Assembly, rng *rand.Rand, canceled bool) error {
	lo := rng.IntN(len(s.pts))
	hi := lo + rng.IntN(len(s.pts)-lo+1)
	got, sets, body := newResults(hi-lo), new(inpoly.Sets), make([]int32, hi-lo)
	c := bodyChoices[rng.IntN(len(bodyChoices))]
	dst := got.answers(0, hi-lo)
	dst.NearestBody, dst.Body, dst.Sets = got.body, body, sets
	_, err := a.LocateTo(ctx, assembly.Query{Body: c}, dst, s.pts[lo:hi])
	if err != nil && (!canceled || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	for k := range hi - lo {
		i := lo + k
		bodies, certain := sets.At(k)
		if err == nil && (body[k] != s.choice[c][i] || got.body[k] != s.all.body[i]) || (err == nil || certain) && !slices.Equal(bodies, s.sets[i]) ||
			err != nil && body[k] != s.choice[c][i] && body[k] != inpoly.UncertainBody {
			return fmt.Errorf("body %v of %v: %d, nearest %d, set %v; expected %d, nearest %d, set %v (error %v)",
				c, s.pts[i], body[k], got.body[k], bodies, s.choice[c][i], s.all.body[i], s.sets[i], err)
		}
		compare := s.all.compare
		if err != nil {
			compare = s.all.compareCanceled
		}
		if err := compare(i, &got, k); err != nil {
			return fmt.Errorf("batch, point %v: %w", s.pts[i], err)
		}
	}
	return nil
}

// solidBatch queries all answers of one solid for some points.
func (s *subject) solidBatch(ctx context.Context, solid *inpoly.Solid, index int, rng *rand.Rand, canceled bool) error {
	lo := rng.IntN(len(s.pts))
	hi := lo + rng.IntN(len(s.pts)-lo+1)
	got := newResults(hi - lo)
	_, err := solid.LocateTo(ctx, got.answers(0, hi-lo), s.pts[lo:hi])
	if err != nil && (!canceled || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	compare := s.solids[index].compare
	if err != nil {
		compare = s.solids[index].compareCanceled
	}
	for k := range hi - lo {
		if err := compare(lo+k, &got, k); err != nil {
			return fmt.Errorf("solid %d, batch, point %v: %w", index, s.pts[lo+k], err)
		}
	}
	return nil
}

// grid compares the sides of a grid with the sides of single points.
func (s *subject) grid(ctx context.Context, solid *inpoly.Solid) error {
	g := side.Grid{Origin: r3.Vector{X: -1.6, Y: -1.6, Z: -1.6}, Spacing: r3.Vector{X: 0.8, Y: 0.8, Z: 0.8}, Counts: [3]int{5, 5, 5}}
	dst := make([]side.Side, 125)
	if err := solid.SidesGridTo(ctx, dst, g); err != nil {
		return err
	}
	for n, got := range dst {
		if p := g.Point(n%5, n/5%5, n/25); got != solid.Side(p) {
			return fmt.Errorf("grid point %v: side %v, expected %v", p, got, solid.Side(p))
		}
	}
	return nil
}

// Sixteen goroutines ask mixed questions, cancel some of them, and replace the assemblies. All
// answers equal those of one goroutine, and no goroutine remains. The test takes one second, or ten
// minutes with INPOLY_FULL=1.
func TestStress(t *testing.T) {
	duration := time.Second
	switch {
	case testcorpus.Full():
		duration = 10 * time.Minute
	case testing.Short():
		duration = 300 * time.Millisecond
	}
	star := testmesh.Star(3, 0.5, 1)
	open := testmesh.Without(star, 3, 70, 71, 72, 400)
	var subjects []*subject
	for k, method := range inpoly.Methods() {
		opt := inpoly.Options{Method: method, Rule: inpoly.Rule(k % 4), Workers: 1 + k%3, ExpectedPoints: int64(k * 1000)}
		if k%2 == 1 {
			opt.Tolerance = 0.01
		}
		subjects = append(subjects,
			newSubject(t, string(method)+", closed", opt, star),
			newSubject(t, string(method)+", open", opt, open),
			newSubject(t, string(method)+", several solids", opt, testmesh.Translate(star, r3.Vector{X: 0.7}), open, testmesh.UnitCube(), testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 1})))
	}
	runtime.GC()
	before := runtime.NumGoroutine()
	end := time.Now().Add(duration)
	var failures sync.Map
	var queries atomic.Int64
	var group sync.WaitGroup
	for worker := range uint64(16) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(worker, 0x57e6))
			for time.Now().Before(end) {
				s := subjects[rng.IntN(len(subjects))]
				queries.Add(1)
				if err := s.query(t.Context(), rng); err != nil {
					failures.LoadOrStore(s.name, err)
				}
			}
		})
	}
	group.Wait()
	failures.Range(func(name, err any) bool { t.Errorf("%v: %v", name, err); return true })
	// A canceled build or query returns before its goroutines have ended.
	after := runtime.NumGoroutine()
	for wait := time.Millisecond; after > before && wait < 10*time.Second; wait *= 2 {
		time.Sleep(wait)
		after = runtime.NumGoroutine()
	}
	if after > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines remain, %d before\n%s", after, before, stacks[:runtime.Stack(stacks, true)])
	}
	t.Logf("%d queries, %d goroutines before, %d after", queries.Load(), before, after)
}
