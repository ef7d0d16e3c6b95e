package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// blockBytes is the usual size of a block of text: tens of thousands of rows, whose work
// outweighs handing over the block. maxRow bounds the length of a row without its line end.
// It bounds the memory for files without line ends or with a quote that is never closed. No
// block holds a longer row, because blockBytes ≤ maxRow.
const (
	blockBytes = 1 << 20 // tuning
	maxRow     = 1 << 20
)

// Options configure a Source; see points.Options. The zero value is ready to use.
type Options struct {
	Columns       [3]string
	Text          []string
	Shard, Shards int
	Bytes         [2]int64
	Block         int // usual size of a block in bytes; 0 means blockBytes
}

// Source reads delimited text. It is a table.Source.
type Source struct {
	Layout
	file   string
	r      io.Reader
	at     io.ReaderAt // the plain file, nil for a stream
	rest   []byte      // bytes read after the last row end
	pos    int64       // offset of rest in the input
	line   int64       // lines before rest
	block  int         // usual size of a block
	ended  bool
	lo, hi int64 // range of the input in which rows begin
	table  []table.Field
}

// New detects the layout of the text r, which messages call file. at and size belong to a
// plain file; they are nil and −1 for a stream and for decompressed data.
//
// Errors: table.ErrFormat if r is not text; *table.RowError, with table.ErrColumns or
// table.ErrPreamble, if it is unclear where the coordinates are; invalid options.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	sample, r, whole, err := pointio.Peek(r, sampleBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var columns []string
	if opt.Columns != [3]string{} {
		columns = opt.Columns[:]
	}
	l, err := detect(file, sample, whole, columns)
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
	if err := s.restrict(size, opt); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.table = l.tableFields()
	if err := s.setText(opt.Text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// setText gives columns the type table.Text.
func (s *Source) setText(columns []string) error {
	names := make([]string, len(s.table))
	for k, f := range s.table {
		names[k] = f.Name
	}
	for _, name := range columns {
		k := indexName(names, name)
		if n, err := strconv.ParseUint(name, 10, 31); k < 0 && err == nil && n > 0 && int(n) <= len(names) {
			k = int(n) - 1
		}
		switch {
		case k < 0:
			return fmt.Errorf("no column %q to take as text: there are %s", name, strings.Join(names, ", "))
		case slices.Contains(s.Columns[:], k):
			return fmt.Errorf("column %q has coordinates: it cannot be taken as text", name)
		}
		s.table[k].Type = table.Text
	}
	return nil
}

// restrict applies a shard or a byte range.
func (s *Source) restrict(size int64, opt Options) error {
	if err := pointio.CheckRange(opt.Shard, opt.Shards, opt.Bytes); err != nil {
		return err
	}
	switch {
	case opt.Bytes != [2]int64{}:
		s.lo, s.hi = opt.Bytes[0], opt.Bytes[1]
	case opt.Shards > 1 && size < 0:
		return errors.New("shards need a plain file of known size: neither a stream nor compressed")
	case opt.Shards > 1:
		s.lo, s.hi = pointio.ShardRange(size, opt.Shard, opt.Shards)
	}
	return nil
}

// Format returns "text".
func (s *Source) Format() string { return "text" }

// Fields returns the columns of the header, or else of the first row. Without a header the
// coordinates are x, y and z. Columns without a name are column_1 and so on, and a repeated
// name gets a number.
//
// The coordinates are Float64. So is any other column whose cells in the sample (at most
// 200 rows at the beginning of the file) are numbers or missing values, at least one a
// number, and none with a zero before another digit, as in postal codes. All other columns,
// and the columns of Options.Text, are Text.
func (s *Source) Fields() []table.Field { return s.table }

// Axes returns the columns of x, y and z.
func (s *Source) Axes() [3]int { return s.Columns }

// Rows returns −1: the number of rows is unknown before all are read.
func (s *Source) Rows() int64 { return -1 }

// blockRows is the data that a Source keeps with a block.
type blockRows struct {
	starts    []int32 // where each row begins in Raw
	ends      []int32 // where its content ends and the answers go
	header    int32   // where the names of the answers go in Raw, −1 without
	offset    int64   // of Raw in the (decompressed) input
	quoted    bool    // Raw has a double quote
	lines     int     // at least the number of rows
	cells     []cell  // of the rows, after splitCells
	split     bool    // cells are valid
	unescaped []byte  // cells with doubled quotes made single
}

// rowsOf returns the data that a Source keeps with b.
func rowsOf(b *table.Block) *blockRows {
	r, ok := b.Source.(*blockRows)
	if !ok {
		r = &blockRows{}
		b.Source = r
	}
	return r
}

// start empties r for new rows. It keeps the memory.
func (r *blockRows) start() {
	r.starts, r.ends, r.header, r.quoted, r.split = r.starts[:0], r.ends[:0], -1, false, false
}

// SeekTo makes Fill continue at p. In a plain file that costs nothing; in a stream it reads
// the bytes before p.
func (s *Source) SeekTo(p table.Position) error {
	if s.at != nil {
		s.r = io.NewSectionReader(s.at, p.Offset, math.MaxInt64-p.Offset)
	} else if n, err := io.CopyN(io.Discard, s.r, p.Offset); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s: cannot continue at byte %d: only %d were read: %w", s.file, p.Offset, n, err)
	}
	s.pos, s.line = p.Offset, p.Row
	return nil
}

