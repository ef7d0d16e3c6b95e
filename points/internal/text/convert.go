package text

import (
	"bytes"
	"io"
	"strconv"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// ConvertOptions of a text that is made from another format. The zero value is good.
type ConvertOptions struct {
	Delimiter byte // between cells, 0 for a comma
}

// convert is the sink of a text made from any source.
type convert struct {
	table.NoState
	src   table.Source
	cols  []table.Column
	names []string
	write writer
}

// Convert returns a sink that writes the fields of src, and the answers, as delimited
// text with a header row, decimal points and lines that end in LF. Cells that were text
// are written as they stand, in quotes where they must be; but for numbers with a decimal
// comma, which get a point. Other floats have the shortest digits that give the same
// float32 or float64 back, truth values are 1 and 0, NaN is nan, and what is missing is
// an empty cell. It only fails for a field without values (pointio.CheckValues).
func Convert(src table.Source, cols []table.Column, opt ConvertOptions) (table.Sink, error) {
	if err := pointio.CheckValues(src, "csv"); err != nil {
		return nil, err
	}
	d := opt.Delimiter
	if d == 0 {
		d = ','
	}
	return &convert{src: src, cols: cols, names: table.Names(src.Fields(), cols), write: writer{appended: d, delimiter: d}}, nil
}

// Begin writes the header row.
func (c *convert) Begin(w io.Writer, _ int64) error {
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

// Format formats the rows of b.
func (c *convert) Format(b *table.Block) error {
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

// cell appends the cell of row k.
func (c *convert) cell(dst []byte, v *table.Values, k int) []byte {
	missing := len(v.Missing) > 0 && v.Missing[k]
	switch {
	case len(v.Texts) > 0:
		t := v.Texts[k]
		if v.Type.IsFloat() && !missing && v.Floats[k] == v.Floats[k] && bytes.IndexByte(t, ',') >= 0 {
			return c.float(dst, v.Floats[k], v.Type)
		}
		return appendWord(dst, t, c.write.delimiter)
	case missing:
		return appendWord(dst, "", c.write.delimiter)
	case v.Type.IsFloat():
		return c.float(dst, v.Floats[k], v.Type)
	case v.Type == table.Uint64:
		return strconv.AppendUint(dst, uint64(v.Ints[k]), 10)
	}
	return strconv.AppendInt(dst, v.Ints[k], 10)
}

// float appends x with the digits of its type.
func (c *convert) float(dst []byte, x float64, t table.Type) []byte {
	bits := 64
	if t == table.Float32 {
		bits = 32
	}
	return c.write.number(dst, x, bits)
}
