package inpoly

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// A batch that needs the tree first ends with its context while the tree is being
// built; the next call builds it.
func TestBatchesWaitForTree(t *testing.T) {
	pts := make([]r3.Vector, 100)
	grid := Grid{Counts: [3]int{10, 5, 2}}
	for name, call := range map[string]func(context.Context, *Solid) error{
		"DistancesTo": func(ctx context.Context, s *Solid) error {
			return s.DistancesTo(ctx, make([]float64, len(pts)), make([]int32, len(pts)), pts)
		},
		"SidesTo":     func(ctx context.Context, s *Solid) error { return s.SidesTo(ctx, make([]Side, len(pts)), pts) },
		"SidesGridTo": func(ctx context.Context, s *Solid) error { return s.SidesGridTo(ctx, make([]Side, len(pts)), grid) },
	} {
		for _, workers := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) {
				s, err := NewSolid(t.Context(), mesh.Sphere(2), Options{Method: Cells, Tolerance: 0.1, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				builds := 0
				s.tree = newLazy(func(ctx context.Context) (*tree, error) {
					if builds++; builds == 1 {
						<-ctx.Done() // a build that takes for ever
						return nil, ctx.Err()
					}
					return s.newTree(ctx)
				})
				ctx, cancel := context.WithCancel(t.Context())
				got := make(chan error, 1)
				go func() { got <- call(ctx, s) }()
				synctest.Wait()
				if builds != 1 {
					t.Errorf("%s, %d workers: %d builds, want 1 under way", name, workers, builds)
				}
				cancel()
				if err := <-got; !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %d workers: %v, want %v", name, workers, err, context.Canceled)
				}
				synctest.Wait()
				if err := call(t.Context(), s); err != nil || builds != 2 {
					t.Errorf("%s, %d workers: %v after %d builds, want no error after 2", name, workers, err, builds)
				}
			})
		}
	}
}
