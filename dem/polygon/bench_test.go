package polygon

import (
	"fmt"
	"testing"

	"github.com/golang/geo/r2"
)

// BenchmarkDistance measures calls of Distance while the bodies move little between calls (Schinner
// 1999, Fig. 11). It also counts the steps of each call.
func BenchmarkDistance(b *testing.B) {
	for _, n := range []int{4, 6, 10, 30, 100, 300, 1000} {
		b.Run(fmt.Sprintf("corners=%d", n), func(b *testing.B) {
			s := regular(b, n, 1, 0.05)
			const moves = 4096
			var as, bs [moves]Body
			for i := range moves {
				as[i], bs[i] = orbit(b, s, i)
			}
			var p Pair
			i := 0
			for b.Loop() {
				p.Distance(&as[i%moves], &bs[i%moves])
				i++
			}
			b.ReportMetric(float64(p.Stats().Steps)/float64(p.Stats().Calls), "steps/op")
		})
	}
}

// BenchmarkOverlap measures calls of Overlap for bodies that overlap by a hundredth of their size.
// It also measures calls of Distance, which returns the depth.
func BenchmarkOverlap(b *testing.B) {
	for _, n := range []int{4, 6, 10, 30, 100, 1000} {
		s := regular(b, n, 1, 0.05)
		x := must[Body](b)(Place(s, Pose{Angle: 0.3}))
		y := must[Body](b)(Place(s, Pose{Angle: 1, At: r2.Point{X: 1.4, Y: 1.2}}))
		var p Pair
		d := p.Distance(&x, &y)
		y.at = y.at.Add(d.Normal.Mul(-d.Distance - 0.01))
		b.Run(fmt.Sprintf("area/corners=%d", n), func(b *testing.B) {
			for b.Loop() {
				if p.Overlap(&x, &y).Area == 0 {
					b.Fatal("no overlap")
				}
			}
		})
		b.Run(fmt.Sprintf("depth/corners=%d", n), func(b *testing.B) {
			for b.Loop() {
				if p.Distance(&x, &y).Relation != Overlapping {
					b.Fatal("no overlap")
				}
			}
		})
	}
}
