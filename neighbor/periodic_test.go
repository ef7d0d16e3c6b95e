package neighbor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// coordinates returns pointers to the coordinates of a body on each axis: one for balls, two for
// boxes.
func coordinates[T Body](b *T) [][]*float64 {
	switch b := any(b).(type) {
	case *Disk:
		return [][]*float64{{&b.Center.X}, {&b.Center.Y}}
	case *Sphere:
		return [][]*float64{{&b.Center.X}, {&b.Center.Y}, {&b.Center.Z}}
	case *Rect:
		return [][]*float64{{&b.Min.X, &b.Max.X}, {&b.Min.Y, &b.Max.Y}}
	case *bvh.Box:
		return [][]*float64{{&b.Min.X, &b.Max.X}, {&b.Min.Y, &b.Max.Y}, {&b.Min.Z, &b.Max.Z}}
	}
	panic("no body")
}

// plus returns x + n·period, rounded once.
func plus(x float64, n int, period float64) float64 {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2400).SetFloat64(x) }
	p := exact(period)
	sum, _ := p.Add(p.Mul(p, exact(float64(n))), exact(x)).Float64()
	return sum
}

// movedBy returns a body moved by n periods.
func movedBy[T Body](b T, n [3]int32, period r3.Vector) T {
	for k, list := range coordinates(&b) {
		for _, x := range list {
			*x = plus(*x, int(n[k]), component(period, k))
		}
	}
	return b
}

// slowWrap returns the smallest numbers of periods that move a body into the cell. They must be at
// most far.
func slowWrap[T Body](b T, c Cell, far int) (by [3]int32) {
	for k, list := range coordinates(&b) {
		if !c.Periodic[k] {
			continue
		}
		middle := *list[0]
		if len(list) == 2 {
			middle = *list[0]/2 + *list[1]/2
		}
		n := -far
		for plus(middle, n, component(c.Period(), k)) < component(c.Min, k) {
			n++
		}
		by[k] = int32(n)
	}
	return by
}

// eachImage calls f for all vectors of integers from −far to far on periodic axes, in order.
func eachImage(c Cell, far int32, f func(s [3]int32)) {
	limit := func(k int) int32 {
		if c.Periodic[k] {
			return far
		}
		return 0
	}
	for x := -limit(0); x <= limit(0); x++ {
		for y := -limit(1); y <= limit(1); y++ {
			for z := -limit(2); z <= limit(2); z++ {
				f([3]int32{x, y, z})
			}
		}
	}
}

func isPositive(s [3]int32) bool { return slices.Compare(s[:], []int32{0, 0, 0}) > 0 }

// slowContacts computes contacts by the definition in the comment of Periodic: it compares all images
// of all bodies.
func slowContacts[T Body](bodies []T, c Cell, far int) []Contact {
	ops, period := opsOf[T](), c.Period()
	wraps := make([][3]int32, len(bodies))
	images := make([]map[[3]int32]T, len(bodies)) // by their numbers of periods, 0 or 1
	for i, b := range bodies {
		if ops.absent(&b) {
			continue
		}
		wraps[i] = slowWrap(b, c, far)
		b = movedBy(b, wraps[i], period)
		images[i] = map[[3]int32]T{}
		eachImage(c, 1, func(s [3]int32) {
			if min(s[0], s[1], s[2]) >= 0 {
				images[i][s] = movedBy(b, s, period)
			}
		})
	}
	var list []Contact
	for i := range bodies {
		for j := i; j < len(bodies); j++ {
			if images[i] == nil || images[j] == nil {
				continue
			}
			first := len(list)
			eachImage(c, 1, func(s [3]int32) {
				if i == j && !isPositive(s) {
					return
				}
				a := images[i][[3]int32{max(-s[0], 0), max(-s[1], 0), max(-s[2], 0)}]
				b := images[j][[3]int32{max(s[0], 0), max(s[1], 0), max(s[2], 0)}]
				if ops.touch(&a, &b) {
					for k := range s {
						s[k] += wraps[j][k] - wraps[i][k]
					}
					list = append(list, Contact{Pair: Pair{A: int32(i), B: int32(j)}, Image: s})
				}
			})
			slices.SortFunc(list[first:], func(a, b Contact) int { return slices.Compare(a.Image[:], b.Image[:]) })
		}
	}
	return list
}

