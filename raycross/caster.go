package raycross

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/morton"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
	"github.com/inpoly/inpoly/side"
)

// Options of a Caster. The zero value is good.
type Options struct {
	Rule side.Rule
	Seed uint64 // changes the random rays, never the answers
}

// Caster locates points relative to one mesh by ray crossing. It is immutable and
// safe for concurrent use, with one Scratch for each goroutine.
type Caster struct {
	mesh     *mesh.Mesh
	tree     *bvh.Tree
	tris     []mesh.Triangle // in leaf order
	order    []int32         // leaf order → face
	zeroArea []uint64        // bit i: tris[i] has zero area; nil if no face has
	boundary *bem.Boundary   // nil if the boundary chain is empty
	box      bvh.Box
	largest  float64 // largest |coordinate|
	bound    float64 // edgeBound of the box
	rule     side.Rule
	parity   bool // EvenOdd may count crossings: every edge has an even number of faces
	seed     uint64
	batches  chan *batch // working memory of SidesTo, used again
}

// New returns a Caster that shares x. Errors: mesh.ErrNil if x is nil.
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
	return c, nil
}

// Scratch is the working memory of one goroutine. It counts the work done with it.
// The zero value is ready.
type Scratch struct {
	// Done interrupts arbitrary-precision sums over large boundaries when it is
	// closed: the answer is then Unknown. It may be nil.
	Done <-chan struct{}

	stats  side.Stats // all but the signs
	signs  predicates.Counter
	walk   bvh.RayWalk
	points bvh.PointWalk
	bem    bem.Scratch
	edges  uint64 // boundary edges summed; see work
}

// work measures the time spent with s: the nodes, faces and boundary edges visited,
// some nanoseconds each. An edge in arbitrary precision counts exactCost times.
func (s *Scratch) work() uint64 { return s.walk.Nodes + s.stats.Triangles + s.edges }

// Stats returns the counts of all work done with s.
func (s *Scratch) Stats() side.Stats {
	out := s.stats
	signs := s.signs
	signs.Add(s.bem.Signs)
	out.Nodes = s.walk.Nodes
	out.Filter, out.Expansion, out.Exact = signs.Filter, signs.Expansion, signs.Exact
	return out
}

// Count is the outcome of one ray that met no edge.
type Count struct {
	Signed    int64     // χ: faces left along their normals minus faces entered
	Crossings uint64    // faces crossed
	Target    r3.Vector // R, the end of the ray
	OnSurface bool      // P lies exactly on a closed face; the other fields are 0
}

// Count casts random rays from p until one meets no edge, no vertex and no face
// that lies in a plane with it, and returns the crossings of that ray. It ends with
// probability 1: off the surface the degenerate directions have measure zero. p
// must be finite.
func (c *Caster) Count(p r3.Vector, s *Scratch) Count {
	if c.box.Empty() {
		return Count{Target: p}
	}
	for attempt := 0; ; attempt++ {
		if n, ok := c.attempt(p, attempt, s); ok {
			return n
		}
	}
}

// attempt casts one ray; ok is false if it is degenerate.
func (c *Caster) attempt(p r3.Vector, attempt int, s *Scratch) (n Count, ok bool) {
	length := rayLength(max(c.largest, vec.MaxAbs(p)))
	if !c.box.Contains(p) {
		// The ray moves away from the box and meets nothing.
		return Count{Target: aimAway(p, c.box, length, c.seed, attempt)}, true
	}
	q := aim(p, c.box, length, c.seed, attempt)
	s.stats.Rays++
	if attempt > 0 {
		s.stats.Rerays++
	}
	n, ok = c.cast(&q, nil, s)
	return n, ok
}

// cast counts the crossings of one ray from a point in the box. It skips the faces
// at the leaf positions in skip. ok is false if the ray is degenerate.
func (c *Caster) cast(q *ray, skip map[int32]bool, s *Scratch) (n Count, ok bool) {
	n.Target = q.r
	s.walk.Start(c.tree, q.p, q.r)
	result := miss
walk:
	for {
		first, count, more := s.walk.Next()
		if !more {
			break
		}
		s.stats.Triangles += uint64(count)
		for i := first; i < first+count; i++ {
			if skip != nil && skip[i] {
				continue
			}
			t := &c.tris[i]
			var m hit
			if c.zeroArea != nil && c.zeroArea[i>>6]>>(i&63)&1 == 1 {
				// A face of zero area is part of the surface, but it is never
				// crossed: any ray through it would be degenerate.
				if s.signs.OnTriangle(q.p, t[0], t[1], t[2]) {
					m = onFace
				}
			} else {
				m = intersect(q, t, c.bound, &s.signs)
			}
			switch m {
			case miss:
			case leaves:
				n.Signed++
				n.Crossings++
			case enters:
				n.Signed--
				n.Crossings++
			default:
				result = m
				break walk
			}
		}
	}
	if result == onFace {
		return Count{OnSurface: true}, true
	}
	return n, result == miss
}

// A worker takes blockSize points at a time, in the order of a space-filling curve.
// It checks the context after checkPoints points or checkWork units of work,
// whichever comes first: after a few milliseconds, unless one point takes longer.
const (
	blockSize   = morton.Block
	checkPoints = 256
	checkWork   = 200_000
)

// Side returns the side of p under the rule of c. It is exact: OnSurface means that p
// lies exactly on a closed face. The side is Unknown only if p is not finite, or if
// arbitrary precision cannot separate the winding number of an open mesh from the
// threshold of the rule. It allocates only if a sign needs arbitrary precision.
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
			return side.Outside // W = 0, no crossings
		}
		n := c.Count(p, s)
		if n.OnSurface {
			return side.OnSurface
		}
		return c.rule.Apply(n.Signed, n.Crossings)
	}
	return c.openSide(p, s)
}

// SidesTo writes the side of pts[i] to dst[i], on the given number of workers
// (≤ 0: one for each processor), and returns the counts of all work. It panics if
// the lengths differ. The answers do not depend on the number of workers or the
// order of the points. With one worker it allocates nothing once working memory
// exists.
//
// Errors: the error of ctx if it ends first; dst then holds Unknown for points without
// an answer.
func (c *Caster) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector, workers int) (side.Stats, error) {
	if len(dst) != len(pts) {
		panic("raycross: dst and pts differ in length")
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
	// Small batches are split so that every worker gets some.
	size := min(blockSize, max(checkPoints, len(pts)/(4*workers)))
	workers = min(workers, (len(pts)+size-1)/size)
	batches := make([]*batch, workers)
	for i := range batches {
		batches[i] = c.getBatch()
	}
	err := par.Blocks(ctx, len(pts), size, workers, func(worker, lo, hi int) {
		// The only possible error is the error of ctx, which Blocks returns, too.
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

// getBatch returns working memory whose counts are 0.
func (c *Caster) getBatch() *batch {
	select {
	case b := <-c.batches:
		b.scratch = Scratch{}
		return b
	default:
		return new(batch)
	}
}

// putBatch keeps b for later calls, or drops it if enough are kept.
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
	// If ctx interrupted a sum, its point is Unknown.
	return ctx.Err()
}
