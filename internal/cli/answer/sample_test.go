package answer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/points/table"
)

func verifySolid(t *testing.T, s mesh.Soup, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	solid, err := inpoly.New(t.Context(), testmesh.Mesh(s), opt)
	if err != nil {
		t.Fatal(err)
	}
	return solid
}

// Verify rejects wrong results and accepts results within their bounds.
func TestVerify(t *testing.T) {
	cube := testmesh.UnitCube()
	open := testmesh.Without(cube, 0, 1)
	nan := math.NaN()
	at := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	for _, tc := range []struct {
		name      string
		soup      mesh.Soup
		opt       inpoly.Options
		answer    sampledAnswer
		want      string // part of the error; "" if there is no error
		undecided int
	}{
		{"right", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: 1}, "", 0},
		{"side only", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: nan, bound: nan}, "", 0},
		{"wrong side", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Outside, w: 1}, `side is "out", but by the sum over all triangles it is "in"`, 0},
		{"unknown", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Unknown, w: 1}, `is "uncertain"`, 0},
		{"wrong winding", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: 2}, "the winding number is 2 ± 0, but the sum over all triangles is 1 ±", 0},
		{"outside the bound", open, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: 5.0/6 + 2e-3, bound: 1e-3}, "the winding number is", 0},
		{"within the bound", open, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: 5.0/6 + 2e-3, bound: 3e-3}, "", 0},
		{"no number", open, inpoly.Options{}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: .8, bound: nan}, "the winding number is", 0},
		{"on", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, 1), side: inpoly.OnSurface, w: nan}, "", 0},
		{"not on", cube, inpoly.Options{}, sampledAnswer{at: at(.5, .5, 1), side: inpoly.Inside, w: nan}, `by the sum over all triangles it is "on"`, 0},
		{"tolerance", cube, inpoly.Options{Tolerance: .1}, sampledAnswer{at: at(.5, .5, .95), side: inpoly.OnSurface, w: nan}, "", 0},
		{"tolerance ignored", cube, inpoly.Options{Tolerance: .1}, sampledAnswer{at: at(.5, .5, .95), side: inpoly.Inside, w: nan}, `by the sum over all triangles it is "on"`, 0},
		{"tolerance too far", cube, inpoly.Options{Tolerance: .1}, sampledAnswer{at: at(.5, .5, .85), side: inpoly.OnSurface, w: nan}, `by the sum over all triangles it is "in"`, 0},
		{"undecided", open, inpoly.Options{}, sampledAnswer{at: at(.0, .5, .5), side: inpoly.Unknown, w: nan}, "", 1},
		{"parity", testmesh.Flip(cube, 0, 1), inpoly.Options{Rule: inpoly.EvenOdd, Orient: inpoly.OrientNever}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Inside, w: nan}, "", 1},
		{"evenodd", cube, inpoly.Options{Rule: inpoly.EvenOdd}, sampledAnswer{at: at(.5, .5, .5), side: inpoly.Outside, w: nan}, `by the sum over all triangles it is "in"`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := NewSample(&Flags{Verify: 5})
			s.insert(tc.answer)
			v, err := s.Verify(t.Context(), verifySolid(t, tc.soup, tc.opt), tc.opt.Tolerance, 1)
			switch {
			case tc.want == "" && (err != nil || v != Verified{1, 1 - tc.undecided, tc.undecided}):
				t.Errorf("error %v, %+v; want none", err, v)
			case tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "verify: ") || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// The sample does not depend on the order of the blocks. Every point has the same probability.
func TestSample(t *testing.T) {
	const size, blocks, length, kept = 50, 40, 100, 4000
	draw := func(order []int) []sampledAnswer {
		s := NewSample(&Flags{Verify: size})
		for _, n := range order {
			b := &table.Block{First: int64(n*length + 1), Points: make([]r3.Vector, length+1), Sides: make([]inpoly.Side, length+1)}
			for i := range length {
				b.Points[i] = r3.Vector{X: float64(n*length + i)}
			}
			b.Points[length] = r3.Vector{Y: math.NaN()}
			s.add(b, nil, nil)
		}
		s.prune()
		slices.SortFunc(s.answers, func(a, b sampledAnswer) int { return cmp.Compare(a.at.X, b.at.X) })
		return s.answers
	}
	var order, back []int
	for n := range blocks {
		order, back = append(order, n), append([]int{n}, back...)
	}
	a, b := draw(order), draw(back)
	if len(a) != size || len(b) != size {
		t.Fatalf("samples of %d and %d, want %d", len(a), len(b), size)
	}
	mean := 0.0
	for i := range a {
		if a[i].at != b[i].at {
			t.Errorf("answer %d: %v, in the other order %v", i, a[i].at, b[i].at)
		}
		if i > 0 && a[i].at == a[i-1].at || a[i].at.Y != 0 {
			t.Errorf("answer %d: %v is drawn twice or not finite", i, a[i].at)
		}
		mean += a[i].at.X / size
	}
	// A random number from 0 to 3999 has the mean 2000 and the standard deviation 1155. The mean of
	// 50 such numbers has the standard deviation 1155/√50 = 163.
	if math.Abs(mean-kept/2) > 4*163 {
		t.Errorf("mean %v, want about %d", mean, kept/2)
	}
	if few := draw(order[:0]); len(few) != 0 {
		t.Errorf("%d answers of none", len(few))
	}
}
