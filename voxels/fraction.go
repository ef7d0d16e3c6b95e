package voxels

import (
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// samples are those of some voxels.
type samples struct {
	sides    []inpoly.Side
	pts      []r3.Vector
	w, bound []float64
}

// sampleBatch is about how many samples are asked for at a time. A choice: with points,
// sides and winding numbers 3 MB.
const sampleBatch = 1 << 16

// fractions answers p. Voxels that lie on one side as a whole need no samples: those
// that no face meets and, where W varies off the surface, in which it does not
// reach the threshold.
func (a *asker) fractions(ctx context.Context, p *piece) error {
	var err error
	if a.level == nil {
		err = a.sidesOf(ctx, p)
	} else {
		err = a.windingsOf(ctx, p)
	}
	if err != nil {
		return err
	}
	p.sum.count(p.sides)
	p.met.reset(p.block)
	if err := a.mark(ctx, p, &a.voxels, &p.met); err != nil {
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
		a.put(p, i, x, 0)
	}
	p.sum.Mixed = int64(len(p.mixed))
	n := a.opt.Samples
	for mixed := range slices.Chunk(p.mixed, max(1, sampleBatch/(n*n*n))) {
		if err := a.sample(ctx, p, mixed); err != nil {
			return err
		}
	}
	return nil
}

// checkSteps is how many boxes are looked at between two looks at the context: some
// milliseconds. A single triangle takes at most two boxes for each cell.
const checkSteps = 1 << 16

// mark adds to m the cells of its block, voxels or parts as r has it, that faces meet.
func (a *asker) mark(ctx context.Context, p *piece, r *raster, m *marks) error {
	faces, index := a.solid.Mesh(), a.tree.Index()
	middle, half := r.box(&m.block)
	// The middle and half are rounded once more where they are added: less than slack.
	c, h := vector(middle), vector(half)
	p.walk.Start(a.tree, bvh.Box{Min: c.Sub(h), Max: c.Add(h)})
	for {
		first, count, ok := p.walk.Next()
		if !ok {
			return nil
		}
		for _, f := range index[first : first+count] {
			t := faces.Triangle(f)
			r.each(&t, m)
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

// checkEvery is how many voxels are looked at between two looks at the context.
const checkEvery = 1 << 10

// findMixed finds the voxels that are not certain to lie on one side, ascending.
func (a *asker) findMixed(ctx context.Context, p *piece) error {
	p.mixed = p.mixed[:0]
	reach := a.voxels.reach()
	for i, side := range p.sides {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		certain := !p.met.at(i) && side != inpoly.Unknown
		if certain && a.level != nil {
			certain = a.level.certain(p.pts[i], reach, p.w[i], p.bound[i])
		}
		if !certain {
			p.mixed = append(p.mixed, int32(i))
		}
	}
	return nil
}

// sample asks for the parts of some voxels of p.
func (a *asker) sample(ctx context.Context, p *piece, mixed []int32) error {
	n, s := a.opt.Samples, &p.samples
	s.pts = s.pts[:0]
	for _, v := range mixed {
		b := a.partsOf(p, v)
		b.each(func(i, j, k int) { s.pts = append(s.pts, a.fine.Point(i, j, k)) })
	}
	s.sides = grow(s.sides, len(s.pts))
	var err error
	if a.level == nil {
		err = a.solid.SidesTo(ctx, s.sides, s.pts)
	} else {
		s.w, s.bound = grow(s.w, len(s.pts)), grow(s.bound, len(s.pts))
		_, err = a.solid.SidesWindingsTo(ctx, s.sides, s.w, s.bound, s.pts)
	}
	if err != nil {
		return err
	}
	p.sum.Samples += int64(len(s.pts))
	for at, count := 0, 0; at < len(mixed); at += count {
		crossed := &p.met // with one part a voxel, they are the same cells
		if count = 1; n > 1 {
			crossed = &p.crossed
			var b block
			b, count = a.runOf(p, mixed[at:])
			crossed.reset(b)
			if err := a.mark(ctx, p, &a.parts, crossed); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := at; k < at+count; k++ {
			in, off := a.judge(p, mixed[k], k*n*n*n, crossed)
			a.putShare(p, mixed[k], in, off)
		}
	}
	return nil
}

// putShare stores that in parts of a voxel are inside, with a doubt about off of them.
func (a *asker) putShare(p *piece, voxel int32, in, off int) {
	all := a.opt.Samples * a.opt.Samples * a.opt.Samples
	x, bound := float64(in)/float64(all), float64(off)/float64(all)
	if off > 0 || in > 0 && in < all {
		bound = min(1, bound+2*ulp) // both quotients and the sum are rounded
	}
	a.put(p, int(voxel), x, bound)
	p.sum.MaxError = max(p.sum.MaxError, bound)
	p.tally.parts += int64(in)
	p.tally.doubt += int64(off)
}

// runParts is how many parts are marked at a time, at most: those of a voxel, or more.
// 128 KB of bits.
const runParts = 1 << 20

// runOf returns the block of the parts of the first of mixed and of those after it, count
// in all, which lie in the same row, near enough.
func (a *asker) runOf(p *piece, mixed []int32) (b block, count int) {
	b = a.partsOf(p, mixed[0])
	for count = 1; count < len(mixed); count++ {
		next := a.partsOf(p, mixed[count])
		longer := b
		longer.hi[0] = next.hi[0]
		if next.lo[1] != b.lo[1] || next.lo[2] != b.lo[2] || longer.cells() > runParts {
			break
		}
		b = longer
	}
	return b, count
}

// partsOf is the block of the parts of a voxel of p.
func (a *asker) partsOf(p *piece, voxel int32) (b block) {
	i, j, k := p.block.cell(int(voxel))
	for axis, v := range [3]int{i, j, k} {
		b.lo[axis], b.hi[axis] = v*a.opt.Samples, (v+1)*a.opt.Samples
	}
	return b
}

// judge counts the parts of a voxel whose centre is inside or on the surface, the
// first of which is sample number first, given those that faces meet, and bounds how many parts the volume inside
// can be more or less: parts that may not lie on one side as a whole can be wrong,
// those inside in one direction, the others in the other.
func (a *asker) judge(p *piece, voxel int32, first int, crossed *marks) (in, off int) {
	b, s := a.partsOf(p, voxel), &p.samples
	reach := a.parts.reach()
	less, more, n := 0, 0, first
	b.each(func(i, j, k int) {
		side := s.sides[n]
		inside := side == inpoly.Inside || side == inpoly.OnSurface
		if inside {
			in++
		}
		switch {
		case !crossed.has(i, j, k) && side != inpoly.Unknown && (a.level == nil || a.level.certain(s.pts[n], reach, s.w[n], s.bound[n])):
		case inside:
			less++
		default:
			more++
		}
		n++
	})
	return in, max(less, more)
}
