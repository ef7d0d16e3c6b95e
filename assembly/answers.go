package assembly

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/side"
)

// Choice selects one of the solids that contain a point. The zero value is First.
type Choice uint8

const (
	// First selects the solid with the smallest index.
	First Choice = iota
	// Innermost selects the solid with the smallest absolute volume. If several solids have this
	// volume, it selects the first. Among nested shells it selects the innermost. The volume is the
	// sum of det(a−o, b−o, c−o)/6 over the faces a, b, c in float64. Cavities therefore count as
	// negative. The point o is the mean of the boundary of an open mesh, and does not matter for a
	// closed mesh.
	Innermost
	// Count selects no solid. It requests the number of solids that contain the point.
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

// ParseChoice returns the choice with the given name: first, innermost or count. It ignores the
// case of letters.
func ParseChoice(name string) (Choice, error) {
	for i, n := range choiceNames {
		if strings.EqualFold(n, name) {
			return Choice(i), nil
		}
	}
	return First, fmt.Errorf("unknown choice of bodies %q: expected one of %s", name, strings.Join(choiceNames[:], ", "))
}

// Query holds the parameters of LocateTo.
type Query struct {
	Body Choice // selects the solid for inpoly.Answers.Body
}

// union returns the side of a point relative to the union of two solids. s and t are the sides of
// the point relative to the two solids.
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

// Side returns the side of p relative to the union of the solids. The side is Inside if p is Inside
// any solid. Otherwise, it is Unknown if p is Unknown relative to any solid. Otherwise, it is
// OnSurface if p is OnSurface of any solid, such as on the common face of two touching solids. In
// all other cases, it is Outside. Side allocates no more than inpoly.Solid.Side.
//
// The union can differ from one Solid with the faces of all solids, because faces of such a Solid
// can cancel. For example, under the rule NonZero, the union fills a cavity that is a separate
// solid.
func (a *Assembly) Side(p r3.Vector) side.Side {
	if !vec.Finite(p) {
		return side.Unknown
	}
	return a.side(p, false)
}

// side returns the side of a finite point p.
func (a *Assembly) side(p r3.Vector, ignoreTolerance bool) side.Side {
	out := side.Outside
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok && out != side.Inside; i, ok = w.next() {
		out = union(out, a.sideOf(i, p, ignoreTolerance))
	}
	return out
}

// Body returns the index of a solid that contains p, or inpoly.NoBody. If there are several such solids, c
// selects one. If c is Count, Body returns the number of solids that contain p. Body allocates no
// more than inpoly.Solid.Side. It panics if c is not one of the constants.
//
// Body returns inpoly.UncertainBody if the side of p relative to some solid is Unknown, and the answer would
// change if that solid contained p.
func (a *Assembly) Body(p r3.Vector, c Choice) int32 {
	by := a.ranking(c)
	if !vec.Finite(p) {
		return inpoly.UncertainBody
	}
	n, best, unknown := int32(0), len(a.members), len(a.members)
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok; i, ok = w.next() {
		rank := int(by.rankOf[i])
		if c != Count && rank > min(best, unknown) {
			continue
		}
		switch s := a.sideOf(i, p, false); {
		case s == side.Unknown:
			unknown = min(unknown, rank)
		case s.Contains():
			best = min(best, rank)
			n++
		}
	}
	switch {
	case c == Count && unknown < len(a.members):
		return inpoly.UncertainBody
	case c == Count:
		return n
	case unknown < best:
		return inpoly.UncertainBody
	case best < len(a.members):
		return by.order[best]
	}
	return inpoly.NoBody
}

// ranking returns the order for testing solids: the first solid that contains a point is the
// selected solid.
func (a *Assembly) ranking(c Choice) *ranking {
	switch c {
	case First, Count:
		return &a.byIndex
	case Innermost:
		return &a.byVolume
	}
	panic(fmt.Sprintf("assembly: unknown choice %d", c))
}

// Order returns the solids in the order of c: Body selects the first of them that contains a point. The
// order of Count is that of First.
func (a *Assembly) Order(c Choice) []int32 { return slices.Clone(a.ranking(c).order) }

// Bodies appends the indexes of the solids that contain p to dst, ascending, and returns the
// extended slice. If the side of p relative to a solid is Unknown, Bodies omits this solid and
// returns false. If the capacity of dst suffices, Bodies allocates no more than inpoly.Solid.Side.
func (a *Assembly) Bodies(dst []int32, p r3.Vector) (bodies []int32, certain bool) {
	if !vec.Finite(p) {
		return dst, false
	}
	certain = true
	from := len(dst)
	var w boxWalk
	w.start(&a.sideBounds, p)
	for i, ok := w.next(); ok; i, ok = w.next() {
		switch s := a.sideOf(i, p, false); {
		case s == side.Unknown:
			certain = false
		case s.Contains():
			dst = append(dst, i)
		}
	}
	slices.Sort(dst[from:])
	return dst, certain
}

// SidesTo writes the sides of pts to dst; see LocateTo.
func (a *Assembly) SidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector) error {
	answers.Sides.Check(dst, len(pts))
	if len(a.members) == 1 && a.negative == 0 && len(pts) > 0 && !a.reports(len(pts)) {
		set := a.members[0].set // directly: often for a few points
		_, err := set.Sides.LocateTo(ctx, side.Answers{Sides: dst}, pts, set.Workers)
		return err
	}
	_, err := a.LocateTo(ctx, Query{}, inpoly.Answers{Answers: side.Answers{Sides: dst}}, pts)
	return err
}

