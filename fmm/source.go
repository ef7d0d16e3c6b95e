package fmm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// node is a cluster ω of the source tree. The cluster is the set of triangles whose centroids lie
// in a cell. Triangles can extend beyond the cell. Lengths are relative to the center of the cell,
// in units of half its side.
type node struct {
	cell
	level         int8
	kids          int8  // number of children, whose indices are consecutive
	final         bool  // true if the node must not be divided
	child         int32 // index of the first child
	lo, hi        int32 // range of the triangles in sourceTree.tris
	block, blocks int32 // first block of the triangles in sourceTree.near, and number of blocks
	radius        float64
	tail          float64 // integral ∫ |y|^K ds, which bounds the moments beyond degree K
	// cover and reach bound rounding errors. A surface of area cover within the distance reach of
	// the center has certain largest moments. The rounding errors of the moments of the node are at
	// most these, times roundoff, times the number of operations.
	cover, reach float64
}

// sourceTree is the tree of clusters with their moments. It is immutable.
type sourceTree struct {
	cube
	tris    []mesh.Triangle // in Morton order of the centroids, except that cutLeaves sorts along an axis
	nodes   []node          // clusters, ordered by level; the children of a node are consecutive
	levels  []int32         // index of the first node of each level, then len(nodes)
	degree  int             // degree K of the stored moments
	leaf    int             // largest number of triangles in an ordinary leaf
	area    float64         // upper bound of the area of all triangles, in units of the root
	stride  int             // number of moments of each node: harmonics.Len(K), padded
	near    *bem.Panels     // packed tris, with a group for each leaf
	moments []float64       // moments of each node, in units of the node
	norms   []float64       // norms P_s of each node (K+1 values)
}

// newSourceTree builds the tree over tris with moments up to the given degree. A leaf has at most
// leafSize triangles, unless cells cannot separate them.
func newSourceTree(ctx context.Context, f cube, tris []mesh.Triangle, degree, leafSize, workers int) (*sourceTree, error) {
	s := &sourceTree{cube: f, degree: degree, leaf: leafSize}
	keys := make([]keyed, len(tris))
	err := par.Blocks(ctx, len(tris), 1<<12, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			c, ok := f.cellAt(centroid(&tris[i]))
			if !ok { // rounding moved the centroid out of the cube
				c, _ = f.cellAt(tris[i][0])
			}
			keys[i] = keyed{c.code(), int32(i)}
		}
	})
	if err != nil {
		return nil, err
	}
	keys = sortKeys(keys, 3*f.depth)
	s.tris = make([]mesh.Triangle, len(tris))
	for i, k := range keys {
		s.tris[i] = tris[k.index]
	}
	if err := s.split(ctx, keys); err != nil {
		return nil, err
	}
	s.packNearField()
	return s, s.computeMoments(ctx, workers)
}

type keyed struct {
	code  uint64
	index int32
}

// sortKeys sorts keys by the lowest bitCount bits of their codes. It is a stable radix sort. The
// result can be in another slice than keys.
func sortKeys(keys []keyed, bitCount int) []keyed {
	const digit = 11
	buffer := make([]keyed, len(keys))
	for shift := 0; shift < bitCount; shift += digit {
		var count [1 << digit]int32
		for _, k := range keys {
			count[k.code>>shift&(1<<digit-1)]++
		}
		sum := int32(0)
		for i, c := range count {
			count[i] = sum
			sum += c
		}
		for _, k := range keys {
			d := k.code >> shift & (1<<digit - 1)
			buffer[count[d]] = k
			count[d]++
		}
		keys, buffer = buffer, keys
	}
	return keys
}

