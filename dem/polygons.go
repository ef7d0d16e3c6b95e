package dem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// Polygon is a convex polygon of a scene.
type Polygon struct {
	Shape *polygon.Shape
	Pose  polygon.Pose
	// Velocity is the velocity of the center of mass.
	Velocity r2.Point
	// Spin is the angular velocity, counterclockwise.
	Spin float64
	// Fixed polygons do not move. They can serve as walls in any direction. Their Velocity and Spin
	// must be zero. Fixed polygons can be outside the Walls of the scene.
	Fixed bool
}

// PolygonScene is the initial state of a world of polygons.
type PolygonScene struct {
	// Polygons may overlap, but none may lie inside another one.
	Polygons []Polygon
	// Walls is a rectangle. Its sides push the polygons back, as if the outside were a fixed
	// polygon. The center of mass of each polygon that is not fixed must be strictly inside. A side
	// at infinity is not a wall. The zero Rect means no walls.
	Walls neighbor.Rect
	// Periodic connects the opposite sides of Walls on the axes x and y. The sides on these axes
	// must be finite. They are not walls: a polygon that leaves through one side enters through the
	// opposite side, and polygons touch each other through the sides. Polygons can start anywhere
	// on these axes, also fixed ones. In every step, the bounding box of each polygon must not be
	// larger than the cell on these axes.
	Periodic [2]bool
	// Gravity is the acceleration of a polygon that nothing touches.
	Gravity r2.Point
}

// Polygons is a world of convex polygons in the plane (Schinner 1999). It uses bounding boxes to
// find pairs of polygons that can touch, and closest features to decide whether they touch. The
// area of the overlap determines the force. One goroutine at a time may use a Polygons.
//
// The force acts at the centroid of the overlap, at a right angle to the chord between the points
// where the boundaries cross (polygon.Overlap). The size of the force is k·A + d·dA/dt, where A is
// the area and t is the time. The constant k is Options.Stiffness in N/m², and d is Options.Damping
// in Ns/m². The force is that of eq. 1 of Muth, Müller, Eberhard, Luding 2007 with the area instead
// of the overlap length. If two edges touch along the length L, the spring constant is k·L and the
// damping constant is d·L.
//
// If Options.Friction is μ > 0, a tangential spring and dashpot act at the same point, along the
// chord (Cundall and Strack 1979, "A discrete numerical model for granular assemblies"). The
// constants of the spring and the dashpot are r·k·L and r·d·L, where r is Options.Tangential. The
// spring force is at most μ times the normal force, and so is the sum of both. While a contact
// slides, its displacement stays at the value that gives the largest force. The chord acts like a
// layer of springs. If the chord grows from L to L′, the new springs are relaxed, so the
// displacement x becomes the mean x·L/L′. Where the chord shrinks or the contact ends, the energy
// of the lost springs is lost. So friction only takes energy. The paper has no law of friction.
//
// The force of a wall acts like buoyancy and conserves energy. This force has the potential
// k·A·depth, where depth is the distance of the centroid behind the wall. The force between two
// polygons conserves energy while corners of one polygon penetrate one edge of the other polygon.
// Otherwise the direction of the chord depends on both polygons. Then a contact can add or remove a
// little energy, as with all such force laws.
type Polygons struct {
	clock
	walls   bvh.Box               // sides on periodic axes are at infinity
	border  border[neighbor.Rect] // the periodic axes
	gravity r2.Point
	method  neighbor.Method[neighbor.Rect]
	mass    []float64
	inertia []float64
	fixed   []bool
	center  []r2.Point // center of mass in the frame of each shape
	now     polygonState
	next    polygonState // state after the step; if the step succeeds, next and now are exchanged
	awake   parallel.Awake
	bad     parallel.MinIndex // index of the first polygon or pair that makes a step fail

	// The fields below describe the predicted step.
	boxes    []neighbor.Rect
	overlaps []PolygonContact // contact of each pair in next.pairs; the area is 0 without overlap
	wrench   []wrench
	wraps    [][3]int32     // by how many periods the step moved each polygon; nil if no axis is periodic
	moved    []displacement // displacement of each polygon since the last forces; nil without friction
	// These functions run the parts of a step. They are fields, because making a function value
	// allocates.
	predictWork, pairWork, finishWork func(worker, lo, hi int)
}

