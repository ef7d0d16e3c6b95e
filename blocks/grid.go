package blocks

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/voxels"
)

// gridWork is the state of Grid.
type gridWork struct {
	frame  *Frame
	lo, hi [3]int
	// status has an element for each block, x fastest. If several solids can have a part of the block,
	// the element is an index of cases. Otherwise it is −2−s, where s is the solid that has the whole
	// block, or None.
	status []int32
	cases  []contenders
}

// Grid computes the rows of the blocks from lo to hi−1 of a frame. Blocks are in the order of an array
// whose x index runs fastest, and the sub-blocks of a block are in the order of an octree. The memory is
// proportional to the number of rows.
//
// Errors: the error of the context of w.
func (w *Worker) Grid(rows *Rows, f *Frame, lo, hi [3]int) error {
	g := &w.grid
	if err := w.findStatus(f, lo, hi); err != nil {
		return err
	}
	rows.Rows = rows.Rows[:0]
	var mixed []contenders // contenders of the mixed rows, in order
	k := 0
	for z := lo[2]; z < hi[2]; z++ {
		for y := lo[1]; y < hi[1]; y++ {
			for x := lo[0]; x < hi[0]; x, k = x+1, k+1 {
				row := Row{Block: [3]int32{int32(x), int32(y), int32(z)}, Box: f.planes([3]int{x, y, z}, [3]int{x + 1, y + 1, z + 1})}
				if s := g.status[k]; s < 0 {
					row.Single = -2 - s
					rows.Rows = append(rows.Rows, row)
					continue
				}
				var err error
				if mixed, err = w.subdivide(rows, row, g.cases[g.status[k]], mixed); err != nil {
					return err
				}
			}
		}
	}
	return w.shareAll(rows, mixed)
}

// Straddling returns the number of blocks from lo to hi−1 that a face can meet. Grid divides these
// blocks into sub-blocks, with Options.SubLevels.
//
// Errors: the error of the context of w.
func (w *Worker) Straddling(f *Frame, lo, hi [3]int) (n int, err error) {
	if err := w.findStatus(f, lo, hi); err != nil {
		return 0, err
	}
	for _, s := range w.grid.status {
		if s >= 0 && len(w.grid.cases[s].active) > 0 {
			n++
		}
	}
	return n, nil
}

// findStatus sets w.grid.status for the blocks from lo to hi−1.
func (w *Worker) findStatus(f *Frame, lo, hi [3]int) error {
	g := &w.grid
	n := (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2])
	g.frame, g.lo, g.hi, g.cases = f, lo, hi, g.cases[:0]
	if cap(g.status) < n {
		g.status = make([]int32, n)
	}
	g.status = g.status[:n]
	return w.descend(lo, hi, w.all())
}

// all returns the contenders for a box about which nothing is known.
func (w *Worker) all() contenders {
	c := contenders{whole: None, overlap: w.opt.Overlap}
	for s := range w.shapes {
		c.active = append(c.active, int32(s))
	}
	return c
}

// shareAll computes the shares of all rows. mixed has the contenders of the mixed rows, in order.
func (w *Worker) shareAll(rows *Rows, mixed []contenders) error {
	rows.resize(len(w.shapes))
	next := 0
	for r := range rows.Rows {
		row := &rows.Rows[r]
		if !row.Mixed {
			if row.Single != None {
				rows.Shares[row.Single][r] = 1
			}
			continue
		}
		if next%64 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		c := mixed[next]
		if next++; len(c.active) == 0 {
			row.Mixed = false // several solids of Options.Overlap contain the row
		}
		if err := w.fill(rows, r, c); err != nil {
			return err
		}
		if row.slack != (r3.Vector{}) {
			row.widen(rows, r, c)
		}
	}
	return nil
}

