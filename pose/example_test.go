package pose_test

import (
	"fmt"
	"log"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/pose"
)

// The columns of a rotation matrix give a pose. This matrix rotates by a quarter turn about z.
func ExampleFromMatrix() {
	p, err := pose.FromMatrix([3][3]float64{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, r3.Vector{Z: 2})
	if err != nil {
		log.Fatal(err)
	}
	x := p.Apply(r3.Vector{X: 1})
	fmt.Printf("y = %.3f, z = %.3f\n", x.Y, x.Z)
	_, err = pose.FromMatrix([3][3]float64{{2, 0, 0}, {0, 1, 0}, {0, 0, 1}}, r3.Vector{})
	fmt.Println(err)
	// Output:
	// y = 1.000, z = 2.000
	// bad pose: the length of column 1 of the matrix is 2, must be 1: a pose cannot scale
}
