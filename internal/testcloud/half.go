package testcloud

import (
	"bytes"
	"fmt"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// Half answers Inside for x > 0, OnSurface for x = 0, Outside below and Unknown
// for NaN points; Numbers are x, x+1 and so on, Integers the number of the point in
// its block less one, and Words that number.
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

// Summary is what Pump counts.
type Summary struct {
	Rows  int64
	Sides [4]int64
	table.Counts
}

// Pump sends all blocks of src through Half and a sink that open gives. The output is as
// it was written, without the front that a Patcher would replace, and with what came
// before an error; the summary has the rows of the blocks that were formatted.
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

// counting is a sink that counts what it formats.
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
