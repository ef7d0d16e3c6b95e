package bem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/mesh"
)

// twinMoments computes Σ ∫ n·∇R ds by Gauss quadrature, as a reference. It maps a square to each
// triangle by collapsing one side of the square. The quadrature is exact for the product of a
// polynomial of degree p−1 and the Jacobian of the map.
func twinMoments(p int, tris []mesh.Triangle) []float64 {
	nodes := p/2 + 2
	x, w := make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	size := harmonics.Len(p)
	out := make([]float64, size)
	for _, t := range tris {
		e1, e2 := t[1].Sub(t[0]), t[2].Sub(t[0])
		n := e1.Cross(e2)
		for i, s := range x {
			for j, u := range x {
				at := t[0].Add(e1.Mul(s * (1 - u))).Add(e2.Mul(s * u))
				addDipole(out, p, at, n.Mul(w[i]*w[j]*s))
			}
		}
	}
	return out
}

// addDipole adds to m the moments n·∇R(y) of the dipole n at y, up to degree p:
//
//	n·∇R_n^m = n_z R_{n−1}^m + ½(n_x+i·n_y) R_{n−1}^{m−1} − ½(n_x−i·n_y) R_{n−1}^{m+1}
func addDipole(m []float64, p int, y, n r3.Vector) {
	r := make([]float64, harmonics.Len(p))
	harmonics.RegularTo(r, p, y)
	for deg := 1; deg <= p; deg++ {
		below := func(order int) complex128 {
			if order >= deg || -order >= deg {
				return 0
			}
			return harmonics.At(r, deg-1, order)
		}
		for k := 0; k <= deg; k++ {
			g := complex(n.Z, 0)*below(k) + complex(n.X/2, n.Y/2)*below(k-1) - complex(n.X/2, -n.Y/2)*below(k+1)
			if k == 0 {
				m[deg*deg] += real(g)
				continue
			}
			m[deg*deg+2*k-1] += real(g)
			m[deg*deg+2*k] += imag(g)
		}
	}
}

// addPatch is AddTriangles for faces that refer to shared vertices by number.
func (m *Moments) addPatch(faces [][3]int32, vertices []r3.Vector, center r3.Vector, scale float64) {
	m.chain.reset(len(faces))
	for _, f := range faces {
		m.chain.add(f[0], f[1])
		m.chain.add(f[1], f[2])
		m.chain.add(f[2], f[0])
	}
	m.addChain(vertices, center, scale)
}

// checkMoments compares got with want at each degree n, in the norm of package harmonics. At degree
// n, the moments of a surface of the given area within the given radius have a norm of at most
// n·radius^(n−1)·area. The allowed difference is roundings·n·2^−53 times this limit.
func checkMoments(t *testing.T, where string, p int, got, want []float64, area, radius, roundings float64) {
	t.Helper()
	diff := make([]float64, len(want))
	for k := range want {
		diff[k] = got[k] - want[k]
	}
	norms := make([]float64, p+1)
	harmonics.NormsTo(norms, p, diff)
	for n, d := range norms {
		limit := roundings * roundoff * float64(n*n) * math.Pow(radius, float64(n-1)) * area
		if !(d <= limit) {
			t.Fatalf("%s: degree %d differs by %g, allowed %g", where, n, d, limit)
		}
	}
}

// extent returns the area of tris, and the distance of their farthest corner from the origin.
func extent(tris []mesh.Triangle) (area, radius float64) {
	for _, t := range tris {
		area += t[1].Sub(t[0]).Cross(t[2].Sub(t[0])).Norm() / 2
		for _, v := range t {
			radius = max(radius, v.Norm())
		}
	}
	return area, radius
}

// randomTriangles returns triangles within distance 1 of the origin.
func randomTriangles(rng *rand.Rand, n int) []mesh.Triangle {
	tris := make([]mesh.Triangle, n)
	for i := range tris {
		at, size := randomVector(rng).Mul(0.3), 0.05+0.2*rng.Float64()
		for k := range tris[i] {
			tris[i][k] = at.Add(randomVector(rng).Mul(size))
		}
	}
	return tris
}

func TestMomentsAgainstQuadrature(t *testing.T) {
	rng := newRand(500)
	for _, p := range []int{0, 1, 2, 3, 4, 5, 6, 7, 10, 17, 30, 40} {
		m := NewMoments(p)
		for trial := range trials(30, 300) {
			tris := randomTriangles(rng, 1+rng.IntN(3))
			got := make([]float64, harmonics.Len(p))
			for _, f := range tris {
				m.AddTriangle(f[0], f[1], f[2])
			}
			m.AddTo(got)
			_, radius := extent(tris)
			// The allowed difference depends on the radius, because AddTriangle integrates over the
			// cone from the origin to the triangle.
			checkMoments(t, fmt.Sprintf("degree %d, trial %d", p, trial), p, got, twinMoments(p, tris), 3*float64(len(tris))*radius*radius, radius, 100)
		}
	}
}

