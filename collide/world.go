package collide

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/neighbor"
	"github.com/inpoly/inpoly/pose"
)

// Body is a solid in a pose. Bodies of the same shape should have the same Solid, so that they
// share its index and the trees of this package. A body with an open mesh contains no point outside
// the box of its mesh, even where the winding number is not 0.
type Body struct {
	Solid *inpoly.Solid
	Pose  pose.Pose
}

// BodyError is the error for an invalid body or pose.
type BodyError struct {
	Body int
	Err  error
}

// Error names the body by its number.
func (e *BodyError) Error() string { return fmt.Sprintf("collide: body %d: %v", e.Body, e.Err) }

// Unwrap returns Err.
func (e *BodyError) Unwrap() error { return e.Err }

// Triangles selects the pairs of bodies whose triangles are tested.
type Triangles uint8

const (
	// NoTriangles is the zero value. It selects no pairs of bodies. Step then tests only nodes, as
	// in Muth et al. 2006.
	NoTriangles Triangles = iota
	// MissedTriangles selects the pairs of bodies in which the test of nodes finds no contact:
	// their boxes overlap, but no node of either body is in the other body or touches it.
	MissedTriangles
	// AllTriangles selects all pairs of bodies whose boxes overlap.
	AllTriangles
)

// Options are the options of a World. The zero value is valid.
type Options struct {
	// Triangles selects the pairs of bodies whose triangles are tested. Nodes are always tested.
	Triangles Triangles
	// Broad finds the pairs of bodies whose boxes overlap. nil means neighbor.Auto. Each World
	// needs a Method of its own. Contacts do not depend on the choice of the method.
	Broad neighbor.Method[bvh.Box]
	// MaxPairs limits two numbers of a step: the pairs of bodies whose boxes overlap, and the pairs
	// of faces that touch. A step with more pairs fails with ErrPairs, and uses little memory
	// before it fails. 0 means no limit.
	MaxPairs int
	// Workers is the number of goroutines of the World. 0 means one for each processor. A Solid has
	// its own number of workers. Contacts depend on neither number.
	Workers int
}

// World finds the contacts of bodies, step after step. One goroutine at a time may use it.
type World struct {
	opt    Options
	broad  neighbor.Method[bvh.Box]
	shapes []*shape
	of     map[*inpoly.Solid]int32

	poses  []pose.Pose
	frames []motion.Frame
	shape  []int32   // shape[i] is the index in shapes of the shape of body i
	boxes  []bvh.Box // box of each body in the world; empty if the body is removed
	buffer []placed  // temporary memory of SetPoses

	step step
}

type placed struct {
	frame motion.Frame
	box   bvh.Box
}

