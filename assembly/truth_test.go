package assembly_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// box returns the cube with a corner at (x, y, z) and edges of the given length.
func box(x, y, z, edge float64) mesh.Soup {
	lo := r3.Vector{X: x, Y: y, Z: z}
	return testmesh.Cube(lo, lo.Add(r3.Vector{X: edge, Y: edge, Z: edge}))
}

func partsOf(soups ...mesh.Soup) []assembly.Part {
	parts := make([]assembly.Part, len(soups))
	for i, s := range soups {
		parts[i] = assembly.Part{Name: fmt.Sprint("solid ", i), Mesh: testmesh.Mesh(s)}
	}
	return parts
}

func newAssembly(t testing.TB, opt inpoly.Options, parts []assembly.Part) *assembly.Assembly {
	t.Helper()
	a, err := assembly.New(t.Context(), parts, assembly.Options{Options: opt})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// scenes returns lists of meshes that overlap, touch, nest, are equal, or have defects.
func scenes() map[string][]mesh.Soup {
	out := map[string][]mesh.Soup{
		"none":     {},
		"one":      {testmesh.Star(2, 0.5, 1)},
		"one open": {testmesh.Hemisphere(2)},
		"disjoint": {box(0, 0, 0, 1), box(2, 0, 0, 1), box(0, 2, 0, 1)},
		"touching": {box(0, 0, 0, 1), box(1, 0, 0, 1), box(1, 1, 0, 1), box(1, 1, 1, 1)},
		"nested":   {box(-2, -2, -2, 4), box(-1, -1, -1, 2), box(-3, -3, -3, 6), box(-1.5, -1.5, -1.5, 3)},
		"twice":    {testmesh.Star(2, 0.5, 7), testmesh.Star(2, 0.5, 7), testmesh.Flip(testmesh.Star(2, 0.5, 7))},
		"mixed": {
			testmesh.Star(3, 0.6, 2), testmesh.Hemisphere(2), {}, testmesh.Torus(1, 0.4, 12, 8), testmesh.Nested(true),
			testmesh.Tangle(8, 60, 3), testmesh.Without(box(-1, -1, -1, 2), 3), testmesh.Moebius(9), testmesh.Flip(box(0, 0, 0, 1.5)),
		},
		// In this scene, |W| exceeds 1/2 even far outside the boxes.
		"open in layers": {
			testmesh.Union(slices.Repeat([]mesh.Soup{testmesh.Hemisphere(2)}, 7)...),
			testmesh.Union(slices.Repeat([]mesh.Soup{testmesh.Without(box(2, 0, 0, 1), 6, 7)}, 5)...),
			testmesh.Triangles(50, 5),
		},
		"tiny beside large": {testmesh.Scale(testmesh.Star(2, 0.5, 1), 0x1p-400), box(-2, -2, -2, 4), testmesh.Scale(testmesh.UnitCube(), 0x1p300)},
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for k := range 4 {
		var random []mesh.Soup
		for i := range 20 {
			shapes := []mesh.Soup{testmesh.UnitCube(), testmesh.Star(1, 0.7, uint64(i)), testmesh.Tetrahedron(), testmesh.Hemisphere(1), testmesh.Nested(i%2 == 0)}
			at := r3.Vector{X: float64(rng.IntN(9)), Y: float64(rng.IntN(9)), Z: float64(rng.IntN(9))}.Mul(0.5)
			random = append(random, testmesh.Translate(testmesh.Scale(shapes[rng.IntN(len(shapes))], math.Ldexp(1, rng.IntN(4)-2)), at))
		}
		out[fmt.Sprint("random ", k)] = random
	}
	return out
}

// scenePoints returns points in, on, around and far from the meshes. Some are not finite.
func scenePoints(soups []mesh.Soup, seed uint64) []r3.Vector {
	rng := rand.New(rand.NewPCG(seed, 1))
	inf, nan := math.Inf(1), math.NaN()
	pts := []r3.Vector{{}, {X: nan}, {Y: inf}, {Z: -inf}, {X: 1e300, Y: 1e300}, {X: math.MaxFloat64}, {X: math.Copysign(0, -1), Y: 0.5, Z: 0.5}}
	around := func() float64 { return 10*rng.Float64() - 4 }
	for range 150 {
		pts = append(pts, r3.Vector{X: around(), Y: around(), Z: around()})
	}
	for range 60 { // points on and near the faces of cubes
		pts = append(pts, r3.Vector{X: float64(rng.IntN(20)-8) / 4, Y: float64(rng.IntN(20)-8) / 4, Z: float64(rng.IntN(20)-8) / 4})
	}
	for _, s := range soups {
		if len(s.Faces) > 0 {
			m := testmesh.Mesh(s)
			pts = append(pts, testcorpus.Probes(m, 15, 5, rng)...)
			b := m.Box()
			for range 20 { // points around open meshes
				p := b.Size().Mul(2*rng.Float64() - 0.5)
				pts = append(pts, b.Min.Add(r3.Vector{X: p.Y, Y: p.Z, Z: p.X}), b.Max.Add(p))
			}
		}
	}
	return pts
}

type truth struct {
	solids []*inpoly.Solid
	pts    []r3.Vector
	sides  [][]inpoly.Side // for each solid, the sides of all points
}

func newTruth(t *testing.T, opt inpoly.Options, soups []mesh.Soup, pts []r3.Vector) *truth {
	t.Helper()
	want := &truth{pts: pts}
	for _, s := range soups {
		solid := newSolid(t, s, opt)
		sides := make([]inpoly.Side, len(pts))
		if err := solid.SidesTo(t.Context(), sides, pts); err != nil {
			t.Fatal(err)
		}
		want.solids, want.sides = append(want.solids, solid), append(want.sides, sides)
	}
	return want
}

func finitePoint(p r3.Vector) bool { return !math.IsNaN(p.X - p.X + p.Y - p.Y + p.Z - p.Z) }

func (w *truth) set(i int) (bodies []int32, certain bool) {
	certain = finitePoint(w.pts[i])
	for k, s := range w.sides {
		switch s[i] {
		case inpoly.Inside, inpoly.OnSurface:
			bodies = append(bodies, int32(k))
		case inpoly.Unknown:
			certain = false
		}
	}
	return bodies, certain
}

// body returns the expected value of Answers.Body for point i. It is Uncertain if the value depends
// on a side that is Unknown.
func (w *truth) body(i int, c assembly.Choice, volume []float64) int32 {
	if !finitePoint(w.pts[i]) {
		return inpoly.UncertainBody
	}
	choose := func(unknown func(k int) bool) int32 {
		n, best := int32(0), inpoly.NoBody
		for k, s := range w.sides {
			if s[i] == inpoly.Outside || s[i] == inpoly.Unknown && !unknown(k) {
				continue
			}
			n++
			if best < 0 || c == assembly.Innermost && volume[k] < volume[best] {
				best = int32(k)
			}
		}
		if c == assembly.Count {
			return n
		}
		return best
	}
	want := choose(func(int) bool { return false })
	for only, s := range w.sides {
		if s[i] == inpoly.Unknown && choose(func(k int) bool { return k == only }) != want {
			return inpoly.UncertainBody
		}
	}
	return want
}

func (w *truth) side(i int) inpoly.Side {
	any := func(want inpoly.Side) bool {
		return slices.ContainsFunc(w.sides, func(s []inpoly.Side) bool { return s[i] == want })
	}
	switch {
	case !finitePoint(w.pts[i]):
		return inpoly.Unknown
	case any(inpoly.Inside):
		return inpoly.Inside
	case any(inpoly.Unknown):
		return inpoly.Unknown
	case any(inpoly.OnSurface):
		return inpoly.OnSurface
	}
	return inpoly.Outside
}

// volumes returns the absolute volumes of soups by a plain sum; see assembly.Innermost.
func volumes(soups []mesh.Soup) []float64 {
	out := make([]float64, len(soups))
	for i, s := range soups {
		if len(s.Faces) == 0 {
			continue
		}
		m := testmesh.Mesh(s)
		o := m.Vertices[0]
		if chain := m.Boundary(); len(chain) > 0 {
			o = r3.Vector{}
			for _, e := range chain {
				o = o.Add(m.Vertices[e.A]).Add(m.Vertices[e.B])
			}
			o = o.Mul(1 / float64(2*len(chain)))
		}
		for f := range m.Faces {
			tri := m.Triangle(int32(f))
			out[i] += tri[0].Sub(o).Dot(tri[1].Sub(o).Cross(tri[2].Sub(o))) / 6
		}
		out[i] = math.Abs(out[i])
	}
	return out
}

// Each of the next five functions calls LocateTo, but requests only some of the answers.

func sidesBodiesTo(a *assembly.Assembly, ctx context.Context, sides []inpoly.Side, bodies []int32, c assembly.Choice, pts []r3.Vector) (inpoly.Stats, error) {
	dst := inpoly.Answers{Body: bodies}
	dst.Sides = sides
	return a.LocateTo(ctx, assembly.Query{Body: c}, dst, pts)
}

func bodiesTo(a *assembly.Assembly, ctx context.Context, bodies []int32, c assembly.Choice, pts []r3.Vector) error {
	_, err := sidesBodiesTo(a, ctx, nil, bodies, c, pts)
	return err
}

func bodySetsTo(a *assembly.Assembly, ctx context.Context, sets *inpoly.Sets, pts []r3.Vector) error {
	_, err := a.LocateTo(ctx, assembly.Query{}, inpoly.Answers{Sets: sets}, pts)
	return err
}

func windingsTo(a *assembly.Assembly, ctx context.Context, w, bound []float64, pts []r3.Vector) error {
	var dst inpoly.Answers
	dst.Winding, dst.Bound = w, bound
	_, err := a.LocateTo(ctx, assembly.Query{}, dst, pts)
	return err
}

func distancesTo(a *assembly.Assembly, ctx context.Context, d []float64, body, face []int32, pts []r3.Vector) error {
	dst := inpoly.Answers{NearestBody: body}
	dst.Distance, dst.Face = d, face
	_, err := a.LocateTo(ctx, assembly.Query{}, dst, pts)
	return err
}

func newSolid(t testing.TB, s mesh.Soup, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	solid, err := inpoly.New(t.Context(), testmesh.Mesh(s), opt)
	if err != nil {
		t.Fatal(err)
	}
	return solid
}
