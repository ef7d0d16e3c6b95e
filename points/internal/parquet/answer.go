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

// answerType describes the Parquet column for one kind of answer.
type answerType struct {
	kind     format.Type
	optional bool
	rowBytes int64 // estimated size of a value; bounds the memory of a row group
}

var answerTypes = [...]answerType{
	table.Inside:  {format.Boolean, true, 1},
	table.State:   {format.ByteArray, false, 1},
	table.Number:  {format.Double, true, 8},
	table.Bound:   {format.Double, true, 8},
	table.Integer: {format.Int64, true, 8},
	table.Label:   {format.ByteArray, true, 4},
	table.Words:   {format.ByteArray, false, 16}, // assumes short names
}

// answerColumn encodes an answer column.
type answerColumn struct {
	table.Column
	answerType
	name string
	slot int      // index into Block.Numbers, Integers or Words
	dict []string // dictionary if the kind is State or Label
}

// answerCodec is the codec of all new columns. Snappy is fast, and most files use it.
const answerCodec = format.Snappy

// newAnswerColumns returns an answer column for each of cols, with the given names.
func newAnswerColumns(cols []table.Column, names []string) []answerColumn {
	answers := make([]answerColumn, len(cols))
	var numbers, integers, words int
	for i, c := range cols {
		a := &answers[i]
		*a = answerColumn{Column: c, answerType: answerTypes[c.Kind], name: names[i]}
		switch c.Kind {
		case table.State:
			a.dict = pointio.StateWords[:]
		case table.Number, table.Bound:
			a.slot = numbers
			numbers++
		case table.Integer, table.Label:
			a.slot, a.dict = integers, c.Labels
			integers++
		case table.Words:
			a.slot = words
			words++
		}
	}
	return answers
}

// writer returns an empty columnWriter for a.
func (a *answerColumn) writer() (c columnWriter, err error) {
	c = columnWriter{kind: a.kind, path: []string{a.name}, codec: answerCodec}
	if a.Kind == table.State || a.Kind == table.Label {
		var body []byte
		for _, w := range a.dict {
			body = appendPrefixed(body, w)
		}
		c.dict, err = newDictionaryPage(answerCodec, len(a.dict), body)
	}
	return c, err
}

func (a *answerColumn) element() format.SchemaElement {
	return schemaElement(a.name, a.kind, a.optional)
}

// encode encodes the kept rows of b as page w. It panics if a label is not in the dictionary.
func (a *answerColumn) encode(w *pageWriter, b *table.Block) error {
	w.start()
	enc := format.Plain
	switch a.Kind {
	case table.Inside:
		a.encodeInside(w, b)
	case table.State:
		enc = format.RLEDictionary
		for i, s := range b.Sides {
			if !b.Dropped(i) {
				w.indices = append(w.indices, uint32(s))
			}
		}
		w.entries = len(w.indices)
		w.appendIndices(w.indices, len(a.dict))
	case table.Number, table.Bound:
		a.encodeNumbers(w, b)
	case table.Integer:
		a.encodeIntegers(w, b)
	case table.Label:
		enc = format.RLEDictionary
		a.encodeLabels(w, b)
	case table.Words:
		for i, s := range b.Words[a.slot] {
			if !b.Dropped(i) {
				w.body = appendPrefixed(w.body, s)
				w.entries++
			}
		}
	}
	return w.finish(answerCodec, enc)
}

