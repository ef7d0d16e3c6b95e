package rays

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// Step is the default distance of samples on a mesh that is not closed, as a fraction of the diagonal
// of the box of the mesh; see IntervalsTo and Caster.Exact. With the default, a part of a segment
// between two hits has at most 2¹⁶ samples.
//
// Such a part is divided into pieces of equal length, which are at most a step long. The middle of each
// piece is a sample, and its side is that of Solid.Side without a tolerance. If neighboring samples
// have the same side, the points between them get this side. Otherwise the part between them is
// Unknown. The points between a hit and the next sample get the side of the sample.
//
// So a side at a sample is exact, but a side elsewhere is an assumption. The winding number of an open
// mesh can pass a threshold of the rule and return between two samples, or pass it once between a hit
// and the next sample. Samples are rounded to float64. A sample that rounding moves to another part, or
// across the plane of the hit before or after it, is Unknown.
const Step = 1.0 / 256

// These constants limit the number of samples of a segment for a given step, and of a part of a segment
// for the default step. So a typing error in a step does not make a program run for days.
const (
	mostSamples        = 1 << 22
	mostDefaultSamples = 1 << 16
)

// ErrStep reports a step that is negative, or not finite, or so small that a segment would have more
// than 2²² samples.
var ErrStep = errors.New("step out of range")

func (c *Caster) checkStep(step float64) error {
	if !(step >= 0 && step <= math.MaxFloat64) {
		return fmt.Errorf("%w: the step is %g, but must be finite and at least 0", ErrStep, step)
	}
	return nil
}

// checkSampled returns the error of a segment that has too many samples.
func (c *Caster) checkSampled(l *line, step float64) error {
	if step > 0 && !c.Exact() && !l.bad {
		if length, _ := l.length(); length/step > mostSamples {
			return fmt.Errorf("%w: a segment of length %.3g would have more than %d samples at the step %g", ErrStep, length, mostSamples, step)
		}
	}
	return nil
}

// placed is the parameter of a sample, and whether the rounded sample belongs to its part.
type placed struct {
	t  float64
	ok bool
}

// sampleBlock is the number of samples that are located at a time (tuning).
const sampleBlock = 1024

// part is the open part of a segment between two parameters, which is divided into pieces.
type part struct {
	l           *line
	least, most float64 // all exact parameters from least to most belong to the part; least > most if there are none
	pieces      int
	// A sample has the sign side[k] for the plane of face[k], if this sign is not 0. The planes are those of
	// the hits at both ends.
	face [2]mesh.Triangle
	side [2]int
}

// newPart returns the part of l between two different parameters.
//
// The parameters are rounded anew if their bounds are not small beside a piece. A hit that l meets at a
// small angle has a large bound. The two calls of Nextafter cover the rounding of a sum, and exclude the
// ends.
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
			p.face[i], p.side[i] = t, k.Orient3D(t[0], t[1], t[2], [2]r3.Vector{l.b, l.a}[i])
		}
	}
	return p
}

// sample returns the parameter and the point of sample i. ok is false if the rounded point may not belong
// to the part.
//
// The point is rounded, so it can be beyond an end of the part, or across the face of a hit that the line
// meets at a small angle. On the axis of the largest component of the direction, the point has the
// parameter x/d. The two differences and the quotient have relative errors of at most ε.
func (p *part) sample(i int, k *predicates.Counter) (t float64, v r3.Vector, ok bool) {
	t = p.least + (p.most-p.least)*((float64(i)+0.5)/float64(p.pieces))
	t = min(max(t, p.least), p.most)
	v = Segment{p.l.a, p.l.b}.Point(t)
	s := v.Sub(p.l.a)
	x, d := s.X, p.l.d.X
	if math.Abs(p.l.d.Y) > math.Abs(d) {
		x, d = s.Y, p.l.d.Y
	}
	if math.Abs(p.l.d.Z) > math.Abs(d) {
		x, d = s.Z, p.l.d.Z
	}
	at := x / d
	if !(at*(1-8*epsilon) >= p.least && at*(1+8*epsilon) <= p.most) {
		return t, v, false
	}
	for j := range p.side {
		if f := &p.face[j]; p.side[j] != 0 && k.Orient3D(f[0], f[1], f[2], v) != p.side[j] {
			return t, v, false
		}
	}
	return t, v, true
}

// sample appends the intervals of the part of l between two parameters. Only the ends of this part can
// be on the surface.
func (c *Caster) sample(ctx context.Context, l *line, o *output, from, to parameter) {
	width := to.t - from.t
	n := math.Ceil(width * o.length / o.step)
	if o.step == 0 {
		n = min(mostDefaultSamples, math.Ceil(width*o.length/(Step*vec.Norm(c.tree.Bounds().Size()))))
	}
	pieces := max(1, int(n))
	part := c.newPart(l, from, to, pieces, &o.signs)
	if !(part.least <= part.most) {
		o.add(from, to, inpoly.Unknown)
		return
	}
	var begin, last parameter // start of the interval, and the last sample
	var at inpoly.Side        // of the last sample
	for lo := 0; lo < pieces && ctx.Err() == nil; lo += sampleBlock {
		hi := min(pieces, lo+sampleBlock)
		o.samples, o.sampled, o.placed = o.samples[:0], o.sampled[:0], o.placed[:0]
		for i := lo; i < hi; i++ {
			t, v, ok := part.sample(i, &o.signs)
			o.samples, o.sampled, o.placed = append(o.samples, v), append(o.sampled, inpoly.Unknown), append(o.placed, placed{t, ok})
		}
		c.locate(ctx, o.sampled, o.samples)
		for i := lo; i < hi; i++ {
			t, s := number(o.placed[i-lo].t), o.sampled[i-lo]
			if s == inpoly.OnSurface || !o.placed[i-lo].ok { // only the rounded sample is on the surface
				s = inpoly.Unknown
			}
			switch {
			case i == 0:
				begin, at = from, s
			case s != at:
				if begin.t < last.t {
					o.add(begin, last, at)
				}
				if last.t < t.t {
					o.add(last, t, inpoly.Unknown)
				}
				begin, at = t, s
			}
			last = t
		}
	}
	o.add(begin, to, at)
}
