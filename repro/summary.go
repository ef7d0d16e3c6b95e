package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// claim is a main claim of a paper. Some statements decide it.
type claim struct {
	text string
	ids  []string // patterns of package path
}

// has reports whether a statement decides the claim.
func (c claim) has(s Statement) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool {
		ok, err := path.Match(id, s.ID)
		return ok && err == nil
	})
}

// summary returns what holds of a paper: its main claims, then everything that does not hold, then
// everything that is undecided, and the number of the others. Statements that are not counted are
// left out, except comparisons of times that are our addition.
func (p paper) summary(list []Statement) string {
	var additions []string
	for _, s := range list {
		if s.Uncounted == Addition && s.Decides == Time && s.Verdict != Unchecked {
			additions = append(additions, fmt.Sprintf("%s (**%s**)", s.Phrase, s.Verdict))
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s Statement) bool { return s.Uncounted != "" })
	parts := []string{fmt.Sprintf("[**%s**](#%s)", p.source, anchor(p.title))}
	others := list
	for _, c := range p.main {
		own := slices.DeleteFunc(slices.Clone(list), func(s Statement) bool { return !c.has(s) })
		if len(own) > 0 {
			parts = append(parts, c.text+": "+answer(own))
		}
		others = slices.DeleteFunc(slices.Clone(others), c.has)
	}
	if len(additions) > 0 {
		parts = append(parts, "Our addition: "+strings.Join(additions, "; "))
	}
	for _, cause := range []Cause{Fails, Other, Kernel, Parameters, Noise} {
		if names := phrases(others, No, cause); len(names) > 0 {
			parts = append(parts, "Also **no**"+because(cause)+": "+strings.Join(names, "; "))
		}
	}
	if names := phrases(others, Inconclusive, Noise); len(names) > 0 {
		parts = append(parts, "**Undecided**: "+strings.Join(names, "; "))
	}
	rest := fmt.Sprintf("Others: %d yes", len(phrases(others, Yes, Agrees)))
	if n := len(phrases(others, Unchecked, Agrees)); n > 0 {
		rest += fmt.Sprintf(", %d not at this size", n)
	}
	return strings.Join(append(parts, rest), ". ") + "."
}

// phrases returns the phrases of the statements with a verdict and a cause.
func phrases(list []Statement, v Verdict, cause Cause) []string {
	var names []string
	for _, s := range list {
		if s.Verdict == v && s.Cause == cause {
			names = append(names, s.Phrase)
		}
	}
	return names
}

// because returns causes in parentheses. That a statement does not hold explains nothing.
func because(causes ...Cause) string {
	var list []string
	for _, c := range causes {
		if text := string(c); c != Fails && c != Agrees && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// answer returns the verdicts of the statements that decide a claim. If they differ, it names the
// statements. It also shows what was found for those that fail, or if none fails, for the undecided ones.
func answer(list []Statement) string {
	var texts []string
	found := ""
	for _, v := range []Verdict{No, Inconclusive, Yes, Unchecked} {
		own := slices.DeleteFunc(slices.Clone(list), func(s Statement) bool { return s.Verdict != v })
		var ids []string
		var causes []Cause
		for _, s := range own {
			ids, causes = append(ids, s.ID), append(causes, s.Cause)
		}
		if len(own) > 0 && found == "" && (v == No || v == Inconclusive) {
			found = " – " + findings(own, len(own) < len(list))
		}
		text := "**" + string(v) + "**"
		switch {
		case len(ids) == 0:
			continue
		case len(ids) == len(list):
		case len(ids) <= 2:
			text += " for " + strings.Join(ids, " and ")
		default:
			text += fmt.Sprintf(" for %d of %d", len(ids), len(list))
		}
		texts = append(texts, text+because(causes...))
	}
	return strings.Join(texts, "; ") + found
}

// findings returns what was found for some statements, if the same quantity was found for all. Otherwise
// it returns what was found for the first, with its name.
func findings(list []Statement, named bool) string {
	first := firstClause(list[0].Ours)
	quantity, _, ok := strings.Cut(first, ": ")
	values := make([]string, len(list))
	for k, s := range list {
		name, value, _ := strings.Cut(firstClause(s.Ours), ": ")
		ok, values[k] = ok && name == quantity, value
	}
	switch {
	case ok && len(list) > 1:
		return quantity + ": " + strings.Join(values, ", ")
	case named || len(list) > 1:
		return list[0].ID + ": " + first
	}
	return first
}

var (
	// A range of numbers in parentheses is part of a finding.
	parenthesis = regexp.MustCompile(` \([^()]*[^().–\d][^()]*\)`)
	clauseEnd   = regexp.MustCompile(`; |\. \p{Lu}`)
)

// firstClause returns a text up to the first semicolon or end of a sentence, without remarks in
// parentheses. Its first word begins with a small letter, if that is not a name.
func firstClause(s string) string {
	s = parenthesis.ReplaceAllString(s, "")
	if end := clauseEnd.FindStringIndex(s); end != nil {
		s = s[:end[0]]
	}
	s = strings.TrimSuffix(s, ".")
	first, n := utf8.DecodeRuneInString(s)
	if word, _, _ := strings.Cut(s, " "); word == "A" || len(word) > n && word[n:] == strings.ToLower(word[n:]) {
		s = string(unicode.ToLower(first)) + s[n:]
	}
	return s
}
