package pcd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// Limits of a header, which bound its memory.
const (
	maxHeader = 1 << 20 // bytes
	maxFields = 1 << 12 // entries of FIELDS
	maxNames  = 1 << 12 // columns: the elements of all fields
)

// The words after DATA.
const (
	ascii      = "ascii"
	binary     = "binary"
	compressed = "binary_compressed"
)

// field is an entry of FIELDS.
type field struct {
	name  string
	size  int // bytes of an element
	kind  byte
	count int // number of elements
}

func (f *field) bytes() int64 { return int64(f.size) * int64(f.count) }

// padding reports whether the field only fills bytes between other fields.
func (f *field) padding() bool { return f.name == "_" }

// types maps TYPE and SIZE to the type of the elements.
var types = map[byte]map[int]table.Type{
	'I': {1: table.Int8, 2: table.Int16, 4: table.Int32, 8: table.Int64},
	'U': {1: table.Uint8, 2: table.Uint16, 4: table.Uint32, 8: table.Uint64},
	'F': {4: table.Float32, 8: table.Float64},
}

func (f *field) element() table.Type { return types[f.kind][f.size] }

// typeOf returns the letter of TYPE for a type of package table.
func typeOf(t table.Type) string {
	switch {
	case t.IsFloat():
		return "F"
	case t >= table.Uint8 && t <= table.Uint64, t == table.Bool:
		return "U"
	}
	return "I"
}

// header is the text before the points.
type header struct {
	text          string // all lines, with their line ends
	lines         int
	fields        []field
	width, height int64
	points        int64
	data          string
	warnings      []string
}

// rowBytes returns the number of bytes of a point in binary data.
func (h *header) rowBytes() (n int64) {
	for i := range h.fields {
		n += h.fields[i].bytes()
	}
	return n
}

