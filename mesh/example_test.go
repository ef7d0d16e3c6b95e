package mesh_test

import (
	"context"
	"fmt"
	"log"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

func ExampleNew() {
	// Two triangles of a square, each with corners of its own, as STL stores them.
	m, err := mesh.New(mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {X: 1, Y: 1}, {}, {X: 1, Y: 1}, {Y: 1}},
		Faces:    [][3]int32{{0, 1, 2}, {3, 4, 5}},
	}, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Vertices), "vertices, closed:", m.Closed())
	for _, e := range m.Boundary() {
		fmt.Println(e.A, e.B, e.Mult)
	}
	// Output:
	// 4 vertices, closed: false
	// 0 1 1
	// 0 3 -1
	// 1 2 1
	// 2 3 1
}

func ExampleMesh_Diagnose() {
	d, err := mesh.Sphere(4).Diagnose(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Triangles, "triangles, watertight:", d.Watertight)
	fmt.Printf("volume %.4f\n", d.Volume)
	// Output:
	// 2048 triangles, watertight: true
	// volume 4.1642
}

func ExampleMesh_Oriented() {
	m, orientation, err := mesh.Sphere(2).Flipped([]int32{3, 5}).Oriented(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("turned over:", orientation.Flipped)
	fmt.Println("closed:", m.Closed())
	// Output:
	// turned over: [3 5]
	// closed: true
}

func ExampleFoam() {
	m, err := mesh.Foam(mesh.FoamOptions{Resolution: 24, Cells: 2, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("closed:", m.Closed())
	// Output:
	// closed: true
}
