package cells

import (
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/predicates"
	"github.com/inpoly/inpoly/side"
)

// BoxScratch is the working memory of BoxSide in one goroutine. The zero value is ready for use.
type BoxScratch struct {
	signs predicates.Counter
	leafs [mostBoxCells]boxCell
}

// These limits keep the time of BoxSide short. A search in a tree is faster for larger boxes. // tuning
const (
	mostBoxBricks = 64 // bricks that a box can meet
	mostBoxCells  = 32 // crossed cells that a box can meet
)

// boxCell is a crossed level-0 cell that meets a box.
type boxCell struct {
	record uint32
	at     [3]int32
}

// BoxSide returns Inside or Outside if no face meets the closed box and all its points have this side.
// It returns OnSurface if a face meets the box. The result is exact. ok is false if the cells cannot
// decide, for example because the box meets too many cells, and always if the box is empty or not
// finite. BoxSide allocates only if package predicates needs arbitrary precision.
//
// If all cells that the box meets are empty and have the same winding number, it is the winding number
// of the box. Two empty cells with different winding numbers prove that a face meets the box. In a
// crossed cell, BoxSide evaluates the planes of the listed triangles for all points of the box at once,
// and compares the box exactly with the triangles whose planes can meet the box.
func (x *Index) BoxSide(box bvh.Box, s *BoxScratch) (d side.Side, ok bool) {
	g := &x.grid
	if x.noGrid || len(g.Top) == 0 || box.Empty() || !vec.Finite(box.Min) || !vec.Finite(box.Max) {
		return side.Unknown, false
	}
	q := boxQuery{grid: g, box: box, whole: g.Mesh.Closed() || g.Parity, scratch: s}
	// Rounding is monotone, so the coordinates of each point of the box are between those of its corners.
	q.lo[0], q.lo[1], q.lo[2] = g.Coords(box.Min)
	q.hi[0], q.hi[1], q.hi[2] = g.Coords(box.Max)
	for a, n := range g.Cells {
		if q.lo[a] >= n || q.hi[a] < 0 {
			return side.Outside, len(g.Caps) == 0
		}
		if q.lo[a] < 0 || q.hi[a] >= n {
			if !q.add(0, side.Outside) || len(g.Caps) > 0 {
				return side.Unknown, false
			}
		}
		q.first[a], q.last[a] = int32(max(q.lo[a], 0)), int32(min(q.hi[a], n-1))
	}
	bricks := 1
	for a := range q.first {
		bricks *= int(q.last[a]>>layout.BrickBits-q.first[a]>>layout.BrickBits) + 1
	}
	if bricks > mostBoxBricks {
		return side.Unknown, false
	}
	if !q.readLabels() {
		if q.met {
			return side.OnSurface, true
		}
		return side.Unknown, false
	}
	for _, c := range s.leafs[:q.cells] {
		switch q.cell(c.record, layout.CellAddr{At: c.at}) {
		case meets:
			return side.OnSurface, true
		case unclear:
			return side.Unknown, false
		}
	}
	if q.known {
		return q.side, true
	}
	// No face meets the box, so all its points have the same side.
	d, ok = x.sideWithoutRay(box.Min, &s.signs)
	return d, ok && d != side.Unknown
}

// boxQuery is one call of BoxSide.
type boxQuery struct {
	grid        *layout.Grid
	box         bvh.Box
	whole       bool // sides change only at faces
	lo, hi      [3]float64
	first, last [3]int32 // level-0 cells that the box meets
	scratch     *BoxScratch
	cells       int // number of crossed cells in scratch.leafs

	known   bool // the box meets an empty cell, or it extends beyond the grid
	winding int32
	side    side.Side // side of the points with this winding number
	met     bool      // two winding numbers prove that a face meets the box
}

// add notes that some points of the box have the given winding number and side. It returns false if
// other points differ.
func (q *boxQuery) add(winding int32, is side.Side) bool {
	switch {
	case !q.known:
		q.known, q.winding, q.side = true, winding, is
	case q.whole && q.winding != winding:
		q.met = true
		return false
	case q.side != is:
		return false
	}
	return true
}

// readLabels adds the winding numbers of the empty cells and lists the crossed cells. It returns false
// if the winding numbers or sides differ, or if too many cells are crossed.
func (q *boxQuery) readLabels() bool {
	const shift, low = layout.BrickBits, layout.BrickSide - 1
	g := q.grid
	for bz := q.first[2] >> shift; bz <= q.last[2]>>shift; bz++ {
		z0, z1 := max(q.first[2]-bz<<shift, 0), min(q.last[2]-bz<<shift, low)
		for by := q.first[1] >> shift; by <= q.last[1]>>shift; by++ {
			y0, y1 := max(q.first[1]-by<<shift, 0), min(q.last[1]-by<<shift, low)
			rows := ^uint64(0) >> (8 * (low - uint(y1-y0))) << (8 * uint(y0))
			for bx := q.first[0] >> shift; bx <= q.last[0]>>shift; bx++ {
				x0, x1 := max(q.first[0]-bx<<shift, 0), min(q.last[0]-bx<<shift, low)
				mask := rows & (0x0101010101010101 * (uint64(0xff) >> (low - uint(x1-x0)) << uint(x0)))
				entry := g.Top[(bz*g.Dims[1]+by)*g.Dims[0]+bx]
				if entry&layout.TopRayOnly != 0 {
					return false
				}
				first := entry >> 3 * layout.BrickSide
				var crossed, zeros, ones uint64
				for _, w := range g.Words[int(first)+int(z0) : int(first)+int(z1)+1] {
					crossed |= w.Crossed & mask
					zeros |= ^(w.Crossed | w.Value) & mask
					ones |= w.Value &^ w.Crossed & mask
				}
				labels := &g.W[entry>>3]
				if zeros != 0 && !q.add(labels[0], layout.Label(entry, 0)) || ones != 0 && !q.add(labels[1], layout.Label(entry, 1)) {
					return false
				}
				if crossed != 0 && !q.list(first, [3]int32{bx << shift, by << shift, bz << shift}, z0, z1, mask) {
					return false
				}
			}
		}
	}
	return true
}

