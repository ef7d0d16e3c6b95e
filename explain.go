package inpoly

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Explanation describes why a point has its side. Lengths are in the mesh's unit; faces
// and bodies are numbered as in Solid.Mesh.
type Explanation struct {
	Point     r3.Vector
	Side      Side    // as Solid.Side
	Rule      Rule    // that turned W into the side
	Parity    bool    // the side is the parity of crossings: EvenOdd, every edge has an even number of faces
	Tolerance float64 // of the solid: within it points are OnSurface

	// Method is the method that answers, and MethodReason says why it was chosen; see
	// Report.Method. Work counts the work for the side of this point.
	Method       Method
	MethodReason string
	Work         Stats

	// Winding is W and Bound the bound of its error, as Solid.Winding.
	Winding, Bound float64

	On      []FaceID // faces that exactly contain the point, ascending
	Nearest NearFace
	Ray     ExplainedRay
}

// FaceID is a face and the body that it belongs to.
type FaceID struct {
	Face     int32
	Body     int    // its number in Mesh.Bodies, from 0; −1 if it is in none
	BodyName string // as Split names it without a file, where there are several parts; else may be empty
}

// NearFace is the nearest face. If several faces are at the same distance, it has the
// smallest number. For a point that is not finite or a mesh without faces, Face is −1 and
// the other fields are NaN.
type NearFace struct {
	FaceID
	Distance float64   // as Solid.Distance: negative inside, NaN where the side is Unknown
	Unsigned float64   // |Distance|, also where the side is Unknown
	Bound    float64   // of the error of both
	Point    r3.Vector // the closest point of the surface, rounded
}

// ExplainedRay is one ray from the point that meets no edge and no vertex, with its
// result W = Crossed + Boundary. Both sums skip the faces that contain the point. A point
// that is not finite has no ray.
type ExplainedRay struct {
	Target    r3.Vector // its end, beyond the box of the mesh
	Discarded int       // rays thrown away before it because they met an edge or a vertex
	Crossings []Crossing
	Crossed   int64 // sum of the signs of the crossings

	// Edges is the number of edges of the boundary chain. Boundary is their contribution
	// to W: the solid angle of the fan from them to infinity along the ray, in full
	// turns. Both are 0 for a closed mesh and a point off its surface.
	Edges                   int
	Boundary, BoundaryBound float64

	Winding, Bound float64 // their sum, with its bound
	Work           Stats   // how often each stage of the predicates was needed
}

// Crossing is a face that the ray crosses. The decision that it crosses is exact; Point
// and Distance are rounded.
type Crossing struct {
	FaceID
	Sign     int // +1 where the ray leaves the face along its normal, −1 where it enters
	Point    r3.Vector
	Distance float64 // from the start of the ray
}

// Explain returns why p has its side: the answer of the method and, for comparison, the
// results of one ray and of the nearest face. It needs the tree, and takes much longer
// than Side. It is meant for people and for reports about single points.
func (s *Solid) Explain(p r3.Vector) Explanation {
	m := s.Mesh()
	e := Explanation{Point: p, Rule: s.opt.Rule, Tolerance: s.opt.Tolerance}
	e.Parity = e.Rule == EvenOdd && m.EvenEdges()
	e.Method, e.MethodReason = s.report.Method, s.report.MethodReason
	var sides [1]Side
	e.Work, _ = s.set.Sides.LocateTo(context.Background(), side.Answers{Sides: sides[:]}, []r3.Vector{p}, 1) // fails only if the context ends
	e.Side = sides[0]
	e.Winding, e.Bound = s.Winding(p)
	names := m.BodyNames()
	e.Nearest = s.nearFace(p, names)
	if vec.Finite(p) {
		s.explainRay(&e, names)
	}
	return e
}

// nearFace is Distance with the closest point.
func (s *Solid) nearFace(p r3.Vector, names []string) NearFace {
	var sc nearest.Scratch
	r := s.set.Surface.MustIndex().Nearest.Closest(p, &sc)
	n := NearFace{FaceID: s.faceID(r.Face, names), Unsigned: r.Distance, Bound: r.Bound, Point: r.Point}
	n.Distance, _ = s.Distance(p)
	return n
}

