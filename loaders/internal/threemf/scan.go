package threemf

import (
	"bytes"
	"io"
)

// scanWindow is the least number of bytes that peekElement sees, unless the text ends. The
// decoder reads longer elements.
const scanWindow = 4 << 10

// textScanner is the text of an XML part. The decoder reads it byte by byte, so its place is
// right after the '>' of a tag when the decoder returns the tag. From there, peekElement and
// advance read the elements that make up most of a model, several times as fast as the
// decoder.
type textScanner struct {
	r     io.Reader
	buf   []byte // read ahead, from at on
	at    int
	room  []byte
	lines int     // newlines passed
	last  [2]byte // passed last, by ReadByte
	err   error   // after buf
}

func newTextScanner(r io.Reader) *textScanner {
	return &textScanner{r: r, room: make([]byte, 16*scanWindow)}
}

// fill reads ahead until buf has at least scanWindow bytes, or to the end.
func (s *textScanner) fill() {
	if s.at == len(s.buf) || len(s.buf)-s.at < scanWindow {
		n := copy(s.room, s.buf[s.at:])
		s.buf, s.at = s.room[:n], 0
		for len(s.buf) < scanWindow && s.err == nil {
			var k int
			k, s.err = s.r.Read(s.room[len(s.buf):])
			s.buf = s.room[:len(s.buf)+k]
		}
	}
}

// ReadByte implements io.ByteReader.
func (s *textScanner) ReadByte() (byte, error) {
	if s.at == len(s.buf) {
		if s.fill(); s.at == len(s.buf) {
			return 0, s.err
		}
	}
	c := s.buf[s.at]
	s.at++
	s.last = [2]byte{s.last[1], c}
	if c == '\n' {
		s.lines++
	}
	return c, nil
}

// Read implements io.Reader, which encoding/xml requires but does not use.
func (s *textScanner) Read(b []byte) (int, error) {
	n := 0
	for ; n < len(b); n++ {
		c, err := s.ReadByte()
		if err != nil {
			if n > 0 {
				break
			}
			return 0, err
		}
		b[n] = c
	}
	return n, nil
}

// advance skips n bytes that peekElement has seen.
func (s *textScanner) advance(n int) {
	s.lines += bytes.Count(s.buf[s.at:s.at+n], []byte{'\n'})
	s.at += n
}

// closed reports whether the last tag that the decoder read ended in "/>".
func (s *textScanner) closed() bool { return s.last == [2]byte{'/', '>'} }

// peekElement looks for an empty element of the given name after white space. Element and
// attributes must have no prefix, and values consist of letters, digits, and + - . only. The
// wanted attributes must be there exactly once. It returns their values and the length of
// white space and element. For anything else, such as entities and comments, ok is false, and
// the decoder must read on.
func (s *textScanner) peekElement(name string, wanted *[3]string) (values [3][]byte, n int, ok bool) {
	if len(s.buf)-s.at < scanWindow && s.err == nil {
		s.fill()
	}
	b := s.buf[s.at:]
	i := skipXMLSpace(b, 0)
	if i+1+len(name) >= len(b) || b[i] != '<' || string(b[i+1:i+1+len(name)]) != name {
		return values, 0, false
	}
	i += 1 + len(name)
	for {
		blank := skipXMLSpace(b, i)
		if blank+1 >= len(b) {
			return values, 0, false
		}
		if b[blank] == '/' && b[blank+1] == '>' {
			return values, blank + 2, values[0] != nil && values[1] != nil && values[2] != nil
		}
		if blank == i {
			return values, 0, false
		}
		start := blank
		for i = start; i < len(b) && isXMLWord(b[i]) && b[i] != '+' && b[i] != '-' && b[i] != '.'; i++ {
		}
		if i == start || i+1 >= len(b) || b[i] != '=' || b[i+1] != '"' && b[i+1] != '\'' {
			return values, 0, false
		}
		attribute, quote := b[start:i], b[i+1]
		if string(attribute) == "xmlns" {
			return values, 0, false
		}
		i += 2
		first := i
		for i < len(b) && isXMLWord(b[i]) {
			i++
		}
		if i >= len(b) || b[i] != quote {
			return values, 0, false
		}
		for k, w := range wanted {
			if string(attribute) == w {
				if values[k] != nil {
					return values, 0, false
				}
				values[k] = b[first:i]
			}
		}
		i++
	}
}

// skipXMLSpace returns the first place from i on that holds no white space of XML.
func skipXMLSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// isXMLWord reports whether peekElement accepts c in a value.
func isXMLWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '+' || c == '-' || c == '.'
}
