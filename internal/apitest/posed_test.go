package apitest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/testrace"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

// testPoses returns poses for a mesh of the given size: rotations whose matrix is exact and rotations
// whose matrix is not, quaternions of length 1 up to the allowed error, and translations of all sizes.
func testPoses(r *rand.Rand, size float64) []pose.Pose {
	h := math.Sqrt(0.5)
	fifth := math.Ldexp(math.Round(math.Ldexp(0.2, 20)), -20) // 3, 4 and 5 times this number are exact
	shift := func(s float64) r3.Vector {
		return r3.Vector{X: s * r.NormFloat64(), Y: s * r.NormFloat64(), Z: s * r.NormFloat64()}
	}
	whole := r3.Vector{X: size, Y: -2 * size, Z: 4 * size}
	random := func() quat.Number {
		q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		return quat.Scale((1+1e-6*(r.Float64()-0.5))/quat.Abs(q), q)
	}
	quarter, _ := pose.Turned(r3.Vector{Z: 1}, math.Pi/2, whole)
	return []pose.Pose{
		pose.At(r3.Vector{}),
		pose.At(whole),
		pose.At(shift(size)),
		{Rotation: quat.Number{Real: h, Kmag: h}, Translation: whole},
		{Rotation: quat.Number{Real: h, Imag: -h}, Translation: shift(1e3 * size)},
		{Rotation: quat.Number{Real: 0.5, Imag: 0.5, Jmag: 0.5, Kmag: 0.5}, Translation: whole},
		{Rotation: quat.Number{Real: 3 * fifth, Kmag: 4 * fifth}, Translation: whole},
		{Rotation: quat.Number{Real: 0.6, Jmag: 0.8}},
		quarter,
		{Rotation: random(), Translation: shift(size)},
		{Rotation: random(), Translation: shift(1e6 * size)},
		{Rotation: random()},
	}
}

// testPoints returns points in and around the posed mesh: most are rounded points of faces, or close to
// them.
func testPoints(r *rand.Rand, m *mesh.Mesh, p pose.Pose, n int) []r3.Vector {
	box := m.Box()
	var pts []r3.Vector
	for i := range n {
		t := m.Triangle(int32(r.IntN(m.NumFaces())))
		var v r3.Vector
		switch i % 6 {
		case 0:
			v = t[r.IntN(3)]
		case 1:
			v = t[0].Mul(0.5).Add(t[1].Mul(0.5))
		case 2, 3:
			v = t[0].Mul(0.25).Add(t[1].Mul(0.25)).Add(t[2].Mul(0.5))
		case 4:
			a, b := r.Float64(), r.Float64()
			v = t[0].Add(t[1].Sub(t[0]).Mul(a)).Add(t[2].Sub(t[0]).Mul(b * (1 - a)))
		default:
			size := box.Size()
			v = box.Min.Add(r3.Vector{X: size.X * (1.5*r.Float64() - 0.25), Y: size.Y * (1.5*r.Float64() - 0.25), Z: size.Z * (1.5*r.Float64() - 0.25)})
		}
		at := p.Apply(v)
		if r.IntN(3) == 0 { // a few units of the last place away
			ulps := func(x float64) float64 {
				return x + float64(r.IntN(9)-4)*0x1p-53*(math.Abs(x)+vec.MaxAbs(p.Translation))
			}
			at = r3.Vector{X: ulps(at.X), Y: ulps(at.Y), Z: ulps(at.Z)}
		}
		pts = append(pts, at)
	}
	return pts
}

// posedCounts counts the points that were compared with the twin, and those on a face.
type posedCounts struct{ points, on int }

