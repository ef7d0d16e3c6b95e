package section_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/section"
)

// randomPose returns a pose that moves by whole numbers, or exchanges axes, or keeps an axis, or any other.
func randomPose(r *rand.Rand) pose.Pose {
	whole := func(n int) float64 { return float64(r.IntN(n) - n/2) }
	p := pose.Pose{Rotation: quat.Number{Real: 1}, Translation: r3.Vector{X: whole(5), Y: whole(5), Z: whole(5)}}
	switch r.IntN(6) {
	case 0:
		p.Rotation.Imag = 1
	case 1:
		p.Rotation = quat.Number{Real: 1, Imag: 1, Jmag: -1, Kmag: 1}
	case 2:
		p.Rotation.Kmag = 2
	case 3:
		p.Rotation = quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
	case 4:
		p.Rotation = quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		p.Translation = p.Translation.Mul(1e7 * r.Float64())
	}
	p.Rotation = quat.Scale(1/quat.Abs(p.Rotation), p.Rotation)
	return p
}

// movedVertices returns the vertices of m at the pose p, by the formula of Rodrigues for a quaternion w + v:
// x + 2(w·v×x + v×(v×x))/|q|² + t.
func movedVertices(m *mesh.Mesh, p pose.Pose) (out [][3]*big.Rat) {
	cross := func(a, b [3]*big.Rat) (c [3]*big.Rat) {
		for k := range c {
			i, j := (k+1)%3, (k+2)%3
			c[k] = new(big.Rat).Mul(a[i], b[j])
			c[k].Sub(c[k], new(big.Rat).Mul(a[j], b[i]))
		}
		return c
	}
	q := p.Rotation
	w, v := rational(q.Real), [3]*big.Rat{rational(q.Imag), rational(q.Jmag), rational(q.Kmag)}
	norm := new(big.Rat).Mul(w, w)
	for _, x := range v {
		norm.Add(norm, new(big.Rat).Mul(x, x))
	}
	factor := norm.Quo(big.NewRat(2, 1), norm)
	t := [3]*big.Rat{rational(p.Translation.X), rational(p.Translation.Y), rational(p.Translation.Z)}
	for _, x := range exactVertices(m) {
		once := cross(v, x)
		twice := cross(v, once)
		for k := range x {
			d := new(big.Rat).Mul(w, once[k])
			d.Add(d, twice[k])
			x[k].Add(x[k], d.Mul(d, factor))
			x[k].Add(x[k], t[k])
		}
		out = append(out, x)
	}
	return out
}

// Sections of posed solids are those of the mesh that the exact pose moves. Many planes go through vertices that the pose
// moves exactly. The sections of Stack are those of Cut, and do not depend on whether the solid has its tree.
func TestPosedSections(t *testing.T) {
	count := 40
	if testcorpus.Full() {
		count = 20_000
	}
	determined, nodes := 0, 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 78))
		m := testmesh.Mesh(closed(uint64(seed)))
		if seed%3 == 0 {
			m = testmesh.Mesh(testmesh.Simplices(r, seed%testmesh.SimplicesModes))
		}
		rule := rules[r.IntN(len(rules))]
		s := solid(t, m, inpoly.Options{Rule: rule})
		at, err := s.At(randomPose(r))
		if err != nil {
			t.Fatal(err)
		}
		p := hardPlane(r, m)
		p.Origin = at.Pose().Apply(p.Origin)
		if p.Check() != nil {
			continue
		}
		bare := cut(t, at, p)
		if r.IntN(2) == 0 {
			if _, err := locate.Of(s).Surface.Index(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprintf("seed %d, pose %+v, plane %v, %v", seed, at.Pose(), p, rule)
		got := cut(t, at, p)
		if !same(bare, got) {
			t.Errorf("%s: with a tree the section is %+v, without %+v", name, got, bare)
		}
		checkShape(t, name, got)
		if checkHard(t, name, m, movedVertices(m, at.Pose()), p, rule, got) {
			determined++
		}
		for _, c := range got.Contours {
			nodes += len(c.Points)
		}
		if err := section.Stack(t.Context(), at, []section.Plane{p, p}, func(_ int, c *section.Section) error {
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
	t.Logf("%d sections, %d with areas, %d points", count, determined, nodes)
	if determined < count/2 || nodes < count {
		t.Error("the test covers too little")
	}
}

// BenchmarkPosed measures sections of a solid without a pose and at a pose, with planes at the same places of the mesh.
func BenchmarkPosed(b *testing.B) {
	s, err := inpoly.New(b.Context(), testmesh.Mesh(testmesh.Star(5, .5, 1)), inpoly.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	p := pose.Pose{Rotation: quat.Number{Real: .5, Imag: .1, Jmag: -.7, Kmag: .3}, Translation: r3.Vector{X: 3, Y: -2, Z: 1}}
	p.Rotation = quat.Scale(1/quat.Abs(p.Rotation), p.Rotation)
	at, err := s.At(p)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	plain, moved := make([]section.Plane, 32), make([]section.Plane, 32)
	turned := pose.Pose{Rotation: p.Rotation}
	for i := range plain {
		plain[i] = section.Plane{
			Origin: r3.Vector{X: r.Float64() - .5, Y: r.Float64() - .5, Z: r.Float64() - .5},
			Normal: r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()},
		}
		moved[i] = section.Plane{Origin: p.Apply(plain[i].Origin), Normal: turned.Apply(plain[i].Normal)}
	}
	for _, c := range []struct {
		name   string
		of     inpoly.Target
		planes []section.Plane
	}{{"plain", s, plain}, {"posed", at, moved}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for _, plane := range c.planes {
					if _, err := section.Cut(b.Context(), c.of, plane); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
