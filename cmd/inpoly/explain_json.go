package main

import (
	"encoding/json"
	"io"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// explained is what explain prints with --json: numbers that are not finite are null.
type explained struct {
	Mesh      string           `json:"mesh"`
	Triangles int              `json:"triangles"`
	Closed    bool             `json:"closed"`
	Points    []explainedPoint `json:"points"`
}

type explainedPoint struct {
	Point        [3]number         `json:"point"`
	Side         string            `json:"side"`
	Because      string            `json:"because"`
	Winding      number            `json:"winding"`
	Bound        number            `json:"bound"`
	Rule         string            `json:"rule"`
	Parity       bool              `json:"parity"`
	Tolerance    number            `json:"tolerance"`
	Method       string            `json:"method"`
	MethodReason string            `json:"method_reason"`
	Stages       map[string]uint64 `json:"stages"`
	On           []explainedFace   `json:"on"`
	Nearest      *explainedNear    `json:"nearest"`
	Ray          *explainedRay     `json:"ray"`

	e inpoly.Explanation
}

type explainedFace struct {
	Face     int32  `json:"face"`
	Body     int    `json:"body"` // from 0; −1 if it is in none
	BodyName string `json:"body_name,omitempty"`
}

type explainedNear struct {
	explainedFace
	Distance number    `json:"distance"`
	Unsigned number    `json:"unsigned"` // also where the sign is not known
	Bound    number    `json:"bound"`
	Point    [3]number `json:"point"`
}

type explainedRay struct {
	Target        [3]number           `json:"target"`
	Discarded     int                 `json:"discarded_rays"`
	Crossings     []explainedCrossing `json:"crossings"`
	Crossed       int64               `json:"crossed"`
	BoundaryEdges int                 `json:"boundary_edges"`
	Boundary      number              `json:"boundary"`
	BoundaryBound number              `json:"boundary_bound"`
	Winding       number              `json:"winding"`
	Bound         number              `json:"bound"`
	Stages        map[string]uint64   `json:"stages"`
}

type explainedCrossing struct {
	explainedFace
	Sign     int       `json:"sign"`
	Point    [3]number `json:"point"`
	Distance number    `json:"distance"`
}

// add adds a point.
func (x *explained) add(e inpoly.Explanation) {
	p := explainedPoint{
		Point: numbers(e.Point), Side: e.Side.String(), Because: e.Because(), Winding: number(e.Winding), Bound: number(e.Bound),
		Rule: e.Rule.String(), Parity: e.Parity, Tolerance: number(e.Tolerance), Method: e.Method.String(), MethodReason: e.MethodReason,
		Stages: stageCounts(e.Work), On: []explainedFace{}, e: e,
	}
	for _, f := range e.On {
		p.On = append(p.On, explainedFace(f))
	}
	if n := e.Nearest; n.Face >= 0 {
		p.Nearest = &explainedNear{explainedFace(n.FaceID), number(n.Distance), number(n.Unsigned), number(n.Bound), numbers(n.Point)}
	}
	if hasRay(&e) {
		r := &e.Ray
		p.Ray = &explainedRay{
			Target: numbers(r.Target), Discarded: r.Discarded, Crossings: []explainedCrossing{}, Crossed: r.Crossed,
			BoundaryEdges: r.Edges, Boundary: number(r.Boundary), BoundaryBound: number(r.BoundaryBound),
			Winding: number(r.Winding), Bound: number(r.Bound), Stages: stageCounts(r.Work),
		}
		for _, c := range r.Crossings {
			p.Ray.Crossings = append(p.Ray.Crossings, explainedCrossing{explainedFace(c.FaceID), c.Sign, numbers(c.Point), number(c.Distance)})
		}
	}
	x.Points = append(x.Points, p)
}

func numbers(v r3.Vector) [3]number { return [3]number{number(v.X), number(v.Y), number(v.Z)} }

func stageCounts(w inpoly.Stats) map[string]uint64 {
	return map[string]uint64{
		"rays": w.Rays, "rerays": w.Rerays, "filter": w.Filter, "expansion": w.Expansion, "exact": w.Exact,
		"boundary": w.Boundary, "reference": w.Reference,
	}
}

// printJSON writes x as one indented object.
func printJSON(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(x)
}