// progressChunk is the number of points between two calls of Options.Progress (tuning).
const progressChunk = 1 << 18

// reports reports whether a batch of n points calls Options.Progress.
func (a *Assembly) reports(n int) bool { return a.progress != nil && n > progressChunk }

// LocateTo computes the answers for pts and writes them to the slices of dst; see inpoly.Answers. It
// uses Options.Workers goroutines. The Stats count the work for sides and bodies. They count each point
// once, even if several solids are queried for the point. LocateTo panics if a slice of dst is not
// nil and its length differs from the length of pts.
//
// LocateTo returns the error of CheckNegative if winding numbers, distances or closest points are requested.
// If ctx ends first, LocateTo returns the error of ctx. Elements without an answer have the side
// Unknown, the winding number NaN with the bound +Inf, and the distance NaN with face and body −1.
// Bodies without an answer are inpoly.UncertainBody. Sets without an answer are empty and not certain.
//
// The answers depend neither on the order of points nor on the number of workers. With multipoles,
// winding numbers of open meshes can change within their bounds from one call to the next, as
// inpoly.Solid.LocateTo describes. Each worker needs a few megabytes of working memory, for any
// number of points and solids. The first call for distances of several solids builds a tree over
// all faces, which stays in memory.
func (a *Assembly) LocateTo(ctx context.Context, q Query, dst inpoly.Answers, pts []r3.Vector) (side.Stats, error) {
	answers.CheckAll(&dst, len(pts))
	if dst.Sets != nil {
		answers.ResetSets(dst.Sets, len(pts))
	}
	answers.ClearAll(&dst)
	if dst.Winding != nil || dst.Distance != nil || dst.Nearest != nil {
		if err := a.CheckNegative(); err != nil {
			return side.Stats{}, err
		}
	}
	if dst.Body != nil {
		a.ranking(q.Body)
	}
	if dst.Sets != nil {
		if err := a.setsTo(ctx, dst.Sets, pts); err != nil {
			return side.Stats{}, err
		}
	}
	var stats side.Stats
	step, report := len(pts), a.reports(len(pts))
	if report {
		step = progressChunk
	}
	for lo := 0; lo < len(pts); lo += step {
		hi := min(len(pts), lo+step)
		more, err := a.locateTo(ctx, q, answers.SliceAll(&dst, lo, hi), pts[lo:hi])
		stats.Add(more)
		if err != nil {
			return stats, err
		}
		if report {
			a.progress("locate", int64(hi), int64(len(pts)))
		}
	}
	return stats, ctx.Err()
}

