package section_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/section"
)

// hardPlane returns a plane that goes through vertices or near them, in a few directions or nearly along
// an axis.
func hardPlane(r *rand.Rand, m *mesh.Mesh) section.Plane {
	o := m.Vertices[r.IntN(len(m.Vertices))]
	if r.IntN(3) == 0 {
		o = o.Mul(0.5).Add(m.Vertices[r.IntN(len(m.Vertices))].Mul(0.5))
	}
	for {
		n := vector(float64(r.IntN(5)-2), float64(r.IntN(5)-2), float64(r.IntN(5)-2))
		switch r.IntN(5) {
		case 0:
			n.X *= 0x1p-60
		case 1:
			n.Y = math.Ldexp(n.Y, -40*r.IntN(20))
		case 2:
			n = n.Mul(math.Ldexp(1, 240*(r.IntN(5)-2)))
		}
		if p := (section.Plane{Origin: o, Normal: n}); p.Check() == nil {
			return p
		}
	}
}

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// exactVertices returns the vertices of m.
func exactVertices(m *mesh.Mesh) (out [][3]*big.Rat) {
	for _, v := range m.Vertices {
		out = append(out, [3]*big.Rat{rational(v.X), rational(v.Y), rational(v.Z)})
	}
	return out
}

// obliqueSegments returns the exact segments of the faces with a plane, moved by an infinitesimal distance
// along its normal, projected along axis k to coordinates i and j.
func obliqueSegments(faces [][3]int32, vertices [][3]*big.Rat, p section.Plane, i, j int) (out [][2]point) {
	height := make([]*big.Rat, len(vertices))
	for v, x := range vertices {
		height[v] = new(big.Rat)
		for c := range 3 {
			d := new(big.Rat).Sub(x[c], rational(coordinate(p.Origin, c)))
			height[v].Add(height[v], d.Mul(d, rational(coordinate(p.Normal, c))))
		}
	}
	for _, f := range faces {
		var down, up point
		crossed := false
		for e := range 3 {
			a, b := f[e], f[(e+1)%3]
			if (height[a].Sign() > 0) == (height[b].Sign() > 0) {
				continue
			}
			crossed = true
			t := new(big.Rat).Sub(height[a], height[b])
			t.Quo(height[a], t)
			var q point
			for c, axis := range [2]int{i, j} {
				x, d := vertices[a][axis], new(big.Rat).Sub(vertices[b][axis], vertices[a][axis])
				q[c] = d.Add(d.Mul(d, t), x)
			}
			if height[a].Sign() > 0 {
				down = q
			} else {
				up = q
			}
		}
		if crossed && (down[0].Cmp(up[0]) != 0 || down[1].Cmp(up[1]) != 0) {
			out = append(out, [2]point{down, up})
		}
	}
	return out
}

// checkHard compares the areas of a section with exact ones. The vertices are those of m in the world.
func checkHard(t *testing.T, name string, m *mesh.Mesh, vertices [][3]*big.Rat, p section.Plane, rule inpoly.Rule, got *section.Section) (determined bool) {
	t.Helper()
	k := 0
	for c := range 3 {
		if math.Abs(coordinate(p.Normal, c)) > math.Abs(coordinate(p.Normal, k)) {
			k = c
		}
	}
	i, j := (k+1)%3, (k+2)%3
	if coordinate(p.Normal, k) < 0 {
		i, j = j, i
	}
	area, winding := twinArea(obliqueSegments(m.Faces, vertices, p, i, j), filled(rule))
	square := new(big.Rat)
	for c := range 3 {
		q := new(big.Rat).Quo(rational(coordinate(p.Normal, c)), rational(coordinate(p.Normal, k)))
		square.Add(square, q.Mul(q, q))
	}
	factor := new(big.Float).SetPrec(2500).SetRat(square)
	factor.Sqrt(factor)
	off := func(exact *big.Rat, x, bound float64) bool {
		want := new(big.Float).SetPrec(2500).SetRat(exact)
		want.Mul(want, factor)
		want.Sub(want, big.NewFloat(x))
		return want.Abs(want).Cmp(big.NewFloat(bound)) > 0
	}
	if math.IsNaN(got.Area) {
		if want, _ := area.Float64(); want < 0x1p900 && coordinate(m.Box().Size(), i) < 0x1p450 && coordinate(m.Box().Size(), j) < 0x1p450 {
			t.Errorf("%s: the area is not determined, want %g", name, want)
		}
		return false
	}
	if off(area, got.Area, got.AreaBound) || !math.IsNaN(got.WindingArea) && off(winding, got.WindingArea, got.WindingAreaBound) {
		a, _ := area.Float64()
		w, _ := winding.Float64()
		t.Errorf("%s: area %g ± %g, want %g; integral of W %g ± %g, want %g (times %g)", name,
			got.Area, got.AreaBound, a, got.WindingArea, got.WindingAreaBound, w, factor)
	}
	for _, c := range got.Contours {
		for _, x := range c.Points {
			checkOnPlane(t, got, x)
		}
	}
	return true
}

// same reports whether two sections are equal. NaN equals NaN.
func same(a, b *section.Section) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }

// TestObliqueTangles compares sections with planes of any direction with exact slabs: solids of random
// tetrahedra whose corners coincide, have subnormal, huge or nearly equal coordinates, and planes through
// vertices. The sections of Stack are those of Cut.
func TestObliqueTangles(t *testing.T) {
	count := 150
	if testcorpus.Full() {
		count = 20_000
	}
	determined := 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 77))
		mode := seed % testmesh.SimplicesModes
		m := testmesh.Mesh(testmesh.Simplices(r, mode))
		rule := rules[r.IntN(len(rules))]
		s := solid(t, m, inpoly.Options{Rule: rule})
		p := hardPlane(r, m)
		bare := cut(t, s, p)
		if r.IntN(2) == 0 {
			if _, err := locate.Of(s).Surface.Index(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprintf("seed %d, mode %d, plane %v, %v", seed, mode, p, rule)
		got := cut(t, s, p)
		if !same(bare, got) {
			t.Errorf("%s: with a tree the section is %+v, without %+v", name, got, bare)
		}
		checkShape(t, name, got)
		if checkHard(t, name, m, exactVertices(m), p, rule, got) {
			determined++
		}
		if err := section.Stack(t.Context(), s, []section.Plane{p, p}, func(_ int, c *section.Section) error {
			if !same(c, got) {
				t.Errorf("%s: Stack has the section %+v, Cut %+v", name, c, got)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
	t.Logf("%d sections, %d with areas", count, determined)
}
