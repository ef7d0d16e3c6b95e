package parquet

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// answer writes an answer column.
type answer struct {
	table.Column
	name  string
	nth   int      // which of Block.Numbers, Integers or Words
	words []string // the dictionary of State and Label
}

// codec compresses the columns that are added: the codec of most files, and fast.
const codec = format.Snappy

// newAnswers returns the writers of cols, with those names.
func newAnswers(cols []table.Column, names []string) []answer {
	answers := make([]answer, len(cols))
	numbers, integers, words := 0, 0, 0
	next := func(n *int) int {
		*n++
		return *n - 1
	}
	for i, c := range cols {
		a := answer{Column: c, name: names[i]}
		switch c.Kind {
		case table.State:
			a.words = pointio.StateWords[:]
		case table.Number, table.Bound:
			a.nth = next(&numbers)
		case table.Integer:
			a.nth = next(&integers)
		case table.Label:
			a.nth, a.words = next(&integers), c.Labels
		case table.Words:
			a.nth = next(&words)
		}
		answers[i] = a
	}
	return answers
}

// kind returns the type of the column.
func (a *answer) kind() format.Type {
	switch a.Kind {
	case table.Inside:
		return format.Boolean
	case table.Number, table.Bound:
		return format.Double
	case table.Integer:
		return format.Int64
	}
	return format.ByteArray
}

// appendAnswers appends answers, empty, as columns to be written.
func appendAnswers(dst []column, answers []answer) ([]column, error) {
	for i := range answers {
		c, err := answers[i].column()
		if err != nil {
			return nil, err
		}
		dst = append(dst, c)
	}
	return dst, nil
}

// column returns a, empty, as a column to be written.
func (a *answer) column() (column, error) {
	c := column{kind: a.kind(), path: []string{a.name}, codec: codec}
	if a.Kind != table.State && a.Kind != table.Label {
		return c, nil
	}
	var body []byte
	for _, w := range a.words {
		body = appendString(body, w)
	}
	var err error
	c.dict, c.dictExpanded, err = dictionaryPage(codec, len(a.words), body)
	return c, err
}

// element returns the element of the schema.
func (a *answer) element() []byte {
	logical := plain
	if a.kind() == format.ByteArray {
		logical = words
	}
	return element(a.name, a.kind(), a.Kind == table.Inside || a.Kind == table.Integer || a.Kind == table.Label, logical)
}

// rowBytes is about how many bytes a row of the column takes at most, for the memory of
// a row group. Words are names.
func (a *answer) rowBytes() int64 {
	switch a.Kind {
	case table.Number, table.Bound, table.Integer:
		return 8
	case table.Label:
		return 4
	case table.Words:
		return 16
	}
	return 1
}

// write makes the page of the rows of b that are not dropped. A label that is none
// panics.
func (a *answer) write(w *written, b *table.Block) error {
	w.start()
	enc := format.Plain
	switch a.Kind {
	case table.Inside:
		a.inside(w, b)
	case table.State:
		enc = format.RLEDictionary
		for i, s := range b.Sides {
			if !b.Dropped(i) {
				w.index = append(w.index, uint32(s))
			}
		}
		w.entries = len(w.index)
		w.places(w.index, len(a.words))
	case table.Number, table.Bound:
		a.number(w, b)
	case table.Integer:
		a.integer(w, b)
	case table.Label:
		enc = format.RLEDictionary
		a.label(w, b)
	case table.Words:
		for i, s := range b.Words[a.nth] {
			if !b.Dropped(i) {
				w.body = appendString(w.body, s)
				w.entries++
			}
		}
	}
	return w.finish(codec, enc)
}

// number writes a column of float64, with their range if none is NaN.
func (a *answer) number(w *written, b *table.Block) {
	least, most, nan := math.Inf(1), math.Inf(-1), false
	for i, v := range b.Numbers[a.nth] {
		if !b.Dropped(i) {
			w.body = binary.LittleEndian.AppendUint64(w.body, math.Float64bits(v))
			least, most, nan = min(least, v), max(most, v), nan || v != v
		}
	}
	w.entries = len(w.body) / 8
	if w.entries == 0 || nan {
		return
	}
	// Zeros of either sign are one value: the bounds are −0 and +0 (parquet.thrift,
	// ColumnOrder).
	if least == 0 {
		least = math.Copysign(0, -1)
	}
	if most == 0 {
		most = math.Copysign(0, 1)
	}
	w.setRange64(math.Float64bits(least), math.Float64bits(most))
}

// integer writes a column of integers, all of which are there.
func (a *answer) integer(w *written, b *table.Block) {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i, v := range b.Integers[a.nth] {
		if !b.Dropped(i) {
			w.flags = append(w.flags, 1)
			w.values = binary.LittleEndian.AppendUint64(w.values, uint64(v))
			least, most = min(least, v), max(most, v)
		}
	}
	w.entries = len(w.flags)
	w.levels(w.flags, 1)
	w.body = append(w.body, w.values...)
	if w.entries > 0 {
		w.setRange64(uint64(least), uint64(most))
	}
}

// label writes a column of labels, −1 as null.
func (a *answer) label(w *written, b *table.Block) {
	for i, v := range b.Integers[a.nth] {
		switch {
		case b.Dropped(i):
		case v == -1:
			w.flags = append(w.flags, 0)
			w.nulls++
		case v < 0 || v >= int64(len(a.words)):
			panic(fmt.Sprintf("parquet: label %d of %d", v, len(a.words)))
		default:
			w.flags = append(w.flags, 1)
			w.index = append(w.index, uint32(v))
		}
	}
	w.entries = len(w.flags)
	w.levels(w.flags, 1)
	w.places(w.index, len(a.words))
}

// inside writes the truth values, without branches, as the sides of neighbours in a file
// may be anything.
func (a *answer) inside(w *written, b *table.Block) {
	known := [4]byte{side.Outside: 1, side.OnSurface: 1, side.Inside: 1}
	truth := [4]byte{side.OnSurface: 1, side.Inside: 1}
	w.flags = append(w.flags, make([]byte, len(b.Sides))...)
	w.values = append(w.values, make([]byte, len(b.Sides))...)
	entries, values, yes := 0, 0, 0
	for i, s := range b.Sides {
		w.flags[entries] = known[s&3]
		w.values[values] = truth[s&3]
		if !b.Dropped(i) {
			entries++
			values += int(known[s&3])
			yes += int(truth[s&3])
		}
	}
	w.flags, w.values = w.flags[:entries], w.values[:values]
	w.entries, w.nulls = entries, entries-values
	w.levels(w.flags, 1)
	w.body = pack(w.body, w.values, 1)
	if values > 0 {
		w.ranged = true
		w.least, w.most = append(w.least, 0), append(w.most, 0)
		if yes == values {
			w.least[0] = 1
		}
		if yes > 0 {
			w.most[0] = 1
		}
	}
}

// setRange64 sets the bounds of values of eight bytes.
func (w *written) setRange64(least, most uint64) {
	w.ranged = true
	w.least = binary.LittleEndian.AppendUint64(w.least, least)
	w.most = binary.LittleEndian.AppendUint64(w.most, most)
}

// less compares values of a kind that has bounds: BOOLEAN, INT64 and DOUBLE.
func less(kind format.Type, a, b []byte) bool {
	switch kind {
	case format.Boolean:
		return a[0] < b[0]
	case format.Int64:
		return int64(le64(a)) < int64(le64(b))
	}
	return math.Float64frombits(le64(a)) < math.Float64frombits(le64(b))
}
