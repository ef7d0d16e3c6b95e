package fmm

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

type solid struct {
	name string
	soup mesh.Soup
}

func foam(t testing.TB, resolution int) *mesh.Mesh {
	t.Helper()
	return testmesh.Foam(mesh.FoamOptions{Resolution: resolution, Cells: 8, Strut: 0.3})
}

// cutUp returns every k-th triangle of m, each moved slightly. All edges of the soup are boundary
// edges.
func cutUp(m *mesh.Mesh, k int, seed uint64) mesh.Soup {
	r := seeded(seed)
	var tris []mesh.Triangle
	for f := 0; f < m.NumFaces(); f += k {
		tri := m.Triangle(int32(f))
		d := r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}.Mul(0.01)
		for i := range tri {
			tri[i] = tri[i].Add(d)
		}
		tris = append(tris, tri)
	}
	return soupOf(tris)
}

// sliverFan returns n triangles around one vertex. The rim of the fan is open.
func sliverFan(n int) mesh.Soup {
	s := mesh.Soup{Vertices: []r3.Vector{{X: 0.1, Y: 0.2, Z: 0.3}}}
	for k := range n + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		s.Vertices = append(s.Vertices, r3.Vector{X: cos, Y: sin, Z: 0.1 * math.Sin(5*sin)})
		if k > 0 {
			s.Faces = append(s.Faces, [3]int32{0, int32(k), int32(k + 1)})
		}
	}
	return s
}

// sizes returns n triangles. Their sizes range from the size of the box to 2^−20 of this size. Some
// triangles are needles.
func sizes(n int, seed uint64) mesh.Soup {
	r := seeded(seed)
	v := func() r3.Vector { return r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()} }
	var tris []mesh.Triangle
	for i := range n {
		a, h := v(), math.Exp2(-20*r.Float64())
		b := a.Add(v().Mul(h))
		if i%10 == 0 {
			h *= 1e-6
		}
		tris = append(tris, mesh.Triangle{a, b, b.Add(v().Mul(h))})
	}
	return soupOf(tris)
}

// concentric returns n triangles of many sizes that have the same centroid. So no cell separates
// them.
func concentric(n int, seed uint64) mesh.Soup {
	r := seeded(seed)
	v := func() r3.Vector { return r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()} }
	var tris []mesh.Triangle
	for range n {
		h := math.Exp2(-8 * r.Float64())
		a, b := v().Mul(h), v().Mul(h)
		tris = append(tris, mesh.Triangle{a, b, a.Add(b).Mul(-1)})
	}
	return soupOf(tris)
}

// solids returns the meshes of the catalog in package testmesh, and larger meshes.
func solids(t testing.TB) []solid {
	t.Helper()
	var all []solid
	for _, c := range testmesh.Catalog() {
		all = append(all, solid{c.Name, c.Soup})
	}
	sphere := testmesh.Soup(testmesh.Sphere(4))
	torus := testmesh.Torus(2, 0.5, 48, 24)
	one := mesh.Soup{Vertices: []r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}, Faces: [][3]int32{{0, 1, 2}}}
	point := mesh.Soup{Vertices: []r3.Vector{{X: 0.3, Y: 0.7, Z: -1}}, Faces: [][3]int32{{0, 0, 0}, {0, 0, 0}}}
	needle := mesh.Soup{Vertices: []r3.Vector{{}, {X: 1, Y: 1, Z: 1}, {X: 1, Y: 1, Z: 1 + 1e-9}}, Faces: [][3]int32{{0, 1, 2}}}
	far := func(d float64) mesh.Soup { return testmesh.Translate(sphere, r3.Vector{X: d, Y: -d, Z: d / 3}) }
	flip := make([]int, 0, 100)
	for f := range 100 {
		flip = append(flip, 17*f)
	}
	return append(all, []solid{
		{"sphere", sphere},
		{"sphere inverted", testmesh.Flip(sphere)},
		{"sphere with faces flipped", testmesh.Flip(sphere, flip...)},
		{"sphere without some faces", testmesh.Without(sphere, flip...)},
		{"sphere with faces doubled", testmesh.Double(sphere, flip...)},
		{"sphere with itself inverted", testmesh.Union(sphere, testmesh.Flip(sphere))},
		{"sphere twenty times", testmesh.Copies(testmesh.Soup(testmesh.Sphere(3)), 20)},
		{"sphere with zero-area faces", testmesh.WithDegenerate(sphere, 100, 3)},
		{"sphere at 2^300", testmesh.Scale(sphere, 0x1p300)},
		{"sphere at 2^-300", testmesh.Scale(sphere, 0x1p-300)},
		{"sphere at 2^900", testmesh.Scale(sphere, 0x1p900)},
		{"sphere at 2^-900", testmesh.Scale(sphere, 0x1p-900)},
		{"sphere off by 10^6", far(1e6)},
		{"sphere off by 10^12", far(1e12)},
		{"tori that cross", testmesh.Union(torus, testmesh.Translate(torus, r3.Vector{X: 0.7, Y: 0.3}))},
		{"star", testmesh.Star(4, 0.75, 5)},
		{"foam", testmesh.Soup(foam(t, 12))},
		{"foam cut up", cutUp(foam(t, 16), 4, 8)},
		{"random triangles", testmesh.Triangles(1500, 1)},
		{"tangle", testmesh.Tangle(50, 2000, 2)},
		{"whiskers", testmesh.Whiskers(300, 3)},
		{"cube with whiskers", testmesh.Union(testmesh.UnitCube(), testmesh.Whiskers(300, 4))},
		{"one triangle", one},
		{"one needle", needle},
		{"one point", point},
		{"one triangle 2000 times", testmesh.Copies(one, 2000)},
		{"concentric triangles", concentric(1000, 6)},
		{"triangles of all sizes", sizes(2000, 7)},
		{"sheet", testmesh.Sheet(32)},
		{"Möbius strip", testmesh.Moebius(1000)},
		{"sliver fan", sliverFan(2000)},
		{"double cone", testmesh.DoubleCone(1000, 0.5)},
		{"plate with a hole", testmesh.Move(torus, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X, Y: p.Y, Z: p.Z * 0x1p-10} })},
		{"rounded box", testmesh.Move(sphere, func(p r3.Vector) r3.Vector {
			return r3.Vector{X: p.X + math.Copysign(50, p.X), Y: p.Y + math.Copysign(5, p.Y), Z: p.Z + math.Copysign(5, p.Z)}
		})},
	}...)
}

