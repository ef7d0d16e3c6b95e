package table

import (
	"errors"
	"fmt"
)

// Records are rows of a file that stand one behind the other.
type Records struct {
	Start int64 // place of the first in the file
	Size  int64 // bytes of each, 0 if they differ
	Count int64
}

// From returns the first record that begins at or behind a place of the file, Count if
// none does. Size must not be 0.
func (r Records) From(pos int64) int64 {
	if pos <= r.Start {
		return 0
	}
	return min(r.Count, (pos-r.Start-1)/r.Size+1)
}

// Part returns the records [first, end) of shard i of shards, from 1, or those that begin
// in the bytes [bytes[0], bytes[1]) of the file; zeros mean all. plain says that the file
// can be read from any place. It fails for both at once, for a shard or a range that is
// none, for a part of a file that is not plain, and for a range where records differ in
// length.
func (r Records) Part(shard, shards int, bytes [2]int64, plain bool) (first, end int64, err error) {
	if err := CheckShard(shard, shards); err != nil {
		return 0, 0, err
	}
	ranged := bytes != [2]int64{}
	switch lo, hi := bytes[0], bytes[1]; {
	case shards < 2 && !ranged:
		return 0, r.Count, nil
	case !plain:
		return 0, 0, errors.New("shards and byte ranges need a plain file of known size: neither a stream nor compressed")
	case !ranged:
		first, end = Shard(r.Count, shard, shards)
		return first, end, nil
	case shards > 0:
		return 0, 0, errors.New("both shards and a range of bytes")
	case lo < 0 || hi < lo:
		return 0, 0, fmt.Errorf("bytes [%d, %d): want 0 ≤ from ≤ to", lo, hi)
	case r.Size == 0:
		return 0, 0, errors.New("a range of bytes needs rows of the same length, neither text nor lists: want shards")
	default:
		return r.From(lo), r.From(hi), nil
	}
}
