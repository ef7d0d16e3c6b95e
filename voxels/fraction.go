package voxels

import (
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

type samples struct {
	sides    []inpoly.Side
	pts      []r3.Vector
	w, bound []float64
}

// sampleBatch is the approximate number of samples in a batch. A batch needs 3 MB.
const sampleBatch = 1 << 16 // tuning

// fractions computes the fractions of the voxels of p. If a voxel lies entirely on one side, its
// fraction follows from its center. All other voxels are mixed, and their fractions follow from
// samples.
func (a *sampler) fractions(ctx context.Context, p *piece) error {
	var err error
	if a.variation == nil {
		err = a.centerSides(ctx, p)
	} else {
		err = a.centerWindings(ctx, p)
	}
	if err != nil {
		return err
	}
	p.sum.count(p.sides)
	p.met.reset(p.block)
	if err := a.markFaces(ctx, p, &a.voxelRaster, &p.met); err != nil {
		return err
	}
	if err := a.findMixed(ctx, p); err != nil {
		return err
	}
	next := 0
	for i, s := range p.sides {
		if next < len(p.mixed) && p.mixed[next] == int32(i) {
			next++
			continue
		}
		x := 0.0
		if s == inpoly.Inside {
			p.tally.whole++
			x = 1
		}
		a.store(p, i, x, 0)
	}
	p.sum.Mixed = int64(len(p.mixed))
	n := a.opt.Samples
	for mixed := range slices.Chunk(p.mixed, max(1, sampleBatch/(n*n*n))) {
		if err := a.sampleMixed(ctx, p, mixed); err != nil {
			return err
		}
	}
	return nil
}

// checkSteps is the number of visited boxes between two checks of the context. Visiting this many
// boxes takes some milliseconds. For a single triangle, mark visits at most two boxes for each
// cell.
const checkSteps = 1 << 16

// markFaces adds all cells that intersect a face. The cells are voxels or parts of voxels.
func (a *sampler) markFaces(ctx context.Context, p *piece, r *raster, m *bitset) error {
	index := a.faces.tree.Index()
	middle, half := r.box(&m.block)
	// The slack of r covers the rounding errors of c − h and c + h.
	c, h := vector(middle), vector(half)
	p.walk.Start(a.faces.tree, bvh.Box{Min: c.Sub(h), Max: c.Add(h)})
	for {
		first, count, ok := p.walk.Next()
		if !ok {
			return nil
		}
		for _, f := range index[first : first+count] {
			t := a.faces.triangle(f)
			r.mark(&t, m)
			if m.steps < checkSteps {
				continue
			}
			m.steps = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
}

const checkInterval = 1 << 10

// findMixed stores the mixed voxels in p.mixed, in ascending order. A voxel is mixed if a face
// intersects it or if the side of its center is Unknown. On an open mesh, a voxel is also mixed if
// the winding number can reach the threshold of the rule in the voxel.
func (a *sampler) findMixed(ctx context.Context, p *piece) error {
	p.mixed = p.mixed[:0]
	r := a.voxelRaster.halfDiagonal()
	for i, side := range p.sides {
		if i%checkInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		certain := !p.met.hasIndex(i) && side != inpoly.Unknown
		if certain && a.variation != nil {
			certain = a.variation.sameSide(p.pts[i], r, p.w[i], p.bound[i])
		}
		if !certain {
			p.mixed = append(p.mixed, int32(i))
		}
	}
	return nil
}

// sampleMixed samples the parts of the given voxels of p and stores the fractions of the voxels.
func (a *sampler) sampleMixed(ctx context.Context, p *piece, mixed []int32) error {
	n, s := a.opt.Samples, &p.parts
	s.pts = s.pts[:0]
	for _, v := range mixed {
		b := a.partsOf(p, v)
		b.forEach(func(i, j, k int) { s.pts = append(s.pts, a.partCenters.Point(i, j, k)) })
	}
	s.sides = grow(s.sides, len(s.pts))
	var err error
	if a.variation == nil {
		err = a.solid.SidesTo(ctx, s.sides, s.pts)
	} else {
		s.w, s.bound = grow(s.w, len(s.pts)), grow(s.bound, len(s.pts))
		err = a.locate(ctx, s.sides, s.w, s.bound, s.pts)
	}
	if err != nil {
		return err
	}
	p.sum.Samples += int64(len(s.pts))
	for at, count := 0, 0; at < len(mixed); at += count {
		crossed := &p.met // if n is 1, each voxel is one part
		if count = 1; n > 1 {
			crossed = &p.crossed
			var b block
			b, count = a.rowParts(p, mixed[at:])
			crossed.reset(b)
			if err := a.markFaces(ctx, p, &a.partRaster, crossed); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := at; k < at+count; k++ {
			inside, bound := a.countParts(p, mixed[k], k*n*n*n, crossed)
			a.storeFraction(p, mixed[k], inside, bound)
		}
	}
	return nil
}

// storeFraction computes and stores the fraction of a voxel. It uses the number of parts inside and
// the error bound of this number.
func (a *sampler) storeFraction(p *piece, voxel int32, inside, bound int) {
	all := a.opt.Samples * a.opt.Samples * a.opt.Samples
	x, e := float64(inside)/float64(all), float64(bound)/float64(all)
	if bound > 0 || inside > 0 && inside < all {
		e = min(1, e+2*ulp) // 2·ulp covers the rounding of both quotients and of the sum
	}
	a.store(p, int(voxel), x, e)
	p.sum.MaxError = max(p.sum.MaxError, e)
	p.tally.parts += int64(inside)
	p.tally.uncertain += int64(bound)
}

// maxRowParts is the largest number of parts that are marked at once. The bitset of these parts
// takes 128 KB.
const maxRowParts = 1 << 20

// rowParts returns a block of parts, and the number of voxels in it. The block contains the parts
// of the first few given voxels, which lie in one row of the grid.
func (a *sampler) rowParts(p *piece, mixed []int32) (b block, count int) {
	b = a.partsOf(p, mixed[0])
	for count = 1; count < len(mixed); count++ {
		next := a.partsOf(p, mixed[count])
		longer := b
		longer.hi[0] = next.hi[0]
		if next.lo[1] != b.lo[1] || next.lo[2] != b.lo[2] || longer.len() > maxRowParts {
			break
		}
		b = longer
	}
	return b, count
}

func (a *sampler) partsOf(p *piece, voxel int32) (b block) {
	i, j, k := p.block.cell(int(voxel))
	for axis, v := range [3]int{i, j, k} {
		b.lo[axis], b.hi[axis] = v*a.opt.Samples, (v+1)*a.opt.Samples
	}
	return b
}

// countParts counts, in a voxel, the parts whose center is inside or on the surface. This number
// estimates the volume in parts. The second result is a bound of its error. firstSample is the
// index of the first sample of the voxel.
//
// Only parts that can lie on both sides cause an error. Such a part makes the estimate too large if
// its center is inside, and too small otherwise.
func (a *sampler) countParts(p *piece, voxel int32, firstSample int, crossed *bitset) (inside, bound int) {
	b, s := a.partsOf(p, voxel), &p.parts
	r := a.partRaster.halfDiagonal()
	excess, lack, n := 0, 0, firstSample
	b.forEach(func(i, j, k int) {
		side := s.sides[n]
		in := side == inpoly.Inside || side == inpoly.OnSurface
		if in {
			inside++
		}
		switch {
		case !crossed.has(i, j, k) && side != inpoly.Unknown && (a.variation == nil || a.variation.sameSide(s.pts[n], r, s.w[n], s.bound[n])):
		case in:
			excess++
		default:
			lack++
		}
		n++
	})
	return inside, max(excess, lack)
}
