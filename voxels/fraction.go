package voxels

import (
	"cmp"
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// pair is a voxel of a piece, by number, and a face that may meet it.
type pair struct{ voxel, face int32 }

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
	a.meet(p)
	a.findMixed(p)
	whole := int64(0)
	next := 0
	for i, s := range p.sides {
		if next < len(p.mixed) && p.mixed[next] == int32(i) {
			next++
			continue
		}
		x := 0.0
		if s == inpoly.Inside {
			whole++
			x = 1
		}
		a.put(p, i, x, 0)
	}
	p.sum.Volume = float64(whole) * a.grid.Volume()
	p.sum.Mixed = int64(len(p.mixed))
	n := a.opt.Samples
	for mixed := range slices.Chunk(p.mixed, max(1, sampleBatch/(n*n*n))) {
		if err := a.sample(ctx, p, mixed); err != nil {
			return err
		}
	}
	return nil
}

// meet finds the voxels that faces meet: p.pairs, sorted.
func (a *asker) meet(p *piece) {
	p.pairs = p.pairs[:0]
	m, index := a.solid.Mesh(), a.tree.Index()
	middle, half := a.voxels.box(&p.block)
	// The middle and half are rounded once more where they are added: less than slack.
	c, h := vector(middle), vector(half)
	p.walk.Start(a.tree, bvh.Box{Min: c.Sub(h), Max: c.Add(h)})
	for {
		first, count, ok := p.walk.Next()
		if !ok {
			break
		}
		for _, f := range index[first : first+count] {
			t := m.Triangle(f)
			a.voxels.each(p.block, &t, func(i, j, k int) {
				p.pairs = append(p.pairs, pair{int32(p.block.number(i, j, k)), f})
			})
		}
	}
	slices.SortFunc(p.pairs, func(s, t pair) int { return cmp.Or(cmp.Compare(s.voxel, t.voxel), cmp.Compare(s.face, t.face)) })
}

// findMixed finds the voxels that are not certain to lie on one side, ascending.
func (a *asker) findMixed(p *piece) {
	p.mixed = p.mixed[:0]
	if a.level == nil {
		for _, x := range p.pairs {
			if n := len(p.mixed); n == 0 || p.mixed[n-1] != x.voxel {
				p.mixed = append(p.mixed, x.voxel)
			}
		}
		return
	}
	reach, pairs := a.voxels.reach(), p.pairs
	for i := range p.sides {
		met := false
		for len(pairs) > 0 && pairs[0].voxel == int32(i) {
			met, pairs = true, pairs[1:]
		}
		if met || !a.level.certain(p.pts[i], reach, p.w[i], p.bound[i]) {
			p.mixed = append(p.mixed, int32(i))
		}
	}
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
	all := n * n * n
	p.sum.Samples += int64(len(s.pts))
	inside, doubt := int64(0), int64(0)
	for m, v := range mixed {
		in, off := a.judge(p, v, m*all)
		inside += int64(in)
		doubt += int64(off)
		x, bound := float64(in)/float64(all), float64(off)/float64(all)
		if in > 0 && in < all {
			bound += ulp // the quotient is rounded
		}
		a.put(p, int(v), x, bound)
		p.sum.MaxError = max(p.sum.MaxError, bound)
	}
	p.sum.Volume += float64(inside) / float64(all) * a.grid.Volume()
	p.sum.VolumeError += float64(doubt) / float64(all) * a.grid.Volume()
	return nil
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
// first of which is sample number first, and bounds how many parts the volume inside
// can be more or less: parts that may not lie on one side as a whole can be wrong,
// those inside in one direction, the others in the other.
func (a *asker) judge(p *piece, voxel int32, first int) (in, off int) {
	b, s := a.partsOf(p, voxel), &p.samples
	p.crossed = grow(p.crossed, b.cells())
	clear(p.crossed)
	m := a.solid.Mesh()
	at, _ := slices.BinarySearchFunc(p.pairs, voxel, func(x pair, v int32) int { return cmp.Compare(x.voxel, v) })
	for ; at < len(p.pairs) && p.pairs[at].voxel == voxel; at++ {
		t := m.Triangle(p.pairs[at].face)
		a.parts.each(b, &t, func(i, j, k int) { p.crossed[b.number(i, j, k)] = true })
	}
	reach := a.parts.reach()
	less, more := 0, 0
	for i, crossed := range p.crossed {
		k := first + i
		side := s.sides[k]
		inside := side == inpoly.Inside || side == inpoly.OnSurface
		if inside {
			in++
		}
		switch {
		case !crossed && side != inpoly.Unknown && (a.level == nil || a.level.certain(s.pts[k], reach, s.w[k], s.bound[k])):
		case inside:
			less++
		default:
			more++
		}
	}
	return in, max(less, more)
}
