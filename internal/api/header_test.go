package api

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// cTypes has the C types of options. Words are strings.
var cTypes = map[string]string{
	"number": "double", "bool": "int32_t", "int32": "int32_t", "int64": "int64_t", "uint64": "uint64_t",
	"float64": "double",
}

// structs returns all structs of the C interface, with C types and comments.
func (d *description) structs() []structure {
	options := structure{Name: "options"}
	for _, f := range in("c", d.Options) {
		if f.Only == "" {
			f.Doc = d.describe(f)
			switch {
			case d.find(f.Type) != nil:
				f.Doc += fmt.Sprintf("; NULL: %q", d.words(f.Type)[0])
				f.Type = "const char *"
			case f.Zero != "":
				f.Doc += "; 0: " + f.Zero
			case f.Type == "bool":
				f.Doc = "not 0: " + f.Doc
			}
			if c := cTypes[f.Type]; c != "" {
				f.Type = c
			}
		}
		options.Fields = append(options.Fields, f)
	}
	answers := structure{Name: "answers"}
	for _, f := range in("c", d.Answers) {
		if f.Only == "" {
			f.Doc = f.perPoint()
			c := cTypes[f.Type]
			if c == "" {
				c = f.Type + "_t"
			}
			f.Type = c + " *"
		}
		answers.Fields = append(answers.Fields, f)
	}
	return append([]structure{options, answers}, d.Structs...)
}

// declaration returns the declaration of a field in C.
func (f field) declaration() string {
	kind, length, isArray := strings.Cut(f.Type, "[")
	space := " "
	if strings.HasSuffix(kind, "*") {
		space = ""
	}
	if isArray {
		length = "[" + length
	}
	return "  " + kind + space + f.Name + length + ";"
}

// members returns the declarations of the fields in C, with comments in a column.
func (s *structure) members() string {
	column := 0
	for _, f := range s.Fields {
		if f.Doc != "" {
			column = max(column, len(f.declaration()))
		}
	}
	return rows(len(s.Fields), column, func(i int) (code, doc string) { return s.Fields[i].declaration(), s.Fields[i].Doc })
}

// rows returns n lines of code with comments in a column.
func rows(n, column int, row func(i int) (code, doc string)) string {
	var out strings.Builder
	for i := range n {
		code, doc := row(i)
		if doc != "" {
			first := code + strings.Repeat(" ", column+1-utf8.RuneCountInString(code)) + "/* "
			code = comment(first, strings.Repeat(" ", column+4), doc, " */")
		}
		out.WriteString(code + "\n")
	}
	return out.String()
}

// initializer returns the value of the _INIT macro.
func (s *structure) initializer() string {
	var values []string
	for _, f := range s.Fields {
		value := "0"
		kind, length, isArray := strings.Cut(f.Type, "[")
		switch {
		case f.Init != "":
			value = f.Init
		case f.Name == "size":
			value = "sizeof(inpoly_" + s.Name + ")"
		case isArray:
			value = "{" + strings.Repeat("0, ", int(length[0]-'0')-1) + "0}"
		case kind == "double":
			value = "0.0"
		case strings.HasSuffix(kind, "*") || kind == "inpoly_progress":
			value = "NULL"
		}
		values = append(values, value)
	}
	return "  { " + strings.Join(values, ", ") + " }"
}

// constants returns the constants of an enum in C.
func (l *wordList) constants() string {
	var codes, docs []string
	column := 0
	for _, v := range l.Values {
		if v.in("c") {
			code := fmt.Sprintf("  %s%s = %d,", l.C, constant(v.Name), l.First+len(codes))
			codes, docs = append(codes, code), append(docs, v.Doc)
			if v.Doc != "" {
				column = max(column, len(code))
			}
		}
	}
	codes[len(codes)-1] = strings.TrimSuffix(codes[len(codes)-1], ",")
	return rows(len(codes), column, func(i int) (code, doc string) { return codes[i], docs[i] })
}

func constant(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }

func (d *description) header() (parts []part) {
	const file = "bindings/c/inpoly.h"
	parts = append(parts, part{file, `(?m)^#define INPOLY_ABI_VERSION (\d+)$`, fmt.Sprint(d.ABIVersion)})
	for _, s := range d.structs() {
		parts = append(parts, part{file, `(?s)typedef struct inpoly_` + s.Name + ` \{\n(.*?)\} inpoly_` + s.Name + `;`, s.members()})
		if s.Fields[0].Name == "size" {
			parts = append(parts, part{file, `#define INPOLY_` + strings.ToUpper(s.Name) + `_INIT \\\n(.*)`, s.initializer()})
		}
	}
	for i := range d.Words {
		if l := &d.Words[i]; l.C != "" {
			parts = append(parts, part{file, `(?s)enum \{\n(  ` + l.C + constant(l.Values[0].Name) + ` .*?)\};`, l.constants()})
		}
	}
	return parts
}
