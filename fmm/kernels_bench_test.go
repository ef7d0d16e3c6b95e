package fmm

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

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
