package table

import (
	"fmt"
	"testing"
)

// TestRecordsFrom compares with a search through the places of all records.
func TestRecordsFrom(t *testing.T) {
	for _, r := range []Records{{0, 1, 5}, {7, 3, 4}, {100, 20, 1}, {9, 4, 0}} {
		for pos := int64(-3); pos < r.Start+r.Size*r.Count+5; pos++ {
			want := int64(0)
			for want < r.Count && r.Start+want*r.Size < pos {
				want++
			}
			if got := r.From(pos); got != want {
				t.Errorf("%+v: byte %d: %d, want %d", r, pos, got, want)
			}
		}
		if got := r.From(1<<63 - 1); got != r.Count {
			t.Errorf("%+v: the last byte of all: %d", r, got)
		}
	}
}

// TestRecordsPart: the part, or why there is none, in words and in the order in which
// doubts are told.
func TestRecordsPart(t *testing.T) {
	r := Records{Start: 10, Size: 4, Count: 9}
	const plain, stream = true, false
	for _, c := range []struct {
		shard, shards int
		bytes         [2]int64
		plain, fixed  bool
		want          string
	}{
		{0, 0, [2]int64{}, plain, true, "0 9 <nil>"},
		{0, 0, [2]int64{}, stream, false, "0 9 <nil>"},
		{1, 1, [2]int64{}, stream, true, "0 9 <nil>"},
		{2, 3, [2]int64{}, plain, false, "3 6 <nil>"},
		{0, 0, [2]int64{11, 22}, plain, true, "1 3 <nil>"},
		{0, 0, [2]int64{0, 1000}, plain, true, "0 9 <nil>"},
		{0, 0, [2]int64{20, 20}, plain, true, "3 3 <nil>"},
		{3, 2, [2]int64{}, plain, true, "0 0 shard 3/2: want i/n with 1 ≤ i ≤ n"},
		{1, 2, [2]int64{}, stream, true, "0 0 shards and byte ranges need a plain file of known size: neither a stream nor compressed"},
		{0, 0, [2]int64{1, 2}, stream, true, "0 0 shards and byte ranges need a plain file of known size: neither a stream nor compressed"},
		{1, 2, [2]int64{1, 2}, plain, true, "0 0 both shards and a range of bytes"},
		{1, 1, [2]int64{1, 2}, plain, true, "0 0 both shards and a range of bytes"},
		{0, 0, [2]int64{-1, 2}, plain, true, "0 0 bytes [-1, 2): want 0 ≤ from ≤ to"},
		{0, 0, [2]int64{3, 2}, plain, false, "0 0 bytes [3, 2): want 0 ≤ from ≤ to"},
		{0, 0, [2]int64{1, 2}, plain, false, "0 0 a range of bytes needs rows of the same length, neither text nor lists: want shards"},
	} {
		rows := r
		if !c.fixed {
			rows.Size = 0
		}
		first, end, err := rows.Part(c.shard, c.shards, c.bytes, c.plain)
		if got := fmt.Sprint(first, end, err); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestCheckPart(t *testing.T) {
	for _, c := range []struct {
		shard, shards int
		bytes         [2]int64
		want          string
	}{
		{0, 0, [2]int64{}, "<nil>"},
		{2, 2, [2]int64{}, "<nil>"},
		{0, 0, [2]int64{5, 5}, "<nil>"},
		{0, 2, [2]int64{5, 4}, "shard 0/2: want i/n with 1 ≤ i ≤ n"},
		{1, 2, [2]int64{5, 4}, "a shard and a range of bytes: want one of them"},
		{0, 0, [2]int64{5, 4}, "bytes 5 to 4: want 0 ≤ first ≤ end"},
		{0, 0, [2]int64{-1, 4}, "bytes -1 to 4: want 0 ≤ first ≤ end"},
	} {
		if got := fmt.Sprint(CheckPart(c.shard, c.shards, c.bytes)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
