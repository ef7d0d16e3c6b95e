package apitest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

// Stats.Undecided is the number of points whose side is Unknown, also at poses. The sides of a batch are those of
// single points.
func TestUndecided(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	cube := testmesh.UnitCube()
	turned, err := pose.Turned(r3.Vector{X: 1, Y: 2, Z: 3}, 1, r3.Vector{X: 10, Y: -5, Z: 3})
	if err != nil {
		t.Fatal(err)
	}
	quarter, err := pose.FromMatrix([3][3]float64{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, r3.Vector{X: 10, Y: 2, Z: 3})
	if err != nil {
		t.Fatal(err)
	}
	unknown := 0
	for name, soup := range map[string]mesh.Soup{"cube": cube, "open cube": testmesh.Without(cube, 0, 1)} {
		for i, method := range allMethods {
			s, err := inpoly.New(t.Context(), testmesh.Mesh(soup), inpoly.Options{Method: method, Tolerance: []float64{0, 0.01}[i%2]})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []pose.Pose{pose.At(r3.Vector{}), turned, quarter} {
				at, err := s.At(p)
				if err != nil {
					t.Fatal(err)
				}
				pts := make([]r3.Vector, 700)
				for k := range pts {
					pts[k] = r3.Vector{X: 1.2 * r.Float64(), Y: r.Float64(), Z: [...]float64{0, 1, r.Float64()}[k%3]}
					if k%5 == 0 { // the side is uncertain in the middle of a hole
						pts[k] = r3.Vector{X: 0.5, Y: 0.5}
					}
					if pts[k] = p.Apply(pts[k]); k%11 == 0 {
						pts[k].X = [...]float64{math.NaN(), math.Inf(1), 1e308}[k%3]
					}
				}
				targets := []inpoly.Target{at}
				if p == pose.At(r3.Vector{}) {
					targets = append(targets, s)
				}
				for _, x := range targets {
					sides := make([]side.Side, len(pts))
					stats, err := x.LocateTo(t.Context(), inpoly.Answers{Answers: side.Answers{Sides: sides}}, pts)
					if err != nil {
						t.Fatal(err)
					}
					n := 0
					for k, d := range sides {
						if want := x.Side(pts[k]); d != want {
							t.Errorf("%s, %v, %v: %v is %v, want %v", name, method, p, pts[k], d, want)
						}
						if d == side.Unknown {
							n++
						}
					}
					if unknown += n; stats.Undecided != uint64(n) {
						t.Errorf("%s, %v, %v: %d points undecided, want %d", name, method, p, stats.Undecided, n)
					}
				}
			}
		}
	}
	if unknown == 0 {
		t.Error("no side is uncertain")
	}
}

// A batch of no points returns the error of a canceled context.
func TestNoPointsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, method := range allMethods {
		s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SidesTo(ctx, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v", method, err)
		}
	}
}
