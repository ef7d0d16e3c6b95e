// Package plural writes counts of things in English.
package plural

import (
	"strconv"
	"strings"
)

// Count returns n with its noun: "1 row", "2 rows", "3 bodies".
func Count(n int64, noun string) string { return strconv.FormatInt(n, 10) + " " + Noun(n, noun) }

// Grouped is like Count with commas between groups of three digits: "1,234,567 rows".
func Grouped(n int64, noun string) string { return Group(n, ",") + " " + Noun(n, noun) }

// Noun returns the given noun if n is 1. Otherwise it returns the plural, which ends in -s, in -ies
// for a noun that ends in -y but not in -ay, in -ices for a noun that ends in -ex, or in -es for a noun
// that ends in -sh, -ch, -x or -s.
func Noun(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	if stem, ok := strings.CutSuffix(noun, "ex"); ok {
		return stem + "ices"
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") {
		return stem + "ies"
	}
	for _, end := range []string{"sh", "ch", "x", "s"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// Group returns n with the given separator between groups of three digits, for example 1,234,567 if
// the separator is a comma.
func Group(n int64, separator string) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + separator + s[i:]
	}
	return s
}