// polygonState is the state that a step changes.
type polygonState struct {
	gear     []gearState
	pose     []polygon.Pose // pose of each polygon, computed from gear
	bodies   []polygon.Body
	pairs    []neighbor.Pair // pairs of polygons whose boxes touch
	closest  []polygon.Pair  // closest features of each pair, stored to save time
	contacts []PolygonContact
	// images and crossings are nil if no axis is periodic. images[i] is the number of periods on
	// each axis by which polygon B of pairs[i] moves so that the boxes touch. crossings has an
	// element for each polygon.
	images    [][3]int32
	crossings []crossings
	friction  frictionState
}

// PolygonContact is the contact of two polygons that overlap.
type PolygonContact struct {
	Pair  neighbor.Pair
	Area  float64
	At    r2.Point
	Force r2.Point // force on Pair.B, with friction; the force on Pair.A is −Force
	// Image is the number of periods on each axis by which polygon B moves to overlap polygon A.
	// After this move, At is in both polygons. Image is zero if no axis is periodic.
	Image [3]int32
}

// wrench is a force on a polygon and its moment about the center of mass.
type wrench struct {
	force  r2.Point
	moment float64
}

// NewPolygons returns a world that starts with a copy of the scene. The world uses the given method
// to find touching boxes. No other code may use that neighbor.Method.
//
// The integrator starts with accelerations, but without higher derivatives, as if all contacts
// began at time zero. If polygons overlap at time zero, the order of the integrator is lower in the
// first steps.
//
// Errors: ErrOptions; ErrParticle, which names the first bad polygon, or the two polygons whose
// force on each other is not finite; neighbor.ErrBody from the method; the error of ctx.
func NewPolygons(ctx context.Context, scene PolygonScene, method neighbor.Method[neighbor.Rect], o Options) (*Polygons, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	n := len(scene.Polygons)
	w := &Polygons{clock: clock{opt: o}, walls: wallBox(scene.Walls), gravity: scene.Gravity, method: method,
		mass: make([]float64, n), inertia: make([]float64, n), fixed: make([]bool, n),
		center: make([]r2.Point, n), boxes: make([]neighbor.Rect, n), wrench: make([]wrench, n)}
	axes := [3]bool{scene.Periodic[0], scene.Periodic[1]}
	if w.border, w.method, w.walls, err = newBorder(w.method, w.walls, axes); err != nil {
		return nil, err
	}
	if w.border.periodic {
		w.next.crossings, w.wraps = make([]crossings, n), make([][3]int32, n)
	}
	if err := checkWalls(w.walls, in3D(&scene.Gravity)); err != nil {
		return nil, err
	}
	w.next.gear, w.next.pose, w.next.bodies = make([]gearState, n), make([]polygon.Pose, n), make([]polygon.Body, n)
	if o.Friction > 0 {
		w.moved = make([]displacement, n)
		w.now.friction, w.next.friction = newFrictionState(n), newFrictionState(n)
	}
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
	springs := w.now.friction
	w.now = w.next
	w.next = polygonState{gear: slices.Clone(w.now.gear), pose: slices.Clone(w.now.pose), bodies: slices.Clone(w.now.bodies),
		crossings: slices.Clone(w.now.crossings), friction: springs}
	return w, nil
}

