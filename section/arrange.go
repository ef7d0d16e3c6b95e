package section

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/order"
)

// piece is a part of one or more segments. No other segment meets it except at its ends.
type piece struct {
	a, b int32 // nodes, a < b
	mult int32 // number of segments from a to b minus number of segments from b to a
	left int64 // winding number on the left of a→b; on the right it is left−mult
}

// arrangement is the subdivision of the plane by the segments of a closed mesh.
type arrangement struct {
	*tracer
	tree   *bvh.Tree         // over the boxes of the segments
	cuts   map[int32][]int32 // nodes in the interior of a segment, along it
	alias  map[int32]int32   // the node that replaces another node at the same place
	keys   map[string]int32  // nodes by their exact place
	marked []bool            // nodes that are in keys or in alias
	pieces []piece
	// Segment s has the pieces owner[of[s]:of[s+1]].
	of, owner []int32
	// Node n has the pieces incident[starts[n]:starts[n+1]], counterclockwise if there are several.
	incident, starts []int32
}

// arrange divides the segments where they meet, and computes the winding numbers of the pieces.
func arrange(ctx context.Context, t *tracer) (*arrangement, error) {
	a := &arrangement{tracer: t, cuts: map[int32][]int32{}, alias: map[int32]int32{}, keys: map[string]int32{}}
	boxes := make([]bvh.Box, len(t.segs))
	for i, s := range t.segs {
		boxes[i] = t.box(s)
	}
	var err error
	if a.tree, err = bvh.Build(ctx, boxes, bvh.Options{Workers: 1}); err != nil {
		return nil, err
	}
	if err := a.divide(ctx, boxes); err != nil {
		return nil, err
	}
	a.makePieces()
	a.makeIncidence()
	return a, a.wind(ctx)
}

// box returns a box around the exact projection of s. Its z coordinates are 0.
func (t *tracer) box(s segment) bvh.Box {
	b := bvh.EmptyBox()
	for _, n := range [2]int32{s.from, s.to} {
		x, y, e := t.projected(n)
		e *= 1 + 4*unit
		b = b.Add(r3.Vector{X: below(x, e), Y: below(y, e)}).Add(r3.Vector{X: -below(-x, e), Y: -below(-y, e)})
	}
	return b
}

// below returns a number that is at most x−e. It equals x if e is 0.
func below(x, e float64) float64 {
	if e == 0 {
		return x
	}
	y := x - e
	if y < 0 {
		return y * (1 + 4*unit)
	}
	return y * (1 - 4*unit)
}

// divide finds all pairs of segments that meet at other points than at a common node.
func (a *arrangement) divide(ctx context.Context, boxes []bvh.Box) error {
	var w bvh.PairWalk
	index := a.tree.Index()
	for _, task := range a.tree.PairTasks(1) {
		w.Start(a.tree, task)
		for n := 0; ; n++ {
			if n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			p, np, q, nq, ok := w.Next()
			if !ok {
				break
			}
			for i, s := range index[p : p+np] {
				rest := index[q : q+nq]
				if p == q {
					rest = rest[i+1:]
				}
				for _, r := range rest {
					if boxes[s].Overlaps(boxes[r]) && !a.apart(a.segs[s], a.segs[r]) {
						a.meet(s, r)
					}
				}
			}
		}
	}
	for s, list := range a.cuts {
		a.sortCuts(a.segs[s], list)
	}
	return nil
}

// apart reports whether rounded coordinates prove that two segments meet at most in a common node.
func (a *arrangement) apart(s, r segment) bool {
	switch {
	case s.from == r.from && s.to == r.to || s.from == r.to && s.to == r.from:
		return true // the same segment
	case s.from == r.from:
		return a.spread(s.from, s.to, r.to)
	case s.to == r.from:
		return a.spread(s.to, s.from, r.to)
	case s.from == r.to:
		return a.spread(s.from, s.to, r.from)
	case s.to == r.to:
		return a.spread(s.to, s.from, r.from)
	}
	return a.sameSide(s, r) || a.sameSide(r, s)
}

