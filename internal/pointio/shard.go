package pointio

import (
	"errors"
	"fmt"
	"math/bits"
)

// PartStart returns ⌊n·i/parts⌋, the start of the i-th of parts equal parts of n, i from 0.
// It needs 0 ≤ i ≤ parts, parts ≥ 1 and n ≥ 0. The product has 128 bits, so that it never
// overflows.
func PartStart(n int64, i, parts int) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(parts)) // hi < parts, because n·i/parts ≤ n < 2⁶⁴
	return int64(q)
}

// ShardRange returns the range [lo, hi) of n that belongs to shard of shards, from 1. It is
// all of n for 0 of 0.
func ShardRange(n int64, shard, shards int) (lo, hi int64) {
	if shards == 0 {
		return 0, n
	}
	return PartStart(n, shard-1, shards), PartStart(n, shard, shards)
}

// CheckShard fails unless 1 ≤ shard ≤ shards, or both are 0, which means the whole.
func CheckShard(shard, shards int) error {
	if shard == 0 && shards == 0 {
		return nil
	}
	if shards < 1 || shard < 1 || shard > shards {
		return fmt.Errorf("shard %d/%d: want i/n with 1 ≤ i ≤ n", shard, shards)
	}
	return nil
}

// CheckRange fails if CheckShard does, if [bytes[0], bytes[1]) is not a range, and if both a
// shard and a range are given. Two zeros mean that no range is given.
func CheckRange(shard, shards int, bytes [2]int64) error {
	if err := CheckShard(shard, shards); err != nil {
		return err
	}
	switch ranged := bytes != [2]int64{}; {
	case ranged && shards > 0:
		return errors.New("a shard and a range of bytes cannot be combined")
	case bytes[0] < 0 || bytes[1] < bytes[0]:
		return fmt.Errorf("bytes %d to %d: want 0 ≤ first ≤ end", bytes[0], bytes[1])
	}
	return nil
}

// Records are the rows of a file, which are contiguous.
type Records struct {
	Start int64 // offset of the first in the file
	Size  int64 // bytes of each, 0 if they differ
	Count int64
}

// FirstFrom returns the first record that begins at offset pos of the file or later, Count
// if none does. Size must not be 0.
func (r Records) FirstFrom(pos int64) int64 {
	if pos <= r.Start {
		return 0
	}
	return min(r.Count, (pos-r.Start-1)/r.Size+1)
}

// Range returns the records [first, end) of shard of shards, from 1, or those that begin in
// the bytes [bytes[0], bytes[1]) of the file; zeros mean all. seekable reports whether the
// file can be read from any offset.
//
// Errors: both a shard and a range are given; one of them is invalid; the file is not
// seekable; records differ in length and a range is given.
func (r Records) Range(shard, shards int, bytes [2]int64, seekable bool) (first, end int64, err error) {
	if err := CheckShard(shard, shards); err != nil {
		return 0, 0, err
	}
	ranged := bytes != [2]int64{}
	switch lo, hi := bytes[0], bytes[1]; {
	case shards < 2 && !ranged:
		return 0, r.Count, nil
	case !seekable:
		return 0, 0, errors.New("shards and byte ranges need a plain file of known size: neither a stream nor compressed")
	case !ranged:
		first, end = ShardRange(r.Count, shard, shards)
		return first, end, nil
	case shards > 0:
		return 0, 0, errors.New("both shards and a range of bytes")
	case lo < 0 || hi < lo:
		return 0, 0, fmt.Errorf("bytes [%d, %d): want 0 ≤ from ≤ to", lo, hi)
	case r.Size == 0:
		return 0, 0, errors.New("a range of bytes needs rows of the same length, neither text nor lists: want shards")
	default:
		return r.FirstFrom(lo), r.FirstFrom(hi), nil
	}
}
