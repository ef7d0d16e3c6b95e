// Package assembly answers where points lie relative to several named solids: in
// which of them, in how many, and in their union.
//
//	a, err := assembly.Open(ctx, []string{"ore.obj", "waste.obj"}, assembly.Options{})
//	if err != nil {
//		return err
//	}
//	fmt.Println(a.Side(p)) // of the union
//	if i := a.Body(p, assembly.Innermost); i >= 0 {
//		fmt.Println(a.Name(int(i)))
//	}
package assembly

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Options configures an Assembly. The zero value is a good default.
type Options struct {
	// The options of every solid. Each solid expects a share of ExpectedPoints: the ratio
	// of its box to the box around all solids. Progress reports the stages "load" and
	// "weld" for each file of Open, then "build", counted in solids (for a single solid,
	// the stages of inpoly.New), then "locate", counted in points.
	inpoly.Options
	// SplitBodies makes a solid of each body of the files of Open, as Split does: OBJ
	// groups and objects, STL solids, glTF nodes, 3MF build items. It is for files whose
	// bodies are solids by themselves. Bodies that are patches of one surface become open
	// meshes, and Report says so.
	SplitBodies bool
}

// Part is one of several solids: a mesh and its name in messages.
type Part struct {
	Name string
	Mesh *mesh.Mesh
	// Faces holds the number in the file of each face of Mesh; nil if the numbers are
	// the same.
	Faces []int32
	// Source describes the file, for Report.
	Source loaders.Info

	path string // of the file that is all of this part: its name in errors; else empty
}

// Assembly is several named solids, numbered in the order in which they were given. They
// may overlap, touch, contain one another or be equal. Each solid gives exactly the
// answers that an inpoly.Solid with the same mesh, rule and tolerance gives. An Assembly
// is immutable and safe for concurrent use.
//
// A solid contains the points for which its Side is Inside or OnSurface.
//
// A tree over boxes finds the solids that may contain a point: no point beyond its box is
// in a solid. The larger the holes of an open mesh, the larger its box.
type Assembly struct {
	members       []member
	opt           Options
	sideBounds    boxSet // boxes beyond which every point is Outside
	windingBounds boxSet // boxes beyond which winding numbers are 0
	progress      func(stage string, done, total int64)
	files         inpoly.Timings // of loading and welding

	given, smallest ranking
	surfaces        *lazy.Value[surfaces] // for distances
}

// member is a solid of an assembly.
type member struct {
	name    string
	solid   *inpoly.Solid
	set     *locate.Set // of solid
	faces   []int32     // see Part
	batched bool        // large groups of points are answered as batches
}

// maxBatched is the number of solids that may keep working memory for batches: the solids
// with the most faces. This memory is up to half a megabyte per worker for the blocks of
// an assembly. tuning
const maxBatched = 32

// parallelFaces is the smallest number of faces for which all workers together build one
// solid. Smaller solids are built in parallel, each by one worker. At this size building
// takes tens of milliseconds. tuning
const parallelFaces = 1 << 16

// New diagnoses the meshes of parts and builds an index for each: with Auto, the
// method that suits its size. No parts make an assembly that contains nothing.
//
// An empty name becomes body_1, body_2 and so on, after the number of the part. Equal
// names are distinguished by the suffixes _2, _3 and so on.
//
// Errors: the errors of inpoly.New, with the name of the first solid that cannot be
// built; an error if the length of Faces is not the number of faces of the mesh;
// mesh.ErrTooLarge if the total number of faces exceeds the limit of a mesh. When ctx
// ends, its error is returned at once.
func New(ctx context.Context, parts []Part, opt Options) (*Assembly, error) {
	gated, stop := lazy.GateProgress(opt.Progress)
	defer stop()
	return lazy.Detach(ctx, func() (*Assembly, error) { return build(ctx, parts, opt, gated) })
}

func build(ctx context.Context, parts []Part, opt Options, progress func(string, int64, int64)) (*Assembly, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	a := &Assembly{members: make([]member, len(parts)), opt: opt}
	a.progress, _ = lazy.GateProgress(opt.Progress)
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	names = mesh.UniqueNames(names)
	var faces, vertices int64
	for i, p := range parts {
		if p.Mesh == nil {
			return nil, fmt.Errorf("%s: %w", names[i], mesh.ErrNil)
		}
		faces += int64(p.Mesh.NumFaces())
		vertices += int64(len(p.Mesh.Vertices))
		if p.Faces != nil && len(p.Faces) != p.Mesh.NumFaces() {
			return nil, fmt.Errorf("%s: %d face numbers for %d faces", names[i], len(p.Faces), p.Mesh.NumFaces())
		}
		a.members[i].name, a.members[i].faces = names[i], p.Faces
	}
	if faces > mesh.MaxFaces || vertices > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d faces, %d vertices in %d solids", mesh.ErrTooLarge, faces, vertices, len(parts))
	}
	if err := a.buildSolids(ctx, parts, progress); err != nil {
		return nil, err
	}
	a.chooseBatched()
	a.surfaces = lazy.New(a.newSurfaces)
	if err := a.bound(ctx); err != nil {
		return nil, err
	}
	a.rank()
	return a, nil
}

