package raycross_test

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

func ExampleCaster() {
	ctx := context.Background()
	m, err := mesh.New(ctx, mesh.Soup{ // the tetrahedron at one corner of the unit cube
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	indexed, err := m.Index(ctx, bvh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := raycross.New(indexed, raycross.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var s raycross.Scratch
	for _, p := range []r3.Vector{{X: 0.25, Y: 0.25, Z: 0.25}, {X: 0.25, Y: 0.25}, {X: 1, Y: 1, Z: 1}} {
		w, bound := c.Winding(p, &s)
		fmt.Printf("%v %.3f %v\n", c.Side(p, &s), w, bound < 1e-14)
	}
	// Output:
	// in 1.000 true
	// on 0.500 true
	// out 0.000 true
}
