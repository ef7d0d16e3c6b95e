package mesh_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
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
		var field [6][36]float64
		for z := range 6 {
			for i := range 36 {
				v := math.Pow(10, -25*rng.Float64())
				outer := z%5 == 0 || i/6%5 == 0 || i%6%5 == 0
				if !outer && rng.IntN(3) > 0 {
					v = -v
				}
				field[z][i] = v
			}
		}
		s, err := mesh.March(t.Context(), 5, mesh.MaxFaces, func(z int, values []float64) error { copy(values, field[z][:]); return nil })
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.New(t.Context(), s, mesh.Options{})
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
			for i := range 36 {
				want := 0.0
				if field[z][i] < 0 {
					want = 1
				}
				p := r3.Vector{X: float64(i % 6), Y: float64(i / 6), Z: float64(z)}
				got := 0.0
				for f := range m.Faces {
					got += angle(m.Triangle(int32(f)), p)
				}
				if math.Abs(got-want) > 1e-6 {
					t.Fatalf("seed %d: winding number of node %v is %v, want %v", seed, p, got, want)
				}
			}
		}
	}
}

// march stops at the first error of the field, if the context ends, and with too many faces.
func TestMarchErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	broken := errors.New("broken")
	ball := func(z int, values []float64) error {
		for i := range values {
			values[i] = math.Hypot(math.Hypot(float64(i%11)-5, float64(i/11)-5), float64(z)-5) - 3.1
		}
		return nil
	}
	if s, err := mesh.March(ctx, 10, mesh.MaxFaces, ball); err != nil || len(s.Faces) < 500 {
		t.Fatalf("%d faces, error %v", len(s.Faces), err)
	}
	if _, err := mesh.March(ctx, 10, 499, ball); !errors.Is(err, mesh.ErrTooLarge) {
		t.Errorf("error %v, want %v", err, mesh.ErrTooLarge)
	}
	if _, err := mesh.March(ctx, 10, mesh.MaxFaces, func(z int, values []float64) error {
		if z == 4 {
			return broken
		}
		return ball(z, values)
	}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	cancel()
	if _, err := mesh.March(ctx, 10, mesh.MaxFaces, ball); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
