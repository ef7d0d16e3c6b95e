package testmesh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/mesh"
)

// TestMarchRandomFields triangulates fields whose values have random signs and ordinary or tiny
// magnitudes. The surface must be a closed manifold without faces of zero area. The negative nodes
// must be inside and the positive nodes outside.
func TestMarchRandomFields(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 6))
		f := newField(5)
		for z := range 6 {
			for y := range 6 {
				for x := range 6 {
					v := math.Pow(10, -25*rng.Float64())
					outer := x%5 == 0 || y%5 == 0 || z%5 == 0
					if !outer && rng.IntN(3) > 0 {
						v = -v
					}
					f.values[f.node(x, y, z)] = v
				}
			}
		}
		m, err := mesh.New(t.Context(), march(f), mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !d.Watertight || d.ZeroArea+d.Collapsed > 0 || m.Validate() != nil {
			t.Fatalf("seed %d: watertight %v, %d zero-area faces, %v", seed, d.Watertight, d.ZeroArea+d.Collapsed, m.Validate())
		}
		for z := range 6 {
			for y := range 6 {
				for x := range 6 {
					want := 0.0
					if f.values[f.node(x, y, z)] < 0 {
						want = 1
					}
					p := r3.Vector{X: float64(x), Y: float64(y), Z: float64(z)}
					if got := windingNumber(m, p); math.Abs(got-want) > 1e-6 {
						t.Fatalf("seed %d: winding number of node %v is %v, want %v", seed, p, got, want)
					}
				}
			}
		}
	}
}

// windingNumber returns the winding number at p: the sum of the solid angles of all triangles (van
// Oosterom and Strackee 1983).
func windingNumber(m *mesh.Mesh, p r3.Vector) float64 {
	w := 0.0
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		a, b, c := t[0].Sub(p), t[1].Sub(p), t[2].Sub(p)
		la, lb, lc := a.Norm(), b.Norm(), c.Norm()
		w += math.Atan2(a.Dot(b.Cross(c)), la*lb*lc+a.Dot(b)*lc+b.Dot(c)*la+c.Dot(a)*lb)
	}
	return w / (2 * math.Pi)
}

// TestLatticeDistances compares the results of lattice.distances with brute force over all centers.
// In every second lattice, each center is as far from the middle of its cell as possible. One ring
// does not suffice for such a lattice.
func TestLatticeDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	for seed := range uint64(20) {
		l := newLattice(3, seed)
		if seed%2 == 1 { // move each center by ±jitter along each axis
			for i, c := range l.centers {
				side := func(x float64) float64 {
					return math.Floor(x) + 0.5 + jitter*float64(2*rng.IntN(2)-1)
				}
				l.centers[i] = r3.Vector{X: side(c.X), Y: side(c.Y), Z: side(c.Z)}
			}
		}
		for range 500 {
			at := func() float64 { return float64(rng.IntN(50))/10 - 1 }
			p := r3.Vector{X: at(), Y: at(), Z: at()}
			var all []float64
			for _, c := range l.centers {
				all = append(all, math.Sqrt(c.Sub(p).Norm2()))
			}
			slices.Sort(all)
			if d1, d3 := l.distances(p); d1 != all[0] || d3 != all[2] {
				t.Fatalf("seed %d: distances of %v are %v, %v; want %v, %v", seed, p, d1, d3, all[0], all[2])
			}
		}
	}
}
