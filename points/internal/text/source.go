// Package text reads point clouds from delimited text: CSV, TSV, and text with semicolons, bars or
// blanks. Source.Passthrough copies a text byte for byte and appends the answers. Convert converts
// other formats to CSV. The package comment of points describes the format, and points.Layout
// describes how columns are detected.
package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

const (
	// blockBytes is the usual size of a block. A block of this size has tens of thousands of rows,
	// so the cost per block is negligible.
	blockBytes = 1 << 20 // tuning
	// maxRow is the maximum length of a row without its line end. It bounds the memory for a file
	// without line ends and for a file with an unclosed quote. maxRow must be at least blockBytes.
	maxRow = 1 << 20
)

// Options select the columns and rows that New reads.
type Options = pointio.Options

// Source reads delimited text. It is a table.Source.
type Source struct {
	Layout
	file   string
	r      io.Reader
	at     io.ReaderAt // the plain file, or nil for a stream
	rest   []byte      // bytes that were read after the end of the last complete row
	pos    int64       // offset of s.rest in the input
	line   int64       // number of lines before s.rest
	block  int         // usual size of a block in bytes
	ended  bool        // r has no further bytes
	lo, hi int64       // rows of this Source begin at the offsets [lo, hi)
	table  []table.Field
}

// New detects the layout of a text from r. The given name is the name of the file in error
// messages. For a plain file, the io.ReaderAt is the file, and the size is its size in bytes. For a
// stream and for decompressed data, the io.ReaderAt is nil and the size is −1.
//
// If r is not text, New returns table.ErrFormat. If it is unclear which columns are the
// coordinates, New returns a *table.RowError with table.ErrColumns or table.ErrPreamble. New also
// fails for invalid options.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	var columns []string
	if opt.Columns != [3]string{} {
		columns = opt.Columns[:]
	}
	var l Layout
	err := errNoRow
	for size := sampleBytes; errors.Is(err, errNoRow) && size <= maxSample; size *= 2 {
		var sample []byte
		var whole bool
		if sample, r, whole, err = pointio.Peek(r, size); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		l, err = detect(file, sample, whole, columns, opt.Find)
	}
	if err != nil {
		return nil, err
	}
	s := &Source{Layout: l, file: file, r: r, hi: math.MaxInt64, block: opt.Block}
	if size >= 0 {
		s.at = at
	}
	if s.block <= 0 {
		s.block = blockBytes
	}
	s.table = l.tableFields()
	if err = opt.Restrict(&s.lo, &s.hi, size); err == nil {
		err = s.setText(opt.Text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// setText sets the type of the named columns to table.Text.
func (s *Source) setText(columns []string) error {
	for _, name := range columns {
		switch k := pointio.FindColumn(s.table, name); {
		case k < 0:
			return fmt.Errorf("no column %q to take as text: the columns are %s", name, pointio.ListNames(s.table))
		case slices.Contains(s.Columns[:], k):
			return fmt.Errorf("column %q has coordinates: it cannot be taken as text", name)
		default:
			s.table[k].Type = table.Text
		}
	}
	return nil
}

// Format returns "text".
func (s *Source) Format() string { return "text" }

// Fields returns the columns of the header, or of the first row if there is no header. If there is
// no header, the coordinate columns are called x, y and z. Other columns without a name are called
// column_1 and so on. A repeated name gets a number as a suffix.
//
// The type of the coordinates is Float64. The types of the other columns depend on a sample of at
// most 200 rows at the beginning of the file. A column is Float64 if its cells in the sample are
// numbers or missing values, and at least one cell is a number. A cell such as a postal code, which
// begins with a zero and another digit, does not count as a number. All other columns are Text. A
// column that Options.Text names is always Text.
func (s *Source) Fields() []table.Field { return s.table }

// Axes returns the indices of the columns of x, y and z.
func (s *Source) Axes() [3]int { return s.Columns }

// Rows returns −1, because the number of rows is unknown before all rows are read.
func (s *Source) Rows() int64 { return -1 }

// blockRows is the data that a Source stores with a block. Its indices refer to Block.Raw.
type blockRows struct {
	starts    []int32 // index of the first byte of each row
	ends      []int32 // index of the end of each row without its line end; answers are inserted there
	header    int32   // index at which the names of the answers are inserted, or −1 if Raw has no header
	offset    int64   // offset of Raw in the decompressed input
	quoted    bool    // Raw has a double quote
	lines     int     // upper bound of the number of rows
	cells     []cell  // cells of all rows, set by splitCells
	split     bool    // splitCells has set cells
	unescaped []byte  // results of unquote for cells that have quotes inside their quotes
}

// rowsOf returns the blockRows of b.
func rowsOf(b *table.Block) *blockRows {
	r, ok := b.Source.(*blockRows)
	if !ok {
		r = &blockRows{}
		b.Source = r
	}
	return r
}

// start empties r for new rows and keeps its memory.
func (r *blockRows) start() {
	r.starts, r.ends, r.header, r.quoted, r.split = r.starts[:0], r.ends[:0], -1, false, false
}

// SeekTo makes Fill continue at p. If the input is a plain file, SeekTo seeks. If the input is a
// stream, it reads and discards the bytes before p.
func (s *Source) SeekTo(p table.Position) error {
	if s.at != nil {
		s.r = io.NewSectionReader(s.at, p.Offset, math.MaxInt64-p.Offset)
	} else if n, err := io.CopyN(io.Discard, s.r, p.Offset); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return plural.Errorf("%s: cannot continue at byte %d: the input has only %d bytes: %w", s.file, p.Offset, n, err)
	}
	s.pos, s.line = p.Offset, p.Row
	return nil
}

// Fill reads the next complete rows into b.Raw. It also stores a line end in the byte after the end
// of b.Raw, because Parse needs a line end there.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	r := rowsOf(b)
	for {
		r.start()
		if err := s.readRows(b, r); err != nil {
			return err
		}
		if r.offset >= s.hi {
			return io.EOF
		}
		if first := s.rowFrom(b.Raw, int(max(0, min(s.lo-r.offset, int64(len(b.Raw))))), r.quoted); first > 0 {
			b.First += int64(bytes.Count(b.Raw[:first], newline))
			r.offset += int64(first)
			b.Raw = append(b.Raw[:0], b.Raw[first:]...)
		}
		if end := s.hi - r.offset; end < int64(len(b.Raw)) {
			b.Raw = b.Raw[:s.rowFrom(b.Raw, int(max(0, end)), r.quoted)]
		}
		if len(b.Raw) > 0 {
			b.Next = table.Position{Offset: r.offset + int64(len(b.Raw)), Row: s.line}
			if b.Next.Offset < s.pos { // rows after s.hi were removed from b.Raw
				b.Next.Row = b.First - 1 + int64(bytes.Count(b.Raw, newline))
			}
			b.Read = b.Next.Offset
			b.Raw = append(b.Raw, '\n')[:len(b.Raw)]
			return nil
		}
	}
}

