// Package quote makes text from files, file names and flags safe to print. A character that
// strconv.IsPrint rejects becomes an escape sequence of Go, such as \x1b, \n, \u0085 or \u202e.
// These are control characters, line separators, bidirectional controls, other invisible characters
// and bytes that are not UTF-8.
package quote

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Word returns a word from a file in quotes, for use in a message. It cuts the word after forty
// bytes and marks the cut with an ellipsis.
func Word[T ~string | ~[]byte](word T) string {
	const most = 40
	if len(word) <= most {
		return strconv.Quote(string(word))
	}
	return strconv.Quote(string(word[:cut(word, most)])) + "…"
}

// Line returns the text of a message or of a line of a report as one line. It escapes line ends
// too. It adds no quotes, and a backslash or a quote in the text stays as it is. An ellipsis
// replaces the middle of a text of more than 2000 bytes. So the file name at the beginning of the
// text and the reason at its end stay visible.
func Line(text string) string {
	const most = 2000
	if len(text) > most {
		text = text[:cut(text, most/2)] + "…" + text[cut(text, len(text)-most/2):]
	}
	escaped := strconv.Quote(text)
	return unquote.Replace(escaped[1 : len(escaped)-1])
}

var unquote = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// JSON escapes the characters of a JSON text that a terminal would not print. Line feeds stay,
// because they separate lines of the text. The result has the same JSON value.
func JSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == '\n' || r != utf8.RuneError && strconv.IsPrint(r) {
			out = append(out, text[:n]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		text = text[n:]
	}
	return out
}

// cut returns the start of the character that contains byte i, or i for a byte that is not UTF-8.
func cut[T ~string | ~[]byte](text T, i int) int {
	for k := i; k > 0 && k > i-utf8.UTFMax; k-- {
		if utf8.RuneStart(text[k]) {
			return k
		}
	}
	return i
}
