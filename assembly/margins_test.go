package assembly_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// marginTwin returns the margin of p by the definition. It tries which solids p can be in if the winding
// numbers of open meshes err by less than x: the margin is the least x for which the side can change.
func marginTwin(a *assembly.Assembly, parts []assembly.Part, p r3.Vector) float64 {
	value := make([]float64, len(parts)) // positive inside
	for i := range parts {
		s := a.Solid(i)
		w, _ := s.Winding(p)
		value[i] = s.Report().Rule.Margin(w)
		if side := s.Side(p); s.Mesh().Closed() || side == inpoly.OnSurface {
			if value[i] = .5; side == inpoly.Outside {
				value[i] = -.5
			}
		}
	}
	in := func(x float64, sign [2]float64) bool { // whether p can be in the union if errors help that
		for i, part := range parts {
			inside := !part.Negative && value[i]+sign[0]*x > 0
			for k, other := range parts {
				if other.Negative && other.Object == part.Object && value[k]-sign[0]*x > 0 {
					inside = false
				}
			}
			if inside {
				return true
			}
		}
		return false
	}
	now := in(0, [2]float64{})
	direction := [2]float64{1}
	if now {
		direction[0] = -1
	}
	least := .5 // no change
	for _, v := range value {
		x := math.Abs(v)
		if x < least && in(x+1e-9, direction) != now {
			least = x
		}
	}
	return least
}

// TestMargins compares margins with the definition, for unions and differences of boxes with holes.
func TestMargins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		vector := func(scale float64) r3.Vector {
			return r3.Vector{X: rnd.Float64() * scale, Y: rnd.Float64() * scale, Z: rnd.Float64() * scale}
		}
		var parts []assembly.Part
		for range rapid.IntRange(1, 5).Draw(rt, "solids") {
			lo := vector(2)
			soup := testmesh.Cube(lo, lo.Add(vector(2)).Add(r3.Vector{X: .1, Y: .1, Z: .1}))
			soup.Faces = soup.Faces[:len(soup.Faces)-rapid.IntRange(0, 4).Draw(rt, "missing")]
			parts = append(parts, assembly.Part{Mesh: testmesh.Mesh(soup), Negative: rapid.IntRange(0, 3).Draw(rt, "negative") == 0, Object: int32(rapid.IntRange(0, 1).Draw(rt, "object"))})
		}
		rule := rapid.SampledFrom([]inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.EvenOdd}).Draw(rt, "rule")
		a, err := assembly.New(t.Context(), parts, assembly.Options{Options: inpoly.Options{Rule: rule}})
		if err != nil {
			rt.Fatal(err)
		}
		pts := make([]r3.Vector, 50)
		for i := range pts {
			pts[i] = vector(5).Sub(r3.Vector{X: .5, Y: .5, Z: .5})
		}
		margins := make([]float64, len(pts))
		if err := a.MarginsTo(t.Context(), margins, inpoly.Answers{}.Answers, pts); err != nil {
			rt.Fatal(err)
		}
		known := inpoly.Answers{}
		known.Sides, known.Winding, known.Bound = make([]inpoly.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))
		same := make([]float64, len(pts))
		if a.CheckNegative() == nil {
			if _, err := a.LocateTo(t.Context(), assembly.Query{}, known, pts); err != nil {
				rt.Fatal(err)
			}
		} else {
			known = inpoly.Answers{}
		}
		if err := a.MarginsTo(t.Context(), same, known.Answers, pts); err != nil {
			rt.Fatal(err)
		}
		for i, p := range pts {
			want := marginTwin(a, parts, p)
			if got := min(margins[i], .5); math.Abs(got-want) > 2e-6 || math.Abs(min(same[i], .5)-got) > 2e-6 {
				rt.Fatalf("%v: margins %g and %g, want %g", p, got, same[i], want)
			}
			if a.HasExactSides() && margins[i] != .5 {
				rt.Fatalf("%v: margin %g of an exact side", p, margins[i])
			}
		}
	})
}

// TestMarginsOfSpecialPoints has points that are not finite, on the surface, uncertain or at a pose.
func TestMarginsOfSpecialPoints(t *testing.T) {
	open := testmesh.UnitCube()
	open.Faces = open.Faces[:len(open.Faces)-2]
	closed := assembly.Part{Mesh: testmesh.Mesh(testmesh.UnitCube())}
	negative := closed
	negative.Negative = true
	hole := testmesh.Mesh(open)
	boundary := hole.Boundary()
	var middle r3.Vector // of the planar hole
	for _, e := range boundary {
		middle = middle.Add(hole.Vertices[e.A]).Add(hole.Vertices[e.B])
	}
	middle = middle.Mul(1 / float64(2*len(boundary)))
	pts := []r3.Vector{middle, {X: math.NaN()}, {X: math.Inf(1)}, hole.Vertices[0], {X: .5, Y: .5, Z: .5}}
	for _, c := range []struct {
		parts []assembly.Part
		want  []float64
	}{
		{nil, []float64{.5, math.NaN(), math.NaN(), .5, .5}},
		{[]assembly.Part{closed}, []float64{.5, math.NaN(), math.NaN(), .5, .5}},
		{[]assembly.Part{{Mesh: hole}}, []float64{0, math.NaN(), math.NaN(), .5, 1. / 3}},
		{[]assembly.Part{{Mesh: hole}, closed}, []float64{.5, math.NaN(), math.NaN(), .5, .5}},
		{[]assembly.Part{negative}, []float64{.5, math.NaN(), math.NaN(), .5, .5}},
	} {
		a, err := assembly.New(t.Context(), c.parts, assembly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		shift := r3.Vector{X: 4, Y: -8, Z: 2}
		poses := make([]pose.Pose, len(c.parts))
		for i := range poses {
			poses[i] = pose.At(shift)
		}
		posed, err := a.At(poses)
		if err != nil {
			t.Fatal(err)
		}
		moved := make([]r3.Vector, len(pts))
		for i, p := range pts {
			moved[i] = p.Add(shift)
		}
		for _, q := range []struct {
			a   *assembly.Assembly
			pts []r3.Vector
		}{{a, pts}, {posed, moved}} {
			got := make([]float64, len(pts))
			if err := q.a.MarginsTo(t.Context(), got, inpoly.Answers{}.Answers, q.pts); err != nil {
				t.Fatal(err)
			}
			for i, want := range c.want {
				if math.IsNaN(want) != math.IsNaN(got[i]) || math.Abs(got[i]-want) > 1e-6 {
					t.Errorf("%d solids, %v: margin %g, want %g", len(c.parts), q.pts[i], got[i], want)
				}
			}
		}
	}
}
