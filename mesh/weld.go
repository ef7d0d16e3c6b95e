package mesh

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// weld numbers the welded vertices in the order of first occurrence. It returns the number for each
// vertex, or −1 if no face uses the vertex. Vertices with equal coordinates (−0 = +0) have the same
// number. The result is the same for any number of workers.
//
// The top bits of a 64-bit hash divide the vertices into partitions. The table of a partition fits
// the cache. Within a partition, weld compares each vertex with the first vertex that has the same
// hash. A malicious file could defeat the hash: different vertices could have the same hash, or too
// many vertices could share one slot. In these cases, weld sorts the vertices.
func weld(ctx context.Context, vertices []r3.Vector, used []bool, workers int, hash func(r3.Vector) uint64) ([]int32, error) {
	rep, good, err := representatives(ctx, vertices, used, workers, hash)
	if err == nil && good {
		good, err = sameVertices(ctx, vertices, rep, workers)
	}
	if err != nil {
		return nil, err
	}
	if !good {
		if rep, err = representativesBySorting(ctx, vertices, used); err != nil {
			return nil, err
		}
	}
	return rep, toRanks(ctx, rep)
}

// toRanks replaces each representative by its rank among all representatives. The representative of
// a vertex is the first vertex with the same coordinates.
func toRanks(ctx context.Context, rep []int32) error {
	count := int32(0)
	return inOrder(ctx, len(rep), func(lo, hi int) {
		n := count
		for i := lo; i < hi; i++ { // rep[i] ≤ i, so rep[rep[i]] was already replaced by its rank
			switch r := rep[i]; {
			case r < 0:
			case int(r) == i:
				rep[i] = n
				n++
			default:
				rep[i] = rep[r]
			}
		}
		count = n
	})
}

// hashVertex mixes the bits of the coordinates with two 64×64→128-bit products, like wyhash. The
// addition of 0 turns −0 into +0 and changes no other number.
func hashVertex(p r3.Vector) uint64 {
	// The constants are the first 64 fractional bits of the golden ratio, √2 and √3, with the lowest
	// bit set.
	const k0, k1, k2 = 0x9e3779b97f4a7c15, 0x6a09e667f3bcc909, 0xbb67ae8584caa73b
	hi, lo := bits.Mul64(math.Float64bits(p.X+0)^k0, math.Float64bits(p.Y+0)^k1)
	hi, lo = bits.Mul64(hi^lo^math.Float64bits(p.Z+0), k2)
	return hi ^ lo
}

// partitionSize is the intended number of vertices in a partition. The hashes and the table of a
// partition together take 128 KB. The table has twice as many slots as the partition has vertices.
const partitionSize = 8192 // tuning

// maxPartitionBits limits the number of partitions, because the scatter step writes to all of them.
const maxPartitionBits = 9

// representatives returns for each used vertex the first vertex with the same hash, and −1 for all
// other vertices. It reports false if too many vertices share one slot of a table.
func representatives(ctx context.Context, vertices []r3.Vector, used []bool, workers int, hash func(r3.Vector) uint64) (rep []int32, good bool, err error) {
	n := len(vertices)
	shift := 64 - min(maxPartitionBits, bits.Len(uint(n/partitionSize)))
	parts := 1 << (64 - shift)

	// 1. Compute the hashes. Count the vertices of each chunk in each partition.
	rep = make([]int32, n)
	hashes := make([]uint64, n)
	offsets := make([][]int32, (n+chunkSize-1)/chunkSize)
	err = par.Blocks(ctx, n, chunkSize, workers, func(_, lo, hi int) {
		count := make([]int32, parts)
		for i := lo; i < hi; i++ {
			if !used[i] {
				rep[i] = -1
				continue
			}
			h := hash(vertices[i])
			hashes[i] = h
			count[h>>shift]++
		}
		offsets[lo/chunkSize] = count
	})
	if err != nil {
		return nil, false, err
	}
	bounds := prefixSums(offsets, parts)

	// 2. Scatter the hashes and vertex numbers to the partitions. The vertex numbers in a partition
	// ascend.
	total := bounds[parts]
	keys, index := make([]uint64, total), make([]int32, total)
	err = par.Blocks(ctx, n, chunkSize, workers, func(_, lo, hi int) {
		next := offsets[lo/chunkSize]
		for i := lo; i < hi; i++ {
			if used[i] {
				h := hashes[i]
				k := next[h>>shift]
				next[h>>shift]++
				keys[k], index[k] = h, int32(i)
			}
		}
	})
	if err != nil {
		return nil, false, err
	}

	// 3. Match equal hashes within each partition.
	var crowded atomic.Bool
	tables := make([][]int32, par.Workers(workers))
	err = par.Blocks(ctx, parts, 1, workers, func(w, p, _ int) {
		lo, hi := bounds[p], bounds[p+1]
		var ok bool
		if tables[w], ok = matchKeys(ctx, tables[w], keys[lo:hi], index[lo:hi], uint(64-shift), rep); !ok {
			crowded.Store(true)
		}
	})
	return rep, !crowded.Load(), err
}

