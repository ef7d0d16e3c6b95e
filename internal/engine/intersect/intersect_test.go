package intersect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/meshfile"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// brute returns all pairs of faces of m, by the twin. If sampled is not nil, it contains the faces
// whose pairs are wanted. Pairs of disjoint boxes are skipped.
func brute(m *mesh.Mesh, sampled []int32) []Pair {
	boxes := m.Boxes()
	if sampled == nil {
		for f := range m.Faces {
			sampled = append(sampled, int32(f))
		}
	}
	chosen := map[int32]bool{}
	for _, f := range sampled {
		chosen[f] = true
	}
	var out []Pair
	for _, f := range sampled {
		for g := range int32(len(m.Faces)) {
			if g == f || chosen[g] && g < f || !boxes[f].Overlaps(boxes[g]) {
				continue
			}
			if k := twin(m, f, g); k != none && !m.ByDivision(f, g) {
				out = append(out, Pair{A: min(f, g), B: max(f, g), Kind: k})
			}
		}
	}
	slices.SortFunc(out, func(p, q Pair) int {
		if p.Kind != q.Kind {
			return int(p.Kind) - int(q.Kind)
		}
		if p.A != q.A {
			return int(p.A - q.A)
		}
		return int(p.B - q.B)
	})
	return out
}

