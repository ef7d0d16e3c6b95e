package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk checks that a run on a full disk fails with a message of one line, and that the run
// keeps the output of the earlier run.
func TestFullDisk(t *testing.T) {
	dir, small := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	defer syscall.Unmount(small, 0)
	mesh := put(t, dir, "cube.obj", []byte(cube))
	few := put(t, dir, "few.csv", csvOf(cloud(1, 500), "\n"))
	many := put(t, dir, "many.csv", csvOf(cloud(2, 30_000), "\n"))
	out := filepath.Join(small, "o")
	run(t, 0, "-q", "--mesh", mesh, "--points", few, "--out", out)
	before := state(t, small)
	r := run(t, 1, "-q", "--mesh", mesh, "--points", many, "--out", out, "--shard-points", "5000")
	if !strings.Contains(r.stderr, "no space left on device") || !strings.Contains(r.stderr, out+".parts-") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%q, want one line with the file", r.stderr)
	}
	if state(t, small) != before {
		t.Error("the output of the run before has changed")
	}
	list, err := os.ReadDir(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}
