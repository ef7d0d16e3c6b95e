package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The assembly in package cells is what this program writes.
func TestKernelsAreWritten(t *testing.T) {
	out := filepath.Join(t.TempDir(), "kernels_amd64.s")
	if msg, err := exec.Command("go", "run", ".", "-out", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../cells/kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	// The first line is the command.
	_, want, _ = bytes.Cut(want, []byte("\n"))
	_, got, _ = bytes.Cut(got, []byte("\n"))
	if len(want) == 0 || !bytes.Equal(got, want) {
		t.Error("cells/kernels_amd64.s differs: run `go run ./kernels -out ../cells/kernels_amd64.s` in tools")
	}
}
