package points

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// csvRows returns n rows of coordinates with the given number of decimal places. If this number is
// −1, strconv.FormatFloat chooses the digits.
func csvRows(n, digits int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := []byte("x,y,z\n")
	for range n {
		for k := range 3 {
			out = strconv.AppendFloat(out, r.Float64()*2-1, 'f', digits, 64)
			out = append(out, ",,\n"[k])
		}
	}
	return out
}

// BenchmarkText measures a Job for text rows. The function Job.Answer does nothing.
func BenchmarkText(b *testing.B) {
	const rows = 200_000
	for _, digits := range []int{6, -1} {
		in := csvRows(rows, digits)
		b.Run("rows=200000/digits="+strconv.Itoa(digits), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				r, err := NewReader("bench", bytes.NewReader(in), Options{})
				if err != nil {
					b.Fatal(err)
				}
				job := Job{Columns: insideColumn, Answer: func(context.Context, *table.Block) error { return nil }}
				if sum, err := job.Run(context.Background(), r, io.Discard); err != nil || sum.Rows != rows {
					b.Fatal(sum, err)
				}
			}
			b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
