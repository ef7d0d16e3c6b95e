package loaders_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestCorpusTable compares the table in docs/corpus.md with knownDifferences. Both must list the
// same meshes with the same differences. Each row of the table must also say whether inpoly or the
// manifest is right.
func TestCorpusTable(t *testing.T) {
	text, err := os.ReadFile("../docs/corpus.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for n, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			t.Errorf("line %d: %d cells, want mesh, difference, right, evidence", n+1, len(cells))
			continue
		}
		path := strings.Trim(cells[0], "`")
		if documented[path] {
			t.Errorf("line %d: %s a second time", n+1, path)
		}
		documented[path] = true
		known, ok := knownDifferences[path]
		if !ok {
			t.Errorf("line %d: %s is no known difference", n+1, path)
			continue
		}
		if got := strings.Split(cells[1], "; "); !slices.Equal(got, known.what) {
			t.Errorf("line %d: difference %q, want %q", n+1, got, known.what)
		}
		if !slices.Contains([]string{"inpoly", "manifest", "either"}, cells[2]) || len(cells[3]) < len("because") {
			t.Errorf("line %d: who is right (%q) and why (%q)", n+1, cells[2], cells[3])
		}
	}
	for path := range knownDifferences {
		if !documented[path] {
			t.Errorf("docs/corpus.md lacks %s", path)
		}
	}
}
