// Package answers checks, cuts and clears the slices that batches of queries write to. One table says how
// each kind of answer is called, and which element means that there is no answer.
//
//	answers.Start(dst, len(pts)) // panics if a slice has another length
//	first := answers.Slice(dst, 0, 100)
//	answers.Clear(first)
//
// Another struct of slices has a function that calls Column.Visit for each of its fields, as Visit and
// VisitAll do. With a Pass, this function does all three things.
package answers

import (
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// Column is one kind of answer. T is the type of the elements.
type Column[T comparable] struct {
	name string // plural, for errors
	none T      // the element if there is no answer
}

var (
	nan       = math.NaN()
	nanVector = r3.Vector{X: nan, Y: nan, Z: nan}
)

// These are the kinds of answers.
var (
	Sides          = Column[side.Side]{"sides", side.Unknown}
	Windings       = Column[float64]{"windings", nan}
	WindingBounds  = Column[float64]{"bounds of the windings", math.Inf(1)}
	Distances      = Column[float64]{"distances", nan}
	DistanceBounds = Column[float64]{"bounds of the distances", nan}
	Faces          = Column[int32]{"faces", -1}
	NearestBodies  = Column[int32]{"nearest bodies", side.NoBody}
	Bodies         = Column[int32]{"bodies", side.UncertainBody}

	// Projections are closest points with all their numbers. The columns after them are fields of
	// projections.
	Projections = Column[side.Projection]{"nearest points", side.Projection{
		Point: Points.none, PointBound: PointBounds.none, Distance: Distances.none, Normal: Normals.none,
		Barycentric: Barycentrics.none, Face: Faces.none, Feature: Features.none,
	}}
	Points       = Column[r3.Vector]{"nearest points", nanVector}
	PointBounds  = Column[float64]{"bounds of the nearest points", math.Inf(1)}
	Barycentrics = Column[[3]float64]{"barycentric coordinates", [3]float64{nan, nan, nan}}
	Features     = Column[side.Feature]{"features", 0}
	Normals      = Column[r3.Vector]{"normals", nanVector}
)

// None returns the element that means that there is no answer.
func (c *Column[T]) None() T { return c.none }

// Clear sets all elements of s to None.
func (c *Column[T]) Clear(s []T) {
	var zero T
	if c.none == zero {
		clear(s)
		return
	}
	for i := range s {
		s[i] = c.none
	}
}

// Check panics if s does not have n elements, also if it is nil.
func (c *Column[T]) Check(s []T, n int) {
	if len(s) != n {
		p := Pass{wrong: c.name, length: len(s), hi: n}
		p.Must()
	}
}

// Pass is one way of visiting the slices of a struct. Lengths, Cut and Clearing return a Pass.
type Pass struct {
	do     action
	lo, hi int    // points of a cut; hi is the number of points that Lengths expects
	wrong  string // name of the first column of a wrong length, or empty
	length int    // its length
}

type action uint8

const (
	lengths action = iota
	cut
	clearing
)

// Lengths returns a Pass that expects n elements in each slice that is needed or not nil; see Pass.Err.
func Lengths(n int) Pass { return Pass{do: lengths, hi: n} }

// Cut returns a Pass that replaces each slice s by s[lo:hi]. A slice that is nil remains nil.
func Cut(lo, hi int) Pass { return Pass{do: cut, lo: lo, hi: hi} }

// Clearing returns a Pass that clears each slice.
func Clearing() Pass { return Pass{do: clearing} }

// Visit does the work of p for one slice. The parameter needed says that the slice must not be nil, unless
// there are no points.
func (c *Column[T]) Visit(p *Pass, s *[]T, needed bool) {
	if *s != nil || needed { // inlined, because a batch can be one point, and most slices are nil
		c.visit(p, s)
	}
}

func (c *Column[T]) visit(p *Pass, s *[]T) {
	switch {
	case p.do == clearing:
		c.Clear(*s)
	case p.do == lengths && len(*s) != p.hi && p.wrong == "":
		p.wrong, p.length = c.name, len(*s)
	case p.do == cut && *s != nil:
		*s = (*s)[p.lo:p.hi]
	}
}

// VisitSets does the work of p for sets. They have any length, and a cut removes them.
func VisitSets(p *Pass, s **side.Sets) {
	switch {
	case *s == nil:
	case p.do == cut:
		*s = nil
	case p.do == clearing:
		ResetSets(*s, (*s).Len())
	}
}

// Err returns an error that names the first column of a wrong length, or nil.
func (p *Pass) Err() error {
	if p.wrong == "" {
		return nil
	}
	return fmt.Errorf("%d %s for %d points", p.length, p.wrong, p.hi)
}

// Must panics if Err returns an error.
func (p *Pass) Must() {
	if p.wrong != "" {
		panic(fmt.Sprintf("inpoly: %v", p.Err()))
	}
}

// Visit visits the slices of a.
func Visit(p *Pass, a *side.Answers) {
	Sides.Visit(p, &a.Sides, false)
	Windings.Visit(p, &a.Winding, a.Bound != nil)
	WindingBounds.Visit(p, &a.Bound, a.Winding != nil)
}

// VisitAll visits the slices of a.
func VisitAll(p *Pass, a *side.AllAnswers) {
	Visit(p, &a.Answers)
	distance := a.Face != nil || a.DistanceBound != nil || a.NearestBody != nil && a.Nearest == nil
	Distances.Visit(p, &a.Distance, distance)
	DistanceBounds.Visit(p, &a.DistanceBound, false)
	Faces.Visit(p, &a.Face, distance || a.Distance != nil)
	NearestBodies.Visit(p, &a.NearestBody, false)
	Projections.Visit(p, &a.Nearest, false)
	Bodies.Visit(p, &a.Body, false)
	VisitSets(p, &a.Sets)
}

// Start marks all elements of a as not computed. It panics if a slice of a is not nil and does not have n
// elements.
func Start(a side.Answers, n int) {
	if a.Winding == nil && a.Bound == nil && len(a.Sides) == n { // often one point, for which a Pass takes long
		clear(a.Sides)
		return
	}
	p := Lengths(n)
	Visit(&p, &a)
	p.Must()
	p = Clearing()
	Visit(&p, &a)
}

// Slice returns the answers for points lo to hi−1.
func Slice(a side.Answers, lo, hi int) side.Answers {
	p := Cut(lo, hi)
	Visit(&p, &a)
	return a
}

// Clear marks all elements of a as not computed.
func Clear(a side.Answers) {
	p := Clearing()
	Visit(&p, &a)
}

// CheckAll panics if a slice of a is not nil and does not have n elements, or if it is nil and another slice
// needs it. Sets can have any length.
func CheckAll(a *side.AllAnswers, n int) {
	p := Lengths(n)
	VisitAll(&p, a)
	p.Must()
}

// SliceAll returns the answers for points lo to hi−1. The result has no Sets.
func SliceAll(a *side.AllAnswers, lo, hi int) side.AllAnswers {
	part, p := *a, Cut(lo, hi)
	VisitAll(&p, &part)
	return part
}

// ClearAll marks all elements of a as not computed.
func ClearAll(a *side.AllAnswers) {
	p := Clearing()
	VisitAll(&p, a)
}

// ResetSets makes s n sets, all empty and not certain.
func ResetSets(s *side.Sets, n int) {
	s.Bodies, s.Ends, s.Unknown = s.Bodies[:0], slices.Grow(s.Ends[:0], n)[:n], slices.Grow(s.Unknown[:0], n)[:n]
	clear(s.Ends)
	for i := range s.Unknown {
		s.Unknown[i] = true
	}
}
