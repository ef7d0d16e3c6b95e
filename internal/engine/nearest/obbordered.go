package nearest

import (
	"math/bits"

	"github.com/golang/geo/r3"
)

// orderedWalk is the working memory of closestAlone.
type orderedWalk struct {
	stack []waiting
	boxes int // number of visited boxes
}

// waiting is a box that closestAlone has not visited yet.
type waiting struct {
	link  int32   // link to the node or the block in the box
	bound float32 // lower bound of the squared distance from the box
}

// closestAlone returns the result of Searcher.Closest, bit for bit. It visits near boxes first, so it soon finds a
// face that is almost the nearest one. closestTo visits all near boxes of a level before it finds a face, which is
// faster for most meshes. The field near of a node holds a point in each of its boxes. In boxes of long thin faces, this
// point is much farther away than the nearest face, so its distance limits the search badly, and closestTo visits most of the
// tree.
func (t *obbTree) closestAlone(s *Searcher, p r3.Vector, w *obbWalk, st *Scratch) Result {
	if !w.packet.setPoint(0, t, p) {
		return s.Closest(p, st)
	}
	q, o, near := w.packet.at(0), &w.ordered, &st.near
	near.reset()
	o.stack = append(o.stack[:0], waiting{link: t.root})
	var bound [lanes]float32
	for len(o.stack) > 0 {
		top := o.stack[len(o.stack)-1]
		o.stack = o.stack[:len(o.stack)-1]
		if top.bound > q.limit {
			continue
		}
		o.boxes++
		if top.link >= 0 {
			n := &t.nodes[top.link]
			q.limit = min32(q.limit, n.upper(&q))
			o.push(n, nodeBoundsGeneric(n, &q, &bound), &bound)
			continue
		}
		b := &t.blocks[^top.link]
		if st.stopped(b.count) {
			return noResult()
		}
		for k := range b.count {
			if lower, _ := b.bound(&q, int(k)); lower > q.limit {
				continue
			}
			g, d, margin := closest(p, &s.tris[b.first+k], &st.Signs)
			near.add(s, &p, b.first+k, g, d, margin, st)
			upper := float32((d + margin) * t.scale)
			q.limit = min32(q.limit, float32(float32(upper*upper)*limitSlack)+limitFloor)
		}
	}
	return s.result(p, st)
}

// push pushes the selected boxes of n, the nearest one last.
func (o *orderedWalk) push(n *obbNode, selected uint32, bound *[lanes]float32) {
	for first := len(o.stack); selected != 0; selected &= selected - 1 {
		k := bits.TrailingZeros32(selected)
		o.stack = append(o.stack, waiting{n.links[k], bound[k]})
		for i := len(o.stack) - 1; i > first && o.stack[i-1].bound < bound[k]; i-- {
			o.stack[i-1], o.stack[i] = o.stack[i], o.stack[i-1]
		}
	}
}
