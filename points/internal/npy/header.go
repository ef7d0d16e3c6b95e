package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// magic is the start of each .npy file. After magic come the version, the length of the dictionary
// (two bytes in version 1, four bytes in versions 2 and 3) and a Python dictionary (NEP 1, "A
// simple file format for NumPy arrays").
var magic = []byte("\x93NUMPY")

// maxHeaderBytes bounds the length of the dictionary. NumPy itself reads at most 10,000 bytes by
// default. maxRowBytes bounds the memory of a row.
const (
	maxHeaderBytes = 1 << 20
	maxRowBytes    = 1 << 20
)

// header is the content of the dictionary. record is not nil for an array of records, which has one
// dimension.
type header struct {
	dtype         string // such as <f8; empty for records
	itemSize      int    // bytes of an element
	bigEndian     bool
	element       member // the type of the elements of an array without fields
	fortran       bool
	shape         []int64
	rows, columns int64 // set by orient
	record        *record
}

func (h *header) rowBytes() int64 { return h.columns * int64(h.itemSize) }

// readHeader reads a header and returns its length in bytes. It fails unless the elements are numbers or
// records.
func readHeader(r io.Reader) (h header, length int64, err error) {
	if h, length, err = readAnyHeader(r); err == nil && h.record == nil {
		err = h.checkNumber()
	}
	return h, length, err
}

// readAnyHeader reads the header of an array of any type of a fixed size.
func readAnyHeader(r io.Reader) (h header, length int64, err error) {
	var prefix [12]byte
	if _, err := io.ReadFull(r, prefix[:10]); err != nil {
		return h, 0, headerError(err)
	}
	n, start := int64(binary.LittleEndian.Uint16(prefix[8:])), int64(10)
	switch prefix[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, prefix[10:]); err != nil {
			return h, 0, headerError(err)
		}
		n, start = int64(binary.LittleEndian.Uint32(prefix[8:])), 12
	default:
		return h, 0, fmt.Errorf("%w: npy version %d.%d: expected 1, 2 or 3", table.ErrFormat, prefix[6], prefix[7])
	}
	if n > maxHeaderBytes {
		return h, 0, plural.Errorf("the npy header has %d bytes: expected at most %d", n, maxHeaderBytes)
	}
	dict := make([]byte, n)
	if _, err := io.ReadFull(r, dict); err != nil {
		return h, 0, headerError(err)
	}
	text := string(dict)
	if prefix[6] < 3 {
		text = latin1(dict)
	}
	if h, err = parseDict(text); err != nil {
		return h, 0, fmt.Errorf("npy header %s: %w", quote.Word(bytes.TrimSpace(dict)), err)
	}
	return h, start + n, nil
}

// headerError returns the error for a header that could not be read because of err.
func headerError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the npy header is cut off: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("npy header: %w", err)
}

// latin1 returns the text of a header of version 1 or 2.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// parseDict parses the dictionary. It fails if the type is not supported.
func parseDict(s string) (h header, err error) {
	descr, fortran, shape, err := splitDict(s)
	if err != nil {
		return h, err
	}
	h.fortran, h.shape = fortran, shape
	if strings.HasPrefix(descr, "[") {
		if h.record, err = parseRecord(descr); err == nil {
			h.itemSize = h.record.size
		}
		return h, err
	}
	h.dtype = descr
	h.element, err = parseType(descr)
	if h.itemSize, h.bigEndian = h.element.size, h.element.cell.BigEndian; err == nil && h.itemSize == 0 {
		err = fmt.Errorf("%w: dtype %s has elements of 0 bytes", table.ErrFormat, quote.Word(descr))
	}
	return h, err
}

// checkNumber fails unless the elements are numbers.
func (h *header) checkNumber() error {
	if t := h.element.Type; h.element.Opaque != "" || t == table.Text || t == table.Bool || strings.ContainsAny(h.dtype, "Mm") {
		return fmt.Errorf("%w: dtype %s: expected numbers, or an array with fields: array.astype(float) converts the numbers", table.ErrFormat, quote.Word(h.dtype))
	}
	return nil
}

// isFloat reports whether the elements are float32 or float64.
func (h *header) isFloat() bool { return h.element.Type.IsFloat() && !h.element.cell.Half }

// flatten turns a grid of points, such as (rows, columns, 3), into rows in the order of its elements. A grid whose
// first length is 3 can be transposed, so its last length must be 3 too.
func (h *header) flatten() error {
	n := len(h.shape)
	if h.record != nil || n < 3 {
		return nil
	}
	if last := h.shape[n-1]; last < 3 || last > maxAmbiguousColumns || last > 3 && h.shape[0] == 3 {
		return nil
	}
	if h.fortran {
		return fmt.Errorf("%w: shape %v in Fortran order: numpy.ascontiguousarray(array) changes the order", table.ErrFormat, h.shape)
	}
	rows := int64(1)
	for _, k := range h.shape[:n-1] {
		if k > 0 && rows > math.MaxInt64/k {
			return fmt.Errorf("shape %v is larger than any file", h.shape)
		}
		rows *= k
	}
	h.shape = []int64{rows, h.shape[n-1]}
	return nil
}

