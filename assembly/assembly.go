// Package assembly finds where points lie relative to several named solids: which solids contain a
// point, how many solids contain it, and whether it lies in their union.
//
//	a, err := assembly.Open(ctx, []string{"ore.obj", "waste.obj"}, assembly.Options{})
//	if err != nil {
//		return err
//	}
//	fmt.Println(a.Side(p)) // the side relative to the union
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
	"unsafe"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Options configures an Assembly. The zero value is a good default.
type Options struct {
	// Options are the options of every solid, with two differences. ExpectedPoints is divided among
	// the solids. The share of a solid is the volume of its box divided by the volume of the box
	// around all solids. Progress reports the stages "load" and "weld" for each file of Open. The
	// stage "build" counts solids, and the stage "locate" counts points. For a single solid,
	// Progress reports the stages of inpoly.New instead of "build".
	inpoly.Options
	// SplitBodies means that Open makes a solid from each body in a file; see Split. Bodies are OBJ
	// groups and objects, STL solids, glTF nodes, 3MF build items, parts of slicers, and city objects of CityJSON. Each body
	// should be a closed solid. Bodies that are patches of one surface become open meshes, which Report lists.
	SplitBodies bool
}

// Part is a named mesh that becomes a solid of an Assembly. Messages contain the name.
type Part struct {
	Name string
	Mesh *mesh.Mesh
	// Faces maps the index of a face in Mesh to its index in the file. Faces is nil if the two
	// indexes are equal for every face.
	Faces []int32
	// Negative means that the part is cut out of the other parts with the same Object. It contains no
	// point itself.
	Negative bool
	Object   int32
	// Source describes the file, for Report.
	Source loaders.Info

	path string // path of the file for messages; empty if the part is not the whole file
}

// Assembly is a list of named solids. The index of a solid is its position in the list. Solids can
// overlap, touch, contain one another, or be equal. Each solid has exactly the answers of an
// inpoly.Solid with the same mesh, rule and tolerance; At gives each solid a pose. A solid contains the points for which its
// Side is Inside or OnSurface. An Assembly is immutable and safe for concurrent use.
//
// A negative part, such as a negative volume of a slicer, is a solid that contains no point. It is cut out of
// the solids with the same Part.Object: the side relative to such a solid S is that of "in S and in no
// negative part". A point on surfaces is OnSurface if the answer depends on whether the point counts as
// inside or outside the solids on whose surfaces it lies. So a point on S and inside a negative part is
// Outside, and a point on a common face of S and a negative part is OnSurface. Side, Body, Bodies and
// LocateTo use these sides. Winding numbers and distances of such an Assembly do not exist; see
// CheckNegative.
//
// A tree over boxes finds the solids that can contain a point. No point outside the box of a solid
// is in the solid. The box of an open mesh has a margin, which is wider if the holes are larger.
type Assembly struct {
	members       []member
	opt           Options
	sideBounds    boxSet // boxes outside which every point is Outside
	windingBounds boxSet // boxes outside which winding numbers are 0
	open          int    // number of open meshes if Options.Epsilon is not 0
	negative      int    // number of negative parts
	progress      lazy.Progress
	files         inpoly.Timings // times for loading and for welding

	byIndex, byVolume ranking               // solids by index, and by increasing volume
	surfaces          *lazy.Value[surfaces] // faces of all solids, for distances; nil if the solids have poses
	poses             *posing               // nil if the solids have no poses; see At
}

type member struct {
	name    string
	solid   *inpoly.Solid
	posed   *inpoly.Posed // solid at its pose, or nil; see Assembly.At
	set     *locate.Set   // Set of posed or of solid
	faces   []int32       // see Part.Faces
	cuts    []int32       // negative parts that are cut out of the solid, ascending
	cut     bool          // the member is a negative part
	batched bool          // whether many points are queried in one batch
}

// sides returns the Stage for sides.
func (m *member) sides(ignoreTolerance bool) *locate.Stage {
	if ignoreTolerance {
		return m.set.Exact
	}
	return m.set.Sides
}

// maxBatched is the largest number of solids that are queried in batches. These are the solids with
// the most faces. The batches of a solid take up to half a megabyte of memory per worker (tuning).
const maxBatched = 32

// parallelFaces is the smallest number of faces for which all workers build one solid together. The
// build of so many faces takes tens of milliseconds. One worker builds a smaller solid (tuning).
const parallelFaces = 1 << 16

