package mesh_test

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

func ExampleNew() {
	// The two triangles of a square share no corners, as in an STL file.
	m, err := mesh.New(context.Background(), mesh.Soup{
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

// The buffers have float32 coordinates and unsigned indices, as in graphics APIs.
func ExampleFromBuffers() {
	soup, err := mesh.FromBuffers([]float32{0, 0, 0, 1, 0, 0, 0, 1, 0}, []uint32{0, 1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mesh.NewOwned(context.Background(), soup, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NumFaces(), "face,", len(m.Boundary()), "boundary edges")
	// Output:
	// 1 face, 3 boundary edges
}

// tetrahedron returns a tetrahedron in which the given face is turned over.
func tetrahedron(flipped int) (*mesh.Mesh, error) {
	s := mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
	f := &s.Faces[flipped]
	f[1], f[2] = f[2], f[1]
	return mesh.NewOwned(context.Background(), s, mesh.Options{})
}

func ExampleMesh_Diagnose() {
	m, err := tetrahedron(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := m.Diagnose(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Triangles, "triangles, watertight:", d.Watertight)
	fmt.Println(d.MisorientedEdges, "edges with triangles that run the same way")
	// Output:
	// 4 triangles, watertight: false
	// 3 edges with triangles that run the same way
}

func ExampleMesh_Oriented() {
	m, err := tetrahedron(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, orientation, err := m.Oriented(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("turned over:", orientation.Flipped)
	fmt.Println("closed:", m.Closed())
	// Output:
	// turned over: [2]
	// closed: true
}

// The mesh has two components. Each component becomes a mesh of its own.
func ExampleMesh_Extract() {
	soup, err := mesh.FromBuffers(
		[]float64{0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0},
		[]int32{0, 1, 2, 3, 4, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mesh.NewOwned(context.Background(), soup, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels, n := m.Components()
	parts := make([][]int32, n)
	for f, l := range labels {
		parts[l] = append(parts[l], int32(f))
	}
	for _, faces := range parts {
		part, err := m.Extract(context.Background(), faces)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(part.Box().Min.X, part.Box().Max.X)
	}
	// Output:
	// 0 1
	// 5 6
}

// The spheres of figure 7 of Muth, Of, Eberhard, Steinbach 2006.
func ExampleSphere() {
	for _, refine := range []int{0, 3, 7} {
		m, err := mesh.Sphere(context.Background(), mesh.SphereOptions{Refine: refine})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.NumFaces(), m.Closed())
	}
	// Output:
	// 8 true
	// 512 true
	// 131072 true
}

// A foam like that of figure 11 of the same paper, which has 28,952 triangles.
func ExampleFoam() {
	m, err := mesh.Foam(context.Background(), mesh.FoamOptions{Cells: 27, Resolution: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.NumFaces(), m.Closed())
	// Output:
	// 28792 true
}
