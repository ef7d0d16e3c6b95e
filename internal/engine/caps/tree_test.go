package caps

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// The potential of a tree of caps is within its bound of the sum over all caps, and usually decides the side.
func TestCapTree(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 11))
	sphere := testmesh.Soup(testmesh.Sphere(4))
	few := testmesh.Without(sphere, r.Perm(len(sphere.Faces))[:40]...)
	many := testmesh.Without(sphere, r.Perm(len(sphere.Faces))[:1200]...)
	for name, soup := range map[string]mesh.Soup{
		"hemisphere": testmesh.Hemisphere(3), "few holes": few, "many holes": many, "soup": testmesh.Triangles(60, 5),
		"strip": testmesh.Moebius(30), "tiny": testmesh.Scale(few, 0x1p-900), "huge": testmesh.Scale(many, 0x1p900),
		"far": testmesh.Translate(few, r3.Vector{X: 1e7, Y: -1e8, Z: 3e6}), "twice": testmesh.Union(few, few, few),
	} {
		m := testmesh.Mesh(soup)
		_, caps, err := m.Capped(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		list := slices.Clone(caps)
		times := 1.0
		if name == "twice" {
			times = 3
			list = list[:len(list)/3]
		}
		tree := New(list, times)
		direct := bem.NewDirect(testmesh.Mesh(capSoup(caps)), 1)
		var s Scratch
		decided, count, worst := 0, 0, 0.0
		size := m.Box().Size()
		for i := range 400 {
			p := m.Box().Min.Add(r3.Vector{X: size.X * (1.4*r.Float64() - .2), Y: size.Y * (1.4*r.Float64() - .2), Z: size.Z * (1.4*r.Float64() - .2)})
			c := caps[r.IntN(len(caps))]
			switch i % 4 {
			case 1: // near a cap
				p = c[0].Mul(.25).Add(c[1].Mul(.25)).Add(c[2].Mul(.5))
				p = p.Add(r3.Vector{X: size.X, Y: size.Y, Z: size.Z}.Mul(math.Exp2(-40 * r.Float64())))
			case 2: // on a cap, or almost
				p = c[0].Mul(.5).Add(c[1].Mul(.5))
			}
			w, wBound, on := direct.Winding(p)
			for _, tolerance := range []float64{1, .35, .04, 1e-6} {
				j, bound, ok := tree.Potential(p, tolerance, &s)
				if !ok || on {
					if ok != !on && i%4 != 2 && bound < math.MaxFloat64 {
						t.Errorf("%s, %v: ok %v, on a cap %v", name, p, ok, on)
					}
					continue
				}
				if e := math.Abs(j - w); !(e <= bound+wBound) {
					t.Fatalf("%s, %v, tolerance %g: %v ± %g, want %v ± %g", name, p, tolerance, j, bound, w, wBound)
				} else if i%4 == 0 && bound > 0 {
					worst = max(worst, e/bound)
				}
				if i%4 == 0 && tolerance == .35 {
					count++
					if math.Abs(j-math.Floor(j)-.5) > bound {
						decided++
					}
				}
			}
		}
		t.Logf("%s: %d caps, %d of %d points decided, errors up to %.2g of the bounds", name, len(caps), decided, count, worst)
		if decided < count*3/4 {
			t.Errorf("%s: %d of %d points decided", name, decided, count)
		}
	}
}

// capSoup returns the caps as a soup without common vertices.
func capSoup(caps []mesh.Triangle) (s mesh.Soup) {
	for i, c := range caps {
		s.Vertices = append(s.Vertices, c[:]...)
		s.Faces = append(s.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
	}
	return s
}

// Points that are too far away, and meshes without caps, are no error.
func TestCapTreeLimits(t *testing.T) {
	var s Scratch
	if j, bound, ok := New(nil, 1).Potential(r3.Vector{X: 1}, .1, &s); j != 0 || bound != 0 || !ok {
		t.Errorf("no caps: %v ± %v, %v", j, bound, ok)
	}
	flat := mesh.Triangle{{}, {X: 1}, {X: 2}}
	for _, caps := range [][]mesh.Triangle{{flat}, {flat, flat}, {{}}, {{{X: 1}, {Y: 1}, {Z: 1}}}} {
		tree := New(slices.Clone(caps), 1)
		for _, x := range []float64{1e-320, 1e-9, 3, 1e40, 1e60, 1e308} {
			j, bound, ok := tree.Potential(r3.Vector{X: .1, Y: x, Z: x}, .1, &s)
			if ok && !(math.Abs(j) <= .5+bound && bound >= 0) {
				t.Errorf("%v, %g: %v ± %v", caps, x, j, bound)
			}
		}
	}
}

// The bounds hold for tiny slivers near the origin of coordinates, whose corners lose digits relative to the center of all caps.
func TestTinySlivers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	rnd := func() r3.Vector { return r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1} }
	var s Scratch
	worst := 0.0
	for range 800 {
		size, width := math.Exp2(-45*r.Float64()), math.Exp2(-20*r.Float64())
		var caps []mesh.Triangle
		dir := rnd()
		for range 1 + r.IntN(24) {
			a := rnd().Mul(size)
			caps = append(caps, mesh.Triangle{a, a.Add(dir.Mul(size)), a.Add(rnd().Mul(size * width))})
		}
		caps = append(caps, mesh.Triangle{{X: -.3, Y: -.4}, {X: 3.1, Y: -.5}, {X: -.2, Y: 2.7}})
		direct := bem.NewDirect(testmesh.Mesh(capSoup(caps)), 1)
		tree := New(caps, 1)
		for range 40 {
			p := rnd().Mul(size * math.Exp2(10*r.Float64()))
			if r.IntN(2) == 0 {
				p.Z *= math.Exp2(-20 * r.Float64())
			}
			w, wBound, on := direct.Winding(p)
			for _, tolerance := range []float64{1, .04, 1e-6, 1e-12} {
				j, bound, ok := tree.Potential(p, tolerance, &s)
				if on || !ok {
					continue
				}
				if e := math.Abs(j - w); !(e <= bound+wBound) {
					t.Fatalf("%v at %v, tolerance %g: %v ± %g, want %v ± %g", caps, p, tolerance, j, bound, w, wBound)
				} else {
					worst = max(worst, e/(bound+wBound))
				}
			}
		}
	}
	t.Logf("errors up to %.2g of the bounds", worst)
}

// Sums over many caps round in the same direction if the caps are equal. The bound covers these errors.
func TestManyEqualCaps(t *testing.T) {
	const n = 400_000
	one := mesh.Triangle{{}, {X: 1}, {X: .7, Y: .4}}
	caps := make([]mesh.Triangle, n)
	for i := range caps {
		caps[i] = one
	}
	many, single := New(caps, 1), New([]mesh.Triangle{one}, n)
	var s Scratch
	for _, distance := range []float64{1e3, 1e8, 1e13} {
		p := r3.Vector{X: distance, Y: -2 * distance, Z: 3 * distance}
		j, bound, ok := many.Potential(p, 1, &s)
		want, _, wantOK := single.Potential(p, 1, &s)
		if !ok || !wantOK || math.Abs(j-want) > bound+0x1p-48*math.Abs(want) {
			t.Errorf("at a distance of %g: %v ± %v (%v), want %v (%v)", distance, j, bound, ok, want, wantOK)
		}
	}
}
