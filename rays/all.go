package rays

import (
	"context"
	"slices"

	"github.com/inpoly/inpoly/internal/par"
)

// Hits holds all hits of a batch of lines. AllTo reuses the slices of earlier calls.
type Hits struct {
	Hits []Hit
	// Offsets has one more element than the batch has lines. The hits of line i are
	// Hits[Offsets[i]:Offsets[i+1]].
	Offsets []int
}

// Of returns the hits of line i.
func (h *Hits) Of(i int) []Hit { return h.Hits[h.Offsets[i]:h.Offsets[i+1]] }

// AllTo writes all hits of the lines to dst. The hits of a line have the exact order of their
// parameters. Hits with equal parameters are in the order of their faces. Every face that a line
// meets occurs once, even if the line only touches it or lies in its plane. A line that is not
// valid (see Ray.Check) has one hit, with the Face −1 and with T = NaN.
//
// Errors: the error of ctx if ctx ends first. Then dst has no lines. AllTo allocates memory for
// dst, working memory, and memory for arbitrary-precision arithmetic.
func AllTo[L Line](ctx context.Context, c *Caster, dst *Hits, lines []L) error {
	dst.reset()
	err := c.ordered(ctx, len(lines), func(s *scratch, lo, hi int) {
		eachGathered(c, s, lines[lo:hi], func(_ int, l *line, near []candidate) {
			c.all(l, s, near, false)
			s.keepHits()
		})
	}, func(s *scratch) { s.flushHits(dst) })
	if err != nil {
		dst.reset()
	}
	return err
}

// reset removes all lines from h.
func (h *Hits) reset() { h.Hits, h.Offsets = h.Hits[:0], append(h.Offsets[:0], 0) }

// keepHits appends s.hits to the hits of the block.
func (s *scratch) keepHits() {
	s.counts = append(s.counts, len(s.hits))
	for k := range s.hits {
		s.found = append(s.found, s.hits[k].public())
	}
}

// flushHits moves the hits of the block to dst.
func (s *scratch) flushHits(dst *Hits) {
	dst.Hits = append(dst.Hits, s.found...)
	dst.Offsets = addOffsets(dst.Offsets, s.counts)
	s.counts, s.found = s.counts[:0], s.found[:0]
}

// addOffsets appends the ends of lists to offsets. The lists have the given lengths.
func addOffsets(offsets, lengths []int) []int {
	end := offsets[len(offsets)-1]
	for _, n := range lengths {
		end += n
		offsets = append(offsets, end)
	}
	return offsets
}

// ordered calls work for blocks of n lines on several workers. For each finished block, in
// ascending order of the blocks, it calls then with the scratch of the worker.
func (c *Caster) ordered(ctx context.Context, n int,
	work func(s *scratch, lo, hi int), then func(s *scratch)) error {
	scratches := c.scratches(ctx, n)
	return par.Ordered(ctx, n, blockSize, len(scratches), func(worker, lo, hi int) {
		work(&scratches[worker], lo, hi)
	}, func(worker, _, _ int) { then(&scratches[worker]) })
}

// all sets s.hits to all hits of l, in order. near are the candidates of l. If ends is true and a
// hit has on = +1, s.hits also contains the end of this hit. Hits with equal parameters get equal
// fields t and bound. The fields t ascend. If the context ends, the result has no meaning.
func (c *Caster) all(l *line, s *scratch, near []candidate, ends bool) {
	s.hits = s.hits[:0]
	if l.bad {
		s.hits = append(s.hits, noAnswer())
		return
	}
	for _, x := range near {
		if s.patience.ended() {
			return
		}
		n := len(s.hits)
		s.hits = append(s.hits, hit{})
		h := &s.hits[n]
		if !c.meet(l, x.tri, x.sign, &s.signs, h) {
			s.hits = s.hits[:n]
			continue
		}
		if ends && h.on != 0 {
			s.hits = append(s.hits, hit{at: h.end, face: h.face, on: -1})
		}
	}
	c.sort(l, s.hits, &s.patience)
}

// few is the largest number of hits that sort inserts one by one (tuning).
const few = 24

// sort sorts the hits and sets their fields equal. If p ends first, the result has no meaning.
func (c *Caster) sort(l *line, hits []hit, p *patience) {
	if len(hits) <= few {
		for i := 1; i < len(hits); i++ {
			for k := i; k > 0 && c.order(l, &hits[k], &hits[k-1]) < 0; k-- {
				hits[k], hits[k-1] = hits[k-1], hits[k]
			}
		}
	} else {
		slices.SortFunc(hits, func(g, h hit) int {
			if p.ended() {
				return 0
			}
			return c.order(l, &g, &h)
		})
	}
	for i := 1; i < len(hits) && !p.ended(); i++ {
		hits[i].equal = c.compare(l, &hits[i-1].at, &hits[i].at) == 0
	}
	// If two intervals overlap, compare has rounded the exact parameters, unless both parameters
	// refer to the same object. So copy the rounded values to equal parameters, in both directions.
	for i := len(hits) - 1; i > 0; i-- {
		hits[i-1].at.improve(&hits[i].at, hits[i].equal)
	}
	for i := 1; i < len(hits); i++ {
		hits[i].at.improve(&hits[i-1].at, hits[i].equal)
	}
}

// improve copies t and bound from q to p, if the parameters are equal and only q is rounded.
func (p *parameter) improve(q *parameter, equal bool) {
	if equal && q.rounded && !p.rounded {
		p.t, p.bound, p.rounded = q.t, q.bound, true
	}
}