// eol returns the line end of the header.
func (h *header) eol() string {
	if strings.HasSuffix(h.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// Signature reports whether data begins like a PCD file: with its usual comment, or with the line
// VERSION before a comment or the line FIELDS.
func Signature(data []byte) bool {
	if bytes.HasPrefix(data, []byte("# .PCD")) {
		return true
	}
	rest, ok := bytes.CutPrefix(data, []byte("VERSION "))
	if !ok {
		return false
	}
	_, rest, ok = bytes.Cut(rest, []byte("\n"))
	return ok && (bytes.HasPrefix(rest, []byte("FIELDS ")) || bytes.HasPrefix(rest, []byte("COLUMNS ")) || bytes.HasPrefix(rest, []byte("#")))
}

var errUnknown = errors.New("not a line of a PCD header")

// readHeader reads the lines up to DATA.
func readHeader(r *bufio.Reader) (*header, error) {
	h := &header{width: -1, height: -1, points: -1}
	words := map[string][]string{}
	var text strings.Builder
	for h.data == "" {
		line, err := r.ReadSlice('\n')
		text.Write(line)
		h.lines++
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && text.Len() <= maxHeader:
			h.lines-- // the line continues
			more, err := r.ReadString('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			text.WriteString(more)
			line = append(bytes.Clone(line), more...)
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("the header is cut off: it has no line DATA: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return nil, err
		}
		if text.Len() > maxHeader {
			return nil, plural.Errorf("the header has more than %d bytes", maxHeader)
		}
		w := strings.Fields(string(line))
		if len(w) == 0 || w[0][0] == '#' {
			continue
		}
		key := w[0]
		if key == "COLUMNS" { // the word of the first versions
			key = "FIELDS"
		}
		if _, again := words[key]; again {
			return nil, h.errorf("the line %s occurs twice", key)
		}
		words[key] = w[1:]
		if err := h.entry(key, w[1:]); errors.Is(err, errUnknown) {
			return nil, h.errorf("%s: %w", quote.Word(key), err)
		} else if err != nil {
			return nil, h.errorf("%s: %w", key, err)
		}
	}
	h.text = text.String()
	return h, h.complete(words)
}

func (h *header) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", h.lines, fmt.Errorf(format, args...))
}

// entry applies a line of the header, except the lines of the fields.
func (h *header) entry(key string, w []string) error {
	var to *int64
	switch key {
	case "FIELDS":
		if len(w) == 0 || len(w) > maxFields {
			return plural.Errorf("%d fields: expected at least one and at most %d", len(w), maxFields)
		}
		return nil
	case "SIZE", "TYPE", "COUNT":
		return nil
	case "VERSION":
		switch v := strings.TrimPrefix(strings.Join(w, " "), "0"); v {
		case ".5", ".6", ".7":
			return nil
		}
		return fmt.Errorf("%w: %s: expected .5, .6 or .7", table.ErrFormat, quote.Word(strings.Join(w, " ")))
	case "VIEWPOINT":
		return h.viewpoint(w)
	case "DATA":
		switch data := strings.ToLower(strings.Join(w, " ")); data {
		case ascii, binary, compressed:
			h.data = data
			return nil
		}
		return fmt.Errorf("%w: %s: expected ascii, binary or binary_compressed", table.ErrFormat, quote.Word(strings.Join(w, " ")))
	case "WIDTH":
		to = &h.width
	case "HEIGHT":
		to = &h.height
	case "POINTS":
		to = &h.points
	default:
		return errUnknown
	}
	if len(w) != 1 {
		return errors.New("expected one number")
	}
	n, err := strconv.ParseInt(w[0], 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%s is not a number of points", quote.Word(w[0]))
	}
	*to = n
	return nil
}

// viewpoint checks the pose of the sensor. It is not applied to the points.
func (h *header) viewpoint(w []string) error {
	identity := [7]float64{3: 1}
	moved := len(w) != len(identity)
	for i := 0; i < len(w) && !moved; i++ {
		x, err := strconv.ParseFloat(w[i], 64)
		if err != nil {
			return fmt.Errorf("%s is not a number", quote.Word(w[i]))
		}
		moved = x != identity[i]
	}
	if len(w) != len(identity) {
		return plural.Errorf("expected 7 numbers, found %d", len(w))
	}
	if moved {
		h.warnings = append(h.warnings, "VIEWPOINT "+quote.Line(strings.Join(w, " "))+" is not applied: the coordinates are used as they are in the file")
	}
	return nil
}

// complete applies the lines of the fields, and checks the number of points.
func (h *header) complete(words map[string][]string) error {
	names := words["FIELDS"]
	if names == nil {
		return errors.New("the header has no line FIELDS")
	}
	if (words["SIZE"] == nil) != (words["TYPE"] == nil) {
		return errors.New("the header needs both SIZE and TYPE, or neither for fields of float32")
	}
	for i, name := range names {
		f := field{name: name, size: 4, kind: 'F', count: 1}
		for _, key := range []string{"SIZE", "TYPE", "COUNT"} {
			w, ok := words[key]
			if !ok {
				continue
			}
			if len(w) != len(names) {
				return plural.Errorf("%s has %d entries, but there are %d fields", key, len(w), len(names))
			}
			n, err := strconv.ParseInt(w[i], 10, 32)
			switch {
			case key == "TYPE" && len(w[i]) == 1:
				f.kind, err, n = strings.ToUpper(w[i])[0], nil, 1
			case key == "SIZE":
				f.size = int(n)
			case key == "COUNT":
				f.count = int(n)
			}
			least := int64(1)
			if key == "COUNT" {
				least = 0
			}
			if err != nil || n < least || n > records.MaxRow {
				return fmt.Errorf("field %s: the %s %s is invalid", quote.Word(name), key, quote.Word(w[i]))
			}
		}
		if _, ok := types[f.kind][f.size]; !ok {
			return fmt.Errorf("field %s: %w: TYPE %c with SIZE %d: expected I or U of 1, 2, 4 or 8 bytes, or F of 4 or 8 bytes", quote.Word(name), table.ErrFormat, f.kind, f.size)
		}
		h.fields = append(h.fields, f)
	}
	if n := h.rowBytes(); n > records.MaxRow {
		return plural.Errorf("a point of %d bytes exceeds the limit of %d bytes", n, records.MaxRow)
	}
	return h.count()
}

// count sets and checks the number of points.
func (h *header) count() error {
	if h.width < 0 && h.points < 0 {
		return errors.New("the header has neither WIDTH nor POINTS")
	}
	if h.width < 0 {
		h.width = h.points
	}
	if h.height < 0 {
		h.height = 1
	}
	if h.height > 0 && h.width > math.MaxInt64/h.height {
		return fmt.Errorf("WIDTH %d and HEIGHT %d are larger than any file", h.width, h.height)
	}
	if h.points < 0 {
		h.points = h.width * h.height
	}
	if h.points != h.width*h.height {
		return fmt.Errorf("POINTS is %d, but WIDTH %d and HEIGHT %d are %d points", h.points, h.width, h.height, h.width*h.height)
	}
	return nil
}
