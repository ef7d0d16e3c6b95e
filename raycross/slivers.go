package raycross

import (
	"context"
	"unsafe"

	"github.com/inpoly/inpoly/internal/engine/oriented"
	"github.com/inpoly/inpoly/internal/par"
)

// Boxes along the coordinate axes do not separate long thin faces side by side, oblique to the axes: a ray tests most of
// the faces. The tests of a ray beyond ordinary faces, and as many for each crossing, are its excess. When the excess of all
// rays is excessPerFace times the number of faces, the Caster builds a tree of oriented boxes. Building takes 2 µs for
// each face, and a test 20 ns.
const (
	ordinary      = 48  // tuning
	excessPerFace = 100 // tuning
)

func (c *Caster) sliversPay(_ *oriented.Tree, excess int64) bool {
	return excess > excessPerFace*int64(len(c.tris))
}

// countExcess counts tested faces of a ray that is not ordinary.
func (c *Caster) countExcess(excess int64, s *Scratch) {
	if c.slivers.Final() {
		return
	}
	if !c.sliversPay(nil, c.slivers.Work()+excess) {
		c.slivers.Add(excess)
		return
	}
	_, _ = c.slivers.For(par.Interruption(s.Done), excess, 1) // after an interruption, the current tree still serves
}

// Bytes estimates the memory of the second tree. It is 0 if the Caster has not built this tree.
func (c *Caster) Bytes() int64 {
	t := c.slivers.Current()
	if t == nil {
		return 0
	}
	return int64(unsafe.Sizeof(oriented.Node{}))*int64(len(t.Nodes)) + 4*int64(len(t.Faces))
}

// orientedTree returns the tree of oriented boxes of all faces.
func (c *Caster) orientedTree(ctx context.Context) (*oriented.Tree, error) {
	corners := make([][3]int32, len(c.tris))
	for i, f := range c.order {
		corners[i] = c.mesh.Faces[f]
	}
	return oriented.New(ctx, c.tris, corners, len(c.mesh.Vertices))
}

// buildSlivers returns the tree of oriented boxes, or nil if rays from a sample of faces do not take far fewer steps in it.
func (c *Caster) buildSlivers(ctx context.Context, _ *oriented.Tree, _ int64, _ int) (t *oriented.Tree, final bool, err error) {
	if t, err = c.orientedTree(ctx); err != nil {
		return nil, false, err
	}
	const (
		samples = 32 // tuning
		slower  = 3  // a step takes 3 times as long as in the other tree // tuning
		away    = 1. / 64
	)
	var wide, thin Scratch
	for k := range samples {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		f := &c.tris[k*len(c.tris)/samples]
		p := f[0].Mul(1. / 3).Add(f[1].Mul(1. / 3)).Add(f[2].Mul(1. / 3))
		p = p.Mul(1 - away).Add(c.box.Min.Mul(away / 2)).Add(c.box.Max.Mul(away / 2)) // near the face, but not on it
		q := aim(p, c.box, rayLength(c.largest), c.seed, 0)
		c.castWide(&q, nil, new(Count), &wide)
		c.castThin(t, &q, nil, new(Count), &thin)
	}
	if slower*thin.work() > wide.work() {
		t = nil
	}
	return t, true, nil
}

// castThin does the work of castWide with the tree of oriented boxes.
func (c *Caster) castThin(t *oriented.Tree, q *ray, skipFaces map[int32]bool, n *Count, s *Scratch) hit {
	s.thin.Start(t, q.p, q.r)
	for {
		faces, more := s.thin.Next()
		if !more {
			return miss
		}
		s.stats.Triangles += uint64(len(faces))
		for _, i := range faces {
			if m := c.meet(q, i, skipFaces, n, s); m != miss {
				return m
			}
		}
	}
}
