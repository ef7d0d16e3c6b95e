package voxels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// TestClassifier compares lists of a Classifier and of its clone with BoxesTo.
func TestClassifier(t *testing.T) {
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		s, err := inpoly.New(t.Context(), m, inpoly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(31, 4))
		size := m.Box().Size()
		boxes := make([]bvh.Box, 200)
		for i := range boxes {
			p := m.Box().Min.Add(r3.Vector{X: size.X * r.Float64(), Y: size.Y * r.Float64(), Z: size.Z * r.Float64()})
			boxes[i] = bvh.Box{Min: p, Max: p.Add(size.Mul(0.3 * r.Float64()))}
		}
		want, got := make([]Position, len(boxes)), make([]Position, len(boxes))
		if err := BoxesTo(t.Context(), s, want, boxes); err != nil {
			t.Fatal(err)
		}
		a, err := NewClassifier(t.Context(), s, len(boxes))
		if err != nil {
			t.Fatal(err)
		}
		for i, b := 0, a.Clone(); i < len(boxes); i += 25 {
			if err := a.BoxesTo(t.Context(), got[i:i+10], boxes[i:i+10]); err != nil {
				t.Fatal(err)
			}
			if err := b.BoxesTo(t.Context(), got[i+10:i+25], boxes[i+10:i+25]); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.Name, got, want)
		}
	}
}
