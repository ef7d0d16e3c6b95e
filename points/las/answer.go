package las

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// The numbers of the four sides; none is the number of no data.
const none = 255

var (
	insideCodes = [4]byte{side.Unknown: none, side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	stateCodes  = [4]byte{side.Unknown: none, side.Outside: 0, side.OnSurface: 2, side.Inside: 1}
)

// Records of the labels of a column.
const (
	labelUser = "inpoly"
	labelID   = 1
)

// answer is an answer column as extra bytes.
type answer struct {
	table.Column
	name string
	at   int // place among Block.Numbers or Block.Integers
	typ  table.Type
}

// answers returns the extra bytes that hold cols, and how many they are.
func answers(fields []table.Field, cols []table.Column) (list []answer, size int, err error) {
	numbers, integers := 0, 0
	names := newNames(fields)
	for _, c := range cols {
		a := answer{Column: c, name: names.take(c.Name)}
		switch c.Kind {
		case table.Inside, table.State:
			a.typ = table.Uint8
		case table.Number, table.Bound:
			a.typ, a.at = table.Float64, numbers
			numbers++
		case table.Integer, table.Label:
			a.typ, a.at = table.Int32, integers
			integers++
		default:
			return nil, 0, fmt.Errorf("column %s holds words: las: %w: want csv, jsonl or parquet", table.Quote([]byte(c.Name)), table.ErrCannotHold)
		}
		list, size = append(list, a), size+a.typ.Size()
	}
	return list, size, nil
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
func describeAnswers(list []answer) (descriptors []byte, records []byte, n int, err error) {
	for _, a := range list {
		d := newDescriptor(extraNumber(a.typ), a.name)
		switch a.Kind {
		case table.Inside:
			setNone(d, none)
			copy(d[atText:], "0 out 1 in 255 uncertain")
		case table.State:
			setNone(d, none)
			copy(d[atText:], "0 out 1 in 2 on 255 uncertain")
		case table.Label:
			copy(d[atText:], "a label each, -1 none")
			var text strings.Builder
			for i, l := range a.Labels {
				fmt.Fprintf(&text, "%d %s\n", i, strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ").Replace(l))
			}
			if text.Len() > math.MaxUint16 {
				return nil, nil, 0, fmt.Errorf("column %s: %d bytes of labels: las: %w: at most %d", table.Quote([]byte(a.name)), text.Len(), table.ErrCannotHold, math.MaxUint16)
			}
			records = appendRecord(records, labelUser, labelID, cut("labels of "+a.name, nameSize), []byte(text.String()))
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

// checkIntegers refuses what an int32 cannot hold.
func checkIntegers(src table.Source, list []answer, b *table.Block) error {
	for _, a := range list {
		if a.typ != table.Int32 {
			continue
		}
		for k, v := range b.Integers[a.at] {
			if v != int64(int32(v)) && !b.Dropped(k) {
				return fmt.Errorf("%s: column %s: %d is no int32: las: %w", table.Place(src, b, k), table.Quote([]byte(a.name)), v, table.ErrCannotHold)
			}
		}
	}
	return nil
}

// put writes the answers to row k to the front of dst.
func put(dst []byte, list []answer, b *table.Block, k int) {
	for i := range list {
		a := &list[i]
		switch a.Kind {
		case table.Inside:
			dst[0] = insideCodes[b.Sides[k]&3]
			dst = dst[1:]
		case table.State:
			dst[0] = stateCodes[b.Sides[k]&3]
			dst = dst[1:]
		case table.Number, table.Bound:
			le.PutUint64(dst, math.Float64bits(b.Numbers[a.at][k]))
			dst = dst[8:]
		default:
			le.PutUint32(dst, uint32(b.Integers[a.at][k]))
			dst = dst[4:]
		}
	}
}
