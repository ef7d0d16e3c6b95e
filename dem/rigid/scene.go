package rigid

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
	"github.com/inpoly/inpoly/pose"
)

// ErrOptions is the error for an invalid option, wall, gravity or law.
var ErrOptions = errors.New("bad option")

// ErrBody is the error for an invalid body, or for a body that a step would move out of the valid
// range. The message names the body.
var ErrBody = errors.New("bad body")

// MaxWorkers is the largest number of goroutines of a World.
const MaxWorkers = parallel.MaxWorkers

// Scene is the initial state of a World.
type Scene struct {
	// Bodies may overlap, but two balls must not have the same center. The springs of overlaps push
	// the bodies apart.
	Bodies []Body
	// Walls never move. Walls may overlap each other.
	Walls []Wall
	// Gravity is the acceleration of a body that nothing touches.
	Gravity r3.Vector
	// Bounds is a box that must contain the centers of mass of all bodies. The World removes a body
	// whose center leaves the box; see World.Removed. The zero Box means no bounds.
	Bounds bvh.Box
	// Cell connects opposite sides of a box. Bodies touch each other through the sides. Positions
	// do not jump when bodies cross a side: they are where the bodies would be if space did not
	// repeat. Cell.Wrap moves them into the box. Bounds has no effect on periodic axes. No body may
	// be larger than the box. All polyhedra must be convex or compounds, and walls must be
	// half-spaces parallel to the periodic axes. The zero Cell has no periodic axes.
	Cell neighbor.Cell
}

// Body is a body of a Scene.
type Body struct {
	Shape *Shape
	// Pose maps the frame of the shape into the world.
	Pose pose.Pose
	// Velocity is the velocity of the center of mass. Spin is the angular velocity. Both are in the
	// axes of the world.
	Velocity, Spin r3.Vector
	// Density is mass divided by volume. 0 means 1.
	Density float64
}

// Wall is a triangle mesh or a half-space that never moves.
//
// A closed mesh is solid. It acts like a body of infinite mass. So does a half-space.
//
// An open mesh is a sheet, such as the ground. Its front is the side to which its normals point.
// The sheet pushes balls and vertices of polyhedra to the front, if they are in front of it or at
// most Thickness behind it. But it does not push a point behind the sheet if the nearest point of
// the mesh is on its border. Vertices of the sheet push polyhedra to the front. A sheet has no edge
// contacts: a long edge of a polyhedron can sink into a long edge of a ridge. There, use a finer
// mesh or a closed one.
type Wall struct {
	Solid *inpoly.Solid
	// Thickness is for open meshes. It must be positive, and less than the distance from any point
	// of the sheet to the next part of the sheet behind this point. In a step, no body may move by
	// more than Thickness.
	Thickness float64
	// HalfSpace replaces Solid. Exactly one of them must be set.
	HalfSpace *HalfSpace
}

// HalfSpace is a solid that fills the space Normal·x ≤ Offset·|Normal|, such as the ground.
type HalfSpace struct {
	Normal r3.Vector // any vector but 0
	Offset float64
}

// Contacts selects how polyhedra touch each other and solid walls, such as half-spaces.
type Contacts uint8

const (
	// Layers is the law of layers: the forces are the gradient of an energy. It needs convex bodies, or
	// compounds of convex parts. A convex body also touches bodies and walls that are not convex. Two bodies
	// that are not convex touch by Nodes.
	Layers Contacts = iota
	// Nodes makes a contact for each vertex in another body, and for each region where
	// only edges overlap. Contacts that begin and end at vertices do not conserve energy. Flat
	// faces need meshes with many vertices: aligned cubes whose vertices lie on faces do not touch.
	Nodes
)

