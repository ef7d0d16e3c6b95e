// Package build makes the grid of a cell index. The function Grid has these steps:
//
//  1. caps.go closes the boundary of an open mesh with caps. copies.go finds caps that coincide with
//     faces or with other caps.
//  2. plan.go chooses the size of cells by a cost model.
//  3. bricks.go lists the faces of each brick by a counting sort.
//  4. lists.go lists the triangles of each cell, refines cells with long lists, and writes the
//     records of crossed cells. triangle.go finds the cells and the plane of a triangle.
//  5. components.go finds connected sets of empty cells by flood filling. label.go connects these
//     sets to each other and to the outside, where the winding number is 0.
//  6. reference.go chooses the reference points of crossed cells.
//  7. propagate.go finds the remaining winding numbers.
//  8. finish.go writes the labels of empty cells.
//  9. open.go finds the cells of an open mesh in which the caps can change the side, with bounds from
//     holes.go and stick.go. sides.go finds cells that have one side in spite of the caps. fields.go
//     makes the fields of open cells.
//
// The function Refit replaces the bricks of a grid that have changed after vertices have moved. region.go
// finds these bricks and their border, and refit.go does steps 3 to 8 for them.
package build

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

const (
	// maxOpen is the largest |coordinate| of an open mesh that gets a grid. If a coordinate is
	// larger, rays can fail to decide winding numbers.
	maxOpen = 0x1p256

	// capsPerFace limits the open meshes that get a grid. It is the largest number of boundary
	// edges per face, where an edge of multiplicity n counts n times. Only multiplicities above 1
	// give more than three.
	capsPerFace = 4

	bricksAtATime = 8       // number of bricks in a block of work // tuning
	fewEntries    = 1 << 10 // number of list entries that are always allowed // tuning
)

// Options configures Grid.
type Options struct {
	Rule           side.Rule
	Workers        int   // number of goroutines; ≤ 0 means one for each processor
	ExpectedPoints int64 // expected number of queries; 0 means many
	// Rays returns a Caster for the mesh and rule. Grid calls Rays at most twice, and only if a
	// cell or a query needs rays.
	Rays func(ctx context.Context) (*raycross.Caster, error)
	Plan *Plan // nil means that the cost model chooses the plan
}

// builder is the state that the steps of Grid share.
type builder struct {
	*layout.Grid
	opt      Options
	workers  int
	holes    *holes   // nil without caps
	unlisted []uint64 // triangles that no list needs, or nil
	region   *region  // nil unless Refit replaces a part of a grid
}

// Grid returns the grid of m. For a mesh without faces the grid is empty. The result is nil if
// every query needs a ray. Every query needs a ray if m is open and has very large coordinates or
// more than capsPerFace boundary edges per face. The number of workers can change how the records
// are numbered, but not the sides or the counts.
//
// Errors: mesh.ErrTooLarge if a coordinate exceeds mesh.MaxCoordinate; the error of Rays; the error
// of ctx if ctx ends first.
func Grid(ctx context.Context, m *mesh.Mesh, opt Options) (*layout.Grid, error) {
	g := &layout.Grid{Mesh: m, Rule: opt.Rule}
	b := &builder{Grid: g, opt: opt, workers: par.Workers(opt.Workers)}
	box := m.Box()
	if box.Empty() {
		return g, nil
	}
	largest := max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max))
	if largest > mesh.MaxCoordinate {
		return nil, fmt.Errorf("%w: coordinate %g exceeds %g: scale the mesh down", mesh.ErrTooLarge, largest, float64(mesh.MaxCoordinate))
	}
	g.Degenerate = degenerateSet(m.Degenerate())
	g.Parity = opt.Rule == side.EvenOdd && m.EvenEdges() && !m.Closed()
	if !m.Closed() && !g.Parity {
		h, err := closeHoles(ctx, m, capsPerFace*m.NumFaces())
		if err != nil || h == nil || largest > maxOpen {
			return nil, err
		}
		if len(h.caps) > 0 { // all caps of a slit have zero area
			b.holes, g.Caps = h, h.caps
			b.mergeCopies()
			switch err := b.planCaps(ctx); {
			case errors.Is(err, fmm.ErrEpsilon):
				return nil, nil // multipoles do not reach the error, so all queries need rays
			case err != nil:
				return nil, err
			}
		}
	}
	faces, err := b.place(ctx, box, largest)
	if err != nil {
		return nil, err
	}
	if err := b.fill(ctx, faces); err != nil {
		return nil, err
	}
	return g, nil
}

// degenerateSet returns the set of the given faces, or nil if there are none.
func degenerateSet(faces []int32) map[int32]bool {
	if len(faces) == 0 {
		return nil
	}
	set := make(map[int32]bool, len(faces))
	for _, f := range faces {
		set[f] = true
	}
	return set
}

