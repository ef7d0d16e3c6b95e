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
