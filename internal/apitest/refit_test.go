package apitest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// newAgain returns the Solid that New makes of the given faces with new coordinates.
func newAgain(t testing.TB, faces mesh.Soup, vertices []r3.Vector, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	faces.Vertices = vertices
	m, err := mesh.New(t.Context(), faces, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// originalFaces returns the soup of s without the changes of Options.Orient.
func originalFaces(s *inpoly.Solid) mesh.Soup {
	soup := testmesh.Soup(s.Mesh())
	for _, f := range s.Flipped() {
		t := &soup.Faces[f]
		t[1], t[2] = t[2], t[1]
	}
	return soup
}

// checkSame compares all answers and the reports of a refitted solid and a new one.
func checkSame(t testing.TB, name string, got, want *inpoly.Solid, pts []r3.Vector) {
	t.Helper()
	m, n := got.Mesh(), want.Mesh()
	if !slices.Equal(m.Vertices, n.Vertices) || !slices.Equal(m.Faces, n.Faces) || m.Box() != n.Box() ||
		!slices.Equal(m.Boundary(), n.Boundary()) || !slices.Equal(m.Degenerate(), n.Degenerate()) || !slices.Equal(got.Flipped(), want.Flipped()) {
		t.Fatalf("%s: the meshes differ", name)
	}
	a, b := got.Report(), want.Report()
	if !reflect.DeepEqual(a.Diagnosis, b.Diagnosis) || a.Rule != b.Rule || a.Orient != b.Orient || a.Tolerance != b.Tolerance ||
		!reflect.DeepEqual(a.Orientation, b.Orientation) || !slices.Equal(a.Warnings(), b.Warnings()) {
		t.Fatalf("%s: reports %+v and %+v", name, a, b)
	}
	x, y := answersOf(t, got, pts), answersOf(t, want, pts)
	for i, p := range pts {
		if x.Sides[i] != y.Sides[i] || x.Face[i] != y.Face[i] || math.Float64bits(x.Distance[i]) != math.Float64bits(y.Distance[i]) {
			t.Fatalf("%s: %v: %v at %g from face %d, a new solid says %v at %g from face %d",
				name, p, x.Sides[i], x.Distance[i], x.Face[i], y.Sides[i], y.Distance[i], y.Face[i])
		}
		if math.Abs(x.Winding[i]-y.Winding[i]) > x.Bound[i]+y.Bound[i] {
			t.Fatalf("%s: %v: winding numbers %g ± %g and %g ± %g", name, p, x.Winding[i], x.Bound[i], y.Winding[i], y.Bound[i])
		}
		if got.Side(p) != y.Sides[i] {
			t.Fatalf("%s: %v: single side %v, want %v", name, p, got.Side(p), y.Sides[i])
		}
	}
}

func answersOf(t testing.TB, s *inpoly.Solid, pts []r3.Vector) inpoly.Answers {
	t.Helper()
	var a inpoly.Answers
	a.Sides, a.Winding, a.Bound = make([]inpoly.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))
	a.Distance, a.Face = make([]float64, len(pts)), make([]int32, len(pts))
	if _, err := s.LocateTo(t.Context(), a, pts); err != nil {
		t.Fatal(err)
	}
	return a
}

// randomMove returns coordinates in which some vertices of m have moved: one of them, a region, or all;
// near or far; onto other vertices, into planes of other faces, or out of the box of m.
func randomMove(m *mesh.Mesh, rng *rand.Rand) []r3.Vector {
	out := slices.Clone(m.Vertices)
	size := vec.MaxAbs(m.Box().Size())
	step := func(most float64) r3.Vector {
		return r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}.Mul(most * size)
	}
	at := rng.IntN(len(out))
	switch rng.IntN(8) {
	case 0:
		out[at] = out[at].Add(step(0.1))
	case 1:
		out[at] = out[at].Add(step(3)) // often out of the box
	case 2:
		out[at] = out[rng.IntN(len(out))] // welds
	case 3:
		other := out[rng.IntN(len(out))]
		out[at].X, out[at].Z = other.X, other.Z // often makes faces flat or coplanar
	case 4:
		for i := range out {
			out[i] = out[i].Add(step(1e-3))
		}
	case 5:
		k := 0.5 + rng.Float64()
		for i := range out {
			out[i] = out[i].Mul(k)
		}
	default:
		d := step(0.05)
		for i, p := range m.Vertices {
			if vec.MaxAbs(p.Sub(m.Vertices[at])) < 0.2*size {
				out[i] = p.Add(d)
			}
		}
	}
	return out
}

// refitProbes returns points near vertices that moved, and other points.
func refitProbes(before, after *mesh.Mesh, rng *rand.Rand, n int) []r3.Vector {
	pts := testcorpus.Probes(after, n, n/4, rng)
	size := vec.MaxAbs(after.Box().Size())
	for i, p := range before.Vertices {
		if i < len(after.Vertices) && after.Vertices[i] != p && rng.IntN(1+len(before.Vertices)/n) == 0 {
			d := r3.Vector{X: rng.Float64() - 0.5, Y: rng.Float64() - 0.5, Z: rng.Float64() - 0.5}.Mul(0.05 * size)
			pts = append(pts, p, after.Vertices[i], p.Mul(0.5).Add(after.Vertices[i].Mul(0.5)), after.Vertices[i].Add(d))
		}
	}
	return pts
}

