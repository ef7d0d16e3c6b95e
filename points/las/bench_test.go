package las_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/las"
	"github.com/inpoly/inpoly/points/ply"
	"github.com/inpoly/inpoly/points/table"
)

// BenchmarkSame reads, parses, answers with nothing and formats, on one goroutine.
func BenchmarkSame(b *testing.B) {
	const n = 200_000
	for _, format := range []int{0, 3, 6, 10} {
		text := randomFile(rand.New(rand.NewPCG(1, 1)), 4, format, n).String()
		b.Run(fmt.Sprintf("format=%d/points=%d", format, n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			cols := allColumns[:1]
			for b.Loop() {
				src, err := open(text, false, las.Options{})
				if err != nil {
					b.Fatal(err)
				}
				sink, err := src.Same(cols)
				if err != nil {
					b.Fatal(err)
				}
				passQuickly(b, src, sink, cols)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
		})
	}
}

// BenchmarkConvert makes PLY of LAS, and LAS of that.
func BenchmarkConvert(b *testing.B) {
	const n = 200_000
	f := randomFile(rand.New(rand.NewPCG(1, 1)), 4, 7, n)
	f.extra = 0
	for i := range f.points {
		f.points[i].extra = nil
	}
	text := f.String()
	src, err := open(text, false, las.Options{})
	if err != nil {
		b.Fatal(err)
	}
	sink, err := ply.Convert(src, nil)
	if err != nil {
		b.Fatal(err)
	}
	cloud, err := pass(src, sink, nil, n, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("to=ply", func(b *testing.B) {
		for b.Loop() {
			src, _ := open(text, false, las.Options{})
			sink, _ := ply.Convert(src, nil)
			passQuickly(b, src, sink, nil)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
	})
	b.Run("to=las", func(b *testing.B) {
		for b.Loop() {
			src, _ := ply.New("a.ply", strings.NewReader(cloud), nil, -1, ply.Options{})
			sink, _ := las.Convert(src, nil)
			passQuickly(b, src, sink, nil)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
	})
}

// passQuickly is pass with answers that cost nothing, to nowhere.
func passQuickly(b *testing.B, src table.Source, sink table.Sink, cols []table.Column) {
	if err := sink.Begin(io.Discard, src.Rows()); err != nil {
		b.Fatal(err)
	}
	var block table.Block
	for {
		err := src.Fill(&block)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = src.Parse(&block)
		}
		if err != nil {
			b.Fatal(err)
		}
		block.Resize(cols)
		if err := sink.Format(&block); err != nil {
			b.Fatal(err)
		}
		if err := sink.Write(io.Discard, &block); err != nil {
			b.Fatal(err)
		}
	}
	if err := sink.End(io.Discard); err != nil {
		b.Fatal(err)
	}
}
