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

func ExamplePackDisks() {
	box := neighbor.Rect{Max: r2.Point{X: 1, Y: 1}}
	disks, err := dem.PackDisks(context.Background(), box, dem.UniformSize(500, 3, 1), dem.PackOptions{Fraction: .67})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(disks), "disks")
	// Output: 500 disks
}
