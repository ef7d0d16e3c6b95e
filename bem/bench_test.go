package bem

import (
	"fmt"
	"testing"

	"github.com/golang/geo/r3"
)

func BenchmarkDirect(b *testing.B) {
	rng := newRand(1)
	pts := make([]r3.Vector, 64)
	for i := range pts {
		pts[i] = randomVector(rng)
	}
	w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
	for _, n := range []int{32, 128, 256} {
		d := NewDirect(mustMesh(globe(n)), 1)
		faces := 2 * n * n
		b.Run(fmt.Sprintf("faces=%d/points=64", faces), func(b *testing.B) {
			for b.Loop() {
				if err := d.WindingsTo(b.Context(), w, bound, on, pts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pts)*faces), "ns/triangle")
		})
		b.Run(fmt.Sprintf("faces=%d/points=1", faces), func(b *testing.B) {
			for b.Loop() {
				d.Winding(pts[0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*faces), "ns/triangle")
		})
	}
}

func BenchmarkBoundary(b *testing.B) {
	rng := newRand(2)
	const edges = 4000
	chain := make([][2]r3.Vector, edges)
	mult := make([]int32, edges)
	for i := range chain {
		a := randomVector(rng)
		chain[i] = [2]r3.Vector{a, a.Add(randomVector(rng).Mul(0.05))}
		mult[i] = 1
	}
	c := NewChain(chain, mult)
	x, target := r3.Vector{X: 0.1, Y: 0.2, Z: 0.3}, r3.Vector{X: 10, Y: 3, Z: 4}
	perEdge := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*edges), "ns/edge")
	}
	b.Run("Sum", func(b *testing.B) {
		var sc Scratch
		for b.Loop() {
			c.Sum(x, target, &sc)
		}
		perEdge(b)
	})
	b.Run("Reference/bits=128", func(b *testing.B) {
		for b.Loop() {
			c.ExtendedSum(x, target, extendedBits, nil)
		}
		perEdge(b)
	})
	b.Run("Reference/bits=256", func(b *testing.B) {
		for b.Loop() {
			c.ExtendedSum(x, target, finalBits, nil)
		}
		perEdge(b)
	})
}
