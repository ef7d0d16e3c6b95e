package inpoly

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/golang/geo/r3"
)

// BodyChoice tells which of the solids that contain a point is wanted. The zero
// value is FirstBody.
type BodyChoice uint8

const (
	// FirstBody is the first of them in the order of the assembly.
	FirstBody BodyChoice = iota
	// InnermostBody is the one of them that encloses the smallest absolute volume, the
	// first of several with equal ones: of shells in one another the innermost. The
	// volume is Σ det(a−o, b−o, c−o)/6 over the faces, as computed in float64, with
	// cavities subtracted; an open mesh is closed by a fan to the mean of its boundary.
	InnermostBody
	// AllBodies is the set of them; see BodySetsTo.
	AllBodies
	// CountBodies is how many they are.
	CountBodies
)

var choiceNames = [...]string{"first", "innermost", "all", "count"}

// String returns the name that ParseBodyChoice accepts.
func (c BodyChoice) String() string {
	if int(c) < len(choiceNames) {
		return choiceNames[c]
	}
	return fmt.Sprintf("BodyChoice(%d)", uint8(c))
}

// ParseBodyChoice returns the choice of that name: first, innermost, all or count.
func ParseBodyChoice(name string) (BodyChoice, error) {
	for i, n := range choiceNames {
		if strings.EqualFold(n, name) {
			return BodyChoice(i), nil
		}
	}
	return FirstBody, fmt.Errorf("unknown choice of bodies %q: want %s", name, strings.Join(choiceNames[:], ", "))
}

// What stands for a solid, or a number of them, where there is none.
const (
	// NoBody says that no solid contains the point.
	NoBody int32 = -1
	// UncertainBody says that the side of some solid is Unknown, and that the answer
	// depends on it. So it is for every point that is not finite.
	UncertainBody int32 = -2
)

// Body returns the solid that c chooses among those that contain p, NoBody or
// UncertainBody; for CountBodies their number or UncertainBody. It panics for
// AllBodies: see Bodies. It allocates no more than Solid.Side.
//
// It is uncertain where a solid whose side is Unknown would be chosen if it
// contained p: one that comes before the chosen one, or any for CountBodies.
func (a *Assembly) Body(p r3.Vector, c BodyChoice) int32 {
	if !finite(p) {
		return UncertainBody
	}
	by := a.ranking(c)
	n, best, unknown := int32(0), len(a.members), len(a.members)
	var w boxWalk
	w.start(&a.reach, p)
	for i, ok := w.next(); ok; i, ok = w.next() {
		rank := int(by.of[i])
		if c != CountBodies && rank > min(best, unknown) {
			continue
		}
		switch a.members[i].solid.Side(p) {
		case Unknown:
			unknown = min(unknown, rank)
		case Inside, OnSurface:
			best = min(best, rank)
			n++
		}
	}
	switch {
	case c == CountBodies && unknown < len(a.members):
		return UncertainBody
	case c == CountBodies:
		return n
	case unknown < best:
		return UncertainBody
	case best < len(a.members):
		return by.order[best]
	}
	return NoBody
}

// ranking returns the order of solids in which the first that contains a point is
// the one that c chooses. It panics if c chooses no single answer.
func (a *Assembly) ranking(c BodyChoice) *ranking {
	switch c {
	case FirstBody, CountBodies:
		return &a.given
	case InnermostBody:
		return &a.smallest
	}
	panic(fmt.Sprintf("inpoly: %v is not one body", c))
}

// Bodies appends the numbers of the solids that contain p to dst, ascending, and
// returns it. It is not certain where the side of some solid is Unknown: that one is
// left out. It allocates no more than Solid.Side if dst has room.
func (a *Assembly) Bodies(dst []int32, p r3.Vector) (bodies []int32, certain bool) {
	if !finite(p) {
		return dst, false
	}
	certain = true
	from := len(dst)
	var w boxWalk
	w.start(&a.reach, p)
	for i, ok := w.next(); ok; i, ok = w.next() {
		switch a.members[i].solid.Side(p) {
		case Unknown:
			certain = false
		case Inside, OnSurface:
			dst = append(dst, i)
		}
	}
	slices.Sort(dst[from:])
	return dst, certain
}

