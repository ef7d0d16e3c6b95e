package neighbor

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"
)

// scene is a set of bodies that move for a number of steps.
type scene struct {
	name     string
	steps    int
	contacts bool // true if every kind of body must have contacts
	start    func() *world
}

// world is the state of a scene. Bodies can be absent.
type world struct {
	bodies []Sphere
	move   func(step int) // changes bodies for the given step
}

// full reports whether INPOLY_FULL requests the long tests.
func full() bool { return os.Getenv("INPOLY_FULL") != "" }

// scaled returns the second number if INPOLY_FULL requests the long tests, and the first otherwise.
func scaled(small, large int) int {
	if full() {
		return large
	}
	return small
}

// longRun returns the number of steps of long tests: 1000 with INPOLY_FULL, 100 with -short, and 400
// otherwise. The race detector runs with -short.
func longRun() int {
	if testing.Short() {
		return 100
	}
	return scaled(400, 1000)
}

func still(int) {}

// random returns n spheres in a cube and the side of the cube. The radii are from 1 to maxRadius,
// with a density proportional to r^-3. The given fraction is the total volume of the spheres
// divided by the volume of the cube.
func random(rng *rand.Rand, n int, maxRadius, fraction float64) ([]Sphere, float64) {
	bodies := make([]Sphere, n)
	volume := 0.0
	for i := range bodies {
		// The code inverts the distribution function (1 − r^-2)/(1 − maxRadius^-2) of the radius r.
		r := 1 / math.Sqrt(1-rng.Float64()*(1-1/(maxRadius*maxRadius)))
		bodies[i].Radius = r
		volume += 4. / 3 * math.Pi * r * r * r
	}
	side := math.Cbrt(volume / fraction)
	for i := range bodies {
		bodies[i].Center = r3.Vector{X: side * rng.Float64(), Y: side * rng.Float64(), Z: side * rng.Float64()}
	}
	return bodies, side
}

// flying returns a scene in which bodies fly in a cube. Every tenth body is about a hundred times
// as fast as the others.
func flying(seed uint64, n int, ratio, fraction, speed float64) func() *world {
	return func() *world {
		rng := rand.New(rand.NewPCG(seed, 1))
		bodies, side := random(rng, n, ratio, fraction)
		velocity := make([]r3.Vector, n)
		for i := range velocity {
			velocity[i] = r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(speed)
			if i%10 == 0 {
				velocity[i] = velocity[i].Mul(100)
			}
		}
		w := &world{bodies: bodies}
		w.move = func(int) {
			for i := range w.bodies {
				c, v := &w.bodies[i].Center, &velocity[i]
				*c = c.Add(*v)
				bounce(&c.X, &v.X, side)
				bounce(&c.Y, &v.Y, side)
				bounce(&c.Z, &v.Z, side)
			}
		}
		return w
	}
}

func bounce(x, v *float64, side float64) {
	if *x < 0 && *v < 0 || *x > side && *v > 0 {
		*v = -*v
	}
}

// blinking returns a scene of flying bodies that appear and disappear. The number of bodies in the
// slice also changes.
func blinking(seed uint64, n int) func() *world {
	return func() *world {
		w := flying(seed, n, 5, .5, .05)()
		all := w.bodies
		rng := rand.New(rand.NewPCG(seed, 2))
		radius := make([]float64, n)
		for i, b := range all {
			radius[i] = b.Radius
		}
		fly := w.move
		w.move = func(step int) {
			w.bodies = all
			fly(step)
			for i := range all {
				if all[i].Radius != Absent() {
					radius[i] = all[i].Radius
				}
				switch rng.IntN(40) {
				case 0:
					all[i].Radius = Absent()
				case 1, 2:
					all[i].Radius = radius[i]
				case 3:
					radius[i] *= .5 + rng.Float64() // an absent body will appear with another radius
				}
			}
			if step%17 == 0 {
				w.bodies = all[:rng.IntN(n+1)]
			}
			if step%41 == 0 {
				w.bodies = nil
			}
		}
		return w
	}
}

// fixed returns a scene in which each step moves a third of the bodies by a fixed distance.
func fixed(shift float64, list func(rng *rand.Rand) []Sphere) func() *world {
	return func() *world {
		w := &world{bodies: list(rand.New(rand.NewPCG(3, 3)))}
		w.move = func(step int) {
			for i := range w.bodies {
				if i%3 == step%3 {
					w.bodies[i].Center.X += shift
					w.bodies[i].Center.Z -= shift
				}
			}
		}
		return w
	}
}

// lattice returns 6³ spheres of equal radius on a cubic lattice.
func lattice(radius, spacing float64) []Sphere {
	var list []Sphere
	for x := range 6 {
		for y := range 6 {
			for z := range 6 {
				c := r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)}.Mul(spacing)
				list = append(list, Sphere{Center: c, Radius: radius})
			}
		}
	}
	return list
}

// along returns spheres of radius 1 to 3 with random centers on a line.
func along(d r3.Vector) func(rng *rand.Rand) []Sphere {
	return func(rng *rand.Rand) []Sphere {
		list := make([]Sphere, 200)
		for i := range list {
			list[i] = Sphere{Center: d.Mul(400 * rng.Float64()), Radius: 1 + 2*rng.Float64()}
		}
		return list
	}
}

