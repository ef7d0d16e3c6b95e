package dem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// crowd returns a gas in a periodic cell. Most balls touch their neighbors, also through the sides.
func crowd(n int, seed uint64) SphereScene {
	s := gas(n, seed)
	for i := range s.Balls {
		s.Balls[i].Radius *= 1.25
	}
	s.Periodic = [3]bool{true, true, true}
	return s
}

// lanes returns disks in a cell that is periodic along x, with walls along y and gravity.
func lanes(n int, seed uint64) DiskScene {
	s := planeGas(n, seed)
	for i := range s.Disks {
		s.Disks[i].Radius *= 1.1
	}
	s.Periodic, s.Gravity = [2]bool{true, false}, r2.Point{X: 3e4, Y: -1e4}
	return s
}

// flow returns rubble in a cell that is periodic along x.
func flow(t testing.TB, n int, seed uint64) PolygonScene {
	s := rubble(t, n, 1, seed)
	s.Walls.Min.Y, s.Walls.Max.Y = s.Walls.Min.Y-1, s.Walls.Max.Y+1
	s.Periodic, s.Gravity = [2]bool{true, false}, r2.Point{X: 2, Y: -1}
	return s
}

// near checks that two points are equal up to a tolerance.
func near(t *testing.T, what string, got, want r3.Vector, tolerance float64) {
	t.Helper()
	if !(got.Sub(want).Norm() <= tolerance) {
		t.Errorf("%s: %v, want %v ± %g", what, got, want, tolerance)
	}
}

// TestPeriodicPair compares a collision through a side or an edge of the cell with the same collision
// in the middle of the cell.
func TestPeriodicPair(t *testing.T) {
	walls := bvh.Box{Min: r3.Vector{X: -4, Y: -5, Z: -6}, Max: r3.Vector{X: 5, Y: 5, Z: 5}}
	scene := SphereScene{
		Balls:      []neighbor.Sphere{{Center: r3.Vector{X: -.7, Y: -.7, Z: .2}, Radius: 1}, {Center: r3.Vector{X: .9, Y: .9, Z: -.1}, Radius: 1.2}},
		Velocities: []r3.Vector{{X: 1, Y: 2}, {X: -1, Y: -1, Z: 3}},
		Walls:      walls, Periodic: [3]bool{true, true, true},
	}
	o := Options{TimeStep: 1e-3, Stiffness: 500, Damping: 3, Workers: 1}
	const steps = 600
	middle := newSpheres(t, scene, brute(), o)
	walk(t, middle, steps)
	touched := 0
	for _, shift := range []r3.Vector{{X: 5}, {Y: -5}, {X: -4, Y: 5, Z: 5}, {X: 5, Y: -5, Z: -6}, {X: 900, Y: -1000, Z: 1100}} {
		moved := scene
		moved.Balls = slices.Clone(scene.Balls)
		for i := range moved.Balls {
			moved.Balls[i].Center = moved.Balls[i].Center.Add(shift)
		}
		w := newSpheres(t, moved, brute(), o)
		for range steps {
			walk(t, w, 1)
			for _, image := range w.Images() {
				if image != [3]int32{} {
					touched++
				}
			}
		}
		for i := range w.Balls() {
			near(t, "center", w.Unwrapped(i).Sub(shift), middle.Unwrapped(i), 1e-12*(10+shift.Norm()))
			near(t, "velocity", w.Velocities()[i], middle.Velocities()[i], 1e-11)
			in := w.Balls()[i].Center
			if !(in.X >= -4 && in.X <= 5 && in.Y >= -5 && in.Y <= 5 && in.Z >= -6 && in.Z <= 5) {
				t.Errorf("center %v is outside the cell", in)
			}
		}
	}
	if touched == 0 {
		t.Error("the balls never touch through a side")
	}
}

