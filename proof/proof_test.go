package proof

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// driver checks the files of its arguments and prints a line for each one.
const driver = `
import sys
sys.path.insert(0, sys.argv[1])
import check
for path in sys.argv[2:]:
    try:
        print(check.check(open(path, "rb"))[0].split("\n")[-1])
    except check.Refused as e:
        print("refused:", e)
`

// python returns the path of Python 3, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: proofs are not checked")
	}
	return path
}

// verdicts returns what the checker says about each file.
func verdicts(t *testing.T, files ...string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "check.py"), Checker, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), append([]string{"-c", driver, dir}, files...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func open(t *testing.T, soup []testmesh.Case, i int, rule inpoly.Rule) *inpoly.Solid {
	t.Helper()
	s, err := inpoly.New(context.Background(), testmesh.Mesh(soup[i].Soup), inpoly.Options{Rule: rule, Orient: inpoly.OrientNever, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The checker accepts the answers about each mesh of the catalogue, with all rules.
func TestCatalogAccepted(t *testing.T) {
	python(t)
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(21, 1))
	var files, want, names []string
	catalog := testmesh.Catalog()
	for i, c := range catalog {
		for rule := inpoly.NonZero; rule <= inpoly.EvenOdd; rule++ {
			s := open(t, catalog, i, rule)
			var pts []r3.Vector
			if s.Mesh().NumFaces() > 0 {
				pts = testcorpus.Probes(s.Mesh(), 5, 2, r)
			}
			for _, p := range c.Probes {
				pts = append(pts, p.Point)
			}
			pts = append(pts, r3.Vector{X: math.NaN()}, r3.Vector{X: math.MaxFloat64, Y: 1})
			claims, err := Claims(context.Background(), s, pts, true)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s %v", c.Name, rule)
			var buf bytes.Buffer
			sum, err := Write(context.Background(), &buf, s, Source{Name: name}, claims)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var sides [4]int
			for _, c := range claims {
				sides[c.Side]++
			}
			if sum.Unproved > int64(sides[inpoly.Unknown]) { // the point at the limit of float64
				sides[inpoly.Outside]--
			}
			file := filepath.Join(dir, fmt.Sprintf("%d-%d", i, rule))
			if err := os.WriteFile(file, buf.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			files, names = append(files, file), append(names, name)
			want = append(want, fmt.Sprintf("accepted: %d in, %d out, %d on, %d distances; %d points without a proof",
				sides[inpoly.Inside], sides[inpoly.Outside], sides[inpoly.OnSurface], sum.Distances, sum.Unproved))
			if unknown := int64(sides[inpoly.Unknown]); sum.Unproved != unknown && (sum.Unproved != unknown+1 || c.Closed) {
				t.Errorf("%s: %d points without a proof, expected %d", name, sum.Unproved, unknown)
			}
		}
	}
	for i, got := range verdicts(t, files...) {
		if got != want[i] {
			t.Errorf("%s: got %q, expected %q", names[i], got, want[i])
		}
	}
}
