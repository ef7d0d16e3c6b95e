package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// attacked returns small meshes for the attack: those of the catalog and random tetrahedra, as binary STL
// stores them.
func attacked(t *testing.T, r *rand.Rand) (list [][]byte) {
	t.Helper()
	add := func(s mesh.Soup) {
		m := testmesh.Mesh(testmesh.Move(s, func(p r3.Vector) r3.Vector {
			return r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))}
		}))
		if n := m.NumFaces(); n > 0 && n <= 12 {
			list = append(list, binarySTL(m))
		}
	}
	for _, c := range testmesh.Catalog() {
		largest := 0.0
		for _, v := range c.Soup.Vertices {
			largest = max(largest, v.Norm())
		}
		if largest < 1e6 { // the angles of the referee are in float64
			add(c.Soup)
		}
	}
	for range 40 {
		v := func() r3.Vector {
			return r3.Vector{X: float64(r.IntN(3)), Y: float64(r.IntN(3)), Z: float64(r.IntN(3))}
		}
		add(testmesh.Simplex(v(), v(), v(), v()))
		s := testmesh.Simplices(r, 0)
		if r.IntN(3) == 0 {
			s.Faces, s.Bodies = s.Faces[1:], nil
		}
		add(s)
		cube := testmesh.UnitCube()
		var turned []int
		for f := range cube.Faces {
			if r.IntN(3) == 0 {
				turned = append(turned, f)
			}
		}
		add(testmesh.Flip(cube, turned...))
	}
	return list
}

// writeFamilies writes the proofs that testdata/attack.py mixes: for each mesh, proofs with all rules and
// orientations, and proofs about copies of the mesh with other faces turned over.
func writeFamilies(t *testing.T, dir string, r *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	for i, stl := range attacked(t, r) {
		path := filepath.Join(dir, fmt.Sprintf("%03d.stl", i))
		save(t, path, stl)
		given, err := inpoly.Open(ctx, path, inpoly.Options{Orient: inpoly.OrientNever, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		probes := testcorpus.Probes(given.Mesh(), 1, 1, r) // a random point, and points on and near a face
		pts := []r3.Vector{{X: .5, Y: .5, Z: .5}, probes[0], probes[1+r.IntN(5)]}
		proof := 0
		write := func(s *inpoly.Solid, src Source) {
			var buf bytes.Buffer
			if _, err := Write(ctx, &buf, s, src, claimsOf(t, s, pts, r.IntN(4) > 0)); err != nil {
				t.Fatal(err)
			}
			save(t, filepath.Join(dir, fmt.Sprintf("%03d.%02d.proof", i, proof)), buf.Bytes())
			proof++
		}
		src := Source{Name: "a.stl", Bytes: int64(len(stl)), SHA256: sha256.Sum256(stl)}
		for rule := inpoly.NonZero; rule <= inpoly.EvenOdd; rule++ {
			for _, mode := range []inpoly.Orient{inpoly.OrientAuto, inpoly.OrientNever, inpoly.OrientAlways} {
				s, err := inpoly.Open(ctx, path, inpoly.Options{Orient: mode, Rule: rule, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				write(s, src)
			}
			var turned []int32
			for f := range given.Mesh().Faces {
				if r.IntN(2) == 0 {
					turned = append(turned, int32(f))
				}
			}
			m, err := given.Mesh().Flipped(ctx, turned)
			if err != nil {
				t.Fatal(err)
			}
			s, err := inpoly.New(ctx, m, inpoly.Options{Orient: inpoly.OrientNever, Rule: rule, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			write(s, Source{Name: "turned"})
		}
	}
}

// The checker accepts no false file of testdata/attack.py with exit code 0, and with exit code 4 only where
// the printed trust is what is false. It accepts the same statement in other words with the same exit code.
func TestAttack(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: proofs are not checked")
	}
	files := 1000
	if testcorpus.Full() {
		files = 1_000_000
	}
	dir, families := t.TempDir(), t.TempDir()
	save(t, filepath.Join(dir, "check.py"), Checker)
	writeFamilies(t, families, rand.New(rand.NewPCG(38, 1)))
	cmd := exec.Command(python, "testdata/attack.py", dir, families, "38", strconv.Itoa(files))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	report := string(out)
	if !strings.HasSuffix(report, "\nwrong verdicts: 0\n") {
		t.Error("wrong verdicts")
	}
	for _, want := range []string{`^files: ` + strconv.Itoa(files), `same, exit code 0: \d\d`, `same, exit code 4: \d\d`, `transplant, exit code 0: \d`, `transplant, exit code 1: \d\d\d`, `transplant, exit code 4: \d\d`} {
		if !regexp.MustCompile(want).MatchString(report) {
			t.Errorf("no %s", want)
		}
	}
	t.Log(report)
}
