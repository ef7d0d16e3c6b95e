package ply

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// column is an output property that stores one field of the source.
type column struct {
	field  int
	axis   int // axis of Block.Points that has the value, or −1 if Source.Values returns it
	typ    table.Type
	name   string       // name of the property
	prop   plyfile.Kind // kind of the property
	offset int          // index of the first byte of the property in a row
}

var _ table.HeaderPatcher = (*convert)(nil)

// convert writes any source as a PLY file of format binary_little_endian. It implements
// table.HeaderPatcher and table.Resumer.
type convert struct {
	rowCounter
	src     table.Source
	columns []column
	row     int // number of bytes of a row without answers
	answers pointio.Answers
	size    int // number of bytes that the answers add to a row
}

// Convert returns a sink that writes src as binary little-endian PLY. The coordinates are named x,
// y and z. Blanks in names become underscores, and repeated names get a number as a suffix.
// Integers of 64 bits become doubles. A missing float becomes NaN.
//
// Convert and the sink return table.ErrCannotHold for an opaque field, a field of text, a column
// that PLY cannot hold, a missing integer, and an integer of 64 bits that a double would round.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "ply"); err != nil {
		return nil, err
	}
	c := &convert{src: src}
	fields := src.Fields()
	taken := map[string]bool{"x": true, "y": true, "z": true}
	var named []table.Field
	axes := src.Axes()
	for i, f := range fields {
		col := column{field: i, axis: -1, typ: f.Type, name: headerName(f.Name), offset: c.row}
		var ok bool
		if col.prop, ok = kindFor(f.Type); !ok {
			return nil, pointio.CannotHoldf("column %s holds text, but PLY has only numbers: use csv, jsonl or parquet", quote.Word(f.Name))
		}
		if axis := slices.Index(axes[:], i); axis >= 0 {
			col.name = "xyz"[axis : axis+1]
			if f.Type.IsFloat() {
				col.axis = axis
			}
		} else {
			name := col.name
			for k := 2; taken[strings.ToLower(col.name)]; k++ {
				col.name = fmt.Sprintf("%s_%d", name, k)
			}
		}
		taken[strings.ToLower(col.name)] = true
		c.columns = append(c.columns, col)
		named = append(named, table.Field{Name: col.name, Type: f.Type})
		c.row += col.prop.Size()
	}
	var err error
	if c.answers, err = newAnswers(named, cols); err != nil {
		return nil, err
	}
	c.size = c.answers.Size()
	comments, answerProps := answerLines(c.answers)
	var props []string
	for _, col := range c.columns {
		props = append(props, col.prop.String()+" "+col.name)
	}
	props = append(props, answerProps...)
	c.most, c.rows = src.Rows(), -1
	c.encode = func(count string, pad []string) []byte {
		var out strings.Builder
		out.WriteString("ply\nformat binary_little_endian 1.0\n")
		for _, line := range append(slices.Clone(comments), pad...) {
			out.WriteString("comment " + line + "\n")
		}
		out.WriteString("element vertex " + count + "\n")
		for _, line := range props {
			out.WriteString("property " + line + "\n")
		}
		out.WriteString("end_header\n")
		return []byte(out.String())
	}
	return c, nil
}

func (c *convert) Format(b *table.Block) error {
	if err := pointio.CheckComplete(c.src, b); err != nil {
		return err
	}
	v, ok := b.Sink.(*table.Values)
	if !ok {
		v = &table.Values{}
		b.Sink = v
	}
	// Format also formats the dropped rows. CompactRecords then removes them.
	size := c.row + c.size
	n := len(b.Points)
	b.Out = slices.Grow(b.Out[:0], n*size)[:n*size]
	for i := range c.columns {
		if err := c.writeColumn(b, v, &c.columns[i], size); err != nil {
			return err
		}
	}
	if err := c.answers.Check(c.src, b, "ply", int32Name); err != nil {
		return err
	}
	if c.size > 0 {
		for k := range b.Points {
			c.answers.PutTo(b.Out[k*size+c.row:(k+1)*size], b, k, false)
		}
	}
	b.CompactRecords(size)
	return nil
}

// writeColumn writes a column to b.Out, whose rows have rowSize bytes. It uses v as scratch memory.
func (c *convert) writeColumn(b *table.Block, v *table.Values, col *column, rowSize int) error {
	out := b.Out[min(col.offset, len(b.Out)):]
	if col.axis >= 0 {
		for k := range b.Points {
			p := &b.Points[k]
			x := [3]float64{p.X, p.Y, p.Z}[col.axis]
			col.prop.Put(out[k*rowSize:], 0, x)
		}
		return nil
	}
	if err := c.src.Values(b, col.field, v); err != nil {
		return err
	}
	plain := len(v.Missing) == 0 && col.typ != table.Int64 && col.typ != table.Uint64
	switch {
	case plain && col.prop == plyfile.Float64:
		for k, x := range v.Floats {
			binary.LittleEndian.PutUint64(out[k*rowSize:], math.Float64bits(x))
		}
	case plain && col.prop == plyfile.Float32:
		for k, x := range v.Floats {
			binary.LittleEndian.PutUint32(out[k*rowSize:], math.Float32bits(float32(x)))
		}
	case plain && col.prop.Size() == 1:
		for k, x := range v.Ints {
			out[k*rowSize] = byte(x)
		}
	case plain && col.prop.Size() == 2:
		for k, x := range v.Ints {
			binary.LittleEndian.PutUint16(out[k*rowSize:], uint16(x))
		}
	case plain:
		for k, x := range v.Ints {
			binary.LittleEndian.PutUint32(out[k*rowSize:], uint32(x))
		}
	default:
		for k := range b.Points {
			n, x, err := col.value(v, k)
			if err != nil && !b.Dropped(k) {
				return pointio.CannotHoldf("%s: column %s: %v: use csv, jsonl or parquet", pointio.Place(c.src, b, k), quote.Word(col.name), err)
			}
			col.prop.Put(out[k*rowSize:], n, x)
		}
	}
	return nil
}

// value returns the value of row k: an int64 for an integer property, a float64 for any other.
func (col *column) value(v *table.Values, k int) (int64, float64, error) {
	missing := len(v.Missing) > 0 && v.Missing[k]
	switch {
	case missing && col.prop.IsFloat():
		return 0, math.NaN(), nil
	case missing:
		return 0, 0, errors.New("the value is missing, and an integer cannot be NaN")
	case len(v.Floats) > 0:
		return 0, v.Floats[k], nil
	case col.typ == table.Uint64:
		x := float64(uint64(v.Ints[k]))
		if x >= 1<<64 || uint64(x) != uint64(v.Ints[k]) {
			return 0, x, fmt.Errorf("a double cannot represent %d exactly", uint64(v.Ints[k]))
		}
		return 0, x, nil
	case col.typ == table.Int64:
		x := float64(v.Ints[k])
		if x >= 1<<63 || int64(x) != v.Ints[k] {
			return 0, x, fmt.Errorf("a double cannot represent %d exactly", v.Ints[k])
		}
		return 0, x, nil
	}
	return v.Ints[k], 0, nil
}