// New diagnoses the meshes of parts and builds an index for each mesh. With Auto, the method
// depends on the size of the mesh. An Assembly without parts contains no point.
//
// New replaces empty names by body_1, body_2 and so on, where the number is the position of the
// part. It appends _2, _3 and so on to equal names.
//
// New returns the errors of inpoly.New, with the name of the first solid that cannot be built. It
// returns an error if Part.Faces is not nil and its length is not the number of faces of the mesh.
// It returns mesh.ErrTooLarge if there are too many faces in total. When ctx ends, New returns the
// error of ctx at once.
func New(ctx context.Context, parts []Part, opt Options) (*Assembly, error) {
	return lazy.Detach(ctx, opt.Progress, func(gated lazy.Progress) (*Assembly, error) { return build(ctx, parts, opt, gated) })
}

func build(ctx context.Context, parts []Part, opt Options, progress lazy.Progress) (*Assembly, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	a := &Assembly{members: make([]member, len(parts)), opt: opt}
	a.progress, _ = lazy.Gate(opt.Progress)
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
			return nil, plural.Errorf("%s: Part.Faces has %d elements, but the mesh has %d faces", names[i], len(p.Faces), p.Mesh.NumFaces())
		}
		a.members[i].name, a.members[i].faces, a.members[i].cut = names[i], p.Faces, p.Negative
	}
	a.assignCuts(parts)
	if faces > mesh.MaxFaces || vertices > math.MaxInt32 {
		return nil, plural.Errorf("%w: %d faces, %d vertices in %d solids, and the limits are %d faces and %d vertices", mesh.ErrTooLarge, faces, vertices, len(parts), mesh.MaxFaces, math.MaxInt32)
	}
	if err := a.checkEpsilon(ctx, parts); err != nil {
		return nil, err
	}
	if err := a.buildSolids(ctx, parts, progress); err != nil {
		return nil, err
	}
	a.surfaces = lazy.New(a.newSurfaces)
	if err := a.bound(ctx); err != nil {
		return nil, err
	}
	a.rank()
	a.chooseBatched()
	return a, nil
}

// checkEpsilon returns an error if the winding numbers of a solid or of all solids together cannot
// have bounds of at most Options.Epsilon. It also counts the open meshes.
func (a *Assembly) checkEpsilon(ctx context.Context, parts []Part) error {
	if a.opt.Epsilon == 0 {
		return nil
	}
	meshes := make([]*mesh.Mesh, len(parts))
	for i, p := range parts {
		var err error
		if meshes[i], _, err = p.Mesh.Welded(ctx, a.opt.Weld, a.opt.Workers); err != nil { // inpoly.New welds again, and reports it
			return err
		}
		if !meshes[i].Closed() {
			a.open++
		}
		if err := locate.CheckEpsilon(a.opt.Epsilon, meshes[i]); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(p.path, a.members[i].name), err)
		}
	}
	return locate.CheckEpsilon(a.opt.Epsilon, meshes...)
}

// buildSolids builds all solids. If there are at least as many parts as workers, it builds small
// solids in parallel. If a solid fails, buildSolids skips later solids and returns the error of the
// first failed solid.
func (a *Assembly) buildSolids(ctx context.Context, parts []Part, progress lazy.Progress) error {
	var (
		mu       sync.Mutex
		built    int64
		failed   = len(parts) // index of the first part that is known to fail
		failure  error        // error of that part
		expected = shares(parts, a.opt.ExpectedPoints)
		opt      = a.opt.Options
	)
	opt.Progress = nil
	if len(parts) == 1 {
		opt.Progress, progress = progress, nil
	}
	if len(parts) > 0 {
		progress.Report("build", 0, int64(len(parts)))
	}
	build := func(i, workers int) {
		mu.Lock()
		needed := i < failed
		mu.Unlock()
		if !needed {
			return
		}
		opt := opt
		opt.Workers, opt.ExpectedPoints, opt.Source = workers, expected[i], parts[i].Source
		if share := opt.Epsilon / float64(1+a.open); len(parts) > 1 && locate.CheckEpsilon(share, parts[i].Mesh) == nil {
			opt.Epsilon = share // so that the sum of the bounds is usually at most Options.Epsilon
		}
		s, err := inpoly.New(ctx, parts[i].Mesh, opt)
		mu.Lock()
		defer mu.Unlock()
		m := &a.members[i]
		switch {
		case err == nil:
			m.solid, m.set = s, locate.Of(s)
			m.set.Workers = a.opt.Workers // queries use all workers, even if fewer workers built the solid
			built++
			progress.Report("build", built, int64(len(parts)))
		case i < failed:
			failed, failure = i, fmt.Errorf("%s: %w", cmp.Or(parts[i].path, m.name), err)
		}
	}
	workers := min(par.Workers(a.opt.Workers), runtime.GOMAXPROCS(0))
	var small []int
	for i, p := range parts {
		if len(parts) >= workers && p.Mesh.NumFaces() < parallelFaces {
			small = append(small, i)
		} else {
			build(i, a.opt.Workers)
		}
	}
	if err := par.Blocks(ctx, len(small), 1, a.opt.Workers, func(_, lo, _ int) { build(small[lo], 1) }); err != nil {
		return err
	}
	return failure
}

