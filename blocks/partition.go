package blocks

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// partition is the surface of several closed solids together, or of one closed solid. Equal triangles are one face.
// The owner of a point is the first solid that contains it. Each side of a patch of faces has one owner.
type partition struct {
	tree   *bvh.Tree
	tris   []mesh.Triangle // in the order of the leaves of tree
	owners []owners        // in the same order
	shapes []*shape
	solids []int32 // the closed solids, as indices of shapes
	radius float64 // the largest radius of a shape
}

// owners are the owners of the space in front of a face, where its normal points, and of the space behind it.
// Each is a solid or None. If front is mixed, the owners are not known, and behind is the first solid that
// has the face.
type owners struct{ front, behind int32 }

// newPartitions returns the partition for the blocks of each solid. With priorities, all solids share one
// partition. With overlap, each solid has a partition of its own.
func newPartitions(ctx context.Context, shapes []*shape, overlap bool) ([]*partition, error) {
	list := make([]*partition, len(shapes))
	var closed []int32
	for i, a := range shapes {
		if a.solid.Mesh().Closed() {
			closed = append(closed, int32(i))
		}
	}
	if !overlap {
		p, err := newPartition(ctx, shapes, closed)
		return slices.Repeat([]*partition{p}, len(shapes)), err
	}
	for _, s := range closed {
		var err error
		if list[s], err = newPartition(ctx, shapes, []int32{s}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// newPartition returns the partition of closed solids. It returns nil if too many faces meet. It also returns nil
// for a single solid that does not need a partition, because all its jumps are known or it has no equal triangles.
func newPartition(ctx context.Context, shapes []*shape, solids []int32) (*partition, error) {
	if len(solids) == 0 || len(solids) == 1 && shapes[solids[0]].known {
		return nil, nil
	}
	p := &partition{shapes: shapes, solids: solids}
	var all mesh.Soup
	var solid []int32 // the solid of each face of all
	workers := 0
	for _, i := range solids {
		a := shapes[i]
		m := a.solid.Mesh()
		workers = max(workers, a.set.Workers)
		p.radius = max(p.radius, a.radius)
		base := int32(len(all.Vertices))
		all.Vertices = append(all.Vertices, m.Vertices...)
		for _, f := range m.Faces {
			all.Faces = append(all.Faces, [3]int32{base + f[0], base + f[1], base + f[2]})
			solid = append(solid, i)
		}
	}
	if len(all.Vertices) > math.MaxInt32 || len(all.Faces) > mesh.MaxFaces {
		return nil, nil
	}
	welded, err := mesh.New(ctx, all, mesh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	faces, first := distinctFaces(welded.Faces, solid)
	if len(solids) == 1 && len(faces) == countProper(welded.Faces) {
		return nil, nil
	}
	m, err := mesh.New(ctx, mesh.Soup{Vertices: welded.Vertices, Faces: faces}, mesh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	index, err := m.Index(ctx, bvh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	bad, ok, err := badFaces(ctx, index, workers)
	if err != nil || !ok {
		return nil, err
	}
	p.tree, p.tris = index.Tree(), index.Triangles()
	return p, p.findOwners(ctx, patchesOf(m, bad), first)
}

// distinctFaces removes faces with two equal corners. Of several faces with the same corners in any
// order, distinctFaces keeps the first. distinctFaces also returns the first solid that has each
// face.
func distinctFaces(faces [][3]int32, solid []int32) (list [][3]int32, first []int32) {
	type key struct {
		corners [3]int32
		face    int32
	}
	keys := make([]key, 0, len(faces))
	for f, v := range faces {
		if !collapsed(v) {
			slices.Sort(v[:])
			keys = append(keys, key{v, int32(f)})
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.corners[0], b.corners[0]), cmp.Compare(a.corners[1], b.corners[1]), cmp.Compare(a.corners[2], b.corners[2]), cmp.Compare(a.face, b.face))
	})
	var kept []int32
	for i, k := range keys {
		if i == 0 || k.corners != keys[i-1].corners {
			kept = append(kept, k.face)
		}
	}
	slices.Sort(kept) // neighbors stay near each other
	for _, f := range kept {
		list, first = append(list, faces[f]), append(first, solid[f])
	}
	return list, first
}

// countProper returns the number of faces with three different corners.
func countProper(faces [][3]int32) (n int) {
	for _, f := range faces {
		if !collapsed(f) {
			n++
		}
	}
	return n
}

// findOwners finds the owners of all faces from a few faces of each patch.
func (p *partition) findOwners(ctx context.Context, patches, first []int32) error {
	leaf := make([]int32, len(patches)) // the leaf of each face
	for k, f := range p.tree.Index() {
		leaf[f] = int32(k)
	}
	unknown := owners{front: mixed}
	found := slices.Repeat([]owners{unknown}, len(patches)) // the owners at each patch
	const most = 8                                          // tuning: a face fails only if it is very thin, or near another face
	var walk bvh.BoxWalk
	var signs predicates.Counter
	tries := make([]uint8, len(patches))
	probe := func(f int32) {
		if patch := patches[f]; patch >= 0 && found[patch] == unknown && tries[patch] < most {
			tries[patch]++
			if o, ok := p.probe(leaf[f], &walk, &signs); ok {
				found[patch] = o
			}
		}
	}
	for _, f := range largestFaces(patches, p.tris, leaf) {
		probe(f)
	}
	for f := range patches {
		if f%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		probe(int32(f))
	}
	p.owners = make([]owners, len(patches))
	for k, f := range p.tree.Index() {
		if p.owners[k] = (owners{mixed, first[f]}); patches[f] >= 0 && found[patches[f]] != unknown {
			p.owners[k] = found[patches[f]]
		}
	}
	return nil
}

// largestFaces returns the face with the largest area of each patch.
func largestFaces(patches []int32, tris []mesh.Triangle, leaf []int32) (list []int32) {
	best := make([]float64, len(patches))
	face := make([]int32, len(patches))
	for f, patch := range patches {
		if patch < 0 {
			continue
		}
		t := &tris[leaf[f]]
		if area := t[1].Sub(t[0]).Cross(t[2].Sub(t[0])).Norm2(); area >= best[patch] {
			best[patch], face[patch] = area, int32(f)
		}
	}
	for f, patch := range patches {
		if int32(f) == patch {
			list = append(list, face[patch])
		}
	}
	return list
}

// probe finds the owners on both sides of a face. It searches for a box that the face divides and that no
// other face meets. Then the parts of the box in front of the face and behind it have one owner each.
func (p *partition) probe(leaf int32, walk *bvh.BoxWalk, signs *predicates.Counter) (o owners, ok bool) {
	t := &p.tris[leaf]
	c := components(r3.Vector{X: t[0].X/3 + t[1].X/3 + t[2].X/3, Y: t[0].Y/3 + t[1].Y/3 + t[2].Y/3, Z: t[0].Z/3 + t[1].Z/3 + t[2].Z/3})
	axis := 0
	normal := components(t[1].Sub(t[0]).Cross(t[2].Sub(t[0])))
	for k := range normal {
		if math.Abs(normal[k]) > math.Abs(normal[axis]) {
			axis = k
		}
	}
	if !inShadow(t, c, axis, signs) {
		return o, false
	}
	size := max(t[1].Sub(t[0]).Norm(), t[2].Sub(t[0]).Norm(), t[2].Sub(t[1]).Norm())
	for _, r := range [...]float64{0x1p-5, 0x1p-12, 0x1p-22, 0x1p-34} { // tuning
		lo, hi := c, c
		for k := range c {
			lo[k], hi[k] = c[k]-r*size, c[k]+r*size
		}
		below, above := c, c
		below[axis], above[axis] = lo[axis], hi[axis]
		s, e := signs.Orient3D(t[0], t[1], t[2], vector(below)), signs.Orient3D(t[0], t[1], t[2], vector(above))
		if s*e >= 0 {
			return o, false // for smaller boxes, the rounding of c would be even larger relative to the box
		}
		if !p.alone(leaf, bvh.Box{Min: vector(lo), Max: vector(hi)}, walk, signs) {
			continue
		}
		if s > 0 { // Orient3D is negative in front
			below, above = above, below
		}
		front, ok1 := p.owner(vector(below))
		behind, ok2 := p.owner(vector(above))
		return owners{front, behind}, ok1 && ok2
	}
	return o, false
}

// inShadow reports whether the line through c along an axis passes the interior of t.
func inShadow(t *mesh.Triangle, c [3]float64, axis int, signs *predicates.Counter) bool {
	i, j := (axis+1)%3, (axis+2)%3
	sum := 0
	for k := range t {
		a, b := components(t[k]), components(t[(k+1)%3])
		sum += signs.Orient2D(a[i], a[j], b[i], b[j], c[i], c[j])
	}
	return sum == 3 || sum == -3
}

// alone reports whether no face but one meets a box.
func (p *partition) alone(leaf int32, b bvh.Box, walk *bvh.BoxWalk, signs *predicates.Counter) bool {
	walk.Start(p.tree, b)
	for first, n, more := walk.Next(); more; first, n, more = walk.Next() {
		for k := first; k < first+n; k++ {
			if t := &p.tris[k]; int32(k) != leaf && overlaps(t, &b) && signs.TriangleTouchesBox((*[3]r3.Vector)(t), b.Min, b.Max) {
				return false
			}
		}
	}
	return true
}

// owner returns the owner of a point that is on no face. ok is false if a side is unknown.
func (p *partition) owner(q r3.Vector) (solid int32, ok bool) {
	for _, i := range p.solids {
		a := p.shapes[i]
		if !a.solid.Mesh().Box().Contains(q) {
			continue
		}
		switch a.set.Exact.Side(q) {
		case inpoly.Inside:
			return i, true
		case inpoly.Outside:
		default:
			return None, false
		}
	}
	return None, true
}

// exact adds the shares of the box b among the contenders, times weight, to w.shares and w.bounds, as divide
// does. It returns false, and adds nothing, if the faces in b do not determine the shares.
//
// The share of a solid after those of higher priority is the share of the points that it owns. So it is the
// integral of an indicator function, which jumps by 1 or −1 at the faces where the solid is the owner on one
// side. integrator.part has the integrals.
func (w *Worker) exact(p *partition, b bvh.Box, c contenders, weight float64) bool {
	if !w.allClosed(c) {
		return false
	}
	g, f := &w.integral, newBlock(b)
	e, ok := w.collect(p, b, c, f)
	if !ok {
		return false
	}
	for _, r := range references {
		q, at, ok := w.reference(b, c, r)
		if !ok {
			continue
		}
		if len(g.near) == 0 {
			if at != None {
				w.shares[at] += weight
			}
			return true
		}
		if !f.valid || !g.place(b, q, f) {
			continue
		}
		w.own[at+1].x = f.volume
		for i := range g.near {
			v, rounding := g.part(i, f)
			for side, o := range [2]int32{g.owners[i].front, g.owners[i].behind} {
				own := &w.own[o+1]
				if own.x += v * float64(2*side-1); o != None {
					own.e += rounding + e + u*math.Abs(own.x)/f.volume
				}
			}
		}
		for _, own := range w.own {
			if 2*own.e > good { // dividing the block can improve the bound
				clear(w.own)
				return false
			}
		}
		w.addOwn(c, f.volume, weight)
		return true
	}
	return false
}

// ownShare is a sum of volumes, and a bound of its error as a share of the block.
type ownShare struct{ x, e float64 }

// collect collects the faces near b at which the owner changes. e bounds the error that the rounded vertices
// of one face cause. ok is false if the owners of a face are not known.
func (w *Worker) collect(p *partition, b bvh.Box, c contenders, f block) (e float64, ok bool) {
	g := &w.integral
	g.near, g.owners = g.near[:0], g.owners[:0]
	wide := (&shape{radius: p.radius}).grown(b)
	g.walk.Start(p.tree, wide)
	inBox := func(o int32) int32 { // a solid that contains all of b has priority over later owners
		if c.whole != None && (o == None || o > c.whole) {
			return c.whole
		}
		return o
	}
	for first, n, more := g.walk.Next(); more; first, n, more = g.walk.Next() {
		for k := first; k < first+n; k++ {
			t, o := &p.tris[k], p.owners[k]
			if !overlaps(t, &wide) {
				continue
			}
			if o.front == mixed {
				if c.whole != None && o.behind > c.whole {
					continue
				}
				return 0, false
			}
			if o.front, o.behind = inBox(o.front), inBox(o.behind); o.front != o.behind {
				g.near, g.owners = append(g.near, *t), append(g.owners, o)
			}
		}
	}
	return 4 * p.radius * f.scale * f.slimness, true
}

// reference returns a reference point in b and its owner. ok is false if the side of a solid is not certain.
func (w *Worker) reference(b bvh.Box, c contenders, r vertex) (q r3.Vector, owner int32, ok bool) {
	size := b.Size()
	q = r3.Vector{X: b.Min.X + r[0]*size.X, Y: b.Min.Y + r[1]*size.Y, Z: b.Min.Z + r[2]*size.Z}
	if !b.Contains(q) {
		return q, None, false
	}
	owner, ok = w.ownerAt(q, c)
	return q, owner, ok
}

// addOwn adds the shares of the contenders to w.shares and w.bounds. It clears w.own.
func (w *Worker) addOwn(c contenders, volume, weight float64) {
	left := 1.0
	add := func(s int32) {
		own := w.own[s+1]
		p := within(own.x/volume, min(own.e, 1))
		p.x = min(p.x, left)
		left -= p.x
		w.shares[s] += weight * p.x
		w.bounds[s] += weight * max(p.hi-p.x, p.x-p.lo)
	}
	for _, s := range c.active {
		add(s)
	}
	if c.whole != None {
		add(c.whole)
	}
	clear(w.own)
}
