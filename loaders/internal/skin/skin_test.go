package skin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// cell is a cell of a test.
type cell struct {
	kind    Kind
	corners []int32
}

// builder returns a Builder with the given vertices and memory limit; 0 means the default limit.
func builder(vertices []r3.Vector, limit int64) *soup.Builder {
	b := soup.NewBuilder(soup.NewSource(context.Background(), soup.Options{Size: 1 << 20, MaxMemory: limit}))
	b.Vertices = vertices
	return b
}

// surface returns a Builder with the surface of the cells.
func surface(t *testing.T, vertices []r3.Vector, cells []cell) *soup.Builder {
	t.Helper()
	b := builder(vertices, 0)
	s := New(b)
	for _, c := range cells {
		if err := s.AddCell(c.kind, c.corners); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	s.Note()
	return b
}

// solidVolume returns the volume in the triangles of b. It fails the test unless the triangles are
// closed: each edge has as many triangles in one direction as in the other.
func solidVolume(t *testing.T, b *soup.Builder) float64 {
	t.Helper()
	edges, sum := map[[2]int32]int{}, 0.0
	for _, f := range b.Faces {
		for k := range f {
			if i, j := f[k], f[(k+1)%3]; i < j {
				edges[[2]int32{i, j}]++
			} else {
				edges[[2]int32{j, i}]--
			}
		}
		v := b.Vertices
		sum += v[f[0]].Dot(v[f[1]].Cross(v[f[2]])) / 6
	}
	for e, n := range edges {
		if n != 0 {
			t.Fatalf("edge %v has %d more triangles in one direction", e, n)
		}
	}
	return sum
}

// grid returns the vertices of a grid of n×n×n hexahedra of size 1, and the hexahedra.
func grid(n int) (vertices []r3.Vector, hexes [][8]int32) {
	at := func(x, y, z int) int32 { return int32((z*(n+1)+y)*(n+1) + x) }
	for z := range n + 1 {
		for y := range n + 1 {
			for x := range n + 1 {
				vertices = append(vertices, r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)})
			}
		}
	}
	for z := range n {
		for y := range n {
			for x := range n {
				hexes = append(hexes, [8]int32{at(x, y, z), at(x+1, y, z), at(x+1, y+1, z), at(x, y+1, z), at(x, y, z+1), at(x+1, y, z+1), at(x+1, y+1, z+1), at(x, y+1, z+1)})
			}
		}
	}
	return vertices, hexes
}

// Each kind has faces that are oriented outward, and the volume of the cell.
func TestKinds(t *testing.T) {
	ring := func(n int, z float64) (list []r3.Vector) {
		for k := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
			list = append(list, r3.Vector{X: cos, Y: sin, Z: z})
		}
		return list
	}
	for kind := range numKinds {
		n, vertices := kind.Corners()/2, []r3.Vector(nil)
		if kind == Tetrahedron || kind == Pyramid {
			n = kind.Corners() - 1
			vertices = append(ring(n, 0), r3.Vector{Z: 3})
		} else {
			vertices = append(ring(n, 0), ring(n, 1)...)
		}
		corners := make([]int32, len(vertices))
		for k := range corners {
			corners[k] = int32(k)
		}
		want := float64(n) / 2 * math.Sin(2*math.Pi/float64(n))
		for _, mirrored := range []bool{false, true} {
			if mirrored {
				for i := range vertices {
					vertices[i].X = -vertices[i].X
				}
			}
			b := surface(t, vertices, []cell{{kind, corners}})
			if got := solidVolume(t, b); math.Abs(got-want) > 1e-12 {
				t.Errorf("kind %d, mirrored %v: volume %g, want %g", kind, mirrored, got, want)
			}
			if got := strings.Contains(strings.Join(b.Notes, "|"), "reversed 1 cell,"); got != mirrored {
				t.Errorf("kind %d, mirrored %v: notes %q", kind, mirrored, b.Notes)
			}
		}
	}
}

