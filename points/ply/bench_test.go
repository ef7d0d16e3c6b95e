package ply_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/points/ply"
	"github.com/inpoly/inpoly/points/table"
)

// BenchmarkSame reads, parses, answers with nothing and formats, on one goroutine.
func BenchmarkSame(b *testing.B) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, format := range formats {
		for _, extra := range []string{"", "colours", "lists"} {
			f := &file{format: format, eol: "\n"}
			for _, name := range []string{"x", "y", "z"} {
				f.columns = append(f.columns, column{typ: "float", name: name})
			}
			switch extra {
			case "colours":
				for _, name := range []string{"red", "green", "blue", "alpha"} {
					f.columns = append(f.columns, column{typ: "uchar", name: name})
				}
			case "lists":
				f.columns = append(f.columns, column{typ: "int", length: "uchar", name: "l"})
			}
			for range n {
				var row []cell
				for _, c := range f.columns {
					row = append(row, cell{randomValue(rng, c.typ)})
				}
				f.rows = append(f.rows, row)
			}
			text := f.String()
			b.Run(fmt.Sprintf("format=%s/extra=%s/points=%d", format, extra, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				cols := allColumns[:1]
				for b.Loop() {
					src, err := open(text, false, ply.Options{})
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
