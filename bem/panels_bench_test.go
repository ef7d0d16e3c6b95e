package bem

import (
	"fmt"
	"testing"

	"github.com/golang/geo/r3"
)

// BenchmarkPanels sums a near field of average size: 104 triangles in groups of 8 to 16.
func BenchmarkPanels(b *testing.B) {
	rng := newRand(3)
	m := mustMesh(globe(64))
	tris := triangles(m)
	var starts []int32
	for at := 0; at < len(tris); at += 8 + rng.IntN(9) {
		starts = append(starts, int32(at))
	}
	p := NewPanels(tris, starts)
	groups := append(starts, int32(len(tris)))
	var x r3.Vector
	spans, n := []Span{}, int32(0)
	for n < 104 {
		i := rng.IntN(len(starts))
		n += groups[i+1] - groups[i]
		spans = append(spans, p.Span(groups[i], groups[i+1]))
	}
	blocks := int32(0)
	for _, s := range spans {
		blocks += s.Count
	}
	for _, k := range panelKernels() {
		p.kernel = k
		b.Run(fmt.Sprintf("kernel=%s/triangles=%d/blocks=%d", kernelNames[k], n, blocks), func(b *testing.B) {
			var s PanelSum
			for b.Loop() {
				x.X += 1e-6
				p.Winding(x, spans, &s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*int(n)), "ns/triangle")
		})
	}
}
