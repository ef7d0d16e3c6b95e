package text

import (
	"bytes"
	"io"
	"strconv"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// converter is the sink that Convert returns.
type converter struct {
	table.NoState
	src   table.Source
	cols  []table.Column
	names []string
	write answerWriter
}

// Convert returns a sink that writes the fields of src and the answers as CSV: with a header row,
// decimal points and LF line ends. It copies the cells of a text and adds quotes if necessary; a
// decimal comma becomes a point. Other floats have the fewest digits that restore the float32 or
// float64. Truth values are 1 and 0, NaN is nan, and a missing value is an empty cell. Convert
// fails only for an opaque field (pointio.CheckValues).
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "csv"); err != nil {
		return nil, err
	}
	return &converter{src: src, cols: cols, names: table.Names(src.Fields(), cols), write: answerWriter{appended: ',', delimiter: ','}}, nil
}

// Begin writes the header row.
func (c *converter) Begin(w io.Writer, _ int64) error {
	var row []byte
	for _, f := range c.src.Fields() {
		row = append(appendWord(row, f.Name, c.write.delimiter), c.write.delimiter)
	}
	for _, name := range c.names {
		row = append(appendWord(row, name, c.write.delimiter), c.write.delimiter)
	}
	if len(row) > 0 {
		row[len(row)-1] = '\n'
	}
	_, err := w.Write(row)
	return err
}

func (c *converter) Format(b *table.Block) error {
	vals, err := pointio.AllTexts(c.src, b)
	if err != nil {
		return err
	}
	dst := b.Out
	for k := range b.Points {
		if b.Dropped(k) {
			continue
		}
		for i := range vals {
			if i > 0 {
				dst = append(dst, c.write.delimiter)
			}
			dst = c.cell(dst, &vals[i], k)
		}
		dst = append(c.write.answers(dst, b, k, c.cols), '\n')
	}
	b.Out = dst
	return nil
}

// cell appends the cell of row k to dst.
func (c *converter) cell(dst []byte, v *table.Values, k int) []byte {
	missing := len(v.Missing) > 0 && v.Missing[k]
	switch {
	case len(v.Texts) > 0:
		t := v.Texts[k]
		if v.Type.IsFloat() && !missing && v.Floats[k] == v.Floats[k] && bytes.IndexByte(t, ',') >= 0 {
			return c.write.number(dst, v.Floats[k], 8*v.Type.Size())
		}
		return appendWord(dst, t, c.write.delimiter)
	case missing:
		return appendWord(dst, "", c.write.delimiter)
	case v.Type.IsFloat():
		return c.write.number(dst, v.Floats[k], 8*v.Type.Size())
	case v.Type == table.Uint64:
		return strconv.AppendUint(dst, uint64(v.Ints[k]), 10)
	}
	return strconv.AppendInt(dst, v.Ints[k], 10)
}
