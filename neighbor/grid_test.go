package neighbor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

func TestGridInvariants(t *testing.T) {
	var wraps, tables, levels int
	for _, s := range scenes() {
		w := s.start()
		m := NewHierarchicalGrid[Sphere](GridOptions{Workers: 2})
		if err := m.Update(t.Context(), w.bodies); err != nil {
			t.Fatal(err)
		}
		m.grid.input = w.bodies
		if err := m.grid.invariants(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		for i := range m.grid.levels {
			l := &m.grid.levels[i]
			switch {
			case l.n == 0:
			case l.wraps:
				wraps++
			default:
				tables++
			}
		}
		levels = max(levels, len(m.grid.levels))
	}
	if wraps == 0 || tables == 0 || levels < 3 {
		t.Errorf("%d levels wrap, %d do not, %d levels at most: the scenes miss something", wraps, tables, levels)
	}
}

// invariants checks the properties of a grid that the search requires.
func (g *grid[T]) invariants() error {
	seen := make([]bool, len(g.input))
	for i, id := range g.ids {
		if seen[id] {
			return fmt.Errorf("body %d is there twice", id)
		}
		seen[id] = true
		b := g.bucket[id]
		if int(g.start[b]) > i || int(g.start[b+1]) <= i {
			return fmt.Errorf("body %d of bucket %d is at %d, not in [%d, %d)", id, b, i, g.start[b], g.start[b+1])
		}
		if i > 0 && g.bucket[g.ids[i-1]] == b && g.ids[i-1] > id {
			return fmt.Errorf("body %d is after body %d", id, g.ids[i-1])
		}
		found := false
		for k := range g.levels {
			l := &g.levels[k]
			if l.n == 0 || b < l.first || b >= l.first+l.buckets {
				continue
			}
			found = true
			var box bvh.Box
			g.ops.bounds(&box, &g.input[id])
			c := l.cellOf(box.Min)
			size := box.Size()
			if l.bucket(c) != b || size.X > l.reach.X || size.Y > l.reach.Y || size.Z > l.reach.Z || !l.begin.Contains(box.Min) {
				return fmt.Errorf("body %d does not belong to level %d", id, k)
			}
			low, high := l.window(&box)
			if c.x < low.x || c.y < low.y || c.z < low.z || c.x > high.x || c.y > high.y || c.z > high.z {
				return fmt.Errorf("body %d is not in its own window %v to %v", id, low, high)
			}
			if !l.wraps && (c.x >= l.length.x || c.y >= l.length.y || c.z >= l.length.z) {
				return fmt.Errorf("body %d is in cell %v beyond the table %v", id, c, l.length)
			}
		}
		if !found {
			return fmt.Errorf("bucket %d of body %d is in no level", b, id)
		}
	}
	for i := range g.input {
		if seen[i] == g.ops.absent(&g.input[i]) {
			return fmt.Errorf("body %d is absent: %v, in the grid: %v", i, !seen[i], seen[i])
		}
	}
	return nil
}

// TestPointsOfMinusZero checks that a box from 0 to −0, which is a point, is in the bin of extent
// 0.
func TestPointsOfMinusZero(t *testing.T) {
	zero := math.Copysign(0, -1)
	point := bvh.Box{Max: r3.Vector{X: zero, Y: zero, Z: zero}}
	if e := extent(&point); bin(e) != 0 {
		t.Errorf("extent %g, bin %d, want 0", e, bin(e))
	}
}

// TestCellsAreMonotone checks that cell numbers never decrease when a coordinate grows by an ulp,
// for coordinates of all sizes.
func TestCellsAreMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range scaled(20_000, 500_000) {
		l := level{n: 1 + rng.IntN(1000), begin: bvh.EmptyBox(), reach: r3.Vector{X: math.Exp2(float64(rng.IntN(40) - 20))}}
		l.begin = l.begin.Add(r3.Vector{X: rng.NormFloat64() * math.Exp2(float64(rng.IntN(80)-40))})
		l.begin = l.begin.Add(r3.Vector{X: rng.NormFloat64() * math.Exp2(float64(rng.IntN(80)-40))})
		l.setCells(gridParams{minCell: minCell}, 3, 0)
		x := l.begin.Min.X + (l.begin.Max.X-l.begin.Min.X)*rng.Float64()
		a := l.cellOf(r3.Vector{X: x}).x
		b := l.cellOf(r3.Vector{X: math.Nextafter(x, math.Inf(1))}).x
		if a < 0 || b < a || b > a+1 || a > l.max.x {
			t.Fatalf("%v: cell of %g is %d, of the next number %d; the last one is %d", l.begin, x, a, b, l.max.x)
		}
	}
}

