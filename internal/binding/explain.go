package binding

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// Explanation is inpoly.Explanation of one solid. It marshals as JSON, where numbers that are not
// finite are null. Indexes of faces are those of the file or array.
type Explanation struct {
	Name          string       `json:"name"` // name of the solid
	Point         []*float64   `json:"point"`
	Side          string       `json:"side"`
	Because       string       `json:"because"`
	Winding       *float64     `json:"winding"`
	Bound         *float64     `json:"bound"`
	Rule          string       `json:"rule"`
	Tolerance     float64      `json:"tolerance"`
	Method        string       `json:"method"`
	MethodReason  string       `json:"methodReason"`
	On            []FaceID     `json:"on"`      // faces that exactly contain the point
	Nearest       *NearFace    `json:"nearest"` // nil if there is no nearest face
	Crossings     []RayCrossed `json:"crossings"`
	Ray           []*float64   `json:"ray"` // end of a ray from the point, with the crossings above
	BoundaryEdges int          `json:"boundaryEdges"`
	Boundary      *float64     `json:"boundary"` // contribution of the boundary edges to the winding number
}

// FaceID is inpoly.FaceID.
type FaceID struct {
	Face     int32  `json:"face"`
	Body     int    `json:"body"` // −1 if the face is in no body
	BodyName string `json:"bodyName"`
}

// NearFace is inpoly.NearFace.
type NearFace struct {
	FaceID
	Distance *float64   `json:"distance"` // nil if the side is Unknown
	Unsigned *float64   `json:"unsigned"`
	Bound    *float64   `json:"bound"`
	Point    []*float64 `json:"point"`
}

// RayCrossed is inpoly.Crossing.
type RayCrossed struct {
	FaceID
	Sign     int        `json:"sign"`
	Point    []*float64 `json:"point"`
	Distance *float64   `json:"distance"`
}

// Explain returns why p has its side, for each solid. It takes much longer than a point of a batch.
func (s *Solid) Explain(p r3.Vector) []Explanation {
	list := make([]Explanation, s.Len())
	for i := range list {
		e := s.Target(i).Explain(p)
		list[i] = s.explanation(i, &e)
	}
	return list
}

func (s *Solid) explanation(i int, e *inpoly.Explanation) Explanation {
	id := func(f inpoly.FaceID) FaceID { return FaceID{s.FileFace(i, f.Face), f.Body, f.BodyName} }
	on := []FaceID{}
	for k := range e.On {
		on = append(on, id(e.On[k]))
		e.On[k].Face = on[k].Face // for Because
	}
	out := Explanation{
		Name: s.Name(i), Point: coordinates(e.Point), Side: e.Side.String(), Because: e.Because(),
		Winding: finite(e.Winding), Bound: finite(e.Bound), Rule: e.Rule.String(), Tolerance: e.Tolerance,
		Method: e.Method.String(), MethodReason: e.MethodReason, On: on, Crossings: []RayCrossed{},
	}
	n, r := &e.Nearest, &e.Ray
	if n.Face < 0 { // then there is no ray either
		return out
	}
	out.Nearest = &NearFace{id(n.FaceID), finite(n.Distance), finite(n.Unsigned), finite(n.Bound), coordinates(n.Point)}
	for _, c := range r.Crossings {
		out.Crossings = append(out.Crossings, RayCrossed{id(c.FaceID), c.Sign, coordinates(c.Point), finite(c.Distance)})
	}
	out.Ray, out.BoundaryEdges, out.Boundary = coordinates(r.Target), r.Edges, finite(r.Boundary)
	return out
}

// finite returns nil if x is not finite, because JSON has no such numbers.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func coordinates(p r3.Vector) []*float64 {
	return []*float64{finite(p.X), finite(p.Y), finite(p.Z)}
}
