package cells

import (
	"context"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/predicates"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Scratch is the working memory of one goroutine and counts its work. The zero
// value is ready.
type Scratch struct {
	// Done, if not nil, interrupts what may take long for a single point when it
	// is closed: the answer is then Unknown.
	Done <-chan struct{}
	// Context, if not nil, is given to Options.Rays; where it ends first the answer
	// is Unknown.
	Context context.Context

	points    uint64
	undecided uint64
	err       error // of Rays
	signs     predicates.Counter
	rays      raycross.Scratch
}

// Stats returns the counts of all work done with s.
func (s *Scratch) Stats() side.Stats {
	out := s.rays.Stats()
	out.Points += s.points
	out.Undecided += s.undecided
	out.Filter += s.signs.Filter
	out.Expansion += s.signs.Expansion
	out.Exact += s.signs.Exact
	return out
}

// Side returns the side of p under the rule of x: the same as raycross.
func (x *Index) Side(p r3.Vector, s *Scratch) side.Side {
	tx, ty, tz := x.at(p)
	if x.gone || !x.holds(tx, ty, tz) {
		return x.beyond(p, s)
	}
	ix, iy, iz := int32(tx), int32(ty), int32(tz)
	e, at, bit := x.find(ix, iy, iz)
	if e&needsRays != 0 {
		return x.hand(p, s)
	}
	word := &x.words[at]
	if word.crossed>>bit&1 == 0 {
		s.points++
		return label(e, word.value>>bit)
	}
	return x.crossed(p, tx, ty, tz, x.lineOf(at, bit), place{0, [3]int32{ix, iy, iz}}, s)
}

// label returns the side of an empty cell whose value is the lowest bit of v, in
// the brick with entry e in top.
func label(e uint32, v uint64) side.Side {
	return side.Outside + side.Side(e>>(v&1)&1)*(side.Inside-side.Outside)
}

// crossed is Side for a point in a cell that has a line.
func (x *Index) crossed(p r3.Vector, tx, ty, tz float64, id uint32, c place, s *Scratch) side.Side {
	id, w, ok := x.leaf(tx, ty, tz, id, &c)
	if ok {
		if !x.line(id).listed() {
			return x.hand(p, s)
		}
		ux, uy, uz := c.units(tx, ty, tz, x.scale(c.level))
		var v verdict
		w, v = x.local(id, c, p, ux, uy, uz, &s.signs)
		switch v {
		case onSurface:
			s.points++
			return side.OnSurface
		case handOver:
			return x.hand(p, s)
		}
	}
	s.points++
	if x.inside(w) {
		return side.Inside
	}
	return side.Outside
}

func (s *Scratch) context() context.Context {
	if s.Context != nil {
		return s.Context
	}
	return context.Background()
}

// hand lets rays answer.
func (x *Index) hand(p r3.Vector, s *Scratch) side.Side {
	c, err := x.rays(s.context())
	if err != nil {
		s.err = err
		s.points++
		s.undecided++
		return side.Unknown
	}
	s.rays.Done = s.Done
	return c.Side(p, &s.rays)
}

// beyond answers for a point outside of the grid, or without one.
func (x *Index) beyond(p r3.Vector, s *Scratch) side.Side {
	if x.gone || x.veil != nil {
		return x.hand(p, s)
	}
	s.points++
	if !vec.Finite(p) {
		s.undecided++
		return side.Unknown
	}
	return side.Outside
}

// Winding returns the winding number of p and a bound of its error: those of
// raycross.Caster.Winding. Off the surface of a closed mesh that is an exact
// integer, with bound 0; on the surface, and for open meshes, rays find it.
func (x *Index) Winding(p r3.Vector, s *Scratch) (w, bound float64) {
	tx, ty, tz := x.at(p)
	switch {
	case x.gone || !x.mesh.Closed():
		return x.handWinding(p, s)
	case !vec.Finite(p):
		s.points++
		return math.NaN(), math.Inf(1)
	case !x.holds(tx, ty, tz):
		s.points++
		return 0, 0
	}
	c := place{0, [3]int32{int32(tx), int32(ty), int32(tz)}}
	e, at, bit := x.find(c.at[0], c.at[1], c.at[2])
	if e&needsRays != 0 {
		return x.handWinding(p, s)
	}
	word := &x.words[at]
	var n int32
	if word.crossed>>bit&1 == 0 {
		n = x.w[e>>3][word.value>>bit&1]
	} else {
		id, v, ok := x.leaf(tx, ty, tz, x.lineOf(at, bit), &c)
		if n = v; ok {
			if !x.line(id).listed() {
				return x.handWinding(p, s)
			}
			ux, uy, uz := c.units(tx, ty, tz, x.scale(c.level))
			var got verdict
			if n, got = x.local(id, c, p, ux, uy, uz, &s.signs); got != counted {
				return x.handWinding(p, s)
			}
		}
	}
	s.points++
	return float64(n), 0
}

func (x *Index) handWinding(p r3.Vector, s *Scratch) (w, bound float64) {
	c, err := x.rays(s.context())
	if err != nil {
		s.err = err
		return math.NaN(), math.Inf(1)
	}
	s.rays.Done = s.Done
	return c.Winding(p, &s.rays)
}

// find returns the entry in top of the brick of a cell of the first level, and
// its word and bit.
func (x *Index) find(ix, iy, iz int32) (e, word uint32, bit uint) {
	e = x.top[(iz>>brickBits*x.dims[1]+iy>>brickBits)*x.dims[0]+ix>>brickBits]
	return e, e>>3*brickSide + uint32(iz&(brickSide-1)), uint(ix&(brickSide-1) | iy&(brickSide-1)<<brickBits)
}

// lineOf returns the line of a crossed cell.
func (x *Index) lineOf(word uint32, bit uint) uint32 {
	return x.base[word] + uint32(bits.OnesCount64(x.words[word].crossed&(1<<bit-1)))
}
