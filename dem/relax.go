package dem

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
)

// A relaxation ends with radii that are 1+margin times the final radii. Pushes are proportional to
// overlaps, so small overlaps can remain. After hundreds of iterations they are smaller than the
// margin, so balls of the final radii do not overlap.
const margin = 2e-3

// inertia is the fraction of its previous move that each ball repeats. This is the heavy-ball
// method of Polyak (1964). If plain descent needs n iterations, the heavy-ball method needs about
// √n. Of the values 0, .5, .8 and .9, the value .9 found packings fastest.
const inertia = .9

// A relaxation checks the energy of the overlaps every 200 iterations. It stops if the energy is
// not below 0.9 times the previous energy. If the balls are not jammed, the energy falls below half
// the previous energy.
const (
	patience = 200
	stalled  = .9
)

func (p *packer) scatter() {
	p.balls = make([]neighbor.Sphere, len(p.radius))
	p.move, p.sum = make([]r3.Vector, len(p.radius)), make([]r3.Vector, len(p.radius))
	for i, r := range p.radius {
		at := func(lo, hi float64, periodic bool) float64 {
			if periodic {
				return lo + p.rng.Float64()*(hi-lo)
			}
			return lo + r + p.rng.Float64()*max(0, hi-lo-2*r)
		}
		c := &p.balls[i].Center
		c.X, c.Y = at(p.box.Min.X, p.box.Max.X, p.axes[0]), at(p.box.Min.Y, p.box.Max.Y, p.axes[1])
		if !p.flat {
			c.Z = at(p.box.Min.Z, p.box.Max.Z, p.axes[2])
		}
	}
}

