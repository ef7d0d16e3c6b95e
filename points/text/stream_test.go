package text

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// half answers Inside for x > 0, OnSurface for x = 0, Outside below and Unknown
// for NaN points; Numbers are x, x+1 and so on, Integers the number of the point in
// its block less one, and Words what their column says.
func half(b *table.Block) {
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

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

// summary is what run counts.
type summary struct {
	Rows  int64
	Sides [4]int64
	table.Counts
}

// stream sends all blocks of in through half and a sink that open gives.
func stream(in []byte, opt Options, cols []table.Column, open func(*Source) (table.Sink, error)) (string, summary, error) {
	sum := summary{Counts: table.NoCounts()}
	src, err := New("in", bytes.NewReader(in), nil, -1, opt)
	if err != nil {
		return "", sum, err
	}
	var out bytes.Buffer
	sink, err := open(src)
	if err == nil {
		err = sink.Begin(&out, src.Rows())
	}
	var b table.Block
	for err == nil {
		if err = src.Fill(&b); err != nil {
			break
		}
		if err = src.Parse(&b); err != nil {
			break
		}
		b.Resize(cols)
		half(&b)
		if err = sink.Format(&b); err != nil {
			break
		}
		sum.Rows += int64(len(b.Points))
		for _, v := range b.Sides {
			sum.Sides[v]++
		}
		sum.Counts.Add(b.Counts)
		err = sink.Write(&out, &b)
	}
	if err != io.EOF {
		return out.String(), sum, err
	}
	return out.String(), sum, sink.End(&out)
}

// run is stream to the sink of the same format.
func run(in []byte, opt Options, cols []table.Column) (string, summary, error) {
	return stream(in, opt, cols, func(s *Source) (table.Sink, error) { return s.Same(cols) })
}

// readAll returns all points of in.
func readAll(in []byte, opt Options) ([]r3.Vector, error) {
	src, err := New("in", bytes.NewReader(in), nil, -1, opt)
	if err != nil {
		return nil, err
	}
	var pts []r3.Vector
	var b table.Block
	for {
		err := src.Fill(&b)
		if err == io.EOF {
			return pts, nil
		}
		if err == nil {
			err = src.Parse(&b)
		}
		if err != nil {
			return nil, err
		}
		pts = append(pts, b.Points...)
	}
}

// samePoints compares bit for bit, all NaN being one.
func samePoints(a, b []r3.Vector) bool {
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