// allContacts compares the given bodies with each other, moved by up to far periods. It does not move
// bodies into the cell. So it is correct only if all coordinates are exact.
func allContacts[T Body](bodies []T, c Cell, far int32) []Contact {
	ops := opsOf[T]()
	var list []Contact
	for i := range bodies {
		for j := i; j < len(bodies); j++ {
			eachImage(c, far, func(s [3]int32) {
				b := bodies[j]
				for k, list := range coordinates(&b) {
					for _, x := range list {
						*x += float64(s[k]) * component(c.Period(), k)
					}
				}
				if (i != j || isPositive(s)) && ops.touch(&bodies[i], &b) {
					list = append(list, Contact{Pair: Pair{A: int32(i), B: int32(j)}, Image: s})
				}
			})
		}
	}
	return list
}

func periodic[T Body](t testing.TB, inner Method[T], c Cell) *Periodic[T] {
	t.Helper()
	m, err := NewPeriodic(inner, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// planar returns the cell for bodies of type T: in the plane, z is not periodic.
func planar[T Body](c Cell) Cell {
	c.Periodic[2] = c.Periodic[2] && opsOf[T]().axes == 3
	return c
}

// runPeriodic runs steps with all methods and compares the contacts, pairs and changes with those of
// slowContacts. It returns the number of contacts of each kind.
func runPeriodic[T Body](t *testing.T, c Cell, far int, steps [][]Sphere) (inside, across, own, several int) {
	t.Helper()
	c = planar[T](c)
	var runs []*Periodic[T]
	var names []string
	for _, m := range methods[T]() {
		for _, workers := range []int{1, 3} {
			runs = append(runs, periodic(t, m.make(workers), c))
			names = append(names, fmt.Sprintf("%s on %d workers", m.name, workers))
		}
	}
	var before []Pair
	for step, balls := range steps {
		bodies := convert[T](balls)
		want := slowContacts(bodies, c, far)
		var pairs []Pair
		for i, k := range want {
			switch {
			case k.A == k.B:
				own++
				continue
			case k.Image == [3]int32{}:
				inside++
			default:
				across++
			}
			if i > 0 && want[i-1].Pair == k.Pair {
				several++
				continue
			}
			pairs = append(pairs, k.Pair)
		}
		wantAdded, wantRemoved := changes(before, pairs)
		for i, m := range runs {
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatalf("%s, step %d: %v", names[i], step, err)
			}
			if got := m.Contacts(); !slices.Equal(got, want) {
				t.Fatalf("%s, step %d: %s", names[i], step, differContacts(got, want))
			}
			// Pairs and Changes compute their results on the first call, so they are not called in each step.
			if i%3 == 0 {
				if got := m.Pairs(); !slices.Equal(got, pairs) {
					t.Fatalf("%s, step %d: %s", names[i], step, differ(got, pairs, bodies))
				}
			}
			if i%3 == 1 || step%3 == 2 {
				added, removed := m.Changes()
				if !slices.Equal(added, wantAdded) || !slices.Equal(removed, wantRemoved) {
					t.Fatalf("%s, step %d: added %v, removed %v; want %v, %v", names[i], step, added, removed, wantAdded, wantRemoved)
				}
			}
		}
		before = pairs
	}
	for i := 0; i < len(runs); i += 2 {
		if a, b := runs[i].Stats(), runs[i+1].Stats(); a != b || a.Steps != uint64(len(steps)) {
			t.Errorf("%s: %+v, on 3 workers %+v; want the same and %d steps", names[i], a, b, len(steps))
		}
	}
	return inside, across, own, several
}

func differContacts(got, want []Contact) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("contact %d of %d is %v, want %v of %d", i, len(got), got[i], want[i], len(want))
		}
	}
	return fmt.Sprintf("%d contacts, want %d", len(got), len(want))
}

var allAxes = [8][3]bool{{}, {true}, {false, true}, {true, true}, {false, false, true}, {true, false, true}, {false, true, true}, {true, true, true}}