// relax lets balls push each other apart. The radii start at the given multiple of the final radii.
// The radii shrink during the first iterations. relax reports whether balls of the final radii do
// not overlap.
func (p *packer) relax(ctx context.Context, factor float64, shrinkSteps int) (done bool, err error) {
	clear(p.move)
	before := math.Inf(1)
	for i := 0; ; i++ {
		now := 1 + margin
		if i < shrinkSteps {
			now *= factor + (1-factor)*float64(i)/float64(shrinkSteps)
		}
		near, energy, err := p.iterate(ctx, now)
		if err != nil {
			return false, err
		}
		p.densest = max(p.densest, near)
		if near >= 1 {
			return true, nil
		}
		if i >= shrinkSteps && (i-shrinkSteps)%patience == 0 {
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

// iterate multiplies the final radii by the given factor, and computes the moves of balls with
// these radii. nearFactor is the largest factor at which no balls overlap, but at most 1 and at
// most the given factor. The energy is the sum of (overlap/radius)² over all overlaps, where radius
// is the smaller final radius.
func (p *packer) iterate(ctx context.Context, factor float64) (nearFactor, energy float64, err error) {
	for i, r := range p.radius {
		p.balls[i].Radius = min(r*factor, p.most)
	}
	if err := p.method.Update(ctx, p.balls); err != nil {
		return 0, 0, fmt.Errorf("dem: %w", err)
	}
	if p.border.periodic {
		p.pairs, p.images = p.border.contacts(p.pairs[:0], p.images[:0])
	} else {
		p.pairs = p.method.Pairs()
	}
	p.push = parallel.Resized(p.push, len(p.pairs))
	p.blocks = parallel.Resized(p.blocks, (max(len(p.pairs), len(p.balls))+blockSize-1)/blockSize)
	clear(p.blocks)
	if err := parallel.ForEachBlock(ctx, len(p.pairs), blockSize, p.workers, p.pushPairs); err != nil {
		return 0, 0, err
	}
	clear(p.sum)
	for i, pair := range p.pairs {
		a, b := p.radius[pair.A], p.radius[pair.B]
		p.sum[pair.A] = p.sum[pair.A].Add(p.push[i].Mul(b / (a + b)))
		p.sum[pair.B] = p.sum[pair.B].Sub(p.push[i].Mul(a / (a + b)))
	}
	if err := parallel.ForEachBlock(ctx, len(p.balls), blockSize, p.workers, p.pushBalls); err != nil {
		return 0, 0, err
	}
	nearFactor = factor
	for _, b := range p.blocks {
		nearFactor = min(nearFactor, 1-b.short)
		energy += b.energy
	}
	return nearFactor, energy, nil
}

// packBlock is the result of a block of pairs, and of the block of balls that has the same index.
type packBlock struct {
	short  float64 // largest value of 1−ratio in the calls of addRatio, at least 0
	energy float64
}

// addRatio records a ratio: the distance of two balls, divided by the distance at which balls of
// the final radii touch.
func (b *packBlock) addRatio(ratio float64) { b.short = max(b.short, 1-ratio) }

func (b *packBlock) add(overlap float64) { b.energy += float64(overlap * overlap) }

// pushPairs computes the pushes of pairs [lo, hi). A push is half of the overlap, because a ball
// can have several neighbors. Two balls with the same center push each other along the x-axis.
func (p *packer) pushPairs(_, lo, hi int) {
	block := &p.blocks[lo/blockSize]
	for i := lo; i < hi; i++ {
		pair := p.pairs[i]
		a, b := &p.balls[pair.A], &p.balls[pair.B]
		ra, rb := p.radius[pair.A], p.radius[pair.B]
		delta := a.Center.Sub(b.Center)
		if p.images != nil {
			delta = p.border.move(delta, opposite(p.images[i]))
		}
		distance := math.Sqrt(delta.Norm2())
		block.addRatio(distance / (ra + rb))
		overlap := max(0, a.Radius+b.Radius-distance)
		block.add(overlap / min(ra, rb))
		if distance == 0 {
			p.push[i] = r3.Vector{X: overlap / 2}
			continue
		}
		p.push[i] = delta.Mul(overlap / 2 / distance)
	}
}

// pushBalls computes the moves of balls [lo, hi). A move is the sum of the pushes by other balls
// and by walls, plus a part of the previous move.
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

// wallMove returns the move of a ball along one axis: the given move plus the pushes of the walls
// at lo and hi. The ball has the radius r and its center at x. After the move, the center is at
// least half the final radius away from both walls.
func wallMove(block *packBlock, x, move, r, final, lo, hi float64) float64 {
	block.addRatio(min(x-lo, hi-x) / final)
	overlap := max(0, lo+r-x) - max(0, x+r-hi)
	block.add(overlap / final)
	return min(max(move+overlap/2, lo+final/2-x), hi-final/2-x)
}

// The constants of annealing were found by trial. Hard balls freeze at a volume fraction of .494
// and become a glass at .58. Hard balls of equal size become ordered best at a fraction of about
// .55. Soft balls with a fraction of .62 behave like these hard balls if collisions compress them
// by a few percent.
const (
	annealOverlap = .19  // initial mean overlap in collisions of the smallest balls, in radii
	annealMargin  = 5e-3 // relative excess of radii over the final radii
	annealParts   = 15   // number of time steps in the shortest contact
	annealRescale = 10   // number of steps between corrections of the temperature
)

// anneal simulates soft balls for the given number of steps. Their velocities are random at first
// and decrease linearly to zero.
func (p *packer) anneal(ctx context.Context, steps int) error {
	smallest := math.Inf(1)
	for i, r := range p.radius {
		p.balls[i].Radius = min(r*(1+annealMargin), p.most)
		smallest = min(smallest, p.balls[i].Radius)
	}
	o := Options{Stiffness: 1, Workers: p.workers}
	o.TimeStep = ContactTime(sphereMass(smallest, 1)/2, o.Stiffness, 0) / annealParts
	velocities, err := ThermalSpheres(p.balls, annealOverlap, o, p.rng.Uint64())
	if err != nil {
		return err
	}
	for i := range velocities {
		if p.flat {
			velocities[i].Z = 0
		}
	}
	w, err := NewSpheres(ctx, SphereScene{Balls: p.balls, Walls: p.box, Periodic: p.axes, Velocities: velocities}, p.inner, o)
	if err != nil {
		return err
	}
	hot := w.twiceKinetic()
	for step := range steps {
		if step%annealRescale == 0 {
			cold := 1 - float64(step)/float64(steps)
			w.heat(hot * cold * cold)
		}
		if err := w.Step(ctx); err != nil {
			return err
		}
	}
	for i := range p.balls {
		p.balls[i].Center = w.now.bodies[i].Center
	}
	return nil
}

func (w *Spheres) twiceKinetic() float64 {
	sum := 0.
	for i, v := range w.now.velocity {
		sum += w.mass[i] * v.Norm2()
	}
	return sum
}

// heat scales the velocities so that twiceKinetic returns the given value.
func (w *Spheres) heat(twice float64) {
	now := w.twiceKinetic()
	if now == 0 {
		return
	}
	factor := math.Sqrt(twice / now)
	for i := range w.now.velocity {
		w.now.velocity[i] = w.now.velocity[i].Mul(factor)
	}
}
