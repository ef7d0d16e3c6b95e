package api

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// margin is the largest number of characters in a line.
const margin = 120

// wrap divides words into lines of at most margin characters. first begins the first line, and next the others.
func wrap(first, next string, words []string) (lines []string) {
	line, empty := first, true
	for _, w := range words {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > margin {
			lines = append(lines, line)
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line += w
		empty = false
	}
	return append(lines, line)
}

// comment returns a comment. first begins the first line, next the others, and last ends the last one. No line ends
// with < or >.
func comment(first, next, text, last string) string {
	text = strings.NewReplacer(" > ", "\x00>\x00", " < ", "\x00<\x00").Replace(text)
	words := strings.Fields(text)
	words[len(words)-1] += last
	return strings.ReplaceAll(strings.Join(wrap(first, next, words), "\n"), "\x00", " ")
}

// list returns items, each with a comma at the end, in lines with the given indent.
func list(indent string, items []string) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = item + ","
	}
	return strings.Join(wrap(indent, indent, words), "\n") + "\n"
}

func quoted(names []string) (out []string) {
	for _, n := range names {
		out = append(out, `"`+n+`"`)
	}
	return out
}

// or joins names as a sentence does.
func or(names []string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " or " + names[n]
}

// sentences returns a text whose parts end with semicolons as sentences.
func sentences(doc string) string {
	parts := strings.Split(doc, "; ")
	for i := range parts {
		parts[i] = title(parts[i]) + "."
	}
	return strings.Join(parts, " ")
}

// values lists the words of an option between two quotes, with their descriptions if they have any. mark follows the
// first word, which is the default.
func (l *wordList) values(begin, end, mark string) string {
	var out []string
	for i, v := range l.Values {
		notes := []string{mark, v.Doc}
		if i > 0 {
			notes[0] = ""
		}
		notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
		text := begin + v.Name + end
		if len(notes) > 0 {
			text += " (" + strings.Join(notes, ": ") + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// described reports whether the words have descriptions.
func (l *wordList) described() bool { return l.Values[0].Doc != "" }

// describe returns the description of an option with its words.
func (d *description) describe(f field) string {
	if l := d.find(f.Type); l != nil {
		return f.Doc + ": " + l.values(`"`, `"`, "")
	}
	return f.Doc
}

// perPoint returns the description of an answer with the number of its elements.
func (f field) perPoint() string {
	if f.Width > 0 {
		return fmt.Sprintf("%d for each point: %s", f.Width, f.Doc)
	}
	return f.Doc
}

func (v word) in(library string) bool { return v.Only == "" || v.Only == library }
