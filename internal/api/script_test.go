package api

import (
	"fmt"
	"strings"
)

// arrays has the types of arrays in JavaScript, by the type of an answer. Sides and features are not negative.
var arrays = map[string]string{"int8": "Uint8Array", "int32": "Int32Array", "float64": "Float64Array"}

// scriptType returns the type of an option in JavaScript.
func (d *description) scriptType(f field) string {
	switch {
	case d.find(f.Type) != nil:
		return "string"
	case f.Type == "bool":
		return "boolean"
	}
	return "number"
}

// union returns the type of a list of words in TypeScript.
func union(words []string) string { return strings.Join(quoted(words), " | ") }

// properties declares the options in TypeScript.
func (d *description) properties() string {
	var out strings.Builder
	for _, f := range in("js", d.Options) {
		kind, doc, value := d.scriptType(f), sentences(d.describe(f)), "0"
		switch l := d.find(f.Type); {
		case l != nil:
			kind = union(d.words(l.Name))
			value = `"` + l.Values[0].Name + `"`
			if !l.described() { // the type has the words
				doc = sentences(f.Doc)
			}
		case f.Zero != "":
			value += ", " + f.Zero
		case f.Type == "bool":
			value = "false"
		}
		fmt.Fprintf(&out, "%s\n  %s?: %s;\n", comment("  /** ", "   * ", doc+" Default: "+value+".", " */"), camel(f.Name), kind)
	}
	return out.String()
}

// tableRow returns a row of a table in Markdown.
func tableRow(cells ...string) string {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// optionRows returns the table of the options in docs/javascript.md.
func (d *description) optionRows() string {
	var out strings.Builder
	for _, f := range in("js", d.Options) {
		cell := f.Doc
		if l := d.find(f.Type); l != nil {
			cell += ": " + l.values("`\"", "\"`", "default")
		} else if f.Zero != "" {
			cell += "; default 0: " + f.Zero
		}
		if f.See != "" {
			cell += "; see " + f.See
		}
		out.WriteString(tableRow("`"+camel(f.Name)+"`", cell))
	}
	return out.String()
}

func (d *description) script() []part {
	const folder = "bindings/js/lib/"
	var options, answers, integers, declared, types, sides, codes []string
	var codeRows string
	for _, f := range in("js", d.Options) {
		name, kind := camel(f.Name), d.scriptType(f)
		options = append(options, name)
		types = append(types, fmt.Sprintf("%s: %q", name, kind))
		if strings.Contains(f.Type, "int") {
			integers = append(integers, name)
		}
	}
	for _, f := range in("js", d.Answers) {
		answers = append(answers, f.JS)
		declared = append(declared, fmt.Sprintf("%s\n  %s: %s;\n", comment("  /** ", "   * ", title(f.perPoint())+".", " */"), f.JS, arrays[f.Type]))
	}
	for i, v := range d.find("side").Values {
		sides = append(sides, fmt.Sprintf("%s: %d", constant(v.Name), i))
	}
	for _, v := range d.find("status").Values {
		if v.in("js") {
			if v.JS != "" {
				v.Doc = v.JS
			}
			codes = append(codes, fmt.Sprintf("  | %q // %s", v.Name, v.Doc))
			codeRows += tableRow("`"+v.Name+"`", v.Doc)
		}
	}
	codes[len(codes)-1] = strings.Replace(codes[len(codes)-1], " //", "; //", 1)
	constants := "  readonly " + strings.Join(sides, ";\n  readonly ") + ";\n"
	return []part{
		{folder + "arguments.js", `(?s)export const answers = \[\n(.*?)\];`, list("  ", quoted(answers))},
		{folder + "arguments.js", `const choices = \[(.*?)\];`, strings.Join(quoted(d.words("which")), ", ")},
		{folder + "arguments.js", `(?s)const moduleNames = \[\n(.*?)\];`, list("  ", quoted(options))},
		{folder + "arguments.js", `const integers = \[(.*)\];`, strings.Join(quoted(integers), ", ")},
		{folder + "arguments.js", `(?s)const types = \{\n(.*?)  // and those `, list("  ", types)},
		{folder + "solid.js", `Object\.freeze\(\{ (UNKNOWN.*?) \}\)`, strings.Join(sides, ", ")},
		{folder + "index.d.ts", `(?s)\n(  /\*\* Method for .*?)  /\*\* false: computes`, d.properties()},
		{folder + "index.d.ts", `(?s)\n(  readonly UNKNOWN.*?)\};`, constants},
		{folder + "index.d.ts", `(?s)export interface Answers \{\n(.*?)\}`, strings.Join(declared, "")},
		{folder + "index.d.ts", `  choice\?: (.*);`, union(d.words("which"))},
		{folder + "index.d.ts", `  by\?: (.*);`, union(d.words("by"))},
		{folder + "index.d.ts", `  format\?: (.*);`, union(d.words("format"))},
		{folder + "index.d.ts", `  unit\?: (.*);`, union(d.words("unit"))},
		{folder + "index.d.ts", `(?s)export type Code =\n(.*?)\n\nexport`, strings.Join(codes, "\n")},
		{"docs/javascript.md", "(?s)\\| option \\| meaning \\|\n[^\n]*\n(.*?)\\| `worker` \\|", d.optionRows()},
		{"docs/javascript.md", "\\| code \\| meaning \\|\n.*\n((?:\\|.*\n)+)", codeRows},
	}
}
