package mesh

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/frame"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
)

// MaxExamples is the largest length of each list of examples in a Diagnosis.
const MaxExamples = 16

// Diagnosis describes a mesh and its defects. Diagnose repairs nothing. A triangle is a face that
// has three different corners after welding; all other faces are collapsed. The field Edges and all
// later counts include only triangles. Each list of examples holds the first examples, in ascending
// order of edges or faces.
type Diagnosis struct {
	Faces     int // number of faces as read, including collapsed faces
	Triangles int // number of faces with three different corners
	Vertices  int // number of welded vertices that a triangle uses
	Bodies    int // number of named bodies

	Collapsed     int     // number of faces that lost a corner to welding
	ZeroArea      int     // number of triangles whose corners are exactly on a line, as in Defects.ZeroArea
	ZeroAreaFaces []int32 // examples of Defects.ZeroArea

	Edges            int        // number of undirected edges
	BoundaryEdges    int        // number of edges of exactly one triangle
	NonManifoldEdges int        // number of edges of three or more triangles
	UnbalancedEdges  int        // number of non-manifold edges whose directed copies do not cancel
	MisorientedEdges int        // number of edges that are sides of two triangles in the same direction
	Open             [][2]int32 // boundary edges, as pairs of vertices: examples
	NonManifold      [][2]int32 // non-manifold edges: examples
	Misoriented      [][2]int32 // misoriented edges: examples

	ChainEdges        int   // number of edges in the boundary chain: their directed copies do not cancel
	ChainMultiplicity int64 // sum of |multiplicity| over the edges of the boundary chain
	ChainMax          int   // largest |multiplicity| of an edge of the boundary chain
	ChainLoops        int   // number of connected parts of the boundary chain
	// WeldTolerance is a tolerance of at most 1e-6·Size for which Welded returns a closed mesh. It is 0 if
	// the search found none. It is usually the least such tolerance, rounded up to two digits. It can be
	// larger if a larger tolerance opens the mesh again.
	WeldTolerance float64

	DuplicateFaces int     // number of triangles with the same three vertices as an earlier one, in any order; see Defects.Duplicates
	OppositeFaces  int     // number of pairs of triangles with the same vertices and opposite orientation
	Duplicates     []int32 // duplicate faces: examples

	Components       []Component // Components[l] is the component with label l
	OpenComponents   int         // number of components whose boundary chain is not empty
	InwardComponents int         // number of components whose normals point inward

	Watertight            bool // there are edges, and each is a side of two triangles, in opposite directions
	ZeroBoundary          bool // the boundary chain is empty, so the winding number is an integer
	EvenEdges             bool // every edge has an even number of triangles
	ConsistentOrientation bool // no edge is misoriented, and every non-manifold edge is balanced

	Box         bvh.Box
	Size        float64 // diagonal of the bounding box; 0 if the box is empty
	Area        float64 // sum of the areas of all triangles
	Volume      float64 // sum of the signed volumes of the components
	VolumeError float64 // upper bound of the rounding error of Volume

	Float32        bool    // every coordinate is a float32 number, so the file possibly stored float32
	Float32Spacing float64 // distance between neighboring float32 numbers at the largest |coordinate|
	ShortestEdge   float64 // length of the shortest edge of a triangle; 0 if there are no triangles
}

// Component is a part of a mesh. Its faces are connected by welded vertices.
type Component struct {
	First, Faces int32 // first triangle, and number of triangles
	Closed       bool  // the boundary chain of the component is empty
	Watertight   bool  // each edge is a side of two triangles, in opposite directions
	VolumeSign   int8  // sign of the volume; 0 if VolumeError is too large to decide
	Box          bvh.Box
	Area         float64
	// Volume is the signed volume: the sum of det(a−o, b−o, c−o)/6 over the triangles a, b, c, in
	// compensated arithmetic. It is positive if the normals point outward. If the component is
	// closed, o is the middle of the bounding box, and the exact sum does not depend on o.
	// Otherwise o is the mean of all vertices of the mesh.
	Volume float64
	// VolumeError is an upper bound of the rounding error of Volume. Both numbers grow with the
	// cube of the size, so they can overflow to infinity or underflow to 0.
	VolumeError float64
}

// Inward reports whether c is watertight and its volume is certainly negative. The normals of c
// then point inward.
func (c Component) Inward() bool { return c.Watertight && c.VolumeSign < 0 }

