// Package api has only tests. They generate the lists of options, answers and words in the libraries, the help and
// the documents from bindings/api.json, compare this description with the Go packages, and find lists that were typed
// a second time.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

const root = "../.."

// description is the content of bindings/api.json. Names are those of C; the other languages derive theirs.
type description struct {
	ABIVersion int         `json:"abi_version"`
	Words      []wordList  // values that have names
	Options    []field     // of inpoly_options, in its order
	Answers    []field     // of inpoly_answers, in its order
	Structs    []structure // the other structs of the C interface
}

// wordList lists the values of an option or an argument, or numbers that have names.
type wordList struct {
	Name   string
	Python string // name of the type in Python
	C      string // prefix of the constants in C, whose values are First, First + 1 and so on
	First  int
	Values []word
}

type word struct {
	Name, Doc string
	JS        string // description in JavaScript, if it differs
	Only      string // the only library that has it: c or js
}

// field is an option, an answer or a field of a C struct.
type field struct {
	Name string
	// Type of an option: the name of a wordList, number, bool, or a type of integers. Type of an answer: that of its
	// elements. Type of a field that only C has: its C type.
	Type  string
	Width int    // elements of an answer for each point; 0: one
	Doc   string // begins with a small letter and has no period at the end
	Zero  string // meaning of the value 0
	See   string // link in the documents
	Only  string // the only library that has it: c
	Lacks string // a library that lacks it: js
	Files bool   // the option affects only files
	Init  string // value in the _INIT macro, if it is not zero
	Go    string // name in binding.Answers, if it differs
	JS    string // name of the answer in JavaScript
}

type structure struct {
	Name   string
	Only   string // the only library that has it: c
	Fields []field
}

func load(t *testing.T) *description {
	t.Helper()
	d := new(description)
	decoder := json.NewDecoder(bytes.NewReader([]byte(read(t, "bindings/api.json"))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(d); err != nil {
		t.Fatalf("bindings/api.json: %v", err)
	}
	return d
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (d *description) find(list string) *wordList {
	for i := range d.Words {
		if d.Words[i].Name == list {
			return &d.Words[i]
		}
	}
	return nil
}

// words returns the values of a list.
func (d *description) words(list string) (names []string) {
	for _, v := range d.find(list).Values {
		names = append(names, v.Name)
	}
	return names
}

// in returns the fields that a library has: c, python or js. Fields that only C has are not in the Go packages either.
func in(library string, fields []field) (out []field) {
	for _, f := range fields {
		if (f.Only == "" || f.Only == library) && (f.Lacks == "" || f.Lacks != library) {
			out = append(out, f)
		}
	}
	return out
}

func camel(name string) string {
	return regexp.MustCompile(`_[a-z]`).ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// The description has the words of the Go packages, in the same order.
func TestWords(t *testing.T) {
	d := load(t)
	want := map[string][]string{
		"rule": side.RuleNames(), "orient": mesh.OrientNames(),
		"which": {assembly.First.String(), assembly.Innermost.String(), assembly.Count.String()},
	}
	for _, m := range inpoly.Methods() {
		want["method"] = append(want["method"], m.String())
	}
	for c := binding.OK; c <= binding.Internal; c++ {
		want["status"] = append(want["status"], c.String())
	}
	for list, names := range want {
		got := d.words(list)
		if list == "status" { // then those of one library alone
			got = got[:len(names)]
		}
		if !slices.Equal(got, names) {
			t.Errorf("bindings/api.json has the words %q of %s, Go has %q", got, list, names)
		}
	}
}

// The description has the options and the answers of package binding, of the same types, and no others.
func TestFields(t *testing.T) {
	d := load(t)
	kinds := map[string]reflect.Kind{"number": reflect.Float64, "int64": reflect.Int64, "uint64": reflect.Uint64, "int32": reflect.Int, "bool": reflect.Bool}
	for i := range d.Words {
		kinds[d.Words[i].Name] = reflect.String
	}
	options := map[string]reflect.Type{}
	for f := range fieldsOf[binding.Options]() {
		if name := f.Tag.Get("json"); name != "-" {
			options[name] = f.Type
		}
	}
	for _, f := range in("", d.Options) {
		name := camel(f.Name)
		if kind := options[name]; kind == nil || kind.Kind() != kinds[f.Type] {
			t.Errorf("bindings/api.json has the option %s of type %s, binding.Options has the type %v", f.Name, f.Type, kind)
		}
		delete(options, name)
	}
	for name := range options {
		t.Errorf("bindings/api.json lacks the option %s", name)
	}

	sizes := map[string]uintptr{"int8": 1, "int32": 4, "float64": 8}
	answers := map[string]reflect.Type{}
	for f := range fieldsOf[binding.Answers]() {
		if f.Type.Kind() == reflect.Slice {
			answers[f.Name] = f.Type.Elem()
		}
	}
	for _, f := range in("", d.Answers) {
		name := f.Go
		if name == "" {
			name = title(camel(f.Name))
		}
		if element := answers[name]; element == nil || element.Size() != sizes[f.Type]*uintptr(max(1, f.Width)) {
			t.Errorf("bindings/api.json has the answer %s, %d × %s, binding.Answers has the type %v", f.Name, max(1, f.Width), f.Type, element)
		}
		delete(answers, name)
	}
	for name := range answers {
		t.Errorf("bindings/api.json lacks the answer %s", name)
	}
}

func fieldsOf[T any]() func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
			if !yield(f) {
				return
			}
		}
	}
}

// The WebAssembly module has the answers of the description, as arrays of the types in index.d.ts.
func TestWebAssembly(t *testing.T) {
	var got, want []string
	for _, m := range regexp.MustCompile(`\{"(\w+)", "(\w+Array)", (\d), `).FindAllStringSubmatch(read(t, "bindings/js/wasm/locate.go"), -1) {
		got = append(got, fmt.Sprint(m[1:]))
	}
	for _, f := range in("js", load(t).Answers) {
		want = append(want, fmt.Sprint([]string{f.JS, arrays[f.Type], fmt.Sprint(max(1, f.Width))}))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("bindings/js/wasm/locate.go has the answers\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The help of the command describes every word of the flags that are options.
func TestHelp(t *testing.T) {
	d := load(t)
	flags := regexp.MustCompile(`(?s)\n      (--\w+)`).Split(read(t, "internal/cli/help.txt"), -1)
	names := regexp.MustCompile(`\n      --(\w+)`).FindAllStringSubmatch(read(t, "internal/cli/help.txt"), -1)
	for _, flag := range []string{"method", "rule", "orient", "parts"} {
		i := slices.IndexFunc(names, func(m []string) bool { return m[1] == flag })
		if i < 0 {
			t.Errorf("internal/cli/help.txt has no flag --%s", flag)
			continue
		}
		for _, w := range d.words(flag) {
			if !regexp.MustCompile(`\b` + w + `\b`).MatchString(flags[i+1]) {
				t.Errorf("internal/cli/help.txt: --%s does not describe %s", flag, w)
			}
		}
	}
}
