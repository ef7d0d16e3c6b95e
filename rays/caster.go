package rays

import (
	"context"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/locate"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// Caster finds the hits of rays and segments with the faces of one solid. It is immutable and safe for
// concurrent use.
type Caster struct {
	set   *locate.Set
	mesh  *mesh.Mesh
	tree  *bvh.Tree
	tris  []mesh.Triangle // triangles of the mesh, in the order of the leaves
	order []int32         // order[i] is the number of the face tris[i]
}

// New returns a Caster for s. It builds the tree over the faces of s if no query has built it yet.
// The only error is the error of ctx, if ctx ends first.
func New(ctx context.Context, s *inpoly.Solid) (*Caster, error) {
	set := s.Internal()
	index, err := set.Surface.Index(ctx)
	if err != nil {
		return nil, err
	}
	tree := index.Tree.Tree()
	return &Caster{set: set, mesh: s.Mesh(), tree: tree, tris: index.Tree.Triangles(), order: tree.Index()}, nil
}

// blockSize is the number of lines that a worker takes at a time (tuning).
const blockSize = 256

// scratch is the working memory of one worker.
type scratch struct {
	walk   bvh.RayWalk
	signs  predicates.Counter
	hits   []hit
	found  []Hit // hits of a block of lines
	counts []int // numbers of hits of a block of lines
}

// blocks checks the lines, and then calls work for blocks of lines on several workers. Each worker has
// its own scratch.
func blocks[L Line](ctx context.Context, c *Caster, lines []L, work func(s *scratch, lo, hi int)) error {
	if err := check(lines); err != nil {
		return err
	}
	workers := min(par.Workers(c.set.Workers), (len(lines)+blockSize-1)/blockSize)
	scratches := make([]scratch, workers)
	return par.Blocks(ctx, len(lines), blockSize, workers, func(worker, lo, hi int) {
		work(&scratches[worker], lo, hi)
	})
}

// eachFace calls visit for every face whose box the line l can meet. The argument of visit is an index
// into c.tris.
func (c *Caster) eachFace(l *line, s *scratch, visit func(i int32)) {
	if l.segment {
		s.walk.Start(c.tree, l.a, l.b)
	} else {
		s.walk.StartRay(c.tree, l.a, l.d)
	}
	for first, count, ok := s.walk.Next(); ok; first, count, ok = s.walk.Next() {
		for i := first; i < first+count; i++ {
			visit(i)
		}
	}
}
