package rays_test

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/rays"
)

// Two overlapping cubes extend from x = 0 to 2 and from x = 1 to 3. The faces between them divide no
// interval.
func Example() {
	ctx := context.Background()
	solid, err := inpoly.New(ctx, testmesh.Mesh(testmesh.Union(
		testmesh.Cube(r3.Vector{}, r3.Vector{X: 2, Y: 2, Z: 2}),
		testmesh.Cube(r3.Vector{X: 1, Y: 0.5, Z: 0.5}, r3.Vector{X: 3, Y: 1.5, Z: 1.5}),
	)), inpoly.Options{})
	if err != nil {
		panic(err)
	}
	caster, err := rays.New(ctx, solid)
	if err != nil {
		panic(err)
	}

	var events rays.Events
	lines := []rays.Ray{{Origin: r3.Vector{X: -1, Y: 1, Z: 1}, Direction: r3.Vector{X: 1}}}
	if err := rays.EventsTo(ctx, caster, &events, lines); err != nil {
		panic(err)
	}
	for _, e := range events.Of(0) {
		fmt.Printf("t = %g: W changes by %+d\n", e.T, e.Jump)
	}

	var parts rays.Intervals
	segments := []rays.Segment{{A: r3.Vector{X: -1, Y: 1, Z: 1}, B: r3.Vector{X: 3, Y: 1, Z: 1}}}
	if err := rays.IntervalsTo(ctx, caster, &parts, segments, 0); err != nil {
		panic(err)
	}
	for _, p := range parts.Of(0) {
		fmt.Printf("%v from %g to %g, length %g\n", p.Side, p.From, p.To, p.Length)
	}
	// Output:
	// t = 1: W changes by +1
	// t = 2: W changes by +1
	// t = 3: W changes by -1
	// t = 4: W changes by -1
	// out from 0 to 0.25, length 1
	// in from 0.25 to 1, length 3
}