// TestPeriodicDisksLikeBalls compares disks with balls of the same masses in one plane.
func TestPeriodicDisksLikeBalls(t *testing.T) {
	const radius = 1.15e-3
	plane := lanes(5, 3)
	var space SphereScene
	for i, d := range plane.Disks {
		plane.Disks[i].Radius = radius // balls and disks have the same ratios of masses only if all are equal
		space.Balls = append(space.Balls, neighbor.Sphere{Center: in3D(&d.Center), Radius: radius})
		space.Velocities = append(space.Velocities, in3D(&plane.Velocities[i]))
	}
	space.Walls = bvh.Box{Min: r3.Vector{Z: -1}, Max: r3.Vector{X: plane.Walls.Max.X, Y: plane.Walls.Max.Y, Z: 1}}
	space.Gravity, space.Periodic = in3D(&plane.Gravity), [3]bool{true, false, true}
	o := planeOptions
	a := newDisks(t, plane, bruteDisks(), o)
	o.Density *= a.Mass(0) / sphereMass(radius, o.Density)
	b := newSpheres(t, space, brute(), o)
	walk(t, a, 200)
	walk(t, b, 200)
	for i := range a.Disks() {
		p := a.Unwrapped(i)
		near(t, "center", in3D(&p), b.Unwrapped(i), 1e-14)
	}
	if pairs, _ := a.Contacts(); len(pairs) == 0 {
		t.Error("no contacts")
	}
}

// TestPeriodicTwoCells compares a cell with a cell of twice the length that has everything twice.
func TestPeriodicTwoCells(t *testing.T) {
	t.Run("spheres", func(t *testing.T) {
		one := crowd(4, 2)
		side := one.Walls.Max.X
		two := one
		two.Balls, two.Velocities = slices.Clone(one.Balls), slices.Repeat(one.Velocities, 2)
		for _, b := range one.Balls {
			b.Center.X += side
			two.Balls = append(two.Balls, b)
		}
		two.Walls.Max.X *= 2
		o := gasOptions
		o.Damping = 20
		a, b := newSpheres(t, one, brute(), o), newSpheres(t, two, brute(), o)
		walk(t, a, 300)
		walk(t, b, 300)
		for i := range one.Balls {
			near(t, "center", b.Unwrapped(i), a.Unwrapped(i), 1e-12*side)
			near(t, "center of the copy", b.Unwrapped(i+len(one.Balls)).Sub(r3.Vector{X: side}), a.Unwrapped(i), 1e-12*side)
		}
		if ea, eb := a.Energy().Total(), b.Energy().Total(); math.Abs(eb-2*ea) > 1e-10*ea {
			t.Errorf("energy %v, in two cells %v", ea, eb)
		}
		if pairs, _ := a.Contacts(); len(pairs) == 0 || isEmpty(a.Images()) {
			t.Error("no contacts through sides")
		}
	})
	t.Run("polygons", func(t *testing.T) {
		one := flow(t, 3, 2)
		side := one.Walls.Max.X
		two := one
		two.Polygons = slices.Clone(one.Polygons)
		for _, p := range one.Polygons {
			p.Pose.At.X += side
			two.Polygons = append(two.Polygons, p)
		}
		two.Walls.Max.X *= 2
		o := rubbleOptions
		o.Damping = 5
		a, b := newPolygons(t, one, bruteRects(), o), newPolygons(t, two, bruteRects(), o)
		across := 0
		for range 300 {
			walk(t, a, 1)
			walk(t, b, 1)
			if len(b.Contacts()) != 2*len(a.Contacts()) {
				t.Fatalf("step %d: %d contacts, in two cells %d", a.Steps(), len(a.Contacts()), len(b.Contacts()))
			}
			for _, c := range a.Contacts() {
				if c.Image != [3]int32{} {
					across++
				}
			}
		}
		n := a.Len()
		for i := range n {
			p, q, r := a.Unwrapped(i), b.Unwrapped(i), b.Unwrapped(i+n)
			near(t, "center", in3D(&q), in3D(&p), 1e-9)
			near(t, "center of the copy", r3.Vector{X: r.X - side, Y: r.Y}, in3D(&p), 1e-9)
			if d := b.Pose(i).Angle - a.Pose(i).Angle; math.Abs(d) > 1e-9 {
				t.Errorf("polygon %d: the angles differ by %v", i, d)
			}
		}
		ea, eb := a.Energy().Total(), b.Energy().Total()
		for i := range n {
			eb += a.mass[i] * one.Gravity.X * side // the copy has less potential energy
		}
		if math.Abs(eb-2*ea) > 1e-8*math.Abs(ea) {
			t.Errorf("energy %v, in two cells %v", ea, eb)
		}
		if across == 0 {
			t.Error("no contacts through sides")
		}
	})
}

