package bvh

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"
)

// drawBoxes returns boxes with coordinates that often coincide.
func drawBoxes(t *rapid.T) []Box {
	coordinate := rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }),
		rapid.Float64Range(-4, 4),
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
	)
	point := rapid.Custom(func(t *rapid.T) r3.Vector {
		return r3.Vector{X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Z: coordinate.Draw(t, "z")}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Box {
		return EmptyBox().Add(point.Draw(t, "p")).Add(point.Draw(t, "q"))
	}), 1, 60).Draw(t, "boxes")
}

func TestTreeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		boxes := drawBoxes(t)
		leaf := rapid.IntRange(1, 6).Draw(t, "leaf")
		tree, err := Build(context.Background(), boxes, Options{MaxLeaf: leaf})
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Validate(boxes); err != nil {
			t.Fatal(err)
		}
		// Each walk below must find box i, because its query meets box i.
		i := rapid.IntRange(0, len(boxes)-1).Draw(t, "box")
		b := boxes[i]
		var (
			ray, back RayWalk
			point     PointWalk
			box       BoxWalk
			near      NearWalk
		)
		ray.Start(tree, b.Min, b.Max)
		back.Start(tree, b.Max, b.Min)
		point.Start(tree, b.Max)
		box.Start(tree, b)
		near.Start(tree, b.Min)
		for name, w := range map[string]walker{
			"segment": &ray, "segment back": &back, "point": &point, "box": &box, "distance": fixedNear{&near, 0},
		} {
			found := false
			for first, count, ok := w.Next(); ok; first, count, ok = w.Next() {
				for _, k := range tree.Index()[first : first+count] {
					found = found || int(k) == i
				}
			}
			if !found {
				t.Fatalf("%s: box %d %v does not find itself", name, i, b)
			}
		}
		// If the segment and all boxes are mirrored, the segment meets the same boxes. Mirroring
		// does not change the padding.
		if leaf > 1 {
			return
		}
		mirror := func(v r3.Vector) r3.Vector { return r3.Vector{X: -v.X, Y: -v.Y, Z: -v.Z} }
		turned := make([]Box, len(boxes))
		for k, b := range boxes {
			turned[k] = Box{Min: mirror(b.Max), Max: mirror(b.Min)}
		}
		other, err := Build(context.Background(), turned, Options{MaxLeaf: 1})
		if err != nil {
			t.Fatal(err)
		}
		o, target := boxes[0].Min, boxes[len(boxes)-1].Max
		meets := func(tree *Tree, o, target r3.Vector) map[int32]bool {
			out := map[int32]bool{}
			var w RayWalk
			w.Start(tree, o, target)
			for first, _, ok := w.Next(); ok; first, _, ok = w.Next() {
				out[tree.Index()[first]] = true
			}
			return out
		}
		got, want := meets(other, mirror(o), mirror(target)), meets(tree, o, target)
		for k := range boxes {
			if got[int32(k)] != want[int32(k)] {
				t.Fatalf("box %d: met %v, mirrored %v", k, want[int32(k)], got[int32(k)])
			}
		}
	})
}

// FuzzWalks reads six coordinates for each box and for a segment. It builds a tree and compares the
// walks with exact arithmetic.
func FuzzWalks(f *testing.F) {
	seed := func(v ...float64) {
		var data []byte
		for _, x := range v {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
		f.Add(data)
	}
	seed(0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1)
	seed(0, 0, 0, 1, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3)
	seed(-1, 1e300, 1e-300, 5e-324, 1, 1, math.MaxFloat64, 0, 0, -math.MaxFloat64, 0, 0, 1, 2, 3, 4, 5, 6)
	f.Fuzz(func(t *testing.T, data []byte) {
		var v []float64
		for ; len(data) >= 8 && len(v) < 6*65; data = data[8:] {
			x := math.Float64frombits(binary.LittleEndian.Uint64(data))
			if !(math.Abs(x) <= math.MaxFloat64) {
				return
			}
			v = append(v, x)
		}
		if len(v) < 6 {
			return
		}
		at := func(i int) r3.Vector { return r3.Vector{X: v[i], Y: v[i+1], Z: v[i+2]} }
		o, target := at(0), at(3)
		var boxes []Box
		for i := 6; i+6 <= len(v); i += 6 {
			boxes = append(boxes, EmptyBox().Add(at(i)).Add(at(i+3)))
		}
		tree := build(t, boxes, Options{MaxLeaf: 1 + len(v)%3})
		var (
			ray   RayWalk
			point PointWalk
			box   BoxWalk
			near  NearWalk
		)
		ray.Start(tree, o, target)
		point.Start(tree, o)
		query := EmptyBox().Add(o).Add(target)
		box.Start(tree, query)
		near.Start(tree, o)
		rays, points, overlaps, touching := reported(t, tree, &ray), reported(t, tree, &point), reported(t, tree, &box), reported(t, tree, fixedNear{&near, 0})
		for i, b := range boxes {
			if !rays[i] && segmentMeetsBox(o, target, b) {
				t.Errorf("segment %v to %v misses box %d %v", o, target, i, b)
			}
			if !points[i] && b.Contains(o) || !touching[i] && b.Contains(o) {
				t.Errorf("point %v misses box %d %v", o, i, b)
			}
			if !overlaps[i] && b.Overlaps(query) {
				t.Errorf("box %v misses box %d %v", query, i, b)
			}
		}
	})
}
