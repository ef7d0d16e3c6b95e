package las_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/ply"
)

// BenchmarkPassthrough copies points without answers on one goroutine.
func BenchmarkPassthrough(b *testing.B) {
	const n = 200_000
	for _, format := range []int{0, 3, 6, 10} {
		text := randomFile(rand.New(rand.NewPCG(1, 1)), 4, format, n).String()
		b.Run(fmt.Sprintf("format=%d/points=%d", format, n), func(b *testing.B) {
			files.BenchmarkPassthrough(b, text, n)
		})
	}
}

// BenchmarkConvert converts LAS to PLY and PLY to LAS.
func BenchmarkConvert(b *testing.B) {
	const n = 200_000
	f := randomFile(rand.New(rand.NewPCG(1, 1)), 4, 7, n)
	f.extra = 0
	for i := range f.points {
		f.points[i].extra = nil
	}
	text := f.String()
	src, err := files.Open(text, false, las.Options{})
	if err != nil {
		b.Fatal(err)
	}
	sink, err := ply.Convert(src, nil)
	if err != nil {
		b.Fatal(err)
	}
	cloud, err := testcloud.Pass(src, sink, nil, n, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("to=ply", func(b *testing.B) {
		for b.Loop() {
			src, _ := files.Open(text, false, las.Options{})
			sink, _ := ply.Convert(src, nil)
			testcloud.Drain(b, src, sink, nil)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
	})
	b.Run("to=las", func(b *testing.B) {
		for b.Loop() {
			src, _ := ply.New("a.ply", strings.NewReader(cloud), nil, -1, ply.Options{})
			sink, _ := las.Convert(src, nil)
			testcloud.Drain(b, src, sink, nil)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
	})
}
