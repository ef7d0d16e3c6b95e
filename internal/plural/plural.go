// Package plural writes counts of things in English.
package plural

import (
	"strconv"
	"strings"
)

// Count returns n with its noun: "1 row", "2 rows", "3 bodies".
func Count(n int64, noun string) string { return strconv.FormatInt(n, 10) + " " + Noun(n, noun) }

// Noun returns the form of noun that follows n: noun itself after 1, else its
// plural, which ends in -s, or in -ies for a noun in -y.
func Noun(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return stem + "ies"
	}
	return noun + "s"
}
