package rigid

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
	"github.com/inpoly/inpoly/pose"
)

// cellOf returns a cell around the origin, with all axes periodic.
func cellOf(size float64) neighbor.Cell {
	half := r3.Vector{X: size / 2, Y: size / 2, Z: size / 2}
	return neighbor.Cell{Min: half.Mul(-1), Max: half, Periodic: [3]bool{true, true, true}}
}

// gasScene returns balls, bricks and compounds that fly in a periodic cell.
func gasScene(t testing.TB, at r3.Vector) Scene {
	shapes := []*Shape{ball(t, .08), polyhedron(t, box(brickSize, 1)), compoundL(t), polyhedron(t, stone(.1, .09, .08))}
	s := Scene{Cell: cellOf(1)}
	for i := range 27 {
		p := r3.Vector{X: float64(i % 3), Y: float64(i / 3 % 3), Z: float64(i / 9)}.Mul(1. / 3).Add(at)
		v := r3.Vector{X: float64(i%5) - 2, Y: float64(i%7) - 3, Z: float64(i%4) - 1.5}
		s.Bodies = append(s.Bodies, Body{Shape: shapes[i%4], Pose: turned(t, r3.Vector{X: 1, Y: float64(i), Z: 2}, float64(i), p), Density: 1000, Velocity: v, Spin: v.Mul(2)})
	}
	return s
}

// TestPeriodicGas checks energy and momentum of bodies in a periodic cell. A cell that is moved relative to the bodies
// must give the same motion, up to rounding.
func TestPeriodicGas(t *testing.T) {
	law := Linear{Ball: Spring{Stiffness: 1e5}, Surface: Spring{Stiffness: 2e7}}
	options := Options{TimeStep: 5e-5, Law: law}
	var ends []r3.Vector
	through := 0
	for k, at := range []r3.Vector{{}, {X: .31, Y: -.17, Z: .5}, {X: 7, Y: -3, Z: 12}} {
		w := newWorld(t, gasScene(t, at), options)
		e, p := w.Energy().Total(), w.Momentum()
		for range 2000 {
			walk(t, w, 1)
			for _, c := range w.Contacts() {
				if c.Image != [3]int32{} {
					through++
				}
			}
			if off := math.Abs(w.Energy().Total()/e - 1); off > 1e-3 {
				t.Fatalf("energy off by %g", off)
			}
		}
		if d := w.Momentum().Sub(p).Norm(); d > 1e-11*p.Norm() {
			t.Errorf("momentum off by %g of %g", d, p.Norm())
		}
		for i := range w.Len() {
			x := w.Center(i).Sub(at)
			if k == 0 {
				ends = append(ends, x)
			} else if d := x.Sub(ends[i]).Norm(); d > 1e-7 {
				t.Errorf("cell %d, body %d: at %v, want %v", k, i, x, ends[i])
			}
		}
	}
	if through < 100 {
		t.Errorf("%d contacts through sides: the test compares little", through)
	}
}

// TestPeriodicCollision compares collisions through a side with the same collisions in the middle.
func TestPeriodicCollision(t *testing.T) {
	shapes := []*Shape{ball(t, .1), polyhedron(t, box(r3.Vector{X: .2, Y: .2, Z: .2}, 1)), compoundL(t)}
	law := Linear{Ball: Spring{Stiffness: 1e5, Damping: 10}, Surface: Spring{Stiffness: 2e7, Damping: 1e4}, Friction: .3}
	for i, a := range shapes {
		for j, b := range shapes {
			scene := func(at r3.Vector, cell neighbor.Cell) Scene {
				return Scene{Cell: cell, Bodies: []Body{
					{Shape: a, Pose: turned(t, r3.Vector{X: 1, Y: 2, Z: 3}, 1, at), Velocity: r3.Vector{X: 1, Z: .1}, Density: 1000},
					{Shape: b, Pose: turned(t, r3.Vector{X: 3, Y: 1}, 2, at.Add(r3.Vector{X: .3, Y: .02})), Velocity: r3.Vector{X: -1}, Density: 1000},
				}}
			}
			options := Options{TimeStep: 1e-5, Law: law}
			middle := newWorld(t, scene(r3.Vector{X: -.15}, neighbor.Cell{}), options)
			border := scene(r3.Vector{X: .85}, cellOf(2))
			border.Bodies[1].Pose.Translation.X -= 2 // on the other side
			side := newWorld(t, border, options)
			touched := 0
			for range 9000 {
				walk(t, middle, 1)
				walk(t, side, 1)
				if len(middle.Contacts()) != len(side.Contacts()) {
					t.Fatalf("shapes %d and %d: %d and %d contacts", i, j, len(middle.Contacts()), len(side.Contacts()))
				}
				touched += len(side.Contacts())
			}
			for k, shift := range []float64{1, -1} {
				v, spin := middle.Velocity(k)
				u, turn := side.Velocity(k)
				if d := side.Center(k).Sub(r3.Vector{X: shift}).Sub(middle.Center(k)).Norm() + u.Sub(v).Norm() + turn.Sub(spin).Norm()*.1; d > 1e-8 {
					t.Errorf("shapes %d and %d, body %d: off by %g", i, j, k, d)
				}
			}
			if touched == 0 {
				t.Errorf("shapes %d and %d do not touch", i, j)
			}
		}
	}
}

