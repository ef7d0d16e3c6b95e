package neighbor_test

import (
	"context"
	"fmt"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

func ExampleAuto() {
	disks := []neighbor.Disk{
		{Center: r2.Point{X: 0, Y: 0}, Radius: 1},
		{Center: r2.Point{X: 2, Y: 0}, Radius: 1},
		{Center: r2.Point{X: 4.5, Y: 0}, Radius: 1},
	}
	m := neighbor.NewAuto[neighbor.Disk](neighbor.AutoOptions{})
	for range 3 {
		if err := m.Update(context.Background(), disks); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Pairs())
		disks[1].Center.X += .25
	}
	disks[2].Radius = -1
	fmt.Println(m.Update(context.Background(), disks))
	// Output:
	// [{0 1}]
	// []
	// [{1 2}]
	// bad body: body 2: radius -1 must be from 2^-500 to 2^500
}

func ExampleOptimalLevels() {
	// Many balls have the radius 1 and a few have the radius 10. The side of the box is 100.
	var radii []float64
	for range 10_000 {
		radii = append(radii, 1)
	}
	for range 10 {
		radii = append(radii, 10)
	}
	fmt.Println(neighbor.OptimalLevels(radii, 100, 3))
	// Output: [2 20]
}

func ExampleIncrementalSort() {
	m := neighbor.NewIncrementalSort[neighbor.Disk](neighbor.SortOptions{})
	disks := []neighbor.Disk{
		{Center: r2.Point{X: 0}, Radius: 1},
		{Center: r2.Point{X: 2}, Radius: 1},
		{Center: r2.Point{X: 5}, Radius: 1},
	}
	for range 3 {
		if err := m.Update(context.Background(), disks); err != nil {
			fmt.Println(err)
			return
		}
		added, removed := m.Changes()
		fmt.Println(m.Pairs(), "added", added, "removed", removed)
		disks[1].Center.X += .75
	}
	// Output:
	// [{0 1}] added [{0 1}] removed []
	// [] added [] removed [{0 1}]
	// [{1 2}] added [{1 2}] removed []
}

func ExampleRadialSort() {
	m := neighbor.NewRadialSort[neighbor.Disk](neighbor.RadialOptions{})
	err := m.Update(context.Background(), []neighbor.Disk{
		{Center: r2.Point{X: 4, Y: 3}, Radius: 5},
		{Center: r2.Point{X: -1, Y: 3}, Radius: .5},
		{Center: r2.Point{X: 0, Y: 0}, Radius: .1},
		{Center: r2.Point{X: 0, Y: 0}, Radius: neighbor.Absent()},
	})
	fmt.Println(m.Pairs(), err)
	// Output: [{0 1} {0 2}] <nil>
}

func ExamplePeriodic() {
	cell := neighbor.Cell{Max: r3.Vector{X: 10, Y: 10}, Periodic: [3]bool{true, false}}
	m, err := neighbor.NewPeriodic(neighbor.NewAuto[neighbor.Disk](neighbor.AutoOptions{}), cell)
	if err != nil {
		fmt.Println(err)
		return
	}
	disks := []neighbor.Disk{
		{Center: r2.Point{X: .5, Y: 5}, Radius: 1},
		{Center: r2.Point{X: 9, Y: 5}, Radius: 1},
		{Center: r2.Point{X: 27, Y: 5}, Radius: 2}, // in the cell, it is at x = 7
	}
	if err := m.Update(context.Background(), disks); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Contacts() {
		b := disks[c.B].Center
		at := cell.Move(r3.Vector{X: b.X, Y: b.Y}, c.Image)
		fmt.Printf("disk %d touches disk %d at x = %g\n", c.A, c.B, at.X)
	}
	// Output:
	// disk 0 touches disk 1 at x = -1
	// disk 1 touches disk 2 at x = 7
}
