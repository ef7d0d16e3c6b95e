package vtk

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// place is a place in the file for errors.
type place struct {
	path   string
	offset int64
}

func (p place) fail(kind error, format string, args ...any) *soup.Error {
	err := soup.AtByte(p.offset, kind, format, args...)
	err.Path = p.path
	return err
}

// stream is a sequence of bytes in the file, raw or in base64. Texts in base64 can follow each other: the
// characters "=" end a text. So a header and its data can be encoded together or separately.
type stream struct {
	place
	text   []byte // text[at:] is not decoded yet
	at     int
	base64 bool
	group  [3]byte // group[from:to] is decoded
	from   int
	to     int
}

// left returns an upper bound of the number of bytes that are left. It is exact for raw bytes.
func (s *stream) left() int64 {
	n := int64(len(s.text) - s.at)
	if s.base64 {
		n = (n+3)/4*3 + int64(s.to-s.from)
	}
	return n
}

// Read implements io.Reader. The error of a text that ends too early is io.EOF.
func (s *stream) Read(p []byte) (int, error) {
	if !s.base64 {
		n := copy(p, s.text[s.at:])
		s.at += n
		if n < len(p) {
			return n, io.EOF
		}
		return n, nil
	}
	done := copy(p, s.group[s.from:s.to])
	s.from += done
	for done < len(p) {
		if len(p)-done >= 3 && len(s.text)-s.at >= 4 {
			b := s.text[s.at : s.at+4]
			v := digits[b[0]] | digits[b[1]] | digits[b[2]] | digits[b[3]]
			if v != noDigit {
				decodeGroup((*[3]byte)(p[done:]), b)
				done += 3
				s.at += 4
				continue
			}
		}
		if err := s.decode(); err != nil {
			return done, err
		}
		n := copy(p[done:], s.group[s.from:s.to])
		s.from += n
		done += n
	}
	return done, nil
}

// word reads an integer of a header. The width is 4 or 8 bytes.
func (s *stream) word(order binary.ByteOrder, width int) (int64, error) {
	var b [8]byte
	if err := readFull(s, b[:width], s.place); err != nil {
		return 0, err
	}
	if width == 4 {
		return int64(order.Uint32(b[:])), nil
	}
	v := order.Uint64(b[:])
	if v > math.MaxInt64 {
		return 0, s.fail(soup.ErrTooLarge, "the size %d in the header of an array", v)
	}
	return int64(v), nil
}

// readFull fills b. If the bytes end too early, the error has the given place. Unlike io.ReadFull, it does
// not drop an error that comes with the last bytes.
func readFull(r io.Reader, b []byte, at place) error {
	for len(b) > 0 {
		n, err := r.Read(b)
		b = b[n:]
		switch {
		case errors.Is(err, io.EOF) && len(b) > 0:
			return at.fail(soup.ErrTruncated, "the numbers end too early")
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
	}
	return nil
}

// noDigit has all bits set, so that it survives an OR with digits.
const noDigit = 0xff

// digits holds the values of the characters of base64 (RFC 4648, table 1), and noDigit for others.
var digits = func() (table [256]byte) {
	const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range table {
		table[i] = noDigit
	}
	for i, c := range []byte(characters) {
		table[c] = byte(i)
	}
	return table
}()

func decodeGroup(dst *[3]byte, b []byte) {
	v := uint32(digits[b[0]])<<18 | uint32(digits[b[1]])<<12 | uint32(digits[b[2]])<<6 | uint32(digits[b[3]])
	dst[0], dst[1], dst[2] = byte(v>>16), byte(v>>8), byte(v)
}

// decode decodes the next four characters into s.group. It skips white space.
func (s *stream) decode() error {
	var b [4]byte
	n, padding := 0, 0
	for n < 4 {
		s.at = scan.SkipSpace(s.text, s.at)
		if s.at == len(s.text) {
			if n > 0 {
				return s.fail(soup.ErrTruncated, "the base64 text ends within four characters")
			}
			return io.EOF
		}
		c := s.text[s.at]
		switch {
		case c == '=' && n >= 2:
			c = 'A' // the digit 0
			padding++
		case padding > 0 || digits[c] == noDigit:
			return s.fail(soup.ErrSyntax, "found the character %q in base64 text", string(rune(c)))
		}
		b[n] = c
		n++
		s.at++
	}
	decodeGroup(&s.group, b[:])
	s.from, s.to = 0, 3-padding
	return nil
}
