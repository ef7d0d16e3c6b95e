package build

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
)

// cellLabels holds the labels of the empty cells of a brick or refined cell, one word for every 64
// cells. The Value bit of a cell selects one of the two winding numbers in w. If a cell has another
// winding number, otherCells contains the cell, and the cell gets its own record.
type cellLabels struct {
	w          [2]int32
	value      []uint64
	otherCells []uint64
	record     func(word int, bit uint) layout.Record // returns the record of a cell in otherCells
}

// labels returns the labels of the cells of n consecutive components. cells(i) returns the cells of
// the i-th component as words.
func (l *labeler) labels(first int32, n, words int, cells func(i int) []uint64) cellLabels {
	// Find the two most frequent winding numbers.
	type share struct {
		w     int32
		count int
	}
	shares := make([]share, 0, 2)
	for i := range n {
		w := l.finalW(first + int32(i))
		if w == unknownW {
			continue
		}
		at := slices.IndexFunc(shares, func(s share) bool { return s.w == w })
		if at < 0 {
			at = len(shares)
			shares = append(shares, share{w: w})
		}
		for _, c := range cells(i) {
			shares[at].count += bits.OnesCount64(c)
		}
	}
	for k := range min(2, len(shares)) { // the two numbers of most cells come first
		for i := k + 1; i < len(shares); i++ {
			if a, b := shares[k], shares[i]; cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(b.w, a.w)) < 0 {
				shares[k], shares[i] = b, a
			}
		}
	}
	out := cellLabels{value: make([]uint64, words), otherCells: make([]uint64, words)}
	if len(shares) > 0 {
		a, b := shares[0].w, shares[min(1, len(shares)-1)].w
		out.w = [2]int32{min(a, b), max(a, b)}
	}
	for i := range n {
		to := out.value
		switch l.finalW(first + int32(i)) {
		case out.w[1]:
		case out.w[0]:
			continue
		default:
			to = out.otherCells
		}
		for j, c := range cells(i) {
			to[j] |= c
		}
	}
	out.record = func(word int, bit uint) layout.Record {
		for i := range n {
			if cells(i)[word]>>bit&1 == 1 {
				if w := l.finalW(first + int32(i)); w != unknownW {
					return layout.Record{layout.KindUniform, uint64(int64(w))}
				}
			}
		}
		l.Counts.RayOnly++
		return layout.Record{layout.KindRayOnly}
	}
	return out
}

// insertRecords copies the records of the crossed cells, which have consecutive numbers, to new
// places. It makes a record for each cell in l.otherCells and marks the cell as crossed. It returns
// the number of the first new record.
func (b *builder) insertRecords(s *chunkStore, crossed []uint64, first uint32, l *cellLabels) uint32 {
	n := 0
	for j := range crossed {
		n += bits.OnesCount64(crossed[j] | l.otherCells[j])
	}
	number, chunks := s.add()
	to := uint32(number) << layout.ChunkBits
	b.Chunks = chunks
	for j := range crossed {
		for left := crossed[j] | l.otherCells[j]; left != 0; left &= left - 1 {
			bit := uint(bits.TrailingZeros64(left))
			if crossed[j]>>bit&1 == 1 {
				*b.Record(to), *b.Faces(to) = *b.Record(first), *b.Faces(first)
				first++
			} else {
				*b.Record(to) = l.record(j, bit)
			}
			to++
		}
		crossed[j] |= l.otherCells[j]
	}
	s.trim(number, n)
	return uint32(number) << layout.ChunkBits
}

// writeLabels writes the labels of the empty cells of crossed bricks.
func (l *labeler) writeLabels(ctx context.Context) error {
	s := newChunkStore(l.Chunks)
	// Write children before their parents, because writing a parent can move the records of its
	// children.
	for i := range slices.Backward(l.refined) {
		c := &l.refined[i]
		ch := l.Record(c.record).Children()
		labels := l.labels(c.first, len(c.components), 1, func(i int) []uint64 { return c.components[i : i+1] })
		ch.W, ch.Value = labels.w, labels.value[0]
		if labels.otherCells[0] != 0 {
			crossed := []uint64{ch.Crossed}
			ch.First = l.insertRecords(s, crossed, ch.First, &labels)
			ch.Crossed = crossed[0]
		}
		l.Record(c.record).SetChildren(ch)
	}
	count := len(l.Positions)
	l.W = make([][2]int32, count)
	for n := range count {
		if n%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		components, firstComponent := l.componentsOf(int32(n))
		labels := l.labels(firstComponent, len(components), layout.BrickSide, func(i int) []uint64 { return components[i][:] })
		l.W[n] = labels.w
		words, first := l.Words[n*layout.BrickSide:][:layout.BrickSide], l.First[n*layout.BrickSide:][:layout.BrickSide]
		if slices.Max(labels.otherCells) != 0 {
			crossed := make([]uint64, layout.BrickSide)
			for z := range words {
				crossed[z] = words[z].Crossed
			}
			at := l.insertRecords(s, crossed, first[0], &labels)
			for z := range words {
				words[z].Crossed, first[z] = crossed[z], at
				at += uint32(bits.OnesCount64(crossed[z]))
			}
		}
		for z := range words {
			words[z].Value = labels.value[z]
		}
	}
	l.Chunks = s.chunks
	return ctx.Err()
}

// writeTop writes Top and the stored bricks without triangles. crossedAt[b] is the number of the
// crossed brick at position b. It is −1 if that brick is not crossed. Then winding(b) is the
// winding number of the brick, or unknownW.
func (b *builder) writeTop(crossedAt []int32, winding func(b int32) int32) {
	b.Top = make([]uint32, len(crossedAt))
	uniform := map[int32]int32{} // maps a winding number to its stored brick
	lastW, lastBrick := unknownW, int32(-1)
	for at, n := range crossedAt {
		e := uint32(0)
		if n < 0 {
			w := winding(int32(at))
			if w == unknownW {
				w, e = 0, layout.TopRayOnly
			}
			if w != lastW || lastBrick < 0 {
				u, ok := uniform[w]
				if !ok {
					u = int32(len(b.W))
					uniform[w] = u
					b.W = append(b.W, [2]int32{w, w})
					b.Words = append(b.Words, make([]layout.Word, layout.BrickSide)...)
				}
				lastW, lastBrick = w, u
			}
			n = lastBrick
		}
		b.Top[at] = e | uint32(n)<<3 | b.insideBits(int(n))
	}
}
