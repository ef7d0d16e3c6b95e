package cells

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Scratch is the working memory for queries in one goroutine. It also counts the work of these
// queries. The zero value is ready for use.
type Scratch struct {
	// Interrupt can be nil. Closing Interrupt interrupts a query that takes a long time for a single
	// point. The side of that point is then Unknown.
	Interrupt <-chan struct{}

	points    uint64
	undecided uint64
	err       error // last error of Rays
	signs     predicates.Counter
	rays      raycross.Scratch
}

// Stats returns the counts of all queries that used s.
func (s *Scratch) Stats() side.Stats {
	out := s.rays.Stats()
	out.Points += s.points
	out.Undecided += s.undecided
	out.Filter += s.signs.Filter
	out.Expansion += s.signs.Expansion
	out.Exact += s.signs.Exact
	return out
}

// Side returns the side of p under the rule of x. The result equals the result of raycross. The
// side is OnSurface if p lies exactly on a face, and Unknown if p is not finite. Side takes O(1)
// time if triangles near p have similar sizes. It allocates nothing. If s is nil, Side counts
// nothing. If Rays fails, the side is Unknown.
func (x *Index) Side(p r3.Vector, s *Scratch) side.Side {
	if s == nil {
		return x.sideUncounted(p)
	}
	d, ok := x.sideWithoutRay(p, &s.signs)
	if !ok {
		return x.sideByRay(p, s)
	}
	s.points++
	if d == side.Unknown {
		s.undecided++
	}
	return d
}

// sideUncounted does the work of Side if the caller passes no Scratch. It creates a Scratch only if
// p needs a ray, because clearing 2 kB takes as long as most queries.
func (x *Index) sideUncounted(p r3.Vector) side.Side {
	var signs predicates.Counter
	d, ok := x.sideWithoutRay(p, &signs)
	if !ok {
		return x.sideByRay(p, new(Scratch))
	}
	return d
}

// sideWithoutRay returns the side of p. ok is false if only a ray can find the side.
func (x *Index) sideWithoutRay(p r3.Vector, signs *predicates.Counter) (d side.Side, ok bool) {
	g := &x.grid
	tx, ty, tz := g.Coords(p)
	if !g.Contains(tx, ty, tz) { // without a grid, Contains returns false
		switch {
		case x.noGrid:
			return side.Unknown, false
		case !vec.Finite(p):
			return side.Unknown, true
		case len(g.Caps) > 0:
			return x.sideByCaps(p, 0)
		}
		return side.Outside, true
	}
	ix, iy, iz := int32(tx), int32(ty), int32(tz)
	entry, at, bit := g.Find(ix, iy, iz)
	if entry&layout.TopRayOnly != 0 {
		return side.Unknown, false
	}
	word := &g.Words[at]
	switch {
	case word.Crossed>>bit&1 == 0:
		return layout.Label(entry, word.Value>>bit), true
	case g.IsOpen(at, bit):
		return x.sideInOpenCell(p, tx, ty, tz, entry, at, bit, signs)
	}
	return x.sideInCell(p, tx, ty, tz, g.RecordOf(at, bit), layout.CellAddr{Level: 0, At: [3]int32{ix, iy, iz}}, signs)
}

// sideInCell returns the side of p, which is in the level-0 cell at c. The first record of the cell
// has number id. ok is false if only a ray can find the side.
func (x *Index) sideInCell(p r3.Vector, tx, ty, tz float64, id uint32, c layout.CellAddr, signs *predicates.Counter) (d side.Side, ok bool) {
	w, o := x.grid.WindingInCell(p, tx, ty, tz, id, c, signs)
	switch o {
	case layout.NeedsRay:
		return side.Unknown, false
	case layout.OnSurface:
		return side.OnSurface, true
	}
	return x.grid.Side(w), true
}

// sideByRay uses a ray to find the side of p. It returns Unknown if s is interrupted or Rays fails.
func (x *Index) sideByRay(p r3.Vector, s *Scratch) side.Side {
	if par.Interruption(s.Interrupt).Err() != nil {
		return side.Unknown
	}
	c, err := x.rays(par.Interruption(s.Interrupt))
	if err != nil {
		s.err = err
		s.points++
		s.undecided++
		return side.Unknown
	}
	s.rays.Done = s.Interrupt
	return c.Side(p, &s.rays)
}

// Winding returns the winding number of p and a bound of its error. Both results equal the results
// of raycross.Caster.Winding. If the mesh is closed and p is not on the surface, w is an exact
// integer and bound is 0. For open meshes and for points on the surface, Winding uses a ray. If p
// is not finite, w is NaN and bound is +Inf.
func (x *Index) Winding(p r3.Vector, s *Scratch) (w, bound float64) {
	g := &x.grid
	tx, ty, tz := g.Coords(p)
	switch {
	case x.noGrid || !g.Mesh.Closed():
		return x.windingByRay(p, s)
	case !vec.Finite(p):
		s.points++
		return math.NaN(), math.Inf(1)
	case !g.Contains(tx, ty, tz):
		s.points++
		return 0, 0
	}
	c := layout.CellAddr{Level: 0, At: [3]int32{int32(tx), int32(ty), int32(tz)}}
	entry, at, bit := g.Find(c.At[0], c.At[1], c.At[2])
	if entry&layout.TopRayOnly != 0 {
		return x.windingByRay(p, s)
	}
	word := &g.Words[at]
	n := g.W[entry>>3][word.Value>>bit&1]
	if word.Crossed>>bit&1 == 1 {
		var o layout.Outcome
		if n, o = g.WindingInCell(p, tx, ty, tz, g.RecordOf(at, bit), c, &s.signs); o != layout.Decided {
			return x.windingByRay(p, s)
		}
	}
	s.points++
	return float64(n), 0
}

func (x *Index) windingByRay(p r3.Vector, s *Scratch) (w, bound float64) {
	c, err := x.rays(par.Interruption(s.Interrupt))
	if err != nil {
		s.err = err
		return math.NaN(), math.Inf(1)
	}
	s.rays.Done = s.Interrupt
	return c.Winding(p, &s.rays)
}
