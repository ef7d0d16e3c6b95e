package proof

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// The checker accepts the answers about solids of random tetrahedra whose corners coincide, have subnormal,
// huge or nearly equal coordinates, closed and open, at vertices, on edges and faces, and beside them. Each
// known side has a proof, and integer arithmetic gives the same sides.
func TestSimplicesAccepted(t *testing.T) {
	count := 60
	if testcorpus.Full() {
		count = 3000
	}
	dir := t.TempDir()
	var files, want, names []string
	judged := 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 83))
		soup := testmesh.Simplices(r, seed%testmesh.SimplicesModes)
		if r.IntN(3) == 0 {
			soup.Faces, soup.Bodies = soup.Faces[1+r.IntN(2):], nil
		}
		m := testmesh.Mesh(soup)
		rule := inpoly.Rule(r.IntN(4))
		s, err := inpoly.New(context.Background(), m, inpoly.Options{Rule: rule, Orient: inpoly.OrientNever, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		var pts []r3.Vector
		for range 12 {
			f := m.Triangle(int32(r.IntN(m.NumFaces())))
			p := f[0]
			switch r.IntN(4) {
			case 0:
				p = f[0].Mul(0.5).Add(f[1].Mul(0.5))
			case 1:
				p = f[0].Mul(0.25).Add(f[1].Mul(0.25)).Add(f[2].Mul(0.5))
			case 2:
				g := m.Triangle(int32(r.IntN(m.NumFaces())))
				p = f[0].Mul(0.5).Add(g[1].Mul(0.25)).Add(g[2].Mul(0.25))
			}
			if r.IntN(3) == 0 {
				p = r3.Vector{X: math.Nextafter(p.X, 9), Y: math.Nextafter(p.Y, -9), Z: p.Z}
			}
			pts = append(pts, p)
		}
		claims := claimsOf(t, s, pts, true)
		name := fmt.Sprintf("seed %d, rule %v", seed, rule)
		var sides [4]int
		for _, c := range claims {
			sides[c.Side]++
			w, crossings, on := referee.Judge(m.Vertices, m.Faces, c.Point)
			side := rule.Apply(int64(w), uint64(crossings))
			switch {
			case on:
				side = inpoly.OnSurface
			case !m.Closed() && !(rule == inpoly.EvenOdd && m.EvenEdges()):
				continue
			}
			judged++
			if side != c.Side {
				t.Errorf("%s: %v is %v, want %v", name, c.Point, c.Side, side)
			}
		}
		file, _, sum := write(t, dir, name, s, claims)
		if sum.Unproved != int64(sides[inpoly.Unknown]) {
			t.Errorf("%s: %d points without a proof, %d sides are unknown", name, sum.Unproved, sides[inpoly.Unknown])
		}
		files, names = append(files, file), append(names, name)
		want = append(want, fmt.Sprintf("accepted: %d in, %d out, %d on, %d distances; %d points without a proof",
			sides[inpoly.Inside], sides[inpoly.Outside], sides[inpoly.OnSurface], sum.Distances, sum.Unproved))
	}
	for i, got := range python(t, append([]string{"accept"}, files...)...) {
		if len(got) < len(want[i]) || got[:len(want[i])] != want[i] {
			t.Errorf("%s: %s, want %s", names[i], got, want[i])
		}
	}
	t.Logf("%d files, %d sides judged", len(files), judged)
}
