package assembly

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// Choice selects one of the solids that contain a point. The zero value is First.
type Choice uint8

const (
	// First is the first of them in the order of the assembly.
	First Choice = iota
	// Innermost is the solid with the smallest absolute volume, or the first of several
	// with the same volume. Of nested shells it is the innermost. The volume is Σ
	// det(a−o, b−o, c−o)/6 over the faces, as computed in float64, with cavities
	// subtracted. A fan to the mean of its boundary closes an open mesh.
	Innermost
	// Count is the number of solids that contain the point.
	Count
)

var choiceNames = [...]string{"first", "innermost", "count"}

// String returns the name that ParseChoice accepts.
func (c Choice) String() string {
	if int(c) < len(choiceNames) {
		return choiceNames[c]
	}
	return fmt.Sprintf("Choice(%d)", uint8(c))
}

// ParseChoice returns the choice called name, in any case: first, innermost or count.
func ParseChoice(name string) (Choice, error) {
	for i, n := range choiceNames {
		if strings.EqualFold(n, name) {
			return Choice(i), nil
		}
	}
	return First, fmt.Errorf("unknown choice of bodies %q: want %s", name, strings.Join(choiceNames[:], ", "))
}

// Special values in place of the number of a solid, or of a count of solids.
const (
	// None says that no solid contains the point.
	None int32 = -1
	// Uncertain says that the side of some solid is Unknown and that the answer depends
	// on it, or that the point is not finite.
	Uncertain int32 = -2
)

// Query holds the parameters of LocateTo other than the wanted answers.
type Query struct {
	Body Choice // of Answers.Body
}

// Answers holds the slices that LocateTo writes to, with one element for each point. An
// answer whose slice is nil is not computed.
type Answers struct {
	// The sides, winding numbers and distances of the union: see Assembly.Side, Winding
	// and Distance. Face is a number in the mesh of NearestBody.
	inpoly.Answers
	NearestBody []int32 // solid with the nearest face; wanted together with Distance
	Body        []int32 // see Assembly.Body and Query.Body
	Sets        *Sets   // see Assembly.Bodies
}

func (a *Answers) check(n int) {
	a.Answers.Answers.Check(n)
	if a.Body != nil && len(a.Body) != n || (a.Distance != nil || a.Face != nil || a.NearestBody != nil) &&
		(len(a.Distance) != n || len(a.Face) != n || len(a.NearestBody) != n) {
		panic("assembly: answers and points differ in length")
	}
}

// clear marks every element as not answered.
func (a *Answers) clear(n int) {
	a.Answers.Answers.Clear()
	for i := range a.Distance {
		a.Distance[i], a.Face[i], a.NearestBody[i] = math.NaN(), -1, None
	}
	for i := range a.Body {
		a.Body[i] = Uncertain
	}
	if a.Sets != nil {
		a.Sets.clear(n)
	}
}

// union returns the side of a point relative to two solids: the last of Outside,
// OnSurface, Unknown and Inside.
func union(s, t side.Side) side.Side {
	switch {
	case s == side.Inside || t == side.Inside:
		return side.Inside
	case s == side.Unknown || t == side.Unknown:
		return side.Unknown
	case s == side.OnSurface || t == side.OnSurface:
		return side.OnSurface
	}
	return side.Outside
}

// Side returns where p lies relative to the union of the solids: Inside if p is Inside
// any solid; else Unknown if its side of any solid is Unknown; else OnSurface if p is on
// any solid; else Outside. So a point on the common face of two solids that touch is
// OnSurface. Side allocates no more than inpoly.Solid.Side.
//
// The union differs from one Solid with all faces if solids cancel: a cavity that is a
// separate solid counts as filled under the rule NonZero.
func (a *Assembly) Side(p r3.Vector) side.Side {
	if !vec.Finite(p) {
		return side.Unknown
	}
	out := side.Outside
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok && out != side.Inside; i, ok = w.next() {
		out = union(out, a.members[i].set.Sides.Side(p))
	}
	return out
}

// Body returns the solid that c chooses among those that contain p, None or
// Uncertain; for Count their number or Uncertain. It allocates no more than
// inpoly.Solid.Side.
//
// It is Uncertain if a solid whose side is Unknown would be chosen if it contained p.
// That is a solid that comes before the chosen one, or any such solid for Count. Body
// panics if c is not one of the constants.
func (a *Assembly) Body(p r3.Vector, c Choice) int32 {
	by := a.ranking(c)
	if !vec.Finite(p) {
		return Uncertain
	}
	n, best, unknown := int32(0), len(a.members), len(a.members)
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok; i, ok = w.next() {
		rank := int(by.of[i])
		if c != Count && rank > min(best, unknown) {
			continue
		}
		switch s := a.members[i].set.Sides.Side(p); {
		case s == side.Unknown:
			unknown = min(unknown, rank)
		case s.Contains():
			best = min(best, rank)
			n++
		}
	}
	switch {
	case c == Count && unknown < len(a.members):
		return Uncertain
	case c == Count:
		return n
	case unknown < best:
		return Uncertain
	case best < len(a.members):
		return by.order[best]
	}
	return None
}

