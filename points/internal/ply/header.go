package ply

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// maxHeader bounds the bytes of a header, and so the memory; a choice.
const maxHeader = 1 << 20

// header is the head of a PLY file: its lines as they stand, and what they say.
type header struct {
	lines    []string // with their line ends
	length   int64    // bytes
	eol      string   // line end of the first line: LF, CRLF or CR
	ascii    bool
	big      bool
	elements []element
	vertex   int // place of the element vertex
}

// element is a table of count rows.
type element struct {
	name  string
	count int64
	props []property
	line  int // of its declaration, from 0
	last  int // of its last property, or line
}

// property is a column, or a column of lists.
type property struct {
	name   string
	list   bool
	length kind // of a list's length
	kind   kind
	offset int // place in the row, if no list is before it
}

// term is the last byte of every line end.
func (h *header) term() byte { return h.eol[len(h.eol)-1] }

// rows returns the element vertex.
func (h *header) rows() *element { return &h.elements[h.vertex] }

// readHeader reads a header. Its lines all end as the first one does; after a lone CR
// the body begins at once, even with a byte 0x0A.
func readHeader(r *bufio.Reader) (*header, error) {
	h := &header{vertex: -1}
	if err := h.firstLine(r); err != nil {
		return nil, err
	}
	formatted := false
	for {
		raw, err := h.readLine(r)
		if err != nil {
			return nil, err
		}
		words := strings.Fields(raw)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "format":
			formatted = true
			err = h.format(words)
		case "element":
			err = h.element(words)
		case "property":
			err = h.property(words)
		case "comment", "obj_info":
		case "end_header":
			if !formatted {
				err = errors.New("the header has no format line")
				break
			}
			return h, h.check()
		default:
			err = fmt.Errorf("%s in the header", quote(words[0]))
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(h.lines), err)
		}
	}
}

// firstLine reads the line "ply" and learns the line end.
func (h *header) firstLine(r *bufio.Reader) error {
	front, err := r.Peek(5)
	if len(front) < 5 && err != io.EOF {
		return err
	}
	for _, eol := range []string{"\r\n", "\n", "\r"} {
		if bytes.HasPrefix(front, []byte("ply"+eol)) {
			h.eol = eol
			_, err = h.readLine(r)
			return err
		}
	}
	return fmt.Errorf("%w: the first line is not \"ply\"", table.ErrFormat)
}

// readLine reads and keeps a line.
func (h *header) readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice(h.term())
		line = append(line, part...)
		h.length += int64(len(part))
		switch {
		case h.length > maxHeader:
			return "", fmt.Errorf("line %d: the header is longer than %d bytes", len(h.lines)+1, maxHeader)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && strings.TrimSpace(string(line)) == "end_header":
		case err == io.EOF:
			return "", fmt.Errorf("line %d: the header has no end_header: %w", len(h.lines)+1, io.ErrUnexpectedEOF)
		case err != nil:
			return "", fmt.Errorf("line %d: %w", len(h.lines)+1, err)
		}
		h.lines = append(h.lines, string(line))
		return string(line), nil
	}
}

func (h *header) format(words []string) error {
	if len(words) < 2 {
		return errors.New("format without a name")
	}
	h.ascii, h.big = false, false
	switch words[1] {
	case "ascii":
		h.ascii = true
	case "binary_little_endian":
	case "binary_big_endian":
		h.big = true
	default:
		return fmt.Errorf("%w: format %s: want ascii, binary_little_endian or binary_big_endian", table.ErrFormat, quote(words[1]))
	}
	return nil
}

func (h *header) element(words []string) error {
	if len(words) != 3 {
		return errors.New("want element, name and count")
	}
	count, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || count < 0 {
		return fmt.Errorf("count %s: want a whole number", quote(words[2]))
	}
	if words[1] == "vertex" {
		if h.vertex >= 0 {
			return errors.New("a second element vertex")
		}
		h.vertex = len(h.elements)
	}
	at := len(h.lines) - 1
	h.elements = append(h.elements, element{name: words[1], count: count, line: at, last: at})
	return nil
}

