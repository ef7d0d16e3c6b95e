package pointio

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRecordsFirstFrom compares firstFrom with a search through all records.
func TestRecordsFirstFrom(t *testing.T) {
	for _, r := range []Records{{0, 1, 5}, {7, 3, 4}, {100, 20, 1}, {9, 4, 0}} {
		for pos := int64(-3); pos < r.Start+r.Size*r.Count+5; pos++ {
			want := int64(0)
			for want < r.Count && r.Start+want*r.Size < pos {
				want++
			}
			if got := r.firstFrom(pos); got != want {
				t.Errorf("%+v: byte %d: %d, want %d", r, pos, got, want)
			}
		}
		if got := r.firstFrom(1<<63 - 1); got != r.Count {
			t.Errorf("%+v: byte 2⁶³ − 1: record %d, want Count", r, got)
		}
	}
}

func TestRecordsRange(t *testing.T) {
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
		{3, 2, [2]int64{}, plain, true, "0 0 shard 3/2: must be i/n with 1 ≤ i ≤ n"},
		{1, 2, [2]int64{}, stream, true, "0 0 shards and byte ranges need a plain file of known size: the input must be neither a stream nor compressed"},
		{0, 0, [2]int64{1, 2}, stream, true, "0 0 shards and byte ranges need a plain file of known size: the input must be neither a stream nor compressed"},
		{1, 2, [2]int64{1, 2}, plain, true, "0 0 a shard and a range of bytes cannot be combined"},
		{1, 1, [2]int64{1, 2}, plain, true, "0 0 a shard and a range of bytes cannot be combined"},
		{0, 0, [2]int64{-1, 2}, plain, true, "0 0 bytes -1 to 2: must be a range with 0 ≤ first ≤ end"},
		{0, 0, [2]int64{3, 2}, plain, false, "0 0 bytes 3 to 2: must be a range with 0 ≤ first ≤ end"},
		{0, 0, [2]int64{1, 2}, plain, false, "0 0 a range of bytes needs rows of equal length, but the rows of this file can differ in length: use shards"},
	} {
		rows := r
		if !c.fixed {
			rows.Size = 0
		}
		first, end, err := rows.Range(Options{Shard: c.shard, Shards: c.shards, Bytes: c.bytes}, c.plain)
		if got := fmt.Sprint(first, end, err); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		shard, shards int
		bytes         [2]int64
		want          string
	}{
		{0, 0, [2]int64{}, "<nil>"},
		{2, 2, [2]int64{}, "<nil>"},
		{0, 0, [2]int64{5, 5}, "<nil>"},
		{0, 2, [2]int64{5, 4}, "shard 0/2: must be i/n with 1 ≤ i ≤ n"},
		{1, 2, [2]int64{5, 4}, "a shard and a range of bytes cannot be combined"},
		{0, 0, [2]int64{5, 4}, "bytes 5 to 4: must be a range with 0 ≤ first ≤ end"},
		{0, 0, [2]int64{-1, 4}, "bytes -1 to 4: must be a range with 0 ≤ first ≤ end"},
	} {
		if got := fmt.Sprint((&Options{Shard: c.shard, Shards: c.shards, Bytes: c.bytes}).Check()); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestPartStart compares PartStart with big integers, also for products of more than 64 bits.
func TestPartStart(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 2000 {
		n, parts := r.Int64()>>r.IntN(63), 1+r.IntN(1<<r.IntN(31))
		i := r.IntN(parts + 1)
		want := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(i)))
		want.Div(want, big.NewInt(int64(parts)))
		if got := PartStart(n, i, parts); got != want.Int64() {
			t.Fatalf("part %d/%d of %d is %d, want %v", i, parts, n, got, want)
		}
	}
	end := int64(0)
	for i := 1; i <= 7; i++ {
		lo, hi := ShardRange(1000, i, 7)
		if lo != end || hi < lo {
			t.Errorf("shard %d is %d to %d, after %d", i, lo, hi, end)
		}
		end = hi
	}
	if lo, hi := ShardRange(1000, 0, 0); end != 1000 || lo != 0 || hi != 1000 {
		t.Errorf("shards end at %d; the whole is %d to %d", end, lo, hi)
	}
	for _, c := range []struct {
		shard, shards int
		ok            bool
	}{{0, 0, true}, {1, 1, true}, {3, 3, true}, {0, 1, false}, {4, 3, false}, {1, 0, false}, {-1, 2, false}, {1, -2, false}} {
		if err := (&Options{Shard: c.shard, Shards: c.shards}).Check(); (err == nil) != c.ok {
			t.Errorf("%d/%d: %v", c.shard, c.shards, err)
		}
	}
}
