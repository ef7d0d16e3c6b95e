package dem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
)

// ErrJammed is the error for a packing that does not reach the requested fraction. The error
// message contains the largest fraction that was reached.
var ErrJammed = errors.New("packing is jammed")

// PackOptions are the options of a packing.
type PackOptions struct {
	// Fraction is the volume (or area) of the particles divided by the volume (or area) between the
	// walls. It must be above 0 and below 1.
	Fraction float64
	// Seed determines the initial positions of the particles and their motion.
	Seed uint64
	// Steps is the largest number of annealing steps. If particles still overlap after these steps,
	// the error is ErrJammed. 0 means 60,000 steps.
	Steps int
	// Workers is the number of goroutines. If it is not positive, all processors are used. The
	// packing does not depend on Workers.
	Workers int
	// Periodic connects the opposite walls on the axes x, y and z, as in a SphereScene. Particles can
	// reach through these sides. In the plane, Periodic[2] must be false.
	Periodic [3]bool
}

func (o PackOptions) withDefaults() (PackOptions, error) {
	if !(o.Fraction > 0 && o.Fraction < 1) {
		return o, fmt.Errorf("dem: %w: fraction %v must be between 0 and 1", ErrOptions, o.Fraction)
	}
	if o.Steps < 0 {
		return o, fmt.Errorf("dem: %w: number of steps %d must not be negative", ErrOptions, o.Steps)
	}
	if o.Steps == 0 {
		o.Steps = 60_000
	}
	o.Workers = parallel.Workers(o.Workers)
	return o, nil
}

// PackSpheres returns balls that do not overlap each other or the walls. The radius of ball i is
// proportional to sizes[i]. Except for rounding, the balls fill the fraction o.Fraction of the box.
//
// Ogarko and Luding 2012, §4.2, let hard spheres grow in an event-driven simulation (Lubachevsky
// and Stillinger 1990). PackSpheres instead reduces overlaps step by step, as in force-biased
// packing (Mościński and Bargieł 1991). The balls start at random positions with larger radii. They
// push each other apart and shrink, until balls of the final radii would not overlap. If the
// packing is too dense for this method, PackSpheres anneals: soft balls move at random and cool
// slowly. At first, the balls are hot enough to pass each other. If annealing fails, PackSpheres
// repeats it with cooling at half the rate.
//
// Balls of equal size become ordered, first at the walls, as in the paper. Unordered balls fill at
// most .64 of a large box. Unordered balls fill much less of a small box, because they leave gaps
// at the walls. A fraction of .62 needs about 5,000 balls. A box that is periodic on all axes has
// no such gaps. ThermalSpheres returns velocities for the second stage of the method in the paper.
//
// Errors: ErrOptions if an option is invalid or sizes is empty; ErrParticle if a size is not
// positive or too large for the box; ErrJammed; the error of ctx.
func PackSpheres(ctx context.Context, walls bvh.Box, sizes []float64, o PackOptions) ([]neighbor.Sphere, error) {
	side := walls.Max.Sub(walls.Min)
	return pack(ctx, walls, sizes, o, []float64{side.X, side.Y, side.Z}, 4*math.Pi/3)
}

// PackDisks does for disks in the plane what PackSpheres does for balls. With disks of various
// sizes it reaches area fractions up to about .8.
func PackDisks(ctx context.Context, walls neighbor.Rect, sizes []float64, o PackOptions) ([]neighbor.Disk, error) {
	side := walls.Max.Sub(walls.Min)
	box := bvh.Box{
		Min: r3.Vector{X: walls.Min.X, Y: walls.Min.Y, Z: math.Inf(-1)},
		Max: r3.Vector{X: walls.Max.X, Y: walls.Max.Y, Z: math.Inf(1)},
	}
	balls, err := pack(ctx, box, sizes, o, []float64{side.X, side.Y}, math.Pi)
	if err != nil {
		return nil, err
	}
	disks := make([]neighbor.Disk, len(balls))
	for i, b := range balls {
		disks[i] = neighbor.Disk{Center: r2.Point{X: b.Center.X, Y: b.Center.Y}, Radius: b.Radius}
	}
	return disks, nil
}

