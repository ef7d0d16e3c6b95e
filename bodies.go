package inpoly

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Part is one of several solids: a mesh and the name that stands for it in
// messages.
type Part struct {
	Name string
	Mesh *mesh.Mesh
	// Faces holds, for each face of Mesh, its number in the file; nil where the
	// numbers are the same.
	Faces []int32
}

// Assembly answers where points lie relative to several named solids: in which of
// them, in how many, and in their union. The solids are numbered in the order in
// which they were given. They may overlap, touch, lie in one another and be equal;
// each answers for itself, with the mesh, rule and tolerance that it would have as a
// Solid, and exactly as that does. It is immutable and safe for concurrent use.
//
// A solid contains the points for which its Side is Inside or OnSurface.
//
// The solids are found through a tree over boxes beyond which they contain nothing:
// a point takes time for those whose box it lies in. The box of an open mesh is the
// larger, the larger its holes are.
type Assembly struct {
	members []member
	opt     Options
	reach   boxSet // boxes beyond which every point is Outside
	turning boxSet // boxes beyond which winding numbers are 0

	given, smallest ranking
	surfaces        *lazy[surfaces] // for distances
}

// member is a solid of an assembly.
type member struct {
	name  string
	solid *Solid
	alone *Solid  // solid with one worker
	faces []int32 // see Part
	bulk  bool    // large groups of points are given to the batch methods of alone
}

// mostBulk is how many solids may keep working memory for batches, those with the
// most faces: up to half a megabyte a worker for the blocks of an assembly. A choice.
const mostBulk = 32

// parallelFaces is the number of faces from which on a solid is built by all workers
// by itself; smaller ones are built side by side, each by one. A choice: building
// takes tens of milliseconds there.
const parallelFaces = 1 << 16

// NewAssembly diagnoses the meshes of parts and builds an index for each: with the
// method Auto the one that suits its size. Of Options.ExpectedPoints each solid
// expects the share that its box has of the box around all of them, of
// Options.Progress it reports the stage "build", in solids.
//
// Names that are empty become body_1, body_2 and so on after the part's number;
// equal ones are told apart by _2, _3 and so on. It fails where NewSolid does, with
// the name of the first solid that cannot be built; for Faces that are not as many as
// the faces of the mesh; and for more faces in all than a mesh may have. It panics if
// a mesh is nil. No parts make an assembly that contains nothing.
func NewAssembly(ctx context.Context, parts []Part, opt Options) (*Assembly, error) {
	var stop func()
	opt.Progress, stop = stoppable(opt.Progress)
	defer stop()
	for i := range parts {
		if parts[i].Mesh == nil {
			panic(fmt.Sprintf("inpoly: part %d has no mesh", i))
		}
	}
	return abandon(ctx, func() (*Assembly, error) { return newAssembly(ctx, parts, opt) })
}

func newAssembly(ctx context.Context, parts []Part, opt Options) (*Assembly, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	a := &Assembly{members: make([]member, len(parts)), opt: opt}
	names := uniqueNames(parts)
	var faces, vertices int64
	for i, p := range parts {
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
	if err := a.build(ctx, parts); err != nil {
		return nil, err
	}
	a.chooseBulk()
	a.surfaces = newLazy(a.newSurfaces)
	if err := a.enclose(ctx); err != nil {
		return nil, err
	}
	a.rank()
	return a, nil
}

// build makes the solids: those of few faces side by side.
func (a *Assembly) build(ctx context.Context, parts []Part) error {
	b := assembling{a: a, parts: parts, expected: shares(parts, a.opt.ExpectedPoints), failed: len(parts)}
	b.tell(0)
	workers := min(par.Workers(a.opt.Workers), runtime.GOMAXPROCS(0))
	var small []int
	for i, p := range parts {
		if len(parts) >= workers && p.Mesh.NumFaces() < parallelFaces {
			small = append(small, i)
		} else {
			b.solid(ctx, i, a.opt.Workers)
		}
	}
	err := par.Blocks(ctx, len(small), 1, a.opt.Workers, func(_, lo, _ int) { b.solid(ctx, small[lo], 1) })
	if err == nil {
		err = b.err
	}
	return err
}

// assembling is an assembly whose solids are being made.
type assembling struct {
	a        *Assembly
	parts    []Part
	expected []int64

	mu     sync.Mutex
	built  int64
	failed int   // the first part that is known to fail, or the number of parts
	err    error // of that
}

// solid makes solid i on the given number of workers, unless an earlier one cannot
// be made.
func (b *assembling) solid(ctx context.Context, i, workers int) {
	b.mu.Lock()
	needed := i < b.failed
	b.mu.Unlock()
	if !needed {
		return
	}
	m, opt := &b.a.members[i], b.a.opt
	opt.Progress, opt.Workers, opt.ExpectedPoints = nil, workers, b.expected[i]
	s, err := newSolid(ctx, b.parts[i].Mesh, opt)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		if i < b.failed {
			b.failed, b.err = i, fmt.Errorf("%s: %w", m.name, err)
		}
		return
	}
	alone := *s
	alone.opt.Workers = 1
	s.opt.Workers = b.a.opt.Workers
	m.solid, m.alone = s, &alone
	b.tell(1)
}

// tell reports that so many more solids have been built.
func (b *assembling) tell(more int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.built += more; b.a.opt.Progress != nil {
		b.a.opt.Progress("build", b.built, int64(len(b.parts)))
	}
}

// shares returns how many points each part may expect of n in all; 0 if n is.
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
		// A ratio that is not a number, where boxes are flat or empty, is all.
		out[i] = n
		if share := s.X / size.X * (s.Y / size.Y) * (s.Z / size.Z); share < 1 {
			out[i] = min(n, 1+int64(max(0, share)*float64(n)))
		}
	}
	return out
}

// chooseBulk chooses the solids that answer large groups of points at once.
func (a *Assembly) chooseBulk() {
	order := make([]int, len(a.members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return a.members[j].solid.mesh.NumFaces() - a.members[i].solid.mesh.NumFaces()
	})
	for _, i := range order[:min(len(order), mostBulk)] {
		a.members[i].bulk = true
	}
}

// Len returns the number of solids.
func (a *Assembly) Len() int { return len(a.members) }

// Name returns the name of solid i: unique and not empty. It panics if i is out of
// range.
func (a *Assembly) Name(i int) string { return a.members[i].name }

// Solid returns solid i. It panics if i is out of range.
func (a *Assembly) Solid(i int) *Solid { return a.members[i].solid }

// FileFace returns the number in the file of a face of solid i, as Part.Faces
// gives it; −1 if face is negative, as that of a distance that does not exist is.
// It panics if i or face is out of range.
func (a *Assembly) FileFace(i int, face int32) int32 {
	switch m := &a.members[i]; {
	case face < 0:
		return -1
	case int(face) >= m.solid.mesh.NumFaces():
		panic(fmt.Sprintf("inpoly: face %d of the %d of %s", face, m.solid.mesh.NumFaces(), m.name))
	case m.faces != nil:
		return m.faces[face]
	}
	return face
}
