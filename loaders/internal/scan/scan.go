// Package scan finds words, numbers and lines in the text of mesh files. Places are byte
// offsets; a function that searches from a place never returns one before it.
package scan

import (
	"bytes"
	"encoding/binary"

	"github.com/inpoly/inpoly/internal/decimal"
)

// Number reads the decimal number at b[i:], after blanks but not newlines. It returns the
// place after it. ok is false if there is no number, or if it does not end at white space or
// at the end of b.
func Number(b []byte, i int) (v float64, next int, ok bool) {
	for i < len(b) && IsBlank(b[i]) {
		i++
	}
	v, n, ok := decimal.Parse(b[i:])
	i += n
	return v, i, ok && (i == len(b) || b[i] <= ' ')
}

// IsBlank reports whether c is white space within a line.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// IsSpace reports whether c is white space. NUL counts because some writers pad with it.
func IsSpace(c byte) bool { return IsBlank(c) || c == '\n' || c == 0 }

// SkipBlank returns the first place from i on that holds no blank.
func SkipBlank(b []byte, i int) int {
	for i < len(b) && IsBlank(b[i]) {
		i++
	}
	return i
}

// SkipSpace returns the first place from i on that holds no white space.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && IsSpace(b[i]) {
		i++
	}
	return i
}

// WordEnd returns the end of the word that begins at i.
func WordEnd(b []byte, i int) int {
	for i < len(b) && !IsSpace(b[i]) {
		i++
	}
	return i
}

// LineEnd returns the place of the newline that ends the line at i, or len(b).
func LineEnd(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(b)
}

// LineAt returns the number, from 1, of the line that holds byte i of text.
func LineAt(text []byte, i int) int { return bytes.Count(text[:i], []byte{'\n'}) + 1 }

// Excerpt returns word for a message, shortened.
func Excerpt(word []byte) string {
	const enough = 24
	if len(word) > enough {
		return string(word[:enough]) + "…"
	}
	return string(word)
}

// UTF16Order returns the byte order of UTF-16 text, or nil. The text begins with a byte order
// mark. The code units after it must be ASCII, to exclude binary data.
func UTF16Order(data []byte) binary.ByteOrder {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	default:
		return nil
	}
	const look = 16 // code units
	for i := 2; i+2 <= min(len(data), 2+2*look); i += 2 {
		if c := order.Uint16(data[i:]); c == 0 || c >= 0x80 {
			return nil
		}
	}
	return order
}

// ASCIIUnits returns the first code units of UTF-16 text as bytes, up to the first that is not
// ASCII.
func ASCIIUnits(data []byte, order binary.ByteOrder) []byte {
	const look = 4096 // code units
	text := make([]byte, 0, look)
	for i := 2; i+2 <= len(data) && len(text) < look; i += 2 {
		c := order.Uint16(data[i:])
		if c >= 0x80 {
			break
		}
		text = append(text, byte(c))
	}
	return text
}

// FirstWord returns the first word of text in UTF-8 or UTF-16: at most its first 16 bytes.
func FirstWord(data []byte) string {
	if order := UTF16Order(data); order != nil {
		data = ASCIIUnits(data, order)
	}
	word := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	const longest = 16
	word = word[:min(len(word), longest)]
	if i := bytes.IndexAny(word, " \t\r\n"); i >= 0 {
		word = word[:i]
	}
	return string(word)
}

// CutLines cuts text into chunks of about size bytes that end after a newline, and returns
// their ends.
func CutLines(text []byte, size int) []int {
	var ends []int
	for at := 0; at < len(text); {
		end := len(text)
		if len(text)-at > size {
			end = min(LineEnd(text, at+size)+1, len(text))
		}
		ends = append(ends, end)
		at = end
	}
	return ends
}
