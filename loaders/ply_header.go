package loaders

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// plyHeader is the header of a PLY file (Turk, "The PLY Polygon File Format", 1994).
type plyHeader struct {
	order    binary.ByteOrder // nil: ASCII
	elements []plyElement
	body     int // place of the first byte after the header
}

// plyElement is a table of count rows.
type plyElement struct {
	name  string
	count int64
	props []plyProperty
	line  int // of its declaration
	kind  plyRows
}

// plyRows says what the rows of an element are.
type plyRows uint8

const (
	plyOther plyRows = iota
	plyVertices
	plyFaces
	plyStrips
)

// plyProperty is a column, or a column of lists.
type plyProperty struct {
	name     string
	kind     plyType
	list     bool
	sizeKind plyType // of a list's length
	role     plyRole
}

// plyRole says what a property is used for.
type plyRole uint8

const (
	plySkip plyRole = iota
	plyX
	plyY
	plyZ
	plyFace
	plyStrip
)

// plyType is a scalar type.
type plyType uint8

const (
	plyInt8 plyType = iota
	plyUint8
	plyInt16
	plyUint16
	plyInt32
	plyUint32
	plyFloat32
	plyFloat64
)

// plySizes holds the bytes of each type.
var plySizes = [...]int{plyInt8: 1, plyUint8: 1, plyInt16: 2, plyUint16: 2, plyInt32: 4, plyUint32: 4, plyFloat32: 4, plyFloat64: 8}

var plyTypes = map[string]plyType{
	"char": plyInt8, "uchar": plyUint8, "short": plyInt16, "ushort": plyUint16,
	"int": plyInt32, "uint": plyUint32, "float": plyFloat32, "double": plyFloat64,
	"int8": plyInt8, "uint8": plyUint8, "int16": plyInt16, "uint16": plyUint16,
	"int32": plyInt32, "uint32": plyUint32, "float32": plyFloat32, "float64": plyFloat64,
}

// parsePLYHeader reads the header. Its lines end in LF, CRLF or CR, all as the
// first one does: after a lone CR the body begins at once, even with a byte 0x0A.
func parsePLYHeader(data []byte) (*plyHeader, error) {
	h := &plyHeader{}
	newline := []byte{'\n'}
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 && data[i] == '\r' && !bytes.HasPrefix(data[i:], []byte("\r\n")) {
		newline = []byte{'\r'}
	}
	formatted := false
	for at, line := 0, 1; ; line++ {
		n := bytes.Index(data[at:], newline)
		end := at + n
		if n < 0 {
			end = len(data)
		}
		words := bytes.Fields(data[at:end])
		if line == 1 && (len(words) != 1 || string(words[0]) != "ply") {
			return nil, atLine(1, ErrSyntax, "the first line is not \"ply\"")
		}
		at = min(end+1, len(data))
		if len(words) == 1 && string(words[0]) == "end_header" {
			if !formatted {
				return nil, atLine(line, ErrSyntax, "the header has no format line")
			}
			h.body = at
			return h, nil
		}
		if n < 0 {
			return nil, atLine(line, ErrTruncated, "the header has no end_header")
		}
		if len(words) == 0 || line == 1 {
			continue
		}
		var err error
		switch string(words[0]) {
		case "format":
			formatted = true
			err = h.format(words, line)
		case "element":
			err = h.element(words, line)
		case "property":
			err = h.property(words, line)
		case "comment", "obj_info":
		default:
			err = atLine(line, ErrSyntax, "%q in the header", excerpt(words[0]))
		}
		if err != nil {
			return nil, err
		}
	}
}

func (h *plyHeader) format(words [][]byte, line int) error {
	if len(words) < 2 {
		return atLine(line, ErrSyntax, "format without a name")
	}
	switch string(words[1]) {
	case "ascii":
	case "binary_little_endian":
		h.order = binary.LittleEndian
	case "binary_big_endian":
		h.order = binary.BigEndian
	default:
		return atLine(line, ErrUnsupported, "format %q", excerpt(words[1]))
	}
	return nil
}

func (h *plyHeader) element(words [][]byte, line int) error {
	if len(words) != 3 {
		return atLine(line, ErrSyntax, "want element, name and count")
	}
	count, err := strconv.ParseInt(string(words[2]), 10, 64)
	if err != nil || count < 0 {
		return atLine(line, ErrSyntax, "count %q", excerpt(words[2]))
	}
	e := plyElement{name: string(words[1]), count: count, line: line}
	switch e.name {
	case "vertex":
		e.kind = plyVertices
	case "face":
		e.kind = plyFaces
	case "tristrips":
		e.kind = plyStrips
	}
	h.elements = append(h.elements, e)
	return nil
}

