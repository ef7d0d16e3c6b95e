package inpoly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Solid answers where points lie relative to one mesh. It is immutable and safe
// for concurrent use. Under the methods Cells, Direct and FMM the tree that distances,
// tolerances and some points need is built by the first call that needs it (with
// Cells at once for an open mesh), and kept; the answers do not depend on when.
type Solid struct {
	mesh    *mesh.Mesh
	tree    *lazy[tree]
	cells   *cells.Index // nil unless the method is Cells
	direct  *bem.Direct  // nil unless the method is Direct
	field   *field       // nil unless the method is FMM
	upgrade *upgrade     // nil unless Auto may turn to multipoles for winding numbers
	task    task         // of upgrade
	spare   *spare       // nil unless Auto has chosen Direct, and rays would be faster if there were the tree
	opt     Options
	method  Method
	reason  string
	report  Report
	timings Timings
}

// Open loads the mesh file at path, welds and diagnoses it and builds the index.
// The format is told by the content first and by the suffix second: STL, OBJ,
// PLY, OFF, glTF, GLB and 3MF, each also as .gz or .zst. Data problems are
// *loaders.Error values that name the place. When ctx ends, its error is
// returned at once; work in progress ends by itself soon afterwards.
func Open(ctx context.Context, path string, opt Options) (*Solid, error) {
	var stop func()
	opt.Progress, stop = stoppable(opt.Progress)
	defer stop()
	return abandon(ctx, func() (*Solid, error) {
		return open(ctx, path, opt, func(lo loaders.Options) (*mesh.Soup, loaders.Info, error) {
			return loaders.Load(ctx, path, lo)
		})
	})
}

// OpenReader is Open for a stream; name stands for it in messages. Files that
// the stream refers to are not read: such a mesh is refused. It does not return
// while r is being read.
func OpenReader(ctx context.Context, name string, r io.Reader, opt Options) (*Solid, error) {
	return open(ctx, name, opt, func(lo loaders.Options) (*mesh.Soup, loaders.Info, error) {
		return loaders.Read(ctx, name, r, lo)
	})
}

