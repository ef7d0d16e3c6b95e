package voxels

import (
	"context"
	"fmt"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Classifier finds the positions of boxes as BoxesTo does. It is for many short lists of boxes, because
// it prepares the solid only once. A Classifier is the working memory of one goroutine.
type Classifier struct {
	positions
	body boxBody
}

// NewClassifier returns a Classifier. n is the expected number of boxes; a large n lets the solid build
// an index. The only error is the error of ctx.
func NewClassifier(ctx context.Context, s *inpoly.Solid, n int) (*Classifier, error) {
	p, err := newPositions(ctx, s, n)
	if err != nil {
		return nil, err
	}
	return (&Classifier{positions: *p}).Clone(), nil
}

// Clone returns a Classifier for another goroutine.
func (c *Classifier) Clone() *Classifier {
	d := &Classifier{positions: c.positions}
	d.workers = []positionWorker{{body: &d.body}}
	return d
}

// BoxesTo writes the position of each closed box to dst, as the function BoxesTo does. It panics if dst
// and boxes differ in length. If ctx ends first, it returns the error of ctx, and elements without a
// position are Unknown.
func (c *Classifier) BoxesTo(ctx context.Context, dst []Position, boxes []bvh.Box) error {
	if len(dst) != len(boxes) {
		panic(fmt.Sprintf("voxels: dst has length %d, but there are %d boxes", len(dst), len(boxes)))
	}
	clear(dst)
	c.boxes, c.body.boxes = boxes, boxes
	return c.fill(ctx, dst)
}
