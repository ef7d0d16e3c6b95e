package locate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/side"
)

// A batch that needs the tree ends when its context ends, even while the tree is being built. The
// next call builds the tree.
func TestBatchesWaitForTree(t *testing.T) {
	pts := make([]r3.Vector, 100)
	grid := side.Grid{Counts: [3]int{10, 5, 2}}
	for name, call := range map[string]func(context.Context, *Set) error{
		"LocateTo": func(ctx context.Context, s *Set) error {
			_, err := s.LocateTo(ctx, newAnswers(len(pts)), pts, s.Workers)
			return err
		},
		"Index": func(ctx context.Context, s *Set) error { // a query for distances first calls this function
			_, err := s.Surface.Index(ctx)
			return err
		},
		"GridTo": func(ctx context.Context, s *Set) error {
			return s.Sides.GridTo(ctx, make([]side.Side, len(pts)), grid, s.Workers)
		},
	} {
		for _, workers := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) {
				set := newSet(t, testmesh.Mesh(testmesh.Star(3, .5, 1)), Cells, Workload{Tolerance: 0.1, Workers: workers})
				builds := 0
				set.Surface.index = lazy.New(func(ctx context.Context) (*Index, error) {
					if builds++; builds == 1 {
						<-ctx.Done() // simulates a build that takes forever
						return nil, ctx.Err()
					}
					return set.Surface.build(ctx)
				})
				ctx, cancel := context.WithCancel(t.Context())
				got := make(chan error, 1)
				go func() { got <- call(ctx, set) }()
				synctest.Wait()
				if builds != 1 {
					t.Errorf("%s, %d workers: %d builds, want 1", name, workers, builds)
				}
				cancel()
				if err := <-got; !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %d workers: %v, want %v", name, workers, err, context.Canceled)
				}
				synctest.Wait()
				if err := call(t.Context(), set); err != nil || builds != 2 {
					t.Errorf("%s, %d workers: %v after %d builds, want no error after 2", name, workers, err, builds)
				}
			})
		}
	}
}
