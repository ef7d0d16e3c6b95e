package measure

import (
	"context"
	"fmt"
	"math"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/disjoint"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/plural"
)

// Verdict is the result of Compare.
type Verdict int

const (
	// Unknown means that Compare has not decided.
	Unknown Verdict = iota
	// Equal means that the integrals of the winding number equal the integrals over the filled set.
	Equal
	// Different means that the winding number is neither 0 nor 1 somewhere, or that the rule does not
	// fill the points of winding number 1. So some volume counts several times, negatively, or not at
	// all.
	Different
)

var verdictNames = [...]string{Unknown: "unknown", Equal: "equal", Different: "different"}

// String returns equal, different or unknown.
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// corners is the number of vertices of a component that Compare tries. A vertex can be unsuitable if
// it touches another component.
const corners = 8 // tuning

// Compare decides whether the properties of t are the properties of the set that its rule fills. The pose does not
// matter. The verdict is Equal if the winding number W is 0 or 1 everywhere and the rule fills W = 1. The reason
// explains any other verdict.
//
// Suppose that every component is watertight, that its faces are connected by edges, and that no faces cross, overlap,
// coincide or touch. Then W is constant on each of the two sides of a component. Let θ be the solid angle of a
// component at one of its vertices, as a share of the sphere. If no other component contains the vertex, W there is
// W₀+θ, where W₀ is the winding number outside the component. If the normals point inward, it is W₀−θ. So W is 0 and 1
// on the two sides if the winding number at the vertex is certainly between 0 and 1.
//
// Compare searches all pairs of faces as Solid.Intersections does, which takes much longer than the
// integrals. Errors: the error of ctx if ctx ends first.
func Compare(ctx context.Context, t inpoly.Target) (v Verdict, reason string, err error) {
	s := withoutPose(t)
	d := s.Report().Diagnosis
	rule := s.Report().Rule
	switch {
	case d.Triangles == 0:
		return Equal, "", nil
	case !s.Mesh().Closed():
		return Unknown, ReasonOpen, nil
	case rule.Apply(1, 1) != inpoly.Inside:
		return Different, fmt.Sprintf("the rule %v does not fill the points of winding number 1", rule), nil
	}
	found, err := s.Intersections(ctx, 0)
	if err != nil {
		return Unknown, "", err
	}
	wound := 0
	set := locate.Of(s)
	vertices := componentVertices(s)
	for i := range d.Components {
		if err := ctx.Err(); err != nil {
			return Unknown, "", err
		}
		sides := lookAround(set, vertices[i])
		if sides == Different {
			return Different, fmt.Sprintf("component %d is inverted, or lies inside another body", i), nil
		}
		if sides == Equal {
			wound++
		}
	}
	// A surface can pass through another one where an edge of the first lies in a face of the second. Such faces
	// only touch.
	if pairs := found.Total(); pairs > 0 {
		return Unknown, plural.Count(pairs, "pair") + " of faces cross, overlap, coincide or touch", nil
	}
	for i, c := range d.Components {
		if !c.Watertight {
			return Unknown, fmt.Sprintf("component %d has edges of more than two faces", i), nil
		}
	}
	if shells := countShells(s); shells > len(d.Components) {
		return Unknown, "parts of a component share vertices, but no edge", nil
	}
	if wound < len(d.Components) {
		return Unknown, plural.Count(int64(len(d.Components)-wound), "component") + " cannot be compared at single vertices", nil
	}
	return Equal, "", nil
}

// withoutPose returns the Solid of t.
func withoutPose(t inpoly.Target) *inpoly.Solid {
	if p, ok := t.(*inpoly.Posed); ok {
		return p.Solid()
	}
	return t.(*inpoly.Solid)
}

// componentVertices returns up to corners vertices of each component.
func componentVertices(s *inpoly.Solid) [][]int32 {
	m := s.Mesh()
	labels, n := m.Components()
	out := make([][]int32, n)
	for f, l := range labels {
		if l >= 0 && len(out[l]) < corners {
			out[l] = append(out[l], m.Faces[f][len(out[l])%3])
		}
	}
	return out
}

// countShells returns the number of parts whose faces are connected by edges. Collapsed faces are in no
// part.
func countShells(s *inpoly.Solid) int {
	m := s.Mesh()
	labels, _ := m.Components()
	sets := disjoint.New(m.NumFaces())
	first := make(map[[2]int32]int32, 3*m.NumFaces()/2) // a face of each edge
	n := 0
	for f, v := range m.Faces {
		if labels[f] < 0 {
			continue
		}
		n++
		for k := range v {
			a, b := v[k], v[(k+1)%3]
			edge := [2]int32{min(a, b), max(a, b)}
			g, ok := first[edge]
			if !ok {
				first[edge] = int32(f)
			} else if sets.Find(g) != sets.Find(int32(f)) {
				sets.Union(g, int32(f))
				n--
			}
		}
	}
	return n
}

// lookAround examines the winding numbers at the vertices. It returns Equal if one is certainly
// between 0 and 1, and Different if one is certainly outside [0, 1].
func lookAround(set *locate.Set, vertices []int32) Verdict {
	v := Unknown
	for _, i := range vertices {
		w, bound := set.Winding.Winding(set.Surface.Mesh().Vertices[i])
		switch {
		case math.IsNaN(w):
		case w-bound > 1 || w+bound < 0:
			return Different
		case w-bound > 0 && w+bound < 1:
			v = Equal
		}
	}
	return v
}