var epsilons = []float64{0.45, 4e-3, 1e-4, 1e-6, 1e-10}

// For every solid and epsilon, no error exceeds its bound, and no bound exceeds epsilon. If New
// cannot reach an epsilon, the error names a value that can be reached.
func TestPlans(t *testing.T) {
	for i, s := range solids(t) {
		m := testmesh.Mesh(s.soup)
		pts := spots(m, rounds(150, 20_000), uint64(i))
		want := reference(t, m, pts)
		for k, epsilon := range epsilons {
			every := [...]int{2, 3, 3, 4, 8}[k] // use fewer meshes for small epsilons, which take long
			if testing.Short() {
				every = 6
			}
			if !full() && (i+k)%every != 0 {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				// Different numbers of expected points give trees of all depths.
				expected := [...]int64{0, 1, 1000, 100_000}[(i+k)%4]
				p, reached := reachable(t, s.name, corners(m), Options{Epsilon: epsilon, ExpectedPoints: expected})
				if p == nil {
					return
				}
				w := check(t, s.name, reached, windings(t, p, pts, 0), want, pts)
				t.Logf("ε=%g: largest error %.2g of its bound, largest bound %.2g ε", reached, w.error, w.bound)
			})
		}
	}
}

func TestNoTriangles(t *testing.T) {
	p := newPlan(t, nil, Options{})
	var s Scratch
	for _, x := range []r3.Vector{{}, {X: 1e300}} {
		if w, bound, on := p.Winding(x, &s); w != 0 || bound != 0 || on {
			t.Errorf("at %v: %v ± %v on=%v, want 0 ± 0", x, w, bound, on)
		}
	}
	if w, bound, on := p.Winding(r3.Vector{X: math.NaN()}, &s); !math.IsNaN(w) || !math.IsInf(bound, 1) || on {
		t.Errorf("at NaN: %v ± %v on=%v", w, bound, on)
	}
	if q, err := p.Refine(t.Context(), 1e9); q != p || err != nil {
		t.Errorf("Refine returned plan %p, want %p, error %v", q, p, err)
	}
	if p.Budget() != math.MaxUint64 {
		t.Errorf("Budget is %d, want the largest uint64", p.Budget())
	}
}

