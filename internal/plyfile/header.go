// Package plyfile reads the layout of PLY files (Turk, "The PLY Polygon File Format", 1994): the
// header, the scalar types and the sizes of binary rows. It does not interpret the elements.
//
// A PLY file is a header of text lines followed by elements. An element is a table, whose rows have
// a value or a list of values for each property.
package plyfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

// Header is the header of a PLY file, both as text and parsed.
type Header struct {
	Text      string // text with all line ends; the body begins at byte len(Text)
	Lines     int    // number of lines
	EOL       string // line end: LF, CRLF or CR
	ASCII     bool
	BigEndian bool // byte order of a binary file
	Elements  []Element
}

// Element is a table of Count rows.
type Element struct {
	Name       string
	Count      int64
	Properties []Property
	Line       int // line of the declaration, from 1
	lastLine   int // line of the last property, or Line if there are no properties
}

// Property is a column of scalars or of lists.
type Property struct {
	Name       string
	List       bool
	LengthKind Kind // kind of the value that holds the length of a list
	Kind       Kind // kind of the scalar, or of the values of the list
	Offset     int  // byte offset in a binary row; valid only if no list precedes the property
}

// The kinds of an Error. The kind for a truncated header is io.ErrUnexpectedEOF.
var (
	ErrNotPLY      = errors.New("not a PLY file")
	ErrSyntax      = errors.New("syntax error")
	ErrUnsupported = errors.New("not supported")
)

// Error describes the problem in a line of the header.
type Error struct {
	Line   int   // line number, from 1
	Kind   error // ErrNotPLY, ErrSyntax, ErrUnsupported or io.ErrUnexpectedEOF
	Detail string
}

// Error returns the line and the detail, without the kind.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Detail) }

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

func fail(line int, kind error, format string, args ...any) *Error {
	return &Error{line, kind, plural.Sprintf(format, args...)}
}

// ReadHeader reads a header of at most limit bytes. If limit is 0, the header can have any length.
// After the call, the next byte of r is the first byte of the body. All lines must end like the
// first line. If lines end in CR without LF, the body begins after the last CR, even if the body
// begins with the byte 0x0A.
//
// ReadHeader returns an *Error, or an error of r with the line number added.
func ReadHeader(r *bufio.Reader, limit int) (*Header, error) {
	h := &Header{}
	if err := h.lineEnd(r); err != nil {
		return nil, err
	}
	var text strings.Builder
	for formatSeen := false; ; {
		line, err := h.readLine(r, &text, limit)
		if err != nil {
			return nil, err
		}
		words := strings.Fields(line)
		if len(words) == 0 || h.Lines == 1 {
			continue
		}
		var wrong *Error
		switch words[0] {
		case "format":
			formatSeen = true
			wrong = h.format(words)
		case "element":
			wrong = h.element(words)
		case "property":
			wrong = h.property(words)
		case "comment", "obj_info":
		case "end_header":
			if !formatSeen {
				return nil, fail(h.Lines, ErrSyntax, "the header has no format line")
			}
			h.Text = text.String()
			return h, nil
		default:
			wrong = fail(h.Lines, ErrSyntax, "unknown word %s at the beginning of a header line", quote.Word(words[0]))
		}
		if wrong != nil {
			return nil, wrong
		}
	}
}

// lineEnd checks the first line and sets EOL.
func (h *Header) lineEnd(r *bufio.Reader) error {
	const longest = 128 // maximum length of the first line, "ply" with white space
	front, err := r.Peek(longest)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return fmt.Errorf("line 1: %w", err)
	}
	h.EOL = "\n"
	line := front
	if i := bytes.IndexAny(front, "\r\n"); i >= 0 {
		line = front[:i]
		switch {
		case bytes.HasPrefix(front[i:], []byte("\r\n")):
			h.EOL = "\r\n"
		case front[i] == '\r':
			h.EOL = "\r"
		}
	}
	if string(bytes.TrimSpace(line)) != "ply" {
		return fail(1, ErrNotPLY, "the first line is not \"ply\"")
	}
	return nil
}

// Terminator returns the last byte of every line end.
func (h *Header) Terminator() byte { return h.EOL[len(h.EOL)-1] }

// readLine returns the next line of r with its line end, and appends the line to text.
func (h *Header) readLine(r *bufio.Reader, text *strings.Builder, limit int) (string, error) {
	var line []byte
	h.Lines++
	for {
		part, err := r.ReadSlice(h.Terminator())
		line = append(line, part...)
		switch {
		case limit > 0 && text.Len()+len(line) > limit:
			return "", fail(h.Lines, ErrUnsupported, "the header is longer than %d bytes", limit)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && string(bytes.TrimSpace(line)) == "end_header":
		case err == io.EOF:
			return "", fail(h.Lines, io.ErrUnexpectedEOF, "the header has no end_header line")
		case err != nil:
			return "", fmt.Errorf("line %d: %w", h.Lines, err)
		}
		text.Write(line)
		return string(line), nil
	}
}

// format reads a line such as "format ascii 1.0".
func (h *Header) format(words []string) *Error {
	if len(words) < 2 {
		return fail(h.Lines, ErrSyntax, "the format line has no format name")
	}
	h.ASCII, h.BigEndian = false, false
	switch words[1] {
	case "ascii":
		h.ASCII = true
	case "binary_little_endian":
	case "binary_big_endian":
		h.BigEndian = true
	default:
		return fail(h.Lines, ErrUnsupported, "format %s: must be ascii, binary_little_endian or binary_big_endian", quote.Word(words[1]))
	}
	return nil
}

