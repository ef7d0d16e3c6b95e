package inpoly

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/inpoly/inpoly/internal/par"
)

// Options of a Solid. The zero value is good.
type Options struct {
	// Method is how sides are found; Auto chooses. All methods give the same
	// sides.
	Method Method
	// Rule turns winding numbers into sides.
	Rule Rule
	// Tolerance ≥ 0 is a distance in the mesh's unit: points whose computed
	// distance to the surface is at most that are OnSurface. 0 means exactly on
	// a triangle.
	Tolerance float64
	// Epsilon ≥ 0 is the wanted error of the winding numbers of an open mesh: their
	// bound is at most that, except within rounding of edges of the boundary. A
	// smaller one takes longer. 0 leaves it to the method: FMM takes what decides
	// sides soonest, Auto at most a millionth, the others are as precise as they
	// always are. Sides are exact, and winding numbers of closed meshes are integers,
	// whatever it is.
	Epsilon float64
	// ExpectedPoints ≥ 0 is how many points will be asked for, roughly, for Auto
	// and Cells to weigh against the time to build; 0 means not known, and is
	// taken for many. When Auto has chosen Direct for a few, and many more come,
	// their sides are found by RayCrossing; winding numbers keep to the sum.
	ExpectedPoints int64
	// Workers is the number of goroutines that build and that answer a batch, at
	// most MaxWorkers; 0 means one for each processor. The answers do not depend
	// on it.
	Workers int
	// Seed changes the random rays, never the answers.
	Seed uint64
	// Orient repairs the orientation of the faces before anything else. Faces
	// that meet at edges of two faces come to agree; then closed shells, and
	// other parts that edges connect, are turned as a whole: outer ones face
	// outwards, what lies in another one keeps its relation to it, so cavities
	// stay cavities. A closed mesh stays closed. What crosses a shell around it,
	// has no certain volume (flat sheets) or is one-sided stays as it is. Report
	// tells what was turned.
	Orient bool
	// MaxMemory limits what loading a file may allocate, in bytes; 0 means a
	// multiple of the size of the file.
	MaxMemory int64
	// Progress, if not nil, is called as the stages "load", "weld", "orient" (if
	// asked for), "diagnose" and "build" advance, never by two goroutines at once. total is 0 where it
	// is not known.
	Progress func(stage string, done, total int64)
}

// MaxWorkers is the largest number of workers that Options accepts.
const MaxWorkers = par.MaxWorkers

func (o *Options) check() error {
	if o.Tolerance < 0 || math.IsNaN(o.Tolerance) || math.IsInf(o.Tolerance, 0) {
		return fmt.Errorf("tolerance %g: want a finite distance ≥ 0", o.Tolerance)
	}
	if !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 0) {
		return fmt.Errorf("epsilon %g: want a finite number ≥ 0", o.Epsilon)
	}
	if o.Method >= Method(len(methodNames)) {
		return fmt.Errorf("unknown method %d", o.Method)
	}
	if o.ExpectedPoints < 0 {
		return fmt.Errorf("%d expected points: want a number ≥ 0", o.ExpectedPoints)
	}
	if o.Rule > EvenOdd {
		return fmt.Errorf("unknown inside rule %d", o.Rule)
	}
	if o.Workers < 0 || o.Workers > MaxWorkers {
		return fmt.Errorf("%d workers: want 0 to %d", o.Workers, MaxWorkers)
	}
	if o.MaxMemory < 0 {
		return fmt.Errorf("memory limit %d: want a number of bytes ≥ 0", o.MaxMemory)
	}
	return nil
}

// Method is a way to find sides. The zero value is Auto.
type Method uint8

const (
	// Auto chooses one of the others, whichever is estimated to take the least time
	// to build and to answer Options.ExpectedPoints together. It does not choose
	// Direct where a single point would take longer than 50 ms.
	Auto Method = iota
	// RayCrossing counts the crossings of random rays with the faces, found
	// through a bounding volume hierarchy; on open meshes the boundary sum is
	// added (Muth et al. 2006, §2.2).
	RayCrossing
	// Cells counts the crossings of short segments in the cells of a sparse grid:
	// time that does not depend on the number of triangles (see package cells).
	// What cells cannot answer well is answered by RayCrossing.
	Cells
	// Direct sums the solid angles of all triangles (Muth et al. 2006, §2.1.1):
	// time proportional to triangles × points, and nothing to build. It is the
	// reference for the others. Points that its error bound does not decide are
	// answered by RayCrossing.
	Direct
	// FMM sums the solid angles of all triangles by multipoles, with a certified bound
	// (Muth et al. 2006, §2.1): for a closed mesh the nearest integer is exact. For an
	// open one it sums whatever is estimated to take the least time with the error
	// Options.Epsilon: all triangles; those of caps that close the mesh, whose integer
	// winding numbers come from cells; or the boundary, for each point. Points that the
	// bound does not decide are answered by RayCrossing. When many more points come than
	// were expected its index is made again, deeper: winding numbers of open meshes then
	// change within their bounds.
	FMM
)

var methodNames = [...]string{"auto", "raycross", "cells", "direct", "fmm"}

// String returns the name that ParseMethod accepts.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// ParseMethod returns the method of that name: auto, raycross, cells, direct or
// fmm.
func ParseMethod(name string) (Method, error) {
	for i, n := range methodNames {
		if strings.EqualFold(n, name) {
			return Method(i), nil
		}
	}
	return Auto, fmt.Errorf("unknown method %q: want %s", name, strings.Join(methodNames[:], ", "))
}

// Timings tells how long the stages of building a Solid took. Build is the
// index alone, with the tree if that was built at once; see Solid.
type Timings struct {
	Load, Weld, Orient, Diagnose, Build time.Duration
}
