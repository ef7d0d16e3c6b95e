package columns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// closedMeshes returns closed meshes with triangles of very different shapes and sizes.
func closedMeshes() map[string]*mesh.Mesh {
	star := testmesh.Star(3, 0.5, 1)
	soups := map[string]mesh.Soup{
		"cube": testmesh.UnitCube(), "tetrahedron": testmesh.Tetrahedron(), "star": star, "inverted": testmesh.Flip(star),
		"zero area": testmesh.WithDegenerate(testmesh.UnitCube(), 6, 3), "nested": testmesh.Nested(true),
		"overlapping": testmesh.Overlapping(), "doubled": testmesh.Double(testmesh.UnitCube()),
		"torus": testmesh.Torus(2, 0.5, 30, 9), "cone": testmesh.DoubleCone(300, 0.01), "thin": testmesh.DoubleCone(40, 1000),
		"far":   testmesh.Translate(star, r3.Vector{X: 1e6, Y: -3e5, Z: 1e7}),
		"small": testmesh.Scale(testmesh.Overlapping(), 0x1p-1000), "large": testmesh.Scale(testmesh.Overlapping(), 0x1p+900),
		"flat": {Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {X: 1, Y: 1}}, Faces: [][3]int32{{0, 1, 2}, {0, 2, 1}, {1, 2, 3}, {3, 2, 1}}},
		"many": testmesh.Copies(testmesh.Tetrahedron(), 30),
	}
	out := map[string]*mesh.Mesh{}
	for name, s := range soups {
		out[name] = testmesh.Mesh(s)
		for i, rotate := range testmesh.Rotations()[:3] {
			out[fmt.Sprintf("%s, rotation %d", name, i)] = testmesh.Mesh(testmesh.Move(s, rotate))
		}
	}
	out["empty"] = testmesh.Mesh(mesh.Soup{})
	return out
}

// probes returns points around m. Many lie on the surface, or have coordinates of vertices.
func probes(m *mesh.Mesh, rng *rand.Rand) []r3.Vector {
	pts := []r3.Vector{{}, {X: .5, Y: .5, Z: .5}, {X: 1e300}}
	if m.NumFaces() == 0 {
		return pts
	}
	pts = append(pts, testcorpus.Probes(m, 30, 10, rng)...)
	pick := func() r3.Vector { return m.Vertices[rng.IntN(len(m.Vertices))] }
	for range 40 {
		pts = append(pts, r3.Vector{X: pick().X, Y: pick().Y, Z: pick().Z}, pick().Add(pick()).Mul(0.5))
	}
	return slices.DeleteFunc(pts, func(p r3.Vector) bool { return !(p.Norm2() >= 0) || math.IsInf(p.X+p.Y+p.Z, 0) })
}

// Winding numbers equal the results of rays, for all axes and numbers of columns and workers.
func TestWindingEqualsRays(t *testing.T) {
	on, inside, axes := 0, 0, map[uint8]int{}
	for name, m := range closedMeshes() {
		tree, err := m.Index(t.Context(), bvh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rays, err := raycross.New(tree, raycross.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var indexes []*Index
		for _, opt := range []Options{{ExpectedPoints: 1, Workers: 1}, {}, {ExpectedPoints: 1e7, Workers: 7}} {
			x, err := New(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			axes[x.axis]++
			indexes = append(indexes, x)
		}
		var s raycross.Scratch
		for _, p := range probes(m, rand.New(rand.NewPCG(1, 2))) {
			want := rays.Count(p, &s)
			if want.OnSurface {
				on++
			} else if want.Signed != 0 {
				inside++
			}
			for i, x := range indexes {
				if w, surface := x.Winding(p, new(Scratch)); surface != want.OnSurface || !surface && w != want.Signed {
					t.Fatalf("%s, index %d, %v: winding number %d, on the surface %v; want %d, %v", name, i, p, w, surface, want.Signed, want.OnSurface)
				}
			}
		}
		for _, p := range []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}, {Z: math.Inf(-1)}} {
			if w, surface := indexes[0].Winding(p, new(Scratch)); w != 0 || surface {
				t.Errorf("%s, %v: winding number %d, on the surface %v", name, p, w, surface)
			}
		}
	}
	if on < 500 || inside < 500 || len(axes) != 3 {
		t.Errorf("%d points on surfaces, %d inside, axes %v: the test covers too little", on, inside, axes)
	}
}

// Each point of a triangle is in a column that lists the triangle.
func TestRowsContainTriangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	clipped, boxes := 0, 0
	for range 100 {
		soup := mesh.Soup{}
		scale := math.Ldexp(1, rng.IntN(100)-50)
		for f := range int32(40) {
			a := r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()}.Mul(scale)
			for range 3 { // long and short triangles, edges parallel to an axis, equal corners
				d := r3.Vector{X: rng.Float64() - .5, Y: rng.Float64() - .5, Z: rng.Float64() - .5}.Mul(scale * math.Ldexp(1, -rng.IntN(30)))
				switch rng.IntN(5) {
				case 0:
					d.X = 0
				case 1:
					d.Y = 0
				}
				soup.Vertices = append(soup.Vertices, a.Add(d))
			}
			soup.Faces = append(soup.Faces, [3]int32{3 * f, 3*f + 1, 3*f + 2})
		}
		m := testmesh.Mesh(soup)
		b := &builder{Index: &Index{mesh: m}, faces: make([]entry, m.NumFaces()), workers: 1}
		b.plan(1000)
		b.divide(rng.IntN(20))
		if err := b.packFaces(t.Context()); err != nil {
			t.Fatal(err)
		}
		for f := range m.NumFaces() {
			columns := map[uint64]bool{}
			b.clip(f, func(first, last uint64) {
				for c := first; c <= last; c++ {
					columns[c] = true
				}
			})
			least, most := b.faces[f].corners()
			from, to := b.column(least), b.column(most)
			mask := uint64(1)<<b.bitsX - 1
			all := int((to&mask - from&mask + 1) * ((to-from)>>b.bitsX + 1))
			clipped, boxes = clipped+len(columns), boxes+all
			tri := m.Triangle(int32(f))
			for i := range 20 {
				u, v := rng.Float64(), rng.Float64()
				if u+v > 1 {
					u, v = 1-u, 1-v
				}
				p := tri[0].Mul(1 - u - v).Add(tri[1].Mul(u)).Add(tri[2].Mul(v))
				if i < 3 {
					p = tri[i]
				} else if lo, hi := bounds(tri); p.X < lo.X || p.Y < lo.Y || p.Z < lo.Z || p.X > hi.X || p.Y > hi.Y || p.Z > hi.Z {
					continue // rounding moved p out of the triangle
				}
				if c := b.column(b.pack(b.turn(p))); !columns[c] {
					t.Fatalf("%v is in column %d, which does not list the triangle %v", p, c, tri)
				}
			}
		}
	}
	if clipped > boxes/2 {
		t.Errorf("%d columns of %d in boxes: rows are not clipped", clipped, boxes)
	}
}

