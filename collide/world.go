package collide

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/neighbor"
)

// Body is a solid and where it is. Any number of bodies may have the same Solid, and
// should: its index, and what this package adds to it, is then there once. A body whose
// mesh is open ends at the box of its mesh, whatever the winding number is outside.
type Body struct {
	Solid *inpoly.Solid
	Pose  Pose
}

// BodyError is the error for a body that cannot be, or not where it was to be.
type BodyError struct {
	Body int
	Err  error
}

// Error names the body by its number.
func (e *BodyError) Error() string { return fmt.Sprintf("collide: body %d: %v", e.Body, e.Err) }

// Unwrap returns Err.
func (e *BodyError) Unwrap() error { return e.Err }

// Triangles tells for which bodies it is tested which of their triangles touch.
type Triangles uint8

const (
	// NoTriangles leaves it at the test of nodes of Muth et al. 2006. It is the zero value.
	NoTriangles Triangles = iota
	// MissedTriangles tests bodies whose boxes meet and neither of which has a node in the
	// other: what the test of nodes misses.
	MissedTriangles
	// AllTriangles tests all bodies whose boxes meet.
	AllTriangles
)

// Options of a World. The zero value is good.
type Options struct {
	// Triangles asks for the test of triangles besides that of nodes.
	Triangles Triangles
	// Broad finds the bodies whose boxes meet; nil means a method that package neighbor
	// chooses. The World is then the only one to use it. Contacts do not depend on it.
	Broad neighbor.Method[bvh.Box]
	// Workers is the number of goroutines; 0 means one for each processor. Sides are found
	// with the workers that a Solid was built with. Contacts depend on neither.
	Workers int
}

// World finds the contacts of bodies, step after step. It is for one goroutine at a time.
type World struct {
	opt    Options
	broad  neighbor.Method[bvh.Box]
	shapes []*shape
	of     map[*inpoly.Solid]int32

	poses  []Pose
	frames []frame
	shape  []int32   // of each body
	boxes  []bvh.Box // of each body in the world; empty if it is absent
	spare  []placed  // memory of SetPoses

	step step
}

// placed is a pose and what follows from it.
type placed struct {
	frame frame
	box   bvh.Box
}

// New returns a World of the given bodies, which are numbered in their order. It fails
// with a *BodyError for a bad pose, which is ErrPose, for a mesh or Tolerance with a number
// beyond 2^498, and with the error of ctx; for options out of range with another one. It
// panics if a Solid is nil.
func New(ctx context.Context, bodies []Body, opt Options) (*World, error) {
	if opt.Triangles > AllTriangles {
		return nil, fmt.Errorf("collide: triangles %d: want at most %d", opt.Triangles, AllTriangles)
	}
	if opt.Workers < 0 || opt.Workers > par.MaxWorkers {
		return nil, fmt.Errorf("collide: workers %d: want 0 to %d", opt.Workers, par.MaxWorkers)
	}
	w := &World{opt: opt, broad: opt.Broad, of: map[*inpoly.Solid]int32{}}
	if w.broad == nil {
		w.broad = newBroad(opt.Workers)
	}
	for _, b := range bodies {
		if _, err := w.Add(ctx, b); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Add adds a body and returns its number. It fails as New does; the World is then
// unchanged.
func (w *World) Add(ctx context.Context, b Body) (int, error) {
	if b.Solid == nil {
		panic("collide: nil Solid")
	}
	i := len(w.poses)
	if i == math.MaxInt32 {
		return 0, fmt.Errorf("collide: more than %d bodies", math.MaxInt32)
	}
	if err := b.Pose.Check(); err != nil {
		return 0, &BodyError{i, err}
	}
	s, known := w.of[b.Solid]
	var h *shape
	if known {
		h = w.shapes[s]
	} else {
		var err error
		if h, err = newShape(ctx, b.Solid, w.opt.Workers); err != nil {
			return 0, &BodyError{i, err}
		}
	}
	p, err := h.place(b.Pose)
	if err != nil {
		return 0, &BodyError{i, err}
	}
	if !known {
		s = int32(len(w.shapes))
		w.shapes, w.of[b.Solid] = append(w.shapes, h), s
		w.step.stats.Indexes++
	}
	w.poses, w.frames = append(w.poses, b.Pose), append(w.frames, p.frame)
	w.shape, w.boxes = append(w.shape, s), append(w.boxes, p.box)
	return i, nil
}

// Len returns the number of bodies, those that were removed included.
func (w *World) Len() int { return len(w.poses) }

// Solid returns the solid of a body. It panics if i is out of range.
func (w *World) Solid(i int) *inpoly.Solid { return w.shapes[w.shape[i]].solid }

// Pose returns the pose of a body, the last one if it was removed. It panics if i is out
// of range.
func (w *World) Pose(i int) Pose { return w.poses[i] }

// SetPose moves a body, for the next Step, and brings it back if it was removed. It fails
// with a *BodyError that is ErrPose for a bad pose; the World is then unchanged. It panics
// if i is out of range.
func (w *World) SetPose(i int, p Pose) error {
	at, err := w.place(i, p)
	if err != nil {
		return err
	}
	w.poses[i], w.frames[i], w.boxes[i] = p, at.frame, at.box
	return nil
}

// SetPoses is SetPose for all bodies. If one pose is bad no body moves. It panics if there
// are not as many poses as bodies.
func (w *World) SetPoses(poses []Pose) error {
	if len(poses) != len(w.poses) {
		panic(fmt.Sprintf("collide: %d poses for %d bodies", len(poses), len(w.poses)))
	}
	w.spare = slices.Grow(w.spare[:0], len(poses))[:len(poses)]
	for i, p := range poses {
		var err error
		if w.spare[i], err = w.place(i, p); err != nil {
			return err
		}
	}
	copy(w.poses, poses)
	for i := range w.spare {
		w.frames[i], w.boxes[i] = w.spare[i].frame, w.spare[i].box
	}
	return nil
}

// Remove takes a body away until its pose is set again. Its number stays. It panics if i
// is out of range.
func (w *World) Remove(i int) { w.boxes[i] = bvh.EmptyBox() }

// place checks a pose of a body.
func (w *World) place(i int, p Pose) (placed, error) {
	if err := p.Check(); err != nil {
		return placed{}, &BodyError{i, err}
	}
	at, err := w.shapes[w.shape[i]].place(p)
	if err != nil {
		err = &BodyError{i, err}
	}
	return at, err
}

// place returns where a pose that was checked puts the shape, and a box around all
// nodes and all of the body: around the turned box or the ball, whichever is smaller.
func (h *shape) place(p Pose) (placed, error) {
	at := placed{frame: newFrame(p), box: bvh.EmptyBox()}
	if h.box.Empty() {
		return at, nil
	}
	t := p.Translation.Abs()
	pad := margin(h.reach, t.X+t.Y+t.Z)
	c, r := at.frame.apply(h.center), at.frame.reachOf(h.half)
	d := r3.Vector{X: min(r.X, h.ball) + pad, Y: min(r.Y, h.ball) + pad, Z: min(r.Z, h.ball) + pad}
	at.box = bvh.Box{Min: c.Sub(d), Max: c.Add(d)}
	low, high := at.box.Min.Abs(), at.box.Max.Abs()
	if largest := max(low.X, low.Y, low.Z, high.X, high.Y, high.Z); !(largest <= limit) {
		return at, fmt.Errorf("%w: the body reaches %.3g, beyond 2^498", ErrPose, largest)
	}
	return at, nil
}