func (h *header) property(words []string) error {
	if len(h.elements) == 0 {
		return errors.New("property before any element")
	}
	e := &h.elements[len(h.elements)-1]
	p := property{name: words[len(words)-1]}
	var ok bool
	switch {
	case len(words) == 3:
		if p.kind, ok = kindOf(words[1]); !ok {
			return fmt.Errorf("%w: type %s", table.ErrFormat, quote(words[1]))
		}
	case len(words) == 5 && words[1] == "list":
		if p.length, ok = kindOf(words[2]); !ok {
			return fmt.Errorf("%w: type %s", table.ErrFormat, quote(words[2]))
		}
		if p.kind, ok = kindOf(words[3]); !ok {
			return fmt.Errorf("%w: type %s", table.ErrFormat, quote(words[3]))
		}
		if p.list = true; p.length.isFloat() {
			return errors.New("the length of a list cannot be a float")
		}
	default:
		return errors.New("want property, type and name")
	}
	if n := len(e.props); n > 0 {
		p.offset = e.props[n-1].offset + e.props[n-1].kind.size()
	}
	e.props = append(e.props, p)
	e.last = len(h.lines) - 1
	return nil
}

// check refuses a header without points.
func (h *header) check() error {
	if h.vertex < 0 {
		return errors.New("no element vertex: the file has no points")
	}
	if e := h.rows(); len(e.props) == 0 {
		return fmt.Errorf("line %d: element vertex has no properties", e.line+1)
	}
	return nil
}

// fixed reports whether all rows have the same number of bytes.
func (e *element) fixed() bool {
	for i := range e.props {
		if e.props[i].list {
			return false
		}
	}
	return true
}

// size returns the bytes of a binary row, with empty lists.
func (e *element) size() (n int64) {
	for i := range e.props {
		p := &e.props[i]
		if p.list {
			n += int64(p.length.size())
			continue
		}
		n += int64(p.kind.size())
	}
	return n
}

// least returns the least bytes of a row. In text a value is a digit and what parts it
// from the next; the very last line end may be missing, for which a byte a row is let
// off.
func (h *header) least(e *element) int64 {
	if !h.ascii {
		return e.size()
	}
	return max(0, int64(2*len(e.props))-1)
}

// fits refuses counts that the bytes behind the header cannot hold.
func (h *header) fits(size int64) error {
	left := size - h.length
	for i := range h.elements {
		e := &h.elements[i]
		row := h.least(e)
		if row > 0 && e.count > left/row {
			return fmt.Errorf("line %d: %d rows of element %s do not fit in the %d bytes behind the header: %w",
				e.line+1, e.count, quote(e.name), size-h.length, io.ErrUnexpectedEOF)
		}
		left -= row * e.count
	}
	return nil
}

// refers reports whether rows of e name vertices by their number: lists of vertex
// indices, and the ends of edges.
func (e *element) refers() bool {
	if e.count == 0 {
		return false
	}
	switch strings.ToLower(e.name) {
	case "face", "tristrips", "trifans", "edge":
		return true
	}
	for i := range e.props {
		if name := strings.ToLower(e.props[i].name); strings.HasPrefix(name, "vertex_ind") || name == "vertex1" {
			return true
		}
	}
	return false
}

// encode returns the header with another number of vertices, comments before the
// element vertex and properties behind its own.
func (h *header) encode(count string, comments, props []string) []byte {
	var out []byte
	e := h.rows()
	for i, line := range h.lines {
		if i == e.line {
			for _, c := range comments {
				out = append(append(append(out, "comment "...), c...), h.eol...)
			}
			old := strings.Fields(line)[2]
			at := strings.LastIndex(line, old)
			line = line[:at] + count + line[at+len(old):]
		}
		out = append(out, line...)
		if i == e.last {
			for _, p := range props {
				out = append(append(append(out, "property "...), p...), h.eol...)
			}
		}
	}
	return out
}

// quote returns s in quotes, shortened, for messages.
func quote(s string) string { return table.Quote([]byte(s)) }
