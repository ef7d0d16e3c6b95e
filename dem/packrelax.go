package dem

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// margin is how much larger than wanted, relatively, balls are at the end of a relaxation,
// so that those which touch come to rest apart. Pushes fade out with the overlap: what they
// have left of it after hundreds of iterations is less than this.
const margin = 2e-3

// inertia is the share of its last move that a ball makes again: the heavy-ball method of Polyak
// (1964), which needs the square root of the iterations of plain descent. Of 0, .5, .8 and .9,
// the last one found packings soonest.
const inertia = .9

// A relaxation is given up if in patience iterations the energy of the overlaps has not
// fallen below stalled times what it was: what is not jammed falls to less than half.
const (
	patience = 200
	stalled  = .9
)

// scatter puts the balls at random places between the walls.
func (p *packer) scatter() {
	p.balls = make([]neighbor.Sphere, len(p.radius))
	p.move, p.sum = make([]r3.Vector, len(p.radius)), make([]r3.Vector, len(p.radius))
	for i, r := range p.radius {
		at := func(lo, hi float64) float64 { return lo + r + p.rng.Float64()*max(0, hi-lo-2*r) }
		c := &p.balls[i].Center
		c.X, c.Y = at(p.walls.Min.X, p.walls.Max.X), at(p.walls.Min.Y, p.walls.Max.Y)
		if !p.flat {
			c.Z = at(p.walls.Min.Z, p.walls.Max.Z)
		}
	}
}

// relax lets balls push each other apart, and reports whether none overlap at the radii wanted. In
// the first iterations, as many as told, their radii shrink from factor times those wanted.
func (p *packer) relax(ctx context.Context, factor float64, shrinking int) (done bool, err error) {
	clear(p.move)
	before := math.Inf(1)
	for i := 0; ; i++ {
		now := 1 + margin
		if i < shrinking {
			now *= factor + (1-factor)*float64(i)/float64(shrinking)
		}
		near, energy, err := p.iterate(ctx, now)
		if err != nil {
			return false, err
		}
		p.densest = max(p.densest, near)
		if near >= 1 {
			return true, nil
		}
		if i >= shrinking && (i-shrinking)%patience == 0 {
			if !(energy < stalled*before) {
				return false, nil
			}
			before = energy
		}
		for i := range p.balls {
			p.balls[i].Center = p.balls[i].Center.Add(p.move[i])
		}
	}
}

// iterate computes where the balls go with radii that are factor times those wanted. It returns
// the largest factor, at most that, at which they do not overlap, and the energy of the
// overlaps with factor: the sum of their squares, each relative to the smaller radius.
func (p *packer) iterate(ctx context.Context, factor float64) (near, energy float64, err error) {
	for i, r := range p.radius {
		p.balls[i].Radius = r * factor
	}
	if err := p.method.Update(ctx, p.balls); err != nil {
		return 0, 0, fmt.Errorf("dem: %w", err)
	}
	p.pairs = p.method.Pairs()
	p.push = resized(p.push, len(p.pairs))
	p.blocks = resized(p.blocks, (max(len(p.pairs), len(p.balls))+blockSize-1)/blockSize)
	clear(p.blocks)
	if err := forEachBlock(ctx, len(p.pairs), p.workers, p.pushPairs); err != nil {
		return 0, 0, err
	}
	clear(p.sum)
	for i, pair := range p.pairs {
		a, b := p.radius[pair.A], p.radius[pair.B]
		p.sum[pair.A] = p.sum[pair.A].Add(p.push[i].Mul(b / (a + b)))
		p.sum[pair.B] = p.sum[pair.B].Sub(p.push[i].Mul(a / (a + b)))
	}
	if err := forEachBlock(ctx, len(p.balls), p.workers, p.pushBalls); err != nil {
		return 0, 0, err
	}
	near = factor
	for _, b := range p.blocks {
		near = min(near, 1-b.short)
		energy += b.energy
	}
	return near, energy, nil
}

// packBlock is what a block of pairs and of balls has found.
type packBlock struct {
	short  float64 // 1 − least distance over that of contact at the radii wanted, if positive
	energy float64
}

// pushPairs computes the pushes of pairs [lo, hi): half of the overlap, since a ball has
// several neighbors at once. Balls at one place part along x.
func (p *packer) pushPairs(_, lo, hi int) {
	block := &p.blocks[lo/blockSize]
	for i := lo; i < hi; i++ {
		pair := p.pairs[i]
		a, b := &p.balls[pair.A], &p.balls[pair.B]
		ra, rb := p.radius[pair.A], p.radius[pair.B]
		delta := a.Center.Sub(b.Center)
		distance := math.Sqrt(delta.Norm2())
		block.near(distance / (ra + rb))
		overlap := max(0, a.Radius+b.Radius-distance)
		block.add(overlap / min(ra, rb))
		if distance == 0 {
			p.push[i] = r3.Vector{X: overlap / 2}
			continue
		}
		p.push[i] = delta.Mul(overlap / 2 / distance)
	}
}

// near takes note of a distance over that of contact at the radii wanted, add of an overlap.
func (b *packBlock) near(ratio float64)  { b.short = max(b.short, 1-ratio) }
func (b *packBlock) add(overlap float64) { b.energy += float64(overlap * overlap) }

// pushBalls adds the pushes of the walls on balls [lo, hi), and what is left of their last moves.
func (p *packer) pushBalls(_, lo, hi int) {
	block := &p.blocks[lo/blockSize]
	for i := lo; i < hi; i++ {
		b, push, m, r := &p.balls[i], p.sum[i], p.move[i].Mul(inertia), p.radius[i]
		p.move[i] = r3.Vector{
			X: wallMove(block, b.Center.X, m.X+push.X, b.Radius, r, p.walls.Min.X, p.walls.Max.X),
			Y: wallMove(block, b.Center.Y, m.Y+push.Y, b.Radius, r, p.walls.Min.Y, p.walls.Max.Y),
			Z: wallMove(block, b.Center.Z, m.Z+push.Z, b.Radius, r, p.walls.Min.Z, p.walls.Max.Z),
		}
	}
}

// wallMove adds to the move along one axis of a ball of radius r at x the pushes of walls
// at lo and hi, without letting its center come nearer to them than half the wanted radius.
func wallMove(block *packBlock, x, move, r, wanted, lo, hi float64) float64 {
	block.near(min(x-lo, hi-x) / wanted)
	overlap := max(0, lo+r-x) - max(0, x+r-hi)
	block.add(overlap / wanted)
	return min(max(move+overlap/2, lo+wanted/2-x), hi-wanted/2-x)
}