// spread reports whether the directions from node n to p and q certainly differ.
func (a *arrangement) spread(n, p, q int32) bool {
	if _, ok := a.quickOrient(n, p, q); ok {
		return true
	}
	nx, ny, ne := a.projected(n)
	px, py, pe := a.projected(p)
	qx, qy, qe := a.projected(q)
	opposite := func(n, p, q float64) bool { // certainly on two sides of n
		e, f := (ne+pe)*(1+8*unit), (ne+qe)*(1+8*unit)
		return p-n > e && n-q > f || n-p > e && q-n > f
	}
	return opposite(nx, px, qx) || opposite(ny, py, qy)
}

// sameSide reports whether both ends of r are certainly on the same side of the line of s.
func (a *arrangement) sameSide(s, r segment) bool {
	p, ok := a.quickOrient(s.from, s.to, r.from)
	if !ok {
		return false
	}
	q, ok := a.quickOrient(s.from, s.to, r.to)
	return ok && p == q
}

// name returns the node that represents all nodes at exactly the same place as n.
func (a *arrangement) name(n int32) int32 {
	if m, ok := a.alias[n]; ok {
		return m
	}
	for int(n) >= len(a.marked) {
		a.marked = append(a.marked, false)
	}
	if a.marked[n] {
		return n
	}
	a.marked[n] = true
	f := a.fraction(n)
	key := f.x.RatString() + " " + f.y.RatString()
	if m, ok := a.keys[key]; ok {
		a.alias[n] = m
		return m
	}
	a.keys[key] = n
	return n
}

// meet divides two segments where they meet exactly.
func (a *arrangement) meet(i, j int32) {
	s, r := a.segs[i], a.segs[j]
	s, r = segment{a.name(s.from), a.name(s.to)}, segment{a.name(r.from), a.name(r.to)}
	if s.from == s.to || r.from == r.to {
		// A segment of length 0 can lie on the other one.
		a.cutAt(i, s, r.from)
		a.cutAt(j, r, s.from)
		return
	}
	o1, o2 := a.orient(s.from, s.to, r.from), a.orient(s.from, s.to, r.to)
	o3, o4 := a.orient(r.from, r.to, s.from), a.orient(r.from, r.to, s.to)
	if o1*o2 < 0 && o3*o4 < 0 {
		x := a.crossing(s, r)
		a.cuts[i], a.cuts[j] = append(a.cuts[i], x), append(a.cuts[j], x)
		return
	}
	for _, c := range [4]struct {
		i int32
		s segment
		n int32
	}{{i, s, r.from}, {i, s, r.to}, {j, r, s.from}, {j, r, s.to}} {
		a.cutAt(c.i, c.s, c.n)
	}
}

// cutAt divides segment i, whose ends have the names in s, at node n if n lies in its interior.
func (a *arrangement) cutAt(i int32, s segment, n int32) {
	if s.from == s.to || n == s.from || n == s.to || a.orient(s.from, s.to, n) != 0 {
		return
	}
	if a.compareXY(s.from, n)*a.compareXY(n, s.to) > 0 {
		a.cuts[i] = append(a.cuts[i], n)
	}
}

// crossing returns the node where s and r cross.
func (a *arrangement) crossing(s, r segment) int32 {
	p, q, c, d := a.fraction(s.from), a.fraction(s.to), a.fraction(r.from), a.fraction(r.to)
	// The areas of the triangles (c, d, p) and (c, d, q) divide s.
	u, v := cross(c, d, p), cross(c, d, q)
	t := u.Quo(u, v.Sub(u, v))
	at := func(x, y *big.Rat) *big.Rat {
		z := new(big.Rat).Sub(y, x)
		return z.Add(z.Mul(z, t), x)
	}
	f := fraction{at(p.x, q.x), at(p.y, q.y)}
	key := f.x.RatString() + " " + f.y.RatString()
	if n, ok := a.keys[key]; ok {
		return n
	}
	n := a.addCrossing(f)
	for int(n) >= len(a.marked) {
		a.marked = append(a.marked, false)
	}
	a.marked[n], a.keys[key] = true, n
	return n
}

