package cells

import (
	"github.com/inpoly/inpoly/cells/internal/layout"
	"github.com/inpoly/inpoly/side"
)

// crossedCell is a crossed level-0 cell and the points lo to hi−1 of a row.
type crossedCell struct {
	word   uint32
	bit    uint8
	lo, hi int
}

// crossedPoints collects points in crossed cells. The points of a cell are consecutive.
type crossedPoints struct {
	cells []crossedCell

	n       int
	to      [runSize]int // number of each point in the grid
	at      [runSize]uint64
	records [runSize]*layout.Record // first record of the cell of each point
	signs   [runSize]uint16

	known regions
}

// regions holds the sides of some regions of one cell. A region is a set of points with the same
// signs of all planes of the cell. All its points have the same winding number.
type regions struct {
	of    *layout.Record // first record of the cell
	n     int
	signs [8]uint64 // bit j is set if plane j is positive
	sides [8]side.Side
}

// cross collects the points of a crossed cell: points c.lo to c.hi−1 of the rows in the cells y and z.
func (f *filler) cross(b *batch, c *crossedCell, y, z *cellRun) {
	w := b.grid
	p := &w.crossed
	g := &f.x.grid
	record := g.Record(g.RecordOf(c.word, uint(c.bit)))
	units := w.x.units[c.lo-w.x.first : c.hi-w.x.first]
	for k := z.lo; k < z.hi; k++ {
		uz := uint64(w.z.units[k-w.z.first])<<32 | layout.CoordUnit<<48
		for j := y.lo; j < y.hi; j++ {
			u := uint64(w.y.units[j-w.y.first])<<16 | uz
			number := f.number(c.lo, j, k)
			for i, ux := range units {
				if p.n == runSize {
					f.flushCrossed(b)
				}
				p.records[p.n], p.at[p.n], p.to[p.n] = record, u|uint64(ux), number+i
				p.n++
			}
		}
	}
}

// flushCrossed finds the sides of the collected points in crossed cells and writes their labels.
func (f *filler) flushCrossed(b *batch) {
	w := b.grid
	p := &w.crossed
	n := p.n
	p.n = 0
	layout.PlaneSigns(p.records[:n], p.at[:n], p.signs[:n])
	for i, r := range p.records[:n] {
		h, s := r[0], side.Unknown
		pos, neg := uint64(p.signs[i]&0xff>>1), uint64(p.signs[i]>>9)
		switch uint8(h) {
		case layout.KindTable:
			const all = 1<<layout.TablePlanes - 1
			region := pos & all
			if table := r[layout.TableElement]; (pos|neg)&all == all && table>>(32+region)&1 == 1 {
				s = layout.ReferenceSide(h, table>>region&1)
			}
		case layout.KindLast:
			switch {
			case pos|neg != layout.AllPlanes:
			case h>>8&layout.AllPlanes == pos:
				s = layout.ReferenceSide(h, 0)
			case h>>16&layout.AllPlanes == pos:
				s = layout.ReferenceSide(h, 1)
			}
		}
		if s == side.Unknown {
			s = f.sideInCell(b, p.to[i], p.at[i], r)
		} else {
			b.scratch.points++
		}
		f.write(w, p.to[i], s)
	}
}

// sideInCell returns the side of a point in a crossed cell. r is the first record of the cell.
func (f *filler) sideInCell(b *batch, number int, at uint64, r *layout.Record) side.Side {
	known := &b.grid.crossed.known
	var pos, all uint64
	certain := r.HasPlanes()
	if certain {
		if known.of != r {
			known.of, known.n = r, 0
		}
		var ref [2]uint64
		n := 0
		for next := r; ; next = f.x.grid.Record(next.Next()) {
			p, m := layout.RecordSigns(next, at)
			count := next.Planes()
			mask := uint64(1)<<count - 1
			pos |= p & mask << n
			all |= (p | m) & mask << n
			ref[0] |= next[0] >> 8 & mask << n
			ref[1] |= next[0] >> 16 & mask << n
			n += count
			if next.Kind() != layout.KindMore {
				break
			}
		}
		if certain = all == uint64(1)<<n-1; certain {
			for i := range ref {
				if ref[i] == pos {
					b.scratch.points++
					return layout.ReferenceSide(r[0], uint64(i))
				}
			}
			for i, s := range known.signs[:known.n] {
				if s == pos {
					b.scratch.points++
					return known.sides[i]
				}
			}
		}
	}
	c := f.grid.Counts
	s := f.x.Side(f.grid.Point(number%c[0], number/c[0]%c[1], number/c[0]/c[1]), &b.scratch)
	if certain && known.n < len(known.signs) && (s == side.Inside || s == side.Outside) {
		known.signs[known.n], known.sides[known.n] = pos, s
		known.n++
	}
	return s
}
