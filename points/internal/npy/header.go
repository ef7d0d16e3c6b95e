package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// magic begins each .npy file. The version follows, the length of the header (two bytes in version
// 1, four in versions 2 and 3) and a Python dictionary ("NEP 1, A simple file format for NumPy
// arrays").
var magic = []byte("\x93NUMPY")

// maxHeaderBytes bounds the dictionary; NumPy itself reads at most 10,000 bytes by default.
// maxRowBytes bounds the memory of a row.
const (
	maxHeaderBytes = 1 << 20
	maxRowBytes    = 1 << 20
)

// header is the content of the dictionary.
type header struct {
	dtype         string // <f8, >f8, <f4 or >f4
	itemSize      int    // bytes of an element
	bigEndian     bool
	fortran       bool
	rows, columns int64
}

func (h *header) rowBytes() int64 { return h.columns * int64(h.itemSize) }

// readHeader reads a header and returns its length in bytes.
func readHeader(r io.Reader) (h header, length int64, err error) {
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
		return h, 0, fmt.Errorf("%w: npy version %d.%d: want 1, 2 or 3", table.ErrFormat, prefix[6], prefix[7])
	}
	if n > maxHeaderBytes {
		return h, 0, fmt.Errorf("npy header of %d bytes: want at most %d", n, maxHeaderBytes)
	}
	dict := make([]byte, n)
	if _, err := io.ReadFull(r, dict); err != nil {
		return h, 0, headerError(err)
	}
	if h, err = parseDict(string(dict)); err != nil {
		return h, 0, fmt.Errorf("npy header %s: %w", pointio.Quote(bytes.TrimSpace(dict)), err)
	}
	return h, start + n, nil
}

// headerError adds to err that it happened in the header.
func headerError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("npy header cut off: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("npy header: %w", err)
}

// parseDict parses the dictionary. It fails unless this package reads such arrays.
func parseDict(s string) (h header, err error) {
	d := dictParser{text: s}
	descr, order, shape, err := d.parse()
	if err != nil {
		return h, err
	}
	h.dtype, h.fortran = descr, order
	if strings.HasPrefix(descr, "=") || strings.HasPrefix(descr, "|") {
		return h, fmt.Errorf("%w: dtype %q does not name its byte order: want <f4, <f8, >f4 or >f8", table.ErrFormat, descr)
	}
	switch descr {
	case "<f8", ">f8":
		h.itemSize = 8
	case "<f4", ">f4":
		h.itemSize = 4
	default:
		return h, fmt.Errorf("%w: dtype %q: want float32 or float64 (<f4, <f8, >f4, >f8)", table.ErrFormat, descr)
	}
	h.bigEndian = descr[0] == '>'
	if len(shape) != 2 || shape[1] < 3 {
		return h, fmt.Errorf("%w: shape %v: want N×3, or N×M with the points in the first three columns", table.ErrFormat, shape)
	}
	h.rows, h.columns = shape[0], shape[1]
	if h.columns > maxRowBytes/int64(h.itemSize) {
		return h, fmt.Errorf("%d columns: a row has at most %d bytes", h.columns, maxRowBytes)
	}
	// The output has more columns, and header and data together must fit into an int64: half of it
	// is left for them.
	if h.rows > math.MaxInt64/2/h.rowBytes() {
		return h, fmt.Errorf("shape %v is larger than any file", shape)
	}
	return h, nil
}

// encode returns a version 1 header of at least length bytes. It ends with a newline, and its
// length is a multiple of 64, as NumPy writes it.
func (h header) encode(length int) []byte {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", h.dtype, h.rows, h.columns)
	const fixed = 10
	length = max(length, (fixed+len(dict)+1+63)/64*64)
	out := append(append([]byte(nil), magic...), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(length-fixed))
	out = append(out, dict...)
	out = append(out, strings.Repeat(" ", length-len(out)-1)...)
	return append(out, '\n')
}

