package apitest

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// gridBox returns a box of 840 faces around the middle (0, 0, 0). Its sides are grids of 8 × 8 and
// 8 × 9 squares. Four faces have a vertex in the middle.
func gridBox() mesh.Soup {
	n := [3]int{8, 8, 9}
	var s mesh.Soup
	index := map[[3]int]int32{}
	vertex := func(c [3]int) int32 {
		i, ok := index[c]
		if !ok {
			i = int32(len(s.Vertices))
			index[c] = i
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(c[0]) - 4, Y: float64(c[1]) - 4, Z: float64(c[2]) - 4.5})
		}
		return i
	}
	for axis := range 3 {
		u, v := (axis+1)%3, (axis+2)%3
		for _, end := range []int{0, n[axis]} {
			for i := range n[u] {
				for j := range n[v] {
					at := func(di, dj int) int32 {
						var c [3]int
						c[axis], c[u], c[v] = end, i+di, j+dj
						return vertex(c)
					}
					a, b, c, d := at(0, 0), at(1, 0), at(1, 1), at(0, 1)
					if end == 0 {
						b, d = d, b
					}
					s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
				}
			}
		}
	}
	for k := range 4 {
		t, m := &s.Faces[200*k], int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, s.Vertices[t[0]].Add(s.Vertices[t[1]]).Add(s.Vertices[t[2]]).Mul(1./3))
		s.Faces = append(s.Faces, [3]int32{t[1], t[2], m}, [3]int32{t[2], t[0], m})
		t[2] = m
	}
	return s
}

// flipHalf reverses each face of s with a probability of ½.
func flipHalf(s mesh.Soup, seed uint64) mesh.Soup {
	r := rand.New(rand.NewPCG(seed, 17))
	var faces []int
	for f := range s.Faces {
		if r.IntN(2) == 0 {
			faces = append(faces, f)
		}
	}
	return testmesh.Flip(s, faces...)
}

// boxSeed is a seed for which the box has 625 misoriented edges and W ≈ −.09 in the middle.
const boxSeed = 4080

// In a box with 625 misoriented edges, the winding number of the middle is about −.09, so the middle
// of the mesh as it is is outside. By default it is inside, with W = 1.
func TestOrientAutoBox(t *testing.T) {
	if d := newSolid(t, gridBox(), inpoly.Options{}).Report().Diagnosis; d.Faces != 840 || !d.Watertight || d.InwardComponents > 0 {
		t.Fatalf("%d faces, watertight %v, %d components face inward", d.Faces, d.Watertight, d.InwardComponents)
	}
	soup := flipHalf(gridBox(), boxSeed)
	asItIs := newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientNever})
	w, _ := asItIs.Winding(r3.Vector{})
	if n := asItIs.Report().Diagnosis.MisorientedEdges; n != 625 || math.Round(100*w) != -9 || asItIs.Side(r3.Vector{}) != inpoly.Outside {
		t.Fatalf("as it is: %d misoriented edges, W = %v, %v", n, w, asItIs.Side(r3.Vector{}))
	}
	for _, method := range inpoly.Methods() {
		solid := newSolid(t, soup, inpoly.Options{Method: method})
		if w, bound := solid.Winding(r3.Vector{}); w != 1 || bound != 0 || solid.Side(r3.Vector{}) != inpoly.Inside {
			t.Errorf("%v: W = %v ± %v, %v", method, w, bound, solid.Side(r3.Vector{}))
		}
		r := solid.Report()
		want := 0
		for f, face := range solid.Mesh().Faces {
			if face != asItIs.Mesh().Faces[f] {
				want++
			}
		}
		if o := r.Orientation; o == nil || o.Faces != want || o.Components != 1 || len(solid.Flipped()) != want || !r.Diagnosis.Watertight || !r.Defects() {
			t.Errorf("%v: %+v, %d faces were turned over; watertight %v, defects %v", method, o, want, r.Diagnosis.Watertight, r.Defects())
		}
	}
}

