package measure_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/measure"
	"github.com/inpoly/inpoly/mesh"
)

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func mul(x ...*big.Rat) *big.Rat {
	p := big.NewRat(1, 1)
	for _, f := range x {
		p.Mul(p, f)
	}
	return p
}

func add(x ...*big.Rat) *big.Rat {
	s := new(big.Rat)
	for _, t := range x {
		s.Add(s, t)
	}
	return s
}

// twin holds exact integrals of 1, x_i and x_i·x_j relative to the origin of the coordinates.
type twin struct {
	volume *big.Rat
	first  [3]*big.Rat
	second [3][3]*big.Rat
	area   *big.Float // 200 bits
}

// exact returns the integrals of faces of a mesh.
func exact(m *mesh.Mesh, faces []int32) *twin {
	at := make([][3]*big.Rat, len(m.Vertices))
	for i, v := range m.Vertices {
		at[i] = [3]*big.Rat{rat(v.X), rat(v.Y), rat(v.Z)}
	}
	return integrals(m, faces, at)
}

// integrals integrates over the tetrahedra of the faces and the origin, for vertices at the given places. The mean
// of x_i·x_j over a tetrahedron with the corners v is (Σv_i·Σv_j + Σ v_i·v_j)/20, and corner 0 adds nothing.
func integrals(m *mesh.Mesh, faces []int32, at [][3]*big.Rat) *twin {
	w := &twin{volume: new(big.Rat), area: new(big.Float).SetPrec(200)}
	for i := range 3 {
		w.first[i] = new(big.Rat)
		for j := range 3 {
			w.second[i][j] = new(big.Rat)
		}
	}
	for _, f := range faces {
		var p [3][3]*big.Rat
		for k, v := range m.Faces[f] {
			p[k] = at[v]
		}
		det := new(big.Rat)
		for k := range 3 {
			x, y, z := p[0][k], p[1][(k+1)%3], p[2][(k+2)%3]
			det.Add(det, mul(x, y, z))
			x, y, z = p[0][k], p[1][(k+2)%3], p[2][(k+1)%3]
			det.Sub(det, mul(x, y, z))
		}
		w.volume.Add(w.volume, mul(det, big.NewRat(1, 6)))
		for i := range 3 {
			si := add(p[0][i], p[1][i], p[2][i])
			w.first[i].Add(w.first[i], mul(det, si, big.NewRat(1, 24)))
			for j := range 3 {
				sj := add(p[0][j], p[1][j], p[2][j])
				q := add(mul(si, sj), mul(p[0][i], p[0][j]), mul(p[1][i], p[1][j]), mul(p[2][i], p[2][j]))
				w.second[i][j].Add(w.second[i][j], mul(det, q, big.NewRat(1, 120)))
			}
		}
		n := new(big.Rat)
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			minus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
			c := minus(mul(minus(p[1][i], p[0][i]), minus(p[2][j], p[0][j])), mul(minus(p[1][j], p[0][j]), minus(p[2][i], p[0][i])))
			n.Add(n, mul(c, c))
		}
		if n.Sign() > 0 {
			root := new(big.Float).SetPrec(200).SetRat(n)
			w.area.Add(w.area, root.Quo(root.Sqrt(root), big.NewFloat(2)))
		}
	}
	return w
}

// within reports whether x lies in got ± bound.
func within(x *big.Rat, got, bound float64) bool {
	if math.IsInf(bound, 1) {
		return true
	}
	d := new(big.Rat).Sub(x, rat(got))
	return d.Abs(d).Cmp(rat(bound)) <= 0
}

// check compares p with exact integrals. slack bounds the relative bounds of tight numbers; 0 omits
// this test.
func check(t *testing.T, name string, m *mesh.Mesh, faces []int32, p measure.Properties, slack float64) {
	t.Helper()
	checkTwin(t, name, exact(m, faces), p, slack)
}

