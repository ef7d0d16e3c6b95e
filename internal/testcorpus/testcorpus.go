// Package testcorpus reads the manifest of a folder of real meshes, for tests.
package testcorpus

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Full reports whether the long versions of the tests run.
func Full() bool { return os.Getenv("INPOLY_FULL") != "" }

// Rows returns the folder of the corpus and the rows of its manifest. A row is a map from the names
// of the columns to the values. Rows skips the test if there is no corpus.
func Rows(t *testing.T) (dir string, rows []map[string]string) {
	t.Helper()
	dir = os.Getenv("INPOLY_CORPUS")
	if dir == "" {
		t.Skip("INPOLY_CORPUS is not set: no corpus of real meshes")
	}
	text, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var head []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if head == nil {
			head = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells {
			row[head[i]] = c
		}
		rows = append(rows, row)
	}
	return dir, rows
}

// LeaveOut reports whether a test leaves out row i of the manifest. With INPOLY_FULL=1 it leaves out no
// mesh. Otherwise it leaves out seven eighths of the large meshes and half of the small ones. Tests with
// different values of part, from 0 to 3, use different large meshes.
func LeaveOut(row map[string]string, i, part int) bool {
	const large = 5000                           // tuning: the larger meshes take most of the time
	faces, err := strconv.Atoi(row["triangles"]) // on an error, the test expects that the file is refused
	if Full() || err != nil {
		return false
	}
	if faces > large {
		return i%8 != part+4
	}
	return i%2 != part%2
}

// Probes returns points whose sides are hard to compute. The first points are random points in and
// around the bounding box of m. Five points follow for each of several random faces: a vertex, the
// middle of an edge, an inner point, and a point on each side of the surface. The middle and the
// inner point are rounded to float64. The last two of these five points are 1e-3 to 1e-16 box
// diagonals away from the surface.
func Probes(m *mesh.Mesh, random, faces int, r *rand.Rand) []r3.Vector {
	box := m.Box()
	size := box.Size()
	diag := size.Norm()
	var pts []r3.Vector
	for range random {
		pts = append(pts, r3.Vector{
			X: box.Min.X + size.X*(1.1*r.Float64()-.05),
			Y: box.Min.Y + size.Y*(1.1*r.Float64()-.05),
			Z: box.Min.Z + size.Z*(1.1*r.Float64()-.05),
		})
	}
	for range faces {
		t := m.Triangle(int32(r.IntN(m.NumFaces())))
		u, v := r.Float64(), r.Float64()
		if u+v > 1 {
			u, v = 1-u, 1-v
		}
		mid := t[0].Add(t[1]).Mul(.5)
		inner := t[0].Mul(1 - u - v).Add(t[1].Mul(u)).Add(t[2].Mul(v))
		n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))
		if l := n.Norm(); l > 0 {
			n = n.Mul(1 / l)
		}
		pts = append(pts, t[0], mid, inner)
		at := [3]r3.Vector{t[0], mid, inner}[r.IntN(3)]
		off := diag * math.Pow(10, -3-13*r.Float64())
		pts = append(pts, at.Add(n.Mul(off)), at.Sub(n.Mul(off)))
	}
	return pts
}
