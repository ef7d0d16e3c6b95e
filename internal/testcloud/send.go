package testcloud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// forEachBlock calls do with all parsed blocks of src.
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

// Points returns all points of src, or the points before an error.
func Points(src table.Source) (pts []r3.Vector, err error) {
	err = forEachBlock(src, func(b *table.Block) error {
		pts = append(pts, b.Points...)
		return nil
	})
	return pts, err
}

// send writes all rows of src through sink to w. answer answers each block. rows is the argument
// of Begin.
func send(w io.Writer, src table.Source, sink table.Sink, cols []table.Column, rows int64, answer func(*table.Block)) error {
	if err := sink.Begin(w, rows); err != nil {
		return err
	}
	if err := write(w, src, sink, cols, answer); err != nil {
		return err
	}
	return sink.End(w)
}

// write is send without Begin and End.
func write(w io.Writer, src table.Source, sink table.Sink, cols []table.Column, answer func(*table.Block)) error {
	return forEachBlock(src, func(b *table.Block) error {
		b.Resize(cols)
		answer(b)
		if err := sink.Format(b); err != nil {
			return err
		}
		return sink.Write(w, b)
	})
}

// patched returns the output of send with its final header. If send fails, patched returns the
// output before the error.
func patched(src table.Source, sink table.Sink, cols []table.Column, rows int64, answer func(*table.Block)) ([]byte, error) {
	var out bytes.Buffer
	err := send(&out, src, sink, cols, rows, answer)
	if p, ok := sink.(table.HeaderPatcher); ok && err == nil {
		copy(out.Bytes(), p.FinalHeader())
	}
	return out.Bytes(), err
}

// EqualOrNaN reports whether a and b are equal or both NaN.
func EqualOrNaN(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// SamePoints reports whether a and b are equal bit for bit. All NaN are equal.
func SamePoints(a, b []r3.Vector) bool {
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	return slices.EqualFunc(a, b, func(p, q r3.Vector) bool { return same(p.X, q.X) && same(p.Y, q.Y) && same(p.Z, q.Z) })
}

// Half answers Inside for x > 0, OnSurface for x = 0, Outside for x < 0, and Unknown for points
// with NaN. The columns of Numbers contain x, x+1 and so on. For point i of the block, Integers
// are i−1 and Words contain i.
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

// Summary has the counts of Pump: rows, rows for each side, and the counts of the blocks.
type Summary struct {
	Rows  int64
	Sides [4]int64
	table.Counts
}

// Pump sends all blocks of src through Half and the sink that open returns. It returns the output
// with its final header. If Pump fails, it returns the output before the error.
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
