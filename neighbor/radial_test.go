package neighbor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// papersBodies returns n bodies like those of Leszczynski and Ciesielski (2004) §3. The density is
// 1000 bodies per unit of volume or, in the plane, 100 per unit of area.
func papersBodies(n int, least, most float64, plane bool) []Sphere {
	rng := rand.New(rand.NewPCG(2004, uint64(n)))
	side := math.Cbrt(float64(n) / 1000)
	if plane {
		side = math.Sqrt(float64(n) / 100)
	}
	list := make([]Sphere, n)
	for i := range list {
		c := r3.Vector{X: side * rng.Float64(), Y: side * rng.Float64(), Z: side * rng.Float64()}
		if plane {
			c.Z = 0
		}
		list[i] = Sphere{Center: c, Radius: (least + (most-least)*rng.Float64()) / 2}
	}
	return list
}

// TestRadialPaper counts the contacts and tests of the static bodies of Leszczynski and Ciesielski
// (2004). For 100 bodies of the sizes A, B and C, the paper states 87, 19 and 2 contacts in the
// plane, and 90, 10 and 4 in space. Without walls, the mean number is 100·½·density·E[volume of a
// ball of radius r_i+r_j]. It is 91, 20 and 2.6 in the plane, and 90, 9.3 and 0.46 in space. So the
// 4 in the paper is an error.
func TestRadialPaper(t *testing.T) {
	for _, c := range []struct {
		name        string
		least, most float64
		plane       bool
		contacts    float64
	}{
		{"A in the plane", .05, .1, true, 91}, {"B in the plane", .02, .05, true, 20}, {"C in the plane", .005, .02, true, 2.6},
		{"A in space", .05, .1, false, 90}, {"B in space", .02, .05, false, 9.3}, {"C in space", .005, .02, false, .46},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tests [2]float64
			sizes := [2]int{4_000, scaled(32_000, 256_000)}
			for i, n := range sizes {
				bodies := papersBodies(n, c.least, c.most, c.plane)
				var pairs []Pair
				if c.plane {
					m := NewRadialSort[Disk](RadialOptions{})
					update(t, convert[Disk](bodies), m)
					pairs, tests[i] = m.Pairs(), float64(m.Stats().Tests)/float64(n)
				} else {
					m := NewRadialSort[Sphere](RadialOptions{})
					update(t, bodies, m)
					pairs, tests[i] = m.Pairs(), float64(m.Stats().Tests)/float64(n)
				}
				// Walls reduce the number of contacts by about diameter / side, which is up to 10%
				// here.
				got := 100 * float64(len(pairs)) / float64(n)
				spread := 4*100*math.Sqrt(float64(len(pairs)))/float64(n) + .12*c.contacts
				if math.Abs(got-c.contacts) > spread {
					t.Errorf("%d bodies: %.3g contacts a hundred, want %.3g ± %.2g", n, got, c.contacts, spread)
				}
			}
			slope := math.Log(tests[1]/tests[0]) / math.Log(float64(sizes[1])/float64(sizes[0]))
			want := 2. / 3
			if c.plane {
				want = .5
			}
			if math.Abs(slope-want) > .05 {
				t.Errorf("%.3g, %.3g tests a body for %d: n^%.3f, want n^%.3f", tests[0], tests[1], sizes, slope, want)
			}
		})
	}
}

// TestRadialMoving checks that insertion repairs the order after slow motion, that a drifting cloud
// gets a new origin, and that bodies are sorted from scratch after fast motion.
func TestRadialMoving(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	bodies, side := random(rng, 2000, 3, .4)
	m, brute := NewRadialSort[Sphere](RadialOptions{}), NewBruteForce[Sphere]()
	step := func(what string, rebuilds uint64) {
		t.Helper()
		before := m.Stats()
		update(t, bodies, m, brute)
		if !slices.Equal(m.Pairs(), brute.Pairs()) {
			t.Fatalf("%s: %s", what, differ(m.Pairs(), brute.Pairs(), bodies))
		}
		if got := m.Stats().Rebuilds - before.Rebuilds; got != rebuilds {
			t.Errorf("%s: %d rebuilds, want %d", what, got, rebuilds)
		}
	}
	shift := func(scale float64, drift r3.Vector) {
		for i := range bodies {
			d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(scale)
			bodies[i].Center = bodies[i].Center.Add(d).Add(drift)
		}
	}
	step("first step", 1)
	for range 5 {
		shift(.02, r3.Vector{})
		step("slow", 0)
	}
	before := m.Stats().Rebuilds
	for range 60 { // the total drift is 0.3 of the side, so the origin changes one time
		shift(0, r3.Vector{Y: side / 200})
		update(t, bodies, m)
	}
	if got := m.Stats().Rebuilds - before; got != 1 {
		t.Errorf("drifting: %d rebuilds, want 1", got)
	}
	if m.Stats().Exchanges == 0 {
		t.Error("no exchange was counted")
	}
	exchanges := m.Stats().Exchanges
	step("at rest", 0)
	if got := m.Stats().Exchanges; got != exchanges {
		t.Errorf("at rest: %d exchanges", got-exchanges)
	}
	shift(0, r3.Vector{X: -side, Y: side})
	step("jumping", 1)
	rng.Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	step("shuffled", 1)
}