// A refitted solid equals a new one, for all methods and for the cases of the catalog, after random moves.
func TestRefit(t *testing.T) {
	reasons := map[inpoly.RebuildReason]int{}
	steps, n := 4, 12
	if testcorpus.Full() {
		steps, n = 60, 60
	}
	solids := append(testmesh.Catalog(),
		testmesh.Case{Name: "sphere", Soup: testmesh.Soup(testmesh.Sphere(4))},
		testmesh.Case{Name: "sphere with flipped faces", Soup: testmesh.Flip(testmesh.Soup(testmesh.Sphere(2)), 3, 8)},
		testmesh.Case{Name: "two spheres", Soup: testmesh.Union(testmesh.Soup(testmesh.Sphere(3)), testmesh.Scale(testmesh.Soup(testmesh.Sphere(3)), 0.5))})
	judged := 0
	for i, tc := range solids {
		if len(tc.Soup.Faces) == 0 {
			continue
		}
		for k, method := range inpoly.Methods() {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			opt := inpoly.Options{Method: method, Rule: inpoly.Rule(rng.IntN(4)), Workers: 1 + rng.IntN(2)}
			if rng.IntN(4) == 0 {
				opt.Tolerance = 1e-3 * vec.MaxAbs(testmesh.Mesh(tc.Soup).Box().Size())
			}
			s := newAgain(t, tc.Soup, tc.Soup.Vertices, opt)
			for step := range steps {
				name := fmt.Sprintf("%s, %s, step %d", tc.Name, method, step)
				to := randomMove(s.Mesh(), rng)
				if slices.ContainsFunc(to, func(p r3.Vector) bool { return !(vec.MaxAbs(p) < 0x1p900) }) {
					break
				}
				next, did, err := s.Refit(t.Context(), to)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				reasons[did.Reason]++
				pts := refitProbes(s.Mesh(), next.Mesh(), rng, n)
				checkSame(t, name, next, newAgain(t, originalFaces(s), to, opt), pts)
				if m := next.Mesh(); m.Closed() && m.NumFaces() < 200 && opt.Tolerance == 0 && next.Report().Rule == opt.Rule {
					w, crossings, on := referee.Judge(m.Vertices, m.Faces, pts[0])
					want := opt.Rule.Apply(int64(w), uint64(crossings))
					if on {
						want = inpoly.OnSurface
					}
					if next.Side(pts[0]) != want {
						t.Fatalf("%s: side of %v is %v, integer arithmetic says %v", name, pts[0], next.Side(pts[0]), want)
					}
					judged++
				}
				s = next
			}
		}
	}
	t.Logf("reasons: %v; %d sides judged by integer arithmetic", reasons, judged)
	for _, r := range []inpoly.RebuildReason{"", inpoly.RebuildWeld, inpoly.RebuildOrientation, inpoly.RebuildMethod, inpoly.RebuildOpen, inpoly.RebuildFrame, inpoly.RebuildMost} {
		if reasons[r] == 0 {
			t.Errorf("no refit with reason %q", r)
		}
	}
}

// Every refit of a long chain equals a new solid. The solids before stay as they were. The index does
// not grow without bound.
func TestRefitChain(t *testing.T) {
	m := testmesh.Sphere(5)
	opt := inpoly.Options{Method: inpoly.Cells}
	first, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	probes := testcorpus.Probes(m, 60, 20, rng)
	type kept struct {
		solid *inpoly.Solid
		sides []inpoly.Side
	}
	var old []kept
	s := first
	reasons := map[inpoly.RebuildReason]int{}
	for step := range 100 {
		to := slices.Clone(s.Mesh().Vertices)
		at := m.Vertices[rng.IntN(len(to))]
		f := 0.95 + 0.06*rng.Float64()
		for i, p := range m.Vertices {
			if p.Sub(at).Norm() < 0.3 {
				to[i] = p.Mul(f)
			}
		}
		next, did, err := s.Refit(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		reasons[did.Reason]++
		if did.Reason == "" && (did.Shared < did.Bricks/2 || did.Shared > did.Bricks) {
			t.Errorf("step %d: %+v", step, did)
		}
		if step%9 == 0 {
			checkSame(t, fmt.Sprint("step ", step), next, newAgain(t, originalFaces(s), to, opt), refitProbes(s.Mesh(), next.Mesh(), rng, 30))
			old = append(old, kept{next, answersOf(t, next, probes).Sides})
		}
		if got, most := next.Report().Cells.Bytes, 4*first.Report().Cells.Bytes; got > most {
			t.Fatalf("step %d: the index has %d bytes, want at most %d", step, got, most)
		}
		s = next
	}
	for i, k := range old {
		if !slices.Equal(answersOf(t, k.solid, probes).Sides, k.sides) {
			t.Errorf("kept solid %d gives other sides", i)
		}
	}
	if reasons[""] < 60 {
		t.Errorf("reasons: %v", reasons)
	}
	t.Log(reasons)
}

// Solids of a chain are queried while others are refitted.
func TestRefitConcurrent(t *testing.T) {
	m := testmesh.Sphere(4)
	probes := testcorpus.Probes(m, 100, 30, rand.New(rand.NewPCG(3, 4)))
	s, err := inpoly.New(t.Context(), m, inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		t.Fatal(err)
	}
	want := answersOf(t, s, probes).Sides
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 5))
			for range 5 {
				to := slices.Clone(m.Vertices)
				i := rng.IntN(len(to))
				to[i] = to[i].Mul(0.9)
				next, _, err := s.Refit(t.Context(), to)
				if err != nil {
					t.Error(err)
					return
				}
				answersOf(t, next, probes)
				back, _, err := next.Refit(t.Context(), m.Vertices)
				if err != nil {
					t.Error(err)
					return
				}
				for _, x := range []*inpoly.Solid{s, back} {
					if !slices.Equal(answersOf(t, x, probes).Sides, want) {
						t.Error("the sides have changed")
					}
				}
			}
		})
	}
	all.Wait()
}

