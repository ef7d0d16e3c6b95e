package nearest

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// obbBuilder builds an obbTree over the triangles in the leaf order of the bvh.Tree. Neighbors in
// this order are close together in space, so the builder only cuts the order into ranges.
type obbBuilder struct {
	tris   []mesh.Triangle
	center r3.Vector
	scale  float64
	boxes  []aabb // box of each triangle
	runs   []aabb // box of each full run of runLength triangles
}

// boxBlock is the number of triangles whose boxes a worker computes at a time. It is a multiple of
// runLength. A task has at most max(taskSize, n/taskShare) of the n triangles.
const (
	boxBlock  = 1 << 13 // tuning
	taskSize  = 1 << 10 // tuning
	taskShare = 64      // tuning
)

// task is the subtree over a range of triangles. One worker builds the subtree. The links in the
// subtree are relative to the first node and the first block of the task.
type task struct {
	triRange
	subtree
	root int32 // link to the root
	fit  fit
}

func (b *obbBuilder) build(ctx context.Context, workers int) (*obbTree, error) {
	n := len(b.tris)
	b.boxes, b.runs = make([]aabb, n), make([]aabb, n/runLength)
	if err := par.Blocks(ctx, n, boxBlock, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			b.boxes[i] = b.boxOf(i)
			if i%runLength == runLength-1 {
				r := &b.runs[i/runLength]
				*r = b.boxes[i]
				for k := i - runLength + 1; k < i; k++ {
					r.extend(&b.boxes[k])
				}
			}
		}
	}); err != nil {
		return nil, err
	}
	// Cut the range into tasks, and let each task build a subtree in parallel. Then add the nodes
	// above the subtrees.
	var tasks []task
	cut := max(taskSize, n/taskShare)
	b.split(triRange{0, n}, cut, &tasks)
	if err := par.Blocks(ctx, len(tasks), 1, workers, func(_, lo, _ int) {
		t := &tasks[lo]
		t.subtree.obbBuilder = b
		t.root, t.fit = t.build(t.triRange)
	}); err != nil {
		return nil, err
	}
	w := &obbTree{center: b.center, scale: b.scale}
	nodes, blocks := 0, 0
	for i := range tasks {
		nodes += len(tasks[i].nodes)
		blocks += len(tasks[i].blocks)
	}
	w.nodes = make([]obbNode, 0, nodes+len(tasks))
	w.blocks = make([]triBlock, 0, blocks)
	for i := range tasks {
		w.add(&tasks[i])
	}
	top := subtree{obbBuilder: b, nodes: w.nodes, tasks: tasks, cut: cut}
	w.root, _ = top.build(triRange{0, n})
	w.nodes = top.nodes
	return w, nil
}

// split divides p in the same way as build, until each range has at most taskLimit triangles. It
// appends a task for each range.
func (b *obbBuilder) split(p triRange, taskLimit int, tasks *[]task) {
	if p.len() <= taskLimit {
		*tasks = append(*tasks, task{triRange: p})
		return
	}
	parts, n := b.divide(p)
	for _, p := range parts[:n] {
		b.split(p, taskLimit, tasks)
	}
}

