package testcloud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// forEachBlock calls the given function for each parsed block of src.
func forEachBlock(src table.Source, do func(*table.Block) error) error {
	var b table.Block
	for {
		err := src.Fill(&b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = src.Parse(&b)
		}
		if err == nil {
			err = do(&b)
		}
		if err != nil {
			return err
		}
	}
}

// ReadAll reads all rows of src.
func ReadAll(src table.Source) error {
	return forEachBlock(src, func(*table.Block) error { return nil })
}

// Points returns all points of src. If src has an error, it returns the points before the error.
func Points(src table.Source) (pts []r3.Vector, err error) {
	err = forEachBlock(src, func(b *table.Block) error {
		pts = append(pts, b.Points...)
		return nil
	})
	return pts, err
}

// send writes all rows of src through sink to w. setAnswers sets the answers of a block.
func send(w io.Writer, src table.Source, sink table.Sink, cols []table.Column, rows int64, setAnswers func(*table.Block)) error {
	if err := sink.Begin(w, rows); err != nil {
		return err
	}
	if err := write(w, src, sink, cols, setAnswers); err != nil {
		return err
	}
	return sink.End(w)
}

// write works like send, but calls neither sink.Begin nor sink.End.
func write(w io.Writer, src table.Source, sink table.Sink, cols []table.Column, setAnswers func(*table.Block)) error {
	return forEachBlock(src, func(b *table.Block) error {
		b.Resize(cols)
		setAnswers(b)
		if err := sink.Format(b); err != nil {
			return err
		}
		return sink.Write(w, b)
	})
}

// patched calls send and returns the output with the final header. If send fails, patched returns
// the output that send wrote before the error.
func patched(src table.Source, sink table.Sink, cols []table.Column, rows int64, setAnswers func(*table.Block)) ([]byte, error) {
	var out bytes.Buffer
	err := send(&out, src, sink, cols, rows, setAnswers)
	if p, ok := sink.(table.HeaderPatcher); ok && err == nil {
		copy(out.Bytes(), p.FinalHeader())
	}
	return out.Bytes(), err
}

// EqualOrNaN reports whether a and b are equal or both NaN.
func EqualOrNaN(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// SamePoints reports whether the coordinates in a and b have the same bits. It treats all NaN
// values as equal.
func SamePoints(a, b []r3.Vector) bool {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	return slices.EqualFunc(a, b, func(p, q r3.Vector) bool { return same(p.X, q.X) && same(p.Y, q.Y) && same(p.Z, q.Z) })
}

// Half sets answers that depend on the x coordinate. The side is Inside for x > 0, OnSurface for x
// = 0, and Outside for x < 0. The side is Unknown if a coordinate is NaN. Column k of b.Numbers is
// x+k. For point i, every column of b.Integers is i−1. Every column of b.Words is "a 5" for point
// 5.
func Half(b *table.Block) {
	for i, p := range b.Points {
		switch {
		case p.X != p.X || p.Y != p.Y || p.Z != p.Z:
		case p.X > 0:
			b.Sides[i] = side.Inside
		case p.X == 0:
			b.Sides[i] = side.OnSurface
		default:
			b.Sides[i] = side.Outside
		}
		for k, col := range b.Numbers {
			col[i] = p.X + float64(k)
		}
		for _, col := range b.Integers {
			col[i] = int64(i) - 1
		}
		for _, col := range b.Words {
			col[i] = fmt.Sprintf("a %d", i)
		}
	}
}

// Summary has the counts that Pump returns: the number of rows, the number of rows for each side,
// and the sum of the Counts of all blocks.
type Summary struct {
	Rows  int64
	Sides [4]int64
	table.Counts
}

// Pump sends all blocks of src through Half and a sink. It returns the output with its final
// header. If Pump fails, it returns the output before the error.
func Pump[S table.Source](src S, cols []table.Column, open func(S) (table.Sink, error)) (string, Summary, error) {
	sum := Summary{Counts: table.NoCounts()}
	sink, err := open(src)
	if err != nil {
		return "", sum, err
	}
	out, err := patched(src, sink, cols, src.Rows(), func(b *table.Block) {
		Half(b)
		sum.Rows += int64(len(b.Points))
		for _, v := range b.Sides {
			sum.Sides[v]++
		}
		sum.Counts.Add(b.Counts)
	})
	return string(out), sum, err
}

// AllColumns lists answer columns of every kind except Words.
var AllColumns = []table.Column{
	{Name: "inside", Kind: table.Inside},
	{Name: "state", Kind: table.State},
	{Name: "winding", Kind: table.Number},
	{Name: "winding bound", Kind: table.Bound},
	{Name: "nearest", Kind: table.Integer},
	{Name: "body", Kind: table.Label, Labels: []string{"hull", "left wing"}},
}

// Numbers returns the winding number and the bound that Answer sets for row k.
func Numbers(k int64) (w, bound float64) {
	if w = float64(k) / 7; k%11 == 0 {
		w = math.NaN()
	}
	return w, math.Ldexp(1, int(-k%60))
}

// Answer sets the answers of b, which depend only on the row number k. The side is element k mod 4
// of the list Unknown, Outside, OnSurface, Inside. If cols is AllColumns, Answer also sets all
// other columns: the column "nearest" is k−3, and the column "body" is k mod 3 − 1. If isDropped is
// not nil, Answer drops the rows for which it returns true.
func Answer(b *table.Block, cols []table.Column, isDropped func(k int64) bool) {
	b.Resize(cols)
	for i := range b.Points {
		k := b.First + int64(i)
		b.Sides[i] = []side.Side{side.Unknown, side.Outside, side.OnSurface, side.Inside}[k%4]
		if len(cols) == len(AllColumns) {
			b.Numbers[0][i], b.Numbers[1][i] = Numbers(k)
			b.Integers[0][i], b.Integers[1][i] = k-3, k%3-1
		}
	}
	if isDropped == nil {
		return
	}
	for i, d := 0, b.EnableDrop(); i < len(d); i++ {
		d[i] = isDropped(b.First + int64(i))
	}
}

// Pass calls Answer for each block of src and writes the blocks through sink. The output lacks the
// rows for which isDropped returns true. Pass returns the output with the final header.
func Pass(src table.Source, sink table.Sink, cols []table.Column, rows int64, isDropped func(k int64) bool) (string, error) {
	out, err := patched(src, sink, cols, rows, func(b *table.Block) { Answer(b, cols, isDropped) })
	return string(out), err
}

// Resumed returns the same output as Pass with AllColumns, but writes it in two runs. The first run
// ends after the given number of blocks. The function start returns a new source and a new sink for
// each run.
func Resumed(t testing.TB, start func() (table.Source, table.Sink), firstBlocks int, isDropped func(k int64) bool) string {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	answer := func(b *table.Block) { Answer(b, AllColumns, isDropped) }
	src, sink := start()
	begun := &beginning{Source: src, blocks: firstBlocks}
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

// beginning is a source that returns only the first blocks of another source.
type beginning struct {
	table.Source
	blocks int            // number of blocks until io.EOF
	next   table.Position // position after the last returned block
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
