package collide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/neighbor"
	"github.com/inpoly/inpoly/pose"
)

// testShapes returns meshes whose size is about 1, with the options of their solids.
func testShapes(t testing.TB) []struct {
	name string
	mesh *mesh.Mesh
	opt  inpoly.Options
} {
	foam := testmesh.Foam(mesh.FoamOptions{Resolution: 8, Cells: 8})
	// A hemisphere is repeated 32 times, which multiplies its winding number by 32. The product
	// exceeds 1/2 in the whole box of the mesh, so all points of the box are inside. The corners of
	// the box are farther from its center than all nodes.
	var layers mesh.Soup
	for range 32 {
		h := testmesh.Hemisphere(1)
		for _, f := range h.Faces {
			for k := range f {
				f[k] += int32(len(layers.Vertices))
			}
			layers.Faces = append(layers.Faces, f)
		}
		layers.Vertices = append(layers.Vertices, h.Vertices...)
	}
	type row = struct {
		name string
		mesh *mesh.Mesh
		opt  inpoly.Options
	}
	return []row{
		{"sphere", testmesh.Sphere(2), inpoly.Options{}},
		{"cube", testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{}},
		{"foam", foam, inpoly.Options{}},
		{"torus", testmesh.Mesh(testmesh.Torus(1, 0.3, 12, 8)), inpoly.Options{Rule: inpoly.EvenOdd}},
		{"bar", testmesh.Mesh(testmesh.Cube(r3.Vector{X: -2, Y: -0.1, Z: -0.1}, r3.Vector{X: 2, Y: 0.1, Z: 0.1})), inpoly.Options{}},
		{"hemisphere", testmesh.Mesh(testmesh.Hemisphere(2)), inpoly.Options{}},
		{"nested", testmesh.Mesh(testmesh.Nested(true)), inpoly.Options{}},
		{"thick", testmesh.Sphere(1), inpoly.Options{Tolerance: 0.25}},
		{"thick hemisphere", testmesh.Mesh(testmesh.Hemisphere(2)), inpoly.Options{Tolerance: 0.25}},
		{"layers", testmesh.Mesh(layers), inpoly.Options{}},
		{"far", testmesh.Mesh(testmesh.Translate(testmesh.Soup(testmesh.Sphere(1)), r3.Vector{X: 1000, Y: -500, Z: 20})), inpoly.Options{}},
		{"inverted", testmesh.Mesh(testmesh.Flip(testmesh.Tetrahedron(), 0, 1, 2, 3)), inpoly.Options{}},
		{"empty", testmesh.Mesh(mesh.Soup{}), inpoly.Options{}},
	}
}

// scene is a set of bodies with large overlaps. The poses rotate each shape about its center, so
// shapes far from their origins also overlap.
type scene struct {
	bodies []Body
	direct []*inpoly.Solid
	offset []r3.Vector // center of each mesh
}

func newScene(t testing.TB, n int, method inpoly.Method) *scene {
	s := &scene{}
	shapes := testShapes(t)
	var solids, direct []*inpoly.Solid
	for _, x := range shapes {
		opt := x.opt
		opt.Method, opt.Workers = method, 2
		solids = append(solids, solidOf(t, x.mesh, opt))
		opt.Method = inpoly.Direct
		direct = append(direct, solidOf(t, x.mesh, opt))
	}
	for i := range n {
		k := i % len(shapes)
		s.bodies = append(s.bodies, Body{Solid: solids[k], Pose: pose.At(r3.Vector{})})
		s.direct = append(s.direct, direct[k])
		var c r3.Vector
		if b := shapes[k].mesh.Box(); !b.Empty() {
			c = b.Min.Add(b.Max).Mul(0.5)
		}
		s.offset = append(s.offset, c)
	}
	return s
}

// scatter returns random poses that put the centers of all shapes into a box around the origin.
func (s *scene) scatter(r *rand.Rand, size float64) []pose.Pose {
	poses := make([]pose.Pose, len(s.bodies))
	for i := range poses {
		p := randomPose(r, size)
		turned := pose.Pose{Rotation: p.Rotation}.Apply(s.offset[i])
		p.Translation = p.Translation.Sub(turned)
		poses[i] = p
	}
	return poses
}

