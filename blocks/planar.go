package blocks

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
)

// planar handles a box b in which all faces that touch b are exactly in one plane, however they overlap. It adds
// the shares of the contenders, times weight, to w.shares and w.bounds. For any other box, it adds nothing and
// returns false.
//
// The parts of the box in front of the plane and behind it are convex, and no face meets them. So each part has
// one owner, which is found at a corner of the box. If a solid contains only one of the parts, its share is the
// volume of this part.
func (w *Worker) planar(p *partition, b bvh.Box, c contenders, weight float64) bool {
	if p.radius > 0 || !w.allClosed(c) {
		return false
	}
	t, ok := w.plane(p, b)
	if !ok {
		return false
	}
	var corner [2]r3.Vector // in front of the plane, and behind it
	var found [2]bool
	for k := range 8 {
		q := b.Min
		if k&1 != 0 {
			q.X = b.Max.X
		}
		if k&2 != 0 {
			q.Y = b.Max.Y
		}
		if k&4 != 0 {
			q.Z = b.Max.Z
		}
		if s := w.signs.Orient3D(t[0], t[1], t[2], q); s != 0 {
			corner[max(s, 0)], found[max(s, 0)] = q, true
		}
	}
	var owner [2]int32
	for side := range owner {
		if !found[side] {
			continue
		}
		if owner[side], ok = w.ownerAt(corner[side], c); !ok {
			return false
		}
	}
	switch {
	case !found[0] && !found[1]:
		return false // the box is flat
	case !found[1] || found[0] && owner[0] == owner[1]:
		w.addShare(owner[0], share{1, 1, 1}, weight)
		return true
	case !found[0]:
		w.addShare(owner[1], share{1, 1, 1}, weight)
		return true
	}
	for _, s := range c.active {
		inFront := w.shapes[s].set.Exact.Side(corner[0]).Contains()
		if inFront == w.shapes[s].set.Exact.Side(corner[1]).Contains() {
			continue
		}
		x, ok := w.integral.share(w.shapes[s], b)
		if !ok || x.hi-x.lo > good {
			continue
		}
		rest := share{1 - x.x, 1 - x.hi, 1 - x.lo}
		if !inFront {
			x, rest = rest, x
		}
		w.addShare(owner[0], x, weight)
		w.addShare(owner[1], rest, weight)
		return true
	}
	return false
}

// addShare adds a share of an owner, times weight.
func (w *Worker) addShare(owner int32, p share, weight float64) {
	if owner != None {
		w.shares[owner] += weight * p.x
		w.bounds[owner] += weight * max(p.hi-p.x, p.x-p.lo)
	}
}

// plane returns a face in the plane of all faces that touch b. ok is false if they are not in one plane.
func (w *Worker) plane(p *partition, b bvh.Box) (plane *mesh.Triangle, ok bool) {
	walk := &w.integral.walk
	touches := func(t *mesh.Triangle) bool {
		return overlaps(t, &b) && w.signs.TriangleTouchesBox((*[3]r3.Vector)(t), b.Min, b.Max)
	}
	walk.Start(p.tree, b)
	for first, n, more := walk.Next(); more && plane == nil; first, n, more = walk.Next() {
		for k := first; k < first+n && plane == nil; k++ {
			if t := &p.tris[k]; touches(t) && !w.signs.ZeroArea(t[0], t[1], t[2]) {
				plane = t
			}
		}
	}
	if plane == nil {
		return nil, false
	}
	walk.Start(p.tree, b)
	for first, n, more := walk.Next(); more; first, n, more = walk.Next() {
		for k := first; k < first+n; k++ {
			t := &p.tris[k]
			for i := range t {
				if w.signs.Orient3D(plane[0], plane[1], plane[2], t[i]) != 0 && touches(t) {
					return nil, false
				}
			}
		}
	}
	return plane, true
}

// allClosed reports whether all active solids are closed.
func (w *Worker) allClosed(c contenders) bool {
	for _, s := range c.active {
		if !w.shapes[s].solid.Mesh().Closed() {
			return false
		}
	}
	return true
}

// ownerAt returns the owner of a point of a box among the contenders. ok is false if a side is not certain.
func (w *Worker) ownerAt(q r3.Vector, c contenders) (owner int32, ok bool) {
	for _, s := range c.active {
		switch w.shapes[s].set.Exact.Side(q) {
		case inpoly.Inside:
			return s, true
		case inpoly.Outside:
		default:
			return None, false
		}
	}
	return c.whole, true
}
