package voxels

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// asker answers pieces. It is safe for concurrent use, one piece a goroutine.
type asker struct {
	solid *inpoly.Solid
	grid  Grid
	opt   Options

	centres inpoly.Grid
	stride  int // bytes a voxel

	// For Fraction only.
	tree   *bvh.Tree // over the faces
	level  *level    // nil if W is constant off the surface
	voxels raster
	parts  raster
	fine   inpoly.Grid // the centres of the parts
}

// memory is what a goroutine needs for a piece.
type memory struct {
	sides    []inpoly.Side
	pts      []r3.Vector
	w, bound []float64

	// For Fraction only: the voxels that faces meet, those that may lie on both sides, the
	// parts of some that faces meet, and samples of some voxels.
	walk    bvh.BoxWalk
	met     marks
	mixed   []int32
	crossed marks
	samples samples
}

func newAsker(ctx context.Context, s *inpoly.Solid, g Grid, opt Options) (*asker, error) {
	a := &asker{solid: s, grid: g, opt: opt, centres: g.points(), stride: opt.cell().bytes()}
	if opt.Quantity != Fraction {
		return a, nil
	}
	m := s.Mesh()
	boxes := make([]bvh.Box, m.NumFaces())
	err := m.BoxesTo(ctx, boxes, opt.Workers)
	if err != nil {
		return nil, err
	}
	if a.tree, err = bvh.Build(ctx, boxes, bvh.Options{Workers: opt.Workers}); err != nil {
		return nil, err
	}
	if a.level, err = newLevel(ctx, m, s.Report().Rule); err != nil {
		return nil, err
	}
	a.voxels, a.parts, a.fine = newRaster(g, 1), newRaster(g, opt.Samples), g.parts(opt.Samples)
	return a, nil
}

// answer fills p.bytes and p.sum.
func (a *asker) answer(ctx context.Context, p *piece) error {
	n := p.block.cells()
	p.sides = grow(p.sides, n)
	p.bytes = grow(p.bytes, n*a.stride)
	switch a.opt.Quantity {
	case Winding:
		return a.windings(ctx, p)
	case Fraction:
		return a.fractions(ctx, p)
	}
	return a.occupancy(ctx, p)
}

// occupied is the byte of each side.
var occupied = [4]byte{inpoly.Unknown: 255, inpoly.Outside: 0, inpoly.OnSurface: 1, inpoly.Inside: 1}

func (a *asker) occupancy(ctx context.Context, p *piece) error {
	if err := a.sidesOf(ctx, p); err != nil {
		return err
	}
	for i, s := range p.sides {
		p.bytes[i] = occupied[s&3]
	}
	p.sum.count(p.sides)
	p.tally.whole = p.sum.Inside + p.sum.On
	return nil
}

// count counts sides.
func (s *Summary) count(sides []inpoly.Side) {
	var n [4]int64
	for _, x := range sides {
		n[x&3]++
	}
	s.Inside, s.Outside, s.On, s.Uncertain = n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown]
}

// longRow is the length from which a row is asked for as a grid rather than as
// points: the cost of a call is then spread over many. A choice.
const longRow = 1 << 12

// sidesOf fills p.sides with those of the centres, which are the same numbers however
// they are asked for: a grid of one slice or one row begins exactly where it should.
func (a *asker) sidesOf(ctx context.Context, p *piece) error {
	b, c := &p.block, a.grid.Counts
	g := a.centres
	switch {
	case b.cells() == c[0]*c[1]:
		g.Origin, g.Counts = g.Point(0, 0, b.lo[2]), [3]int{c[0], c[1], 1}
		return a.solid.SidesGridTo(ctx, p.sides, g)
	case b.hi[0]-b.lo[0] == c[0] && c[0] >= longRow:
		for j := b.lo[1]; j < b.hi[1]; j++ {
			row := g
			row.Origin, row.Counts = g.Point(0, j, b.lo[2]), [3]int{c[0], 1, 1}
			if err := a.solid.SidesGridTo(ctx, p.sides[(j-b.lo[1])*c[0]:][:c[0]], row); err != nil {
				return err
			}
		}
		return nil
	}
	a.pointsOf(p)
	return a.solid.SidesTo(ctx, p.sides, p.pts)
}