// explainRay adds the ray from e.Point, which is finite.
func (s *Solid) explainRay(e *Explanation, names []string) {
	var sc raycross.Scratch
	t := s.set.Surface.MustIndex().Rays.Trace(e.Point, &sc)
	for _, f := range t.On {
		e.On = append(e.On, s.faceID(f, names))
	}
	e.Ray = ExplainedRay{
		Target: t.Target, Discarded: t.Discarded, Crossed: t.Signed,
		Edges: t.Edges, Boundary: t.Boundary, BoundaryBound: t.BoundaryBound,
		Winding: t.Winding, Bound: t.Bound, Work: sc.Stats(),
	}
	for _, x := range t.Crossings {
		e.Ray.Crossings = append(e.Ray.Crossings, Crossing{
			FaceID: s.faceID(x.Face, names), Sign: int(x.Sign), Point: x.Point, Distance: x.Distance,
		})
	}
}

// faceID finds the body of face f: the first of several that share it. names is the
// result of mesh.Mesh.BodyNames.
func (s *Solid) faceID(f int32, names []string) FaceID {
	id := FaceID{Face: f, Body: -1}
	for i, b := range s.Mesh().Bodies {
		if f >= b.First && f-b.First < b.Count {
			id.Body, id.BodyName = i, names[i]
			return id
		}
	}
	if f >= 0 && len(s.Mesh().Bodies) > 0 {
		id.BodyName = names[len(s.Mesh().Bodies)]
	}
	return id
}

// Because says in one sentence why the point has its side.
func (e *Explanation) Because() string {
	switch {
	case !vec.Finite(e.Point):
		return "a coordinate is not finite"
	case len(e.On) == 1:
		return fmt.Sprintf("it lies exactly on face %d", e.On[0].Face)
	case len(e.On) > 1:
		return fmt.Sprintf("it lies exactly on %d faces", len(e.On))
	case e.Nearest.Face < 0:
		return "the mesh has no faces"
	case e.Side == OnSurface:
		return fmt.Sprintf("its distance from the surface, %v, is at most the tolerance %v", e.Nearest.Unsigned, e.Tolerance)
	}
	if e.Parity {
		return fmt.Sprintf("a ray from it crosses the surface %s, an %s number", times(len(e.Ray.Crossings)), parity(len(e.Ray.Crossings)))
	}
	return e.becauseOfWinding()
}

// becauseOfWinding compares W with the threshold of the rule.
func (e *Explanation) becauseOfWinding() string {
	x, bound := e.Ray.Winding, e.Ray.Bound
	_, decided := e.Rule.Decide(x, bound)
	if !decided {
		if _, decided = e.Rule.Decide(e.Winding, e.Bound); decided {
			x, bound = e.Winding, e.Bound
		}
	}
	w := windingText(x, bound, e.threshold(x))
	switch {
	case e.Side == Unknown:
		return fmt.Sprintf("the winding number W = %s cannot be separated from the threshold of the rule %v", w, e.Rule)
	case !decided:
		w += " in float64, more precisely computed,"
	}
	in := e.Side == Inside
	relation := map[bool]string{true: ">", false: "<"}
	switch e.Rule {
	case Positive:
		return fmt.Sprintf("the winding number W = %s is %s 1/2", w, relation[in])
	case Negative:
		return fmt.Sprintf("the winding number W = %s is %s -1/2", w, relation[!in])
	case EvenOdd:
		nearest := map[bool]string{true: "odd", false: "even"}[in]
		return fmt.Sprintf("the integer nearest to the winding number W = %s is %s", w, nearest)
	}
	return fmt.Sprintf("the winding number W = %s has |W| %s 1/2", w, relation[in])
}

// threshold returns the threshold of the rule that is nearest to w.
func (e *Explanation) threshold(w float64) float64 {
	switch e.Rule {
	case Positive:
		return 0.5
	case Negative:
		return -0.5
	case EvenOdd:
		return math.Floor(w) + 0.5
	}
	return math.Copysign(0.5, w)
}

// windingText writes W = w ± bound. If rounding to the digits of the bound would reach
// the threshold t, half an odd integer, it writes the difference from t instead.
func windingText(w, bound, t float64) string {
	switch {
	case bound == 0:
		return fmt.Sprint(w + 0) // −0 becomes 0
	case !(w-w == 0 && bound-bound == 0):
		return fmt.Sprintf("%v ± %v", w, bound)
	}
	v := interval.New(w, bound)
	text, written := v.Text(1)
	if !written.Contains(t) {
		return text
	}
	v = v.Minus(t)
	text, written = v.Text(1)
	for digits := 2; written.Contains(0) && !v.Contains(0); digits++ {
		text, written = v.Text(digits)
	}
	sign := "+"
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	return fmt.Sprintf("%v/2 %s %s", 2*t, sign, text)
}

func parity(n int) string {
	if n%2 == 0 {
		return "even"
	}
	return "odd"
}

// times writes n as "once" or "n times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