// checkPosed compares all answers of s at p with the twin, for the given points.
func checkPosed(t *testing.T, name string, s *inpoly.Solid, p pose.Pose, pts []r3.Vector, n *posedCounts) {
	t.Helper()
	at, err := s.At(p)
	if err != nil {
		t.Fatal(err)
	}
	twin := newPosedTwin(s.Mesh(), p)
	rule := s.Report().Rule
	var dst inpoly.Answers
	dst.Sides, dst.Winding, dst.Bound = make([]side.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))
	dst.Distance, dst.Face = make([]float64, len(pts)), make([]int32, len(pts))
	if _, err := at.LocateTo(t.Context(), dst, pts); err != nil {
		t.Fatal(err)
	}
	projections := make([]inpoly.Nearest, len(pts))
	if err := at.NearestTo(t.Context(), projections, pts); err != nil {
		t.Fatal(err)
	}
	closed := s.Mesh().Closed()
	parity := rule == inpoly.EvenOdd && s.Mesh().EvenEdges()
	for i, x := range pts {
		signed, crossings, on := twin.judge(x)
		n.points++
		where := fmt.Sprintf("%s, pose %v, point %v (bound %g)", name, p, x, at.PositionBound(x))
		got := at.Side(x)
		if dst.Sides[i] != got {
			t.Fatalf("%s: side %v in a batch, %v alone", where, dst.Sides[i], got)
		}
		w, bound := at.Winding(x)
		if dst.Winding[i] != w || dst.Bound[i] != bound {
			t.Fatalf("%s: W %v±%v in a batch, %v±%v alone", where, dst.Winding[i], dst.Bound[i], w, bound)
		}
		want := rule.Apply(int64(signed), uint64(crossings))
		angle := twin.winding(x, on)
		switch {
		case len(on) > 0:
			want = inpoly.OnSurface
			n.on++
		case !closed && !parity:
			var ok bool
			if want, ok = rule.Decide(angle, 1e-6); !ok {
				want = got
			}
		}
		if got != want {
			t.Fatalf("%s: side %v, want %v", where, got, want)
		}
		if closed && len(on) == 0 {
			if w != float64(signed) || bound != 0 {
				t.Fatalf("%s: W = %v ± %v, want %d", where, w, bound, signed)
			}
		} else if d := math.Abs(w - angle); !(d <= bound+1e-6) || bound > 1e-6 && twin.minDistance(x, on) > 1e-6*vec.MaxAbs(s.Mesh().Box().Size()) {
			t.Fatalf("%s: W = %v ± %v, want %v", where, w, bound, angle)
		}
		checkPosedDistance(t, where, at, twin, x, dst.Distance[i], dst.Face[i], on)
		checkPosedNearest(t, where, at, twin, x, &projections[i], dst.Distance[i], dst.Face[i])
	}
}

// checkPosedNearest compares a closest point with the exact closest point of its face, the barycentric
// coordinates with the point, and the normal of a face with the moved triangle.
func checkPosedNearest(t *testing.T, where string, at *inpoly.Posed, twin *posedTwin, x r3.Vector, n *inpoly.Nearest, d float64, face int32) {
	t.Helper()
	if n.Distance != d && !(math.IsNaN(n.Distance) && math.IsNaN(d)) || n.Face != face {
		t.Fatalf("%s: the closest point has the distance %v to face %d, want %v to %d", where, n.Distance, n.Face, d, face)
	}
	if face < 0 || math.IsInf(n.PointBound, 1) {
		return
	}
	if d == 0 && (n.Point != x || n.PointBound != 0) {
		t.Fatalf("%s: on the surface, the closest point is %v ± %g", where, n.Point, n.PointBound)
	}
	if off := twin.offClosest(x, n.Point, int(face)); !(off <= n.PointBound*(1+1e-9)) {
		t.Fatalf("%s: the closest point %v of face %d has the error %g, bound %g", where, n.Point, face, off, n.PointBound)
	}
	size := vec.MaxAbs(at.Solid().Mesh().Box().Size()) + vec.MaxAbs(x)
	if limit := 1e-13*size + 4*at.PositionBound(x); n.PointBound > max(limit, 1e-300) && n.Feature != inpoly.FeatureFace {
		t.Fatalf("%s: the bound of the closest point is %g, above %g", where, n.PointBound, limit)
	}
	tri := twin.triangle(int(face))
	var p r3.Vector
	for k, b := range n.Barycentric {
		p = p.Add(tri[k].Mul(b))
	}
	if far := p.Sub(n.Point).Norm(); far > n.PointBound+4*at.PositionBound(x)+1e-14*(vec.MaxAbs(tri[0])+vec.MaxAbs(tri[1])+vec.MaxAbs(tri[2])) {
		t.Fatalf("%s: the barycentric coordinates give %v, the point is %v ± %g", where, p, n.Point, n.PointBound)
	}
	if e := twin.normal(int(face)); n.Feature == inpoly.FeatureFace && n.Normal.Norm2() > 0 && !(n.Normal.Sub(e).Norm() < 1e-4) {
		t.Fatalf("%s: normal %v, want %v", where, n.Normal, e)
	}
}

