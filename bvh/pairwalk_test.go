package bvh

import (
	"math/rand/v2"
	"testing"
)

// TestPairWalk compares the pairs of leaves of all tasks with all pairs of leaves.
func TestPairWalk(t *testing.T) {
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		for _, n := range []int{0, 1, 2, 3, 10, rounds(200, 500)} {
			for _, leaf := range []int{1, 2, 7} {
				for _, tasks := range []int{0, 1, 5, 64, 100_000} {
					checkPairs(t, build(t, s.boxes(r, n), Options{MaxLeaf: leaf}), tasks)
				}
			}
		}
	})
}

func checkPairs(t *testing.T, tree *Tree, tasks int) {
	t.Helper()
	got := map[[2]int32]int{}
	var w PairWalk
	for _, task := range tree.PairTasks(tasks) {
		for w.Start(tree, task); ; {
			a, na, b, nb, ok := w.Next()
			if !ok {
				break
			}
			got[[2]int32{min(a, b), max(a, b)}]++
			for _, l := range []link{{a, na}, {b, nb}} {
				if node := leafAt(tree, l.first); node == nil || node.link != l {
					t.Fatalf("%v is no leaf", l)
				}
			}
		}
	}
	want := 0
	for i := range tree.nodes {
		for j := range tree.nodes[:i+1] {
			a, b := &tree.nodes[i], &tree.nodes[j]
			if a.link.count == 0 || b.link.count == 0 || !a.bounds().Overlaps(b.bounds()) {
				continue
			}
			want++
			x, y := a.link.first, b.link.first
			if n := got[[2]int32{min(x, y), max(x, y)}]; n != 1 {
				t.Fatalf("%d boxes, %d tasks: the pair of leaves at %d and %d was visited %d times, want 1", tree.Len(), tasks, x, y, n)
			}
		}
	}
	if len(got) != want {
		t.Fatalf("%d boxes, %d tasks: %d pairs, want %d", tree.Len(), tasks, len(got), want)
	}
}

// leafAt returns the leaf whose entries of the index begin at first.
func leafAt(tree *Tree, first int32) *node {
	for i := range tree.nodes {
		if n := &tree.nodes[i]; n.link.count > 0 && n.link.first == first {
			return n
		}
	}
	return nil
}

func TestPairTasksDivide(t *testing.T) {
	tree := build(t, sphereBoxes(6), Options{})
	if n := len(tree.PairTasks(1000)); n < 1000 || n > 10_000 {
		t.Errorf("%d tasks, want at least 1000 and not many more", n)
	}
	if n := len(new(Tree).PairTasks(1000)); n != 0 {
		t.Errorf("%d tasks for a tree without boxes", n)
	}
}
