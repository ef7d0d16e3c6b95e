package nearest

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// twinAngle returns atan2(y, x) for y > 0. It shares no code with the library: if x < 0, it adds the
// angles of the halves, and it halves the tangent until the series of the arc tangent is short.
func twinAngle(y, x *big.Float, prec uint) *big.Float {
	number := func() *big.Float { return new(big.Float).SetPrec(prec) }
	if x.Sign() <= 0 { // tan(θ/2) = (|v| − x)/y
		h := number().Add(number().Mul(x, x), number().Mul(y, y))
		h.Sqrt(h)
		half := twinAngle(h.Sub(h, x), y, prec)
		return half.Mul(half, big.NewFloat(2))
	}
	t, one := number().Quo(y, x), number().SetInt64(1)
	const halvings = 40
	for range halvings { // tan(θ/2) = t/(1 + √(1 + t²))
		h := number().Add(one, number().Mul(t, t))
		t.Quo(t, h.Add(one, h.Sqrt(h)))
	}
	sum, power, square := number().Set(t), number().Set(t), number().Mul(t, t)
	for k := int64(3); k <= int64(prec)/(2*halvings-4)*2+3; k += 2 {
		power.Neg(power.Mul(power, square))
		sum.Add(sum, number().Quo(power, number().SetInt64(k)))
	}
	return sum.SetMantExp(sum, halvings)
}

// twinNormal returns the pseudonormal of a vertex v, or of the edge from v to w if w ≥ 0, by its
// definition: the sum over all faces in high precision. It is zero if the sum is below 2^(200−prec) of
// its terms.
func twinNormal(m *mesh.Mesh, v, w int32, prec uint) r3.Vector {
	number := func() *big.Float { return new(big.Float).SetPrec(prec) }
	sum, weight := [3]*big.Float{number(), number(), number()}, number()
	for i, f := range m.Faces {
		k := slices.Index(f[:], v)
		if k < 0 || w >= 0 && !slices.Contains(f[:], w) {
			continue
		}
		t := m.Triangle(int32(i))
		a := newRat(t[k])
		e, g := newRat(t[(k+1)%3]).sub(a), newRat(t[(k+2)%3]).sub(a)
		n := e.cross(g)
		n2 := n.dot(n)
		if n2.Sign() == 0 {
			continue
		}
		length := number().SetRat(n2)
		length.Sqrt(length)
		factor := number().SetInt64(1)
		if w < 0 {
			factor = twinAngle(length, number().SetRat(e.dot(g)), prec)
		}
		weight.Add(weight, factor)
		for j := range sum {
			x := number().SetRat(n[j])
			sum[j].Add(sum[j], x.Mul(x, factor).Quo(x, length))
		}
	}
	square := number()
	for _, x := range sum {
		square.Add(square, number().Mul(x, x))
	}
	square.Sqrt(square)
	if square.Sign() == 0 || square.MantExp(nil) < weight.MantExp(nil)-int(prec)+200 {
		return r3.Vector{}
	}
	var u [3]float64
	for j, x := range sum {
		u[j], _ = x.Quo(x, square).Float64()
	}
	return r3.Vector{X: u[0], Y: u[1], Z: u[2]}
}

// checkNormals compares the pseudonormals of all vertices and edges of m with the twin. It returns the
// numbers of pseudonormals that are zero and that are not.
func checkNormals(t *testing.T, m *mesh.Mesh, prec uint) (zero, other int) {
	t.Helper()
	n, err := newNormals(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want r3.Vector) {
		t.Helper()
		if want == (r3.Vector{}) {
			zero++
		} else {
			other++
		}
		if (got == (r3.Vector{})) != (want == (r3.Vector{})) || !(got.Sub(want).Norm() <= 5e-6) {
			t.Fatalf("%s: %v, want %v, mesh %v %v", what, got, want, m.Vertices, m.Faces)
		}
	}
	for v := range int32(len(m.Vertices)) {
		want := twinNormal(m, v, -1, prec)
		for range 2 { // the second result is stored
			check(fmt.Sprint("vertex ", v), n.vertex(m, v), want)
		}
	}
	for i, f := range m.Faces {
		for k := range 3 {
			if v, w := f[k], f[(k+1)%3]; v != w {
				check(fmt.Sprintf("edge %d of face %d", k, i), n.ofEdge(m, int32(i), k), twinNormal(m, v, w, prec))
			}
		}
	}
	return zero, other
}

