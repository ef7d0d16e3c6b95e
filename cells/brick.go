package cells

import (
	"context"
	"math"
	"math/bits"
)

// builder makes the lines of one brick after another; each worker has its own.
type builder struct {
	ctx      context.Context
	x        *Index
	facets   []facet
	spans    []span // cells of the first level in the boxes of the facets
	levels   []sorted
	all      []int32
	store    *store
	chunks   []chunk // those of store when open was made
	open     int     // number of the chunk that is being filled, −1: none
	used     int     // lines used in it
	children []childCells
	shape    Shape
	warm     float64
}

// sorted holds lists of facets by cell, for one level at a time.
type sorted struct {
	pairs []pair
	start [brickSide*brickSide*brickSide + 1]int32 // of the list of a cell
	list  []int32
}

// pair says that a facet may meet a cell.
type pair struct{ cell, facet int32 }

// childCells describes a refined cell while the index is built.
type childCells struct {
	id    uint32   // its line
	level int      // of the children
	lo    [3]int32 // first child, in cells of that level
	parts []uint64 // connected sets of empty children
	first int32    // number of the first of them
}

// cells returns the cell of number n in a block at lo with a side of 2^b cells.
func cellOf(lo [3]int32, n int32, b uint) [3]int32 {
	m := int32(1)<<b - 1
	return [3]int32{lo[0] + n&m, lo[1] + n>>b&m, lo[2] + n>>(2*b)}
}

// sort fills the lists of level for the cells of the block at lo with a side of
// 2^side cells.
func (b *builder) sort(level int, lo [3]int32, side uint, facets []int32) {
	for len(b.levels) <= level {
		b.levels = append(b.levels, sorted{})
	}
	s := &b.levels[level]
	pairs := s.pairs[:0]
	cells := int32(1) << (3 * side)
	start := s.start[:cells+1]
	clear(start)
	scale := b.x.scale(level)
	m := int32(1)<<side - 1
	hi := [3]int32{lo[0] + m, lo[1] + m, lo[2] + m}
	edge := 1 / scale
	half := edge * (0.5 + slack)
	for _, n := range facets {
		t := &b.facets[n]
		box := b.spans[n]
		if level > 0 {
			tri := b.x.triangle(t.face)
			box = b.x.span(&tri, scale)
		}
		in, ok := box.within(lo, hi)
		if !ok {
			continue
		}
		cells := in.cells()
		if cells <= 2 {
			// All, as a triangle crosses all planes within its box.
			c := (in.lo[0] - lo[0]) | (in.lo[1]-lo[1])<<side | (in.lo[2]-lo[2])<<(2*side)
			pairs = append(pairs, pair{c, n})
			start[c+1]++
			if cells == 2 {
				c = (in.hi[0] - lo[0]) | (in.hi[1]-lo[1])<<side | (in.hi[2]-lo[2])<<(2*side)
				pairs = append(pairs, pair{c, n})
				start[c+1]++
			}
			continue
		}
		if cells > fewCells {
			t.cover(&b.x.frame, scale, &in, func(i, j, k int32) {
				c := (i - lo[0]) | (j-lo[1])<<side | (k-lo[2])<<(2*side)
				pairs = append(pairs, pair{c, n})
				start[c+1]++
			})
			continue
		}
		// The same as cover, for few cells.
		d := t.size + 2*edge
		reach := t.sum*half + t.errorWithin(&b.x.frame, d+half)
		x0 := (float64(in.lo[0])+0.5)*edge - t.a[0]
		for k := in.lo[2]; k <= in.hi[2]; k++ {
			z := (float64(k)+0.5)*edge - t.a[2]
			for j := in.lo[1]; j <= in.hi[1]; j++ {
				y := (float64(j)+0.5)*edge - t.a[1]
				v := t.n[2]*z + t.n[1]*y
				row := (j-lo[1])<<side | (k-lo[2])<<(2*side)
				x := x0
				for i := in.lo[0]; i <= in.hi[0]; i++ {
					if math.Abs(v+t.n[0]*x) <= reach {
						c := (i - lo[0]) | row
						pairs = append(pairs, pair{c, n})
						start[c+1]++
					}
					x += edge
				}
			}
		}
	}
	s.pairs = pairs
	for c := range cells {
		start[c+1] += start[c]
	}
	if cap(s.list) < len(pairs) {
		s.list = make([]int32, len(pairs)+len(pairs)/2)
	}
	s.list = s.list[:len(pairs)]
	at := s.start
	for _, p := range pairs {
		s.list[at[p.cell]] = p.facet
		at[p.cell]++
	}
}