// Diagnose examines m on all processors. The result does not depend on the number of processors.
// Diagnose takes O(n) time for n faces, usually less than a tenth of a microsecond for each face.
// Errors: the error of ctx if ctx ends first.
func (m *Mesh) Diagnose(ctx context.Context) (Diagnosis, error) {
	edges, _ := m.edgeFacts()
	d := Diagnosis{
		Faces:                 len(m.Faces),
		Bodies:                len(m.Bodies),
		Edges:                 edges.total,
		BoundaryEdges:         edges.open,
		NonManifoldEdges:      edges.nonManifold,
		UnbalancedEdges:       edges.unbalanced,
		MisorientedEdges:      edges.misoriented,
		ZeroBoundary:          m.Closed(),
		EvenEdges:             m.EvenEdges(),
		Box:                   m.box,
		ConsistentOrientation: edges.misoriented == 0 && edges.unbalanced == 0,
	}
	if err := d.countChain(ctx, m); err != nil {
		return d, err
	}
	parts, err := newPartition(ctx, m)
	if err != nil {
		return d, err
	}
	d.Collapsed = parts.collapsed
	flat := m.zeroArea()
	d.ZeroArea = len(flat) - d.Collapsed
	d.ZeroAreaFaces = extended(nil, MaxExamples, flat...)
	d.Triangles = d.Faces - d.Collapsed
	d.Watertight = d.Triangles > 0 && edges.open+edges.nonManifold+edges.misoriented == 0
	d.Components = parts.components
	d.Vertices = parts.vertices
	if err := parts.measure(ctx, m); err != nil {
		return d, err
	}
	if err := d.addFlaws(ctx, m, parts.ofVertex); err != nil {
		return d, err
	}
	if d.WeldTolerance, err = m.sealTolerance(ctx); err != nil {
		return d, err
	}
	d.Area, d.Volume, d.VolumeError, d.ShortestEdge = parts.area, parts.volume, parts.volumeError, parts.shortest
	for _, c := range d.Components {
		if !c.Closed {
			d.OpenComponents++
		}
		if c.Inward() {
			d.InwardComponents++
		}
	}
	return d, d.measurePrecision(ctx, m)
}

// countChain counts the edges, the copies and the connected parts of the boundary chain.
func (d *Diagnosis) countChain(ctx context.Context, m *Mesh) error {
	d.ChainEdges = len(m.boundary)
	if d.ChainEdges == 0 {
		return nil
	}
	// Each vertex begins as a part of its own, and each union joins two parts. So there are as many
	// parts as vertices minus unions.
	sets, err := newSets(ctx, len(m.Vertices))
	if err != nil {
		return err
	}
	touched := make([]bool, len(m.Vertices))
	return inOrder(ctx, len(m.boundary), func(lo, hi int) {
		for _, e := range m.boundary[lo:hi] {
			mult := max(int(e.Mult), -int(e.Mult))
			d.ChainMultiplicity += int64(mult)
			d.ChainMax = max(d.ChainMax, mult)
			for _, v := range [2]int32{e.A, e.B} {
				if !touched[v] {
					touched[v] = true
					d.ChainLoops++
				}
			}
			if sets.Find(e.A) != sets.Find(e.B) {
				sets.Union(e.A, e.B)
				d.ChainLoops--
			}
		}
	})
}

// extended appends more elements to a list, up to a length of limit.
func extended[T any](list []T, limit int, more ...T) []T {
	return append(list, more[:min(len(more), limit-len(list))]...)
}

// Defects lists all defective edges, duplicate faces and faces without area of a mesh, in ascending
// order. The Diagnosis describes and counts them. A diagonal that divides a polygon of the file is
// not an edge of the file: it does not make coincident edges non-manifold.
type Defects struct {
	Open, NonManifold, Misoriented [][2]int32 // pairs of vertices
	// Duplicates lists the triangles with the same three vertices as an earlier one. It omits pairs
	// that only the division of different polygons has made; see Mesh.ByDivision.
	Duplicates []int32
	// ZeroArea lists the faces of exactly zero area, with those that lost a corner to welding. It
	// omits triangles with three corners if other triangles of their polygon have an area.
	ZeroArea []int32
}

// Defects returns all defects whose examples Diagnose lists. It takes O(n) time for n faces. Errors:
// the error of ctx if ctx ends first.
func (m *Mesh) Defects(ctx context.Context) (d Defects, err error) {
	found, err := sweepEdges(ctx, m.Faces, len(m.Vertices), 0, nil, func(f *edgeFlaws, edge []halfEdge) {
		f.visit(m, edge, f.withoutDiagonals(m, edge), math.MaxInt)
	})
	for _, f := range found {
		d.add(&f.Defects, math.MaxInt)
	}
	slices.Sort(d.Duplicates)
	d.ZeroArea = slices.Clone(m.zeroArea())
	return d, err
}

// add appends the elements of o, up to limit elements in each list.
func (d *Defects) add(o *Defects, limit int) {
	d.Open = extended(d.Open, limit, o.Open...)
	d.NonManifold = extended(d.NonManifold, limit, o.NonManifold...)
	d.Misoriented = extended(d.Misoriented, limit, o.Misoriented...)
	d.Duplicates = extended(d.Duplicates, limit, o.Duplicates...)
}

// edgeFlaws holds defects at edges.
type edgeFlaws struct {
	Defects
	duplicateFaces, oppositeFaces int
	// leaky has bit v%64 of word v/64 set if the smaller vertex of an edge is v, and the edge is not a
	// side of exactly two triangles in opposite directions.
	leaky     []uint64
	scratch   []copyOf
	remaining []halfEdge        // result of withoutDiagonals
	compared  map[[2]int32]bool // results of Mesh.samePolygons
}

// copyOf describes a triangle that countCopies compares at an edge.
type copyOf struct {
	apex     int32 // vertex with the largest index
	face     int32
	backward bool
}

