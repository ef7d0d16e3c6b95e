package text

import "bytes"

// A row is a line, unless a quoted field contains line ends. A double quote begins a quoted field
// only if it is the first byte of a field after blanks. Two double quotes in a quoted field are one
// quote. Comment lines have no quoted fields.

// rowState describes the end of a row.
type rowState uint8

const (
	rowWhole rowState = iota // the row ends with '\n'
	rowCut                   // the bytes end before the row ends
	rowOpen                  // the bytes end in a quoted field of the row
)

// isBlank reports whether c is a space or a tab.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isComment reports whether the line at b[i:] begins with #, % or //, after any blanks.
func isComment(b []byte, i int) bool {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	if i >= len(b) {
		return false
	}
	switch b[i] {
	case '#', '%':
		return true
	case '/':
		return i+1 < len(b) && b[i+1] == '/'
	}
	return false
}

// isEmpty reports whether the line at b[i:] consists of blanks.
func isEmpty(b []byte, i int) bool {
	for i < len(b) && (isBlank(b[i]) || b[i] == '\r') {
		i++
	}
	return i >= len(b) || b[i] == '\n'
}

// isDelim reports whether c ends a field.
func (l *Layout) isDelim(c byte) bool {
	return c == l.Delimiter || c == '\t' && l.Delimiter == ' '
}

// rowEnd returns the index of the '\n' that ends the row at b[i:], or len(b) if the row does not
// end.
func (l *Layout) rowEnd(b []byte, i int) (int, rowState) {
	nl := bytes.IndexByte(b[i:], '\n')
	line := b[i:]
	if nl >= 0 {
		line = b[i : i+nl]
	}
	if bytes.IndexByte(line, '"') < 0 || isComment(b, i) {
		if nl < 0 {
			return len(b), rowCut
		}
		return i + nl, rowWhole
	}
	for first := true; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n':
			return i, rowWhole
		case c == '"' && first:
			if i = quoteEnd(b, i); i == len(b) {
				return i, rowOpen
			}
			first = false
		case l.isDelim(c):
			first = true
		case !isBlank(c):
			first = false
		}
	}
	return len(b), rowCut
}

// quoteEnd returns the index of the quote that closes the quoted field at b[i:], or len(b).
func quoteEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		if i+1 < len(b) && b[i+1] == '"' {
			i++
			continue
		}
		return i
	}
	return len(b)
}

// lastRow returns the length of the whole rows at the front of b, and the state of the row that
// follows. b begins with a row. quoted reports whether b has a double quote.
func (l *Layout) lastRow(b []byte, quoted bool) (int, rowState) {
	if !quoted {
		return bytes.LastIndexByte(b, '\n') + 1, rowCut
	}
	i := 0
	for i < len(b) {
		end, state := l.rowEnd(b, i)
		if state != rowWhole {
			return i, state
		}
		i = end + 1
	}
	return i, rowCut
}

// rowFrom returns the index of the first row of b that begins at index at or later, or len(b).
// quoted reports whether b has a double quote.
func (l *Layout) rowFrom(b []byte, at int, quoted bool) int {
	if at <= 0 {
		return 0
	}
	if at >= len(b) {
		return len(b)
	}
	if !quoted {
		if k := bytes.IndexByte(b[at-1:], '\n'); k >= 0 {
			return at + k
		}
		return len(b)
	}
	i := 0
	for i < at {
		end, state := l.rowEnd(b, i)
		if state != rowWhole {
			return len(b)
		}
		i = end + 1
	}
	return i
}
