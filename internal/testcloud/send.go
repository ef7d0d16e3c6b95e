package testcloud

import (
	"bytes"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// each calls do for all blocks of src, parsed.
func each(src table.Source, do func(*table.Block) error) error {
	var b table.Block
	for {
		err := src.Fill(&b)
		if err == io.EOF {
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
	return each(src, func(*table.Block) error { return nil })
}

// Points returns all points of src.
func Points(src table.Source) (pts []r3.Vector, err error) {
	err = each(src, func(b *table.Block) error {
		pts = append(pts, b.Points...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pts, nil
}

// Send writes all rows of src through sink to w, with what answer makes of each block.
// Begin is told that there are so many rows.
func Send(w io.Writer, src table.Source, sink table.Sink, cols []table.Column, rows int64, answer func(*table.Block)) error {
	if err := sink.Begin(w, rows); err != nil {
		return err
	}
	err := each(src, func(b *table.Block) error {
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

// patched is Send to memory; a Patcher has the front replaced.
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

// Alike reports whether two numbers are the same, NaN included.
func Alike(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// SamePoints compares bit for bit, all NaN being one.
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
