package arch

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goMods returns the go.mod files of the repository, relative to the root: first the file of the root
// module.
func goMods(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"go.mod", "*/go.mod", "*/*/go.mod", "*/*/*/go.mod", "*/*/*/*/go.mod"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel("../..", f)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, filepath.ToSlash(rel))
		}
	}
	if len(files) < 2 {
		t.Skip("not in a checkout: the module zip has no nested modules")
	}
	for _, want := range []string{"beam", "evidence/bench", "dem", "bindings/js/page", "bindings/js/page/browser", "evidence/repro", "tools", "tools/compare", "tools/doors", "tools/release"} {
		if !slices.Contains(files, want+"/go.mod") {
			t.Errorf("no %s/go.mod", want)
		}
	}
	return files
}

// requirement matches a line of a go.mod file that requires a module.
var requirement = regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.-]+\.[a-z]+/\S+) (v\S+)`)

// TestOneVersion checks that all modules of the repository require the same version of a dependency,
// so that tests and commands of all modules run the same code. All have the same line `go`.
func TestOneVersion(t *testing.T) {
	type use struct{ version, file string }
	uses := map[string]use{}
	goLine := regexp.MustCompile(`(?m)^go (\S+)$`)
	for _, file := range goMods(t) {
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		required := requirement.FindAllSubmatch(text, -1)
		if m := goLine.FindSubmatch(text); m != nil {
			required = append(required, [][]byte{nil, []byte("go"), m[1]})
		}
		if len(required) < 3 && file != "bindings/js/test/app/go.mod" { // it has no Go code
			t.Errorf("%s: %d requirements found", file, len(required))
		}
		for _, r := range required {
			name, version := string(r[1]), string(r[2])
			if name == module || strings.HasPrefix(name, module+"/") {
				continue // replaced by folders
			}
			if first, ok := uses[name]; !ok {
				uses[name] = use{version, file}
			} else if first.version != version {
				t.Errorf("%s requires %s %s, but %s requires %s: run `go get` in the folder of the older one, then `go mod tidy`",
					file, name, version, first.file, first.version)
			}
		}
	}
	if len(uses) < 100 {
		t.Errorf("%d dependencies found, want at least 100", len(uses))
	}
}

// TestDocumentedGoVersion checks that documents and messages name the version of Go that go.mod
// requires.
func TestDocumentedGoVersion(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindSubmatch(text)
	if m == nil {
		t.Fatal("go.mod has no line go")
	}
	named := regexp.MustCompile(`\bGo (1\.\d+) or newer`)
	found := 0
	for _, name := range tracked(t) {
		if ext := path.Ext(name); ext != ".md" && ext != ".py" && ext != ".toml" || name == "CHANGELOG.md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil {
			continue // removed, but still in the index
		}
		for _, n := range named.FindAllSubmatch(text, -1) {
			if found++; string(n[1]) != string(m[1]) {
				t.Errorf("%s says %q, but go.mod requires Go %s", name, n[0], m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("%d texts name a version, want at least 5", found)
	}
}

// TestPinnedActions checks that a workflow uses actions by the hash of a commit, with the tag as a
// comment. The owner of an action can move a tag.
func TestPinnedActions(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*")
	if err != nil {
		t.Fatal(err)
	}
	if files == nil {
		t.Skip("there are no workflows")
	}
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.*)$`)
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	found, hashes := 0, map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
			found++
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %q, want OWNER/NAME@HASH # vX.Y.Z", file, m[1])
			}
			name, version, _ := strings.Cut(m[1], "@")
			if other, ok := hashes[name]; ok && other != version {
				t.Errorf("%s: %s and %s of %s, want one version", file, version, other, name)
			}
			hashes[name] = version
		}
	}
	if found == 0 {
		t.Error("no workflow uses an action: the pattern of this test is wrong")
	}
}

// TestHostedVulnerabilities checks that the hosted workflow runs `make vulnerabilities`, which needs a
// network and is thus no part of the gate.
func TestHostedVulnerabilities(t *testing.T) {
	text, err := os.ReadFile("../../.github/workflows/ci.yml")
	if err != nil {
		t.Skip("there are no workflows")
	}
	if !strings.Contains(string(text), "run: make vulnerabilities\n") {
		t.Error("ci.yml does not run make vulnerabilities")
	}
}