// Options are the options of a World.
type Options struct {
	// TimeStep is the length of a step. It must be positive and much shorter than a contact, such as
	// a fortieth (see dem.ContactTime).
	TimeStep float64
	// Law computes the forces.
	Law ForceLaw
	// Contacts is Layers, or Nodes as in Muth, Of, Eberhard, Steinbach 2006.
	Contacts Contacts
	// Workers is the number of goroutines, at most MaxWorkers. If it is not positive, the World uses
	// all processors. Solids have their own number of workers. Trajectories do not depend on these
	// numbers.
	Workers int
}

// New returns a World that starts with the scene.
//
// Errors: ErrOptions; ErrBody, which names the first bad body; an error of package neighbor or collide
// for a body out of their range; the error of ctx.
func New(ctx context.Context, scene Scene, o Options) (*World, error) {
	w := &World{opt: o, gravity: scene.Gravity, bounds: scene.Bounds, cell: scene.Cell, period: scene.Cell.Period()}
	w.opt.Workers = parallel.Workers(o.Workers)
	if err := w.checkOptions(); err != nil {
		return nil, err
	}
	n := len(scene.Bodies)
	if n+len(scene.Walls) > math.MaxInt32 {
		return nil, fmt.Errorf("rigid: %w: %d bodies and %d walls: the sum must be at most %d", ErrOptions, n, len(scene.Walls), math.MaxInt32)
	}
	w.bodies, w.next.motions = make([]body, n), make([]motion, n)
	for i := range scene.Bodies {
		if err := w.place(i, &scene.Bodies[i]); err != nil {
			return nil, err
		}
	}
	for i, wall := range scene.Walls {
		if err := w.build(ctx, i, wall); err != nil {
			return nil, err
		}
	}
	if err := w.checkPeriodic(); err != nil {
		return nil, err
	}
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	// In the first computation of forces, now equals next, so there is no slip.
	w.now.motions = append([]motion(nil), w.next.motions...)
	if err := w.forces(ctx); err != nil {
		return nil, err
	}
	for i := range w.next.motions {
		if m := &w.next.motions[i]; !finite(m.force) || !finite(m.torque) || !finite(scaled(1/w.bodies[i].mass, m.force)) {
			return nil, fmt.Errorf("rigid: %w: the initial force on body %d of mass %v is %v and the moment %v: the springs are too stiff, or bodies overlap too much",
				ErrBody, i, w.bodies[i].mass, m.force, m.torque)
		}
	}
	w.now, w.next = w.next, state{motions: w.now.motions}
	return w, nil
}

func (w *World) checkOptions() error {
	o, b := &w.opt, &w.bounds
	switch {
	case !positive(o.TimeStep):
		return fmt.Errorf("rigid: %w: time step %v must be a positive number", ErrOptions, o.TimeStep)
	case o.Law == nil:
		return fmt.Errorf("rigid: %w: there is no force law", ErrOptions)
	case o.Contacts > Nodes:
		return fmt.Errorf("rigid: %w: the kind of contacts %d must be Layers or Nodes", ErrOptions, o.Contacts)
	case !finite(w.gravity):
		return fmt.Errorf("rigid: %w: gravity %v is not finite", ErrOptions, w.gravity)
	case *b != (bvh.Box{}) && !(b.Min.X < b.Max.X && b.Min.Y < b.Max.Y && b.Min.Z < b.Max.Z):
		return fmt.Errorf("rigid: %w: bounds from %v to %v must enclose a space", ErrOptions, b.Min, b.Max)
	}
	if err := w.cell.Check(3); err != nil {
		return fmt.Errorf("rigid: %w: %w", ErrOptions, err)
	}
	if l, ok := o.Law.(interface{ Check() error }); ok {
		return l.Check()
	}
	return nil
}