// addFlaws adds the flaws at the edges of m to d. ofVertex has the component of each vertex;
// nil means that all vertices are in component 0.
func (d *Diagnosis) addFlaws(ctx context.Context, m *Mesh, ofVertex []int32) error {
	for i := range d.Components {
		d.Components[i].Watertight = true
	}
	_, f := m.edgeFacts()
	if f == nil {
		return ctx.Err()
	}
	d.Open, d.NonManifold, d.Misoriented, d.Duplicates = slices.Clone(f.Open), slices.Clone(f.NonManifold), slices.Clone(f.Misoriented), slices.Clone(f.Duplicates)
	d.DuplicateFaces, d.OppositeFaces = f.duplicateFaces, f.oppositeFaces
	return inOrder(ctx, len(f.leaky), func(lo, hi int) {
		for i, word := range f.leaky[lo:hi] {
			for ; word != 0; word &= word - 1 {
				c := int32(0)
				if ofVertex != nil {
					c = ofVertex[64*(lo+i)+bits.TrailingZeros64(word)]
				}
				d.Components[c].Watertight = false
			}
		}
	})
}

// visit looks for defects at one edge. It lists at most limit defects of each kind. rest is the
// result of withoutDiagonals. watertight is true if the edge is a side of exactly two triangles in
// opposite directions. It is also true if all half-edges are diagonals.
func (f *edgeFlaws) visit(m *Mesh, edge, rest []halfEdge, limit int) (watertight bool) {
	f.countCopies(m, edge, limit)
	ends := [2]int32{edge[0].lo, edge[0].hi}
	switch {
	case len(rest) == 0:
		return true
	case len(rest) == 1:
		f.Open = extended(f.Open, limit, ends)
	case len(rest) > 2:
		f.NonManifold = extended(f.NonManifold, limit, ends)
	case rest[0].backward() == rest[1].backward():
		f.Misoriented = extended(f.Misoriented, limit, ends)
	default:
		return true
	}
	return false
}

// apex returns the vertex of the face of h that is not on h.
func (h halfEdge) apex(m *Mesh) int32 {
	t := &m.Faces[h.face()]
	return t[0] ^ t[1] ^ t[2] ^ h.lo ^ h.hi
}

// countCopies counts triangles with the same vertices at an edge. It counts a triangle only at the
// edge between the two vertices with the smallest indices. All copies of a triangle have the same
// apex at this edge. countCopies lists at most limit duplicates.
func (f *edgeFlaws) countCopies(m *Mesh, edge []halfEdge, limit int) {
	if len(edge) == 1 || len(edge) == 2 && edge[0].apex(m) != edge[1].apex(m) {
		return
	}
	f.scratch = f.scratch[:0]
	for _, h := range edge {
		if apex := h.apex(m); apex > h.hi {
			f.scratch = append(f.scratch, copyOf{apex, h.face(), h.backward()})
		}
	}
	slices.SortFunc(f.scratch, func(a, b copyOf) int {
		return cmp.Or(cmp.Compare(a.apex, b.apex), cmp.Compare(a.face, b.face))
	})
	for rest := f.scratch; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].apex == rest[0].apex {
			n++
		}
		copies := f.withoutDivided(m, rest[:n])
		backward := 0
		for i, c := range copies {
			if c.backward {
				backward++
			}
			if i > 0 {
				f.Duplicates = extended(f.Duplicates, limit, c.face)
			}
		}
		f.duplicateFaces += max(0, len(copies)-1)
		f.oppositeFaces += min(backward, len(copies)-backward)
		rest = rest[n:]
	}
}

// measurePrecision sets Float32, Float32Spacing and Size.
func (d *Diagnosis) measurePrecision(ctx context.Context, m *Mesh) error {
	var wider atomic.Bool
	err := par.Blocks(ctx, len(m.Vertices), blockFor(len(m.Vertices), 0, blockSize), 0, func(_, lo, hi int) {
		for _, p := range m.Vertices[lo:hi] {
			if !isFloat32(p.X) || !isFloat32(p.Y) || !isFloat32(p.Z) {
				wider.Store(true)
				return
			}
		}
	})
	d.Float32 = !wider.Load()
	d.Float32Spacing = float32Spacing(0)
	if len(m.Vertices) > 0 {
		f := frame.New(m.box)
		d.Size = math.Ldexp(length(f.Difference(m.box.Max, m.box.Min)), f.Exponent)
		d.Float32Spacing = float32Spacing(max(vec.MaxAbs(m.box.Min), vec.MaxAbs(m.box.Max)))
	}
	return err
}

// isFloat32 reports whether conversion to float32 and back does not change x.
func isFloat32(x float64) bool { return float64(float32(x)) == x }

// float32Spacing returns the distance between neighboring float32 numbers at x ≥ 0. For x in
// [2^(e−1), 2^e) this is 2^(e−24), but at least 2^−149, the smallest subnormal number. The exponent
// e can be larger than for float32.
func float32Spacing(x float64) float64 {
	_, e := math.Frexp(x)
	if x == 0 {
		e = -149
	}
	return math.Ldexp(1, max(e-24, -149))
}
