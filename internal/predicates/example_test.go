package predicates_test

import (
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
)

// The filter decides the first call. Expansions decide the other two calls.
func ExampleCounter_Orient3D() {
	var count predicates.Counter
	a, b, c := r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
	fmt.Println(count.Orient3D(a, b, c, r3.Vector{}))
	fmt.Println(count.Orient3D(a, b, c, r3.Vector{X: 0.25, Y: 0.25, Z: 0.5}))
	fmt.Println(count.Orient3D(a, b, c, r3.Vector{X: 0.25, Y: 0.25, Z: 0.5 + 0x1p-53}))
	fmt.Println(count.Filter, count.Expansion, count.Exact)
	// Output:
	// 1
	// 0
	// -1
	// 1 2 0
}
