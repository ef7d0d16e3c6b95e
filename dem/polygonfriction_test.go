package dem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// incline returns a block of the given size on a plane with the given slope, which falls to the right.
// The plane is a wall, and gravity is inclined. With body, the plane is a fixed polygon instead, and
// gravity points down. The block has the depth in the plane at which it is in balance.
func incline(t testing.TB, slope, stiffness float64, body bool) (s PolygonScene, along r2.Point) {
	const width, height, g = 4., 1., 10.
	sin, cos := math.Sincos(slope)
	depth := height * g * cos / stiffness
	if !body {
		return PolygonScene{
			Polygons: []Polygon{{Shape: rectangle(t, width, height), Pose: polygon.Pose{At: r2.Point{X: 5, Y: -depth}}}},
			Walls:    neighbor.Rect{Min: r2.Point{X: math.Inf(-1)}, Max: r2.Point{X: math.Inf(1), Y: math.Inf(1)}},
			Gravity:  r2.Point{X: g * sin, Y: -g * cos},
		}, r2.Point{X: 1}
	}
	along, up := r2.Point{X: cos, Y: -sin}, r2.Point{X: sin, Y: cos}
	return PolygonScene{
		Polygons: []Polygon{
			{Shape: rectangle(t, 1000, 5), Pose: polygon.Pose{At: along.Mul(-10).Sub(up.Mul(5)), Angle: -slope}, Fixed: true},
			{Shape: rectangle(t, width, height), Pose: polygon.Pose{At: along.Mul(5).Sub(up.Mul(depth)), Angle: -slope}},
		},
		Gravity: r2.Point{Y: -g},
	}, along
}

// TestFrictionIncline puts a block on an inclined plane. Up to the angle of friction it must stay, and
// it must not creep. On a steeper plane, its acceleration must be that of Coulomb's law.
func TestFrictionIncline(t *testing.T) {
	const friction, k, g = .5, 1e4, 10.
	limit := math.Atan(friction)
	for _, body := range []bool{false, true} {
		for _, slope := range []float64{.3 * limit, .95 * limit, 1.05 * limit, 1.5 * limit} {
			name := fmt.Sprintf("body %t, slope %.2f of the limit", body, slope/limit)
			s, along := incline(t, slope, k, body)
			w := newPolygons(t, s, bruteRects(), Options{TimeStep: 2e-4, Stiffness: k, Damping: 200, Friction: friction, Workers: 1})
			block := w.Len() - 1
			state := func() (at, speed, rising float64) {
				v, _ := w.Velocity(block)
				return dot(w.Center(block), along), dot(v, along), dot(v, left(along))
			}
			start, _, _ := state()
			walk(t, w, 20_000)
			from, before, rising := state()
			walk(t, w, 10_000)
			to, after, risen := state()
			if slope < limit {
				t.Logf("%s: moved %.3g in the first 4 s, %.3g in the next 2 s", name, from-start, to-from)
				if math.Abs(to-from) > 1e-12 || from-start > 5e-3 {
					t.Errorf("%s: the block moves by %g, then by %g", name, from-start, to-from)
				}
				continue
			}
			// The dashpot of a flat contact hardly damps rocking, so the block rises and falls a little while it
			// slides. The impulse of this motion is a part of the impulse of the normal force.
			got := (after - before + friction*(risen-rising)) / 2
			want := g * (math.Sin(slope) - friction*math.Cos(slope))
			t.Logf("%s: acceleration %.6f, with the impulse of rocking %.12f, want %.12f", name, (after-before)/2, got, want)
			if math.Abs(got-want) > 1e-9*g || math.Abs((after-before)/2-want) > 1e-3 {
				t.Errorf("%s: acceleration %v, want %v", name, got, want)
			}
		}
	}
}