// split returns a hexahedron as cells of one kind.
func split(h [8]int32, kind Kind) (cells []cell) {
	pick := func(kind Kind, positions ...int) {
		c := cell{kind: kind}
		for _, p := range positions {
			c.corners = append(c.corners, h[p])
		}
		cells = append(cells, c)
	}
	switch kind {
	case Tetrahedron: // six tetrahedra around the diagonal from corner 0 to corner 6
		path := []int{1, 2, 3, 7, 4, 5}
		for k := range path {
			pick(Tetrahedron, 0, path[k], path[(k+1)%6], 6)
		}
	case Wedge:
		pick(Wedge, 0, 1, 2, 4, 5, 6)
		pick(Wedge, 0, 2, 3, 4, 6, 7)
	case Pyramid: // three pyramids with the apex at corner 6
		pick(Pyramid, 0, 1, 2, 3, 6)
		pick(Pyramid, 0, 4, 5, 1, 6)
		pick(Pyramid, 0, 3, 7, 4, 6)
	default:
		pick(Hexahedron, 0, 1, 2, 3, 4, 5, 6, 7)
	}
	return cells
}

// remainSlow returns the faces that remain of the cells, found with a map from the sorted corners.
// All cells must have positive volume and conform to their neighbors.
func remainSlow(cells []cell) map[string]int {
	net := map[string]int{}
	for _, c := range cells {
		for _, f := range shapes[c.kind].faces {
			var corners []int32
			for _, k := range f {
				corners = append(corners, c.corners[k])
			}
			slices.Sort(corners)
			key := fmt.Sprint(corners)
			if net[key]++; net[key] == 2 {
				delete(net, key)
			}
		}
	}
	return net
}

// Random subsets of a grid, of one or several kinds of cells, some of them with reversed corners, have
// the surface and the volume of their hexahedra.
func TestGrid(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		vertices, hexes := grid(1 + r.IntN(5))
		kind := []Kind{Tetrahedron, Wedge, Pyramid, Hexahedron}[seed%4]
		var cells []cell
		want, reversed := 0.0, 0
		keep := []float64{1, .7, .3}[r.IntN(3)]
		for _, h := range hexes {
			if r.Float64() >= keep {
				continue
			}
			want++
			cells = append(cells, split(h, kind)...)
		}
		if want == 0 {
			continue
		}
		r.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		slow := map[string]int{}
		if kind != Pyramid { // the pyramids of neighbors do not conform
			slow = remainSlow(cells)
		}
		for i := range cells {
			if r.IntN(4) > 0 {
				continue
			}
			c := &cells[i]
			reversed++
			switch c.kind {
			case Tetrahedron:
				c.corners[0], c.corners[1] = c.corners[1], c.corners[0]
			case Pyramid:
				c.corners[0], c.corners[2] = c.corners[2], c.corners[0]
			default:
				n := len(c.corners) / 2
				c.corners = append(c.corners[n:], c.corners[:n]...)
			}
		}
		b := surface(t, vertices, cells)
		if got := solidVolume(t, b); math.Abs(got-want) > 1e-9 {
			t.Fatalf("seed %d: volume %g, want %g", seed, got, want)
		}
		if kind != Pyramid && b.Polygons != len(slow) {
			t.Errorf("seed %d: %d faces, want %d", seed, b.Polygons, len(slow))
		}
		note := fmt.Sprintf("reversed %d cell", reversed)
		if got := strings.Contains(strings.Join(b.Notes, "|"), note); got != (reversed > 0) {
			t.Errorf("seed %d: notes %q, want %q", seed, b.Notes, note)
		}
		// The random seed of the hash function has no effect.
		if again := surface(t, vertices, cells); !slices.Equal(again.Faces, b.Faces) {
			t.Errorf("seed %d: a second run gives other faces", seed)
		}
	}
}

