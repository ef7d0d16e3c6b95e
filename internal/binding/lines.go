package binding

import (
	"context"
	"errors"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/rays"
	"github.com/inpoly/inpoly/side"
)

// Lines are rays or segments.
type Lines struct {
	Starts []r3.Vector
	// Vectors are the directions of rays, or the ends of segments.
	Vectors  []r3.Vector
	Segments bool
}

func (l *Lines) check() error {
	if len(l.Starts) != len(l.Vectors) {
		return fmt.Errorf("%w: %d starts and %d %s", ErrArgument, len(l.Starts), len(l.Vectors), l.vectors())
	}
	return nil
}

func (l *Lines) vectors() string {
	if l.Segments {
		return "ends"
	}
	return "directions"
}

// Hits holds the slices that FirstHitsTo writes to, with one element for each line. It does not write
// to slices that are nil. The fields are those of rays.Hit.
type Hits struct {
	T, Bound []float64
	// Face is the face, with its index in the file or array of the solid Body. Both are −1 if the line
	// meets no face.
	Face, Body []int32
	Sign, Jump []int8
}

func (h *Hits) check(n int) error {
	for _, l := range []struct {
		name   string
		length int
		isNil  bool
	}{
		{"parameters", len(h.T), h.T == nil}, {"bounds", len(h.Bound), h.Bound == nil},
		{"faces", len(h.Face), h.Face == nil}, {"bodies", len(h.Body), h.Body == nil},
		{"signs", len(h.Sign), h.Sign == nil}, {"jumps", len(h.Jump), h.Jump == nil},
	} {
		if !l.isNil && l.length != n {
			return fmt.Errorf("%w: %d %s for %d lines", ErrArgument, l.length, l.name, n)
		}
	}
	return nil
}

// HitList holds all hits of several lines. Those of line i have the indexes Offsets[i] to
// Offsets[i+1]−1, in exact order.
type HitList struct {
	Offsets []int64
	Hits
}

// IntervalList holds the intervals of several lines. Those of line i have the indexes Offsets[i] to
// Offsets[i+1]−1. The fields are those of rays.Interval.
type IntervalList struct {
	Offsets                []int64
	Side                   []side.Side
	FromSegment, ToSegment []int32
	From, FromBound        []float64
	To, ToBound            []float64
	Length, LengthBound    []float64
	Unsampled              []int64 // numbers of lines; see rays.Intervals
}

// lineChunk is the number of lines between two reports of progress (tuning).
const lineChunk = 1 << 16

// FirstHitsTo finds the first hit of each line; see rays.FirstTo. If several solids are open, it is the
// first hit with any of them. It calls progress, unless it is nil, after each part of the lines.
//
// Errors: ErrArgument if the length of a slice is wrong; the error of ctx. After an error, the contents of dst are not specified.
func (s *Solid) FirstHitsTo(ctx context.Context, dst Hits, lines Lines, progress func(done, total int64)) error {
	if err := dst.check(len(lines.Starts)); err != nil {
		return err
	}
	found := make([]rays.GroupHit, min(lineChunk, len(lines.Starts)))
	return s.cast(ctx, &lines, progress, func(ctx context.Context, all *rays.Group, lo int, r []rays.Ray, g []rays.Segment) error {
		n := max(len(r), len(g))
		if err := either(r, g, func() error { return rays.GroupFirstTo(ctx, all, found[:n], r) }, func() error { return rays.GroupFirstTo(ctx, all, found[:n], g) }); err != nil {
			return err
		}
		for i, h := range found[:n] {
			dst.put(s, lo+i, h)
		}
		return nil
	})
}

// AnyHitsTo writes to dst whether each line meets a face; see rays.AnyTo and FirstHitsTo.
func (s *Solid) AnyHitsTo(ctx context.Context, dst []bool, lines Lines, progress func(done, total int64)) error {
	if len(dst) != len(lines.Starts) {
		return fmt.Errorf("%w: %d answers for %d lines", ErrArgument, len(dst), len(lines.Starts))
	}
	return s.cast(ctx, &lines, progress, func(ctx context.Context, all *rays.Group, lo int, r []rays.Ray, g []rays.Segment) error {
		part := dst[lo : lo+max(len(r), len(g))]
		return either(r, g, func() error { return rays.GroupAnyTo(ctx, all, part, r) }, func() error { return rays.GroupAnyTo(ctx, all, part, g) })
	})
}

