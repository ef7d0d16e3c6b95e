package bvh

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"
)

// The assembly code uses the same field offsets as the Go types.
func TestQuadLayout(t *testing.T) {
	var q quad
	for name, got := range map[string][2]uintptr{
		"size of a quad": {unsafe.Sizeof(q), 256},
		"links":          {unsafe.Offsetof(q.links), 192},
		"lanes":          {unsafe.Offsetof(q.lanes), 224},
		"size of a row":  {unsafe.Sizeof(q.rows[0]), 32},
		"count in link":  {unsafe.Offsetof(q.links[0].count), 4},
		"size of a node": {unsafe.Sizeof(node{}), 64},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %d, want %d", name, got[0], got[1])
		}
	}
}

// The kernel of this machine and the generic kernel visit the same leaves in the same order. They
// count the same nodes, and the walkers are equal afterward.
func TestNextLeafKernelsAgree(t *testing.T) {
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		var fast, slow RayWalk
		for range rounds(60, 1000) {
			boxes := s.boxes(r, 1+r.IntN(200))
			tree := build(t, boxes, Options{MaxLeaf: 1 + r.IntN(4)})
			for range 20 {
				o, target := segment(r, s, boxes)
				fast.Start(tree, o, target)
				slow.Start(tree, o, target)
				var got, want []link
				for l := nextLeaf(&fast, tree.quads); l.count > 0; l = nextLeaf(&fast, tree.quads) {
					got = append(got, l)
				}
				for l := nextLeafGeneric(&slow, tree.quads); l.count > 0; l = nextLeafGeneric(&slow, tree.quads) {
					want = append(want, l)
				}
				if !slices.Equal(got, want) || fast.Nodes != slow.Nodes || fast.sp != slow.sp {
					t.Fatalf("segment %v to %v: got %v after %d nodes, want %v after %d", o, target, got, fast.Nodes, want, slow.Nodes)
				}
			}
		}
	})
}

// In a tree of the largest depth, the stack does not overflow, even if the segment meets every box.
func TestQuadStackHoldsTheDeepestTree(t *testing.T) {
	tree := deepTree()
	boxes := make([]Box, tree.Len())
	for i := range boxes {
		boxes[i] = tree.Bounds()
	}
	if err := tree.Validate(boxes); err != nil {
		t.Fatal(err)
	}
	var w RayWalk
	w.Start(tree, r3.Vector{}, r3.Vector{X: 1})
	leaves, top := 0, 0
	for _, _, ok := w.Next(); ok; _, _, ok = w.Next() {
		leaves++
		top = max(top, w.sp)
	}
	if leaves != tree.Len() || top >= quadStackSize-4 {
		t.Errorf("%d of %d leaves, %d on the stack", leaves, tree.Len(), top)
	}
}

// deepTree returns a tree of maxDepth levels, in which all boxes are the unit cube. Every inner
// node on the path to the deepest leaf has two inner nodes as children. The first child has two
// leaves; the second child is the next node of the path.
func deepTree() *Tree {
	t := &Tree{nodes: make([]node, 2)}
	unit := Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}
	var grow func(i int32, depth, levels int)
	grow = func(i int32, depth, levels int) {
		if levels == 0 {
			t.nodes[i].set(unit, link{first: int32(len(t.index)), count: 1})
			t.index = append(t.index, int32(len(t.index)))
			return
		}
		pair, own := int32(len(t.nodes)), len(t.quads)
		t.nodes = append(t.nodes, node{}, node{})
		t.nodes[i].set(unit, link{first: pair})
		if depth%2 == 0 {
			t.nodes[i].quad = int32(own)
			t.quads = append(t.quads, quad{})
		}
		grow(pair, depth+1, min(1, levels-1))
		grow(pair+1, depth+1, levels-1)
		if depth%2 == 0 {
			t.quads[own] = t.makeQuad(i)
		}
	}
	grow(0, 0, maxDepth)
	return t
}
