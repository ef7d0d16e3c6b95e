package fmm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkColumns(b *testing.B) {
	for _, s := range [][2]int{{16, 15}, {32, 24}, {40, 35}, {64, 63}, {88, 80}, {128, 120}} {
		rows, cols := s[0], s[1]
		r := rand.New(rand.NewPCG(1, 1))
		// All matrices together take half of a second-level cache of 1 MiB.
		count := max(1, 1<<16/(rows*cols))
		columns := make([]float64, count*rows*cols)
		x, y := make([]float64, cols), make([]float64, rows)
		fillMixed(r, columns, 0)
		fillMixed(r, x, 0)
		for _, many := range []int{1, count} {
			for _, k := range kernels() {
				b.Run(fmt.Sprintf("rows=%d/columns=%d/matrices=%d/kernel=%v", rows, cols, many, k), func(b *testing.B) {
					i := 0
					for b.Loop() {
						k.addColumns(y, columns[i*rows*cols:(i+1)*rows*cols], x)
						if i++; i == many {
							i = 0
						}
					}
					b.ReportMetric(float64(rows*cols)*float64(b.N)/1e9/b.Elapsed().Seconds(), "Gmadd/s")
				})
			}
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	for _, q := range []int{4, 7, 10, 14} {
		for _, n := range []int{1, 4, 8, 30} {
			for _, k := range kernels() {
				b.Run(fmt.Sprintf("degree=%d/points=%d/kernel=%v", q, n, k), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 1))
					l := randomLocal(r, q)
					prepareLocal(l, l, q)
					x, y, z, dst := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
					localPoints(r, x, y, z)
					for b.Loop() {
						k.evaluateMany(dst, x, y, z, l, q)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(n), "ns/point")
				})
			}
		}
	}
}
