package blocks

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/disjoint"
	"github.com/inpoly/inpoly/internal/engine/intersect"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/voxels"
)

// shape is a solid in local coordinates, with the faces where its indicator function jumps.
type shape struct {
	solid *inpoly.Solid
	set   *locate.Set // the locators of solid
	tree  *bvh.Tree
	tris  []mesh.Triangle // in the order of the leaves of tree
	jumps []int8          // in the same order; see mixed
	known bool            // whether no jump is mixed
	// open is true if the indicator function also jumps away from the faces: the mesh is open, and the rule
	// depends on the winding number, which is not an integer there.
	open bool
	// The exact surface is within the distance radius of the mesh of solid. radius is 0 without a
	// rotation.
	radius     float64
	classifier *voxels.Classifier
}

// A jump is the indicator function behind a face minus the indicator function in front of it, where the
// normal points. A mixed face has no single jump: it meets another face, or its solid is open.
const mixed = math.MinInt8

// newShape prepares a solid. place maps the world into local coordinates; nil means that they are equal.
func newShape(ctx context.Context, s *inpoly.Solid, place *motion.Placement, expected int) (*shape, error) {
	a := &shape{solid: s}
	m, rule := s.Mesh(), s.Report().Rule
	if place != nil {
		opt := inpoly.Options{Rule: rule, Orient: inpoly.OrientNever, ExpectedPoints: int64(expected), Workers: locate.Of(s).Workers}
		if !m.Closed() { // the cells of an open mesh do not allow for the rounding of its vertices
			opt.Method = inpoly.RayCrossing
		}
		local := make([]r3.Vector, len(m.Vertices))
		for i, v := range m.Vertices {
			p, r := place.Position(v)
			local[i], a.radius = p, max(a.radius, r)
		}
		if err := a.checkEdges(m); err != nil {
			return nil, err
		}
		moved, err := mesh.New(ctx, mesh.Soup{Vertices: local, Faces: m.Faces}, mesh.Options{Workers: opt.Workers})
		if err != nil {
			return nil, fmt.Errorf("in the frame of the blocks: %w", err)
		}
		if a.solid, err = inpoly.New(ctx, moved, opt); err != nil {
			return nil, err
		}
		m = moved
	}
	a.set = locate.Of(a.solid)
	index, err := a.set.Surface.Index(ctx)
	if err != nil {
		return nil, err
	}
	a.tree, a.tris = index.Tree.Tree(), index.Tree.Triangles()
	a.jumps = slices.Repeat([]int8{mixed}, m.NumFaces())
	if m.Closed() {
		if err := a.findJumps(ctx, m, rule); err != nil {
			return nil, err
		}
	}
	a.known = !slices.Contains(a.jumps, mixed)
	a.open = !m.Closed() && !(rule == inpoly.EvenOdd && m.EvenEdges())
	a.classifier, err = voxels.NewClassifier(ctx, a.solid, expected)
	return a, err
}

// checkEdges returns an error if a boundary edge is so short that pad does not cover its rounding.
func (a *shape) checkEdges(m *mesh.Mesh) error {
	for _, e := range m.Boundary() {
		if m.Vertices[e.A].Sub(m.Vertices[e.B]).Norm() < 2*a.radius {
			return fmt.Errorf("the mesh is open, and its boundary edge at %v is too short for a rotated frame so far away", m.Vertices[e.A])
		}
	}
	return nil
}

// pad is the width of a margin around boxes. If no face of the rounded mesh meets a box with this
// margin, the sides in the box are those of the exact surface. docs/design/031-blocks.md has the
// proof.
func (a *shape) pad() float64 { return 4 * a.radius }

// grown returns b with the margin of a.
func (a *shape) grown(b bvh.Box) bvh.Box {
	if a.radius == 0 {
		return b
	}
	out := func(x, d float64) float64 { return math.Nextafter(x+d, math.Inf(int(d/math.Abs(d)))) }
	p := a.pad()
	return bvh.Box{
		Min: r3.Vector{X: out(b.Min.X, -p), Y: out(b.Min.Y, -p), Z: out(b.Min.Z, -p)},
		Max: r3.Vector{X: out(b.Max.X, p), Y: out(b.Max.Y, p), Z: out(b.Max.Z, p)},
	}
}