var newline = []byte("\n")

// readRows reads the next complete rows of the input into b.Raw. It does not check whether the rows
// begin in the range from s.lo to s.hi.
func (s *Source) readRows(b *table.Block, r *blockRows) error {
	b.Raw = append(b.Raw[:0], s.rest...)
	r.offset, b.First = s.pos, s.line+1
	cut, state := 0, rowCut
	for want := s.block; ; want = min(2*len(b.Raw), maxRow+1) {
		if err := s.read(b, want); err != nil {
			return err
		}
		r.quoted = bytes.IndexByte(b.Raw, '"') >= 0
		cut, state = s.lastRow(b.Raw, r.quoted)
		if cut == 0 && len(b.Raw) > maxRow {
			reason := plural.Sprintf("no row end within %d bytes", maxRow)
			if state == rowOpen {
				reason += ": a quoted field is not closed"
			}
			return s.rowError(b, 0, reason, nil)
		}
		if s.ended {
			if state == rowOpen {
				return s.rowError(b, cut, "a quoted field is never closed", nil)
			}
			cut = len(b.Raw)
			break
		}
		if cut > 0 {
			break
		}
	}
	if cut == 0 {
		return io.EOF
	}
	s.rest = append(s.rest[:0], b.Raw[cut:]...)
	b.Raw = b.Raw[:cut]
	s.pos += int64(cut)
	r.lines = bytes.Count(b.Raw, newline) + 1
	s.line += int64(r.lines - 1)
	return nil
}

