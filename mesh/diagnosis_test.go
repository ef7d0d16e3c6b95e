package mesh_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func diagnose(t testing.TB, m *mesh.Mesh) mesh.Diagnosis {
	t.Helper()
	d, err := m.Diagnose(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// bruteComponents returns the result of Components. It is slow, because it compares all pairs of
// faces until no label changes.
func bruteComponents(m *mesh.Mesh) ([]int32, int) {
	labels := make([]int32, len(m.Faces))
	lost := func(t [3]int32) bool { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0] }
	for f, t := range m.Faces {
		labels[f] = int32(f)
		if lost(t) {
			labels[f] = -1
		}
	}
	for changed := true; changed; {
		changed = false
		for f, t := range m.Faces {
			for g, u := range m.Faces {
				shared := slices.Contains(u[:], t[0]) || slices.Contains(u[:], t[1]) || slices.Contains(u[:], t[2])
				if labels[f] >= 0 && labels[g] > labels[f] && shared {
					labels[g], changed = labels[f], true
				}
			}
		}
	}
	n := int32(0)
	number := map[int32]int32{-1: -1}
	for f, l := range labels {
		if _, ok := number[l]; !ok {
			number[l] = n
			n++
		}
		labels[f] = number[l]
	}
	return labels, int(n)
}

// bruteDuplicates counts duplicate faces and opposite pairs. It compares all pairs of faces.
func bruteDuplicates(m *mesh.Mesh) (duplicates, opposite int) {
	type set [3]int32
	even, odd := map[set]int{}, map[set]int{}
	for _, t := range m.Faces {
		if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
			continue
		}
		s := set(t)
		slices.Sort(s[:])
		if t == s || t == [3]int32{s[1], s[2], s[0]} || t == [3]int32{s[2], s[0], s[1]} {
			even[s]++
			odd[s] += 0
		} else {
			odd[s]++
		}
	}
	for s, n := range odd {
		duplicates += n + even[s] - 1
		opposite += min(n, even[s])
	}
	return duplicates, opposite
}

func TestDiagnoseAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testmesh.Tangle(rapid.IntRange(3, 30).Draw(t, "points"), rapid.IntRange(1, 40).Draw(t, "faces"), rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "degenerate") {
			s = testmesh.WithDegenerate(s, 3, 1)
		}
		m := testmesh.Mesh(s)
		d, err := m.Diagnose(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		labels, n := m.Components()
		wantLabels, wantN := bruteComponents(m)
		if n != wantN || !slices.Equal(labels, wantLabels) {
			t.Fatalf("components: got %v, want %v", labels, wantLabels)
		}
		duplicates, opposite := bruteDuplicates(m)
		if d.DuplicateFaces != duplicates || d.OppositeFaces != opposite {
			t.Fatalf("got %d duplicate and %d opposite faces, want %d and %d", d.DuplicateFaces, d.OppositeFaces, duplicates, opposite)
		}
		for l, c := range d.Components {
			part := facesOf(labels, int32(l))
			if c.Faces != int32(len(part)) || c.First != part[0] {
				t.Fatalf("component %d: %d faces from %d, want %d from %d", l, c.Faces, c.First, len(part), part[0])
			}
			alone, err := m.Extract(t.Context(), part)
			if err != nil {
				t.Fatal(err)
			}
			if err := alone.Validate(); err != nil {
				t.Fatal(err)
			}
			e, err := alone.Diagnose(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if c.Closed != e.ZeroBoundary || c.Watertight != e.Watertight || c.Box != e.Box || len(e.Components) != 1 {
				t.Fatalf("component %d: got %+v, alone it is %+v", l, c, e)
			}
		}
		chain := int64(0)
		for _, e := range m.Boundary() {
			chain += int64(max(e.Mult, -e.Mult))
		}
		if d.ChainEdges != len(m.Boundary()) || d.ChainMultiplicity != chain {
			t.Fatalf("chain: got %d edges, multiplicity %d, want %d, %d", d.ChainEdges, d.ChainMultiplicity, len(m.Boundary()), chain)
		}
	})
}

func facesOf(labels []int32, l int32) []int32 {
	var out []int32
	for f, k := range labels {
		if k == l {
			out = append(out, int32(f))
		}
	}
	return out
}