// findJumps finds the jumps of the faces of a closed mesh.
//
// A patch is a set of faces that edges of exactly two faces connect. No face of a patch meets a face except
// at common vertices and edges. So the winding number is constant on each side of a patch: w in front, and
// w+1 behind. At a vertex whose faces are all in the patch, the winding number is the sum of the solid
// angles, which is strictly between w and w+1.
func (a *shape) findJumps(ctx context.Context, m *mesh.Mesh, rule inpoly.Rule) error {
	// The copy has no polygons, because pairs within a polygon matter here.
	workers := a.set.Workers
	plain, err := mesh.New(ctx, mesh.Soup{Vertices: m.Vertices, Faces: m.Faces}, mesh.Options{Workers: workers})
	if err != nil {
		return err
	}
	x, err := plain.Index(ctx, bvh.Options{Workers: workers})
	if err != nil {
		return err
	}
	bad, ok, err := badFaces(ctx, x, workers)
	if err != nil || !ok {
		return err
	}
	patches := patchesOf(plain, bad)
	ofVertex := uniformVertices(plain, patches)
	const unknown = int8(-2)
	found := slices.Repeat([]int8{unknown}, plain.NumFaces()) // jump of each patch
	tries := make([]uint8, plain.NumFaces())
	for v, p := range ofVertex {
		const most = 8 // tuning: a vertex has no certain winding number only if it is very flat
		if p < 0 || found[p] != unknown || tries[p] >= most {
			continue
		}
		tries[p]++
		if v%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w, bound := a.set.Winding.Winding(plain.Vertices[v])
		if front := math.Floor(w); w-bound > front && w+bound < front+1 {
			found[p] = indicator(rule, front+1) - indicator(rule, front)
		}
	}
	for leaf, f := range a.tree.Index() {
		if p := patches[f]; p >= 0 && found[p] != unknown {
			a.jumps[leaf] = found[p]
		}
		if p := patches[f]; p == flat {
			a.jumps[leaf] = 0
		}
	}
	return nil
}

// indicator is 1 if the rule fills the points of the winding number w, and otherwise 0.
func indicator(rule inpoly.Rule, w float64) int8 {
	if rule.Apply(int64(w), uint64(int64(w))) == inpoly.Inside {
		return 1
	}
	return 0
}

// badFaces returns the faces of x that meet another face elsewhere than at common vertices and edges. ok is
// false if there are too many such faces.
func badFaces(ctx context.Context, x *mesh.Indexed, workers int) (bad []bool, ok bool, err error) {
	m := x.Mesh()
	most := 1<<20 + 4*m.NumFaces()
	r, err := intersect.FindIndexed(ctx, x, intersect.Options{Limit: most, Stop: int64(most), Workers: workers})
	if err != nil || r.Incomplete || r.Total() > int64(len(r.Pairs)) {
		return nil, false, err
	}
	bad = make([]bool, m.NumFaces())
	for _, p := range r.Pairs {
		bad[p.A], bad[p.B] = true, true
	}
	return bad, true, nil
}

const (
	noPatch = -1 // patch of a bad face
	flat    = -2 // patch of a face with two equal corners; the half-edges of such a face cancel
)

func collapsed(v [3]int32) bool { return v[0] == v[1] || v[1] == v[2] || v[2] == v[0] }

// patchesOf returns the patch of each face: the number of one of its faces, noPatch or flat. The faces of a patch
// have the same orientation.
func patchesOf(m *mesh.Mesh, bad []bool) []int32 {
	type edge struct {
		to, face int32 // to is the higher vertex
		down     bool  // the face passes from the higher vertex to the lower one
	}
	n := m.NumFaces()
	patches := make([]int32, n)
	for _, f := range m.Degenerate() {
		if patches[f] = noPatch; collapsed(m.Faces[f]) {
			patches[f] = flat
		}
	}
	starts := make([]int32, len(m.Vertices)+1) // for each vertex, the first of the edges whose lower vertex it is
	for _, v := range m.Faces {
		for k := range v {
			starts[min(v[k], v[(k+1)%3])+1]++
		}
	}
	for i := range m.Vertices {
		starts[i+1] += starts[i]
	}
	edges := make([]edge, 3*n)
	next := slices.Clone(starts)
	for f, v := range m.Faces {
		if bad[f] {
			patches[f] = noPatch
		}
		for k := range v {
			a, b := v[k], v[(k+1)%3]
			at := &next[min(a, b)]
			edges[*at] = edge{max(a, b), int32(f), a > b}
			*at++
		}
	}
	sets := disjoint.New(n)
	for v := range m.Vertices {
		edges := edges[starts[v]:starts[v+1]]
		slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
		for i, j := 0, 0; i < len(edges); i = j {
			for j = i + 1; j < len(edges) && edges[j].to == edges[i].to; j++ {
			}
			if j-i == 2 && edges[i].down != edges[i+1].down && patches[edges[i].face] == 0 && patches[edges[i+1].face] == 0 {
				sets.Union(edges[i].face, edges[i+1].face)
			}
		}
	}
	for f := range patches {
		if patches[f] == 0 {
			patches[f] = sets.Find(int32(f))
		}
	}
	return patches
}

// uniformVertices returns for each vertex the patch of its faces, or a negative number if its faces are
// not all in one patch.
func uniformVertices(m *mesh.Mesh, patches []int32) []int32 {
	const unseen = math.MinInt32
	of := slices.Repeat([]int32{unseen}, len(m.Vertices))
	for f, v := range m.Faces {
		for _, i := range v {
			switch p := patches[f]; of[i] {
			case unseen:
				of[i] = p
			case p:
			default:
				of[i] = noPatch
			}
		}
	}
	return of
}
