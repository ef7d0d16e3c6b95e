package view

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// The time for the winding number at a point is proportional to the number of faces near the point. Some
// faces are near all pixels: faces that coincide, and faces that are much larger than their distances.
// The work of a slice with such faces is the product of pixels and faces, so such a slice gets fewer
// pixels.
const (
	sliceWork = 1 << 27 // tuning: terms of the sums of a slice
	stackWork = 1 << 25 // tuning: terms of the sums of all slices of a stack
	// onFace is the work for a face on which a pixel lies, relative to a face near the pixel (tuning).
	onFace = 64
	// leastPixels is the smallest number of pixels along the longer side of a crowded slice (tuning).
	leastPixels = 8
)

// crowd estimates the mean number of faces near a pixel of a slice, from a sample of pixels. A face
// on which a pixel can lie counts as onFace faces. The work is O(n) for n faces.
func (x *slice) crowd(s *subject) float64 {
	const side = 6 // tuning: pixels of the sample along each side
	var sample [side * side]r3.Vector
	for i := range sample {
		u, v := (float64(i%side)+0.5)/side, (float64(i/side)+0.5)/side
		var p [3]float64
		p[x.plane.Axis] = x.plane.Value
		p[x.right] = x.lo[0] + (x.hi[0]-x.lo[0])*u
		p[x.up] = x.lo[1] + (x.hi[1]-x.lo[1])*v
		sample[i] = r3.Vector{X: p[0], Y: p[1], Z: p[2]}
	}
	sum := 0.0
	for _, f := range s.faces {
		box := bvh.EmptyBox()
		for _, v := range f {
			box = box.Add(s.vertices[v])
		}
		size := box.Size()
		reach := max(size.X, size.Y, size.Z)
		if lo, hi := axis(box.Min, x.plane.Axis), axis(box.Max, x.plane.Axis); lo-reach > x.plane.Value || hi+reach < x.plane.Value {
			continue
		}
		far := r3.Vector{X: reach, Y: reach, Z: reach}
		wide := bvh.Box{Min: box.Min.Sub(far), Max: box.Max.Add(far)}
		inPlane := axis(size, x.plane.Axis) == 0 && axis(box.Min, x.plane.Axis) == x.plane.Value
		for _, p := range sample {
			if wide.Contains(p) {
				sum++
			}
			if inPlane && box.Contains(p) {
				sum += onFace
			}
		}
	}
	return sum / float64(len(sample))
}

// affordable returns the number of pixels along the longer side of each slice. crowd is the mean
// number of faces near a pixel, summed over the slices. The result is the largest number, up to
// pixels, for which a square slice needs at most the given work. The result is at least
// leastPixels.
func affordable(pixels, work int, crowd float64) int {
	return min(pixels, max(leastPixels, int(math.Sqrt(float64(work)/max(1, crowd)))))
}