// TestOrientAutoParts checks which faces are turned over if some parts of a mesh have flipped faces.
func TestOrientAutoParts(t *testing.T) {
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	cube := testmesh.UnitCube()
	center, wall := at(.5, .5, .5), at(1.5, 0, 0)
	overlapping := testmesh.Overlapping() // faces 0 to 11 and 12 to 23
	inverted := testmesh.Flip(testmesh.Nested(true))
	bowl := testmesh.Without(cube, 8, 9)
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		turn []int32 // nil means that the mesh is not examined
		want map[r3.Vector]float64
	}{
		{"clean", cube, nil, map[r3.Vector]float64{center: 1}},
		{"inverted, but clean", testmesh.Flip(cube), nil, map[r3.Vector]float64{center: -1}},
		{"one face", testmesh.Flip(cube, 3), []int32{3}, map[r3.Vector]float64{center: 1}},
		{"inverted except for one face", testmesh.Flip(testmesh.Flip(cube), 3), []int32{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11}, map[r3.Vector]float64{center: 1}},
		{"one of two overlapping cubes", testmesh.Flip(overlapping, 14), []int32{14}, map[r3.Vector]float64{{}: 2, at(-1.5, 0, 0): 1}},
		{"most of one of two overlapping cubes", testmesh.Flip(overlapping, 12, 13, 14, 15, 16, 17, 18, 19), []int32{12, 13, 14, 15, 16, 17, 18, 19}, map[r3.Vector]float64{{}: 2}},
		{"one of two inverted overlapping cubes", testmesh.Flip(testmesh.Flip(overlapping), 14), []int32{14}, map[r3.Vector]float64{{}: -2, at(-1.5, 0, 0): -1}},
		{"two of two inverted overlapping cubes", testmesh.Flip(testmesh.Flip(overlapping), 2, 14),
			[]int32{0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23}, map[r3.Vector]float64{{}: 2, at(-1.5, 0, 0): 1}},
		{"solid around a cavity", testmesh.Flip(testmesh.Nested(true), 2), []int32{2}, map[r3.Vector]float64{{}: 0, wall: 1}},
		{"cavity", testmesh.Flip(testmesh.Nested(true), 14), []int32{14}, map[r3.Vector]float64{{}: 0, wall: 1}},
		{"cavity and the solid around it", testmesh.Flip(testmesh.Nested(true), 2, 14), []int32{2, 14}, map[r3.Vector]float64{{}: 0, wall: 1}},
		{"solid in a clean solid", testmesh.Flip(testmesh.Nested(false), 14), []int32{14}, map[r3.Vector]float64{{}: 2, wall: 1}},
		{"both inverted", testmesh.Flip(inverted, 2, 14),
			[]int32{0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23}, map[r3.Vector]float64{{}: 0, wall: 1}},
		{"inverted around a clean cavity", testmesh.Flip(inverted, 2), []int32{2}, map[r3.Vector]float64{{}: 0, wall: -1}},
		{"open, inverted except for one face", testmesh.Flip(testmesh.Flip(bowl), 3), []int32{0, 1, 2, 4, 5, 6, 7, 8, 9}, map[r3.Vector]float64{center: 5. / 6}},
		{"open beside another part", testmesh.Union(testmesh.Flip(testmesh.Flip(bowl), 3), testmesh.Translate(cube, at(9, 0, 0))), []int32{3}, map[r3.Vector]float64{center: -5. / 6}},
		{"Möbius strip and a cube", testmesh.Union(testmesh.Moebius(7), testmesh.Translate(testmesh.Flip(cube, 3), at(20, 0, 0))), []int32{17}, map[r3.Vector]float64{at(20.5, .5, .5): 1}},
		{"doubled bowl", testmesh.Double(bowl), []int32{}, map[r3.Vector]float64{center: 10. / 6}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := testmesh.Mesh(tc.soup)
			solid, err := inpoly.New(t.Context(), m, inpoly.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(solid.Flipped(), tc.turn) {
				t.Errorf("turned over %v, want %v", solid.Flipped(), tc.turn)
			}
			r := solid.Report()
			if tc.turn == nil && (solid.Mesh() != m || r.Orientation != nil) || tc.turn != nil && (r.Orientation == nil || r.Orientation.Faces != len(tc.turn)) {
				t.Errorf("report %+v", r.Orientation)
			}
			for p, want := range tc.want {
				if w, bound := solid.Winding(p); math.Abs(w-want) > bound+3e-4 { // a distant Möbius strip adds less than 3e-4
					t.Errorf("W(%v) = %v, want %v", p, w, want)
				}
			}
		})
	}
}

// A majority of just over half of the faces does not tell whether a shell in a shell is a cavity, or
// whether an open part cancels another.
func TestOrientAutoDoubt(t *testing.T) {
	for name, tc := range map[string]struct {
		soup mesh.Soup
		want int
	}{
		"few faces":    {testmesh.Flip(testmesh.Nested(true), 12, 13), 0},
		"half":         {testmesh.Flip(testmesh.Nested(true), 12, 13, 14, 15, 16), 1},
		"half outside": {testmesh.Flip(testmesh.Nested(true), 0, 1, 2, 3, 4), 1},
		"open":         {testmesh.Flip(testmesh.Sheet(1), 0), 0},
		"two open":     {testmesh.Union(testmesh.Flip(testmesh.Sheet(1), 0), testmesh.Translate(testmesh.Sheet(1), r3.Vector{Z: 1})), 1},
		"not nested":   {testmesh.Flip(testmesh.UnitCube(), 0, 1, 2, 3, 4), 0},
	} {
		r := newSolid(t, tc.soup, inpoly.Options{}).Report()
		warned := strings.Contains(strings.Join(r.Warnings(), "\n"), "it is uncertain which side is outside")
		if r.Orientation.Doubtful != tc.want || warned != (tc.want > 0) {
			t.Errorf("%s: %d doubtful shells, want %d; warned %v", name, r.Orientation.Doubtful, tc.want, warned)
		}
	}
}