// pointsOf fills p.pts with the centres.
func (a *asker) pointsOf(p *piece) {
	p.pts = grow(p.pts, p.block.cells())
	n := 0
	p.block.each(func(i, j, k int) {
		p.pts[n] = a.centres.Point(i, j, k)
		n++
	})
}

// windingsOf fills p.sides, p.w and p.bound.
func (a *asker) windingsOf(ctx context.Context, p *piece) error {
	a.pointsOf(p)
	p.w, p.bound = grow(p.w, len(p.pts)), grow(p.bound, len(p.pts))
	_, err := a.solid.SidesWindingsTo(ctx, p.sides, p.w, p.bound, p.pts)
	return err
}

func (a *asker) windings(ctx context.Context, p *piece) error {
	if err := a.windingsOf(ctx, p); err != nil {
		return err
	}
	p.sum.count(p.sides)
	p.tally.whole = p.sum.Inside + p.sum.On
	for i, w := range p.w {
		a.put(p, i, w+0, p.bound[i]) // −0 becomes 0
		p.sum.Least, p.sum.Most = min(p.sum.Least, w), max(p.sum.Most, w)
		p.sum.MaxBound = max(p.sum.MaxBound, p.bound[i])
	}
	return nil
}

// put stores x, known within ±bound, as voxel i of p.
func (a *asker) put(p *piece, i int, x, bound float64) {
	if a.opt.Float64 {
		at := p.bytes[i*a.stride:]
		binary.LittleEndian.PutUint64(at, math.Float64bits(x))
		if a.opt.Error {
			binary.LittleEndian.PutUint64(at[8:], math.Float64bits(bound))
		}
		return
	}
	v := float32(x)
	if !a.opt.Error {
		binary.LittleEndian.PutUint32(p.bytes[i*a.stride:], math.Float32bits(v))
		return
	}
	at := p.bytes[i*a.stride:]
	binary.LittleEndian.PutUint32(at, math.Float32bits(v))
	binary.LittleEndian.PutUint32(at[4:], math.Float32bits(upwards(bound+math.Abs(float64(v)-x))))
}

// upwards returns the smallest float32 that is certainly at least x, which one
// rounding may have made too small; 0 is exact.
func upwards(x float64) float32 {
	if x == 0 {
		return 0
	}
	x = math.Nextafter(x, math.Inf(1))
	v := float32(x)
	if float64(v) < x {
		v = math.Nextafter32(v, float32(math.Inf(1)))
	}
	return v
}

// cells returns the number of cells of b.
func (b *block) cells() int { return (b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]) * (b.hi[2] - b.lo[2]) }

// number returns the number of a cell of b in the order of each.
func (b *block) number(i, j, k int) int {
	return i - b.lo[0] + (b.hi[0]-b.lo[0])*(j-b.lo[1]+(b.hi[1]-b.lo[1])*(k-b.lo[2]))
}

// cell is the inverse of number.
func (b *block) cell(n int) (i, j, k int) {
	nx, ny := b.hi[0]-b.lo[0], b.hi[1]-b.lo[1]
	return b.lo[0] + n%nx, b.lo[1] + n/nx%ny, b.lo[2] + n/nx/ny
}

// each calls f for every cell of b, x fastest.
func (b *block) each(f func(i, j, k int)) {
	for k := b.lo[2]; k < b.hi[2]; k++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			for i := b.lo[0]; i < b.hi[0]; i++ {
				f(i, j, k)
			}
		}
	}
}

// grow returns a slice of n elements, s if it has room for them.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