// TestTestsGrowLinearly checks that the number of tests is linear in the number of bodies. It
// counts tests because times vary.
func TestTestsGrowLinearly(t *testing.T) {
	for _, ratio := range []float64{1, 50} {
		var least, most float64 = math.Inf(1), 0
		for _, n := range []int{10_000, 30_000, scaled(100_000, 1_000_000)} {
			bodies, _ := random(rand.New(rand.NewPCG(9, 9)), n, ratio, .62)
			m := NewHierarchicalGrid[Sphere](GridOptions{})
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatal(err)
			}
			tests := float64(m.Stats().Tests) / float64(n)
			least, most = min(least, tests), max(most, tests)
		}
		// In figure 5 of Ogarko & Luding 2012, the time per body is constant within ±10 %.
		if most > 1.25*least {
			t.Errorf("ratio %g: from %.1f to %.1f tests a body; want nearly the same for all numbers of bodies", ratio, least, most)
		}
	}
}

// TestLevelsSaveTests checks that the levels of OptimalLevels need fewer tests than one level.
func TestLevelsSaveTests(t *testing.T) {
	bodies, _ := random(rand.New(rand.NewPCG(9, 9)), 20_000, 50, .62)
	count := func(o GridOptions) float64 {
		m := NewHierarchicalGrid[Sphere](o)
		if err := m.Update(t.Context(), bodies); err != nil {
			t.Fatal(err)
		}
		return float64(m.Stats().Tests)
	}
	if one, some := count(GridOptions{Sizes: []float64{100}}), count(GridOptions{}); one < 20*some {
		t.Errorf("%g tests in one level, %g in levels of OptimalLevels; want 20 times fewer", one, some)
	}
}

// TestGivenSizesAreThoseOfBodies has bodies of two sizes at large coordinates, where the extents of
// boxes are rounded. GridOptions.Sizes has the two sizes. The rounding must not change the levels
// of bodies.
func TestGivenSizesAreThoseOfBodies(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	const small, large, n = .1, 5, 20_000
	bodies := make([]Sphere, n)
	for i := range bodies {
		r := float64(small)
		if i%10_000 == 0 {
			r = large
		}
		at := func() float64 { return 1000 + 20*rng.Float64() }
		bodies[i] = Sphere{Center: r3.Vector{X: at(), Y: at(), Z: at()}, Radius: r}
	}
	m := NewHierarchicalGrid[Sphere](GridOptions{Sizes: []float64{2 * small, 2 * large}})
	if err := m.Update(t.Context(), bodies); err != nil {
		t.Fatal(err)
	}
	// If small bodies were in the level of the large bodies, there would be far more tests.
	if tests := float64(m.Stats().Tests) / n; tests > 10 {
		t.Errorf("%.1f tests a body", tests)
	}
	huge := NewHierarchicalGrid[Sphere](GridOptions{Sizes: []float64{1, math.MaxFloat64}})
	if err := huge.Update(t.Context(), bodies); err != nil {
		t.Fatal(err)
	}
	if got, want := huge.Pairs(), m.Pairs(); len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d pairs with a level of any size, %d without", len(got), len(want))
	}
}

// TestStepsReuseMemory checks that the number of allocations in a step does not grow with the
// number of bodies.
func TestStepsReuseMemory(t *testing.T) {
	for _, n := range []int{100, 3000} {
		w := flying(3, n, 10, .4, .01)()
		for _, m := range methods[Sphere]() {
			if m.name != "grid" && m.name != "linked cell" && m.name != "Verlet list" && m.name != "auto" {
				continue
			}
			method := m.make(1)
			step := func() {
				w.move(0)
				if err := method.Update(t.Context(), w.bodies); err != nil {
					t.Fatal(err)
				}
			}
			for range 20 {
				step()
			}
			if a := testing.AllocsPerRun(20, step); a > 150 {
				t.Errorf("%s: %g allocations a step with %d bodies", m.name, a, n)
			}
		}
	}
}
