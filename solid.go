package inpoly

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/orient"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/meshfile"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/mesh"
)

// Solid finds where points lie relative to one mesh. It is immutable and safe for concurrent use.
// Distances, tolerances, and the sides of some points need a tree over the faces. The first query
// that needs the tree builds it. The tree stays in memory and changes no answer.
type Solid struct {
	set       *locate.Set // the surface, and the locators for sides and winding numbers
	opt       Options     // Rule is the rule in use
	givenRule Rule        // Options.Rule before Options.Orient has changed it
	report    Report
	diagnosis *lazy.Value[diagnosis]
	flipped   []int32       // faces that Options.Orient has turned over
	progress  lazy.Progress // Options.Progress, wrapped so that its calls do not overlap; can be nil
}

// diagnosis is the diagnosis of the mesh, and the time that it took.
type diagnosis struct {
	mesh.Diagnosis
	time time.Duration
}

// Open loads the mesh file at path, welds the mesh, and builds the index. Open recognizes the format
// by the content, or otherwise by the suffix of path. The formats are STL, OBJ, PLY, OFF, glTF, GLB,
// 3MF, MSH of Gmsh, VTK (.vtk, .vtp, .vtu, .vts, .vtr, .vti) and CityJSON. A file can be compressed
// as .gz or .zst. When ctx ends, Open returns the error of ctx at once, and running goroutines end
// soon afterward.
//
// If the file has bad data, Open returns a *loaders.Error with the place in the file. This error
// wraps a reason, such as loaders.ErrUnknownFormat. Open also returns the errors of New.
func Open(ctx context.Context, path string, opt Options) (*Solid, error) {
	return lazy.Detach(ctx, opt.Progress, func(gated lazy.Progress) (*Solid, error) { return load(ctx, path, opt, gated, meshfile.Open) })
}

// Read reads the mesh file from r, and otherwise works like Open. Messages contain the given name
// instead of a path. Read fails if the mesh refers to other files. If ctx ends during a call of
// r.Read, Read waits for the end of this call.
func Read(ctx context.Context, name string, r io.Reader, opt Options) (*Solid, error) {
	gated, stop := lazy.Gate(opt.Progress)
	defer stop()
	return load(ctx, name, opt, gated, meshfile.From(r))
}

func load(ctx context.Context, name string, opt Options, progress lazy.Progress,
	open func(ctx context.Context, name string, opt meshfile.Options) (meshfile.File, error)) (*Solid, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	file, err := open(ctx, name, meshfile.Options{Workers: opt.Workers, MaxMemory: opt.MaxMemory, AllParts: opt.AllParts, Progress: progress})
	if err != nil {
		return nil, err
	}
	opt.Source = file.Info
	s, err := build(ctx, file.Mesh, opt, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.report.Timings.Load = file.Load
	s.report.Timings.Weld += file.Weld
	return s, nil
}

// New builds the index of m. A mesh without faces contains no point. The caller must not
// modify m afterward. When ctx ends, New returns the error of ctx at once, and running goroutines
// end soon afterward.
//
// New returns mesh.ErrNil if m is nil, and an error that wraps ErrNegative if m has a negative body. It returns an error that wraps ErrOption if an option is out
// of range, and an error that wraps fmm.ErrEpsilon if Options.Epsilon is too small.
func New(ctx context.Context, m *mesh.Mesh, opt Options) (*Solid, error) {
	return lazy.Detach(ctx, opt.Progress, func(gated lazy.Progress) (*Solid, error) { return build(ctx, m, opt, gated) })
}

func build(ctx context.Context, m *mesh.Mesh, opt Options, progress lazy.Progress) (*Solid, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, mesh.ErrNil
	}
	if n := m.NegativeBodies(); n > 0 {
		return nil, plural.Errorf("%w: a slicer cuts %d parts out of the mesh, so it is not one solid", ErrNegative, n)
	}
	opt.Method, _ = ParseMethod(opt.Method.String()) // ParseMethod lowers the case; Check has accepted the name
	s := &Solid{opt: opt, givenRule: opt.Rule, report: Report{Source: opt.Source, Orient: opt.Orient, Tolerance: opt.Tolerance}}
	s.progress, _ = lazy.Gate(opt.Progress)
	start := time.Now()
	var err error
	if opt.Weld > 0 {
		progress.Report("weld", 0, 1)
		var w mesh.Welding
		if m, w, err = m.Welded(ctx, opt.Weld, opt.Workers); err != nil {
			return nil, fmt.Errorf("weld: %w", err)
		}
		s.report.Welding = &w
		progress.Report("weld", 1, 1)
	}
	welded := time.Now()
	if opt.Orient.Examines(m) {
		progress.Report("orient", 0, 1)
		var rep Orientation
		if m, s.flipped, rep, err = orient.Repair(ctx, m, opt.Orient, opt.Workers); err != nil {
			return nil, fmt.Errorf("orient: %w", err)
		}
		if rep.Parity && opt.Rule == NonZero {
			s.opt.Rule, opt.Rule = EvenOdd, EvenOdd
		}
		s.report.Orientation = &rep
		progress.Report("orient", 1, 1)
	}
	s.report.Rule = opt.Rule
	oriented := time.Now()
	progress.Report("build", 0, 1)
	surface := locate.NewSurface(m, locate.SurfaceOptions{Rule: opt.Rule, Seed: opt.Seed, Workers: opt.Workers})
	set, err := locate.BuildParts(ctx, surface, workload(m, &opt), opt.Method.String(), opt.parts)
	if err != nil {
		return nil, fmt.Errorf("build index: %w", err)
	}
	progress.Report("build", 1, 1)
	s.use(set, Timings{Weld: welded.Sub(start), Orient: oriented.Sub(welded), Build: time.Since(oriented)})
	return s, nil
}

