package rays

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/side"
)

// Interval is a part of a segment or of a polyline whose points have one side.
type Interval struct {
	// Side is Inside, Outside or OnSurface, or Unknown if the side of the points is uncertain.
	// Single points of the interval can also be on the surface: the line can touch the surface
	// there, or cross a face between two parts of the inside.
	Side inpoly.Side
	// FromSegment and ToSegment are the segments of the polyline where the interval starts and ends.
	// Segment k joins point k to point k+1. For a Segment both are 0.
	FromSegment, ToSegment int32
	// From and To are the parameters of the ends on these segments, from 0 to 1. FromBound and ToBound
	// bound their errors.
	From, FromBound float64
	To, ToBound     float64
	// Length is the length of the interval in the unit of the mesh, and LengthBound bounds its error.
	Length, LengthBound float64
}

// Intervals holds the intervals of a batch of segments or polylines. The functions that write to it
// reuse the slices of earlier calls.
type Intervals struct {
	Intervals []Interval
	// Offsets has one more element than the batch has lines. The intervals of line i are
	// Intervals[Offsets[i]:Offsets[i+1]].
	Offsets []int
	// Unsampled has the lines, in ascending order, with a part that is Unknown because it would
	// need too many samples; see Step. With a larger step, such a part can be decided.
	Unsampled []int
}

// Of returns the intervals of line i.
func (v *Intervals) Of(i int) []Interval { return v.Intervals[v.Offsets[i]:v.Offsets[i+1]] }

// IntervalsTo divides each segment into intervals, and writes the intervals to dst in the order
// from A to B. The intervals cover the segment from 0 to 1 without gaps. Neighboring intervals have
// different sides. So no interval ends where the winding number changes from 2 to 1 under the rule
// NonZero.
//
// An interval OnSurface is a part of the segment, longer than a point, that lies on faces. A single
// point on the surface is no interval, and it divides no interval: a segment that only touches a
// solid from outside has one interval Outside. EventsTo returns such points. If A = B, there is one
// interval from 0 to 1 of length 0, with the side of A.
//
// If Exact returns true, the sides and the order of the intervals are exact, and no side is
// Unknown. Otherwise the ends of intervals OnSurface are exact, and the other parts are sampled;
// see Step. step is the largest distance between samples, in the unit of the mesh. 0 means the
// default. If Exact returns true, step has no effect.
//
// A segment that is not valid (see Segment.Check) has one interval from 0 to 1: its side is
// Unknown, its length is NaN, and the bound of its length is +Inf.
//
// Errors: ErrStep if step is not valid; an *InputError that wraps ErrStep if a segment would have
// too many samples; the error of ctx if ctx ends first. After an error, dst has no lines.
func IntervalsTo(ctx context.Context, c *Caster, dst *Intervals, segments []Segment, step float64) error {
	dst.reset()
	reach, err := c.begin(ctx, step)
	if err != nil {
		return err
	}
	var memory posed
	for i := range segments {
		l := newLine(c, &segments[i], &memory)
		if err := checkSampled(&l, reach, step); err != nil {
			return &InputError{i, err}
		}
	}
	return c.intervals(ctx, dst, len(segments), func(s *scratch, lo, hi int) {
		s.starts = s.starts[:0]
		for i := lo; i < hi; i++ {
			s.starts = append(s.starts, segments[i].A)
		}
		c.locateStarts(ctx, s)
		eachGathered(c, s, segments[lo:hi], func(i int, l *line, near []candidate) {
			o := output{scratch: s, first: len(s.intervals), step: step, reach: reach}
			c.divide(ctx, l, near, &o, i)
			o.endLine(lo + i)
			s.counts = append(s.counts, len(s.intervals)-o.first)
		})
	})
}

