package bem_test

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/mesh"
)

// tetrahedron returns a tetrahedron with a right-angled corner at the origin. Its last face is the
// slanted face.
func tetrahedron() mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 4}, {Y: 4}, {Z: 4}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
}

func ExampleSolidAngle() {
	octant := bem.SolidAngle(r3.Vector{}, r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1})
	fmt.Printf("%.12f of a full turn\n", octant/(4*math.Pi))
	// Output: 0.125000000000 of a full turn
}

func ExampleDirect_Winding() {
	m, err := mesh.New(context.Background(), tetrahedron(), mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := bem.NewDirect(m, 0)
	for _, p := range []r3.Vector{{X: 1, Y: 1, Z: 1}, {X: 3, Y: 3, Z: 3}, {X: 1, Y: 1}} {
		w, bound, on := d.Winding(p)
		fmt.Printf("%.3f, certain: %v, on the surface: %v\n", math.Abs(w), bound < 1e-12, on)
	}
	// Output:
	// 1.000, certain: true, on the surface: false
	// 0.000, certain: true, on the surface: false
	// 0.500, certain: true, on the surface: true
}

// Without its slanted face the tetrahedron is open. A ray from its interior along −x crosses one
// face, so χ = 1. The sum over the boundary completes the winding number.
func ExampleBoundary_Sum() {
	s := tetrahedron()
	s.Faces = s.Faces[:3]
	m, err := mesh.New(context.Background(), s, mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var sc bem.Scratch
	x := r3.Vector{X: 1, Y: 1, Z: 1}
	w, bound, ok := bem.NewBoundary(m).Sum(x, r3.Vector{X: -100, Y: 2, Z: 3}, &sc)
	direct, _, _ := bem.NewDirect(m, 0).Winding(x)
	fmt.Println(ok, bound < 1e-12, math.Abs(1+w-direct) < 1e-12)
	// Output: true true true
}

// The first group has the faces in the coordinate planes, and the second has the slanted face.
func ExamplePanels_Winding() {
	m, err := mesh.New(context.Background(), tetrahedron(), mesh.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tris := []mesh.Triangle{m.Triangle(0), m.Triangle(1), m.Triangle(2), m.Triangle(3)}
	p := bem.NewPanels(tris, []int32{0, 3})
	axes, slanted := p.Span(0, 3), p.Span(3, 4)
	var sum bem.PanelSum
	x := r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}
	all, _, _ := p.Winding(x, []bem.Span{axes, slanted}, &sum)
	part, bound, on := p.Winding(x, []bem.Span{slanted}, &sum)
	fmt.Printf("%.6f of %.6f, certain: %v, on the surface: %v\n", part, all, bound < 1e-11, on)
	// Output: 0.208355 of 1.000000, certain: true, on the surface: false
}

// Far away from a triangle, its moments give its solid angle.
func ExampleMoments() {
	const degree = 12
	a, b, c := r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
	m := bem.NewMoments(degree)
	m.AddTriangle(a, b, c)
	moments := make([]float64, harmonics.Len(degree))
	m.AddTo(moments)
	x := r3.Vector{X: 3, Y: -4, Z: 5}
	w := -harmonics.EvaluateMultipole(moments, degree, x) / (4 * math.Pi)
	exact := bem.SolidAngle(x, a, b, c) / (4 * math.Pi)
	fmt.Println(math.Abs(w-exact) < 1e-12)
	// Output: true
}
