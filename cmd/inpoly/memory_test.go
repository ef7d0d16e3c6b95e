//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testrace"
)

// --max-memory bounds a whole command: what loading allows, but the index, the search for intersections or the answers do not,
// ends with an error, and no output appears. Several files have one limit.
func TestMemoryLimit(t *testing.T) {
	if testrace.Enabled {
		t.Skip("the race detector takes more memory")
	}
	dir := t.TempDir()
	putAll(t, dir, map[string]string{"scene.json": `{"bodies": [{"mesh": "a.stl"}, {"mesh": "b.stl"}, {"mesh": "c.stl"}, {"mesh": "d.stl"}]}`, "p.csv": "x,y,z\n0,0,0\n9,9,9\n"})
	for name, refine := range map[string]string{"a.stl": "8", "b.stl": "7", "c.stl": "7", "d.stl": "7"} {
		if code, _, text := shell(t, dir, "inpoly make sphere -q --refine "+refine+" --out "+name); code != 0 {
			t.Fatal(text)
		}
	}
	for _, c := range []struct {
		line    string
		refused bool
	}{
		{"check a.stl --max-memory 512M", false},
		{"check a.stl --max-memory 64M", true},
		{"explain a.stl 0,0,0 --max-memory 64M", true},
		{"collide scene.json --out out.csv --max-memory 512M", false},
		{"collide scene.json --out out.csv --max-memory 64M", true},
		{"a.stl b.stl c.stl d.stl p.csv --distance --out out.csv --max-memory 64M", true},
	} {
		os.Remove(filepath.Join(dir, "out.csv"))
		code, _, text := shell(t, dir, "inpoly "+c.line)
		_, err := os.Stat(filepath.Join(dir, "out.csv"))
		switch {
		case !c.refused && code != 0:
			t.Errorf("%s: exit code %d: %s", c.line, code, text)
		case c.refused && (code != 1 || !strings.Contains(text, "memory") || !strings.Contains(text, "hint: ") || err == nil):
			t.Errorf("%s: exit code %d, output %v: %s", c.line, code, err == nil, text)
		}
	}
}
