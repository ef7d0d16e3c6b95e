package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ctype returns the type in ctypes of a C type.
func ctype(c string) string {
	switch {
	case c == "const char *":
		return "c_char_p"
	case strings.HasSuffix(c, "*") || c == "inpoly_progress":
		return "c_void_p"
	case c == "inpoly_type":
		return "c_int32"
	case c == "size_t":
		return "c_size_t"
	}
	return "c_" + strings.TrimSuffix(c, "_t")
}

// pythonStructs returns the file _structs.py.
func (d *description) pythonStructs() string {
	used := map[string]bool{}
	var classes strings.Builder
	for _, s := range d.structs() {
		if s.Only != "" {
			continue
		}
		fmt.Fprintf(&classes, "\n\nclass %s(ctypes.Structure):\n    \"\"\"inpoly_%s\"\"\"\n\n    _fields_ = [\n", title(camel(s.Name)), s.Name)
		for _, f := range s.Fields {
			kind, length, isArray := strings.Cut(f.Type, "[")
			kind = ctype(kind)
			used[kind] = true
			if isArray {
				kind += " * " + strings.TrimSuffix(length, "]")
			}
			fmt.Fprintf(&classes, "        (\"%s\", %s),\n", f.Name, kind)
		}
		classes.WriteString("    ]\n")
	}
	var floats string
	var indexes []string
	for i, name := range d.words("type") {
		if strings.HasPrefix(name, "float") {
			floats += fmt.Sprintf("%s = %d\n", constant(name), i)
		} else {
			indexes = append(indexes, fmt.Sprintf("\"%s\": %d", name, i))
		}
	}
	return "\"\"\"The structures of the C interface, in the order of bindings/c/inpoly.h.\n\n" +
		"`make api` writes this file from bindings/api.json.\n\"\"\"\n\nfrom __future__ import annotations\n\nimport ctypes\n" +
		"from ctypes import " + strings.Join(slices.Sorted(maps.Keys(used)), ", ") + "\n\n" +
		fmt.Sprintf("ABI_VERSION = %d\n", d.ABIVersion) + classes.String() +
		"\n\n" + floats + "\n# Types of indexes of vertices, by the name of the NumPy type.\nINDEX_TYPES = {" + strings.Join(indexes, ", ") + "}\n"
}

// literal returns the definition of a type in Python.
func literal(name string, words []string) string {
	line := name + " = Literal[" + strings.Join(quoted(words), ", ") + "]\n"
	if len(line) > margin {
		line = name + " = Literal[\n" + list("    ", quoted(words)) + "]  # fmt: skip\n"
	}
	return line
}

func (d *description) pythonTypes() string {
	var out []string
	for _, l := range d.Words {
		if l.Python != "" {
			out = append(out, fmt.Sprintf("#: Values of the argument %s.\n%s", l.Name, literal(l.Python, d.words(l.Name))))
		}
	}
	out = append(out, "#: Names of the answers of Solid.locate.\n"+literal("Answer", names(in("python", d.Answers))))
	return strings.Join(out, "\n")
}

func names(fields []field) (out []string) {
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return out
}

// pythonOptions returns the options of Solid, and of open unless they are written by hand. files selects those of open.
func (d *description) pythonOptions(files bool) (out []field) {
	for _, f := range in("python", d.Options) {
		if !f.Files || files && f.Type != "bool" { // the type of the result depends on split_bodies
			out = append(out, f)
		}
	}
	return out
}

// signature returns parameters of a function in Python.
func (d *description) signature(indent string, fields []field) string {
	var out strings.Builder
	for _, f := range fields {
		kind, value := "SupportsIndex", "0"
		if l := d.find(f.Type); l != nil {
			kind, value = l.Python, `"`+l.Values[0].Name+`"`
		} else if f.Type == "number" {
			kind, value = "Number", "0.0"
		}
		fmt.Fprintf(&out, "%s%s: %s = %s,\n", indent, f.Name, kind, value)
	}
	return out.String()
}

// arguments returns the parameters as arguments of the same names.
func arguments(indent string, fields []field) string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name+"="+f.Name)
	}
	return list(indent, out)
}