func newWorld(t testing.TB, s *scene, opt Options) *World {
	t.Helper()
	w, err := New(context.Background(), s.bodies, opt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStep compares World with twinContacts and twinFacePairs for bodies that overlap, move,
// disappear and return.
func TestStep(t *testing.T) {
	steps, n := 4, 22
	if os.Getenv("INPOLY_FULL") != "" {
		steps, n = 40, 33
	}
	s := newScene(t, n, inpoly.Auto)
	w := newWorld(t, s, Options{Triangles: AllTriangles})
	r := rand.New(rand.NewPCG(5, 6))
	sides := map[inpoly.Side]int{}
	for i := range steps + 1 {
		if i > 0 { // the first step has identity poses, so nodes and faces coincide
			if err := w.SetPoses(s.scatter(r, 2)); err != nil {
				t.Fatal(err)
			}
		}
		for range i {
			w.Remove(r.IntN(n))
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range checkContacts(t, w, s) {
			sides[c.Side]++
		}
		want := twinFacePairs(w, func(int, int) bool { return true })
		if got := w.FacePairs(); !slices.Equal(got, want) {
			t.Fatalf("step %d: %d pairs of faces, want %d", i, len(got), len(want))
		}
		if len(want) == 0 {
			t.Errorf("step %d: no faces touch", i)
		}
	}
	if sides[inpoly.Inside] < 100 || sides[inpoly.OnSurface] < 10 || sides[inpoly.Unknown] == 0 {
		t.Errorf("sides of contacts: %v, which says little", sides)
	}
	if got, want := w.Stats().Indexes, uint64(len(testShapes(t))); got != want {
		t.Errorf("%d indexes were built for %d shapes", got, want)
	}
}

// equal reports whether contacts are equal bit for bit. All NaN values count as equal.
func equal(a, b []Contact) bool {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if math.IsNaN(x.Depth) && math.IsNaN(y.Depth) {
			x.Depth, y.Depth = 0, 0
		}
		if x != y {
			return false
		}
	}
	return len(a) == len(b)
}

func checkContacts(t *testing.T, w *World, s *scene) []Contact {
	t.Helper()
	want, distances, places := twinContacts(w, s.direct)
	got := w.Contacts()
	for i := range min(len(got), len(want)) {
		c := &got[i]
		if (twinContact{c.A, c.B, c.Node, c.Side}) != want[i] {
			t.Fatalf("contact %d: got %+v, want %+v", i, *c, want[i])
		}
		checkContact(t, w, c, distances[i], places[i])
	}
	if len(got) != len(want) {
		t.Fatalf("%d contacts, want %d", len(got), len(want))
	}
	return got
}

// checkContact checks all fields of a contact except Side. twinContacts found the unsigned distance
// d, and the node at p in the frame of B.
func checkContact(t *testing.T, w *World, c *Contact, d float64, p r3.Vector) {
	t.Helper()
	// Without the tolerance, the side of the node can be unknown. Then the contact must have no
	// depth and no normal.
	if signed, _ := w.Solid(int(c.B)).Distance(p); c.Side == inpoly.Unknown || math.IsNaN(signed) {
		if !math.IsNaN(c.Depth) || c.Normal != (r3.Vector{}) {
			t.Fatalf("%+v: unknown, with a depth", *c)
		}
		return
	}
	reach := w.shapes[w.shape[c.A]].reach + w.shapes[w.shape[c.B]].reach
	rounding := 0x1p-45 * (reach + w.Pose(int(c.A)).Translation.Norm() + w.Pose(int(c.B)).Translation.Norm())
	if !(math.Abs(math.Abs(c.Depth)-d) <= c.Bound+rounding) || !(c.Bound < 4*rounding) {
		t.Fatalf("%+v: want the depth %g", *c, d)
	}
	if at := w.Pose(int(c.A)).Apply(w.Solid(int(c.A)).Mesh().Vertices[c.Node]); at.Sub(c.Point).Norm() > rounding {
		t.Fatalf("%+v: want the point %v", *c, at)
	}
	if c.Side == inpoly.Inside && !(c.Depth > 0) {
		t.Fatalf("%+v: inside, but not deep", *c)
	}
	if n := c.Normal.Norm(); math.Abs(n-1) > 1e-12 {
		t.Fatalf("%+v: normal of length %g", *c, n)
	}
	end := c.Point.Add(c.Normal.Mul(c.Depth))
	b := w.Solid(int(c.B)).Mesh()
	f := motion.NewFrame(motion.Pose(w.Pose(int(c.B))))
	local := f.TurnBack(end.Sub(f.T))
	if off := twinDistance(local, b.Triangle(c.Face)); off > 64*rounding {
		t.Fatalf("%+v: point + depth·normal is %g from face %d (at %v)", *c, off, c.Face, p)
	}
	// If the body is convex, the point c.Point + 2·Depth·Normal must be outside.
	if name := w.Solid(int(c.B)); name.Mesh().NumFaces() == 12 && c.Depth > 1e-6 {
		if q := f.TurnBack(c.Point.Add(c.Normal.Mul(2 * c.Depth)).Sub(f.T)); name.Side(q) != inpoly.Outside {
			t.Fatalf("%+v: beyond the surface is %v", *c, name.Side(q))
		}
	}
}

// TestMethods checks that the contacts do not depend on the method of the solids, the number of
// workers or the broad phase.
func TestMethods(t *testing.T) {
	var want []Contact
	var wantFaces []FacePair
	var wantStats Stats
	for _, method := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells, inpoly.FMM, inpoly.Direct, inpoly.Auto} {
		for _, workers := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%v/%d", method, workers), func(t *testing.T) {
				s := newScene(t, 33, method)
				opt := Options{Triangles: MissedTriangles, Workers: workers}
				if workers == 7 {
					opt.Broad = neighbor.NewBruteForce[bvh.Box]()
				}
				w := newWorld(t, s, opt)
				r := rand.New(rand.NewPCG(7, 8))
				var all []Contact
				var faces []FacePair
				for range 3 {
					if err := w.SetPoses(s.scatter(r, 2.5)); err != nil {
						t.Fatal(err)
					}
					if err := w.Step(t.Context()); err != nil {
						t.Fatal(err)
					}
					all, faces = append(all, w.Contacts()...), append(faces, w.FacePairs()...)
				}
				if want == nil {
					want, wantFaces, wantStats = all, faces, w.Stats()
				}
				if !equal(all, want) || !slices.Equal(faces, wantFaces) {
					t.Errorf("%d contacts and %d pairs of faces, want %d and %d, or they differ", len(all), len(faces), len(want), len(wantFaces))
				}
				if got := w.Stats(); got != wantStats {
					t.Errorf("counts %+v, want %+v", got, wantStats)
				}
				if len(all) < 100 || len(faces) == 0 {
					t.Errorf("%d contacts, %d pairs of faces: the scene says little", len(all), len(faces))
				}
			})
		}
	}
}

