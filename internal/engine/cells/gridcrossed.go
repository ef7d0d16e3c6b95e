package cells

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/side"
)

// tuning
const (
	// If a crossed cell contains at least finePoints points, the method fine handles them together.
	// Otherwise coarseCells collects the points of several cells, so that their cache misses
	// overlap.
	finePoints = 4
	// mostRegions is the largest number of regions of a cell whose sides are stored.
	mostRegions = 16
)

// crossedCell is a crossed level-0 cell and the points lo to hi−1 of a row.
type crossedCell struct {
	word   uint32
	bit    uint8
	lo, hi int
}

// coarseCells collects points in crossed cells that have few points.
type coarseCells struct {
	n   int
	to  [runSize]int // number of each point in the grid
	run [runSize]deferred
	pts [runSize]r3.Vector
	dst [runSize]side.Side
}

// cross finds the sides of points lo to hi−1 of the rows in b.grid.rows, or collects these points.
// They are in the crossed cell whose first record has number id.
func (f *filler) cross(ctx context.Context, b *batch, id uint32, lo, hi int) {
	w := b.grid
	lo, hi = lo-w.x.first, hi-w.x.first
	if (hi-lo)*len(w.rows) >= finePoints && w.fine.start(&f.x.grid, id) {
		for ; lo < hi; lo += runSize {
			f.fine(b, lo, min(hi, lo+runSize))
		}
		return
	}
	p := &w.coarse
	for r := range w.rows {
		row := &w.rows[r]
		for i := lo; i < hi; i++ {
			if p.n == runSize {
				f.flushCoarse(ctx, b)
			}
			p.run[p.n] = deferred{uint32(p.n), id, row.packed | uint64(w.x.units[i])}
			p.to[p.n], p.pts[p.n] = row.start+i, w.point(row, i)
			p.n++
		}
	}
}

// flushCoarse finds the sides of the collected points and writes their labels.
func (f *filler) flushCoarse(ctx context.Context, b *batch) {
	p := &b.grid.coarse
	if n := p.n; b.failed(ctx) == nil {
		copy(b.run[:], p.run[:n])
		f.x.compare(b, n, p.dst[:n], p.pts[:n])
		for i, s := range p.dst[:n] {
			f.write(b.grid, p.to[i], s)
		}
	}
	p.n = 0
}

// fineCell is the working memory for a crossed cell with many points.
type fineCell struct {
	first *layout.Record // first record of the cell
	all   uint64         // one bit for each plane of the cell
	half  uint           // number of bits of a half of signs
	// known has the sides of some regions. A region is the set of points of the cell where all
	// planes have certain, equal signs. A region is convex and no triangle cuts it, so all its
	// points have the same winding number. The first two regions contain the references.
	known [mostRegions]knownRegion
	n     int // number of known regions

	at    [runSize]uint64
	bits  [runSize]uint16
	signs [runSize]signs
}

// signs holds the signs of the planes of a cell at a point. Bit j of the lower half is set if plane j
// is certainly positive. Bit j of the upper half is set if plane j is certainly negative.
type signs uint64

type knownRegion struct {
	signs signs
	side  side.Side
}

// start prepares p for the cell whose first record has number id. It returns false if the cell has no
// planes, or more planes than signs can hold.
func (p *fineCell) start(g *layout.Grid, id uint32) bool {
	first := g.Record(id)
	if !first.HasPlanes() {
		return false
	}
	p.first, p.half, p.n = first, 8, 2
	_, pos0, _ := first.Reference(0)
	_, pos1, _ := first.Reference(1)
	planes := first.Planes()
	if first.Kind() == layout.KindMore {
		p.half = 32
		n := 0
		pos0, pos1 = 0, 0
		for r := first; ; r = g.Record(r.Next()) {
			_, s0, _ := r.Reference(0)
			_, s1, _ := r.Reference(1)
			planes = r.Planes()
			pos0 |= s0 & (1<<planes - 1) << n
			pos1 |= s1 & (1<<planes - 1) << n
			n += planes
			if r.Kind() != layout.KindMore {
				break
			}
		}
		planes = n
	}
	p.all = 1<<planes - 1
	pos0, pos1 = pos0&p.all, pos1&p.all
	p.known[0] = knownRegion{signs(pos0 | (p.all&^pos0)<<p.half), layout.ReferenceSide(first[0], 0)}
	p.known[1] = knownRegion{signs(pos1 | (p.all&^pos1)<<p.half), layout.ReferenceSide(first[0], 1)}
	return planes <= 32
}

