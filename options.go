package inpoly

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/loaders"
)

// ErrOption means that an option is out of range. The errors of Options.Check wrap it.
var ErrOption = errors.New("option out of range")

// ErrNegative means that a mesh has a negative body, which is cut out of other bodies; see mesh.Body.
// Such a mesh is not one solid, so New refuses it. Package assembly finds the sides of its points. If a
// file is read with Options.AllParts, its negative bodies are solid.
var ErrNegative = errors.New("negative parts")

// Options configures a Solid. The zero value is a good default.
type Options struct {
	// Method is the method for finding sides. All methods find the same sides.
	Method Method
	// Rule turns winding numbers into sides.
	Rule Rule
	// Tolerance ≥ 0 is a distance in the unit of the mesh. Points whose exact distance to the
	// surface is at most Tolerance are OnSurface. These are the points with |Distance| ≤ Tolerance,
	// because Distance is rounded up. If Tolerance is 0, only points exactly on a triangle are
	// OnSurface.
	Tolerance float64
	// Epsilon ≥ 0 is the largest bound of a winding number. If the bound of the method exceeds
	// Epsilon at a point, the winding number is computed again in extended precision, in O(N) time
	// for N boundary edges. New refuses an Epsilon that is less than the rounding of winding numbers
	// to float64. If Epsilon is 0, bounds have no limit. Then FMM uses the error that makes finding
	// sides fastest, and Auto uses 1e-6 for most points. Epsilon does not affect sides, which are
	// exact.
	Epsilon float64
	// ExpectedPoints ≥ 0 is the approximate number of points that will be queried. Auto and Cells
	// balance the time for these points against the time for building the index. 0 means unknown,
	// and counts as a large number, but then Auto can start with Columns, which take less time to
	// build. If more points are queried than Columns were built for, and if they pay for it, the call
	// that queries them builds Cells. Auto can choose Direct for a few points. If many more points
	// are queried, RayCrossing finds the sides of the later points. Direct still computes winding
	// numbers.
	ExpectedPoints int64
	// Workers is the number of goroutines for building and for a batch of points. It is at most
	// MaxWorkers. 0 means one for each processor. The answers do not depend on Workers.
	Workers int
	// Weld ≥ 0 is a distance in the unit of the mesh. Before anything else, vertices of unmatched edges
	// that are at most Weld apart become one vertex; see mesh.Mesh.Welded. It closes meshes whose seams
	// differ by rounding. All answers are exact for the welded mesh, which Solid.Mesh returns. 0 joins only
	// vertices with equal coordinates. Report has the changes, and for an open mesh the tolerance that
	// would close it, if a small one does.
	Weld float64
	// Seed changes the random rays, but not the answers.
	Seed uint64
	// Orient selects the parts of the mesh whose orientation is repaired before the index is
	// built. Winding numbers and normals are those of the repaired mesh. Report lists the
	// changes, and Solid.Flipped the faces.
	//
	// OrientAuto, the zero value, changes only parts with misoriented edges: edges of exactly two
	// faces that run along the edge in the same direction. First, all faces that such edges and
	// other edges of exactly two faces connect become consistent. If no consistent orientation
	// exists, as for a Möbius strip, they do not change. If this holds for all faces of the mesh,
	// every edge has an even number of faces, and Rule is NonZero, the rule becomes EvenOdd; Report
	// has the rule. Then closed shells, and an open mesh of one part, are reversed as a whole where
	// necessary, so that outer shells face outward. A shell inside another shell keeps its relative
	// orientation, so a cavity stays a cavity. A shell is not reversed as a whole if a shell around
	// it or in it has no misoriented edges, or if a closed outer shell without misoriented edges
	// faces inward.
	//
	// OrientAlways also reverses shells without misoriented edges, and open parts of larger meshes.
	// A closed mesh stays closed. A part is not reversed if it crosses a shell around it, or if it is
	// one-sided. A part of uncertain volume, such as a flat sheet, is not reversed.
	//
	// OrientNever takes the mesh as it is.
	Orient Orient
	// MaxMemory limits the bytes that loading a file allocates. 0 means a multiple of the size of
	// the file.
	MaxMemory int64
	// AllParts means that all parts of a 3MF file of a slicer are solid, whatever their types are; see
	// loaders.Options.
	AllParts bool
	// Source describes the file of the mesh, for Report. Open and Read overwrite it.
	Source loaders.Info
	// Progress is called as work advances, unless it is nil. Opening has the stages "load", "weld",
	// "orient" (if Orient applies) and "build". The first call of Report has the stage "diagnose".
	// LocateTo has the stage "locate" for
	// batches of more than a quarter of a million points; this stage counts points. The total is 0
	// if it is unknown. Calls never overlap. Progress must not query the Solid, because the query
	// could wait for Progress.
	Progress func(stage string, done, total int64)

	parts locate.Parts // what New builds; see locate.Need
}

