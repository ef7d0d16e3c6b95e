package table

import (
	"errors"
	"fmt"
	"math/bits"
)

// Part returns ⌊n·i/parts⌋ for 0 ≤ i ≤ parts, parts ≥ 1 and n ≥ 0: where the i-th of
// so many equal parts of n begins, i from 0. The product is taken in 128 bits, so that
// no n is too large.
func Part(n int64, i, parts int) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(parts)) // hi < parts, for n·i/parts ≤ n < 2^64
	return int64(q)
}

// CheckShard reports a shard that is none: want 1 ≤ shard ≤ shards, or 0 of 0 for the
// whole.
func CheckShard(shard, shards int) error {
	if shard == 0 && shards == 0 {
		return nil
	}
	if shards < 1 || shard < 1 || shard > shards {
		return fmt.Errorf("shard %d/%d: want i/n with 1 ≤ i ≤ n", shard, shards)
	}
	return nil
}

// CheckPart reports a shard that is none, as CheckShard, a range [bytes[0], bytes[1]) that
// is none, and both at once; two zeros are no range, but the whole.
func CheckPart(shard, shards int, bytes [2]int64) error {
	if err := CheckShard(shard, shards); err != nil {
		return err
	}
	switch ranged := bytes != [2]int64{}; {
	case ranged && shards > 0:
		return errors.New("a shard and a range of bytes: want one of them")
	case bytes[0] < 0 || bytes[1] < bytes[0]:
		return fmt.Errorf("bytes %d to %d: want 0 ≤ first ≤ end", bytes[0], bytes[1])
	}
	return nil
}

// Shard returns the part [lo, hi) of n that the shard has, all of it for 0 of 0.
func Shard(n int64, shard, shards int) (lo, hi int64) {
	if shards == 0 {
		return 0, n
	}
	return Part(n, shard-1, shards), Part(n, shard, shards)
}