// Fill reads the next whole rows into b.Raw. One more byte after its length is a line end.
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
			if b.Next.Offset < s.pos { // cut off
				b.Next.Row = b.First - 1 + int64(bytes.Count(b.Raw, newline))
			}
			b.Read = b.Next.Offset
			b.Raw = append(b.Raw, '\n')[:len(b.Raw)]
			return nil
		}
	}
}

var newline = []byte("\n")

// readRows reads whole rows, also outside the range.
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
			reason := fmt.Sprintf("no row end within %d bytes", maxRow)
			if state == rowOpen {
				reason += ": a quoted field is not closed"
			}
			return s.tooLong(b, 0, reason)
		}
		if s.ended {
			if state == rowOpen {
				return s.tooLong(b, cut, "a quoted field is never closed")
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

// read appends to b.Raw until it has want bytes or the input ends.
func (s *Source) read(b *table.Block, want int) error {
	if s.ended || len(b.Raw) >= want {
		return nil
	}
	if cap(b.Raw) <= want {
		raw := make([]byte, len(b.Raw), want+want/8+1)
		copy(raw, b.Raw)
		b.Raw = raw
	}
	n, err := pointio.ReadFull(s.r, b.Raw[len(b.Raw):want])
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

// tooLong returns the error of the row at b.Raw[i:].
func (s *Source) tooLong(b *table.Block, i int, reason string) error {
	return &table.RowError{File: s.file, Line: b.First + int64(bytes.Count(b.Raw[:i], newline)), Reason: reason}
}

// Parse parses the coordinates of the rows of b, and finds the places of their answers.
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
		p, j, ok := s.row(raw, i)
		if !ok {
			return s.rowError(b, r.offset, raw, i)
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

// isPreamble reports whether the row at an offset of the input is the header or belongs to
// the prologue.
func (s *Source) isPreamble(offset int64) bool { return offset == s.headerAt || offset < s.prologue }

// skipLine handles a line that is not a data row: blank, comment, header or prologue. It
// returns the index after it. ok is false for a data row.
func (s *Source) skipLine(b *table.Block, r *blockRows, raw []byte, i int) (next int, ok bool) {
	at := r.offset + int64(i)
	switch {
	case at == s.headerAt:
		end, _ := s.rowEnd(raw, i)
		r.header = int32(contentEnd(raw, i, end))
		return end + 1, true
	case at < s.prologue || isEmpty(raw, i):
	case isComment(raw, i):
		s.comment(b, raw, i)
	default:
		return i, false
	}
	return i + bytes.IndexByte(raw[i:], '\n') + 1, true
}

// comment counts the comment line at raw[i:], also in RowLike if it is as wide as a row and
// has numbers in the coordinate columns.
func (s *Source) comment(b *table.Block, raw []byte, i int) {
	b.Comments++
	end := i + bytes.IndexByte(raw[i:], '\n')
	fields := s.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if len(fields) != s.width {
		return
	}
	for _, c := range s.Columns {
		if c >= len(fields) || !s.isNumber(fields[c]) { // the first row may be too narrow itself
			return
		}
	}
	s.tally(&b.RowLike, b, i)
}

// checkWidth counts a row that is wider or narrower than the others. A wider one between
// commas whose fields are all whole numbers is an error: decimal commas were split.
func (s *Source) checkWidth(b *table.Block, raw []byte, i, end int) error {
	fields := s.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if s.Delimiter == ',' && len(fields) > s.width && !slices.ContainsFunc(fields, isNoInteger) {
		return &table.RowError{File: s.file, Line: s.lineOf(b, i),
			Reason: fmt.Sprintf("%d whole numbers where other rows have %d columns: decimal commas between commas?", len(fields), s.width)}
	}
	s.tally(&b.Ragged, b, i)
	return nil
}

// isNoInteger reports whether f is anything else than an optional sign and digits.
func isNoInteger(f []byte) bool {
	if len(f) > 0 && (f[0] == '-' || f[0] == '+') {
		f = f[1:]
	}
	return len(f) == 0 || bytes.ContainsFunc(f, func(r rune) bool { return r < '0' || r > '9' })
}

// rowError returns the error of the row at raw[i:].
func (s *Source) rowError(b *table.Block, offset int64, raw []byte, i int) error {
	reason, err := s.explain(raw, i)
	if offset+int64(i) == s.firstRow {
		err = table.ErrPreamble
	}
	return &table.RowError{File: s.file, Line: s.lineOf(b, i), Reason: reason, Err: err}
}

// contentEnd returns the end of the content of a row whose line end, LF or CR LF, ends at
// raw[end] = '\n'.
func contentEnd(raw []byte, start, end int) int {
	if end > start && raw[end-1] == '\r' {
		return end - 1
	}
	return end
}

// tally counts the line at b.Raw[i:]. Only the first is located, because that takes a search.
func (s *Source) tally(t *table.Tally, b *table.Block, i int) {
	if t.Count++; t.Count == 1 {
		t.First = s.lineOf(b, i)
	}
}

// lineOf returns the number of the line at b.Raw[i:].
func (s *Source) lineOf(b *table.Block, i int) int64 {
	return b.First + int64(bytes.Count(b.Raw[:i], newline))
}

// Place returns the line in which row k of b begins, such as "line 7". It implements
// table.Placer.
func (s *Source) Place(b *table.Block, k int) string {
	return fmt.Sprintf("line %d", s.lineOf(b, int(b.Source.(*blockRows).starts[k])))
}