// orient sets the numbers of rows and columns from the shape. If transposed is true, each column of
// the array is a row of the table.
func (h *header) orient(transposed bool) error {
	if err := h.flatten(); err != nil {
		return err
	}
	shape := h.shape
	switch {
	case h.record != nil && len(shape) == 1:
		h.rows, h.columns, h.fortran = shape[0], 1, false
	case h.record != nil:
		return fmt.Errorf("%w: shape %v of an array with fields: expected one dimension", table.ErrFormat, shape)
	case transposed && len(shape) == 2 && shape[0] >= 3:
		h.rows, h.columns, h.fortran = shape[1], shape[0], !h.fortran
	case transposed:
		return fmt.Errorf("%w: shape %v: expected 3×N, or M×N", table.ErrFormat, shape)
	case len(shape) == 2 && shape[0] >= 3 && shape[1] < 3:
		return fmt.Errorf("%w: shape %v: expected N×3, or N×M with the points in the first three columns: %w", table.ErrFormat, shape, table.ErrTransposed)
	case len(shape) != 2 || shape[1] < 3:
		return fmt.Errorf("%w: shape %v: expected N×3, or N×M with the points in the first three columns, or a grid of shape (…, 3)", table.ErrFormat, shape)
	default:
		h.rows, h.columns = shape[0], shape[1]
	}
	return h.checkSize()
}

// checkSize fails if a row or the array is too large.
func (h *header) checkSize() error {
	if h.columns > maxRowBytes/int64(h.itemSize) {
		return plural.Errorf("a row of %d columns is longer than the limit of %d bytes", h.columns, maxRowBytes)
	}
	// The output has a header and more columns. Its offsets must also fit into an int64.
	if h.rows > math.MaxInt64/2/max(1, h.rowBytes()) {
		return fmt.Errorf("shape %v is larger than any file", h.shape)
	}
	return nil
}

// encode returns a header, which ends with a newline. It pads the header to a multiple of 64 bytes,
// like NumPy, or to minLength bytes if that is more. The version is 1, or 3 for long headers and for
// names that are not ASCII.
func (h header) encode(minLength int) []byte {
	shape := fmt.Sprintf("(%d, %d)", h.rows, h.columns)
	descr := "'" + h.dtype + "'"
	if h.record != nil {
		shape, descr = fmt.Sprintf("(%d,)", h.rows), h.record.descr
	}
	return encodeDict(fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape), minLength)
}

func encodeDict(dict string, minLength int) []byte {
	fixed, version := 10, byte(1)
	if len(dict) > math.MaxUint16-128 || strings.ContainsFunc(dict, func(r rune) bool { return r >= utf8.RuneSelf }) {
		fixed, version = 12, 3
	}
	minLength = max(minLength, (fixed+len(dict)+1+63)/64*64)
	out := append(append([]byte(nil), magic...), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(minLength-fixed))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(minLength-fixed))
	}
	out = append(out, dict...)
	out = append(out, strings.Repeat(" ", minLength-len(out)-1)...)
	return append(out, '\n')
}

// Joiner joins the headers of arrays. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header with the sum of all rows. It fails if the first header has no
// room for the sum. Begin leaves room if the number of rows is unknown.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, _, err := readHeader(bytes.NewReader(heads[0]))
	if err == nil {
		err = h.orient(false)
	}
	if err != nil {
		return nil, err
	}
	h.rows = 0
	for _, n := range rows {
		if n > math.MaxInt64-h.rows {
			return nil, errors.New("npy: the arrays have more rows in total than any file can hold")
		}
		h.rows += n
	}
	out := h.encode(len(heads[0]))
	if len(out) != len(heads[0]) {
		return nil, plural.Errorf("npy: a header of %d bytes has no room for the number of rows, %d", len(heads[0]), h.rows)
	}
	return out, nil
}

var errDict = errors.New("not the dictionary of an array: expected descr, fortran_order and shape")

// dictEntry matches a key of the Python dictionary, its value and an optional comma. The value is a
// string without escapes, a boolean, a tuple of integers, or the beginning of a list. Python 2
// wrote an L after integers.
var dictEntry = regexp.MustCompile(`^(?:'([^'\\]*)'|"([^"\\]*)")[ \t\r\n]*:[ \t\r\n]*('[^'\\]*'|"[^"\\]*"|True|False|\([\d \t\r\nL,]*\)|\[)[ \t\r\n]*(,?)`)

// splitDict returns the values of the dictionary. It fails unless each key is present exactly once.
func splitDict(text string) (descr string, fortran bool, shape []int64, err error) {
	const spaces = " \t\r\n"
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, spaces), "{")
	seen, comma := map[string]bool{}, true
	for ok {
		rest = strings.TrimLeft(rest, spaces)
		if after, closed := strings.CutPrefix(rest, "}"); closed && len(seen) == 3 && strings.TrimRight(after, spaces+"\x00") == "" {
			return descr, fortran, shape, nil
		}
		m := dictEntry.FindStringSubmatch(rest)
		if m == nil || !comma {
			break
		}
		if m[3] == "[" {
			at := strings.LastIndexByte(m[0], '[')
			n := literalEnd(rest[at:])
			if n < 0 {
				break
			}
			m[3], m[4] = rest[at:at+n], ""
			after := strings.TrimLeft(rest[at+n:], spaces)
			if more, ok := strings.CutPrefix(after, ","); ok {
				after, m[4] = more, ","
			}
			m[0] = rest[:len(rest)-len(after)]
		}
		key, value := m[1]+m[2], m[3]
		rest, comma = rest[len(m[0]):], m[4] != ""
		if seen[key] {
			break
		}
		seen[key] = true
		switch first := value[0]; {
		case key == "descr" && first == '[':
			descr = value
		case key == "descr" && (first == '\'' || first == '"'):
			descr = value[1 : len(value)-1]
		case key == "fortran_order" && (first == 'T' || first == 'F'):
			fortran = first == 'T'
		case key == "shape" && first == '(':
			shape, ok = splitTuple(value[1 : len(value)-1])
		default:
			ok = false
		}
	}
	return "", false, nil, errDict
}

// splitTuple returns the integers of a tuple without its parentheses.
func splitTuple(text string) (out []int64, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, true
	}
	for _, word := range strings.Split(strings.TrimSuffix(text, ","), ",") {
		digits := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(word), "L"))
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}