// thinTetrahedron is a closed solid: a flat triangle and an apex at the height h above it.
func thinTetrahedron(h float64) mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 4}, {Y: 4}, {X: 1, Y: 1, Z: h}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}},
	}
}

// The pseudonormals of closed solids have five correct digits at all heights and sizes.
func TestNormalsOfThinSolids(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	step := 300 / max(rounds(5, 100), 2)
	for e := 0; e >= -300; e -= step {
		h := math.Pow(10, float64(e))
		scales := []float64{1, 0x1p-20, 0x1p300, 0x1p-60}
		if k := -e / step % len(scales); rounds(1, len(scales)) == 1 {
			scales = scales[k : k+1]
		}
		for _, scale := range scales {
			soups := []mesh.Soup{thinTetrahedron(h), thinTetrahedron(-h), testmesh.DoubleCone(3+r.IntN(4), h)}
			for range 2 { // two hats over a polygon that is not flat
				n := 3 + r.IntN(4)
				soup := mesh.Soup{Vertices: []r3.Vector{{Z: h}, {Z: -h * r.Float64()}}}
				for i := range n {
					sin, cos := math.Sincos(2 * math.Pi * (float64(i) + r.Float64()/2) / float64(n))
					soup.Vertices = append(soup.Vertices, r3.Vector{X: cos, Y: sin, Z: h * uniform(r)})
					a, b := int32(2+i), int32(2+(i+1)%n)
					soup.Faces = append(soup.Faces, [3]int32{0, a, b}, [3]int32{1, b, a})
				}
				soups = append(soups, soup)
			}
			for _, s := range soups {
				if zero, _ := checkNormals(t, testmesh.Mesh(testmesh.Scale(s, scale)), uint(500-8*e)); h*scale >= 0x1p-1000 && zero > 0 {
					t.Fatalf("height %g, scale %g: %d pseudonormals are zero", h, scale, zero)
				}
			}
		}
	}
}

// Solids whose angles, and not only heights, are tiny: float64 cannot hold some angles.
func TestNormalsOfTinyAngles(t *testing.T) {
	for _, w := range []float64{1e-3, 1e-9, 1e-140, 1e-200, 1e-310} {
		for _, ratio := range []float64{1, 3, 1e5} {
			// Two needles at vertex 0, in two planes.
			m := &mesh.Mesh{
				Vertices: []r3.Vector{{}, {X: 1}, {X: 1, Y: w}, {Y: 1}, {Y: 1, Z: w * ratio}},
				Faces:    [][3]int32{{0, 1, 2}, {0, 3, 4}},
			}
			checkNormals(t, m, 2800)
		}
	}
}

