package polygon

import "github.com/golang/geo/r2"

// Pair remembers the closest features of two bodies from one call to the next, so that a
// call takes constant time while they move little (Schinner 1999, §4). The zero Pair is
// ready. What it remembers changes the time that a call takes, never the answer: a Pair may
// be dropped, copied, or used for other bodies. It is for one goroutine at a time.
type Pair struct {
	feature [2]Feature
	stats   Stats
}

// Stats counts the work of a Pair.
type Stats struct {
	Calls    uint64 // of Distance and Overlap
	Steps    uint64 // pairs of features that the walk looked at
	Sweeps   uint64 // walks that ended in the other branch, all axes
	Looks    uint64 // corners and edges that this branch looked at
	Doubles  uint64 // signs that float64 did not decide, but twice its precision or what follows
	Exact    uint64 // signs or values by expansions
	Rational uint64 // signs or values by rational numbers, which allocate
}

// Stats returns what has been counted since the beginning.
func (p *Pair) Stats() Stats { return p.stats }

// Proximity is how near two bodies are.
type Proximity struct {
	Relation Relation
	// Distance is the distance of the two sets; 0 if they touch. If they overlap it is
	// negative, and −Distance is the length of the shortest translation after which they only
	// touch.
	Distance float64
	// Normal is a unit vector from the first body to the second, in the direction of the
	// distance or translation: the second one moved by −Distance·Normal touches. Where two
	// corners touch in one point, it is the mean direction of those that separate them.
	Normal r2.Point
	// Points are the closest points, Points[0] of the first body, and Points[1] =
	// Points[0] + Distance·Normal. If the bodies overlap, they are the points that touch after
	// the translation. In the middle of parallel edges.
	Points [2]r2.Point
	// Features are those that the points lie on, corners rather than edges. Of edges that
	// are parallel and face each other along some length, both.
	Features [2]Feature
}

// Distance returns how near a and b are. The relation and the features are exact, the
// relation and features of (b, a) are the same; distance and normal have a relative error of
// some units in the last place, however close the bodies are, and the points an absolute
// one of some units in the last place of the size and place of the bodies. If the bodies
// overlap, the depth and the features are chosen by float64 among all edges, with an error
// of some units in the last place of their size and distance of places.
//
// It takes constant time while the closest features stay the same or close to those of the
// last call, otherwise, and always when bodies touch or overlap, time proportional to the
// number of corners. It does not allocate, unless coordinates below 2^-200 that are not
// zero must be compared exactly.
func (p *Pair) Distance(a, b *Body) Proximity {
	var f frame
	f.init(a, b)
	relation := Separated
	if !p.walk(&f) {
		p.stats.Sweeps++
		relation, p.feature = f.sweep()
	}
	prox := f.proximity(relation, p.feature)
	p.count(&f)
	return prox
}

func (p *Pair) count(f *frame) {
	p.stats.Calls++
	p.stats.Looks += f.looks
	p.stats.Doubles += f.doubles
	p.stats.Exact += f.exact
	p.stats.Rational += f.rational
}

// Overlap is the set that two bodies have in common.
type Overlap struct {
	// Area is 0 if and only if the bodies do not overlap; everything else is then 0, too.
	Area     float64
	Centroid r2.Point // of the area
	// Chord is the sum of the pieces of the first body's boundary that lie in the second
	// one, counterclockwise around the common area, pieces of both boundaries by half. If
	// the boundaries cross twice, it leads from one crossing to the other. If one body lies
	// inside the other one, it is 0.
	Chord r2.Point
}

// Normal returns the unit vector at a right angle to the chord, from the first body to the
// second, or zero if there is no chord. Chord turned that way is also −∇Area, if the second
// body moves: a force along it is conservative if its size is proportional to the chord.
func (o Overlap) Normal() r2.Point { return r2.Point{X: o.Chord.Y, Y: -o.Chord.X}.Normalize() }

// Overlap returns what a and b have in common. Whether that has an area is exact. The
// area has a small relative error, also where it is thin: coordinates are computed with
// twice the precision, relative to a point of it, to 2^-100 of the size and distance of
// places, over the sine of the angle where edges cross. Where a body is thinner than 2^-40 of
// that, as small ones on very large ones are, everything is computed exactly and rounded.
//
// It takes constant time while the bodies are separated and closest features stay the same,
// otherwise time proportional to the number of corners. It allocates no more than Distance,
// except for bodies so thin.
func (p *Pair) Overlap(a, b *Body) Overlap {
	var f frame
	f.init(a, b)
	var o Overlap
	if !p.walk(&f) {
		p.stats.Sweeps++
		o = f.overlap()
	}
	p.count(&f)
	return o
}