func isEmpty(images [][3]int32) bool {
	return !slices.ContainsFunc(images, func(i [3]int32) bool { return i != [3]int32{} })
}

// TestPeriodicConserves checks momentum and energy without damping, and momentum with damping.
func TestPeriodicConserves(t *testing.T) {
	for _, damping := range []float64{0, 30} {
		o := gasOptions
		o.Damping = damping
		w := newSpheres(t, crowd(5, 4), fast[neighbor.Sphere](1), o)
		scale := 0.
		for i, v := range w.Velocities() {
			scale += w.Mass(i) * v.Norm()
		}
		momentum, energy := w.Momentum(), w.Energy().Total()
		walk(t, w, 1000)
		near(t, "momentum of balls", w.Momentum(), momentum, 1e-12*scale)
		change := w.Energy().Total()/energy - 1
		if damping == 0 && math.Abs(change) > 1e-3 || damping > 0 && change >= 0 {
			t.Errorf("damping %v: the energy changes by the factor %v", damping, 1+change)
		}
	}
	for _, damping := range []float64{0, 30} {
		s := flow(t, 4, 5)
		s.Periodic, s.Gravity = [2]bool{true, true}, r2.Point{}
		o := rubbleOptions
		o.Damping = damping
		w := newPolygons(t, s, bruteRects(), o)
		momentum, _ := w.Momentum()
		walk(t, w, 500)
		after, _ := w.Momentum()
		near(t, "momentum of polygons", in3D(&after), in3D(&momentum), 1e-10)
	}
}

// TestPeriodicEnergyOrder checks that the error of the energy has order 2 in the step, also while
// balls cross sides under gravity along a periodic axis.
func TestPeriodicEnergyOrder(t *testing.T) {
	s := crowd(3, 7)
	s.Gravity = r3.Vector{X: 3, Y: -1}
	var errs []float64
	for _, parts := range []int{1, 2, 4, 8} {
		o := gasOptions
		o.TimeStep /= float64(parts)
		w := newSpheres(t, s, brute(), o)
		before := w.Energy().Total()
		worst := 0.
		for range 200 * parts {
			walk(t, w, 1)
			worst = max(worst, math.Abs(w.Energy().Total()-before))
		}
		errs = append(errs, worst)
	}
	if p := slope(errs); p < 1.8 {
		t.Errorf("order %.2f, want 2; errors %v", p, errs)
	}
}

// TestPeriodicDrift checks free fall along a periodic axis: particles cross the sides many times, and
// the total energy stays.
func TestPeriodicDrift(t *testing.T) {
	o := Options{TimeStep: 1e-3, Stiffness: 1, Workers: 1}
	s := DiskScene{Disks: []neighbor.Disk{{Center: r2.Point{X: .5, Y: .5}, Radius: .5}}, Velocities: []r2.Point{{X: 7}},
		Walls: neighbor.Rect{Max: r2.Point{X: 1, Y: 1.5}}, Periodic: [2]bool{true, true}, Gravity: r2.Point{Y: -10}}
	w := newDisks(t, s, bruteDisks(), o)
	p := newPolygons(t, PolygonScene{Polygons: []Polygon{{Shape: regular(t, 6, .4), Pose: polygon.Pose{At: r2.Point{X: .5, Y: .5}}, Velocity: r2.Point{X: 7}}},
		Walls: s.Walls, Periodic: s.Periodic, Gravity: s.Gravity}, bruteRects(), o)
	e, ep := w.Energy().Total(), p.Energy().Total()
	walk(t, w, 3000)
	walk(t, p, 3000)
	want := r3.Vector{X: 21.5, Y: .5 - 45}
	got, gotP := w.Unwrapped(0), p.Unwrapped(0)
	near(t, "disk", in3D(&got), want, 1e-10)
	near(t, "polygon", in3D(&gotP), want, 1e-10)
	for _, c := range []r2.Point{w.Disks()[0].Center, p.Center(0)} {
		if !(c.X >= 0 && c.X <= 1 && c.Y >= 0 && c.Y <= 1.5) {
			t.Errorf("center %v is outside the cell", c)
		}
	}
	if d, dp := w.Energy().Total()-e, p.Energy().Total()-ep; math.Abs(d) > 1e-9 || math.Abs(dp) > 1e-9 {
		t.Errorf("the energies change by %v and %v", d, dp)
	}
}

