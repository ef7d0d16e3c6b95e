package build

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/side"
)

// These functions find the cells where the mesh and its caps decide no side. Let S be the mesh and C
// its caps. W(S) = W(S+C) − J(C), and W(S+C) is an integer k. Let j be an integer with |J(C) − j| < ½
// in a whole cell. Then W(S) lies between k − j − ½ and k − j + ½, and no threshold of a rule lies
// there. So the label of the cell is k − j. All other cells are open: a query computes J(C).
//
// A box that no cap meets is decided by J at its corners, and by a bound of the difference between J
// and the linear interpolation of these values. Boxes start as whole bricks. A box that is not
// decided is divided into eight, down to single cells. docs/design/020-open-meshes.md has the
// alternatives.

// tuning
const (
	// For m expected points, about m/pointsPerBox boxes are allowed, but at least leastBoxes. m
	// counts as mostPoints if it is larger.
	leastBoxes, pointsPerBox = 1 << 12, 4
	mostPoints               = 1 << 22
	pointsPerField           = 8 // one field is allowed for this number of points
	openBricksAtATime        = 1 << 11
)

// openBrick holds the open cells of a brick, and the moved cells, whose label is not k.
type openBrick struct {
	position int32
	open     brickMask
	moved    []movedCells
	fields   []cellField
	lattice  *lattice // nil outside of divide
}

// movedCells is a set of cells with the label k − j.
type movedCells struct {
	j     int32
	cells brickMask
}

// openBox is a cube of cells in a brick.
type openBox struct {
	brick  *openBrick
	at     [3]int32 // first cell, relative to the brick
	spread spread
	field  layout.Field // for a single cell that is not decided
}

// latticeSide is the number of corners of cells along an edge of a brick.
const latticeSide = layout.BrickSide + 1

// lattice holds J at the corners of the cells of a brick, and error bounds of these values. J is
// NaN if its error bound is too large.
type lattice struct {
	j     [latticeSide * latticeSide * latticeSide]float64
	bound [latticeSide * latticeSide * latticeSide]float32
	known [(latticeSide*latticeSide*latticeSide + 63) / 64]uint64
}

func latticeAt(at [3]int32, corner, side int32) int32 {
	for a := range at {
		at[a] += corner >> a & 1 * side
	}
	return at[0] + latticeSide*(at[1]+latticeSide*at[2])
}