// pack fills a box with balls. A ball of radius 1 has the volume unitVolume. If sideLengths has
// only two elements, all centers stay in the plane z = 0, and unitVolume is an area.
func pack(ctx context.Context, walls bvh.Box, sizes []float64, o PackOptions, sideLengths []float64, unitVolume float64) ([]neighbor.Sphere, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	dimension := float64(len(sideLengths))
	volume, shortest := 1., math.Inf(1)
	for _, s := range sideLengths {
		volume *= s
		shortest = min(shortest, s)
	}
	if !(shortest > 0) || !positive(volume) {
		return nil, fmt.Errorf("dem: %w: walls from %v to %v must enclose a space", ErrOptions, walls.Min, walls.Max)
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("dem: %w: no particle sizes for the fraction %v, need at least one", ErrOptions, o.Fraction)
	}
	sum := 0.
	for i, s := range sizes {
		if !positive(s) {
			return nil, fmt.Errorf("dem: %w: size %v of particle %d must be a positive number", ErrParticle, s, i)
		}
		sum += unitVolume * math.Pow(s, dimension)
	}
	scale := math.Pow(o.Fraction*volume/sum, 1/dimension)
	p := &packer{box: walls, axes: o.Periodic, workers: o.Workers, flat: len(sideLengths) == 2, radius: make([]float64, len(sizes)),
		rng:   rand.New(rand.NewPCG(o.Seed, uint64(len(sideLengths)))),
		inner: neighbor.NewAuto[neighbor.Sphere](neighbor.AutoOptions{Workers: o.Workers})}
	if p.flat && o.Periodic[2] {
		return nil, fmt.Errorf("dem: %w: the axis z of a packing in the plane cannot be periodic", ErrOptions)
	}
	if p.border, p.method, p.walls, err = newBorder[neighbor.Sphere](p.inner, walls, o.Periodic); err != nil {
		return nil, err
	}
	p.most = p.border.largestRadius()
	for i, s := range sizes {
		p.radius[i] = s * scale
		if !positive(p.radius[i]) || 2*p.radius[i] > shortest {
			return nil, fmt.Errorf("dem: %w: particle %d of size %v would get the radius %v: it must fit between the walls from %v to %v",
				ErrParticle, i, s, p.radius[i], walls.Min, walls.Max)
		}
	}
	done, err := p.search(ctx, math.Pow(1/o.Fraction, 1/dimension), o.Steps)
	if err != nil {
		return nil, err
	}
	if !done {
		return nil, fmt.Errorf("dem: %w: the largest fraction without overlaps is %.4f, want %v", ErrJammed, o.Fraction*math.Pow(p.densest, dimension), o.Fraction)
	}
	for i := range p.balls {
		p.balls[i].Radius = p.radius[i]
		if p.border.periodic {
			p.balls[i].Center, _, _ = p.border.cell.Wrap(p.balls[i].Center)
		}
	}
	return p.balls, nil
}

// These constants were found by trial with 1,000 to 20,000 balls. Slower shrinking does not make
// denser packings. Balls of one size become ordered within tens of thousands of annealing steps.
const (
	shrinking      = 300  // number of iterations in which the first relaxation shrinks the radii
	firstAnnealing = 4000 // number of steps of the first annealing; doubled for each later annealing
)

type packer struct {
	box     bvh.Box
	axes    [3]bool // periodic axes
	walls   bvh.Box // box with infinite sides on periodic axes
	border  border[neighbor.Sphere]
	inner   neighbor.Method[neighbor.Sphere]
	method  neighbor.Method[neighbor.Sphere] // inner, or the periodic method of border
	most    float64                          // largest radius in the current iteration
	workers int
	flat    bool // true if all centers stay in the plane z = 0
	rng     *rand.Rand
	radius  []float64         // final radii
	balls   []neighbor.Sphere // current positions, with the radii of the current iteration
	// densest is the largest factor found so far for which balls with densest times the final radii
	// do not overlap.
	densest float64

	// The fields below describe the current iteration.
	pairs  []neighbor.Pair
	images [][3]int32 // for each pair, by how many periods ball B moves; nil if no axis is periodic
	// push[i] is the push between the balls A and B of pairs[i]. a and b are their radii. A moves
	// by b/(a+b)·push[i], and B moves by −a/(a+b)·push[i].
	push []r3.Vector
	sum  []r3.Vector // sum of the pushes of each ball
	// move[i] is the latest move of ball i.
	move   []r3.Vector
	blocks []packBlock
}

// search relaxes the balls, then repeats annealing and relaxing. It ends when no balls overlap or
// when all annealing steps are used up. The first relaxation starts with factor times the final
// radii and shrinks the radii. search reports whether it found balls that do not overlap.
func (p *packer) search(ctx context.Context, factor float64, steps int) (done bool, err error) {
	p.scatter()
	done, err = p.relax(ctx, factor, shrinking)
	for n := firstAnnealing; err == nil && !done && steps > 0; n *= 2 {
		if err = p.anneal(ctx, min(n, steps)); err != nil {
			return false, err
		}
		steps -= n
		done, err = p.relax(ctx, 1, 0)
	}
	return done, err
}
