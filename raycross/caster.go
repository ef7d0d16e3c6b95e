// Package raycross locates points relative to a mesh by ray crossing (Muth, Of, Eberhard, Steinbach
// 2006, §2.2). The package makes the method exact and extends it to open meshes. Most users need
// package inpoly, which chooses among the methods.
//
// A random ray starts at the point P. A tree (package bvh) finds the faces that the ray can cross.
// Signs of volumes ("Volume-Signs" in the paper) tell whether the line of the ray crosses a face.
// The sign of d1, the distance of P from the plane of the face, tells whether the crossing is ahead
// of P. A ray is degenerate if it intersects an edge or a vertex, or lies in the plane of a face
// that it intersects. A degenerate ray is discarded, and another ray is cast. All signs are exact,
// so a Count is always right.
//
// A crossing has the sign +1 if the ray leaves through a face along its normal, and −1 if the ray
// enters. χ is the sum of the signs. On a closed mesh χ is the winding number W. On an open mesh W
// = χ + (1/4π) Σ m_e Ω_e. The sum is over the boundary edges e with multiplicity m_e and solid
// angle Ω_e (package bem). Package bem also returns a certified bound of the error. If the computed
// W ± bound contains a threshold of the rule, arbitrary precision decides the side.
//
// P is on the surface if and only if P lies exactly on a closed face. Faces of zero area belong to
// the surface, but rays never cross them.
package raycross

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/oriented"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/morton"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Options configures New. The zero value is valid.
type Options struct {
	Rule side.Rule
	Seed uint64 // seed of the random rays; no answer depends on it
}

// Caster locates points relative to one mesh by ray crossing. It behaves like an immutable value and is
// safe for concurrent use. Each goroutine needs its own Scratch. If many rays test far more faces than
// they cross, as on meshes of long thin faces, the Caster builds a second tree.
type Caster struct {
	mesh     *mesh.Mesh
	tree     *bvh.Tree
	tris     []mesh.Triangle // triangles of the mesh, in the order of the leaves
	order    []int32         // order[i] is the number of the face tris[i]
	zeroArea []uint64        // bit i is set if tris[i] has zero area; nil if no face has zero area
	boundary *bem.Boundary   // nil for a closed mesh
	box      bvh.Box
	largest  float64 // largest |coordinate| of the mesh
	bound    float64 // error bound of the edge functions (see edgeBound)
	rule     side.Rule
	parity   bool // true if the rule is EvenOdd and every edge has an even number of faces
	seed     uint64
	batches  chan *batch // pool of working memory for SidesTo
	slivers  *lazy.Upgrade[*oriented.Tree]
}

// New returns a Caster that shares x with the caller. The only error is mesh.ErrNil, which New
// returns if x is nil.
func New(x *mesh.Indexed, opt Options) (*Caster, error) {
	if x == nil {
		return nil, mesh.ErrNil
	}
	m, tree, tris := x.Mesh(), x.Tree(), x.Triangles()
	c := &Caster{
		mesh: m, tree: tree, tris: tris, order: tree.Index(), box: m.Box(),
		batches: make(chan *batch, par.Workers(0)), rule: opt.Rule, parity: opt.Rule == side.EvenOdd && m.EvenEdges(), seed: opt.Seed,
	}
	if !c.box.Empty() {
		c.largest = max(vec.MaxAbs(c.box.Min), vec.MaxAbs(c.box.Max))
		size := c.box.Size()
		c.bound = edgeBound(max(size.X, size.Y, size.Z))
	}
	if flat := m.Degenerate(); len(flat) > 0 {
		at := make([]int32, m.NumFaces())
		for i, f := range c.order {
			at[f] = int32(i)
		}
		c.zeroArea = make([]uint64, (len(tris)+63)/64)
		for _, f := range flat {
			c.zeroArea[at[f]>>6] |= 1 << (at[f] & 63)
		}
	}
	if !m.Closed() {
		c.boundary = bem.NewBoundary(m)
	}
	c.slivers = lazy.NewUpgrade(nil, c.sliversPay, c.buildSlivers)
	return c, nil
}

// Scratch is the working memory of one goroutine. It also counts the work of the queries that use
// the Scratch. The zero value is ready for use.
type Scratch struct {
	// Done can be nil. If Done is closed, arbitrary-precision sums over large boundaries stop. The
	// side of the queried point is then Unknown.
	Done <-chan struct{}

	stats  side.Stats // all counts except the counts of signs
	signs  predicates.Counter
	walk   bvh.RayWalk
	thin   oriented.RayWalk // replaces walk after an upgrade of Caster.slivers
	points bvh.PointWalk
	bem    bem.Scratch
	edges  uint64 // visits of boundary edges (see Scratch.work)
}