func find(t testing.TB, m *mesh.Mesh, opt Options) Report {
	t.Helper()
	r, err := Find(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// findBoth searches with boxes along the axes and with oriented boxes, and compares the reports.
func findBoth(t testing.TB, m *mesh.Mesh, opt Options) Report {
	t.Helper()
	var reports [2]Report
	for i, waste := range []int64{math.MaxInt64, -1} {
		x, err := m.Index(context.Background(), bvh.Options{Workers: opt.Workers})
		if err != nil {
			t.Fatal(err)
		}
		s := search{x: x, waste: waste}
		if reports[i], err = s.find(context.Background(), opt); err != nil {
			t.Fatal(err)
		}
		if (s.oriented != nil) != (waste < 0) && m.NumFaces() > 0 {
			t.Fatalf("oriented boxes: %v with the limit %d", s.oriented != nil, waste)
		}
	}
	if got, want := fmt.Sprintf("%+v", reports[1]), fmt.Sprintf("%+v", reports[0]); got != want { // places can be NaN
		t.Fatalf("with oriented boxes: %s, want %s", got, want)
	}
	return reports[0]
}

// difference returns the first difference of two lists of pairs, or "". It ignores From and To.
func difference(got, want []Pair) string {
	missed, added := map[Pair]bool{}, []Pair{}
	for _, p := range want {
		missed[p] = true
	}
	for _, p := range got {
		p.From, p.To = r3.Vector{}, r3.Vector{}
		if !missed[p] {
			added = append(added, p)
		}
		delete(missed, p)
	}
	if len(missed) == 0 && len(added) == 0 {
		return ""
	}
	for p := range missed {
		return fmt.Sprintf("%d missed, such as %v; %d added: %v", len(missed), p, len(added), added[:min(3, len(added))])
	}
	return fmt.Sprintf("%d added, such as %v", len(added), added[0])
}

// soup returns a random soup. Its kind depends on the seed: points on a coarse integer grid, which
// makes most pairs degenerate; points in a plane or in three planes; points of one line; random
// points; shared vertices and edges; slivers; and huge or tiny coordinates.
func soup(seed uint64) mesh.Soup {
	r := rand.New(rand.NewPCG(seed, 19))
	grid := func(n int) float64 { return float64(r.IntN(2*n+1) - n) }
	var point func() r3.Vector
	kind := seed % 10
	switch kind {
	case 0, 1, 2:
		n := 1 + int(kind)
		point = func() r3.Vector { return r3.Vector{X: grid(n), Y: grid(n), Z: grid(n)} }
	case 3:
		point = func() r3.Vector { return r3.Vector{X: grid(3), Y: grid(3)} }
	case 4: // three planes, one of them tilted
		point = func() r3.Vector {
			x, y := grid(2), grid(2)
			return [...]r3.Vector{{X: x, Y: y}, {X: x, Z: y}, {X: x, Y: y, Z: -x - y}}[r.IntN(3)]
		}
	case 5:
		point = func() r3.Vector { return r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()} }
	case 6: // a tilted plane of rounded points
		u, v := r3.Vector{X: .1, Y: .7, Z: .3}, r3.Vector{X: -.3, Y: .2, Z: .9}
		point = func() r3.Vector { return u.Mul(grid(4) / 3).Add(v.Mul(grid(4) / 3)) }
	case 7: // almost a plane: differences in the last bits
		point = func() r3.Vector {
			return r3.Vector{X: grid(3), Y: grid(3), Z: 1 + grid(1)*0x1p-52}
		}
	case 8: // coordinates whose products leave the range of float64
		scale := []float64{0x1p400, 0x1p-400, 0x1p510, 0x1.4p511, 0x1p990}[r.IntN(5)]
		point = func() r3.Vector { return r3.Vector{X: grid(2) * scale, Y: grid(2) * scale, Z: grid(2) * scale} }
	case 9: // far from the origin
		point = func() r3.Vector {
			return r3.Vector{X: 1e8 + grid(2)*0x1p-20, Y: grid(2) * 0x1p-20, Z: -1e7 + grid(2)*0x1p-20}
		}
	}
	points := 4 + r.IntN(10)
	s := mesh.Soup{}
	for range points {
		s.Vertices = append(s.Vertices, point())
	}
	for range 5 + r.IntN(15) {
		s.Faces = append(s.Faces, [3]int32{int32(r.IntN(points)), int32(r.IntN(points)), int32(r.IntN(points))})
	}
	return s
}

func TestFindSoups(t *testing.T) {
	count := uint64(200)
	switch {
	case testcorpus.Full():
		count = 4000
	case testing.Short():
		count = 60
	}
	var seen [kinds]int
	for seed := range count {
		m := testmesh.Mesh(soup(seed))
		r, want := findBoth(t, m, Options{Limit: 1000, Faces: true}), brute(m, nil)
		if d := difference(r.Pairs, want); d != "" {
			t.Fatalf("soup %d: %s", seed, d)
		}
		if int(r.Total()) != len(want) {
			t.Errorf("soup %d: %d pairs counted, want %d", seed, r.Total(), len(want))
		}
		for _, p := range want {
			seen[p.Kind-1]++
		}
		checkPlaces(t, m, r)
	}
	t.Logf("pairs of each kind: %v", seen)
	if !testing.Short() && slices.Min(seen[:]) < 50 {
		t.Errorf("pairs of each kind: %v, the soups must have at least 50", seen)
	}
}

// checkPlaces compares From and To with the common points of the twin.
func checkPlaces(t *testing.T, m *mesh.Mesh, r Report) {
	t.Helper()
	for _, p := range r.Pairs {
		a, b := m.Triangle(p.A), m.Triangle(p.B)
		size := 0.0
		for _, c := range append(a[:], b[:]...) {
			size = max(size, largest(c))
		}
		corners := common(ratTriangle(a), ratTriangle(b))
		var exact []r3.Vector
		for _, c := range corners {
			exact = append(exact, c.round())
		}
		near := func(p, q r3.Vector) bool { return largest(p.Sub(q)) <= 4*0x1p-53*size }
		if p.Kind == Crossing || p.Kind == Touching {
			i := slices.IndexFunc(exact, func(q r3.Vector) bool { return near(p.From, q) })
			j := slices.IndexFunc(exact, func(q r3.Vector) bool { return near(p.To, q) })
			if i < 0 || j < 0 || len(exact) == 2 && !near(exact[0], exact[1]) && i == j {
				t.Fatalf("%v: from %v to %v, want the ends %v", p, p.From, p.To, exact)
			}
			continue
		}
		if p.From != p.To {
			t.Fatalf("%v: a common area has the point %v, want %v", p, p.To, p.From)
		}
		for axis := range 3 {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, q := range exact {
				x := [3]float64{q.X, q.Y, q.Z}[axis]
				lo, hi = min(lo, x), max(hi, x)
			}
			if x := [3]float64{p.From.X, p.From.Y, p.From.Z}[axis]; x < lo-8*0x1p-53*size || x > hi+8*0x1p-53*size {
				t.Fatalf("%v: the point %v is not in the common area %v", p, p.From, exact)
			}
		}
	}
}

func ratTriangle(t mesh.Triangle) (r [3]ratVector) {
	for i, p := range t {
		r[i] = toRat(p)
	}
	return r
}

func (a ratVector) round() r3.Vector {
	x, _ := a[0].Float64()
	y, _ := a[1].Float64()
	z, _ := a[2].Float64()
	return r3.Vector{X: x, Y: y, Z: z}
}

// TestKinds names one pair of each configuration.
func TestKinds(t *testing.T) {
	v := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	base := mesh.Triangle{v(0, 0, 0), v(4, 0, 0), v(0, 4, 0)}
	for _, c := range []struct {
		name string
		u    mesh.Triangle
		want Kind
	}{
		{"apart", mesh.Triangle{v(0, 0, 1), v(4, 0, 1), v(0, 4, 1)}, none},
		{"same face", base, Duplicate},
		{"same face turned over", mesh.Triangle{base[1], base[0], base[2]}, Duplicate},
		{"edge neighbor at an angle", mesh.Triangle{base[1], base[0], v(1, 1, 1)}, none},
		{"edge neighbor in the plane", mesh.Triangle{base[1], base[0], v(1, -1, 0)}, none},
		{"edge neighbor folded over", mesh.Triangle{base[1], base[0], v(3, 3, 0)}, Overlapping},
		{"vertex neighbor", mesh.Triangle{base[0], v(-1, 0, 1), v(0, -1, 1)}, none},
		{"vertex neighbor in the plane", mesh.Triangle{base[0], v(-1, 0, 0), v(0, -1, 0)}, none},
		{"vertex neighbor that overlaps", mesh.Triangle{base[0], v(5, 1, 0), v(5, 6, 0)}, Overlapping},
		{"vertex neighbor along an edge", mesh.Triangle{base[0], v(2, 0, 0), v(1, -1, 0)}, Touching},
		{"vertex neighbor that pierces", mesh.Triangle{base[0], v(1, 1, 1), v(1, 1, -1)}, Crossing},
		{"vertex neighbor with an edge in the face", mesh.Triangle{base[0], v(1, 1, 0), v(1, 1, 1)}, Touching},
		{"pierces", mesh.Triangle{v(1, 1, -1), v(1, 1, 1), v(9, 9, 1)}, Crossing},
		{"vertex on the face", mesh.Triangle{v(1, 1, 0), v(1, 1, 1), v(2, 2, 1)}, Touching},
		{"vertex on the plane beside the face", mesh.Triangle{v(3, 3, 0), v(1, 1, 1), v(2, 2, 1)}, none},
		{"edges that cross", mesh.Triangle{v(2, -1, -1), v(2, 1, 1), v(2, -1, 1)}, Touching},
		{"edge in the face", mesh.Triangle{v(1, 1, 0), v(2, 1, 0), v(1, 1, 1)}, Touching},
		{"edge on an edge", mesh.Triangle{v(1, 0, 0), v(3, 0, 0), v(2, -1, 0)}, Touching},
		{"vertex on an edge in the plane", mesh.Triangle{v(2, 2, 0), v(5, 2, 0), v(5, 5, 0)}, Touching},
		{"in the plane", mesh.Triangle{v(1, 1, 0), v(9, 1, 0), v(1, 9, 0)}, Overlapping},
		{"contained", mesh.Triangle{v(1, 1, 0), v(1.5, 1, 0), v(1, 1.5, 0)}, Overlapping},
		{"star", mesh.Triangle{v(2, -1, 0), v(3, 3, 0), v(-1, 2, 0)}, Overlapping},
		{"beside in the plane", mesh.Triangle{v(5, 5, 0), v(9, 5, 0), v(5, 9, 0)}, none},
		{"without area", mesh.Triangle{v(1, 1, -1), v(1, 1, 1), v(1, 1, 0)}, none},
	} {
		for turn := range 6 {
			u := mesh.Triangle{c.u[turn%3], c.u[(turn+1)%3], c.u[(turn+2)%3]}
			if turn > 2 {
				u[1], u[2] = u[2], u[1]
			}
			for _, order := range [2][2]mesh.Triangle{{base, u}, {u, base}} {
				s := mesh.Soup{Vertices: append(slices.Clone(order[0][:]), order[1][:]...), Faces: [][3]int32{{0, 1, 2}, {3, 4, 5}}}
				m := testmesh.Mesh(s)
				r := findBoth(t, m, Options{Limit: 1})
				got := none
				if len(r.Pairs) > 0 {
					got = r.Pairs[0].Kind
				}
				if got != c.want || twin(m, 0, 1) != c.want {
					t.Errorf("%s: %v, twin %v, want %v", c.name, got, twin(m, 0, 1), c.want)
				}
			}
		}
	}
}

// TestFilters applies the filters to random pairs at all scales, also where products overflow or
// underflow. Pairs that a filter separates must have no common points, except the common vertex.
func TestFilters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 19))
	yes := 0
	for _, exponent := range []int{0, 100, 509, 510, 511, 512, 600, 900, 999, -100, -500, -520, -540, -1000} {
		v := func() r3.Vector {
			return r3.Vector{X: math.Ldexp(2*r.Float64()-1, exponent), Y: math.Ldexp(2*r.Float64()-1, exponent), Z: math.Ldexp(2*r.Float64()-1, exponent)}
		}
		pairs := 300
		if exponent == 511 { // some products of such coordinates overflow, and some do not
			pairs = 10_000
		}
		for range pairs {
			a, b := mesh.Triangle{v(), v(), v()}, mesh.Triangle{v(), v(), v()}
			if separated(&a, &b) {
				yes++
				if points := common(ratTriangle(a), ratTriangle(b)); len(points) > 0 {
					t.Fatalf("%v and %v are separated, but have the common points %v", a, b, points)
				}
			}
			if separatedAt(a[0], a[1], a[2], b[1], b[2]) {
				yes++
				b[0] = a[0]
				if points := common(ratTriangle(a), ratTriangle(b)); len(points) != 1 {
					t.Fatalf("%v and %v are separated at a vertex, but have the common points %v", a, b, points)
				}
			}
		}
	}
	if yes < 500 {
		t.Errorf("the filters separated only %d pairs", yes)
	}
}

