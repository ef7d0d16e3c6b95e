package rays

import (
	"context"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/raytree"
	"github.com/inpoly/inpoly/internal/vec"
)

// candidate is a triangle that a line can meet.
type candidate struct {
	tri  int32 // index into Caster.tris
	line int32 // number of the line in its block
	sign int8  // the common sign of the volumes of the edges, or 0 if it is not known
}

// misses reports that l certainly does not meet the box of the mesh.
func (c *Caster) misses(l *line) bool {
	limit := math.Inf(1)
	if l.segment {
		limit = 1
	}
	return c.near.Misses(l.a, l.d, limit)
}

// start begins the walk of l.
func (c *Caster) start(w *raytree.Walk, l *line) {
	if l.isPoint() {
		w.Start(c.near, l.a, r3.Vector{X: 1}, l.radius) // a point that is too far for Start is on no face
		w.Limit(0)
		return
	}
	c.startRay(w, l, 1)
	if l.segment {
		w.Limit(1)
	}
}

// startRay begins the walk from the start of l along its direction times the factor, which is 1 or −1.
func (c *Caster) startRay(w *raytree.Walk, l *line, factor float64) {
	if subnormal := l.posed != nil && vec.MaxAbs(l.d) < leastDirection; subnormal || !w.Start(c.near, l.a, l.d.Mul(factor), l.radius) {
		origin, direction := l.exact()
		w.StartExact(c.near, origin, direction.MulByFloat64(factor))
	}
}

// leastDirection is the least length of a direction for which, with a pose, the relative error is
// bounded.
const leastDirection = 0x1p-900

// patience lets long loops check whether a context has ended. It calls ctx.Err only at every 64th
// call.
type patience struct {
	ctx   context.Context
	calls uint32
	over  bool
}

// ended reports whether the context had ended at the last call of ctx.Err.
func (p *patience) ended() bool {
	if p.calls++; p.calls%64 == 0 && !p.over {
		p.over = p.ctx.Err() != nil
	}
	return p.over
}

// each calls visit for the triangles of b that the line can meet.
func each(b raytree.Block, visit func(tri int32, sign int8)) {
	for met := b.Met; met != 0; met &= met - 1 {
		k := bits.TrailingZeros8(met)
		visit(b.First+int32(k), int8(b.Leaves>>k&1)-int8(b.Enters>>k&1))
	}
}

// search is the search for the hits of one line, in one slot of a Stream.
type search struct {
	line
	memory posed // memory of line
	number int   // number of the line in its block
	best   hit   // the first of the hits that were found
	other  hit   // memory for another hit
	ok     bool  // whether a hit was found
}

// searchAll runs the searches of a block of lines. For each search, it calls take for each block of
// triangles, until take returns false, and then done. searchAll starts another search only if more
// returns true. It returns the number of searches. If the context ends, searchAll returns early.
func searchAll[L Line](c *Caster, s *scratch, lines []L, more func() bool, take func(q *search, w *raytree.Walk, b raytree.Block) bool,
	done func(q *search)) (searches int) {
	next := 0
	begin := func(slot int) {
		q := &s.searches[slot]
		for {
			if next == len(lines) || !more() {
				return
			}
			setLine(c, &q.line, &lines[next], &q.memory)
			q.number, q.ok = next, false
			if !q.bad && !c.misses(&q.line) {
				break
			}
			done(q)
			next++
		}
		c.start(&s.stream.Walks[slot], &q.line)
		s.stream.Add(slot)
		next++
	}
	for slot := range s.searches {
		begin(slot)
	}
	for s.stream.Advance(c.near, func(slot int, b raytree.Block) {
		if s.patience.ended() {
			return
		}
		q := &s.searches[slot]
		if b.Met != 0 && take(q, &s.stream.Walks[slot], b) {
			s.stream.Add(slot)
			return
		}
		done(q)
		begin(slot)
	}) {
	}
	return next
}

// always begins all searches.
func always() bool { return true }

// candidates are the candidates of a block of lines.
type candidates struct {
	found, ordered []candidate
	offsets        []int // the candidates of line i are ordered[offsets[i]:offsets[i+1]]
}

// of returns the candidates of line i of the block.
func (x *candidates) of(i int) []candidate { return x.ordered[x.offsets[i]:x.offsets[i+1]] }

// enough limits the memory of a block of lines: gather starts no more lines after this number of
// candidates (tuning).
const enough = 1 << 16

// gather sets s.candidates to the candidates of the first lines of a block, and returns the number
// of these lines. If there are lines and the context has not ended, the number is at least 1.
func gather[L Line](c *Caster, s *scratch, lines []L) (n int) {
	x := &s.candidates
	x.found, x.ordered, x.offsets = x.found[:0], x.ordered[:0], x.offsets[:0]
	for range len(lines) + 2 {
		x.offsets = append(x.offsets, 0)
	}
	n = searchAll(c, s, lines, func() bool { return len(x.found) < enough }, func(q *search, _ *raytree.Walk, b raytree.Block) bool {
		each(b, func(tri int32, sign int8) {
			x.found = append(x.found, candidate{tri, int32(q.number), sign})
			x.offsets[q.number+2]++
		})
		return true
	}, func(*search) {})
	// Sort the candidates by their lines. During the sort, offsets[i+1] moves from the start to the
	// end of line i.
	for i := 2; i < len(x.offsets); i++ {
		x.offsets[i] += x.offsets[i-1]
	}
	x.ordered = append(x.ordered, x.found...)
	for _, f := range x.found {
		x.ordered[x.offsets[f.line+1]] = f
		x.offsets[f.line+1]++
	}
	return n
}

// eachGathered calls visit with the candidates of each line of a block, in the order of the lines. The
// arguments are valid during the call. If the context ends, eachGathered returns early.
func eachGathered[L Line](c *Caster, s *scratch, lines []L, visit func(i int, l *line, near []candidate)) {
	for first := 0; first < len(lines); {
		n := gather(c, s, lines[first:])
		for i := range n {
			if s.patience.ended() {
				return
			}
			s.line = newLine(c, &lines[first+i], &s.memory)
			visit(first+i, &s.line, s.candidates.of(i))
		}
		first += n
	}
}

// gatherOne returns the candidates of l, which are valid until the next use of s.
func (c *Caster) gatherOne(l *line, s *scratch) []candidate {
	x, w := &s.candidates, &s.stream.Walks[0]
	x.found = x.found[:0]
	c.start(w, l)
	for b := w.Next(); b.Met != 0 && !s.patience.ended(); b = w.Next() {
		each(b, func(tri int32, sign int8) { x.found = append(x.found, candidate{tri, 0, sign}) })
	}
	return x.found
}