// BodiesTo writes Body(pts[i], c) to dst[i], using Options.Workers goroutines. It
// panics if the lengths differ, and for AllBodies. When ctx ends first its error is
// returned, and dst holds UncertainBody where no answer was found. Answers do not
// depend on the order of points or the number of workers.
func (a *Assembly) BodiesTo(ctx context.Context, dst []int32, c BodyChoice, pts []r3.Vector) error {
	_, err := a.SidesBodiesTo(ctx, nil, dst, c, pts)
	return err
}

// SidesBodiesTo is SidesStatsTo and BodiesTo together, which takes less time than one
// after the other; sides may be nil: then the undecided points are counted as often as
// solids do not decide them. It panics if the lengths differ, and for
// AllBodies.
func (a *Assembly) SidesBodiesTo(ctx context.Context, sides []Side, bodies []int32, c BodyChoice, pts []r3.Vector) (Stats, error) {
	if len(bodies) != len(pts) || sides != nil && len(sides) != len(pts) {
		panic("inpoly: sides, bodies and pts differ in length")
	}
	by := a.ranking(c)
	clear(sides)
	for i := range bodies {
		bodies[i] = UncertainBody
	}
	stats, err := a.blocks(ctx, len(pts), func(w *asker, lo, hi int) {
		b := pickBlock{choice: c, bodies: make([]int32, hi-lo)}
		if sides != nil {
			b.sides = make([]Side, hi-lo)
		}
		b.start(pts[lo:hi])
		group := func(ctx context.Context, w *asker, solid int32, points []int32) error {
			return b.group(ctx, a, w, solid, points, pts[lo:hi])
		}
		if a.ask(ctx, w, &a.reach, by, pts[lo:hi], group) == nil {
			copy(bodies[lo:hi], b.bodies)
			if sides != nil {
				copy(sides[lo:hi], b.sides)
			}
		}
	})
	if sides != nil {
		stats.Undecided = undecided(sides)
	}
	return stats, err
}

// undecided counts the sides that are Unknown.
func undecided(sides []Side) (n uint64) {
	for _, s := range sides {
		if s == Unknown {
			n++
		}
	}
	return n
}

// pickBlock is the answers for a block in the making.
type pickBlock struct {
	choice BodyChoice
	bodies []int32 // nil if they are not wanted
	sides  []Side  // of the union; nil if they are not wanted
	exact  bool    // the tolerance plays no part
}

// start writes what is true where no solid is asked.
func (b *pickBlock) start(pts []r3.Vector) {
	for i, p := range pts {
		body, s := NoBody, Outside
		switch {
		case !finite(p):
			body, s = UncertainBody, Unknown
		case b.choice == CountBodies:
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

// open reports whether the answer of another solid may change those for point i.
func (b *pickBlock) open(i int32) bool {
	if b.sides != nil && b.sides[i] != Inside {
		return true
	}
	switch {
	case b.bodies == nil:
		return false
	case b.choice == CountBodies:
		return b.bodies[i] != UncertainBody
	}
	return b.bodies[i] == NoBody
}

// group asks a solid for points, of which a solid that comes later in the ranking
// has not been asked yet: the first that is not Outside decides.
func (b *pickBlock) group(ctx context.Context, a *Assembly, w *asker, solid int32, points []int32, pts []r3.Vector) error {
	w.pick = w.pick[:0]
	for _, i := range points {
		if finite(pts[i]) && b.open(i) {
			w.pick = append(w.pick, i)
		}
	}
	if err := w.askSides(ctx, &a.members[solid], b.exact, w.pick, pts); err != nil {
		return err
	}
	for k, i := range w.pick {
		s := w.sides[k]
		if b.sides != nil {
			b.sides[i] = union(b.sides[i], s)
		}
		if b.bodies == nil || s == Outside || b.bodies[i] == UncertainBody {
			continue
		}
		switch {
		case b.choice == CountBodies && s == Unknown:
			b.bodies[i] = UncertainBody
		case b.choice == CountBodies:
			b.bodies[i]++
		case b.bodies[i] != NoBody: // a solid before this one contains it
		case s == Unknown:
			b.bodies[i] = UncertainBody
		default:
			b.bodies[i] = solid
		}
	}
	return nil
}