// New returns a World of the given bodies. The number of a body is its index in bodies. New panics
// if a Solid is nil. The time for each distinct Solid is O(n log n), where n is its number of
// faces.
//
// Errors: a *BodyError for a bad body, and an untyped error for options out of range. The BodyError
// wraps pose.ErrInvalid, the error of ctx, or the error for a mesh or Tolerance beyond 2^498.
func New(ctx context.Context, bodies []Body, opt Options) (*World, error) {
	if opt.Triangles > AllTriangles {
		return nil, fmt.Errorf("collide: option Triangles is %d, must be at most %d", opt.Triangles, AllTriangles)
	}
	if opt.MaxPairs < 0 {
		return nil, fmt.Errorf("collide: option MaxPairs is %d, must not be negative", opt.MaxPairs)
	}
	if opt.Workers < 0 || opt.Workers > par.MaxWorkers {
		return nil, fmt.Errorf("collide: option Workers is %d, must be from 0 to %d", opt.Workers, par.MaxWorkers)
	}
	w := &World{opt: opt, broad: opt.Broad, of: map[*inpoly.Solid]int32{}}
	if w.broad == nil {
		w.broad = neighbor.NewAuto[bvh.Box](neighbor.AutoOptions{Workers: opt.Workers, MaxPairs: opt.MaxPairs})
	}
	n := len(bodies) // the slices get no more memory than they need
	w.poses, w.frames = make([]pose.Pose, 0, n), make([]motion.Frame, 0, n)
	w.shape, w.boxes = make([]int32, 0, n), make([]bvh.Box, 0, n)
	for _, b := range bodies {
		if _, err := w.Add(ctx, b); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Add adds a body and returns its number. Its errors are the errors of New. If Add fails, the World
// does not change.
func (w *World) Add(ctx context.Context, b Body) (int, error) {
	if b.Solid == nil {
		panic("collide: nil Solid")
	}
	i := len(w.poses)
	if i == math.MaxInt32 {
		return 0, fmt.Errorf("collide: the number of bodies exceeds %d", math.MaxInt32)
	}
	if err := b.Pose.Check(); err != nil {
		return 0, &BodyError{i, err}
	}
	s, known := w.of[b.Solid]
	if !known {
		s = int32(len(w.shapes))
	}
	var h *shape
	var err error
	if known {
		h = w.shapes[s]
	} else if h, err = newShape(ctx, b.Solid, w.opt.Workers); err != nil {
		return 0, &BodyError{i, err}
	}
	p, err := h.place(b.Pose)
	if err != nil {
		return 0, &BodyError{i, err}
	}
	if !known {
		w.shapes, w.of[b.Solid] = append(w.shapes, h), s
		w.step.stats.Indexes++
	}
	w.poses, w.frames = append(w.poses, b.Pose), append(w.frames, p.frame)
	w.shape, w.boxes = append(w.shape, s), append(w.boxes, p.box)
	return i, nil
}

// Len returns the number of bodies, including removed ones.
func (w *World) Len() int { return len(w.poses) }

// Solid returns the solid of a body. It panics if i is out of range.
func (w *World) Solid(i int) *inpoly.Solid { return w.shapes[w.shape[i]].solid }

// Pose returns the pose of a body. If the body is removed, it returns the last pose of the body.
// Pose panics if i is out of range.
func (w *World) Pose(i int) pose.Pose { return w.poses[i] }

// SetPose moves body i for the next Step. If the body was removed, SetPose restores it. If SetPose
// fails, it changes nothing. SetPose panics if i is out of range.
//
// Errors: a *BodyError that wraps pose.ErrInvalid.
func (w *World) SetPose(i int, p pose.Pose) error {
	at, err := w.place(i, p)
	if err != nil {
		return err
	}
	w.poses[i], w.frames[i], w.boxes[i] = p, at.frame, at.box
	return nil
}

// SetPoses calls SetPose for all bodies. If SetPoses fails, no body moves. SetPoses panics if the
// number of poses differs from the number of bodies.
func (w *World) SetPoses(poses []pose.Pose) error {
	if len(poses) != len(w.poses) {
		panic(fmt.Sprintf("collide: %d poses for %d bodies: the numbers must be equal", len(poses), len(w.poses)))
	}
	w.buffer = slices.Grow(w.buffer[:0], len(poses))[:len(poses)]
	for i, p := range poses {
		var err error
		if w.buffer[i], err = w.place(i, p); err != nil {
			return err
		}
	}
	copy(w.poses, poses)
	for i := range w.buffer {
		w.frames[i], w.boxes[i] = w.buffer[i].frame, w.buffer[i].box
	}
	return nil
}

// Remove removes a body from the World until SetPose or SetPoses sets its pose again. The body
// retains its number. Remove panics if i is out of range.
func (w *World) Remove(i int) { w.boxes[i] = bvh.EmptyBox() }

func (w *World) place(i int, p pose.Pose) (placed, error) {
	if err := p.Check(); err != nil {
		return placed{}, &BodyError{i, err}
	}
	at, err := w.shapes[w.shape[i]].place(p)
	if err != nil {
		err = &BodyError{i, err}
	}
	return at, err
}

// place returns the frame of a checked pose, and a box around all nodes and the whole body. Boxes
// of bodies that touch overlap; see margin. On each axis, the box is as wide as the rotated box of
// the shape or as the ball, whichever is smaller.
func (h *shape) place(p pose.Pose) (placed, error) {
	at := placed{frame: motion.NewFrame(motion.Pose(p)), box: bvh.EmptyBox()}
	if h.box.Empty() {
		return at, nil
	}
	t := p.Translation.Abs()
	pad := margin(h.reach, t.X+t.Y+t.Z)
	c, r := at.frame.Apply(h.center), at.frame.ReachOf(h.half)
	d := r3.Vector{X: min(r.X, h.ball) + pad, Y: min(r.Y, h.ball) + pad, Z: min(r.Z, h.ball) + pad}
	at.box = bvh.Box{Min: c.Sub(d), Max: c.Add(d)}
	if largest := max(vec.MaxAbs(at.box.Min), vec.MaxAbs(at.box.Max)); !(largest <= limit) {
		return at, fmt.Errorf("%w: the largest coordinate %.3g of the body exceeds 2^498", pose.ErrInvalid, largest)
	}
	return at, nil
}

// Stats counts the work of a World. The counts do not depend on the number of workers. If a step
// fails, Nodes and Queried include the work of its completed phases. The other counts include only
// successful steps.
type Stats struct {
	Indexes   uint64 // number of indexes, one for each Solid
	Steps     uint64 // successful calls of Step
	Pairs     uint64 // pairs of bodies whose boxes overlap in the world
	Nodes     uint64 // nodes compared with the box of another body
	Queried   uint64 // compared nodes that are in the box; their sides were found
	Contacts  uint64 // queried nodes that are not outside
	Tests     uint64 // pairs of triangles that were compared
	FacePairs uint64 // compared pairs of triangles that touch
}

// Stats returns the counts since the World was created.
func (w *World) Stats() Stats { return w.step.stats }

// Timings has the time of each phase, summed over all steps. If a step fails, Timings includes the
// phases that were completed.
type Timings struct {
	Broad     time.Duration // time to find the pairs of bodies whose boxes overlap
	Filter    time.Duration // time to find the nodes of a body in the box of the other body
	Sides     time.Duration // time to decide the sides of the nodes found by Filter
	Depths    time.Duration // time to find the nearest points of the nodes that are not outside
	Contacts  time.Duration // time to write the contacts
	Triangles time.Duration // time to find the triangles that touch
}

// Timings returns the times since the World was created.
func (w *World) Timings() Timings { return w.step.timings }
