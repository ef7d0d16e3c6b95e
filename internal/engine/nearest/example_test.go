package nearest_test

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/mesh"
)

func ExampleSearcher_Closest() {
	ctx := context.Background()
	m, err := mesh.New(context.Background(), mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 4}, {Y: 4}},
		Faces:    [][3]int32{{0, 1, 2}},
	}, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := m.Index(ctx, bvh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := nearest.New(x)
	var st nearest.Scratch
	r := s.Closest(r3.Vector{X: 1, Y: 1, Z: -2}, &st)
	fmt.Println(r.Distance, r.Face, r.Point.X, r.Point.Y, r.Point.Z)
	fmt.Println(s.Within(r3.Vector{X: 5}, 1, &st))
	// Output:
	// 2 0 1 1 0
	// true
}
