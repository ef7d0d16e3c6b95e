package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// Limits of the type of an array with fields, which bound its memory.
const (
	maxDepth = 16      // nested types
	maxNames = 1 << 12 // columns
)

// record is a type with fields.
type record struct {
	descr   string // the list as it is in the header
	size    int    // bytes
	members []member
}

// member is a column of a record: a number, a text, or bytes that have no table.Type.
type member struct {
	table.Field
	cell records.Cell
	size int
}

// literalEnd returns the length of the Python list or tuple at the front of s, or −1.
func literalEnd(s string) int {
	depth, quoted := 0, byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case quoted != 0:
			if c == '\\' {
				return -1
			}
			if c == quoted {
				quoted = 0
			}
		case c == '\'' || c == '"':
			quoted = c
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// splitLiteral returns the elements of a Python list or tuple.
func splitLiteral(s string, open, end byte) (list []string, ok bool) {
	if len(s) < 2 || s[0] != open || s[len(s)-1] != end {
		return nil, false
	}
	s = strings.TrimSpace(s[1 : len(s)-1])
	for s != "" {
		n := 0
		switch {
		case s[0] == '(' || s[0] == '[':
			n = literalEnd(s)
		case s[0] == '\'' || s[0] == '"':
			if n = strings.IndexByte(s[1:], s[0]); n >= 0 {
				n += 2
			}
		default:
			if n = strings.IndexByte(s, ','); n < 0 {
				n = len(s)
			}
		}
		if n <= 0 {
			return nil, false
		}
		list = append(list, strings.TrimSpace(s[:n]))
		s = strings.TrimSpace(s[n:])
		if s == "" {
			break
		}
		if s[0] != ',' {
			return nil, false
		}
		s = strings.TrimSpace(s[1:])
	}
	return list, true
}

// word returns the content of a Python string.
func word(s string) (string, bool) {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '\'' && s[0] != '"' || strings.ContainsRune(s, '\\') {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// parseRecord parses the list of the fields of a type. Each field is a tuple of a name, a type and an
// optional shape. A field without a name only fills bytes.
func parseRecord(descr string) (*record, error) {
	r := &record{descr: descr}
	size, err := r.add("", descr, 0, 1)
	if err != nil {
		return nil, err
	}
	if size == 0 || size > maxRowBytes {
		return nil, plural.Errorf("a record of %d bytes: expected at least 1 byte and at most %d", size, maxRowBytes)
	}
	r.size = size
	names := make([]table.Column, len(r.members))
	for i := range names {
		names[i].Name = r.members[i].Name
	}
	for i, name := range table.Names(nil, names) {
		r.members[i].Name = name
	}
	return r, nil
}

func badField(s string) error {
	return fmt.Errorf("%w: %s: expected a field such as ('x', '<f8')", table.ErrFormat, quote.Word(s))
}

// add adds the fields of a list to r. It returns their size. The names begin with the prefix.
func (r *record) add(prefix, list string, offset, depth int) (size int, err error) {
	fields, ok := splitLiteral(list, '[', ']')
	if !ok {
		return 0, badField(list)
	}
	if depth > maxDepth {
		return 0, plural.Errorf("the types of fields are nested more than %d levels deep", maxDepth)
	}
	for _, text := range fields {
		parts, ok := splitLiteral(text, '(', ')')
		if !ok || len(parts) < 2 || len(parts) > 3 {
			return 0, badField(text)
		}
		name, ok := word(parts[0])
		if titled, isTuple := splitLiteral(parts[0], '(', ')'); isTuple && len(titled) == 2 { // a title and a name
			name, ok = word(titled[1])
		}
		if !ok {
			return 0, badField(text)
		}
		count := 1
		if len(parts) == 3 {
			if count, ok = product(parts[2]); !ok {
				return 0, badField(text)
			}
		}
		n, err := r.addField(prefix+name, parts[1], count, offset+size, depth)
		if err != nil {
			return 0, err
		}
		if n > maxRowBytes || count > 0 && n*count > maxRowBytes-size {
			return 0, plural.Errorf("a record is longer than the limit of %d bytes", maxRowBytes)
		}
		size += n * count
	}
	return size, nil
}

// product returns the number of elements of a subarray.
func product(shape string) (n int, ok bool) {
	list, isTuple := splitLiteral(shape, '(', ')')
	if !isTuple {
		list = []string{shape}
	}
	n = 1
	for _, s := range list {
		k, err := strconv.ParseInt(strings.TrimSuffix(s, "L"), 10, 32)
		if err != nil || k < 0 || k > maxRowBytes || n*int(k) > maxRowBytes {
			return 0, false
		}
		n *= int(k)
	}
	return n, true
}

// addField adds a field of the given number of elements, and returns the size of an element.
func (r *record) addField(name, descr string, count, offset, depth int) (size int, err error) {
	if descr[0] == '[' {
		if count == 0 || count > maxNames {
			return 0, plural.Errorf("field %s: a subarray of %d records", quote.Word(name), count)
		}
		for k := range count {
			prefix := name + "."
			if count > 1 {
				prefix = fmt.Sprintf("%s_%d.", name, k)
			}
			if size, err = r.add(prefix, descr, offset+k*size, depth+1); err != nil {
				return 0, err
			}
			if len(r.members) > maxNames || size*count > maxRowBytes {
				return 0, plural.Errorf("the array has more than %d columns, or more than %d bytes in a record", maxNames, maxRowBytes)
			}
		}
		return size, nil
	}
	dtype, ok := word(descr)
	if !ok {
		return 0, badField(descr)
	}
	m, err := parseType(dtype)
	if err != nil {
		return 0, fmt.Errorf("field %s: %w", quote.Word(name), err)
	}
	if name == "" || strings.HasSuffix(name, ".") {
		return m.size, nil // padding
	}
	if count != 1 && (m.Opaque != "" || m.Type == table.Text || count == 0 || len(r.members)+count > maxNames) {
		m.Type, m.Opaque = table.Text, plural.Sprintf("a list of %d values", count)
		count = 1
	}
	for k := range count {
		m.Name = name
		if count > 1 {
			m.Name = fmt.Sprintf("%s_%d", name, k)
		}
		m.cell.Offset = offset + k*m.size
		r.members = append(r.members, m)
	}
	if len(r.members) > maxNames {
		return 0, plural.Errorf("the array has more than %d columns", maxNames)
	}
	return m.size, nil
}

// numbers maps the letter and the size of a type to a table.Type.
var numbers = map[string]table.Type{
	"b1": table.Bool, "?": table.Bool,
	"i1": table.Int8, "i2": table.Int16, "i4": table.Int32, "i8": table.Int64,
	"u1": table.Uint8, "u2": table.Uint16, "u4": table.Uint32, "u8": table.Uint64,
	"f4": table.Float32, "f8": table.Float64,
}

// parseType parses a type such as <f8. Dates and time spans are the stored integers.
func parseType(dtype string) (m member, err error) {
	bad := func(why string) (member, error) {
		return member{}, fmt.Errorf("%w: dtype %s: %s", table.ErrFormat, quote.Word(dtype), why)
	}
	s := strings.TrimLeft(dtype, "<>|=")
	if len(dtype)-len(s) > 1 || s == "" {
		return bad("not a type of NumPy")
	}
	if s[0] == 'M' || s[0] == 'm' {
		s, _, _ = strings.Cut(s, "[")
		if s = "i" + s[1:]; s != "i8" {
			return bad("not a type of NumPy")
		}
	}
	m.cell.BigEndian = dtype[0] == '>'
	t, ok := numbers[s]
	if m.Type, m.cell.Type, m.size = t, t, t.Size(); ok {
		if m.size > 1 && dtype[0] != '<' && dtype[0] != '>' {
			return bad("the type does not name its byte order")
		}
		return m, nil
	}
	if s == "f2" {
		m.Type, m.cell.Type, m.cell.Half, m.size = table.Float32, table.Float32, true, 2
		if dtype[0] != '<' && dtype[0] != '>' {
			return bad("the type does not name its byte order")
		}
		return m, nil
	}
	if s == "O" {
		return bad("objects of Python cannot be read: save numbers, truth values or texts")
	}
	m.Type, m.cell.Type = table.Text, table.Text
	n, err := strconv.ParseInt(s[1:], 10, 32)
	if err != nil || n < 0 || n > maxRowBytes/4 {
		return bad("not a type of NumPy with a fixed size")
	}
	m.size = int(n)
	switch s[0] {
	case 'S', 'a':
		m.cell.Text = func(b []byte) []byte { return bytes.TrimRight(b[:n], "\x00") }
	case 'U':
		m.size *= 4
		var order binary.ByteOrder = binary.LittleEndian
		if m.cell.BigEndian {
			order = binary.BigEndian
		}
		m.cell.Text = func(b []byte) []byte { return decodeUTF32(b[:4*n], order) }
	case 'f', 'c', 'V':
		m.Opaque = "of the dtype " + dtype
	default:
		return bad("expected numbers, truth values or texts")
	}
	return m, nil
}

// decodeUTF32 returns a text of NumPy in UTF-8, without the zeros at its end.
func decodeUTF32(b []byte, order binary.ByteOrder) (text []byte) {
	for ; len(b) >= 4; b = b[4:] {
		c := order.Uint32(b)
		if c > utf8.MaxRune {
			c = utf8.RuneError
		}
		text = utf8.AppendRune(text, rune(c))
	}
	return bytes.TrimRight(text, "\x00")
}

// fields returns the columns of r.
func (r *record) fields() (list []table.Field) {
	for _, m := range r.members {
		list = append(list, m.Field)
	}
	return list
}

// cells returns the cells of r. The records are in the given strip.
func (r *record) cells(strip int) (list []records.Cell) {
	for _, m := range r.members {
		m.cell.Strip = strip
		list = append(list, m.cell)
	}
	return slices.Clip(list)
}
