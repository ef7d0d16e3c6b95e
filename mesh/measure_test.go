package mesh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/frame"
)

// slowSums adds the terms of single triangles.
type slowSums struct {
	sums
	shortest float64
}

func (g *slowSums) add(t Triangle) {
	a, u, v, w := g.Local(t[0]), g.Difference(t[1], t[0]), g.Difference(t[2], t[0]), g.Difference(t[2], t[1])
	yz, zy := float64(u.Y*v.Z), float64(u.Z*v.Y)
	zx, xz := float64(u.Z*v.X), float64(u.X*v.Z)
	xy, yx := float64(u.X*v.Y), float64(u.Y*v.X)
	n := r3.Vector{X: yz - zy, Y: zx - xz, Z: xy - yx}
	g.volume.Add(float64(a.X*n.X) + float64(a.Y*n.Y) + float64(a.Z*n.Z))
	g.spread += float64(math.Abs(a.X)*(math.Abs(yz)+math.Abs(zy))) +
		float64(math.Abs(a.Y)*(math.Abs(zx)+math.Abs(xz))) +
		float64(math.Abs(a.Z)*(math.Abs(xy)+math.Abs(yx)))
	g.sums.area.Add(length(n))
	g.shortest = min(g.shortest, length(u), length(v), length(w))
}

// TestMeasureInOrder compares measure with sums over the faces in their order, bit by bit.
func TestMeasureInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	several := closedField(40)
	for _, f := range several.Faces[:len(several.Faces):len(several.Faces)] { // a second component
		n := int32(len(several.Vertices))
		several.Faces = append(several.Faces, [3]int32{f[0] + n, f[1] + n, f[2] + n})
	}
	for _, p := range several.Vertices[:len(several.Vertices):len(several.Vertices)] {
		several.Vertices = append(several.Vertices, p.Add(r3.Vector{X: 1e3, Z: .1}))
	}
	rng.Shuffle(len(several.Faces), func(i, j int) {
		several.Faces[i], several.Faces[j] = several.Faces[j], several.Faces[i]
	})
	holed := closedField(60)
	holed.Faces = slices.Delete(holed.Faces, 100, 200)
	holed.Faces = append(holed.Faces, [3]int32{5, 5, 6})
	for name, s := range map[string]Soup{"one": closedField(60), "several": several, "holed": holed, "tangle": gridSoup(rng, 9_000, 20)} {
		for _, scale := range []float64{1. / 3, 0x1p-1060, 0x1p900} {
			s := cloneSoup(s)
			for i, p := range s.Vertices {
				s.Vertices[i] = p.Mul(scale)
			}
			m, err := New(t.Context(), s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := newPartition(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			labels, n := m.Components()
			if got.labels == nil != (n == 1) {
				t.Errorf("%s: %d components, labels %v", name, n, got.labels != nil)
			}
			want := *got
			want.components = slices.Clone(got.components)
			if err := got.measure(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			start, err := want.componentSums(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			slow := make([]slowSums, n)
			for i := range slow {
				slow[i] = slowSums{start[i], math.Inf(1)}
			}
			for f, l := range labels {
				if l >= 0 {
					slow[l].add(m.Triangle(int32(f)))
				}
			}
			want.shortest = math.Inf(1)
			for i := range slow {
				start[i] = slow[i].sums
				want.shortest = min(want.shortest, math.Ldexp(slow[i].shortest, slow[i].Exponent))
			}
			if err := want.total(t.Context(), start, frame.New(m.box).Exponent); err != nil {
				t.Fatal(err)
			}
			if got.area != want.area || got.volume != want.volume || got.volumeError != want.volumeError || got.shortest != want.shortest {
				t.Errorf("%s × %g: got %v %v %v %v, want %v %v %v %v", name, scale, got.area, got.volume, got.volumeError, got.shortest,
					want.area, want.volume, want.volumeError, want.shortest)
			}
			if !slices.Equal(got.components, want.components) {
				t.Errorf("%s × %g: the components differ", name, scale)
			}
		}
	}
}
