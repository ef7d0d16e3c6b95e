package fmm

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// node is a cluster ω of the source tree: the triangles whose centroids lie in a
// cell. Lengths are in units of half the side of the cell, and relative to its
// centre; triangles may overhang it.
type node struct {
	cell
	level         int8
	kids          int8  // children, contiguous
	final         bool  // not to be divided
	child         int32 // the first
	lo, hi        int32 // triangles
	block, blocks int32 // of near, with the triangles
	radius        float64
	tail          float64 // ∫ |y|^K ds: bounds the moments beyond degree K
	// Moments have absolute errors of at most those of rounding, roundoff ×
	// operations, in moments of a surface of area cover within radius reach.
	cover, reach float64
}

// source is the tree of clusters with their moments. It is immutable.
type source struct {
	frame
	tris    []mesh.Triangle // in Morton order of their centroids
	order   []int32         // → given triangle
	nodes   []node          // by level, children of a node together
	levels  []int32         // levels[l] is the first node of level l; one more at the end
	degree  int             // K: of the moments
	leaf    int             // triangles of a leaf, as a rule
	area    float64         // of all triangles, or more, in units of the root
	stride  int             // of moments: harmonics.Len(K), padded
	near    *bem.Panels     // tris, a group for each leaf
	moments []float64       // stride for each node, in units of the node
	norms   []float64       // K+1 for each node: P_s
}

// newSource builds the tree over tris, at most leaf triangles in a leaf unless
// their cells cannot part them, with moments up to degree.
func newSource(ctx context.Context, f frame, tris []mesh.Triangle, degree, leaf, workers int) (*source, error) {
	s := &source{frame: f, degree: degree, leaf: leaf}
	keys := make([]keyed, len(tris))
	err := par.Blocks(ctx, len(tris), 1<<12, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			c, ok := f.lattice(centroid(&tris[i]))
			if !ok { // rounded out of the cube
				c, _ = f.lattice(tris[i][0])
			}
			keys[i] = keyed{c.code(), int32(i)}
		}
	})
	if err != nil {
		return nil, err
	}
	keys = sortKeys(keys, 3*f.depth)
	s.tris, s.order = make([]mesh.Triangle, len(tris)), make([]int32, len(tris))
	for i, k := range keys {
		s.tris[i], s.order[i] = tris[k.index], k.index
	}
	if err := s.split(ctx, keys, leaf, workers); err != nil {
		return nil, err
	}
	s.pack()
	return s, s.expand(ctx, workers)
}

// keyed is a Morton code with what it belongs to.
type keyed struct {
	code  uint64
	index int32
}

// sortKeys sorts by code, keeping the order of equal ones: a radix sort over the
// lowest bits bits. It returns keys or other memory.
func sortKeys(keys []keyed, bits int) []keyed {
	const digit = 11
	spare := make([]keyed, len(keys))
	for shift := 0; shift < bits; shift += digit {
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
			spare[count[d]] = k
			count[d]++
		}
		keys, spare = spare, keys
	}
	return keys
}