// place checks body i and sets its state.
func (w *World) place(i int, b *Body) error {
	s := b.Shape
	if s == nil || s.volume == 0 {
		return fmt.Errorf("rigid: %w: body %d has no shape", ErrBody, i)
	}
	density := b.Density
	if density == 0 {
		density = 1
	}
	in := body{shape: s, density: density, mass: float64(density * s.volume), inertia: s.unit}
	for k := range in.inertia.moments {
		in.inertia.moments[k] *= density
	}
	if !positive(density) || !positive(in.mass) || !positive(1/in.mass) || !positive(min(in.inertia.moments[0], 1/in.inertia.moments[0])) {
		return fmt.Errorf("rigid: %w: body %d of density %v has the mass %v and the moment of inertia %v: they and their reciprocals must be positive numbers",
			ErrBody, i, density, in.mass, in.inertia.moments[0])
	}
	if err := b.Pose.Check(); err != nil {
		return fmt.Errorf("rigid: %w: body %d: %w", ErrBody, i, err)
	}
	if !finite(b.Velocity) || !finite(b.Spin) {
		return fmt.Errorf("rigid: %w: the velocity %v or the spin %v of body %d is not finite", ErrBody, b.Velocity, b.Spin, i)
	}
	m := motion{pose: b.Pose, velocity: b.Velocity}
	m.pose.Rotation = normalized(m.pose.Rotation)
	m.rotation = matrixOf(m.pose.Rotation)
	m.center = m.rotation.apply(s.center).Add(b.Pose.Translation)
	m.momentum = m.rotation.apply(in.inertia.momentum(m.rotation.back(b.Spin)))
	m.updateSpin(&in)
	if !finite(m.momentum) || !finite(m.center) {
		return fmt.Errorf("rigid: %w: the angular momentum %v or the center %v of body %d is not finite", ErrBody, m.momentum, m.center, i)
	}
	if !w.inBounds(m.center) {
		return fmt.Errorf("rigid: %w: the center %v of body %d is not in the bounds from %v to %v", ErrBody, m.center, i, w.bounds.Min, w.bounds.Max)
	}
	w.bodies[i], w.next.motions[i] = in, m
	return nil
}

func (w *World) inBounds(p r3.Vector) bool {
	b := &w.bounds
	if *b == (bvh.Box{}) {
		return true
	}
	free := w.cell.Periodic
	return (free[0] || p.X >= b.Min.X && p.X <= b.Max.X) && (free[1] || p.Y >= b.Min.Y && p.Y <= b.Max.Y) && (free[2] || p.Z >= b.Min.Z && p.Z <= b.Max.Z)
}

// isPeriodic reports whether an axis is periodic.
func (w *World) isPeriodic() bool { return w.cell.Periodic != [3]bool{} }

// checkPeriodic returns an error if the scene has a body or wall that cannot be in a periodic cell.
func (w *World) checkPeriodic() error {
	if !w.isPeriodic() {
		return nil
	}
	for i := range w.bodies {
		if l := w.bodies[i].shape.layered; l != nil && (w.opt.Contacts == Nodes || !l.isConvex()) {
			return fmt.Errorf("rigid: %w: body %d in a periodic cell: polyhedra must be convex or compounds, and Options.Contacts must be Layers", ErrOptions, i)
		}
	}
	for i, x := range w.walls {
		if x.halfSpace == nil || w.period.X*x.halfSpace.Normal.X != 0 || w.period.Y*x.halfSpace.Normal.Y != 0 || w.period.Z*x.halfSpace.Normal.Z != 0 {
			return fmt.Errorf("rigid: %w: wall %d in a periodic cell must be a half-space with a normal at a right angle to the periodic axes", ErrOptions, i)
		}
	}
	return nil
}

