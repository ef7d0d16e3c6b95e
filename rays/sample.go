package rays

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Step is the default distance between samples on a mesh that is not closed, as a fraction of the
// diagonal of the box of the mesh; see IntervalsTo and Caster.Exact.
//
// Far from the mesh, no samples are needed: at more than mesh.Mesh.Reach from the box of the faces,
// all points are certainly Outside. Elsewhere, each part between two hits is divided into pieces of
// equal length, at most a step long. The middle of each piece is a sample. It gets the side that
// Solid.Side returns without a tolerance. If neighboring samples have the same side, the points
// between them get this side. Otherwise, the points between them are Unknown. The points between a
// hit and the next sample get the side of the sample.
//
// So the side at a sample is exact, but other sides in reach are assumptions. Between two samples,
// the winding number of an open mesh can pass a threshold of the rule and return. Between a hit and
// the next sample, it can pass a threshold once. Samples are rounded to float64. If rounding moves
// a sample to another part, or across the plane of the hit before or after it, the sample is
// Unknown.
//
// With the default step, a part between two hits has at most 2¹⁶ samples, which are near the middle
// of the mesh. Samples are never farther apart than a step: if a part needs more samples, the rest
// of it is Unknown. This can happen only if faces lie on each other about 10⁵ times. If a segment
// is so long that neighboring float64 parameters are about a step apart, all its points in reach
// are Unknown. Intervals.Unsampled lists the lines of both cases.
const Step = 1.0 / 256

// mostSamples limits the samples of a segment for a given step. mostDefaultSamples limits the
// samples of a part of a segment for the default step. So a typing error in a step cannot make a
// program run for days.
const (
	mostSamples        = 1 << 22
	mostDefaultSamples = 1 << 16
)

// ErrStep reports a step that is negative, or not finite, or so small that a segment would have more
// than 2²² samples. Parts of a segment beyond mesh.Mesh.Reach need no samples.
var ErrStep = errors.New("step out of range")

// begin checks the step and returns the box of openReach.
func (c *Caster) begin(ctx context.Context, step float64) (reach *bvh.Box, err error) {
	if !(step >= 0 && step <= math.MaxFloat64) {
		return nil, fmt.Errorf("%w: the step is %g, but must be finite and at least 0", ErrStep, step)
	}
	return c.openReach(ctx)
}

// checkSampled returns the error of a segment that has too many samples. reach is the box of openReach.
func checkSampled(l *line, reach *bvh.Box, step float64) error {
	if step > 0 && reach != nil && !l.bad {
		if length := inReach(l, reach); length/step > mostSamples {
			return fmt.Errorf("%w: a segment of length %.3g near the mesh would have more than %d samples at the step %g", ErrStep, length, mostSamples, step)
		}
	}
	return nil
}

// placed is the parameter of a sample. ok tells whether the rounded sample still belongs to its
// part.
type placed struct {
	t  float64
	ok bool
}

// sampleBlock is the number of samples that are located at a time (tuning).
const sampleBlock = 1024

// part is the open part of a segment between two parameters. It is divided into pieces.
type part struct {
	l           *line
	least, most float64 // all exact parameters from least to most belong to the part; least > most if there are none
	pieces      int
	// face has the faces of the hits at both ends. If side[k] is not 0, a sample in the part has
	// the sign side[k] relative to the plane of face[k].
	face [2]mesh.Triangle
	side [2]int
}

// newPart returns the part of l between two different parameters.
//
// If the bound of a parameter is not small compared with a piece, newPart rounds the exact
// parameter. This happens if l meets a face at a small angle. The two calls of Nextafter cover the
// rounding of a sum, and exclude the ends.
func (c *Caster) newPart(l *line, from, to parameter, pieces int, k *predicates.Counter) part {
	if !(16*float64(pieces)*(from.bound+to.bound) <= to.t-from.t) {
		from.round(c.ratio(l, &from))
		to.round(c.ratio(l, &to))
	}
	p := part{l: l, pieces: pieces}
	p.least = math.Nextafter(from.t+from.bound, math.Inf(1))
	p.most = math.Nextafter(to.t-to.bound, math.Inf(-1))
	for i, at := range [2]parameter{from, to} {
		if at.kind == atFace {
			v := c.mesh.Vertices
			t := mesh.Triangle{v[at.u], v[at.v], v[at.w]}
			if p.face[i] = t; i == 0 {
				p.side[i] = l.endSign(&t, k)
			} else {
				p.side[i] = l.startSign(&t, k)
			}
		}
	}
	return p
}

// sample returns the parameter and the point of sample i. ok is false if the rounded point may not
// belong to the part.
//
// The point is rounded, so it can be beyond an end of the part, or across the face of a hit that
// the line meets at a small angle. On the axis of the largest component of the direction, the point
// has the parameter t up to an error: the error of the function along, divided by this component.
// The term 2⁻¹⁰⁷⁰ also covers the rounding of the bound.
func (p *part) sample(i int, k *predicates.Counter) (t float64, v r3.Vector, ok bool) {
	t = p.least + (p.most-p.least)*((float64(i)+0.5)/float64(p.pieces))
	t = min(max(t, p.least), p.most)
	a, b, along := p.l.world()
	v = Segment{a, b}.Point(t)
	x, d := v.X, along.X
	if math.Abs(along.Y) > math.Abs(d) {
		x, d = v.Y, along.Y
	}
	if math.Abs(along.Z) > math.Abs(d) {
		x, d = v.Z, along.Z
	}
	off := (3*epsilon*math.Abs(x)+0x1p-1070)/math.Abs(d) + 16*epsilon*epsilon*t
	if !(math.Nextafter(p.least+off, 2) <= t && t <= math.Nextafter(p.most-off, -1)) {
		return t, v, false
	}
	for j := range p.side {
		if f := &p.face[j]; p.side[j] != 0 && p.l.sign(f, v, k) != p.side[j] {
			return t, v, false
		}
	}
	return t, v, true
}

