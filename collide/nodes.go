package collide

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/neighbor"
)

// gather lists the queries of the pairs in step.pairs that can touch, and finds their candidate
// nodes. The candidates of a pair are the nodes of each body that are in the box of the other body.
// gather stops soon after the number of candidates exceeds most, but searches at least one pair.
// Then it shortens step.pairs to the pairs that it has searched.
func (w *World) gather(ctx context.Context, most int) error {
	s := &w.step
	for i := range s.workers {
		k := &s.workers[i]
		k.queries, k.pts, k.nodes = k.queries[:0], k.pts[:0], k.nodes[:0]
	}
	s.blocks = resize(s.blocks, (len(s.pairs)+blockFilter-1)/blockFilter)
	clear(s.blocks)
	var found atomic.Int64
	err := par.Blocks(ctx, len(s.pairs), blockFilter, len(s.workers), func(id, lo, hi int) {
		k := &s.workers[id]
		k.examined = 0
		b := block{span: span{worker: id, first: len(k.queries)}}
		for _, p := range s.pairs[lo:hi] {
			if (lo > 0 || b.pairs > 0) && found.Load() > int64(most) {
				break
			}
			before := len(k.pts)
			w.relatePair(k, p)
			found.Add(int64(len(k.pts) - before))
			b.pairs++
		}
		b.count, b.examined = len(k.queries)-b.first, k.examined
		s.blocks[lo/blockFilter] = b
	})
	if err != nil {
		return err
	}
	s.queries = s.queries[:0]
	done := 0
	for i, b := range s.blocks {
		s.queries = append(s.queries, s.workers[b.worker].queries[b.first:b.first+b.count]...)
		s.stats.Nodes += b.examined
		if done += b.pairs; done < min((i+1)*blockFilter, len(s.pairs)) {
			break // the results of later blocks would leave a gap
		}
	}
	s.pairs = s.pairs[:done]
	total, err := w.arrange()
	if err != nil {
		return err
	}
	s.pts, s.nodes = resize(s.pts, total), resize(s.nodes, total)
	return w.forEachQuery(ctx, func(q *query, _ *worker) {
		from := &s.workers[q.span.worker]
		copy(s.pts[q.first:], from.pts[q.span.first:q.span.first+q.span.count])
		copy(s.nodes[q.first:], from.nodes[q.span.first:q.span.first+q.span.count])
	})
}

// relatePair appends the two queries of a pair of bodies and their candidate nodes to the results
// of worker k. If the bodies certainly do not touch, it appends nothing.
func (w *World) relatePair(k *worker, p neighbor.Pair) {
	q, back := query{a: p.A, b: p.B}, query{a: p.B, b: p.A}
	if !w.relate(&q) || !w.relate(&back) || w.separated(&q) {
		return
	}
	w.nodesIn(&q, k)
	w.nodesIn(&back, k)
	k.queries = append(k.queries, q, back)
}

// relate computes the motion from the frame of body q.a to the frame of body q.b, and a region that
// contains all common points of both bodies. It returns false if the balls of the bodies do not meet.
func (w *World) relate(q *query) bool {
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	var origins float64
	q.toB, origins = motion.Relative(&w.frames[q.a], &w.frames[q.b])
	q.bound = nodeBound(a.reach, origins)
	q.touch = q.bound + poseBound(&w.frames[q.a], &w.frames[q.b])
	pad := margin(a.reach+b.reach, origins) + q.touch
	d := q.toB.Apply(a.center).Sub(b.center)
	if beyond(d, a.ball+b.ball+pad) {
		return false
	}
	c := q.centerOf(b)
	r := q.toB.Transposed()
	h := r.ReachOf(b.half)
	e := r3.Vector{X: min(h.X, b.ball) + pad, Y: min(h.Y, b.ball) + pad, Z: min(h.Z, b.ball) + pad}
	q.region = bvh.Box{Min: c.Sub(e), Max: c.Add(e)}
	return true
}

// separated tests a limited number of directions. Testing one takes about a nanosecond for each
// node. For two bodies of 200 faces, all tests take some ten microseconds. // tuning
const (
	separatedNodes = 512
	directions     = 3
)

