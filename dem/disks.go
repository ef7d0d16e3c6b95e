package dem

import (
	"context"
	"fmt"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/neighbor"
)

// DiskScene is what a world of disks begins with.
type DiskScene struct {
	// Disks may overlap; no two may have the same center.
	Disks []neighbor.Disk
	// Velocities of the disks, as many; nil if all are at rest.
	Velocities []r2.Point
	// Walls is the rectangle whose sides push the disks back, with the law of the disks. All centers
	// are strictly inside. Where a side is infinite there is no wall; the zero Rect stands
	// for none at all.
	Walls neighbor.Rect
	// Gravity is the acceleration of free disks.
	Gravity r2.Point
}

// Disks is a world of disks in the plane: Muth, Müller, Eberhard, Luding 2007, eq. 1, with
// the Verlet integrator. It is for one goroutine at a time.
type Disks struct {
	engine[neighbor.Disk, r2.Point]
	walls   neighbor.Rect
	gravity r2.Point
}

// NewDisks returns the world that begins with the scene, of which it keeps copies, and
// finds contacts by method, which nobody else may use. It fails with ErrOptions, with
// ErrParticle naming the first bad disk or two that push each other with a force that is not
// finite, with neighbor.ErrBody where method does, or with the error of ctx. It panics if the number of velocities is wrong.
func NewDisks(ctx context.Context, scene DiskScene, method neighbor.Method[neighbor.Disk], o Options) (*Disks, error) {
	if scene.Velocities != nil && len(scene.Velocities) != len(scene.Disks) {
		panic(fmt.Sprintf("dem: %d velocities of %d disks", len(scene.Velocities), len(scene.Disks)))
	}
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	w := &Disks{walls: scene.Walls, gravity: scene.Gravity}
	if w.walls == (neighbor.Rect{}) {
		w.walls = everywhere()
	}
	if err := checkDiskScene(scene, w.walls); err != nil {
		return nil, err
	}
	w.noun = "disk"
	w.fill(scene.Disks, scene.Velocities, method, o)
	for i, b := range scene.Disks {
		if err := w.weigh(i, b.Radius, diskMass(b.Radius, o.Density)); err != nil {
			return nil, err
		}
	}
	w.kernels = kernels[r2.Point]{predict: w.predict, pairs: w.pairForces, sum: w.sum, begin: w.accelerations, finish: w.finish, finite: finitePoint}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// checkDiskScene returns the error of the first bad disk.
func checkDiskScene(scene DiskScene, walls neighbor.Rect) error {
	if err := checkWalls(walls, scene.Gravity); err != nil {
		return err
	}
	for i, b := range scene.Disks {
		c := b.Center
		if !finitePoint(c) {
			return fmt.Errorf("dem: %w: center %v of disk %d is not finite", ErrParticle, c, i)
		}
		if !positive(b.Radius) {
			return fmt.Errorf("dem: %w: radius %v of disk %d, want a positive number", ErrParticle, b.Radius, i)
		}
		if !strictlyWithin(walls, c) {
			return fmt.Errorf("dem: %w: center %v of disk %d is not inside the walls from %v to %v", ErrParticle, c, i, walls.Min, walls.Max)
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
func (w *Disks) Disks() []neighbor.Disk { return w.now.bodies }

// Energy returns the energy of all disks, summed in their order.
func (w *Disks) Energy() Energy {
	var e Energy
	s := &w.now
	for i, v := range s.velocity {
		e.Kinetic += w.mass[i] * dot(v, v) / 2
		e.Potential -= w.mass[i] * dot(w.gravity, s.bodies[i].Center)
		c, r := s.bodies[i].Center, s.bodies[i].Radius
		e.Elastic += wallEnergy(c.X, r, w.walls.Min.X, w.walls.Max.X) +
			wallEnergy(c.Y, r, w.walls.Min.Y, w.walls.Max.Y)
	}
	for _, p := range s.pairs {
		a, b := &s.bodies[p.A], &s.bodies[p.B]
		overlap := max(0, a.Radius+b.Radius-length(a.Center.Sub(b.Center)))
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
