package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/quote"
)

// valueKind is the kind of a JSON value.
type valueKind uint8

const (
	kindNull valueKind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

// maxDepth is the largest depth of nested lists and objects. Each level is a call on the stack, and
// its values are scanned again.
const maxDepth = 100

var (
	errCut   = errors.New("the object does not end in this line: JSON Lines have one object in each line")
	errDepth = fmt.Errorf("lists and objects are nested more than %d levels deep", maxDepth)
)

// member is a member of an object: a key, without its quotes but with its escapes, and a value.
type member struct {
	key        []byte
	escaped    bool // the key has escapes
	start, end int  // range of the value
	kind       valueKind
}

// scanObject calls the given function for each member of the object at b[i:]. It returns the index
// after the object, and the index after the last member, or after the brace of an empty object.
// b must have no line ends.
func scanObject(b []byte, i, depth int, visit func(m *member) error) (end, last int, err error) {
	if depth > maxDepth {
		return 0, 0, errDepth
	}
	i++
	last = i
	var m member
	for first := true; ; first = false {
		i = skipBlanks(b, i)
		switch {
		case i == len(b):
			return 0, 0, errCut
		case b[i] == '}':
			return i + 1, last, nil
		}
		if !first {
			if b[i] != ',' {
				return 0, 0, unexpected(b, i, "a comma or a brace")
			}
			if i = skipBlanks(b, i+1); i == len(b) {
				return 0, 0, errCut
			}
		}
		if b[i] != '"' {
			return 0, 0, unexpected(b, i, "a key in quotes")
		}
		from := i + 1
		if i, m.escaped, err = scanString(b, i); err != nil {
			return 0, 0, err
		}
		m.key = b[from : i-1]
		if i = skipBlanks(b, i); i == len(b) {
			return 0, 0, errCut
		}
		if b[i] != ':' {
			return 0, 0, unexpected(b, i, "a colon")
		}
		m.start = skipBlanks(b, i+1)
		if m.end, m.kind, err = scanValue(b, m.start, depth); err != nil {
			return 0, 0, err
		}
		if err := visit(&m); err != nil {
			return 0, 0, err
		}
		i, last = m.end, m.end
	}
}

// scanValue returns the index after the value at b[i:], and its kind.
func scanValue(b []byte, i, depth int) (end int, kind valueKind, err error) {
	if i == len(b) {
		return 0, 0, errCut
	}
	switch c := b[i]; {
	case c == '"':
		end, _, err = scanString(b, i)
		return end, kindString, err
	case c == '{':
		end, _, err = scanObject(b, i, depth+1, func(*member) error { return nil })
		return end, kindObject, err
	case c == '[':
		end, err = scanList(b, i, depth+1)
		return end, kindList, err
	}
	for end = i; end < len(b) && isWord(b[end]); end++ {
	}
	switch word := b[i:end]; {
	case isJSONNumber(word), string(word) == "NaN", string(word) == "Infinity", string(word) == "-Infinity": // Python writes these words
		return end, kindNumber, nil
	case string(word) == "true", string(word) == "false":
		return end, kindBool, nil
	case string(word) == null:
		return end, kindNull, nil
	}
	return 0, 0, unexpected(b, i, "a value")
}

// scanList returns the index after the list at b[i:].
func scanList(b []byte, i, depth int) (end int, err error) {
	if depth > maxDepth {
		return 0, errDepth
	}
	if i = skipBlanks(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		if i, _, err = scanValue(b, skipBlanks(b, i), depth); err != nil {
			return 0, err
		}
		if i = skipBlanks(b, i); i == len(b) {
			return 0, errCut
		}
		switch b[i] {
		case ']':
			return i + 1, nil
		case ',':
			i++
		default:
			return 0, unexpected(b, i, "a comma or a bracket")
		}
	}
}

// scanString returns the index after the string at b[i:], and whether the string has escapes.
func scanString(b []byte, i int) (end int, escaped bool, err error) {
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1, escaped, nil
		case c < ' ':
			return 0, false, fmt.Errorf("byte %d of the line: a control character in a string must be escaped", i+1)
		case c == '\\':
			escaped = true
			if i++; i == len(b) {
				return 0, false, errCut
			}
			if b[i] == 'u' {
				if _, ok := hexRune(b, i+1); !ok {
					return 0, false, unexpected(b, i-1, `an escape such as \u00e4`)
				}
				i += 4
			} else if bytes.IndexByte([]byte(`"\/bfnrt`), b[i]) < 0 {
				return 0, false, unexpected(b, i-1, "an escape of JSON")
			}
		}
	}
	return 0, false, errCut
}

// hexRune returns the number of the four hexadecimal digits at b[i:].
func hexRune(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		k := bytes.IndexByte([]byte(hex), c)
		if c >= 'A' && c <= 'F' {
			k = int(c-'A') + 10
		}
		if k < 0 {
			return 0, false
		}
		r = r<<4 | rune(k)
	}
	return r, true
}

// appendUnescaped appends the content of a valid string, without its quotes, and replaces the
// escapes. A half of a surrogate pair becomes U+FFFD, as in encoding/json.
func appendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, _ := hexRune(s, i+1)
			i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
					low, ok = hexRune(s, i+3)
				}
				if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// isJSONNumber reports whether s is a number by RFC 8259, section 6.
func isJSONNumber(s []byte) bool {
	_, _, ok := scanNumber(s)
	return ok
}

// scanNumber returns the numbers of digits before the decimal point and in the exponent of s. It
// returns ok = false if s is no number by RFC 8259, section 6.
func scanNumber(s []byte) (whole, exponent int, ok bool) {
	i := 0
	digits := func() (n int) {
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
			n++
		}
		return n
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	first := i
	if whole = digits(); whole == 0 || whole > 1 && s[first] == '0' {
		return 0, 0, false
	}
	if i < len(s) && s[i] == '.' {
		if i++; digits() == 0 {
			return 0, 0, false
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if exponent = digits(); exponent == 0 {
			return 0, 0, false
		}
	}
	return whole, exponent, i == len(s)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// isWord reports whether c can be part of a number or of a word such as null.
func isWord(c byte) bool {
	return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '-' || c == '+' || c == '.'
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

func unexpected(b []byte, i int, want string) error {
	return fmt.Errorf("byte %d of the line: expected %s, found %s", i+1, want, quote.Word(b[i:min(len(b), i+20)]))
}
