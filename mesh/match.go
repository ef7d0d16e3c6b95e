package mesh

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/par"
)

// edgeKeys describes the 64-bit keys of half-edges. From the highest bit on, a key has these fields:
//
//   - the smaller vertex of the edge, relative to the first vertex of its bucket
//   - the larger vertex of the edge
//   - a hash of the apex of the face, which is its third vertex
//   - a bit that is set in a table if both half-edges of the edge were found
//   - a bit that is set if the face runs from the larger to the smaller vertex
//
// The two vertices take at most 21 + 31 bits, so at least 10 bits are left for the hash.
type edgeKeys struct {
	buckets
	vertexBits int
	low        int // number of bits below the two vertices
}

// The lowest bits of a key.
const (
	backwardBit = 1 << iota
	matchedBit
)

func newEdgeKeys(faces, vertices int) edgeKeys {
	k := edgeKeys{buckets: newBuckets(faces, vertices), vertexBits: bits.Len(uint(vertices))}
	k.low = 64 - k.shift - k.vertexBits
	return k
}

// key returns the key of the half-edge from a to b. The bucket of the edge is min(a, b)>>k.shift.
func (k edgeKeys) key(a, b, apex int32) uint64 {
	lo, hi, back := a, b, uint64(0)
	if a > b {
		lo, hi, back = b, a, backwardBit
	}
	edge := uint64(lo&(1<<(k.shift&31)-1))<<(k.vertexBits&63) | uint64(hi)
	// The multiplication by an odd number is a bijection, and the highest bits of the product depend
	// on all bits of the apex.
	hash := uint64(uint32(apex)*0x9e3779b1) << 32 >> ((64 - k.low) & 63) &^ (backwardBit | matchedBit)
	return edge<<(k.low&63) | hash | back
}

// pairChunk is the largest number of faces whose keys a worker sorts into buckets at a time. The keys take
// 768 KB, which fit in a second-level cache of 1 MB.
const pairChunk = 1 << 15 // tuning

// matchEdges counts clean edges. An edge is clean if it is a side of exactly two faces, which run in
// opposite directions and are not copies of each other. Bit v%64 of marked[v/64] is set if v is the
// smaller vertex of an edge that is not clean. Few other bits are set. marked is nil if no bit is set.
// clean counts only the edges whose smaller vertex is not marked. Collapsed faces have no edges.
// Errors: the error of ctx.
func matchEdges(ctx context.Context, faces [][3]int32, vertices, workers int) (clean int, marked []uint64, err error) {
	k := newEdgeKeys(len(faces), vertices)

	// 1. Sort the keys of each chunk of faces by their buckets.
	keys := make([]uint64, 3*len(faces))
	size := blockFor(len(faces), workers, pairChunk)
	ends := make([][]int32, (len(faces)+size-1)/size) // for each chunk, the end of each bucket
	err = par.Blocks(ctx, len(faces), size, workers, func(_, lo, hi int) {
		next := make([]int32, k.count) // number of keys of each bucket, then the place of its next key
		shift := k.shift & 31
		for _, t := range faces[lo:hi] {
			if !collapsed(t) {
				next[min(t[0], t[1])>>shift]++
				next[min(t[1], t[2])>>shift]++
				next[min(t[2], t[0])>>shift]++
			}
		}
		sum := int32(0)
		for b, n := range next {
			next[b] = sum
			sum += n
		}
		k, keys := k, keys[3*lo:3*hi] // copies of captured variables
		put := func(a, b, apex int32) {
			place := &next[min(a, b)>>shift]
			keys[*place] = k.key(a, b, apex)
			*place++
		}
		for _, t := range faces[lo:hi] {
			if !collapsed(t) {
				put(t[0], t[1], t[2])
				put(t[1], t[2], t[0])
				put(t[2], t[0], t[1])
			}
		}
		ends[lo/size] = next
	})
	if err != nil {
		return 0, nil, err
	}

	// 2. Match the keys of each bucket.
	var count atomic.Int64
	var anyMarked atomic.Bool
	marked = make([]uint64, k.count<<k.shift/64)
	type scratch struct {
		table []uint64
		runs  [][]uint64
	}
	scratches := make([]scratch, par.Workers(workers))
	err = par.Blocks(ctx, k.count, 1, workers, func(w, b, _ int) {
		s := &scratches[w]
		s.runs = s.runs[:0]
		total := 0
		for c, end := range ends {
			from := int32(0)
			if b > 0 {
				from = end[b-1]
			}
			if run := keys[3*c*size:][from:end[b]]; len(run) > 0 {
				s.runs = append(s.runs, run)
				total += len(run)
			}
		}
		slots := 1 << bits.Len(uint(total)) // clean edges fill at most half of the table
		if cap(s.table) < slots {
			s.table = make([]uint64, slots)
		}
		table := s.table[:slots]
		clear(table)
		words := 1 << k.shift / 64
		n, good := k.match(ctx, table, s.runs, total, marked[b*words:(b+1)*words])
		count.Add(int64(n))
		if !good {
			anyMarked.Store(true)
		}
	})
	if !anyMarked.Load() {
		marked = nil
	}
	return int(count.Load()), marked, err
}

