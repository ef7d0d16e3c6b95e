package assembly

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/orient"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// boxSet finds the solids whose boxes contain a point.
type boxSet struct {
	boxes  []bvh.Box
	tree   *bvh.Tree
	solids []int32 // solids with a finite box that is not empty, ascending
	always []int32 // solids whose boxes contain every point, ascending
}

// newBoxSet returns the boxSet of all solids. It replaces a box that is not finite by the whole
// space.
func (a *Assembly) newBoxSet(ctx context.Context, boxOf func(i int) bvh.Box) (boxSet, error) {
	s := boxSet{boxes: make([]bvh.Box, len(a.members))}
	var finite []bvh.Box
	for i := range a.members {
		b := boxOf(i)
		switch {
		case b.Empty():
		case !vec.Finite(b.Min) || !vec.Finite(b.Max):
			b = allSpace()
			s.always = append(s.always, int32(i))
		default:
			finite = append(finite, b)
			s.solids = append(s.solids, int32(i))
		}
		s.boxes[i] = b
	}
	var err error
	if s.tree, err = bvh.Build(ctx, finite, bvh.Options{Workers: a.opt.Workers}); err != nil {
		return s, fmt.Errorf("build a tree over the boxes of the solids: %w", err)
	}
	return s, nil
}

// inside returns the indexes of the points in the box of a solid, ascending. It reuses the memory
// of dst if possible.
func (s *boxSet) inside(dst []int32, solid int32, pts []r3.Vector) []int32 {
	box := s.boxes[solid]
	// The loop has no branches, because branches on random points are expensive. It stores every
	// index, and the next index overwrites the index of a point outside the box.
	dst = resize(dst, len(pts)+1)
	n := 0
	for i := range pts {
		p := &pts[i]
		dst[n] = int32(i)
		n += one(box.Min.X <= p.X) & one(p.X <= box.Max.X) &
			one(box.Min.Y <= p.Y) & one(p.Y <= box.Max.Y) &
			one(box.Min.Z <= p.Z) & one(p.Z <= box.Max.Z)
	}
	return dst[:n]
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// boxWalk visits the solids of a boxSet whose boxes contain p, in any order.
type boxWalk struct {
	set         *boxSet
	p           r3.Vector
	walk        bvh.PointWalk
	first, left int32 // next position in the current leaf, and number of positions left in the leaf
	always      int   // number of solids of set.always that have been visited
}

func (w *boxWalk) start(set *boxSet, p r3.Vector) {
	w.set, w.p, w.first, w.left, w.always = set, p, 0, 0, 0
	w.walk.Start(set.tree, p)
}

// next returns the next solid. ok is false if there are no more solids.
func (w *boxWalk) next() (solid int32, ok bool) {
	if w.always < len(w.set.always) {
		w.always++
		return w.set.always[w.always-1], true
	}
	index := w.set.tree.Index()
	for {
		for w.left > 0 {
			solid = w.set.solids[index[w.first]]
			w.first++
			w.left--
			if w.set.boxes[solid].Contains(w.p) {
				return solid, true
			}
		}
		if w.first, w.left, ok = w.walk.Next(); !ok {
			w.left = 0
			return 0, false
		}
	}
}

func (a *Assembly) bound(ctx context.Context) (err error) {
	if a.sideBounds, err = a.newBoxSet(ctx, func(i int) bvh.Box {
		if a.members[i].cut {
			return bvh.EmptyBox() // a negative part contains no point
		}
		return a.sideBound(a.members[i].solid.Mesh())
	}); err != nil {
		return err
	}
	a.windingBounds, err = a.newBoxSet(ctx, func(i int) bvh.Box {
		m := a.members[i].solid.Mesh()
		if m.Closed() {
			return m.Box()
		}
		return allSpace()
	})
	return err
}

// sideBound returns a box outside which every point is Outside. It returns the whole space if it
// finds no smaller box.
//
// Outside the box of a closed mesh, W = 0. An open mesh S needs a margin. Let C be the cone from
// the boundary of S to a point o of its box. S and C together are closed. The box is convex, so
// W(S) + W(C) = 0 outside the box. At a distance D from the box, a triangle of area A has a solid
// angle of at most A/D². Therefore
//
//	|W(S)| = |W(C)| ≤ A(C)/(4πD²) < 1/2 for D > √(A(C)/2π).
//
// Every rule maps |W| < 1/2 to Outside. The same bound holds with the area of S instead of A(C).
func (a *Assembly) sideBound(m *mesh.Mesh) bvh.Box {
	box := m.Box()
	if box.Empty() {
		return box
	}
	margin := 0.0
	if !m.Closed() && !locate.Parity(m, a.opt.Rule) {
		margin = openMargin(m)
	}
	margin = max(margin, a.opt.Tolerance) // a point is within the tolerance by its exact distance
	if margin == 0 {
		return box
	}
	down := func(x float64) float64 { return math.Nextafter(x-margin, math.Inf(-1)) }
	up := func(x float64) float64 { return math.Nextafter(x+margin, math.Inf(1)) }
	return bvh.Box{
		Min: r3.Vector{X: down(box.Min.X), Y: down(box.Min.Y), Z: down(box.Min.Z)},
		Max: r3.Vector{X: up(box.Max.X), Y: up(box.Max.Y), Z: up(box.Max.Z)},
	}
}

// openMargin returns a distance from the box of an open mesh beyond which |W| < 1/2; see sideBound.
// The result can overflow to +Inf.
//
// The area of a triangle is at most half the product of two sides, which involves no cancellation.
// All lengths are scaled by orient.VolumeUnit. Each product then has an error of about 10·2^−53,
// and the sum of up to 2³¹ products has an error of 2^−22. Underflow changes the area by less than
// 2^−1000 in total.
func openMargin(m *mesh.Mesh) float64 {
	unit := orient.VolumeUnit(m)
	length := func(p, q r3.Vector) float64 { return p.Sub(q).Mul(unit).Norm() }
	around := bvh.EmptyBox()
	for _, e := range m.Boundary() {
		around = around.Add(m.Vertices[e.A]).Add(m.Vertices[e.B])
	}
	o := around.Min.Mul(0.5).Add(around.Max.Mul(0.5))
	cone := 0.0
	for _, e := range m.Boundary() {
		p, q := m.Vertices[e.A], m.Vertices[e.B]
		cone += math.Abs(float64(e.Mult)) * length(p, q) * min(length(o, p), length(o, q)) / 2
	}
	faces := 0.0
	for f := range m.Faces {
		par.Pause(f)
		t := m.Triangle(int32(f))
		a, b, c := length(t[0], t[1]), length(t[1], t[2]), length(t[2], t[0])
		faces += min(a*b, b*c, c*a) / 2
	}
	return (math.Sqrt(min(cone, faces)/(2*math.Pi))*(1+0x1p-20) + 0x1p-500) / unit
}

func allSpace() bvh.Box {
	inf := math.Inf(1)
	return bvh.Box{Min: r3.Vector{X: -inf, Y: -inf, Z: -inf}, Max: r3.Vector{X: inf, Y: inf, Z: inf}}
}

// ranking is an order of the solids.
type ranking struct {
	order  []int32 // the solid of each rank
	rankOf []int32 // the rank of each solid
}

// rank sets a.byIndex and a.byVolume.
func (a *Assembly) rank() {
	n := len(a.members)
	a.byIndex = ranking{order: make([]int32, n), rankOf: make([]int32, n)}
	volumes := make([]*big.Float, n)
	for i := range n {
		a.byIndex.order[i], a.byIndex.rankOf[i] = int32(i), int32(i)
		volumes[i] = volume(a.members[i].solid.Mesh())
	}
	a.byVolume = ranking{order: slices.Clone(a.byIndex.order), rankOf: make([]int32, n)}
	slices.SortStableFunc(a.byVolume.order, func(i, j int32) int { return volumes[i].Cmp(volumes[j]) })
	for r, i := range a.byVolume.order {
		a.byVolume.rankOf[i] = int32(r)
	}
}

// volume returns the absolute volume of m. A big.Float prevents overflow and underflow of the cube
// of a length.
func volume(m *mesh.Mesh) *big.Float {
	out := new(big.Float)
	if m.NumFaces() == 0 {
		return out
	}
	unit := orient.VolumeUnit(m)
	if v, _ := orient.SignedVolume(m, unit); !math.IsNaN(v) {
		out.SetMantExp(out.SetFloat64(math.Abs(v)), -3*math.Ilogb(unit))
	}
	return out
}