// ranking returns the order of solids in which c prefers them: c chooses the first solid
// that contains the point.
func (a *Assembly) ranking(c Choice) *ranking {
	switch c {
	case First, Count:
		return &a.given
	case Innermost:
		return &a.smallest
	}
	panic(fmt.Sprintf("assembly: unknown choice %d", c))
}

// Bodies appends the numbers of the solids that contain p to dst, ascending, and returns
// it. The result is not certain if the side of some solid is Unknown: that solid is
// skipped. It allocates no more than inpoly.Solid.Side if dst has room.
func (a *Assembly) Bodies(dst []int32, p r3.Vector) (bodies []int32, certain bool) {
	if !vec.Finite(p) {
		return dst, false
	}
	certain = true
	from := len(dst)
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok; i, ok = w.next() {
		switch s := a.members[i].set.Sides.Side(p); {
		case s == side.Unknown:
			certain = false
		case s.Contains():
			dst = append(dst, i)
		}
	}
	slices.Sort(dst[from:])
	return dst, certain
}

// SidesTo is LocateTo for sides alone.
func (a *Assembly) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector) error {
	if len(dst) != len(pts) {
		panic("assembly: answers and points differ in length")
	}
	_, err := a.LocateTo(ctx, Query{}, Answers{Answers: inpoly.Answers{Answers: side.Answers{Sides: dst}}}, pts)
	return err
}

// progressChunk is the number of points that are answered between two calls of
// Options.Progress. tuning
const progressChunk = 1 << 18

// LocateTo writes the wanted answers for pts to dst, using Options.Workers goroutines, and
// returns the counts of the work for sides and bodies: a point counts once, even if
// several solids answer for it. It panics if lengths differ. If ctx ends first, its error
// is returned, and elements without an answer hold Unknown, NaN with the bound +Inf, NaN
// with face and body −1, Uncertain, and sets that are empty and not certain.
//
// Answers do not depend on the order of points or the number of workers. Winding numbers
// of open meshes by multipoles change within their bounds as inpoly.Solid.LocateTo says.
// Each worker needs a few megabytes of working memory, for any number of points and
// solids. The first call for distances of several solids puts all faces into a tree,
// which is kept.
func (a *Assembly) LocateTo(ctx context.Context, q Query, dst Answers, pts []r3.Vector) (side.Stats, error) {
	dst.check(len(pts))
	dst.clear(len(pts))
	if dst.Body != nil {
		a.ranking(q.Body)
	}
	var stats side.Stats
	step := len(pts)
	progress := a.progress
	if len(pts) <= progressChunk {
		progress = nil
	}
	if progress != nil {
		step = progressChunk
	}
	for lo := 0; lo < len(pts); lo += step {
		hi := min(len(pts), lo+step)
		more, err := a.locateTo(ctx, q, dst.slice(lo, hi), pts[lo:hi])
		stats.Add(more)
		if err != nil {
			return stats, err
		}
		if progress != nil && (hi < len(pts) || dst.Sets == nil) {
			progress("locate", int64(hi), int64(len(pts)))
		}
	}
	if dst.Sets != nil {
		if err := a.setsTo(ctx, dst.Sets, pts); err != nil {
			return stats, err
		}
		if progress != nil {
			progress("locate", int64(len(pts)), int64(len(pts)))
		}
	}
	return stats, ctx.Err()
}

// slice returns the answers for points lo to hi−1, without sets.
func (a Answers) slice(lo, hi int) Answers {
	a.Answers.Answers = a.Answers.Answers.Slice(lo, hi)
	if a.Distance != nil {
		a.Distance, a.Face, a.NearestBody = a.Distance[lo:hi], a.Face[lo:hi], a.NearestBody[lo:hi]
	}
	if a.Body != nil {
		a.Body = a.Body[lo:hi]
	}
	a.Sets = nil
	return a
}

