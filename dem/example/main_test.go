package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inpoly/inpoly/dem/vtk"
)

// TestRun runs the first steps, draws them, and continues from a restart file.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	run := func(until float64, frames int) {
		t.Helper()
		if err := run(t.Context(), dir, until, 2, 100); err != nil {
			t.Fatal(err)
		}
		s, err := vtk.Open(filepath.Join(dir, "pour.pvd"))
		if err != nil || s.Len() != frames {
			t.Fatalf("%d frames, error %v, want %d", s.Len(), err, frames)
		}
	}
	run(.02, 1)
	run(.04, 2)
	for _, name := range []string{"pour-00100.png", "pour-00200.png", "restart.bin"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 10_000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