// Normals that cancel exactly have the sum zero, for whatever reason they cancel.
func TestZeroNormals(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	zeros, others := 0, 0
	count := func(m *mesh.Mesh) {
		zero, other := checkNormals(t, m, 900)
		zeros, others = zeros+zero, others+other
	}
	for range rounds(6, 2000) {
		whole := func(n int) float64 { return float64(r.IntN(2*n+1) - n) }
		// The disc about vertex 0 in a random plane has two triangulations, one of them turned over. If
		// moved is true, a vertex is moved off the plane.
		u, v := r3.Vector{X: whole(9), Y: whole(9), Z: whole(9)}, r3.Vector{X: whole(9), Y: whole(9), Z: whole(9)}
		n := 8
		m := &mesh.Mesh{Vertices: []r3.Vector{{X: whole(5), Y: whole(5), Z: whole(5)}}}
		for i := range n {
			ring := [...][2]float64{{2, 0}, {2, 1}, {0, 3}, {-1, 1}, {-4, 0}, {-1, -2}, {0, -1}, {3, -1}}[i]
			m.Vertices = append(m.Vertices, m.Vertices[0].Add(u.Mul(ring[0])).Add(v.Mul(ring[1])))
		}
		for i := range int32(n) {
			m.Faces = append(m.Faces, [3]int32{0, 1 + i, 1 + (i+1)%int32(n)})
		}
		for i := int32(0); i < int32(n); i += 2 {
			m.Faces = append(m.Faces, [3]int32{0, 1 + (i+2)%int32(n), 1 + i})
		}
		if r.IntN(3) == 0 {
			k := 1 + r.IntN(n)
			m.Vertices[k] = m.Vertices[k].Add(cube(r).Mul(log(r, -120, -5)))
		}
		if r.IntN(3) == 0 {
			m.Faces = append(m.Faces, [3]int32{0, 1, 4}, [3]int32{0, 1, 4}, [3]int32{1, 0, 4}, [3]int32{1, 0, 4})
		}
		count(m)
	}
	// Three planes through an axis, turned by a third of a turn.
	p := r3.Vector{X: 3, Y: 1, Z: -2}
	q, s := r3.Vector{X: p.Y, Y: p.Z, Z: p.X}, r3.Vector{X: p.Z, Y: p.X, Z: p.Y}
	count(&mesh.Mesh{Vertices: []r3.Vector{{}, {X: 5, Y: 5, Z: 5}, p, q, s}, Faces: [][3]int32{{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}})
	// A sheet of which each face has an opposite face, and the same with one face on one side only.
	sheet := testmesh.Sheet(4)
	for _, f := range slices.Clone(sheet.Faces) {
		sheet.Faces = append(sheet.Faces, [3]int32{f[1], f[0], f[2]})
	}
	count(testmesh.Mesh(sheet))
	sheet.Faces = sheet.Faces[1:]
	count(testmesh.Mesh(sheet))
	t.Logf("%d pseudonormals are zero, %d are not", zeros, others)
	if zeros < 50 || others < 50 {
		t.Error("the test covers too little")
	}
}

// Random fans on a small grid, so that faces coincide, overlap and fold.
func TestNormalsOfRandomFans(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	zeros, others := 0, 0
	for range rounds(20, 10000) {
		m := &mesh.Mesh{Vertices: []r3.Vector{{}}}
		scale := [...]float64{1, 0x1p-500, 0x1p400}[r.IntN(3)]
		thin := [...]float64{1, 1, 1e-5, 1e-30}[r.IntN(4)]
		for range 3 + r.IntN(4) {
			m.Vertices = append(m.Vertices, r3.Vector{X: float64(r.IntN(5) - 2), Y: float64(r.IntN(5) - 2), Z: thin * float64(r.IntN(3)-1)}.Mul(scale))
		}
		for range 2 + r.IntN(8) {
			f := [3]int32{0, 1 + r.Int32N(int32(len(m.Vertices)-1)), 1 + r.Int32N(int32(len(m.Vertices)-1))}
			m.Faces = append(m.Faces, f)
			if r.IntN(2) == 0 {
				m.Faces = append(m.Faces, [3]int32{f[0], f[2], 1 + r.Int32N(int32(len(m.Vertices)-1))})
			}
		}
		zero, other := checkNormals(t, m, 700)
		zeros, others = zeros+zero, others+other
	}
	t.Logf("%d pseudonormals are zero, %d are not", zeros, others)
}

// Faces in one plane whose normals are opposite, and whose angles differ by 2e-30 in sum.
func TestNormalOfFoldedFan(t *testing.T) {
	const e = 1e-30
	for _, scale := range []float64{1, 0x1p400, 0x1p-500} {
		m := &mesh.Mesh{Faces: [][3]int32{{0, 3, 1}, {0, 1, 2}, {0, 1, 2}, {0, 3, 2}, {0, 2, 1}}}
		for _, v := range []r3.Vector{{}, {Y: 2, Z: -e}, {Y: -2}, {Y: -1, Z: -e}} {
			m.Vertices = append(m.Vertices, v.Mul(scale))
		}
		if _, other := checkNormals(t, m, 700); other == 0 {
			t.Error("no normal")
		}
	}
}

// The points of a thin tetrahedron whose closest points are vertices and edges of its rim.
func TestProjectOnThinTetrahedron(t *testing.T) {
	for _, h := range []float64{1, 1e-4, 1e-12, 1e-100, 1e-300} {
		m := testmesh.Mesh(thinTetrahedron(h))
		s := searcher(t, m, bvh.Options{})
		var st Scratch
		for _, p := range []r3.Vector{{X: -1, Y: -1}, {X: 6, Y: -1}, {X: 2, Y: -1}, {X: -1, Y: 2}, {X: 3, Y: 3}} {
			q := s.Project(p, &st)
			if math.Abs(q.Normal.Norm()-1) > 1e-14 || !(q.Normal.Dot(p.Sub(q.Point)) > 0) {
				t.Errorf("height %g, point %v: the %v has the normal %v", h, p, q.Feature, q.Normal)
			}
		}
	}
}

func BenchmarkNormals(b *testing.B) {
	doubled := testmesh.Soup(testmesh.Sphere(5))
	for _, f := range slices.Clone(doubled.Faces) {
		doubled.Faces = append(doubled.Faces, [3]int32{f[1], f[0], f[2]})
	}
	for _, c := range []struct {
		name string
		m    *mesh.Mesh
	}{
		{"sphere", testmesh.Sphere(5)}, {"doubled", testmesh.Mesh(doubled)}, {"thin", testmesh.Mesh(testmesh.DoubleCone(1000, 1e-9))},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				n, err := newNormals(b.Context(), c.m)
				if err != nil {
					b.Fatal(err)
				}
				for v := range c.m.Vertices {
					n.vertex(c.m, int32(v))
				}
				for i := range c.m.Faces {
					for k := range 3 {
						n.ofEdge(c.m, int32(i), k)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.m.Vertices)), "ns/vertex")
		})
	}
}

