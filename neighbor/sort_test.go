package neighbor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/bvh"
)

// update makes one step with each method.
func update[T Body](t testing.TB, bodies []T, methods ...Method[T]) {
	t.Helper()
	for _, m := range methods {
		if err := m.Update(t.Context(), bodies); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTower reverses the order of a tower in one step (Schinner 1999, fig. 6). Each end passes all
// ends of the other bodies, in 2n(n−1) exchanges.
func TestTower(t *testing.T) {
	for _, n := range []int{10, 100, 500} {
		tower := func(reversed bool, shift float64) []Rect {
			list := make([]Rect, n)
			for i := range list {
				x := 2 * float64(i)
				if reversed {
					x = 2 * float64(n-1-i)
				}
				x += shift
				list[i] = Rect{Min: r2.Point{X: x, Y: float64(i)}, Max: r2.Point{X: x + 1, Y: float64(i + 1)}}
			}
			return list
		}
		m, brute := NewIncrementalSort[Rect](SortOptions{Undivided: true}), NewBruteForce[Rect]()
		for step, c := range []struct {
			reversed  bool
			shift     float64
			exchanges int
		}{{false, 0, 0}, {false, .01, 0}, {true, .02, 2 * n * (n - 1)}, {true, .03, 0}, {true, 5, 0}, {false, 5, 2 * n * (n - 1)}} {
			before := m.Stats()
			update(t, tower(c.reversed, c.shift), m, brute)
			after := m.Stats()
			if got := after.Exchanges - before.Exchanges; got != uint64(c.exchanges) {
				t.Errorf("%d bodies, step %d: %d exchanges, want %d", n, step, got, c.exchanges)
			}
			if tests := after.Tests - before.Tests; c.exchanges == 0 && step > 0 && tests > uint64(4*n) {
				t.Errorf("%d bodies, step %d: %d tests, want no more than %d", n, step, tests, 4*n)
			}
			if !slices.Equal(m.Pairs(), brute.Pairs()) {
				t.Errorf("%d bodies, step %d: %d pairs, want %d", n, step, len(m.Pairs()), len(brute.Pairs()))
			}
		}
	}
}

// TestTowerSorted reverses a tower. Regions must stop exchanging ends and sort in O(n log n) time.
func TestTowerSorted(t *testing.T) {
	const n = 2000
	tower := func(sign float64) []Sphere {
		list := make([]Sphere, n)
		for i := range list {
			list[i] = Sphere{Center: r3.Vector{X: sign * float64(i)}, Radius: .5}
		}
		return list
	}
	for _, opt := range []SortOptions{{}, {PerRegion: 100}, {PerRegion: n}} {
		m, brute := NewIncrementalSort[Sphere](opt), NewBruteForce[Sphere]()
		for _, sign := range []float64{1, -1, 1} {
			update(t, tower(sign), m, brute)
			if !slices.Equal(m.Pairs(), brute.Pairs()) || len(m.Pairs()) != n-1 {
				t.Fatalf("%+v: %d pairs, want %d", opt, len(m.Pairs()), n-1)
			}
		}
		// There are three lists of 2n ends and two reversals. The limit in resort is 8·log₂(2n)
		// exchanges for each end of a list. The last insertion can exceed the limit by the length
		// of the list.
		if got, limit := m.Stats().Exchanges, uint64(2*3*2*n*(8*12+1)); got > limit {
			t.Errorf("%+v: %d exchanges, want at most %d", opt, got, limit)
		}
	}
}

// TestLinear counts the work of steps in which bodies move by 1% of a diameter. With Undivided, the
// exchanges of one body grow as n^(1−1/d) in d dimensions. Otherwise, they are constant.
func TestLinear(t *testing.T) {
	sizes := []int{5_000, scaled(40_000, 100_000)}
	for _, plane := range []bool{false, true} {
		for _, undivided := range []bool{false, true} {
			var work, exchanges [2]float64
			for i, n := range sizes {
				steps := jitter(n, 1, plane)
				opt := SortOptions{Undivided: undivided}
				var s [2]Stats
				if plane {
					s = moveSlowly(t, NewIncrementalSort[Disk](opt), [2][]Disk{convert[Disk](steps[0]), convert[Disk](steps[1])})
				} else {
					s = moveSlowly(t, NewIncrementalSort[Sphere](opt), steps)
				}
				exchanges[i] = float64(s[1].Exchanges-s[0].Exchanges) / float64(n)
				work[i] = exchanges[i] + float64(s[1].Tests-s[0].Tests)/float64(n)
				if s[1].Rebuilds != 1 {
					t.Errorf("%d bodies: %d rebuilds, want 1", n, s[1].Rebuilds)
				}
			}
			double := math.Log(float64(sizes[1]) / float64(sizes[0]))
			what := fmt.Sprintf("plane %v, undivided %v, %d bodies: %.3g, %.3g exchanges a body, work %.3g, %.3g", plane, undivided, sizes, exchanges[0], exchanges[1], work[0], work[1])
			want := 2. / 3
			if plane {
				want = .5
			}
			if !undivided {
				// With more regions, more bodies are in several regions. The work grows slightly.
				if slope := math.Log(work[1]/work[0]) / double; slope > .2 {
					t.Errorf("%s: work grows as n^%.2f, want n^0", what, slope)
				}
			} else if slope := math.Log(exchanges[1]/exchanges[0]) / double; math.Abs(slope-want) > .07 {
				t.Errorf("%s: exchanges grow as n^%.2f, want n^%.2f", what, slope, want)
			}
		}
	}
}

// moveSlowly makes four steps, forward and backward in turn. It returns the counts after the first
// and the last step.
func moveSlowly[T Body](t *testing.T, m *IncrementalSort[T], steps [2][]T) (s [2]Stats) {
	t.Helper()
	update(t, steps[0], m)
	s[0] = m.Stats()
	for i := range 3 {
		update(t, steps[(i+1)%2], m)
	}
	s[1] = m.Stats()
	return s
}

// TestAtRest checks that bodies at rest need no exchange, and that boxes at rest need no test.
func TestAtRest(t *testing.T) {
	balls, _ := random(rand.New(rand.NewPCG(1, 1)), 3000, 10, .5)
	boxes := convert[bvh.Box](balls)
	m, b := NewIncrementalSort[Sphere](SortOptions{PerRegion: 100}), NewIncrementalSort[bvh.Box](SortOptions{PerRegion: 100})
	update(t, balls, m)
	update(t, boxes, b)
	before, beforeBoxes := m.Stats(), b.Stats()
	for range 3 {
		update(t, balls, m)
		update(t, boxes, b)
	}
	s := m.Stats()
	if s.Exchanges != before.Exchanges || s.Rebuilds != 1 || (s.Tests-before.Tests)%3 != 0 || s.Tests-before.Tests > 3*20*3000 {
		t.Errorf("balls at rest: %+v, then %+v", before, s)
	}
	want := beforeBoxes
	want.Steps = 4
	if got := b.Stats(); got != want {
		t.Errorf("boxes at rest: %+v, want %+v", got, want)
	}
	if added, removed := b.Changes(); len(added)+len(removed) > 0 || len(b.Pairs()) < 1000 {
		t.Errorf("boxes at rest: %d pairs, %d added, %d removed", len(b.Pairs()), len(added), len(removed))
	}
}

// TestGather lets bodies gather and spread until the world is divided again. It checks the lists
// after each step.
func TestGather(t *testing.T) {
	const n = 600
	rng := rand.New(rand.NewPCG(9, 9))
	bodies := make([]bvh.Box, n)
	for _, workers := range []int{1, 3} {
		m := NewIncrementalSort[bvh.Box](SortOptions{PerRegion: 5, Workers: workers})
		brute := NewBruteForce[bvh.Box]()
		for step, side := range []float64{1000, 990, 100, 10, 3, 50, 500, 5e3, 5e6, 5e6, 1e7, 1e100, 1, 1e5} {
			for i := range bodies {
				at := r3.Vector{X: side * rng.Float64(), Y: -side * rng.Float64(), Z: side * rng.Float64()}
				bodies[i] = bvh.Box{Min: at, Max: at.Add(r3.Vector{X: rng.Float64(), Y: 1, Z: rng.Float64()})}
			}
			now := bodies
			if step%5 == 4 {
				now = bodies[:n/2+step]
			}
			update(t, now, m, brute)
			if !slices.Equal(m.Pairs(), brute.Pairs()) {
				t.Fatalf("step %d: %s", step, differ(m.Pairs(), brute.Pairs(), now))
			}
			checkSorter(t, m.space)
			// See the method move for the limit.
			load := 0
			for i := range m.space.regions {
				load += m.space.regions[i].count() * m.space.regions[i].count()
			}
			if float64(load) > 4*max(m.space.load, 16*5*5) {
				t.Errorf("step %d: load %d, %g when the world was divided last", step, load, m.space.load)
			}
		}
	}
}

// TestSortCanceled ends the context after different numbers of checks. Each step must either
// succeed completely or change nothing.
func TestSortCanceled(t *testing.T) {
	steps := jitter(300, 3, false)
	for i := range steps[1] {
		steps[1][i].Center.X += float64(i%3) / 4
	}
	brute := NewBruteForce[Sphere]()
	update(t, steps[0], brute)
	first := brute.Pairs()
	second := NewBruteForce[Sphere]()
	update(t, steps[1], second)
	if added, removed := changes(first, second.Pairs()); len(added) < 10 || len(removed) < 10 {
		t.Fatalf("%d pairs added, %d removed: the test is about change", len(added), len(removed))
	}
	whole := 0
	for calls := range 40 {
		m := NewIncrementalSort[Sphere](SortOptions{PerRegion: 10, Workers: 1})
		update(t, steps[0], m)
		if n := len(m.space.regions); n < 8 {
			t.Fatalf("%d regions: the test is not about many", n)
		}
		err := m.Update(&shortContext{Context: t.Context(), calls: calls}, steps[1])
		want := first
		if err == nil {
			want = second.Pairs()
			whole++
		}
		if !slices.Equal(m.Pairs(), want) {
			t.Errorf("after %d questions error %v, %s", calls, err, differ(m.Pairs(), want, steps[1]))
		}
		update(t, steps[1], m)
		if !slices.Equal(m.Pairs(), second.Pairs()) {
			t.Errorf("in the step after %d questions: %s", calls, differ(m.Pairs(), second.Pairs(), steps[1]))
		}
		checkSorter(t, m.space)
	}
	if whole == 0 || whole == 40 {
		t.Errorf("%d of 40 steps were taken", whole)
	}
}

// TestShrink removes nearly all bodies. The sorter must then release their memory.
func TestShrink(t *testing.T) {
	balls, _ := random(rand.New(rand.NewPCG(1, 1)), 5000, 2, .5)
	m, brute := NewIncrementalSort[Sphere](SortOptions{PerRegion: 50}), NewBruteForce[Sphere]()
	for _, n := range []int{5000, 1300, 1200, 100, 0, 3, 5000} {
		update(t, balls[:n], m, brute)
		if !slices.Equal(m.Pairs(), brute.Pairs()) {
			t.Fatalf("%d bodies: %s", n, differ(m.Pairs(), brute.Pairs(), balls))
		}
		checkSorter(t, m.space)
		if known := len(m.space.spans); known > max(4*n, 200) {
			t.Errorf("%d bodies: still %d are known", n, known)
		}
	}
}

// TestDrain removes a few bodies in each step. The region must release their slots.
func TestDrain(t *testing.T) {
	balls, _ := random(rand.New(rand.NewPCG(1, 1)), 1500, 2, .5)
	m, brute := NewIncrementalSort[Sphere](SortOptions{Undivided: true}), NewBruteForce[Sphere]()
	for left := len(balls); left >= 0; left -= 25 {
		for i := left; i < len(balls); i++ {
			balls[i].Radius = Absent()
		}
		update(t, balls, m, brute)
		if !slices.Equal(m.Pairs(), brute.Pairs()) {
			t.Fatalf("%d bodies: %s", left, differ(m.Pairs(), brute.Pairs(), balls))
		}
		checkSorter(t, m.space)
		// A step releases slots before its 25 bodies leave. Therefore their slots can remain.
		if slots := len(m.space.regions[0].ids); slots > 64+5*(left+25) {
			t.Errorf("%d bodies in %d slots", left, slots)
		}
	}
}

// checkSorter checks all invariants that a sorter has between steps.
func checkSorter[B bounds](t *testing.T, s *sorter[B]) {
	t.Helper()
	members := make([]map[int32]bool, len(s.regions))
	for i := range s.regions {
		g := &s.regions[i]
		members[i] = map[int32]bool{}
		if len(g.arriving)+len(g.leaving) > 0 || len(g.now) != len(g.ids) {
			t.Fatalf("region %d: %d arriving, %d leaving, %d slots, %d boxes", i, len(g.arriving), len(g.leaving), len(g.ids), len(g.now))
		}
		empty := 0
		for slot, id := range g.ids {
			if id < 0 {
				empty++
				if g.now[slot] != emptyBounds[B]() || !slices.Contains(g.free, int32(slot)) {
					t.Fatalf("region %d: empty slot %d is not free", i, slot)
				}
				continue
			}
			if members[i][id] || g.now[slot] != s.boxes[id] {
				t.Fatalf("region %d: body %d is there twice or not where it is", i, id)
			}
			members[i][id] = true
		}
		if empty != len(g.free) {
			t.Fatalf("region %d: %d empty slots, %d free", i, empty, len(g.free))
		}
		for axis := range axes[B]() {
			checkEnds(t, g, axis)
		}
	}
	for id := range s.boxes {
		want := spanOf(&s.lines, &s.boxes[id])
		if s.spans[id] != want {
			t.Fatalf("body %d: regions %v, want %v", id, s.spans[id], want)
		}
		s.lines.forEach(&want, &noSpan, func(r int) {
			if !members[r][int32(id)] {
				t.Fatalf("body %d is missing in region %d", id, r)
			}
			delete(members[r], int32(id))
		})
	}
	for r, rest := range members {
		if len(rest) > 0 {
			t.Fatalf("region %d has %d bodies that belong elsewhere", r, len(rest))
		}
	}
}

// checkEnds checks the list of one axis of a region.
func checkEnds[B bounds](t *testing.T, g *region[B], axis int) {
	t.Helper()
	var ends []end
	for _, tag := range g.order[axis] {
		ends = append(ends, end{at: g.now[tag>>1][2*axis+int(tag&1)], tag: tag})
	}
	if len(ends) != 2*g.count() || !slices.IsSortedFunc(ends, orderEnds) {
		t.Fatalf("axis %d: %d ends, want %d, sorted", axis, len(ends), 2*g.count())
	}
	seen := map[uint32]bool{}
	for _, e := range ends {
		slot := e.tag >> 1
		if seen[e.tag] || g.ids[slot] < 0 {
			t.Fatalf("axis %d: end %+v is there twice or of nobody", axis, e)
		}
		seen[e.tag] = true
	}
}

// FuzzSorts moves small boxes that appear and disappear. The coordinates are integers, so the ends
// of boxes often coincide.
func FuzzSorts(f *testing.F) {
	f.Add([]byte{3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0, 17, 34, 51, 1, 1, 1})
	f.Add([]byte("bodies that come, go and pass each other in one step"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 1 || len(data) > 600 {
			return
		}
		n, data := 1+int(data[0]%16), data[1:]
		boxes, rects := make([]bvh.Box, n), make([]Rect, n)
		for i := range boxes {
			boxes[i], rects[i] = bvh.EmptyBox(), EmptyRect()
		}
		brute, flat := NewBruteForce[bvh.Box](), NewBruteForce[Rect]()
		var space []Method[bvh.Box]
		var plane []Method[Rect]
		for _, opt := range []SortOptions{{Workers: 1}, {Undivided: true}, {Workers: 1, PerRegion: 1, spread: .01}} {
			space = append(space, NewIncrementalSort[bvh.Box](opt))
			plane = append(plane, NewIncrementalSort[Rect](opt))
		}
		space, plane = append(space, NewRadialSort[bvh.Box](RadialOptions{Workers: 1})), append(plane, NewRadialSort[Rect](RadialOptions{Workers: 1}))
		for len(data) >= 3 {
			for i := 0; i < n && len(data) >= 3; i++ {
				a, b, c := data[0], data[1], data[2]
				data = data[3:]
				if a == 0xff {
					boxes[i], rects[i] = bvh.EmptyBox(), EmptyRect()
					continue
				}
				lo := r3.Vector{X: float64(a % 8), Y: float64(b % 8), Z: float64(c % 8)}
				hi := lo.Add(r3.Vector{X: float64(a >> 6), Y: float64(b >> 6), Z: float64(c >> 6)})
				boxes[i] = bvh.Box{Min: lo, Max: hi}
				rects[i] = Rect{Min: r2.Point{X: lo.X, Y: lo.Y}, Max: r2.Point{X: hi.X, Y: hi.Y}}
			}
			update(t, boxes, append(space, brute)...)
			update(t, rects, append(plane, flat)...)
			for k := range space {
				if got, want := space[k].Pairs(), brute.Pairs(); !slices.Equal(got, want) {
					t.Fatalf("method %d in space: %s", k, differ(got, want, boxes))
				}
				if got, want := plane[k].Pairs(), flat.Pairs(); !slices.Equal(got, want) {
					t.Fatalf("method %d in the plane: %s", k, differ(got, want, rects))
				}
			}
			for k := range 3 {
				checkSorter(t, space[k].(*IncrementalSort[bvh.Box]).space)
				checkSorter(t, plane[k].(*IncrementalSort[Rect]).plane)
			}
		}
	})
}

// pairsOf draws sorted pairs of bodies with indices below n.
func pairsOf(t *rapid.T, n int32, label string, allowRepeats bool) []Pair {
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pair {
		a := rapid.Int32Range(0, n-2).Draw(t, "a")
		return Pair{A: a, B: rapid.Int32Range(a+1, n-1).Draw(t, "b")}
	}), 0, 60).Draw(t, label)
	slices.SortFunc(list, comparePairs)
	if !allowRepeats {
		list = slices.Compact(list)
	}
	return list
}

