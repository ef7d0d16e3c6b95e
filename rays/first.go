package rays

import (
	"context"

	"github.com/inpoly/inpoly/internal/engine/raytree"
)

// FirstTo writes to dst[i] the first face that lines[i] meets: the hit with the least parameter. If
// several faces have this parameter, dst[i] is the hit of the face with the smallest number. A face
// that the line only touches counts. If the line meets no face, the field Face is −1. If the line
// is not valid (see Ray.Check), the field Face is −1 and T is NaN.
//
// FirstTo panics if the lengths of dst and lines differ. FirstTo allocates only working memory, and
// memory for arbitrary-precision arithmetic.
//
// Errors: the error of ctx if ctx ends first. Then elements without an answer have the Face −1.
func FirstTo[L Line](ctx context.Context, c *Caster, dst []Hit, lines []L) error {
	mustMatch(len(dst), len(lines))
	for i := range dst {
		dst[i] = noHit()
	}
	return c.blocks(ctx, len(lines), func(s *scratch, lo, hi int) {
		searchAll(c, s, lines[lo:hi], always, func(q *search, w *raytree.Walk, b raytree.Block) bool {
			each(b, func(tri int32, sign int8) {
				h := &q.best
				if q.ok {
					h = &q.other
				}
				if !c.meet(&q.line, tri, sign, &s.signs, h) || q.ok && c.order(&q.line, h, &q.best) >= 0 {
					return
				}
				if q.ok {
					q.best = *h
				}
				q.ok = true
				w.Limit(h.at.t + h.at.bound)
			})
			return true
		}, func(q *search) {
			if q.bad {
				q.best, q.ok = noAnswer(), true
			}
			if q.ok {
				dst[lo+q.number] = q.best.public()
			}
		})
	})
}

// AnyTo writes to dst[i] whether lines[i] meets a face. A face that the line only touches counts. A
// line that is not valid meets no face; see Ray.Check. AnyTo panics and returns errors as FirstTo
// does. After an error, elements without an answer are false.
func AnyTo[L Line](ctx context.Context, c *Caster, dst []bool, lines []L) error {
	mustMatch(len(dst), len(lines))
	clear(dst)
	return c.blocks(ctx, len(lines), func(s *scratch, lo, hi int) {
		searchAll(c, s, lines[lo:hi], always, func(q *search, _ *raytree.Walk, b raytree.Block) bool {
			each(b, func(tri int32, sign int8) {
				if !q.ok {
					q.ok = c.meet(&q.line, tri, sign, &s.signs, &q.best)
				}
			})
			return !q.ok
		}, func(q *search) { dst[lo+q.number] = q.ok })
	})
}

func mustMatch(n, lines int) {
	if n != lines {
		panic("rays: the slices of answers and lines differ in length")
	}
}