// Joiner joins the headers of arrays. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header with the sum of all rows. It fails if that header has no room
// for the sum; Begin leaves room if it does not know the number of rows.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, _, err := readHeader(bytes.NewReader(heads[0]))
	if err != nil {
		return nil, err
	}
	h.rows = 0
	for _, n := range rows {
		if n > math.MaxInt64-h.rows {
			return nil, errors.New("npy: more rows than any file has")
		}
		h.rows += n
	}
	out := h.encode(len(heads[0]))
	if len(out) != len(heads[0]) {
		return nil, fmt.Errorf("npy: header of %d bytes without room for the number of rows, %d", len(heads[0]), h.rows)
	}
	return out, nil
}

// dictParser parses the Python dictionary of a header. Its keys are strings; its values are a
// string, a boolean and a tuple of integers.
type dictParser struct {
	text string
	pos  int
}

var errDict = errors.New("not the dictionary of an array: want descr, fortran_order and shape")

// parse returns the three values; each must be present once.
func (d *dictParser) parse() (descr string, fortran bool, shape []int64, err error) {
	if !d.accept('{') {
		return "", false, nil, errDict
	}
	seen := map[string]bool{}
	for !d.accept('}') {
		key, ok := d.quoted()
		if !ok || !d.accept(':') || seen[key] {
			return "", false, nil, errDict
		}
		seen[key] = true
		switch key {
		case "descr":
			if d.peek() == '[' {
				return "", false, nil, fmt.Errorf("%w: a structured array: want plain float32 or float64", table.ErrFormat)
			}
			descr, ok = d.quoted()
		case "fortran_order":
			fortran, ok = d.boolean()
		case "shape":
			shape, ok = d.tuple()
		default:
			ok = false
		}
		if !ok || !d.accept(',') && d.peek() != '}' {
			return "", false, nil, errDict
		}
	}
	if len(seen) != 3 || strings.TrimRight(d.text[d.pos:], " \t\r\n\x00") != "" {
		return "", false, nil, errDict
	}
	return descr, fortran, shape, nil
}

// peek returns the next byte that is not a space, or 0.
func (d *dictParser) peek() byte {
	for d.pos < len(d.text) && strings.IndexByte(" \t\r\n", d.text[d.pos]) >= 0 {
		d.pos++
	}
	if d.pos == len(d.text) {
		return 0
	}
	return d.text[d.pos]
}

// accept consumes c if it is the next byte.
func (d *dictParser) accept(c byte) bool {
	if d.peek() != c || c == 0 {
		return false
	}
	d.pos++
	return true
}

// quoted parses a string in single or double quotes, without escapes.
func (d *dictParser) quoted() (string, bool) {
	quote := d.peek()
	if quote != '\'' && quote != '"' {
		return "", false
	}
	rest := d.text[d.pos+1:]
	n := strings.IndexByte(rest, quote)
	if n < 0 || strings.IndexByte(rest[:n], '\\') >= 0 {
		return "", false
	}
	d.pos += n + 2
	return rest[:n], true
}

// boolean parses True or False.
func (d *dictParser) boolean() (value, ok bool) {
	d.peek()
	for _, word := range []string{"False", "True"} {
		if strings.HasPrefix(d.text[d.pos:], word) {
			d.pos += len(word)
			return word == "True", true
		}
	}
	return false, false
}

// tuple parses integers in parentheses; Python 2 wrote an L after them.
func (d *dictParser) tuple() ([]int64, bool) {
	if !d.accept('(') {
		return nil, false
	}
	var out []int64
	for !d.accept(')') {
		d.peek()
		from := d.pos
		for d.pos < len(d.text) && d.text[d.pos]-'0' <= 9 {
			d.pos++
		}
		n, err := strconv.ParseInt(d.text[from:d.pos], 10, 64)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
		d.accept('L')
		if !d.accept(',') && d.peek() != ')' {
			return nil, false
		}
	}
	return out, true
}