// locateTo is LocateTo without sets.
func (a *Assembly) locateTo(ctx context.Context, q Query, dst Answers, pts []r3.Vector) (stats side.Stats, err error) {
	if len(a.members) == 1 {
		alone := dst.Answers
		if dst.Body != nil {
			alone.Sides = nil // they come with the bodies
		}
		stats, err = a.members[0].solid.LocateTo(ctx, alone, pts)
		for i := range dst.NearestBody {
			if dst.Face[i] >= 0 {
				dst.NearestBody[i] = 0
			}
		}
		if dst.Body == nil || err != nil {
			return stats, err
		}
		stats = side.Stats{}
		dst.Winding, dst.Distance = nil, nil
	}
	if dst.Sides != nil || dst.Body != nil {
		work, err := a.bodiesTo(ctx, q.Body, dst, pts)
		stats.Add(work)
		if err != nil {
			return stats, err
		}
	}
	if dst.Winding != nil {
		if err := a.windingsTo(ctx, dst, pts); err != nil {
			return stats, err
		}
	}
	if dst.Distance != nil {
		return stats, a.distancesTo(ctx, dst, pts)
	}
	return stats, nil
}

// bodiesTo fills the sides and bodies of dst. The caller has cleared them.
func (a *Assembly) bodiesTo(ctx context.Context, c Choice, dst Answers, pts []r3.Vector) (side.Stats, error) {
	by := &a.given
	if dst.Body != nil {
		by = a.ranking(c)
	}
	stats, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		b := bodyBlock{choice: c}
		if dst.Body != nil {
			b.bodies = make([]int32, hi-lo)
		}
		if dst.Sides != nil {
			b.sides = make([]side.Side, hi-lo)
		}
		if b.locate(ctx, a, w, by, pts[lo:hi]) != nil {
			return
		}
		if dst.Body != nil {
			copy(dst.Body[lo:hi], b.bodies)
		}
		if dst.Sides != nil {
			copy(dst.Sides[lo:hi], b.sides)
		}
	})
	if dst.Sides != nil {
		stats.Undecided = 0
		for _, s := range dst.Sides {
			if s == side.Unknown {
				stats.Undecided++
			}
		}
	}
	return stats, err
}

// bodyBlock collects the answers for a block.
type bodyBlock struct {
	choice Choice
	bodies []int32     // nil if they are not wanted
	sides  []side.Side // of the union; nil if they are not wanted
	exact  bool        // ignore the tolerance
}

// locate fills b with the answers for pts.
func (b *bodyBlock) locate(ctx context.Context, a *Assembly, w *batchWorker, by *ranking, pts []r3.Vector) error {
	b.start(pts)
	return w.forEachBody(ctx, &a.sideBounds, by, pts, func(ctx context.Context, w *batchWorker, solid int32, points []int32) error {
		return b.group(ctx, a, w, solid, points, pts)
	})
}

// start writes the answers for points that are in no box of a solid.
func (b *bodyBlock) start(pts []r3.Vector) {
	for i, p := range pts {
		body, s := None, side.Outside
		switch {
		case !vec.Finite(p):
			body, s = Uncertain, side.Unknown
		case b.choice == Count:
			body = 0
		}
		if b.bodies != nil {
			b.bodies[i] = body
		}
		if b.sides != nil {
			b.sides[i] = s
		}
	}
}

// undecided reports whether another solid may change the answers for point i.
func (b *bodyBlock) undecided(i int32) bool {
	if b.sides != nil && b.sides[i] != side.Inside {
		return true
	}
	switch {
	case b.bodies == nil:
		return false
	case b.choice == Count:
		return b.bodies[i] != Uncertain
	}
	return b.bodies[i] == None
}

// group lets one solid answer for points. Solids come in the order of the ranking: the
// first that is not Outside decides.
func (b *bodyBlock) group(ctx context.Context, a *Assembly, w *batchWorker, solid int32, points []int32, pts []r3.Vector) error {
	w.picked = w.picked[:0]
	for _, i := range points {
		if vec.Finite(pts[i]) && b.undecided(i) {
			w.picked = append(w.picked, i)
		}
	}
	m := &a.members[solid]
	l := m.set.Sides
	if b.exact {
		l = m.set.Exact
	}
	if err := w.locate(ctx, m, l, w.picked, pts, true); err != nil {
		return err
	}
	for k, i := range w.picked {
		s := w.answers.Sides[k]
		if b.sides != nil {
			b.sides[i] = union(b.sides[i], s)
		}
		if b.bodies == nil || s == side.Outside || b.bodies[i] == Uncertain {
			continue
		}
		switch {
		case b.choice == Count && s == side.Unknown:
			b.bodies[i] = Uncertain
		case b.choice == Count:
			b.bodies[i]++
		case b.bodies[i] != None: // a solid before this one contains it
		case s == side.Unknown:
			b.bodies[i] = Uncertain
		default:
			b.bodies[i] = solid
		}
	}
	return nil
}