// sample appends the intervals of the part of l between two parameters. Only the ends of this part can
// be on the surface.
func (c *Caster) sample(ctx context.Context, l *line, o *output, from, to parameter) {
	first, last := from, to // the part in reach
	before, after := inpoly.Side(anySide), inpoly.Side(anySide)
	// The hits are in reach. So if an end of the part in reach is within the bound of a hit, the
	// end moves to the hit.
	if t := min(o.enter, to.t-to.bound); t > from.t+from.bound {
		first, before = number(t), inpoly.Outside
	}
	if t := max(o.leave, from.t+from.bound); t < to.t-to.bound {
		last, after = number(t), inpoly.Outside
	}
	if (before == inpoly.Outside || after == inpoly.Outside) && !(first.t < last.t) {
		o.add(from, to, inpoly.Outside)
		return
	}
	if before == inpoly.Outside {
		o.add(from, first, inpoly.Outside)
	}
	c.sampleReach(ctx, l, o, first, last, before, after)
	if after == inpoly.Outside {
		o.add(last, to, inpoly.Outside)
	}
}

// anySide is the side at the end of a part if this side is not known.
const anySide = 255

// sampleReach appends the intervals of a part of l in reach. before and after are the sides at its
// ends, or anySide.
func (c *Caster) sampleReach(ctx context.Context, l *line, o *output, from, to parameter, before, after inpoly.Side) {
	step, most := o.step, mostSamples
	if step == 0 {
		step, most = Step*vec.Norm(c.tree.Bounds().Size()), mostDefaultSamples
	}
	// Rounding moves a sample by less than 4ε·to.t. So make pieces shorter than a step by twice
	// this error.
	length := o.length + o.lengthBound
	n := math.Ceil((to.t - from.t) * length / (step - 8*epsilon*to.t*length))
	switch {
	case !(8*epsilon*to.t*length < step/2):
		o.unsampledLine = true
		o.add(from, to, inpoly.Unknown)
		return
	case n > float64(most):
		o.unsampledLine = true
		width := (to.t - from.t) * (float64(most) / n)
		begin := max(from.t, min(c.nearest(l)-width/2, to.t-width))
		first, last := from, to
		if begin > from.t+from.bound {
			first, before = number(begin), inpoly.Unknown
			o.add(from, first, inpoly.Unknown)
		}
		if end := begin + width; end < to.t-to.bound {
			last, after = number(end), inpoly.Unknown
		}
		c.samplePieces(ctx, l, o, first, last, most, before, after)
		if last.t < to.t {
			o.add(last, to, inpoly.Unknown)
		}
	default:
		c.samplePieces(ctx, l, o, from, to, max(1, int(n)), before, after)
	}
}

// samplePieces appends the intervals of a part of l with the given number of samples.
func (c *Caster) samplePieces(ctx context.Context, l *line, o *output, from, to parameter, pieces int, before, after inpoly.Side) {
	part := c.newPart(l, from, to, pieces, &o.signs)
	if !(part.least <= part.most) {
		o.add(from, to, inpoly.Unknown)
		return
	}
	r := run{output: o, begin: from, last: from, side: before}
	for lo := 0; lo < pieces && ctx.Err() == nil; lo += sampleBlock {
		hi := min(pieces, lo+sampleBlock)
		o.samples, o.sampled, o.placed = o.samples[:0], o.sampled[:0], o.placed[:0]
		for i := lo; i < hi; i++ {
			t, v, ok := part.sample(i, &o.signs)
			o.samples, o.sampled, o.placed = append(o.samples, v), append(o.sampled, inpoly.Unknown), append(o.placed, placed{t, ok})
		}
		c.locate(ctx, o.sampled, o.samples)
		for i := range o.sampled {
			s := o.sampled[i]
			if s == inpoly.OnSurface || !o.placed[i].ok { // only the rounded sample is on the surface
				s = inpoly.Unknown
			}
			r.extend(number(o.placed[i].t), s)
		}
	}
	r.extend(to, after)
	if r.begin.t < to.t {
		o.add(r.begin, to, r.side)
	}
}

// run is a run of samples with one side.
type run struct {
	*output
	begin, last parameter   // start of the run, and its last sample
	side        inpoly.Side // anySide before the first sample
}

// extend adds a sample with the side s to the run. If s differs from the side of the run, extend
// ends the run and starts another one. anySide fits any run.
func (r *run) extend(t parameter, s inpoly.Side) {
	switch {
	case s == anySide:
		return // only the end of the part can have anySide
	case r.side == anySide:
		r.side = s
	case s != r.side:
		if r.begin.t < r.last.t {
			r.add(r.begin, r.last, r.side)
		}
		if r.last.t < t.t {
			r.add(r.last, t, inpoly.Unknown)
		}
		r.begin, r.side = t, s
	}
	r.last = t
}