// sortCuts sorts the nodes of list along s.
func (a *arrangement) sortCuts(s segment, list []int32) {
	forward := a.compareXY(a.resolve(s.from), a.resolve(s.to))
	slices.SortFunc(list, func(p, q int32) int { return -forward * a.compareXY(p, q) })
}

// resolve returns the node that replaces n.
func (a *arrangement) resolve(n int32) int32 {
	if m, ok := a.alias[n]; ok {
		return m
	}
	return n
}

// makePieces divides the segments at their cuts and merges equal pieces.
func (a *arrangement) makePieces() {
	type part struct {
		key     uint64
		segment int32
		sign    int32
	}
	var parts []part
	for i, s := range a.segs {
		from := a.resolve(s.from)
		for _, to := range append(a.cuts[int32(i)], a.resolve(s.to)) {
			if to == from {
				continue
			}
			lo, hi, sign := from, to, int32(1)
			if lo > hi {
				lo, hi, sign = hi, lo, -1
			}
			parts = append(parts, part{uint64(lo)<<32 | uint64(hi), int32(i), sign})
			from = to
		}
	}
	parts = order.Sorted(parts, func(p, q *part) int { return cmp.Or(cmp.Compare(p.key, q.key), cmp.Compare(p.segment, q.segment)) })
	a.of = make([]int32, len(a.segs)+1)
	for _, p := range parts {
		a.of[p.segment+1]++
	}
	for i := range a.segs {
		a.of[i+1] += a.of[i]
	}
	a.owner = make([]int32, len(parts))
	next := slices.Clone(a.of)
	for i, p := range parts {
		if i == 0 || p.key != parts[i-1].key {
			a.pieces = append(a.pieces, piece{a: int32(p.key >> 32), b: int32(uint32(p.key))})
		}
		last := len(a.pieces) - 1
		a.pieces[last].mult += p.sign
		a.owner[next[p.segment]] = int32(last)
		next[p.segment]++
	}
}

// makeIncidence lists the pieces of each node.
func (a *arrangement) makeIncidence() {
	a.starts = make([]int32, len(a.list)+1)
	for _, p := range a.pieces {
		a.starts[p.a+1]++
		a.starts[p.b+1]++
	}
	for i := range a.list {
		a.starts[i+1] += a.starts[i]
	}
	a.incident = make([]int32, 2*len(a.pieces))
	next := slices.Clone(a.starts)
	for i, p := range a.pieces {
		for _, n := range [2]int32{p.a, p.b} {
			a.incident[next[n]] = int32(i)
			next[n]++
		}
	}
	for n := range a.list {
		if list := a.around(int32(n)); len(list) > 1 {
			slices.SortFunc(list, func(p, q int32) int {
				return a.compareDirections(int32(n), a.other(p, int32(n)), a.other(q, int32(n)))
			})
		}
	}
}

// around returns the pieces at node n.
func (a *arrangement) around(n int32) []int32 { return a.incident[a.starts[n]:a.starts[n+1]] }

// other returns the end of piece i that is not n.
func (a *arrangement) other(i, n int32) int32 {
	p := &a.pieces[i]
	return p.a + p.b - n
}

// compareDirections compares the angles of the directions from n to p and q, from −90° exclusive to
// 270° inclusive.
func (a *arrangement) compareDirections(n, p, q int32) int {
	if hp, hq := a.leftHalf(n, p), a.leftHalf(n, q); hp != hq {
		if hq {
			return -1
		}
		return 1
	}
	return -a.orient(n, p, q)
}

// leftHalf reports whether p comes before n in the order of compareXY. The angle of the direction
// from n to p is then above 90° and at most 270°.
func (a *arrangement) leftHalf(n, p int32) bool { return a.compareXY(p, n) < 0 }