// brick makes brick number n (of those that the surface crosses) with cells from
// lo on, for the given faces.
func (b *builder) brick(n int, lo [3]int32, faces []int32) {
	x := b.x
	if cap(b.facets) < len(faces) {
		b.facets = make([]facet, len(faces)+len(faces)/2)
		b.spans = make([]span, len(faces)+len(faces)/2)
		b.all = make([]int32, cap(b.facets))
		for i := range b.all {
			b.all[i] = int32(i)
		}
	}
	b.facets = b.facets[:len(faces)]
	// Their corners first: so cache lines come at the same time rather than one
	// after the other.
	sum := 0.0
	for _, f := range faces {
		if int(f) < len(x.mesh.Faces) {
			v := &x.mesh.Faces[f]
			sum += x.mesh.Vertices[v[0]].X + x.mesh.Vertices[v[1]].X + x.mesh.Vertices[v[2]].X
		}
	}
	b.warm = sum // keeps the compiler from leaving the reads out
	for i, f := range faces {
		t := x.triangle(f)
		b.spans[i] = b.facets[i].prepare(&x.frame, &t, f)
	}
	b.sort(0, lo, brickBits, b.all[:len(faces)])
	words := x.words[n*brickSide:][:brickSide]
	crossed := int32(0)
	s := &b.levels[0]
	for z := range words {
		w := uint64(0)
		for c := range 64 {
			if s.start[z*64+c] < s.start[z*64+c+1] {
				w |= 1 << c
			}
		}
		words[z].crossed = w
		x.base[n*brickSide+z] = uint32(crossed)
		crossed += int32(bits.OnesCount64(w))
	}
	if crossed == 0 {
		return
	}
	base := b.alloc(crossed)
	for z := range words {
		x.base[n*brickSide+z] += base
	}
	b.lines(0, lo, brickBits, base, 1)
	b.shape.Bricks++
}

// lines makes the lines of the crossed cells of a block whose lists are sorted,
// from line base on. growth is how many times longer the lists of the block are,
// together, than that of the cell of the first level that it belongs to.
func (b *builder) lines(level int, lo [3]int32, side uint, base uint32, growth float64) {
	half := 0.5 / b.x.scale(level)
	id := base
	for c := range int32(1) << (3 * side) {
		s := &b.levels[level]
		list := s.list[s.start[c]:s.start[c+1]]
		if len(list) == 0 {
			continue
		}
		at := cellOf(lo, c, side)
		if len(list) <= b.x.long || !b.refine(id, level, at, list, growth) {
			if len(list) > longest {
				*b.line(id) = line{handed}
				b.shape.Handed++
			} else {
				b.list(id, list, level, float64(2*at[0]+1)*half, float64(2*at[1]+1)*half, float64(2*at[2]+1)*half)
				b.shape.Crossed++
				b.shape.Entries += len(list)
			}
		}
		id++
	}
}

// longest is the longest list of a cell: one bit of a reference for each.
const longest = 60

// mostGrowth bounds the growth of lists by refinement, all levels together, and
// growthShare that of the list of n triangles by n/growthShare: long lists are
// worth more.
const (
	mostGrowth  = 8
	growthShare = 8
)

// refine makes the children of a cell of level; false if that does not help:
// where triangles run through most children, as around a vertex of many, lists
// do not get shorter but more.
func (b *builder) refine(id uint32, level int, at [3]int32, list []int32, growth float64) bool {
	if level >= b.x.frame.deep || b.ctx.Err() != nil {
		return false
	}
	lo := [3]int32{at[0] << childBits, at[1] << childBits, at[2] << childBits}
	b.sort(level+1, lo, childBits, list)
	s := &b.levels[level+1]
	growth *= float64(len(s.list)) / float64(len(list))
	if growth > min(mostGrowth, float64(len(list))/growthShare) {
		return false
	}
	c := child{}
	for i := range 64 {
		if s.start[i] < s.start[i+1] {
			c.crossed |= 1 << i
		}
	}
	c.base = b.alloc(int32(bits.OnesCount64(c.crossed)))
	l := b.line(id)
	l.setChild(c)
	l[5] = uint64(len(b.children))
	b.children = append(b.children, childCells{id: id, level: level + 1, lo: lo})
	b.shape.Depth = max(b.shape.Depth, level+1)
	b.lines(level+1, lo, childBits, c.base, growth)
	return true
}

// list writes the planes of a list from line id on, for the cell with centre
// (x, y, z) in coordinates of the first level.
func (b *builder) list(id uint32, list []int32, level int, x, y, z float64) {
	for {
		l, faces := b.line(id), &b.chunks[id>>chunkBits].faces[id&(chunkSize-1)]
		n := min(len(list), planesPerLine)
		l[0] = whole | noReference<<24
		if n < len(list) {
			n--
			l[0] = more | noReference<<24
		}
		for j := range planesPerLine {
			l[1+j], faces[j] = noPlane, -1
		}
		for j, f := range list[:n] {
			t := &b.facets[f]
			if t.level != level {
				t.fix(&b.x.frame, level, 0.5/b.x.scale(level))
			}
			l[1+j], faces[j] = t.plane(x, y, z), t.face
		}
		if list = list[n:]; len(list) == 0 {
			return
		}
		next := b.alloc(1) // may move the lines
		b.line(id)[7] = uint64(next)
		id = next
	}
}

func (b *builder) line(id uint32) *line { return &b.chunks[id>>chunkBits].lines[id&(chunkSize-1)] }

// alloc returns the first of n lines in a row, n ≤ chunkSize.
func (b *builder) alloc(n int32) uint32 {
	if b.open < 0 || b.used+int(n) > chunkSize {
		b.close()
		b.open, b.chunks = b.store.add()
		b.used = 0
	}
	at := b.used
	b.used += int(n)
	return uint32(b.open)<<chunkBits | uint32(at)
}

// close gives back what is not used of the open chunk.
func (b *builder) close() {
	if b.open >= 0 {
		b.store.trim(b.open, b.used)
		b.open = -1
	}
}
