package rays

import (
	"context"
	"errors"
	"math"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/vec"
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
// and the next sample. Samples are rounded to float64.
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
		return ErrStep
	}
	return nil
}

// checkSampled returns the error of a segment that is not valid, or that has too many samples.
func (c *Caster) checkSampled(l *line, step float64) error {
	if err := l.check(); err != nil {
		return err
	}
	if step > 0 && !c.Exact() {
		if length, _ := l.length(); length/step > mostSamples {
			return ErrStep
		}
	}
	return nil
}

// sampleBlock is the number of samples that are located at a time (tuning).
const sampleBlock = 1024

// sample appends the intervals of the part of l between two parameters. Only the ends of this part can
// be on the surface.
func (c *Caster) sample(ctx context.Context, l *line, o *output, from, to parameter) {
	width := to.t - from.t
	if width <= 4*(from.bound+to.bound) { // rounded samples could be outside the part
		o.add(from, to, inpoly.Unknown)
		return
	}
	n := math.Ceil(width * o.length / o.step)
	if o.step == 0 {
		n = min(mostDefaultSamples, math.Ceil(width*o.length/(Step*vec.Norm(c.tree.Bounds().Size()))))
	}
	pieces := max(1, int(n))
	segment := Segment{l.a, l.b}
	var begin, last parameter // start of the interval, and the last sample
	var at inpoly.Side        // of the last sample
	for lo := 0; lo < pieces && ctx.Err() == nil; lo += sampleBlock {
		hi := min(pieces, lo+sampleBlock)
		o.samples, o.sampled = o.samples[:0], o.sampled[:0]
		for i := lo; i < hi; i++ {
			o.samples = append(o.samples, segment.Point(from.t+width*(float64(i)+0.5)/float64(pieces)))
			o.sampled = append(o.sampled, inpoly.Unknown)
		}
		c.locate(ctx, o.sampled, o.samples)
		for i := lo; i < hi; i++ {
			t := number(from.t + width*(float64(i)+0.5)/float64(pieces))
			s := o.sampled[i-lo]
			if s == inpoly.OnSurface { // only the rounded sample is on the surface
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