// list lists the crossed cells of a brick. Its first word and its lowest cell are given. It returns
// false if there are too many, or if a cell is open.
func (q *boxQuery) list(first uint32, lowest [3]int32, z0, z1 int32, mask uint64) bool {
	g := q.grid
	for z := z0; z <= z1; z++ {
		word := first + uint32(z)
		for left := g.Words[word].Crossed & mask; left != 0; left &= left - 1 {
			bit := uint(bits.TrailingZeros64(left))
			if q.cells == mostBoxCells || g.IsOpen(word, bit) {
				return false
			}
			q.scratch.leafs[q.cells] = boxCell{g.RecordOf(word, bit), layout.CellOf(
				[3]int32{lowest[0], lowest[1], lowest[2] + z}, int32(bit), layout.BrickBits)}
			q.cells++
		}
	}
	return true
}

// boxOutcome is the result of the comparison of a box with the triangles of a cell.
type boxOutcome uint8

const (
	misses  boxOutcome = iota // no face of the list meets the box in the cell
	meets                     // a face meets the box
	unclear                   // the cell has no list, or a cap can meet the box
)

// cell compares the box with the triangles of a crossed cell, whose first record has the given number.
func (q *boxQuery) cell(id uint32, c layout.CellAddr) boxOutcome {
	g := q.grid
	r := g.Record(id)
	switch r.Kind() {
	case layout.KindUniform:
		return misses
	case layout.KindRefined:
		return q.children(r.Children(), c)
	}
	if !r.HasPlanes() {
		return unclear
	}
	if q.whole && q.separatesReferences(r, c) {
		return meets
	}
	var middle, size [3]int32 // of the box, for planeMisses
	scale := layout.Scale(c.Level)
	for a := range middle {
		low, high := unitWithin(q.lo[a]*scale-float64(c.At[a])), unitWithin(q.hi[a]*scale-float64(c.At[a]))
		middle[a], size[a] = low+high, high-low
	}
	for {
		faces := g.Faces(id)
		for j := range r.Planes() {
			f := faces[j]
			if f < 0 || planeMisses(r[j+1], &middle, &size) && (g.Degenerate == nil || !g.Degenerate[f]) {
				continue
			}
			t := g.Triangle(f)
			if !q.scratch.signs.TriangleTouchesBox((*[3]r3.Vector)(&t), q.box.Min, q.box.Max) {
				continue
			}
			if g.IsCap(f) {
				return unclear
			}
			return meets
		}
		if r.Kind() != layout.KindMore {
			return misses
		}
		id = r.Next()
		r = g.Record(id)
	}
}

// children does the work of cell for the crossed children of a refined cell. The winding numbers of the
// empty children need no test, because a face between them is in the list of a child.
func (q *boxQuery) children(ch layout.Children, c layout.CellAddr) boxOutcome {
	lo, scale := c.FirstChild(), layout.Scale(c.Level+1)
	id := ch.First
	for left := ch.Crossed; left != 0; left &= left - 1 {
		child := layout.CellAddr{Level: c.Level + 1, At: layout.CellOf(lo, int32(bits.TrailingZeros64(left)), layout.ChildBits)}
		in := true
		for a, at := range child.At {
			in = in && q.lo[a]*scale < float64(at+1) && q.hi[a]*scale >= float64(at)
		}
		if in {
			if o := q.cell(id, child); o != misses {
				return o
			}
		}
		id++
	}
	return misses
}

// separatesReferences reports whether the box contains both references of a cell and their winding
// numbers differ. Then a face meets the segment between them.
func (q *boxQuery) separatesReferences(r *layout.Record, c layout.CellAddr) bool {
	i, _, v := r.Reference(0)
	j, _, w := r.Reference(1)
	return v != w && q.box.Contains(q.grid.Corner(c, i)) && q.box.Contains(q.grid.Corner(c, j))
}

// unitWithin is layout.Unit for the part of a box in a cell. f is far outside of [0, 1] if the box
// extends beyond the cell.
func unitWithin(f float64) int32 { return layout.Unit(max(-0.5, min(f, 1.5))) }

// planeMisses reports whether a plane of a record certainly misses all points of a box. middle is
// twice the middle of the box, and size is its size, in units of the cell. The value of the plane at a point
// has an error below SignBound, and it is linear, so its extremes are at corners of the box.
func planeMisses(plane uint64, middle, size *[3]int32) bool {
	x, y, z := int64(int16(plane)), int64(int16(plane>>16)), int64(int16(plane>>32))
	value := x*int64(middle[0]) + y*int64(middle[1]) + z*int64(middle[2]) + 2*layout.CoordUnit*int64(int16(plane>>48))
	reach := max(x, -x)*int64(size[0]) + max(y, -y)*int64(size[1]) + max(z, -z)*int64(size[2]) + 2*layout.SignBound
	return value > reach || value < -reach
}
