package proof

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// python runs testdata/driver.py and returns the lines of its output. It skips the test if there is no
// Python.
func python(t *testing.T, args ...string) []string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing: proofs are not checked")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "check.py"), Checker, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"testdata/driver.py", dir}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the checker failed: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// write writes a proof file to dir and returns its path, its bytes and its summary.
func write(t *testing.T, dir, name string, s *inpoly.Solid, claims []Claim) (path string, data []byte, sum Summary) {
	t.Helper()
	var buf bytes.Buffer
	sum, err := Write(context.Background(), &buf, s, Source{Name: name}, claims)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	path = filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(name))
	save(t, path, buf.Bytes())
	return path, buf.Bytes(), sum
}

func save(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func claimsOf(t *testing.T, s *inpoly.Solid, pts []r3.Vector, distances bool) []Claim {
	t.Helper()
	claims, err := Claims(context.Background(), s, pts, distances)
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// points returns the lines of the points of a proof file.
func points(data []byte) []string {
	_, after, _ := strings.Cut(string(data), "\npoints ")
	lines := strings.Split(strings.TrimSuffix(after, "\nend\n"), "\n")
	return lines[1:]
}
