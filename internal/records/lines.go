package records

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
)

// maxLine is the maximum number of bytes of a line, to bound the memory.
const maxLine = 1 << 24

// FillLines appends at most the given number of whole lines of br to b.Raw. It returns the number of
// lines. Each line ends with the byte term, which can be missing after the last line.
func FillLines(br *bufio.Reader, b *table.Block, most int64, term byte) (int64, error) {
	consume := func(window []byte) error {
		if len(b.Raw)+len(window) > max(maxLine, br.Size()) {
			return plural.Errorf("the row has more than %d bytes", maxLine)
		}
		b.Raw = append(b.Raw, window...)
		_, err := br.Discard(len(window))
		return err
	}
	for {
		window, err := br.Peek(br.Size())
		if len(window) == 0 {
			if err == io.EOF && len(bytes.TrimSpace(b.Raw)) > 0 {
				return 1, nil
			}
			return 0, err
		}
		cut := bytes.LastIndexByte(window, term) + 1
		if cut == 0 {
			if err := consume(window); err != nil {
				return 0, err
			}
			continue
		}
		n := int64(1)
		if len(b.Raw) > 0 { // b.Raw has the beginning of a long row, so read only its rest
			cut = bytes.IndexByte(window, term) + 1
		} else if n = int64(bytes.Count(window[:cut], []byte{term})); n > most {
			n, cut = most, 0
			for range most {
				cut += bytes.IndexByte(window[cut:], term) + 1
			}
		}
		return n, consume(window[:cut])
	}
}

// FindLines returns the bounds of the lines of raw without the blanks at their ends. It appends them
// to the slices start and end.
func FindLines(raw []byte, term byte, start, end []int32) (starts, ends []int32) {
	n := bytes.Count(raw, []byte{term}) + 1
	start, end = slices.Grow(start, n), slices.Grow(end, n)
	for i := 0; i < len(raw); {
		last := len(raw)
		next := last
		if k := bytes.IndexByte(raw[i:], term); k >= 0 {
			last, next = i+k, i+k+1
		}
		for last > i && isBlank(raw[last-1]) {
			last--
		}
		start, end = append(start, int32(i)), append(end, int32(last))
		i = next
	}
	return start, end
}

// isBlank reports whether c is white space between the values of a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// SkipBlanks returns the index of the first word that begins at line[i] or later. If there is no such
// word, it returns len(line).
func SkipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i
}

// WordEnd returns the index after the word at line[i:].
func WordEnd(line []byte, i int) int {
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	return i
}

// ParseNumber parses the word at line[i:]. Letters in parentheses can follow nan, because some C
// libraries print -nan(ind).
func ParseNumber(line []byte, i int) (x float64, end int, ok bool) {
	x, n, ok := decimal.Parse(line[i:])
	if !ok {
		return 0, i, false
	}
	i += n
	if i < len(line) && line[i] == '(' && math.IsNaN(x) {
		i = WordEnd(line, i)
		return x, i, line[i-1] == ')'
	}
	return x, i, i == len(line) || isBlank(line[i])
}
