package dem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// Polygon is a convex polygon of a scene.
type Polygon struct {
	Shape *polygon.Shape
	Pose  polygon.Pose
	// Velocity of the center of mass.
	Velocity r2.Point
	// Spin is the angular velocity, counterclockwise.
	Spin float64
	// Fixed polygons do not move, whatever pushes them: walls of any direction. They must be
	// at rest, and may be outside the walls.
	Fixed bool
}

// PolygonScene is what a world of polygons begins with.
type PolygonScene struct {
	// Polygons may overlap, but none may lie inside another one.
	Polygons []Polygon
	// Walls is the rectangle whose sides push the polygons back, as if the outside was a
	// fixed polygon. All centers of mass are strictly inside. Where a side is infinite there is
	// no wall; the zero Rect stands for none at all.
	Walls neighbor.Rect
	// Gravity is the acceleration of free polygons.
	Gravity r2.Point
}

// Polygons is a world of convex polygons in the plane, Schinner 1999: bounding boxes find
// who may touch, closest features who does, and the area of the overlap is the force.
// It is for one goroutine at a time.
//
// The force acts at the centroid of the overlap, at a right angle to the chord between the
// points where the boundaries cross (polygon.Overlap). With Options.Stiffness k (in N/m²),
// Options.Damping d (in Ns/m²) and the area A its size is k·A + d·dA/dt, the law of eq. 1 of
// Muth, Müller, Eberhard, Luding 2007 with the area for the overlap; so two edges of length
// L that meet have the spring constant k·L and the damping d·L. There is no friction.
//
// Against a wall the force is buoyancy: it has the potential k·A·depth of the centroid,
// and energy is kept. Between two polygons that is so while corners of one are in one edge of
// the other; otherwise the direction of the chord depends on both, and a contact may
// give or take a little energy, as in all laws of that kind.
type Polygons struct {
	opt     Options
	walls   neighbor.Rect
	gravity r2.Point
	method  neighbor.Method[neighbor.Rect]
	mass    []float64
	inertia []float64
	fixed   []bool
	center  []r2.Point // of mass, in the frame of the shape
	now     polygonState
	next    polygonState // of the step being made; exchanged with now when it succeeded
	steps   uint64
	bad     first

	// The predicted step.
	boxes   []neighbor.Rect
	touches []touch // of the pairs of next
	wrench  []wrench
	// The parts of a step, bound once: binding takes memory.
	predictWork, pairWork, finishWork func(worker, lo, hi int)
}

// polygonState is all that a step changes.
type polygonState struct {
	gear     []gearState
	pose     []polygon.Pose  // by gear
	bodies   []polygon.Body  // in these poses
	pairs    []neighbor.Pair // of boxes that touch
	closest  []polygon.Pair  // of pair i; it changes no answer, only its time
	contacts []PolygonContact
}

// PolygonContact is two polygons that overlap.
type PolygonContact struct {
	Pair  neighbor.Pair
	Area  float64
	At    r2.Point // centroid of the area
	Force r2.Point // on Pair.B; that on Pair.A is the opposite
}

// touch is what a pair of boxes comes to.
type touch struct {
	area      float64 // 0: the polygons do not overlap
	at, force r2.Point
}

// wrench is a force on a polygon and its moment about the center of mass.
type wrench struct {
	force  r2.Point
	moment float64
}

// NewPolygons returns the world that begins with the scene and finds boxes that touch by
// method, which nobody else may use. It fails with ErrOptions, with ErrParticle naming the
// first bad polygon or two that push each other with a force that is not finite, with
// neighbor.ErrBody where method does, or with the error of ctx.
//
// The integrator begins with accelerations, but no higher derivatives: as if all contacts
// began in that moment. Its order is lower for them in the first steps.
func NewPolygons(ctx context.Context, scene PolygonScene, method neighbor.Method[neighbor.Rect], o Options) (*Polygons, error) {
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	n := len(scene.Polygons)
	w := &Polygons{opt: o, walls: scene.Walls, gravity: scene.Gravity, method: method,
		mass: make([]float64, n), inertia: make([]float64, n), fixed: make([]bool, n),
		center: make([]r2.Point, n), boxes: make([]neighbor.Rect, n), wrench: make([]wrench, n)}
	if w.walls == (neighbor.Rect{}) {
		w.walls = everywhere()
	}
	if err := checkWalls(w.walls, scene.Gravity); err != nil {
		return nil, err
	}
	w.next.gear, w.next.pose, w.next.bodies = make([]gearState, n), make([]polygon.Pose, n), make([]polygon.Body, n)
	for i := range scene.Polygons {
		if err := w.place(i, &scene.Polygons[i]); err != nil {
			return nil, err
		}
	}
	w.predictWork, w.pairWork, w.finishWork = w.predict, w.pairForces, w.finish
	if err := w.forces(ctx); err != nil {
		return nil, err
	}
	for i := range w.mass {
		if a, ok := w.accelerate(i); ok {
			if !finite(a[0]) || !finite(a[1]) || !finite(a[2]) {
				return nil, w.tooStrong(int32(i))
			}
			w.next.gear[i][2] = a
		}
	}
	w.now = w.next
	w.next = polygonState{gear: slices.Clone(w.now.gear), pose: slices.Clone(w.now.pose), bodies: slices.Clone(w.now.bodies)}
	return w, nil
}

