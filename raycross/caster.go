package raycross

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
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

// Caster answers for one mesh by ray crossing. It is immutable and safe for
// concurrent use; each goroutine brings its own Scratch.
type Caster struct {
	mesh     *mesh.Mesh
	tree     *bvh.Tree
	tris     []mesh.Triangle // in leaf order
	order    []int32         // leaf order → face
	flat     []uint64        // bit i: tris[i] has zero area; nil if none has
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
		c.flat = make([]uint64, (len(tris)+63)/64)
		for _, f := range flat {
			c.flat[at[f]>>6] |= 1 << (at[f] & 63)
		}
	}
	if !m.Closed() {
		c.boundary = bem.NewBoundary(m)
	}
	return c, nil
}

// Scratch is the working memory of one goroutine and counts its work. The zero
// value is ready.
type Scratch struct {
	// Done, if not nil, interrupts arbitrary-precision sums over large boundaries
	// when it is closed: the answer is then Unknown.
	Done <-chan struct{}

	stats  side.Stats // all but the signs
	signs  predicates.Counter
	walk   bvh.RayWalk
	points bvh.PointWalk
	bem    bem.Scratch
	edges  uint64 // boundary edges summed; see work
}

// work is a measure of the time spent with s: nodes, faces and boundary edges
// visited, some nanoseconds each. Edges in arbitrary precision count for their
// thousandfold cost.
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
// in its plane, and returns what that ray crossed. It ends with probability 1:
// for a p off the surface the degenerate directions have measure zero. p must
// be finite.
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

// attempt casts one ray; ok is false if it was degenerate.
func (c *Caster) attempt(p r3.Vector, attempt int, s *Scratch) (n Count, ok bool) {
	length := reach(max(c.largest, vec.MaxAbs(p)))
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

// cast counts the crossings of one ray from a point in the box, leaving out the
// faces at the leaf positions in skip; ok is false if the ray was degenerate.
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
			var m meeting
			if c.flat != nil && c.flat[i>>6]>>(i&63)&1 == 1 {
				// Zero area: on the surface, never crossed (any ray through
				// it would be degenerate).
				if s.signs.OnTriangle(q.p, t[0], t[1], t[2]) {
					m = onTheFace
				}
			} else {
				m = meet(q, t, c.bound, &s.signs)
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
	if result == onTheFace {
		return Count{OnSurface: true}, true
	}
	return n, result == miss
}