// TestPeriodicWorkers compares trajectories in a periodic cell with gravity and ground for several numbers of workers.
func TestPeriodicWorkers(t *testing.T) {
	var want uint64
	for _, workers := range []int{1, 2, 3} {
		s := gasScene(t, r3.Vector{Z: .5})
		s.Cell.Periodic[2], s.Gravity, s.Walls = false, r3.Vector{Z: -9.81}, ground()
		w := newWorld(t, s, Options{TimeStep: 1e-4, Law: pourLaw, Workers: workers})
		walk(t, w, 1000)
		if workers == 1 {
			want = hashOf(w)
		} else if hashOf(w) != want {
			t.Errorf("%d workers: another trajectory", workers)
		}
	}
}

// TestPeriodicTurns checks that a body smaller than the cell can turn there.
func TestPeriodicTurns(t *testing.T) {
	s := Scene{Cell: cellOf(.22), Bodies: []Body{{Shape: polyhedron(t, stone(.1, .1, .1)), Pose: pose.At(r3.Vector{}), Density: 1000, Spin: r3.Vector{X: 3, Y: 2, Z: 1}}}}
	walk(t, newWorld(t, s, Options{TimeStep: 1e-2, Law: Linear{}}), 200)
}

// TestBadPeriodicScenes checks the errors of scenes that cannot be periodic.
func TestBadPeriodicScenes(t *testing.T) {
	brick, dented := polyhedron(t, box(brickSize, 1)), polyhedron(t, pebble(.1, .09, .08))
	floor := Wall{Solid: solidOf(t, box(r3.Vector{X: 1, Y: 1, Z: 1}, 1))}
	for _, row := range []struct {
		name   string
		change func(*Scene, *Options)
		want   error
		text   string
	}{
		{"not convex", func(s *Scene, _ *Options) { s.Bodies[1].Shape = dented }, ErrOptions, "body 1"},
		{"nodes", func(_ *Scene, o *Options) { o.Contacts = Nodes }, ErrOptions, "body 0"},
		{"mesh wall", func(s *Scene, _ *Options) { s.Walls = []Wall{floor} }, ErrOptions, "wall 0"},
		{"wall across", func(s *Scene, _ *Options) {
			s.Walls = []Wall{{HalfSpace: &HalfSpace{Normal: r3.Vector{X: 1, Z: 1}, Offset: -2}}}
		}, ErrOptions, "wall 0"},
		{"cell", func(s *Scene, _ *Options) { s.Cell.Max.Y = s.Cell.Min.Y }, neighbor.ErrCell, "axis y"},
		{"large body", func(s *Scene, _ *Options) { s.Cell = cellOf(.05) }, neighbor.ErrBody, "body 0"},
	} {
		s := Scene{Cell: cellOf(2), Bodies: []Body{{Shape: brick, Pose: pose.At(r3.Vector{})}, {Shape: brick, Pose: pose.At(r3.Vector{X: .5})}}}
		s.Cell.Periodic[2] = false
		s.Bounds = bvh.Box{Min: r3.Vector{X: 5, Y: 5, Z: -1}, Max: r3.Vector{X: 6, Y: 6, Z: 1}} // only z counts
		o := Options{TimeStep: 1e-3, Law: Linear{}}
		walk(t, newWorld(t, s, o), 2)
		row.change(&s, &o)
		_, err := New(t.Context(), s, o)
		checkError(t, row.name, err, row.want, row.text)
	}
}