// read appends bytes of the input to b.Raw until len(b.Raw) is wantLen or the input ends.
func (s *Source) read(b *table.Block, wantLen int) error {
	if s.ended || len(b.Raw) >= wantLen {
		return nil
	}
	if cap(b.Raw) <= wantLen {
		raw := make([]byte, len(b.Raw), wantLen+wantLen/8+1)
		copy(raw, b.Raw)
		b.Raw = raw
	}
	n, err := pointio.ReadFull(s.r, b.Raw[len(b.Raw):wantLen])
	b.Raw = b.Raw[:len(b.Raw)+n]
	if errors.Is(err, io.EOF) {
		s.ended = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: line %d: %w", s.file, s.line+1+int64(bytes.Count(b.Raw, newline)), err)
	}
	return nil
}

// parseError returns the error for the row at b.Raw[i:], which cannot be parsed. first reports whether
// it is the first row of the file.
func (s *Source) parseError(b *table.Block, i int, first bool) error {
	reason, err := s.explain(b.Raw[:len(b.Raw)+1], i)
	e := &table.RowError{File: s.file, Line: s.lineOf(b, i), Reason: reason, Err: err}
	switch {
	case first && s.quotedComma(b, i):
		e.Hint = splitHint
	case first && s.unfit:
		e.Err, e.Columns = table.ErrColumns, s.guess
	case first:
		e.Err = table.ErrPreamble
	}
	return e
}

// quotedComma reports whether a coordinate of the row at b.Raw[i:] is a number with a decimal comma,
// but commas are the delimiter.
func (s *Source) quotedComma(b *table.Block, i int) bool {
	end, _ := s.rowEnd(b.Raw[:len(b.Raw)+1], i)
	fields := s.fields(bytes.TrimSuffix(b.Raw[i:end], []byte("\r")), nil)
	for _, c := range s.Columns {
		if c < len(fields) && s.hasQuotedComma(fields[c]) {
			return true
		}
	}
	return false
}

// rowError returns an error for the row at b.Raw[i:].
func (s *Source) rowError(b *table.Block, i int, reason string, err error) error {
	return &table.RowError{File: s.file, Line: s.lineOf(b, i), Reason: reason, Err: err}
}

// Parse parses the coordinates of the rows of b. It also finds the place in each row at which the
// answers are inserted.
func (s *Source) Parse(b *table.Block) error {
	r := rowsOf(b)
	n := len(b.Raw)
	raw := b.Raw[:n+1]
	if cap(r.ends) < r.lines {
		r.starts, r.ends = make([]int32, 0, r.lines), make([]int32, 0, r.lines)
	}
	b.Reserve(r.lines)
	i := 0
	if r.offset == 0 && bytes.HasPrefix(raw, bom) {
		i = len(bom)
	}
	for i < n {
		if c := raw[i]; c-'0' > 9 && c != '-' {
			if j, ok := s.skipLine(b, r, raw, i); ok {
				i = j
				continue
			}
		} else if s.isPreamble(r.offset + int64(i)) {
			i, _ = s.skipLine(b, r, raw, i)
			continue
		}
		p, j, ok := s.parseRow(raw, i)
		if !ok {
			return s.parseError(b, i, r.offset+int64(i) == s.firstRow)
		}
		var end int
		if r.quoted {
			end, _ = s.rowEnd(raw, i)
		} else {
			end = j + bytes.IndexByte(raw[j:], '\n')
		}
		if s.order[2].column+1+s.countFields(raw[j:end+1], r.quoted) != s.width {
			if err := s.checkWidth(b, raw, i, end); err != nil {
				return err
			}
		}
		if b.Add(p, 0); b.NonFinite == (table.Tally{Count: 1}) {
			b.NonFinite.First = s.lineOf(b, i)
		}
		r.starts = append(r.starts, int32(i))
		r.ends = append(r.ends, int32(contentEnd(raw, i, end)))
		i = end + 1
	}
	return nil
}