// MaxWorkers is the largest number of workers that Options accepts.
const MaxWorkers = par.MaxWorkers

// Check returns an error that wraps ErrOption if a field is out of range.
func (o *Options) Check() error {
	switch {
	case o.Tolerance < 0 || math.IsNaN(o.Tolerance) || math.IsInf(o.Tolerance, 0):
		return fmt.Errorf("%w: tolerance %g: must be a finite distance ≥ 0", ErrOption, o.Tolerance)
	case !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 0):
		return fmt.Errorf("%w: epsilon %g: must be a finite number ≥ 0", ErrOption, o.Epsilon)
	case !(o.Weld >= 0) || math.IsInf(o.Weld, 0):
		return fmt.Errorf("%w: weld %g: must be a finite distance ≥ 0", ErrOption, o.Weld)
	case o.ExpectedPoints < 0:
		return fmt.Errorf("%w: %d expected points: must be ≥ 0", ErrOption, o.ExpectedPoints)
	case o.Rule > EvenOdd:
		return fmt.Errorf("%w: unknown rule %d", ErrOption, o.Rule)
	case o.Orient > OrientAlways:
		return fmt.Errorf("%w: unknown orientation %d", ErrOption, o.Orient)
	case o.Workers < 0 || o.Workers > MaxWorkers:
		return fmt.Errorf("%w: %d workers: must be 0 to %d", ErrOption, o.Workers, MaxWorkers)
	case o.MaxMemory < 0:
		return fmt.Errorf("%w: memory limit %d: must be a number of bytes ≥ 0", ErrOption, o.MaxMemory)
	}
	if _, err := ParseMethod(o.Method.String()); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	return nil
}

// Method is the name of a strategy for finding sides. The zero value stands for Auto.
type Method string

const (
	// Auto chooses the method with the least estimated time. This time includes building and
	// Options.ExpectedPoints points. Auto does not choose Direct if a single point would take longer
	// than 50 ms.
	Auto Method = locate.Auto
	// RayCrossing counts the faces that a random ray crosses. A bounding volume hierarchy finds
	// these faces. For open meshes, RayCrossing adds a sum over the boundary edges (Muth et al.
	// 2006, §2.2). A point takes O(log n) time for n triangles, plus O(b) for b boundary edges.
	RayCrossing Method = locate.RayCrossing
	// Columns counts the faces that a ray parallel to an axis crosses; see package columns. For open
	// meshes, Columns closes the boundary with caps, and subtracts their potential by multipoles. The
	// index takes a fraction of the time of a tree or of cells, so Columns is fast for few points. For
	// few expected points in a closed mesh, Columns builds the index only after queries have paid for
	// it. If the bound of the potential does not decide a side, RayCrossing finds the side. RayCrossing
	// also finds the winding numbers of open meshes, and of points on the surface.
	Columns Method = locate.Columns
	// Cells counts the faces that a short segment crosses in a cell of a sparse grid; see package
	// cells. A point takes O(1) time. If the cell does not decide the side, RayCrossing finds the
	// side.
	Cells Method = locate.Cells
	// Direct sums the solid angles of all triangles (Muth et al. 2006, §2.1.1). A point takes O(n)
	// time for n triangles, and there is no index to build. Direct is the reference for the other
	// methods. If the error bound does not decide a side, RayCrossing finds the side.
	Direct Method = locate.Direct
	// FMM sums the solid angles of all triangles by multipoles, with a certified bound (Muth et al.
	// 2006, §2.1). For a closed mesh it rounds the sum to the nearest integer, which is exact. For
	// an open mesh it estimates the times of three sums and chooses the fastest. Each sum is as
	// precise as Options.Epsilon requests. The first sum uses multipoles of all triangles. The
	// second sum closes the mesh with caps, and uses cells for the closed mesh and multipoles for
	// the caps. The third sum uses a ray and the boundary edges, or all triangles as Direct does. If
	// the bound does not decide a side, RayCrossing finds the side. If many more points than expected
	// are queried, FMM builds a deeper index. Winding numbers of open meshes then change within their
	// bounds.
	FMM Method = locate.FMM
)

// String returns the name of m. The name of the zero value is "auto".
func (m Method) String() string {
	if m == "" {
		return string(Auto)
	}
	return string(m)
}

// ParseMethod returns the method with the given name: auto, raycross, columns, cells, direct or fmm. It
// ignores the case of letters.
func ParseMethod(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if strings.EqualFold(string(m), name) {
			return m, nil
		}
		names = append(names, string(m))
	}
	return Auto, fmt.Errorf("unknown method %q: expected one of %s", name, strings.Join(names, ", "))
}

// Methods returns all methods. The first is Auto.
func Methods() []Method { return []Method{Auto, RayCrossing, Columns, Cells, Direct, FMM} }
