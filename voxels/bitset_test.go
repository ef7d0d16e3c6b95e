package voxels

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// A bitset contains exactly the cells that were set. bitset.full agrees with a check of all cells
// of a block.
func TestBitset(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	var m bitset
	full := 0
	for n := range 3000 {
		b := block{lo: [3]int{rng.IntN(5), rng.IntN(5), rng.IntN(5)}}
		for axis, most := range [3]int{200, 6, 4} {
			b.hi[axis] = b.lo[axis] + 1 + rng.IntN(most)
		}
		m.reset(b)
		want := make([]bool, b.len())
		b.forEach(func(i, j, k int) {
			if rng.IntN(1+n%200) > 0 {
				m.set(i, j, k)
				want[b.index(i, j, k)] = true
			}
		})
		b.forEach(func(i, j, k int) {
			if at := b.index(i, j, k); m.has(i, j, k) != want[at] || m.hasIndex(at) != want[at] {
				t.Fatalf("cell %d %d %d: %v, want %v", i, j, k, m.has(i, j, k), want[at])
			}
		})
		for range 20 {
			part := b
			for axis := range part.lo {
				part.lo[axis] += rng.IntN(b.hi[axis] - b.lo[axis])
				part.hi[axis] = part.lo[axis] + 1 + rng.IntN(b.hi[axis]-part.lo[axis])
			}
			all := part.len() <= maxScan
			part.forEach(func(i, j, k int) { all = all && want[b.index(i, j, k)] })
			if m.full(&part) != all {
				t.Fatalf("block %v of %v: full %v, want %v", part, b, m.full(&part), all)
			}
			if all {
				full++
			}
		}
	}
	if full < 1000 {
		t.Errorf("only %d full blocks", full)
	}
}

// Marking several triangles gives the union of the cells of each triangle.
func TestRasterOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	g := Grid{Spacing: r3.Vector{X: 0.01, Y: 0.1, Z: 0.2}, Counts: [3]int{100, 10, 5}}
	r := newRaster(g, 1, 0)
	var all, one bitset
	all.reset(block{hi: g.Counts})
	want := make([]bool, g.Len())
	at := func() r3.Vector { return r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()} }
	for range 300 {
		tri := mesh.Triangle{at(), at(), at()}
		r.mark(&tri, &all)
		one.reset(all.block)
		r.mark(&tri, &one)
		for n := range want {
			want[n] = want[n] || one.hasIndex(n)
			if all.hasIndex(n) != want[n] {
				t.Fatalf("cell %d: %v, want %v", n, all.hasIndex(n), want[n])
			}
		}
	}
}

// coincident returns n copies of one cube, so that voxels on the surface intersect faces of all
// copies.
func coincident(n int) *mesh.Mesh {
	var s mesh.Soup
	for range n {
		s = testmesh.Union(s, testmesh.UnitCube())
	}
	return testmesh.Mesh(s)
}

// The memory does not depend on the number of faces that intersect a voxel.
func TestFractionMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers, not races: the race detector takes ten times as long")
	}
	const side = 128
	allocated := func(cubes, samples int) uint64 {
		s := newSolid(t, coincident(cubes), inpoly.Options{Rule: inpoly.NonZero})
		g := Grid{Spacing: r3.Vector{X: 1.0 / side, Y: 1.0 / side, Z: 0.5}, Counts: [3]int{side, side, 2}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		raw(t, s, g, Options{Quantity: Fraction, Samples: samples, Workers: 1})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, samples := range []int{1, 2} {
		// A list of all pairs of voxels and faces would need 8·128²·2·100 bytes, or 26 MB.
		if few, many := allocated(1, samples), allocated(100, samples); many > few+5<<20 {
			t.Errorf("%d samples: %d bytes for a cube, %d for a hundred", samples, few, many)
		}
	}
}

// markFaces returns soon after the context ends.
func TestMarkInterrupted(t *testing.T) {
	s := newSolid(t, testmesh.Sphere(6), inpoly.Options{})
	g, err := FitCounts(s.Mesh().Box(), [3]int{50, 50, 50})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newSampler(t.Context(), s, g, Options{Quantity: Fraction, Samples: 4})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	count := func(ctx context.Context, r *raster, b block) (int, error) {
		var p piece
		p.met.reset(b)
		err := a.markFaces(ctx, &p, r, &p.met)
		n := 0
		for i := range b.len() {
			if p.met.hasIndex(i) {
				n++
			}
		}
		return n, err
	}
	for _, c := range []struct {
		name string
		r    *raster
		b    block
	}{{"voxels", &a.voxelRaster, block{hi: g.Counts}}, {"parts", &a.partRaster, block{hi: [3]int{200, 200, 20}}}} {
		all, err := count(t.Context(), c.r, c.b)
		if err != nil {
			t.Fatal(err)
		}
		if part, err := count(ctx, c.r, c.b); !errors.Is(err, context.Canceled) || part == 0 || part >= all {
			t.Errorf("%s: %d cells of %d, error %v", c.name, part, all, err)
		}
	}
	p := piece{block: block{hi: g.Counts}}
	p.met.reset(p.block)
	p.sides = slices.Repeat([]inpoly.Side{inpoly.Inside}, g.Len())
	if err := a.findMixed(ctx, &p); !errors.Is(err, context.Canceled) {
		t.Errorf("voxels that are uncertain: error %v", err)
	}
}
