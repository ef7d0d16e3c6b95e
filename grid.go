package inpoly

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"
)

// gridBlock is how many points of a grid are made at a time for methods that
// want them one by one: 3 MB, some batches for each worker of a common machine.
const gridBlock = 1 << 17

// SidesGridTo writes the side of every point of g to dst, in the order of their
// numbers; see Grid. The sides are those of SidesTo for the same points, which
// need not be stored: the method Cells fills rows of equal sides at once, and
// the others make the points block by block in constant memory. It panics if
// len(dst) is not the number of points. It fails if that overflows; when ctx ends
// first its error is returned, and dst holds Unknown where no answer was found.
func (s *Solid) SidesGridTo(ctx context.Context, dst []Side, g Grid) error {
	n, err := g.Len()
	if err != nil {
		return err
	}
	if n != len(dst) {
		panic(fmt.Sprintf("inpoly: dst has room for %d sides, the grid has %d points", len(dst), n))
	}
	if n == 0 {
		return ctx.Err()
	}
	if s.cells != nil && s.opt.Tolerance == 0 {
		_, err := s.cells.SidesGridTo(ctx, dst, g, s.opt.Workers)
		return err
	}
	clear(dst)
	pts := make([]r3.Vector, 0, min(n, gridBlock))
	done := 0
	flush := func() error {
		err := s.SidesTo(ctx, dst[done:done+len(pts)], pts)
		done, pts = done+len(pts), pts[:0]
		return err
	}
	for k := range g.Counts[2] {
		for j := range g.Counts[1] {
			for i := range g.Counts[0] {
				pts = append(pts, g.Point(i, j, k))
				if len(pts) == cap(pts) {
					if err := flush(); err != nil {
						return err
					}
				}
			}
		}
	}
	return flush()
}