// encodeNumbers encodes a column of float64. NaN becomes null, because in most databases, sums and
// averages skip null, but become NaN if a value is NaN.
func (a *answerColumn) encodeNumbers(w *pageWriter, b *table.Block) {
	minValue, maxValue := math.Inf(1), math.Inf(-1)
	for i, v := range b.Numbers[a.slot] {
		switch {
		case b.Dropped(i):
		case v != v:
			w.defLevels = append(w.defLevels, 0)
			w.nulls++
		default:
			w.defLevels = append(w.defLevels, 1)
			w.values = binary.LittleEndian.AppendUint64(w.values, math.Float64bits(v))
			minValue, maxValue = min(minValue, v), max(maxValue, v)
		}
	}
	w.entries = len(w.defLevels)
	w.appendLevels(w.defLevels, 1)
	w.body = append(w.body, w.values...)
	if len(w.values) == 0 {
		return
	}
	// A lower bound of zero must be −0, and an upper bound of zero must be +0 (parquet.thrift,
	// ColumnOrder).
	if minValue == 0 {
		minValue = math.Copysign(0, -1)
	}
	if maxValue == 0 {
		maxValue = math.Copysign(0, 1)
	}
	w.setBounds64(math.Float64bits(minValue), math.Float64bits(maxValue))
}

// encodeIntegers encodes a column of integers without nulls.
func (a *answerColumn) encodeIntegers(w *pageWriter, b *table.Block) {
	minValue, maxValue := int64(math.MaxInt64), int64(math.MinInt64)
	for i, v := range b.Integers[a.slot] {
		if !b.Dropped(i) {
			w.defLevels = append(w.defLevels, 1)
			w.values = binary.LittleEndian.AppendUint64(w.values, uint64(v))
			minValue, maxValue = min(minValue, v), max(maxValue, v)
		}
	}
	w.entries = len(w.defLevels)
	w.appendLevels(w.defLevels, 1)
	w.body = append(w.body, w.values...)
	if w.entries > 0 {
		w.setBounds64(uint64(minValue), uint64(maxValue))
	}
}

// encodeLabels encodes a column of labels. The label −1 becomes null.
func (a *answerColumn) encodeLabels(w *pageWriter, b *table.Block) {
	for i, v := range b.Integers[a.slot] {
		switch {
		case b.Dropped(i):
		case v == -1:
			w.defLevels = append(w.defLevels, 0)
			w.nulls++
		case v < 0 || v >= int64(len(a.dict)):
			panic(fmt.Sprintf("parquet: no label %d: the column has %d labels", v, len(a.dict)))
		default:
			w.defLevels = append(w.defLevels, 1)
			w.indices = append(w.indices, uint32(v))
		}
	}
	w.entries = len(w.defLevels)
	w.appendLevels(w.defLevels, 1)
	w.appendIndices(w.indices, len(a.dict))
}

// encodeInside encodes sides as booleans. An uncertain side becomes null. The loop does not branch
// on sides, because consecutive sides are hard to predict.
func (a *answerColumn) encodeInside(w *pageWriter, b *table.Block) {
	isKnown := [4]byte{side.Outside: 1, side.OnSurface: 1, side.Inside: 1}
	isTrue := [4]byte{side.OnSurface: 1, side.Inside: 1}
	w.defLevels = append(w.defLevels, make([]byte, len(b.Sides))...)
	w.values = append(w.values, make([]byte, len(b.Sides))...)
	entries, values, trueCount := 0, 0, 0
	for i, s := range b.Sides {
		w.defLevels[entries] = isKnown[s&3]
		w.values[values] = isTrue[s&3]
		if !b.Dropped(i) {
			entries++
			values += int(isKnown[s&3])
			trueCount += int(isTrue[s&3])
		}
	}
	w.defLevels, w.values = w.defLevels[:entries], w.values[:values]
	w.entries, w.nulls = entries, entries-values
	w.appendLevels(w.defLevels, 1)
	w.body = packBits(w.body, w.values, 1)
	if values > 0 {
		w.hasBounds = true
		w.minValue = append(w.minValue, byte(trueCount/values)) // 1 if all values are true
		w.maxValue = append(w.maxValue, byte(min(trueCount, 1)))
	}
}

func (w *pageWriter) setBounds64(minValue, maxValue uint64) {
	w.hasBounds = true
	w.minValue = binary.LittleEndian.AppendUint64(w.minValue, minValue)
	w.maxValue = binary.LittleEndian.AppendUint64(w.maxValue, maxValue)
}
