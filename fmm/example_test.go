package fmm_test

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// The example computes the winding number at the center of a sphere whose last triangles are
// missing.
func ExamplePlan_Winding() {
	m := testmesh.Sphere(4)
	tris := make([]mesh.Triangle, m.NumFaces()-200)
	for f := range tris {
		tris[f] = m.Triangle(int32(f))
	}
	p, err := fmm.New(context.Background(), tris, fmm.Options{Epsilon: 1e-6})
	if err != nil {
		fmt.Println(err)
		return
	}
	var s fmm.Scratch
	w, bound, on := p.Winding(r3.Vector{}, &s)
	fmt.Printf("%.4f, within 1e-6: %v, on the surface: %v\n", w, bound <= 1e-6, on)
	outside, _, _ := p.Winding(r3.Vector{X: 100}, &s)
	fmt.Println(math.Abs(outside) < 1e-3)
	// Output:
	// 0.8983, within 1e-6: true, on the surface: false
	// true
}