// TestFrictionRoll lets a polygon of many corners roll down a plane. Where it does not slide, its
// acceleration must be 2/3 of g·sin α, except for the work of passing corners.
func TestFrictionRoll(t *testing.T) {
	const slope, g = .1, 10.
	sin, cos := math.Sincos(slope)
	s := PolygonScene{
		Polygons: []Polygon{{Shape: regular(t, 400, 1), Pose: polygon.Pose{At: r2.Point{Y: .99}}}},
		Walls:    neighbor.Rect{Min: r2.Point{X: math.Inf(-1)}, Max: r2.Point{X: math.Inf(1), Y: math.Inf(1)}},
		Gravity:  r2.Point{X: g * sin, Y: -g * cos},
	}
	w := newPolygons(t, s, bruteRects(), Options{TimeStep: 2e-4, Stiffness: 1e4, Damping: 100, Friction: .5, Workers: 1})
	walk(t, w, 5000)
	before, _ := w.Velocity(0)
	walk(t, w, 10_000)
	after, spin := w.Velocity(0)
	got, want := (after.X-before.X)/2, g*sin*2/3
	t.Logf("acceleration %.5f, for a disk %.5f; speed %.5f, spin %.5f", got, want, after.X, spin)
	if math.Abs(got/want-1) > .02 || math.Abs(after.X/-spin-1) > .02 {
		t.Errorf("acceleration %v, want %v; speed %v, spin %v", got, want, after.X, spin)
	}
}

// TestFrictionEnergy throws spinning polygons on a floor. The normal force of a wall has a potential,
// so energy must not rise, except for errors of the integrator. It must fall, because friction brakes
// the spin.
func TestFrictionEnergy(t *testing.T) {
	for _, corners := range []int{3, 4, 6, 17} {
		s := PolygonScene{
			Polygons: []Polygon{{Shape: regular(t, corners, 1), Pose: polygon.Pose{At: r2.Point{X: 3, Y: 1.2}, Angle: .1},
				Velocity: r2.Point{X: 3}, Spin: 5}},
			Walls:   neighbor.Rect{Max: r2.Point{X: math.Inf(1), Y: math.Inf(1)}},
			Gravity: r2.Point{Y: -10},
		}
		var rises []float64
		for _, steps := range []int{6000, 24_000} {
			w := newPolygons(t, s, bruteRects(), Options{TimeStep: 6 / float64(steps), Stiffness: 2e4, Friction: .4, Workers: 1})
			start := w.Energy().Total()
			least, rise := start, 0.
			for range steps {
				walk(t, w, 1)
				e := w.Energy().Total()
				least, rise = min(least, e), max(rise, e-least)
			}
			rises = append(rises, rise/start)
			if least > .9*start {
				t.Errorf("%d corners: energy %v of %v: friction does nothing", corners, least, start)
			}
		}
		t.Logf("%d corners: energy rises by at most %.2g", corners, rises)
		if rises[0] > 1e-3 || rises[1] > 1e-4 {
			t.Errorf("%d corners: energy rises by %g, want at most 1e-3 and 1e-4", corners, rises)
		}
	}
}

// TestFrictionOnlyTakes calls the law with random motions. In each step, the spring must gain at most the
// work that the contact takes from the bodies. The force must obey its limit.
func TestFrictionOnlyTakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	slides, sticks, shrinks := 0, 0, 0
	for range 300 {
		w := &Polygons{clock: clock{opt: Options{Stiffness: 1 + 1e3*rng.Float64(), Damping: 30 * rng.Float64() * float64(rng.IntN(2)),
			Friction: rng.Float64(), Tangential: 2 * rng.Float64()}}}
		unit := w.opt.Tangential * w.opt.Stiffness
		var last tangent
		drift := rng.NormFloat64()
		for range 300 {
			size, normal := rng.ExpFloat64(), 5*rng.NormFloat64()+3
			if rng.IntN(10) == 0 {
				last = tangent{} // the contact ended
			}
			speed := drift + rng.NormFloat64()
			slip := .02 * speed
			var now tangent
			f := w.friction(last, &now, size, normal, slip, speed)
			limit := w.opt.Friction * max(0, normal)
			if math.Abs(f) > limit || math.Abs(unit*size*now.slip) > limit*(1+1e-14) {
				t.Fatalf("force %v and spring %v exceed the limit %v", f, unit*size*now.slip, limit)
			}
			gain, work := unit*(now.energy()-last.energy()), f*slip
			if gain > work+1e-13*(1+math.Abs(work)) {
				t.Fatalf("the spring gains %v of the work %v: from %+v to %+v", gain, work, last, now)
			}
			switch {
			case math.Abs(f) == limit:
				slides++
			case size < last.length:
				shrinks++
			default:
				sticks++
			}
			last = now
		}
	}
	if min(slides, sticks, shrinks) < 1000 {
		t.Errorf("%d slide, %d stick, %d shrink: the test says little", slides, sticks, shrinks)
	}
}