// checkTwin compares p with integrals like check.
func checkTwin(t *testing.T, name string, w *twin, p measure.Properties, slack float64) {
	t.Helper()
	area, _ := w.area.Rat(nil)
	if area == nil {
		area = new(big.Rat)
	}
	// The twin of the area is rounded to 200 bits.
	if !within(area, p.Area, p.AreaBound*(1+1e-9)+math.SmallestNonzeroFloat64) {
		t.Errorf("%s: area %g ± %g, want %g", name, p.Area, p.AreaBound, w.area)
	}
	if !p.Closed {
		if p.Reason != measure.ReasonOpen || !math.IsNaN(p.Volume) || !math.IsInf(p.VolumeBound, 1) || !math.IsNaN(p.Inertia[1][2]) {
			t.Errorf("%s: open, but the volume is %g ± %g (%q)", name, p.Volume, p.VolumeBound, p.Reason)
		}
		return
	}
	if !within(w.volume, p.Volume, p.VolumeBound) {
		t.Errorf("%s: volume %g ± %g, want %s", name, p.Volume, p.VolumeBound, w.volume.FloatString(20))
	}
	if p.Reason == measure.ReasonNoVolume {
		if slack > 0 && w.volume.Sign() != 0 {
			t.Errorf("%s: no volume found, want %s", name, w.volume.FloatString(20))
		}
		return
	}
	var c [3]*big.Rat
	for i := range 3 {
		c[i] = new(big.Rat).Quo(w.first[i], w.volume)
		got := [3]float64{p.Centroid.X, p.Centroid.Y, p.Centroid.Z}[i]
		bound := [3]float64{p.CentroidBound.X, p.CentroidBound.Y, p.CentroidBound.Z}[i]
		if !within(c[i], got, bound) {
			t.Errorf("%s: centroid %d: %g ± %g, want %s", name, i, got, bound, c[i].FloatString(20))
		}
	}
	var central, tensor [3][3]*big.Rat
	for i := range 3 {
		for j := range 3 {
			central[i][j] = new(big.Rat).Sub(w.second[i][j], mul(w.volume, c[i], c[j]))
		}
	}
	for i := range 3 {
		for j := range 3 {
			tensor[i][j] = new(big.Rat).Neg(central[i][j])
			if i == j {
				tensor[i][j] = add(central[(i+1)%3][(i+1)%3], central[(i+2)%3][(i+2)%3])
			}
			if !within(tensor[i][j], p.Inertia[i][j], p.InertiaBound) {
				t.Errorf("%s: inertia %d,%d: %g ± %g, want %s", name, i, j, p.Inertia[i][j], p.InertiaBound, tensor[i][j].FloatString(20))
			}
		}
	}
	for i, x := range p.Moments {
		if math.IsInf(p.MomentsBound, 1) {
			break
		}
		lo, hi := new(big.Rat).Sub(rat(x), rat(p.MomentsBound)), add(rat(x), rat(p.MomentsBound))
		if below(tensor, lo) > i || below(tensor, add(hi, big.NewRat(1, 1<<60))) < i+1 && below(tensor, mul(hi, big.NewRat(1<<60+1, 1<<60))) < i+1 {
			t.Errorf("%s: moment %d: %g ± %g is no eigenvalue", name, i, x, p.MomentsBound)
		}
	}
	if slack > 0 {
		size := math.Abs(p.Moments[2])
		if p.VolumeBound > slack*math.Abs(p.Volume) || p.AreaBound > slack*p.Area || p.InertiaBound > slack*size || p.MomentsBound > slack*size {
			t.Errorf("%s: bounds are large: %+v", name, p)
		}
	}
}

// below counts the eigenvalues of a below x by the signs of pivots (Sylvester's law of inertia). It
// moves x by tiny amounts until no pivot is 0.
func below(a [3][3]*big.Rat, x *big.Rat) int {
	x = new(big.Rat).Set(x)
	step := mul(add(new(big.Rat).Abs(x), big.NewRat(1, 1<<62)), new(big.Rat).SetFrac(big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 200)))
	for {
		var m [3][3]*big.Rat
		for i := range 3 {
			for j := range 3 {
				m[i][j] = new(big.Rat).Set(a[i][j])
			}
			m[i][i].Sub(m[i][i], x)
		}
		n, ok := 0, true
		for k := range 3 {
			if m[k][k].Sign() == 0 {
				ok = false
				break
			}
			if m[k][k].Sign() < 0 {
				n++
			}
			for i := k + 1; i < 3; i++ {
				f := new(big.Rat).Quo(m[i][k], m[k][k])
				for j := range 3 {
					m[i][j] = new(big.Rat).Sub(m[i][j], mul(f, m[k][j]))
				}
			}
		}
		if ok {
			return n
		}
		x.Add(x, step)
	}
}

