package npy

import (
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*convert)(nil)

// convert is the sink of an array made from any source.
type convert struct {
	writer
	src   table.Source
	order []int // fields in the order of the columns
}

// Convert returns a sink that writes the fields of src, and the answers, as an array of
// float64 in C order, a column each: first x, y and z, where New looks for them, then the
// other fields in their order; truth values as 0 and 1, missing ones as NaN. It
// fails with an error that wraps table.ErrCannotHold where src has texts, or fields without
// values, and Format does for an integer beyond ±2^53, which would be rounded. It is a table.HeaderPatcher and a
// table.Resumer.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := table.CheckValues(src, "npy"); err != nil {
		return nil, err
	}
	fields := src.Fields()
	for _, f := range fields {
		if f.Type == table.Text {
			return nil, fmt.Errorf("an array has no place for the texts of column %s: want csv, jsonl or parquet: %w", table.Quote([]byte(f.Name)), table.ErrCannotHold)
		}
	}
	w, err := newWriter("<f8", 8, int64(len(fields)), cols)
	if err != nil {
		return nil, err
	}
	axes := src.Axes()
	order := axes[:]
	for i := range fields {
		if !slices.Contains(axes[:], i) {
			order = append(order, i)
		}
	}
	return &convert{w, src, order}, nil
}

// scratch is the memory that convert keeps with a block.
type scratch struct {
	vals   []table.Values
	floats [][]float64
}

// Format formats the rows of b.
func (c *convert) Format(b *table.Block) error {
	fields := c.src.Fields()
	s, ok := b.Sink.(*scratch)
	if !ok {
		s = &scratch{make([]table.Values, len(fields)), make([][]float64, len(fields))}
		b.Sink = s
	}
	for at, i := range c.order {
		v := &s.vals[i]
		if err := c.src.Values(b, i, v); err != nil {
			return err
		}
		if !v.Type.IsFloat() {
			if err := integers(&c.head, v, fields[i].Name, b.First); err != nil {
				return err
			}
		}
		for k, lost := range v.Missing {
			if lost {
				v.Floats[k] = math.NaN()
			}
		}
		s.floats[at] = v.Floats
	}
	stride := int(c.head.rowBytes())
	return c.tiles(b, 8*len(fields), func(dst []byte, from, n int) {
		for i, x := range s.floats {
			c.head.putFloats(dst[8*i:], stride, x[from:from+n])
		}
	})
}

// integers makes Floats of the Ints of v; those of missing ones do not count.
func integers(h *header, v *table.Values, name string, first int64) error {
	v.Floats = slices.Grow(v.Floats[:0], len(v.Ints))[:len(v.Ints)]
	for k, lost := range v.Missing {
		if lost {
			v.Ints[k] = 0
		}
	}
	if v.Type == table.Uint64 {
		for k, n := range v.Ints {
			if n < 0 { // 2^63 or more
				return fmt.Errorf("row %d: %s is %d, which float64 would round: want csv, jsonl or parquet: %w", first+int64(k), name, uint64(n), table.ErrCannotHold)
			}
		}
	}
	return h.integersTo(v.Floats, v.Ints, name, first)
}
