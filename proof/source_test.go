package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// binarySTL returns the triangles of m as a binary STL file.
func binarySTL(m *mesh.Mesh) []byte {
	data := binary.LittleEndian.AppendUint32(make([]byte, 80), uint32(m.NumFaces()))
	for f := range m.Faces {
		data = append(data, make([]byte, 12)...)
		for _, v := range m.Triangle(int32(f)) {
			for _, x := range array(v) {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
			}
		}
		data = append(data, 0, 0)
	}
	return data
}

// The checker reads binary STL itself. It refuses a proof about another file, and a proof whose mesh
// is not that of the file.
func TestSource(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: proofs are not checked")
	}
	ctx, dir := context.Background(), t.TempDir()
	soup := testmesh.Flip(testmesh.UnitCube(), 3) // the option Orient turns the face over
	never, err := inpoly.New(ctx, testmesh.Mesh(soup), inpoly.Options{Orient: inpoly.OrientNever})
	if err != nil {
		t.Fatal(err)
	}
	stl := binarySTL(never.Mesh())
	save(t, filepath.Join(dir, "cube.stl"), stl)
	save(t, filepath.Join(dir, "check.py"), Checker)
	s, err := inpoly.Open(ctx, filepath.Join(dir, "cube.stl"), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Flipped()) != 1 {
		t.Fatalf("%d faces turned over, expected 1", len(s.Flipped()))
	}
	other := append([]byte(nil), stl...)
	binary.LittleEndian.PutUint32(other[84+12:], math.Float32bits(0.5))
	claims := claimsOf(t, s, []r3.Vector{{X: .5, Y: .25, Z: .125}}, true)
	for _, c := range []struct {
		name, want      string
		claimed, source []byte
		code            int
	}{
		{"same", "checked: the mesh is that of the source, read as binary STL\ntrusted: 1 faces turned over\n", stl, stl, 4},
		{"another file", "refused: the source file is another file", stl, other, 1},
		{"another mesh", "refused: face 0 differs from the STL file", other, other, 1},
		{"not STL", "checked: the SHA-256 of the source\ntrusted: the mesh is that of the source", stl[:80], stl[:80], 4},
	} {
		var buf bytes.Buffer
		source := Source{Name: "a b\n\x1b[31m.stl", Bytes: int64(len(c.claimed)), SHA256: sha256.Sum256(c.claimed)}
		if _, err := Write(ctx, &buf, s, source, claims); err != nil {
			t.Fatal(err)
		}
		proof, file := filepath.Join(dir, "proof"), filepath.Join(dir, "source")
		save(t, proof, buf.Bytes())
		save(t, file, c.source)
		out, err := exec.Command(python, filepath.Join(dir, "check.py"), proof, "--source", file).CombinedOutput()
		if !strings.Contains(string(out), c.want) || exitCode(err) != c.code {
			t.Errorf("%s: %v, %q, expected %q", c.name, err, out, c.want)
		}
	}
	escape := bytes.Replace(mustRead(t, filepath.Join(dir, "proof")), []byte("name "), []byte("name \x1b"), 1)
	save(t, filepath.Join(dir, "proof"), escape)
	out, err := exec.Command(python, filepath.Join(dir, "check.py"), filepath.Join(dir, "proof")).CombinedOutput()
	if exitCode(err) != 1 || bytes.Contains(out, []byte("\x1b")) {
		t.Errorf("a control character is accepted, or printed: %q", out)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Write does not write false claims. Its bytes do not depend on the number of workers. It ends with ctx.
func TestWrite(t *testing.T) {
	ctx := context.Background()
	at := func(workers int, tolerance float64) *inpoly.Solid {
		s, err := inpoly.New(ctx, testmesh.Sphere(3), inpoly.Options{Workers: workers, Tolerance: tolerance})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, many := at(1, 0), at(5, 0)
	var pts []r3.Vector
	for i := range 1000 {
		pts = append(pts, r3.Vector{X: float64(i)/400 - 1.2, Y: .1, Z: .2})
	}
	claims := claimsOf(t, one, pts, true)
	var a, b bytes.Buffer
	if _, err := Write(ctx, &a, one, Source{}, claims); err != nil {
		t.Fatal(err)
	}
	if sum, err := Write(ctx, &b, many, Source{}, claims); err != nil || sum.Points != 1000 || sum.Distances != 1000 || sum.Unproved != 0 {
		t.Fatal(sum, err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the bytes depend on the number of workers")
	}
	for _, side := range []inpoly.Side{inpoly.Inside, inpoly.Outside, inpoly.OnSurface} {
		for _, p := range []r3.Vector{{}, {X: 5}, {X: .9, Y: .9, Z: .9}, one.Mesh().Vertices[7]} {
			_, err := Write(ctx, &a, one, Source{}, []Claim{{Point: p, Side: side, Face: -1}})
			if isTrue := one.Side(p) == side; isTrue != (err == nil) || !isTrue && !errors.Is(err, ErrFalse) {
				t.Errorf("point %v, side %v: error %v", p, side, err)
			}
		}
	}
	if _, err := Write(ctx, &a, at(1, 0.1), Source{}, nil); !errors.Is(err, ErrTolerance) {
		t.Errorf("with a tolerance: error %v", err)
	}
	if _, err := Write(ctx, &a, one, Source{}, []Claim{claims[1], claims[0]}); err == nil {
		t.Error("rows that do not ascend are accepted")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Write(ended, &a, one, Source{}, claims); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of ctx: error %v", err)
	}
	if _, err := Write(ctx, full{}, one, Source{}, claims); !errors.Is(err, errFull) {
		t.Errorf("with a full disk: error %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