// klein returns a Klein bottle; see testmesh.Klein.
func klein(nu, nv int) mesh.Soup { return testmesh.Klein(nu, nv) }

// Without a consistent orientation, parity tells the inside if every edge has an even number of
// faces. The rule of the caller is kept in every other case.
func TestOrientAutoParity(t *testing.T) {
	bottle, cube := klein(24, 13), testmesh.UnitCube()
	if d := newSolid(t, bottle, inpoly.Options{}).Report().Diagnosis; d.BoundaryEdges+d.NonManifoldEdges > 0 || d.MisorientedEdges != 13 || d.Vertices-d.Edges+d.Triangles != 0 {
		t.Fatalf("not a Klein bottle: %d vertices, %d edges, %d triangles, %d misoriented edges", d.Vertices, d.Edges, d.Triangles, d.MisorientedEdges)
	}
	p := r3.Vector{X: 3.6} // in a lobe of the figure eight
	for _, tc := range []struct {
		name string
		soup mesh.Soup
		opt  inpoly.Options
		rule inpoly.Rule
	}{
		{"Klein bottle", bottle, inpoly.Options{}, inpoly.EvenOdd},
		{"two", testmesh.Union(bottle, testmesh.Translate(bottle, r3.Vector{X: 20})), inpoly.Options{}, inpoly.EvenOdd},
		{"always", bottle, inpoly.Options{Orient: inpoly.OrientAlways}, inpoly.EvenOdd},
		{"as it is", bottle, inpoly.Options{Orient: inpoly.OrientNever}, inpoly.NonZero},
		{"another rule", bottle, inpoly.Options{Rule: inpoly.Positive}, inpoly.Positive},
		{"and a cube", testmesh.Union(bottle, testmesh.Translate(cube, r3.Vector{X: 20})), inpoly.Options{}, inpoly.NonZero},
		{"with a hole", testmesh.Without(bottle, 0), inpoly.Options{}, inpoly.NonZero},
		{"Möbius strip", testmesh.Moebius(9), inpoly.Options{}, inpoly.NonZero},
		{"cube", testmesh.Flip(cube, 0), inpoly.Options{}, inpoly.NonZero},
	} {
		for _, method := range inpoly.Methods() {
			tc.opt.Method = method
			solid := newSolid(t, tc.soup, tc.opt)
			if got := solid.Report().Rule; got != tc.rule {
				t.Errorf("%s, %v: rule %v, want %v", tc.name, method, got, tc.rule)
			}
			if tc.rule == inpoly.EvenOdd && (solid.Side(p) != inpoly.Inside || solid.Explain(p).Rule != inpoly.EvenOdd) {
				t.Errorf("%s, %v: %v under the rule %v", tc.name, method, solid.Side(p), solid.Explain(p).Rule)
			}
		}
	}
}

func TestOrientNames(t *testing.T) {
	for _, o := range []inpoly.Orient{inpoly.OrientAuto, inpoly.OrientNever, inpoly.OrientAlways} {
		text, _ := o.MarshalText()
		var back inpoly.Orient
		if got, err := inpoly.ParseOrient(strings.ToUpper(o.String())); got != o || err != nil || back.UnmarshalText(text) != nil || back != o {
			t.Errorf("%v: ParseOrient %v, %v; UnmarshalText %v", o, got, err, back)
		}
	}
	if _, err := inpoly.ParseOrient("maybe"); err == nil {
		t.Error("ParseOrient accepts maybe")
	}
	if opt := (inpoly.Options{Orient: 3}); !errors.Is(opt.Check(), inpoly.ErrOption) {
		t.Errorf("Orient 3: %v", opt.Check())
	}
}

// corpusMeshes calls visit for each mesh of the corpus that the loaders accept. Without
// INPOLY_FULL=1, it takes one of sixteen, and those with misoriented edges.
func corpusMeshes(t *testing.T, visit func(i int, path string, m *mesh.Mesh)) {
	dir, rows := testcorpus.Rows(t)
	for i, row := range rows {
		if !testcorpus.Full() && i%16 != 0 && row["misoriented_edges"] == "0" {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, row["path"]), loaders.Options{})
		if refused := (*loaders.Error)(nil); errors.As(err, &refused) {
			continue // the tests of package loaders check which files are refused
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.NumFaces() > 0 {
			visit(i, row["path"], m)
		}
	}
}

