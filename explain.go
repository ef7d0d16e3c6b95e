package inpoly

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Explanation describes why a point has its side. Lengths are in the unit of the mesh. Indexes of
// faces and bodies refer to Solid.Mesh.
type Explanation struct {
	Point     r3.Vector
	Side      Side    // result of Solid.Side
	Rule      Rule    // rule of the solid
	Parity    bool    // whether parity decides the side: the rule is EvenOdd, and every edge has an even number of faces
	Tolerance float64 // tolerance of the solid

	// Method is the method of the solid. MethodReason says why this method was chosen; see Report.
	// Work counts the operations that found the side of the point.
	Method       Method
	MethodReason string
	Work         Stats

	// Winding is the winding number W, and Bound is the bound of its error; see Solid.Winding.
	Winding, Bound float64

	On      []FaceID // faces that exactly contain the point, ascending
	Nearest NearFace
	Ray     ExplainedRay

	planar bool // the point lies in one plane with all boundary edges, so W is a multiple of 1/2
}

// FaceID is a face and the body that it belongs to.
type FaceID struct {
	Face     int32
	Body     int    // index in Mesh.Bodies; −1 if the face is in no body
	BodyName string // name of the body as in assembly.Split, but without a file name; can be empty
}

// NearFace describes the nearest face. If several faces are at the same distance, it describes the
// face with the smallest index. For a point that is not finite, or for a mesh without faces, Face
// is −1 and the other numbers are NaN.
type NearFace struct {
	FaceID
	Distance float64   // result of Solid.Distance: negative inside, NaN if the side is Unknown
	Unsigned float64   // distance without a sign, even if the side is Unknown
	Bound    float64   // see DistanceBound
	Point    r3.Vector // closest point on the surface, rounded
}

// ExplainedRay describes one ray that starts at the point and intersects no edge and no vertex. The
// winding number by this ray is W = Crossed + Boundary. Crossed and Boundary exclude the faces that
// contain the point. For a point that is not finite, all fields are zero.
type ExplainedRay struct {
	Target    r3.Vector // end of the ray, outside the box of the mesh
	Discarded int       // number of discarded rays, which intersected an edge or a vertex
	Crossings []Crossing
	Crossed   int64 // sum of the signs of the crossings

	// Edges is the number of edges of the boundary chain. Boundary is the contribution of these
	// edges to W. It is the solid angle of a fan, divided by 4π. The fan joins the edges to infinity
	// along the ray. Both fields are 0 if the mesh is closed and the point is not on its surface.
	Edges                   int
	Boundary, BoundaryBound float64

	Winding, Bound float64 // winding number W by this ray, and the bound of its error
	Work           Stats   // work for this ray
}

// Crossing describes a face that the ray crosses. The test for a crossing is exact, but Point and
// Distance are rounded.
type Crossing struct {
	FaceID
	Sign     int // +1 if the ray crosses the face in the direction of its normal, otherwise −1
	Point    r3.Vector
	Distance float64 // distance of Point from the start of the ray
}

// Explain describes why p has its side. The Explanation has the answer of the method. For
// comparison, it also has one ray and the nearest face. Explain needs the tree and takes much
// longer than Side. It is meant for reports about single points.
func (s *Solid) Explain(p r3.Vector) Explanation {
	e := s.explain(p, s.set)
	names := s.Mesh().BodyNames()
	var sc nearest.Scratch
	r := s.set.Surface.MustIndex().Nearest.Closest(p, &sc)
	e.Nearest = NearFace{FaceID: s.faceID(r.Face, names), Unsigned: r.Distance, Bound: DistanceBound(r.Distance), Point: r.Point}
	e.Nearest.Distance, _ = s.Distance(p)
	if vec.Finite(p) {
		s.explainRay(&e, p, names)
		e.planar = bem.NewBoundary(s.Mesh()).Coplanar(p, new(predicates.Counter))
	}
	return e
}