// add appends the nodes and blocks of t to w and renumbers their links.
func (w *obbTree) add(t *task) {
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

// subtree collects the nodes and blocks of a part of the tree.
type subtree struct {
	*obbBuilder
	nodes  []obbNode
	blocks []triBlock
	tasks  []task // finished subtrees; can be empty
	cut    int
}

// maxExactFit is the largest number of triangles for which a box is fitted to the corners. For more
// triangles, the box is fitted to the boxes of the children.
const maxExactFit = lanes * lanes

// build appends the tree over p. It returns the link to the root and the box around the triangles.
func (s *subtree) build(p triRange) (link int32, f fit) {
	if p.len() <= s.cut {
		t := &s.tasks[0]
		s.tasks = s.tasks[1:]
		return t.root, t.fit
	}
	if p.len() <= lanes {
		s.blocks = append(s.blocks, s.newBlock(p))
		return ^int32(len(s.blocks) - 1), s.fitTriangles(p)
	}
	parts, n := s.divide(p)
	id := len(s.nodes)
	s.nodes = append(s.nodes, obbNode{})
	var fits [lanes]fit
	var links [lanes]int32
	for k, q := range parts[:n] {
		links[k], fits[k] = s.build(q)
	}
	s.nodes[id] = newNode(fits[:n], links[:n])
	if p.len() <= maxExactFit {
		return int32(id), s.fitTriangles(p)
	}
	return int32(id), fitAround(fits[:n])
}

// newNode returns the node with the given boxes and links. Unused lanes are empty boxes.
func newNode(fits []fit, links []int32) (n obbNode) {
	for i := range n.e {
		for k := len(fits); k < lanes; k++ {
			n.e[i][k], n.near[i][k] = float32(math.Inf(-1)), fits[0].near[i]
		}
	}
	for k := range fits {
		f := &fits[k]
		for i := range 3 {
			n.c[i][k], n.e[i][k], n.near[i][k] = f.c[i], f.e[i], f.near[i]
			for j := range 3 {
				n.a[i][j][k] = f.a[i][j]
			}
		}
		n.links[k] = links[k]
	}
	return n
}

type triRange struct{ lo, hi int }

func (p triRange) len() int { return p.hi - p.lo }

// aabb is an axis-aligned box in float32. Its elements are the minima and then the negated maxima.
// Boxes of this type serve to choose cuts.
type aabb [6]float32

func (b *aabb) extend(o *aabb) {
	for i := range b {
		b[i] = min(b[i], o[i])
	}
}

// area returns half the area of the box.
func (b *aabb) area() float32 {
	x, y, z := -b[3]-b[0], -b[4]-b[1], -b[5]-b[2]
	return x*y + y*z + z*x
}

func (b *obbBuilder) boxOf(i int) (r aabb) {
	for k, v := range b.tris[i] {
		v = v.Sub(b.center).Mul(b.scale)
		x := aabb{float32(v.X), float32(v.Y), float32(v.Z), float32(-v.X), float32(-v.Y), float32(-v.Z)}
		if k == 0 {
			r = x
		} else {
			r.extend(&x)
		}
	}
	return r
}

// runLength is the number of triangles in a run. The boxes of runs are computed in advance. If a
// range is longer than longRange, chooseCut first finds the best cut between two runs, and then
// compares only the cuts inside these two runs.
const (
	runLength = 16  // tuning
	longRange = 512 // tuning
)

// divide cuts p, which has more triangles than a block, into two to eight ranges. It cuts the
// largest range again and again. It stops at eight ranges, or when each range fits into a subtree
// of minimal height.
func (b *obbBuilder) divide(p triRange) (parts [lanes]triRange, n int) {
	capacity := lanes
	for capacity*lanes < p.len() {
		capacity *= lanes
	}
	parts[0], n = p, 1
	var areas [longRange]float32 // memory of chooseCut
	for n < lanes {
		largest := 0
		for k, q := range parts[:n] {
			if q.len() > parts[largest].len() {
				largest = k
			}
		}
		q := parts[largest]
		if q.len() <= capacity {
			break
		}
		at := b.chooseCut(q, &areas)
		copy(parts[largest+2:], parts[largest+1:n])
		parts[largest], parts[largest+1] = triRange{q.lo, at}, triRange{at, q.hi}
		n++
	}
	return parts, n
}

// chooseCut returns the index at which to cut p. It minimizes the surface area heuristic: for each
// side, the area times the number of blocks, summed over both sides. Each side has at least an
// eighth of the triangles.
func (b *obbBuilder) chooseCut(p triRange, areas *[longRange]float32) int {
	least := (p.len() + 7) / 8
	first, last := p.lo+least, p.hi-least
	if p.len() > longRange {
		at := b.bestCut(p, b.runs, runLength, (first+runLength-1)/runLength, last/runLength, areas) * runLength
		first, last = max(first, at-runLength), min(last, at+runLength)
	}
	return b.bestCut(p, b.boxes, 1, first, last, areas)
}

// bestCut returns the best index at which to cut p, from minCut to maxCut. Indexes count units of
// unitLen triangles. boxes holds one box for each unit. memory holds areas.
func (b *obbBuilder) bestCut(p triRange, boxes []aabb, unitLen, minCut, maxCut int, memory *[longRange]float32) int {
	areas := memory[:]
	if maxCut-minCut >= longRange {
		areas = make([]float32, maxCut-minCut+1)
	}
	right := b.boxOver(maxCut*unitLen, p.hi)
	for i := maxCut; i > minCut; i-- {
		areas[i-minCut] = right.area()
		right.extend(&boxes[i-1])
	}
	areas[0] = right.area()
	left := b.boxOver(p.lo, minCut*unitLen)
	best, cost := minCut, float32(math.Inf(1))
	for i := minCut; i <= maxCut; i++ {
		if c := left.area()*blockCount(i*unitLen-p.lo) + areas[i-minCut]*blockCount(p.hi-i*unitLen); c < cost {
			best, cost = i, c
		}
		if i < maxCut {
			left.extend(&boxes[i])
		}
	}
	return best
}

// boxOver returns the box around the triangles [lo, hi), where lo < hi.
func (b *obbBuilder) boxOver(lo, hi int) aabb {
	r := b.boxes[lo]
	for i := lo + 1; i < hi; {
		if i%runLength == 0 && i+runLength <= hi {
			r.extend(&b.runs[i/runLength])
			i += runLength
			continue
		}
		r.extend(&b.boxes[i])
		i++
	}
	return r
}

func blockCount(n int) float32 { return float32((n + lanes - 1) / lanes) }
