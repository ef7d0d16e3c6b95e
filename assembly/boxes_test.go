package assembly_test

import (
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// For boxes with integer corners, all answers equal the results of comparing coordinates, even for
// points on faces.
func TestOfBoxes(t *testing.T) {
	vector := func(lo, hi int) *rapid.Generator[r3.Vector] {
		return rapid.Custom(func(t *rapid.T) r3.Vector {
			c := rapid.SliceOfN(rapid.IntRange(lo, hi), 3, 3).Draw(t, "coordinates")
			return r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		corners := rapid.SliceOfN(vector(-4, 4), 0, 20).Draw(rt, "corners")
		var boxes []bvh.Box
		var soups []mesh.Soup
		for _, lo := range corners {
			b := bvh.Box{Min: lo, Max: lo.Add(vector(1, 6).Draw(rt, "size"))}
			soup := testmesh.Cube(b.Min, b.Max)
			if rapid.Bool().Draw(rt, "inverted") {
				soup = testmesh.Flip(soup)
			}
			boxes, soups = append(boxes, b), append(soups, soup)
		}
		a, err := assembly.New(t.Context(), partsOf(soups...), assembly.Options{Options: inpoly.Options{Workers: rapid.IntRange(1, 4).Draw(rt, "workers")}})
		if err != nil {
			rt.Fatal(err)
		}
		halves := rapid.SliceOfN(vector(-10, 22), 1, 200).Draw(rt, "points") // coordinates of the points, times 2
		pts := make([]r3.Vector, len(halves))
		for i, p := range halves {
			pts[i] = p.Mul(0.5)
		}
		sides, first, innermost, counts := make([]inpoly.Side, len(pts)), make([]int32, len(pts)), make([]int32, len(pts)), make([]int32, len(pts))
		var sets inpoly.Sets
		_, err = sidesBodiesTo(a, t.Context(), sides, first, assembly.First, pts)
		for _, e := range []error{
			err, bodiesTo(a, t.Context(), innermost, assembly.Innermost, pts),
			bodiesTo(a, t.Context(), counts, assembly.Count, pts), bodySetsTo(a, t.Context(), &sets, pts),
		} {
			if e != nil {
				rt.Fatal(e)
			}
		}
		for i, p := range pts {
			want := boxAnswers(boxes, p)
			got, certain := sets.At(i)
			if !certain || !slices.Equal(got, want.set) || first[i] != want.first || innermost[i] != want.innermost || int(counts[i]) != len(want.set) || sides[i] != want.side {
				rt.Fatalf("%v: bodies %v, first %d, innermost %d, %d of them, %v; want %+v", p, got, first[i], innermost[i], counts[i], sides[i], want)
			}
		}
	})
}

type boxAnswer struct {
	set              []int32
	first, innermost int32
	side             inpoly.Side
}

func boxAnswers(boxes []bvh.Box, p r3.Vector) boxAnswer {
	out := boxAnswer{first: inpoly.NoBody, innermost: inpoly.NoBody, side: inpoly.Outside}
	smallest := 0.0
	for k, b := range boxes {
		if !b.Contains(p) {
			continue
		}
		if out.first < 0 {
			out.first = int32(k)
		}
		size := b.Size()
		if v := size.X * size.Y * size.Z; out.innermost < 0 || v < smallest {
			out.innermost, smallest = int32(k), v
		}
		out.set = append(out.set, int32(k))
		low, high := p.Sub(b.Min), b.Max.Sub(p)
		if min(low.X, low.Y, low.Z, high.X, high.Y, high.Z) > 0 {
			out.side = inpoly.Inside
		} else if out.side == inpoly.Outside {
			out.side = inpoly.OnSurface
		}
	}
	return out
}