// TestPeriodicSeveralImages checks two disks that touch each other through two images.
func TestPeriodicSeveralImages(t *testing.T) {
	s := DiskScene{Disks: []neighbor.Disk{{Center: r2.Point{X: .2}, Radius: .3}, {Center: r2.Point{X: .75}, Radius: .3}},
		Walls: neighbor.Rect{Min: r2.Point{Y: -1}, Max: r2.Point{X: 1, Y: 1}}, Periodic: [2]bool{true, false}}
	w := newDisks(t, s, bruteDisks(), Options{TimeStep: 1e-3, Stiffness: 100, Workers: 1})
	pairs, forces := w.Contacts()
	if len(pairs) != 2 || pairs[0] != pairs[1] || !slices.Equal(w.Images(), [][3]int32{{-1}, {}}) {
		t.Fatalf("pairs %v, images %v", pairs, w.Images())
	}
	// Through the side, the disks overlap by .6 − .45. In the cell, they overlap by .6 − .55.
	for i, want := range []r2.Point{{X: 15}, {X: -5}} {
		near(t, "force", in3D(&forces[i]), in3D(&want), 1e-12)
	}
	if e := w.Energy().Elastic; math.Abs(e-50*(.15*.15+.05*.05)) > 1e-12 {
		t.Errorf("elastic energy %v", e)
	}
}

// TestPeriodicContactPoints checks that the contact points of polygons are in both polygons, also after
// a step moved a polygon into the cell.
func TestPeriodicContactPoints(t *testing.T) {
	s := flow(t, 4, 8)
	for i := range s.Polygons {
		s.Polygons[i].Pose.At.X-- // the centers of the first column are at the side of the cell
	}
	w := newPolygons(t, s, bruteRects(), rubbleOptions)
	period := w.border.period
	across, crossed := 0, 0
	for range 400 {
		before := make([]r2.Point, w.Len())
		for i := range before {
			before[i] = w.Center(i)
		}
		walk(t, w, 1)
		for _, c := range w.Contacts() {
			a, b := w.Body(int(c.Pair.A)), w.Body(int(c.Pair.B))
			atB := r2.Point{X: c.At.X - float64(c.Image[0])*period.X, Y: c.At.Y}
			for _, row := range []struct {
				body polygon.Body
				at   r2.Point
			}{{a, c.At}, {b, atB}} {
				low, high := row.body.Bounds()
				const e = 1e-3 // the corrector moves the polygons a little
				if row.at.X < low.X-e || row.at.X > high.X+e || row.at.Y < low.Y-e || row.at.Y > high.Y+e {
					t.Fatalf("step %d: contact %+v is not in the box from %v to %v", w.Steps(), c, low, high)
				}
			}
			if c.Image != [3]int32{} {
				across++
			}
			if math.Abs(w.Center(int(c.Pair.A)).X-before[c.Pair.A].X) > 1 {
				crossed++
			}
		}
	}
	if across == 0 || crossed == 0 {
		t.Errorf("%d contacts through sides, %d of a polygon that crossed a side", across, crossed)
	}
}

