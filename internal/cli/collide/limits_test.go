package collide

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
)

// sceneFiles writes files to a new folder and returns the path of scene.json.
func sceneFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "scene.json")
}

// manyBodies returns a scene of n equal bodies.
func manyBodies(n int, body string) string {
	return `{"bodies":[` + strings.TrimSuffix(strings.Repeat(body+",", n), ",") + `]}`
}

// A table that several bodies name is in memory once, and its times count once.
func TestSharedTable(t *testing.T) {
	text := "time,x,y,z\n"
	for i := range 1000 {
		text += fmt.Sprintf("%d,1,2,3\n", i)
	}
	path := sceneFiles(t, map[string]string{"t.csv": text, "scene.json": manyBodies(300, `{"mesh":"a.obj","poses":"t.csv"}`)})
	s, err := readScene(path, nil, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.times) != 1000 || len(s.tables) != 1 {
		t.Errorf("%d times and %d tables", len(s.times), len(s.tables))
	}
	for i, b := range s.bodies {
		if &b.poses[0] != &s.bodies[0].poses[0] {
			t.Fatalf("body %d has rows of its own", i)
		}
	}
	if most := int64(1000*(poseRowBytes+timeBytes) + 300*bodyBytes + len(text) + 20_000); s.memory.used > most {
		t.Errorf("the budget counts %d bytes, must be at most %d", s.memory.used, most)
	}
}

// The bodies and the rows of a scene count for the memory limit.
func TestSceneBudget(t *testing.T) {
	rows := strings.Repeat("[0,0,0,0],", 1)
	for i := 1; i < 3000; i++ {
		rows += fmt.Sprintf("[%d,0,0,0],", i)
	}
	for name, text := range map[string]string{
		"bodies": manyBodies(3000, `{"mesh":"a.obj"}`),
		"rows":   `{"bodies":[{"mesh":"a.obj","poses":[` + strings.TrimSuffix(rows, ",") + `]}]}`,
	} {
		path := sceneFiles(t, map[string]string{"scene.json": text})
		if _, err := readScene(path, nil, 200_000, false); !errors.Is(err, disk.ErrTooLarge) {
			t.Errorf("%s within 200 kB: %v", name, err)
		}
		for _, limit := range []int64{0, 4 << 20} {
			if _, err := readScene(path, nil, limit, false); err != nil {
				t.Errorf("%s within %d bytes: %v", name, limit, err)
			}
		}
	}
}

const oneTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

// runScene runs the command and returns its output.
func runScene(t *testing.T, path string, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	c := Command(&term.Terminal{In: strings.NewReader(""), Out: &out, Err: &strings.Builder{}})
	c.SetArgs(append([]string{path, "-q"}, args...))
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

// Pairs of bodies and contacts have limits, which flags change.
func TestLimits(t *testing.T) {
	path := sceneFiles(t, map[string]string{"a.obj": oneTriangle, "scene.json": manyBodies(200, `{"mesh":"a.obj"}`)})
	const contacts = 200 * 199 * 3
	whole, err := runScene(t, path)
	if n := strings.Count(whole, "\n"); err != nil || n != contacts+1 {
		t.Fatalf("%d lines, want %d: %v", n, contacts+1, err)
	}
	for _, c := range []struct{ flag, want string }{
		{"--max-memory=64M", ""},
		{"--max-memory=1M", "too many pairs of bodies have boxes that overlap"},
		{fmt.Sprintf("--max-contacts=%d", contacts), ""},
		{fmt.Sprintf("--max-contacts=%d", contacts-1), "more than 119399 rows of contacts and triangles until the time 0"},
		{"--max-contacts=-1", "must not be negative"},
	} {
		got, err := runScene(t, path, c.flag)
		switch {
		case c.want == "" && (err != nil || got != whole):
			t.Errorf("%s: %d bytes instead of %d, %v", c.flag, len(got), len(whole), err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.flag, err, c.want)
		case c.want != "" && term.Hint(err) == "" && !strings.Contains(c.flag, "-1"):
			t.Errorf("%s: no hint", c.flag)
		}
	}
}

// The default limits have room for balls that rest in a lattice while another ball moves, and for a large
// mesh that touches a copy of itself.
func TestDefaultLimits(t *testing.T) {
	const n, neighbors = 30, 13 // the boxes of diagonal neighbors also overlap
	text := strings.Builder{}
	for i := range n * n * n {
		fmt.Fprintf(&text, `,{"mesh":"a.obj","poses":[[0,%.2f,%.2f,%.2f]]}`, 1.98*float64(i%n), 1.98*float64(i/n%n), 1.98*float64(i/n/n))
	}
	path := sceneFiles(t, map[string]string{"a.obj": oneTriangle, "scene.json": `{"bodies":[` + text.String()[1:] + `]}`})
	s, err := readScene(path, nil, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.memory.maxPairs(); got < neighbors*n*n*n {
		t.Errorf("%d pairs of %d bodies", got, n*n*n)
	}
	if got, want := s.defaultRows(), int64(6*4*n*n*n*40); got < want {
		t.Errorf("%d rows, want at least %d, for 40 steps of six contacts of four nodes for each ball", got, want)
	}

	const faces = 100_000
	mesh := oneTriangle[:strings.Index(oneTriangle, "f")] + strings.Repeat("f 1 2 3\n", faces)
	path = sceneFiles(t, map[string]string{"a.obj": mesh, "scene.json": manyBodies(2, `{"mesh":"a.obj"}`)})
	if s, err = readScene(path, nil, 0, false); err != nil {
		t.Fatal(err)
	}
	solid, err := inpoly.Open(t.Context(), filepath.Join(filepath.Dir(path), "a.obj"), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.countMeshes([]*inpoly.Solid{solid, solid})
	if got := s.memory.maxPairs(); got < 6*faces {
		t.Errorf("%d pairs of triangles of two meshes of %d", got, faces)
	}
}

// A small scene of large meshes must not make the garbage collector run all the time.
func TestSceneRestoresTheMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	path := sceneFiles(t, map[string]string{"a.obj": oneTriangle, "scene.json": manyBodies(1, `{"mesh":"a.obj"}`)})
	if _, err := readScene(path, nil, 0, false); err != nil {
		t.Fatal(err)
	}
	if after := debug.SetMemoryLimit(before); after != before {
		t.Errorf("the limit is %d after the scene is read, it was %d", after, before)
	}
}