// place checks polygon i and puts it into the next state.
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
		return fmt.Errorf("dem: %w: polygon %d has the mass %v and the moment of inertia %v: both must be positive numbers", ErrParticle, i, w.mass[i], w.inertia[i])
	}
	if w.border.periodic && !w.wrapFirst(i) {
		return fmt.Errorf("dem: %w: polygon %d at %v is too far from the periodic cell from %v to %v, or out of the range of coordinates",
			ErrParticle, i, p.Pose.At, as[r2.Point](w.border.cell.Min), as[r2.Point](w.border.cell.Max))
	}
	at := s.bodies[i].Centroid()
	switch {
	case p.Fixed && (p.Velocity != r2.Point{} || p.Spin != 0):
		return fmt.Errorf("dem: %w: fixed polygon %d must be at rest", ErrParticle, i)
	case !p.Fixed && !strictlyIn(w.walls, in3D(&at)):
		return fmt.Errorf("dem: %w: center %v of polygon %d is not inside the walls from %v to %v",
			ErrParticle, at, i, as[r2.Point](w.walls.Min), as[r2.Point](w.walls.Max))
	}
	h := w.opt.TimeStep
	s.gear[i][0] = [coordinates]float64{at.X, at.Y, p.Pose.Angle}
	s.gear[i][1] = [coordinates]float64{p.Velocity.X * h, p.Velocity.Y * h, p.Spin * h}
	w.boxes[i].Min, w.boxes[i].Max = s.bodies[i].Bounds()
	return nil
}

func (w *Polygons) tooStrong(i int32) error {
	for _, c := range w.next.contacts {
		if (c.Pair.A == i || c.Pair.B == i) && !finitePoint(c.Force) {
			return fmt.Errorf("dem: %w: the initial force between polygons %d and %d would be %v: the stiffness or the damping is too large",
				ErrParticle, c.Pair.A, c.Pair.B, c.Force)
		}
	}
	return fmt.Errorf("dem: %w: the initial motion of polygon %d of mass %v would not be finite: the stiffness, the damping or the time step is too large, or the mass too small",
		ErrParticle, i, w.mass[i])
}

// Len returns the number of polygons.
func (w *Polygons) Len() int { return len(w.mass) }

// Pose returns the pose of polygon i. On periodic axes, the center of mass is between the sides of the
// cell, except for rounding; see Unwrapped.
func (w *Polygons) Pose(i int) polygon.Pose { return w.now.pose[i] }

// Body returns polygon i in its pose.
func (w *Polygons) Body(i int) polygon.Body { return w.now.bodies[i] }

// Center returns the center of mass of polygon i.
func (w *Polygons) Center(i int) r2.Point { return w.now.gear[i].center() }

// Unwrapped returns where the center of mass of polygon i would be if space did not repeat: the
// initial center plus the displacement since then. Without periodic axes, it is Center.
func (w *Polygons) Unwrapped(i int) r2.Point {
	c := w.Center(i)
	if !w.border.periodic {
		return c
	}
	return as[r2.Point](w.border.unwrap(in3D(&c), w.now.crossings[i]))
}

// Velocity returns the spin of polygon i, and v, the velocity of its center of mass.
func (w *Polygons) Velocity(i int) (v r2.Point, spin float64) { return w.velocity(&w.now.gear[i]) }

func (w *Polygons) velocity(g *gearState) (v r2.Point, spin float64) {
	h := w.opt.TimeStep
	return r2.Point{X: g[1][0] / h, Y: g[1][1] / h}, g[1][2] / h
}

// Contacts returns the pairs of polygons that overlap, ordered by Pair.A, then Pair.B, then Image.
// On periodic axes, a pair can occur several times, with different images. The overlaps and forces
// belong to the positions that the last step predicted. The slice belongs to the world and is valid
// until the next step.
func (w *Polygons) Contacts() []PolygonContact { return w.now.contacts }

// Mass returns the mass of polygon i and its moment of inertia about the center of mass.
func (w *Polygons) Mass(i int) (mass, inertia float64) { return w.mass[i], w.inertia[i] }