// findOpen finds the open cells of all bricks. It leaves out the bricks that are so far from all caps
// that |J| is less than 1/2.
func (l *labeler) findOpen(ctx context.Context) ([]*openBrick, error) {
	far := make([]bool, l.Bricks())
	err := par.Blocks(ctx, len(far), 64, l.workers, func(_, lo, hi int) {
		for b := lo; b < hi; b++ {
			box := l.BrickBox(int32(b))
			far[b] = l.holes.magnitude(&box, 0.49) < 0.49
		}
	})
	if err != nil {
		return nil, err
	}
	var found []*openBrick
	for b, ok := range far {
		if !ok {
			found = append(found, &openBrick{position: int32(b)})
		}
	}
	// The boxes of a brick can take 100 kB, so only openBricksAtATime bricks are divided at a time.
	// most and fields are for all bricks, and each brick gets an equal share.
	most := int(max(leastBoxes, min(l.expectedPoints(), mostPoints)/pointsPerBox))
	fields := int(min(l.expectedPoints(), mostPoints) / pointsPerField)
	for lo := 0; lo < len(found); lo += openBricksAtATime {
		some := found[lo:min(len(found), lo+openBricksAtATime)]
		if err := l.divide(ctx, some, most*len(some)/len(found), fields*len(some)/len(found)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// divide finds the open cells of some bricks. It uses at most the given numbers of boxes and fields.
func (l *labeler) divide(ctx context.Context, bricks []*openBrick, most, fields int) error {
	var boxes []openBox
	for _, b := range bricks {
		b.lattice = new(lattice)
		boxes = append(boxes, openBox{brick: b, spread: l.holes.wholeSpread()})
	}
	for side := int32(layout.BrickSide); len(boxes) > 0; side /= 2 {
		undecided, err := l.decideBoxes(ctx, boxes, side, side == 1 && len(boxes) <= fields)
		if err != nil {
			return err
		}
		boxes = nil
		for i := range undecided {
			b := &undecided[i]
			if side == 1 || len(undecided)*8 > most {
				b.brick.open.add(b.at, side)
				if b.field.Kind != layout.NoField {
					b.brick.fields = append(b.brick.fields, cellField{b.at[2], b.at[0] + b.at[1]<<layout.BrickBits, b.field})
				}
				continue
			}
			half := side / 2
			b.spread.square /= 4
			for i := range int32(8) {
				boxes = append(boxes, openBox{
					brick: b.brick, at: [3]int32{b.at[0] + i&1*half, b.at[1] + i>>1&1*half, b.at[2] + i>>2*half}, spread: b.spread,
				})
			}
		}
		most -= len(boxes)
	}
	for _, b := range bricks {
		b.lattice = nil
	}
	return nil
}

// add adds a cube of cells.
func (m *brickMask) add(at [3]int32, side int32) {
	row := (uint64(1)<<side - 1) << at[0]
	for y := at[1]; y < at[1]+side; y++ {
		for z := at[2]; z < at[2]+side; z++ {
			m[z] |= row << (layout.BrickSide * y)
		}
	}
}

// meets reports whether a cube of cells contains a cell of m.
func (m *brickMask) meets(at [3]int32, side int32) bool {
	var c brickMask
	c.add(at, side)
	for z := range m {
		if m[z]&c[z] != 0 {
			return true
		}
	}
	return false
}

// decideBoxes labels the cells of boxes that have the given number of cells on each axis. It
// returns the boxes that it cannot decide. If fields is true, the boxes are single cells, and these
// cells get fields.
func (l *labeler) decideBoxes(ctx context.Context, boxes []openBox, side int32, fields bool) ([]openBox, error) {
	if err := l.fillLattices(ctx, boxes, side); err != nil {
		return nil, err
	}
	decided := make([]bool, len(boxes))
	near := make([]int32, len(boxes)) // j, the integer nearest to J in the box
	stacks := make([][]int32, l.workers)
	edge := float64(side) * l.Cell * l.holes.scale * (1 + 0x1p-10)
	wide := l.Cell * l.holes.scale / 8 // tuning
	err := par.Blocks(ctx, len(boxes), 64, l.workers, func(worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			b := &boxes[i]
			least, most := math.Inf(1), math.Inf(-1)
			for c := range int32(8) {
				j := b.brick.lattice.j[latticeAt(b.at, c, side)]
				least, most = min(least, j), max(most, j)
			}
			j := math.RoundToEven((least + most) / 2)
			room := 0.5 - 2*capEpsilon - max(j-least, most-j) // NaN if a value is not known
			caps := l.capsIn(b, side)
			limit, bound := max(0, room), math.Inf(1)
			oneSide, sideJ := 0.0, 0.0
			if side == 1 && !caps {
				oneSide, sideJ = l.sideRoom(b, least, most)
				limit = max(limit, oneSide)
			}
			if fields {
				limit = max(limit, widestField)
			}
			if limit > 0 && !caps {
				box := l.Box(l.firstCell(b), side)
				b.spread, bound = l.holes.inBox(b.spread, &box, edge, wide, limit, &stacks[worker])
				if decided[i] = bound < room; !decided[i] && bound < oneSide {
					decided[i], j = true, sideJ
				}
			}
			if fields && !decided[i] {
				b.field = l.field(b, caps, bound, edge, &stacks[worker])
			}
			near[i] = int32(j)
		}
	})
	if err != nil {
		return nil, err
	}
	var undecided []openBox
	for i := range boxes {
		b := &boxes[i]
		if !decided[i] {
			undecided = append(undecided, *b)
		} else if near[i] != 0 {
			b.brick.move(near[i], b.at, side)
		}
	}
	return undecided, nil
}

// firstCell returns the coordinates of the first cell of a box.
func (l *labeler) firstCell(b *openBox) [3]int32 {
	first := l.FirstCell(b.brick.position)
	for a := range first {
		first[a] += b.at[a]
	}
	return first
}

// fillLattices computes J at the corners of boxes.
func (l *labeler) fillLattices(ctx context.Context, boxes []openBox, side int32) error {
	type place struct {
		lattice *lattice
		at      int32
	}
	var places []place
	var pts []r3.Vector
	for i := range boxes {
		par.Pause(i)
		b := &boxes[i]
		first := l.FirstCell(b.brick.position)
		for c := range int32(8) {
			at := latticeAt(b.at, c, side)
			known := &b.brick.lattice.known[at/64]
			if *known>>(at%64)&1 == 1 {
				continue
			}
			*known |= 1 << (at % 64)
			cell := first
			for a := range cell {
				cell[a] += b.at[a] + c>>a&1*side
			}
			places = append(places, place{b.brick.lattice, at})
			pts = append(pts, l.Corner(layout.CellAddr{Level: 0, At: cell}, 0))
		}
	}
	n := len(pts)
	j, bound, on := make([]float64, n), make([]float64, n), make([]bool, n)
	if err := l.CapPotentialsTo(ctx, j, bound, on, pts, l.workers); err != nil {
		return err
	}
	for i, p := range places {
		par.Pause(i)
		if on[i] || !(bound[i] < 1.9*capEpsilon) {
			j[i] = math.NaN()
		}
		p.lattice.j[p.at], p.lattice.bound[p.at] = j[i], float32(bound[i])*(1+0x1p-20)
	}
	return nil
}

// move marks a cube of cells as cells with label k − j.
func (o *openBrick) move(j int32, at [3]int32, side int32) {
	for i := range o.moved {
		if o.moved[i].j == j {
			o.moved[i].cells.add(at, side)
			return
		}
	}
	o.moved = append(o.moved, movedCells{j: j})
	o.moved[len(o.moved)-1].cells.add(at, side)
}

// capsIn reports whether a cap meets a cube of cells.
func (l *labeler) capsIn(b *openBox, side int32) bool {
	n := l.crossedAt[b.brick.position]
	return n >= 0 && l.capCells[n] != nil && l.capCells[n].meets(b.at, side)
}

// findCapCells finds the cells of each crossed brick that a cap meets. It must run after the lists
// are complete.
func (l *labeler) findCapCells(ctx context.Context) error {
	l.capCells = make([]*brickMask, len(l.Positions))
	return par.Blocks(ctx, len(l.Positions), bricksAtATime, l.workers, func(_, from, to int) {
		for n := from; n < to; n++ {
			var m brickMask
			found := false
			for z := range m {
				id := l.First[n*layout.BrickSide+z]
				for left := l.Words[n*layout.BrickSide+z].Crossed; left != 0; left &= left - 1 {
					if l.listsCap(id) {
						m[z] |= left & -left
						found = true
					}
					id++
				}
			}
			if found {
				l.capCells[n] = &m
			}
		}
	})
}

// listsCap reports whether the cell with the given record, or a child of it, lists a cap. The result
// is true if the cell has no lists because they are too long.
func (b *builder) listsCap(id uint32) bool {
	for {
		r := b.Record(id)
		switch r.Kind() {
		case layout.KindUniform:
			return false
		case layout.KindRayOnly:
			return true
		case layout.KindRefined:
			c := r.Children()
			for i := range bits.OnesCount64(c.Crossed) {
				if b.listsCap(c.First + uint32(i)) {
					return true
				}
			}
			return false
		}
		for _, f := range b.Faces(id)[:r.Planes()] {
			if f >= 0 && b.HoldsCap(f) {
				return true
			}
		}
		if r.Kind() != layout.KindMore {
			return false
		}
		id = r.Next()
	}
}

// writeOpen marks the open cells in Words, and moves the labels of moved cells. It must run after
// writeLabels.
func (l *labeler) writeOpen(bricks []*openBrick) {
	for _, o := range bricks {
		if len(o.moved) == 0 && o.open == (brickMask{}) {
			continue
		}
		at := o.position
		n := int(l.Top[at] >> 3)
		if l.Top[at]&layout.TopRayOnly != 0 {
			continue // rays answer in the whole brick
		}
		if n >= len(l.Positions) { // the brick shares a stored brick with others
			w := l.W[n][0]
			n = len(l.W)
			l.W = append(l.W, [2]int32{w, w})
			l.Words = append(l.Words, make([]layout.Word, layout.BrickSide)...)
		}
		l.moveLabels(o, n)
		words := l.Words[n*layout.BrickSide:][:layout.BrickSide]
		l.Listed = grown(l.Listed, l.Words)
		l.Open = append(l.Open, make([]uint64, len(l.Listed)-len(l.Open))...)
		l.Smooth = append(l.Smooth, make([]uint64, len(l.Open)-len(l.Smooth))...)
		l.FirstField = append(l.FirstField, make([]uint32, len(l.Open)-len(l.FirstField))...)
		l.writeFields(o, n*layout.BrickSide)
		for z := range words {
			l.Open[n*layout.BrickSide+z] = o.open[z]
			words[z].Crossed |= o.open[z]
			l.Counts.Open += bits.OnesCount64(o.open[z])
		}
		l.Top[at] = uint32(n)<<3 | l.insideBits(n)
	}
}

// grown extends listed to the length of words. Each new element has the crossed cells of its word.
func grown(listed []uint64, words []layout.Word) []uint64 {
	for _, w := range words[len(listed):] {
		listed = append(listed, w.Crossed)
	}
	return listed
}

// insideBits returns the two lowest bits of an entry of Top for stored brick n.
func (b *builder) insideBits(n int) (e uint32) {
	for v, w := range b.W[n] {
		if b.Side(w) == side.Inside {
			e |= 1 << v
		}
	}
	return e
}

// moveLabels changes the labels of the moved cells of o from k to k − j. A stored brick has only two
// labels for its cells without a record. Moved cells that need a third label become open.
func (l *labeler) moveLabels(o *openBrick, n int) {
	if len(o.moved) == 0 {
		return
	}
	words := l.Words[n*layout.BrickSide:][:layout.BrickSide]
	for _, m := range o.moved {
		for z := range words {
			id := uint32(0)
			if n < len(l.Positions) {
				id = l.First[n*layout.BrickSide+z]
			}
			for left := words[z].Crossed; left != 0; left &= left - 1 {
				if bit := left & -left; m.cells[z]&bit != 0 && !l.moveRecord(id, m.j) {
					o.open[z] |= bit
				}
				id++
			}
		}
	}
	// Group the cells without a record by their new labels.
	type group struct {
		w     int32
		cells brickMask
	}
	var groups []group
	add := func(w int32, z int, cells uint64) {
		if cells == 0 {
			return
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.w == w })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{w: w})
		}
		groups[i].cells[z] |= cells
	}
	w := l.W[n]
	for z := range words {
		stay, value := ^words[z].Crossed, words[z].Value
		for _, m := range o.moved {
			cells := stay & m.cells[z]
			add(w[0]-m.j, z, cells&^value)
			add(w[1]-m.j, z, cells&value)
			stay &^= m.cells[z]
		}
		add(w[0], z, stay&^value)
		add(w[1], z, stay&value)
	}
	switch {
	case len(groups) == 0:
		return
	case len(groups) > 2:
		for _, m := range o.moved {
			for z := range words {
				o.open[z] |= m.cells[z] &^ words[z].Crossed
			}
		}
		return
	}
	low, high := groups[0], groups[len(groups)-1]
	if low.w > high.w {
		low, high = high, low
	}
	l.W[n] = [2]int32{low.w, high.w}
	for z := range words {
		words[z].Value = 0
		if low.w != high.w {
			words[z].Value = high.cells[z]
		}
	}
}

// moveRecord subtracts j from the winding numbers of a cell with a record. It returns false and
// changes nothing if a winding number would not fit in 16 bits.
func (l *labeler) moveRecord(id uint32, j int32) bool {
	r := l.Record(id)
	switch r.Kind() {
	case layout.KindUniform:
		r[1] = uint64(int64(r[1]) - int64(j))
		return true
	case layout.KindRayOnly:
		return true
	case layout.KindRefined:
		return false // tuning: refined cells near large holes are rare
	}
	w := [2]int32{}
	for i := range w {
		_, _, w[i] = r.Reference(i)
		if w[i] -= j; w[i] != int32(int16(w[i])) {
			return false
		}
	}
	r[0] = r[0]&(1<<32-1)&^(1<<15|1<<23) | l.windingBits(0, w[0]) | l.windingBits(1, w[1])
	return true
}
