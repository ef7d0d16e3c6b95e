package api

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tables are the files that can list words outside of generated parts, with the reasons.
var tables = map[string]string{
	"side/rule.go":                   "rules of the Go packages",
	"mesh/orient.go":                 "orientations of the Go packages",
	"internal/cli/answer/flags.go":   "flags of the command, which are not all options of the libraries",
	"internal/cli/term/color.go":     "colors, whose values are also auto, always and never",
	"beam/cmd/inpoly-beam/help.txt":  "flags that the programs share; another module",
	"docs/cases.md":                  "columns of a table of sides under each rule",
	"CHANGELOG.md":                   "history",
	"tools/compare/commands.go":      "another module, which compares this version with older ones",
	"tools/doors/drivers/driver.py":  "answers that the libraries compare",
	"tools/doors/drivers/driver.mjs": "answers that the libraries compare",
}

// skipped are folders whose files repeat words on purpose: inputs and expected outputs of tests, measurements, and
// decisions of the past.
var skipped = regexp.MustCompile(`(^|/)(\.git|\.ci|testdata|tests?|node_modules|results|dist|evidence|design|internal/api)(/|$)|_test\.go$`)

var isText = regexp.MustCompile(`\.(go|md|py|js|mjs|ts|h|c|txt|json|html|sh)$|^Makefile$`)

// No file outside of the Go tables and the generated parts lists methods, rules, orientations, options or answers.
func TestNoSecondLists(t *testing.T) {
	d := load(t)
	var scriptOptions, scriptAnswers []string
	for _, f := range in("js", d.Options) {
		scriptOptions = append(scriptOptions, camel(f.Name))
	}
	for _, f := range in("js", d.Answers) {
		scriptAnswers = append(scriptAnswers, f.JS)
	}
	sets := []wordSet{
		{"methods", d.words("method"), 5},
		{"rules", d.words("rule"), 4},
		{"orientations", d.words("orient"), 3},
		{"options of C and Python", names(in("", d.Options)), 7},
		{"options of JavaScript", scriptOptions, 7},
		{"answers of C and Python", names(in("", d.Answers)), 9},
		{"answers of JavaScript", scriptAnswers, 9},
	}

	generated := map[string][]part{}
	for _, p := range d.parts() {
		generated[p.file] = append(generated[p.file], p)
	}
	found, files := map[string]bool{}, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if skipped.MatchString(name) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() || !isText.MatchString(name) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		text := string(data)
		for _, p := range generated[name] {
			text = without(text, p)
		}
		for _, s := range sets {
			for _, list := range s.lists(text) {
				found[name] = true
				if tables[name] == "" {
					t.Errorf("%s lists %s: %q; generate this list from bindings/api.json (see internal/api), or write it otherwise", name, s.name, list)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 500 {
		t.Errorf("found only %d files", files)
	}
	for name := range tables {
		if !found[name] {
			t.Errorf("%s lists no words: remove it from tables", name)
		}
	}
}

// without returns the text of a file without a generated part.
func without(text string, p part) string {
	for _, m := range slices.Backward(regexp.MustCompile(p.place).FindAllStringSubmatchIndex(text, -1)) {
		text = text[:m[2]] + "\n\n\n" + text[m[3]:]
	}
	return text
}

// A wordSet finds lists of its words.
type wordSet struct {
	name  string
	words []string
	least int // number of different words of a list
}

var (
	token = regexp.MustCompile(`\w+`)
	// Between two words of a list are quotes, commas, bars, blanks, or, and.
	gap = regexp.MustCompile(`^[^\w;]{1,12}((or|and|default)[^\w;]{1,12})?$`)
)

// lists returns the parts of a text that contain several of the words, one after the other.
func (s wordSet) lists(text string) (out []string) {
	present := 0
	for _, w := range s.words {
		if strings.Contains(text, w) {
			present++
		}
	}
	if present < s.least { // most files
		return nil
	}
	var words []string
	from, to := 0, 0
	end := func() {
		slices.Sort(words)
		if len(slices.Compact(words)) >= s.least && !strings.Contains(lineAt(text, from), "color") { // its values are auto, always, never
			out = append(out, text[from:to])
		}
		words = nil
	}
	for _, m := range token.FindAllStringIndex(text, -1) {
		word := text[m[0]:m[1]]
		if !slices.Contains(s.words, word) {
			continue
		}
		if words != nil && !gap.MatchString(text[to:m[0]]) {
			end()
		}
		if words == nil {
			from = m[0]
		}
		words, to = append(words, word), m[1]
	}
	end()
	return out
}

func lineAt(text string, i int) string {
	from := strings.LastIndexByte(text[:i], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	return line
}

// The search finds lists in all notations, and no sentences.
func TestSearch(t *testing.T) {
	set := wordSet{"rules", []string{"nonzero", "positive", "negative", "evenodd"}, 4}
	for text, want := range map[string]int{
		`("nonzero", "positive", "negative", "evenodd")`:                 1,
		"`nonzero`, `positive`,\n `negative` or `evenodd`":               1,
		`"nonzero" | "positive" | "negative" | "evenodd"`:                1,
		"| nonzero | positive | negative | evenodd |":                    1,
		"nonzero, positive and negative":                                 0,
		"nonzero means W > 1/2, positive and negative, but evenodd not":  0,
		"x nonzero, nonzero, nonzero, positive; negative is not evenodd": 0,
	} {
		if got := set.lists(text); len(got) != want {
			t.Errorf("%q has the lists %q, want %d", text, got, want)
		}
	}
}
