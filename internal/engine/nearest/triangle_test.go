package nearest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// rounds returns the number of rounds of a seeded check: allRounds if INPOLY_FULL=1 is set, a tenth
// of sampleRounds with -short, and sampleRounds otherwise.
func rounds(sampleRounds, allRounds int) int {
	switch {
	case os.Getenv("INPOLY_FULL") == "1":
		return allRounds
	case testing.Short():
		return max(1, sampleRounds/10)
	}
	return sampleRounds
}

// shape generates triangles and points of one kind.
type shape struct {
	name string
	next func(r *rand.Rand) (mesh.Triangle, r3.Vector)
}

func uniform(r *rand.Rand) float64 { return 2*r.Float64() - 1 }

func cube(r *rand.Rand) r3.Vector { return r3.Vector{X: uniform(r), Y: uniform(r), Z: uniform(r)} }

// log returns ±2^x with x uniform in [low, high].
func log(r *rand.Rand, low, high float64) float64 {
	v := math.Exp2(low + (high-low)*r.Float64())
	if r.IntN(2) == 0 {
		return -v
	}
	return v
}

// near returns a point at a distance of about h from a random point of the plane of t. The random
// point can be outside t.
func near(r *rand.Rand, t mesh.Triangle, h float64) r3.Vector {
	u, v := r.Float64()*1.5-0.25, r.Float64()*1.5-0.25
	if r.IntN(3) == 0 {
		u = float64(r.IntN(2))
	}
	if r.IntN(3) == 0 {
		v = float64(r.IntN(2))
	}
	p := t[0].Add(t[1].Sub(t[0]).Mul(u)).Add(t[2].Sub(t[0]).Mul(v))
	return p.Add(cube(r).Mul(h))
}

func shapes() []shape {
	triangle := func(f func(r *rand.Rand) r3.Vector) func(r *rand.Rand) mesh.Triangle {
		return func(r *rand.Rand) mesh.Triangle { return mesh.Triangle{f(r), f(r), f(r)} }
	}
	ordinary := triangle(cube)
	// thinned moves the third corner to a height of 2⁻ʰ above the line through the first two
	// corners. The foot of the third corner can lie between these corners or beyond one of them.
	thinned := func(r *rand.Rand) mesh.Triangle {
		t := ordinary(r)
		h := math.Exp2(-60 * r.Float64())
		t[2] = t[0].Add(t[1].Sub(t[0]).Mul(r.Float64()*3 - 1)).Add(cube(r).Mul(h))
		k := r.IntN(3)
		return mesh.Triangle{t[k], t[(k+1)%3], t[(k+2)%3]}
	}
	scaled := func(low, high float64) func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
		return func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			s := math.Ldexp(1, int(low+(high-low)*r.Float64()))
			t := thinned(r)
			p := near(r, t, log(r, -60, 2))
			return mesh.Triangle{t[0].Mul(s), t[1].Mul(s), t[2].Mul(s)}, p.Mul(s)
		}
	}
	finite := func(r *rand.Rand) float64 {
		for {
			if v := math.Float64frombits(r.Uint64()); math.Abs(v) <= math.MaxFloat64 {
				return v
			}
		}
	}
	return []shape{
		{"ordinary", func(r *rand.Rand) (mesh.Triangle, r3.Vector) { return ordinary(r), cube(r).Mul(2) }},
		{"far", func(r *rand.Rand) (mesh.Triangle, r3.Vector) { return ordinary(r), cube(r).Mul(log(r, 0, 60)) }},
		{"close", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			t := ordinary(r)
			return t, near(r, t, log(r, -60, 0))
		}},
		{"sliver", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			t := thinned(r)
			return t, near(r, t, log(r, -60, 2))
		}},
		{"sliver between", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			// The heights are around the square root of the rounding unit. For such heights,
			// neither the face alone nor the edges alone are accurate.
			t := ordinary(r)
			t[2] = t[0].Add(t[1].Sub(t[0]).Mul(r.Float64())).Add(cube(r).Mul(log(r, -32, -22)))
			return t, near(r, t, log(r, -40, -20))
		}},
		{"offset", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			t := thinned(r)
			o := r3.Vector{X: 1e6, Y: -1e6, Z: 1e6}
			p := near(r, t, log(r, -40, 2))
			return mesh.Triangle{t[0].Mul(0.01).Add(o), t[1].Mul(0.01).Add(o), t[2].Mul(0.01).Add(o)}, p.Mul(0.01).Add(o)
		}},
		{"grid", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			// Many triangles have no area. Some points are on a triangle. Others are equally near
			// to two edges or vertices.
			g := func(r *rand.Rand) r3.Vector {
				return r3.Vector{X: float64(r.IntN(5)), Y: float64(r.IntN(5)), Z: float64(r.IntN(3))}
			}
			return triangle(g)(r), g(r)
		}},
		{"collinear", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			a, d := cube(r), cube(r)
			t := mesh.Triangle{a, a.Add(d.Mul(uniform(r))), a.Add(d.Mul(uniform(r)))}
			if r.IntN(3) == 0 {
				t[r.IntN(3)] = t[r.IntN(3)]
			}
			return t, near(r, t, log(r, -50, 2))
		}},
		{"huge", scaled(900, 1015)},
		{"largest", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			v := func(r *rand.Rand) r3.Vector { return cube(r).Mul(math.MaxFloat64) }
			return triangle(v)(r), v(r)
		}},
		{"small", scaled(-1000, -250)},
		{"subnormal", scaled(-1074, -1000)},
		{"mixed", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			v := func(r *rand.Rand) r3.Vector {
				return r3.Vector{X: log(r, -1070, 0), Y: log(r, -600, 0), Z: log(r, -500, 500)}
			}
			return triangle(v)(r), v(r)
		}},
		{"anything", func(r *rand.Rand) (mesh.Triangle, r3.Vector) {
			v := func(r *rand.Rand) r3.Vector { return r3.Vector{X: finite(r), Y: finite(r), Z: finite(r)} }
			return triangle(v)(r), v(r)
		}},
	}
}