// element reads a line such as "element vertex 8".
func (h *Header) element(words []string) *Error {
	if len(words) != 3 {
		return fail(h.Lines, ErrSyntax, "an element line must have three words: element, name and count")
	}
	count, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || count < 0 {
		return fail(h.Lines, ErrSyntax, "count %s: must be an integer ≥ 0", quote.Word(words[2]))
	}
	h.Elements = append(h.Elements, Element{Name: words[1], Count: count, Line: h.Lines, lastLine: h.Lines})
	return nil
}

// property reads a line such as "property float x" or "property list uchar int vertex_indices".
func (h *Header) property(words []string) *Error {
	if len(h.Elements) == 0 {
		return fail(h.Lines, ErrSyntax, "the property comes before the first element")
	}
	e := &h.Elements[len(h.Elements)-1]
	p := Property{Name: words[len(words)-1]}
	var types []string
	switch {
	case len(words) == 3:
		types = words[1:2]
	case len(words) == 5 && words[1] == "list":
		p.List, types = true, words[2:4]
	default:
		return fail(h.Lines, ErrSyntax, "a property line must have a type and a name, or the word list, two types and a name")
	}
	for _, name := range types {
		kind, ok := ParseKind(name)
		if !ok {
			return fail(h.Lines, ErrUnsupported, "type %s", quote.Word(name))
		}
		p.LengthKind, p.Kind = p.Kind, kind
	}
	if p.List && p.LengthKind.IsFloat() {
		return fail(h.Lines, ErrSyntax, "the length of a list cannot be a float")
	}
	if n := len(e.Properties); n > 0 {
		p.Offset = e.Properties[n-1].Offset + e.Properties[n-1].Kind.Size()
	}
	e.Properties = append(e.Properties, p)
	e.lastLine = h.Lines
	return nil
}

// Vertex returns the index of the element "vertex", or −1 if there is no such element. If there are
// two such elements, the error is an *Error.
func (h *Header) Vertex() (int, error) {
	at := -1
	for i := range h.Elements {
		if h.Elements[i].Name != "vertex" {
			continue
		}
		if at >= 0 {
			return -1, fail(h.Elements[i].Line, ErrUnsupported, "the header has two elements named vertex")
		}
		at = i
	}
	return at, nil
}

// Fits returns an error if the body has too few bytes for the rows that the header declares. The
// error is an *Error of kind io.ErrUnexpectedEOF.
func (h *Header) Fits(size int64) error {
	left := size
	for i := range h.Elements {
		e := &h.Elements[i]
		// In an ASCII file, a value takes at least two bytes: a digit and a separator. The last
		// separator can be missing.
		row := max(0, int64(2*len(e.Properties))-1)
		if !h.ASCII {
			row = e.MinSize()
		}
		if row > 0 && e.Count > left/row {
			return fail(e.Line, io.ErrUnexpectedEOF, "the %d bytes after the header cannot hold %d rows of element %s",
				size, e.Count, quote.Word(e.Name))
		}
		left -= row * e.Count
	}
	return nil
}

// WithVertices returns the text of the header with a new row count for the vertex element, which
// has the given index. It inserts the comments before this element, and the declarations of
// new properties at its end.
func (h *Header) WithVertices(vertex int, count string, comments, properties []string) []byte {
	var out []byte
	e := &h.Elements[vertex]
	number := 0
	for line := range strings.SplitAfterSeq(h.Text, h.EOL[len(h.EOL)-1:]) {
		if number++; number == e.Line {
			for _, c := range comments {
				out = append(append(append(out, "comment "...), c...), h.EOL...)
			}
			old := strings.Fields(line)[2]
			at := strings.LastIndex(line, old)
			line = line[:at] + count + line[at+len(old):]
		}
		out = append(out, line...)
		if number == e.lastLine {
			for _, p := range properties {
				out = append(append(append(out, "property "...), p...), h.EOL...)
			}
		}
	}
	return out
}

// Fixed reports whether all binary rows of e have the same size, because e has no lists.
func (e *Element) Fixed() bool {
	return !slices.ContainsFunc(e.Properties, func(p Property) bool { return p.List })
}

// MinSize returns the number of bytes of a binary row whose lists are all empty.
func (e *Element) MinSize() (n int64) {
	for i := range e.Properties {
		if p := &e.Properties[i]; p.List {
			n += int64(p.LengthKind.Size())
		} else {
			n += int64(p.Kind.Size())
		}
	}
	return n
}

// RowSize returns the number of bytes of the binary row of e that begins at b[0]. It returns 0 if
// the row is longer than b.
func (e *Element) RowSize(b []byte, bigEndian bool) (int, error) {
	at := int64(0)
	for i := range e.Properties {
		p := &e.Properties[i]
		if !p.List {
			at += int64(p.Kind.Size())
			continue
		}
		size := int64(p.LengthKind.Size())
		if at+size > int64(len(b)) {
			return 0, nil
		}
		n := p.LengthKind.Int(b[at:], bigEndian)
		if n < 0 {
			return 0, p.NegativeLength(n)
		}
		at += size + n*int64(p.Kind.Size())
	}
	if at > int64(len(b)) {
		return 0, nil
	}
	return int(at), nil
}

// NegativeLength returns the error for a list whose length n is negative.
func (p *Property) NegativeLength(n int64) error {
	return fmt.Errorf("property %s: a list has the negative length %d", quote.Word(p.Name), n)
}
