package kernels

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Each assembly file equals the output of the program that generates it.
func TestKernelsAreWritten(t *testing.T) {
	for _, c := range []struct{ program, file string }{
		{"./cells", "../../internal/engine/cells/internal/layout/kernels_amd64.s"},
		{"./columns", "../../internal/engine/columns/kernels_amd64.s"},
		{"./bem", "../../bem/panels_amd64.s"},
		{"./fmm", "../../fmm/kernels_amd64.s"},
		{"./harmonics", "../../harmonics/kernels_amd64.s"},
		{"./motion", "../../internal/motion/kernels_amd64.s"},
		{"./nearest", "../../internal/engine/nearest/bounds_amd64.s"},
	} {
		out := filepath.Join(t.TempDir(), "out.s")
		if msg, err := exec.Command("go", "run", c.program, "-out", out).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.program, err, msg)
		}
		want, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		// Skip the first line. It contains the command line, which differs between the two files.
		_, want, _ = bytes.Cut(want, []byte("\n"))
		_, got, _ = bytes.Cut(got, []byte("\n"))
		if len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s differs from what %s writes", c.file, c.program)
		}
	}
}
