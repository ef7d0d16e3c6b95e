package explain

import (
	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
)

// explanations is the JSON object that explain prints. Numbers that are not finite are null.
type explanations struct {
	Mesh      string      `json:"mesh"`
	Triangles int         `json:"triangles"`
	Closed    bool        `json:"closed"`
	Points    []pointJSON `json:"points"`
}

// pointJSON explains one point.
type pointJSON struct {
	Point        [3]term.Number    `json:"point"`
	Side         string            `json:"side"`
	Because      string            `json:"because"`
	Winding      term.Number       `json:"winding"`
	Bound        term.Number       `json:"bound"`
	Rule         string            `json:"rule"`
	Parity       bool              `json:"parity"`
	Tolerance    term.Number       `json:"tolerance"`
	Method       string            `json:"method"`
	MethodReason string            `json:"method_reason"`
	Stages       map[string]uint64 `json:"stages"`
	On           []faceJSON        `json:"on"`
	Nearest      *nearestJSON      `json:"nearest"`
	Ray          *rayJSON          `json:"ray"`

	explanation inpoly.Explanation // for the text
}

// faceJSON is a face and its body.
type faceJSON struct {
	Face     int32  `json:"face"`
	Body     int    `json:"body"` // from 0; −1 if it is in none
	BodyName string `json:"body_name,omitempty"`
}

// nearestJSON is the face that is nearest to a point.
type nearestJSON struct {
	faceJSON
	Distance term.Number    `json:"distance"`
	Unsigned term.Number    `json:"unsigned"` // known even if the sign is not
	Bound    term.Number    `json:"bound"`
	Point    [3]term.Number `json:"point"`
}

// rayJSON is the ray that shows the winding number.
type rayJSON struct {
	Target        [3]term.Number    `json:"target"`
	Discarded     int               `json:"discarded_rays"`
	Crossings     []crossingJSON    `json:"crossings"`
	Crossed       int64             `json:"crossed"`
	BoundaryEdges int               `json:"boundary_edges"`
	Boundary      term.Number       `json:"boundary"`
	BoundaryBound term.Number       `json:"boundary_bound"`
	Winding       term.Number       `json:"winding"`
	Bound         term.Number       `json:"bound"`
	Stages        map[string]uint64 `json:"stages"`
}

// crossingJSON is a face that the ray crosses.
type crossingJSON struct {
	faceJSON
	Sign     int            `json:"sign"`
	Point    [3]term.Number `json:"point"`
	Distance term.Number    `json:"distance"`
}

// add adds the explanation of a point.
func (x *explanations) add(e inpoly.Explanation) {
	p := pointJSON{
		Point: term.Numbers(e.Point), Side: e.Side.String(), Because: e.Because(), Winding: term.Number(e.Winding), Bound: term.Number(e.Bound),
		Rule: e.Rule.String(), Parity: e.Parity, Tolerance: term.Number(e.Tolerance), Method: e.Method.String(), MethodReason: e.MethodReason,
		Stages: stageCounts(e.Work), On: []faceJSON{}, explanation: e,
	}
	for _, f := range e.On {
		p.On = append(p.On, faceJSON(f))
	}
	if n := e.Nearest; n.Face >= 0 {
		p.Nearest = &nearestJSON{faceJSON(n.FaceID), term.Number(n.Distance), term.Number(n.Unsigned), term.Number(n.Bound), term.Numbers(n.Point)}
	}
	if hasRay(&e) {
		r := &e.Ray
		p.Ray = &rayJSON{
			Target: term.Numbers(r.Target), Discarded: r.Discarded, Crossings: []crossingJSON{}, Crossed: r.Crossed,
			BoundaryEdges: r.Edges, Boundary: term.Number(r.Boundary), BoundaryBound: term.Number(r.BoundaryBound),
			Winding: term.Number(r.Winding), Bound: term.Number(r.Bound), Stages: stageCounts(r.Work),
		}
		for _, c := range r.Crossings {
			p.Ray.Crossings = append(p.Ray.Crossings, crossingJSON{faceJSON(c.FaceID), c.Sign, term.Numbers(c.Point), term.Number(c.Distance)})
		}
	}
	x.Points = append(x.Points, p)
}

// stageCounts returns the work by stage.
func stageCounts(w inpoly.Stats) map[string]uint64 {
	return map[string]uint64{
		"rays": w.Rays, "rerays": w.Rerays, "filter": w.Filter, "expansion": w.Expansion, "exact": w.Exact,
		"boundary": w.Boundary, "reference": w.Reference,
	}
}
