package testcloud

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

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

// Points returns all points of src.
func Points(src table.Source) (pts []r3.Vector, err error) {
	err = forEachBlock(src, func(b *table.Block) error {
		pts = append(pts, b.Points...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pts, nil
}

// Send writes all rows of src through sink to w. answer answers each block. rows is the
// argument of Begin.
func Send(w io.Writer, src table.Source, sink table.Sink, cols []table.Column, rows int64, answer func(*table.Block)) error {
	if err := sink.Begin(w, rows); err != nil {
		return err
	}
	err := forEachBlock(src, func(b *table.Block) error {
		b.Resize(cols)
		answer(b)
		if err := sink.Format(b); err != nil {
			return err
		}
		return sink.Write(w, b)
	})
	if err != nil {
		return err
	}
	return sink.End(w)
}

// patched is Send to memory. It returns the output with its final header.
func patched(src table.Source, sink table.Sink, cols []table.Column, rows int64, answer func(*table.Block)) ([]byte, error) {
	var out bytes.Buffer
	if err := Send(&out, src, sink, cols, rows, answer); err != nil {
		return nil, err
	}
	if p, ok := sink.(table.HeaderPatcher); ok {
		copy(out.Bytes(), p.FinalHeader())
	}
	return out.Bytes(), nil
}

// EqualOrNaN reports whether a and b are equal or both NaN.
func EqualOrNaN(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// SamePoints reports whether a and b are the same bit for bit. All NaN are the same.
func SamePoints(a, b []r3.Vector) bool {
	if len(a) != len(b) {
		return false
	}
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	for i := range a {
		if !same(a[i].X, b[i].X) || !same(a[i].Y, b[i].Y) || !same(a[i].Z, b[i].Z) {
			return false
		}
	}
	return true
}

// Half answers Inside for x > 0, OnSurface for x = 0, Outside for x < 0, and Unknown for NaN
// points. The columns of Numbers are x, x+1 and so on. For point i of its block, Integers are
// i−1 and Words contain i.
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

// Summary is the counts of Pump.
type Summary struct {
	Rows  int64
	Sides [4]int64
	table.Counts
}

// Pump sends all blocks of src through Half and the sink that open returns. It returns the
// output, also that before an error, without patching the header. The summary counts the
// rows of the formatted blocks.
func Pump[S table.Source](src S, cols []table.Column, open func(S) (table.Sink, error)) (string, Summary, error) {
	sum := Summary{Counts: table.NoCounts()}
	sink, err := open(src)
	if err != nil {
		return "", sum, err
	}
	var out bytes.Buffer
	err = Send(&out, src, counting{sink, &sum}, cols, src.Rows(), Half)
	return out.String(), sum, err
}

// counting is a sink that counts the rows that it formats.
type counting struct {
	table.Sink
	sum *Summary
}

// Format implements table.Sink.
func (c counting) Format(b *table.Block) error {
	if err := c.Sink.Format(b); err != nil {
		return err
	}
	c.sum.Rows += int64(len(b.Points))
	for _, v := range b.Sides {
		c.sum.Sides[v]++
	}
	c.sum.Counts.Add(b.Counts)
	return nil
}
