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

// partitionSize is the intended number of points in a partition. The points of a partition and its
// table take about 300 KB.
const partitionSize = 1 << 14 // tuning

// maxPartitionBits limits the number of partitions, so that a chunk has several points in each
// partition.
const maxPartitionBits = 11 // tuning

// Merged numbers the vertices of points.
type Merged struct {
	Vertices []r3.Vector // pairwise different, in the order of first occurrence
	numbers  []int32     // numbers of the points of all chunks; see bases
	bases    []int       // chunk c begins at numbers[bases[c]]
}

// Numbers returns the number of the vertex of each point of a chunk.
func (m *Merged) Numbers(chunk int) []int32 { return m.numbers[m.bases[chunk]:m.bases[chunk+1]] }

// Merge merges equal points. It sets each element of chunks to nil when it no longer needs the
// points. The result depends only on the sequence of the points of all chunks, not on workers.
// Errors: ErrTooMany; the error of ctx.
//
// The highest bits of a hash divide the points into partitions, whose tables fit the cache. Each
// partition finds the first point that is equal to a point. If a partition has very many points with
// the same slot, which a malicious file can cause, Merge sorts the points of the partition.
func Merge[P Point](ctx context.Context, chunks [][]P, workers int) (*Merged, error) {
	return merge(ctx, chunks, workers, kindOf[P]())
}

func merge[P Point](ctx context.Context, chunks [][]P, workers int, k kind[P]) (*Merged, error) {
	m := &merger[P]{kind: k, chunks: chunks, workers: workers, bases: make([]int, len(chunks)+1)}
	total := 0
	for c, points := range chunks {
		// A chunk begins at a multiple of 64, so two chunks never share a word of m.first.
		m.bases[c+1] = m.bases[c] + (len(points)+63)&^63
		total += len(points)
	}
	if int64(m.bases[len(chunks)]) > 1<<31-1 {
		return nil, ErrTooMany
	}
	m.bits = min(maxPartitionBits, bits.Len(uint(total/partitionSize)))
	if err := m.partition(ctx); err != nil {
		return nil, err
	}
	if err := m.match(ctx); err != nil {
		return nil, err
	}
	return m.number(ctx)
}

// merger is the state of Merge.
type merger[P Point] struct {
	kind    kind[P]
	chunks  [][]P
	workers int
	bits    int   // there are 1<<bits partitions
	bases   []int // point i of chunk c has the position bases[c] + i
	sorted  []sortedChunk[P]
	first   []int32 // for each position, the position of the first equal point
}

// sortedChunk has the points of a chunk, sorted by partition. In a partition, their order does not
// change.
type sortedChunk[P Point] struct {
	points []P
	index  []int32 // indices of the points in the chunk
	ends   []int32 // end of each partition
}

// blockSize is the number of points between two checks of the context.
const blockSize = 1 << 15

// partition sets m.sorted. It does nothing if there is only one partition.
func (m *merger[P]) partition(ctx context.Context) error {
	if m.bits == 0 {
		return nil
	}
	m.sorted = make([]sortedChunk[P], len(m.chunks))
	hashes := make([][]uint32, par.Workers(m.workers))
	shift := 32 - m.bits
	return par.Blocks(ctx, len(m.chunks), 1, m.workers, func(w, c, _ int) {
		points := m.chunks[c]
		if cap(hashes[w]) < len(points) {
			hashes[w] = make([]uint32, len(points))
		}
		hashes := hashes[w][:len(points)]
		next := make([]int32, 1<<m.bits) // number of points, then the place of the next point
		for lo := 0; lo < len(points); lo += blockSize {
			if ctx.Err() != nil {
				return
			}
			block := hashes[lo:min(lo+blockSize, len(points))]
			m.kind.hash(block, points[lo:min(lo+blockSize, len(points))])
			for _, h := range block {
				next[h>>(shift&31)]++
			}
		}
		sum := int32(0)
		for p, n := range next {
			next[p] = sum
			sum += n
		}
		s := sortedChunk[P]{points: make([]P, len(points)), index: make([]int32, len(points)), ends: next}
		for i, h := range hashes {
			if i%blockSize == 0 && ctx.Err() != nil {
				return
			}
			place := &next[h>>(shift&31)]
			s.points[*place], s.index[*place] = points[i], int32(i)
			*place++
		}
		m.sorted[c] = s
	})
}

// run returns the points of chunk c in partition p, and their indices in the chunk. The indices are
// nil if they are 0, 1, 2 and so on.
func (m *merger[P]) run(c, p int) ([]P, []int32) {
	if m.bits == 0 {
		return m.chunks[c], nil
	}
	s := &m.sorted[c]
	from := int32(0)
	if p > 0 {
		from = s.ends[p-1]
	}
	return s.points[from:s.ends[p]], s.index[from:s.ends[p]]
}

