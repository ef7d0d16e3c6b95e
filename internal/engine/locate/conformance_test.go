package locate_test

import (
	"context"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/locate/locatetest"
	"github.com/inpoly/inpoly/side"
)

// Every method that a caller can name meets the requirements for Locators.
func TestMethods(t *testing.T) {
	for _, m := range locate.Methods() {
		t.Run(m.Name, func(t *testing.T) {
			locatetest.Test(t, func(ctx context.Context, s *locate.Surface, w locate.Workload) (locate.Locator, error) {
				built, err := m.Build(ctx, s, w)
				return built.Locator, err
			})
		})
	}
}

// Every method for winding numbers meets the requirements for Locators, even on meshes for which
// the cost model prefers another method.
func TestWindingMethods(t *testing.T) {
	names := map[string]bool{}
	for _, edges := range []int{0, 1} {
		for _, m := range locate.WindingMethods(locate.Workload{BoundaryEdges: edges}) {
			names[m.Name] = true
		}
	}
	for name := range names {
		t.Run(name, func(t *testing.T) {
			locatetest.Test(t, func(ctx context.Context, s *locate.Surface, w locate.Workload) (locate.Locator, error) {
				for _, m := range locate.WindingMethods(w) {
					if m.Name == name {
						built, err := m.Build(ctx, s, w)
						return built.Locator, err
					}
				}
				return locate.Exact(s), nil // the method does not support this mesh
			})
		})
	}
}

// Sweeps, and the index that replaces them, meet the requirements for Locators.
func TestSwept(t *testing.T) {
	locatetest.Test(t, func(_ context.Context, s *locate.Surface, w locate.Workload) (locate.Locator, error) {
		if !s.Mesh().Closed() {
			return locate.Exact(s), nil
		}
		return locate.NewSwept(s, w), nil
	})
}

// outsideBox is a minimal Estimator. Outside the box of a closed mesh, its estimate is W = 0. For
// all other points it has no estimate.
type outsideBox struct {
	box    bvh.Box
	closed bool
}

func (o outsideBox) Estimate(p r3.Vector) locate.Estimate {
	return locate.Estimate{OK: o.closed && !o.box.Contains(p)}
}

func (o outsideBox) Prepare(context.Context, []r3.Vector, int) (locate.BatchEstimator, int) {
	return o, 1 << 10
}

func (o outsideBox) EstimateTo(ctx context.Context, dst []locate.Estimate, pts []r3.Vector) (side.Stats, error) {
	for i, p := range pts {
		dst[i] = o.Estimate(p)
	}
	return side.Stats{}, ctx.Err()
}

func (o outsideBox) Bytes() int64 { return 0 }

// A strategy needs only an Estimator to meet the requirements for Locators.
func TestToyStrategy(t *testing.T) {
	locatetest.Test(t, func(_ context.Context, s *locate.Surface, w locate.Workload) (locate.Locator, error) {
		m := s.Mesh()
		return locate.WithFallback(outsideBox{m.Box(), m.Closed()}, locate.Exact(s), w.Rule, w.Parity, w.Epsilon), nil
	})
}