func checkPosedDistance(t *testing.T, where string, at *inpoly.Posed, twin *posedTwin, x r3.Vector, d float64, face int32, on []int32) {
	t.Helper()
	if one, f := at.Distance(x); one != d && !(math.IsNaN(one) && math.IsNaN(d)) || f != face {
		t.Fatalf("%s: distance %v to face %d in a batch, %v to %d alone", where, d, face, one, f)
	}
	if len(on) > 0 {
		if d != 0 || face != slices.Min(on) {
			t.Fatalf("%s: distance %v to face %d on the faces %v", where, d, face, on)
		}
		return
	}
	if s := at.Side(x); s == inpoly.Unknown && !math.IsNaN(d) || s != inpoly.Unknown && (d < 0) != (s == inpoly.Inside) || d == 0 {
		t.Fatalf("%s: distance %v on side %v", where, d, s)
	}
	if math.IsNaN(d) {
		return
	}
	want := twin.minDistance(x, nil)
	slack := 1e-13 * (want + vec.MaxAbs(twin.m.Box().Size()))
	limit := at.DistanceBound(x, d) + slack
	if math.Abs(math.Abs(d)-want) > limit {
		t.Fatalf("%s: distance %v, want %v", where, d, want)
	}
	if own := twin.distance(x, int(face)); own > want+2*at.PositionBound(x)+slack {
		t.Fatalf("%s: face %d at %v, nearest %v", where, face, own, want)
	}
}

func (w *posedTwin) minDistance(p r3.Vector, skip []int32) float64 {
	best := math.Inf(1)
	for f := range w.m.Faces {
		if !slices.Contains(skip, int32(f)) {
			best = min(best, w.distance(p, f))
		}
	}
	return best
}

// TestPosedCatalog compares solids at poses with the twin, for all named meshes.
func TestPosedCatalog(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 1))
	points := 6
	if testcorpus.Full() {
		points = 12
	}
	var n posedCounts
	for i, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if m.NumFaces() == 0 || m.NumFaces() > 600 {
			continue
		}
		for k, p := range testPoses(r, vec.MaxAbs(m.Box().Size())) {
			if !testcorpus.Full() && (i+k)%6 != 0 {
				continue
			}
			opt := inpoly.Options{Method: allMethods[(i+k/4)%len(allMethods)]}
			if k%3 == 2 {
				opt.Rule = inpoly.EvenOdd
			}
			s, err := inpoly.New(t.Context(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			checkPosed(t, fmt.Sprintf("%s, %v, rule %v", c.Name, opt.Method, opt.Rule), s, p, testPoints(r, m, p, points), &n)
		}
	}
	t.Logf("%d points, %d on a face", n.points, n.on)
	if n.on < n.points/20 {
		t.Errorf("%d of %d points are on a face: the test says little", n.on, n.points)
	}
}

// TestPosedOnSurface checks points that lie exactly on faces that a rational rotation has moved.
func TestPosedOnSurface(t *testing.T) {
	fifth := math.Ldexp(math.Round(math.Ldexp(0.2, 20)), -20)
	p := pose.Pose{Rotation: quat.Number{Real: 3 * fifth, Kmag: 4 * fifth}, Translation: r3.Vector{X: 100, Y: 7}}
	// R = (−7, −24, 0; 24, −7, 0; 0, 0, 25)/25, so multiples of 25 move to integers.
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Scale(testmesh.UnitCube(), 100)), inpoly.Options{Method: inpoly.Cells})
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.At(p)
	if err != nil {
		t.Fatal(err)
	}
	for x := 0.0; x <= 100; x += 25 {
		for y := 0.0; y <= 100; y += 25 {
			for _, z := range []float64{0, 50, 100} {
				q := r3.Vector{X: 100 + (-7*x-24*y)/25, Y: 7 + (24*x-7*y)/25, Z: z}
				want := inpoly.Inside
				if x == 0 || x == 100 || y == 0 || y == 100 || z == 0 || z == 100 {
					want = inpoly.OnSurface
				}
				if got := at.Side(q); got != want {
					t.Errorf("%v,%v,%v: %v, want %v", x, y, z, got, want)
				}
				if q.X = math.Nextafter(q.X, 200); x == 100 && y > 0 && y < 100 && z == 50 {
					// The normal of the side x = 100 is (−7, 24, 0)/25, so a greater x is inside.
					if got := at.Side(q); got != inpoly.Inside {
						t.Errorf("beside %v,%v,%v: %v", x, y, z, got)
					}
				}
			}
		}
	}
}

// TestPosedCorpus compares a sample of real meshes with the twin.
func TestPosedCorpus(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 2))
	var n posedCounts
	meshes := 0
	dir, rows := testcorpus.Rows(t)
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	limit, points, most := 3000, 4, 24
	if testcorpus.Full() {
		limit, points, most = 20_000, 6, 60
	}
	for _, row := range rows {
		name := row["path"]
		if faces, err := strconv.Atoi(row["triangles"]); err != nil || faces == 0 || faces > limit || meshes == most {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, name), loaders.Options{})
		if err != nil {
			continue // the tests of package loaders check which files are refused
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil || m.NumFaces() == 0 {
			continue
		}
		meshes++
		s, err := inpoly.New(t.Context(), m, inpoly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		poses := testPoses(r, vec.MaxAbs(m.Box().Size()))
		p := poses[meshes%len(poses)]
		checkPosed(t, name, s, p, testPoints(r, m, p, points), &n)
	}
	if meshes == 0 {
		t.Error("no mesh: the test tests nothing")
	}
	t.Logf("%d meshes, %d points, %d on a face", meshes, n.points, n.on)
}