// transformed returns a random scene that is scaled and moved.
func transformed(factor, offset float64) func(rng *rand.Rand) []Sphere {
	return func(rng *rand.Rand) []Sphere {
		list, _ := random(rng, 150, 10, .6)
		for i := range list {
			list[i].Center = list[i].Center.Mul(factor).Add(r3.Vector{X: offset, Y: -offset, Z: offset})
			list[i].Radius *= factor
		}
		return list
	}
}

// kissing returns pairs of spheres whose distance differs from the sum of their radii by a few
// ulps.
func kissing(rng *rand.Rand) []Sphere {
	var list []Sphere
	for k := range 300 {
		a := Sphere{Center: r3.Vector{X: 100 * float64(k)}, Radius: math.Exp2(-30 * rng.Float64())}
		b := Sphere{Radius: math.Exp2(-30 * rng.Float64())}
		d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		switch k % 4 {
		case 0:
			d = r3.Vector{X: 1}
		case 1:
			d = r3.Vector{Y: -1}
		case 2:
			d.Z = 0
		}
		if k%8 >= 4 {
			a.Center = r3.Vector{Y: 100 * float64(k)}
		}
		reach := (a.Radius + b.Radius) * (1 + float64(rng.IntN(13)-6)*0x1p-53)
		b.Center = a.Center.Add(d.Mul(reach / d.Norm()))
		list = append(list, a, b)
	}
	return list
}

func scenes() []scene {
	const few = 4
	list := []scene{
		{"ratio 1, fraction .62", few, true, flying(1, 400, 1, .62, .01)},
		{"ratio 5, fraction .12", few, true, flying(2, 400, 5, .12, .01)},
		{"ratio 10, fraction .4", few, true, flying(3, 400, 10, .4, .01)},
		{"ratio 50, fraction .62", few, true, flying(4, 600, 50, .62, .01)},
		{"ratio 50, fraction .1", few, true, flying(5, 600, 50, .1, .01)},
		{"many, ratio 20", 2, true, flying(9, scaled(2500, 20_000), 20, .5, .01)},
		{"long", longRun(), true, flying(6, scaled(60, 400), 3, .5, .004)},
		{"long, ratio 50", longRun(), true, flying(7, scaled(60, 400), 50, .3, .02)},
		{"appearing and vanishing", scaled(200, 2000), true, blinking(8, 120)},
		{"at one place", few, true, fixed(.25, func(rng *rand.Rand) []Sphere {
			list := make([]Sphere, 120)
			for i := range list {
				list[i] = Sphere{Center: r3.Vector{X: 1, Y: 2, Z: 3}, Radius: 1 + rng.Float64()}
			}
			return list
		})},
		{"on a line along x", few, true, fixed(.01, along(r3.Vector{X: 1}))},
		{"on a line along y", few, true, fixed(.01, along(r3.Vector{Y: 1}))},
		{"on a line along z", few, true, fixed(.01, along(r3.Vector{Z: 1}))},
		{"on a diagonal", few, true, fixed(.01, along(r3.Vector{X: 1, Y: -1, Z: 1}))},
		{"touching exactly, integers", few, true, fixed(0, func(*rand.Rand) []Sphere { return lattice(1, 2) })},
		{"touching exactly, tenths", few, true, fixed(0, func(*rand.Rand) []Sphere { return lattice(.05, .1) })},
		{"touching almost", few, true, fixed(0, kissing)},
		{"huge", few, true, fixed(0x1p480, transformed(0x1p490, 0))},
		{"tiny", few, true, fixed(0x1p-498, transformed(0x1p-495, 0))},
		{"far from the origin", few, true, fixed(.01, transformed(1, 1e9))},
		{"farther than the radii resolve", few, true, fixed(.01, transformed(1, 0x1p60))},
		{"outliers", few, true, fixed(.01, func(rng *rand.Rand) []Sphere {
			list := transformed(1, 0)(rng)
			for i := range 10 {
				list[i].Center = list[i].Center.Mul(0x1p480)
				list[i+10].Center.Y -= 1e20
				list[i+20].Radius = 0x1p-500
				list[i+30].Center.Z = 1e30
			}
			return list
		})},
		{"one giant", few, true, fixed(.01, func(rng *rand.Rand) []Sphere {
			list := transformed(1, 0)(rng)
			list[7].Radius = 0x1p400
			return list
		})},
		{"distant clusters", few, true, fixed(.01, func(rng *rand.Rand) []Sphere {
			list := transformed(1, 0)(rng)
			for i := range list {
				list[i].Center = list[i].Center.Add(r3.Vector{X: 1e6 * float64(i%3), Y: 1e7 * float64(i%2), Z: 1e8 * float64(i%5)})
			}
			return list
		})},
		{"one body", few, false, fixed(1, func(*rand.Rand) []Sphere { return lattice(1, 2)[:1] })},
		{"two bodies", few, true, fixed(0, func(*rand.Rand) []Sphere { return lattice(1, 2)[:2] })},
		{"nobody", few, false, func() *world { return &world{move: still} }},
		{"only absent bodies", few, false, func() *world {
			return &world{bodies: []Sphere{{Radius: Absent()}, {Center: r3.Vector{X: math.NaN()}, Radius: Absent()}}, move: still}
		}},
	}
	return list
}
