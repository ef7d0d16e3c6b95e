package weld

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// ErrTooMany reports more points than int32 indices allow.
var ErrTooMany = errors.New("more than 2³¹−1 points")

// Merged holds the vertices that points were merged to, and the number of the vertex of each point.
type Merged struct {
	Vertices []r3.Vector // pairwise different, in the order of first occurrence

	chunks []mergedChunk
	// Point i of a chunk has the position base + i. Bit p%64 of isFirst[p/64] is set if the point
	// at position p is a new vertex. before[p/64] is the number of new vertices before this word.
	isFirst []uint64
	before  []int32
}

// mergedChunk holds two numbers for each point of a chunk: its index, and the position of the first
// point that is equal to it. The points are sorted by partition.
type mergedChunk struct {
	base  int
	index []int32
	first []int32 // position of the first equal point, for each point
}

// Numbers returns the numbers of the vertices of the points that the Filter of a chunk has kept. It
// stores them in buf if they fit.
func (m *Merged) Numbers(chunk int, buf []int32) []int32 {
	c := &m.chunks[chunk]
	numbers := slices.Grow(buf[:0], len(c.index))[:len(c.index)]
	for k, p := range c.first {
		numbers[c.index[k]] = m.number(p)
	}
	return numbers
}

// number returns the number of the vertex at position p, which must be a new vertex.
func (m *Merged) number(p int32) int32 {
	return m.before[p/64] + int32(bits.OnesCount64(m.isFirst[p/64]&(1<<(p%64)-1)))
}

// Merge merges equal points of all chunks. The chunks must have 1<<partitionBits partitions. The
// vertices depend only on the sequence of the points of all chunks, not on workers. Merge
// overwrites the chunks.
//
// Errors: ErrTooMany; the error of ctx.
//
// The highest bits of a hash divide the points into partitions. The table of a partition fits the
// cache. For each point, the table gives the first equal point. If a partition has very many points
// with the same slot, which a malicious file can cause, Merge sorts the points of the partition.
func Merge[P Point](ctx context.Context, chunks []Chunk[P], partitionBits, workers int) (*Merged, error) {
	m := &merger[P]{kind: kindOf[P](), chunks: chunks, bits: partitionBits, workers: workers}
	return m.merge(ctx)
}

// merger is the state of Merge.
type merger[P Point] struct {
	kind    kind[P]
	chunks  []Chunk[P]
	bits    int
	workers int
	out     Merged
}

func (m *merger[P]) merge(ctx context.Context) (*Merged, error) {
	m.out.chunks = make([]mergedChunk, len(m.chunks))
	end := 0
	for c := range m.chunks {
		// A chunk begins at a multiple of 64, so two chunks never share a word of isFirst.
		n := len(m.chunks[c].points)
		m.out.chunks[c] = mergedChunk{base: end, index: m.chunks[c].index, first: make([]int32, n)}
		end += (n + 63) &^ 63
	}
	if int64(end) > 1<<31-1 {
		return nil, ErrTooMany
	}
	m.out.isFirst, m.out.before = make([]uint64, end/64), make([]int32, end/64)
	if err := m.match(ctx); err != nil {
		return nil, err
	}
	if err := m.collect(ctx); err != nil {
		return nil, err
	}
	return &m.out, nil
}

// match sets the field first of all chunks.
func (m *merger[P]) match(ctx context.Context) error {
	tables := make([]table[P], par.Workers(m.workers))
	return par.Blocks(ctx, 1<<m.bits, 1, m.workers, func(w, p, _ int) {
		if !m.matchPartition(ctx, &tables[w], p) && ctx.Err() == nil {
			m.sortPartition(ctx, p)
		}
	})
}

// table maps points of a partition to their first positions.
type table[P Point] struct {
	slots  []int32 // 1 + index in points; 0 if the slot is empty
	points []P     // different points, in the order of their positions
	at     []int32 // positions of the points
	hashes []uint32
}

// maxProbes is the largest average number of slots that matchPartition probes for a point. Random
// hashes need far fewer. At most half of the slots are in use. With random hashes, linear probing
// then takes 2.5 probes on average for a new point, and fewer for a known point (Knuth, The Art of
// Computer Programming 3, §6.4).
const maxProbes = 32

// blockSize is the number of points between two checks of the context.
const blockSize = 1 << 12 // tuning