// Cells that overlap add up: the volume is that of all cells.
func TestOverlap(t *testing.T) {
	vertices, hexes := grid(2)
	cells := []cell{}
	for _, h := range append(hexes, hexes[3], hexes[3]) {
		cells = append(cells, split(h, Hexahedron)...)
	}
	b := surface(t, vertices, cells)
	if got := solidVolume(t, b); math.Abs(got-10) > 1e-12 {
		t.Errorf("volume %g, want 10", got)
	}
	// The two further cubes have three faces on the surface of the grid. Inside the grid, each of the
	// other three faces occurs twice.
	if want := "9 faces occur again with the same orientation, so cells overlap"; b.Notes[len(b.Notes)-1] != want {
		t.Errorf("notes %q, want %q", b.Notes, want)
	}
}

// A hexahedron whose corners coincide has the faces of the cell that it became.
func TestCollapsed(t *testing.T) {
	vertices, hexes := grid(2)
	h, neighbor := hexes[0], hexes[1]
	// The hexahedron h becomes a wedge with the edge 3–7 at 0–4. A real wedge fills the rest.
	wedge := [8]int32{h[0], h[1], h[2], h[0], h[4], h[5], h[6], h[4]}
	cells := append(split(wedge, Hexahedron), cell{Wedge, []int32{h[0], h[2], h[3], h[4], h[6], h[7]}})
	cells = append(cells, split(neighbor, Hexahedron)...)
	b := surface(t, vertices, cells)
	if got := solidVolume(t, b); math.Abs(got-2) > 1e-12 {
		t.Errorf("volume %g, want 2", got)
	}
	if quads, triangles := 8, 4; b.Polygons != quads+triangles {
		t.Errorf("%d faces, want %d quads and %d triangles", b.Polygons, quads, triangles)
	}
	flat := cell{Tetrahedron, []int32{h[0], h[1], h[1], h[2]}}
	b = surface(t, vertices, append(cells, flat, flat))
	if got := solidVolume(t, b); math.Abs(got-2) > 1e-12 || b.Polygons != 12 {
		t.Errorf("with flat cells: volume %g of %d faces, want 2 of 12", got, b.Polygons)
	}
	if !slices.Contains(b.Notes, "2 cells have no volume") {
		t.Errorf("notes %q", b.Notes)
	}
}

// The faces of a polyhedron can have any orientations, and cancel with those of other cells.
func TestPolyhedra(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		vertices, hexes := grid(3)
		b := builder(vertices, 0)
		s := New(b)
		for _, h := range hexes {
			if r.IntN(2) == 0 {
				if err := s.AddCell(Hexahedron, h[:]); err != nil {
					t.Fatal(err)
				}
				continue
			}
			var sizes, corners []int32
			for _, f := range shapes[Hexahedron].faces {
				var face []int32
				for _, k := range f {
					face = append(face, h[k])
				}
				if r.IntN(2) == 0 {
					slices.Reverse(face)
				}
				sizes, corners = append(sizes, 4), append(corners, face...)
			}
			if err := s.AddPolyhedron(sizes, corners); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := solidVolume(t, b); math.Abs(got-27) > 1e-9 || b.Polygons != 6*9 {
			t.Fatalf("seed %d: volume %g of %d faces, want 27 of 54", seed, got, b.Polygons)
		}
	}
}

func TestPolyhedraRefused(t *testing.T) {
	vertices, hexes := grid(1)
	h := hexes[0]
	for _, c := range []struct {
		name           string
		sizes, corners []int32
		kind           error
	}{
		{"open", []int32{3, 3}, []int32{0, 1, 2, 1, 2, 3}, soup.ErrSyntax},
		{"two shells", []int32{3, 3, 3, 3}, []int32{0, 1, 2, 0, 1, 2, 4, 5, 6, 4, 5, 6}, soup.ErrSyntax},
		{"Möbius", []int32{4, 4, 4, 4}, []int32{0, 1, 3, 2, 2, 3, 5, 4, 4, 5, 0, 1, 0, 2, 4, 1}, soup.ErrSyntax},
		{"index", []int32{3}, []int32{0, 1, 8}, soup.ErrIndexRange},
		{"negative index", []int32{3}, []int32{0, 1, -1}, soup.ErrIndexRange},
	} {
		s := New(builder(vertices, 0))
		if err := s.AddPolyhedron(c.sizes, c.corners); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.kind)
		}
	}
	s := New(builder(vertices, 0))
	h[4] = 8
	if err := s.AddCell(Hexahedron, h[:]); !errors.Is(err, soup.ErrIndexRange) {
		t.Errorf("hexahedron: got %v, want %v", err, soup.ErrIndexRange)
	}
}