// work returns the number of visits of nodes, faces and boundary edges so far. A visit takes some
// nanoseconds. The visit of an edge in arbitrary precision counts as exactCost visits.
func (s *Scratch) work() uint64 { return s.walk.Nodes + s.thin.Nodes + s.stats.Triangles + s.edges }

// Stats returns the counts of all queries that used s.
func (s *Scratch) Stats() side.Stats {
	out := s.stats
	signs := s.signs
	signs.Add(s.bem.Signs)
	out.Nodes = s.walk.Nodes + s.thin.Nodes
	out.Filter, out.Expansion, out.Exact = signs.Filter, signs.Expansion, signs.Exact
	return out
}

// Count is the result of one ray that is not degenerate. A degenerate ray intersects an edge or a
// vertex, or lies in the plane of a face that it intersects.
type Count struct {
	Signed    int64     // χ: number of faces that the ray leaves along their normals, minus number of faces that it enters
	Crossings uint64    // number of crossed faces
	Target    r3.Vector // R, the end of the ray
	OnSurface bool      // true if the start P of the ray lies exactly on a closed face; all other fields are then 0
}

// Count casts random rays from p until one ray is not degenerate. It returns the crossings of this
// ray. If p is not on the surface, the degenerate directions have measure zero, so the loop ends
// with probability 1. p must be finite.
func (c *Caster) Count(p r3.Vector, s *Scratch) Count {
	for attempt := 0; ; attempt++ {
		if n, ok := c.attempt(p, attempt, nil, s); ok {
			return n
		}
	}
}

// attempt casts ray number rayNumber from p. The ray ignores the faces in skipFaces, whose keys are
// indices into c.tris. ok is false if the ray is degenerate.
func (c *Caster) attempt(p r3.Vector, rayNumber int, skipFaces map[int32]bool, s *Scratch) (n Count, ok bool) {
	length := rayLength(max(c.largest, vec.MaxAbs(p)))
	if !c.box.Contains(p) {
		if c.box.Empty() {
			return Count{Target: p}, true
		}
		// The ray moves away from the box, so it crosses no face.
		return Count{Target: aimAway(p, c.box, length, c.seed, rayNumber)}, true
	}
	q := aim(p, c.box, length, c.seed, rayNumber)
	s.stats.Rays++
	if rayNumber > 0 {
		s.stats.Rerays++
	}
	return c.cast(&q, skipFaces, s)
}

// cast counts the crossings of a ray that starts in the box. The ray ignores the faces in
// skipFaces, whose keys are indices into c.tris. ok is false if the ray is degenerate.
func (c *Caster) cast(q *ray, skipFaces map[int32]bool, s *Scratch) (n Count, ok bool) {
	n.Target = q.r
	result := miss
	if t := c.slivers.Current(); t != nil {
		result = c.castThin(t, q, skipFaces, &n, s)
	} else {
		tested := s.stats.Triangles
		result = c.castWide(q, skipFaces, &n, s)
		if excess := int64(s.stats.Triangles-tested) - ordinary*int64(1+n.Crossings); excess > 0 {
			c.countExcess(excess, s)
		}
	}
	if result == onFace {
		return Count{OnSurface: true}, true
	}
	return n, result == miss
}

// castWide does the work of cast with the tree of boxes along the coordinate axes. It adds the crossings to n until the
// ray touches a face, and returns the last relation.
func (c *Caster) castWide(q *ray, skipFaces map[int32]bool, n *Count, s *Scratch) hit {
	s.walk.Start(c.tree, q.p, q.r)
	for {
		first, count, more := s.walk.Next()
		if !more {
			return miss
		}
		s.stats.Triangles += uint64(count)
		for i := first; i < first+count; i++ {
			if m := c.meet(q, i, skipFaces, n, s); m != miss {
				return m
			}
		}
	}
}

// meet adds the crossing of q and face i to n, if there is one. It returns miss, or else touches or onFace.
func (c *Caster) meet(q *ray, i int32, skipFaces map[int32]bool, n *Count, s *Scratch) hit {
	if skipFaces != nil && skipFaces[i] {
		return miss
	}
	t := &c.tris[i]
	if c.zeroArea != nil && c.zeroArea[i>>6]>>(i&63)&1 == 1 {
		// A face of zero area belongs to the surface, but contributes nothing to χ. So the
		// ray ignores such a face unless the ray starts on it.
		if s.signs.OnTriangle(q.p, t[0], t[1], t[2]) {
			return onFace
		}
		return miss
	}
	switch m := intersect(q, t, c.bound, &s.signs); m {
	case leaves:
		n.Signed++
		n.Crossings++
	case enters:
		n.Signed--
		n.Crossings++
	default:
		return m
	}
	return miss
}