// TestVolumeBound compares computed volumes with exact volumes, at many scales and far from the
// origin.
func TestVolumeBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for i := range 300 {
		s := testmesh.Star(rng.IntN(3), 0.9, uint64(i))
		if i%3 == 1 {
			s = testmesh.Flip(s)
		}
		if i%5 == 1 {
			s = testmesh.Move(s, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X, Y: p.Y * 1e-9, Z: p.Z * 1e-12} })
		}
		if i%5 == 2 { // flatten the solid to a slanted sheet, whose determinants nearly cancel
			s = testmesh.Move(s, func(p r3.Vector) r3.Vector {
				return r3.Vector{X: p.X, Y: p.Y, Z: p.Z*1e-9 + 0.3*p.X + 0.7*p.Y}
			})
		}
		s = testmesh.Translate(s, r3.Vector{X: rng.NormFloat64(), Y: 1e3 * rng.NormFloat64(), Z: 1e9 * rng.NormFloat64()})
		s = testmesh.Scale(s, math.Ldexp(1, rng.IntN(400)-200))
		m := testmesh.Mesh(s)
		d := diagnose(t, m)
		want, _ := exactVolume(m).Float64()
		if !(math.Abs(d.Volume-want) <= d.VolumeError) {
			t.Errorf("solid %d: volume %v ± %v, want %v", i, d.Volume, d.VolumeError, want)
		}
		if c := d.Components[0]; c.VolumeSign != 0 && float64(c.VolumeSign)*want <= 0 {
			t.Errorf("solid %d: volume sign %d, volume %v", i, c.VolumeSign, want)
		}
	}
}

// exactVolume returns the sum of det(a, b, c)/6 over the faces a, b, c.
func exactVolume(m *mesh.Mesh) *big.Rat {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	total := new(big.Rat)
	for f := range m.Faces {
		var c [3][3]*big.Rat
		for k, p := range m.Triangle(int32(f)) {
			c[k] = [3]*big.Rat{rat(p.X), rat(p.Y), rat(p.Z)}
		}
		for k := range 3 {
			for _, sign := range [2]int{1, 2} {
				p := new(big.Rat).Mul(c[0][k], c[1][(k+sign)%3])
				p.Mul(p, c[2][(k+2*sign)%3])
				if sign == 1 {
					total.Add(total, p)
				} else {
					total.Sub(total, p)
				}
			}
		}
	}
	return total.Quo(total, big.NewRat(6, 1))
}

// TestExtremeSizes checks the volume signs of components whose volumes overflow or underflow.
func TestExtremeSizes(t *testing.T) {
	for _, c := range []struct{ scale, volume float64 }{
		{0x1p-1070, 0}, {0x1p-1000, 0}, {0x1p-400, 0}, {0x1p-60, 0x1p-180}, {1, 1}, {0x1p60, 0x1p180}, {0x1p400, math.Inf(1)}, {0x1p1000, math.Inf(1)},
	} {
		s := testmesh.Scale(testmesh.UnitCube(), c.scale)
		d := diagnose(t, testmesh.Mesh(testmesh.Flip(s)))
		if d.InwardComponents != 1 || d.Volume != -c.volume {
			t.Errorf("inverted cube of %g: %d inward components, volume %g; want 1, %g", c.scale, d.InwardComponents, d.Volume, -c.volume)
		}
		if d.ShortestEdge != c.scale {
			t.Errorf("cube of %g: shortest edge %g", c.scale, d.ShortestEdge)
		}
		// The tolerance is larger for a subnormal diagonal, because such a number has few bits.
		if want := c.scale * math.Sqrt(3); math.Abs(d.Size-want) > max(1e-15*want, 0x1p-1074) && !math.IsInf(want, 1) {
			t.Errorf("cube of %g: size %g, want %g", c.scale, d.Size, want)
		}
	}
	huge := testmesh.Mesh(testmesh.Cube(r3.Vector{X: -mesh.MaxCoordinate, Y: -mesh.MaxCoordinate, Z: -1}, r3.Vector{X: mesh.MaxCoordinate, Y: mesh.MaxCoordinate, Z: 1}))
	if d := diagnose(t, huge); d.InwardComponents != 0 || d.Components[0].VolumeSign != 1 || math.IsNaN(d.Volume) || math.IsNaN(d.Area) {
		t.Errorf("cube of the largest coordinates: %+v", d)
	}
}

