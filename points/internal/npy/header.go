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

// magic begins each .npy file; version, length of the header (two bytes in
// version 1, four in 2 and 3) and a Python dictionary follow ("NEP 1, A simple
// file format for NumPy arrays").
var magic = []byte("\x93NUMPY")

// maxHeader bounds the dictionary; NumPy itself reads at most 10,000 bytes by
// default. maxRow bounds the bytes of a row, and so the memory.
const (
	maxHeader = 1 << 20
	maxRow    = 1 << 20
)

// header is what the dictionary says.
type header struct {
	descr         string // <f8, >f8, <f4 or >f4
	item          int    // bytes an element
	big           bool
	fortran       bool
	rows, columns int64
}

func (h *header) rowBytes() int64 { return h.columns * int64(h.item) }

// readHeader reads a header and returns its length in bytes.
func readHeader(r io.Reader) (h header, length int64, err error) {
	var fixed [12]byte
	if _, err := io.ReadFull(r, fixed[:10]); err != nil {
		return h, 0, cutHeader(err)
	}
	n, start := int64(binary.LittleEndian.Uint16(fixed[8:])), int64(10)
	switch fixed[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, fixed[10:]); err != nil {
			return h, 0, cutHeader(err)
		}
		n, start = int64(binary.LittleEndian.Uint32(fixed[8:])), 12
	default:
		return h, 0, fmt.Errorf("%w: npy version %d.%d: want 1, 2 or 3", table.ErrFormat, fixed[6], fixed[7])
	}
	if n > maxHeader {
		return h, 0, fmt.Errorf("npy header of %d bytes: want at most %d", n, maxHeader)
	}
	dict := make([]byte, n)
	if _, err := io.ReadFull(r, dict); err != nil {
		return h, 0, cutHeader(err)
	}
	if h, err = parseDict(string(dict)); err != nil {
		return h, 0, fmt.Errorf("npy header %s: %w", pointio.Quote(bytes.TrimSpace(dict)), err)
	}
	return h, start + n, nil
}

// cutHeader is the error of a file that ends in its header.
func cutHeader(err error) error {
	if errors.Is(err, io.EOF) || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("npy header cut off: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("npy header: %w", err)
}

// parseDict reads the dictionary and checks that it describes an array that
// this package reads.
func parseDict(s string) (h header, err error) {
	d := pyDict{s: s}
	descr, order, shape, err := d.read()
	if err != nil {
		return h, err
	}
	h.descr, h.fortran = descr, order
	if strings.HasPrefix(descr, "=") || strings.HasPrefix(descr, "|") {
		return h, fmt.Errorf("%w: dtype %q does not name its byte order: want <f4, <f8, >f4 or >f8", table.ErrFormat, descr)
	}
	switch descr {
	case "<f8", ">f8":
		h.item = 8
	case "<f4", ">f4":
		h.item = 4
	default:
		return h, fmt.Errorf("%w: dtype %q: want float32 or float64 (<f4, <f8, >f4, >f8)", table.ErrFormat, descr)
	}
	h.big = descr[0] == '>'
	if len(shape) != 2 || shape[1] < 3 {
		return h, fmt.Errorf("%w: shape %v: want N×3, or N×M with the points in the first three columns", table.ErrFormat, shape)
	}
	h.rows, h.columns = shape[0], shape[1]
	if h.columns > maxRow/int64(h.item) {
		return h, fmt.Errorf("%d columns: a row has at most %d bytes", h.columns, maxRow)
	}
	// The output has more columns, and header and data must add up to an int64:
	// half of it is left for both.
	if h.rows > math.MaxInt64/2/h.rowBytes() {
		return h, fmt.Errorf("shape %v is larger than any file", shape)
	}
	return h, nil
}

// encode writes a version 1 header: ended by a newline, its whole length a multiple of
// 64, as NumPy writes it, and at least that of length bytes.
func (h header) encode(length int) []byte {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", h.descr, h.rows, h.columns)
	const fixed = 10
	length = max(length, (fixed+len(dict)+1+63)/64*64)
	out := append(append([]byte(nil), magic...), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(length-fixed))
	out = append(out, dict...)
	out = append(out, strings.Repeat(" ", length-len(out)-1)...)
	return append(out, '\n')
}

// pyDict reads the one Python dictionary that headers hold: string keys; a
// string, a truth value and a tuple of numbers as values.
type pyDict struct {
	s string
	i int
}

var errDict = errors.New("not the dictionary of an array: want descr, fortran_order and shape")

// read returns the three values; each must be there once.
func (d *pyDict) read() (descr string, fortran bool, shape []int64, err error) {
	if !d.take('{') {
		return "", false, nil, errDict
	}
	seen := map[string]bool{}
	for !d.take('}') {
		key, ok := d.text()
		if !ok || !d.take(':') || seen[key] {
			return "", false, nil, errDict
		}
		seen[key] = true
		switch key {
		case "descr":
			if d.peek() == '[' {
				return "", false, nil, fmt.Errorf("%w: a structured array: want plain float32 or float64", table.ErrFormat)
			}
			descr, ok = d.text()
		case "fortran_order":
			fortran, ok = d.truth()
		case "shape":
			shape, ok = d.tuple()
		default:
			ok = false
		}
		if !ok || !d.take(',') && d.peek() != '}' {
			return "", false, nil, errDict
		}
	}
	if len(seen) != 3 || strings.TrimRight(d.s[d.i:], " \t\r\n\x00") != "" {
		return "", false, nil, errDict
	}
	return descr, fortran, shape, nil
}

// peek returns the next byte that is no space, or 0.
func (d *pyDict) peek() byte {
	for d.i < len(d.s) && strings.IndexByte(" \t\r\n", d.s[d.i]) >= 0 {
		d.i++
	}
	if d.i == len(d.s) {
		return 0
	}
	return d.s[d.i]
}

// take consumes c if it is next.
func (d *pyDict) take(c byte) bool {
	if d.peek() != c || c == 0 {
		return false
	}
	d.i++
	return true
}

// text reads a string in single or double quotes, without escapes.
func (d *pyDict) text() (string, bool) {
	q := d.peek()
	if q != '\'' && q != '"' {
		return "", false
	}
	rest := d.s[d.i+1:]
	n := strings.IndexByte(rest, q)
	if n < 0 || strings.IndexByte(rest[:n], '\\') >= 0 {
		return "", false
	}
	d.i += n + 2
	return rest[:n], true
}

// truth reads True or False.
func (d *pyDict) truth() (value, ok bool) {
	d.peek()
	for _, word := range []string{"False", "True"} {
		if strings.HasPrefix(d.s[d.i:], word) {
			d.i += len(word)
			return word == "True", true
		}
	}
	return false, false
}

// tuple reads whole numbers in parentheses; Python 2 wrote an L after them.
func (d *pyDict) tuple() ([]int64, bool) {
	if !d.take('(') {
		return nil, false
	}
	var out []int64
	for !d.take(')') {
		d.peek()
		from := d.i
		for d.i < len(d.s) && d.s[d.i]-'0' <= 9 {
			d.i++
		}
		n, err := strconv.ParseInt(d.s[from:d.i], 10, 64)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
		d.take('L')
		if !d.take(',') && d.peek() != ')' {
			return nil, false
		}
	}
	return out, true
}