// descend finds the status of the blocks from lo to hi−1.
func (w *Worker) descend(lo, hi [3]int, c contenders) error {
	var parts [8][2][3]int
	n := halves(&parts, lo, hi, components(w.grid.frame.Size))
	var next [8]contenders
	for i := range n {
		next[i] = contenders{whole: c.whole, overlap: c.overlap, also: c.also[:len(c.also):len(c.also)]}
	}
	var done [8]bool
	for _, s := range c.active {
		w.boxes = w.boxes[:0]
		for i := range n {
			if !done[i] {
				w.boxes = append(w.boxes, w.grid.frame.planes(parts[i][0], parts[i][1]))
			}
		}
		at, err := w.classify(int(s), w.boxes)
		if err != nil {
			return err
		}
		k := 0
		for i := range n {
			if !done[i] {
				done[i] = !next[i].add(s, at[k])
				k++
			}
		}
	}
	for i := range n {
		p := &parts[i]
		single := [3]int{p[0][0] + 1, p[0][1] + 1, p[0][2] + 1} == p[1]
		if len(next[i].active) > 0 && !single {
			if err := w.descend(p[0], p[1], next[i]); err != nil {
				return err
			}
			continue
		}
		w.grid.set(p[0], p[1], next[i])
	}
	return nil
}

// set sets the status of the blocks from lo to hi−1.
func (g *gridWork) set(lo, hi [3]int, c contenders) {
	status := -2 - c.whole
	if len(c.active) > 0 || c.several() {
		status = int32(len(g.cases))
		g.cases = append(g.cases, c)
	}
	nx, ny := g.hi[0]-g.lo[0], g.hi[1]-g.lo[1]
	for z := lo[2]; z < hi[2]; z++ {
		for y := lo[1]; y < hi[1]; y++ {
			row := g.status[((z-g.lo[2])*ny+y-g.lo[1])*nx:]
			for x := lo[0]; x < hi[0]; x++ {
				row[x-g.lo[0]] = status
			}
		}
	}
}

// halves divides the blocks from lo to hi−1 along their longer axes. It returns the number of parts. A
// single block is one part.
func halves(parts *[8][2][3]int, lo, hi [3]int, size [3]float64) int {
	longest := 0.0
	for k := range lo {
		longest = max(longest, float64(hi[k]-lo[k])*size[k])
	}
	parts[0] = [2][3]int{lo, hi}
	n := 1
	for k := range lo {
		if d := hi[k] - lo[k]; d > 1 && (float64(d)*size[k] >= longest/2 || hi[0]-lo[0] == 1 || hi[1]-lo[1] == 1 || hi[2]-lo[2] == 1) {
			middle := lo[k] + d/2
			for i := range n {
				parts[n+i] = parts[i]
				parts[i][1][k], parts[n+i][0][k] = middle, middle
			}
			n *= 2
		}
	}
	return n
}

// subdivide appends a mixed row, or its sub-blocks.
func (w *Worker) subdivide(rows *Rows, row Row, c contenders, mixed []contenders) ([]contenders, error) {
	if octants, ok := split(row.Box); ok && len(c.active) > 0 && int(row.Level) < w.opt.SubLevels {
		for _, o := range octants {
			next, err := w.contest(o, c)
			if err != nil {
				return mixed, err
			}
			sub := Row{Block: row.Block, Level: row.Level + 1, Box: o, Single: next.whole}
			if mixed, err = w.subdivide(rows, sub, next, mixed); err != nil {
				return mixed, err
			}
		}
		return mixed, nil
	}
	if row.Single = c.whole; len(c.active) > 0 || c.several() {
		row.Mixed = true
		mixed = append(mixed, c)
	}
	rows.Rows = append(rows.Rows, row)
	return mixed, nil
}

// Body returns the first solid that contains the point p of the world, None, or Unknown.
func (m *Model) Body(p r3.Vector) int32 {
	for i, s := range m.solids {
		switch d := s.Side(p); {
		case d == inpoly.Unknown:
			return Unknown
		case d.Contains():
			return int32(i)
		}
	}
	return None
}

// Unknown is the result of Body if the answer depends on a side that is Unknown.
const Unknown = -2

// Position returns the position of row r: Inside if one solid has all of its space, Outside if no solid has
// any of it, and Straddling in all other cases.
func (r *Row) Position() voxels.Position {
	switch {
	case r.Mixed:
		return voxels.Straddling
	case r.Single == None:
		return voxels.Outside
	}
	return voxels.Inside
}

// Center returns the rounded center of a row, in local coordinates.
func (r *Row) Center() r3.Vector { return center(&r.Box) }
