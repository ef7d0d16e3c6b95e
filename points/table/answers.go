package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/side"
)

// The numbers of the four sides in records of bytes, for Inside and for State; NoSide is
// that of side.Unknown.
var (
	InsideCodes = [4]byte{side.Unknown: NoSide, side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	StateCodes  = [4]byte{side.Unknown: NoSide, side.Outside: 0, side.OnSurface: 2, side.Inside: 1}
)

// NoSide is the number of a side that is not known.
const NoSide = 255

// Answer is an answer column in records of a fixed length; its Name is that in the file.
type Answer struct {
	Column
	Type Type // Uint8 for Inside and State, Float64 for Number and Bound, Int32 for Integer and Label
	At   int  // place among Block.Numbers or Block.Integers
}

// Answers are the answer columns of a record, one behind the other.
type Answers []Answer

// NewAnswers returns cols as they stand in records of a format, under names. It fails with
// an error that wraps ErrCannotHold for Words.
func NewAnswers(format string, cols []Column, names []string) (Answers, error) {
	numbers, integers := 0, 0
	list := make(Answers, len(cols))
	for i, c := range cols {
		a := &list[i]
		a.Column = c
		a.Name = names[i]
		switch c.Kind {
		case Inside, State:
			a.Type = Uint8
		case Number, Bound:
			a.Type, a.At = Float64, numbers
			numbers++
		case Integer, Label:
			a.Type, a.At = Int32, integers
			integers++
		default:
			return nil, fmt.Errorf("column %s holds words: %s: %w: want csv, jsonl or parquet", Quote([]byte(c.Name)), format, ErrCannotHold)
		}
	}
	return list, nil
}

// Size returns the bytes of the answers to a row.
func (list Answers) Size() int {
	size := 0
	for i := range list {
		size += list[i].Type.Size()
	}
	return size
}

// Check fails, with an error that wraps ErrCannotHold, where a row of b that is not dropped
// has an integer that an Int32 cannot hold. The error has the row's place in src, and says
// which format that is, and what it calls the type.
func (list Answers) Check(src Source, b *Block, format, typ string) error {
	for i := range list {
		a := &list[i]
		if a.Type != Int32 {
			continue
		}
		for k, v := range b.Integers[a.At] {
			if v != int64(int32(v)) && !b.Dropped(k) {
				return fmt.Errorf("%s: column %s: %d is no %s: %s: %w", Place(src, b, k), Quote([]byte(a.Name)), v, typ, format, ErrCannotHold)
			}
		}
	}
	return nil
}

// PutTo writes the answers to row k of b to the front of dst, the lowest byte of a number
// first, or last if big is set.
func (list Answers) PutTo(dst []byte, b *Block, k int, big bool) {
	for i := range list {
		a := &list[i]
		switch a.Kind {
		case Inside:
			dst[0] = InsideCodes[b.Sides[k]&3]
			dst = dst[1:]
		case State:
			dst[0] = StateCodes[b.Sides[k]&3]
			dst = dst[1:]
		case Number, Bound:
			if v := math.Float64bits(b.Numbers[a.At][k]); big {
				binary.BigEndian.PutUint64(dst, v)
			} else {
				binary.LittleEndian.PutUint64(dst, v)
			}
			dst = dst[8:]
		default:
			if v := uint32(b.Integers[a.At][k]); big {
				binary.BigEndian.PutUint32(dst, v)
			} else {
				binary.LittleEndian.PutUint32(dst, v)
			}
			dst = dst[4:]
		}
	}
}

// Join makes b.Out of the rows in b.Raw that are not dropped, of row bytes each, with the
// answers behind each.
func (list Answers) Join(b *Block, row int, big bool) {
	size := row + list.Size()
	if len(list) == 0 && b.Drop == nil {
		b.Out = append(b.Out[:0], b.Raw...)
		return
	}
	b.Out = slices.Grow(b.Out[:0], len(b.Points)*size)[:b.Kept()*size]
	at := 0
	for k := range b.Points {
		if b.Dropped(k) {
			continue
		}
		copy(b.Out[at:at+row], b.Raw[k*row:])
		list.PutTo(b.Out[at+row:at+size], b, k, big)
		at += size
	}
}
