package ply

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// The numbers of the four sides.
var (
	insideCodes = [4]byte{side.Unknown: 255, side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	stateCodes  = [4]byte{side.Unknown: 255, side.Outside: 0, side.OnSurface: 2, side.Inside: 1}
)

// answer is an answer column as a property.
type answer struct {
	table.Column
	name string // of the property
	at   int    // place among Block.Numbers or Block.Integers
	prop kind
}

// answers returns the properties that hold cols, and their bytes.
func answers(fields []table.Field, cols []table.Column) (list []answer, size int, err error) {
	clean := make([]table.Column, len(cols))
	for i, c := range cols {
		clean[i] = c
		clean[i].Name = word(c.Name)
	}
	numbers, integers := 0, 0
	for i, name := range table.Names(fields, clean) {
		a := answer{Column: cols[i], name: name}
		switch a.Kind {
		case table.Inside, table.State:
			a.prop = uchar
		case table.Number, table.Bound:
			a.prop, a.at = double, numbers
			numbers++
		case table.Integer, table.Label:
			a.prop, a.at = integer, integers
			integers++
		default:
			return nil, 0, fmt.Errorf("column %s holds words: ply: %w: want csv, jsonl or parquet", quote(a.Name), table.ErrCannotHold)
		}
		list, size = append(list, a), size+a.prop.size()
	}
	return list, size, nil
}

// word returns a name without blanks and control characters, as a header wants it.
func word(name string) string {
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

// declare returns the comments and the properties of the header.
func declare(list []answer) (comments, props []string) {
	for _, a := range list {
		props = append(props, kinds[a.prop].name+" "+a.name)
		switch a.Kind {
		case table.Inside:
			comments = append(comments, a.name+": 1 inside or on the surface, 0 outside, 255 uncertain")
		case table.State:
			comments = append(comments, a.name+": 0 out, 1 in, 2 on, 255 uncertain")
		case table.Label:
			comments = append(comments, a.name+": -1 none")
			for i, label := range a.Labels {
				comments = append(comments, fmt.Sprintf("%s: %d %s", a.name, i, word(label)))
			}
		}
	}
	return comments, props
}

// checkIntegers refuses what an int cannot hold, and returns its row in the block.
func checkIntegers(list []answer, b *table.Block) (row int, err error) {
	for _, a := range list {
		if a.prop != integer {
			continue
		}
		for k, v := range b.Integers[a.at] {
			if v != int64(int32(v)) && !b.Dropped(k) {
				return k, fmt.Errorf("column %s: %d is no int of 32 bits: ply: %w", quote(a.name), v, table.ErrCannotHold)
			}
		}
	}
	return 0, nil
}

// put writes the answers to row k to the front of dst.
func put(dst []byte, list []answer, b *table.Block, k int, big bool) {
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
			store64(dst, math.Float64bits(b.Numbers[a.at][k]), big)
			dst = dst[8:]
		default:
			store32(dst, uint32(b.Integers[a.at][k]), big)
			dst = dst[4:]
		}
	}
}

// appendText appends the answers to row k, each after a space.
func appendText(dst []byte, list []answer, b *table.Block, k int) []byte {
	for i := range list {
		a := &list[i]
		dst = append(dst, ' ')
		switch a.Kind {
		case table.Inside:
			dst = strconv.AppendUint(dst, uint64(insideCodes[b.Sides[k]&3]), 10)
		case table.State:
			dst = strconv.AppendUint(dst, uint64(stateCodes[b.Sides[k]&3]), 10)
		case table.Number, table.Bound:
			dst = appendFloat(dst, b.Numbers[a.at][k])
		default:
			dst = strconv.AppendInt(dst, b.Integers[a.at][k], 10)
		}
	}
	return dst
}

// appendFloat appends the shortest digits that give x back; nan, inf and -inf are the
// words that C reads.
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
