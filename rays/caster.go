package rays

import (
	"context"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/raytree"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Caster finds the hits of rays and segments with the faces of one solid. It is immutable and safe
// for concurrent use. If the solid has a pose, lines have coordinates of the world. The hits are
// exact for the mesh that the exact pose moves. The parameters of the hits have bounds, with or
// without a pose.
type Caster struct {
	set   *locate.Set
	mesh  *mesh.Mesh
	tree  *bvh.Tree
	tris  []mesh.Triangle // triangles of the mesh, in the order of the leaves
	faces []raytree.Face  // faces[i] is the face of tris[i]
	near  *raytree.Tree   // finds the triangles near a line

	rule    side.Rule
	integer bool                 // whether W is an integer where it is defined: the mesh is closed
	parity  bool                 // whether the parity of crossings decides sides
	reach   *lazy.Value[bvh.Box] // see reachOf
	idle    sync.Pool            // holds values of type *scratch
}

// New returns a Caster for s. It builds the tree over the faces of s if no query has built it yet.
//
// Errors: the error of ctx if ctx ends first; an error if the mesh has more than about 10⁹ faces.
func New(ctx context.Context, s inpoly.Target) (*Caster, error) {
	set := locate.Of(s)
	index, err := set.Surface.Index(ctx)
	if err != nil {
		return nil, err
	}
	tree := index.Tree.Tree()
	m, rule := s.Mesh(), set.Surface.Rule()
	near, err := raytree.New(ctx, index.Tree, set.Workers)
	if err != nil {
		return nil, err
	}
	c := &Caster{
		set: set, mesh: m, tree: tree, tris: index.Tree.Triangles(), faces: near.Faces(), near: near,
		rule: rule, integer: m.Closed(), parity: rule == side.EvenOdd && m.EvenEdges(),
	}
	c.reach = lazy.New(func(ctx context.Context) (*bvh.Box, error) { return reachOf(ctx, m, tree.Bounds()) })
	return c, nil
}

// blockSize is the number of lines that a worker takes at a time (tuning).
const blockSize = 256

// scratch is the working memory of one worker.
type scratch struct {
	stream     raytree.Stream
	searches   [raytree.Slots]search // one for each walk of the stream
	candidates candidates
	signs      predicates.Counter
	line       line  // memory of eachGathered
	memory     posed // memory of line
	hits       []hit
	patience   patience // with the context of the call

	// found and the slices below hold the results for a block of lines, and the number of results
	// of each line.
	found       []Hit
	counts      []int
	events      []Event
	eventCounts []int
	intervals   []Interval

	starts, samples []r3.Vector
	sides           []inpoly.Side // sides of starts
	windings, slack []float64     // winding numbers of starts, and their bounds
	sampled         []inpoly.Side // sides of samples
	placed          []placed      // parameters of samples
	unsampled       []int         // see Intervals
}

// blocks calls work for blocks of n lines on several workers. Each worker has its own scratch.
func (c *Caster) blocks(ctx context.Context, n int, work func(s *scratch, lo, hi int)) error {
	scratches := make([]*scratch, min(par.Workers(c.set.Workers), (n+blockSize-1)/blockSize))
	for i := range scratches {
		s, ok := c.idle.Get().(*scratch)
		if !ok {
			s = new(scratch)
		}
		s.patience = patience{ctx: ctx}
		scratches[i] = s
	}
	err := par.Blocks(ctx, n, blockSize, len(scratches), func(worker, lo, hi int) {
		work(scratches[worker], lo, hi)
	})
	for _, s := range scratches {
		s.patience = patience{}
		if err == nil {
			c.idle.Put(s)
		}
	}
	return err
}

// scratches returns the working memory of all workers for n lines.
func (c *Caster) scratches(ctx context.Context, n int) []scratch {
	s := make([]scratch, min(par.Workers(c.set.Workers), (n+blockSize-1)/blockSize))
	for i := range s {
		s[i].patience.ctx = ctx
	}
	return s
}