// locateTo writes all answers of LocateTo except the sets.
func (a *Assembly) locateTo(ctx context.Context, q Query, dst inpoly.Answers, pts []r3.Vector) (stats side.Stats, err error) {
	if len(a.members) == 1 && a.negative == 0 {
		alone := dst
		if dst.Body != nil {
			alone.Sides, alone.Body = nil, nil // bodiesTo writes the sides together with the bodies
		}
		stats, err = a.members[0].locateTo(ctx, alone, pts)
		if dst.Body == nil || err != nil {
			return stats, err
		}
		stats = side.Stats{}
		dst.Winding, dst.Distance, dst.Nearest = nil, nil, nil
	}
	if dst.Sides != nil || dst.Body != nil {
		work, err := a.bodiesTo(ctx, q, dst, pts)
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
	if dst.Nearest != nil {
		return stats, a.nearestTo(ctx, dst, pts)
	}
	if dst.Distance != nil {
		return stats, a.distancesTo(ctx, dst, pts)
	}
	return stats, nil
}

// bodiesTo writes the sides and bodies to dst. The caller has cleared dst.
func (a *Assembly) bodiesTo(ctx context.Context, q Query, dst inpoly.Answers, pts []r3.Vector) (side.Stats, error) {
	stats, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		part := answers.SliceAll(&dst, lo, hi)
		b := bodyBlock{choice: q.Body, bodies: slices.Clone(part.Body), sides: slices.Clone(part.Sides)}
		if b.locate(ctx, a, w, pts[lo:hi]) == nil {
			copy(part.Body, b.bodies)
			copy(part.Sides, b.sides)
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

// bodyBlock holds the answers for a block of points.
type bodyBlock struct {
	choice          Choice
	bodies          []int32     // nil if bodies are not wanted
	sides           []side.Side // sides of the union; nil if sides are not wanted
	ignoreTolerance bool
}

func (b *bodyBlock) locate(ctx context.Context, a *Assembly, w *batchWorker, pts []r3.Vector) error {
	by := &a.byIndex
	if b.bodies != nil {
		by = a.ranking(b.choice)
	}
	b.start(pts)
	return w.forEachBody(ctx, &a.sideBounds, by, pts, func(solid int32, points []int32) error {
		return b.group(ctx, a, w, solid, points, pts)
	})
}

// start initializes the answers as if every finite point were outside the boxes of all solids.
func (b *bodyBlock) start(pts []r3.Vector) {
	for i, p := range pts {
		body, s := inpoly.NoBody, side.Outside
		switch {
		case !vec.Finite(p):
			body, s = inpoly.UncertainBody, side.Unknown
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

// undecided reports whether another solid can change the answers for point i.
func (b *bodyBlock) undecided(i int32) bool {
	if b.sides != nil && b.sides[i] != side.Inside {
		return true
	}
	switch {
	case b.bodies == nil:
		return false
	case b.choice == Count:
		return b.bodies[i] != inpoly.UncertainBody
	}
	return b.bodies[i] == inpoly.NoBody
}

// group queries one solid and updates the answers. Calls must follow the ranking, because an
// earlier solid takes precedence.
func (b *bodyBlock) group(ctx context.Context, a *Assembly, w *batchWorker, solid int32, points []int32, pts []r3.Vector) error {
	w.picked = w.picked[:0]
	for _, i := range points {
		if vec.Finite(pts[i]) && b.undecided(i) {
			w.picked = append(w.picked, i)
		}
	}
	sides, err := w.sidesOf(ctx, a, solid, w.picked, pts, b.ignoreTolerance)
	if err != nil {
		return err
	}
	for k, i := range w.picked {
		s := sides[k]
		if b.sides != nil {
			b.sides[i] = union(b.sides[i], s)
		}
		if b.bodies == nil || s == side.Outside || b.bodies[i] == inpoly.UncertainBody {
			continue
		}
		switch {
		case b.choice == Count && s == side.Unknown:
			b.bodies[i] = inpoly.UncertainBody
		case b.choice == Count:
			b.bodies[i]++
		case b.bodies[i] != inpoly.NoBody: // an earlier solid contains the point
		case s == side.Unknown:
			b.bodies[i] = inpoly.UncertainBody
		default:
			b.bodies[i] = solid
		}
	}
	return nil
}