func solid(t *testing.T, m *mesh.Mesh, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	opt.ExpectedPoints, opt.Orient = 1, inpoly.OrientNever
	s, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func all(m *mesh.Mesh) []int32 {
	list := make([]int32, len(m.Faces))
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// TestTwin compares all numbers of the catalog with exact integrals in rational arithmetic.
func TestTwin(t *testing.T) {
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if len(m.Faces) > 3000 && !testcorpus.Full() {
			continue
		}
		s := solid(t, m, inpoly.Options{})
		p, err := measure.Whole(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, c.Name, m, all(m), p, 0)
		parts, err := measure.Components(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		labels, n := m.Components()
		if len(parts) != n {
			t.Fatalf("%s: %d components, want %d", c.Name, len(parts), n)
		}
		for i, p := range parts {
			var faces []int32
			for f, l := range labels {
				if int(l) == i {
					faces = append(faces, int32(f))
				}
			}
			check(t, c.Name+" component", m, faces, p, 0)
		}
	}
}

// TestTight demands relative bounds of 1e-12 for ordinary solids, also for rotated ones and far from
// the origin.
func TestTight(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	turned := testmesh.Move(testmesh.Torus(3, 1, 24, 12), func(p r3.Vector) r3.Vector {
		return r3.Vector{X: p.X*0.8 - p.Z*0.6 + 5, Y: p.Y + 0.1*p.X, Z: p.X*0.6 + p.Z*0.8 - 7}
	})
	for name, s := range map[string]mesh.Soup{
		"cube": testmesh.UnitCube(), "tetrahedron": testmesh.Tetrahedron(), "sphere": testmesh.Soup(testmesh.Sphere(3)),
		"star": testmesh.Star(3, 0.5, r.Uint64()), "torus": turned, "far": testmesh.Translate(turned, r3.Vector{X: 1 << 20, Y: -1 << 21, Z: 3}),
		"huge": testmesh.Scale(turned, 0x1p100), "tiny": testmesh.Scale(turned, 0x1p-100), "nested": testmesh.Nested(false), "cavity": testmesh.Nested(true),
		"inverted": testmesh.Flip(turned),
	} {
		m := testmesh.Mesh(s)
		p, err := measure.Whole(t.Context(), solid(t, m, inpoly.Options{}), measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, name, m, all(m), p, 1e-12)
	}
}

// TestCuboid has known answers: a cuboid of the sides 2, 3 and 4.
func TestCuboid(t *testing.T) {
	m := testmesh.Mesh(testmesh.Cube(r3.Vector{X: 10, Y: 0, Z: 0}, r3.Vector{X: 12, Y: 3, Z: 4}))
	s := solid(t, m, inpoly.Options{})
	p, err := measure.Whole(t.Context(), s, measure.Options{Density: 2})
	if err != nil {
		t.Fatal(err)
	}
	const mass = 48.0
	want := [3]float64{mass / 12 * (4 + 9), mass / 12 * (4 + 16), mass / 12 * (9 + 16)}
	near := func(name string, got, want, bound float64) {
		if math.Abs(got-want) > bound || bound > 1e-12*max(1, math.Abs(want)) {
			t.Errorf("%s: %g ± %g, want %g", name, got, bound, want)
		}
	}
	near("volume", p.Volume, 24, p.VolumeBound)
	near("area", p.Area, 52, p.AreaBound)
	near("mass", p.Mass, mass, p.MassBound)
	near("x", p.Centroid.X, 11, p.CentroidBound.X)
	near("z", p.Centroid.Z, 2, p.CentroidBound.Z)
	for i := range want {
		near("moment", p.Moments[i], want[i], p.MomentsBound)
		axis := [3]r3.Vector{{Z: 1}, {Y: 1}, {X: 1}}[i]
		if angle := math.Acos(min(1, math.Abs(p.Axes[i].Dot(axis)))); p.AxesBound[i] > 1e-12 || angle > 1e-7 {
			t.Errorf("axis %d is %v ± %g", i, p.Axes[i], p.AxesBound[i])
		}
	}
	near("Ixx", p.Inertia[0][0], want[2], p.InertiaBound)
	for _, density := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := measure.Whole(t.Context(), s, measure.Options{Density: density}); !errors.Is(err, measure.ErrDensity) {
			t.Errorf("density %g: error %v", density, err)
		}
	}
}

// TestEqualMoments checks that axes of equal moments are not determined.
func TestEqualMoments(t *testing.T) {
	p, err := measure.Whole(t.Context(), solid(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{}), measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range p.AxesBound {
		if !math.IsInf(b, 1) {
			t.Errorf("cube: axis %d ± %g", i, b)
		}
	}
	m := testmesh.Mesh(testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 5}))
	if p, err = measure.Whole(t.Context(), solid(t, m, inpoly.Options{}), measure.Options{}); err != nil {
		t.Fatal(err)
	}
	if !(p.AxesBound[0] < 1e-12) || !math.IsInf(p.AxesBound[1], 1) || !math.IsInf(p.AxesBound[2], 1) {
		t.Errorf("rod: axes %v", p.AxesBound)
	}
}