// drifting returns steps of balls that fly through a cell and leave it. Some are as large as the
// cell, some appear and vanish, and the number of balls changes.
func drifting(seed uint64, n, steps int, c Cell, largest float64) [][]Sphere {
	rng := rand.New(rand.NewPCG(seed, 77))
	balls, velocity := make([]Sphere, n), make([]r3.Vector, n)
	side := c.Max.Sub(c.Min)
	shortest := min(side.X, side.Y, side.Z)
	for i := range balls {
		at := func(lo, size float64) float64 { return lo + size*(3*rng.Float64()-1) }
		balls[i].Center = r3.Vector{X: at(c.Min.X, side.X), Y: at(c.Min.Y, side.Y), Z: at(c.Min.Z, side.Z)}
		balls[i].Radius = shortest * largest * math.Pow(rng.Float64(), 3) / 2
		velocity[i] = r3.Vector{X: side.X * rng.NormFloat64(), Y: side.Y * rng.NormFloat64(), Z: side.Z * rng.NormFloat64()}.Mul(.02)
	}
	radius := make([]float64, n)
	for i := range radius {
		radius[i] = balls[i].Radius
	}
	var list [][]Sphere
	for step := range steps {
		now := slices.Clone(balls)
		for i := range now {
			now[i].Radius = radius[i]
			if rng.IntN(20) == 0 {
				now[i].Radius = Absent()
			}
			balls[i].Center = balls[i].Center.Add(velocity[i])
		}
		if step%5 == 4 {
			now = now[:rng.IntN(n+1)]
		}
		list = append(list, now)
	}
	return list
}

func TestPeriodicScenes(t *testing.T) {
	eachKind(t, testPeriodicScenes[Disk], testPeriodicScenes[Sphere], testPeriodicScenes[Rect], testPeriodicScenes[bvh.Box])
}

func testPeriodicScenes[T Body](t *testing.T) {
	unit := Cell{Max: r3.Vector{X: 1, Y: 1, Z: 1}}
	odd := Cell{Min: r3.Vector{X: -.3, Y: 1.7, Z: 100}, Max: r3.Vector{X: .4, Y: 2.9, Z: 100.9}}
	inside, across, own, several := 0, 0, 0, 0
	for k, axes := range allAxes {
		for _, c := range []Cell{unit, odd} {
			for _, largest := range []float64{.2, 1} {
				c.Periodic = axes
				steps := drifting(uint64(k), scaled(25, 60), scaled(9, 100), c, largest)
				a, b, o, s := runPeriodic[T](t, c, 9, steps)
				inside, across, own, several = inside+a, across+b, own+o, several+s
			}
		}
	}
	if inside == 0 || across == 0 || own+several == 0 {
		t.Errorf("%d contacts inside, %d across sides, %d of a body with itself, %d more of one pair: want some of each", inside, across, own, several)
	}
}

// TestPeriodicLattice checks lattices in which each body touches its neighbors exactly, also through
// the sides of the cell. All coordinates are exact.
func TestPeriodicLattice(t *testing.T) {
	eachKind(t, testPeriodicLattice[Disk], testPeriodicLattice[Sphere], testPeriodicLattice[Rect], testPeriodicLattice[bvh.Box])
}

func testPeriodicLattice[T Body](t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		for _, axes := range allAxes {
			for _, offset := range []float64{0, 1, -.5} {
				side := 2 * float64(n)
				c := planar[T](Cell{Min: r3.Vector{X: offset, Y: offset, Z: -7}, Max: r3.Vector{X: offset + side, Y: offset + side, Z: side - 7}, Periodic: axes})
				var bodies []T
				for i := range n * n * n {
					// Every third ball is in another cell.
					at := r3.Vector{X: 2*float64(i%n) + side*float64(i%3), Y: 2 * float64(i/n%n), Z: 2*float64(i/n/n) - side*float64(i%2)}
					bodies = append(bodies, convert[T]([]Sphere{{Center: at, Radius: 1}})...)
				}
				want := allContacts(bodies, c, 3)
				for _, m := range methods[T]() {
					p := periodic(t, m.make(2), c)
					if err := p.Update(t.Context(), bodies); err != nil {
						t.Fatal(err)
					}
					if got := p.Contacts(); !slices.Equal(got, want) {
						t.Fatalf("%s, %d bodies a side, axes %v, offset %v: %s", m.name, n, axes, offset, differContacts(got, want))
					}
				}
			}
		}
	}
}

