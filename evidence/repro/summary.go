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
	text  string
	ids   []string // patterns of package path
	found string   // what was found, with the number for %s
}

// has reports whether a statement decides the claim.
func (c claim) has(s Statement) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool {
		ok, err := path.Match(id, s.ID)
		return ok && err == nil
	})
}

// rows returns the names of the counted statements that decide the claim.
func (c claim) rows(list []Statement) []string {
	var ids []string
	for _, s := range list {
		if s.Uncounted == "" && c.has(s) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// answer returns whether a claim holds by its counted statements. It also returns the numbers of the first statements
// with this verdict, in the order of the patterns. Without counted statements, it returns empty texts. A claim holds in
// part if some statements hold and others do not.
func (c claim) answer(list []Statement) (holds, number string) {
	own := map[Verdict][]Statement{}
	for _, id := range c.ids {
		for _, s := range list {
			if s.Uncounted == "" && (claim{ids: []string{id}}).has(s) {
				own[s.Verdict] = append(own[s.Verdict], s)
			}
		}
	}
	for _, v := range []Verdict{No, Inconclusive, Unmeasured, Yes, Unchecked} {
		if len(own[v]) > 0 {
			holds, number = string(v), own[v][0].Number
			mixed := v == No && len(own[Yes]) > 0 // the text found is for the first statement
			if n := strings.Count(c.found, "%s"); number != "" && n > 0 && n <= len(own[v]) && !mixed {
				numbers := make([]any, n)
				for i := range numbers {
					numbers[i] = own[v][i].Number
				}
				number = fmt.Sprintf(c.found, numbers...)
			}
			if v == No && len(own[Yes]) > 0 {
				holds = "in part"
			}
			return holds, number
		}
	}
	return "", ""
}

var (
	// A range of numbers in parentheses is part of a finding.
	parenthesis = regexp.MustCompile(` \([^()]*[^(),.–\d ][^()]*\)`)
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
