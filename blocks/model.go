package blocks

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/voxels"
)

// Limits of Options.
const (
	MaxLevels    = 8
	MaxSubLevels = 16
)

// DefaultLevels is a good value of Options.Levels.
const DefaultLevels = 3

// Options configures New. The zero value computes shares without dividing blocks.
type Options struct {
	// Levels is how often a block is halved along each axis if the faces in it do not determine the shares, from
	// 0 to MaxLevels. Each level halves the bounds of such blocks, and takes about four times as long. Levels
	// has no effect on blocks in which faces of closed solids meet only along edges.
	Levels int
	// SubLevels is the number of times that a straddling block becomes eight rows, from 0 to MaxSubLevels.
	SubLevels int
	// Overlap computes the share of each solid without regard to the other solids.
	Overlap bool
	// Expected is the approximate number of blocks. New builds indexes that are suitable for this
	// number. 0 means unknown.
	Expected int
}

// Model computes the shares of blocks in solids. It is immutable and safe for concurrent use.
type Model struct {
	solids     []*inpoly.Solid
	shapes     []*shape
	partitions []*partition      // the partition for each solid; see newPartitions
	place      *motion.Placement // maps the world into local coordinates; nil means that they are equal
	opt        Options
}

// New prepares solids for blocks whose local coordinates p moves into the world. The first solid has the
// highest priority. Without a rotation, p must be pose.At(r3.Vector{}). New searches the meshes for faces that
// meet, which takes a few microseconds for each face. With a rotation, it also builds an index of each solid
// in the frame of the blocks.
//
// Errors: a number of levels that is out of range; a pose that is not valid; an open mesh with an edge that is
// too short for the rounding in a rotated frame; the error of ctx.
func New(ctx context.Context, solids []*inpoly.Solid, p pose.Pose, opt Options) (*Model, error) {
	switch {
	case opt.Levels < 0 || opt.Levels > MaxLevels:
		return nil, plural.Errorf("%d levels: must be from 0 to %d", opt.Levels, MaxLevels)
	case opt.SubLevels < 0 || opt.SubLevels > MaxSubLevels:
		return nil, plural.Errorf("%d levels of sub-blocks: must be from 0 to %d", opt.SubLevels, MaxSubLevels)
	}
	var place *motion.Placement
	if p != pose.At(r3.Vector{}) {
		var err error
		if place, err = motion.Place(motion.Pose(p)); err != nil {
			return nil, err
		}
	}
	m := &Model{solids: solids, place: place, opt: opt}
	const most = 1 << 30 // enough blocks for any index
	for i, s := range solids {
		a, err := newShape(ctx, s, place, min(max(opt.Expected, 1<<16), most))
		if err != nil {
			return nil, fmt.Errorf("solid %d: %w", i+1, err)
		}
		m.shapes = append(m.shapes, a)
	}
	var err error
	if m.partitions, err = newPartitions(ctx, m.shapes, opt.Overlap); err != nil {
		return nil, err
	}
	return m, nil
}

// Exact returns the number of faces of solid i that give exact shares, and the number of all its faces.
func (m *Model) Exact(i int) (exact, all int) {
	for _, j := range m.shapes[i].jumps {
		if j != mixed {
			exact++
		}
	}
	return exact, len(m.shapes[i].jumps)
}

// Row is one block or sub-block.
type Row struct {
	Block  [3]int32 // indices of the block in its frame
	Level  uint8    // number of times that the block was divided
	Box    bvh.Box  // in local coordinates
	Mixed  bool     // whether a face can meet the closed box
	Single int32    // if no face meets the box: the solid that has its space, or None

	slack r3.Vector // largest distance of the exact sides of the block from the sides of Box; see Around
}

// None is a value of Row.Single.
const None = -1

// Rows are the results of Worker. Their memory is reused.
type Rows struct {
	Rows []Row
	// Shares[s][r] is the share of row r in solid s, and Bounds[s][r] is a bound of its error.
	Shares, Bounds [][]float64
}

// resize makes room for the shares of all rows.
func (r *Rows) resize(solids int) {
	for len(r.Shares) < solids {
		r.Shares, r.Bounds = append(r.Shares, nil), append(r.Bounds, nil)
	}
	for s := range solids {
		r.Shares[s], r.Bounds[s] = zeros(r.Shares[s], len(r.Rows)), zeros(r.Bounds[s], len(r.Rows))
	}
}

func zeros(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Worker computes the rows of blocks. It is the working memory of one goroutine.
type Worker struct {
	*Model
	ctx         context.Context
	classifiers []*voxels.Classifier
	integral    integrator
	signs       predicates.Counter
	positions   []voxels.Position
	boxes       []bvh.Box

	shares, bounds []float64  // shares and bounds of one row
	own            []ownShare // the share of the points without an owner, and the share of each solid
	grid           gridWork
}

// Worker returns a new Worker. ctx ends its work.
func (m *Model) Worker(ctx context.Context) *Worker {
	w := &Worker{Model: m, ctx: ctx, shares: make([]float64, len(m.shapes)), bounds: make([]float64, len(m.shapes)), own: make([]ownShare, len(m.shapes)+1)}
	for _, a := range m.shapes {
		w.classifiers = append(w.classifiers, a.classifier.Clone())
	}
	return w
}

// classify returns the positions of boxes relative to a solid: Inside, Outside, or Straddling if a face can
// meet the box or its side is unknown.
func (w *Worker) classify(solid int, boxes []bvh.Box) ([]voxels.Position, error) {
	if len(boxes) > cap(w.positions) {
		w.positions = make([]voxels.Position, 2*len(boxes))
	}
	dst := w.positions[:len(boxes)]
	if a := w.shapes[solid]; a.radius > 0 {
		for i := range boxes {
			boxes[i] = a.grown(boxes[i])
		}
	}
	return dst, w.classifiers[solid].BoxesTo(w.ctx, dst, boxes)
}