// Both solids have the memory of the shared bricks in common.
func TestRefitSharesMemory(t *testing.T) {
	m := testmesh.Sphere(7)
	s, err := inpoly.New(t.Context(), m, inpoly.Options{Method: inpoly.Cells, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	to := slices.Clone(m.Vertices)
	to[100] = to[100].Mul(0.999)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	next, did, err := s.Refit(t.Context(), to)
	if err != nil || did.Reason != "" || did.Vertices != 1 {
		t.Fatal(did, err)
	}
	runtime.ReadMemStats(&after)
	got, index, vertices := after.TotalAlloc-before.TotalAlloc, next.Report().Cells.Bytes, 24*len(to)
	t.Logf("%d bytes allocated, index of %d bytes, vertices of %d bytes; %+v", got, index, vertices, did)
	if got > uint64(vertices)+uint64(index)/4 {
		t.Errorf("Refit has allocated %d bytes for an index of %d bytes and vertices of %d bytes", got, index, vertices)
	}
}

func TestRefitErrors(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Sphere(2), inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		t.Fatal(err)
	}
	with := func(p r3.Vector) []r3.Vector {
		to := slices.Clone(s.Mesh().Vertices)
		to[7] = p
		return to
	}
	for _, tc := range []struct {
		name string
		to   []r3.Vector
		want error
	}{
		{"no coordinates", nil, mesh.ErrCount},
		{"one too few", s.Mesh().Vertices[1:], mesh.ErrCount},
		{"NaN", with(r3.Vector{Y: math.NaN()}), mesh.ErrNotFinite},
		{"infinite", with(r3.Vector{Z: math.Inf(-1)}), mesh.ErrNotFinite},
		{"too large", with(r3.Vector{X: 0x1p1001}), mesh.ErrTooLarge},
	} {
		if got, did, err := s.Refit(t.Context(), tc.to); !errors.Is(err, tc.want) || got != nil || did != (inpoly.Refitting{}) {
			t.Errorf("%s: %v, %+v, error %v; want %v", tc.name, got, did, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Refit(ctx, with(r3.Vector{})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if same, did, err := s.Refit(t.Context(), s.Mesh().Vertices); err != nil || did.Vertices != 0 || did.Reason != "" || same == s {
		t.Errorf("no move: %+v, %v", did, err)
	}
}

// Refitted meshes of the corpus equal new ones.
func TestRefitCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	reasons := map[inpoly.RebuildReason]int{}
	for i, row := range rows {
		if !testcorpus.Full() && i%40 != 8 || testcorpus.LeaveOut(row, i, 2) {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, row["path"]), loaders.Options{})
		if err != nil || len(soup.Faces) == 0 {
			continue // the tests of package loaders check which files are refused
		}
		opt := inpoly.Options{Method: inpoly.Cells}
		s := newAgain(t, *soup, soup.Vertices, opt)
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		for step := range 3 {
			to := randomMove(s.Mesh(), rng)
			next, did, err := s.Refit(t.Context(), to)
			if err != nil {
				t.Fatalf("%s: %v", row["path"], err)
			}
			reasons[did.Reason]++
			faces := originalFaces(s)
			faces.Polygons = soup.Polygons
			checkSame(t, fmt.Sprint(row["path"], ", step ", step), next, newAgain(t, faces, to, opt), refitProbes(s.Mesh(), next.Mesh(), rng, 20))
			s = next
		}
	}
	t.Log(reasons)
	if reasons[""] == 0 {
		t.Errorf("no mesh was refitted: %v", reasons)
	}
}