// place sets the frame of the grid and finds the faces of each brick. The plan depends on a sample
// of the triangles, and the sample can miss large triangles. If the lists are longer than the plan
// allows, place enlarges the cells.
func (b *builder) place(ctx context.Context, box bvh.Box, largest float64) (*brickFaces, error) {
	p := b.plan()
	b.LongList, b.Tables = p.LongList, p.Tables
	for {
		b.Frame = layout.NewFrame(box, p.Edge, p.Offset, largest)
		size := box.Size().Mul(b.Inv)
		b.PointsPerCell = float64(b.expectedPoints()) / ((size.X + 1) * (size.Y + 1) * (size.Z + 1))
		if b.opt.Plan != nil {
			b.PointsPerCell = math.Inf(1)
		}
		faces, err := b.findFaces(ctx)
		if err != nil || b.opt.Plan != nil || faces.entries <= 2*p.mostEntries+fewEntries {
			return faces, err
		}
		p.Edge *= math.Sqrt(faces.entries / p.mostEntries)
	}
}

// fill makes the bricks that have faces, and finds the winding numbers and labels of all cells.
func (b *builder) fill(ctx context.Context, faces *brickFaces) error {
	l := &labeler{builder: b}
	for z := range l.full[0] {
		l.full[0][z] = ^uint64(0)
	}
	if err := l.makeBricks(ctx, faces); err != nil {
		return err
	}
	if err := l.labelAll(ctx); err != nil {
		return err
	}
	b.writeTop(l.crossedAt, func(position int32) int32 { return l.finalW(1 + position) })
	b.Built = b.Size()
	if b.holes != nil {
		open, err := l.findOpen(ctx)
		if err != nil {
			return err
		}
		l.writeOpen(open)
	}
	b.PrepareLookUp()
	if b.Counts.RayOnly > 0 {
		_, err := b.opt.Rays(ctx) // create the Caster during the build, because some queries will need rays
		return err
	}
	return nil
}

// labelAll finds the winding numbers of all cells, and writes the references and labels of crossed
// bricks.
func (l *labeler) labelAll(ctx context.Context) error {
	if err := l.label(ctx); err != nil {
		return err
	}
	postponed, err := l.chooseReferences(ctx)
	if err != nil {
		return err
	}
	if err := l.propagate(ctx, postponed); err != nil {
		return err
	}
	if l.holes != nil {
		if err := l.findCapCells(ctx); err != nil {
			return err
		}
	}
	return l.writeLabels(ctx)
}

// makeBricks makes the words and records of all bricks that have faces. It also finds the connected
// sets of empty cells in these bricks.
func (l *labeler) makeBricks(ctx context.Context, faces *brickFaces) error {
	count := len(faces.crossed)
	l.Positions = faces.crossed
	l.Words = make([]layout.Word, count*layout.BrickSide)
	l.First = make([]uint32, count*layout.BrickSide)
	chunks := newChunkStore(l.Chunks)
	workers := make([]listBuilder, min(l.workers, count/bricksAtATime+1))
	components := make([][]brickMask, (count+bricksAtATime-1)/bricksAtATime)
	start := make([]int32, count+1)
	for i := range workers {
		workers[i] = listBuilder{builder: l.builder, ctx: ctx, store: chunks, chunk: -1}
	}
	err := par.Blocks(ctx, count, bricksAtATime, len(workers), func(worker, from, to int) {
		b := &workers[worker]
		var found []brickMask
		for n := from; n < to; n++ {
			b.brick(n, l.FirstCell(faces.crossed[n]), faces.faces[faces.start[n]:faces.start[n+1]])
			var free brickMask
			for z := range free {
				free[z] = ^l.Words[n*layout.BrickSide+z].Crossed
			}
			before := len(found)
			free.components(func(p brickMask) { found = append(found, p) })
			start[n+1] = int32(len(found) - before)
		}
		components[from/bricksAtATime] = found
	})
	if err != nil {
		return err
	}
	for i := range workers {
		workers[i].close()
	}
	l.Chunks = chunks.chunks
	for i := range workers {
		b := &workers[i]
		for j := range b.refined {
			c := &b.refined[j]
			r := l.Record(c.record)
			childComponents(^r[1], func(p uint64) { c.components = append(c.components, p) })
			l.refined = append(l.refined, *c)
			r[5] = uint64(len(l.refined))
		}
		l.Counts.Add(b.counts)
	}
	for n := range count {
		start[n+1] += start[n]
	}
	l.start = start
	l.components = slices.Concat(components...)
	l.crossedAt = slices.Repeat([]int32{-1}, l.Bricks())
	for n, b := range faces.crossed {
		l.crossedAt[b] = int32(n)
	}
	l.offset = 1 + int32(len(l.crossedAt))
	return nil
}

// chooseReferences chooses the references of the leaves. It returns the leaves that still need
// references.
func (l *labeler) chooseReferences(ctx context.Context) (postponed []layout.Leaf, err error) {
	choosers := make([]referenceChooser, l.workers)
	for i := range choosers {
		choosers[i].l = l
	}
	err = par.Blocks(ctx, len(l.Positions), bricksAtATime, l.workers, func(worker, from, to int) {
		for n := from; n < to; n++ {
			choosers[worker].brick(int32(n))
		}
	})
	if err != nil {
		return nil, err
	}
	err = par.Blocks(ctx, len(l.refined), 4*bricksAtATime, l.workers, func(worker, from, to int) {
		for i := from; i < to; i++ {
			choosers[worker].children(&l.refined[i])
		}
	})
	for i := range choosers {
		postponed = append(postponed, choosers[i].postponed...)
		for _, id := range choosers[i].overflow {
			l.makeRayOnly(id)
		}
	}
	return postponed, err
}