// TestWorkers checks that results do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	m := testmesh.Sphere(6)
	var first measure.Properties
	for i, workers := range []int{1, 2, 7} {
		p, err := measure.Whole(t.Context(), solid(t, m, inpoly.Options{Workers: workers}), measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = p
		} else if p != first {
			t.Errorf("%d workers: %+v, want %+v", workers, p, first)
		}
	}
}

func TestBodies(t *testing.T) {
	m := testmesh.Mesh(testmesh.Union(testmesh.UnitCube(), testmesh.Without(testmesh.UnitCube(), 3), testmesh.Scale(testmesh.UnitCube(), 2)))
	list, err := measure.Bodies(t.Context(), solid(t, m, inpoly.Options{}), measure.Options{})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d bodies, error %v", len(list), err)
	}
	for i, want := range []float64{1, math.NaN(), 8} {
		if got := list[i].Volume; math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("body %q has the volume %g, want %g", list[i].Name, got, want)
		}
	}
	if list, err = measure.Bodies(t.Context(), solid(t, testmesh.Sphere(1), inpoly.Options{}), measure.Options{}); err != nil || len(list) != 1 {
		t.Errorf("sphere: %d bodies, error %v", len(list), err)
	}
}

func TestCompare(t *testing.T) {
	cube := testmesh.UnitCube()
	for _, c := range []struct {
		name string
		s    mesh.Soup
		rule inpoly.Rule
		want measure.Verdict
	}{
		{"cube", cube, inpoly.NonZero, measure.Equal},
		{"cube", cube, inpoly.Negative, measure.Different},
		{"cube", cube, inpoly.EvenOdd, measure.Equal},
		{"inverted", testmesh.Flip(cube), inpoly.NonZero, measure.Different},
		{"cavity", testmesh.Nested(true), inpoly.NonZero, measure.Equal},
		{"nested", testmesh.Nested(false), inpoly.NonZero, measure.Different},
		{"two", testmesh.Union(cube, testmesh.Translate(cube, r3.Vector{X: 3})), inpoly.NonZero, measure.Equal},
		{"open", testmesh.Without(cube, 2), inpoly.NonZero, measure.Unknown},
		{"copies", testmesh.Copies(cube, 2), inpoly.NonZero, measure.Unknown},
	} {
		v, reason, err := measure.Compare(t.Context(), solid(t, testmesh.Mesh(c.s), inpoly.Options{Rule: c.rule}))
		if err != nil || v != c.want || (reason == "") != (v == measure.Equal) {
			t.Errorf("%s, %v: got %v (%q), error %v, want %v", c.name, c.rule, v, reason, err, c.want)
		}
	}
	v, reason, err := measure.Compare(t.Context(), solid(t, testmesh.Mesh(testmesh.Overlapping()), inpoly.Options{}))
	if err != nil || v == measure.Equal {
		t.Errorf("overlapping: %v (%q), error %v", v, reason, err)
	}
	// A tetrahedron in the cube shares a vertex, so both are one component.
	c := cube.Vertices[0]
	in := testmesh.Mesh(cube).Box().Size().Mul(0.5).Add(testmesh.Mesh(cube).Box().Min).Sub(c).Mul(0.5)
	corners := mesh.Soup{
		Vertices: []r3.Vector{c, c.Add(in), c.Add(in).Add(r3.Vector{X: 0.1}), c.Add(in).Add(r3.Vector{Y: 0.1})},
		Faces:    [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}},
	}
	for _, inner := range []mesh.Soup{corners, testmesh.Flip(corners)} {
		s := solid(t, testmesh.Mesh(testmesh.Union(cube, inner)), inpoly.Options{Orient: inpoly.OrientNever})
		if v, reason, err := measure.Compare(t.Context(), s); err != nil || v == measure.Equal {
			t.Errorf("common vertex: %v (%q), error %v", v, reason, err)
		}
	}
}