// TestPeriodicSameBits checks that trajectories depend neither on the method nor on the workers.
func TestPeriodicSameBits(t *testing.T) {
	steps := 40
	if testing.Short() {
		steps = 4
	}
	// There are several blocks of particles.
	balls, disks, stones := crowd(9, 1), lanes(25, 1), flow(t, 24, 1)
	var hashes [3][]uint64
	for _, m := range methods[neighbor.Sphere]() {
		for _, workers := range []int{1, 2, 3} {
			o := gasOptions
			o.Workers, o.Damping = workers, 10
			w := newSpheres(t, balls, m.new(workers), o)
			walk(t, w, steps)
			pairs, forces := w.Contacts()
			hashes[0] = append(hashes[0], hash(w.Balls(), w.Velocities(), pairs, forces, w.Images(), w.now.crossings, w.Energy()))
		}
	}
	for _, m := range methods[neighbor.Disk]() {
		for _, workers := range []int{1, 2, 3} {
			o := planeOptions
			o.Workers = workers
			w := newDisks(t, disks, m.new(workers), o)
			walk(t, w, steps)
			pairs, forces := w.Contacts()
			hashes[1] = append(hashes[1], hash(w.Disks(), w.Velocities(), pairs, forces, w.Images(), w.now.crossings, w.Energy()))
		}
	}
	for _, m := range methods[neighbor.Rect]() {
		for _, workers := range []int{1, 2, 3} {
			o := rubbleOptions
			o.Workers = workers
			w := newPolygons(t, stones, m.new(workers), o)
			walk(t, w, steps)
			hashes[2] = append(hashes[2], hash(polygonHash(w), w.now.crossings))
		}
	}
	for k, h := range hashes {
		for i := range h {
			if h[i] != h[0] {
				t.Errorf("kind %d, run %d: another trajectory", k, i)
			}
		}
	}
}

// TestPeriodicTranslation checks that a lattice translated by any vector has the same trajectory,
// except for rounding.
func TestPeriodicTranslation(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	s := crowd(4, 6)
	side := s.Walls.Max.X
	first := newSpheres(t, s, brute(), gasOptions)
	walk(t, first, 200)
	stones := flow(t, 3, 6)
	width := stones.Walls.Max.X
	rubbing := rubbleOptions // contacts through the sides have friction too
	rubbing.Friction = .4
	still := newPolygons(t, stones, bruteRects(), rubbing)
	walk(t, still, 150)
	for range 5 {
		shift := r3.Vector{X: rng.Float64(), Y: rng.NormFloat64(), Z: 3 * rng.NormFloat64()}.Mul(side)
		moved := s
		moved.Balls = slices.Clone(s.Balls)
		for i := range moved.Balls {
			moved.Balls[i].Center = moved.Balls[i].Center.Add(shift)
		}
		w := newSpheres(t, moved, fast[neighbor.Sphere](1), gasOptions)
		walk(t, w, 200)
		for i := range w.Balls() {
			near(t, "center", w.Unwrapped(i).Sub(shift), first.Unwrapped(i), 1e-10*side)
		}
		along := r2.Point{X: width * rng.NormFloat64()}
		other := stones
		other.Polygons = slices.Clone(stones.Polygons)
		for i := range other.Polygons {
			other.Polygons[i].Pose.At = other.Polygons[i].Pose.At.Add(along)
		}
		p := newPolygons(t, other, bruteRects(), rubbing)
		walk(t, p, 150)
		for i := range p.Len() {
			got, want := p.Unwrapped(i).Sub(along), still.Unwrapped(i)
			near(t, "polygon", in3D(&got), in3D(&want), 1e-9)
		}
	}
}

