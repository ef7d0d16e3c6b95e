package vtk

import (
	"math"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// extent holds the ranges of the indices of a structured grid: from ≤ index ≤ to in each direction. The
// values are in the range of int32, as in VTK.
type extent struct{ from, to [3]int64 }

// extentOf returns the extent of a grid with the given numbers of points, from index 0 on.
func extentOf(n [3]int64) (e extent) {
	for a := range n {
		e.to[a] = n[a] - 1
	}
	return e
}

// sizes returns the numbers of points in the three directions.
func (e extent) sizes() (n [3]int64) {
	for a := range n {
		n[a] = max(0, e.to[a]-e.from[a]+1)
	}
	return n
}

// points returns the number of points, or math.MaxInt64 if it is larger.
func (e extent) points() int64 { return product(e.sizes()) }

// hasLargeLayer reports whether a layer of a nonempty extent has more points than a mesh can have.
func (e extent) hasLargeLayer() bool {
	n := e.sizes()
	for a := range n {
		if n[a] > math.MaxInt32/n[(a+1)%3] {
			return true
		}
	}
	return false
}

// cellSizes returns the numbers of cells in the three directions. A direction with one point has one
// layer of cells.
func (e extent) cellSizes() [3]int64 {
	n := e.sizes()
	for a := range n {
		if n[a] > 1 {
			n[a]--
		}
	}
	return n
}

// cells returns the number of cells, or math.MaxInt64 if it is larger.
func (e extent) cells() int64 { return product(e.cellSizes()) }

// dimension returns the dimension of the cells, which is the number of directions with at least two
// points. An empty extent has the dimension −1.
func (e extent) dimension() (d int) {
	for _, n := range e.sizes() {
		if n == 0 {
			return -1
		}
		if n > 1 {
			d++
		}
	}
	return d
}

// contains reports whether the nonempty extent o is a part of e.
func (e extent) contains(o extent) bool {
	for a := range e.from {
		if o.from[a] < e.from[a] || o.to[a] > e.to[a] {
			return false
		}
	}
	return true
}

// join returns the smallest extent that has both nonempty extents as parts.
func (e extent) join(o extent) extent {
	for a := range e.from {
		e.from[a], e.to[a] = min(e.from[a], o.from[a]), max(e.to[a], o.to[a])
	}
	return e
}

// product returns the product of three numbers of at least 0, or math.MaxInt64 if it is larger.
func product(n [3]int64) int64 {
	p := int64(1)
	for _, k := range n {
		switch {
		case k == 0:
			return 0
		case p > math.MaxInt64/k:
			p = math.MaxInt64 // stays, unless a later factor is 0
		default:
			p *= k
		}
	}
	return p
}

// noSurface returns the error for a grid whose cells are points or lines.
func (e extent) noSurface() *soup.Error {
	n := e.sizes()
	return soup.AtPath("", soup.ErrNoTriangles, "the dimensions of the grid are %d × %d × %d, so its cells are points or lines", n[0], n[1], n[2]).
		WithHint("a surface needs at least two points in two directions; export the surface as faces")
}

// cellSet is the set of the cells of several pieces. The nil set is always empty.
type cellSet struct {
	box   extent
	bits  []uint64
	count int64 // number of cells
}

// newCellSet returns an empty set for cells in the given extent.
func newCellSet(b *soup.Budget, box extent) (*cellSet, error) {
	words := box.cells()/64 + 1
	if words > math.MaxInt32 {
		return nil, soup.AtPath("", soup.ErrTooLarge, "the pieces of the grid lie in an extent of more than %d cells", int64(math.MaxInt32)*64)
	}
	s := &cellSet{box: box}
	if err := soup.Grow(b, &s.bits, int(words), 8); err != nil {
		return nil, err
	}
	s.bits = s.bits[:words]
	return s, nil
}

// add adds the cell at a position in the extent of a piece. It reports whether the cell is new. If the
// piece is flat in another direction than the whole, its cells do not belong to the set, so they are
// always new.
func (s *cellSet) add(piece extent, position [3]int64) bool {
	if s == nil {
		return true
	}
	at, n, points := int64(0), s.box.cellSizes(), piece.sizes()
	for a := 2; a >= 0; a-- {
		if points[a] == 1 && s.box.from[a] != s.box.to[a] {
			return true
		}
		at = at*n[a] + piece.from[a] - s.box.from[a] + position[a]
	}
	word, bit := at/64, uint64(1)<<(at%64)
	if s.bits[word]&bit != 0 {
		return false
	}
	s.bits[word] |= bit
	s.count++
	return true
}

// release releases the memory of the set.
func (s *cellSet) release(b *soup.Budget) {
	b.Release(8 * int64(cap(s.bits)))
	s.bits = nil
}