// shares splits n expected points among the parts, and returns the expected number for each part.
func shares(parts []Part, n int64) []int64 {
	out := make([]int64, len(parts))
	all := bvh.EmptyBox()
	for _, p := range parts {
		all = all.Union(p.Mesh.Box())
	}
	size := all.Size()
	for i, p := range parts {
		s := p.Mesh.Box().Size()
		out[i] = n // remains if boxes are flat or empty, because the share is then NaN
		if share := s.X / size.X * (s.Y / size.Y) * (s.Z / size.Z); share < 1 {
			out[i] = min(n, 1+int64(max(0, share)*float64(n)))
		}
	}
	return out
}

// chooseBatched selects the solids that are queried in batches.
func (a *Assembly) chooseBatched() {
	order := slices.Clone(a.byIndex.order)
	slices.SortStableFunc(order, func(i, j int32) int {
		return a.members[j].solid.Mesh().NumFaces() - a.members[i].solid.Mesh().NumFaces()
	})
	for _, i := range order[:min(len(order), maxBatched)] {
		a.members[i].batched = true
	}
}

// Len returns the number of solids.
func (a *Assembly) Len() int { return len(a.members) }

// Name returns the name of solid i. Names are unique and not empty. Name panics if i is out of
// range.
func (a *Assembly) Name(i int) string { return a.members[i].name }

// Solid returns solid i. It panics if i is out of range.
func (a *Assembly) Solid(i int) *inpoly.Solid { return a.members[i].solid }

// FileFace converts the index of a face of solid i to the index of the face in the file; see
// Part.Faces. If face is negative, which means that there is no nearest face, FileFace returns −1.
// It panics if i or face is out of range.
func (a *Assembly) FileFace(i int, face int32) int32 {
	switch m := &a.members[i]; {
	case face < 0:
		return -1
	case int(face) >= m.solid.Mesh().NumFaces():
		panic(fmt.Sprintf("assembly: solid %s has %d faces: there is no face %d", m.name, m.solid.Mesh().NumFaces(), face))
	case m.faces != nil:
		return m.faces[face]
	}
	return face
}

// Report lists the defects of the meshes of an Assembly and the methods of its solids. It marshals
// as JSON.
type Report struct {
	// Names and Solids hold the names and the reports of the solids, in order. If several solids
	// come from one file, only the first of their reports has the notes on the file.
	Names  []string
	Solids []inpoly.Report
	// Timings holds the times for building. Each time is the sum over all files and solids, even if
	// solids were built in parallel.
	Timings inpoly.Timings
}

// Warnings returns the warnings of all solids in order. Each warning begins with the name of the
// solid and a colon.
func (r Report) Warnings() []string {
	var out []string
	for i, s := range r.Solids {
		for _, w := range s.Warnings() {
			out = append(out, r.Names[i]+": "+w)
		}
	}
	return out
}

// Defects reports whether any mesh has a defect; see inpoly.Report.Defects.
func (r Report) Defects() bool {
	for _, s := range r.Solids {
		if s.Defects() {
			return true
		}
	}
	return false
}

// Report returns the defects of the meshes and the methods of the solids.
func (a *Assembly) Report() Report {
	r := Report{Names: make([]string, len(a.members)), Solids: make([]inpoly.Report, len(a.members)), Timings: a.files}
	for i := range a.members {
		s := a.members[i].solid.Report()
		r.Names[i], r.Solids[i] = a.members[i].name, s
		r.Timings.Weld += s.Timings.Weld
		r.Timings.Orient += s.Timings.Orient
		r.Timings.Diagnose += s.Timings.Diagnose
		r.Timings.Build += s.Timings.Build
	}
	return r
}

// Memory estimates the current number of bytes of the meshes and indexes. It includes the trees
// that have been built. It includes neither multipoles nor the index that package nearest builds
// for large batches.
func (a *Assembly) Memory() int64 {
	n := a.sideBounds.bytes() + a.windingBounds.bytes()
	for i := range a.members {
		m := &a.members[i]
		n += int64(unsafe.Sizeof(*m)) + int64(unsafe.Sizeof(*m.solid)) + m.set.Bytes() + 4*int64(len(m.faces)) + int64(len(m.name))
		if a.surfaces != nil && a.surfaces.Built() && len(a.members) > 1 { // for one solid, a.surfaces uses the tree of the solid
			n += m.set.Surface.TreeBytes()
		}
	}
	return n
}

func (s *boxSet) bytes() int64 {
	return int64(s.tree.Nodes())*bvh.NodeBytes + 48*int64(len(s.boxes)) + 4*int64(len(s.solids)+len(s.always))
}
