package rays

import "context"

// Event is a point where a line meets one or more faces.
type Event struct {
	// T is the parameter of the point, and |T − t| ≤ Bound for the exact parameter t; see Hit.
	T, Bound float64
	// Jump is the change of W of the displaced line at the point: the sum of the Jumps of the hits.
	Jump int
	// The hits of the event are elements First to End−1 of Events.Hits.Hits; see Events.HitsOf.
	First, End int
}

// Events holds the events of a batch of lines. EventsTo reuses the slices of earlier calls.
type Events struct {
	Events []Event
	// Offsets has one more element than the batch has lines. The events of line i are
	// Events[Offsets[i]:Offsets[i+1]].
	Offsets []int
	Hits    Hits // all hits of the lines, as from AllTo
}

// Of returns the events of line i.
func (e *Events) Of(i int) []Event { return e.Events[e.Offsets[i]:e.Offsets[i+1]] }

// HitsOf returns the hits of the event x, which must be an element of e.Events.
func (e *Events) HitsOf(x Event) []Hit { return e.Hits.Hits[x.First:x.End] }

// EventsTo writes the events of the lines to dst, in the exact order of their parameters. An event
// has all hits of equal parameters. So two faces that a line meets in their common edge are one
// event, and two events of a line are different points, even if their fields T are equal.
//
// If a line touches an edge of a closed mesh from inside, for example, the Jumps of the two hits
// cancel, and the Jump of the event is 0.
//
// A face whose plane contains the line belongs to the event where the line enters the face. Where
// the line leaves this face, there is an event only if the line meets another face there for the
// first time. IntervalsTo returns such parts of a segment as intervals on the surface.
//
// A line that is not valid has one event, with the single hit that AllTo returns.
//
// Errors: the errors of AllTo. After an error, dst has no lines.
func EventsTo[L Line](ctx context.Context, c *Caster, dst *Events, lines []L) error {
	dst.Hits.reset()
	dst.Events, dst.Offsets = dst.Events[:0], append(dst.Offsets[:0], 0)
	err := c.ordered(ctx, len(lines), func(s *scratch, lo, hi int) {
		eachGathered(c, s, lines[lo:hi], func(_ int, l *line, near []candidate) {
			c.all(l, s, near, false)
			s.eventCounts = append(s.eventCounts, s.keepEvents())
			s.keepHits()
		})
	}, func(s *scratch) {
		base := len(dst.Hits.Hits)
		for _, e := range s.events {
			e.First, e.End = e.First+base, e.End+base
			dst.Events = append(dst.Events, e)
		}
		dst.Offsets = addOffsets(dst.Offsets, s.eventCounts)
		s.events, s.eventCounts = s.events[:0], s.eventCounts[:0]
		s.flushHits(&dst.Hits)
	})
	if err != nil {
		dst.Hits.reset()
		dst.Events, dst.Offsets = dst.Events[:0], dst.Offsets[:1]
	}
	return err
}

// keepEvents appends the events of s.hits to s.events and returns their number. The caller must
// then append these hits to s.found; the fields First and End are already indexes in s.found.
func (s *scratch) keepEvents() (n int) {
	for k := range s.hits {
		h := &s.hits[k]
		if !h.equal {
			first := len(s.found) + k
			s.events = append(s.events, Event{T: h.at.t, Bound: h.at.bound, First: first, End: first})
			n++
		}
		e := &s.events[len(s.events)-1]
		e.Jump += int(h.jump)
		e.End++
	}
	return n
}
