package points

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/side"
)

// chunkBytes is the usual size of a block of text: some ten thousand rows, so
// that handing over a block costs nothing beside its rows. maxRow bounds the
// length of one row without its line end, and with it the memory, against files
// without line ends or with a quote that never closes. Both are choices;
// chunkBytes ≤ maxRow, so that no block holds a longer row.
const (
	chunkBytes = 1 << 20
	maxRow     = 1 << 20
)

// text is the format of delimited text.
type text struct {
	Layout
	file   string
	r      io.Reader
	rest   []byte // bytes read beyond the last row end
	pos    int64  // place of rest in the input
	line   int64  // lines before rest
	chunk  int    // usual size of a block
	ended  bool
	lo, hi int64 // rows that begin in [lo, hi) are wanted
}

// fill reads the next whole rows into b.raw.
func (t *text) fill(b *Block) error {
	for {
		if err := t.next(b); err != nil {
			return err
		}
		if b.offset >= t.hi {
			return io.EOF
		}
		if first := t.rowFrom(b.raw, int(max(0, min(t.lo-b.offset, int64(len(b.raw))))), b.quoted); first > 0 {
			b.First += int64(bytes.Count(b.raw[:first], newline))
			b.offset += int64(first)
			b.raw = append(b.raw[:0], b.raw[first:]...)
		}
		if end := t.hi - b.offset; end < int64(len(b.raw)) {
			b.raw = b.raw[:t.rowFrom(b.raw, int(max(0, end)), b.quoted)]
		}
		if len(b.raw) > 0 {
			b.raw = append(b.raw, '\n')[:len(b.raw)]
			return nil
		}
	}
}

var newline = []byte("\n")

// next reads whole rows, wanted or not.
func (t *text) next(b *Block) error {
	b.raw = append(b.raw[:0], t.rest...)
	b.offset, b.First = t.pos, t.line+1
	cut, state := 0, rowCut
	for want := t.chunk; ; want = min(2*len(b.raw), maxRow+1) {
		if err := t.read(b, want); err != nil {
			return err
		}
		b.quoted = bytes.IndexByte(b.raw, '"') >= 0
		cut, state = t.lastRow(b.raw, b.quoted)
		if cut == 0 && len(b.raw) > maxRow {
			reason := fmt.Sprintf("no row end within %d bytes", maxRow)
			if state == rowOpen {
				reason += ": a quoted field is not closed"
			}
			return t.tooLong(b, 0, reason)
		}
		if t.ended {
			if state == rowOpen {
				return t.tooLong(b, cut, "a quoted field is never closed")
			}
			cut = len(b.raw)
			break
		}
		if cut > 0 {
			break
		}
	}
	if cut == 0 {
		return io.EOF
	}
	t.rest = append(t.rest[:0], b.raw[cut:]...)
	b.raw = b.raw[:cut]
	t.pos += int64(cut)
	b.lines = bytes.Count(b.raw, newline) + 1
	t.line += int64(b.lines - 1)
	return nil
}

// read appends to b.raw until it has want bytes or the input ends.
func (t *text) read(b *Block, want int) error {
	if t.ended || len(b.raw) >= want {
		return nil
	}
	if cap(b.raw) <= want {
		raw := make([]byte, len(b.raw), want+want/8+1)
		copy(raw, b.raw)
		b.raw = raw
	}
	n, err := readFull(t.r, b.raw[len(b.raw):want])
	b.raw = b.raw[:len(b.raw)+n]
	if errors.Is(err, io.EOF) {
		t.ended = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: line %d: %w", t.file, t.line+1+int64(bytes.Count(b.raw, newline)), err)
	}
	return nil
}

// tooLong is the error of the row at b.raw[i:].
func (t *text) tooLong(b *Block, i int, reason string) error {
	return &RowError{File: t.file, Line: b.First + int64(bytes.Count(b.raw[:i], newline)), Reason: reason}
}

// parse reads the coordinates of b's rows and where their answers go.
func (t *text) parse(b *Block) error {
	n := len(b.raw)
	raw := b.raw[:n+1]
	if cap(b.insert) < b.lines {
		b.insert = make([]int32, 0, b.lines)
	}
	b.reserve(b.lines)
	i := 0
	if b.offset == 0 && bytes.HasPrefix(raw, bom) {
		i = len(bom)
	}
	for i < n {
		if c := raw[i]; c-'0' > 9 && c != '-' {
			if j, ok := t.special(b, raw, i); ok {
				i = j
				continue
			}
		} else if t.isNamed(b.offset + int64(i)) {
			i, _ = t.special(b, raw, i)
			continue
		}
		p, j, ok := t.row(raw, i)
		if !ok {
			return t.rowError(b, raw, i)
		}
		var end int
		if b.quoted {
			end, _ = t.rowEnd(raw, i)
		} else {
			end = j + bytes.IndexByte(raw[j:], '\n')
		}
		if t.order[2].column+1+t.more(raw[j:end+1], b.quoted) != t.width {
			if err := t.uneven(b, raw, i, end); err != nil {
				return err
			}
		}
		if b.add(p) && b.nonFinite.Count == 1 {
			b.nonFinite.First = t.lineOf(b, i)
		}
		b.insert = append(b.insert, int32(contentEnd(raw, i, end)))
		i = end + 1
	}
	return nil
}

