package nearest

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// wideBuilder makes a wide over the triangles in the order of the tree's leaves, which
// keeps neighbours together: it only has to cut that order into ranges.
type wideBuilder struct {
	tris   []mesh.Triangle
	center r3.Vector
	scale  float64
	bounds []bound // of the triangles
	runs   []bound // of runLength triangles in a row, but for the last few
}

// triangleBlock is how many triangles a worker takes at a time where each is looked
// at once; taskSize how many triangles at most, and at least a share of 1/taskShare of
// all, make a task of one worker.
const (
	triangleBlock = 1 << 13 // a multiple of runLength
	taskSize      = 1 << 10
	taskShare     = 64
)

// task is a part of the hierarchy that one worker makes: the subtree over a range,
// whose numbers are its own, and the link of its root.
type task struct {
	part
	root   int32
	patch  patch
	nodes  []wideNode
	blocks []block
}

func (b *wideBuilder) build(ctx context.Context, workers int) (*wide, error) {
	n := len(b.tris)
	b.bounds, b.runs = make([]bound, n), make([]bound, n/runLength)
	if err := par.Blocks(ctx, n, triangleBlock, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			b.bounds[i] = b.boundOf(i)
			if i%runLength == runLength-1 {
				r := &b.runs[i/runLength]
				*r = b.bounds[i]
				for k := i - runLength + 1; k < i; k++ {
					r.cover(&b.bounds[k])
				}
			}
		}
	}); err != nil {
		return nil, err
	}
	// 1. Cut the range into tasks. 2. Make them. 3. Put them together, and add the
	// nodes above them.
	var tasks []task
	cut := max(taskSize, n/taskShare)
	b.tasks(part{0, n}, cut, &tasks)
	if err := par.Blocks(ctx, len(tasks), 1, workers, func(_, lo, _ int) {
		t := &tasks[lo]
		s := subtree{wideBuilder: b}
		t.root, t.patch = s.make(t.part)
		t.nodes, t.blocks = s.nodes, s.blocks
	}); err != nil {
		return nil, err
	}
	w := &wide{center: b.center, scale: b.scale}
	nodes, blocks := 0, 0
	for i := range tasks {
		nodes += len(tasks[i].nodes)
		blocks += len(tasks[i].blocks)
	}
	w.nodes = make([]wideNode, 0, nodes+len(tasks))
	w.blocks = make([]block, 0, blocks)
	for i := range tasks {
		w.adopt(&tasks[i])
	}
	top := subtree{wideBuilder: b, nodes: w.nodes}
	w.root, _ = top.join(part{0, n}, cut, &tasks)
	w.nodes = top.nodes
	return w, nil
}

// tasks appends the parts of p that are at most cut long, as join will find them.
func (b *wideBuilder) tasks(p part, cut int, tasks *[]task) {
	if p.len() <= cut {
		*tasks = append(*tasks, task{part: p})
		return
	}
	parts, n := b.divide(p)
	for _, p := range parts[:n] {
		b.tasks(p, cut, tasks)
	}
}

// adopt appends the nodes and blocks of t, numbered anew.
func (w *wide) adopt(t *task) {
	node, leaf := int32(len(w.nodes)), int32(len(w.blocks))
	renumber := func(link int32) int32 {
		if link < 0 {
			return link - leaf
		}
		return link + node
	}
	for i := range t.nodes {
		for k := range t.nodes[i].links {
			t.nodes[i].links[k] = renumber(t.nodes[i].links[k])
		}
	}
	t.root = renumber(t.root)
	w.nodes = append(w.nodes, t.nodes...)
	w.blocks = append(w.blocks, t.blocks...)
	t.nodes, t.blocks = nil, nil
}

// subtree collects nodes and blocks of a part of the hierarchy.
type subtree struct {
	*wideBuilder
	nodes  []wideNode
	blocks []block
}

// exactPatch is the most triangles whose box is fitted to their corners; that of more
// is fitted to the boxes below.
const exactPatch = lanes * lanes

// make appends the hierarchy over p, and returns its link and the box around it.
func (s *subtree) make(p part) (link int32, f patch) {
	if p.len() <= lanes {
		s.blocks = append(s.blocks, s.blockOf(p))
		return ^int32(len(s.blocks) - 1), s.patchOf(p)
	}
	parts, n := s.divide(p)
	id := len(s.nodes)
	s.nodes = append(s.nodes, wideNode{})
	var patches [lanes]patch
	var links [lanes]int32
	for k, q := range parts[:n] {
		links[k], patches[k] = s.make(q)
	}
	s.nodes[id] = nodeOf(patches[:n], links[:n])
	if p.len() <= exactPatch {
		return int32(id), s.patchOf(p)
	}
	return int32(id), patchAround(patches[:n])
}

// join does what make does, over tasks that are made.
func (s *subtree) join(p part, cut int, tasks *[]task) (link int32, f patch) {
	if p.len() <= cut {
		t := &(*tasks)[0]
		*tasks = (*tasks)[1:]
		return t.root, t.patch
	}
	parts, n := s.divide(p)
	var patches [lanes]patch
	var links [lanes]int32
	for k, q := range parts[:n] {
		links[k], patches[k] = s.join(q, cut, tasks)
	}
	s.nodes = append(s.nodes, nodeOf(patches[:n], links[:n]))
	return int32(len(s.nodes) - 1), patchAround(patches[:n])
}

// emptyNode has no children.
var emptyNode = func() (n wideNode) {
	for i := range n.e {
		for k := range n.e[i] {
			n.e[i][k] = float32(math.Inf(-1))
		}
	}
	return n
}()

// nodeOf returns the node with these boxes and links.
func nodeOf(patches []patch, links []int32) wideNode {
	n := emptyNode
	for k := range patches {
		f := &patches[k]
		for i := range 3 {
			n.c[i][k], n.e[i][k] = f.c[i], f.e[i]
			for j := range 3 {
				n.a[i][j][k] = f.a[i][j]
			}
		}
		n.links[k] = links[k]
	}
	return n
}
