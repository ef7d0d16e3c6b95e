package rays

import (
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/raytree"
)

// candidate is a triangle that a line can meet.
type candidate struct {
	tri  int32 // index into Caster.tris
	line int32 // number of the line in its block
	sign int8  // the common sign of the volumes of the edges, or 0 if it is not known
}

// start begins the walk of l.
func (c *Caster) start(w *raytree.Walk, l *line) {
	if l.isPoint() {
		w.Start(c.near, l.a, r3.Vector{X: 1})
		w.Limit(0)
		return
	}
	w.Start(c.near, l.a, l.d)
	if l.segment {
		w.Limit(1)
	}
}

// each calls visit for the triangles of b that the line can meet.
func each(b raytree.Block, visit func(tri int32, sign int8)) {
	for met := b.Met; met != 0; met &= met - 1 {
		k := bits.TrailingZeros8(met)
		visit(b.First+int32(k), int8(b.Leaves>>k&1)-int8(b.Enters>>k&1))
	}
}

// search is the search of one line in a stream.
type search struct {
	line
	number int  // of the line in its block
	best   hit  // the first of the hits that were found
	ok     bool // whether a hit was found
}

// searchAll runs the searches of a block of lines. It calls take for each block of triangles, until take
// returns false, and then done.
func searchAll[L Line](c *Caster, s *scratch, lines []L, take func(q *search, w *raytree.Walk, b raytree.Block) bool, done func(q *search)) {
	next := 0
	begin := func(slot int) {
		if next == len(lines) {
			return
		}
		q := &s.searches[slot]
		q.line, q.number, q.ok = newLine(&lines[next]), next, false
		c.start(&s.stream.Walks[slot], &q.line)
		s.stream.Add(slot)
		next++
	}
	for slot := range s.searches {
		begin(slot)
	}
	for s.stream.Advance(c.near, func(slot int, b raytree.Block) {
		q := &s.searches[slot]
		if b.Met != 0 && take(q, &s.stream.Walks[slot], b) {
			s.stream.Add(slot)
			return
		}
		done(q)
		begin(slot)
	}) {
	}
}

// candidates are the candidates of a block of lines.
type candidates struct {
	found, ordered []candidate
	offsets        []int32 // the candidates of line i are ordered[offsets[i]:offsets[i+1]]
}

// of returns the candidates of a line of the block.
func (x *candidates) of(i int) []candidate { return x.ordered[x.offsets[i]:x.offsets[i+1]] }

// gather sets s.candidates to the candidates of a block of lines.
func gather[L Line](c *Caster, s *scratch, lines []L) {
	x := &s.candidates
	x.found, x.ordered, x.offsets = x.found[:0], x.ordered[:0], x.offsets[:0]
	for range len(lines) + 2 {
		x.offsets = append(x.offsets, 0)
	}
	searchAll(c, s, lines, func(q *search, _ *raytree.Walk, b raytree.Block) bool {
		each(b, func(tri int32, sign int8) {
			x.found = append(x.found, candidate{tri, int32(q.number), sign})
			x.offsets[q.number+2]++
		})
		return true
	}, func(*search) {})
	// Sort the candidates by their lines. First offsets[i+1] becomes the start of line i, then its end.
	for i := 2; i < len(x.offsets); i++ {
		x.offsets[i] += x.offsets[i-1]
	}
	x.ordered = append(x.ordered, x.found...)
	for _, f := range x.found {
		x.ordered[x.offsets[f.line+1]] = f
		x.offsets[f.line+1]++
	}
}

// gatherOne returns the candidates of l, which are valid until the next use of s.
func (c *Caster) gatherOne(l *line, s *scratch) []candidate {
	x, w := &s.candidates, &s.stream.Walks[0]
	x.found = x.found[:0]
	c.start(w, l)
	for b := w.Next(); b.Met != 0; b = w.Next() {
		each(b, func(tri int32, sign int8) { x.found = append(x.found, candidate{tri, 0, sign}) })
	}
	return x.found
}
