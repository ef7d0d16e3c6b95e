package mesh_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// area returns the area of a triangle, to 200 bits.
func area(t mesh.Triangle) *big.Float {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(x) }
	sub := func(p, q float64) *big.Float { return new(big.Float).Sub(num(p), num(q)) }
	u := [3]*big.Float{sub(t[1].X, t[0].X), sub(t[1].Y, t[0].Y), sub(t[1].Z, t[0].Z)}
	v := [3]*big.Float{sub(t[2].X, t[0].X), sub(t[2].Y, t[0].Y), sub(t[2].Z, t[0].Z)}
	sum := num(0)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		n := new(big.Float).Sub(new(big.Float).Mul(u[j], v[k]), new(big.Float).Mul(u[k], v[j]))
		sum.Add(sum, n.Mul(n, n))
	}
	sum.SetPrec(200)
	return sum.Quo(sum.Sqrt(sum), big.NewFloat(2))
}

// angle returns the winding number of a triangle at p: its solid angle divided by 4π (van Oosterom, Strackee 1983).
func angle(t mesh.Triangle, p r3.Vector) float64 {
	a, b, c := t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)
	x, y, z := a.Norm(), b.Norm(), c.Norm()
	return math.Atan2(a.Dot(b.Cross(c)), x*y*z+a.Dot(b)*z+b.Dot(c)*x+c.Dot(a)*y) / (2 * math.Pi)
}

// Reach is √(A/2π), rounded up, where A is the area of the caps. Beyond it, |W| < 1/2.
func TestReach(t *testing.T) {
	square := testmesh.Without(testmesh.UnitCube(), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	cases := append(testmesh.Catalog(), []testmesh.Case{
		{Name: "square", Soup: square},
		{Name: "copies of a square", Soup: testmesh.Copies(square, 1000)},
		{Name: "thin", Soup: testmesh.Move(square, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X + 1e6, Y: p.Y * 1e-12, Z: p.Z + p.Y + p.X} })},
		{Name: "tangle", Soup: testmesh.Tangle(10, 300, 2)},
		{Name: "soup", Soup: testmesh.Triangles(80, 3)},
		{Name: "open and closed", Soup: testmesh.Union(testmesh.Hemisphere(2), testmesh.Star(2, .5, 1), testmesh.Translate(square, r3.Vector{X: 5}))},
	}...)
	r := rand.New(rand.NewPCG(38, 1))
	open, largest := 0, 0.0
	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			m := testmesh.Mesh(tc.Soup)
			reach, err := m.Reach(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if m.Closed() {
				if reach != 0 {
					t.Errorf("closed: %g", reach)
				}
				return
			}
			open++
			_, caps, err := m.Capped(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			a := new(big.Float)
			for _, c := range caps {
				a.Add(a, area(c))
			}
			total, _ := a.Float64()
			square := new(big.Float).SetPrec(300).SetFloat64(reach)
			square.Mul(square, square).Mul(square, big.NewFloat(2*3.1415926535897927)) // below 2π
			if square.Cmp(a) < 0 || reach > math.Sqrt(total/(2*math.Pi))*(1+1e-5)+1e-150 {
				t.Errorf("the reach is %g for caps of area %g", reach, total)
			}
			box := m.Box()
			for range 200 {
				// Points near the edge of the reach, and near the faces of the box grown by it.
				p := r3.Vector{
					X: box.Min.X + r.Float64()*box.Size().X, Y: box.Min.Y + r.Float64()*box.Size().Y, Z: box.Min.Z + r.Float64()*box.Size().Z,
				}
				far := reach*(1+1e-6*r.Float64()) + 1e-12
				switch r.IntN(6) {
				case 0:
					p.X = box.Min.X - far
				case 1:
					p.X = box.Max.X + far
				case 2:
					p.Y = box.Min.Y - far
				case 3:
					p.Y = box.Max.Y + far
				case 4:
					p.Z = box.Min.Z - far
				case 5:
					p.Z = box.Max.Z + far
				}
				w := 0.0
				for f := range m.Faces {
					w += angle(m.Triangle(int32(f)), p)
				}
				if largest = max(largest, math.Abs(w)); math.Abs(w) > 0.5 {
					t.Fatalf("W of %v is %g", p, w)
				}
			}
		})
	}
	t.Logf("%d open meshes, |W| ≤ %g", open, largest)
	if open < 12 || largest < 0.3 {
		t.Error("the test covers too little")
	}
}

// A reach scales with the mesh, also where areas overflow or underflow.
func TestReachOfExtremes(t *testing.T) {
	m := testmesh.Hemisphere(2)
	want, err := testmesh.Mesh(m).Reach(t.Context())
	if err != nil || want == 0 {
		t.Fatal(want, err)
	}
	for _, e := range []int{-1050, -1000, -600, 600, 990} {
		got, err := testmesh.Mesh(testmesh.Scale(m, math.Ldexp(1, e))).Reach(t.Context())
		if low := math.Ldexp(want, e); err != nil || got < low || got > low*(1+1e-5)+1e-320 {
			t.Errorf("scale 2^%d: %g, %v, want %g", e, got, err, low)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := testmesh.Mesh(m).Reach(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
