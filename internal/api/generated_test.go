package api

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// part is a part of a file that is generated.
type part struct {
	file string
	// place is a regular expression. Its group is the part. Each match must have the same text.
	place string
	text  string
}

// parts returns all generated parts.
func (d *description) parts() []part {
	parts := slices.Concat(d.header(), d.python(), d.script())
	methods, rules, orients := d.words("method"), d.words("rule"), d.words("orient")
	statuses := ""
	for _, v := range d.find("status").Values {
		if v.in("c") && v.Name != "ok" {
			statuses += tableRow("`INPOLY_"+constant(v.Name)+"`", v.Doc)
		}
	}
	return append(parts,
		part{"docs/c.md", `\| status \| cause \|\n.*\n((?:\|.*\n)+)`, statuses},
		part{"docs/glossary.md", `\*\*method\*\* \| a strategy that a user can name: (.*) \|`, strings.Join(methods[1:], ", ")}, // auto is none
		part{"docs/glossary.md", `\*\*rule\*\* \| a function from winding numbers to sides: (.*) \|`, strings.Join(rules, ", ")},
		part{"internal/cli/help.txt", `--method NAME +(.*)\.`, or(methods)},
		part{"options.go", `// ParseMethod returns the method with the given name: (.*)\. It`, or(methods)},
		part{"doc.go", `// ParseRule returns the rule with the given name: (.*)\.`, or(rules)},
		part{"side/rule.go", `// ParseRule returns the rule with the given name: (.*)\. Upper`, or(rules)},
		part{"doc.go", `// ParseOrient returns the value with the given name: (.*)\.`, or(orients)},
		part{"mesh/orient.go", `// ParseOrient returns the mode with the given name: (.*)\. It`, or(orients)},
		part{"docs/proofs.md", `(?m)^orient MODE +(.*)$`, or(orients)},
		part{"proof/check.py", `(?m)^RULES = \((.*)\)`, strings.Join(quoted(rules), ", ")},
		part{"proof/check.py", `(?m)^ORIENTS = \((.*)\)`, strings.Join(quoted(orients), ", ")},
	)
}

// The generated parts have the content of bindings/api.json. INPOLY_UPDATE=1 writes them.
func TestGenerated(t *testing.T) {
	texts, old := map[string]string{}, map[string]string{}
	for _, p := range load(t).parts() {
		text, ok := texts[p.file]
		if !ok {
			text = read(t, p.file)
			old[p.file] = text
		}
		place := regexp.MustCompile(p.place)
		found := place.FindAllStringSubmatchIndex(text, -1)
		if len(found) == 0 {
			t.Errorf("%s has no place for a generated part: %s", p.file, p.place)
		}
		for _, m := range slices.Backward(found) {
			text = text[:m[2]] + p.text + text[m[3]:]
		}
		texts[p.file] = text
		if again := place.FindStringSubmatch(text); len(found) > 0 && (again == nil || again[1] != p.text) {
			t.Errorf("%s: the generated part does not end where %s says", p.file, p.place)
		}
	}
	if t.Failed() {
		return
	}
	for file, text := range texts {
		switch {
		case text == old[file]:
		case os.Getenv("INPOLY_UPDATE") == "1":
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(text), 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s differs from bindings/api.json: run `make api`\n%s", file, difference(old[file], text))
		}
	}
}

// difference returns the first line that differs.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "has  " + a[i] + "\nwant " + b[i]
		}
	}
	return "has another number of lines"
}
