package segments

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/lines"
	"github.com/inpoly/inpoly/internal/drillhole"
	"github.com/inpoly/inpoly/internal/tabular"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/rays"
)

// epsilon bounds the relative error of one operation in float64, rounded up to a power of two.
const epsilon = 0x1p-52

// compute divides the lines of a block into parts.
func (r *run) compute(ctx context.Context, b *table.Block) (*lines.Rows, error) {
	found, unsampled, err := r.divide(ctx, b)
	if err != nil {
		return nil, err
	}
	n := len(b.Points)
	c := r.newCombiner()
	relative := make([][]part, len(r.casters))
	a, t := r.newRows(), blockTotals{first: b.First, unsampled: unsampled}
	var parts []part
	for i := range n {
		for k := range found {
			relative[k] = found[k].of(i)
		}
		if parts = parts[:0]; r.Solids.Several {
			parts = c.combine(parts, relative)
		} else {
			parts = append(parts, relative[0]...)
		}
		for k := range parts {
			t.add(&parts[k])
		}
		if r.summed {
			parts = sumParts(parts)
		}
		for k := range parts {
			if r.keep == nil || r.keep[parts[k].side] {
				r.add(a, int32(i), &parts[k])
			}
		}
	}
	r.totals.addBlock(t, int64(n))
	return a, nil
}

// lineParts has the parts of all lines of a block relative to one solid.
type lineParts struct {
	parts   []part
	offsets []int
}

// of returns the parts of line i.
func (p *lineParts) of(i int) []part { return p.parts[p.offsets[i]:p.offsets[i+1]] }

// divide returns the parts of the lines of b relative to each solid, and the number of lines with a part that
// is not sampled.
func (r *run) divide(ctx context.Context, b *table.Block) (found []lineParts, unsampled int64, err error) {
	var segments []rays.Segment
	var holes []*drillhole.Hole
	var polylines [][]r3.Vector
	if r.holes != nil {
		holes, polylines = r.paths(b)
	} else if segments, err = r.ends(b); err != nil {
		return nil, 0, err
	}
	lines := map[int]bool{}
	var intervals rays.Intervals
	for _, c := range r.casters {
		if r.holes != nil {
			err = rays.PolylinesTo(ctx, c, &intervals, polylines, r.step)
		} else {
			err = rays.IntervalsTo(ctx, c, &intervals, segments, r.step)
		}
		if err != nil {
			return nil, 0, r.placed(b, err)
		}
		for _, i := range intervals.Unsampled {
			lines[i] = true
		}
		p := lineParts{offsets: slices.Clone(intervals.Offsets)}
		for i := range b.Points {
			for _, v := range intervals.Of(i) {
				if r.holes != nil {
					p.parts = append(p.parts, holePart(&v, &holes[i].Path))
				} else {
					p.parts = append(p.parts, segmentPart(&v, segments[i]))
				}
			}
		}
		found = append(found, p)
	}
	return found, int64(len(lines)), nil
}

// placed adds the place of the line to an error about a line of b.
func (r *run) placed(b *table.Block, err error) error {
	var input *rays.InputError
	switch {
	case !errors.As(err, &input):
		return err
	case r.holes != nil:
		return tabular.At(r.collar, 0, errors.New("hole "+r.holes[b.First+int64(input.Index)].Name+": "+input.Err.Error()))
	}
	return r.in.At(b, input.Index, input.Err)
}

// segmentPart returns the part of a segment for an interval. Positions are distances from the start of
// the segment. All numbers of a segment that is not valid are NaN.
func segmentPart(v *rays.Interval, s rays.Segment) part {
	if nan := math.NaN(); math.IsNaN(v.Length) {
		return part{side: v.Side, from: nan, to: nan, length: nan, fromBound: nan, toBound: nan, lengthBound: nan}
	}
	length := vec.Norm(s.B.Sub(s.A))
	p := part{side: v.Side, length: v.Length, lengthBound: v.LengthBound}
	p.from, p.fromBound = distance(v.From, v.FromBound, length)
	p.to, p.toBound = distance(v.To, v.ToBound, length)
	return p
}

