package polygon_test

import (
	"fmt"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
)

func Example() {
	square, err := polygon.New([]r2.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := polygon.Place(square, polygon.Pose{})
	b, _ := polygon.Place(square, polygon.Pose{})
	var pair polygon.Pair
	for _, x := range []float64{4, 3, 2, 1.5} {
		if err := b.Move(polygon.Pose{At: r2.Point{X: x, Y: 0.5}}); err != nil {
			fmt.Println(err)
			return
		}
		near, common := pair.Distance(&a, &b), pair.Overlap(&a, &b)
		fmt.Println(near.Relation, near.Distance, near.Features, common.Area)
	}
	// Output:
	// separated 2 [edge 1 edge 3] 0
	// separated 1 [edge 1 edge 3] 0
	// touching 0 [edge 1 edge 3] 0
	// overlapping -0.5 [edge 1 edge 3] 0.75
}

func ExampleNew() {
	_, err := polygon.New([]r2.Point{{X: 0, Y: 0}, {X: 4, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 4}})
	fmt.Println(err)
	// Output:
	// corner 2 (1, 1): the boundary turns to the right here and to the left at corner 0: not a convex counterclockwise polygon
}

// The area and the second moment of a plate give its mass and its moment of inertia.
func ExampleShape_SecondMoment() {
	plate, err := polygon.New([]r2.Point{{X: 0, Y: 0}, {X: 3, Y: 0}, {X: 3, Y: 2}, {X: 0, Y: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	const density = 10
	fmt.Println(density*plate.Area(), density*plate.SecondMoment(), plate.Centroid())
	// Output:
	// 60 65 (1.500000000000, 1.000000000000)
}
