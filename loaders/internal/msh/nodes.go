package msh

import (
	"cmp"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// nodes maps the tags of nodes to vertices. If the tags are consecutive, no table is needed.
type nodes struct {
	tags   []int64 // tag of each vertex
	sorted []int32 // vertices in the order of their tags; nil if the tags are consecutive
	table  []int32 // vertex+1 for each tag from the lowest on; nil if the tags are sparse
	lowest int64
}

// vertex returns the vertex with the given tag, or −1.
func (n *nodes) vertex(t int64) int32 {
	switch {
	case len(n.tags) == 0:
		return -1
	case n.sorted == nil:
		if k := uint64(t) - uint64(n.tags[0]); k < uint64(len(n.tags)) {
			return int32(k)
		}
		return -1
	case n.table != nil:
		if k := uint64(t) - uint64(n.lowest); k < uint64(len(n.table)) {
			return n.table[k] - 1
		}
		return -1
	}
	k, ok := slices.BinarySearchFunc(n.sorted, t, func(v int32, t int64) int { return cmp.Compare(n.tags[v], t) })
	if !ok {
		return -1
	}
	return n.sorted[k]
}

// index prepares calls of vertex. If a tag occurs twice, index returns this tag and true.
func (n *nodes) index(mem *soup.Budget) (twice int64, ok bool, err error) {
	consecutive := true
	for k, t := range n.tags {
		consecutive = consecutive && t-n.tags[0] == int64(k)
	}
	if consecutive {
		return 0, false, nil
	}
	if err := mem.Reserve(4 * int64(len(n.tags))); err != nil {
		return 0, false, err
	}
	n.sorted = make([]int32, len(n.tags))
	for k := range n.sorted {
		n.sorted[k] = int32(k)
	}
	slices.SortFunc(n.sorted, func(a, b int32) int { return cmp.Compare(n.tags[a], n.tags[b]) })
	for k := 1; k < len(n.sorted); k++ {
		if t := n.tags[n.sorted[k]]; t == n.tags[n.sorted[k-1]] {
			return t, true, nil
		}
	}
	n.lowest = n.tags[n.sorted[0]]
	span := n.tags[n.sorted[len(n.sorted)-1]] - n.lowest
	if span < 0 || span >= 4*int64(len(n.tags)) || mem.Reserve(4*(span+1)) != nil {
		return 0, false, nil // vertex searches in sorted
	}
	n.table = make([]int32, span+1)
	for v, t := range n.tags {
		n.table[t-n.lowest] = int32(v) + 1
	}
	return 0, false, nil
}

// readNodes reads the section $Nodes. In MSH 2.2 it can have the name $ParametricNodes.
func (r *reader) readNodes(parametric bool) error {
	start := r.i
	var err error
	switch {
	case r.version4 && parametric:
		return r.fail(start, soup.ErrSyntax, "the section $ParametricNodes does not exist in MSH 4.1")
	case r.version4:
		err = r.nodes4()
	default:
		err = r.nodes2(parametric)
	}
	if err != nil {
		return err
	}
	twice, ok, err := r.nodes.index(r.b.Budget)
	switch {
	case err != nil:
		return r.placed(start, err, "the table of nodes")
	case ok:
		return r.fail(start, soup.ErrSyntax, "node %d occurs twice", twice)
	case parametric:
		return r.end("ParametricNodes")
	}
	return r.end("Nodes")
}

// nodes2 reads the nodes of MSH 2.2: a tag and three coordinates. A parametric node also has the
// dimension and the tag of its entity, and a parameter for each of these dimensions.
func (r *reader) nodes2(parametric bool) error {
	n, err := r.textCount("the number of nodes")
	if err != nil {
		return err
	}
	for k := range n {
		t, err := r.integer("the number of a node")
		if err != nil {
			return err
		}
		if err := r.node(int64(t)); err != nil {
			return err
		}
		if parametric {
			if err := r.parameters(); err != nil {
				return err
			}
		}
		if err := r.src.Check(k); err != nil {
			return err
		}
	}
	return nil
}

// parameters skips the parameters of a node: 1 number on a curve and 2 on a surface (reference manual
// of Gmsh 2.16; MParametricNodes are written with Mesh.SaveParametric).
func (r *reader) parameters() error {
	dim, err := r.integer("the dimension of the entity of a node")
	if err != nil {
		return err
	}
	if _, err := r.integer("the entity of a node"); err != nil {
		return err
	}
	if dim == 1 || dim == 2 {
		return r.skip(dim, 8, "a parameter of a node")
	}
	return nil
}

// node reads the coordinates of a node.
func (r *reader) node(t int64) error {
	var c [3]float64
	for axis := range c {
		var err error
		if c[axis], err = r.float("a coordinate of a node"); err != nil {
			return err
		}
	}
	if err := soup.Grow(r.b.Budget, &r.nodes.tags, 1, 8); err != nil {
		return r.placed(r.i-1, err, "node %d", t)
	}
	r.nodes.tags = append(r.nodes.tags, t)
	_, err := r.b.AddVertex(r3.Vector{X: c[0], Y: c[1], Z: c[2]})
	return r.placed(r.i-1, err, "node %d", t)
}

// nodes4 reads the nodes of MSH 4.1, which are in blocks. The tags of a block come before its
// coordinates.
func (r *reader) nodes4() error {
	blocks, total, err := r.blockCounts("nodes")
	if err != nil {
		return err
	}
	at := r.i
	for range blocks {
		dim, parametric, err := r.nodeBlock()
		if err != nil {
			return err
		}
		n, err := r.count("the number of nodes of a block", true, 8+24)
		if err != nil {
			return err
		}
		tags := r.cursor // reads the tags while r reads the coordinates
		if err := r.skip(n, 8, "the tag of a node"); err != nil {
			return err
		}
		for k := range n {
			t, err := tags.size("the tag of a node")
			if err != nil {
				return err
			}
			if err := r.node(t); err != nil {
				return err
			}
			if parametric {
				if err := r.skip(dim, 8, "a parameter of a node"); err != nil {
					return err
				}
			}
			if err := r.src.Check(k); err != nil {
				return err
			}
		}
	}
	if len(r.nodes.tags) != total {
		return r.fail(at, soup.ErrSyntax, "the blocks have %d nodes, but the section declares %d", len(r.nodes.tags), total)
	}
	return nil
}

// nodeBlock reads the dimension and the tag of the entity of a block of nodes, and whether its nodes
// are parametric.
func (r *reader) nodeBlock() (dim int, parametric bool, err error) {
	at := r.i
	if dim, err = r.integer("the dimension of a block of nodes"); err != nil {
		return 0, false, err
	}
	if dim < 0 || dim > 3 {
		return 0, false, r.fail(at, soup.ErrSyntax, "the dimension of a block of nodes is %d, must be 0 to 3", dim)
	}
	if _, err = r.integer("the entity of a block of nodes"); err != nil {
		return 0, false, err
	}
	p, err := r.integer("0 or 1 for parametric nodes")
	return dim, p != 0, err
}

// blockCounts reads the beginning of a section of blocks: the number of blocks, the number of their
// elements, and the lowest and the highest tag.
func (r *reader) blockCounts(what string) (blocks, total int, err error) {
	if blocks, err = r.count("the number of blocks of "+what, true, 4*3+8); err != nil {
		return 0, 0, err
	}
	if total, err = r.count("the number of "+what, true, 8); err != nil {
		return 0, 0, err
	}
	if total > math.MaxInt32 {
		return 0, 0, r.fail(r.i, soup.ErrTooLarge, "more than %d %s", math.MaxInt32, what)
	}
	for range 2 {
		if _, err = r.size("the lowest and the highest tag of " + what); err != nil {
			return 0, 0, err
		}
	}
	return blocks, total, nil
}

// textCount reads a number of elements from a line of text. Binary files store this number as text
// too.
func (r *reader) textCount(what string) (int, error) {
	text := cursor{data: r.data, i: r.i}
	n, err := text.count(what, false, 1)
	if err != nil {
		return 0, err
	}
	if text.i < len(r.data) && r.data[text.i] == '\r' {
		text.i++
	}
	r.i = min(text.i+1, len(r.data))
	return n, nil
}