// TestPeriodicCount checks numbers of contacts that are known: on a lattice of 3³ balls, each ball
// has six neighbors; a ball as large as the cell touches its own images on each axis.
func TestPeriodicCount(t *testing.T) {
	c := Cell{Max: r3.Vector{X: 6, Y: 6, Z: 6}, Periodic: [3]bool{true, true, true}}
	for _, row := range []struct {
		balls []Sphere
		want  int
	}{
		{lattice(1, 2)[:1], 0},
		{slices.DeleteFunc(lattice(1, 2), func(s Sphere) bool { return max(s.Center.X, s.Center.Y, s.Center.Z) > 4 }), 27 * 6 / 2},
		{[]Sphere{{Center: r3.Vector{X: 7, Y: -3, Z: 600}, Radius: 3}}, 3},
		{[]Sphere{{Radius: 3}, {Center: r3.Vector{X: 3, Y: 3, Z: 3}, Radius: 2.2}}, 3 + 8},
	} {
		m := periodic(t, NewAuto[Sphere](AutoOptions{}), c)
		if err := m.Update(t.Context(), row.balls); err != nil {
			t.Fatal(err)
		}
		if len(m.Contacts()) != row.want {
			t.Errorf("%v: contacts %v, want %d", row.balls, m.Contacts(), row.want)
		}
	}
}

// TestPeriodicOrder checks that the contacts do not depend on the order of the bodies.
func TestPeriodicOrder(t *testing.T) {
	// The spacing .1 is not exact, so rounding decides which balls touch.
	c := Cell{Min: r3.Vector{X: .05, Y: .05, Z: .05}, Max: r3.Vector{X: .65, Y: .65, Z: .65}, Periodic: [3]bool{true, true, true}}
	balls := lattice(.05, .1)
	last := int32(len(balls) - 1)
	forward, backward := periodic(t, NewAuto[Sphere](AutoOptions{}), c), periodic(t, NewAuto[Sphere](AutoOptions{}), c)
	if err := forward.Update(t.Context(), balls); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(balls)
	if err := backward.Update(t.Context(), balls); err != nil {
		t.Fatal(err)
	}
	var got []Contact
	across := 0
	for _, k := range backward.Contacts() {
		if k.Image != [3]int32{} {
			across++
		}
		got = append(got, Contact{Pair: Pair{A: last - k.B, B: last - k.A}, Image: minus([3]int32{}, k.Image)})
	}
	slices.SortFunc(got, compareContacts)
	if across == 0 || !slices.Equal(got, forward.Contacts()) {
		t.Errorf("%d contacts across sides; %s", across, differContacts(got, forward.Contacts()))
	}
}

// TestFarImages checks that images of the components −2 and 2 do not touch, except for rounding.
func TestFarImages(t *testing.T) {
	c := Cell{Max: r3.Vector{X: 1, Y: 1, Z: 1}, Periodic: [3]bool{true, true, true}}
	for _, balls := range drifting(5, 20, 3, c, .999) {
		balls = slices.DeleteFunc(balls, func(s Sphere) bool { return s.absent() })
		want, got := allContacts(balls, c, 5), slowContacts(balls, c, 9)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Error(differContacts(got, want))
		}
	}
}

func TestWrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	atMax, n := 0, scaled(100_000, 10_000_000)
	for range n {
		lo := math.Ldexp(rng.NormFloat64(), rng.IntN(80)-40)
		hi := lo + math.Ldexp(rng.Float64(), rng.IntN(80)-40)
		if rng.IntN(2) == 0 {
			lo, hi = math.Round(16*lo)/16, math.Round(16*hi)/16
		}
		c := Cell{Min: r3.Vector{X: lo}, Max: r3.Vector{X: hi}, Periodic: [3]bool{true}}
		if c.Check(2) != nil {
			continue
		}
		period := c.Period().X
		x := lo + period*math.Round(rng.NormFloat64()*20)
		switch rng.IntN(4) {
		case 0:
			x = math.Nextafter(x, math.Inf(1))
		case 1:
			x = math.Nextafter(x, math.Inf(-1))
		case 2:
			x += period * rng.Float64()
		}
		in, by, ok := c.Wrap(r3.Vector{X: x})
		if !ok {
			t.Fatalf("Wrap(%g) fails in [%g, %g]", x, lo, hi)
		}
		// by is the smallest number with a rounded coordinate of at least lo.
		if in.X != plus(x, int(by[0]), period) || in.X < lo || plus(x, int(by[0])-1, period) >= lo {
			t.Fatalf("Wrap(%g) = %g by %d in [%g, %g]", x, in.X, by[0], lo, hi)
		}
		if in.X > lo+period {
			t.Fatalf("Wrap(%g) = %g in [%g, %g]", x, in.X, lo, hi)
		}
		if in.X == lo+period {
			atMax++
		}
		// A rounded coordinate near the upper side can be wrapped again.
		ulps := 2 * (math.Nextafter(max(math.Abs(lo), math.Abs(hi)), math.Inf(1)) - max(math.Abs(lo), math.Abs(hi)))
		if again, more, _ := c.Wrap(in); more != [3]int32{} && (in.X < hi-ulps || again.X > lo+ulps) {
			t.Fatalf("Wrap(%g) = %g by %d in [%g, %g]: not in the cell", in.X, again.X, more[0], lo, hi)
		}
	}
	if atMax == 0 || atMax == n {
		t.Errorf("%d of %d coordinates are wrapped to Max", atMax, n)
	}
	c := Cell{Max: r3.Vector{X: 1}, Periodic: [3]bool{true}}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0x1p30, -0x1p500} {
		if _, _, ok := c.Wrap(r3.Vector{X: x}); ok {
			t.Errorf("Wrap(%g) succeeds", x)
		}
	}
}

