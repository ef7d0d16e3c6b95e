package records

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// Column is a column of a Converter, which stores one field of the source.
type Column struct {
	Name   string
	Store  table.Type // type of the stored values
	field  int
	axis   int // axis whose coordinate is stored, or −1 if Source.Values returns the values
	typ    table.Type
	offset int // index of the first byte in a row
}

// Converter formats the rows of any source as little-endian records, followed by the answers.
type Converter struct {
	Columns []Column
	Answers pointio.Answers
	src     table.Source
	format  string
	int32   string
	row     int // number of bytes of a row without answers
	size    int // number of bytes that the answers add to a row
}

// NewConverter returns a Converter for the fields of src and the answer columns cols. The coordinates
// are named x, y and z. Blanks in names become underscores, and repeated names get a number as a
// suffix. Integers of 64 bits become float64, and truth values become uint8. A missing float becomes
// NaN. The names of the format, and of its type of 32-bit integers, are for error messages.
//
// NewConverter and Format return table.ErrCannotHold for an opaque field, a field of text, a column
// of words, a missing integer, and an integer of 64 bits that a float64 would round.
func NewConverter(format, int32Name string, src table.Source, cols []table.Column) (*Converter, error) {
	if err := pointio.CheckValues(src, format); err != nil {
		return nil, err
	}
	c := &Converter{src: src, format: format, int32: int32Name}
	taken := map[string]bool{"x": true, "y": true, "z": true}
	var named []table.Field
	axes := src.Axes()
	for i, f := range src.Fields() {
		col := Column{field: i, axis: -1, typ: f.Type, Store: f.Type, Name: Word(f.Name), offset: c.row}
		switch f.Type {
		case table.Text:
			return nil, pointio.CannotHoldf("column %s holds text, but %s has only numbers: use csv, jsonl or parquet", quote.Word(f.Name), strings.ToUpper(format))
		case table.Bool:
			col.Store = table.Uint8
		case table.Int64, table.Uint64:
			col.Store = table.Float64
		}
		if axis := slices.Index(axes[:], i); axis >= 0 {
			col.Name = "xyz"[axis : axis+1]
			if f.Type.IsFloat() {
				col.axis = axis
			}
		} else {
			name := col.Name
			for k := 2; taken[strings.ToLower(col.Name)]; k++ {
				col.Name = fmt.Sprintf("%s_%d", name, k)
			}
		}
		taken[strings.ToLower(col.Name)] = true
		c.Columns = append(c.Columns, col)
		named = append(named, table.Field{Name: col.Name, Type: f.Type})
		c.row += col.Store.Size()
	}
	var err error
	c.Answers, err = NewAnswers(format, named, cols)
	c.size = c.Answers.Size()
	return c, err
}

// put writes the integer n or the float x, depending on the type of the column.
func (col *Column) put(b []byte, n int64, x float64) {
	switch {
	case col.Store == table.Float64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(x))
	case col.Store == table.Float32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(x)))
	case col.Store.Size() == 1:
		b[0] = byte(n)
	case col.Store.Size() == 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	default:
		binary.LittleEndian.PutUint32(b, uint32(n))
	}
}

// Format sets b.Out to the rows that are not dropped.
func (c *Converter) Format(b *table.Block) error {
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
	for i := range c.Columns {
		if err := c.writeColumn(b, v, &c.Columns[i], size); err != nil {
			return err
		}
	}
	if err := c.Answers.Check(c.src, b, c.format, c.int32); err != nil {
		return err
	}
	if c.size > 0 {
		for k := range b.Points {
			c.Answers.PutTo(b.Out[k*size+c.row:(k+1)*size], b, k, false)
		}
	}
	b.CompactRecords(size)
	return nil
}

// writeColumn writes a column to b.Out, whose rows have rowSize bytes. It uses v as scratch memory.
func (c *Converter) writeColumn(b *table.Block, v *table.Values, col *Column, rowSize int) error {
	out := b.Out[min(col.offset, len(b.Out)):]
	if col.axis >= 0 {
		for k := range b.Points {
			p := &b.Points[k]
			x := [3]float64{p.X, p.Y, p.Z}[col.axis]
			col.put(out[k*rowSize:], 0, x)
		}
		return nil
	}
	if err := c.src.Values(b, col.field, v); err != nil {
		return err
	}
	plain := len(v.Missing) == 0 && col.typ != table.Int64 && col.typ != table.Uint64
	switch {
	case plain && col.Store == table.Float64:
		for k, x := range v.Floats {
			binary.LittleEndian.PutUint64(out[k*rowSize:], math.Float64bits(x))
		}
	case plain && col.Store == table.Float32:
		for k, x := range v.Floats {
			binary.LittleEndian.PutUint32(out[k*rowSize:], math.Float32bits(float32(x)))
		}
	case plain && col.Store.Size() == 1:
		for k, x := range v.Ints {
			out[k*rowSize] = byte(x)
		}
	case plain && col.Store.Size() == 2:
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
				return pointio.CannotHoldf("%s: column %s: %v: use csv, jsonl or parquet", pointio.Place(c.src, b, k), quote.Word(col.Name), err)
			}
			col.put(out[k*rowSize:], n, x)
		}
	}
	return nil
}

// value returns the value of row k: an int64 for an integer property, a float64 for any other.
func (col *Column) value(v *table.Values, k int) (int64, float64, error) {
	missing := len(v.Missing) > 0 && v.Missing[k]
	switch {
	case missing && col.Store.IsFloat():
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