func (h *plyHeader) property(words [][]byte, line int) error {
	if len(h.elements) == 0 {
		return atLine(line, ErrSyntax, "property before any element")
	}
	e := &h.elements[len(h.elements)-1]
	p := plyProperty{}
	types := words[1:max(len(words)-1, 1)]
	if len(words) == 5 && string(words[1]) == "list" {
		p.list, types = true, words[2:4]
	} else if len(words) != 3 {
		return atLine(line, ErrSyntax, "want property, type and name")
	}
	for i, t := range types {
		kind, ok := plyTypes[string(t)]
		if !ok {
			return atLine(line, ErrUnsupported, "type %q", excerpt(t))
		}
		if p.list && i == 0 {
			p.sizeKind = kind
		} else {
			p.kind = kind
		}
	}
	if p.list && p.sizeKind >= plyFloat32 {
		return atLine(line, ErrSyntax, "the length of a list cannot be a float")
	}
	p.name = string(words[len(words)-1])
	p.role = plyRoleOf(e.kind, p.name, p.list)
	e.props = append(e.props, p)
	return nil
}

// plyRoleOf returns what a property is used for.
func plyRoleOf(kind plyRows, name string, list bool) plyRole {
	indices := list && (name == "vertex_indices" || name == "vertex_index")
	switch {
	case kind == plyVertices && !list && name == "x":
		return plyX
	case kind == plyVertices && !list && name == "y":
		return plyY
	case kind == plyVertices && !list && name == "z":
		return plyZ
	case kind == plyFaces && indices:
		return plyFace
	case kind == plyStrips && indices:
		return plyStrip
	}
	return plySkip
}

// check returns the number of vertices. It refuses elements that lack what they
// need, and counts that the size of the body cannot hold.
func (h *plyHeader) check(size int64) (vertices int64, err error) {
	seen := false
	left := size
	for i := range h.elements {
		e := &h.elements[i]
		switch e.kind {
		case plyVertices:
			if seen {
				return 0, atLine(e.line, ErrUnsupported, "a second element \"vertex\"")
			}
			seen, vertices = true, e.count
			if e.roles(plyX) != 1 || e.roles(plyY) != 1 || e.roles(plyZ) != 1 {
				return 0, atLine(e.line, ErrUnsupported, "vertices want one property x, one y and one z")
			}
		case plyFaces, plyStrips:
			if n := e.roles(plyFace) + e.roles(plyStrip); n != 1 && e.count > 0 {
				return 0, atLine(e.line, ErrUnsupported, "element %q has %d lists of vertex indices, not one", e.name, n)
			}
		}
		row := e.least(h.order == nil)
		if row > 0 && e.count > left/row {
			return 0, atLine(e.line, ErrTruncated, "%d rows of element %q do not fit in the %d bytes that follow the header", e.count, e.name, size)
		}
		left -= row * e.count
	}
	return vertices, nil
}

// skippedFaces looks at elements that are not read but carry lists of vertex
// indices, as "triangles" or "trifans" of other writers do: beside faces they are
// noted, alone they are refused.
func (h *plyHeader) skippedFaces(b *builder) error {
	faces := false
	for i := range h.elements {
		e := &h.elements[i]
		faces = faces || (e.kind == plyFaces || e.kind == plyStrips) && e.count > 0
	}
	for i := range h.elements {
		e := &h.elements[i]
		if e.kind != plyOther || e.count == 0 || !e.indices() {
			continue
		}
		if !faces {
			return atLine(e.line, ErrUnsupported, "element %q with vertex indices, and no element \"face\" or \"tristrips\"", e.name)
		}
		b.note("element %q with vertex indices ignored: %d rows", e.name, e.count)
	}
	return nil
}

// indices reports whether a property of e looks like a list of vertex indices.
func (e *plyElement) indices() bool {
	for i := range e.props {
		if p := &e.props[i]; p.list && strings.HasPrefix(strings.ToLower(p.name), "vertex_ind") {
			return true
		}
	}
	return false
}

// roles counts the properties with a role.
func (e *plyElement) roles(role plyRole) (n int) {
	for i := range e.props {
		if e.props[i].role == role {
			n++
		}
	}
	return n
}

// least returns the least number of bytes that a row takes. In ASCII a property
// is a digit and white space; the very last white space may be missing, which
// counting one byte less a row allows for.
func (e *plyElement) least(ascii bool) (n int64) {
	for i := range e.props {
		p := &e.props[i]
		switch {
		case ascii:
			n += 2
		case p.list:
			n += int64(plySizes[p.sizeKind])
		default:
			n += int64(plySizes[p.kind])
		}
	}
	if ascii && n > 0 {
		n--
	}
	return n
}