// TestClean examines meshes that do not meet themselves.
func TestClean(t *testing.T) {
	for name, m := range map[string]*mesh.Mesh{
		"sphere": testmesh.Sphere(4),
		"torus":  testmesh.Mesh(testmesh.Torus(3, 1, 40, 20)),
		"sheet":  testmesh.Mesh(testmesh.Sheet(30)),
		"cube":   testmesh.Mesh(testmesh.UnitCube()),
		"empty":  testmesh.Mesh(mesh.Soup{}),
	} {
		if r := findBoth(t, m, Options{Limit: 5}); r.Total() != 0 || len(r.Pairs) != 0 {
			t.Errorf("%s: %+v, want no pairs", name, r)
		}
	}
}

func TestWorkersAndLimits(t *testing.T) {
	s := testmesh.Torus(3, 1, 40, 30)
	n := int32(len(s.Vertices))
	for _, f := range s.Faces[:len(s.Faces):len(s.Faces)] {
		s.Faces = append(s.Faces, [3]int32{f[0] + n, f[1] + n, f[2] + n})
	}
	for _, p := range s.Vertices[:n] {
		s.Vertices = append(s.Vertices, p.Add(r3.Vector{X: 1.1, Y: .3, Z: .2}))
	}
	m := testmesh.Mesh(s)
	all := find(t, m, Options{Limit: 1 << 20, Workers: 1})
	if all.Crossing < 50 || int64(len(all.Pairs)) != all.Total() {
		t.Fatalf("%d crossings, %d of %d pairs listed", all.Crossing, len(all.Pairs), all.Total())
	}
	for _, workers := range []int{0, 2, 7} {
		for _, limit := range []int{-1, 0, 1, 2, 7, 40, 1 << 20, math.MaxInt} {
			var calls, last int64
			r := find(t, m, Options{Limit: limit, Faces: true, Workers: workers, Progress: func(done, total int64) {
				calls++
				if done != last+1 || done > total {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				last = done
			}})
			var faces []int32
			for _, p := range all.Pairs {
				if p.Kind == Crossing || p.Kind == Overlapping {
					faces = append(faces, p.A, p.B)
				}
			}
			slices.Sort(faces)
			if faces = slices.Compact(faces); !slices.Equal(r.Faces, faces) {
				t.Errorf("%d workers, limit %d: %d faces, want %d", workers, limit, len(r.Faces), len(faces))
			}
			if calls == 0 {
				t.Error("no progress was reported")
			}
			var want []Pair
			for k := Duplicate; k <= Touching; k++ {
				var of []Pair
				for _, p := range all.Pairs {
					if p.Kind == k {
						of = append(of, p)
					}
				}
				if r.Count(k) != all.Count(k) {
					t.Errorf("%d workers: %d pairs of kind %v, want %d", workers, r.Count(k), k, all.Count(k))
				}
				want = append(want, of[:min(len(of), max(0, limit))]...)
			}
			if !slices.Equal(r.Pairs, want) {
				t.Errorf("%d workers, limit %d: %d pairs listed, want the first %d", workers, limit, len(r.Pairs), len(want))
			}
		}
	}
}

// Stop ends the search of a soup in which most faces cross most other faces.
func TestStop(t *testing.T) {
	m := testmesh.Mesh(testmesh.Triangles(3000, 1))
	all := find(t, m, Options{Workers: 2})
	if all.Incomplete || all.Total() < 100_000 {
		t.Fatalf("incomplete %v, %d pairs", all.Incomplete, all.Total())
	}
	for _, stop := range []int64{1, 1000, 50_000} {
		r := find(t, m, Options{Stop: stop, Limit: 5, Workers: 2})
		if !r.Incomplete || r.Total() < stop || r.Total() >= all.Total() || len(r.Pairs) == 0 {
			t.Errorf("stop at %d: incomplete %v, %d of %d pairs, %d listed", stop, r.Incomplete, r.Total(), all.Total(), len(r.Pairs))
		}
	}
	if r := find(t, m, Options{Stop: all.Total() + 1}); r.Incomplete || r.Total() != all.Total() {
		t.Errorf("stop above the number of pairs: incomplete %v, %d pairs, want %d", r.Incomplete, r.Total(), all.Total())
	}
}

func TestCanceled(t *testing.T) {
	m := testmesh.Sphere(5)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Find(ctx, m, Options{Workers: 2, Progress: func(done, _ int64) {
		if done == 10 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if _, err := Find(ctx, m, Options{}); err == nil {
		t.Error("no error for a context that has ended")
	}
	if _, err := Find(context.Background(), nil, Options{}); !errors.Is(err, mesh.ErrNil) {
		t.Errorf("error %v for a nil mesh, want %v", err, mesh.ErrNil)
	}
}

// TestFindCorpus compares Find with the twin on real meshes. On meshes with many faces, the twin
// classifies the pairs of a random sample of the faces and of some faces of found pairs.
func TestFindCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	limit, sample, faces := 40, 40, 20_000
	if testcorpus.Full() {
		limit, faces = len(rows), 2_000_000
	}
	r := rand.New(rand.NewPCG(40, 19))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	done, withPairs := 0, 0
	for _, row := range rows {
		if done == limit {
			break
		}
		file, err := meshfile.Open(context.Background(), filepath.Join(dir, filepath.FromSlash(row["path"])), meshfile.Options{})
		if err != nil || file.Mesh.NumFaces() > faces {
			continue // other tests examine files that cannot be read
		}
		done++
		m := file.Mesh
		got := findBoth(t, m, Options{Limit: 1 << 20})
		var sampled []int32
		chosen := map[int32]bool{}
		choose := func(f int32) {
			if !chosen[f] {
				chosen[f] = true
				sampled = append(sampled, f)
			}
		}
		for range sample {
			choose(int32(r.IntN(m.NumFaces())))
		}
		for i := 0; i < sample && len(got.Pairs) > 0; i++ {
			choose(got.Pairs[r.IntN(len(got.Pairs))].A)
		}
		var of []Pair
		for _, p := range got.Pairs {
			if chosen[p.A] || chosen[p.B] {
				of = append(of, p)
			}
		}
		if d := difference(of, brute(m, sampled)); d != "" {
			t.Errorf("%s: %s", row["path"], d)
		}
		if got.Total() > 0 {
			withPairs++
		}
	}
	t.Logf("%d meshes, %d with pairs", done, withPairs)
	if done == 0 || withPairs == 0 {
		t.Errorf("%d meshes, %d with pairs: the test looks in the wrong place", done, withPairs)
	}
}

// BenchmarkFind measures the whole search, with the building of the tree.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name string
		m    func() *mesh.Mesh
	}{
		{"sphere", func() *mesh.Mesh { return testmesh.Sphere(9) }}, // 2,097,152 faces
		{"torus", func() *mesh.Mesh { return testmesh.Mesh(testmesh.Torus(3, 1, 1400, 720)) }},
		{"sheet", func() *mesh.Mesh { return testmesh.Mesh(testmesh.Sheet(1000)) }}, // coplanar faces
		{"tilted", func() *mesh.Mesh { // almost coplanar faces
			return testmesh.Mesh(testmesh.Move(testmesh.Sheet(1000), func(p r3.Vector) r3.Vector {
				return r3.Vector{X: .36*p.X + .48*p.Y - .8*p.Z, Y: -.8*p.X + .6*p.Y, Z: .48*p.X + .64*p.Y + .6*p.Z}
			}))
		}},
	} {
		b.Run("mesh="+c.name, func(b *testing.B) {
			m := c.m()
			for b.Loop() {
				if r := find(b, m, Options{Limit: 16, Workers: 2}); r.Total() != 0 {
					b.Fatalf("%d pairs, want 0", r.Total())
				}
			}
			b.ReportMetric(float64(m.NumFaces())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfaces/s")
		})
	}
}
