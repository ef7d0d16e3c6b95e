package pointio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// answerColumns has a column of every kind that binary records can hold.
var answerColumns = []table.Column{
	{Name: "a", Kind: table.State}, {Name: "b", Kind: table.Integer}, {Name: "c", Kind: table.Number},
	{Name: "d", Kind: table.Inside}, {Name: "e", Kind: table.Bound}, {Name: "f", Kind: table.Label, Labels: []string{"l"}},
}

// TestAnswers compares the result of FormatRows with records that encoding/binary writes.
func TestAnswers(t *testing.T) {
	list, err := NewAnswers("test", answerColumns, []string{"a2", "b", "c", "d", "e", "f"})
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Name != "a2" || answerColumns[0].Name != "a" || list.Size() != 26 {
		t.Fatalf("%+v of %d bytes", list, list.Size())
	}
	r := rand.New(rand.NewPCG(6, 1))
	for n := range 30 {
		var b table.Block
		const row = 5
		for range n {
			b.Add(r3.Vector{}, 0)
			b.Raw = append(b.Raw, byte(r.Uint32()), 1, 2, 3, byte(r.Uint32()))
		}
		b.Resize(answerColumns)
		for _, joined := range []Answers{list, {}} {
			for _, drops := range []bool{false, true} {
				for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
					var want bytes.Buffer
					b.Drop = nil
					if drops {
						b.EnableDrop()
					}
					for k := range n {
						b.Sides[k] = side.Side(k % 4)
						b.Numbers[0][k], b.Numbers[1][k] = r.NormFloat64(), math.NaN()
						b.Integers[0][k], b.Integers[1][k] = int64(int32(r.Uint32())), -1
						if drops && r.IntN(3) == 0 {
							b.Drop[k] = true
							continue
						}
						want.Write(b.Raw[k*row:][:row])
						if len(joined) == 0 {
							continue
						}
						for _, v := range []any{[]uint8{255, 0, 2, 1}[k%4], int32(b.Integers[0][k]), b.Numbers[0][k],
							[]uint8{255, 0, 1, 1}[k%4], b.Numbers[1][k], int32(-1)} {
							if err := binary.Write(&want, order, v); err != nil {
								t.Fatal(err)
							}
						}
					}
					b.Out = append(b.Out[:0], "what was there"...)
					joined.FormatRows(&b, row, order == binary.BigEndian)
					if !bytes.Equal(b.Out, want.Bytes()) {
						t.Fatalf("%d rows, drops %v, %v:\n%x, want\n%x", n, drops, order, b.Out, want.Bytes())
					}
				}
			}
		}
	}
}

// TestAnswersRefused checks that NewAnswers refuses words, and that Check refuses integers of more
// than 32 bits in rows that are not dropped.
func TestAnswersRefused(t *testing.T) {
	_, err := NewAnswers("test", []table.Column{{Name: "w", Kind: table.Words}}, []string{"w_2"})
	if want := `column "w" holds words: test: the format cannot hold this column or value: use csv, jsonl or parquet`; fmt.Sprint(err) != want || !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("%v, want %s", err, want)
	}
	list, err := NewAnswers("test", answerColumns, []string{"a", "b", "c", "d", "e", "f"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value int64
		want  string
	}{
		{math.MaxInt32, "<nil>"}, {math.MinInt32, "<nil>"},
		{math.MaxInt32 + 1, `row 12: column "f": 2147483648 does not fit in an int: test: the format cannot hold this column or value`},
		{math.MinInt32 - 1, `row 12: column "f": -2147483649 does not fit in an int: test: the format cannot hold this column or value`},
	} {
		b := table.Block{First: 10, Points: make([]r3.Vector, 4)}
		b.Resize(answerColumns)
		clear(b.Integers[0])
		clear(b.Integers[1])
		b.Integers[1][2] = c.value
		if err := list.Check(struct{ table.Source }{}, &b, "test", "int"); fmt.Sprint(err) != c.want || err != nil && !errors.Is(err, table.ErrCannotHold) {
			t.Errorf("%d: %v, want %s", c.value, err, c.want)
		}
		b.EnableDrop()[2] = true
		if err := list.Check(struct{ table.Source }{}, &b, "test", "int"); err != nil {
			t.Errorf("%d, dropped: %v", c.value, err)
		}
	}
}