// PolylinesTo does for polylines what IntervalsTo does for segments. A polyline is a list of
// points, and its segments join each point to the next. An interval can extend over several
// segments, and each segment belongs to an interval: a segment of length 0 belongs to the interval
// before it, or to the first interval. A polyline of one point has one interval of length 0, from 0
// to 0. A polyline without points has no intervals. If a point is not finite or too large, the
// polyline has one interval, like a segment that is not valid. The Index of an *InputError is the
// number of the polyline.
func PolylinesTo(
	ctx context.Context, c *Caster, dst *Intervals, polylines [][]r3.Vector, step float64,
) error {
	dst.reset()
	reach, err := c.begin(ctx, step)
	if err != nil {
		return err
	}
	var memory posed
	for i, points := range polylines {
		for k, p := range points {
			l := newLine(c, &Segment{points[max(0, k-1)], p}, &memory)
			if err := checkSampled(&l, reach, step); err != nil {
				return &InputError{i, err}
			}
		}
	}
	return c.intervals(ctx, dst, len(polylines), func(s *scratch, lo, hi int) {
		for i := lo; i < hi; i++ {
			o := output{scratch: s, first: len(s.intervals), step: step, reach: reach}
			c.dividePolyline(ctx, polylines[i], &o)
			o.endLine(i)
			s.counts = append(s.counts, len(s.intervals)-o.first)
		}
	})
}

func (v *Intervals) reset() {
	v.Intervals, v.Offsets, v.Unsampled = v.Intervals[:0], append(v.Offsets[:0], 0), v.Unsampled[:0]
}

// dividePolyline appends the intervals of a polyline.
func (c *Caster) dividePolyline(ctx context.Context, points []r3.Vector, o *output) {
	for k := range points {
		if l := worldLine(&Segment{points[k], points[k]}); l.bad {
			o.addUncertain(len(points))
			return
		}
	}
	o.starts = append(o.starts[:0], points...)
	c.locateStarts(ctx, o.scratch)
	for k := 0; k+1 < len(points) && !o.patience.ended(); k++ {
		l := newLine(c, &Segment{points[k], points[k+1]}, &o.memory)
		if !l.isPoint() {
			o.segment = int32(k)
			c.divide(ctx, &l, c.gatherOne(&l, o.scratch), o, k)
		} else if n := len(o.intervals); n > o.first {
			o.intervals[n-1].ToSegment = int32(k) // it adds no length
		}
	}
	if len(points) == 0 {
		return
	}
	if len(o.intervals) > o.first {
		o.intervals[o.first].FromSegment = 0 // segments at the start can be points
		return
	}
	l := newLine(c, &Segment{points[0], points[0]}, &o.memory) // all points are equal
	c.divide(ctx, &l, c.gatherOne(&l, o.scratch), o, 0)
	v := &o.intervals[o.first]
	v.ToSegment = int32(max(0, len(points)-2))
	if len(points) == 1 {
		v.To = 0
	}
}

// Exact reports whether the sides of intervals are exact. This is so if the mesh is closed
// (mesh.Mesh.Closed), or if the rule is EvenOdd and every edge has an even number of faces.
func (c *Caster) Exact() bool { return c.integer || c.parity }

// intervals calls work for blocks of lines on several workers. work writes intervals to its
// scratch, and intervals moves them to dst in order.
func (c *Caster) intervals(
	ctx context.Context, dst *Intervals, n int, work func(s *scratch, lo, hi int),
) error {
	err := c.ordered(ctx, n, work, func(s *scratch) {
		dst.Intervals = append(dst.Intervals, s.intervals...)
		dst.Offsets = addOffsets(dst.Offsets, s.counts)
		dst.Unsampled = append(dst.Unsampled, s.unsampled...)
		s.intervals, s.counts, s.unsampled = s.intervals[:0], s.counts[:0], s.unsampled[:0]
	})
	if err != nil {
		dst.reset()
	}
	return err
}

// locateStarts sets s.sides to the sides of s.starts, if sides are exact. If winding numbers decide
// sides, it also sets s.windings and s.slack.
func (c *Caster) locateStarts(ctx context.Context, s *scratch) {
	s.sides = s.sides[:0]
	if c.Exact() {
		s.sides = append(s.sides, make([]inpoly.Side, len(s.starts))...)
		if c.parity {
			c.locate(ctx, s.sides, s.starts)
			return
		}
		n := len(s.starts)
		s.windings, s.slack = slices.Grow(s.windings[:0], n)[:n], slices.Grow(s.slack[:0], n)[:n]
		// The only possible error is the error of ctx. par.Ordered returns the same error.
		_, _ = c.set.Winding.LocateTo(ctx, side.Answers{Sides: s.sides, Winding: s.windings, Bound: s.slack}, s.starts, 1)
	}
}

