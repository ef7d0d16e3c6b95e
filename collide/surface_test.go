package collide

import (
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// TestOneTree checks that a World and the Solid use the same tree, so that only one tree is built.
func TestOneTree(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Star(3, .5, 1)), inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		t.Fatal(err)
	}
	surface := locate.Of(s).Surface
	if surface.Indexed() {
		t.Fatal("cells of a closed mesh have built the tree: the test tests nothing")
	}
	w, err := New(t.Context(), []Body{{Solid: s, Pose: pose.At(r3.Vector{})}, {Solid: s, Pose: pose.At(r3.Vector{X: 1})}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := surface.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range w.shapes {
		if h.faces != x.Tree.Tree() || h.near != x.Nearest {
			t.Error("a shape has a tree of its own")
		}
	}
}
