package polygon

import (
	"fmt"
	"testing"
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

// BenchmarkOverlap measures calls for bodies that move little between calls. The calls of Overlap
// are for bodies that overlap by a hundredth of their size ("tracked"), for the same bodies without
// the crossings of the last call ("fresh"), and for bodies that do not overlap ("separated"). The
// calls of Distance return the depth of the overlap.
func BenchmarkOverlap(b *testing.B) {
	const moves = 4096
	for _, n := range []int{4, 6, 10, 16, 30, 100, 300, 1000} {
		s := regular(b, n, 1, 0.05)
		var as, bs, apart [moves]Body
		var p Pair
		for i := range moves {
			as[i], bs[i] = press(b, &p, s, i, 0.01)
			_, apart[i] = press(b, &p, s, i, -0.01)
		}
		run := func(name string, call func(p *Pair, i int) bool) {
			b.Run(fmt.Sprintf("%s/corners=%d", name, n), func(b *testing.B) {
				var p Pair
				for i := 0; b.Loop(); i++ {
					if !call(&p, i%moves) {
						b.Fatal("wrong relation")
					}
				}
				b.ReportMetric(float64(p.Stats().Sweeps)/float64(p.Stats().Calls), "sweeps/op")
			})
		}
		run("separated", func(p *Pair, i int) bool { return p.Overlap(&as[i], &apart[i]).Area == 0 })
		run("tracked", func(p *Pair, i int) bool { return p.Overlap(&as[i], &bs[i]).Area > 0 })
		run("fresh", func(p *Pair, i int) bool {
			*p = Pair{}
			return p.Overlap(&as[i], &bs[i]).Area > 0
		})
		run("deep", func(p *Pair, i int) bool { return p.Distance(&as[i], &bs[i]).Relation == Overlapping })
	}
}