// farthest returns an upper bound of the distance from p to the farthest corner of t.
func farthest(p r3.Vector, t mesh.Triangle) *big.Float {
	m := new(big.Float).SetPrec(256)
	for _, c := range t {
		v := newRat(c).sub(newRat(p))
		if d := root(v.dot(v)); d.Cmp(m) > 0 {
			m = d
		}
	}
	return m
}

// checkKernel compares the kernel with exact arithmetic. It returns the error divided by the bound,
// which is kernelError times the distance of the farthest corner.
func checkKernel(t *testing.T, p r3.Vector, tri mesh.Triangle) float64 {
	t.Helper()
	var signs predicates.Counter
	g, d, _ := closest(p, &tri, &signs)
	exact2 := exactDistance2(p, tri)
	exact := root(exact2)
	if zero := exact2.Sign() == 0; zero != (d == 0) {
		t.Fatalf("distance of %v to %v is %g, want %g", p, tri, d, exact)
	}
	m := farthest(p, tri)
	bound := new(big.Float).Mul(m, big.NewFloat(kernelError))
	// The tolerance covers the rounding of a subnormal result.
	bound.Add(bound, new(big.Float).SetFloat64(math.SmallestNonzeroFloat64))
	if math.IsInf(d, 0) {
		if largest := new(big.Float).SetFloat64(math.MaxFloat64); new(big.Float).Add(exact, bound).Cmp(largest) < 0 {
			t.Fatalf("distance of %v to %v is %g, want %g", p, tri, d, exact)
		}
		return 0
	}
	off := offBy(d, exact)
	if off.Cmp(bound) > 0 {
		t.Fatalf("distance of %v to %v is %g, want %g: off by %g, more than %g", p, tri, d, exact, off, bound)
	}
	if n := g.Norm(); squaresFit(p, tri) && math.Abs(n-d) > kernelError*n+math.SmallestNonzeroFloat64 {
		t.Fatalf("the vector from %v to %v has the length %g, want %g", p, tri, n, d)
	}
	ratio, _ := new(big.Float).Quo(off, bound).Float64()
	return ratio
}

