package nearest

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// blockSize is the number of points that a worker answers before it looks at the
// context: about a millisecond of work.
const blockSize = 512

// ClosestTo writes the answer for pts[i] to dst[i], as Closest gives it, with the
// given number of workers (0 or less: all processors). The answers do not depend
// on that number. It panics if the lengths differ. If ctx ends first it returns
// the error of ctx; dst then holds NaN distances and face −1 where no answer was
// found.
func (s *Searcher) ClosestTo(ctx context.Context, dst []Result, pts []r3.Vector, workers int) error {
	if len(dst) != len(pts) {
		panic(fmt.Sprintf("nearest: %d results for %d points", len(dst), len(pts)))
	}
	nothing := none()
	for i := range dst {
		dst[i] = nothing
	}
	scratch := make([]Scratch, par.Workers(workers))
	err := par.Blocks(ctx, len(pts), blockSize, workers, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = s.Closest(pts[i], &scratch[worker])
		}
	})
	if err != nil {
		return fmt.Errorf("nearest: %w", err)
	}
	return nil
}