// findSigns sets the signs of the first n points in p.at.
func (p *fineCell) findSigns(g *layout.Grid, n int) {
	out, bits := p.signs[:n], p.bits[:n]
	if p.half == 8 {
		layout.CellSigns(p.first, p.at[:n], bits)
		mask := p.all | p.all<<8
		for i, s := range bits {
			out[i] = signs(uint64(s>>1) & mask)
		}
		return
	}
	clear(out)
	planes := 0
	for r := p.first; ; r = g.Record(r.Next()) {
		layout.CellSigns(r, p.at[:n], bits)
		count := r.Planes()
		mask := uint64(1)<<count - 1
		for i, s := range bits {
			out[i] |= signs((uint64(s>>1)&mask | uint64(s>>9)&mask<<32) << planes)
		}
		planes += count
		if r.Kind() != layout.KindMore {
			return
		}
	}
}

// certain reports whether the signs of all planes are certain.
func (p *fineCell) certain(s signs) bool { return (uint64(s)|uint64(s)>>p.half)&p.all == p.all }

// side returns the side of a region. It returns Unknown if a sign is uncertain or if the side of
// the region is not stored.
func (p *fineCell) side(s signs) side.Side {
	for i := range p.known[:p.n] {
		if r := &p.known[i]; r.signs == s {
			return r.side
		}
	}
	if h := p.first[0]; uint8(h) == layout.KindTable && p.certain(s) {
		region := uint64(s) & p.all
		if table := p.first[layout.TableElement]; table>>(32+region)&1 == 1 {
			return layout.ReferenceSide(h, table>>region&1)
		}
	}
	return side.Unknown
}

// fine finds the sides of points lo to hi−1 of the block in the rows of b.grid.rows. The points are in
// the crossed cell for which b.grid.fine was prepared, and hi − lo is at most runSize.
func (f *filler) fine(b *batch, lo, hi int) {
	w := b.grid
	p := &w.fine
	units := w.x.units[lo:hi]
	for left := w.rows; len(left) > 0; {
		rows := left[:min(len(left), runSize/len(units))]
		left = left[len(rows):]
		n := 0
		for i := range rows {
			u := rows[i].packed
			for _, x := range units {
				p.at[n&(runSize-1)] = u | uint64(x)
				n++
			}
		}
		p.findSigns(&f.x.grid, n)
		a, z := p.known[0], p.known[1]
		labelA, labelZ := f.labels[a.side], f.labels[z.side]
		inA, inZ := 0, 0 // numbers of points in the regions a and z
		of := p.signs[:n]
		for i := range rows {
			row := &rows[i]
			dst := f.dst[row.start+lo:][:len(units)]
			here := of[:len(dst)]
			of = of[len(dst):]
			for i, s := range here {
				switch s {
				case a.signs:
					dst[i] = labelA
					inA++
				case z.signs:
					dst[i] = labelZ
					inZ++
				default:
					f.other(b, row, lo+i, s)
				}
			}
		}
		w.counts[a.side] += int64(inA)
		w.counts[z.side] += int64(inZ)
		b.scratch.points += uint64(inA + inZ)
	}
}

// other finds the side of point i of the block in a row, and writes its label. The point has the given
// signs. If they are certain, other stores the side of their region.
func (f *filler) other(b *batch, row *gridRow, i int, s signs) {
	w := b.grid
	p := &w.fine
	is := p.side(s)
	if is != side.Unknown {
		b.scratch.points++
	} else {
		is = f.x.Side(w.point(row, i), &b.scratch)
		if p.n < mostRegions && p.certain(s) && (is == side.Inside || is == side.Outside) {
			p.known[p.n] = knownRegion{s, is}
			p.n++
		}
	}
	f.write(w, row.start+i, is)
}
