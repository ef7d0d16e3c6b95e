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

// Options of a Solid. The zero value is good.
type Options struct {
	// Method finds the sides; the zero value is Auto. All methods give the same sides.
	Method Method
	// Rule turns winding numbers into sides.
	Rule Rule
	// Tolerance ≥ 0 is a distance in the mesh's unit. Points whose computed distance to
	// the surface is at most Tolerance are OnSurface. 0 means exactly on a triangle.
	Tolerance float64
	// Epsilon ≥ 0 is the wanted error of the winding numbers of an open mesh: their
	// bound is at most Epsilon, except within rounding of edges of the boundary. A
	// smaller one takes longer. 0 leaves it to the method: FMM takes the error that
	// decides sides soonest, Auto takes a millionth at most, the others are as precise
	// as they always are. Sides are exact, and winding numbers of closed meshes are
	// integers, for any Epsilon.
	Epsilon float64
	// ExpectedPoints ≥ 0 is roughly how many points will be asked for. Auto and Cells
	// weigh it against the time to build. 0 means unknown and counts as many. If Auto has
	// chosen Direct for a few points and many more come, RayCrossing finds their sides;
	// winding numbers stay with the sum.
	ExpectedPoints int64
	// Workers is the number of goroutines that build and that answer a batch, at
	// most MaxWorkers; 0 means one for each processor. The answers do not depend
	// on it.
	Workers int
	// Seed changes the random rays, never the answers.
	Seed uint64
	// Orient repairs the orientation of the faces before anything else. Faces that meet
	// at edges of two faces come to agree. Then closed shells, and other parts that edges
	// connect, are turned as a whole: outer ones face outward; one that lies in another
	// keeps its relation to it, so a cavity stays a cavity. A closed mesh stays closed.
	// Parts stay as they are if they cross a shell around them, have no certain volume
	// (flat sheets) or are one-sided. Report tells what was turned.
	Orient bool
	// MaxMemory limits what loading a file may allocate, in bytes; 0 means a
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

// Method names the strategy that finds sides. The zero value is Auto.
type Method string

const (
	// Auto chooses one of the others: the one with the least estimated time to build
	// and to answer Options.ExpectedPoints together. It does not choose Direct if a
	// single point would take longer than 50 ms.
	Auto Method = locate.Auto
	// RayCrossing counts the crossings of random rays with the faces, found
	// through a bounding volume hierarchy; on open meshes it adds the boundary sum
	// (Muth et al. 2006, §2.2). O(log n) a point for n triangles, plus O(b) for b
	// boundary edges.
	RayCrossing Method = locate.RayCrossing
	// Cells counts the crossings of short segments in the cells of a sparse grid:
	// O(1) a point (see package cells). It leaves points that cells cannot answer well
	// to RayCrossing.
	Cells Method = locate.Cells
	// Direct sums the solid angles of all triangles (Muth et al. 2006, §2.1.1):
	// O(n) a point, and nothing to build. It is the reference for the others. It leaves
	// points that its error bound does not decide to RayCrossing.
	Direct Method = locate.Direct
	// FMM sums the solid angles of all triangles by multipoles, with a certified bound
	// (Muth et al. 2006, §2.1). For a closed mesh the nearest integer is exact. For an
	// open one it sums whatever reaches Options.Epsilon in the least estimated time: all
	// triangles; the caps that close the mesh, whose integer winding numbers come from
	// cells; or the boundary, for each point. It leaves points that the bound does not
	// decide to RayCrossing. If many more points come than were expected, it makes a
	// deeper index: winding numbers of open meshes then change within their bounds.
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
