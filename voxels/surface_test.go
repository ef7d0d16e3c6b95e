package voxels

import (
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// The sampler uses the tree that the Solid has built for distances, and builds no other tree.
func TestOneTree(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Star(3, .5, 1)), inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		t.Fatal(err)
	}
	g, err := FitCounts(s.Mesh().Box(), [3]int{4, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newSampler(t.Context(), s, g, Options{Quantity: Fraction, Samples: 2})
	if err != nil {
		t.Fatal(err)
	}
	x, err := locate.Of(s).Surface.Index(t.Context())
	if err != nil || a.faces.tree != x.Tree.Tree() {
		t.Errorf("the sampler built another tree, error %v", err)
	}
}