// match sets m.first.
func (m *merger[P]) match(ctx context.Context) error {
	m.first = make([]int32, m.bases[len(m.chunks)])
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
// hashes need far fewer. At most half of the slots are in use. Then linear probing takes 2.5 probes
// on average for a new point, and fewer for a known point (Knuth, The Art of Computer Programming 3,
// §6.4).
const maxProbes = 32

// matchPartition sets m.first for the points of partition p. It returns false if the average number
// of probes exceeds maxProbes, or if ctx ends.
func (m *merger[P]) matchPartition(ctx context.Context, t *table[P], p int) bool {
	total := 0
	for c := range m.chunks {
		points, _ := m.run(c, p)
		total += len(points)
	}
	size := 2 << bits.Len(uint(total))
	if cap(t.slots) < size {
		t.slots = make([]int32, size)
	}
	slots := t.slots[:size]
	clear(slots)
	known, at := t.points[:0], t.at[:0]
	mask, shift := uint32(size-1), 33-bits.Len(uint(size))
	probes := maxProbes * (total + 1)
	good := true
runs:
	for c := range m.chunks {
		all, indices := m.run(c, p)
		base := int32(m.bases[c])
		for lo := 0; lo < len(all); lo += blockSize {
			if ctx.Err() != nil {
				good = false
				break runs
			}
			points := all[lo:min(lo+blockSize, len(all))]
			if cap(t.hashes) < len(points) {
				t.hashes = make([]uint32, len(points))
			}
			hashes := t.hashes[:len(points)]
			m.kind.hash(hashes, points)
			for i, point := range points {
				index := int32(lo + i)
				if indices != nil {
					index = indices[lo+i]
				}
				slot := hashes[i] << (m.bits & 31) >> (shift & 31)
				for {
					if probes--; probes < 0 {
						good = false
						break runs
					}
					s := slots[slot&mask]
					if s == 0 {
						known, at = append(known, point), append(at, base+index)
						slots[slot&mask] = int32(len(known))
						m.first[base+index] = base + index
						break
					}
					if known[s-1] == point {
						m.first[base+index] = at[s-1]
						break
					}
					slot++
				}
			}
		}
	}
	t.points, t.at = known, at
	return good
}

// sortPartition does the work of matchPartition by sorting.
func (m *merger[P]) sortPartition(ctx context.Context, p int) {
	type place struct {
		point P
		at    int32
	}
	var all []place
	for c := range m.chunks {
		points, indices := m.run(c, p)
		if ctx.Err() != nil {
			return
		}
		for i, point := range points {
			index := int32(i)
			if indices != nil {
				index = indices[i]
			}
			all = append(all, place{point, int32(m.bases[c]) + index})
		}
	}
	compare := func(a, b place) int {
		if ctx.Err() != nil {
			return 0
		}
		return cmp.Or(m.kind.compare(a.point, b.point), cmp.Compare(a.at, b.at))
	}
	slices.SortFunc(all, compare)
	first := int32(0)
	for i, e := range all {
		if i == 0 || e.point != all[i-1].point {
			first = e.at
		}
		m.first[e.at] = first
	}
}

// number returns the vertices and their numbers.
func (m *merger[P]) number(ctx context.Context) (*Merged, error) {
	m.sorted = nil
	out := &Merged{numbers: m.first, bases: m.bases}
	// Bit i%64 of word i/64 of isFirst is set if position i has a new vertex. before[i/64] is the
	// number of the first vertex from this word on.
	words := m.bases[len(m.chunks)] / 64
	isFirst, before := make([]uint64, words), make([]int32, words)
	counts := make([]int32, len(m.chunks))
	err := par.Blocks(ctx, len(m.chunks), 1, m.workers, func(_, c, _ int) {
		base := m.bases[c]
		n := int32(0)
		for lo := 0; lo < len(m.chunks[c]); lo += 64 {
			word := uint64(0)
			for i, f := range m.first[base+lo : base+min(lo+64, len(m.chunks[c]))] {
				if int(f) == base+lo+i {
					word |= 1 << i
				}
			}
			isFirst[(base+lo)/64], before[(base+lo)/64] = word, n
			n += int32(bits.OnesCount64(word))
		}
		counts[c] = n
	})
	if err != nil {
		return nil, err
	}
	total := int32(0)
	for c, n := range counts {
		counts[c] = total
		total += n
	}
	out.Vertices = make([]r3.Vector, total)
	err = par.Blocks(ctx, len(m.chunks), 1, m.workers, func(_, c, _ int) {
		var block [64]P
		next := out.Vertices[counts[c]:]
		for lo := 0; lo < len(m.chunks[c]); lo += 64 {
			w := (m.bases[c] + lo) / 64
			before[w] += counts[c]
			n := 0
			for word := isFirst[w]; word != 0; word &= word - 1 {
				block[n] = m.chunks[c][lo+bits.TrailingZeros64(word)]
				n++
			}
			m.kind.vectors(next[:n], block[:n])
			next = next[n:]
		}
		m.chunks[c] = nil
	})
	if err != nil {
		return nil, err
	}
	err = par.Blocks(ctx, len(m.chunks), 1, m.workers, func(_, c, _ int) {
		for i, f := range m.first[m.bases[c]:m.bases[c+1]] {
			m.first[m.bases[c]+i] = before[f/64] + int32(bits.OnesCount64(isFirst[f/64]&(1<<(f%64)-1)))
		}
	})
	return out, err
}
