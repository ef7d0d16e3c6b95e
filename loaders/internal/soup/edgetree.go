package soup

// edgeTree has the edges that the sweep line of a holeJoiner crosses, from bottom to top. It is a
// treap (Seidel and Aragon 1996): a search tree that is a heap by priorities. The priorities are a
// hash of the edges, so that the tree does not depend on earlier polygons. An edge has the number of
// the corner at which it begins.
//
// If edges cross each other, their order can be inconsistent. Then a search can find a wrong edge, but
// each operation still ends.
type edgeTree struct {
	root          int32
	parent        []int32 // −1 at the root
	lower, higher []int32 // children; −1 if there is none
}

func (t *edgeTree) resize(n int) {
	t.parent, t.lower, t.higher = make([]int32, n), make([]int32, n), make([]int32, n)
}

func (t *edgeTree) clear() { t.root = -1 }

// priority returns a hash of i (the finalizer of MurmurHash3).
func priority(i int32) uint32 {
	x := uint32(i) + 1
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// below returns the highest edge below corner v, or −1 if there is none.
func (t *edgeTree) below(e *earClipper, v int32) int32 {
	found := int32(-1)
	for x := t.root; x >= 0; {
		side := e.turn(x, e.next[x], v)
		if side > 0 || side == 0 && e.faces(x, v) {
			found, x = x, t.higher[x]
		} else {
			x = t.lower[x]
		}
	}
	return found
}

// faces reports whether corner v and an edge bound the same part of the polygon: v is on the inner
// side of the edge, and the edge is inside the polygon at v. The edge begins at corner i and must pass
// through v.
func (e *earClipper) faces(i, v int32) bool {
	j := e.next[i]
	switch e.at[v] {
	case e.at[i]:
		return e.inWedge(v, j) && e.inWedge(i, e.next[v])
	case e.at[j]:
		return e.inWedge(v, i) && e.inWedge(j, e.next[v])
	}
	return e.inWedge(v, j) && (e.turn(i, j, e.next[v]) > 0 || e.turn(i, j, e.prev[v]) > 0)
}

// insert adds the edge that begins at corner i.
func (t *edgeTree) insert(e *earClipper, i int32) {
	t.lower[i], t.higher[i], t.parent[i] = -1, -1, -1
	if t.root < 0 {
		t.root = i
		return
	}
	for x := t.root; ; {
		side := e.turn(x, e.next[x], i)
		if side == 0 {
			side = e.turn(x, e.next[x], e.next[i])
		}
		child := &t.lower[x]
		if side > 0 || side == 0 && i > x {
			child = &t.higher[x]
		}
		if *child < 0 {
			*child, t.parent[i] = i, x
			break
		}
		x = *child
	}
	for t.parent[i] >= 0 && priority(t.parent[i]) < priority(i) {
		t.lift(i)
	}
}

// remove removes the edge that begins at corner i, which must be in the tree.
func (t *edgeTree) remove(i int32) {
	for t.lower[i] >= 0 || t.higher[i] >= 0 {
		l, h := t.lower[i], t.higher[i]
		if h < 0 || l >= 0 && priority(l) > priority(h) {
			t.lift(l)
		} else {
			t.lift(h)
		}
	}
	t.replace(i, -1)
}

// replace puts edge j in the place of edge i. If j is −1, it removes edge i.
func (t *edgeTree) replace(i, j int32) {
	switch p := t.parent[i]; {
	case p < 0:
		t.root = j
	case t.lower[p] == i:
		t.lower[p] = j
	default:
		t.higher[p] = j
	}
	if j >= 0 {
		t.parent[j] = t.parent[i]
	}
}

// lift rotates the tree, so that edge i becomes the parent of its parent.
func (t *edgeTree) lift(i int32) {
	p := t.parent[i]
	t.replace(p, i)
	from, to := &t.higher[i], &t.lower[p] // the inner child of i moves to p
	if t.higher[p] == i {
		from, to = &t.lower[i], &t.higher[p]
	}
	if *to = *from; *to >= 0 {
		t.parent[*to] = p
	}
	*from, t.parent[p] = p, i
}