// Goroutines that need the same pseudonormal at the same time compute it once.
func TestNormalsAreComputedOnce(t *testing.T) {
	var n normals
	var count atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			u := n.once([2]int32{1, -1}, func() r3.Vector {
				count.Add(1)
				time.Sleep(time.Millisecond) // so that the other calls begin
				return r3.Vector{Z: 1}
			})
			if u != (r3.Vector{Z: 1}) {
				t.Errorf("the result is %v", u)
			}
		})
	}
	if wait.Wait(); count.Load() != 1 {
		t.Errorf("computed %d times", count.Load())
	}
}

// UnitNormal has nine correct digits also for triangles that are almost without area.
func TestUnitNormal(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 78))
	for range rounds(1000, 100_000) {
		a, b := cube(r), cube(r)
		tri := mesh.Triangle{a, b, a.Mul(0.25).Add(b.Mul(0.75)).Add(cube(r).Mul(log(r, -70, 0)))}
		for k := range tri {
			tri[k] = tri[k].Mul(math.Exp2(float64(100 * (r.IntN(3) - 1))))
		}
		if got, want := UnitNormal(&tri), exactUnit(tri); got.Sub(want).Norm() > 0x1p-33 {
			t.Fatalf("%v: %v, want %v", tri, got, want)
		}
	}
	if u := UnitNormal(&mesh.Triangle{{}, {X: 1, Y: 2, Z: 3}, {X: 2, Y: 4, Z: 6}}); u != (r3.Vector{}) {
		t.Errorf("a triangle without area has the normal %v", u)
	}
}
