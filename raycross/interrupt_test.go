package raycross

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// countdown is a context that ends after a given number of calls of Err.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func newCountdown(t *testing.T, looks int) *countdown {
	return &countdown{Context: t.Context(), left: looks, done: make(chan struct{})}
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		close(c.done)
	}
	if c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// If points take more work, a worker processes fewer points between two checks of the context.
func TestInterruptCountsWork(t *testing.T) {
	m := testmesh.Mesh(testmesh.Triangles(3000, 1)) // the mesh has 9,000 boundary edges
	c := newCaster(t, m, Options{})
	pts := tries(m, 4000, 9)
	for _, workers := range []int{1, 2} {
		ctx := newCountdown(t, 6)
		dst := make([]side.Side, len(pts))
		if _, err := c.SidesTo(ctx, dst, pts, workers); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want %v", err, context.Canceled)
		}
		answered := 0
		for _, s := range dst {
			if s != side.Unknown {
				answered++
			}
		}
		// Between two checks, a worker does checkWork units of work and finishes one more point. A
		// point takes at least 9,000 units, one for each boundary edge. Only points on the surface
		// take less, so the bound has a margin.
		if most := (6 + workers) * (checkWork/9000 + 2); answered > most {
			t.Errorf("%d workers: %d points answered in 6 checks of the context, want at most %d", workers, answered, most)
		}
	}
}

// A sum in arbitrary precision over a large boundary stops when the context ends. The side of the
// point is then Unknown.
func TestInterruptReference(t *testing.T) {
	// The cube lacks its side x = 0, so it adds 1/2 to W in the hole. The soup and its mirror image
	// add 0 to W in the plane x = 0. So W equals the threshold 1/2 exactly, and arithmetic in
	// float64 cannot decide the side.
	soup := testmesh.Translate(testmesh.Triangles(2000, 2), r3.Vector{X: 2})
	mirror := testmesh.Move(soup, func(p r3.Vector) r3.Vector { return r3.Vector{X: -p.X, Y: p.Y, Z: p.Z} })
	m := testmesh.Mesh(testmesh.Union(testmesh.Without(testmesh.UnitCube(), 0, 1), soup, mirror))
	c := newCaster(t, m, Options{})
	p := r3.Vector{Y: .5, Z: .5}
	done := make(chan struct{})
	close(done)
	s := Scratch{Done: done}
	if got := c.Side(p, &s); got != side.Unknown || s.Stats().Reference != 1 {
		t.Errorf("interrupted: %v after %d sums in arbitrary precision, want Unknown after 1", got, s.Stats().Reference)
	}
}

// In a planar hole, W is equal to the threshold 1/2. This is decided without arbitrary precision,
// whose cost grows with the number of boundary edges.
func TestPlanarHole(t *testing.T) {
	m := testmesh.Mesh(testmesh.Without(testmesh.UnitCube(), 0, 1)) // without the side x = 0
	for rule, want := range map[side.Rule]side.Side{
		side.NonZero: side.Unknown, side.Positive: side.Unknown, side.Negative: side.Outside, side.EvenOdd: side.Unknown,
	} {
		c := newCaster(t, m, Options{Rule: rule})
		for i := range 7 {
			p := r3.Vector{Y: 1.0 / 8, Z: float64(i+1) / 8}
			for x, want := range map[float64]side.Side{
				0: want, 0x1p-52: side.Inside, -0x1p-52: side.Outside,
			} {
				if rule == side.Negative {
					want = side.Outside
				}
				var s Scratch
				p.X = x
				if got := c.Side(p, &s); got != want || x == 0 && s.Stats().Reference != 0 {
					t.Errorf("%v, %v: %v after %d sums in arbitrary precision, want %v", rule, p, got, s.Stats().Reference, want)
				}
			}
		}
	}
}

// Each point lies very close to an edge of a zero-area face or of an open mesh. No fixed precision
// resolves the distance from the edge. All rays must result in the same side.
func TestPointsBesideEdges(t *testing.T) {
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	two := mesh.Soup{
		Vertices: []r3.Vector{at(0, 0, 0), at(1, 0, 0), at(.5, 1, 0), at(-1, -1, .21), at(2, -1, .2), at(.5, 2, .2)},
		Faces:    [][3]int32{{0, 1, 2}, {3, 4, 5}},
	}
	whisker := testmesh.Union(testmesh.Cube(at(1, -1, -1), at(3, 1, 1)), mesh.Soup{
		Vertices: []r3.Vector{at(-2, 0, 0), at(-1, 0, 0), at(.5, 0, 0)}, Faces: [][3]int32{{0, 1, 2}},
	})
	for name, tc := range map[string]struct {
		soup mesh.Soup
		p    r3.Vector
		want side.Side
	}{
		"open faces":         {two, at(.5, -1.175e-101, 9.93e-101), side.Outside},
		"open faces, 1e-300": {two, at(.5, -1.175e-300, 9.93e-301), side.Outside},
		"one face flipped":   {testmesh.Flip(two, 1), at(.5, -1.175e-101, 9.93e-101), side.Inside},
		"zero-area whisker":  {whisker, at(-1.5, 1e-100, 3e-101), side.Outside},
		"whisker, 1e-300":    {whisker, at(-1.5, 1e-300, 3e-301), side.Outside},
	} {
		t.Run(name, func(t *testing.T) {
			m := testmesh.Mesh(tc.soup)
			for seed := range uint64(20) {
				var s Scratch
				if got := newCaster(t, m, Options{Seed: seed}).Side(tc.p, &s); got != tc.want {
					t.Errorf("seed %d: %v, want %v", seed, got, tc.want)
				}
			}
		})
	}
}

// The coordinates of the mesh are at most m. m² does not overflow, but the products in edge
// functions can be as large as (1.25·m)² and overflow.
func TestEdgeFunctionsOverflow(t *testing.T) {
	const m = 1.2067027136948338e154
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	mesh := testmesh.Mesh(mesh.Soup{
		Vertices: []r3.Vector{
			at(1.2067027136948333e154, 1.1768381962276266e154, 1.1418017957676959e154),
			at(1.206702713694833e154, 1.1768381962276266e154, 1.1418017957676959e154),
			at(1.2067027136948332e154, 1.1768381962276262e154, 1.1418017957676955e154),
			at(0, 0, 0), at(m, 0, 0), at(0, m, m),
		},
		Faces: [][3]int32{{0, 1, 2}, {3, 4, 5}},
	})
	p := at(1.0713635087790278e147, 9.733027586837637e150, 8.871687719977924e150)
	for seed := range uint64(50) {
		var s Scratch
		w, bound := newCaster(t, mesh, Options{Seed: seed}).Winding(p, &s)
		if w < 0.2465-bound || w > 0.2467+bound {
			t.Errorf("seed %d: W = %v ± %g, want 0.2466", seed, w, bound)
		}
	}
}
