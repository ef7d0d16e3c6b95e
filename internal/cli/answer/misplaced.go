package answer

import (
	"fmt"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// exchanges lists the orders of three coordinates that differ from x, y, z. Usual mistakes, which
// exchange two coordinates, come first.
var exchanges = [][3]int{{1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}}

// Extent is a box of items, such as segments, that several goroutines extend. The zero value is empty.
type Extent struct {
	mu  sync.Mutex
	any bool
	box bvh.Box
}

// Add extends the box by points. Points that are not finite do not count.
func (e *Extent) Add(points ...r3.Vector) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.any {
		e.any, e.box = true, bvh.EmptyBox()
	}
	for _, p := range points {
		if p.Sub(p) == (r3.Vector{}) {
			e.box = e.box.Add(p)
		}
	}
}

// Box returns the box.
func (e *Extent) Box() bvh.Box {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.any {
		return bvh.EmptyBox()
	}
	return e.box
}

// exchange returns an order of the coordinates in which the box of the points is near the mesh. ok is false if there is
// none, or if a point can be nearer to the mesh than the size of the mesh.
func exchange(mesh, cloud bvh.Box) (order [3]int, ok bool) {
	size := vec.MaxAbs(mesh.Size())
	around := r3.Vector{X: size, Y: size, Z: size}
	if (bvh.Box{Min: mesh.Min.Sub(around), Max: mesh.Max.Add(around)}).Overlaps(cloud) {
		return order, false
	}
	for _, order := range exchanges {
		if near(mesh, bvh.Box{Min: reordered(cloud.Min, order), Max: reordered(cloud.Max, order)}) {
			return order, true
		}
	}
	return order, false
}

// exchangeHint returns a hint if the box of the points is far from the box of the mesh, but near it
// with another order of the coordinates. It returns "" otherwise. columns has the numbers of the
// columns of x, y and z, and others has those that follow in the value of --columns.
func exchangeHint(mesh, cloud bvh.Box, columns [3]int, others []int) string {
	order, ok := exchange(mesh, cloud)
	if !ok {
		return ""
	}
	list := fmt.Sprintf("%d,%d,%d", columns[order[0]], columns[order[1]], columns[order[2]])
	for _, c := range others {
		list += fmt.Sprintf(",%d", c)
	}
	return fmt.Sprintf("; are the columns in another order? With --columns %s, the points are near the mesh", list)
}

func reordered(p r3.Vector, order [3]int) r3.Vector {
	c := [3]float64{p.X, p.Y, p.Z}
	return r3.Vector{X: c[order[0]], Y: c[order[1]], Z: c[order[2]]}
}

// feetHint returns a hint if the box of the points is far from the box of the mesh, but near it after
// a change between feet and meters. It returns "" otherwise, and for a mesh near the origin, where
// many clouds are near the mesh after the change. The two kinds of feet differ by two parts in a
// million.
func feetHint(mesh, cloud bvh.Box) string {
	const foot = 0.3048 // meters
	switch {
	case nearPoint(mesh, r3.Vector{}):
		return ""
	case near(mesh, bvh.Box{Min: cloud.Min.Mul(foot), Max: cloud.Max.Mul(foot)}):
		return "; is the mesh in meters, the points in feet? Then use --units ft:m, or us-ft:m for U.S. survey feet"
	case near(mesh, bvh.Box{Min: cloud.Min.Mul(1 / foot), Max: cloud.Max.Mul(1 / foot)}):
		return "; is the mesh in feet, the points in meters? Then use --units m:ft, or m:us-ft for U.S. survey feet"
	}
	return ""
}

// near reports whether the center of the box of the points is near the mesh.
func near(mesh, cloud bvh.Box) bool { return nearPoint(mesh, cloud.Min.Add(cloud.Max).Mul(0.5)) }

// nearPoint reports whether a point is in the box of the mesh, widened by a quarter of its size. The
// limit only affects a warning.
func nearPoint(mesh bvh.Box, p r3.Vector) bool {
	quarter := vec.MaxAbs(mesh.Size()) / 4
	wide := r3.Vector{X: quarter, Y: quarter, Z: quarter}
	return bvh.Box{Min: mesh.Min.Sub(wide), Max: mesh.Max.Add(wide)}.Contains(p)
}
