package cells

import (
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// BoxScratch is the working memory of BoxSide in one goroutine. The zero value is ready for use.
type BoxScratch struct {
	query boxQuery
	signs predicates.Counter
	parts [mostBoxCells]crossedPart
}

// These limits keep the time of BoxSide short. A search in a tree is faster for larger boxes. // tuning
const (
	mostBoxBricks = 512 // largest number of bricks that a box can meet
	mostBoxCells  = 32  // largest number of crossed cells that a box can meet
	fewBoxBricks  = 2   // if a box meets more bricks, its corners are compared first
)

// BoxSide returns the common side of all points of a closed box, Inside or Outside, if no face
// meets the box. It returns OnSurface if a face meets the box. The result is exact. ok is false if
// the box is empty or not finite, or if the cells cannot decide, for example because the box meets
// too many cells. BoxSide allocates only if package predicates needs arbitrary precision.
//
// If all cells that the box meets are empty and have the same winding number, the box has this
// winding number. Two empty cells with different winding numbers prove that a face meets the box.
// In a crossed cell, BoxSide evaluates the planes of the listed triangles for all points of the box
// at once, and compares the box exactly with the triangles whose planes can meet the box.
func (x *Index) BoxSide(box *bvh.Box, s *BoxScratch) (d side.Side, ok bool) {
	g := &x.grid
	// Rounding is monotone, so the cell coordinates of any point of the box lie between the cell
	// coordinates of the corners.
	lx, ly, lz := g.Coords(box.Min)
	hx, hy, hz := g.Coords(box.Max)
	if g.Contains(lx, ly, lz) && g.Contains(hx, hy, hz) && box.Min.X <= box.Max.X && box.Min.Y <= box.Max.Y && box.Min.Z <= box.Max.Z {
		if d := emptySide(g, int32(lx), int32(ly), int32(lz), int32(hx), int32(hy), int32(hz)); d != side.Unknown {
			return d, true
		}
	} else if x.noGrid || len(g.Top) == 0 || box.Empty() || !vec.Finite(box.Min) || !vec.Finite(box.Max) {
		return side.Unknown, false
	}
	q := &s.query
	q.grid, q.box, q.whole, q.known = g, *box, g.Mesh.Closed() || g.Parity, false
	q.lo, q.hi = [3]float64{lx, ly, lz}, [3]float64{hx, hy, hz}
	bricks := 1
	for a, n := range g.Cells {
		low, high := q.lo[a], q.hi[a]
		switch {
		case low >= 0 && high < n:
		case len(g.Caps) > 0:
			return side.Unknown, false
		case low >= n || high < 0:
			return side.Outside, true
		default:
			q.known, q.winding, q.side = true, 0, side.Outside
			low, high = max(low, 0), min(high, n-1)
		}
		q.first[a], q.last[a] = int32(low), int32(high)
		bricks *= int(q.last[a]>>layout.BrickBits-q.first[a]>>layout.BrickBits) + 1
	}
	o := misses
	if bricks > fewBoxBricks {
		if o = q.corners(); o == misses && bricks > mostBoxBricks {
			return side.Unknown, false
		}
	}
	if o == misses {
		var n int
		if n, o = q.labels(&s.parts); n > 0 && o == misses {
			o = q.crossed(s.parts[:n], &s.signs)
		}
	}
	switch {
	case o == meets:
		return side.OnSurface, true
	case o == unclear:
		return side.Unknown, false
	case q.known:
		return q.side, true
	}
	// No face meets the box, so all its points have the same side.
	d, ok = x.sideWithoutRay(box.Min, &s.signs)
	return d, ok && d != side.Unknown
}

// boxMask returns the bits of the cells from (x0, y0) to (x1, y1) of a layer of a brick. The numbers are
// below layout.BrickSide.
func boxMask(x0, x1, y0, y1 uint) uint64 {
	const side = layout.BrickSide
	row := uint64(0xff) >> ((side - 1 - (x1 - x0)) & 63) << (x0 & 63)
	return 0x0101010101010101 * row & (^uint64(0) >> (side * (side - 1 - (y1 - y0)) & 63) << (side * y0 & 63))
}

// emptySide returns the side of the points in the level-0 cells from (x0, y0, z0) to (x1, y1, z1),
// if the cells are in one brick, are empty and have the same winding number. Otherwise, it returns
// Unknown. emptySide decides most small boxes.
func emptySide(g *layout.Grid, x0, y0, z0, x1, y1, z1 int32) side.Side {
	if ((x0^x1)|(y0^y1)|(z0^z1))>>layout.BrickBits != 0 {
		return side.Unknown
	}
	const low = layout.BrickSide - 1
	entry, word, _ := g.Find(x0, y0, z0)
	mask := boxMask(uint(x0&low), uint(x1&low), uint(y0&low), uint(y1&low))
	var crossed, zeros, ones uint64
	words := g.Words[word:][:z1-z0+1]
	for i := range words {
		w := &words[i]
		crossed |= w.Crossed
		zeros |= ^w.Value
		ones |= w.Value
	}
	switch {
	case crossed&mask != 0 || entry&layout.TopRayOnly != 0:
		return side.Unknown
	case ones&mask == 0:
		return layout.Label(entry, 0)
	case zeros&mask == 0:
		return layout.Label(entry, 1)
	}
	return side.Unknown
}

// boxQuery is the state of one call of BoxSide.
type boxQuery struct {
	grid        *layout.Grid
	box         bvh.Box
	whole       bool // winding numbers change only at faces: the mesh is closed, or parity decides
	lo, hi      [3]float64
	first, last [3]int32 // level-0 cells that the box meets

	known   bool // winding and side are set: the box meets an empty cell, or extends beyond the grid
	winding int32
	side    side.Side // side of the points with this winding number
}

// boxOutcome is the result of the comparison of a box with a part of the grid.
type boxOutcome uint8

const (
	misses  boxOutcome = iota // no face of this part meets the box
	meets                     // a face meets the box
	unclear                   // this part of the grid cannot decide
)

// add records that the box contains points of an empty cell. entry is the Top entry of the brick of
// the cell, and v is the Value bit of the cell.
func (q *boxQuery) add(entry uint32, v int) boxOutcome {
	winding, is := q.grid.W[entry>>3][v], layout.Label(entry, uint64(v))
	if q.known && winding == q.winding && is == q.side {
		return misses
	}
	return q.differ(winding, is)
}

// differ does the work of add for a winding number or a side that differs from the recorded one.
func (q *boxQuery) differ(winding int32, is side.Side) boxOutcome {
	switch {
	case !q.known:
		q.known, q.winding, q.side = true, winding, is
	case q.whole && q.winding != winding:
		return meets
	case q.side != is:
		return unclear
	}
	return misses
}

// corners calls add for each corner of the box that is in an empty cell.
func (q *boxQuery) corners() boxOutcome {
	g := q.grid
	for c := range 8 {
		at := q.first
		for a := range at {
			if c>>a&1 == 1 {
				at[a] = q.last[a]
			}
		}
		entry, word, bit := g.Find(at[0], at[1], at[2])
		if w := &g.Words[word]; entry&layout.TopRayOnly == 0 && w.Crossed>>bit&1 == 0 {
			if o := q.add(entry, int(w.Value>>bit&1)); o != misses {
				return o
			}
		}
	}
	return misses
}

// crossedPart is a set of crossed cells of one brick that a box can meet: the bits of mask in the
// words first to last. lowest is the first cell of the brick.
type crossedPart struct {
	first, last uint32
	mask        uint64
	lowest      [3]int32
}

// labels records the winding numbers of the empty cells that the box meets. It writes the parts of
// bricks with crossed cells to parts, and returns the number of parts.
func (q *boxQuery) labels(parts *[mostBoxCells]crossedPart) (n int, o boxOutcome) {
	const shift, side = layout.BrickBits, layout.BrickSide
	g := q.grid
	uniform := len(g.Positions) // the first brick without faces
	if len(g.Caps) > 0 {
		uniform = math.MaxInt
	}
	for bz := q.first[2] >> shift; bz <= q.last[2]>>shift; bz++ {
		z0, z1 := uint32(max(q.first[2]-bz<<shift, 0)), uint32(min(q.last[2]-bz<<shift, side-1))
		for by := q.first[1] >> shift; by <= q.last[1]>>shift; by++ {
			y0, y1 := uint(max(q.first[1]-by<<shift, 0)), uint(min(q.last[1]-by<<shift, side-1))
			top := g.Top[(bz*g.Dims[1]+by)*g.Dims[0]:][:g.Dims[0]]
			for bx := q.first[0] >> shift; bx <= q.last[0]>>shift; bx++ {
				entry := top[bx]
				if entry&layout.TopRayOnly != 0 {
					return n, unclear
				}
				word := entry >> 3 * side
				if int(entry>>3) >= uniform {
					if o := q.add(entry, int(g.Words[word].Value&1)); o != misses {
						return n, o
					}
					continue
				}
				x0, x1 := uint(max(q.first[0]-bx<<shift, 0)), uint(min(q.last[0]-bx<<shift, side-1))
				mask := boxMask(x0, x1, y0, y1)
				var some, zeros, ones uint64
				words := g.Words[word+z0 : word+z1+1]
				for i := range words {
					w := &words[i]
					some |= w.Crossed
					zeros |= ^(w.Crossed | w.Value)
					ones |= w.Value &^ w.Crossed
				}
				if zeros&mask != 0 {
					if o := q.add(entry, 0); o != misses {
						return n, o
					}
				}
				if ones&mask != 0 {
					if o := q.add(entry, 1); o != misses {
						return n, o
					}
				}
				if some&mask != 0 {
					if n == len(parts) {
						return n, unclear
					}
					parts[n] = crossedPart{word + z0, word + z1, mask, [3]int32{bx << shift, by << shift, bz<<shift + int32(z0)}}
					n++
				}
			}
		}
	}
	return n, misses
}

// crossed compares the box with the triangles of all crossed cells in the parts.
func (q *boxQuery) crossed(parts []crossedPart, signs *predicates.Counter) boxOutcome {
	g, n := q.grid, 0
	for i := range parts {
		p := &parts[i]
		for word := p.first; word <= p.last; word++ {
			for left := g.Words[word].Crossed & p.mask; left != 0; left &= left - 1 {
				bit := uint(bits.TrailingZeros64(left))
				if n++; n > mostBoxCells || g.IsOpen(word, bit) {
					return unclear
				}
				lowest := [3]int32{p.lowest[0], p.lowest[1], p.lowest[2] + int32(word-p.first)}
				c := layout.CellAddr{At: layout.CellOf(lowest, int32(bit), layout.BrickBits)}
				if o := q.cell(g.RecordOf(word, bit), c, signs); o != misses {
					return o
				}
			}
		}
	}
	return misses
}

// cell compares the box with the triangles of a crossed cell, whose first record has the given number.
func (q *boxQuery) cell(id uint32, c layout.CellAddr, signs *predicates.Counter) boxOutcome {
	g := q.grid
	r := g.Record(id)
	switch r.Kind() {
	case layout.KindUniform:
		return misses
	case layout.KindRefined:
		return q.children(r.Children(), c, signs)
	}
	if !r.HasPlanes() {
		return unclear
	}
	if q.whole && q.separatesReferences(r, c) {
		return meets
	}
	var middle, size [3]int32 // twice the center and the size of the box, for planeMisses
	scale := layout.Scale(c.Level)
	for a := range middle {
		low, high := unitWithin(q.lo[a]*scale-float64(c.At[a])), unitWithin(q.hi[a]*scale-float64(c.At[a]))
		middle[a], size[a] = low+high, high-low
	}
	for {
		faces := g.Faces(id)
		for j := range r.Planes() {
			if g.Degenerate == nil && planeMisses(r[j+1], &middle, &size) {
				continue // without reading the number of the face
			}
			f := faces[j]
			if f < 0 || planeMisses(r[j+1], &middle, &size) && !g.Degenerate[f] {
				continue
			}
			t := g.Triangle(f)
			if !signs.TriangleTouchesBox((*[3]r3.Vector)(&t), q.box.Min, q.box.Max) {
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

// children does the work of cell for the crossed children of a refined cell. It need not compare
// the winding numbers of empty children: if two differ, a face lies between them, and the list of a
// crossed child contains this face.
func (q *boxQuery) children(ch layout.Children, c layout.CellAddr, signs *predicates.Counter) boxOutcome {
	lo, scale := c.FirstChild(), layout.Scale(c.Level+1)
	id := ch.First
	for left := ch.Crossed; left != 0; left &= left - 1 {
		child := layout.CellAddr{Level: c.Level + 1, At: layout.CellOf(lo, int32(bits.TrailingZeros64(left)), layout.ChildBits)}
		in := true
		for a, at := range child.At {
			in = in && q.lo[a]*scale < float64(at+1) && q.hi[a]*scale >= float64(at)
		}
		if in {
			if o := q.cell(id, child, signs); o != misses {
				return o
			}
		}
		id++
	}
	return misses
}

// separatesReferences reports whether the box contains both references of a cell and the winding
// numbers of the references differ. Then a face crosses the segment between them, so it meets the
// box.
func (q *boxQuery) separatesReferences(r *layout.Record, c layout.CellAddr) bool {
	i, _, v := r.Reference(0)
	j, _, w := r.Reference(1)
	return v != w && q.box.Contains(q.grid.Corner(c, i)) && q.box.Contains(q.grid.Corner(c, j))
}

// unitWithin is layout.Unit for a coordinate of a corner of the box. It clamps f, because the box
// can extend far beyond the cell.
func unitWithin(f float64) int32 { return layout.Unit(max(-0.5, min(f, 1.5))) }

// planeMisses reports whether a plane of a record certainly misses the box. middle is twice the
// center of the box, and size is the size of the box, both in units of the cell. The plane is a
// linear function, so its extremes in the box are at corners. The error of a value is below
// SignBound.
func planeMisses(plane uint64, middle, size *[3]int32) bool {
	x, y, z := int64(int16(plane)), int64(int16(plane>>16)), int64(int16(plane>>32))
	value := x*int64(middle[0]) + y*int64(middle[1]) + z*int64(middle[2]) + 2*layout.CoordUnit*int64(int16(plane>>48))
	reach := max(x, -x)*int64(size[0]) + max(y, -y)*int64(size[1]) + max(z, -z)*int64(size[2]) + 2*layout.SignBound
	return value > reach || value < -reach
}
