package cells

// union is a forest of sets of connected empty cells whose winding numbers
// differ by known integers. Set 0 is the space outside of the grid, W = 0.
type union struct {
	parent []int32
	diff   []int32 // W of the set minus W of its parent
}

func newUnion(n int) *union {
	u := &union{make([]int32, n), make([]int32, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

// find returns the root of set i and W of i minus W of the root.
func (u *union) find(i int32) (root, diff int32) {
	root = i
	for u.parent[root] != root {
		diff += u.diff[root]
		root = u.parent[root]
	}
	// Compress the path.
	for d := diff; u.parent[i] != root && i != root; {
		next, step := u.parent[i], u.diff[i]
		u.parent[i], u.diff[i] = root, d
		i, d = next, d-step
	}
	return root, diff
}

// join records that W of a minus W of b is d. The root with the smaller number
// stays one, so that 0 is the root of all that is known.
func (u *union) join(a, b, d int32) {
	ra, da := u.find(a)
	rb, db := u.find(b)
	if ra == rb {
		return
	}
	// W(ra) = W(a) − da, W(rb) = W(b) − db.
	if ra < rb {
		u.parent[rb], u.diff[rb] = ra, da-d-db
	} else {
		u.parent[ra], u.diff[ra] = rb, d+db-da
	}
}

// w returns W of set i, if it is known.
func (u *union) w(i int32) (w int32, ok bool) {
	root, diff := u.find(i)
	return diff, root == 0
}
