package jsontext

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Quoted is a string of a JSON text, without its quotes but with its escapes.
type Quoted struct {
	Raw     []byte
	Escaped bool // Raw has escapes
}

// Text returns the string without escapes. It can be a part of the JSON text. A half of a surrogate
// pair becomes U+FFFD, as in encoding/json.
func (q Quoted) Text() []byte {
	if !q.Escaped {
		return q.Raw
	}
	return AppendUnescaped(nil, q.Raw)
}

// AppendUnescaped appends the content of a valid string, without its quotes, and replaces the
// escapes. A half of a surrogate pair becomes U+FFFD, as in encoding/json.
func AppendUnescaped(dst, s []byte) []byte {
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

// hexRune returns the number of the four hexadecimal digits at b[i:].
func hexRune(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// IsNumber reports whether s is a number by RFC 8259, section 6.
func IsNumber(s []byte) bool {
	_, _, ok := ScanNumber(s)
	return ok
}

// ScanNumber returns the numbers of digits before the decimal point and in the exponent of s. ok is
// false if s is not a number by RFC 8259, section 6.
func ScanNumber(s []byte) (whole, exponent int, ok bool) {
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
