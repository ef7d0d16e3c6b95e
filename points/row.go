package points

import (
	"bytes"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
)

// lineEnds reports whether a line end begins at b[i]. b ends in '\n'.
func lineEnds(b []byte, i int) bool {
	return b[i] == '\n' || b[i] == '\r' && b[i+1] == '\n'
}

// row reads the coordinates of the row at b[i:] and returns the place after the
// last of them. b ends in '\n'. Where it fails, explain says why.
func (l *Layout) row(b []byte, i int) (p r3.Vector, end int, ok bool) {
	var v [3]float64
	column := 0
	for k := range l.order {
		want := &l.order[k]
		for ; column < want.column; column++ {
			if i = l.skip(b, i); lineEnds(b, i) {
				return p, i, false
			}
			i++
		}
		var x float64
		if x, i, ok = l.number(b, i); !ok {
			return p, i, false
		}
		v[want.axis] = x
		if k < len(l.order)-1 {
			if lineEnds(b, i) {
				return p, i, false
			}
			i++
			column++
		}
	}
	return r3.Vector{X: v[0], Y: v[1], Z: v[2]}, i, true
}

// skip returns the place of the delimiter or line end after the field at b[i:].
func (l *Layout) skip(b []byte, i int) int {
	for isBlank(b[i]) && (b[i] != l.Delimiter || l.Delimiter == ' ') {
		i++
	}
	if b[i] == '"' {
		i = min(quoteEnd(b, i)+1, len(b)-1)
	}
	for !l.isDelim(b[i]) && !lineEnds(b, i) {
		i++
	}
	return i
}

// number reads the field at b[i:], which must be a number, and returns the place
// of the delimiter or line end after it. An empty field is NaN, but where
// fields are separated by blanks there is none.
func (l *Layout) number(b []byte, i int) (x float64, end int, ok bool) {
	for isBlank(b[i]) && (b[i] != l.Delimiter || l.Delimiter == ' ') {
		i++
	}
	if b[i] == '"' {
		return l.quotedNumber(b, i)
	}
	x, n, ok := l.parse(b[i:])
	if !ok {
		return math.NaN(), i, l.Delimiter != ' ' && (l.isDelim(b[i]) || lineEnds(b, i))
	}
	i += n
	if l.isDelim(b[i]) || b[i] == '\n' {
		return x, i, true
	}
	i = pastPayload(b, i, x)
	for isBlank(b[i]) && !l.isDelim(b[i]) {
		i++
	}
	return x, i, l.isDelim(b[i]) || lineEnds(b, i)
}

// quotedNumber is number for a field that begins with a double quote at b[i].
func (l *Layout) quotedNumber(b []byte, i int) (x float64, end int, ok bool) {
	j := quoteEnd(b, i)
	if j == len(b) {
		return 0, i, false
	}
	field := bytes.Trim(b[i+1:j], " \t")
	x = math.NaN()
	if len(field) > 0 {
		var n int
		if x, n, ok = l.parse(field); !ok || pastPayload(field, n, x) != len(field) {
			return 0, i, false
		}
	}
	i = j + 1
	for isBlank(b[i]) && !l.isDelim(b[i]) {
		i++
	}
	return x, i, l.isDelim(b[i]) || lineEnds(b, i)
}

// parse reads a number in the notation of the file.
func (l *Layout) parse(b []byte) (float64, int, bool) {
	if l.DecimalComma {
		return decimal.ParseComma(b)
	}
	return decimal.Parse(b)
}

// pastPayload returns the place after the letters in parentheses that some C
// libraries print after a NaN: nan(ind), nan(snan).
func pastPayload(b []byte, i int, x float64) int {
	if x == x || i >= len(b) || b[i] != '(' {
		return i
	}
	for j := i + 1; j < len(b); j++ {
		c := b[j] | 0x20
		switch {
		case b[j] == ')':
			return j + 1
		case (c < 'a' || c > 'z') && (c < '0' || c > '9'):
			return i
		}
	}
	return i
}

// explain says why the row at b[i:] cannot be read.
func (l *Layout) explain(b []byte, i int) string {
	end, _ := l.rowEnd(b, i)
	fields := l.fields(bytes.TrimSuffix(b[i:end], []byte("\r")), nil)
	for _, want := range l.order {
		if want.column >= len(fields) {
			return fmt.Sprintf("too few columns: %s has %d, but %s is column %d",
				quote(bytes.TrimSpace(b[i:end])), len(fields), l.axisName(want.axis), want.column+1)
		}
		if f := fields[want.column]; !l.isNumber(f) && len(f) > 0 {
			reason := fmt.Sprintf("column %d (%s): %s is not a number", want.column+1, l.axisName(want.axis), quote(f))
			if !l.DecimalComma && bytes.IndexByte(f, ',') >= 0 {
				reason += " (the file has decimal points)"
			}
			return reason
		}
	}
	return fmt.Sprintf("cannot read %s", quote(bytes.TrimSpace(b[i:end])))
}

// fields appends the fields of a row without its line end to dst: blanks and
// quotes around them removed. It is the plain twin of row and skip, used where
// speed does not matter.
func (l *Layout) fields(row []byte, dst [][]byte) [][]byte {
	i := 0
	for {
		for i < len(row) && isBlank(row[i]) && (row[i] != l.Delimiter || l.Delimiter == ' ') {
			i++
		}
		if l.Delimiter == ' ' && i >= len(row) {
			return dst
		}
		start := i
		if i < len(row) && row[i] == '"' {
			i = min(quoteEnd(row, i)+1, len(row))
		}
		for i < len(row) && !l.isDelim(row[i]) {
			i++
		}
		dst = append(dst, unquote(bytes.Trim(row[start:i], " \t")))
		if i >= len(row) {
			return dst
		}
		i++
	}
}

// unquote removes the quotes around a field and the blanks within them.
func unquote(f []byte) []byte {
	if len(f) >= 2 && f[0] == '"' && f[len(f)-1] == '"' {
		return bytes.Trim(f[1:len(f)-1], " \t")
	}
	return f
}

// isNumber reports whether the whole field is a number in the file's notation.
func (l *Layout) isNumber(f []byte) bool {
	x, n, ok := l.parse(f)
	return ok && pastPayload(f, n, x) == len(f)
}