// TestShells checks that the shells and the bounds of two balls overlap if touchSpheres accepts the
// balls. The gap between the balls is a few units in the last place, positive or negative.
func TestShells(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	number := func(low, high float64) float64 {
		return math.Exp2(low+(high-low)*rng.Float64()) * float64(1-2*rng.IntN(2))
	}
	vector := func(low, high float64) r3.Vector {
		return r3.Vector{X: number(low, high), Y: number(low, high), Z: number(low, high)}
	}
	touching := 0
	for range scaled(100_000, 3_000_000) {
		scale := -490 + 980*rng.Float64()
		span := 40 * rng.Float64()
		a := Sphere{Center: vector(scale-span, scale), Radius: math.Exp2(scale - span*rng.Float64())}
		b := Sphere{Radius: math.Exp2(scale - span*rng.Float64())}
		d := vector(-span, 0)
		d = d.Mul(1 / d.Norm())
		b.Center = a.Center.Add(d.Mul((a.Radius + b.Radius) * (1 + float64(rng.IntN(21)-10)*0x1p-53)))
		origin := vector(scale-2*span, scale)
		if rng.IntN(2) == 0 {
			// If the origin and both centers are on a line, the shells overlap very little.
			origin = a.Center.Sub(d.Mul(math.Exp2(scale - span*rng.Float64())))
		}
		if rng.IntN(8) == 0 {
			origin = a.Center
		}
		balls := []Sphere{a, b}
		if err := check(balls); err != nil {
			continue
		}
		if !touchSpheres(&a, &b) {
			continue
		}
		touching++
		shells := []shell{{id: 0}, {id: 1}}
		shellsTo(shells, balls, origin)
		if shells[0].near > shells[1].far || shells[1].near > shells[0].far {
			t.Fatalf("%v and %v touch, their shells about %v do not: %v", a, b, origin, shells)
		}
		var bounds [2][6]float64
		spaceBounds(bounds[:], balls)
		if !meet(&bounds[0], &bounds[1]) {
			t.Fatalf("%v and %v touch, their bounds do not: %v", a, b, bounds)
		}
		boxes := []bvh.Box{{Min: vector(scale-span, scale)}, {}}
		boxes[0].Max = boxes[0].Min.Add(vector(scale-span, scale).Abs())
		boxes[1] = bvh.Box{Min: boxes[0].Max, Max: boxes[0].Max.Add(vector(scale-span, scale).Abs())}
		shellsTo(shells, boxes, origin)
		if shells[0].near > shells[1].far || shells[1].near > shells[0].far {
			t.Fatalf("%v and %v touch, their shells about %v do not: %v", boxes[0], boxes[1], origin, shells)
		}
		rects := []Rect{flatten(boxes[0]), flatten(boxes[1])}
		shellsTo(shells, rects, origin)
		if shells[0].near > shells[1].far || shells[1].near > shells[0].far {
			t.Fatalf("%v and %v touch, their shells about %v do not: %v", rects[0], rects[1], origin, shells)
		}
	}
	if touching < 10_000 {
		t.Errorf("only %d pairs touch", touching)
	}
}

// flatten projects a box onto the plane.
func flatten(b bvh.Box) Rect {
	return Rect{Min: r2.Point{X: b.Min.X, Y: b.Min.Y}, Max: r2.Point{X: b.Max.X, Y: b.Max.Y}}
}