// TestFrictionContactThatGrows checks that the force of a spring stays if its contact grows, and that the
// displacement stays if it shrinks.
func TestFrictionContactThatGrows(t *testing.T) {
	w := &Polygons{clock: clock{opt: Options{Stiffness: 100, Friction: 1, Tangential: 1}}}
	var a, b, c tangent
	w.friction(tangent{}, &a, 1, 1e9, .5, 0)
	if f := w.friction(a, &b, 4, 1e9, 0, 0); f != 50 || b != (tangent{slip: .125, length: 4}) {
		t.Errorf("a contact of length 4 has the force %v and the spring %+v, want 50 and .125", f, b)
	}
	if f := w.friction(b, &c, 2, 1e9, 0, 0); f != 25 || c != (tangent{slip: .125, length: 2}) {
		t.Errorf("a contact of length 2 has the force %v and the spring %+v, want 25 and .125", f, c)
	}
}

// frictionOptions are those of rubble with friction.
var frictionOptions = Options{TimeStep: 1e-3, Stiffness: 5e3, Damping: 10, Friction: .6, Workers: 1}

func TestFrictionSameForAllMethodsAndWorkers(t *testing.T) {
	s := rubble(t, 24, 1, 3)
	s.Polygons[30].Fixed, s.Polygons[30].Velocity, s.Polygons[30].Spin = true, r2.Point{}, 0
	s.Gravity = r2.Point{X: 1, Y: -5}
	want := uint64(0)
	for _, m := range methods[neighbor.Rect]() {
		for _, workers := range []int{1, 2, 3} {
			o := frictionOptions
			o.Workers = workers
			w := newPolygons(t, s, m.new(workers), o)
			walk(t, w, 40)
			if got := polygonHash(w); want == 0 {
				want = got
			} else if got != want {
				t.Errorf("%s, %d workers: hash %x, want %x", m.name, workers, got, want)
			}
		}
	}
	o := frictionOptions
	o.Friction = 0
	w := newPolygons(t, s, bruteRects(), o)
	walk(t, w, 40)
	if polygonHash(w) == want {
		t.Error("friction changes nothing: the test says little")
	}
}

// TestNoFriction checks that the ratio of the tangential constants has no effect without friction.
func TestNoFriction(t *testing.T) {
	var hashes []uint64
	for _, tangential := range []float64{0, 5} {
		o := frictionOptions
		o.Friction, o.Tangential = 0, tangential
		w := newPolygons(t, rubble(t, 8, 1, 3), bruteRects(), o)
		walk(t, w, 100)
		hashes = append(hashes, polygonHash(w))
	}
	if hashes[0] != hashes[1] {
		t.Error("the tangential ratio changes a trajectory without friction")
	}
}

func TestFrictionMomentum(t *testing.T) {
	s := rubble(t, 8, .8, 1)
	s.Walls = neighbor.Rect{}
	w := newPolygons(t, s, fast[neighbor.Rect](1), frictionOptions)
	p, l := w.Momentum()
	scale, before := 0., w.Energy().Total()
	for i := range w.Len() {
		v, _ := w.Velocity(i)
		scale += w.mass[i] * (v.Norm() + w.inertia[i])
	}
	const steps = 2000
	rubbing := 0
	for range steps {
		walk(t, w, 1)
		for _, spring := range w.now.friction.pairs {
			if spring.slip != 0 {
				rubbing++
			}
		}
	}
	if rubbing < 3*steps {
		t.Fatalf("%d contacts with friction: the test says little", rubbing)
	}
	q, m := w.Momentum()
	if d := q.Sub(p).Norm(); d > 1e-14*scale*math.Sqrt(steps) {
		t.Errorf("momentum off by %g of %g", d, scale)
	}
	if d := math.Abs(m - l); d > 1e-6*scale {
		t.Errorf("angular momentum off by %g of %g", d, scale)
	}
	if e := w.Energy().Total(); e > before {
		t.Errorf("energy rises from %v to %v", before, e)
	}
}

// TestFrictionTorques checks the sums of all forces and moments of each step: those of a pair cancel, up
// to rounding.
func TestFrictionTorques(t *testing.T) {
	s := rubble(t, 8, 1, 2)
	s.Walls = neighbor.Rect{}
	w := newPolygons(t, s, bruteRects(), frictionOptions)
	for range 200 {
		walk(t, w, 1)
		var force r2.Point
		moment, size := 0., 0.
		for i, x := range w.wrench {
			// The centers have moved a little by the corrector, and so has each lever arm.
			late := w.now.friction.late[i]
			at := w.Center(i).Sub(r2.Point{X: late[0], Y: late[1]})
			force = force.Add(x.force)
			moment += cross(at, x.force) + x.moment
			size += x.force.Norm() * (1 + at.Norm())
		}
		if force.Norm() > 1e-13*size || math.Abs(moment) > 1e-13*size {
			t.Fatalf("step %d: force %v and moment %v remain of %g", w.Steps(), force, moment, size)
		}
	}
}

func TestFrictionBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		friction, tangential float64
		text                 string
	}{
		{-.1, 0, "coefficient of friction -0.1"}, {nan, 0, "coefficient of friction NaN"}, {inf, 0, "coefficient of friction +Inf"},
		{.5, -1, "tangential ratio -1"}, {.5, nan, "tangential ratio NaN"}, {0, inf, "tangential ratio +Inf"},
	} {
		o := rubbleOptions
		o.Friction, o.Tangential = row.friction, row.tangential
		w, err := NewPolygons(t.Context(), rubble(t, 3, 1, 4), bruteRects(), o)
		checkError(t, row.text, err, ErrOptions, row.text)
		if w != nil {
			t.Errorf("%s: a world and an error", row.text)
		}
	}
	o := gasOptions
	o.Friction = .5
	_, err := NewSpheres(t.Context(), gas(2, 1), brute(), o)
	checkError(t, "spheres with friction", err, ErrOptions, "do not rotate")
	_, err = NewDisks(t.Context(), planeGas(2, 1), bruteDisks(), o)
	checkError(t, "disks with friction", err, ErrOptions, "do not rotate")
}

// TestFrictionFailedSteps checks that a step that fails leaves the springs as they are.
func TestFrictionFailedSteps(t *testing.T) {
	w := newPolygons(t, rubble(t, 24, 1, 7), bruteRects(), frictionOptions)
	twin := newPolygons(t, rubble(t, 24, 1, 7), bruteRects(), frictionOptions)
	walk(t, w, 3)
	for calls := range 7 {
		if err := w.Step(&doneAfter{Context: t.Context(), calls: calls}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	}
	walk(t, w, 5)
	walk(t, twin, 8)
	if polygonHash(w) != polygonHash(twin) {
		t.Error("failed steps have changed later ones")
	}
}

func TestFrictionWithoutMemory(t *testing.T) {
	w := newPolygons(t, rubble(t, 10, 1, 8), bruteRects(), frictionOptions)
	walk(t, w, 300)
	if allocs := testing.AllocsPerRun(50, func() { walk(t, w, 1) }); allocs != 0 {
		t.Errorf("%v allocations a step, want none", allocs)
	}
}

// TestFrictionDisplacements adds the displacements of all steps. The sum must lead from the first to the last
// predicted coordinates. It also compares displacements of points with exact rotations.
func TestFrictionDisplacements(t *testing.T) {
	w := newPolygons(t, rubble(t, 8, 1, 5), bruteRects(), frictionOptions)
	start := make([]displacement, w.Len())
	sum := make([]displacement, w.Len())
	for i := range start {
		start[i] = w.now.gear[i][0]
	}
	corrected := 0.
	for range 500 {
		walk(t, w, 1)
		for i, d := range w.moved {
			for k := range d {
				sum[i][k] += d[k]
				late := w.now.friction.late[i][k]
				corrected += math.Abs(late)
				predicted := w.now.gear[i][0][k] - late
				if got := start[i][k] + sum[i][k]; math.Abs(got-predicted) > 1e-11 {
					t.Fatalf("step %d, polygon %d: coordinate %v, want %v", w.Steps(), i, got, predicted)
				}
			}
		}
	}
	if corrected < 1e-6 {
		t.Fatalf("corrections of %g: the test says little", corrected)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		turn := .01 * rng.NormFloat64()
		w.moved[0] = displacement{rng.NormFloat64(), rng.NormFloat64(), turn}
		center := w.next.gear[0].center()
		arm := r2.Point{X: rng.NormFloat64(), Y: rng.NormFloat64()}
		sin, cos := math.Sincos(-turn)
		before := center.Sub(r2.Point{X: w.moved[0][0], Y: w.moved[0][1]}).Add(r2.Point{X: cos*arm.X - sin*arm.Y, Y: sin*arm.X + cos*arm.Y})
		want := center.Add(arm).Sub(before)
		if got := w.movedAt(0, center.Add(arm)); got.Sub(want).Norm() > math.Abs(turn*turn*turn)*arm.Norm()/5+1e-13 {
			t.Errorf("displacement %v, want %v", got, want)
		}
	}
}