// split makes the nodes, level by level.
func (s *source) split(ctx context.Context, keys []keyed, leaf, workers int) error {
	// extent of a triangle: half its longest reach from its first corner. Cells
	// much smaller than the smallest triangle in them part nothing.
	extent := make([]float64, len(s.tris))
	for i := range s.tris {
		t := &s.tris[i]
		extent[i] = max(t[1].Sub(t[0]).Norm(), t[2].Sub(t[0]).Norm()) / 2
	}
	s.nodes = append(s.nodes, node{lo: 0, hi: int32(len(s.tris))})
	s.levels = append(s.levels, 0)
	for first := 0; first < len(s.nodes); {
		last := len(s.nodes)
		s.levels = append(s.levels, int32(last))
		for i := first; i < last; i++ {
			if !s.nodes[i].final {
				s.divide(i, keys, extent, leaf)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		first = last
	}
	s.levels = s.levels[:len(s.levels)-1]
	for len(s.levels) > 1 && s.levels[len(s.levels)-1] == int32(len(s.nodes)) {
		s.levels = s.levels[:len(s.levels)-1]
	}
	s.levels = append(s.levels, int32(len(s.nodes)))
	return nil
}

// pieces is how many times the triangles of a leaf a node may have to be parted into
// leaves at once, of nearly equal size: octants would leave half of their lanes
// empty.
const pieces = 4

// scatter is how many times half the largest triangle the radius of a leaf may be:
// clusters of few triangles far apart are near to too many points. A choice.
// They are parted down to scatterDepth only, so that two tiny triangles
// do not make a chain of twenty nodes.
const (
	scatter      = 8
	scatterDepth = 8
)

// divide appends the children of node i, if it needs any.
func (s *source) divide(i int, keys []keyed, extent []float64, leaf int) {
	n := s.nodes[i]
	half, count := s.half(int(n.level)), int(n.hi-n.lo)
	scattered := int(n.level) < scatterDepth && half > scatter*slices.Max(extent[n.lo:n.hi])
	if count == 1 || count <= leaf && !scattered || int(n.level) >= s.depth {
		return
	}
	if slices.Min(extent[n.lo:n.hi]) > 2*half {
		return
	}
	s.nodes[i].child = int32(len(s.nodes))
	if count <= pieces*leaf && !scattered {
		s.part(i, n.lo, n.hi, leaf)
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

// part appends children of node i with the triangles [lo, hi), which it parts along
// the longest side of their box, into leaves. A child has the cell of the octant that
// its middle lies in; others may have the same.
func (s *source) part(i int, lo, hi int32, leaf int) {
	n := &s.nodes[i] // until the next child is appended
	box := bvh.EmptyBox()
	var sum r3.Vector
	for j := lo; j < hi; j++ {
		g := centroid(&s.tris[j])
		box = box.Add(g)
		sum = sum.Add(g.Sub(s.centre(n.cell, int(n.level))))
	}
	count := (int(hi-lo) + leaf - 1) / leaf
	if count == 1 {
		o := 0
		if sum.X >= 0 {
			o |= 1
		}
		if sum.Y >= 0 {
			o |= 2
		}
		if sum.Z >= 0 {
			o |= 4
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
	sort.Stable(&byAxis{s.tris[lo:hi], s.order[lo:hi], axis})
	mid := lo + int32(int(hi-lo)*(count/2)/count)
	s.part(i, lo, mid, leaf)
	s.part(i, mid, hi, leaf)
}

// byAxis sorts triangles, with their numbers, by a coordinate of their centroids.
type byAxis struct {
	tris  []mesh.Triangle
	order []int32
	axis  func(r3.Vector) float64
}

func (b *byAxis) Len() int { return len(b.tris) }
func (b *byAxis) Less(i, j int) bool {
	return b.axis(centroid(&b.tris[i])) < b.axis(centroid(&b.tris[j]))
}
func (b *byAxis) Swap(i, j int) {
	b.tris[i], b.tris[j] = b.tris[j], b.tris[i]
	b.order[i], b.order[j] = b.order[j], b.order[i]
}

// centroid returns the centroid of t; thirds first, so that nothing overflows.
func centroid(t *mesh.Triangle) r3.Vector {
	const third = 1.0 / 3
	return t[0].Mul(third).Add(t[1].Mul(third)).Add(t[2].Mul(third))
}

// pack makes the near field: a group for each leaf.
func (s *source) pack() {
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

// expand computes radii, moments and norms from the leaves upwards.
func (s *source) expand(ctx context.Context, workers int) error {
	s.stride = padded(harmonics.Len(s.degree))
	stride := s.stride
	s.moments = make([]float64, len(s.nodes)*stride)
	s.norms = make([]float64, len(s.nodes)*(s.degree+1))
	up := upwards.of(s.degree)
	type scratch struct {
		moments *bem.Moments
		work    []float64
	}
	scratches := make([]scratch, par.Workers(workers))
	for l := len(s.levels) - 2; l >= 0; l-- {
		first, last := int(s.levels[l]), int(s.levels[l+1])
		err := par.Blocks(ctx, last-first, 32, workers, func(worker, lo, hi int) {
			sc := &scratches[worker]
			if sc.moments == nil {
				*sc = scratch{bem.NewMoments(s.degree), make([]float64, stride)}
			}
			for i := first + lo; i < first+hi; i++ {
				s.measure(i)
				m := s.moments[i*stride : (i+1)*stride]
				n := &s.nodes[i]
				if n.kids == 0 {
					level := int(n.level)
					sc.moments.AddTriangles(s.tris[n.lo:n.hi], s.centre(n.cell, level), 1/s.half(level))
					// Rounding is counted for leaves of that size (layout.go).
					n.cover = sc.moments.AddTo(m) * max(1, float64(n.hi-n.lo)/float64(s.leaf))
				}
				for k := n.child; k < n.child+int32(n.kids); k++ {
					c := &s.nodes[k]
					up.add(m, s.moments[int(k)*stride:(int(k)+1)*stride], c.x&1|c.y&1<<1|c.z&1<<2, sc.work)
				}
				harmonics.NormsTo(s.norms[i*(s.degree+1):], s.degree, m)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measure sets radius, tail, cover and reach of a node.
func (s *source) measure(i int) {
	n := &s.nodes[i]
	c := s.centre(n.cell, int(n.level))
	k := 1 / s.half(int(n.level))
	far, tail, total := 0.0, 0.0, 0.0
	for j := n.lo; j < n.hi; j++ {
		t := &s.tris[j]
		a, b, d := t[0].Sub(c).Mul(k), t[1].Sub(c).Mul(k), t[2].Sub(c).Mul(k)
		ra, rb, rd := a.Norm2(), b.Norm2(), d.Norm2()
		far = max(far, ra, rb, rd)
		// |y|^K is convex: its mean over the triangle is at most that of the corners.
		e, f := b.Sub(a), d.Sub(a)
		area := e.Cross(f).Norm() / 2
		// Corners are rounded by 2^−53 of their distance: at most this area more.
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

// grain returns the mean radius of the leaves of all triangles, in units of the root.
func (s *source) grain() float64 {
	sum := 0.0
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kids == 0 {
			sum += math.Ldexp(n.radius, -int(n.level)) * float64(n.hi-n.lo)
		}
	}
	return sum / float64(len(s.tris))
}

// safety covers the rounding of what is computed from some thousand terms at most,
// or else by sums of positive terms of relative error 2^−30 in all.
const safety = 0x1p-20

// power returns r^k from r².
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