// TestPeriodicFixed checks a fixed polygon in another cell: a polygon falls on its image.
func TestPeriodicFixed(t *testing.T) {
	s := PolygonScene{
		Polygons: []Polygon{
			{Shape: rectangle(t, 4, 1), Pose: polygon.Pose{At: r2.Point{X: 78}}, Fixed: true}, // in the cell, x from -2 to 2
			{Shape: rectangle(t, 1, 1), Pose: polygon.Pose{At: r2.Point{X: 8.2, Y: 1.2}}},
		},
		Walls: neighbor.Rect{Min: r2.Point{Y: -5}, Max: r2.Point{X: 10, Y: 5}}, Periodic: [2]bool{true, false}, Gravity: r2.Point{Y: -1},
	}
	w := newPolygons(t, s, bruteRects(), Options{TimeStep: 1e-3, Stiffness: 1e3, Damping: 10, Workers: 1})
	walk(t, w, 5000)
	want := r3.Vector{X: 8.7, Y: 1.5 - 1e-3} // the overlap has the area mass·gravity/stiffness
	got := w.Center(1)
	near(t, "center", in3D(&got), want, 1e-6)
	if len(w.Contacts()) != 1 || w.Contacts()[0].Image != [3]int32{-1} {
		t.Errorf("contacts %+v", w.Contacts())
	}
}

func TestPeriodicErrors(t *testing.T) {
	x := [3]bool{true}
	inf := math.Inf(1)
	box := func(x float64) bvh.Box { return bvh.Box{Max: r3.Vector{X: x, Y: 1, Z: 1}} }
	ball := neighbor.Sphere{Center: r3.Vector{X: .5, Y: .5, Z: .5}, Radius: .4}
	o := Options{TimeStep: 1e-3, Stiffness: 1, Workers: 1}
	open := bvh.Box{Min: r3.Vector{X: -inf, Y: -1, Z: -1}, Max: r3.Vector{X: 1, Y: 1, Z: 1}}
	for _, row := range []struct {
		name  string
		scene SphereScene
		want  error
		text  string
	}{
		{"no walls", SphereScene{Periodic: x}, ErrOptions, "axis x from 0 to 0"},
		{"no walls, typed", SphereScene{Periodic: x}, neighbor.ErrCell, "sides of a cell"},
		{"infinite side", SphereScene{Walls: open, Periodic: x}, ErrOptions, "axis x from -Inf to 1"},
		{"bad wall on another axis", SphereScene{Walls: bvh.Box{Max: r3.Vector{X: 1, Y: 1}}, Periodic: x}, ErrOptions, "enclose a space"},
		{"large ball", SphereScene{Balls: []neighbor.Sphere{ball}, Walls: box(.7), Periodic: x}, neighbor.ErrBody, "body 0: its size 0.8 on axis x must not exceed the period 0.7"},
		{"far away", SphereScene{Balls: []neighbor.Sphere{{Center: r3.Vector{X: 1e30, Y: .5, Z: .5}, Radius: .1}}, Walls: box(1), Periodic: x}, ErrParticle, "ball 0 is too far from the periodic cell"},
		{"outside a wall", SphereScene{Balls: []neighbor.Sphere{{Center: r3.Vector{X: 5, Y: 1.5, Z: .5}, Radius: .1}}, Walls: box(1), Periodic: x}, ErrParticle, "not inside the walls"},
		{"same center", SphereScene{Balls: []neighbor.Sphere{ball, {Center: ball.Center.Add(r3.Vector{X: 3}), Radius: .1}}, Walls: box(1), Periodic: x}, ErrParticle, "balls 0 and 1 have the same center"},
	} {
		_, err := NewSpheres(t.Context(), row.scene, brute(), o)
		checkError(t, row.name, err, row.want, row.text)
	}
	cell := neighbor.Cell{Max: r3.Vector{X: 1, Y: 1, Z: 1}, Periodic: x}
	method, err := neighbor.NewPeriodic(brute(), cell)
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewSpheres(t.Context(), SphereScene{Balls: []neighbor.Sphere{ball}}, method, o)
	checkError(t, "periodic method", err, ErrOptions, "pass its inner method")

	long := Polygon{Shape: rectangle(t, 2, .1), Pose: polygon.Pose{At: r2.Point{Y: .5}, Angle: 0}}
	_, err = NewPolygons(t.Context(), PolygonScene{Polygons: []Polygon{long}, Walls: neighbor.Rect{Max: r2.Point{X: 1, Y: 1}}, Periodic: [2]bool{true}}, bruteRects(), o)
	checkError(t, "long polygon", err, neighbor.ErrBody, "body 0: its size 2")
	long.Pose.At.X = 1e60
	_, err = NewPolygons(t.Context(), PolygonScene{Polygons: []Polygon{long}, Walls: neighbor.Rect{Max: r2.Point{X: 3, Y: 1}}, Periodic: [2]bool{true}}, bruteRects(), o)
	checkError(t, "polygon far away", err, ErrParticle, "polygon 0 at")
	_, err = NewPolygons(t.Context(), PolygonScene{Polygons: []Polygon{{Shape: long.Shape}}, Walls: neighbor.Rect{Max: r2.Point{X: 0x1p199, Y: 1}}, Periodic: [2]bool{true}}, bruteRects(), o)
	checkError(t, "huge cell", err, ErrParticle, "out of the range of coordinates")
	_, err = NewPolygons(t.Context(), PolygonScene{Walls: neighbor.Rect{Max: r2.Point{Y: 1}}, Periodic: [2]bool{true}}, bruteRects(), o)
	checkError(t, "empty cell", err, neighbor.ErrCell, "axis x from 0 to 0")
}