func TestBadCells(t *testing.T) {
	x, nan, inf := [3]bool{true}, math.NaN(), math.Inf(1)
	for _, row := range []struct {
		cell Cell
		text string
	}{
		{Cell{Periodic: x}, "axis x from 0 to 0"},
		{Cell{Min: r3.Vector{X: 2}, Max: r3.Vector{X: 1}, Periodic: x}, "axis x from 2 to 1"},
		{Cell{Min: r3.Vector{X: nan}, Max: r3.Vector{X: 1}, Periodic: x}, "axis x from NaN"},
		{Cell{Max: r3.Vector{X: nan}, Periodic: x}, "axis x from 0 to NaN"},
		{Cell{Max: r3.Vector{X: inf}, Periodic: x}, "axis x from 0 to +Inf"},
		{Cell{Min: r3.Vector{X: -inf}, Periodic: x}, "axis x from -Inf"},
		{Cell{Max: r3.Vector{X: 0x1p499}, Periodic: x}, "axis x"},
		{Cell{Max: r3.Vector{X: 0x1p-500}, Periodic: x}, "axis x"},
		{Cell{Max: r3.Vector{X: 1}, Periodic: [3]bool{true, true}}, "axis y from 0 to 0"},
	} {
		_, err := NewPeriodic(NewBruteForce[Sphere](), row.cell)
		if !errors.Is(err, ErrCell) || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%v: error %v, want %v about %q", row.cell, err, ErrCell, row.text)
		}
	}
	solid := Cell{Max: r3.Vector{X: 1, Y: 1, Z: 1}, Periodic: [3]bool{false, false, true}}
	if _, err := NewPeriodic(NewBruteForce[Rect](), solid); !errors.Is(err, ErrCell) || !strings.Contains(err.Error(), "axis z") {
		t.Errorf("rectangles with a period along z: error %v", err)
	}
	if _, err := NewPeriodic[Sphere](periodic(t, NewBruteForce[Sphere](), solid), solid); !errors.Is(err, ErrCell) {
		t.Errorf("nested: error %v", err)
	}
	// Axes that are not periodic have no limits.
	if _, err := NewPeriodic(NewBruteForce[Sphere](), Cell{Min: r3.Vector{X: nan}, Max: r3.Vector{Y: -inf, Z: 1}, Periodic: [3]bool{false, false, true}}); err != nil {
		t.Error(err)
	}
}

