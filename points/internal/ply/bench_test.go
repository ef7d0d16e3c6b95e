package ply_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSame reads, parses and formats blocks without answers on one goroutine.
func BenchmarkSame(b *testing.B) {
	const n = 200_000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, format := range formats {
		for _, extra := range []string{"", "colors", "lists"} {
			f := &file{format: format, eol: "\n"}
			for _, name := range []string{"x", "y", "z"} {
				f.columns = append(f.columns, column{typ: "float", name: name})
			}
			switch extra {
			case "colors":
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
				files.BenchmarkPassthrough(b, text, n)
			})
		}
	}
}