func TestPrecision(t *testing.T) {
	rows := []struct {
		name    string
		s       mesh.Soup
		float32 bool
		spacing float64
	}{
		{"unit cube", testmesh.UnitCube(), true, 0x1p-23},
		{"below 1", testmesh.Scale(testmesh.UnitCube(), 1-0x1p-20), true, 0x1p-24},
		{"tenth", testmesh.Scale(testmesh.UnitCube(), 0.1), false, 0x1p-27},
		{"at 1e6", testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 1e6}), true, 0.0625},
		{"tiny", testmesh.Scale(testmesh.UnitCube(), 0x1p-149), true, 0x1p-149},
		{"below float32", testmesh.Scale(testmesh.UnitCube(), 0x1p-150), false, 0x1p-149},
		{"above float32", testmesh.Scale(testmesh.UnitCube(), 0x1p128), false, 0x1p105},
		{"empty", mesh.Soup{}, true, 0x1p-149},
	}
	for _, row := range rows {
		d := diagnose(t, testmesh.Mesh(row.s))
		if d.Float32 != row.float32 || d.Float32Spacing != row.spacing {
			t.Errorf("%s: float32 %v, spacing %g; want %v, %g", row.name, d.Float32, d.Float32Spacing, row.float32, row.spacing)
		}
	}
}