// locate writes the sides of points to dst.
func (c *Caster) locate(ctx context.Context, dst []inpoly.Side, points []r3.Vector) {
	// The only possible error is the error of ctx. par.Ordered returns the same error.
	_, _ = c.set.Exact.LocateTo(ctx, side.Answers{Sides: dst}, points, 1)
}

// startSide returns element i of s.sides, or Unknown if sides are not exact.
func (s *scratch) startSide(i int) inpoly.Side {
	if i < len(s.sides) {
		return s.sides[i]
	}
	return inpoly.Unknown
}

// divide appends the intervals of the segment l. near are the candidates of l, and index is the
// index of the start of l in o.starts.
func (c *Caster) divide(ctx context.Context, l *line, near []candidate, o *output, index int) {
	if l.bad {
		o.addUncertain(2)
		return
	}
	start := o.startSide(index)
	o.length, o.lengthBound = l.length()
	c.all(l, o.scratch, near, true)
	if o.patience.over {
		return
	}
	hits := o.hits
	if l.isPoint() {
		switch {
		case len(hits) > 0:
			start = inpoly.OnSurface
		case !c.Exact():
			a, _, _ := l.world()
			start = c.set.Exact.Side(a)
		}
		o.add(number(0), number(1), start)
		return
	}
	var w winding
	switch {
	case c.Exact() && len(hits) == 0: // most segments
		o.add(number(0), number(1), start)
		return
	case c.Exact():
		w = c.startWinding(l, o.scratch, index)
	default:
		o.enter, o.leave = clip(l, o.reach)
	}
	c.roundNearEnds(l, hits, &o.patience)
	on := 0 // number of faces in whose plane the part lies
	from := number(0)
	for k := 0; k <= len(hits) && !o.patience.ended(); k++ {
		to := number(1)
		if k < len(hits) {
			to = hits[k].at
		}
		if c.compare(l, &from, &to) < 0 {
			switch {
			case on > 0:
				o.add(from, to, inpoly.OnSurface)
			case c.Exact():
				o.add(from, to, c.rule.Apply(w.w, w.crossings))
			default:
				c.sample(ctx, l, o, from, to)
			}
			from = to
		}
		if k < len(hits) {
			w.pass(&hits[k])
			on += int(hits[k].on)
		}
	}
}

// roundNearEnds rounds the exact parameter of each hit whose interval contains an end of the
// segment l. Then later calls of compare cannot change it.
func (c *Caster) roundNearEnds(l *line, hits []hit, p *patience) {
	zero, one := number(0), number(1)
	for k := 0; k < len(hits) && !(hits[k].at.t-hits[k].at.bound > 0) && !p.ended(); k++ {
		c.compare(l, &hits[k].at, &zero)
	}
	for k := len(hits) - 1; k >= 0 && !(hits[k].at.t+hits[k].at.bound < 1) && !p.ended(); k-- {
		c.compare(l, &hits[k].at, &one)
	}
}

// winding counts crossings of the displaced line.
type winding struct {
	w         int64  // winding number of the displaced line, if it is an integer
	crossings uint64 // number of crossings, or a number of the same parity
}

// pass adds the crossing of h.
func (w *winding) pass(h *hit) {
	w.w += int64(h.jump)
	w.crossings += uint64(h.jump * h.jump)
}

// startWinding returns the winding of the displaced line before the first hit. s.hits must hold all
// hits of l. index is the index of the start of l in s.starts.
func (c *Caster) startWinding(l *line, s *scratch, index int) (w winding) {
	if at := &s.hits[0].at; at.kind != atNumber || at.t != 0 { // the start is not on the surface
		if c.parity {
			if s.startSide(index) == inpoly.Inside {
				w.crossings = 1
			}
			return w
		}
		if s.slack[index] == 0 {
			w.w = int64(s.windings[index])
			return w
		}
	}
	return c.behind(l, s)
}

