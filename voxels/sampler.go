package voxels

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/side"
)

// sampler computes the values of pieces. It is safe for concurrent use by goroutines that work on
// different pieces.
type sampler struct {
	solid inpoly.Target
	grid  Grid
	opt   Options

	centers inpoly.Grid // centers of the voxels
	stride  int         // bytes per voxel

	// The fields below are for Fraction only.
	faces       *worldFaces
	variation   *fieldVariation // nil if sides change only at the surface
	voxelRaster raster
	partRaster  raster
	partCenters inpoly.Grid
}

type scratch struct {
	samples         // centers of the voxels
	faces   []int32 // nearest faces, for Distance only

	// The fields below are for Fraction only.
	walk    bvh.BoxWalk
	met     bitset  // voxels that intersect a face
	mixed   []int32 // voxels that can lie on both sides
	crossed bitset  // parts that intersect a face, computed for some of the voxels
	parts   samples // centers of the parts of some voxels
}

func newSampler(ctx context.Context, s inpoly.Target, g Grid, opt Options) (*sampler, error) {
	a := &sampler{solid: s, grid: g, opt: opt, centers: g.centers(), stride: opt.cell().bytes()}
	if opt.Quantity != Fraction {
		return a, nil
	}
	var err error
	if a.faces, err = newWorldFaces(ctx, s); err != nil {
		return nil, err
	}
	if a.variation, err = newFieldVariation(ctx, s.Mesh(), a.faces.vertices, s.Report().Rule); err != nil {
		return nil, err
	}
	margin := a.faces.margin
	a.voxelRaster, a.partRaster, a.partCenters = newRaster(g, 1, margin), newRaster(g, opt.Samples, margin), g.partCenters(opt.Samples)
	return a, nil
}

// sample fills p.bytes, p.sum and p.tally.
func (a *sampler) sample(ctx context.Context, p *piece) error {
	p.bytes = grow(p.bytes, p.block.len()*a.stride)
	switch a.opt.Quantity {
	case Winding:
		return a.windings(ctx, p)
	case Fraction:
		return a.fractions(ctx, p)
	case Distance:
		return a.distances(ctx, p)
	}
	return a.occupancy(ctx, p)
}

var occupancyLabels = cells.Labels{inpoly.Unknown: 255, inpoly.Outside: 0, inpoly.OnSurface: 1, inpoly.Inside: 1}

func (a *sampler) occupancy(ctx context.Context, p *piece) error {
	set := locate.Of(a.solid)
	n, err := set.Sides.LabelGridTo(ctx, p.bytes, &occupancyLabels, a.centersOf(&p.block), set.Workers)
	p.sum.Inside, p.sum.Outside, p.sum.On, p.sum.Uncertain = n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown]
	p.tally.whole = p.sum.Inside + p.sum.On
	return err
}

// centersOf returns the grid of the centers of the voxels of a block.
func (a *sampler) centersOf(b *block) inpoly.Grid {
	g := a.centers
	g.First = b.lo
	for axis := range g.Counts {
		g.Counts[axis] = b.hi[axis] - b.lo[axis]
	}
	return g
}

func (s *Summary) count(sides []inpoly.Side) {
	var n [4]int64
	for _, x := range sides {
		n[x&3]++
	}
	s.Inside, s.Outside, s.On, s.Uncertain = n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown]
}

// centerSides fills p.sides with the sides of the centers.
func (a *sampler) centerSides(ctx context.Context, p *piece) error {
	p.sides = grow(p.sides, p.block.len())
	set := locate.Of(a.solid)
	return set.Sides.GridTo(ctx, p.sides, a.centersOf(&p.block), set.Workers)
}

func (a *sampler) fillCenters(p *piece) {
	p.pts = grow(p.pts, p.block.len())
	n := 0
	p.block.forEach(func(i, j, k int) {
		p.pts[n] = a.centers.Point(i, j, k)
		n++
	})
}

func (a *sampler) centerWindings(ctx context.Context, p *piece) error {
	a.fillCenters(p)
	p.sides = grow(p.sides, len(p.pts))
	p.w, p.bound = grow(p.w, len(p.pts)), grow(p.bound, len(p.pts))
	return a.locate(ctx, p.sides, p.w, p.bound, p.pts)
}

