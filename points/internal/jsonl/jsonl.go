// Package jsonl reads and writes point clouds as JSON Lines: each line is an object, and its members
// are the fields of a row. Package axes finds the fields of x, y and z. Coordinates must be numbers.
// If a coordinate is null or missing, the point is uncertain. The words NaN, Infinity and -Infinity,
// which Python writes, are accepted as numbers.
//
// Source.Passthrough copies the lines byte for byte, with nested values, and adds the answers to each
// object. Convert writes any source: the keys are the names of the fields, followed by the names of
// the answers.
//
// A number from a text file keeps its digits if they are valid JSON. Other numbers have the fewest
// digits that restore the value; a float32 coordinate is written as a float64. If a cell of a text file is not a number, it becomes a string,
// even in a column of numbers. If a number is missing, NaN or infinite, it becomes null. The side
// of an undecided point is also null. Truth values are true and false. Texts become strings. As in
// encoding/json, bytes that are not UTF-8 become U+FFFD.
package jsonl

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// sink writes the rows of a source as objects.
type sink struct {
	table.NoState
	src   table.Source
	cols  []table.Column
	names []string // names of the answers; used only by passthrough
	keys  [][]byte // for each field and answer, the bytes before the value
}

// Convert returns a sink that writes the fields of src and the answers as objects. A repeated key
// gets a number as a suffix. The sink is a table.Resumer. Convert fails only if src has an opaque
// field, because JSON can store all other values.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "jsonl"); err != nil {
		return nil, err
	}
	s := &sink{src: src, cols: cols}
	var all []table.Column
	for _, f := range src.Fields() {
		all = append(all, table.Column{Name: f.Name})
	}
	front := byte('{')
	for _, name := range table.Names(nil, append(all, cols...)) {
		s.keys = append(s.keys, append(appendString([]byte{front}, []byte(name)), ':'))
		front = ','
	}
	return s, nil
}

// Format formats the rows of b.
func (s *sink) Format(b *table.Block) error {
	vals, err := pointio.AllTexts(s.src, b)
	if err != nil {
		return err
	}
	dst, axes := b.Out, s.src.Axes()
	for k := range b.Points {
		if b.Dropped(k) {
			continue
		}
		for i := range vals {
			dst = append(dst, s.keys[i]...)
			if v := &vals[i]; v.Type == table.Text && isNumber(v.Texts[k]) && slices.Contains(axes[:], i) {
				dst = append(dst, v.Texts[k]...) // a decimal of Parquet
				continue
			}
			dst = appendCell(dst, &vals[i], k)
		}
		dst = append(s.answers(dst, b, k, s.keys[len(vals):]), '}', '\n')
	}
	b.Out = dst
	return nil
}

func (s *sink) answers(dst []byte, b *table.Block, k int, keys [][]byte) []byte {
	var number, integer, words int
	for i := range s.cols {
		dst = append(dst, keys[i]...)
		switch s.cols[i].Kind {
		case table.Inside:
			dst = append(dst, insideWords[b.Sides[k]&3]...)
		case table.State:
			dst = append(dst, '"')
			dst = append(append(dst, pointio.StateWords[b.Sides[k]&3]...), '"')
		case table.Number, table.Bound:
			dst = appendFloat(dst, b.Numbers[number][k], 64)
			number++
		case table.Integer:
			dst = strconv.AppendInt(dst, b.Integers[integer][k], 10)
			integer++
		case table.Label:
			if n := b.Integers[integer][k]; n >= 0 {
				dst = appendString(dst, []byte(s.cols[i].Labels[n]))
			} else {
				dst = append(dst, null...)
			}
			integer++
		case table.Words:
			dst = appendString(dst, []byte(b.Words[words][k]))
			words++
		}
	}
	return dst
}

const null = "null"

// insideWords has the JSON value for each side.
var insideWords = [4]string{side.Unknown: null, side.Outside: "false", side.OnSurface: "true", side.Inside: "true"}

// appendCell appends the value of row k.
func appendCell(dst []byte, v *table.Values, k int) []byte {
	if len(v.Missing) > 0 && v.Missing[k] {
		return append(dst, null...)
	}
	switch t := v.Type; {
	case t == table.Text:
		return appendString(dst, v.Texts[k])
	case t.IsFloat():
		if len(v.Texts) > 0 {
			cell := v.Texts[k]
			if number := bytes.TrimPrefix(cell, []byte("+")); isNumber(number) {
				return append(dst, number...)
			}
			if x := v.Floats[k]; x != x {
				return appendString(dst, cell)
			}
		}
		bits := 64
		if t == table.Float32 {
			bits = 32
		}
		return appendFloat(dst, v.Floats[k], bits)
	case t == table.Bool:
		return strconv.AppendBool(dst, v.Ints[k] != 0)
	case t == table.Uint64:
		return strconv.AppendUint(dst, uint64(v.Ints[k]), 10)
	}
	return strconv.AppendInt(dst, v.Ints[k], 10)
}

// appendFloat appends a number, or null if x is NaN or infinite.
func appendFloat(dst []byte, x float64, bits int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, null...)
	}
	return decimal.Append(dst, x, bits)
}

// isNumber reports whether s is a valid JSON number (RFC 8259, section 6) that cannot overflow
// float64. Many readers reject numbers that overflow. If the exponent has more than two digits,
// isNumber returns false, and appendFloat formats the number.
func isNumber(s []byte) bool {
	// A number with at most 300 digits and no exponent cannot overflow float64. A number of at most 150
	// characters and an exponent of at most 99 cannot overflow either.
	const most, withExponent = 300, 150
	whole, exponent, ok := jsontext.ScanNumber(s)
	switch {
	case !ok || whole > most:
		return false
	case exponent > 0:
		return exponent <= 2 && len(bytes.TrimPrefix(s, []byte("-"))) <= withExponent
	}
	return true
}

const hex = "0123456789abcdef"

// appendString appends s in quotes. It escapes quotes, backslashes and control characters, and
// replaces bytes that are not UTF-8 by U+FFFD.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(append(dst, s[from:i]...), "\ufffd"...)
			from = i + n
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}