// workload returns the Workload for queries of m with the given options.
func workload(m *mesh.Mesh, opt *Options) locate.Workload {
	return locate.NewWorkload(m, locate.Workload{
		Rule: opt.Rule, Points: opt.ExpectedPoints, Epsilon: opt.Epsilon, Tolerance: opt.Tolerance, Workers: opt.Workers,
	})
}

// use sets the fields of s that describe the index.
func (s *Solid) use(set *locate.Set, t Timings) {
	s.set = set
	s.report.Method, s.report.Cells = Method(set.Method), (*CellsShape)(set.Shape)
	s.report.WindingsVary = set.Unsteady
	s.report.Timings = t
	s.diagnosis = lazy.New(s.diagnose)
}

// Mesh returns the mesh after welding and after the changes of Options.Weld and Options.Orient. The caller must not
// modify the mesh.
func (s *Solid) Mesh() *mesh.Mesh { return s.set.Surface.Mesh() }

// Flipped returns the faces that Options.Orient has turned over, in ascending order. The caller must
// not modify the slice.
func (s *Solid) Flipped() []int32 { return s.flipped }

// Report returns the defects of the mesh and their effect on sides. It also returns the method and
// the time for building. The first call diagnoses the mesh, which takes O(n) time for n faces,
// usually less than a tenth of a microsecond for each face. Sides do not need the diagnosis.
func (s *Solid) Report() Report {
	r, d := s.report, s.diagnosis.Must()
	r.Diagnosis, r.Timings.Diagnose = d.Diagnosis, d.time
	r.MethodReason = s.set.Reason()
	return r
}

// diagnose diagnoses the mesh.
func (s *Solid) diagnose(ctx context.Context) (*diagnosis, error) {
	start := time.Now()
	s.progress.Report("diagnose", 0, 1)
	d, err := s.Mesh().Diagnose(ctx)
	if err != nil {
		return nil, err
	}
	s.progress.Report("diagnose", 1, 1)
	return &diagnosis{d, time.Since(start)}, nil
}

// Side returns the exact side of p. The side is Unknown if p is not finite. On an open mesh, the
// side is also Unknown if 256-bit arithmetic cannot separate the winding number from the threshold
// of the rule. These two numbers are then usually equal. Side allocates only in arbitrary-precision
// arithmetic, which Stats counts.
func (s *Solid) Side(p r3.Vector) Side { return s.set.Sides.Side(p) }

// Contains reports whether p is Inside or OnSurface. It is false if Side is Unknown.
func (s *Solid) Contains(p r3.Vector) bool { return s.Side(p).Contains() }

// Winding returns the winding number w of p and a certified bound of its error. If the mesh is
// closed and p is not on its surface, w is an exact integer with bound 0. Triangles that contain p
// add nothing to w. In the interior of a face of a cube, for example, w is 1/2 within the bound. If
// p is not finite, Winding returns NaN and +Inf.
func (s *Solid) Winding(p r3.Vector) (w, bound float64) { return s.set.Winding.Winding(p) }