// parameters describes options as docstrings do.
func (d *description) parameters(indent string, fields []field) string {
	var out strings.Builder
	for _, f := range fields {
		kind, doc := "int", sentences(f.Doc)
		switch l := d.find(f.Type); {
		case l != nil:
			kind = "{" + strings.Join(quoted(d.words(l.Name)), ", ") + "}"
			if l.described() {
				doc = sentences(d.describe(f))
			}
		case f.Type == "number":
			kind = "float"
		case f.Type == "bool":
			kind = "bool"
		}
		if f.Zero != "" {
			doc += " 0 means " + f.Zero + "."
		}
		fmt.Fprintf(&out, "%s%s : %s\n%s\n", indent, f.Name, kind, comment(indent+"    ", indent+"    ", doc, ""))
	}
	return out.String()
}

// kinds returns the names of options that _options.py checks in the same way.
func (d *description) kinds() string {
	var words, numbers []string
	var integers strings.Builder
	limits := map[string]string{"int32": "2**31 - 1", "int64": "2**63 - 1", "uint64": "2**64 - 1"}
	for _, f := range in("python", d.Options) {
		switch {
		case d.find(f.Type) != nil:
			words = append(words, f.Name)
		case f.Type == "number":
			numbers = append(numbers, f.Name)
		case limits[f.Type] != "":
			fmt.Fprintf(&integers, "    \"%s\": (0, %s),\n", f.Name, limits[f.Type])
		}
	}
	return "_WORDS = (" + strings.Join(quoted(words), ", ") + ")\n_NUMBERS = (" + strings.Join(quoted(numbers), ", ") + ")\n" +
		"_INTEGERS = {\n" + integers.String() + "}\n"
}

func (d *description) python() (parts []part) {
	const folder = "bindings/python/src/inpoly/"
	choices, sides, elements := "", "", ""
	for i, w := range d.words("which") {
		choices += fmt.Sprintf(", \"%s\": %d", w, i)
	}
	for i, v := range d.find("side").Values {
		sides += fmt.Sprintf("    #: %s\n    %s = %d\n", sentences(v.Doc), constant(v.Name), i)
	}
	for _, f := range in("python", d.Answers) {
		elements += fmt.Sprintf("    \"%s\": (np.dtype(np.%s), %d),\n", f.Name, f.Type, max(1, f.Width))
	}
	all, some := d.pythonOptions(true), d.pythonOptions(false)
	var files []field
	for _, f := range in("python", d.Options) {
		if f.Files {
			files = append(files, f)
		}
	}
	// A backslash joins the lines of a docstring.
	const first = "        *answers : {"
	answers := strings.Fields(strings.Join(quoted(names(in("python", d.Answers))), ", "))
	answerList := strings.TrimPrefix(strings.Join(wrap(first, "", answers), " \\\n"), first)
	which := strings.Join(quoted(d.words("which")), ", ")
	shared := append(names(some), "progress", "warn")
	return []part{
		{folder + "_structs.py", `(?s)\A(.*)\z`, d.pythonStructs()},
		{folder + "_types.py", `(?s)# .make api. writes the types[^\n]*\n\n(.*?)\n\nclass `, d.pythonTypes()},
		{folder + "_options.py", `(?s)\n(_WORDS = .*?\n\}\n)`, d.kinds()},
		{folder + "_answers.py", `(?s)\n(    #: The point is not finite.*?)\n\n#: Sides`, sides},
		{folder + "_answers.py", `(?s)\n_TYPES: [^\n]*\n(.*?)\}`, elements},
		{folder + "_solid.py", `\n_CHOICES = \{(.*)\}`, strings.TrimPrefix(choices, ", ")},
		{folder + "_solid.py", `(?s)\n(    method : \{.*?)    progress : `, d.parameters("    ", some)},
		{folder + "_solid.py", `(?s)\n(        method: Method.*?)        progress: `, d.signature("        ", some)},
		{folder + "_solid.py", `(?s)\n( {16}method=method.*?)            \)`, arguments("                ", some)},
		{folder + "_solid.py", `(?s)\*answers : \{(.*?)\}`, answerList},
		{folder + "_solid.py", ` which : \{(.*?)\}`, which},
		{folder + "_open.py", `(?s)\n(    method: Method.*?)    progress: `, d.signature("    ", all)},
		{folder + "_open.py", `(?s)\n( {12}method=method.*?)            split_bodies=`, arguments("            ", all)},
		{folder + "_open.py", `(?s)\n(    split_bodies : .*?)    method, `, d.parameters("    ", files)},
		{folder + "_open.py", `(?s)\n(    method, .*?)\n        See `, strings.Join(wrap("    ", "    ", strings.Fields(strings.Join(shared, ", "))), "\n")},
	}
}