func TestNewErrors(t *testing.T) {
	good := mesh.Triangle{{X: 1}, {Y: 1}, {Z: 1}}
	with := func(v r3.Vector) []mesh.Triangle { return []mesh.Triangle{good, {{X: 1}, v, {Z: 1}}} }
	for _, c := range []struct {
		name string
		tris []mesh.Triangle
		opt  Options
		want string
	}{
		{"NaN", with(r3.Vector{X: math.NaN()}), Options{}, "triangle 1"},
		{"NaN in y", with(r3.Vector{Y: math.NaN()}), Options{}, "triangle 1"},
		{"NaN in z", with(r3.Vector{Z: math.NaN()}), Options{}, "triangle 1"},
		{"infinite", with(r3.Vector{Z: math.Inf(-1)}), Options{}, "triangle 1"},
		{"too large", with(r3.Vector{Y: 0x1p1001}), Options{}, "triangle 1"},
		{"negative epsilon", with(r3.Vector{}), Options{Epsilon: -1e-3}, "epsilon"},
		{"epsilon NaN", with(r3.Vector{}), Options{Epsilon: math.NaN()}, "epsilon"},
		{"infinite epsilon", with(r3.Vector{}), Options{Epsilon: math.Inf(1)}, "epsilon"},
		{"negative points", with(r3.Vector{}), Options{ExpectedPoints: -1}, "points"},
		{"negative depth", with(r3.Vector{}), Options{Depth: -1}, "depth"},
	} {
		p, err := New(t.Context(), c.tris, c.opt)
		if err == nil || p != nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrEpsilon) {
			t.Errorf("%s: plan %v, error %v, want one that names %q", c.name, p != nil, err, c.want)
		}
	}
	if _, err := New(t.Context(), with(r3.Vector{X: mesh.MaxCoordinate}), Options{}); err != nil {
		t.Errorf("the largest coordinate is refused: %v", err)
	}
}

// The error for an epsilon that is too small names a value that can be reached.
func TestEpsilonTooSmall(t *testing.T) {
	for _, s := range []solid{
		{"sphere", testmesh.Soup(testmesh.Sphere(3))},
		{"random triangles", testmesh.Triangles(300, 1)},
		{"concentric triangles", concentric(300, 2)},
		{"one triangle", soupOf([]mesh.Triangle{{{X: 1}, {Y: 1}, {Z: 1}}})},
		{"sphere 1000 times", testmesh.Copies(testmesh.Soup(testmesh.Sphere(1)), 1000)},
	} {
		if testing.Short() && len(s.soup.Faces) > 300 {
			continue
		}
		m := testmesh.Mesh(s.soup)
		pts := spots(m, 100, 1)
		want := reference(t, m, pts)
		checked := map[float64]bool{}
		for _, epsilon := range []float64{1e-12, 1e-13, 1e-15, 1e-300, math.SmallestNonzeroFloat64} {
			_, err := New(t.Context(), corners(m), Options{Epsilon: epsilon})
			if err == nil {
				if epsilon < 1e-14 {
					t.Errorf("%s: New accepted ε=%g, want an error", s.name, epsilon)
				}
				continue
			}
			named := namedEpsilon(t, err)
			if checked[named] {
				continue
			}
			checked[named] = true
			p, reached := reachable(t, s.name, corners(m), Options{Epsilon: epsilon})
			if p == nil {
				continue
			}
			check(t, s.name, reached, windings(t, p, pts, 0), want, pts)
		}
	}
}

