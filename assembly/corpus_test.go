package assembly_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// The test uses every file of the corpus that contains several bodies. The answers of an assembly
// of these bodies equal the values computed from the answers of each body. Winding numbers and
// distances equal the results for the whole file. Without INPOLY_FULL=1 the test skips files of
// more than a hundred thousand triangles.
func TestCorpusBodies(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	random, faces, most := 40, 8, 100_000
	if testcorpus.Full() {
		random, faces, most = 500, 100, math.MaxInt
	}
	files, solids := 0, 0
	for _, row := range rows {
		path := filepath.Join(dir, row["path"])
		soup, _, err := loaders.Load(t.Context(), path, loaders.Options{})
		if refused := (*loaders.Error)(nil); errors.As(err, &refused) || err == nil && (len(soup.Bodies) < 2 || len(soup.Faces) > most) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := assembly.Open(t.Context(), []string{path}, assembly.Options{Options: inpoly.Options{Orient: inpoly.OrientNever}, SplitBodies: true})
		if err != nil {
			t.Errorf("%s: %v", row["path"], err)
			continue
		}
		files, solids = files+1, solids+a.Len()
		checkCorpusBodies(t, row["path"], a, m, testcorpus.Probes(m, random, faces, rand.New(rand.NewPCG(1, 2))))
	}
	t.Logf("%d solids of %d files", solids, files)
	if files == 0 {
		t.Error("no file with several bodies: the test tests nothing")
	}
}

func checkCorpusBodies(t *testing.T, name string, a *assembly.Assembly, m *mesh.Mesh, pts []r3.Vector) {
	t.Helper()
	n := len(pts)
	want := &truth{pts: pts}
	total := 0
	for k := range a.Len() {
		sides := make([]inpoly.Side, n)
		if err := a.Solid(k).SidesTo(t.Context(), sides, pts); err != nil {
			t.Fatal(err)
		}
		want.sides = append(want.sides, sides)
		part := a.Solid(k).Mesh()
		total += part.NumFaces()
		for f := range int32(part.NumFaces()) {
			if part.Triangle(f) != m.Triangle(a.FileFace(k, f)) {
				t.Errorf("%s: face %d of %s is not face %d of the file", name, f, a.Name(k), a.FileFace(k, f))
				return
			}
		}
	}
	if total != m.NumFaces() {
		t.Errorf("%s: %d faces of %d in bodies", name, total, m.NumFaces())
	}
	whole, err := inpoly.New(t.Context(), m, inpoly.Options{Method: inpoly.RayCrossing, Orient: inpoly.OrientNever})
	if err != nil {
		t.Fatal(err)
	}
	sides, first, counts := make([]inpoly.Side, n), make([]int32, n), make([]int32, n)
	d, body, face := make([]float64, n), make([]int32, n), make([]int32, n)
	_, err = sidesBodiesTo(a, t.Context(), sides, first, assembly.First, pts)
	for _, e := range []error{err, bodiesTo(a, t.Context(), counts, assembly.Count, pts), distancesTo(a, t.Context(), d, body, face, pts)} {
		if e != nil {
			t.Fatal(e)
		}
	}
	for i, p := range pts {
		if s, f, c := want.side(i), want.body(i, assembly.First, nil), want.body(i, assembly.Count, nil); sides[i] != s || first[i] != f || counts[i] != c {
			t.Errorf("%s at %v: %v, first %d of %d, want %v, %d of %d", name, p, sides[i], first[i], counts[i], s, f, c)
		}
		if whereto, _ := whole.Distance(p); !math.IsNaN(d[i]) && !math.IsNaN(whereto) && math.Abs(d[i]) != math.Abs(whereto) {
			t.Errorf("%s at %v: distance %g, want %g", name, p, d[i], whereto)
		}
		w, bound := a.Winding(p)
		if all, b := whole.Winding(p); !(math.Abs(w-all) <= bound+b) {
			t.Errorf("%s at %v: W = %g ± %g, of all faces %g ± %g", name, p, w, bound, all, b)
		}
	}
}