// A prism passes through the top side of a cube, where a loop of its edges lies in that side. So its faces touch
// those of the cube and cross none, but W is 2 in the common part.
func TestCompareThroughEdges(t *testing.T) {
	prism := mesh.Soup{}
	for _, z := range []float64{1.5, 1, 0.5} { // the first faces are outside of the cube
		for _, p := range [][2]float64{{0.3, 0.3}, {0.7, 0.3}, {0.7, 0.7}, {0.3, 0.7}} {
			prism.Vertices = append(prism.Vertices, r3.Vector{X: p[0], Y: p[1], Z: z})
		}
	}
	quad := func(a, b, c, d int32) { prism.Faces = append(prism.Faces, [3]int32{a, b, c}, [3]int32{a, c, d}) }
	quad(0, 1, 2, 3)
	for _, level := range []int32{0, 4} {
		for k := range int32(4) {
			next := (k + 1) % 4
			quad(level+4+k, level+4+next, level+next, level+k)
		}
	}
	quad(11, 10, 9, 8)
	both := testmesh.Mesh(testmesh.Union(prism, testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1})))
	s := solid(t, both, inpoly.Options{Orient: inpoly.OrientNever})
	if w, bound := s.Winding(r3.Vector{X: 0.5, Y: 0.5, Z: 0.75}); math.Abs(w-2) > bound {
		t.Fatalf("W is %v in the common part, not 2", w)
	}
	if v, reason, err := measure.Compare(t.Context(), s); err != nil || v == measure.Equal {
		t.Errorf("%v (%q), error %v", v, reason, err)
	}
}

// TestCorpus compares real meshes with exact integrals.
func TestCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	r := rand.New(rand.NewPCG(21, 4))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	left, most := 4, 4000
	if testcorpus.Full() {
		left, most = 60, 12_000
	}
	for _, row := range rows {
		if left == 0 {
			break
		}
		s, err := inpoly.Open(t.Context(), filepath.Join(dir, row["path"]), inpoly.Options{ExpectedPoints: 1, Orient: inpoly.OrientNever})
		if err != nil || len(s.Mesh().Faces) > most || len(s.Mesh().Faces) < 100 {
			continue
		}
		left--
		p, err := measure.Whole(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, row["path"], s.Mesh(), all(s.Mesh()), p, 0)
	}
	if left > 0 {
		t.Errorf("%d meshes are missing", left)
	}
}

// TestTangles compares properties with exact ones for solids of random tetrahedra whose corners coincide,
// have subnormal, huge or nearly equal coordinates: as a whole, by components and by bodies.
func TestTangles(t *testing.T) {
	count := 350
	if testcorpus.Full() {
		count = 100_000
	}
	determined := 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 79))
		mode := seed % testmesh.SimplicesModes
		soup := testmesh.Simplices(r, mode)
		if r.IntN(4) == 0 { // an open mesh
			soup.Faces = soup.Faces[1:]
		}
		n := len(soup.Faces)
		cut := r.IntN(n)
		soup.Bodies = []mesh.Body{{Name: "a", First: 0, Count: int32(cut)}}
		m := testmesh.Mesh(soup)
		s, err := inpoly.New(t.Context(), m, inpoly.Options{ExpectedPoints: 1, Orient: inpoly.OrientNever})
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("seed %d, mode %d", seed, mode)
		whole, err := measure.Whole(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all := make([]int32, n)
		for f := range all {
			all[f] = int32(f)
		}
		check(t, name, m, all, whole, 0)
		if whole.Reason == "" {
			determined++
		}
		bodies, err := measure.Bodies(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, name+", body", m, all[:cut], bodies[0], 0)
		check(t, name+", rest", m, all[cut:], bodies[1], 0)
		parts, err := measure.Components(t.Context(), s, measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		labels, _ := m.Components()
		for i, p := range parts {
			var faces []int32
			for f, l := range labels {
				if int(l) == i {
					faces = append(faces, int32(f))
				}
			}
			check(t, fmt.Sprintf("%s, component %d", name, i), m, faces, p, 0)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d meshes, all numbers of %d", count, determined)
}