// place puts polygon i into the next state.
func (w *Polygons) place(i int, p *Polygon) (err error) {
	if p.Shape == nil {
		return fmt.Errorf("dem: %w: polygon %d has no shape", ErrParticle, i)
	}
	s := &w.next
	if s.bodies[i], err = polygon.Place(p.Shape, p.Pose); err != nil {
		return fmt.Errorf("dem: %w: polygon %d: %w", ErrParticle, i, err)
	}
	if !finitePoint(p.Velocity) || !finite(p.Spin) {
		return fmt.Errorf("dem: %w: velocity %v or spin %v of polygon %d is not finite", ErrParticle, p.Velocity, p.Spin, i)
	}
	w.fixed[i], w.center[i], s.pose[i] = p.Fixed, p.Shape.Centroid(), p.Pose
	w.mass[i] = w.opt.Density * p.Shape.Area()
	w.inertia[i] = w.opt.Density * p.Shape.SecondMoment()
	if !positive(w.mass[i]) || !positive(w.inertia[i]) {
		return fmt.Errorf("dem: %w: polygon %d has the mass %v and the moment of inertia %v", ErrParticle, i, w.mass[i], w.inertia[i])
	}
	at := s.bodies[i].Centroid()
	switch {
	case p.Fixed && (p.Velocity != r2.Point{} || p.Spin != 0):
		return fmt.Errorf("dem: %w: polygon %d is fixed and moves", ErrParticle, i)
	case !p.Fixed && !strictlyWithin(w.walls, at):
		return fmt.Errorf("dem: %w: center %v of polygon %d is not inside the walls from %v to %v", ErrParticle, at, i, w.walls.Min, w.walls.Max)
	}
	h := w.opt.TimeStep
	s.gear[i][0] = [degrees]float64{at.X, at.Y, p.Pose.Angle}
	s.gear[i][1] = [degrees]float64{p.Velocity.X * h, p.Velocity.Y * h, p.Spin * h}
	w.boxes[i].Min, w.boxes[i].Max = s.bodies[i].Bounds()
	return nil
}

// tooStrong returns the error for polygon i of the next state, whose acceleration is not finite.
func (w *Polygons) tooStrong(i int32) error {
	for _, c := range w.next.contacts {
		if (c.Pair.A == i || c.Pair.B == i) && !finitePoint(c.Force) {
			return fmt.Errorf("dem: %w: polygons %d and %d would begin with the force %v on each other: the stiffness or the damping is too large",
				ErrParticle, c.Pair.A, c.Pair.B, c.Force)
		}
	}
	return fmt.Errorf("dem: %w: polygon %d of mass %v would begin with a motion that is not finite: the stiffness, the damping or the time step is too large, or the mass too small",
		ErrParticle, i, w.mass[i])
}

// put moves polygon i of the next state to where the integrator has it, and reports whether that
// is in range.
func (w *Polygons) put(i int) bool {
	s := &w.next
	g := &s.gear[i]
	sin, cos := math.Sincos(g[0][2])
	c := w.center[i]
	s.pose[i] = polygon.Pose{Angle: g[0][2], At: r2.Point{
		X: g[0][0] - (float64(cos*c.X) - float64(sin*c.Y)),
		Y: g[0][1] - (float64(sin*c.X) + float64(cos*c.Y)),
	}}
	return s.bodies[i].Move(s.pose[i]) == nil
}

// Len returns the number of polygons.
func (w *Polygons) Len() int { return len(w.mass) }

// Pose returns where polygon i is.
func (w *Polygons) Pose(i int) polygon.Pose { return w.now.pose[i] }

// Body returns polygon i in its pose.
func (w *Polygons) Body(i int) polygon.Body { return w.now.bodies[i] }

// Center returns the center of mass of polygon i.
func (w *Polygons) Center(i int) r2.Point {
	g := &w.now.gear[i]
	return r2.Point{X: g[0][0], Y: g[0][1]}
}

// Velocity returns that of the center of mass of polygon i, and its spin.
func (w *Polygons) Velocity(i int) (v r2.Point, spin float64) {
	return w.velocity(&w.now.gear[i])
}

func (w *Polygons) velocity(g *gearState) (v r2.Point, spin float64) {
	h := w.opt.TimeStep
	return r2.Point{X: g[1][0] / h, Y: g[1][1] / h}, g[1][2] / h
}

// Contacts returns the polygons that overlap, ordered by A, then B, at the places which the
// last step predicted, where forces are taken. The slice belongs to the world, and is valid
// until the next step.
func (w *Polygons) Contacts() []PolygonContact { return w.now.contacts }

// Mass returns that of polygon i and its moment of inertia about the center of mass.
func (w *Polygons) Mass(i int) (mass, inertia float64) { return w.mass[i], w.inertia[i] }

// Steps returns how many steps were made.
func (w *Polygons) Steps() uint64 { return w.steps }

// Time returns the time since the beginning: steps times their length.
func (w *Polygons) Time() float64 { return float64(w.steps) * w.opt.TimeStep }
