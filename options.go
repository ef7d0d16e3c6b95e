package inpoly

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly/internal/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/loaders"
)

// ErrOption is wrapped by errors about an option that is out of range.
var ErrOption = errors.New("option out of range")

// Options configures a Solid. The zero value is a good default.
type Options struct {
	// Method finds the sides; the zero value is Auto. All methods give the same sides.
	Method Method
	// Rule turns winding numbers into sides.
	Rule Rule
	// Tolerance ≥ 0 is a distance in the mesh's unit. Points whose computed distance to
	// the surface is at most Tolerance are OnSurface. 0 means exactly on a triangle.
	Tolerance float64
	// Epsilon ≥ 0 is the wanted error of the winding numbers of an open mesh: their bound
	// is at most Epsilon, except within rounding of edges of the boundary. A smaller
	// Epsilon takes longer. 0 leaves the choice to the method: FMM uses the error that
	// decides sides soonest, Auto uses at most 1e-6, and the other methods do not depend
	// on Epsilon. Sides are exact, and winding numbers of closed meshes are integers, for
	// any Epsilon.
	Epsilon float64
	// ExpectedPoints ≥ 0 is the approximate number of points that will be queried. Auto
	// and Cells weigh it against the time to build. 0 means unknown, and is treated as a
	// large number. If Auto has chosen Direct for a few points and many more are queried,
	// RayCrossing finds their sides, and Direct continues to compute winding numbers.
	ExpectedPoints int64
	// Workers is the number of goroutines that build and that answer a batch, at
	// most MaxWorkers; 0 means one for each processor. The answers do not depend
	// on it.
	Workers int
	// Seed changes the random rays, never the answers.
	Seed uint64
	// Orient repairs the orientation of the faces before anything else. First, faces that
	// share an edge of exactly two faces are made consistent. Then closed shells, and
	// other parts connected by edges, are turned as a whole. Outer shells face outward. A
	// shell inside another keeps its orientation relative to it, so a cavity stays a
	// cavity. A closed mesh stays closed. Parts stay as they are if they cross a shell
	// around them, have no certain volume (flat sheets) or are one-sided. Report lists
	// the changes.
	Orient bool
	// MaxMemory limits the memory that loading a file may allocate, in bytes; 0 means a
	// multiple of the size of the file.
	MaxMemory int64
	// Source describes the file that the mesh was read from, for Report. Open and Read
	// fill it in.
	Source loaders.Info
	// Progress, if not nil, is called as work advances: in the stages "load", "weld",
	// "orient" (with Orient), "diagnose" and "build" of opening, and in the stage
	// "locate" of LocateTo, in points, for batches of more than a quarter of a million. It
	// is never called by two goroutines at once, and must not ask the Solid, which may wait
	// for it. total is 0 if it is not known.
	Progress func(stage string, done, total int64)
}

// MaxWorkers is the largest number of workers that Options accepts.
const MaxWorkers = par.MaxWorkers

// Check returns an error that wraps ErrOption if a field is out of range.
func (o *Options) Check() error {
	switch {
	case o.Tolerance < 0 || math.IsNaN(o.Tolerance) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("%w: tolerance %g: want a finite distance ≥ 0", ErrOption, o.Tolerance)
	case !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 0):
		return fmt.Errorf("%w: epsilon %g: want a finite number ≥ 0", ErrOption, o.Epsilon)
	case o.ExpectedPoints < 0:
		return fmt.Errorf("%w: %d expected points: want a number ≥ 0", ErrOption, o.ExpectedPoints)
	case o.Rule > EvenOdd:
		return fmt.Errorf("%w: unknown inside rule %d", ErrOption, o.Rule)
	case o.Workers < 0 || o.Workers > MaxWorkers:
		return fmt.Errorf("%w: %d workers: want 0 to %d", ErrOption, o.Workers, MaxWorkers)
	case o.MaxMemory < 0:
		return fmt.Errorf("%w: memory limit %d: want a number of bytes ≥ 0", ErrOption, o.MaxMemory)
	}
	if _, err := ParseMethod(o.Method.String()); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	return nil
}

// Method is a strategy for finding sides. The zero value is Auto.
type Method string

const (
	// Auto chooses the method with the least estimated total time to build and to answer
	// Options.ExpectedPoints points. It does not choose Direct if a single point would
	// take longer than 50 ms.
	Auto Method = locate.Auto
	// RayCrossing counts the crossings of random rays with the faces, which it finds with
	// a bounding volume hierarchy. On open meshes it adds the boundary sum (Muth et al.
	// 2006, §2.2). It takes O(log n) per point for n triangles, plus O(b) for b boundary
	// edges.
	RayCrossing Method = locate.RayCrossing
	// Cells counts the crossings of short segments in the cells of a sparse grid: O(1)
	// per point (see package cells). It passes points that cells cannot answer well to
	// RayCrossing.
	Cells Method = locate.Cells
	// Direct sums the solid angles of all triangles (Muth et al. 2006, §2.1.1): O(n) per
	// point, with nothing to build. It is the reference for the others. It passes points
	// that its error bound does not decide to RayCrossing.
	Direct Method = locate.Direct
	// FMM sums the solid angles of all triangles by multipoles, with a certified bound
	// (Muth et al. 2006, §2.1). For a closed mesh the nearest integer is exact. For an
	// open mesh it chooses the sum that reaches Options.Epsilon in the least estimated
	// time: over all triangles; over the caps that close the mesh, with integer winding
	// numbers from cells; or over the boundary edges, for each point. It passes points
	// that the bound does not decide to RayCrossing. If many more points are queried than
	// expected, it builds a deeper index, and winding numbers of open meshes then change
	// within their bounds.
	FMM Method = locate.FMM
)

// String returns the name of m, "auto" for the zero value.
func (m Method) String() string {
	if m == "" {
		return string(Auto)
	}
	return string(m)
}

// ParseMethod returns the method called name, in any case: auto, raycross, cells,
// direct or fmm.
func ParseMethod(name string) (Method, error) {
	names := Methods()
	for _, m := range names {
		if strings.EqualFold(string(m), name) {
			return m, nil
		}
	}
	list := make([]string, len(names))
	for i, m := range names {
		list[i] = string(m)
	}
	return Auto, fmt.Errorf("unknown method %q: want %s", name, strings.Join(list, ", "))
}

// Methods returns all methods, Auto first.
func Methods() []Method { return []Method{Auto, RayCrossing, Cells, Direct, FMM} }