func (a *sampler) locate(ctx context.Context, sides []inpoly.Side, w, bound []float64, pts []r3.Vector) error {
	_, err := a.solid.LocateTo(ctx, inpoly.Answers{Answers: side.Answers{Sides: sides, Winding: w, Bound: bound}}, pts)
	return err
}

func (a *sampler) windings(ctx context.Context, p *piece) error {
	if err := a.centerWindings(ctx, p); err != nil {
		return err
	}
	p.sum.count(p.sides)
	p.tally.whole = p.sum.Inside + p.sum.On
	for i, w := range p.w {
		a.store(p, i, w+0, p.bound[i]) // adding 0 turns −0 into 0
		p.sum.MinWinding, p.sum.MaxWinding = min(p.sum.MinWinding, w), max(p.sum.MaxWinding, w)
		p.sum.MaxBound = max(p.sum.MaxBound, p.bound[i])
	}
	return nil
}

func (a *sampler) distances(ctx context.Context, p *piece) error {
	a.fillCenters(p)
	p.sides, p.w = grow(p.sides, len(p.pts)), grow(p.w, len(p.pts))
	p.faces, p.bound = grow(p.faces, len(p.pts)), grow(p.bound, len(p.pts))
	if _, err := a.solid.LocateTo(ctx, inpoly.Answers{Distance: p.w, Face: p.faces, DistanceBound: p.bound}, p.pts); err != nil {
		return err
	}
	for i, d := range p.w {
		switch {
		case d < 0:
			p.sides[i] = inpoly.Inside
		case d == 0:
			p.sides[i] = inpoly.OnSurface
		case d > 0:
			p.sides[i] = inpoly.Outside
		default:
			p.sides[i] = inpoly.Unknown
		}
		a.store(p, i, d, p.bound[i])
	}
	p.sum.count(p.sides)
	p.tally.whole = p.sum.Inside + p.sum.On
	return nil
}

// store stores x, whose error is at most bound, as voxel i of p.
func (a *sampler) store(p *piece, i int, x, bound float64) {
	dst := p.bytes[i*a.stride:]
	if a.opt.Float64 {
		binary.LittleEndian.PutUint64(dst, math.Float64bits(x))
		if a.opt.Error {
			binary.LittleEndian.PutUint64(dst[8:], math.Float64bits(bound))
		}
		return
	}
	v := float32(x)
	if v == 0 && x != 0 && a.opt.Quantity == Distance {
		v = float32(math.Copysign(math.SmallestNonzeroFloat32, x))
	}
	binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
	if a.opt.Error {
		binary.LittleEndian.PutUint32(dst[4:], math.Float32bits(roundUp(bound+math.Abs(float64(v)-x))))
	}
}

// roundUp returns an upper bound of x as a float32. It increases x to the next float64, which
// covers one earlier rounding of x, and rounds the result up to float32. For 0, it returns 0.
func roundUp(x float64) float32 {
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

// tally counts voxels and parts, from which the volume follows. The counts are integers, so they do
// not depend on how the grid is divided into pieces.
type tally struct {
	whole     int64 // voxels whose whole volume counts
	parts     int64 // parts that are inside, in voxels that can lie on both sides
	uncertain int64 // upper bound of the error of parts
}

func (t *tally) add(o *tally) {
	t.whole += o.whole
	t.parts += o.parts
	t.uncertain += o.uncertain
}

// volume returns the volume inside and a bound of its error. A voxel of g has samples³ parts, or
// one part if samples is 0. Let v be the volume in voxels, and e its error. The term 16u(v+e) with
// u = 2^−53 covers the rounding errors (docs/design/009-voxels.md). The smallest positive number
// covers underflow.
func (t *tally) volume(g Grid, samples int) (volume, bound float64) {
	all := float64(max(1, samples*samples*samples))
	v, e := float64(t.whole)+float64(t.parts)/all, float64(t.uncertain)/all
	if v == 0 && e == 0 {
		return 0, 0
	}
	volume, bound = g.volume(v), g.volume(e+16*ulp*(v+e))+math.SmallestNonzeroFloat64
	if math.IsInf(volume, 1) {
		bound = volume
	}
	return volume, bound
}

// grow returns a slice of n elements. It reuses the memory of s if possible.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