func (w *World) build(ctx context.Context, i int, wall Wall) error {
	switch h := wall.HalfSpace; {
	case h != nil && wall.Solid != nil:
		return fmt.Errorf("rigid: %w: wall %d has a mesh and a half-space", ErrOptions, i)
	case h != nil:
		size := length(h.Normal)
		if !positive(size) || !positive(1/size) || !(math.Abs(h.Offset) <= math.MaxFloat64) {
			return fmt.Errorf("rigid: %w: wall %d is a half-space with the normal %v and the offset %v: the normal must have a length, and all numbers must be finite",
				ErrOptions, i, h.Normal, h.Offset)
		}
		w.walls = append(w.walls, wallMesh{halfSpace: &HalfSpace{scaled(1/size, h.Normal), h.Offset}})
		w.wallSolids, w.hasHalfSpaces = append(w.wallSolids, nil), true
		return nil
	case wall.Solid == nil:
		return fmt.Errorf("rigid: %w: wall %d has neither a mesh nor a half-space", ErrOptions, i)
	}
	f, err := newSurface(ctx, wall.Solid)
	if err != nil {
		return err
	}
	x := wallMesh{surface: f, thickness: wall.Thickness}
	if f.mesh.Closed() {
		x.thickness = 0
		box := f.mesh.Box()
		if x.layered, err = newLayered(ctx, f, scaled(.5, box.Min.Add(box.Max))); err != nil {
			return err
		}
	} else if !positive(wall.Thickness) {
		return fmt.Errorf("rigid: %w: wall %d has an open mesh and the thickness %v: the thickness must be a positive number", ErrOptions, i, wall.Thickness)
	} else if err := x.makeSheet(ctx); err != nil {
		return err
	}
	w.walls, w.wallSolids = append(w.walls, x), append(w.wallSolids, wall.Solid)
	return nil
}

// prepare makes the worlds and methods that find contacts.
func (w *World) prepare(ctx context.Context) error {
	var list []collide.Body
	for i := range w.bodies {
		if s := w.bodies[i].shape; s.surface != nil && w.hasNodes(s.layered) {
			list = append(list, collide.Body{Solid: s.solid, Pose: w.next.motions[i].pose})
			w.number = append(w.number, int32(i))
		} else if s.surface == nil {
			w.hasBalls = true
		}
	}
	moving := len(list)
	for i, x := range w.walls {
		if x.layered != nil && w.hasNodes(x.layered) {
			list = append(list, collide.Body{Solid: x.solid, Pose: pose.At(r3.Vector{})})
			w.number = append(w.number, int32(len(w.bodies)+i))
		}
		w.hasSheets = w.hasSheets || x.rim != nil
	}
	w.balls = newPairFinder[neighbor.Sphere](w)
	w.workers = make([]worker, w.opt.Workers)
	if w.opt.Contacts == Layers {
		w.prepareLayers()
	}
	if moving == 0 || len(list) == 1 {
		w.number = nil
		return nil
	}
	broad := &movingPairs{Method: neighbor.NewAuto[bvh.Box](neighbor.AutoOptions{Workers: w.opt.Workers}), moving: int32(moving)}
	var err error
	w.polyhedra, err = collide.New(ctx, list, collide.Options{Triangles: collide.MissedTriangles, Broad: broad, Workers: w.opt.Workers})
	if err != nil {
		return fmt.Errorf("rigid: %w", err)
	}
	for _, b := range list {
		w.poses = append(w.poses, b.Pose)
	}
	return nil
}

// hasNodes reports whether a body can touch other bodies at vertices.
func (w *World) hasNodes(l *layered) bool { return w.opt.Contacts == Nodes || !l.isConvex() }

// movingPairs is a Method that omits the pairs of two walls. The walls have the largest numbers.
type movingPairs struct {
	neighbor.Method[bvh.Box]
	moving int32
	pairs  []neighbor.Pair
}

// Update implements neighbor.Method.
func (m *movingPairs) Update(ctx context.Context, boxes []bvh.Box) error {
	if err := m.Method.Update(ctx, boxes); err != nil {
		return err
	}
	m.pairs = m.pairs[:0]
	for _, p := range m.Method.Pairs() {
		if p.A < m.moving {
			m.pairs = append(m.pairs, p)
		}
	}
	return nil
}

// Pairs implements neighbor.Method.
func (m *movingPairs) Pairs() []neighbor.Pair { return m.pairs }
