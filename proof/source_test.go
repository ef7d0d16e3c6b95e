package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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

// A source takes no more memory than the mesh, and no more time than its stated size: it can be a file with
// holes, or have no end. The blocks of the checker have 1 MB.
func TestSourceSize(t *testing.T) {
	const zeros = 64 << 20
	data, _ := proofOf(t, testmesh.UnitCube(), inpoly.Options{}, center)
	sum := sha256.Sum256(make([]byte, zeros))
	large := replace(t, data, `^source .*$`, fmt.Sprintf("source %x %d", sum, zeros))
	dir := t.TempDir()
	small, stated := filepath.Join(dir, "small"), filepath.Join(dir, "stated")
	save(t, small, []byte(data))
	save(t, stated, []byte(large))
	for i, line := range python(t, "zeros", fmt.Sprint(zeros), small, stated) {
		var code, size, memory int
		if _, err := fmt.Sscan(line, &code, &size, &memory); err != nil {
			t.Fatal(err)
		}
		wantCode, wantSize := 1, 1<<20
		if i == 1 {
			wantCode, wantSize = 4, zeros
		}
		if code != wantCode || size != wantSize || memory > 8<<20 {
			t.Errorf("file %d: exit code %d, %d bytes read, %d bytes of memory", i, code, size, memory)
		}
	}
}

// Exit code 0 means that the checker has accepted a file, and nothing else. The report does not vouch for the
// name in the file.
func TestExitCodes(t *testing.T) {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: proofs are not checked")
	}
	data, stl := proofOf(t, testmesh.UnitCube(), inpoly.Options{}, center)
	dir := t.TempDir()
	save(t, filepath.Join(dir, "check.py"), Checker)
	save(t, filepath.Join(dir, "other.proof"), []byte(replace(t, data, `^name .*$`, "name other.stl")))
	save(t, filepath.Join(dir, "part.stl"), stl)
	save(t, filepath.Join(dir, "full.py"), []byte(`import sys, check
def check_full(*_):
    raise MemoryError
check.check, sys.argv = check_full, ["check.py", "check.py"]
sys.exit(check.main())
`))
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"check.py", "other.proof", "--source", "part.stl"}, "\nnot checked: the name of the source, other.stl\nchecked: ", 0},
		{[]string{"check.py", "-h"}, "usage: ", 2},
		{[]string{"check.py", "other.proof", "--help"}, "usage: ", 2},
		{[]string{"check.py"}, "usage: ", 2},
		{[]string{"check.py", "."}, "error: ", 1},
		{[]string{"check.py", "other.proof", "--source", "."}, "error: ", 1},
		{[]string{"full.py"}, "refused: not enough memory", 1},
	} {
		cmd := exec.Command(path, append([]string{"-B"}, c.args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if exitCode(err) != c.code || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "Traceback") {
			t.Errorf("%q: exit code %d, expected %d with %q:\n%s", c.args, exitCode(err), c.code, c.want, out)
		}
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
