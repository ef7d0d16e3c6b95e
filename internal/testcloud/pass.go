package testcloud

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// AllColumns are answer columns of every kind except Words.
var AllColumns = []table.Column{
	{Name: "inside", Kind: table.Inside},
	{Name: "state", Kind: table.State},
	{Name: "winding", Kind: table.Number},
	{Name: "winding bound", Kind: table.Bound},
	{Name: "nearest", Kind: table.Integer},
	{Name: "body", Kind: table.Label, Labels: []string{"hull", "left wing"}},
}

// Numbers returns the answers winding and winding bound of row k.
func Numbers(k int64) (w, bound float64) {
	if w = float64(k) / 7; k%11 == 0 {
		w = math.NaN()
	}
	return w, math.Ldexp(1, int(-k%60))
}

// Answer answers AllColumns, or only the sides if there are fewer columns. It drops the rows
// that drop selects; nil drops none. The answers depend only on the number of the row k: the
// sides are k mod 4 in the order of the constants, nearest is k−3, and body k mod 3 − 1.
func Answer(b *table.Block, cols []table.Column, drop func(k int64) bool) {
	b.Resize(cols)
	for i := range b.Points {
		k := b.First + int64(i)
		b.Sides[i] = []side.Side{side.Unknown, side.Outside, side.OnSurface, side.Inside}[k%4]
		if len(cols) == len(AllColumns) {
			b.Numbers[0][i], b.Numbers[1][i] = Numbers(k)
			b.Integers[0][i], b.Integers[1][i] = k-3, k%3-1
		}
	}
	if drop == nil {
		return
	}
	for i, d := 0, b.EnableDrop(); i < len(d); i++ {
		d[i] = drop(b.First + int64(i))
	}
}

// Pass writes the rows of src to sink, without those that drop selects, with the answers of
// Answer. It returns the output with its final header.
func Pass(src table.Source, sink table.Sink, cols []table.Column, rows int64, drop func(k int64) bool) (string, error) {
	out, err := patched(src, sink, cols, rows, func(b *table.Block) { Answer(b, cols, drop) })
	return string(out), err
}

// Resumed is Pass with AllColumns in two runs. The first stops after stop blocks. start
// returns a new source and a new sink for each.
func Resumed(t testing.TB, start func() (table.Source, table.Sink), stop int, drop func(k int64) bool) string {
	t.Helper()
	var out strings.Builder
	var state, head []byte
	var next table.Position
	for run := range 2 {
		src, sink := start()
		s := sink.(table.Resumer)
		var err error
		if run == 0 {
			err = s.Begin(&out, -1)
		} else if err = src.SeekTo(next); err == nil {
			err = s.Resume(-1, state)
		}
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		for n := 0; run == 1 || n < stop; n++ {
			if err = src.Fill(&b); err != nil {
				break
			}
			if err := src.Parse(&b); err != nil {
				t.Fatal(err)
			}
			Answer(&b, AllColumns, drop)
			if err := errors.Join(s.Format(&b), s.Write(&out, &b)); err != nil {
				t.Fatal(err)
			}
			next = b.Next
		}
		if run == 0 {
			if state, err = s.State(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err := s.End(&out); err != nil {
			t.Fatal(err)
		}
		head = s.(table.HeaderPatcher).FinalHeader()
	}
	return string(head) + out.String()[len(head):]
}
