package mesh

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// gridSoup returns random faces whose corners are on a small integer grid. Many corners coincide,
// so some faces are collapsed, duplicate or of zero area. Zeros have random signs.
func gridSoup(rng *rand.Rand, faces, grid int) Soup {
	var s Soup
	coordinate := func() float64 {
		x := float64(rng.IntN(grid))
		if x == 0 && rng.IntN(2) == 0 {
			return math.Copysign(0, -1)
		}
		return x
	}
	for range faces {
		var t [3]int32
		for k := range t {
			if len(s.Vertices) > 0 && rng.IntN(4) == 0 {
				if t[k] = int32(rng.IntN(len(s.Vertices))); vec.Finite(s.Vertices[t[k]]) {
					continue
				}
			}
			t[k] = int32(len(s.Vertices))
			s.Vertices = append(s.Vertices, r3.Vector{X: coordinate(), Y: coordinate(), Z: coordinate()})
		}
		s.Faces = append(s.Faces, t)
		if rng.IntN(8) == 0 { // insert a vertex that no face uses
			s.Vertices = append(s.Vertices, r3.Vector{X: math.NaN(), Y: 1, Z: 2})
		}
	}
	return s
}

func cloneSoup(s Soup) Soup {
	return Soup{slices.Clone(s.Vertices), slices.Clone(s.Faces), slices.Clone(s.Bodies), slices.Clone(s.Polygons)}
}

// bruteWeld returns the same vertices and faces as New. It welds with a map.
func bruteWeld(s Soup) (vertices []r3.Vector, faces [][3]int32) {
	number := map[r3.Vector]int32{} // the map has the same key for −0 and +0
	ids := map[int32]int32{}
	used := map[int32]bool{}
	for _, t := range s.Faces {
		used[t[0]], used[t[1]], used[t[2]] = true, true, true
	}
	for i, p := range s.Vertices {
		if !used[int32(i)] {
			continue
		}
		id, ok := number[p]
		if !ok {
			id = int32(len(vertices))
			number[p] = id
			vertices = append(vertices, p)
		}
		ids[int32(i)] = id
	}
	for _, t := range s.Faces {
		faces = append(faces, [3]int32{ids[t[0]], ids[t[1]], ids[t[2]]})
	}
	return vertices, faces
}

// bruteEdges returns the boundary chain and the counts that examineEdges computes. It counts the edges with a map.
func bruteEdges(faces [][3]int32) ([]Edge, edgeTally) {
	type key struct{ a, b int32 }
	forward, backward := map[key]int{}, map[key]int{}
	keys := map[key]bool{}
	for _, t := range faces {
		if collapsed(t) {
			continue
		}
		for k := range 3 {
			a, b := t[k], t[(k+1)%3]
			if a < b {
				forward[key{a, b}]++
			} else {
				a, b = b, a
				backward[key{a, b}]++
			}
			keys[key{a, b}] = true
		}
	}
	var chain []Edge
	var tally edgeTally
	for k := range keys {
		f, b := forward[k], backward[k]
		tally.total++
		tally.odd += (f + b) % 2
		if f != b {
			chain = append(chain, Edge{k.a, k.b, int32(f - b)})
		}
		if f+b == 1 {
			tally.open++
		}
		if f+b > 2 {
			tally.nonManifold++
			if f != b {
				tally.unbalanced++
			}
		}
		if f+b == 2 && f != b {
			tally.misoriented++
		}
	}
	slices.SortFunc(chain, compareEdges)
	return chain, tally
}

func compareEdges(a, b Edge) int {
	if a.A != b.A {
		return int(a.A) - int(b.A)
	}
	return int(a.B) - int(b.B)
}

func TestNewAgainstBruteForce(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := gridSoup(rng, 1+rng.IntN(300), 2+rng.IntN(6))
		checkNew(t, seed, s)
	}
	// These soups are large enough for several chunks, partitions and buckets.
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 2))
		checkNew(t, seed, gridSoup(rng, 40_000, 5+20*int(seed)))
	}
}

func checkNew(t *testing.T, seed uint64, s Soup) {
	t.Helper()
	wantVertices, wantFaces := bruteWeld(s)
	wantChain, wantTally := bruteEdges(wantFaces)
	for _, workers := range []int{1, 2, 7} {
		m, err := New(t.Context(), cloneSoup(s), Options{Workers: workers})
		if err != nil {
			t.Fatalf("seed %d, workers %d: %v", seed, workers, err)
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("seed %d, workers %d: %v", seed, workers, err)
		}
		if !slices.EqualFunc(m.Vertices, wantVertices, sameBits) {
			t.Fatalf("seed %d, workers %d: vertices differ: got %d, want %d", seed, workers, len(m.Vertices), len(wantVertices))
		}
		if !slices.Equal(m.Faces, wantFaces) {
			t.Fatalf("seed %d, workers %d: faces differ", seed, workers)
		}
		if !slices.Equal(m.Boundary(), wantChain) {
			t.Fatalf("seed %d, workers %d: boundary: got %v, want %v", seed, workers, m.Boundary(), wantChain)
		}
		if m.edges != wantTally {
			t.Fatalf("seed %d, workers %d: edges: got %+v, want %+v", seed, workers, m.edges, wantTally)
		}
		if got, want := m.EvenEdges(), wantTally.odd == 0; got != want {
			t.Fatalf("seed %d: EvenEdges = %v, want %v", seed, got, want)
		}
	}
}

