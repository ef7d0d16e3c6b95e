package proof

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// The checker accepts the answers about each mesh of the catalog, with all rules.
func TestCatalogAccepted(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(21, 1))
	var files, want, names []string
	for _, c := range testmesh.Catalog() {
		for rule := inpoly.NonZero; rule <= inpoly.EvenOdd; rule++ {
			s, err := inpoly.New(context.Background(), testmesh.Mesh(c.Soup), inpoly.Options{Rule: rule, Orient: inpoly.OrientNever, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			var pts []r3.Vector
			if s.Mesh().NumFaces() > 0 {
				pts = testcorpus.Probes(s.Mesh(), 5, 2, r)
			}
			for _, p := range c.Probes {
				pts = append(pts, p.Point)
			}
			pts = append(pts, r3.Vector{X: math.NaN()}, r3.Vector{X: math.MaxFloat64, Y: 1})
			claims := claimsOf(t, s, pts, true)
			name := fmt.Sprintf("%s %v", c.Name, rule)
			file, _, sum := write(t, dir, name, s, claims)
			var sides [4]int
			for _, c := range claims {
				sides[c.Side]++
			}
			unknown := int64(sides[inpoly.Unknown])
			if sum.Unproved > unknown { // the point at the limit of float64
				unknown++
				sides[inpoly.Outside]--
			}
			if sum.Unproved != unknown || c.Closed && sum.Unproved != int64(sides[inpoly.Unknown]) {
				t.Errorf("%s: %d points without a proof, expected %d", name, sum.Unproved, unknown)
			}
			files, names = append(files, file), append(names, name)
			want = append(want, fmt.Sprintf("accepted: %d in, %d out, %d on, %d distances; %d points without a proof",
				sides[inpoly.Inside], sides[inpoly.Outside], sides[inpoly.OnSurface], sum.Distances, sum.Unproved))
		}
	}
	for i, got := range python(t, append([]string{"accept"}, files...)...) {
		if got, _, _ = strings.Cut(got, "\t"); got != want[i] {
			t.Errorf("%s: got %q, expected %q", names[i], got, want[i])
		}
	}
}

// The checker accepts a point whose distance exceeds the range of float64. The file has no claim about
// this distance.
func TestInfiniteDistance(t *testing.T) {
	s, err := inpoly.New(context.Background(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	claims := claimsOf(t, s, []r3.Vector{{X: math.MaxFloat64, Y: math.MaxFloat64}, {X: 3}}, true)
	if !math.IsInf(claims[0].Distance, 1) {
		t.Fatalf("distance %v, expected an overflow", claims[0].Distance)
	}
	file, _, sum := write(t, t.TempDir(), "far", s, claims)
	got, _, _ := strings.Cut(python(t, "accept", file)[0], "\t")
	if want := "accepted: 0 in, 2 out, 0 on, 1 distances; 0 points without a proof"; got != want || sum.Distances != 1 {
		t.Errorf("got %q, %d distances, expected %q", got, sum.Distances, want)
	}
}
