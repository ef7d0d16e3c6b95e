package proof

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// trial is a proof file with what the checker should say about it.
type trial struct {
	name, data string
	stl        []byte // the source, unless it is nil
	seconds    string // the value of --seconds, unless it is empty
	code       int
	text       string // a part of the output
	trusted    string // all lines of the output that begin with "trusted", unless the code is 1
}

// try runs the checker on all trials, in one process.
func try(t *testing.T, trials []trial) {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	for i, c := range trials {
		path, source := filepath.Join(dir, fmt.Sprintf("%d.proof", i)), "-"
		save(t, path, []byte(c.data))
		if c.stl != nil {
			source = filepath.Join(dir, fmt.Sprintf("%d.stl", i))
			save(t, source, c.stl)
		}
		fmt.Fprintln(&list, path, source, cmp.Or(c.seconds, "inf"))
	}
	path := filepath.Join(dir, "list")
	save(t, path, []byte(list.String()))
	results := python(t, "trials", path)
	if len(results) != len(trials) {
		t.Fatalf("%d results for %d files", len(results), len(trials))
	}
	for i, c := range trials {
		var got struct {
			Code int
			Out  string
		}
		if err := json.Unmarshal([]byte(results[i]), &got); err != nil {
			t.Fatal(err)
		}
		trusted := strings.Join(trustedLines.FindAllString(got.Out, -1), "")
		if got.Code != c.code || !strings.Contains(got.Out, c.text) || trusted != c.trusted && c.code != 1 {
			t.Errorf("%s: exit code %d, expected %d, with %q and %q:\n%s", c.name, got.Code, c.code, c.text, c.trusted, got.Out)
		}
	}
}

var trustedLines = regexp.MustCompile(`(?m)^trusted: .*\n`)

// exitCode returns the exit code of a program, or −1 if it did not run.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// points returns the lines of the points of a proof file.
func points(data []byte) []string {
	_, after, _ := strings.Cut(string(data), "\npoints ")
	lines := strings.Split(strings.TrimSuffix(after, "\nend\n"), "\n")
	return lines[1:]
}
