package pointio

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// Options select the columns and the rows that a Source reads; see points.Options. The zero value
// selects all rows and detects the columns.
type Options struct {
	Columns       [3]string // columns of x, y and z, by name or by number from 1
	Find          Finder    // finds the columns of x, y and z, or is nil
	Text          []string  // columns of a text file whose cells stay text, by name or by number from 1
	Shard, Shards int       // number of a shard, from 1, and number of shards; both 0 mean the whole input
	Bytes         [2]int64  // selects the rows that begin in the bytes [Bytes[0], Bytes[1]); zeros mean all rows
	Block         int       // usual size of a block in bytes; 0 means the default of the format
}

// Finder is the type of Options.Find of package points.
type Finder = func(names []string) (columns [3]int, err error)

// Check fails if the shard or the range of bytes is invalid, or if both are given.
func (opt *Options) Check() error {
	lo, hi := opt.Bytes[0], opt.Bytes[1]
	switch {
	case opt.Shard == 0 && opt.Shards == 0:
	case opt.Shard < 1 || opt.Shard > opt.Shards:
		return fmt.Errorf("shard %d/%d: must be i/n with 1 ≤ i ≤ n", opt.Shard, opt.Shards)
	case opt.ranged():
		return errors.New("a shard and a range of bytes cannot be combined")
	}
	if lo < 0 || hi < lo {
		return fmt.Errorf("bytes %d to %d: must be a range with 0 ≤ first ≤ end", lo, hi)
	}
	return nil
}

func (opt *Options) ranged() bool { return opt.Bytes != [2]int64{} }

// PartStart divides n items into equal parts and returns ⌊n·i/parts⌋, the first item of part i. It
// needs 0 ≤ i ≤ parts, parts ≥ 1 and n ≥ 0. The product n·i has 128 bits and never overflows.
func PartStart(n int64, i, parts int) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(parts)) // hi < parts, because n·i/parts ≤ n < 2⁶⁴
	return int64(q)
}

// Restrict sets lo and hi to the range of bytes that opt selects in a file of lines. If opt selects
// the whole file, Restrict does not change lo and hi. The size is −1 if it is unknown. Restrict fails
// if opt is invalid, or if it selects a shard of a file of unknown size.
func (opt *Options) Restrict(lo, hi *int64, size int64) error {
	if err := opt.Check(); err != nil {
		return err
	}
	switch {
	case opt.ranged():
		*lo, *hi = opt.Bytes[0], opt.Bytes[1]
	case opt.Shards > 1 && size < 0:
		return errors.New("shards need a plain file of known size: the input must be neither a stream nor compressed")
	case opt.Shards > 1:
		*lo, *hi = ShardRange(size, opt.Shard, opt.Shards)
	}
	return nil
}

// ShardRange divides n items into shards and returns the items [lo, hi) of one shard. The shards
// are numbered from 1. If numShards is 0, ShardRange returns all n items.
func ShardRange(n int64, shard, numShards int) (lo, hi int64) {
	if numShards == 0 {
		return 0, n
	}
	return PartStart(n, shard-1, numShards), PartStart(n, shard, numShards)
}

// Records describes the rows of a file. The rows follow each other without gaps.
type Records struct {
	Start int64 // offset of the first row in the file
	Size  int64 // number of bytes of each row, or 0 if the sizes differ
	Count int64
}

// firstFrom returns the index of the first record that begins at offset pos of the file or later.
// It returns Count if there is no such record. Size must not be 0.
func (r Records) firstFrom(pos int64) int64 {
	if pos <= r.Start {
		return 0
	}
	return min(r.Count, (pos-r.Start-1)/r.Size+1)
}

// Range returns the records [first, end) that opt selects. A seekable file can be read from any
// offset.
//
// Range fails if opt.Check fails, or if opt selects a part of a file that is not seekable. It also
// fails if opt has a range of bytes and the sizes of the records differ.
func (r Records) Range(opt Options, seekable bool) (first, end int64, err error) {
	if err := opt.Check(); err != nil {
		return 0, 0, err
	}
	switch {
	case opt.Shards < 2 && !opt.ranged():
		return 0, r.Count, nil
	case !seekable:
		return 0, 0, errors.New("shards and byte ranges need a plain file of known size: the input must be neither a stream nor compressed")
	case !opt.ranged():
		first, end = ShardRange(r.Count, opt.Shard, opt.Shards)
		return first, end, nil
	case r.Size == 0:
		return 0, 0, errors.New("a range of bytes needs rows of equal length, but the rows of this file can differ in length: use shards")
	}
	return r.firstFrom(opt.Bytes[0]), r.firstFrom(opt.Bytes[1]), nil
}

// IndexName returns the index of the given name, or −1 if there is no match. It prefers an exact
// match to a match that ignores case.
func IndexName(names []string, name string) int {
	if k := slices.Index(names, name); k >= 0 {
		return k
	}
	return slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, name) })
}

// FindColumn returns the index of a field. It first searches for the name with IndexName. If there
// is no match, the name can be a field number from 1. FindColumn returns −1 if no field matches.
func FindColumn(fields []table.Field, name string) int {
	k := IndexName(names(fields), name)
	if n, err := strconv.ParseUint(name, 10, 31); k < 0 && err == nil && int(n) <= len(fields) {
		k = int(n) - 1
	}
	return k
}

func names(fields []table.Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name
	}
	return list
}

// ListNames returns a list of the names of the first twenty fields, for use in an error message.
func ListNames(fields []table.Field) string {
	const most = 20
	list := names(fields)
	if len(list) > most {
		list = append(list[:most], "…")
	}
	return quote.Line(strings.Join(list, ", "))
}

// CheckAxes fails if two of the axes use the same column. The error message contains the column
// names that the user gave.
func CheckAxes(axes [3]int, columnNames [3]string) error {
	if axes[0] == axes[1] || axes[1] == axes[2] || axes[0] == axes[2] {
		return fmt.Errorf("columns %s: must be three different columns", strings.Join(columnNames[:], ", "))
	}
	return nil
}
