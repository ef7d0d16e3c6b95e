package laz_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/points/internal/laz"
)

func benchmark(b *testing.B, do func(b *testing.B, v *laz.VLR, rows, src []byte, n int)) {
	for format, size := range recordSizes {
		const n = 50_000
		rows := randomRows(rand.New(rand.NewPCG(1, 2)), scan, format, size, n)
		v, err := laz.NewVLR(format, size)
		if err != nil {
			b.Fatal(err)
		}
		e, err := laz.NewEncoder(v)
		if err != nil {
			b.Fatal(err)
		}
		src, err := e.Append(nil, rows)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("format=%d/points=%d", format, n), func(b *testing.B) {
			do(b, v, rows, src, n)
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
			b.ReportMetric(float64(len(src))/n, "bytes/point")
		})
	}
}

// BenchmarkDecode decodes a chunk on one goroutine.
func BenchmarkDecode(b *testing.B) {
	benchmark(b, func(b *testing.B, v *laz.VLR, rows, src []byte, n int) {
		d, err := laz.NewDecoder(v)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]byte, len(rows))
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Decode(dst, src, n); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkEncode encodes a chunk on one goroutine.
func BenchmarkEncode(b *testing.B) {
	benchmark(b, func(b *testing.B, v *laz.VLR, rows, src []byte, _ int) {
		e, err := laz.NewEncoder(v)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]byte, 0, 2*len(src))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := e.Append(dst, rows); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecodeParallel decodes chunks on all processors, each goroutine with its own Decoder.
func BenchmarkDecodeParallel(b *testing.B) {
	benchmark(b, func(b *testing.B, v *laz.VLR, rows, src []byte, n int) {
		b.RunParallel(func(pb *testing.PB) {
			d, err := laz.NewDecoder(v)
			if err != nil {
				b.Error(err)
				return
			}
			dst := make([]byte, len(rows))
			for pb.Next() {
				if err := d.Decode(dst, src, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
