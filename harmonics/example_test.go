package harmonics_test

import (
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/harmonics"
)

func Example() {
	const p = 10
	source, target := r3.Vector{}, r3.Vector{X: 3}
	y, x := r3.Vector{X: 0.3, Y: 0.2}, r3.Vector{X: 2.8, Z: 0.4}

	src, dst := make([]float64, harmonics.Len(p)), make([]float64, harmonics.Len(p))
	harmonics.RegularTo(src, p, y.Sub(source)) // moments of a unit charge at y
	tables := harmonics.NewTables(p, p)
	sum := tables.NewSum()
	sum.Add(tables.M2L(target.Sub(source), 1), src)
	sum.AddTo(dst)
	fmt.Printf("expansion %.6f\n", harmonics.EvaluateLocal(dst, p, x.Sub(target)))
	fmt.Printf("direct    %.6f\n", 1/x.Sub(y).Norm())
	// Output:
	// expansion 0.393750
	// direct    0.393750
}

func ExampleM2LBound() {
	norms := []float64{1, 0.5, 0.25, 0.125, 0.0625} // norms of a unit charge at distance ½
	for q := 0; q <= 8; q += 4 {
		fmt.Printf("q=%d %.1e\n", q, harmonics.M2LBound(norms, 4, q, 0.5, 3))
	}
	// Output:
	// q=0 1.0e-01
	// q=4 1.6e-04
	// q=8 2.4e-07
}