// matchPartition sets the field first for the points of partition p. It returns false if the average
// number of probes exceeds maxProbes, or if ctx ends.
func (m *merger[P]) matchPartition(ctx context.Context, t *table[P], p int) bool {
	total := 0
	for c := range m.chunks {
		from, to := m.chunks[c].run(p)
		total += int(to - from)
	}
	size := 2 << bits.Len(uint(total))
	if cap(t.slots) < size {
		t.slots = make([]int32, size)
	}
	if t.hashes == nil {
		t.hashes = make([]uint32, blockSize)
	}
	clear(t.slots[:size])
	t.points, t.at = slices.Grow(t.points[:0], total), slices.Grow(t.at[:0], total)
	probes := maxProbes * (total + 1)
	for c := range m.chunks {
		chunk, out := &m.chunks[c], &m.out.chunks[c]
		for from, end := chunk.run(p); from < end; from += blockSize {
			if ctx.Err() != nil {
				return false
			}
			to := min(from+blockSize, end)
			hashes := t.hashes[:to-from]
			m.kind.hash(hashes, chunk.points[from:to])
			if probes = t.match(out.first[from:to], chunk.points[from:to], chunk.index[from:to], hashes, int32(out.base), m.bits, size, probes); probes < 0 {
				return false
			}
		}
	}
	return true
}

// match sets first[i] to the position of the first point that is equal to points[i]. The position
// of points[i] is base + index[i]. The table has size slots. In a partition, the first skipBits
// bits of all hashes are equal. match returns the number of probes that are left, which is negative
// if it gave up.
func (t *table[P]) match(first []int32, points []P, index []int32, hashes []uint32, base int32, skipBits, size, probes int) int {
	slots, known, at := t.slots[:size], t.points, t.at
	mask, shift := uint32(size-1), 33-bits.Len(uint(size))
	first, index, hashes = first[:len(points)], index[:len(points)], hashes[:len(points)]
	for i, point := range points {
		slot := hashes[i] << (skipBits & 31) >> (shift & 31)
		for {
			if probes--; probes < 0 {
				return probes
			}
			s := slots[slot&mask]
			if s == 0 {
				first[i] = base + index[i]
				known, at = append(known, point), append(at, base+index[i])
				slots[slot&mask] = int32(len(known))
				break
			}
			if known[s-1] == point {
				first[i] = at[s-1]
				break
			}
			slot++
		}
	}
	t.points, t.at = known, at
	return probes
}

// sortPartition does the work of matchPartition by sorting.
func (m *merger[P]) sortPartition(ctx context.Context, p int) {
	type place struct {
		point P
		at    int32 // position
		chunk int32
		k     int32 // index in the sorted chunk
	}
	var all []place
	for c := range m.chunks {
		chunk := &m.chunks[c]
		if ctx.Err() != nil {
			return
		}
		for k, to := chunk.run(p); k < to; k++ {
			all = append(all, place{chunk.points[k], int32(m.out.chunks[c].base) + chunk.index[k], int32(c), k})
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		if ctx.Err() != nil {
			return 0 // the rest of the sort is fast, and nobody uses the result
		}
		return cmp.Or(m.kind.compare(a.point, b.point), cmp.Compare(a.at, b.at))
	})
	first := int32(0)
	for i, e := range all {
		if i == 0 || e.point != all[i-1].point {
			first = e.at
		}
		m.out.chunks[e.chunk].first[e.k] = first
	}
}

// collect sets the fields Vertices, isFirst and before of m.out.
func (m *merger[P]) collect(ctx context.Context) error {
	counts := make([]int32, len(m.chunks)) // number of new vertices of a chunk, then the number of the first one
	err := par.Blocks(ctx, len(m.chunks), 1, m.workers, func(_, c, _ int) {
		chunk := &m.out.chunks[c]
		for k, p := range chunk.first {
			if p == int32(chunk.base)+chunk.index[k] {
				m.out.isFirst[p/64] |= 1 << (p % 64)
			}
		}
		for w := chunk.base / 64; w < (chunk.base+len(chunk.index)+63)/64; w++ {
			m.out.before[w] = counts[c]
			counts[c] += int32(bits.OnesCount64(m.out.isFirst[w]))
		}
	})
	if err != nil {
		return err
	}
	total := int32(0)
	for c, n := range counts {
		counts[c] = total
		total += n
	}
	m.out.Vertices = make([]r3.Vector, total)
	return par.Blocks(ctx, len(m.chunks), 1, m.workers, func(_, c, _ int) {
		chunk := &m.out.chunks[c]
		for w := chunk.base / 64; w < (chunk.base+len(chunk.index)+63)/64; w++ {
			m.out.before[w] += counts[c]
		}
		for k, p := range chunk.first {
			if p == int32(chunk.base)+chunk.index[k] {
				n := m.out.number(p)
				m.kind.vectors(m.out.Vertices[n:n+1], m.chunks[c].points[k:k+1])
			}
		}
		m.chunks[c] = Chunk[P]{}
	})
}