// Energy returns the energy of all polygons that are not fixed, added in the order of the polygons.
// A contact of two polygons has the energy k·A²/(2L). Here k is the stiffness, A is the area and L
// is the length of the chord. This energy is the work of pushing two edges into each other. If a
// corner is pushed into an edge, the energy is 3/4 of the work. A tangential spring has the energy
// r·k·L·x²/2 (see Polygons), with the length and the displacement that the last step computed. The
// potential energy belongs to the unwrapped positions. A call takes about as long as a step.
func (w *Polygons) Energy() Energy {
	var e Energy
	s := &w.now
	for i := range s.bodies {
		if w.fixed[i] {
			continue
		}
		v, spin := w.Velocity(i)
		e.Kinetic += w.mass[i] * dot(v, v) / 2
		e.Rotational += w.inertia[i] * spin * spin / 2
		e.Potential -= w.mass[i] * dot(w.gravity, w.Unwrapped(i))
		for _, wall := range wallsOf(w.walls) {
			part := wall.clip(&s.bodies[i])
			e.Elastic += part.area * max(0, wall.depth(part.centroid))
		}
		if w.opt.Friction > 0 {
			for _, t := range s.friction.walls[i] {
				e.Elastic += w.opt.Tangential * t.energy()
			}
		}
	}
	for i, p := range s.pairs {
		if w.fixed[p.A] && w.fixed[p.B] {
			continue
		}
		var closest polygon.Pair
		if o := w.overlapImage(s, &closest, p, s.image(i)); o.Chord != (r2.Point{}) {
			e.Elastic += o.Area * o.Area / (2 * length(o.Chord))
		}
	}
	for _, t := range s.friction.pairs {
		e.Elastic += w.opt.Tangential * t.energy()
	}
	e.Elastic *= w.opt.Stiffness
	return e
}

// Momentum returns the momentum of all polygons that are not fixed, and their angular momentum
// about the origin. It adds the values in the order of the polygons. Contacts conserve the angular
// momentum only if no axis is periodic.
func (w *Polygons) Momentum() (linear r2.Point, angular float64) {
	for i := range w.mass {
		v, spin := w.Velocity(i)
		p := times(w.mass[i], v)
		linear = linear.Add(p)
		angular += cross(w.Center(i), p) + w.inertia[i]*spin
	}
	return linear, angular
}

// coordinates is the number of coordinates of a rigid body in the plane: x, y and the angle.
const coordinates = 3

// gearOrder is the order of the highest derivative in the integrator.
const gearOrder = 5

// gearState has the coordinates of a body and their scaled derivatives. Row n is hⁿ/n! times the
// n-th derivative with respect to time, where h is the time step.
type gearState [gearOrder + 1][coordinates]float64

// gearWeights are the weights of Gear's corrector with six values. The differential equation has
// second order, and its right side depends on positions and velocities (C. W. Gear, Numerical
// Initial Value Problems in Ordinary Differential Equations, 1971; Allen and Tildesley, Computer
// Simulation of Liquids, 1987, Table E.2). Schinner 1999, §5, names only the method.
var gearWeights = [gearOrder + 1]float64{3. / 16, 251. / 360, 1, 11. / 18, 1. / 6, 1. / 60}

func (g *gearState) center() r2.Point { return r2.Point{X: g[0][0], Y: g[0][1]} }

// predict advances the state by one time step with the Taylor series. Row n becomes Σ_{m≥n} C(m,
// n)·row m. The code adds as in Pascal's triangle.
func (g *gearState) predict() {
	for n := range gearOrder {
		for m := gearOrder - 1; m >= n; m-- {
			for d := range coordinates {
				g[m][d] += g[m+1][d]
			}
		}
	}
}

// correct corrects the predicted state. The scaled acceleration is the acceleration at the
// predicted position, times h²/2 for the time step h.
func (g *gearState) correct(scaledAcc [coordinates]float64) {
	for d := range coordinates {
		change := scaledAcc[d] - g[2][d]
		for n := range g {
			g[n][d] += float64(gearWeights[n] * change)
		}
	}
}

// applyGear sets the pose of polygon i of the next state from the state of the integrator. It
// reports whether the pose is in range.
func (w *Polygons) applyGear(i int) bool {
	s := &w.next
	g := &s.gear[i]
	sin, cos := math.Sincos(g[0][2])
	c := w.center[i]
	s.pose[i] = polygon.Pose{Angle: g[0][2], At: r2.Point{
		X: g[0][0] - (float64(cos*c.X) - float64(sin*c.Y)),
		Y: g[0][1] - (float64(sin*c.X) + float64(cos*c.Y)),
	}}
	return s.bodies[i].Move(s.pose[i]) == nil && w.imagesInRange(s.pose[i].At)
}
