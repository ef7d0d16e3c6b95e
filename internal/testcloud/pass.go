package testcloud

import (
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

// Numbers returns the winding number and its bound for row k.
func Numbers(k int64) (w, bound float64) {
	if w = float64(k) / 7; k%11 == 0 {
		w = math.NaN()
	}
	return w, math.Ldexp(1, int(-k%60))
}

// Answer answers AllColumns, or only the sides if there are fewer columns. It drops the rows
// that drop selects, or no rows if drop is nil. The answers depend only on the row number k: the
// sides are k mod 4 in the order of the constants, nearest is k−3, and body is k mod 3 − 1.
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

// Pass answers the rows of src with Answer and writes them to sink, without the rows that drop
// selects. It returns the output with its final header.
func Pass(src table.Source, sink table.Sink, cols []table.Column, rows int64, drop func(k int64) bool) (string, error) {
	out, err := patched(src, sink, cols, rows, func(b *table.Block) { Answer(b, cols, drop) })
	return string(out), err
}

// Resumed does the work of Pass in two runs with AllColumns. The first run stops after stop
// blocks. start returns a new source and a new sink for each run.
func Resumed(t testing.TB, start func() (table.Source, table.Sink), stop int, drop func(k int64) bool) string {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	answer := func(b *table.Block) { Answer(b, AllColumns, drop) }
	src, sink := start()
	begun := &beginning{Source: src, blocks: stop}
	check(sink.Begin(&out, -1))
	check(write(&out, begun, sink, AllColumns, answer))
	state, err := sink.(table.Resumer).State()
	check(err)

	src, sink = start()
	check(src.SeekTo(begun.next))
	check(sink.(table.Resumer).Resume(-1, state))
	check(write(&out, src, sink, AllColumns, answer))
	check(sink.End(&out))
	head := sink.(table.HeaderPatcher).FinalHeader()
	return string(head) + out.String()[len(head):]
}

// beginning is a source that ends after some blocks of another source.
type beginning struct {
	table.Source
	blocks int            // remaining blocks
	next   table.Position // after the last block
}

// Fill implements table.Source.
func (s *beginning) Fill(b *table.Block) error {
	if s.blocks == 0 {
		return io.EOF
	}
	s.blocks--
	err := s.Source.Fill(b)
	if err == nil {
		s.next = b.Next
	}
	return err
}