func bounds(t mesh.Triangle) (lo, hi r3.Vector) {
	lo = r3.Vector{X: min(t[0].X, t[1].X, t[2].X), Y: min(t[0].Y, t[1].Y, t[2].Y), Z: min(t[0].Z, t[1].Z, t[2].Z)}
	hi = r3.Vector{X: max(t[0].X, t[1].X, t[2].X), Y: max(t[0].Y, t[1].Y, t[2].Y), Z: max(t[0].Z, t[1].Z, t[2].Z)}
	return lo, hi
}

// The lists of all columns do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(5, 0.3, 2))
	var want *Index
	for workers := 1; workers < 10; workers += 4 {
		x, err := New(t.Context(), m, Options{Workers: workers, ExpectedPoints: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		for c := range len(x.start) - 1 {
			slices.SortFunc(x.entries[x.start[c]:x.start[c+1]], func(a, b entry) int { return cmp.Compare(a.face(), b.face()) })
		}
		if want == nil {
			want = x
		}
		if !slices.Equal(x.start, want.start) || !slices.Equal(x.entries, want.entries) {
			t.Errorf("%d workers: other lists", workers)
		}
	}
}

// New returns the error of a context that has ended. The memory of an index is bounded.
func TestNewInterrupted(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(5, 0.3, 2))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ctx, m, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	x, err := New(t.Context(), m, Options{ExpectedPoints: math.MaxInt64})
	if n := int64(m.NumFaces()); err != nil || x.Bytes() < 16*n || x.Bytes() > 16*maxEntries*n+4*columnsPerTriangle*n+8 {
		t.Errorf("error %v, or a wrong number of bytes", err)
	}
}

// The model prefers the axis along which few triangles overlap. More points make more columns.
func TestModel(t *testing.T) {
	tower := mesh.Soup{}
	for i := range 100 {
		tower = testmesh.Union(tower, testmesh.Translate(testmesh.Cube(r3.Vector{}, r3.Vector{X: 10, Y: 10, Z: 0.5}), r3.Vector{Z: float64(i)}))
	}
	k := testmesh.Mesh(tower).Sizes()
	last := -1
	for points := int64(1); points < 1<<40; points *= 4 {
		p := choose(k, points)
		if p.axis == 2 || p.columns < last {
			t.Errorf("%d points: %+v after %d columns", points, p, last)
		}
		last = p.columns
		if build, point := Cost(k, points); build != p.build || point != p.point || !(build > 0 && point > 0) {
			t.Errorf("%d points: cost %v, %v", points, build, point)
		}
	}
	if last < 4 {
		t.Errorf("at most %d columns", 1<<last)
	}
}

// The kernel returns the same mask as the Go version and as a comparison of the coordinates.
func TestHits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pack := func(c [3]uint64) uint64 { return c[0] | c[1]<<16 | c[2]<<32 }
	random := func() (c [3]uint64) {
		for k := range c {
			c[k] = uint64(rng.IntN(4)) * (mostUnit / 3)
		}
		return c
	}
	hit := 0
	for n := range 65 {
		for range 20 {
			p, want := random(), uint64(0)
			list := make([]entry, n, n+readBeyond)
			for i := range list {
				lo, hi := random(), random()
				for k := range lo {
					lo[k], hi[k] = min(lo[k], hi[k]), max(lo[k], hi[k])
				}
				face := int(rng.Int32())
				list[i] = newEntry(pack(lo), pack(hi), face)
				if least, most := list[i].corners(); least != pack(lo) || most != pack(hi) || int(list[i].face()) != face {
					t.Fatalf("entry %+v of %v, %v and %d", list[i], lo, hi, face)
				}
				if p[0] >= lo[0] && p[0] <= hi[0] && p[1] >= lo[1] && p[1] <= hi[1] && p[2] <= hi[2] {
					want |= 1 << i
					hit++
				}
				if above := (pack(p)+list[i].min)&guardZ != 0; above != (p[2] >= lo[2]) {
					t.Fatalf("the point %v is above %v: %v", p, lo, above)
				}
			}
			if got := hits(list, pack(p)); got != want {
				t.Fatalf("%d entries: %b, want %b", n, got, want)
			}
			if hasAVX2 && n > 0 {
				if got := hitsAVX2(&list[0], n, pack(p)) & (1<<n - 1); got != want {
					t.Fatalf("%d entries: %b by the kernel, want %b", n, got, want)
				}
			}
		}
	}
	if hit < 5000 {
		t.Errorf("only %d hits", hit)
	}
}
