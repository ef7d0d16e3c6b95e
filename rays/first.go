package rays

import "context"

// FirstTo writes to dst[i] the first face that lines[i] meets: the hit with the least parameter. If
// several faces have this parameter, dst[i] is the hit of the face with the smallest number. A face
// that the line only touches counts. If the line meets no face, the field Face is −1.
//
// FirstTo panics if the lengths of dst and lines differ. Errors: an *InputError if a line is not
// valid, and then no element of dst is written; the error of ctx if ctx ends first, and then elements
// without an answer have the Face −1. FirstTo allocates only working memory, and in
// arbitrary-precision arithmetic.
func FirstTo[L Line](ctx context.Context, c *Caster, dst []Hit, lines []L) error {
	mustMatch(len(dst), len(lines))
	if err := check(lines); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = noHit()
	}
	return c.blocks(ctx, len(lines), func(s *scratch, lo, hi int) {
		for i := lo; i < hi; i++ {
			l := newLine(&lines[i])
			if h, ok := c.first(&l, s); ok {
				dst[i] = h.public()
			}
		}
	})
}

// first returns the first hit of l. ok is false if there is none.
func (c *Caster) first(l *line, s *scratch) (best hit, ok bool) {
	c.eachFace(l, s, func(i int32) {
		if h, met := c.meet(l, i, &s.signs); met && (!ok || c.order(l, &h, &best) < 0) {
			best, ok = h, true
		}
	})
	return best, ok
}

// AnyTo writes to dst[i] whether lines[i] meets a face. A face that the line only touches counts.
// AnyTo panics and returns errors as FirstTo does. Elements without an answer are false.
func AnyTo[L Line](ctx context.Context, c *Caster, dst []bool, lines []L) error {
	mustMatch(len(dst), len(lines))
	if err := check(lines); err != nil {
		return err
	}
	clear(dst)
	return c.blocks(ctx, len(lines), func(s *scratch, lo, hi int) {
		for i := lo; i < hi; i++ {
			l := newLine(&lines[i])
			dst[i] = c.any(&l, s)
		}
	})
}

func (c *Caster) any(l *line, s *scratch) (met bool) {
	c.eachFace(l, s, func(i int32) {
		if !met {
			_, met = c.meet(l, i, &s.signs)
		}
	})
	return met
}

func mustMatch(n, lines int) {
	if n != lines {
		panic("rays: the slices of answers and lines differ in length")
	}
}
