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
// parameters. Hits with equal parameters are in the order of their faces. Every face that a line meets
// occurs once, even if the line only touches it or lies in its plane.
//
// Errors: an *InputError if a line is not valid; the error of ctx if ctx ends first. After an error,
// dst has no lines. AllTo allocates memory for dst and working memory, and in arbitrary-precision
// arithmetic.
func AllTo[L Line](ctx context.Context, c *Caster, dst *Hits, lines []L) error {
	dst.Hits, dst.Offsets = dst.Hits[:0], append(dst.Offsets[:0], 0)
	err := ordered(ctx, c, lines, func(s *scratch, i int) {
		l := newLine(&lines[i])
		c.all(&l, s)
		s.counts = append(s.counts, len(s.hits))
		for k := range s.hits {
			s.found = append(s.found, s.hits[k].public())
		}
	}, func(s *scratch) {
		for _, n := range s.counts {
			dst.Offsets = append(dst.Offsets, dst.Offsets[len(dst.Offsets)-1]+n)
		}
		dst.Hits = append(dst.Hits, s.found...)
		s.counts, s.found = s.counts[:0], s.found[:0]
	})
	if err != nil {
		dst.Hits, dst.Offsets = dst.Hits[:0], dst.Offsets[:1]
	}
	return err
}

// ordered checks the lines, and calls work for each line on several workers. After each block of lines
// it calls then with the scratch of the worker. The blocks ascend.
func ordered[L Line](ctx context.Context, c *Caster, lines []L, work func(s *scratch, i int), then func(s *scratch)) error {
	if err := check(lines); err != nil {
		return err
	}
	workers := min(par.Workers(c.set.Workers), (len(lines)+blockSize-1)/blockSize)
	scratches := make([]scratch, workers)
	return par.Ordered(ctx, len(lines), blockSize, workers, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			work(&scratches[worker], i)
		}
	}, func(worker, _, _ int) { then(&scratches[worker]) })
}

// all sets s.hits to all hits of l in their order. Hits with equal parameters have equal fields t and
// bound, and the fields t ascend.
func (c *Caster) all(l *line, s *scratch) {
	s.hits = s.hits[:0]
	c.eachFace(l, s, func(i int32) {
		if h, ok := c.meet(l, i, &s.signs); ok {
			s.hits = append(s.hits, h)
		}
	})
	slices.SortFunc(s.hits, func(g, h hit) int {
		if order := c.compare(l, &g.at, &h.at); order != 0 {
			return order
		}
		return int(g.face) - int(h.face)
	})
	for i := 1; i < len(s.hits); i++ {
		s.hits[i].equal = c.compare(l, &s.hits[i-1].at, &s.hits[i].at) == 0
	}
	// compare has rounded the exact parameters where intervals overlap. Parameters of the same object
	// can still differ in this.
	for i := len(s.hits) - 2; i >= 0; i-- {
		p, q := &s.hits[i].at, &s.hits[i+1].at
		if s.hits[i+1].equal && q.rounded && !p.rounded {
			p.t, p.bound, p.rounded = q.t, q.bound, true
		}
	}
	for i := 1; i < len(s.hits); i++ {
		p, q := &s.hits[i-1].at, &s.hits[i].at
		if s.hits[i].equal && p.rounded && !q.rounded {
			q.t, q.bound, q.rounded = p.t, p.bound, true
		}
	}
}