// squaresFit reports whether squares of the coordinates neither overflow nor underflow.
func squaresFit(p r3.Vector, t mesh.Triangle) bool {
	a, b, c := t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)
	s := norm1(a) + norm1(b) + norm1(c)
	return s > minScale && s < maxScale
}

func TestKernelErrorIsWithinItsBound(t *testing.T) {
	for k, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(k), 1967))
			n := rounds(250, 50000)
			if s.name == "mixed" || s.name == "anything" || s.name == "subnormal" {
				n /= 10 // exact arithmetic with long rational numbers is slow
			}
			worst := 0.0
			for range n {
				tri, p := s.next(r)
				worst = max(worst, checkKernel(t, p, tri))
			}
			t.Logf("worst error: %.3f of the bound", worst)
		})
	}
}

func TestKernelTable(t *testing.T) {
	tri := mesh.Triangle{{X: 0, Y: 0, Z: 0}, {X: 4, Y: 0, Z: 0}, {X: 0, Y: 3, Z: 0}}
	point := mesh.Triangle{{X: 1, Y: 1, Z: 1}, {X: 1, Y: 1, Z: 1}, {X: 1, Y: 1, Z: 1}}
	segment := mesh.Triangle{{X: 0}, {X: 1}, {X: 4}}
	for _, row := range []struct {
		name  string
		tri   mesh.Triangle
		p     r3.Vector
		want  float64
		point r3.Vector
	}{
		{"above the face", tri, r3.Vector{X: 1, Y: 1, Z: 2}, 2, r3.Vector{X: 1, Y: 1}},
		{"below the face", tri, r3.Vector{X: 1, Y: 1, Z: -2}, 2, r3.Vector{X: 1, Y: 1}},
		{"in the face", tri, r3.Vector{X: 1, Y: 1}, 0, r3.Vector{X: 1, Y: 1}},
		{"on an edge", tri, r3.Vector{X: 2}, 0, r3.Vector{X: 2}},
		{"on a corner", tri, r3.Vector{X: 4}, 0, r3.Vector{X: 4}},
		{"beside an edge", tri, r3.Vector{X: 2, Y: -3, Z: 4}, 5, r3.Vector{X: 2}},
		{"beside the longest edge", tri, r3.Vector{X: 5, Y: 5.5}, 5, r3.Vector{X: 2, Y: 1.5}},
		{"beyond a corner", tri, r3.Vector{X: 7, Y: -4}, 5, r3.Vector{X: 4}},
		{"off a point", point, r3.Vector{X: 1, Y: 4, Z: 5}, 5, r3.Vector{X: 1, Y: 1, Z: 1}},
		{"on a point", point, r3.Vector{X: 1, Y: 1, Z: 1}, 0, r3.Vector{X: 1, Y: 1, Z: 1}},
		{"off a segment", segment, r3.Vector{X: 3, Y: 3, Z: 4}, 5, r3.Vector{X: 3}},
		{"beyond a segment", segment, r3.Vector{X: 7, Y: 4}, 5, r3.Vector{X: 4}},
		{"on a segment", segment, r3.Vector{X: 2.5}, 0, r3.Vector{X: 2.5}},
	} {
		for _, scale := range []float64{1, 0x1p-1000, 0x1p-540, 0x1p540, 0x1p1019} {
			tri := mesh.Triangle{row.tri[0].Mul(scale), row.tri[1].Mul(scale), row.tri[2].Mul(scale)}
			p := row.p.Mul(scale)
			var signs predicates.Counter
			g, d, _ := closest(p, &tri, &signs)
			q := p.Mul(1 / 16.).Add(g.Mul(1 / 16.)).Mul(16)
			tolerance := kernelError * 10 * scale
			if math.Abs(d-row.want*scale) > tolerance || q.Sub(row.point.Mul(scale)).Mul(1/scale).Norm() > kernelError*10 {
				t.Errorf("%s, scale %g: got %g at %v, want %g at %v", row.name, scale, d, q, row.want*scale, row.point.Mul(scale))
			}
			if row.want == 0 && d != 0 {
				t.Errorf("%s, scale %g: distance of a point on the triangle is %g, want 0", row.name, scale, d)
			}
		}
	}
}