func comparePairs(p, q Pair) int {
	if p.A != q.A {
		return int(p.A) - int(q.A)
	}
	return int(p.B) - int(q.B)
}

func TestMergePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(2, 12).Draw(t, "n")
		old := pairsOf(t, n, "old", false)
		added, removed := pairsOf(t, n, "added", true), pairsOf(t, n, "removed", true)
		removed = slices.DeleteFunc(removed, func(p Pair) bool { return slices.Contains(added, p) })
		want := slices.Concat(old, added)
		slices.SortFunc(want, comparePairs)
		want = slices.DeleteFunc(slices.Compact(want), func(p Pair) bool { return slices.Contains(removed, p) })
		if got := mergePairs(nil, old, added, removed); !slices.Equal(got, want) {
			t.Fatalf("%v + %v − %v = %v, want %v", old, added, removed, got, want)
		}
	})
}

func TestDifferPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(2, 12).Draw(t, "n")
		then, now := pairsOf(t, n, "then", false), pairsOf(t, n, "now", false)
		wantAdded, wantRemoved := changes(then, now)
		added, removed := diffPairs(nil, nil, then, now)
		if !slices.Equal(added, wantAdded) || !slices.Equal(removed, wantRemoved) {
			t.Fatalf("from %v to %v: added %v, removed %v; want %v, %v", then, now, added, removed, wantAdded, wantRemoved)
		}
	})
}

// TestSortPairs sorts small and large numbers of pairs, with small and large indices.
func TestSortPairs(t *testing.T) {
	for _, n := range []int{2, 3, 2047, 2048, 2049, 1 << 22, 1<<31 - 1} {
		for _, count := range []int{0, 1, 2, 100, 2047, 2048, 5000} {
			state := uint64(n + count)
			next := func(limit int) int32 { // next returns the high bits of a linear congruential generator
				state = state*6364136223846793005 + 1442695040888963407
				return int32(state >> 33 % uint64(limit))
			}
			list := make([]Pair, count)
			for i := range list {
				b := 1 + next(n-1)
				list[i] = Pair{A: next(int(b)), B: b}
			}
			want := slices.Clone(list)
			slices.SortFunc(want, comparePairs)
			sortPairs(list, n)
			if !slices.Equal(list, want) {
				t.Errorf("%d pairs of %d bodies are not in order", count, n)
			}
		}
	}
}
