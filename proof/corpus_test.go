package proof

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
)

// corpusMeshes returns meshes of many sizes: closed ones, and open ones with at most maxBoundary
// boundary edges. Without INPOLY_FULL=1 there are two small ones.
func corpusMeshes(t *testing.T) (dir string, closed, open []string) {
	const maxBoundary = 1000 // tuning: the checker takes about 50 µs for an edge and a point
	dir, rows := testcorpus.Rows(t)
	type entry struct {
		path  string
		faces int
	}
	var lists [2][]entry
	seen := map[string]bool{}
	for _, row := range rows {
		faces, err := strconv.Atoi(row["triangles"])
		if err != nil || faces < 12 {
			continue
		}
		boundary, _ := strconv.Atoi(row["boundary_edges"])
		kind := 0
		if row["zero_boundary"] != "yes" {
			kind = 1
		}
		if key := row["triangles"] + " " + row["volume"]; boundary <= maxBoundary && !seen[key] {
			seen[key] = true // many files of the corpus have the same mesh
			lists[kind] = append(lists[kind], entry{row["path"], faces})
		}
	}
	choose := func(list []entry, n int) (paths []string) {
		slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.faces, b.faces), cmp.Compare(a.path, b.path)) })
		if !testcorpus.Full() {
			return []string{list[len(list)/3].path}
		}
		for i := range n {
			paths = append(paths, list[len(list)-1-i*(len(list)-1)/(n-1)].path)
		}
		return paths
	}
	return dir, choose(lists[0], 31), choose(lists[1], 12)
}

// row is a row of the table evidence/bench/results/proofs.md.
type row struct {
	name                         string
	faces, boundary              int
	integers, on, distances, sum int
	bytes, seconds               float64 // of the points
	meshBytes, load              float64
}

// The checker accepts the answers about real meshes. With INPOLY_FULL=1 it checks a million winding
// numbers, and INPOLY_TABLE can name the file of a table.
func TestCorpusAccepted(t *testing.T) {
	dir, closed, open := corpusMeshes(t)
	integers, few := 300, 20
	if testcorpus.Full() {
		integers, few = 35_000, 400
	}
	var table []row
	out := t.TempDir()
	for _, path := range append(closed, open...) {
		s, err := inpoly.Open(context.Background(), filepath.Join(dir, path), inpoly.Options{Workers: 1})
		if err != nil {
			t.Logf("%s: %v", path, err) // some files of the corpus are to be refused
			continue
		}
		m := s.Mesh()
		r := rand.New(rand.NewPCG(21, uint64(m.NumFaces())))
		n := integers
		if !m.Closed() {
			n = few / 3 // the checker takes the sum over the boundary
		}
		claims := claimsOf(t, s, testcorpus.Probes(m, n*9/10, n/50, r), false)
		withDistances := claimsOf(t, s, surfacePoints(s, few, r), true)
		if !m.Closed() {
			withDistances = slices.DeleteFunc(withDistances, func(c Claim) bool { return c.Side != inpoly.OnSurface })
		}
		claims = append(claims, withDistances...)
		for i := range claims {
			claims[i].Row = int64(i) + 1
		}
		file, data, sum := write(t, out, path, s, claims)
		got := python(t, "accept", file)
		_ = os.Remove(file)
		cells := strings.Split(got[0], "\t")
		next := row{name: filepath.Base(path), faces: m.NumFaces(), boundary: len(m.Boundary()), distances: int(sum.Distances)}
		unproved := 0
		for i := range claims {
			switch side := claims[i].Side; {
			case side == inpoly.Unknown:
				unproved++
			case side == inpoly.OnSurface:
				next.on++
			case m.Closed():
				next.integers++
			default:
				next.sum++
			}
		}
		if !strings.HasPrefix(cells[0], "accepted") || sum.Unproved != int64(unproved) || !strings.HasSuffix(cells[0], fmt.Sprintf("; %d points without a proof", unproved)) {
			t.Errorf("%s: %s", path, cells[0])
			continue
		}
		text := 0
		for _, line := range points(data) {
			text += len(line) + 1
		}
		next.load, _ = strconv.ParseFloat(cells[1], 64)
		next.seconds, _ = strconv.ParseFloat(cells[2], 64)
		next.bytes, next.meshBytes = float64(text), float64(len(data)-text)
		table = append(table, next)
		t.Logf("%+v", next)
	}
	if testcorpus.Full() && len(table) < 40 {
		t.Errorf("%d meshes, expected at least 40", len(table))
	}
	if path := os.Getenv("INPOLY_TABLE"); path != "" {
		save(t, path, []byte(format(table)))
	}
}

// surfacePoints returns n points on and near the surface: vertices, points of faces that round to
// themselves, and points near the faces and far away.
func surfacePoints(s *inpoly.Solid, n int, r *rand.Rand) []r3.Vector {
	m, pts := s.Mesh(), make([]r3.Vector, 0, n)
	size := m.Box().Size()
	for len(pts) < n {
		t := m.Triangle(int32(r.IntN(m.NumFaces())))
		mid := t[0].Add(t[1]).Mul(.5)
		pts = append(pts, t[r.IntN(3)], mid, mid.Add(t[2]).Mul(.5), r3.Vector{
			X: m.Box().Min.X + size.X*(3*r.Float64()-1), Y: m.Box().Min.Y + size.Y*(3*r.Float64()-1), Z: m.Box().Min.Z + size.Z*(3*r.Float64()-1),
		})
	}
	return pts
}

// format returns the table.
func format(rows []row) string {
	var b strings.Builder
	b.WriteString("| mesh | faces | boundary edges | integer W | on | real W | distances | bytes a point | ms a point | bytes a face | read s |\n")
	b.WriteString("| --- " + strings.Repeat("| ---: ", 10) + "|\n")
	total := row{name: "all"}
	line := func(r row) {
		n := float64(max(1, r.integers+r.on+r.sum))
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %.0f | %.3f | %.0f | %.2f |\n", r.name, r.faces, r.boundary, r.integers, r.on, r.sum,
			r.distances, r.bytes/n, 1000*r.seconds/n, math.Round(r.meshBytes/float64(r.faces)), r.load)
	}
	for _, r := range rows {
		line(r)
		total.faces, total.boundary, total.integers, total.on = total.faces+r.faces, total.boundary+r.boundary, total.integers+r.integers, total.on+r.on
		total.distances, total.sum, total.bytes, total.seconds = total.distances+r.distances, total.sum+r.sum, total.bytes+r.bytes, total.seconds+r.seconds
		total.meshBytes, total.load = total.meshBytes+r.meshBytes, total.load+r.load
	}
	line(total)
	return b.String()
}