// prefixSums replaces counts[c][p] with the position at which chunk c writes its first element of
// partition p. It returns the first position of each partition, followed by the total.
func prefixSums(counts [][]int32, parts int) []int32 {
	bounds := make([]int32, parts+1)
	sum := int32(0)
	for p := range parts {
		bounds[p] = sum
		for _, count := range counts {
			count[p], sum = sum, sum+count[p]
		}
	}
	bounds[parts] = sum
	return bounds
}

// maxProbes is the largest average number of slots that matchKeys probes for a key. Random hashes
// need far fewer. At most half of the slots are in use. Then linear probing takes 2.5 probes on
// average for a new key, and fewer for a known key (Knuth, The Art of Computer Programming 3,
// §6.4).
const maxProbes = 32

// matchKeys sets rep[index[k]] to index[j], where keys[j] is the first key that equals keys[k]. The
// leading skipBits bits are equal in all keys. matchKeys returns the table for the next call, and
// false if the average number of probes exceeds maxProbes. It stops early if ctx ends.
func matchKeys(ctx context.Context, table []int32, keys []uint64, index []int32, skipBits uint, rep []int32) ([]int32, bool) {
	size := 1 << bits.Len(uint(2*len(keys)))
	if cap(table) < size {
		table = make([]int32, size)
	}
	table = table[:size]
	clear(table)
	mask := uint64(size - 1)
	shift := uint(64 - bits.Len64(mask))
	probes := maxProbes * (len(keys) + 1)
	for k, key := range keys {
		if k%blockSize == 0 && ctx.Err() != nil {
			return table, true
		}
		slot := key << skipBits >> shift
		for ; ; slot++ {
			if probes--; probes < 0 {
				return table, false
			}
			s := table[slot&mask]
			if s == 0 {
				table[slot&mask] = int32(k) + 1
				rep[index[k]] = index[k]
				break
			}
			if keys[s-1] == key {
				rep[index[k]] = index[s-1]
				break
			}
		}
	}
	return table, true
}

// sameVertices reports whether each vertex equals its representative.
func sameVertices(ctx context.Context, vertices []r3.Vector, rep []int32, workers int) (bool, error) {
	var differ atomic.Bool
	err := par.Blocks(ctx, len(rep), chunkSize, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if r := rep[i]; r >= 0 && vertices[i] != vertices[r] {
				differ.Store(true)
				return
			}
		}
	})
	return !differ.Load(), err
}

// representativesBySorting does the work of representatives by sorting, without a hash.
func representativesBySorting(ctx context.Context, vertices []r3.Vector, used []bool) ([]int32, error) {
	rep := make([]int32, len(vertices))
	order := make([]int32, 0, len(vertices))
	err := inOrder(ctx, len(rep), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			rep[i] = -1
			if used[i] {
				order = append(order, int32(i))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	err = sortContext(ctx, order, func(i, j int32) int {
		if c := vertices[i].Cmp(vertices[j]); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
	if err != nil {
		return nil, err
	}
	return rep, inOrder(ctx, len(order), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			i := order[k]
			rep[i] = i
			if k > 0 && vertices[order[k-1]] == vertices[i] {
				rep[i] = rep[order[k-1]]
			}
		}
	})
}