// maxProbes is the largest average number of slots that match probes for a key. Random hashes need
// far fewer. If at most half of the slots are in use, linear probing takes 2.5 probes on average for
// a new key, and fewer for a known key (Knuth, The Art of Computer Programming 3, §6.4).
const maxProbes = 32

// match counts the clean edges of a bucket whose smaller vertex is not marked, and marks vertices as
// matchEdges does. good reports whether no vertex is marked. The runs have total keys. The table is
// empty, and its length is a power of two above total. If the table fills up, or if very many keys
// have the same slot, match marks all vertices. match stops early if ctx ends.
func (k *edgeKeys) match(ctx context.Context, table []uint64, runs [][]uint64, total int, marked []uint64) (clean int, good bool) {
	low, mask := uint(k.low&63), uint64(len(table)-1)
	shift := uint(64 - bits.Len64(mask))
	probes := maxProbes * (total + 1)
	opened, closed, most := 0, 0, len(table)/4*3
	mark := func(edge uint64) {
		v := edge >> (k.vertexBits & 63)
		marked[v/64] |= 1 << (v % 64)
	}
	good = true
	for _, run := range runs {
		if ctx.Err() != nil {
			return 0, false
		}
		for _, key := range run {
			edge := key >> low
			slot := edge * 0x9e3779b97f4a7c15 >> (shift & 63) // multiplicative hash with the golden ratio (Knuth 6.4)
			for {
				if probes--; probes < 0 {
					return markAll(marked)
				}
				other := table[slot&mask]
				if other == 0 { // no key is 0, because the larger vertex is not 0
					if opened++; opened > most {
						return markAll(marked)
					}
					table[slot&mask] = key
					break
				}
				if other>>low == edge {
					// The faces must run in opposite directions, and the first one must not have a
					// match yet. If the hashes of the apexes are equal, the faces can be copies of
					// each other.
					if d := key ^ other; d&(backwardBit|matchedBit) != backwardBit || d&^(backwardBit|matchedBit) == 0 {
						mark(edge)
						good = false
					}
					table[slot&mask] |= matchedBit
					closed++
					break
				}
				slot++
			}
		}
	}
	if good && opened == closed {
		return opened, true
	}
	for _, key := range table {
		if key != 0 && key&matchedBit == 0 {
			mark(key >> low)
		}
	}
	for _, key := range table {
		if v := key >> low >> (k.vertexBits & 63); key != 0 && marked[v/64]>>(v%64)&1 == 0 {
			clean++
		}
	}
	return clean, false
}

// markAll marks all vertices of a bucket.
func markAll(marked []uint64) (clean int, good bool) {
	for i := range marked {
		marked[i] = ^uint64(0)
	}
	return 0, false
}