// sidesOf returns the sides of random points in the box of m.
func sidesOf(t *testing.T, m *mesh.Mesh, opt inpoly.Options, seed uint64) (*inpoly.Solid, []inpoly.Side) {
	n := 300
	if testcorpus.Full() {
		n = 100_000
	}
	r := rand.New(rand.NewPCG(seed, 3))
	pts := make([]r3.Vector, n)
	low, size := m.Box().Min, m.Box().Size()
	for i := range pts {
		pts[i] = low.Add(r3.Vector{X: size.X * r.Float64(), Y: size.Y * r.Float64(), Z: size.Z * r.Float64()})
	}
	opt.ExpectedPoints = int64(n)
	solid, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	sides := make([]inpoly.Side, n)
	if err := solid.SidesTo(t.Context(), sides, pts); err != nil {
		t.Fatal(err)
	}
	return solid, sides
}

func differences(a, b []inpoly.Side) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// A mesh without misoriented edges is used as it is. On a mesh without open edges, parity does not
// depend on the orientation. If the components of such a mesh do not overlap, the default has the
// answers of parity. A mesh with duplicate faces is excepted, because parity ignores a pair of them.
func TestCorpusOrientAuto(t *testing.T) {
	clean, closed := 0, 0
	corpusMeshes(t, func(i int, path string, m *mesh.Mesh) {
		if m.MisorientedEdges() == 0 {
			clean++
			if solid, err := inpoly.New(t.Context(), m, inpoly.Options{}); err != nil || solid.Mesh() != m || solid.Report().Orientation != nil {
				t.Errorf("%s: the mesh was examined, or error %v", path, err)
			}
			return
		}
		solid, got := sidesOf(t, m, inpoly.Options{}, uint64(i))
		d := solid.Report().Diagnosis
		if d.BoundaryEdges > 0 {
			return
		}
		closed++
		_, want := sidesOf(t, m, inpoly.Options{Rule: inpoly.EvenOdd, Orient: inpoly.OrientNever}, uint64(i))
		_, asItIs := sidesOf(t, m, inpoly.Options{Orient: inpoly.OrientNever}, uint64(i))
		t.Logf("%s: %+v; of %d points, %d have another side as the mesh is", path, *solid.Report().Orientation, len(want), differences(asItIs, want))
		if d.DuplicateFaces > 0 {
			want = asItIs
		}
		if n := differences(got, want); n > 0 {
			t.Errorf("%s: %d of %d sides differ from the parity", path, n, len(want))
		}
	})
	t.Logf("%d meshes without misoriented edges, %d with misoriented edges but without open edges", clean, closed)
	if closed == 0 {
		t.Error("no mesh without open edges and with misoriented edges: the test tests nothing")
	}
}

// If a random tenth of the faces of a mesh is flipped, the default has the answers of the mesh as
// it was. There is no way to find the flipped faces of a patch if no edge within the patch is
// misoriented, or if at least half of the faces are flipped. Answers may differ only on meshes with
// such patches.
func TestCorpusFlipped(t *testing.T) {
	same, excused := 0, 0
	corpusMeshes(t, func(i int, path string, m *mesh.Mesh) {
		seed := uint64(i)
		before, want := sidesOf(t, m, inpoly.Options{}, seed)
		r := rand.New(rand.NewPCG(seed, 4))
		var flip []int32
		for f := range m.Faces {
			if r.IntN(10) == 0 {
				flip = append(flip, int32(f))
			}
		}
		damaged, err := before.Mesh().Flipped(t.Context(), flip)
		if err != nil {
			t.Fatal(err)
		}
		after, got := sidesOf(t, damaged, inpoly.Options{}, seed)
		n := differences(got, want)
		if n == 0 {
			same++
			return
		}
		_, o, err := before.Mesh().Oriented(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		size, flipped := make([]int, o.Patches), make([]int, o.Patches)
		for _, label := range o.Labels {
			if label >= 0 {
				size[label]++
			}
		}
		for _, f := range flip {
			if label := o.Labels[f]; label >= 0 {
				flipped[label]++
			}
		}
		lost := 0
		for p := range size {
			if 2*flipped[p] >= size[p] {
				lost++
			}
		}
		excused++
		t.Logf("%s: %d of %d sides differ; at least half of the faces are flipped in %d of %d patches; %+v", path, n, len(want), lost, o.Patches, after.Report().Orientation)
		if lost == 0 {
			t.Errorf("%s: no patch has lost its orientation, but %d of %d sides differ", path, n, len(want))
		}
	})
	t.Logf("%d meshes have the same answers as before, %d have patches that lost their orientation", same, excused)
	least := 20
	if testcorpus.Full() {
		least = 200
	}
	if same < least || excused > same/20 {
		t.Errorf("%d meshes have the same answers, %d have other answers", same, excused)
	}
}