// Explain describes why p has its side; see Solid.Explain. Points are those of the world. The ray starts at the
// rounded position of p in the frame of the mesh. If a face is within PositionBound of it, there is no ray: the
// fields of Ray are zero, except for the number of edges, and Ray.Bound is +Inf.
func (s *Posed) Explain(p r3.Vector) Explanation {
	e := s.solid.explain(p, s.set)
	names := s.Mesh().BodyNames()
	var near [1]Nearest
	_ = s.NearestTo(context.Background(), near[:], []r3.Vector{p}) // this context never ends
	e.Nearest = NearFace{FaceID: s.solid.faceID(near[0].Face, names), Distance: near[0].Distance, Point: near[0].Point}
	d, _ := s.set.PosedNearest(p)
	e.Nearest.Unsigned, e.Nearest.Bound = d, s.DistanceBound(p, d)
	if !vec.Finite(p) {
		return e
	}
	for _, f := range s.set.FacesAt(p) {
		e.On = append(e.On, s.solid.faceID(f, names))
	}
	at, radius := s.set.Place.Position(p)
	if e.Nearest.Face >= 0 && !(d > 2*radius) { // exact arithmetic decided the side, and no ray from the position
		e.Parity = false
		e.Ray = ExplainedRay{Edges: bem.NewBoundary(s.Mesh()).Len(), Winding: e.Winding, Bound: math.Inf(1)}
		return e
	}
	on := e.On
	s.solid.explainRay(&e, at, names)
	e.On = on
	r := &e.Ray
	if r.Bound > 0 { // on an open mesh, W at the exact position differs from W at the rounded one
		r.Bound = math.Abs(r.Winding-e.Winding) + e.Bound
		r.BoundaryBound = max(r.BoundaryBound, r.Bound)
	}
	r.Target, _ = s.set.Place.Back(r.Target)
	for i := range r.Crossings {
		r.Crossings[i].Point, _ = s.set.Place.Back(r.Crossings[i].Point)
	}
	e.planar = radius == 0 && bem.NewBoundary(s.Mesh()).Coplanar(at, new(predicates.Counter))
	return e
}

// explain returns the Explanation without the nearest face and the ray. set has the pose of the point.
func (s *Solid) explain(p r3.Vector, set *locate.Set) Explanation {
	e := Explanation{Point: p, Rule: s.opt.Rule, Tolerance: s.opt.Tolerance}
	e.Parity = e.Rule == EvenOdd && s.Mesh().EvenEdges()
	e.Method, e.MethodReason = s.report.Method, s.set.Reason()
	var sides [1]Side
	e.Work, _ = set.Sides.LocateTo(context.Background(), side.Answers{Sides: sides[:]}, []r3.Vector{p}, 1) // the error is nil because this context never ends
	e.Side = sides[0]
	e.Winding, e.Bound = set.Winding.Winding(p)
	return e
}

// explainRay sets e.On and e.Ray for a ray from the point p in the frame of the mesh, which must be finite.
func (s *Solid) explainRay(e *Explanation, p r3.Vector, bodyNames []string) {
	var sc raycross.Scratch
	t := s.set.Surface.MustIndex().Rays.Trace(p, &sc)
	for _, f := range t.On {
		e.On = append(e.On, s.faceID(f, bodyNames))
	}
	e.Ray = ExplainedRay{
		Target: t.Target, Discarded: t.Discarded, Crossed: t.Signed,
		Edges: t.Edges, Boundary: t.Boundary, BoundaryBound: t.BoundaryBound,
		Winding: t.Winding, Bound: t.Bound, Work: sc.Stats(),
	}
	for _, x := range t.Crossings {
		e.Ray.Crossings = append(e.Ray.Crossings, Crossing{
			FaceID: s.faceID(x.Face, bodyNames), Sign: int(x.Sign), Point: x.Point, Distance: x.Distance,
		})
	}
}

// faceID returns face f with the first body that contains it.
func (s *Solid) faceID(f int32, bodyNames []string) FaceID {
	id := FaceID{Face: f, Body: -1}
	for i, b := range s.Mesh().Bodies {
		if f >= b.First && f-b.First < b.Count {
			id.Body, id.BodyName = i, bodyNames[i]
			return id
		}
	}
	if f >= 0 && len(s.Mesh().Bodies) > 0 {
		id.BodyName = bodyNames[len(s.Mesh().Bodies)]
	}
	return id
}

// Because returns the reason why the point has its side, in one sentence.
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
	case e.Parity:
		return fmt.Sprintf("a ray from it crosses the surface %s, an %s number", times(len(e.Ray.Crossings)), [...]string{"even", "odd"}[len(e.Ray.Crossings)%2])
	}
	return e.becauseOfWinding()
}

// becauseOfWinding returns a sentence that compares the winding number with the threshold of the
// rule.
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
	case e.Side == Unknown && e.planar:
		return fmt.Sprintf("the winding number W is exactly %v, the threshold of the rule %v, because the point lies in the plane of all open edges", e.threshold(x), e.Rule)
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

// threshold returns the rule's threshold nearest to the winding number w.
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

// windingText formats the winding number w ± bound. If the rounded interval would contain the
// threshold t, it formats the difference from the threshold instead. t is an odd multiple of 1/2.
func windingText(w, bound, t float64) string {
	switch {
	case bound == 0:
		return fmt.Sprint(w + 0) // adding 0 turns −0 into 0
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

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
