package inpoly_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// tetrahedron is an OBJ file of a tetrahedron in a corner of the unit cube.
const tetrahedron = `
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
`

func ExampleRead() {
	solid, err := inpoly.Read(context.Background(), "corner.obj", strings.NewReader(tetrahedron), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []r3.Vector{{X: .1, Y: .1, Z: .1}, {X: 1, Y: 1, Z: 1}, {X: .5, Y: .25, Z: .25}} {
		fmt.Println(p.X, p.Y, p.Z, solid.Side(p))
	}
	// Output:
	// 0.1 0.1 0.1 in
	// 1 1 1 out
	// 0.5 0.25 0.25 on
}

func ExampleSolid_SidesTo() {
	ctx := context.Background()
	solid, err := inpoly.New(ctx, testmesh.Sphere(3), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	points := []r3.Vector{{}, {X: 2}, {Z: 1}}
	sides := make([]inpoly.Side, len(points))
	if err := solid.SidesTo(ctx, sides, points); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sides)
	// Output: [in out on]
}

// A row of grid points passes through a ball. Two of these points are the poles of the ball.
func ExampleSolid_SidesGridTo() {
	ctx := context.Background()
	solid, err := inpoly.New(ctx, testmesh.Sphere(3), inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		log.Fatal(err)
	}
	grid := inpoly.Grid{Origin: r3.Vector{Z: -1.5}, Spacing: r3.Vector{Z: 0.5}, Counts: [3]int{1, 1, 7}}
	sides := make([]inpoly.Side, 7)
	if err := solid.SidesGridTo(ctx, sides, grid); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sides)
	// Output: [out on in in in on out]
}

// Near a hole, the winding number is between 0 and 1.
func ExampleSolid_Winding() {
	open := strings.Replace(tetrahedron, "f 2 3 4\n", "", 1)
	solid, err := inpoly.Read(context.Background(), "open.obj", strings.NewReader(open), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	w, bound := solid.Winding(r3.Vector{X: .1, Y: .1, Z: .1})
	fmt.Printf("%.4f, error below 1e-14: %v, %v\n", w, bound < 1e-14, solid.Side(r3.Vector{X: .1, Y: .1, Z: .1}))
	fmt.Println(solid.Report().Warnings()[0])
	// Output:
	// 0.8128, error below 1e-14: true, in
	// the mesh is not closed: 3 open edges, 1 boundary piece; under the rule nonzero, a point with the winding number W is inside if |W| > 1/2 and uncertain if |W| = 1/2
}

func ExampleSolid_Distance() {
	solid, err := inpoly.Read(context.Background(), "corner.obj", strings.NewReader(tetrahedron), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	d, face := solid.Distance(r3.Vector{X: -2, Y: .25, Z: .25})
	fmt.Println(d, face)
	d, _ = solid.Distance(r3.Vector{X: .125, Y: .25, Z: .25})
	fmt.Println(d)
	// Output:
	// 2 2
	// -0.125
}

// Two tetrahedra that overlap are a closed mesh, but their faces cross.
func ExampleSolid_Intersections() {
	const second = `
v .25 .25 -1
v .75 .25 -1
v .25 .75 -1
v .25 .25 2
f 5 7 6
f 5 6 8
f 5 8 7
f 6 7 8
`
	ctx := context.Background()
	solid, err := inpoly.Read(ctx, "two.obj", strings.NewReader(tetrahedron+second), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := solid.Intersections(ctx, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("closed:", solid.Report().Diagnosis.ZeroBoundary)
	fmt.Println("crossing pairs:", found.Crossing)
	for _, p := range found.Pairs {
		fmt.Printf("faces %d and %d are %v\n", p.A, p.B, p.Kind)
		fmt.Printf("from %.4g %.4g %.4g to %.4g %.4g %.4g\n", p.From.X, p.From.Y, p.From.Z, p.To.X, p.To.Y, p.To.Z)
	}
	// Output:
	// closed: true
	// crossing pairs: 6
	// faces 0 and 5 are crossing
	// from 0.5833 0.25 0 to 0.25 0.25 0
}

// A corner turns by a right angle around the z axis and moves by 10 along the x axis.
func ExampleSolid_At() {
	corner, err := inpoly.Read(context.Background(), "corner.obj", strings.NewReader(tetrahedron), inpoly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pose, err := pose.FromMatrix([3][3]float64{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, r3.Vector{X: 10})
	if err != nil {
		log.Fatal(err)
	}
	at, err := corner.At(pose)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []r3.Vector{{X: 9.75, Y: .25, Z: .25}, {X: 10.25, Y: .25, Z: .25}, {X: 9.75, Y: .5, Z: .25}} {
		fmt.Println(p.X, p.Y, p.Z, at.Side(p))
	}
	// Output:
	// 9.75 0.25 0.25 in
	// 10.25 0.25 0.25 out
	// 9.75 0.5 0.25 on
}

func ExampleSolid_Refit() {
	ctx := context.Background()
	solid, err := inpoly.Read(ctx, "corner.obj", strings.NewReader(tetrahedron), inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		log.Fatal(err)
	}
	vertices := slices.Clone(solid.Mesh().Vertices)
	i := slices.Index(vertices, r3.Vector{X: 1})
	vertices[i].X = 0.5
	moved, did, err := solid.Refit(ctx, vertices)
	if err != nil {
		log.Fatal(err)
	}
	p := r3.Vector{X: .75, Y: .1, Z: .1}
	fmt.Println(solid.Side(p), moved.Side(p))
	fmt.Println(did.Vertices, did.Faces, did.Reason)
	// Output:
	// in out
	// 1 3 most
}
