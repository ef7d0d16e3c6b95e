package dem_test

import (
	"context"
	"fmt"
	"log"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

func ExampleSpheres() {
	ctx := context.Background()
	scene := dem.SphereScene{
		Balls:      []neighbor.Sphere{{Radius: 1}, {Center: r3.Vector{X: 3}, Radius: 1}},
		Velocities: []r3.Vector{{X: 1}, {}},
	}
	contacts := neighbor.NewAuto[neighbor.Sphere](neighbor.AutoOptions{})
	world, err := dem.NewSpheres(ctx, scene, contacts, dem.Options{TimeStep: 1e-4, Stiffness: 1e4})
	if err != nil {
		log.Fatal(err)
	}
	for world.Time() < 2 {
		if err := world.Step(ctx); err != nil {
			log.Fatal(err)
		}
	}
	v := world.Velocities()
	fmt.Printf("the second ball has the velocity %.4f, the energy is %.4f\n", v[1].X, world.Energy().Total())
	// Output: the second ball has the velocity 1.0000, the energy is 2.0944
}

func ExamplePolygons() {
	ctx := context.Background()
	square, err := polygon.New([]r2.Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}})
	if err != nil {
		log.Fatal(err)
	}
	slope, err := polygon.New([]r2.Point{{X: 0, Y: 0}, {X: 9, Y: 0}, {X: 0, Y: 3}})
	if err != nil {
		log.Fatal(err)
	}
	scene := dem.PolygonScene{
		Polygons: []dem.Polygon{{Shape: slope, Fixed: true}, {Shape: square, Pose: polygon.Pose{At: r2.Point{X: 1, Y: 4}}}},
		Gravity:  r2.Point{Y: -10},
	}
	boxes := neighbor.NewAuto[neighbor.Rect](neighbor.AutoOptions{})
	world, err := dem.NewPolygons(ctx, scene, boxes, dem.Options{TimeStep: 1e-3, Stiffness: 1e4, Damping: 100})
	if err != nil {
		log.Fatal(err)
	}
	for world.Time() < 2 {
		if err := world.Step(ctx); err != nil {
			log.Fatal(err)
		}
	}
	v, _ := world.Velocity(1)
	fmt.Printf("the square slides down by %.1f per unit of length\n", -v.Y/v.X)
	// Output: the square slides down by 0.3 per unit of length
}

func ExampleDisks() {
	ctx := context.Background()
	// The sides of the channel at x = 0 and x = 10 are connected. At y = 0 and y = 2 there are walls.
	// Disk 1 collides with disk 0 through the side. Later, disk 0 arrives from the left and pushes it on.
	scene := dem.DiskScene{
		Disks:      []neighbor.Disk{{Center: r2.Point{X: 1, Y: 1}, Radius: .5}, {Center: r2.Point{X: 9, Y: 1}, Radius: .5}},
		Velocities: []r2.Point{{}, {X: 2}},
		Walls:      neighbor.Rect{Max: r2.Point{X: 10, Y: 2}},
		Periodic:   [2]bool{true, false},
	}
	contacts := neighbor.NewAuto[neighbor.Disk](neighbor.AutoOptions{})
	world, err := dem.NewDisks(ctx, scene, contacts, dem.Options{TimeStep: 1e-4, Stiffness: 1e4})
	if err != nil {
		log.Fatal(err)
	}
	for world.Time() < 6 {
		if err := world.Step(ctx); err != nil {
			log.Fatal(err)
		}
	}
	for i, d := range world.Disks() {
		fmt.Printf("disk %d is at x = %.1f, its displacement is %.1f\n", i, d.Center.X, world.Unwrapped(i).X-scene.Disks[i].Center.X)
	}
	// Output:
	// disk 0 is at x = 9.0, its displacement is 8.0
	// disk 1 is at x = 3.0, its displacement is 4.0
}

func ExamplePackDisks() {
	box := neighbor.Rect{Max: r2.Point{X: 1, Y: 1}}
	disks, err := dem.PackDisks(context.Background(), box, dem.UniformSize(500, 3, 1), dem.PackOptions{Fraction: .67})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(disks), "disks")
	// Output: 500 disks
}
