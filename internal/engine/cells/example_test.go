package cells_test

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

func ExampleIndex_SidesTo() {
	m := testmesh.Sphere(5) // m has 8,192 triangles
	ctx := context.Background()
	index, err := cells.New(ctx, m, cells.Options{
		// The index calls Rays only if some point needs a ray.
		Rays: func(ctx context.Context) (*raycross.Caster, error) {
			x, err := m.Index(ctx, bvh.Options{})
			if err != nil {
				return nil, err
			}
			return raycross.New(x, raycross.Options{})
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	pts := []r3.Vector{{X: 0.5}, {X: 1}, {X: 1.5}}
	sides := make([]side.Side, len(pts))
	if _, err := index.SidesTo(ctx, sides, pts, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sides)
	// Output: [in on out]
}

func ExampleIndex_SidesGridTo() {
	m := testmesh.Sphere(4)
	ctx := context.Background()
	index, err := cells.New(ctx, m, cells.Options{Rays: raysOf(m, side.NonZero)})
	if err != nil {
		fmt.Println(err)
		return
	}
	grid := side.Grid{
		Origin:  r3.Vector{X: -1, Y: -1, Z: -1},
		Spacing: r3.Vector{X: 0.02, Y: 0.02, Z: 0.02},
		Counts:  [3]int{101, 101, 101},
	}
	n, err := grid.Len()
	if err != nil {
		fmt.Println(err)
		return
	}
	sides := make([]side.Side, n)
	if _, err := index.SidesGridTo(ctx, sides, grid, 0); err != nil {
		fmt.Println(err)
		return
	}
	inside := 0
	for _, s := range sides {
		if s == side.Inside {
			inside++
		}
	}
	// The volume of the unit ball is 4π/3 = 4.19. The mesh is inscribed in the unit sphere, so its
	// volume is smaller.
	fmt.Printf("volume about %.2f\n", float64(inside)*0.02*0.02*0.02)
	// Output: volume about 4.16
}