// TestPeriodicBadBodies checks the errors for bodies, and that a failed step changes nothing.
func TestPeriodicBadBodies(t *testing.T) {
	c := Cell{Max: r3.Vector{X: 1, Y: 2, Z: 3}, Periodic: [3]bool{true, true, false}}
	steps := drifting(4, 40, 2, c, .5)
	for _, m := range methods[Sphere]() {
		p, undisturbed := periodic(t, m.make(1), c), periodic(t, m.make(1), c)
		update := func(balls []Sphere) {
			t.Helper()
			if err := errors.Join(p.Update(t.Context(), balls), undisturbed.Update(t.Context(), balls)); err != nil {
				t.Fatal(err)
			}
		}
		same := func(what string) {
			t.Helper()
			added, removed := p.Changes()
			wantAdded, wantRemoved := undisturbed.Changes()
			if !slices.Equal(p.Contacts(), undisturbed.Contacts()) || !slices.Equal(p.Pairs(), undisturbed.Pairs()) ||
				p.Stats() != undisturbed.Stats() || !slices.Equal(added, wantAdded) || !slices.Equal(removed, wantRemoved) {
				t.Errorf("%s: %s changed something", m.name, what)
			}
		}
		update(steps[0])
		for _, row := range []struct {
			ball Sphere
			text string
		}{
			{Sphere{Radius: .51}, "size 1.02 on axis x must not exceed the period 1"},
			{Sphere{Radius: -1}, "radius -1"},
			{Sphere{Center: r3.Vector{Y: math.NaN()}, Radius: .1}, "center"},
			{Sphere{Center: r3.Vector{Y: 0x1p31}, Radius: .1}, "more than 2^29 periods"},
			{Sphere{Center: r3.Vector{X: -0x1p499}, Radius: .1}, "more than 2^29 periods"},
		} {
			broken := slices.Clone(steps[1])
			broken[7] = row.ball
			err := p.Update(t.Context(), broken)
			if !errors.Is(err, ErrBody) || !strings.Contains(err.Error(), row.text) || !strings.Contains(err.Error(), "body 7: ") {
				t.Errorf("%v: error %v, want %v about %q", row.ball, err, ErrBody, row.text)
			}
			same(row.text)
		}
		for calls := range 12 {
			err := p.Update(&shortContext{Context: t.Context(), calls: calls}, steps[1])
			if err == nil {
				if err := undisturbed.Update(t.Context(), steps[1]); err != nil {
					t.Fatal(err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", m.name, err)
			}
			same("a context that ends")
		}
		same("a step after failed steps")
	}
	// On an axis that is not periodic, bodies can be large and far away.
	m := periodic(t, NewBruteForce[bvh.Box](), c)
	if err := m.Update(t.Context(), []bvh.Box{{Min: r3.Vector{Z: -1e9}, Max: r3.Vector{X: 1, Y: 2, Z: 1e9}}}); err != nil || len(m.Contacts()) != 4 {
		t.Errorf("a long box has the contacts %v, error %v", m.Contacts(), err)
	}
}

func TestPeriodicNil(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a nil method")
		}
	}()
	_, _ = NewPeriodic[Disk](nil, Cell{})
}

// TestPeriodicManyPairs checks that the error of the inner method arrives.
func TestPeriodicManyPairs(t *testing.T) {
	m := periodic(t, NewAuto[Disk](AutoOptions{MaxPairs: 3}), Cell{Max: r3.Vector{X: 2, Y: 2}, Periodic: [3]bool{true, true}})
	disk := Disk{Center: r2.Point{X: 1, Y: 1}, Radius: .5}
	if err := m.Update(t.Context(), []Disk{disk, disk, disk, disk}); !errors.Is(err, ErrPairs) {
		t.Errorf("error %v, want %v", err, ErrPairs)
	}
}

// FuzzPeriodic reads a cell and bodies of any kind from bytes, and compares all methods with
// slowContacts in two steps.
func FuzzPeriodic(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, uint8(7), uint8(0))
	f.Add([]byte{0, 0, 0, 255, 8, 0, 0, 200, 255, 1, 0, 16, 128, 127, 3, 90}, uint8(3), uint8(100))
	f.Fuzz(func(t *testing.T, data []byte, axes, place uint8) {
		data = data[:min(len(data), 4*12)]
		lo := float64(int8(place)) / 7
		c := Cell{Min: r3.Vector{X: lo, Y: -lo, Z: 2 * lo}, Periodic: allAxes[axes&7]}
		// Periods and sizes are rounded, so the periods are a little larger than the largest body.
		c.Max = c.Min.Add(r3.Vector{X: 1 + 1e-9, Y: 1.1, Z: 1.5})
		var first, second []Sphere
		for ; len(data) >= 4; data = data[4:] {
			b := Sphere{
				Center: r3.Vector{X: float64(int8(data[0])) / 64, Y: float64(int8(data[1])) / 64, Z: float64(int8(data[2])) / 64},
				Radius: min(.5, (1+float64(data[3]))/512),
			}
			first = append(first, b)
			b.Center = b.Center.Add(r3.Vector{X: .01 * float64(data[3]&7), Y: .3 * float64(data[3]>>6)})
			if data[0]&15 == 3 {
				b.Radius = Absent()
			}
			second = append(second, b)
		}
		runPeriodic[Disk](t, c, 60, [][]Sphere{first, second})
		runPeriodic[Sphere](t, c, 60, [][]Sphere{first, second})
		runPeriodic[Rect](t, c, 60, [][]Sphere{first, second})
		runPeriodic[bvh.Box](t, c, 60, [][]Sphere{first, second})
	})
}