// buildSolids builds the solids. It builds solids with few faces in parallel.
func (a *Assembly) buildSolids(ctx context.Context, parts []Part, progress func(string, int64, int64)) error {
	b := builder{a: a, parts: parts, progress: progress, expected: shares(parts, a.opt.ExpectedPoints), failed: len(parts)}
	b.report(0)
	workers := min(par.Workers(a.opt.Workers), runtime.GOMAXPROCS(0))
	var small []int
	for i, p := range parts {
		if len(parts) >= workers && p.Mesh.NumFaces() < parallelFaces {
			small = append(small, i)
		} else {
			b.build(ctx, i, a.opt.Workers)
		}
	}
	err := par.Blocks(ctx, len(small), 1, a.opt.Workers, func(_, lo, _ int) { b.build(ctx, small[lo], 1) })
	if err == nil {
		err = b.err
	}
	return err
}

// builder builds the solids of an assembly.
type builder struct {
	a        *Assembly
	parts    []Part
	progress func(string, int64, int64)
	expected []int64

	mu     sync.Mutex
	built  int64
	failed int   // the first part known to fail, or the number of parts
	err    error // of that part
}

// build builds solid i on the given number of workers, unless an earlier one has
// failed.
func (b *builder) build(ctx context.Context, i, workers int) {
	b.mu.Lock()
	needed := i < b.failed
	b.mu.Unlock()
	if !needed {
		return
	}
	m, opt := &b.a.members[i], b.a.opt.Options
	opt.Progress, opt.Workers, opt.ExpectedPoints, opt.Source = nil, workers, b.expected[i], b.parts[i].Source
	if len(b.parts) == 1 {
		opt.Progress = b.progress
	}
	s, err := inpoly.New(ctx, b.parts[i].Mesh, opt)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if i < b.failed {
			b.failed, b.err = i, fmt.Errorf("%s: %w", cmp.Or(b.parts[i].path, m.name), err)
		}
		return
	}
	m.solid, m.set = s, s.Internal()
	m.set.Workers = b.a.opt.Workers // for any number of workers that built it
	b.report(1)
}

// report reports that the given number of additional solids have been built.
func (b *builder) report(more int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.built += more; b.progress != nil && len(b.parts) > 1 {
		b.progress("build", b.built, int64(len(b.parts)))
	}
}

// shares returns the expected number of points of each part, for n points in total. It is 0 if n is
// 0.
func shares(parts []Part, n int64) []int64 {
	out := make([]int64, len(parts))
	if n == 0 {
		return out
	}
	all := bvh.EmptyBox()
	for _, p := range parts {
		all = all.Union(p.Mesh.Box())
	}
	size := all.Size()
	for i, p := range parts {
		s := p.Mesh.Box().Size()
		// A ratio that is not a number, because boxes are flat or empty, counts as all.
		out[i] = n
		if share := s.X / size.X * (s.Y / size.Y) * (s.Z / size.Z); share < 1 {
			out[i] = min(n, 1+int64(max(0, share)*float64(n)))
		}
	}
	return out
}

// chooseBatched chooses the solids that answer large groups of points as batches.
func (a *Assembly) chooseBatched() {
	order := make([]int, len(a.members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return a.members[j].solid.Mesh().NumFaces() - a.members[i].solid.Mesh().NumFaces()
	})
	for _, i := range order[:min(len(order), maxBatched)] {
		a.members[i].batched = true
	}
}

// Len returns the number of solids.
func (a *Assembly) Len() int { return len(a.members) }

// Name returns the name of solid i: unique and not empty. It panics if i is out of
// range.
func (a *Assembly) Name(i int) string { return a.members[i].name }

// Solid returns solid i. It panics if i is out of range.
func (a *Assembly) Solid(i int) *inpoly.Solid { return a.members[i].solid }

// FileFace returns the number in the file of a face of solid i, as Part.Faces gives it.
// It returns −1 if face is negative, which means that there is no nearest face. It panics if i or
// face is out of range.
func (a *Assembly) FileFace(i int, face int32) int32 {
	switch m := &a.members[i]; {
	case face < 0:
		return -1
	case int(face) >= m.solid.Mesh().NumFaces():
		panic(fmt.Sprintf("assembly: face %d of the %d of %s", face, m.solid.Mesh().NumFaces(), m.name))
	case m.faces != nil:
		return m.faces[face]
	}
	return face
}
