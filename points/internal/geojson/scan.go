package geojson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// Limits that bound the memory.
const (
	maxFeature = 1 << 24 // bytes of a feature
	maxOther   = 1 << 24 // bytes before and after the features
	recordMark = 0x1e    // RFC 8142 puts it before each text of a sequence
)

// scanner finds the ends of JSON values. It does not check their content: package jsonl checks the
// features, and encoding/json the rest.
type scanner struct {
	br  *bufio.Reader
	pos int64 // offset of the next byte of br in the input
}

func (s *scanner) errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d: %w", s.pos, fmt.Errorf(format, args...))
}

// next returns the next byte that is not white space, without reading it. It appends the white space
// to dst unless dst is nil.
func (s *scanner) next(dst *[]byte) (byte, error) {
	for {
		c, err := s.br.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != recordMark {
			return c, s.br.UnreadByte()
		}
		s.pos++
		if dst != nil {
			if *dst = append(*dst, c); len(*dst) > maxOther {
				return 0, s.tooLong()
			}
		}
	}
}

func (s *scanner) tooLong() error {
	return s.errorf("%w", plural.Errorf("there are more than %d bytes before or after the features", maxOther))
}

// take reads one byte, which next has returned.
func (s *scanner) take(dst *[]byte) {
	c, _ := s.br.ReadByte()
	s.pos++
	if dst != nil {
		*dst = append(*dst, c)
	}
}

// cutOff returns the error for an input that ends inside a value.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the GeoJSON text is cut off: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// value appends the value that begins at the next byte to dst. Line ends become blanks. The value has
// at most the given number of bytes.
func (s *scanner) value(dst []byte, limit int) ([]byte, error) {
	from, depth := len(dst), 0
	quoted, escaped, scalar := false, false, false
	for {
		if s.br.Buffered() == 0 {
			if _, err := s.br.Peek(1); err != nil {
				if scalar && err == io.EOF {
					return dst, nil
				}
				return dst, cutOff(err)
			}
		}
		window, _ := s.br.Peek(s.br.Buffered())
		n, done := 0, false
		for n < len(window) && !done {
			c := window[n]
			switch {
			case escaped:
				escaped = false
			case quoted && c == '\\':
				escaped = true
			case c == '"':
				quoted = !quoted
				done = !quoted && depth == 0
			case quoted:
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']' || c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\r' || c == '\n':
				if depth == 0 { // the end of a number or a word
					if len(dst)+n == from {
						return dst, s.errorf("expected a value, found %s", quote.Word([]byte{c}))
					}
					return s.consume(dst, window[:n]), nil
				}
				if c == '}' || c == ']' {
					depth--
					done = depth == 0
				}
			default:
				scalar = scalar || depth == 0
			}
			n++
		}
		if dst = s.consume(dst, window[:n]); done {
			return dst, nil
		}
		if len(dst)-from > limit {
			return dst, s.errorf("%w", plural.Errorf("a value has more than %d bytes", limit))
		}
	}
}

// consume appends the peeked bytes to dst, with blanks instead of line ends, and reads them.
func (s *scanner) consume(dst, window []byte) []byte {
	from := len(dst)
	dst = append(dst, window...)
	for i, c := range dst[from:] {
		if c == '\n' || c == '\r' {
			dst[from+i] = ' '
		}
	}
	s.pos += int64(len(window))
	_, _ = s.br.Discard(len(window))
	return dst
}

// key appends the key of a member and its colon to dst. It returns the key.
func (s *scanner) key(dst *[]byte) (string, error) {
	c, err := s.next(dst)
	if err != nil {
		return "", cutOff(err)
	}
	if c != '"' {
		return "", s.errorf("expected a key in quotes, found %s", quote.Word([]byte{c}))
	}
	from := len(*dst)
	if *dst, err = s.value(*dst, maxOther); err != nil {
		return "", err
	}
	var key string
	if err := json.Unmarshal((*dst)[from:], &key); err != nil {
		return "", s.errorf("key %s: %w", quote.Word((*dst)[from:]), err)
	}
	if c, err = s.next(dst); err != nil {
		return "", cutOff(err)
	}
	if c != ':' {
		return "", s.errorf("expected a colon, found %s", quote.Word([]byte{c}))
	}
	s.take(dst)
	if _, err = s.next(dst); err != nil {
		return "", cutOff(err)
	}
	return key, nil
}

// The kinds of texts that Detect distinguishes.
const (
	Other      = "" // no GeoJSON
	Collection = "FeatureCollection"
	Feature    = "Feature"
)

// Head is the number of bytes that Detect should get.
const Head = 1 << 16

// Detect returns the kind of the text that begins with head: Collection, Feature, the type of a
// geometry, or Other.
func Detect(head []byte) string { return detect(head, true) }

// detect implements Detect. If outer is false, head is an element of a list "features".
func detect(head []byte, outer bool) string {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	s := &scanner{br: bufio.NewReaderSize(bytes.NewReader(head), len(head)+16)}
	if c, err := s.next(nil); err != nil || c != '{' {
		return Other
	}
	s.take(nil)
	kind, geometry, coordinates := "", false, false
	for {
		var skipped []byte
		key, err := s.key(&skipped)
		if err != nil {
			break
		}
		c, _ := s.next(nil)
		if key == "features" && c == '[' {
			rest, _ := s.br.Peek(s.br.Buffered())
			if outer && kind == "" && detect(rest[1:], false) == Feature {
				return Collection
			}
		}
		geometry = geometry || key == "geometry" && (c == '{' || c == 'n')
		coordinates = coordinates || (key == "coordinates" || key == "geometries") && c == '['
		value, err := s.value(nil, len(head))
		if key == "type" && err == nil {
			_ = json.Unmarshal(value, &kind) // any other value is not a type
		}
		if kind == Collection {
			return Collection
		}
		if c, end := s.next(nil); err != nil || end != nil || c != ',' {
			break
		}
		s.take(nil)
	}
	switch kind {
	case Feature:
		if geometry {
			return Feature
		}
	case "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection":
		if coordinates {
			return kind
		}
	}
	return Other
}