// TestPeriodicFailedStep checks that a failed step changes nothing.
func TestPeriodicFailedStep(t *testing.T) {
	o := Options{TimeStep: 1, Stiffness: 1e-9, Workers: 1}
	balls := SphereScene{Balls: []neighbor.Sphere{{Radius: .1}}, Velocities: []r3.Vector{{X: 1e12}}, Walls: bvh.Box{Min: r3.Vector{Y: -1, Z: -1}, Max: r3.Vector{X: 1, Y: 1, Z: 1}}, Periodic: [3]bool{true}}
	w := newSpheres(t, balls, brute(), o)
	state := func() uint64 { return hash(w.Balls(), w.Velocities(), w.now.crossings, w.Steps()) }
	before := state()
	checkError(t, "ball", w.Step(t.Context()), ErrParticle, "ball 0 would leave the space")
	if state() != before {
		t.Error("a failed step has changed the world")
	}
	// The box of a long polygon that turns becomes larger than the cell.
	s := PolygonScene{Polygons: []Polygon{{Shape: rectangle(t, 1.5, .1), Pose: polygon.Pose{Angle: math.Pi / 2, At: r2.Point{X: .5}}, Spin: 1}},
		Walls: neighbor.Rect{Max: r2.Point{X: 1, Y: 2}}, Periodic: [2]bool{true}}
	p := newPolygons(t, s, bruteRects(), Options{TimeStep: .01, Stiffness: 1, Workers: 1})
	for range 1000 {
		old := polygonHash(p)
		err := p.Step(t.Context())
		if err == nil {
			continue
		}
		checkError(t, "polygon", err, neighbor.ErrBody, "must not exceed the period 1")
		if polygonHash(p) != old {
			t.Error("a failed step has changed the world")
		}
		return
	}
	t.Error("no step fails")
}

// BenchmarkPeriodic compares steps in a periodic cell with steps between walls.
func BenchmarkPeriodic(b *testing.B) {
	for _, periodic := range []bool{false, true} {
		for _, grid := range []bool{false, true} {
			b.Run(fmt.Sprintf("periodic=%v/grid=%v", periodic, grid), func(b *testing.B) {
				s := crowd(30, 1)
				if !periodic {
					s.Periodic = [3]bool{}
				}
				method := fast[neighbor.Sphere](1)
				if grid {
					method = neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{Workers: 1})
				}
				w, err := NewSpheres(b.Context(), s, method, gasOptions)
				if err != nil {
					b.Fatal(err)
				}
				walk(b, w, 3)
				for b.Loop() {
					walk(b, w, 1)
				}
			})
		}
	}
}
