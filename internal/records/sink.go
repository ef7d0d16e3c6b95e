package records

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// Rows formats the rows of a Source, each followed by its answers.
type Rows struct {
	Src       table.Source // the format that embeds the Source
	Records   *Source
	Answers   pointio.Answers
	BigEndian bool   // byte order of the answers
	Int32     string // name of the type of 32-bit integers in the format
}

// Format sets b.Out to the rows that are not dropped. The bytes of the strips of a row follow each
// other.
func (k *Rows) Format(b *table.Block) error {
	if err := k.Answers.Check(k.Src, b, k.Src.Format(), k.Int32); err != nil {
		return fmt.Errorf("%s: %w", k.Records.Name, err)
	}
	if len(k.Records.Strips) == 1 {
		k.Answers.FormatRows(b, k.Records.RowBytes(), k.BigEndian)
		return nil
	}
	joined, _ := b.Sink.([]byte)
	joined = k.Records.join(joined, b)
	b.Sink = joined
	b.Raw, joined = joined, b.Raw
	k.Answers.FormatRows(b, k.Records.RowBytes(), k.BigEndian)
	b.Raw = joined
	return nil
}

// join writes the rows of b to dst. The bytes of the strips of a row follow each other.
func (s *Source) join(dst []byte, b *table.Block) []byte {
	rows, row := len(b.Raw)/int(s.row), int(s.row)
	dst = slices.Grow(dst[:0], len(b.Raw))[:len(b.Raw)]
	at, from := 0, b.Raw
	for i := range s.Strips {
		size := int(s.Strips[i].Size)
		for k := range rows {
			copy(dst[k*row+at:k*row+at+size], from[k*size:])
		}
		at, from = at+size, from[rows*size:]
	}
	return dst
}

// Word replaces the blanks and control characters of a name with underscores, for a header whose
// names cannot contain them.
func Word(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, name)
	return cmp.Or(name, "_")
}

// NewAnswers returns the answer columns for a header whose names are words.
func NewAnswers(format string, fields []table.Field, cols []table.Column) (pointio.Answers, error) {
	clean := make([]table.Column, len(cols))
	for i, c := range cols {
		clean[i] = c
		clean[i].Name = Word(c.Name)
	}
	return pointio.NewAnswers(format, cols, table.Names(fields, clean))
}

// Comments returns lines that explain the values of the answers.
func Comments(list pointio.Answers) (lines []string) {
	for _, a := range list {
		switch a.Kind {
		case table.Inside:
			lines = append(lines, a.Name+": 1 inside or on the surface, 0 outside, 255 uncertain")
		case table.State:
			lines = append(lines, a.Name+": 0 out, 1 in, 2 on, 255 uncertain")
		case table.Label:
			lines = append(lines, a.Name+": -1 none")
			for i, label := range a.Labels {
				lines = append(lines, fmt.Sprintf("%s: %d %s", a.Name, i, Word(label)))
			}
		}
	}
	return lines
}

// AppendAnswers appends the answers for row k as words. It writes a blank before each answer.
func AppendAnswers(dst []byte, list pointio.Answers, b *table.Block, k int) []byte {
	for i := range list {
		a := &list[i]
		dst = append(dst, ' ')
		switch a.Kind {
		case table.Inside:
			dst = strconv.AppendInt(dst, int64(pointio.InsideCodes[b.Sides[k]&3]), 10)
		case table.State:
			dst = strconv.AppendInt(dst, int64(pointio.StateCodes[b.Sides[k]&3]), 10)
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