// Edges inside a patch cancel. The result equals the sum over single triangles, whether faces share
// vertices by number or by equal coordinates.
func TestMomentsPatch(t *testing.T) {
	const p = 9
	rng := newRand(510)
	sphere := globe(12)
	m := NewMoments(p)
	for trial := range trials(200, 5000) {
		faces := make([][3]int32, 1+rng.IntN(60))
		at := rng.IntN(len(sphere.Faces))
		for i := range faces {
			faces[i] = sphere.Faces[(at+i)%len(sphere.Faces)]
			if rng.IntN(20) == 0 { // duplicate, flipped and collapsed faces
				f := sphere.Faces[rng.IntN(len(sphere.Faces))]
				faces[i] = [][3]int32{f, {f[1], f[0], f[2]}, {f[0], f[0], f[1]}}[rng.IntN(3)]
			}
		}
		center, scale := randomVector(rng).Mul(0.1), 0.5
		var tris []mesh.Triangle
		want := make([]float64, harmonics.Len(p))
		for _, f := range faces {
			var s, c mesh.Triangle
			for k, v := range f {
				c[k] = sphere.Vertices[v]
				s[k] = c[k].Sub(center).Mul(scale)
				if c[k].X == 0 && rng.IntN(2) == 0 {
					c[k].X = math.Copysign(0, -1)
				}
			}
			tris = append(tris, c)
			m.AddTriangle(s[0], s[1], s[2])
		}
		m.AddTo(want)
		got := make([]float64, harmonics.Len(p))
		m.addPatch(faces, sphere.Vertices, center, scale)
		m.AddTo(got)
		checkMoments(t, fmt.Sprintf("trial %d, faces", trial), p, got, want, 3*float64(len(faces)), 0.6, 100)
		clear(got)
		m.AddTriangles(tris, center, scale)
		m.AddTo(got)
		checkMoments(t, fmt.Sprintf("trial %d, triangles", trial), p, got, want, 3*float64(len(faces)), 0.6, 100)
	}
}

// The edges of a closed surface cancel, so its moments are exactly 0. If one triangle is missing,
// the moments are the negated moments of that triangle.
func TestMomentsClosed(t *testing.T) {
	const p = 12
	s := globe(10)
	welded := mustMesh(s)
	m := NewMoments(p)
	got := make([]float64, harmonics.Len(p))
	m.addPatch(welded.Faces, welded.Vertices, r3.Vector{X: 0.1}, 1)
	m.AddTo(got)
	for k, v := range got {
		if v != 0 {
			t.Fatalf("coefficient %d of a closed surface is %v, want 0", k, v)
		}
	}
	last := len(welded.Faces) - 20
	f := welded.Triangle(int32(last))
	m.AddTriangles(append(triangles(welded)[:last:last], triangles(welded)[last+1:]...), r3.Vector{}, 1)
	m.AddTriangle(f[0], f[1], f[2])
	m.AddTo(got)
	checkMoments(t, "less a triangle", p, got, make([]float64, len(got)), 3, 1, 100)
}

// Moments about another center equal the moments that package harmonics translates to that center.
// If all lengths are multiplied by a factor f, the moments of degree n are multiplied by f^(n+1).
func TestMomentsTranslateAndScale(t *testing.T) {
	const p = 15
	rng := newRand(520)
	m := NewMoments(p)
	for trial := range 50 {
		tris := randomTriangles(rng, 5)
		c := randomVector(rng).Mul(0.3)
		at := func(center r3.Vector, scale float64) []float64 {
			out := make([]float64, harmonics.Len(p))
			m.AddTriangles(tris, center, scale)
			m.AddTo(out)
			return out
		}
		moved, src := make([]float64, harmonics.Len(p)), at(c, 1)
		for i, v := range harmonics.MatrixM2M(p, c) {
			moved[i/len(src)] += v * src[i%len(src)]
		}
		origin := at(r3.Vector{}, 1)
		checkMoments(t, fmt.Sprintf("trial %d", trial), p, moved, origin, 15, 1.5, 200)
		for n := range p + 1 {
			f := math.Ldexp(1, -3*(n+1))
			for k, v := range at(r3.Vector{}, 0.125)[n*n : (n+1)*(n+1)] {
				if want := origin[n*n+k] * f; v != want {
					t.Fatalf("trial %d, degree %d: %v, want %v: powers of two are exact", trial, n, v, want)
				}
			}
		}
	}
}