// TestMissed checks that MissedTriangles tests the triangles of a pair only if neither body has a
// node in the other body.
func TestMissed(t *testing.T) {
	s := newScene(t, 22, inpoly.Auto)
	w := newWorld(t, s, Options{Triangles: MissedTriangles})
	r := rand.New(rand.NewPCG(9, 10))
	if err := w.SetPoses(s.scatter(r, 2)); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	touched := map[[2]int]bool{}
	for _, c := range w.Contacts() {
		touched[[2]int{int(min(c.A, c.B)), int(max(c.A, c.B))}] = true
	}
	want := twinFacePairs(w, func(a, b int) bool { return !touched[[2]int{a, b}] })
	if got := w.FacePairs(); !slices.Equal(got, want) || len(got) == 0 || len(touched) == 0 {
		t.Errorf("%d pairs of faces, want %d; %d pairs of bodies with nodes", len(got), len(want), len(touched))
	}
}

// TestCrossingBars checks that the test of triangles finds a contact that the test of nodes misses.
func TestCrossingBars(t *testing.T) {
	bar := solidOf(t, testShapes(t)[4].mesh, inpoly.Options{})
	turned, err := pose.Turned(r3.Vector{Z: 1}, math.Pi/2, r3.Vector{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ask   Triangles
		above float64
		want  bool
	}{{NoTriangles, 0, false}, {MissedTriangles, 0, true}, {AllTriangles, 0.19, true}, {MissedTriangles, 0.21, false}} {
		turned.Translation.Z = c.above
		w, err := New(t.Context(), []Body{{bar, pose.At(r3.Vector{})}, {bar, turned}}, Options{Triangles: c.ask})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(w.FacePairs()) > 0; got != c.want || len(w.Contacts()) > 0 {
			t.Errorf("triangles %d, %g above: faces touch %v, want %v; %d nodes", c.ask, c.above, got, c.want, len(w.Contacts()))
		}
	}
}

// TestTouchingCubes stacks cubes exactly. Nodes of each cube are on the surface of the other cube,
// with depth 0 and the normal of a face.
func TestTouchingCubes(t *testing.T) {
	cube := solidOf(t, testShapes(t)[1].mesh, inpoly.Options{})
	w, err := New(t.Context(), []Body{{cube, pose.At(r3.Vector{})}, {cube, pose.At(r3.Vector{X: 0.25, Y: 0.25, Z: 1})}, {cube, pose.At(r3.Vector{X: 5})}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := w.Contacts()
	if len(got) != 2 {
		t.Fatalf("%d contacts, want a corner of each in the face of the other: %+v", len(got), got)
	}
	for i, c := range got {
		up := r3.Vector{Z: 1}
		if i == 0 { // the first contact is a corner of the lower cube in the bottom face of the upper cube
			up.Z = -1
		}
		if c.Side != inpoly.OnSurface || c.Depth != 0 || c.Normal != up || c.Point.Z != 1 {
			t.Errorf("contact %d: %+v, want depth 0 and the normal %v", i, c, up)
		}
	}
	w.Remove(0)
	if err := w.Step(t.Context()); err != nil || len(w.Contacts()) != 0 {
		t.Errorf("%d contacts without the lower cube, error %v", len(w.Contacts()), err)
	}
}

// TestDepthUnknown has a node near the rim of a hemisphere. The node is in the plane of the
// opening, where the winding number is one half. The node is on the surface because of the
// tolerance. Its side, ignoring the tolerance, is unknown.
func TestDepthUnknown(t *testing.T) {
	open := testmesh.Mesh(testmesh.Hemisphere(2))
	cube := solidOf(t, testShapes(t)[1].mesh, inpoly.Options{})
	for _, c := range []struct {
		tolerance float64
		want      inpoly.Side
	}{{0, inpoly.Unknown}, {0.25, inpoly.OnSurface}} {
		w, err := New(t.Context(), []Body{
			{cube, pose.At(r3.Vector{X: 0.875})},
			{solidOf(t, open, inpoly.Options{Tolerance: c.tolerance}), pose.At(r3.Vector{})},
		}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(slices.Clone(w.Contacts()), func(x Contact) bool { return x.Point != r3.Vector{X: 0.875} })
		if len(got) != 1 || got[0].Side != c.want || !math.IsNaN(got[0].Depth) || got[0].Normal != (r3.Vector{}) {
			t.Errorf("tolerance %g: %+v, want one contact that is %v, without depth", c.tolerance, got, c.want)
		}
	}
}

func TestBadPoses(t *testing.T) {
	s := newScene(t, 4, inpoly.Auto)
	w := newWorld(t, s, Options{})
	r := rand.New(rand.NewPCG(11, 12))
	good := s.scatter(r, 1)
	if err := w.SetPoses(good); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(w.Contacts())
	nan, inf := math.NaN(), math.Inf(1)
	for name, p := range map[string]pose.Pose{
		"zero":             {},
		"nan rotation":     {Rotation: quat.Number{Real: nan}},
		"inf rotation":     {Rotation: quat.Number{Real: inf}},
		"huge rotation":    {Rotation: quat.Number{Real: 1e200, Imag: 1e200}},
		"twice as long":    {Rotation: quat.Number{Real: 2}},
		"off by 1e-5":      {Rotation: quat.Number{Real: 1 + 1e-5}},
		"nan translation":  pose.At(r3.Vector{Y: nan}),
		"inf translation":  pose.At(r3.Vector{Z: -inf}),
		"huge translation": pose.At(r3.Vector{X: 1e300}),
	} {
		if err := w.SetPose(2, p); !errors.Is(err, pose.ErrInvalid) {
			t.Errorf("%s: SetPose: error %v, want pose.ErrInvalid", name, err)
		}
		poses := slices.Clone(good)
		poses[0] = pose.At(r3.Vector{X: 7})
		poses[3] = p
		if err := w.SetPoses(poses); !errors.Is(err, pose.ErrInvalid) {
			t.Errorf("%s: SetPoses: error %v, want pose.ErrInvalid", name, err)
		}
		if _, err := w.Add(t.Context(), Body{s.bodies[0].Solid, p}); !errors.Is(err, pose.ErrInvalid) {
			t.Errorf("%s: Add: error %v, want pose.ErrInvalid", name, err)
		}
	}
	if w.Len() != 4 || w.Pose(0) != good[0] {
		t.Errorf("%d bodies, the first at %v", w.Len(), w.Pose(0))
	}
	if err := w.Step(t.Context()); err != nil || !equal(w.Contacts(), want) {
		t.Errorf("contacts differ after bad poses; error %v", err)
	}
}

// TestOrderOfBodies checks that the contacts are equal bit for bit if the bodies have another
// order.
func TestOrderOfBodies(t *testing.T) {
	s := newScene(t, 24, inpoly.Auto)
	r := rand.New(rand.NewPCG(19, 20))
	for i, p := range s.scatter(r, 2) {
		s.bodies[i].Pose = p
	}
	run := func(order []int) []Contact {
		shuffled := &scene{}
		for _, i := range order {
			shuffled.bodies = append(shuffled.bodies, s.bodies[i])
		}
		w := newWorld(t, shuffled, Options{})
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		found := slices.Clone(w.Contacts())
		for i := range found {
			c := &found[i]
			c.A, c.B = int32(order[c.A]), int32(order[c.B])
		}
		slices.SortFunc(found, func(x, y Contact) int {
			return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B), cmp.Compare(x.Node, y.Node))
		})
		return found
	}
	order := r.Perm(len(s.bodies))
	want := run(order)
	slices.Sort(order)
	if got := run(order); !equal(got, want) || len(want) < 100 {
		t.Errorf("%d contacts, %d with other numbers, or they differ", len(got), len(want))
	}
}

// TestAllocations checks that the number of allocations of a step does not grow with the number of
// contacts.
func TestAllocations(t *testing.T) {
	ball := solidOf(t, testmesh.Sphere(2), inpoly.Options{Method: inpoly.Cells, Workers: 1})
	allocations := func(n int) float64 {
		var bodies []Body
		for i := range n {
			bodies = append(bodies, Body{ball, pose.At(r3.Vector{X: 1.5 * float64(i)})})
		}
		broad := neighbor.NewHierarchicalGrid[bvh.Box](neighbor.GridOptions{Workers: 1})
		w, err := New(t.Context(), bodies, Options{Workers: 1, Broad: broad})
		if err != nil {
			t.Fatal(err)
		}
		shift := 0.0
		return testing.AllocsPerRun(20, func() {
			shift = 0.25 - shift
			for i := range n {
				if err := w.SetPose(i, pose.At(r3.Vector{X: 1.5 * float64(i), Y: shift})); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Step(t.Context()); err != nil || len(w.Contacts()) == 0 {
				t.Fatal(len(w.Contacts()), err)
			}
		})
	}
	few, many := allocations(4), allocations(100)
	// In each phase, closures and new goroutines need a few allocations.
	if many > few || few > 100 {
		t.Errorf("%g allocations a step of 4 bodies, %g of 100", few, many)
	}
}