// The memory for faces without a partner is limited.
func TestMemoryLimit(t *testing.T) {
	vertices, _ := grid(10)
	r := rand.New(rand.NewPCG(1, 5))
	s := New(builder(vertices, 1<<20))
	var err error
	n := 0
	for ; n < 1<<20 && err == nil; n++ {
		var c [4]int32
		for k := range c {
			c[k] = r.Int32N(int32(len(vertices)))
		}
		err = s.AddCell(Tetrahedron, c[:])
	}
	if !errors.Is(err, soup.ErrTooLarge) || n < 2000 {
		t.Errorf("after %d cells: %v, want ErrTooLarge", n, err)
	}
}

// FuzzCycle compares reduce, canonical and rotate with slow functions.
func FuzzCycle(f *testing.F) {
	f.Add([]byte{1, 2, 3, 1, 2, 4}, uint8(2))
	f.Add([]byte{1, 2, 1, 2, 3, 3}, uint8(1))
	f.Add([]byte{1, 1, 2, 3, 4, 3, 2}, uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, shift uint8) {
		if len(data) == 0 || len(data) > 50 {
			return
		}
		var cycle []int32
		for _, c := range data {
			cycle = append(cycle, int32(c%5))
		}
		net := func(c []int32) map[[2]int32]int {
			m := map[[2]int32]int{}
			for k := range c {
				if i, j := c[k], c[(k+1)%len(c)]; i < j {
					m[[2]int32{i, j}]++
				} else if i > j {
					m[[2]int32{j, i}]--
				}
			}
			for e, n := range m {
				if n == 0 {
					delete(m, e)
				}
			}
			return m
		}
		want := fmt.Sprint(net(cycle))
		reduced := reduce(slices.Clone(cycle))
		if got := fmt.Sprint(net(reduced)); got != want {
			t.Fatalf("reduce(%v) = %v has edges %s, want %s", cycle, reduced, got, want)
		}
		n := len(reduced)
		for k := range n {
			if a, b, c := reduced[k], reduced[(k+1)%n], reduced[(k+2)%n]; a == b || a == c {
				t.Fatalf("reduce(%v) = %v", cycle, reduced)
			}
		}
		if n == 0 {
			return
		}
		least := slices.Clone(reduced)
		for k := range n {
			if turned := append(slices.Clone(reduced[k:]), reduced[:k]...); slices.Compare(turned, least) < 0 {
				least = turned
			}
		}
		rotated := slices.Clone(reduced)
		rotate(rotated)
		if !slices.Equal(rotated, least) {
			t.Fatalf("rotate(%v) = %v, want %v", reduced, rotated, least)
		}
		k := int(shift) % n
		a, b := slices.Clone(reduced), append(slices.Clone(reduced[k:]), reduced[:k]...)
		c := slices.Clone(b)
		slices.Reverse(c)
		same, opposite, first := canonical(b), canonical(c), canonical(a)
		if !slices.Equal(a, b) || !slices.Equal(a, c) || same != first || opposite == first {
			t.Fatalf("canonical(%v): %v %v, rotated by %d: %v %v, reversed: %v %v", reduced, a, first, k, b, same, c, opposite)
		}
	})
}

// BenchmarkTetrahedra adds the tetrahedra of a grid.
func BenchmarkTetrahedra(b *testing.B) {
	vertices, hexes := grid(40)
	var cells []cell
	for _, h := range hexes {
		cells = append(cells, split(h, Tetrahedron)...)
	}
	for b.Loop() {
		s := New(builder(vertices, 0))
		for _, c := range cells {
			if err := s.AddCell(c.kind, c.corners); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(cells)), "ns/cell")
}