func sameBits(a, b r3.Vector) bool {
	return math.Float64bits(a.X) == math.Float64bits(b.X) &&
		math.Float64bits(a.Y) == math.Float64bits(b.Y) && math.Float64bits(a.Z) == math.Float64bits(b.Z)
}

func TestNewErrors(t *testing.T) {
	ok := []r3.Vector{{X: 0}, {X: 1}, {Y: 1}}
	nan, inf := math.NaN(), math.Inf(-1)
	rows := []struct {
		name string
		soup Soup
		want error
		text string
	}{
		{"index too large", Soup{Vertices: ok, Faces: [][3]int32{{0, 1, 2}, {0, 3, 1}}}, ErrIndex, "face 1: index out of range: vertex 3, but there are 3 vertices"},
		{"index negative", Soup{Vertices: ok, Faces: [][3]int32{{0, 1, -1}}}, ErrIndex, "face 0: index out of range: vertex -1, but there are 3 vertices"},
		{"no vertices", Soup{Faces: [][3]int32{{0, 0, 0}}}, ErrIndex, "face 0"},
		{"NaN", Soup{Vertices: []r3.Vector{{}, {X: 1}, {Y: nan}}, Faces: [][3]int32{{0, 1, 2}}}, ErrNotFinite, "vertex 2: coordinate is not finite: [0 NaN 0]"},
		{"infinite", Soup{Vertices: []r3.Vector{{}, {Z: inf}, {Y: 1}}, Faces: [][3]int32{{0, 1, 2}}}, ErrNotFinite, "vertex 1: coordinate is not finite: [0 0 -Inf]"},
		{"body too long", Soup{Vertices: ok, Faces: [][3]int32{{0, 1, 2}}, Bodies: []Body{{Name: "a", Count: 2}}}, ErrIndex, `body 0 ("a"): index out of range: faces 0 to 2, but there is 1 face`},
		{"body negative", Soup{Vertices: ok, Faces: [][3]int32{{0, 1, 2}}, Bodies: []Body{{Name: "a", Count: 1}, {Name: "b", First: -1, Count: 1}}}, ErrIndex, `body 1 ("b")`},
		{"body overflow", Soup{Vertices: ok, Faces: [][3]int32{{0, 1, 2}}, Bodies: []Body{{Name: "a", First: math.MaxInt32, Count: math.MaxInt32}}}, ErrIndex, "body 0"},
	}
	for _, row := range rows {
		_, err := New(t.Context(), cloneSoup(row.soup), Options{})
		if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: got error %v, want one with %q", row.name, err, row.text)
		}
	}
}

func TestNewEmpty(t *testing.T) {
	for name, s := range map[string]Soup{"nothing": {}, "unused vertices": {Vertices: []r3.Vector{{X: math.NaN()}, {}}}} {
		m, err := New(t.Context(), s, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(m.Vertices) != 0 || m.NumFaces() != 0 || !m.Closed() || !m.EvenEdges() || !m.Box().Empty() {
			t.Errorf("%s: got %+v, want an empty mesh", name, m)
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHighValence builds two fans of many faces: one around a vertex and one around an edge.
func TestHighValence(t *testing.T) {
	const n = 50_000
	var vertex, edge Soup
	vertex.Vertices = []r3.Vector{{Z: 1}}
	edge.Vertices = []r3.Vector{{}, {Z: 1}}
	for i := range int32(n) {
		a := 2 * math.Pi * float64(i) / n
		p := r3.Vector{X: math.Cos(a), Y: math.Sin(a)}
		vertex.Vertices, edge.Vertices = append(vertex.Vertices, p), append(edge.Vertices, p)
		vertex.Faces = append(vertex.Faces, [3]int32{0, i + 1, (i+1)%n + 1})
		edge.Faces = append(edge.Faces, [3]int32{0, 1, i + 2})
	}
	rows := []struct {
		name               string
		soup               Soup
		boundary           int
		first              Edge
		nonManifold, edges int
	}{
		{"fan around a vertex", vertex, n, Edge{1, 2, 1}, 0, 2 * n},
		{"pages of a book", edge, 2*n + 1, Edge{0, 1, n}, 1, 2*n + 1},
	}
	for _, row := range rows {
		m, err := New(t.Context(), row.soup, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Boundary()) != row.boundary || m.Boundary()[0] != row.first || m.edges.nonManifold != row.nonManifold || m.edges.total != row.edges {
			t.Errorf("%s: %d boundary edges from %v, counts %+v", row.name, len(m.Boundary()), m.Boundary()[0], m.edges)
		}
		if err := m.Validate(); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}