// All plans have correct bounds: plans for known points, for expected points and for fixed depths,
// and refined plans. The test also queries points other than the known points.
func TestOptions(t *testing.T) {
	for i, s := range []solid{
		{"sphere", testmesh.Soup(testmesh.Sphere(4))},
		{"foam cut up", cutUp(foam(t, 12), 2, 8)},
		{"triangles of all sizes", sizes(1000, 7)},
	} {
		m := testmesh.Mesh(s.soup)
		tris := corners(m)
		pts := spots(m, rounds(300, 5000), uint64(100+i))
		want := reference(t, m, pts)
		var options []Options
		for _, epsilon := range []float64{4e-3, 1e-6} {
			for _, n := range []int64{1, 1000, 10_000_000} {
				if n > 1000 && epsilon < 1e-3 && !full() {
					n = 100_000
				}
				options = append(options, Options{Epsilon: epsilon, ExpectedPoints: n})
			}
			for depth := 1; depth <= 7; depth++ { // at most 7, because each level multiplies the memory by 8
				if depth > 6 && epsilon < 1e-3 || !full() && (depth > 6 || depth > 4 && (epsilon < 1e-3 || i > 0)) {
					continue
				}
				options = append(options, Options{Epsilon: epsilon, Depth: depth})
			}
			options = append(options, Options{Epsilon: epsilon, Points: pts}, Options{Epsilon: epsilon, Points: pts[:len(pts)/3]},
				Options{Epsilon: epsilon, Points: []r3.Vector{}}, Options{Epsilon: epsilon, Points: pts, Depth: 4},
				Options{Epsilon: epsilon, Points: pts[:len(pts)/10], ExpectedPoints: 3000}, Options{Epsilon: epsilon, Points: []r3.Vector{}, ExpectedPoints: 3000},
				Options{Epsilon: epsilon, Points: []r3.Vector{{X: math.NaN()}, {X: 1e300}, {Z: math.Inf(1)}}})
		}
		for k, opt := range options {
			if testing.Short() && k%5 != i {
				continue // with the race detector this case takes ten times as long
			}
			name := s.name + ", " + optionText(opt)
			p := newPlan(t, tris, opt)
			w := check(t, name, opt.Epsilon, windings(t, p, pts, 0), want, pts)
			t.Logf("%s: %d leaves, %d pairs, largest error %.2g of its bound", name, len(p.tree.leaves), p.tree.pairs, w.error)
		}
		for _, epsilon := range []float64{0.45, 1e-4} {
			p := newPlan(t, tris, Options{Epsilon: epsilon, ExpectedPoints: 100})
			for _, n := range []float64{1e4, 5e4} {
				q, err := p.Refine(t.Context(), n)
				if err != nil {
					t.Fatal(err)
				}
				if q == p || q.src != p.src {
					t.Errorf("%s: Refine(%g) made the same plan or a new source tree", s.name, n)
				}
				check(t, s.name+" refined", epsilon, windings(t, q, pts, 0), want, pts)
				if again, err := q.Refine(t.Context(), n); again != q || err != nil {
					t.Errorf("%s: Refine with the same number made another plan, error %v", s.name, err)
				}
				if q.Budget() < p.Budget() {
					t.Errorf("%s: Refine lowered the budget from %d to %d", s.name, p.Budget(), q.Budget())
				}
				p = q
			}
		}
	}
}

// The bounds are correct for points so far away that their distance or its square overflows. For
// these points the result is 0.
func TestFarAway(t *testing.T) {
	const most = math.MaxFloat64
	cube := testmesh.UnitCube()
	for _, s := range []solid{
		{"cube", cube},
		{"cube at 2^-1000", testmesh.Scale(cube, 0x1p-1000)},
		{"cube at 2^-300", testmesh.Scale(cube, 0x1p-300)},
		{"cube at 2^300", testmesh.Scale(cube, 0x1p300)},
		{"cube at 2^1000", testmesh.Scale(testmesh.Translate(cube, r3.Vector{X: -1, Y: -0.5}), 0x1p1000)},
		{"sphere", testmesh.Soup(testmesh.Sphere(3))},
		{"half a sphere at 2^-900", testmesh.Scale(testmesh.Hemisphere(3), 0x1p-900)},
		{"cube of 0.01 at 10^6", testmesh.Translate(testmesh.Scale(cube, 0.01), r3.Vector{X: 1e6, Y: 1e6, Z: 1e6})},
	} {
		m := testmesh.Mesh(s.soup)
		pts := []r3.Vector{
			{X: most}, {X: -most}, {X: most, Y: most, Z: most}, {X: -most, Y: most, Z: -most}, {Y: 1e300}, {Z: -0x1p600}, {X: 0x1p511, Y: -0x1p511},
			{X: 0x1p500}, {X: 1}, {Z: -1e100}, {X: 0x1p1000, Y: 1}, {X: 0x1p1001, Y: 0x1p1001, Z: -0x1p1002},
		}
		want := reference(t, m, pts)
		for _, epsilon := range epsilons {
			p := newPlan(t, corners(m), Options{Epsilon: epsilon, ExpectedPoints: 1})
			check(t, s.name, epsilon, windings(t, p, pts, 1), want, pts)
		}
	}
}

// The points are so far away that powers of the distance underflow. Up to second order, a triangle
// at this distance is a dipole with the potential n·r/(4π r³). The bound covers the omitted terms.
func TestFarDipole(t *testing.T) {
	tri := mesh.Triangle{{}, {X: 1}, {Y: 1}}
	normal := r3.Vector{Z: 0.5}
	for _, epsilon := range epsilons {
		p := newPlan(t, []mesh.Triangle{tri}, Options{Epsilon: epsilon, ExpectedPoints: 1})
		var s Scratch
		for e := 3; e < 340; e++ {
			d := math.Ldexp(1, e)
			got, bound, _ := p.Winding(r3.Vector{X: 0.25 * d, Z: d}, &s)
			y := r3.Vector{X: 0.25, Z: 1}
			// With outward normals, the winding number is positive behind the triangle.
			want := -math.Ldexp(normal.Dot(y)/(4*math.Pi*math.Pow(y.Norm(), 3)), -2*e)
			if err := math.Abs(got - want); !(err <= bound+4*math.Abs(want)/d) {
				t.Errorf("ε=%g, 2^%d away: %v ± %v, want %v", epsilon, e, got, bound, want)
				break
			}
		}
	}
}

