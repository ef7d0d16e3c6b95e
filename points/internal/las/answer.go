package las

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/inpoly/inpoly/points/table"
)

// Records of the labels of a column.
const (
	labelUser = "inpoly"
	labelID   = 1
)

// answers returns the extra bytes that hold cols.
func answers(fields []table.Field, cols []table.Column) (table.Answers, error) {
	taken := newNames(fields)
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = taken.take(c.Name)
	}
	return table.NewAnswers("las", cols, names)
}

// names gives out names that differ and that a descriptor holds.
type names map[string]bool

// newNames returns names with those of the fields taken.
func newNames(fields []table.Field) names {
	n := names{}
	for _, f := range fields {
		n[f.Name] = true
	}
	return n
}

// take returns name, or the like if it is taken or too long. A NUL would end it.
func (n names) take(name string) string {
	name = strings.ReplaceAll(name, "\x00", "_")
	if name == "" {
		name = "extra"
	}
	out := cut(name, nameSize)
	for k := 2; n[out]; k++ {
		suffix := fmt.Sprintf("_%d", k)
		out = cut(name, nameSize-len(suffix)) + suffix
	}
	n[out] = true
	return out
}

// cut returns at most size bytes of s, whole characters of UTF-8.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// describeAnswers returns the descriptors of list, and the records of its labels.
func describeAnswers(list table.Answers) (descriptors []byte, records []byte, n int, err error) {
	for _, a := range list {
		d := newDescriptor(extraNumber(a.Type), a.Name)
		switch a.Kind {
		case table.Inside:
			setNone(d, table.NoSide)
			copy(d[atText:], "0 out 1 in 255 uncertain")
		case table.State:
			setNone(d, table.NoSide)
			copy(d[atText:], "0 out 1 in 2 on 255 uncertain")
		case table.Label:
			copy(d[atText:], "a label each, -1 none")
			var text strings.Builder
			for i, l := range a.Labels {
				fmt.Fprintf(&text, "%d %s\n", i, strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ").Replace(l))
			}
			if text.Len() > math.MaxUint16 {
				return nil, nil, 0, fmt.Errorf("column %s: %d bytes of labels: las: %w: at most %d", table.Quote([]byte(a.Name)), text.Len(), table.ErrCannotHold, math.MaxUint16)
			}
			records = appendRecord(records, labelUser, labelID, cut("labels of "+a.Name, nameSize), []byte(text.String()))
			n++
		}
		descriptors = append(descriptors, d...)
	}
	return descriptors, records, n, nil
}

// newDescriptor returns the descriptor of extra bytes.
func newDescriptor(number byte, name string) []byte {
	d := make([]byte, descriptor)
	d[atType] = number
	copy(d[atName:atName+nameSize], name)
	return d
}

// setNone declares the value that means that there is none.
func setNone(d []byte, v uint64) {
	d[atOptions] |= noneOption
	le.PutUint64(d[atNone:], v)
}

// appendRecord appends a variable length record.
func appendRecord(dst []byte, user string, id uint16, text string, body []byte) []byte {
	var h [recordHead]byte
	copy(h[2:18], user)
	le.PutUint16(h[18:], id)
	le.PutUint16(h[20:], uint16(len(body)))
	copy(h[22:], text)
	return append(append(dst, h[:]...), body...)
}