func (s *sourceTree) split(ctx context.Context, keys []keyed) error {
	// extent holds half the length of the longer edge at the first corner of each triangle. A cell
	// is not divided if it is much smaller than the smallest of its triangles.
	extent := make([]float64, len(s.tris))
	for i := range s.tris {
		t := &s.tris[i]
		extent[i] = max(t[1].Sub(t[0]).Norm(), t[2].Sub(t[0]).Norm()) / 2
	}
	s.nodes = append(s.nodes, node{lo: 0, hi: int32(len(s.tris))})
	for first := 0; first < len(s.nodes); {
		last := len(s.nodes)
		s.levels = append(s.levels, int32(first))
		for i := first; i < last; i++ {
			if !s.nodes[i].final {
				s.divide(i, keys, extent)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		first = last
	}
	s.levels = append(s.levels, int32(len(s.nodes)))
	return nil
}

// maxPieces is the largest number of leaves into which cutLeaves divides a node. These leaves have
// nearly equal numbers of triangles. A division into octants would leave half of the vector lanes
// unused.
const maxPieces = 4 // tuning

// maxScatter limits the side of the cell of a leaf, as a multiple of the longest edge in the leaf.
// Without this limit, a few triangles that are far apart would be in the near field of too many
// points. The limit applies only to levels < maxScatterDepth; on all levels, two tiny triangles
// could create a chain of twenty nodes.
const (
	maxScatter      = 8 // tuning
	maxScatterDepth = 8 // tuning
)

// divide appends the children of node i, unless the node stays a leaf.
func (s *sourceTree) divide(i int, keys []keyed, extent []float64) {
	n := s.nodes[i]
	half, count := s.half(int(n.level)), int(n.hi-n.lo)
	scattered := int(n.level) < maxScatterDepth && half > maxScatter*slices.Max(extent[n.lo:n.hi])
	if count == 1 || count <= s.leaf && !scattered || int(n.level) >= s.depth {
		return
	}
	if slices.Min(extent[n.lo:n.hi]) > 2*half {
		return
	}
	s.nodes[i].child = int32(len(s.nodes))
	if count <= maxPieces*s.leaf && !scattered {
		s.cutLeaves(i, n.lo, n.hi)
		return
	}
	shift := 3 * (s.depth - int(n.level) - 1)
	for lo := n.lo; lo < n.hi; {
		o := keys[lo].code >> shift & 7
		hi := lo + 1
		for hi < n.hi && keys[hi].code>>shift&7 == o {
			hi++
		}
		s.nodes = append(s.nodes, node{cell: n.cell.child(int(o)), level: n.level + 1, lo: lo, hi: hi})
		s.nodes[i].kids++
		lo = hi
	}
}

// cutLeaves appends leaves with the triangles [lo, hi) as children of node i. It cuts along the
// longest side of the box around their centroids. The cell of a leaf is the octant that contains
// the mean of its centroids. Several leaves can have the same cell.
func (s *sourceTree) cutLeaves(i int, lo, hi int32) {
	n := &s.nodes[i] // the pointer is valid until a child is appended
	box := bvh.EmptyBox()
	var sum r3.Vector
	for j := lo; j < hi; j++ {
		g := centroid(&s.tris[j])
		box = box.Add(g)
		sum = sum.Add(g.Sub(s.center(n.cell, int(n.level))))
	}
	count := (int(hi-lo) + s.leaf - 1) / s.leaf
	if count == 1 {
		o := 0
		for axis, v := range [3]float64{sum.X, sum.Y, sum.Z} {
			if v >= 0 {
				o |= 1 << axis
			}
		}
		n.kids++
		s.nodes = append(s.nodes, node{cell: n.cell.child(o), level: n.level + 1, lo: lo, hi: hi, final: true})
		return
	}
	size := box.Size()
	axis := func(v r3.Vector) float64 { return v.X }
	switch {
	case size.Y >= size.X && size.Y >= size.Z:
		axis = func(v r3.Vector) float64 { return v.Y }
	case size.Z >= size.X:
		axis = func(v r3.Vector) float64 { return v.Z }
	}
	slices.SortStableFunc(s.tris[lo:hi], func(t, u mesh.Triangle) int {
		return cmp.Compare(axis(centroid(&t)), axis(centroid(&u)))
	})
	mid := lo + int32(int(hi-lo)*(count/2)/count)
	s.cutLeaves(i, lo, mid)
	s.cutLeaves(i, mid, hi)
}

// centroid returns the centroid of t. It divides before it adds, so that nothing overflows.
func centroid(t *mesh.Triangle) r3.Vector {
	const third = 1.0 / 3
	return t[0].Mul(third).Add(t[1].Mul(third)).Add(t[2].Mul(third))
}

// packNearField packs the triangles for the near field, with one group for each leaf.
func (s *sourceTree) packNearField() {
	var starts []int32
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kids == 0 && n.lo < n.hi {
			starts = append(starts, n.lo)
		}
	}
	slices.Sort(starts)
	s.near = bem.NewPanels(s.tris, starts)
	for i := range s.nodes {
		n := &s.nodes[i]
		span := s.near.Span(n.lo, n.hi)
		n.block, n.blocks = span.First, span.Count
	}
}

// computeMoments computes radii, moments and norms from the leaves up.
func (s *sourceTree) computeMoments(ctx context.Context, workers int) error {
	s.stride = padded(harmonics.Len(s.degree))
	stride := s.stride
	s.moments = make([]float64, len(s.nodes)*stride)
	s.norms = make([]float64, len(s.nodes)*(s.degree+1))
	up := m2mCache.of(s.degree)
	type scratch struct {
		moments *bem.Moments
		up      *shifter
	}
	scratches := make([]scratch, par.Workers(workers))
	for l := len(s.levels) - 2; l >= 0; l-- {
		first, last := int(s.levels[l]), int(s.levels[l+1])
		err := par.Blocks(ctx, last-first, 32, workers, func(worker, lo, hi int) {
			sc := &scratches[worker]
			if sc.moments == nil {
				*sc = scratch{bem.NewMoments(s.degree), newShifter(up)}
			}
			for i := first + lo; i < first+hi; i++ {
				s.measure(i)
				m := s.moments[i*stride : (i+1)*stride]
				n := &s.nodes[i]
				if n.kids == 0 {
					level := int(n.level)
					sc.moments.AddTriangles(s.tris[n.lo:n.hi], s.center(n.cell, level), 1/s.half(level))
					// degreeChoice.roundings assumes at most s.leaf triangles in a leaf. If there
					// are more, increase cover.
					n.cover = sc.moments.AddTo(m) * max(1, float64(n.hi-n.lo)/float64(s.leaf))
				}
				for k := n.child; k < n.child+int32(n.kids); k++ {
					c := &s.nodes[k]
					sc.up.add(m, s.moments[int(k)*stride:(int(k)+1)*stride], int(c.x&1|c.y&1<<1|c.z&1<<2))
				}
			}
			sc.up.flush()
			for i := first + lo; i < first+hi; i++ {
				harmonics.NormsTo(s.norms[i*(s.degree+1):], s.degree, s.moments[i*stride:(i+1)*stride])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measure computes the fields radius, tail, cover and reach of node i.
func (s *sourceTree) measure(i int) {
	n := &s.nodes[i]
	c := s.center(n.cell, int(n.level))
	k := 1 / s.half(int(n.level))
	far, tail, total := 0.0, 0.0, 0.0
	for j := n.lo; j < n.hi; j++ {
		t := &s.tris[j]
		a, b, d := t[0].Sub(c).Mul(k), t[1].Sub(c).Mul(k), t[2].Sub(c).Mul(k)
		ra, rb, rd := a.Norm2(), b.Norm2(), d.Norm2()
		far = max(far, ra, rb, rd)
		// |y|^K is convex. So the mean of |y|^K over the triangle is at most its mean over the
		// corners.
		e, f := b.Sub(a), d.Sub(a)
		area := e.Cross(f).Norm() / 2
		// Rounding moves a corner by 2^−53 of its distance from c, which adds at most this area.
		area += 0x1p-48 * math.Sqrt(max(ra, rb, rd)) * (e.Norm() + f.Norm())
		total += area
		tail += area / 3 * (power(ra, s.degree) + power(rb, s.degree) + power(rd, s.degree))
	}
	n.radius = math.Sqrt(far) * (1 + safety)
	n.tail = tail * (1 + safety)
	if i == 0 {
		s.area = total * (1 + safety)
	}
	if n.kids == 0 {
		n.reach = n.radius
		return
	}
	for j := n.child; j < n.child+int32(n.kids); j++ {
		n.cover += s.nodes[j].cover / 4
		n.reach = max(n.reach, (s.nodes[j].reach+math.Sqrt(3))/2*(1+safety))
	}
}

// leafRadius returns the mean radius of the leaves in units of the root. The weight of a leaf is
// its number of triangles.
func (s *sourceTree) leafRadius() float64 {
	sum := 0.0
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kids == 0 {
			sum += math.Ldexp(n.radius, -int(n.level)) * float64(n.hi-n.lo)
		}
	}
	return sum / float64(len(s.tris))
}

// safety covers the rounding of values that are computed from at most a few thousand terms. It also
// covers sums of positive terms with relative errors of up to 2^−30.
const safety = 0x1p-20

func power(r2 float64, k int) float64 {
	p := 1.0
	if k&1 == 1 {
		p = math.Sqrt(r2)
	}
	for k >>= 1; k > 0; k >>= 1 {
		if k&1 == 1 {
			p *= r2
		}
		r2 *= r2
	}
	return p
}
