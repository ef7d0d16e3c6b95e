package rigid

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
	"github.com/inpoly/inpoly/pose"
)

// World is a world of rigid bodies. One goroutine at a time may use it.
type World struct {
	opt        Options
	gravity    r3.Vector
	bounds     bvh.Box
	cell       neighbor.Cell
	period     r3.Vector // periods of cell
	bodies     []body
	walls      []wallMesh
	wallSolids []*inpoly.Solid
	steps      uint64
	now        state
	next       state // state after the step; it becomes the current state if the step succeeds

	polyhedra     *collide.World // nil if all bodies are balls
	number        []int32        // number[i] is the body, or the number of bodies plus the wall, of body i of polyhedra
	poses         []pose.Pose    // poses of the bodies of polyhedra
	balls         *pairFinder[neighbor.Sphere]
	spheres       []neighbor.Sphere // a ball around each body
	hasBalls      bool
	hasSheets     bool
	hasHalfSpaces bool
	layers        layerPairs
	groups        []span // ranges of collide.World.FacePairs of the same two bodies
	workers       []worker
	spans         []span     // ranges of the contacts that the workers found, in the order of the contacts
	ends          [][2]int32 // A and B of each contact
	bad           parallel.MinIndex
	awake         parallel.Awake
}

// body has the constants of a body.
type body struct {
	shape   *Shape
	density float64
	mass    float64
	inertia inertia
}

// motion is the state of a body that changes in steps.
type motion struct {
	pose     pose.Pose // pose of the frame of the shape
	rotation matrix    // matrix of pose.Rotation
	center   r3.Vector // center of mass
	velocity r3.Vector
	momentum r3.Vector // angular momentum about center
	spin     r3.Vector // angular velocity, which follows from momentum and rotation
	force    r3.Vector // sum of the forces of contacts
	torque   r3.Vector // sum of their moments about center
	removed  bool
}

type state struct {
	motions  []motion
	contacts []Contact
	keys     []key // keys of the contacts
}

// worker is the memory of a goroutine.
type worker struct {
	contacts []Contact
	faces    []inpoly.FaceDistance
	foots    []foot
	edges    edgeMemory
	forces   forceMemory
	walk     bvh.BoxWalk
	vertices []int32
	last     int // see seek
}

// updateSpin computes the spin from the angular momentum.
func (m *motion) updateSpin(b *body) {
	m.spin = m.rotation.apply(b.inertia.solve(m.rotation.back(m.momentum)))
}

// Len returns the number of bodies, including removed ones.
func (w *World) Len() int { return len(w.bodies) }

// Shape returns the shape of body i.
func (w *World) Shape(i int) *Shape { return w.bodies[i].shape }

// Walls returns the meshes of the walls, with nil for half-spaces. The caller must not modify the slice.
func (w *World) Walls() []*inpoly.Solid { return w.wallSolids }

// Mass returns the mass of body i.
func (w *World) Mass(i int) float64 { return w.bodies[i].mass }

// Pose returns the pose of body i: the pose of the frame of its shape.
func (w *World) Pose(i int) pose.Pose { return w.now.motions[i].pose }

// Center returns the center of mass of body i. In a periodic cell, it is where the body would be if space did not
// repeat; neighbor.Cell.Wrap moves it into the cell.
func (w *World) Center(i int) r3.Vector { return w.now.motions[i].center }

// Velocity returns the angular velocity of body i as spin, and v, the velocity of its center of
// mass.
func (w *World) Velocity(i int) (v, spin r3.Vector) {
	m := &w.now.motions[i]
	return m.velocity, m.spin
}

// Removed reports whether body i has left Scene.Bounds. A removed body touches nothing and stays at
// its last pose. It does not count in Energy, Momentum and AngularMomentum.
func (w *World) Removed(i int) bool { return w.now.motions[i].removed }

// Contacts returns the contacts at the current poses. The groups have this order: balls with
// bodies; balls with walls, and polyhedra with sheets and half-spaces; vertices in polyhedra;
// edges; faces. Each group is in ascending order of the smaller of A and B, then of the larger one,
// then of Kind, Feature and Part. Velocity is the velocity from which the forces were computed. The
// slice is valid until the next step.
func (w *World) Contacts() []Contact { return w.now.contacts }

// Steps returns the number of steps since the beginning.
func (w *World) Steps() uint64 { return w.steps }

// Time returns the number of steps times the time step.
func (w *World) Time() float64 { return float64(w.steps) * w.opt.TimeStep }

// Energy returns the energy of all bodies. It adds in the order of the bodies and contacts.
func (w *World) Energy() dem.Energy {
	var e dem.Energy
	for i := range w.bodies {
		m := &w.now.motions[i]
		if m.removed {
			continue
		}
		e.Kinetic += float64(w.bodies[i].mass * m.velocity.Norm2() / 2)
		e.Rotational += m.spin.Dot(m.momentum) / 2
		e.Potential -= float64(w.bodies[i].mass * w.gravity.Dot(m.center))
	}
	for i := range w.now.contacts {
		e.Elastic += w.opt.Law.Energy(&w.now.contacts[i])
	}
	return e
}

// Momentum returns the momentum of all bodies.
func (w *World) Momentum() (sum r3.Vector) {
	for i := range w.bodies {
		if m := &w.now.motions[i]; !m.removed {
			sum = sum.Add(scaled(w.bodies[i].mass, m.velocity))
		}
	}
	return sum
}

// AngularMomentum returns the angular momentum of all bodies about the origin.
func (w *World) AngularMomentum() (sum r3.Vector) {
	for i := range w.bodies {
		if m := &w.now.motions[i]; !m.removed {
			sum = sum.Add(m.momentum).Add(scaled(w.bodies[i].mass, m.center.Cross(m.velocity)))
		}
	}
	return sum
}