func open(ctx context.Context, name string, opt Options, load loader) (*Solid, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	m, src, err := loadMesh(ctx, name, &opt, load)
	if err != nil {
		return nil, err
	}
	s, err := newSolid(ctx, m, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.report.Source = src.info
	s.timings.Load, s.timings.Weld = src.load, src.weld
	return s, nil
}

// NewSolid diagnoses m and builds the index over it. A mesh without faces is a
// solid without points. It fails for options out of range, for coordinates
// beyond 2^1000 in magnitude, and with the error of ctx as soon as that ends;
// work in progress ends by itself soon afterwards.
func NewSolid(ctx context.Context, m *mesh.Mesh, opt Options) (*Solid, error) {
	var stop func()
	opt.Progress, stop = stoppable(opt.Progress)
	defer stop()
	return abandon(ctx, func() (*Solid, error) { return newSolid(ctx, m, opt) })
}

func newSolid(ctx context.Context, m *mesh.Mesh, opt Options) (*Solid, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	s := &Solid{mesh: m, opt: opt}
	start := time.Now()
	if opt.Orient {
		opt.progress("orient", 0)
		oriented, rep, err := orient(ctx, m, opt)
		if err != nil {
			return nil, fmt.Errorf("orient: %w", err)
		}
		s.mesh, s.report.Orientation = oriented, &rep
		opt.progress("orient", 1)
	}
	oriented := time.Now()
	opt.progress("diagnose", 0)
	diagnosis, err := s.mesh.Diagnose(ctx)
	if err != nil {
		return nil, fmt.Errorf("diagnose: %w", err)
	}
	opt.progress("diagnose", 1)
	diagnosed := time.Now()
	s.method, s.reason = opt.Method, "asked for"
	t := newTask(s.mesh, &diagnosis, &opt)
	if opt.Method == Auto {
		if s.method, s.reason = choose(t, &measured); s.method == Direct {
			s.spare = newSpare(measured.sums(t))
		}
	}
	if err := s.build(ctx, t); err != nil {
		return nil, fmt.Errorf("build index: %w", err)
	}
	s.timings = Timings{Orient: oriented.Sub(start), Diagnose: diagnosed.Sub(oriented), Build: time.Since(diagnosed)}
	s.report.Diagnosis = diagnosis
	s.report.Rule = opt.Rule
	return s, nil
}

func (o *Options) progress(stage string, done int64) {
	if o.Progress != nil {
		o.Progress(stage, done, 1)
	}
}

// build builds the index of the method for t; the tree as well unless that can wait.
func (s *Solid) build(ctx context.Context, t task) error {
	s.opt.progress("build", 0)
	if err := checkCoordinates(s.mesh.Box()); err != nil {
		return err
	}
	if err := s.checkEpsilon(); err != nil {
		return err
	}
	s.tree = newLazy(s.newTree)
	var err error
	switch s.method {
	case Cells:
		s.cells, err = cells.New(ctx, s.mesh, cells.Options{
			Rule: s.opt.Rule, Workers: s.opt.Workers, ExpectedPoints: s.opt.ExpectedPoints, Rays: s.rays,
		})
	case Direct:
		if err = ctx.Err(); err == nil {
			s.direct = bem.NewDirect(s.mesh, s.opt.Workers)
		}
	case FMM:
		err = s.buildField(ctx, t)
	default:
		err = s.needTree(ctx)
	}
	if err != nil {
		return err
	}
	s.planUpgrade(t)
	s.opt.progress("build", 1)
	return nil
}

// buildField builds the index of the method FMM.
func (s *Solid) buildField(ctx context.Context, t task) (err error) {
	if t.boundary > 0 && t.epsilon == 0 {
		t.epsilon = measured.sideEpsilon(t)
	}
	s.field, err = s.newField(ctx, measured.bestWay(t), t.epsilon)
	if t.boundary > 0 && errors.Is(err, fmm.ErrEpsilon) {
		// The sum over the boundary reaches what multipoles do not: checkEpsilon has
		// refused the rest.
		s.field, err = s.newField(ctx, byRay, t.epsilon)
	}
	if err != nil {
		return err
	}
	if t.boundary > 0 {
		s.reason += "; " + s.field.String()
	}
	if !s.fieldSides() {
		return s.needTree(ctx)
	}
	return nil
}

// planUpgrade prepares for many winding numbers of an open mesh under Auto.
func (s *Solid) planUpgrade(t task) {
	if s.opt.Method != Auto || s.mesh.Closed() {
		return
	}
	if t.epsilon == 0 {
		t.epsilon = autoEpsilon
	}
	if s.field == nil || s.field.way != byRay && s.field.epsilon > t.epsilon {
		s.task, s.upgrade = t, s.newUpgrade(t)
	}
}

// Mesh returns the welded mesh, after Options.Orient. It must not be modified.
func (s *Solid) Mesh() *mesh.Mesh { return s.mesh }

// Method returns the method that answers, never Auto, and why it was chosen.
// Where that is Direct because Auto expects few points, and many more come, the
// tree is built after all and finds their sides.
func (s *Solid) Method() (method Method, reason string) { return s.method, s.reason }

// CellsShape returns the size of the index of the method Cells; ok is false for
// the other methods.
func (s *Solid) CellsShape() (shape CellsShape, ok bool) {
	if s.cells == nil {
		return CellsShape{}, false
	}
	return s.cells.Shape(), true
}

// Report returns what is wrong with the mesh, and what it means for the answer.
func (s *Solid) Report() Report { return s.report }

// Timings returns how long building took.
func (s *Solid) Timings() Timings { return s.timings }

func finite(p r3.Vector) bool {
	return !math.IsNaN(p.X-p.X) && !math.IsNaN(p.Y-p.Y) && !math.IsNaN(p.Z-p.Z)
}
