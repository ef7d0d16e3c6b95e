package apitest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// For every closed mesh of the corpus, ray crossing, cells and multipoles agree with the direct sum
// of solid angles. If the error of the sum is too large, they agree with integer arithmetic.
// Without INPOLY_FULL=1 the test uses fewer points and leaves out some large meshes.
func TestCorpusExact(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	random, faces := 120, 24
	if testcorpus.Full() {
		random, faces = 2000, 400
	}
	meshes, points, judged := 0, 0, 0
	for i, row := range rows {
		if row["zero_boundary"] != "yes" || testcorpus.LeaveOut(row, i, 2) {
			continue
		}
		n, j, err := checkExact(t, filepath.Join(dir, row["path"]), row["path"], random, faces)
		if err != nil {
			t.Errorf("%s: %v", row["path"], err)
		}
		meshes, points, judged = meshes+1, points+n, judged+j
	}
	t.Logf("%d meshes, %d points, %d of them judged by integer arithmetic", meshes, points, judged)
	if meshes == 0 {
		t.Error("no mesh with zero_boundary = yes: the test tests nothing")
	}
}

func checkExact(t *testing.T, path, name string, random, faces int) (points, judged int, err error) {
	soup, _, err := loaders.Load(t.Context(), path, loaders.Options{})
	if refused := (*loaders.Error)(nil); errors.As(err, &refused) {
		// The tests of package loaders check which files are refused.
		t.Logf("refused: %v", err)
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	m, err := mesh.New(t.Context(), *soup, mesh.Options{})
	if err != nil {
		return 0, 0, err
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	pts := testcorpus.Probes(m, random, faces, rand.New(rand.NewPCG(h.Sum64(), 1)))
	methods := []inpoly.Method{inpoly.RayCrossing, inpoly.Cells, inpoly.FMM}
	solids, answers := make([]*inpoly.Solid, len(methods)), make([][]inpoly.Side, len(methods))
	for k, method := range methods {
		if solids[k], err = inpoly.New(t.Context(), m, inpoly.Options{Method: method, ExpectedPoints: int64(len(pts))}); err != nil {
			return 0, 0, err
		}
		answers[k] = make([]inpoly.Side, len(pts))
		if err := solids[k].SidesTo(t.Context(), answers[k], pts); err != nil {
			return 0, 0, err
		}
	}
	w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
	if err := bem.NewDirect(m, 0).WindingsTo(t.Context(), w, bound, on, pts); err != nil {
		return 0, 0, err
	}
	for i, p := range pts {
		k, isOn := int(math.RoundToEven(w[i])), on[i]
		if !isOn && math.Abs(w[i]-float64(k)) > bound[i] {
			return 0, 0, fmt.Errorf("point %v: direct sum %v is not an integer within its bound %g", p, w[i], bound[i])
		}
		// The direct sum and the methods use the same predicates for points on the surface. Package
		// referee checks these points independently, by integer arithmetic. It also checks the points
		// that the sum does not decide.
		if isOn || bound[i] >= 0.5 || answers[0][i] == inpoly.OnSurface || answers[1][i] == inpoly.OnSurface || answers[2][i] == inpoly.OnSurface {
			judged++
			k, _, isOn = referee.Judge(m.Vertices, m.Faces, p)
		}
		want := inpoly.NonZero.Apply(int64(k), 0)
		if isOn {
			want = inpoly.OnSurface
		}
		for j, method := range methods {
			if got := answers[j][i]; got != want {
				return 0, 0, fmt.Errorf("%v, point %d %v: side %v, want %v (direct sum %v ± %g)", method, i, p, got, want, w[i], bound[i])
			}
			if got, b := solids[j].Winding(p); !isOn && (got != float64(k) || b != 0) {
				return 0, 0, fmt.Errorf("%v, point %d %v: W = %v ± %g, want %d", method, i, p, got, b, k)
			}
		}
	}
	return len(pts), judged, nil
}

// The test uses the corpus, including open meshes. Without INPOLY_FULL=1 it leaves out some
// large meshes. Cells and multipoles find the same sides as ray crossing under every rule. Cells compute the
// same winding numbers and bounds as ray crossing. Winding numbers by multipoles agree within their
// bounds.
func TestCorpusMethodsAgree(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	random, faces := 60, 12
	if testcorpus.Full() {
		random, faces = 2000, 400
	}
	meshes, open := 0, 0
	for i, row := range rows {
		if testcorpus.LeaveOut(row, i, 1) {
			continue
		}
		rule := inpoly.Rule(i / 2 % 4)
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, row["path"]), loaders.Options{})
		if refused := (*loaders.Error)(nil); errors.As(err, &refused) {
			continue // the tests of package loaders check which files are refused
		}
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.NumFaces() == 0 {
			continue
		}
		meshes++
		if !m.Closed() {
			open++
		}
		pts := testcorpus.Probes(m, random, faces, rand.New(rand.NewPCG(uint64(i), 2)))
		if err := corpusAgree(t, m, rule, pts); err != nil {
			t.Errorf("%s: %v", row["path"], err)
		}
	}
	t.Logf("%d meshes, %d of them open", meshes, open)
	if meshes == 0 || open == 0 {
		t.Errorf("%d meshes, %d of them open: want open and closed meshes", meshes, open)
	}
}

func corpusAgree(t *testing.T, m *mesh.Mesh, rule inpoly.Rule, pts []r3.Vector) error {
	rays, err := inpoly.New(t.Context(), m, inpoly.Options{Method: inpoly.RayCrossing, Rule: rule})
	if err != nil {
		return err
	}
	cells, err := inpoly.New(t.Context(), m, inpoly.Options{Method: inpoly.Cells, Rule: rule})
	if err != nil {
		return err
	}
	multipoles, err := inpoly.New(t.Context(), m, inpoly.Options{Method: inpoly.FMM, Rule: rule, ExpectedPoints: int64(len(pts))})
	if err != nil {
		return err
	}
	want, got := make([]inpoly.Side, len(pts)), make([]inpoly.Side, len(pts))
	alike, x, b := make([]inpoly.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))
	if _, err := multipoles.LocateTo(t.Context(), inpoly.Answers{Answers: side.Answers{Sides: alike, Winding: x, Bound: b}}, pts); err != nil {
		return err
	}
	if err := rays.SidesTo(t.Context(), want, pts); err != nil {
		return err
	}
	if err := cells.SidesTo(t.Context(), got, pts); err != nil {
		return err
	}
	for i, p := range pts {
		if got[i] != want[i] {
			return fmt.Errorf("rule %v, point %d %v: cells %v, raycross %v", rule, i, p, got[i], want[i])
		}
		if alike[i] != want[i] {
			return fmt.Errorf("rule %v, point %d %v: multipoles %v, raycross %v", rule, i, p, alike[i], want[i])
		}
		w, bound := rays.Winding(p)
		if math.Abs(x[i]-w) > b[i]+bound || m.Closed() && want[i] != inpoly.OnSurface && b[i] > 0 {
			return fmt.Errorf("point %d %v: W = %v ± %g by multipoles, %v ± %g by raycross", i, p, x[i], b[i], w, bound)
		}
		if x, b := cells.Winding(p); !sameWinding(x, b, w, bound) {
			return fmt.Errorf("point %d %v: W = %v ± %g by cells, %v ± %g by raycross", i, p, x, b, w, bound)
		}
	}
	return nil
}