// isNamed reports whether the row at that place of the input is the header or
// belongs to the prologue.
func (t *text) isNamed(at int64) bool { return at == t.headerAt || at < t.prologue }

// special handles a line that is no data row: blank, comment, header or one of
// the prologue. It returns the place after it.
func (t *text) special(b *Block, raw []byte, i int) (next int, ok bool) {
	at := b.offset + int64(i)
	switch {
	case at == t.headerAt:
		end, _ := t.rowEnd(raw, i)
		b.header = int32(contentEnd(raw, i, end))
		return end + 1, true
	case at < t.prologue || isEmpty(raw, i):
	case isComment(raw, i):
		t.comment(b, raw, i)
	default:
		return i, false
	}
	return i + bytes.IndexByte(raw[i:], '\n') + 1, true
}

// comment counts the comment line at raw[i:], and tells whether it would be a row
// but for its mark: as wide as a row, with numbers in the coordinate columns.
func (t *text) comment(b *Block, raw []byte, i int) {
	b.comments++
	end := i + bytes.IndexByte(raw[i:], '\n')
	fields := t.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if len(fields) != t.width {
		return
	}
	for _, c := range t.Columns {
		if !t.isNumber(fields[c]) {
			return
		}
	}
	if b.rowLike.Count++; b.rowLike.Count == 1 {
		b.rowLike.First = t.lineOf(b, i)
	}
}

// uneven handles a row that is wider or narrower than the others. It is an error
// where decimal commas were cut apart: more fields between commas, all of them
// whole numbers.
func (t *text) uneven(b *Block, raw []byte, i, end int) error {
	fields := t.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if t.Delimiter == ',' && len(fields) > t.width && !slices.ContainsFunc(fields, isNoInteger) {
		return &RowError{File: t.file, Line: t.lineOf(b, i),
			Reason: fmt.Sprintf("%d whole numbers where other rows have %d columns: decimal commas between commas?", len(fields), t.width)}
	}
	if b.ragged.Count++; b.ragged.Count == 1 {
		b.ragged.First = t.lineOf(b, i)
	}
	return nil
}

// isNoInteger reports whether f is anything but an optional sign and digits.
func isNoInteger(f []byte) bool {
	if len(f) > 0 && (f[0] == '-' || f[0] == '+') {
		f = f[1:]
	}
	return len(f) == 0 || bytes.ContainsFunc(f, func(r rune) bool { return r < '0' || r > '9' })
}

// rowError is the error of the row at raw[i:].
func (t *text) rowError(b *Block, raw []byte, i int) error {
	reason, err := t.explain(raw, i)
	if b.offset+int64(i) == t.firstRow {
		err = ErrPreamble
	}
	return &RowError{File: t.file, Line: t.lineOf(b, i), Reason: reason, Err: err}
}

// contentEnd returns where a row that ends at raw[end] = '\n' has its last byte
// before the line ending, CR LF included.
func contentEnd(raw []byte, start, end int) int {
	if end > start && raw[end-1] == '\r' {
		return end - 1
	}
	return end
}

// lineOf returns the number of the line at b.raw[i:].
func (t *text) lineOf(b *Block, i int) int64 {
	return b.First + int64(bytes.Count(b.raw[:i], newline))
}

func (t *text) layout() *Layout { return &t.Layout }

// begin returns nothing: text has no prologue of its own.
func (t *text) begin([]Column) []byte { return nil }

// answerBytes is room for a delimiter and an answer word; numbers may take more.
const answerBytes = 4

// append appends the rows of b with their answers to dst.
func (t *text) append(dst []byte, b *Block, cols []Column) []byte {
	dst = slices.Grow(dst, len(b.raw)+len(b.insert)*answerBytes*len(cols))
	prev := int32(0)
	if b.header >= 0 {
		dst = append(dst, b.raw[:b.header]...)
		prev = b.header
		for _, name := range t.answerNames(cols) {
			dst = append(append(dst, t.appended), name...)
		}
	}
	for k, at := range b.insert {
		dst = append(dst, b.raw[prev:at]...)
		prev = at
		number := 0
		for _, c := range cols {
			dst = append(dst, t.appended)
			switch c.Kind {
			case Inside:
				dst = append(dst, insideWords[b.Sides[k]&3]...)
			case State:
				dst = append(dst, stateWords[b.Sides[k]&3]...)
			case Number, Bound:
				dst = t.appendNumber(dst, b.Numbers[number][k])
				number++
			}
		}
	}
	return append(dst, b.raw[prev:]...)
}

// The words of the four sides.
var (
	insideWords = [4]string{side.Unknown: "uncertain", side.Outside: "0", side.OnSurface: "1", side.Inside: "1"}
	stateWords  = [4]string{side.Unknown.String(), side.Outside.String(), side.OnSurface.String(), side.Inside.String()}
)

// appendNumber appends x with the decimal sign of the file; NaN is "nan".
func (t *text) appendNumber(dst []byte, x float64) []byte {
	if x != x {
		return append(dst, "nan"...)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, 'g', -1, 64)
	if t.DecimalComma {
		if i := bytes.IndexByte(dst[from:], '.'); i >= 0 {
			dst[from+i] = ','
		}
	}
	return dst
}