// A worker processes blocks of blockSize points in the order of a space-filling curve. It checks
// the context after checkPoints points or after checkWork units of work, whichever comes first. So
// checks are a few milliseconds apart, unless a single point takes longer.
const (
	blockSize   = morton.Block
	checkPoints = 256
	checkWork   = 200_000
)

// Side returns the exact side of p under the rule of c. OnSurface means that p lies exactly on a
// closed face. The side is Unknown only in two cases: p is not finite, or arbitrary precision
// cannot separate the winding number of an open mesh from the threshold of the rule. Side allocates
// only if a sign needs arbitrary precision.
func (c *Caster) Side(p r3.Vector, s *Scratch) side.Side {
	s.stats.Points++
	got := c.side(p, s)
	if got == side.Unknown {
		s.stats.Undecided++
	}
	return got
}

func (c *Caster) side(p r3.Vector, s *Scratch) side.Side {
	if !vec.Finite(p) {
		return side.Unknown
	}
	if c.boundary == nil || c.parity {
		if !c.box.Contains(p) {
			return side.Outside // a point outside the box has W = 0
		}
		n := c.Count(p, s)
		if n.OnSurface {
			return side.OnSurface
		}
		return c.rule.Apply(n.Signed, n.Crossings)
	}
	return c.openSide(p, s)
}

// SidesTo writes the side of pts[i] to dst[i] and returns the counts of all work. It uses the given
// number of workers. If workers ≤ 0, it uses one worker for each processor. The sides do not depend
// on the number of workers or on the order of the points. With one worker SidesTo allocates only
// working memory, which later calls reuse. SidesTo panics if the lengths of dst and pts differ.
//
// If ctx ends early, SidesTo returns the error of ctx. dst then holds Unknown for the points that
// no worker has processed.
func (c *Caster) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(dst) != len(pts) {
		panic("raycross: the lengths of dst and pts differ")
	}
	clear(dst)
	if workers = par.Workers(workers); workers == 1 {
		b := c.getBatch()
		defer c.putBatch(b)
		for lo := 0; lo < len(pts); lo += blockSize {
			hi := min(len(pts), lo+blockSize)
			if err := b.sides(ctx, c, dst[lo:hi], pts[lo:hi]); err != nil {
				return b.scratch.Stats(), err
			}
		}
		return b.scratch.Stats(), nil
	}
	// Small batches use small blocks, so that every worker processes some points.
	size := min(blockSize, max(checkPoints, len(pts)/(4*workers)))
	workers = min(workers, (len(pts)+size-1)/size)
	batches := make([]*batch, workers)
	for i := range batches {
		batches[i] = c.getBatch()
	}
	err := par.Blocks(ctx, len(pts), size, workers, func(worker, lo, hi int) {
		// The only possible error is the error of ctx. par.Blocks returns the same error.
		_ = batches[worker].sides(ctx, c, dst[lo:hi], pts[lo:hi])
	})
	var sum side.Stats
	for _, b := range batches {
		sum.Add(b.scratch.Stats())
		c.putBatch(b)
	}
	return sum, err
}

// batch is the working memory of one worker.
type batch struct {
	scratch Scratch
	sorter  morton.Sorter
}

// getBatch returns working memory from the pool, with all counts 0.
func (c *Caster) getBatch() *batch {
	select {
	case b := <-c.batches:
		b.scratch = Scratch{}
		return b
	default:
		return new(batch)
	}
}

// putBatch returns b to the pool, or drops it if the pool is full.
func (c *Caster) putBatch(b *batch) {
	b.scratch.Done = nil
	select {
	case c.batches <- b:
	default:
	}
}

func (b *batch) sides(ctx context.Context, c *Caster, dst []side.Side, pts []r3.Vector) error {
	b.scratch.Done = ctx.Done()
	points, work := 0, b.scratch.work()
	for _, i := range b.sorter.Order(pts, c.box) {
		if points--; points < 0 || b.scratch.work()-work > checkWork {
			if err := ctx.Err(); err != nil {
				return err
			}
			points, work = checkPoints, b.scratch.work()
		}
		dst[i] = c.Side(pts[i], &b.scratch)
	}
	// ctx can end during the boundary sum for a point. The side of that point is then Unknown.
	return ctx.Err()
}