// Away from the surface, the expansion of degree p converges to the solid angle. The error
// decreases as ratio^−p. ratio is the distance of x from the origin divided by the radius of the
// surface.
func TestMomentsConverge(t *testing.T) {
	rng := newRand(530)
	const p = 30
	for trial := range 20 {
		tris := randomTriangles(rng, 6)
		_, radius := extent(tris)
		m := NewMoments(p)
		moments := make([]float64, harmonics.Len(p))
		m.AddTriangles(tris, r3.Vector{}, 1)
		m.AddTo(moments)
		for _, ratio := range []float64{1.5, 2, 3} {
			x := randomVector(rng)
			x = x.Mul(ratio * radius / x.Norm())
			want := 0.0
			for _, f := range tris {
				want += SolidAngle(x, f[0], f[1], f[2]) / (4 * math.Pi)
			}
			area, _ := extent(tris)
			for q := 0; q <= p; q++ {
				got := -harmonics.EvaluateMultipole(moments, q, x) / (4 * math.Pi)
				// Let a be the radius, D the distance of x, and d = D/a. Then Σ_{n>q} n a^(n−1)/D^(n+1)
				// = d^−q ((q+1)(d−1)+1)/(D²(d−1)²)·d. tail is area/4π times that sum.
				tail := area / (4 * math.Pi * radius * radius) * math.Pow(ratio, -float64(q)) *
					(float64(q+1)*(ratio-1) + 1) / (ratio * (ratio - 1) * (ratio - 1))
				if math.Abs(got-want) > tail+1e-14 {
					t.Fatalf("trial %d, ratio %v, degree %d: %v, want %v: off by %g, allowed %g", trial, ratio, q, got, want, math.Abs(got-want), tail)
				}
			}
		}
	}
}

func TestMomentsEmptyAndPanics(t *testing.T) {
	m := NewMoments(3)
	dst := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}
	m.addPatch(nil, nil, r3.Vector{}, 1)
	m.AddTriangles([]mesh.Triangle{{{X: 1}, {X: 1}, {X: 1}}, {{X: 1}, {X: 2}, {X: 1}}}, r3.Vector{}, 1)
	m.AddTo(dst)
	for k, v := range dst {
		if v != float64(k+1) {
			t.Errorf("coefficient %d after no edge is %v, want 0", k, v)
		}
	}
	for name, f := range map[string]func(){
		"negative degree": func() { NewMoments(-1) },
		"degree too high": func() { NewMoments(harmonics.MaxDegree + 1) },
		"short":           func() { m.AddTo(make([]float64, 15)) },
		"vertex":          func() { m.addPatch([][3]int32{{0, 1, 2}}, make([]r3.Vector, 2), r3.Vector{}, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: got no panic, want one", name)
				}
			}()
			f()
		}()
	}
}

func TestMomentsDoNotAllocate(t *testing.T) {
	s := mustMesh(globe(8))
	m := NewMoments(5)
	dst := make([]float64, harmonics.Len(5))
	tris := triangles(s)[:40]
	m.addPatch(s.Faces[:40], s.Vertices, r3.Vector{}, 1)
	m.AddTriangles(tris, r3.Vector{}, 1)
	if n := testing.AllocsPerRun(10, func() {
		m.addPatch(s.Faces[3:40], s.Vertices, r3.Vector{}, 1)
		m.AddTriangles(tris[5:], r3.Vector{}, 1)
		m.AddTo(dst)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkMoments(b *testing.B) {
	rng := newRand(540)
	s := mustMesh(globe(64))
	faces := s.Faces[1000:1016]
	tris := triangles(s)[1000:1016]
	v0, v1 := randomVector(rng), randomVector(rng)
	for _, p := range []int{2, 3, 4, 5, 8, 12, 20} {
		m := NewMoments(p)
		dst := make([]float64, harmonics.Len(p))
		b.Run(fmt.Sprintf("AddEdge/p=%d", p), func(b *testing.B) {
			for b.Loop() {
				m.AddEdge(v0, v1, 1)
			}
		})
		b.Run(fmt.Sprintf("addPatch/p=%d/faces=16", p), func(b *testing.B) {
			for b.Loop() {
				m.addPatch(faces, s.Vertices, s.Vertices[faces[0][0]], 8)
				m.AddTo(dst)
			}
		})
		b.Run(fmt.Sprintf("AddTriangles/p=%d/faces=16", p), func(b *testing.B) {
			for b.Loop() {
				m.AddTriangles(tris, s.Vertices[faces[0][0]], 8)
				m.AddTo(dst)
			}
		})
	}
}
