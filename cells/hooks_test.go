package cells_test

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/mesh"
)

// What an index shows of its inside to tests, if it does: points where errors
// would be.
type (
	cornered interface {
		// CellCorners returns corners of n crossed cells of all levels, drawn by seed.
		CellCorners(n int, seed uint64) []r3.Vector
	}
	referenced interface {
		// References returns the reference points of the crossed cell that holds p.
		References(p r3.Vector) []r3.Vector
	}
	fanned interface {
		// Apexes returns the common vertices of the fans that close the boundary.
		Apexes() []r3.Vector
	}
)

// cellCorners returns corners of n crossed cells of x; of a lattice over the box
// of m if x shows none.
func cellCorners(x *cells.Index, m *mesh.Mesh, n int, seed uint64) []r3.Vector {
	if in, ok := any(x).(cornered); ok {
		if c := in.CellCorners(n, seed); len(c) > 0 {
			return c
		}
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

func referencePoints(x *cells.Index, p r3.Vector) []r3.Vector {
	if in, ok := any(x).(referenced); ok {
		return in.References(p)
	}
	return nil
}

func apexes(x *cells.Index) []r3.Vector {
	if in, ok := any(x).(fanned); ok {
		return in.Apexes()
	}
	return nil
}