// distance returns the distance of the point with the parameter t, where |t − exact t| ≤ bound, from the
// start of a segment with the given rounded length. The length has a relative error of at most 4ε: a
// component of B−A is rounded once, and each of two calls of math.Hypot has an error below 1.5ε. The
// product with t is rounded once.
func distance(t, bound, length float64) (d, dBound float64) {
	d = t * length
	if t == 0 && bound == 0 {
		return 0, 0
	}
	return d, (1 + 8*epsilon) * (bound*length + 6*epsilon*d)
}

// holePart returns the part of a hole for an interval. Positions are depths.
func holePart(v *rays.Interval, path *drillhole.Path) part {
	p := part{side: v.Side}
	p.from, p.fromBound = depth(path, v.FromSegment, v.From, v.FromBound)
	p.to, p.toBound = depth(path, v.ToSegment, v.To, v.ToBound)
	p.length = p.to - p.from
	p.lengthBound = p.fromBound + p.toBound
	if p.lengthBound > 0 || p.from > 0 {
		p.lengthBound = (1+2*epsilon)*p.lengthBound + epsilon*p.length
	}
	return p
}

// depth returns the depth of the point with the parameter t on a segment of the path, where
// |t − exact t| ≤ bound. The difference of two depths, the product and the sum are rounded once each.
func depth(path *drillhole.Path, segment int32, t, bound float64) (d, dBound float64) {
	from := path.Depths[segment]
	if t == 0 && bound == 0 || len(path.Depths) == 1 {
		return from, 0
	}
	to := path.Depths[segment+1]
	if t == 1 && bound == 0 {
		return to, 0
	}
	d = min(from+t*(to-from), to)
	return d, (1 + 8*epsilon) * (bound*(to-from) + 3*epsilon*to)
}

// newCombiner returns the combiner for several solids.
func (r *run) newCombiner() *combiner {
	choice, all := r.BodyChoice()
	c := &combiner{choice: choice, all: all, bodies: r.Body != "", order: r.Solids.Order(choice)}
	if all {
		c.names = r.Solids.Names()
	}
	return c
}

// sumParts replaces the parts of a line by one part for each side and each set of solids: first inside,
// then on the surface, uncertain and outside. from and to are not used.
func sumParts(parts []part) []part {
	var sums []part
	for _, p := range parts {
		k := slices.IndexFunc(sums, func(s part) bool { return s.side == p.side && s.body == p.body && s.solids == p.solids })
		if k < 0 {
			sums = append(sums, part{side: p.side, body: p.body, solids: p.solids})
			k = len(sums) - 1
		}
		s := &sums[k]
		s.count++
		s.length += p.length
		s.lengthBound = (1+epsilon)*(s.lengthBound+p.lengthBound) + roundOff(s.count)*epsilon*s.length
	}
	rank := [4]int{inpoly.Inside: 0, inpoly.OnSurface: 1, inpoly.Unknown: 2, inpoly.Outside: 3}
	slices.SortStableFunc(sums, func(a, b part) int { return rank[a.side] - rank[b.side] })
	return sums
}

// roundOff returns 0 for the first term of a sum, which is exact, and 1 for the others.
func roundOff(count int64) float64 { return math.Min(1, float64(count-1)) }

// newRows returns empty columns.
func (r *run) newRows() *lines.Rows {
	a := &lines.Rows{Sides: []inpoly.Side{}, Numbers: make([][]float64, 4)}
	integers := 0
	if r.summed {
		a.Numbers = a.Numbers[:2]
		integers++
	}
	if _, all := r.BodyChoice(); all {
		a.Words = make([][]string, 1)
	} else if r.Body != "" {
		integers++
	}
	a.Integers = make([][]int64, integers)
	return a
}

// add appends a row.
func (r *run) add(a *lines.Rows, origin int32, p *part) {
	a.Origin = append(a.Origin, origin)
	a.Sides = append(a.Sides, p.side)
	numbers, bound := []float64{p.from, p.to, p.length}, p.bound()
	if r.summed {
		numbers, bound = numbers[2:], p.lengthBound
	}
	for i, x := range append(numbers, bound) {
		a.Numbers[i] = append(a.Numbers[i], x)
	}
	var integers []int64
	if _, all := r.BodyChoice(); all {
		a.Words[0] = append(a.Words[0], p.solids)
	} else if r.Body != "" {
		integers = append(integers, p.body)
	}
	if r.summed {
		integers = append(integers, p.count)
	}
	for i, n := range integers {
		a.Integers[i] = append(a.Integers[i], n)
	}
}
