package dem

import (
	"context"
	"fmt"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/neighbor"
)

// DiskScene is what a world of disks begins with.
type DiskScene struct {
	// Disks may overlap; no two may have the same centre.
	Disks []neighbor.Disk
	// Velocities of the disks, as many; nil if all are at rest.
	Velocities []r2.Point
	// Walls is the rectangle whose sides push the disks back, with the law of the disks. All centres
	// are strictly inside. Where a side is infinite there is no wall; the zero Rect stands
	// for none at all.
	Walls neighbor.Rect
	// Gravity is the acceleration of free disks.
	Gravity r2.Point
}

// Disks is a world of disks in the plane: Muth, Müller, Eberhard, Luding 2007, eq. 1, with
// the Verlet integrator. It is for one goroutine at a time.
type Disks struct {
	opt     Options
	walls   neighbor.Rect
	gravity r2.Point
	method  neighbor.Method[neighbor.Disk]
	mass    []float64
	now     diskState
	next    diskState // of the step being made; exchanged with now when it succeeded
	steps   uint64
	bad     first
	// The parts of a step, bound once: binding takes memory.
	predictWork, pairWork, finishWork func(worker, lo, hi int)
}

// diskState is all that a step changes.
type diskState struct {
	disks        []neighbor.Disk
	velocity     []r2.Point
	acceleration []r2.Point
	pairs        []neighbor.Pair
	force        []r2.Point // of pair i on its disk A
}

// NewDisks returns the world that begins with the scene, of which it keeps copies, and
// finds contacts by method, which nobody else may use. It fails with ErrOptions, with
// ErrParticle naming the first bad disk, with neighbor.ErrBody where method does, or
// with the error of ctx. It panics if the number of velocities is wrong.
func NewDisks(ctx context.Context, scene DiskScene, method neighbor.Method[neighbor.Disk], o Options) (*Disks, error) {
	if scene.Velocities != nil && len(scene.Velocities) != len(scene.Disks) {
		panic(fmt.Sprintf("dem: %d velocities of %d disks", len(scene.Velocities), len(scene.Disks)))
	}
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	w := &Disks{opt: o, walls: scene.Walls, gravity: scene.Gravity, method: method}
	if w.walls == (neighbor.Rect{}) {
		w.walls = everywhere()
	}
	if err := checkDiskScene(scene, w.walls); err != nil {
		return nil, err
	}
	n := len(scene.Disks)
	for _, s := range []*diskState{&w.now, &w.next} {
		s.disks = append([]neighbor.Disk(nil), scene.Disks...)
		s.velocity = make([]r2.Point, n)
		s.acceleration = make([]r2.Point, n)
	}
	copy(w.next.velocity, scene.Velocities)
	w.mass = make([]float64, n)
	for i, b := range scene.Disks {
		w.mass[i] = diskMass(b.Radius, o.Density)
		if !positive(w.mass[i]) {
			return nil, fmt.Errorf("dem: %w: disk %d of radius %v has the mass %v", ErrParticle, i, b.Radius, w.mass[i])
		}
	}
	w.predictWork, w.pairWork, w.finishWork = w.predict, w.pairForces, w.finish
	if err := w.forces(ctx); err != nil {
		return nil, err
	}
	w.begin()
	return w, nil
}

// checkDiskScene returns the error of the first bad disk.
func checkDiskScene(scene DiskScene, walls neighbor.Rect) error {
	if err := checkWalls(walls, scene.Gravity); err != nil {
		return err
	}
	for i, b := range scene.Disks {
		c := b.Centre
		if !finitePoint(c) {
			return fmt.Errorf("dem: %w: centre %v of disk %d is not finite", ErrParticle, c, i)
		}
		if !positive(b.Radius) {
			return fmt.Errorf("dem: %w: radius %v of disk %d, want a positive number", ErrParticle, b.Radius, i)
		}
		if !strictlyWithin(walls, c) {
			return fmt.Errorf("dem: %w: centre %v of disk %d is not inside the walls from %v to %v", ErrParticle, c, i, walls.Min, walls.Max)
		}
	}
	for i, v := range scene.Velocities {
		if !finitePoint(v) {
			return fmt.Errorf("dem: %w: velocity %v of disk %d is not finite", ErrParticle, v, i)
		}
	}
	return nil
}

// strictlyWithin reports whether p is inside b and not on a side; NaN is not.
func strictlyWithin(b neighbor.Rect, p r2.Point) bool {
	return p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y
}

// Disks returns where the disks are. The slice belongs to the world, and is valid until the
// next step.
func (w *Disks) Disks() []neighbor.Disk { return w.now.disks }

// Velocities returns those of the disks, like Disks.
func (w *Disks) Velocities() []r2.Point { return w.now.velocity }

// Contacts returns the pairs that touch and the forces on their disks A (those on B are
// the opposite), like Disks; pairs are ordered by A, then B.
func (w *Disks) Contacts() ([]neighbor.Pair, []r2.Point) { return w.now.pairs, w.now.force }

// Mass returns that of disk i.
func (w *Disks) Mass(i int) float64 { return w.mass[i] }

// Steps returns how many steps were made.
func (w *Disks) Steps() uint64 { return w.steps }

// Time returns the time since the beginning: steps times their length.
func (w *Disks) Time() float64 { return float64(w.steps) * w.opt.TimeStep }

// Energy returns the energy of all disks, summed in their order.
func (w *Disks) Energy() Energy {
	var e Energy
	s := &w.now
	for i, v := range s.velocity {
		e.Kinetic += w.mass[i] * dot(v, v) / 2
		e.Potential -= w.mass[i] * dot(w.gravity, s.disks[i].Centre)
		c, r := s.disks[i].Centre, s.disks[i].Radius
		e.Elastic += wallEnergy(c.X, r, w.walls.Min.X, w.walls.Max.X) +
			wallEnergy(c.Y, r, w.walls.Min.Y, w.walls.Max.Y)
	}
	for _, p := range s.pairs {
		a, b := &s.disks[p.A], &s.disks[p.B]
		overlap := max(0, a.Radius+b.Radius-length(a.Centre.Sub(b.Centre)))
		e.Elastic += overlap * overlap
	}
	e.Elastic *= w.opt.Stiffness / 2
	return e
}

// Momentum returns that of all disks, summed in their order.
func (w *Disks) Momentum() r2.Point {
	var sum r2.Point
	for i, v := range w.now.velocity {
		sum = sum.Add(times(w.mass[i], v))
	}
	return sum
}
