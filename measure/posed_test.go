package measure_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// movedVertices returns the exact vertices of a mesh at a pose, by R = 1 + 2(wK + K²)/|q|² with the cross product
// matrix K of the vector part of the quaternion.
func movedVertices(m *mesh.Mesh, p pose.Pose) [][3]*big.Rat {
	q := p.Rotation
	w, v := rat(q.Real), [3]*big.Rat{rat(q.Imag), rat(q.Jmag), rat(q.Kmag)}
	cross := func(a, b [3]*big.Rat) (c [3]*big.Rat) {
		for i := range c {
			c[i] = new(big.Rat).Sub(mul(a[(i+1)%3], b[(i+2)%3]), mul(a[(i+2)%3], b[(i+1)%3]))
		}
		return c
	}
	factor := add(mul(w, w), mul(v[0], v[0]), mul(v[1], v[1]), mul(v[2], v[2]))
	factor.Quo(big.NewRat(2, 1), factor)
	t := [3]*big.Rat{rat(p.Translation.X), rat(p.Translation.Y), rat(p.Translation.Z)}
	out := make([][3]*big.Rat, len(m.Vertices))
	for i, x := range m.Vertices {
		at := [3]*big.Rat{rat(x.X), rat(x.Y), rat(x.Z)}
		once := cross(v, at)
		twice := cross(v, once)
		for k := range at {
			out[i][k] = add(at[k], mul(factor, add(mul(w, once[k]), twice[k])), t[k])
		}
	}
	return out
}

// poses returns poses of several kinds: moved only, axes exchanged, turned, and far away.
func poses(r *rand.Rand) []pose.Pose {
	h := math.Sqrt(0.5)
	any := func() quat.Number {
		q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		return quat.Scale(1/quat.Abs(q), q)
	}
	at := func(size float64) r3.Vector {
		return r3.Vector{X: size * r.NormFloat64(), Y: size * r.NormFloat64(), Z: size * r.NormFloat64()}
	}
	return []pose.Pose{
		pose.At(at(3)),
		{Rotation: quat.Number{Real: h, Kmag: h}, Translation: at(1)},
		{Rotation: quat.Number{Imag: 1}},
		{Rotation: any(), Translation: at(1)},
		{Rotation: any(), Translation: at(1e6)},
		{Rotation: any(), Translation: at(1e-9)},
	}
}

// At poses all numbers are those of the exactly moved mesh, in rational arithmetic.
func TestPosed(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 3))
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if len(m.Faces) > 300 {
			continue
		}
		s := solid(t, m, inpoly.Options{})
		plain, err := measure.Whole(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range poses(r) {
			posed, err := s.At(at)
			if err != nil {
				t.Fatal(err)
			}
			p, err := measure.Whole(t.Context(), posed, measure.Options{})
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, pose %d", c.Name, i)
			checkTwin(t, name, integrals(m, all(m), movedVertices(m, at)), p, 0)
			checkAxes(t, name, at, &plain, &p)
			if p.Area != plain.Area || p.Closed != plain.Closed || p.Faces != plain.Faces {
				t.Errorf("%s: area %g, closed %t, %d faces", name, p.Area, p.Closed, p.Faces)
			}
			if i == 0 && p.Inertia != plain.Inertia && !math.IsNaN(plain.Inertia[0][0]) {
				t.Errorf("%s: a translation changed the inertia tensor", name)
			}
		}
	}
}

// checkAxes checks that the axes are the turned ones, up to a half turn, within the bounds of both.
func checkAxes(t *testing.T, name string, at pose.Pose, plain, p *measure.Properties) {
	t.Helper()
	for i, axis := range plain.Axes {
		if math.IsInf(plain.AxesBound[i], 1) || math.IsNaN(axis.X) {
			if !math.IsInf(p.AxesBound[i], 1) {
				t.Errorf("%s: axis %d is not determined, but has the bound %g", name, i, p.AxesBound[i])
			}
			continue
		}
		want := pose.Pose{Rotation: at.Rotation}.Apply(axis)
		angle := math.Asin(min(1, want.Cross(p.Axes[i]).Norm()))
		if angle > plain.AxesBound[i]+p.AxesBound[i]+1e-15 || p.AxesBound[i] > plain.AxesBound[i]*(1+1e-9)+1e-14 {
			t.Errorf("%s: axis %d is off by %g, with the bound %g (%g without a pose)", name, i, angle, p.AxesBound[i], plain.AxesBound[i])
		}
	}
	if !math.IsNaN(p.Axes[0].X) && p.Axes[0].Cross(p.Axes[1]).Dot(p.Axes[2]) < 0.999 {
		t.Errorf("%s: the axes are not right-handed", name)
	}
}

// The bounds at a pose are nearly as tight as without.
func TestPosedBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 4))
	s := solid(t, testmesh.Sphere(3), inpoly.Options{})
	for i, at := range poses(r) {
		posed, err := s.At(at)
		if err != nil {
			t.Fatal(err)
		}
		p, err := measure.Whole(t.Context(), posed, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		far := 1e-15 * (1 + at.Translation.Norm())
		if b := p.CentroidBound; max(b.X, b.Y, b.Z) > far+1e-13 || p.InertiaBound > 1e-12*p.Moments[2] {
			t.Errorf("pose %d: bounds %v and %g", i, b, p.InertiaBound)
		}
	}
}

// Bodies, components and the comparison accept a pose.
func TestPosedParts(t *testing.T) {
	s := solid(t, testmesh.Sphere(2), inpoly.Options{})
	posed, err := s.At(pose.At(r3.Vector{X: 10}))
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := measure.Bodies(t.Context(), posed, measure.Options{})
	if err != nil || len(bodies) != 1 || math.Abs(bodies[0].Centroid.X-10) > 1e-12 {
		t.Errorf("bodies %+v, %v", bodies, err)
	}
	components, err := measure.Components(t.Context(), posed, measure.Options{})
	if err != nil || len(components) != 1 || components[0].Centroid != bodies[0].Centroid {
		t.Errorf("components %+v, %v", components, err)
	}
	if v, reason, err := measure.Compare(t.Context(), posed); v != measure.Equal || err != nil {
		t.Errorf("%v, %q, %v", v, reason, err)
	}
}
