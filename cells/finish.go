package cells

import (
	"context"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/side"
)

// labels are those of the empty cells of a brick or refined cell while they are
// chosen: two winding numbers have values; cells of others get lines.
type labels struct {
	w     [2]int32
	value []uint64
	other []uint64
	of    func(word int, bit uint) line // the line of a cell in other
}

// labels chooses the labels of sets first to first+n; cells(i) are the words of
// set i.
func (k *linker) labels(first int32, n, words int, cells func(i int) []uint64) labels {
	x := k.x
	type share struct {
		w     int32
		count int
	}
	shares := make([]share, 0, 2)
	for i := range n {
		w := k.settled(first + int32(i))
		if w == unknown {
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
	slices.SortFunc(shares, func(a, b share) int {
		if a.count != b.count {
			return b.count - a.count
		}
		return int(a.w - b.w)
	})
	l := labels{value: make([]uint64, words), other: make([]uint64, words)}
	if len(shares) > 0 {
		l.w = [2]int32{shares[0].w, shares[0].w}
	}
	if len(shares) > 1 {
		l.w[1] = shares[1].w
	}
	if l.w[0] > l.w[1] {
		l.w[0], l.w[1] = l.w[1], l.w[0]
	}
	for i := range n {
		to := l.value
		switch k.settled(first + int32(i)) {
		case l.w[1]:
		case l.w[0]:
			continue
		default:
			to = l.other
		}
		for j, c := range cells(i) {
			to[j] |= c
		}
	}
	l.of = func(word int, bit uint) line {
		for i := range n {
			if cells(i)[word]>>bit&1 == 1 {
				if w := k.settled(first + int32(i)); w != unknown {
					return line{constant, uint64(int64(w))}
				}
			}
		}
		x.shape.Handed++
		return line{handed}
	}
	return l
}

// settled returns what is kept of W of a set, or unknown.
func (k *linker) settled(set int32) int32 {
	if w, ok := k.sets.w(set); ok {
		return k.x.reduce(w)
	}
	return unknown
}

// extend moves the lines of crossed cells, which start at base, to new places
// with lines of the cells in other between them, and returns the new base.
func (x *Index) extend(s *store, crossed []uint64, base uint32, l *labels) uint32 {
	n := 0
	for j := range crossed {
		n += bits.OnesCount64(crossed[j] | l.other[j])
	}
	number, chunks := s.add()
	to := uint32(number) << chunkBits
	x.chunks = chunks
	for j := range crossed {
		for left := crossed[j] | l.other[j]; left != 0; left &= left - 1 {
			bit := uint(bits.TrailingZeros64(left))
			if crossed[j]>>bit&1 == 1 {
				*x.line(to), *x.faces(to) = *x.line(base), *x.faces(base)
				base++
			} else {
				*x.line(to) = l.of(j, bit)
			}
			to++
		}
		crossed[j] |= l.other[j]
	}
	s.trim(number, n)
	return uint32(number) << chunkBits
}

// finish writes the labels of empty cells and the top of the grid.
func (x *Index) finish(ctx context.Context, k *linker) error {
	s := &store{chunks: x.chunks}
	// Children of children first: their lines may move.
	for i := range slices.Backward(k.children) {
		c := &k.children[i]
		ch := x.line(c.id).child()
		l := k.labels(c.first, len(c.parts), 1, func(i int) []uint64 { return c.parts[i : i+1] })
		ch.w, ch.value = l.w, l.value[0]
		if l.other[0] != 0 {
			crossed := []uint64{ch.crossed}
			ch.base = x.extend(s, crossed, ch.base, &l)
			ch.crossed = crossed[0]
		}
		x.line(c.id).setChild(ch)
	}
	count := len(x.gridOf)
	x.w = make([][2]int32, count)
	for n := range count {
		if n%checkBricks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		parts, first := k.partsOf(int32(n))
		l := k.labels(first, len(parts), brickSide, func(i int) []uint64 { return parts[i][:] })
		x.w[n] = l.w
		words, base := x.words[n*brickSide:][:brickSide], x.base[n*brickSide:][:brickSide]
		if slices.Max(l.other) != 0 {
			crossed := make([]uint64, brickSide)
			for z := range words {
				crossed[z] = words[z].crossed
			}
			at := x.extend(s, crossed, base[0], &l)
			for z := range words {
				words[z].crossed, base[z] = crossed[z], at
				at += uint32(bits.OnesCount64(crossed[z]))
			}
		}
		for z := range words {
			words[z].value = l.value[z]
		}
	}
	x.chunks = s.chunks
	x.cap(k)
	x.makeGrid()
	x.shape.Cell = x.cell
	x.shape.Fans = len(x.fans)
	x.shape.Bytes = x.bytes()
	return ctx.Err()
}

// needsRays marks bricks whose points are handed over: those of an open mesh
// near its fans.
const needsRays = 4

// cap writes the top of the grid.
func (x *Index) cap(k *linker) {
	x.top = make([]uint32, len(k.brickOf))
	uniform := map[int32]int32{}
	last, number := unknown, int32(-1)
	for b, n := range k.brickOf {
		e := uint32(0)
		if n < 0 {
			v := k.settled(1 + int32(b))
			if v == unknown {
				v, e = 0, needsRays
			}
			if v != last || number < 0 {
				u, ok := uniform[v]
				if !ok {
					u = int32(len(x.w))
					uniform[v] = u
					x.w = append(x.w, [2]int32{v, v})
					x.words = append(x.words, make([]word, brickSide)...)
				}
				last, number = v, u
			}
			n = number
		}
		e |= uint32(n) << 3
		for v, w := range x.w[n] {
			if x.inside(w) {
				e |= 1 << v
			}
		}
		if x.veil != nil && !x.veil.faint(x.brickBox(int32(b))) {
			e |= needsRays
		}
		x.top[b] = e
	}
}

// inside applies the rule.
func (x *Index) inside(w int32) bool {
	return x.rule.Apply(int64(w), uint64(w)) == side.Inside
}

// brickBox returns a box around the points of brick b of the grid.
func (x *Index) brickBox(b int32) bvh.Box {
	at := x.brickAt(b)
	lo := x.frame.corner(0, at[0]*brickSide, at[1]*brickSide, at[2]*brickSide)
	hi := x.frame.corner(0, (at[0]+1)*brickSide, (at[1]+1)*brickSide, (at[2]+1)*brickSide)
	pad := r3.Vector{X: 1, Y: 1, Z: 1}.Mul(x.cell * slack)
	return bvh.Box{Min: lo.Sub(pad), Max: hi.Add(pad)}
}

// bytes returns the memory of the index.
func (x *Index) bytes() int64 {
	n := int64(unsafe.Sizeof(*x)) + 4*int64(len(x.top)) + 16*int64(len(x.words)) + 4*int64(len(x.base)+len(x.gridOf)) + 8*int64(len(x.w))
	for _, c := range x.chunks {
		n += int64(len(c.lines)) * lineBytes
	}
	return n + 72*int64(len(x.fans))
}
