package view_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/view"
)

func Example() {
	ctx := context.Background()
	solid, err := inpoly.New(ctx, testmesh.Sphere(3), inpoly.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pts := []r3.Vector{{X: 0.5}, {X: 1}, {X: 2}}
	sides := make([]inpoly.Side, len(pts))
	if err := solid.SidesTo(ctx, sides, pts); err != nil {
		fmt.Println(err)
		return
	}
	cloud := view.NewCloud(view.MaxPoints)
	cloud.Add(0, pts, sides)
	scene, err := view.New(ctx, solid, cloud, view.Options{Name: "sphere"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var page bytes.Buffer // programs usually use a file
	if err := scene.WriteHTML(&page); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cloud.Counts()[inpoly.Inside], "inside,", cloud.Counts()[inpoly.OnSurface], "on it")
	fmt.Println(bytes.HasPrefix(page.Bytes(), []byte("<!doctype html>")))
	// Output:
	// 1 inside, 1 on it
	// true
}
