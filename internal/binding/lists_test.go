package binding_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// lists are the places, outside of Go, that list words: a file, an expression whose first group is the list, and the
// words that it can have besides.
var lists = map[string][]struct{ file, list string }{
	"methods": {
		{"bindings/c/inpoly.h", `const char \*method; +/\* (.*); NULL`},
		{"bindings/python/src/inpoly/_types.py", `Method = Literal\[(.*)\]`},
		{"bindings/python/src/inpoly/_solid.py", `method : \{(.*)\}`},
		{"bindings/js/lib/index.d.ts", `method\?: (.*);`},
		{"docs/javascript.md", "\\| `method` \\| (.*); see"},
		{"docs/glossary.md", `\*\*method\*\* \| a strategy that a user can name: (.*) \|`},
		{"internal/cli/help.txt", `--method NAME +(.*)\. All`},
	},
	"rules": {
		{"bindings/c/inpoly.h", `const char \*rule; +/\* (.*); NULL`},
		{"bindings/python/src/inpoly/_types.py", `Rule = Literal\[(.*)\]`},
		{"bindings/python/src/inpoly/_solid.py", `rule : \{(.*)\}`},
		{"bindings/js/lib/index.d.ts", `rule\?: (.*);`},
		{"docs/javascript.md", "\\| `rule` \\| (.*); see"},
		{"docs/glossary.md", `\*\*rule\*\* \| a function from winding numbers to sides: (.*) \|`},
		{"proof/check.py", `(?m)^RULES = \((.*)\)`},
	},
	"orientations": {
		{"bindings/c/inpoly.h", `const char \*orient; +/\* (.*); NULL`},
		{"bindings/python/src/inpoly/_types.py", `Orient = Literal\[(.*)\]`},
		{"bindings/python/src/inpoly/_solid.py", `orient : \{(.*)\}`},
		{"bindings/js/lib/index.d.ts", `orient\?: (.*);`},
		{"docs/javascript.md", "\\| `orient` \\| (.*): which"},
	},
}

// The lists of methods, rules and orientations of all libraries, texts and documents have the words of the Go packages.
func TestListsOfWords(t *testing.T) {
	words := map[string][]string{"rules": side.RuleNames(), "orientations": mesh.OrientNames()}
	for _, m := range inpoly.Methods() {
		words["methods"] = append(words["methods"], m.String())
	}
	isWord := regexp.MustCompile(`[a-z]+`)
	for what, places := range lists {
		want := slices.Sorted(slices.Values(words[what]))
		for _, p := range places {
			found := regexp.MustCompile(p.list).FindStringSubmatch(read(t, p.file))
			if found == nil {
				t.Errorf("%s has no list of %s that matches %s", p.file, what, p.list)
				continue
			}
			got := isWord.FindAllString(found[1], -1)
			got = slices.DeleteFunc(got, func(w string) bool { return w == "or" || w == "default" })
			slices.Sort(got)
			if strings.HasPrefix(p.file, "docs/glossary") && what == "methods" { // auto is no strategy
				got = slices.Sorted(slices.Values(append(got, "auto")))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s lists the %s %v, want %v", p.file, what, got, want)
			}
		}
	}
}

// Each option of the libraries is in the C header, in Python, in JavaScript and in the documents.
func TestListsOfOptions(t *testing.T) {
	snake := func(name string) string {
		return strings.ToLower(regexp.MustCompile(`[A-Z]`).ReplaceAllStringFunc(name, func(c string) string { return "_" + c }))
	}
	header := read(t, "bindings/c/inpoly.h")
	header = header[strings.Index(header, "typedef struct inpoly_options {"):]
	header = header[:strings.Index(header, "}")]
	python, script := read(t, "bindings/python/src/inpoly/_open.py")+read(t, "bindings/python/src/inpoly/_structs.py"), read(t, "bindings/js/lib/arguments.js")
	types, page := read(t, "bindings/js/lib/index.d.ts"), read(t, "docs/javascript.md")
	n := 0
	for _, f := range reflect.VisibleFields(reflect.TypeFor[binding.Options]()) {
		name := f.Tag.Get("json")
		if name == "-" {
			continue
		}
		n++
		for place, has := range map[string]bool{
			"inpoly.h":         regexp.MustCompile(`\b` + snake(name) + `;`).MatchString(header),
			"the Python files": strings.Contains(python, `"`+snake(name)+`"`) && strings.Contains(python, snake(name)+":"),
		} {
			if !has {
				t.Errorf("%s does not have the option %s", place, snake(name))
			}
		}
		if name == "workers" { // WebAssembly has one thread
			continue
		}
		for place, has := range map[string]bool{
			"arguments.js": strings.Contains(script, `"`+name+`"`), "index.d.ts": strings.Contains(types, name+"?: "), "docs/javascript.md": strings.Contains(page, "`"+name+"`"),
		} {
			if !has {
				t.Errorf("%s does not have the option %s", place, name)
			}
		}
	}
	if n < 12 {
		t.Errorf("%d options, want at least 12", n)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
