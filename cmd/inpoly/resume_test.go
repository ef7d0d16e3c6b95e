package main

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// tetrahedronGLTF is a mesh file whose coordinates and indices are in the file shape.bin.
const tetrahedronGLTF = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"buffers":[{"uri":"shape.bin","byteLength":72}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]}`

// tetrahedronBuffer returns the content of shape.bin. Three edges have the given length.
func tetrahedronBuffer(size float32) []byte {
	var b []byte
	for _, x := range []float32{0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, size} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	for _, i := range []uint16{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3} {
		b = binary.LittleEndian.AppendUint16(b, i)
	}
	return b
}

// resumeDir is a folder with inputs for resumable runs. The last row of the points is invalid, so
// every run fails.
type resumeDir struct{ dir string }

func newResumeDir(t *testing.T) resumeDir {
	r := resumeDir{t.TempDir()}
	r.write(t, "points.csv", []byte(strings.Repeat("0.25,0.25,0.25\n", 1000)+"0,0,none of them\n"))
	r.write(t, "open.obj", []byte(strings.TrimSuffix(cubeOBJ, "f 4 1 5 8\n")))
	r.write(t, "closed.obj", []byte(cubeOBJ))
	r.write(t, "shape.gltf", []byte(tetrahedronGLTF))
	r.write(t, "shape.bin", tetrahedronBuffer(1))
	return r
}

func (r resumeDir) write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// detectsOther runs the command and reports whether it fails because another run left the output
// unfinished. Otherwise the command must fail because of the invalid row.
func (r resumeDir) detectsOther(t *testing.T, args ...string) bool {
	t.Helper()
	cmd := exec.Command("inpoly", append(args, "--out", "out.csv", "--resume", "--quiet")...)
	cmd.Dir = r.dir
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != term.ExitError {
		t.Fatalf("%v: %v, %s", args, err, said)
	}
	other := strings.Contains(string(said), "another run has left this output unfinished")
	if other == strings.Contains(string(said), "line 1001") {
		t.Fatalf("%v: %s", args, said)
	}
	return other
}

// runRefused runs the command and returns its output. The command must fail with a usage error.
func (r resumeDir) runRefused(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("inpoly", append(args, "--out", "out.csv", "--resume", "--quiet")...)
	cmd.Dir = r.dir
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != term.ExitUsage {
		t.Fatalf("%v: %v, %s", args, err, said)
	}
	return string(said)
}

// TestResumeOtherMesh changes a file to which the mesh file refers. The mesh file stays the same.
func TestResumeOtherMesh(t *testing.T) {
	for _, flags := range [][]string{nil, {"--body", "first"}} {
		r := newResumeDir(t)
		args := append([]string{"shape.gltf", "points.csv"}, flags...)
		for range 2 {
			if r.detectsOther(t, args...) {
				t.Errorf("%v: the same run is another", args)
			}
		}
		r.write(t, "shape.bin", tetrahedronBuffer(0.5))
		if !r.detectsOther(t, args...) {
			t.Errorf("%v: another mesh is the same run", args)
		}
	}
}

// TestResumeOtherWorkers resumes runs with a different number of workers. The output must not
// depend on this number. --resume must refuse winding numbers that multipoles compute for open
// meshes. They could depend on the number of workers.
func TestResumeOtherWorkers(t *testing.T) {
	for _, c := range []struct {
		args    string
		refused bool
	}{
		{"open.obj points.csv --winding", true},
		{"open.obj points.csv --certify --method fmm", true},
		{"closed.obj open.obj points.csv --winding", true},
		{"open.obj points.csv --winding --method raycross", false},
		{"open.obj points.csv --certify --method cells", false},
		{"open.obj points.csv", false},
		{"closed.obj points.csv --winding", false},
	} {
		r := newResumeDir(t)
		args := strings.Fields(c.args)
		if c.refused {
			if err := r.runRefused(t, args...); !strings.Contains(err, "would differ from a single run") {
				t.Errorf("%s: %q, want a refusal", c.args, err)
			}
			continue
		}
		if r.detectsOther(t, append(args, "--workers", "1")...) {
			t.Errorf("%s: the first run is another", c.args)
		}
		if r.detectsOther(t, append(args, "--workers", "2")...) {
			t.Errorf("%s: with other workers it is another run", c.args)
		}
	}
}
