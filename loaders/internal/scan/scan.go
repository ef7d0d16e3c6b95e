// Package scan finds words, numbers and lines in the text of mesh files. Positions are byte
// offsets.
package scan

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
)

// Number skips blanks from b[i] on and reads a decimal number. It returns the number and the
// position after it. It returns false if there is no number, or if a character other than white
// space follows the number.
func Number(b []byte, i int) (v float64, next int, ok bool) {
	i = SkipBlank(b, i)
	v, n, ok := decimal.Parse(b[i:])
	i += n
	return v, i, ok && (i == len(b) || b[i] <= ' ')
}

// IsBlank reports whether c is white space within a line.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// IsSpace reports whether c is white space or NUL, because some writers pad with NUL.
func IsSpace(c byte) bool { return IsBlank(c) || c == '\n' || c == 0 }

// SkipBlank returns the position of the first byte from b[i] on that is not a blank.
func SkipBlank(b []byte, i int) int {
	for i < len(b) && IsBlank(b[i]) {
		i++
	}
	return i
}

// SkipSpace returns the position of the first byte from b[i] on that is not white space.
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

// LineEnd returns the position of the first newline from b[i] on, or len(b) if there is none.
func LineEnd(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(b)
}

// LineAt returns the number of the line that contains byte i. The first line has number 1.
func LineAt(text []byte, i int) int { return bytes.Count(text[:i], []byte{'\n'}) + 1 }

// UTF16Order returns the byte order of UTF-16 text, or nil if data is not UTF-16 text. Such text
// must begin with a byte order mark. The next 16 code units must be ASCII, to exclude binary data.
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
	for i := 2; i+2 <= min(len(data), 2+2*16); i += 2 {
		if c := order.Uint16(data[i:]); c == 0 || c >= 0x80 {
			return nil
		}
	}
	return order
}

// ASCIIUnits returns the ASCII characters at the beginning of UTF-16 text as bytes. It returns at
// most 4096 bytes.
func ASCIIUnits(data []byte, order binary.ByteOrder) []byte {
	const most = 4096
	text := make([]byte, 0, most)
	for i := 2; i+2 <= len(data) && len(text) < most; i += 2 {
		c := order.Uint16(data[i:])
		if c >= 0x80 {
			break
		}
		text = append(text, byte(c))
	}
	return text
}

// FirstWord returns the first word of text in UTF-8 or UTF-16, cut to 16 bytes.
func FirstWord(data []byte) string {
	if order := UTF16Order(data); order != nil {
		data = ASCIIUnits(data, order)
	}
	word := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	word = word[:min(len(word), 16)]
	if i := bytes.IndexAny(word, " \t\r\n"); i >= 0 {
		word = word[:i]
	}
	return string(word)
}

// JSONMembers reads the JSON object at the beginning of data. It calls visit for each member, with the
// key and with the bytes from the value on. It stops if visit returns false, and at the first byte
// that is not valid. Data can be the beginning of a text. The text can be in UTF-16, and a record mark
// (RFC 7464) can come first.
func JSONMembers(data []byte, visit func(key, value []byte) bool) {
	if order := UTF16Order(data); order != nil {
		data = ASCIIUnits(data, order)
	}
	const recordMark = "\x1e"
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), recordMark+" \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return
	}
	c := jsontext.Cursor{Text: data}
	errStop := errors.New("stop")
	_, _ = c.Object(func(key jsontext.Quoted) error {
		if !visit(key.Text(), data[c.At:]) {
			return errStop
		}
		_, err := c.Skip()
		return err
	})
}

// Span is the range of bytes [From, To).
type Span struct{ From, To int }

// CutLines cuts text into spans of about the given size in bytes. Each span ends after a newline.
func CutLines(text []byte, size int) []Span {
	return Cut(text, size, func(i int) int { return min(LineEnd(text, i)+1, len(text)) })
}

// Cut cuts text into spans of at least the given size in bytes. The last span can be shorter.
// spanEnd(i) is the first position from i on at which a span can end.
func Cut(text []byte, size int, spanEnd func(i int) int) []Span {
	var spans []Span
	for at := 0; at < len(text); {
		end := len(text)
		if end-at > size {
			end = spanEnd(at + size)
		}
		spans = append(spans, Span{at, end})
		at = end
	}
	return spans
}
