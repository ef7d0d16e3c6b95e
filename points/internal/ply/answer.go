package ply

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// int32Name is the name of the PLY type int in error messages.
const int32Name = "int of 32 bits"

// newAnswers returns the properties that store the given answer columns.
func newAnswers(fields []table.Field, cols []table.Column) (pointio.Answers, error) {
	clean := make([]table.Column, len(cols))
	for i, c := range cols {
		clean[i] = c
		clean[i].Name = headerName(c.Name)
	}
	return pointio.NewAnswers("ply", cols, table.Names(fields, clean))
}

// headerName replaces the blanks and control characters of a name with underscores. A word of the
// header cannot contain blanks or control characters.
func headerName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || r == 0x85 || r == 0xa0 {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return "_"
	}
	return strings.Join(strings.Fields(name), "_")
}

// answerLines returns the header lines for the answers: the comments and the property lines.
func answerLines(list pointio.Answers) (comments, props []string) {
	for _, a := range list {
		prop, _ := kindFor(a.Type)
		props = append(props, prop.String()+" "+a.Name)
		switch a.Kind {
		case table.Inside:
			comments = append(comments, a.Name+": 1 inside or on the surface, 0 outside, 255 uncertain")
		case table.State:
			comments = append(comments, a.Name+": 0 out, 1 in, 2 on, 255 uncertain")
		case table.Label:
			comments = append(comments, a.Name+": -1 none")
			for i, label := range a.Labels {
				comments = append(comments, fmt.Sprintf("%s: %d %s", a.Name, i, headerName(label)))
			}
		}
	}
	return comments, props
}

// appendText appends the answers for row k to dst. It writes a space before each answer.
func appendText(dst []byte, list pointio.Answers, b *table.Block, k int) []byte {
	for i := range list {
		a := &list[i]
		dst = append(dst, ' ')
		switch a.Kind {
		case table.Inside:
			dst = strconv.AppendUint(dst, uint64(pointio.InsideCodes[b.Sides[k]&3]), 10)
		case table.State:
			dst = strconv.AppendUint(dst, uint64(pointio.StateCodes[b.Sides[k]&3]), 10)
		case table.Number, table.Bound:
			dst = appendFloat(dst, b.Numbers[a.Index][k])
		default:
			dst = strconv.AppendInt(dst, b.Integers[a.Index][k], 10)
		}
	}
	return dst
}

// appendFloat appends x with the fewest digits that restore x. It writes NaN and infinities like C:
// nan, inf and -inf.
func appendFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	}
	return decimal.Append(dst, x, 64)
}
