package threemf

import (
	"bytes"
	"errors"
	"io"
)

// scanWindow is the smallest number of bytes that fill provides for peekElement, except near the
// end of the text. The decoder reads longer elements.
const scanWindow = 4 << 10

// maxToken bounds a tag, a comment or a text in bytes, because the decoder holds it in memory. The
// attributes of a tag of this size need at most 25 times as much memory (tuning).
const maxToken = 1 << 20

// errToken means that a token has more than maxToken bytes.
var errToken = errors.New("a tag, a comment or a text is too long")

// textScanner is the text of an XML part. When the decoder returns a tag, it has read up to the '>'
// of the tag. There, peekElement can read the simple elements that make up most of a model.
// peekElement is several times as fast as the decoder.
type textScanner struct {
	r     io.Reader
	buf   []byte // buf[at:] is the text that was read ahead
	at    int
	room  []byte  // array that holds buf
	lines int     // number of newlines before at
	token int     // number of bytes that ReadByte returned since the last token of the decoder
	last  [2]byte // the last two bytes that ReadByte returned
	err   error   // error that r returned after the bytes in buf
}

func newTextScanner(r io.Reader) *textScanner {
	return &textScanner{r: r, room: make([]byte, 16*scanWindow)}
}

// fill reads ahead if fewer than scanWindow bytes are left in buf. After the call, at least
// scanWindow bytes are left, or all bytes up to the end of the text.
func (s *textScanner) fill() {
	n := copy(s.room, s.buf[s.at:])
	s.buf, s.at = s.room[:n], 0
	for len(s.buf) < scanWindow && s.err == nil {
		var k int
		k, s.err = s.r.Read(s.room[len(s.buf):])
		s.buf = s.room[:len(s.buf)+k]
	}
}

// ReadByte implements io.ByteReader.
func (s *textScanner) ReadByte() (byte, error) {
	if s.at == len(s.buf) {
		if s.fill(); s.at == len(s.buf) {
			return 0, s.err
		}
	}
	if s.token++; s.token > maxToken {
		return 0, errToken
	}
	c := s.buf[s.at]
	s.at++
	s.last = [2]byte{s.last[1], c}
	if c == '\n' {
		s.lines++
	}
	return c, nil
}

// Read reads one byte. encoding/xml requires an io.Reader but calls only ReadByte.
func (s *textScanner) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	c, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	b[0] = c
	return 1, nil
}

// advance skips n bytes that peekElement has seen.
func (s *textScanner) advance(n int) {
	s.lines += bytes.Count(s.buf[s.at:s.at+n], []byte{'\n'})
	s.at += n
}

// closed reports whether the last tag that the decoder read ended in "/>".
func (s *textScanner) closed() bool { return s.last == [2]byte{'/', '>'} }

// peekElement looks for an empty element with the given name, after optional white space. It
// returns the values of the wanted attributes, and the length of the white space and the element.
// It supports only names without a prefix, and values of the characters that isXMLWord accepts.
// Each wanted attribute must occur once. For any other text it returns false, and the decoder must
// read the text.
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

// skipXMLSpace returns the first position from i on that is not white space of XML.
func skipXMLSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// isXMLWord reports whether peekElement accepts the character c in a value.
func isXMLWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '+' || c == '-' || c == '.'
}
