package collide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

func Example() {
	ctx := context.Background()
	ball, err := inpoly.New(ctx, testmesh.Sphere(3), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	world, err := collide.New(ctx, []collide.Body{
		{Solid: ball, Pose: pose.At(r3.Vector{})},
		{Solid: ball, Pose: pose.At(r3.Vector{Z: 3})},
	}, collide.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, z := range []float64{3, 1.96875} {
		if err := world.SetPose(1, pose.At(r3.Vector{Z: z})); err != nil {
			log.Fatal(err)
		}
		if err := world.Step(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println("height", z)
		for _, c := range world.Contacts() {
			fmt.Printf("node %d of body %d is in body %d at z = %g, depth %.3f\n", c.Node, c.A, c.B, c.Point.Z, c.Depth)
		}
	}
	fmt.Println("indexes built:", world.Stats().Indexes)
	// Output:
	// height 3
	// height 1.96875
	// node 4 of body 0 is in body 1 at z = 1, depth 0.031
	// node 5 of body 1 is in body 0 at z = 0.96875, depth 0.031
	// indexes built: 1
}

func ExampleTrianglesTouch() {
	floor := mesh.Triangle{{}, {X: 4}, {Y: 4}}
	needle := mesh.Triangle{{X: 1, Y: 1, Z: 1}, {X: 1, Y: 1, Z: -1}, {X: 1, Y: 1, Z: -1}} // a triangle without area
	fmt.Println(collide.TrianglesTouch(floor, needle))
	// Output: true
}
