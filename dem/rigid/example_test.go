package rigid_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// A tetrahedron falls on the ground. The run is saved and continued.
func Example() {
	ctx := context.Background()
	solid := func(vertices []r3.Vector, faces ...[3]int32) *inpoly.Solid {
		m, err := mesh.New(ctx, mesh.Soup{Vertices: vertices, Faces: faces}, mesh.Options{})
		if err != nil {
			log.Fatal(err)
		}
		s, err := inpoly.New(ctx, m, inpoly.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return s
	}
	stone, err := rigid.NewPolyhedron(ctx, solid([]r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		[3]int32{0, 2, 1}, [3]int32{0, 1, 3}, [3]int32{0, 3, 2}, [3]int32{1, 2, 3}))
	if err != nil {
		log.Fatal(err)
	}
	ground := solid([]r3.Vector{{X: -9, Y: -9}, {X: 9, Y: -9}, {Y: 9}}, [3]int32{0, 1, 2})
	scene := rigid.Scene{
		Bodies:  []rigid.Body{{Shape: stone, Pose: pose.At(r3.Vector{Z: .5}), Density: 2000}},
		Walls:   []rigid.Wall{{Solid: ground, Thickness: .3}},
		Gravity: r3.Vector{Z: -9.81},
	}
	options := rigid.Options{
		TimeStep: 1e-4,
		Law:      rigid.Linear{Surface: rigid.Spring{Stiffness: 1e6, Damping: 1e4}, Friction: .5},
	}
	world, err := rigid.New(ctx, scene, options)
	if err != nil {
		log.Fatal(err)
	}
	walk := func(until float64) {
		for world.Time() < until {
			if err := world.Step(ctx); err != nil {
				log.Fatal(err)
			}
		}
	}
	walk(.2)
	var file bytes.Buffer
	if err := world.Save(&file); err != nil {
		log.Fatal(err)
	}
	if world, err = rigid.Load(ctx, &file, scene, options); err != nil {
		log.Fatal(err)
	}
	walk(2)
	fmt.Printf("%d vertices touch the ground, and the center of mass is at z = %.2f\n", len(world.Contacts()), world.Center(0).Z)
	// Output: 3 vertices touch the ground, and the center of mass is at z = 0.25
}
