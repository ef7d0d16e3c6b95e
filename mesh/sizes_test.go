package mesh

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// The means of a small mesh are exact. The sample of a large mesh covers all numbers of triangles.
func TestSizesOf(t *testing.T) {
	box := bvh.Box{Max: r3.Vector{X: 4, Y: 2, Z: 8}}
	tris := []Triangle{{{X: 0}, {X: 2}, {Y: 1}}, {{}, {X: 4, Y: 2, Z: 8}, {Z: 8}}}
	s := SizesOf(len(tris), box, func(i int) Triangle { return tris[i] })
	want := Sizes{
		Triangles: 2, Box: [3]float64{4, 2, 8},
		Extents: [3]float64{0.75, 0.75, 0.5},
		Areas:   [3]float64{0.25, 0.25, 0.0625},
		Boxes:   [3]float64{0.5, 0.5, 0.625},
	}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	first, last, count := math.MaxInt, 0, 0
	SizesOf(math.MaxInt32, box, func(i int) Triangle {
		first, last, count = min(first, i), max(last, i), count+1
		return tris[0]
	})
	if first != 0 || last < math.MaxInt32-math.MaxInt32/200 || last >= math.MaxInt32 || count > 1<<12 {
		t.Errorf("%d triangles, numbers %d to %d", count, first, last)
	}
	flat := SizesOf(1, bvh.Box{Max: r3.Vector{X: 1, Y: 1}}, func(int) Triangle { return Triangle{{}, {X: 1}, {Y: 1}} })
	if flat.Extents != [3]float64{1, 1, 0} || flat.Areas != [3]float64{0, 0, 0.5} {
		t.Errorf("flat: %+v", flat)
	}
	if got := SizesOf(0, box, nil); got != (Sizes{}) {
		t.Errorf("empty: %+v", got)
	}
}