// behind returns the winding of the displaced line before the start of l. It counts all crossings
// of the line before the start. This is the winding, because W is 0 far away.
func (c *Caster) behind(l *line, s *scratch) (w winding) {
	walk := &s.stream.Walks[0]
	c.startRay(walk, l, -1)
	for b := walk.Next(); b.Met != 0 && !s.patience.ended(); b = walk.Next() {
		each(b, func(tri int32, _ int8) {
			if n := c.crossedBehind(l, tri, &s.signs); n != 0 {
				w.pass(&hit{jump: n})
			}
		})
	}
	return w
}

// output collects the intervals of one line, segment by segment.
type output struct {
	*scratch
	step                float64  // see IntervalsTo
	reach               *bvh.Box // see openReach
	first               int      // the intervals of the line are intervals[first:]
	segment             int32    // number of the segment
	length, lengthBound float64  // length of the segment, and its bound
	enter, leave        float64  // between these parameters, the segment can be in reach; see clip
	unsampledLine       bool     // whether a part of the line is not sampled
}

// endLine ends a line. If a part of the line was not sampled, endLine appends its number to
// o.unsampled.
func (o *output) endLine(line int) {
	if o.unsampledLine {
		o.unsampled = append(o.unsampled, line)
	}
}

// add appends the part of the segment between two parameters. If the last interval has the same
// side, add extends it instead.
func (o *output) add(from, to parameter, side inpoly.Side) {
	length, bound := o.part(from, to)
	if n := len(o.intervals); n > o.first && o.intervals[n-1].Side == side {
		v := &o.intervals[n-1]
		v.To, v.ToBound, v.ToSegment = to.t, to.bound, o.segment
		if v.FromSegment == o.segment {
			start := parameter{t: v.From, bound: v.FromBound}
			v.Length, v.LengthBound = o.part(start, to)
			return
		}
		v.Length += length
		v.LengthBound += bound + 2*epsilon*(v.Length+v.LengthBound)
		return
	}
	o.intervals = append(o.intervals, Interval{
		Side: side, FromSegment: o.segment, ToSegment: o.segment,
		From: from.t, FromBound: from.bound, To: to.t, ToBound: to.bound,
		Length: length, LengthBound: bound,
	})
}

// addUncertain appends the only interval of a line that is not valid. points is the number of
// points of the line.
func (o *output) addUncertain(points int) {
	o.intervals = append(o.intervals, Interval{
		Side: inpoly.Unknown, ToSegment: int32(max(0, points-2)), To: float64(min(1, points-1)),
		Length: math.NaN(), LengthBound: math.Inf(1),
	})
}

// part returns the length of the segment between two parameters, and the bound of its error.
//
// The exact length is (t₂−t₁)·L. L is the length of the segment. The difference of the computed
// parameters has the errors of both and one rounding. The product has the relative error of L and
// one rounding. The factor 1+16ε covers the roundings of the bound.
func (o *output) part(from, to parameter) (length, bound float64) {
	d := to.t - from.t
	length = d * o.length
	if from.bound == 0 && to.bound == 0 && d == 1 {
		return length, o.lengthBound
	}
	bound = (from.bound+to.bound+2*epsilon*d)*(o.length+o.lengthBound) + d*o.lengthBound + 2*epsilon*length
	return length, (1+16*epsilon)*bound + 0x1p-1073
}

// length returns the length of the segment l, and the bound of its error.
//
// Each component of the direction in the world has a relative error of ε. The vector is scaled by a power of two, so that its
// largest component is in [1/2, 1). The squares have a relative error of 3ε + 3ε², the two sums add 2ε,
// and the root halves the error and adds ε. So the relative error is below 4ε. The bound of 8ε covers
// its own rounding. Underflow of a square is below 2⁻¹⁰⁷³, and scaling back adds 2⁻¹⁰⁷⁵.
func (l *line) length() (length, bound float64) {
	_, _, v := l.world()
	m := max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
	if m == 0 {
		return 0, 0
	}
	_, e := math.Frexp(m)
	x, y, z := math.Ldexp(v.X, -e), math.Ldexp(v.Y, -e), math.Ldexp(v.Z, -e)
	length = math.Ldexp(math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)), e)
	return length, 8*epsilon*length + 0x1p-1073
}
