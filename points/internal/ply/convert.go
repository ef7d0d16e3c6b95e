package ply

import (
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*convert)(nil)

// convert writes any source as a PLY file of format binary_little_endian. It implements
// table.HeaderPatcher and table.Resumer.
type convert struct {
	records.Counter
	*records.Converter
}

// Convert returns a sink that writes src as binary little-endian PLY. The coordinates are named x,
// y and z. Blanks in names become underscores, and repeated names get a number as a suffix.
// Integers of 64 bits become doubles. A missing float becomes NaN.
//
// Convert and the sink return table.ErrCannotHold for an opaque field, a field of text, a column
// that PLY cannot hold, a missing integer, and an integer of 64 bits that a double would round.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	c, err := records.NewConverter("ply", int32Name, src, cols)
	if err != nil {
		return nil, err
	}
	comments, answerProps := answerLines(c.Answers)
	var props []string
	for _, col := range c.Columns {
		kind, _ := kindFor(col.Store)
		props = append(props, kind.String()+" "+col.Name)
	}
	props = append(props, answerProps...)
	encode := func(count string, pad int) []byte {
		var out strings.Builder
		out.WriteString("ply\nformat binary_little_endian 1.0\n")
		for _, line := range padded(comments, pad) {
			out.WriteString("comment " + line + "\n")
		}
		out.WriteString("element vertex " + count + "\n")
		for _, line := range props {
			out.WriteString("property " + line + "\n")
		}
		out.WriteString("end_header\n")
		return []byte(out.String())
	}
	return &convert{records.NewCounter("ply", src.Rows(), encode), c}, nil
}

// padded returns the comments with the comment that reserves room for digits.
func padded(comments []string, pad int) []string {
	if pad == records.NoPad {
		return comments
	}
	return append(slices.Clone(comments), records.PadComment(pad))
}