// TestDiagnoseTable checks every flag and every count, for small meshes with known values.
func TestDiagnoseTable(t *testing.T) {
	cube := testmesh.UnitCube()
	apart := testmesh.Translate(cube, r3.Vector{X: 3})
	rows := []struct {
		name                                         string
		s                                            mesh.Soup
		watertight, zero, consistent                 bool
		boundary, nonManifold, unbalanced, misorient int
		duplicate, opposite, components, inward      int
		chainMax                                     int
	}{
		{"cube", cube, true, true, true, 0, 0, 0, 0, 0, 0, 1, 0, 0},
		{"two cubes, one inverted", testmesh.Union(cube, testmesh.Flip(apart)), true, true, true, 0, 0, 0, 0, 0, 0, 2, 1, 0},
		{"cube without a face", testmesh.Without(cube, 0), false, false, true, 3, 0, 0, 0, 0, 0, 1, 0, 1},
		{"cube with a face flipped", testmesh.Flip(cube, 0), false, false, false, 0, 0, 0, 3, 0, 0, 1, 0, 2},
		{"cube with a face doubled", testmesh.Double(cube, 0), false, false, false, 0, 3, 3, 0, 1, 0, 1, 0, 1},
		{"cube doubled", testmesh.Double(cube), false, true, true, 0, 18, 0, 0, 12, 0, 1, 0, 0},
		{"cube and its opposite", testmesh.Union(cube, testmesh.Flip(cube)), false, true, true, 0, 18, 0, 0, 12, 12, 1, 0, 0},
		{"cubes on one edge", testmesh.Union(cube, testmesh.Translate(cube, r3.Vector{X: 1, Y: 1})), false, true, true, 0, 1, 0, 0, 0, 0, 1, 0, 0},
		{"cubes at one corner", testmesh.Union(cube, testmesh.Translate(cube, r3.Vector{X: 1, Y: 1, Z: 1})), true, true, true, 0, 0, 0, 0, 0, 0, 1, 0, 0},
		{"empty", mesh.Soup{}, false, true, true, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{"a collapsed face alone", mesh.Soup{Vertices: []r3.Vector{{}, {X: 1}}, Faces: [][3]int32{{0, 1, 0}}}, false, true, true, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{"a flat triangle", mesh.Soup{Vertices: []r3.Vector{{}, {X: 1}, {X: 2}}, Faces: [][3]int32{{0, 1, 2}}}, false, false, true, 3, 0, 0, 0, 0, 0, 1, 0, 1},
	}
	for _, row := range rows {
		d := diagnose(t, testmesh.Mesh(row.s))
		got := []any{d.Watertight, d.ZeroBoundary, d.ConsistentOrientation, d.BoundaryEdges, d.NonManifoldEdges, d.UnbalancedEdges,
			d.MisorientedEdges, d.DuplicateFaces, d.OppositeFaces, len(d.Components), d.InwardComponents, d.ChainMax}
		want := []any{row.watertight, row.zero, row.consistent, row.boundary, row.nonManifold, row.unbalanced,
			row.misorient, row.duplicate, row.opposite, row.components, row.inward, row.chainMax}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", row.name, got, want)
		}
	}
}

func TestDiagnoseExamples(t *testing.T) {
	s := testmesh.WithDegenerate(testmesh.Double(testmesh.Flip(testmesh.Without(testmesh.Soup(testmesh.Sphere(3)), 11), 100), 500), 20, 1)
	m := testmesh.Mesh(s)
	d := diagnose(t, m)
	if len(d.ZeroAreaFaces) != mesh.MaxExamples || !slices.Equal(d.ZeroAreaFaces, m.Degenerate()[:mesh.MaxExamples]) {
		t.Errorf("zero-area faces: got %v", d.ZeroAreaFaces)
	}
	if d.Collapsed != 40 || d.ZeroArea != len(m.Degenerate())-40 {
		t.Errorf("got %d collapsed and %d zero-area faces of %d", d.Collapsed, d.ZeroArea, len(m.Degenerate()))
	}
	for _, f := range d.Duplicates {
		if !slices.ContainsFunc(m.Faces[:f], func(t [3]int32) bool { return sameSet(t, m.Faces[f]) }) {
			t.Errorf("face %d is no duplicate", f)
		}
	}
	for name, list := range map[string]struct {
		edges [][2]int32
		want  func(n int) bool
	}{
		"open":         {d.Open, func(n int) bool { return n == 1 }},
		"non-manifold": {d.NonManifold, func(n int) bool { return n > 2 }},
		"misoriented":  {d.Misoriented, func(n int) bool { return n == 2 }},
	} {
		if len(list.edges) == 0 {
			t.Errorf("no %s edges", name)
		}
		for _, e := range list.edges {
			if n := facesAt(m, e); !list.want(n) {
				t.Errorf("%s edge %v has %d faces", name, e, n)
			}
		}
	}
}

func sameSet(a, b [3]int32) bool {
	slices.Sort(a[:])
	slices.Sort(b[:])
	return a == b
}

func facesAt(m *mesh.Mesh, e [2]int32) int {
	n := 0
	for _, t := range m.Faces {
		if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && slices.Contains(t[:], e[0]) && slices.Contains(t[:], e[1]) {
			n++
		}
	}
	return n
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := testmesh.Sphere(3).Diagnose(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Diagnose: error %v, want %v", err, context.Canceled)
	}
	if _, err := mesh.New(ctx, testmesh.UnitCube(), mesh.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("NewContext: error %v, want %v", err, context.Canceled)
	}
}

// BenchmarkDiagnose examines a sphere of half a million triangles.
func BenchmarkDiagnose(b *testing.B) {
	m := testmesh.Sphere(8)
	for b.Loop() {
		if _, err := m.Diagnose(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(m.Faces))*float64(b.N)/b.Elapsed().Seconds(), "faces/s")
}

// TestDiagnosisJSON checks that a diagnosis can be encoded as JSON, even for an empty mesh.
func TestDiagnosisJSON(t *testing.T) {
	for name, s := range map[string]mesh.Soup{"empty": {}, "cube": testmesh.UnitCube()} {
		d := diagnose(t, testmesh.Mesh(s))
		text, err := json.Marshal(d)
		var got mesh.Diagnosis
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || got.Box != d.Box || got.Faces != d.Faces {
			t.Errorf("%s: %s, error %v", name, text, err)
		}
	}
}

// TestDefects compares Defects with maps from edges to their directions, and of the corners of faces.
func TestDefects(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var soup mesh.Soup
		for range 8 {
			soup.Vertices = append(soup.Vertices, r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()})
		}
		for range 1 + rng.IntN(30) {
			soup.Faces = append(soup.Faces, [3]int32{rng.Int32N(8), rng.Int32N(8), rng.Int32N(8)})
		}
		m := testmesh.Mesh(soup)
		var want mesh.Defects
		corners := map[[3]int32]bool{}
		runs := map[[2]int32][2]int{}
		for i, f := range m.Faces {
			if f[0] == f[1] || f[1] == f[2] || f[2] == f[0] {
				continue
			}
			if c := sorted(f); corners[c] {
				want.Duplicates = append(want.Duplicates, int32(i))
			} else {
				corners[c] = true
			}
			for k, a := range f {
				b, back := f[(k+1)%3], 0
				if a > b {
					a, b, back = b, a, 1
				}
				n := runs[[2]int32{a, b}]
				n[back]++
				runs[[2]int32{a, b}] = n
			}
		}
		for e, n := range runs {
			switch {
			case n[0]+n[1] == 1:
				want.Open = append(want.Open, e)
			case n[0]+n[1] > 2:
				want.NonManifold = append(want.NonManifold, e)
			case n[0] != 1:
				want.Misoriented = append(want.Misoriented, e)
			}
		}
		got, err := m.Defects(context.Background())
		if err != nil || !slices.Equal(got.Duplicates, want.Duplicates) {
			t.Fatalf("duplicates of %v: %v, want %v, error %v", m.Faces, got.Duplicates, want.Duplicates, err)
		}
		for name, pair := range map[string][2][][2]int32{
			"open": {got.Open, want.Open}, "misoriented": {got.Misoriented, want.Misoriented}, "non-manifold": {got.NonManifold, want.NonManifold},
		} {
			slices.SortFunc(pair[1], func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("%s edges of %v: got %v, want %v", name, m.Faces, pair[0], pair[1])
			}
		}
	}
}