// One leaf holds very many triangles that are almost equal. The sums have terms that round in one
// direction. The triangles are shifted only slightly. Up to second order in the shifts, the
// potential is the number of triangles times the potential of the middle triangle.
func TestNearCopies(t *testing.T) {
	n := rounds(50_000, 1_000_000)
	const size = 0.005
	base := mesh.Triangle{{X: 0.7, Y: 0.6, Z: 0.8}, {X: 0.7 + size, Y: 0.6, Z: 0.8}, {X: 0.7, Y: 0.6 + size, Z: 0.8}}
	shift := func(k int) mesh.Triangle {
		tri, d := base, float64(k)*0x1p-52 // shifts are exact, because coordinates are multiples of 2^−53
		for i := range tri {
			tri[i].X += d
			tri[i].Y += d
			tri[i].Z += d
		}
		return tri
	}
	tris := make([]mesh.Triangle, 0, n)
	for k := -n / 2; k <= n/2; k++ {
		tris = append(tris, shift(k))
	}
	boundary := bem.NewBoundary(testmesh.Mesh(soupOf([]mesh.Triangle{base})))
	for _, epsilon := range []float64{1e-8, 1e-9, 4e-10} {
		p, reached := reachable(t, "near copies", tris, Options{Epsilon: epsilon, ExpectedPoints: 1})
		if p == nil {
			continue
		}
		r := seeded(71)
		var s Scratch
		worst := 0.0
		for range 30 {
			x := base[0].Add(direction(r).Mul(0.05 + 0.3*r.Float64()))
			// The ray leads away from the triangle, so it crosses nothing.
			w, _, ok := boundary.ExtendedSum(x, x.Add(x.Sub(base[0]).Mul(1e6)).Add(r3.Vector{Y: 1}), 200, nil)
			if !ok {
				continue
			}
			want := real300(0).Mul(w, real300(float64(len(tris))))
			got, bound, _ := p.Winding(x, &s)
			e, _ := want.Sub(want, real300(got)).Float64()
			// The tolerance covers the second-order terms and the last bit of the result.
			exact := 1e-16*math.Abs(got) + float64(len(tris))*1e-22
			if e = math.Abs(e); !(e <= bound+exact) {
				t.Errorf("ε=%g, at %#v: %v ± %v, want the error %g within the bound", reached, x, got, bound, e)
			}
			worst = max(worst, e/bound)
		}
		t.Logf("ε=%g: largest error %.2g of its bound", reached, worst)
	}
}

// One vertex belongs to 10^5 slivers, which no cell separates.
func TestManySlivers(t *testing.T) {
	n := rounds(20_000, 100_000)
	for _, s := range []solid{{"sliver fan", sliverFan(n)}, {"double cone", testmesh.DoubleCone(n, 0.5)}} {
		m := testmesh.Mesh(s.soup)
		pts := spots(m, 60, 5)
		want := reference(t, m, pts)
		for _, epsilon := range []float64{4e-3, 1e-6} {
			p, reached := reachable(t, s.name, corners(m), Options{Epsilon: epsilon, ExpectedPoints: 1000})
			if p != nil {
				check(t, s.name, reached, windings(t, p, pts, 0), want, pts)
			}
		}
	}
}

// A sample of points that crowd in a part of the box gives about the same near fields as all points.
// They are smaller than those of a plan that expects the points anywhere.
func TestSample(t *testing.T) {
	tris := corners(testmesh.Sphere(4))
	r := seeded(79)
	pts := make([]r3.Vector, 20_000)
	for i := range pts {
		pts[i] = r3.Vector{X: 0.9 + 0.2*r.Float64(), Y: 0.2 * r.Float64(), Z: 0.2 * r.Float64()}
	}
	near := func(opt Options) float64 {
		opt.Epsilon, opt.Workers = 1e-2, 1
		p := newPlan(t, tris, opt)
		var s Scratch
		for _, x := range pts[:2000] {
			p.Winding(x, &s)
		}
		return float64(s.Near) / 2000
	}
	n := int64(len(pts))
	all, sample, anywhere := near(Options{Points: pts}), near(Options{Points: pts[:400], ExpectedPoints: n}), near(Options{ExpectedPoints: n})
	if !(sample < 1.1*all && sample < 0.7*anywhere) {
		t.Errorf("%.1f near triangles with a sample of points, %.1f with all points, %.1f with points anywhere", sample, all, anywhere)
	}
}
