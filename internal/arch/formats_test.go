package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/formats"
)

// formatLists are the paragraphs that list formats. Each contains the text begin.
var formatLists = []struct {
	file, begin    string
	points, meshes bool
}{
	{"README.md", "- **Formats.** Meshes:", true, true},
	{"docs/formats.md", "| format | read | written | from a pipe", true, false},
	{"docs/points.md", "| format | coordinates |", true, false},
	{"docs/javascript.md", "It reads and writes", true, false},
	{"docs/python.md", "It reads and writes", true, false},
	{"docs/python.md", "Open a mesh file:", false, true},
	{"docs/c.md", "opens a mesh file:", false, true},
	{"docs/page.md", "The format is that of", true, false},
	{"internal/cli/help.txt", "Reads a triangle mesh", true, true},
	{"internal/cli/help.txt", "--format NAME", true, false},
	{"internal/cli/rays/help.txt", "--format NAME", true, false},
	{"internal/cli/segments/help.txt", "--format NAME", true, false},
	{"internal/cli/blocks/help.txt", "--format NAME", true, false},
	{"points/doc.go", "Inputs are text", true, false},
	{"points/doc.go", "Job.Format selects another format", true, false},
	{"loaders/loaders.go", "package reads STL", false, true},
	{"loaders/format.go", "ParseFormat returns", false, true},
	{"bindings/js/page/assets/page.html", "Mesh: STL", true, true},
	{"tools/release/deb.go", "inpoly reads triangle meshes", true, true},
}

// TestFormatsAreNamed checks that the lists of formats for users name all formats of meshes, or all formats of points
// that can be written.
func TestFormatsAreNamed(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^[ \t]*//[ \t]?`)
	for _, list := range formatLists {
		data, err := os.ReadFile(filepath.Join("../..", list.file))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for paragraph := range strings.SplitSeq(comment.ReplaceAllString(string(data), ""), "\n\n") {
			text := strings.Join(strings.Fields(paragraph), " ")
			if !strings.Contains(text, list.begin) {
				continue
			}
			found = true
			for _, f := range formats.List {
				if list.points && f.Output != "" && !namesFormat(text, f.Output, f.Title) {
					t.Errorf("%s does not name the point format %s: add it to the list of formats", list.file, f.Output)
				}
				if list.meshes && f.Mesh && !namesFormat(text, f.Name) {
					t.Errorf("%s does not name the mesh format %s: add it to the list of formats", list.file, f.Name)
				}
			}
		}
		if !found {
			t.Errorf("%s has no paragraph with %q: change formatLists", list.file, list.begin)
		}
	}
}

// namesFormat reports whether a text has one of the names as a word, in upper or lower case.
func namesFormat(text string, names ...string) bool {
	for _, name := range names {
		if name != "" && regexp.MustCompile(`(?i)(^|[^\pL\pN])`+regexp.QuoteMeta(name)+`($|[^\pL\pN])`).MatchString(text) {
			return true
		}
	}
	return false
}
