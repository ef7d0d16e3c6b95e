package cells_test

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/mesh"
)

// cellCorners returns corners of n crossed cells of x; of a lattice over the box
// of m if it has none.
func cellCorners(x *cells.Index, m *mesh.Mesh, n int, seed uint64) []r3.Vector {
	if c := x.CellCorners(n, seed); len(c) > 0 {
		return c
	}
	r := newRand(seed)
	h := cellSize(x, m)
	box := m.Box()
	draw := func(lo, hi float64) float64 { return lo + h*math.Floor(r.Float64()*(hi-lo)/h) }
	var out []r3.Vector
	for range n {
		out = append(out, r3.Vector{X: draw(box.Min.X, box.Max.X), Y: draw(box.Min.Y, box.Max.Y), Z: draw(box.Min.Z, box.Max.Z)})
	}
	return out
}

// cellSize returns the size of a cell of x; a sixteenth of the box of m if there
// are no cells.
func cellSize(x *cells.Index, m *mesh.Mesh) float64 {
	if h := x.Shape().Cell; h > 0 {
		return h
	}
	size := m.Box().Size()
	if h := max(size.X, size.Y, size.Z) / 16; h > 0 {
		return h
	}
	return 1
}
