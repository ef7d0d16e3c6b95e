package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

const boxWithoutLid = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"

// TestDoubtEstimate compares the estimate of doubtful points with their exact number. The estimate must not
// depend on the number of workers or the method.
func TestDoubtEstimate(t *testing.T) {
	dir := t.TempDir()
	mesh, points := filepath.Join(dir, "box.obj"), filepath.Join(dir, "p.csv")
	r := rand.New(rand.NewPCG(1, 1))
	var rows strings.Builder
	rows.WriteString("x,y,z\n")
	const n = 20_000
	for range n {
		fmt.Fprintf(&rows, "%.4f,%.4f,%.4f\n", r.Float64(), r.Float64(), 2*r.Float64())
	}
	for path, text := range map[string]string{mesh: boxWithoutLid, points: rows.String()} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	number := func(pattern string, args ...string) float64 {
		t.Helper()
		var out, messages bytes.Buffer
		args = append([]string{mesh, points, "--out", filepath.Join(dir, "out.csv"), "--force"}, args...)
		if code := Run(t.Context(), &term.Terminal{In: strings.NewReader(""), Out: &out, Err: &messages}, args); code != 0 {
			t.Fatalf("%q: exit code %d: %s", args, code, &messages)
		}
		found := regexp.MustCompile(pattern).FindStringSubmatch(messages.String())
		if found == nil {
			t.Fatalf("%q: no %q in %s", args, pattern, &messages)
		}
		x, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	exact := number(`(?m)^([0-9,]+) points are doubtful: `, "--doubt", "0.25") / n
	estimate := number(`(?m)^about ([0-9.]+) % of the points are doubtful: `) / 100
	if exact < .05 || estimate-exact > .06 || exact-estimate > .06 { // four standard deviations of the sample
		t.Errorf("the share of doubtful points is %g, and the estimate %g", exact, estimate)
	}
	for _, args := range [][]string{{"--workers", "1"}, {"--workers", "5"}, {"--method", "fmm"}, {"--method", "raycross"}, {"--state"}} {
		if got := number(`(?m)^about ([0-9.]+) % `, args...) / 100; got != estimate {
			t.Errorf("%q: the estimate is %g, want %g", args, got, estimate)
		}
	}
	for _, args := range [][]string{{"--winding"}, {"--certify"}, {"--keep", "doubtful"}} {
		if got := number(`(?m)^([0-9,]+) points are doubtful: `, args...) / n; got != exact {
			t.Errorf("%q: the share is %g, want %g", args, got, exact)
		}
	}
}