// separated reports whether a plane certainly separates the nodes of two closed bodies. In this
// case, no node of one body is inside the other body, and no triangles touch. separated tries a few
// directions (Chung, Wang 1996, "Quick collision detection of polytopes in virtual environments").
// separated accepts a direction if the gap between the nodes along this direction exceeds the sum
// of margin, q.touch and the tolerances of both bodies. margin covers the errors of the node
// positions. It also covers the rounding errors of the direction and of the dot products in this
// function, which are below 160u times the reach of a body and 40u times the distance between the
// origins.
func (w *World) separated(q *query) bool {
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	if len(a.at)+len(b.at) > separatedNodes || math.IsInf(a.ball, 1) || math.IsInf(b.ball, 1) {
		return false
	}
	t := q.toB.T.Abs()
	pad := margin(a.reach+b.reach, t.X+t.Y+t.Z) + q.touch + a.tolerance + b.tolerance
	n := vec.Unit(q.toB.Apply(a.center).Sub(b.center))
	for range directions {
		inA := q.toB.TurnBack(n)
		low, high := lowest(a, inA), lowest(b, n.Mul(-1))
		gap := q.toB.Apply(low).Sub(high)
		if n.Dot(gap) > pad {
			return true
		}
		r := vec.Unit(gap)
		n = vec.Unit(n.Sub(r.Mul(2 * n.Dot(r))))
	}
	return false
}

// lowest returns the node of h that is farthest against the direction n.
func lowest(h *shape, n r3.Vector) r3.Vector {
	best, least := 0, math.Inf(1)
	for i := range h.at {
		v := &h.at[i]
		if x := float64(n.X*v.X) + float64(n.Y*v.Y) + float64(n.Z*v.Z); x < least {
			best, least = i, x
		}
	}
	return h.at[best]
}

// centerOf returns the center of body q.b, which has shape b, in the frame of body q.a.
func (q *query) centerOf(b *shape) r3.Vector { return q.toB.TurnBack(b.center.Sub(q.toB.T)) }

// squareSlack exceeds the error of a squared distance that underflows.
const squareSlack = 0x1p-1000

// limit2 returns an upper limit for the computed square of a distance up to r. The limit covers the
// roundings of this square and of r².
func limit2(r float64) float64 { return float64(r*r)*(1+0x1p-50) + squareSlack }

// beyond reports whether the length of d certainly exceeds r.
func beyond(d r3.Vector, r float64) bool { return d.Dot(d) > limit2(r) }

// nodesIn finds the nodes of body q.a in the box of body q.b, widened by q.touch, and appends them
// to the results of worker k. The rounding of the widened box is harmless. The rounding error is at
// most u times a coordinate of the box, and this coordinate is at most a.reach plus the distance of
// the origins. So the error is less than the difference between q.touch and the error of a node
// that touches the box.
func (w *World) nodesIn(q *query, k *worker) {
	q.span = span{worker: k.id, first: len(k.pts)}
	a, b := w.shapes[w.shape[q.a]], w.shapes[w.shape[q.b]]
	d := q.toB.T
	c := q.centerOf(b)
	r2 := limit2(b.ball + margin(a.reach+b.reach, math.Abs(d.X)+math.Abs(d.Y)+math.Abs(d.Z)) + q.touch)
	wide := r3.Vector{X: q.touch, Y: q.touch, Z: q.touch}
	index, box := a.nodes.Index(), bvh.Box{Min: b.box.Min.Sub(wide), Max: b.box.Max.Add(wide)}
	k.walk.Start(a.nodes, q.region)
	for first, count, ok := k.walk.Next(); ok; first, count, ok = k.walk.Next() {
		k.examined += uint64(count)
		for i, v := range a.at[first : first+count] {
			x, y, z := v.X-c.X, v.Y-c.Y, v.Z-c.Z
			if float64(x*x)+float64(y*y)+float64(z*z) > r2 {
				continue
			}
			if p := q.toB.Apply(v); box.Contains(p) {
				k.pts, k.nodes = append(k.pts, p), append(k.nodes, index[int(first)+i])
			}
		}
	}
	q.span.count = len(k.pts) - q.span.first
}

// arrange assigns a range of step.pts to each query. If the bodies b of several queries have the
// same shape, their ranges are consecutive. arrange returns the number of candidate nodes.
func (w *World) arrange() (total int, err error) {
	s := &w.step
	s.starts = resize(s.starts, len(w.shapes)+1)
	clear(s.starts)
	// counts[h] is the number of queries whose body b has shape h. Later it is the position of the
	// first such query in s.order.
	counts := s.starts[1:]
	for i := range s.queries {
		counts[w.shape[s.queries[i].b]]++
	}
	for h := range counts {
		counts[h] += s.starts[h]
	}
	s.order = resize(s.order, len(s.queries))
	for i := len(s.queries) - 1; i >= 0; i-- {
		h := w.shape[s.queries[i].b]
		counts[h]--
		s.order[counts[h]] = int32(i)
	}
	s.starts = w.layOut(s.starts, func(q *query, first int) int {
		q.first = first
		return q.span.count
	})
	total = s.starts[len(w.shapes)]
	if total > math.MaxInt32 {
		return 0, fmt.Errorf("the number of nodes in boxes of other bodies is %d, must be at most %d", total, math.MaxInt32)
	}
	return total, nil
}