// TestPosedTolerance compares points whose distance is close to the tolerance with rational numbers.
func TestPosedTolerance(t *testing.T) {
	const tolerance = 0.25
	fifth := math.Ldexp(math.Round(math.Ldexp(0.2, 20)), -20)
	p := pose.Pose{Rotation: quat.Number{Real: 3 * fifth, Kmag: 4 * fifth}}
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Scale(testmesh.UnitCube(), 100)), inpoly.Options{Tolerance: tolerance})
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.At(p)
	if err != nil {
		t.Fatal(err)
	}
	// The rotation keeps z. So the distance from the side z = 100 is exact, although 7/25 is not a float64.
	for _, c := range []struct {
		z    float64
		want inpoly.Side
	}{
		{100 + tolerance, inpoly.OnSurface}, {math.Nextafter(100+tolerance, 200), inpoly.Outside},
		{100 - tolerance, inpoly.OnSurface}, {math.Nextafter(100-tolerance, 0), inpoly.Inside}, {50, inpoly.Inside}, {101, inpoly.Outside},
	} {
		q := r3.Vector{X: -62, Y: 34, Z: c.z} // (50, 50, z) in the frame of the mesh
		sides := make([]side.Side, 1)
		if err := at.SidesTo(t.Context(), sides, []r3.Vector{q}); err != nil {
			t.Fatal(err)
		}
		if got := at.Side(q); got != c.want || sides[0] != got {
			t.Errorf("z = %v: %v, %v in a batch, want %v", c.z, got, sides[0], c.want)
		}
	}
}

func TestPosedErrors(t *testing.T) {
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for _, p := range []pose.Pose{
		{}, {Rotation: quat.Number{Real: 2}}, {Rotation: quat.Number{Real: nan}},
		{Rotation: quat.Number{Real: 1}, Translation: r3.Vector{X: nan}}, pose.At(r3.Vector{Y: 1e302}),
	} {
		if _, err := s.At(p); !errors.Is(err, pose.ErrInvalid) {
			t.Errorf("%v: error %v", p, err)
		}
	}
	turned, err := pose.Turned(r3.Vector{X: 1, Y: 1}, 1, r3.Vector{X: -1e300})
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.At(turned)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []r3.Vector{{X: math.MaxFloat64}, {X: 1e308, Y: 1e308, Z: -1e308}} {
		if got := at.Side(x); got != inpoly.Outside {
			t.Errorf("%v: %v", x, got)
		}
		if w, bound := at.Winding(x); w != 0 || bound != 0 {
			t.Errorf("%v: W = %v ± %v", x, w, bound)
		}
	}
	for _, x := range []r3.Vector{{X: nan}, {Z: math.Inf(1)}} {
		if got := at.Side(x); got != inpoly.Unknown {
			t.Errorf("%v: %v", x, got)
		}
		if d, face := at.Distance(x); !math.IsNaN(d) || face != -1 {
			t.Errorf("%v: distance %v, face %v", x, d, face)
		}
		if b := at.PositionBound(x); !math.IsInf(b, 1) {
			t.Errorf("%v: bound %v", x, b)
		}
	}
}

// Points far from the surface need no memory.
func TestPosedAllocates(t *testing.T) {
	if testrace.Enabled {
		t.Skip("with the race detector, a sync.Pool drops elements at random")
	}
	for _, c := range []struct {
		name string
		m    *mesh.Mesh
	}{{"closed", testmesh.Sphere(3)}, {"open", testmesh.Mesh(testmesh.Hemisphere(3))}} {
		s, err := inpoly.New(t.Context(), c.m, inpoly.Options{Method: inpoly.Cells})
		if err != nil {
			t.Fatal(err)
		}
		p, err := pose.Turned(r3.Vector{X: 1, Y: 2}, 1, r3.Vector{Z: 3})
		if err != nil {
			t.Fatal(err)
		}
		at, err := s.At(p)
		if err != nil {
			t.Fatal(err)
		}
		x := p.Apply(r3.Vector{X: 0.1, Y: 0.2, Z: 0.5})
		for name, f := range map[string]func(){
			"Side": func() { at.Side(x) }, "Winding": func() { at.Winding(x) }, "Distance": func() { at.Distance(x) },
		} {
			for range 300 { // builds the trees
				f()
			}
			if n := testing.AllocsPerRun(100, f); n > 0 {
				t.Errorf("%s, %s: %v allocations", c.name, name, n)
			}
		}
	}
}
