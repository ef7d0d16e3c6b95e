package oriented

// Pair is two nodes, or a node twice: the pairs of faces below it.
type Pair struct{ A, B int32 }

// SameFan reports whether both nodes have faces of one fan only.
func (p Pair) SameFan(t *Tree) bool {
	return t.Nodes[p.A].Fan >= 0 && t.Nodes[p.A].Fan == t.Nodes[p.B].Fan
}

// meet reports whether faces of the two nodes can form a pair.
func (t *Tree) meet(p Pair) bool {
	if p.SameFan(t) {
		return !t.Nodes[p.A].Cone.Apart(&t.Nodes[p.B].Cone)
	}
	return !t.Nodes[p.A].Box.Apart(&t.Nodes[p.B].Box)
}

// Split divides a pair of nodes into the pairs that can meet, and returns their number. It divides the
// thicker node and makes it the first of p. If this node is a leaf, Split returns −1. For two nodes of one
// fan, it returns −1 only if both are leaves.
func (t *Tree) Split(p *Pair, parts *[3]Pair) int {
	a, b := &t.Nodes[p.A], &t.Nodes[p.B]
	n := 0
	add := func(a, b int32) {
		if q := (Pair{a, b}); t.meet(q) {
			parts[n] = q
			n++
		}
	}
	if p.A == p.B {
		if a.Count > 0 {
			return -1
		}
		parts[0], parts[1], n = Pair{a.First, a.First}, Pair{a.First + 1, a.First + 1}, 2
		add(a.First, a.First+1)
		return n
	}
	swap := b.Box.thickness() > a.Box.thickness()
	if p.SameFan(t) {
		swap = a.Count > 0 || b.Count == 0 && b.Cone.Radius > a.Cone.Radius
	}
	if swap {
		p.A, p.B, a = p.B, p.A, b
	}
	if a.Count > 0 {
		return -1
	}
	add(a.First, p.B)
	add(a.First+1, p.B)
	return n
}

// Tasks divides the pairs of leaves into at least n tasks, or fewer if the tree is small.
func (t *Tree) Tasks(n int) []Pair {
	if len(t.Nodes) == 0 {
		return nil
	}
	tasks := []Pair{{0, 0}}
	for divided := true; divided && len(tasks) < n; {
		divided = false
		next := make([]Pair, 0, 3*len(tasks))
		for _, p := range tasks {
			var parts [3]Pair
			if k := t.Split(&p, &parts); k >= 0 {
				next = append(next, parts[:k]...)
				divided = true
			} else {
				next = append(next, p)
			}
		}
		tasks = next
	}
	return tasks
}
