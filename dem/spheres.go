package dem

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// SphereScene is what a world of balls begins with.
type SphereScene struct {
	// Balls may overlap; no two may have the same center.
	Balls []neighbor.Sphere
	// Velocities of the balls, as many; nil if all are at rest.
	Velocities []r3.Vector
	// Walls is the box whose sides push the balls back, with the law of the balls. All centers
	// are strictly inside. Where a side is infinite there is no wall; the zero Box stands for
	// none at all.
	Walls bvh.Box
	// Gravity is the acceleration of free balls.
	Gravity r3.Vector
}

// Spheres is a world of balls in space: Muth, Müller, Eberhard, Luding 2007, eq. 1, with
// the Verlet integrator. It is for one goroutine at a time.
type Spheres struct {
	engine[neighbor.Sphere, r3.Vector]
	walls   bvh.Box
	gravity r3.Vector
}

// NewSpheres returns the world that begins with the scene, of which it keeps copies, and
// finds contacts by method, which nobody else may use. It fails with ErrOptions, with
// ErrParticle naming the first bad ball or two that push each other with a force that is not
// finite, with neighbor.ErrBody where method does, or with the error of ctx. It panics if the number of velocities is wrong.
func NewSpheres(ctx context.Context, scene SphereScene, method neighbor.Method[neighbor.Sphere], o Options) (*Spheres, error) {
	if scene.Velocities != nil && len(scene.Velocities) != len(scene.Balls) {
		panic(fmt.Sprintf("dem: %d velocities of %d balls", len(scene.Velocities), len(scene.Balls)))
	}
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	w := &Spheres{walls: scene.Walls, gravity: scene.Gravity}
	if w.walls == (bvh.Box{}) {
		inf := math.Inf(1)
		w.walls = bvh.Box{Min: r3.Vector{X: -inf, Y: -inf, Z: -inf}, Max: r3.Vector{X: inf, Y: inf, Z: inf}}
	}
	if err := checkSphereScene(scene, w.walls); err != nil {
		return nil, err
	}
	w.noun = "ball"
	w.fill(scene.Balls, scene.Velocities, method, o)
	for i, b := range scene.Balls {
		if err := w.weigh(i, b.Radius, sphereMass(b.Radius, o.Density)); err != nil {
			return nil, err
		}
	}
	w.kernels = kernels[r3.Vector]{predict: w.predict, pairs: w.pairForces, sum: w.sum, begin: w.accelerations, finish: w.finish, finite: finiteVector}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// checkSphereScene returns the error of the first bad ball.
func checkSphereScene(scene SphereScene, walls bvh.Box) error {
	if !(walls.Min.X < walls.Max.X && walls.Min.Y < walls.Max.Y && walls.Min.Z < walls.Max.Z) {
		return fmt.Errorf("dem: %w: walls from %v to %v enclose nothing", ErrOptions, walls.Min, walls.Max)
	}
	if !finiteVector(scene.Gravity) {
		return fmt.Errorf("dem: %w: gravity %v is not finite", ErrOptions, scene.Gravity)
	}
	for i, b := range scene.Balls {
		c := b.Center
		if !finiteVector(c) {
			return fmt.Errorf("dem: %w: center %v of ball %d is not finite", ErrParticle, c, i)
		}
		if !positive(b.Radius) {
			return fmt.Errorf("dem: %w: radius %v of ball %d, want a positive number", ErrParticle, b.Radius, i)
		}
		if !strictlyIn(walls, c) {
			return fmt.Errorf("dem: %w: center %v of ball %d is not inside the walls from %v to %v", ErrParticle, c, i, walls.Min, walls.Max)
		}
	}
	for i, v := range scene.Velocities {
		if !finiteVector(v) {
			return fmt.Errorf("dem: %w: velocity %v of ball %d is not finite", ErrParticle, v, i)
		}
	}
	return nil
}

// finiteVector reports whether all coordinates are finite.
func finiteVector(v r3.Vector) bool { return finite(v.X) && finite(v.Y) && finite(v.Z) }

// strictlyIn reports whether p is inside b and not on a side; NaN is not.
func strictlyIn(b bvh.Box, p r3.Vector) bool {
	return p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y && p.Z > b.Min.Z && p.Z < b.Max.Z
}

// Balls returns where the balls are. The slice belongs to the world, and is valid until the
// next step.
func (w *Spheres) Balls() []neighbor.Sphere { return w.now.bodies }

// Energy returns the energy of all balls, summed in their order.
func (w *Spheres) Energy() Energy {
	var e Energy
	s := &w.now
	for i, v := range s.velocity {
		e.Kinetic += w.mass[i] * v.Norm2() / 2
		e.Potential -= w.mass[i] * w.gravity.Dot(s.bodies[i].Center)
		c, r := s.bodies[i].Center, s.bodies[i].Radius
		e.Elastic += wallEnergy(c.X, r, w.walls.Min.X, w.walls.Max.X) +
			wallEnergy(c.Y, r, w.walls.Min.Y, w.walls.Max.Y) +
			wallEnergy(c.Z, r, w.walls.Min.Z, w.walls.Max.Z)
	}
	for _, p := range s.pairs {
		a, b := &s.bodies[p.A], &s.bodies[p.B]
		overlap := max(0, a.Radius+b.Radius-a.Center.Sub(b.Center).Norm())
		e.Elastic += overlap * overlap
	}
	e.Elastic *= w.opt.Stiffness / 2
	return e
}

// Momentum returns that of all balls, summed in their order.
func (w *Spheres) Momentum() r3.Vector {
	var sum r3.Vector
	for i, v := range w.now.velocity {
		sum = sum.Add(v.Mul(w.mass[i]))
	}
	return sum
}
