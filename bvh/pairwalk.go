package bvh

import "slices"

// PairTask is a part of the search for the pairs of leaves whose closed boxes share a point. The
// tasks of PairTasks can run in any order and concurrently.
type PairTask struct{ a, b int32 } // nodes of the tree; a == b stands for the pairs below one node

// PairTasks divides the pairs of leaves of the tree into at least n tasks, or into fewer tasks if
// the tree is small. Each pair of leaves whose closed boxes share a point is in exactly one task.
// This includes the pair of each leaf with itself. The tasks depend only on the tree and on n.
func (t *Tree) PairTasks(n int) []PairTask {
	if len(t.nodes) == 0 {
		return nil
	}
	tasks := []PairTask{{0, 0}}
	for len(tasks) < n {
		// A round replaces each task by its parts, in place. So the tasks stay in the order of the
		// tree, and neighboring tasks use the same memory.
		next := make([]PairTask, 0, 3*len(tasks))
		for _, p := range tasks {
			var parts [3]PairTask
			k := t.split(p, &parts)
			if k < 0 {
				next = append(next, p)
			} else {
				next = append(next, parts[:k]...)
			}
		}
		if slices.Equal(next, tasks) {
			break
		}
		tasks = next
	}
	return tasks
}

// PairWalk visits the pairs of leaves of a task. It compares coordinates exactly. The zero PairWalk
// visits nothing. Start begins a walk and ends the previous walk. The field Nodes counts the pairs
// of boxes tested since the caller last set Nodes to zero.
type PairWalk struct {
	Nodes uint64

	tree  *Tree
	sp    int
	stack [pairStackSize]PairTask
}

// pairStackSize is the size of the stack of a PairWalk. Each step replaces a pair of nodes by at most
// three pairs, and one of the nodes of each new pair is one level deeper. So the stack holds at most
// 4·maxDepth + 1 pairs.
const pairStackSize = 256

// Start begins the walk over the pairs of leaves of the given task of t. It does not reset Nodes.
func (w *PairWalk) Start(t *Tree, task PairTask) {
	w.tree, w.sp = t, 1
	w.stack[0] = task
}

// Next returns the next pair of leaves. The leaves hold the boxes Tree.Index()[a : a+na] and
// Tree.Index()[b : b+nb]. If a == b, they are the same leaf. After the last pair, ok is false.
func (w *PairWalk) Next() (a, na, b, nb int32, ok bool) {
	for w.sp > 0 {
		w.sp--
		p := w.stack[w.sp&(pairStackSize-1)]
		var parts [3]PairTask
		k := w.tree.split(p, &parts)
		if k < 0 {
			l, m := w.tree.nodes[p.a].link, w.tree.nodes[p.b].link
			return l.first, l.count, m.first, m.count, true
		}
		w.Nodes += 2
		if p.a == p.b {
			w.Nodes--
		}
		for i := k - 1; i >= 0; i-- {
			w.stack[w.sp&(pairStackSize-1)] = parts[i]
			w.sp++
		}
	}
	return 0, 0, 0, 0, false
}

// split divides a task into parts whose boxes share a point, and returns their number. Of two inner
// nodes, it divides the one with the larger box. It returns −1 if the task is a pair of leaves.
func (t *Tree) split(p PairTask, parts *[3]PairTask) int {
	a, b := &t.nodes[p.a], &t.nodes[p.b]
	if p.a == p.b {
		if a.link.count > 0 {
			return -1
		}
		l, r := a.link.first, a.link.first+1
		parts[0], parts[1] = PairTask{l, l}, PairTask{r, r}
		if !t.nodes[l].meets(&t.nodes[r]) {
			return 2
		}
		parts[2] = PairTask{l, r}
		return 3
	}
	n := 0
	if b.link.count > 0 || a.link.count == 0 && a.extent() >= b.extent() {
		if a.link.count > 0 {
			return -1
		}
		for c := a.link.first; c <= a.link.first+1; c++ {
			if t.nodes[c].meets(b) {
				parts[n] = PairTask{c, p.b}
				n++
			}
		}
		return n
	}
	for c := b.link.first; c <= b.link.first+1; c++ {
		if a.meets(&t.nodes[c]) {
			parts[n] = PairTask{p.a, c}
			n++
		}
	}
	return n
}

// meets reports whether the closed boxes of n and o share a point.
func (n *node) meets(o *node) bool {
	return n.box[0] <= o.box[3] && o.box[0] <= n.box[3] &&
		n.box[1] <= o.box[4] && o.box[1] <= n.box[4] &&
		n.box[2] <= o.box[5] && o.box[2] <= n.box[5]
}

// extent returns the sum of the edge lengths of the box, which can be +Inf.
func (n *node) extent() float64 {
	return n.box[3] - n.box[0] + n.box[4] - n.box[1] + n.box[5] - n.box[2]
}
