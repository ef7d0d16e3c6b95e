package proof

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
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

// The checker refuses a file without points, a row that is repeated and rows in another order.
func TestRowsAscend(t *testing.T) {
	s, err := inpoly.New(context.Background(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, data, _ := write(t, dir, "file", s, claimsOf(t, s, []r3.Vector{{X: 3}, {X: 4}}, false))
	head, _, _ := strings.Cut(string(data), "points 2\n")
	lines := points(data)
	var files, want []string
	for i, c := range []struct {
		want  string
		lines []string
	}{
		{"accepted: 0 in, 2 out, 0 on, 0 distances; 0 points without a proof", lines},
		{"refused: line %d: the file has no points, so it proves nothing", nil},
		{"refused: line %d: the rows do not ascend", []string{lines[1], lines[0]}},
		{"refused: line %d: the rows do not ascend", []string{lines[0], lines[0]}},
	} {
		text := fmt.Sprintf("%spoints %d\n%s\nend\n", head, len(c.lines), strings.Join(c.lines, "\n"))
		text = strings.ReplaceAll(text, "\n\n", "\n")
		files = append(files, filepath.Join(dir, fmt.Sprint(i)))
		save(t, files[i], []byte(text))
		if strings.Contains(c.want, "%d") {
			c.want = fmt.Sprintf(c.want, strings.Count(text, "\n")-1)
		}
		want = append(want, c.want)
	}
	for i, got := range python(t, append([]string{"accept"}, files...)...) {
		if got, _, _ = strings.Cut(got, "\t"); got != want[i] {
			t.Errorf("file %d: got %q, expected %q", i, got, want[i])
		}
	}
}

// A ray passes a vertex of the boundary at an angle of 2⁻¹²⁰. The checker needs more than 64 bits to see
// that it meets no edge.
func TestRayNearVertex(t *testing.T) {
	m := testmesh.Mesh(mesh.Soup{
		Vertices: []r3.Vector{{X: 0x1p120, Y: 1}, {X: 0x1p120, Y: 2}, {X: 0x1p120, Y: 1, Z: 1}},
		Faces:    [][3]int32{{0, 1, 2}},
	})
	s, err := inpoly.New(context.Background(), m, inpoly.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, data, _ := write(t, dir, "file", s, claimsOf(t, s, []r3.Vector{{}}, false))
	line := points(data)[0]
	words := strings.Split(line, " ")
	if len(words) != 13 || words[7] != "sum" {
		t.Fatalf("the line is %s", line)
	}
	var files []string
	for i, end := range []r3.Vector{{X: 0x1p121}, {X: 0x1p121, Y: 2}} { // the second ray meets a vertex
		files = append(files, filepath.Join(dir, fmt.Sprint(i)))
		save(t, files[i], []byte(strings.Replace(string(data), line, strings.Join(words[:10], " ")+" "+string(appendVector(nil, end)), 1)))
	}
	got := python(t, append([]string{"accept"}, files...)...)
	if !strings.HasPrefix(got[0], "accepted: 0 in, 1 out") || !strings.HasPrefix(got[1], "refused") {
		t.Errorf("got %q", got)
	}
}

// The rays of sums do not meet edges of faces of zero area, which have angles too.
func TestRayMissesFlatEdges(t *testing.T) {
	m := testmesh.Mesh(mesh.Soup{
		Vertices: []r3.Vector{{Y: -1}, {}, {Y: 1}, {X: 5, Y: 5, Z: 5}, {X: 6, Y: 5, Z: 5}, {X: 5, Y: 6, Z: 5}},
		Faces:    [][3]int32{{0, 1, 2}, {3, 4, 5}},
	})
	s, err := inpoly.New(context.Background(), m, inpoly.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProver(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	c := p.newCaster()
	for _, test := range []struct {
		name   string
		p, end r3.Vector
		want   bool
	}{
		{"through the edge", r3.Vector{Y: .5, Z: -1}, r3.Vector{Y: .5, Z: 7}, false},
		{"beside the edge", r3.Vector{Y: .5, Z: -1}, r3.Vector{X: .25, Y: .5, Z: 7}, true},
		{"along the edge", r3.Vector{Y: 3}, r3.Vector{Y: -9}, false},
		{"beside the edge, on the other side", r3.Vector{Y: .5, Z: -1}, r3.Vector{X: -.25, Y: -.5, Z: 7}, true},
		{"away from the line of the edge", r3.Vector{Y: 3}, r3.Vector{X: 1, Y: -3, Z: 7}, true},
	} {
		if got := c.count(test.p, test.end); got != test.want {
			t.Errorf("%s: got %v, expected %v", test.name, got, test.want)
		}
	}
	claims := claimsOf(t, s, []r3.Vector{{Y: .5, Z: -1}, {Y: 3}, {X: 1}}, false)
	file, _, sum := write(t, t.TempDir(), "flat", s, claims)
	if got := python(t, "accept", file)[0]; sum.Unproved != 0 || !strings.HasPrefix(got, "accepted: 0 in, 3 out") {
		t.Errorf("got %q, %d without a proof", got, sum.Unproved)
	}
}
