package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// TestProposedValues checks the values of flags that a shell offers.
func TestProposedValues(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"--keep", "inside outside on off uncertain doubtful"},
		{"segments --keep", "inside outside on off uncertain"},
		{"segments --dip", "down-negative down-positive"},
		{"voxels --rule", "nonzero positive negative evenodd"},
		{"measure --by", "mesh body component"},
		{"section --format", "svg geojson csv"},
		{"blocks --stats", "json"},
		{"view --body", "first innermost"},
	} {
		var out bytes.Buffer
		code := Run(t.Context(), &term.Terminal{Out: &out, Err: &bytes.Buffer{}}, append([]string{"__completeNoDesc"}, append(strings.Fields(c.line), "")...))
		got, _, _ := strings.Cut(out.String(), "\n:")
		if got = strings.Join(strings.Fields(got), " "); code != term.ExitDone || got != c.want {
			t.Errorf("%s: %q with exit code %d, want %q", c.line, got, code, c.want)
		}
	}
}

func TestParseShard(t *testing.T) {
	for _, c := range []struct {
		in   string
		i, n int
		ok   bool
	}{
		{"", 0, 0, true}, {"1/1", 1, 1, true}, {"3/8", 3, 8, true},
		{"0/8", 0, 0, false}, {"9/8", 0, 0, false}, {"3", 0, 0, false}, {"a/b", 0, 0, false}, {"1/0", 0, 0, false}, {"1/2/3", 0, 0, false},
	} {
		if i, n, err := parseShard(c.in); i != c.i || n != c.n || (err == nil) != c.ok {
			t.Errorf("parseShard(%q) = %d, %d, %v; want %d, %d, %v", c.in, i, n, err, c.i, c.n, c.ok)
		}
	}
}
