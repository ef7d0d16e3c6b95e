package section

import (
	"context"
	"math"

	"github.com/inpoly/inpoly/bvh"
)

// wind computes the winding numbers of all pieces. It visits each connected part of the arrangement
// from its least node (in the order of compareXY). A ray against axis x from this node meets only
// other parts, so its crossings give the winding number of the sector that contains the ray. The
// winding numbers of the other sectors follow from the multiplicities.
func (a *arrangement) wind(ctx context.Context) error {
	least := a.leastNodes()
	known := make([]bool, len(a.pieces))
	var w bvh.BoxWalk
	var stack []int32
	for _, n := range least {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// All pieces at n have angles above −90° and at most 90°. The sector on the left of the last
		// piece contains the ray.
		list := a.around(n)
		a.setLeft(list[len(list)-1], n, a.outside(&w, n))
		known[list[len(list)-1]] = true
		stack = append(stack, list[len(list)-1])
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, m := range [2]int32{a.pieces[i].a, a.pieces[i].b} {
				list := a.around(m)
				k := 0
				for list[k] != i {
					k++
				}
				left := a.left(i, m)
				for d := 1; d < len(list); d++ {
					// The sector on the left of a piece is on the right of the next piece.
					p := list[(k+d)%len(list)]
					left += a.mult(p, m)
					if !known[p] {
						known[p] = true
						a.setLeft(p, m, left)
						stack = append(stack, p)
					}
				}
			}
		}
	}
	return nil
}

// left returns the winding number on the left of piece i, seen from its end n.
func (a *arrangement) left(i, n int32) int64 {
	if p := &a.pieces[i]; p.a != n {
		return p.left - int64(p.mult)
	}
	return a.pieces[i].left
}

// mult returns the difference of the winding numbers on the left and on the right of piece i, seen
// from its end n.
func (a *arrangement) mult(i, n int32) int64 {
	if p := &a.pieces[i]; p.a != n {
		return -int64(p.mult)
	}
	return int64(a.pieces[i].mult)
}

func (a *arrangement) setLeft(i, n int32, w int64) {
	p := &a.pieces[i]
	if p.left = w; p.a != n {
		p.left = w + int64(p.mult)
	}
}

// leastNodes returns the least node of each connected part of the arrangement.
func (a *arrangement) leastNodes() (out []int32) {
	seen := make([]bool, len(a.list))
	var stack []int32
	for n := range a.list {
		if seen[n] || len(a.around(int32(n))) == 0 {
			continue
		}
		best := int32(n)
		seen[n] = true
		stack = append(stack, int32(n))
		for len(stack) > 0 {
			m := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if a.compareXY(m, best) < 0 {
				best = m
			}
			for _, i := range a.around(m) {
				if o := a.other(i, m); !seen[o] {
					seen[o] = true
					stack = append(stack, o)
				}
			}
		}
		out = append(out, best)
	}
	return out
}

// outside returns the winding number near node n, on the ray against axis x. Segments through n do
// not count. The ray is displaced by an infinitesimal distance along y, so that it meets no node.
func (a *arrangement) outside(w *bvh.BoxWalk, n int32) (sum int64) {
	a.toTheLeft(w, n, func(s int32, upward bool) {
		if upward { // the ray, seen from far away, goes from the left of the segment to its right
			sum--
		} else {
			sum++
		}
	})
	return sum
}

// toTheLeft calls visit for all segments that the ray against axis x from n crosses. Segments that
// contain n are omitted.
func (a *arrangement) toTheLeft(w *bvh.BoxWalk, n int32, visit func(s int32, upward bool)) {
	x, y, e := a.projected(n)
	box := bvh.Box{}
	box.Min.X, box.Max.X = -math.MaxFloat64, -below(-x, e)
	box.Min.Y, box.Max.Y = below(y, e), -below(-y, e)
	w.Start(a.tree, box)
	for {
		first, count, ok := w.Next()
		if !ok {
			return
		}
		for _, i := range a.tree.Index()[first : first+count] {
			s := a.segs[i]
			if s.from == n || s.to == n {
				continue
			}
			high := a.compareY(s.to, n) > 0
			if high == (a.compareY(s.from, n) > 0) {
				continue
			}
			// n is on the right of an upward segment, or on the left of a downward one.
			if o := a.orient(s.from, s.to, n); high && o < 0 || !high && o > 0 {
				visit(i, high)
			}
		}
	}
}
