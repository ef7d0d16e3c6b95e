package bvh

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// sphereBoxes returns the bounding boxes of the 8·4^levels triangles of a sphere. The sphere is an
// octahedron after the given number of refinements. Each refinement moves the new corners to the
// unit sphere (Muth, Of, Eberhard, Steinbach 2006, §3.1).
func sphereBoxes(levels int) []Box {
	boxes := make([]Box, 0, 8<<(2*levels))
	var refine func(a, b, c r3.Vector, levels int)
	refine = func(a, b, c r3.Vector, levels int) {
		if levels == 0 {
			boxes = append(boxes, EmptyBox().Add(a).Add(b).Add(c))
			return
		}
		ab, bc, ca := a.Add(b).Normalize(), b.Add(c).Normalize(), c.Add(a).Normalize()
		refine(a, ab, ca, levels-1)
		refine(ab, b, bc, levels-1)
		refine(ca, bc, c, levels-1)
		refine(ab, bc, ca, levels-1)
	}
	for k := range 8 {
		sign := func(bit int) float64 { return float64(1 - 2*(k>>bit&1)) }
		refine(r3.Vector{X: sign(0)}, r3.Vector{Y: sign(1)}, r3.Vector{Z: sign(2)}, levels)
	}
	return boxes
}

// segments returns n random segments. Segment i starts at from[i] in the box [−1, 1]³ and ends at
// to[i] outside of the box. It leaves the box through the nearest face, nearly parallel to an axis.
// No coordinate of its direction is zero.
func segments(n int) (from, to []r3.Vector) {
	r := rand.New(rand.NewPCG(11, 11))
	from, to = make([]r3.Vector, n), make([]r3.Vector, n)
	coordinate := func() float64 { return 2*r.Float64() - 1 }
	for i := range from {
		p := [3]float64{coordinate(), coordinate(), coordinate()}
		q := p
		longest := 0
		for k := range q {
			if max(q[k], -q[k]) > max(q[longest], -q[longest]) {
				longest = k
			}
			q[k] += 0.01 * coordinate()
		}
		q[longest] = 1.01
		if p[longest] < 0 {
			q[longest] = -1.01
		}
		from[i] = r3.Vector{X: p[0], Y: p[1], Z: p[2]}
		to[i] = r3.Vector{X: q[0], Y: q[1], Z: q[2]}
	}
	return from, to
}

func BenchmarkBuild(b *testing.B) {
	for _, levels := range []int{7, 9} {
		boxes := sphereBoxes(levels)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("boxes=%d/workers=%d", len(boxes), workers), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Build(context.Background(), boxes, Options{Workers: workers}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkRayWalk(b *testing.B) {
	from, to := segments(1 << 14)
	for _, levels := range []int{7, 9} {
		boxes := sphereBoxes(levels)
		for _, leaf := range []int{1, 2, 3, 4, 8} {
			tree := build(b, boxes, Options{MaxLeaf: leaf})
			b.Run(fmt.Sprintf("boxes=%d/leaf=%d", len(boxes), leaf), func(b *testing.B) {
				var w RayWalk
				var reported, n int
				for b.Loop() {
					i := n & (len(from) - 1)
					w.Start(tree, from[i], to[i])
					for _, count, ok := w.Next(); ok; _, count, ok = w.Next() {
						reported += int(count)
					}
					n++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(w.Nodes), "ns/node")
				b.ReportMetric(float64(w.Nodes)/float64(n), "nodes/op")
				b.ReportMetric(float64(reported)/float64(n), "boxes/op")
			})
		}
	}
}

func BenchmarkNearWalk(b *testing.B) {
	from, _ := segments(1 << 14)
	tree := build(b, sphereBoxes(7), Options{})
	var w NearWalk
	n := 0
	for b.Loop() {
		w.Start(tree, from[n&(len(from)-1)])
		for first, _, ok := w.Next(1); ok; first, _, ok = w.Next(0) {
			_ = first
		}
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(w.Nodes), "ns/node")
}
