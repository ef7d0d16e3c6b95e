package nearest

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// obbBuilder builds an obbTree over the triangles in the order of the tree's leaves. That order
// keeps neighbors together, so the builder only cuts it into ranges.
type obbBuilder struct {
	tris   []mesh.Triangle
	center r3.Vector
	scale  float64
	boxes  []aabb // of the triangles
	runs   []aabb // of each full run of runLength triangles
}

// boxBlock is the number of triangles whose boxes a worker computes at a time, a multiple of
// runLength. A task of one worker has at most taskSize triangles, or 1/taskShare of all triangles
// if that is more.
const (
	boxBlock  = 1 << 13 // tuning
	taskSize  = 1 << 10 // tuning
	taskShare = 64      // tuning
)

// task is the subtree over a range, which one worker builds. Its links count from its own first
// node and block.
type task struct {
	triRange
	root   int32 // a link
	fit    fit
	nodes  []obbNode
	blocks []triBlock
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
	// 1. Cut the range into tasks. 2. Build their subtrees. 3. Join these, and add the nodes above
	// them.
	var tasks []task
	cut := max(taskSize, n/taskShare)
	b.split(triRange{0, n}, cut, &tasks)
	if err := par.Blocks(ctx, len(tasks), 1, workers, func(_, lo, _ int) {
		t := &tasks[lo]
		s := subtree{obbBuilder: b}
		t.root, t.fit = s.build(t.triRange)
		t.nodes, t.blocks = s.nodes, s.blocks
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
	top := subtree{obbBuilder: b, nodes: w.nodes}
	w.root, _ = top.join(triRange{0, n}, cut, &tasks)
	w.nodes = top.nodes
	return w, nil
}

// split appends the ranges of p that are at most cut long, as join will find them.
func (b *obbBuilder) split(p triRange, cut int, tasks *[]task) {
	if p.len() <= cut {
		*tasks = append(*tasks, task{triRange: p})
		return
	}
	parts, n := b.divide(p)
	for _, p := range parts[:n] {
		b.split(p, cut, tasks)
	}
}

// add appends the nodes and blocks of t and renumbers their links.
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
}

// maxExactFit is the largest number of triangles whose box is fitted to their corners. Larger boxes
// are fitted to the boxes of their children.
const maxExactFit = lanes * lanes

// build appends the tree over p. It returns its link and the box around it.
func (s *subtree) build(p triRange) (link int32, f fit) {
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

// join is like build, but its leaves are the subtrees of tasks, which are built already.
func (s *subtree) join(p triRange, cut int, tasks *[]task) (link int32, f fit) {
	if p.len() <= cut {
		t := &(*tasks)[0]
		*tasks = (*tasks)[1:]
		return t.root, t.fit
	}
	parts, n := s.divide(p)
	var fits [lanes]fit
	var links [lanes]int32
	for k, q := range parts[:n] {
		links[k], fits[k] = s.join(q, cut, tasks)
	}
	s.nodes = append(s.nodes, newNode(fits[:n], links[:n]))
	return int32(len(s.nodes) - 1), fitAround(fits[:n])
}

// emptyNode has no children.
var emptyNode = func() (n obbNode) {
	for i := range n.e {
		for k := range n.e[i] {
			n.e[i][k] = float32(math.Inf(-1))
		}
	}
	return n
}()

// newNode returns the node with these boxes and links.
func newNode(fits []fit, links []int32) obbNode {
	n := emptyNode
	for k := range fits {
		f := &fits[k]
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

// triRange is a range of triangles.
type triRange struct{ lo, hi int }

func (p triRange) len() int { return p.hi - p.lo }

// aabb is an axis-aligned box in float32: the minima, and the negated maxima. It only guides the
// cutting of ranges.
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

// boxOf returns the box of triangle i.
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

// runLength is the length of the runs of triangles whose boxes are computed beforehand. Ranges
// longer than longRange are first cut between runs. The cut is then refined within one run on
// either side.
const (
	runLength = 16  // tuning
	longRange = 512 // tuning
)

// divide cuts p, which has more triangles than a block, into two to eight ranges. It cuts the
// largest range until all fit into children of the lowest height that can hold p, or until there
// are eight.
func (b *obbBuilder) divide(p triRange) (parts [lanes]triRange, n int) {
	capacity := lanes
	for capacity*lanes < p.len() {
		capacity *= lanes
	}
	parts[0], n = p, 1
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
		at := b.cut(q)
		copy(parts[largest+2:], parts[largest+1:n])
		parts[largest], parts[largest+1] = triRange{q.lo, at}, triRange{at, q.hi}
		n++
	}
	return parts, n
}

// cut returns the place to cut p, by the surface area heuristic: it minimizes the sum over both
// sides of area times number of blocks. Neither side has less than an eighth of the triangles,
// which bounds the depth.
func (b *obbBuilder) cut(p triRange) int {
	least := (p.len() + 7) / 8
	first, last := p.lo+least, p.hi-least
	if p.len() > longRange {
		at := b.bestCut(p, b.runs, runLength, (first+runLength-1)/runLength, last/runLength) * runLength
		first, last = max(first, at-runLength), min(last, at+runLength)
	}
	return b.bestCut(p, b.boxes, 1, first, last)
}

// bestCut returns the best place from first to last to cut p, in units of step triangles. boxes
// holds a box for each unit.
func (b *obbBuilder) bestCut(p triRange, boxes []aabb, step, first, last int) int {
	var short [longRange]float32
	areas := short[:]
	if last-first >= longRange {
		areas = make([]float32, last-first+1)
	}
	right := b.boxOver(last*step, p.hi)
	for i := last; i > first; i-- {
		areas[i-first] = right.area()
		right.extend(&boxes[i-1])
	}
	areas[0] = right.area()
	left := b.boxOver(p.lo, first*step)
	best, cost := first, float32(math.Inf(1))
	for i := first; i <= last; i++ {
		if c := left.area()*blockCount(i*step-p.lo) + areas[i-first]*blockCount(p.hi-i*step); c < cost {
			best, cost = i, c
		}
		if i < last {
			left.extend(&boxes[i])
		}
	}
	return best
}

// boxOver returns the box of a nonempty range.
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

// blockCount returns the number of blocks for n triangles.
func blockCount(n int) float32 { return float32((n + lanes - 1) / lanes) }