// isPreamble reports whether the row at this offset is the header or part of the prologue.
func (s *Source) isPreamble(offset int64) bool { return offset == s.headerAt || offset < s.prologue }

// skipLine skips the line at raw[i:] if the line is blank, a comment, the header or part of the
// prologue. It then returns the index after the line. If the line is a data row, ok is false.
func (s *Source) skipLine(b *table.Block, r *blockRows, raw []byte, i int) (next int, ok bool) {
	at := r.offset + int64(i)
	switch {
	case at == s.headerAt:
		end, _ := s.rowEnd(raw, i)
		r.header = int32(contentEnd(raw, i, end))
		return end + 1, true
	case at < s.prologue || isEmpty(raw, i):
	case isComment(raw, i):
		s.countComment(b, raw, i)
	default:
		return i, false
	}
	return i + bytes.IndexByte(raw[i:], '\n') + 1, true
}

// countComment counts the comment line at raw[i:]. If the line has as many fields as a row and has
// numbers in the coordinate columns, countComment also counts the line in b.RowLike.
func (s *Source) countComment(b *table.Block, raw []byte, i int) {
	b.Comments++
	end := i + bytes.IndexByte(raw[i:], '\n')
	fields := s.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if len(fields) != s.width {
		return
	}
	for _, c := range s.Columns {
		if c >= len(fields) || !s.isNumber(fields[c]) { // an index in s.Columns can exceed s.width
			return
		}
	}
	s.tally(&b.RowLike, b, i)
}

// checkWidth counts the row raw[i:end], whose number of columns is not s.width. If the delimiter is
// a comma, it fails for a row that is too wide and has only whole numbers. The commas of this row
// are probably decimal commas.
func (s *Source) checkWidth(b *table.Block, raw []byte, i, end int) error {
	fields := s.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if s.Delimiter == ',' && len(fields) > s.width && !slices.ContainsFunc(fields, isNoInteger) {
		return s.rowError(b, i, plural.Sprintf("the row has %d whole numbers, but other rows have %d columns: are the commas decimal?", len(fields), s.width), nil)
	}
	s.tally(&b.Ragged, b, i)
	return nil
}

// isNoInteger reports whether f is not an integer. An integer is an optional sign and digits.
func isNoInteger(f []byte) bool {
	if len(f) > 0 && (f[0] == '-' || f[0] == '+') {
		f = f[1:]
	}
	return len(f) == 0 || bytes.ContainsFunc(f, func(r rune) bool { return r < '0' || r > '9' })
}

// contentEnd returns the index after the last byte of the row raw[start:end], where raw[end] is the
// LF of its line end. If the line end is CR LF, the CR is not part of the row.
func contentEnd(raw []byte, start, end int) int {
	if end > start && raw[end-1] == '\r' {
		return end - 1
	}
	return end
}

// tally counts the line at b.Raw[i:] in t. It calls lineOf only for the first counted line, because
// lineOf counts all line ends before the line.
func (s *Source) tally(t *table.Tally, b *table.Block, i int) {
	if t.Count++; t.Count == 1 {
		t.First = s.lineOf(b, i)
	}
}

// lineOf returns the number of the line at b.Raw[i:].
func (s *Source) lineOf(b *table.Block, i int) int64 {
	return b.First + int64(bytes.Count(b.Raw[:i], newline))
}

// Place implements table.Placer. It returns the line in which row k of b begins, such as "line 7".
func (s *Source) Place(b *table.Block, k int) string {
	return fmt.Sprintf("line %d", s.Line(b, k))
}

// Line returns the number of the line in which row k of b begins.
func (s *Source) Line(b *table.Block, k int) int64 {
	return s.lineOf(b, int(b.Source.(*blockRows).starts[k]))
}
