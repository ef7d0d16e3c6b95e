package pointio

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// InsideWords and StateWords are the texts for the four sides. A column of kind table.Inside uses
// InsideWords. A column of kind table.State uses StateWords.
var (
	InsideWords = [4]string{side.Unknown: "uncertain", side.Outside: "0", side.OnSurface: "1", side.Inside: "1"}
	StateWords  = [4]string{side.Unknown: side.Unknown.String(), side.Outside: side.Outside.String(), side.OnSurface: side.OnSurface.String(), side.Inside: side.Inside.String()}
)

// InsideCodes and StateCodes are the bytes for the four sides in binary records. A column of kind
// table.Inside uses InsideCodes. A column of kind table.State uses StateCodes.
var (
	InsideCodes = [4]byte{side.Unknown: NoSide, side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	StateCodes  = [4]byte{side.Unknown: NoSide, side.Outside: 0, side.OnSurface: 2, side.Inside: 1}
)

// NoSide is the code of side.Unknown.
const NoSide = 255

// Answer is an answer column in records of fixed length. Name is the name of the column in the
// file.
type Answer struct {
	table.Column
	Type  table.Type // Uint8, Float64 or Int32, depending on Kind
	Index int        // index into Block.Numbers or Block.Integers
}

// Answers are the answer columns of a record. They are contiguous in the record.
type Answers []Answer

// NewAnswers returns Answers for the columns cols. Column i gets the name names[i]. If a column has
// the kind Words, the error names the format and wraps table.ErrCannotHold.
func NewAnswers(format string, cols []table.Column, names []string) (Answers, error) {
	numbers, integers := 0, 0
	list := make(Answers, len(cols))
	for i, c := range cols {
		a := &list[i]
		a.Column = c
		a.Name = names[i]
		switch c.Kind {
		case table.Inside, table.State:
			a.Type = table.Uint8
		case table.Number, table.Bound:
			a.Type, a.Index = table.Float64, numbers
			numbers++
		case table.Integer, table.Label:
			a.Type, a.Index = table.Int32, integers
			integers++
		default:
			return nil, fmt.Errorf("column %s holds words: %s: %w: use csv, jsonl or parquet", quote.Word(c.Name), format, table.ErrCannotHold)
		}
	}
	return list, nil
}

// Size returns the number of bytes of the answers for one row.
func (list Answers) Size() int {
	size := 0
	for i := range list {
		size += list[i].Type.Size()
	}
	return size
}

// Check returns an error if an integer of b has more than 32 bits. It ignores dropped rows. The
// error wraps table.ErrCannotHold, and names the format and the place of the row. int32Name is the
// name of the type of 32-bit integers in the format.
func (list Answers) Check(src table.Source, b *table.Block, format, int32Name string) error {
	for i := range list {
		a := &list[i]
		if a.Type != table.Int32 {
			continue
		}
		for k, v := range b.Integers[a.Index] {
			if v != int64(int32(v)) && !b.Dropped(k) {
				return fmt.Errorf("%s: column %s: %d does not fit in an %s: %s: %w", Place(src, b, k), quote.Word(a.Name), v, int32Name, format, table.ErrCannotHold)
			}
		}
	}
	return nil
}

// PutTo writes the answers for row k of b to the front of dst.
func (list Answers) PutTo(dst []byte, b *table.Block, k int, bigEndian bool) {
	for i := range list {
		a := &list[i]
		switch a.Kind {
		case table.Inside:
			dst[0] = InsideCodes[b.Sides[k]&3]
			dst = dst[1:]
		case table.State:
			dst[0] = StateCodes[b.Sides[k]&3]
			dst = dst[1:]
		case table.Number, table.Bound:
			if v := math.Float64bits(b.Numbers[a.Index][k]); bigEndian {
				binary.BigEndian.PutUint64(dst, v)
			} else {
				binary.LittleEndian.PutUint64(dst, v)
			}
			dst = dst[8:]
		default:
			if v := uint32(b.Integers[a.Index][k]); bigEndian {
				binary.BigEndian.PutUint32(dst, v)
			} else {
				binary.LittleEndian.PutUint32(dst, v)
			}
			dst = dst[4:]
		}
	}
}

// FormatRows sets b.Out to the rows of b.Raw that are not dropped, each followed by its answers.
// rowSize is the number of bytes of a row in b.Raw.
func (list Answers) FormatRows(b *table.Block, rowSize int, bigEndian bool) {
	whole := rowSize + list.Size()
	if len(list) == 0 && b.Drop == nil {
		b.Out = append(b.Out[:0], b.Raw...)
		return
	}
	b.Out = slices.Grow(b.Out[:0], len(b.Points)*whole)[:b.Kept()*whole]
	at := 0
	for k := range b.Points {
		if b.Dropped(k) {
			continue
		}
		copy(b.Out[at:at+rowSize], b.Raw[k*rowSize:])
		list.PutTo(b.Out[at+rowSize:at+whole], b, k, bigEndian)
		at += whole
	}
}
