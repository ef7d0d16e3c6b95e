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
		return h, 0, fmt.Errorf("%w: npy version %d.%d: expected 1, 2 or 3", table.ErrFormat, prefix[6], prefix[7])
	}
	if n > maxHeaderBytes {
		return h, 0, plural.Errorf("the npy header has %d bytes: expected at most %d", n, maxHeaderBytes)
	}
	dict := make([]byte, n)
	if _, err := io.ReadFull(r, dict); err != nil {
		return h, 0, headerError(err)
	}
	if h, err = parseDict(string(dict)); err != nil {
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

// parseDict parses the dictionary. It fails if the type or the shape is not supported.
func parseDict(s string) (h header, err error) {
	descr, fortran, shape, err := splitDict(s)
	if err != nil {
		return h, err
	}
	h.dtype, h.fortran = descr, fortran
	if strings.HasPrefix(descr, "=") || strings.HasPrefix(descr, "|") {
		return h, fmt.Errorf("%w: dtype %s does not name its byte order: expected <f4, <f8, >f4 or >f8", table.ErrFormat, quote.Word(descr))
	}
	switch descr {
	case "<f8", ">f8":
		h.itemSize = 8
	case "<f4", ">f4":
		h.itemSize = 4
	default:
		return h, fmt.Errorf("%w: dtype %s: expected float32 or float64 (<f4, <f8, >f4, >f8)", table.ErrFormat, quote.Word(descr))
	}
	h.bigEndian = descr[0] == '>'
	if len(shape) != 2 || shape[1] < 3 {
		return h, fmt.Errorf("%w: shape %v: expected N×3, or N×M with the points in the first three columns", table.ErrFormat, shape)
	}
	h.rows, h.columns = shape[0], shape[1]
	if h.columns > maxRowBytes/int64(h.itemSize) {
		return h, plural.Errorf("a row of %d columns is longer than the limit of %d bytes", h.columns, maxRowBytes)
	}
	// The output has a header and more columns. Its offsets must also fit into an int64.
	if h.rows > math.MaxInt64/2/h.rowBytes() {
		return h, fmt.Errorf("shape %v is larger than any file", shape)
	}
	return h, nil
}

// encode returns a version 1 header, which ends with a newline. It pads the header to a multiple of
// 64 bytes, like NumPy, or to minLength bytes if that is more.
func (h header) encode(minLength int) []byte {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", h.dtype, h.rows, h.columns)
	const fixed = 10
	minLength = max(minLength, (fixed+len(dict)+1+63)/64*64)
	out := append(append([]byte(nil), magic...), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(minLength-fixed))
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
		key, value := m[1]+m[2], m[3]
		rest, comma = rest[len(m[0]):], m[4] != ""
		if seen[key] {
			break
		}
		seen[key] = true
		switch first := value[0]; {
		case key == "descr" && first == '[':
			return "", false, nil, fmt.Errorf("%w: a structured array: expected plain float32 or float64", table.ErrFormat)
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
