package section

import (
	"cmp"
	"slices"
)

// segment is the intersection of a face with the plane. The inside of an outward-facing mesh is on
// its left.
type segment struct{ from, to int32 } // nodes

// tracer finds the segments of a section and connects them. Its memory is reused.
type tracer struct {
	nodes
	segs  []segment
	edges map[uint64]int32 // nodes by their edge
}

// start begins a section of the mesh of c.
func (t *tracer) start(c *cutter, p Plane) {
	t.corners = newCorners(p, c.mesh.Vertices, c.place)
	t.list, t.segs = t.list[:0], t.segs[:0]
	if t.edges == nil {
		t.edges, t.exact = map[uint64]int32{}, map[int32]fraction{}
	}
	clear(t.edges)
	clear(t.exact)
}

// add adds the segment of a face, if there is one.
func (t *tracer) add(f [3]int32) {
	var side [3]int
	var on [3]bool
	for i, v := range f {
		side[i], on[i] = t.side(&t.counter, v)
	}
	if side[0] == side[1] && side[1] == side[2] {
		return
	}
	// The segment begins on the edge that goes down, and ends on the edge that goes up.
	var s segment
	for i := range 3 {
		j := (i + 1) % 3
		if side[i] > side[j] {
			s.from = t.node(f[i], f[j], on[j])
		} else if side[i] < side[j] {
			s.to = t.node(f[j], f[i], on[i])
		}
	}
	if s.from != s.to {
		t.segs = append(t.segs, s)
	}
}

// node returns the node of the edge from vertex u above the plane to vertex v below or on it.
func (t *tracer) node(u, v int32, on bool) int32 {
	key := uint64(uint32(u))<<32 | uint64(uint32(v))
	if on {
		key = uint64(uint32(v))<<32 | uint64(uint32(v))
	}
	id, ok := t.edges[key]
	if !ok {
		id = int32(len(t.list))
		t.edges[key] = id
		t.list = append(t.list, t.newNode(u, v, on))
	}
	return id
}

// chain is a sequence of segments. Each segment begins where the previous one ends. A closed chain
// ends where it begins. A closed chain visits no other node twice.
type chain struct {
	segs   []int32
	closed bool
}

// connect puts every segment into exactly one chain. It begins with the open chains, at the nodes
// where more segments begin than end.
func (t *tracer) connect() []chain {
	next, starts := outgoing(len(t.list), t.segs)
	used := make([]int32, len(t.list)) // number of used segments that begin at a node
	excess := make([]int32, len(t.list))
	for _, s := range t.segs {
		excess[s.from]++
		excess[s.to]--
	}
	var out []chain
	place := make([]int32, len(t.list)) // 1 + position in the walk of the segment that begins at a node
	walk := func(n int32) {
		var path []int32
		for {
			if p := place[n] - 1; p >= 0 { // the walk returns to a node: the rest of it is a contour
				for _, s := range path[p:] {
					place[t.segs[s].from] = 0
				}
				out = append(out, chain{slices.Clone(path[p:]), true})
				path = path[:p]
			}
			if used[n] == starts[n+1]-starts[n] {
				break
			}
			s := next[starts[n]+used[n]]
			used[n]++
			path = append(path, s)
			place[n] = int32(len(path))
			n = t.segs[s].to
		}
		for _, s := range path {
			place[t.segs[s].from] = 0
		}
		if len(path) > 0 {
			out = append(out, chain{path, false})
		}
	}
	for n := range t.list {
		for ; excess[n] > 0; excess[n]-- {
			walk(int32(n))
		}
	}
	for n := range t.list {
		for used[n] < starts[n+1]-starts[n] {
			walk(int32(n))
		}
	}
	return out
}

// outgoing returns the segments in the order of their first nodes, and the position of the first
// segment of each node.
func outgoing(nodes int, segs []segment) (order, starts []int32) {
	starts = make([]int32, nodes+1)
	for _, s := range segs {
		starts[s.from+1]++
	}
	for i := range nodes {
		starts[i+1] += starts[i]
	}
	order = make([]int32, len(segs))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(segs[a].from, segs[b].from) })
	return order, starts
}
