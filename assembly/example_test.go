package assembly_test

import (
	"context"
	"fmt"
	"log"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func Example() {
	cube := func(half float64) *mesh.Mesh {
		h := r3.Vector{X: half, Y: half, Z: half}
		return testmesh.Mesh(testmesh.Cube(h.Mul(-1), h))
	}
	ctx := context.Background()
	a, err := assembly.New(ctx, []assembly.Part{{Name: "case", Mesh: cube(3)}, {Name: "core", Mesh: cube(1)}}, assembly.Options{})
	if err != nil {
		log.Fatal(err)
	}
	points := []r3.Vector{{X: 0.5}, {X: 2}, {X: 4}}
	dst := inpoly.Answers{Body: make([]int32, len(points))}
	if _, err := a.LocateTo(ctx, assembly.Query{Body: assembly.Innermost}, dst, points); err != nil {
		log.Fatal(err)
	}
	for i, b := range dst.Body {
		name := "nothing"
		if b >= 0 {
			name = a.Name(int(b))
		}
		fmt.Println(points[i].X, name, a.Body(points[i], assembly.Count))
	}
	// Output:
	// 0.5 core 2
	// 2 case 1
	// 4 nothing 0
}