// AllHits returns all hits of the lines; see rays.AllTo and FirstHitsTo.
func (s *Solid) AllHits(ctx context.Context, lines Lines, progress func(done, total int64)) (*HitList, error) {
	list := &HitList{Offsets: make([]int64, 1, len(lines.Starts)+1)}
	var found rays.GroupHits
	err := s.cast(ctx, &lines, progress, func(ctx context.Context, all *rays.Group, _ int, r []rays.Ray, g []rays.Segment) error {
		if err := either(r, g, func() error { return rays.GroupAllTo(ctx, all, &found, r) }, func() error { return rays.GroupAllTo(ctx, all, &found, g) }); err != nil {
			return err
		}
		first := len(list.T)
		list.Hits.grow(len(found.Hits))
		for i, h := range found.Hits {
			list.Hits.put(s, first+i, h)
		}
		for _, o := range found.Offsets[1:] {
			list.Offsets = append(list.Offsets, int64(first+o))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func either(r []rays.Ray, g []rays.Segment, ofRays, ofSegments func() error) error {
	if len(g) > 0 {
		return ofSegments()
	}
	return ofRays()
}

// grow appends n elements to each slice.
func (h *Hits) grow(n int) {
	h.T, h.Bound = append(h.T, make([]float64, n)...), append(h.Bound, make([]float64, n)...)
	h.Face, h.Body = append(h.Face, make([]int32, n)...), append(h.Body, make([]int32, n)...)
	h.Sign, h.Jump = append(h.Sign, make([]int8, n)...), append(h.Jump, make([]int8, n)...)
}

// put writes hit i to the slices that are not nil.
func (h *Hits) put(s *Solid, i int, hit rays.GroupHit) {
	if h.T != nil {
		h.T[i] = hit.T
	}
	if h.Bound != nil {
		h.Bound[i] = hit.Bound
	}
	if h.Face != nil {
		h.Face[i] = -1
		if hit.Face >= 0 {
			h.Face[i] = s.FileFace(int(hit.Target), hit.Face)
		}
	}
	if h.Body != nil {
		h.Body[i] = hit.Target
	}
	if h.Sign != nil {
		h.Sign[i] = hit.Sign
	}
	if h.Jump != nil {
		h.Jump[i] = hit.Jump
	}
}

// cast calls f for chunks of the lines, either as rays or as segments. lo is the number of the first line.
func (s *Solid) cast(ctx context.Context, lines *Lines, progress func(done, total int64), f func(ctx context.Context, all *rays.Group, lo int, r []rays.Ray, g []rays.Segment) error) error {
	if err := lines.check(); err != nil {
		return err
	}
	all, err := s.group.Get(ctx)
	if err != nil {
		return err
	}
	var r []rays.Ray
	var g []rays.Segment
	return inChunks(ctx, len(lines.Starts), progress, func(lo, hi int) error {
		r, g = r[:0], g[:0]
		for i := lo; i < hi; i++ {
			if lines.Segments {
				g = append(g, rays.Segment{A: lines.Starts[i], B: lines.Vectors[i]})
			} else {
				r = append(r, rays.Ray{Origin: lines.Starts[i], Direction: lines.Vectors[i]})
			}
		}
		return f(ctx, all, lo, r, g)
	})
}

// inChunks calls f for parts of n lines, and progress after each part. Errors about a line get its
// number.
func inChunks(ctx context.Context, n int, progress func(done, total int64), f func(lo, hi int) error) error {
	for lo := 0; lo < n; lo += lineChunk {
		hi := min(n, lo+lineChunk)
		if err := f(lo, hi); err != nil {
			return lineError(err, lo)
		}
		if progress != nil {
			progress(int64(hi), int64(n))
		}
	}
	return ctx.Err()
}

// lineError turns an error of package rays about line i of a chunk into one about line lo+i.
func lineError(err error, lo int) error {
	var input *rays.InputError
	switch {
	case errors.As(err, &input):
		return fmt.Errorf("%w: %w", ErrArgument, &rays.InputError{Index: lo + input.Index, Err: input.Err})
	case errors.Is(err, rays.ErrStep):
		return fmt.Errorf("%w: %w", ErrArgument, err)
	}
	return err
}

// caster returns the Caster of solid i.
func (s *Solid) caster(ctx context.Context, index int) (*rays.Caster, error) {
	if err := s.checkIndex(index); err != nil {
		return nil, err
	}
	if s.Len() == 1 {
		all, err := s.group.Get(ctx)
		if err != nil {
			return nil, err
		}
		return all.Caster(0), nil
	}
	return s.casters[index].Get(ctx)
}

// checkIndex returns an error unless there is a solid with this number.
func (s *Solid) checkIndex(index int) error {
	if index < 0 || index >= s.Len() {
		return fmt.Errorf("%w: the number of the solid is %d, but there are %d solids", ErrArgument, index, s.Len())
	}
	return nil
}

// Intervals divides the segments into intervals inside and outside solid number index; see
// rays.IntervalsTo, which also describes step. It calls progress, unless it is nil, after each part of
// the segments.
//
// Errors: ErrArgument if the lines are not segments or if an argument is out of range; the error of ctx.
func (s *Solid) Intervals(ctx context.Context, index int, lines Lines, step float64, progress func(done, total int64)) (*IntervalList, error) {
	if !lines.Segments {
		return nil, fmt.Errorf("%w: intervals need segments, not rays", ErrArgument)
	}
	if err := lines.check(); err != nil {
		return nil, err
	}
	var segments []rays.Segment
	return s.intervals(ctx, index, len(lines.Starts), progress, func(c *rays.Caster, dst *rays.Intervals, lo, hi int) error {
		segments = segments[:0]
		for i := lo; i < hi; i++ {
			segments = append(segments, rays.Segment{A: lines.Starts[i], B: lines.Vectors[i]})
		}
		return rays.IntervalsTo(ctx, c, dst, segments, step)
	})
}

// PolylineIntervals does for polylines what Intervals does for segments; see rays.PolylinesTo. Polyline
// i has the points offsets[i] to offsets[i+1]−1. Errors: also ErrArgument if the offsets are not
// ascending numbers from 0 to the number of points.
func (s *Solid) PolylineIntervals(ctx context.Context, index int, points []r3.Vector, offsets []int64, step float64, progress func(done, total int64)) (*IntervalList, error) {
	if err := checkOffsets(offsets, len(points)); err != nil {
		return nil, err
	}
	var polylines [][]r3.Vector
	return s.intervals(ctx, index, len(offsets)-1, progress, func(c *rays.Caster, dst *rays.Intervals, lo, hi int) error {
		polylines = polylines[:0]
		for i := lo; i < hi; i++ {
			polylines = append(polylines, points[offsets[i]:offsets[i+1]])
		}
		return rays.PolylinesTo(ctx, c, dst, polylines, step)
	})
}

func checkOffsets(offsets []int64, points int) error {
	if len(offsets) == 0 || offsets[0] != 0 || offsets[len(offsets)-1] != int64(points) {
		return fmt.Errorf("%w: the offsets of polylines must begin with 0 and end with the number of points, %d", ErrArgument, points)
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return fmt.Errorf("%w: the offset %d of polyline %d is less than the one before it, %d", ErrArgument, offsets[i], i, offsets[i-1])
		}
	}
	return nil
}

func (s *Solid) intervals(ctx context.Context, index, n int, progress func(done, total int64), divide func(c *rays.Caster, dst *rays.Intervals, lo, hi int) error) (*IntervalList, error) {
	c, err := s.caster(ctx, index)
	if err != nil {
		return nil, err
	}
	list := &IntervalList{Offsets: make([]int64, 1, n+1)}
	var found rays.Intervals
	err = inChunks(ctx, n, progress, func(lo, hi int) error {
		if err := divide(c, &found, lo, hi); err != nil {
			return err
		}
		first := len(list.Side)
		for i := range found.Intervals {
			list.add(&found.Intervals[i])
		}
		for _, o := range found.Offsets[1:] {
			list.Offsets = append(list.Offsets, int64(first+o))
		}
		for _, i := range found.Unsampled {
			list.Unsampled = append(list.Unsampled, int64(lo+i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (l *IntervalList) add(v *rays.Interval) {
	l.Side = append(l.Side, v.Side)
	l.FromSegment, l.ToSegment = append(l.FromSegment, v.FromSegment), append(l.ToSegment, v.ToSegment)
	l.From, l.FromBound = append(l.From, v.From), append(l.FromBound, v.FromBound)
	l.To, l.ToBound = append(l.To, v.To), append(l.ToBound, v.ToBound)
	l.Length, l.LengthBound = append(l.Length, v.Length), append(l.LengthBound, v.LengthBound)
}
