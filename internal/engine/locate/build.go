package locate

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// Set is the surface of one target and the Stages for it.
type Set struct {
	Surface *Surface
	Exact   *Stage // for sides, ignoring the tolerance
	Sides   *Stage // for sides, including the tolerance; equals Exact if the tolerance is 0
	Winding *Stage // for winding numbers, and for sides, ignoring the tolerance
	Workers int    // number of goroutines for a batch; 0 means one for each processor

	Method string       // the method chosen for sides, never Auto
	Shape  *cells.Shape // size of the grid of cells; nil for other methods

	// Unsteady reports whether a later call can return a different winding number for the same
	// point, within the error bound.
	Unsteady bool

	// Place is the place of the mesh in the world, or nil if the mesh has no pose; see At. The Surface
	// and the Shape are in the frame of the mesh.
	Place *motion.Placement

	reason string   // why Method was chosen; empty if Auto has chosen it
	work   Workload // workload for which Auto has chosen Method
	detail string   // additional text of the reason
}

// LocateTo writes the sides of s.Sides and the winding numbers of s.Winding to dst; see
// Locator.LocateTo. Without a tolerance, one Locator finds both.
func (s *Set) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	if dst.Winding == nil {
		if dst.Sides == nil {
			return side.Stats{}, ctx.Err()
		}
		return s.Sides.LocateTo(ctx, dst, pts, workers)
	}
	if dst.Sides == nil || s.Sides == s.Exact {
		return s.Winding.LocateTo(ctx, dst, pts, workers)
	}
	windings := side.Answers{Winding: dst.Winding, Bound: dst.Bound}
	stats, err := s.Sides.LocateTo(ctx, side.Answers{Sides: dst.Sides}, pts, workers)
	if err != nil {
		answers.Clear(windings)
		return stats, err
	}
	_, err = s.Winding.LocateTo(ctx, windings, pts, workers)
	return stats, err
}

// Reason returns why Method was chosen.
func (s *Set) Reason() string {
	if s.reason != "" {
		return s.reason + s.detail
	}
	return measured.reason(s.work) + s.detail
}

// Bytes estimates the memory of the mesh and the indexes, including the tree if it has been built.
func (s *Set) Bytes() int64 {
	n := s.Surface.Bytes() + s.Exact.Bytes()
	if s.Winding.current() != s.Exact.current() {
		n += s.Winding.Bytes()
	}
	return n
}

// Signed returns the signed distance for the unsigned distance d of a point with side s. The signed
// distance is negative if s is Inside, and NaN if s is Unknown.
func Signed(d float64, s side.Side) float64 {
	switch {
	case s == side.Unknown:
		return math.NaN()
	case s == side.Inside && d > 0:
		return -d
	}
	return d
}

// signBlock is the number of distances of a block in which a worker sets the signs (tuning).
const signBlock = 1 << 14

// SetSigns replaces the unsigned distances d by signed ones. A distance without a face does not change.
func SetSigns(d []float64, face []int32, sides []side.Side, workers int) {
	set := func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if face[i] >= 0 {
				d[i] = Signed(d[i], sides[i])
			}
		}
	}
	if len(face) <= signBlock {
		set(0, 0, len(face))
		return
	}
	_ = par.Blocks(context.Background(), len(face), signBlock, workers, set) // this context never ends
}

// autoEpsilon is the error that Auto allows for the winding numbers of open meshes if the caller
// sets no epsilon. This error is close to the precision of float32 coordinates (tuning).
const autoEpsilon = 1e-6

// Build builds the Stages for the mesh of s. The given name is Auto or the name of a method from
// Methods.
//
// Errors: an error that wraps fmm.ErrEpsilon if CheckEpsilon rejects w.Epsilon; the error of ctx if
// ctx ends first.
func Build(ctx context.Context, s *Surface, w Workload, name string) (*Set, error) {
	if err := CheckEpsilon(w.Epsilon, s.mesh); err != nil {
		return nil, err
	}
	c := &measured
	set := &Set{Surface: s, Workers: s.opt.Workers, reason: "asked for", work: w}
	methods := c.sideMethods()
	m, known := named(methods, name)
	switch {
	case name == Auto:
		m, set.reason = c.choose(w, methods), ""
		if first, few := c.first(w, m); first.Name != m.Name {
			set.detail = fmt.Sprintf("; %s first, because the number of points is unknown", first.Name)
			m, w = first, few
		}
	case !known:
		return nil, fmt.Errorf("unknown method %q", name)
	}
	built, err := m.Build(ctx, s, w)
	if err != nil {
		return nil, err
	}
	c.fill(set, w, m, built, name == Auto)
	return set, nil
}

// fill sets the Stages of set, which uses the given method for w. auto reports whether Auto has chosen
// the method.
func (c *costs) fill(set *Set, w Workload, m Method, built Built, auto bool) {
	if m.Name == FMM && built.Detail != "" {
		set.detail += "; " + built.Detail
	}
	set.Method, set.Shape = m.Name, built.Shape
	set.Unsteady = w.BoundaryEdges > 0 && m.Name == FMM
	exact, winding := Stage{surface: set.Surface, locator: built.Locator}, Stage{surface: set.Surface, locator: built.Locator}
	if auto {
		exact.upgrade, winding.upgrade = c.upgrades(set, w, m, built)
	}
	winding.epsilon = w.Epsilon
	set.Exact, set.Winding = newStage(exact), newStage(winding)
	if set.Sides = set.Exact; w.Tolerance > 0 {
		exact.tolerance = w.Tolerance
		set.Sides = newStage(exact)
	}
}

// If Auto does not know the number of points, it builds the first index for startPoints points. // tuning
const startPoints = 10_000

// first returns the method that Auto builds first, and the workload for it. m is the method with
// the least cost for w. If m is cells and the number of points is unknown, Auto starts with
// columns, because they take a fraction of the time to build. The method upgrades replaces them by
// cells later.
func (c *costs) first(w Workload, m Method) (Method, Workload) {
	if w.Points > 0 || m.Name != Cells {
		return m, w
	}
	few := w
	few.Points = startPoints
	columns, _ := named(c.sideMethods(), Columns)
	if !columns.Eligible(few) || columns.Cost(few).total(few) >= m.Cost(few).total(few) {
		return m, w
	}
	return columns, few
}

// upgrades returns the indexes that replace method m if callers query more points than expected,
// for sides and for winding numbers. A result is nil if no index replaces m. Auto must have chosen
// m.
func (c *costs) upgrades(set *Set, w Workload, m Method, built Built) (sides, windings *lazy.Upgrade[Locator]) {
	point := c.rayWindings
	switch m.Name {
	case Direct:
		if n := c.directBudget(w); n >= 0 {
			sides = directUntil(n, built.Locator, set.Surface)
		}
		point = c.directWindings
	case Columns:
		sides = cellsLater(c, set.Surface, w, built.Locator)
		if w.BoundaryEdges == 0 {
			windings = sides
		}
	}
	if w.Epsilon == 0 {
		w.Epsilon = autoEpsilon
	}
	if w.BoundaryEdges == 0 || m.Name == FMM && built.Epsilon <= w.Epsilon {
		return sides, windings
	}
	base := built.Locator
	if m.Name == FMM { // the multipoles chosen for sides have a larger error than w.Epsilon
		base = rays{set.Surface}
	}
	set.Unsteady = true
	return sides, multipolesLater(c, set.Surface, w, base, func(w Workload) float64 { return point(w).Point })
}
