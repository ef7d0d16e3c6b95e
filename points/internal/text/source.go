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

// blockBytes is the usual size of a block of text: some ten thousand rows, so
// that handing over a block costs nothing beside its rows. maxRow bounds the
// length of one row without its line end, and with it the memory, against files
// without line ends or with a quote that never closes. Both are choices;
// blockBytes ≤ maxRow, so that no block holds a longer row.
const (
	blockBytes = 1 << 20
	maxRow     = 1 << 20
)

// Options of a Source. The zero value is good.
type Options struct {
	// Columns names the columns of x, y and z by header or by number from 1; all
	// empty means that they are detected.
	Columns [3]string
	// Text names columns, by header or by number from 1, that are Text whatever is in
	// them. Those of x, y and z cannot be.
	Text []string
	// Shard i of Shards, from 1, restricts a file of known size to the rows that begin
	// in the i-th of Shards equal parts of its bytes; 0 of 0 means the whole.
	Shard, Shards int
	// Bytes restricts the input to the rows that begin in [Bytes[0], Bytes[1]) of its
	// plain bytes; two zeros mean the whole. It excludes shards.
	Bytes [2]int64
	// Block is the usual size of a block in bytes, 0 a good one.
	Block int
}

// Source reads delimited text. It is a table.Source.
type Source struct {
	Layout
	file   string
	r      io.Reader
	at     io.ReaderAt // the plain file, nil for a stream
	rest   []byte      // bytes read beyond the last row end
	pos    int64       // place of rest in the input
	line   int64       // lines before rest
	block  int         // usual size of a block
	ended  bool
	lo, hi int64 // rows that begin in [lo, hi) are wanted
	table  []table.Field
}

// New detects the layout of the text that r gives from its first byte on. file stands
// for it in messages. at and size belong to a plain file; a stream, or what is
// decompressed, has nil and −1. It fails with an error that wraps table.ErrFormat for
// what is no text.
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
	if err := s.takeAsText(opt.Text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// takeAsText makes columns Text.
func (s *Source) takeAsText(columns []string) error {
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

// restrict applies shards and byte ranges.
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

// Fields are the columns that the header or else the first row has. Without a header the
// coordinates are x, y and z. Columns without a name are column_1 and so on, and a name
// that was there before gets a number. A
// column is Float64 if the sample at the front of the file (200 rows at most) has only
// numbers and missing values in it, and a number at all, but none that begins with a zero
// and another digit, as postal codes do; the coordinates always are. Others are Text, and
// so are those of Options.Text.
func (s *Source) Fields() []table.Field { return s.table }

// Axes are the columns of x, y and z.
func (s *Source) Axes() [3]int { return s.Columns }

// Rows returns −1: only reading tells.
func (s *Source) Rows() int64 { return -1 }

// rows is what the source keeps with a block.
type rows struct {
	starts []int32 // where in Raw each row begins
	ends   []int32 // where its content ends: the answers go there
	header int32   // where in Raw the names of the answers go, −1 without
	offset int64   // place of Raw in the (decompressed) input
	quoted bool    // Raw has a double quote
	lines  int     // no more rows than that
	cells  []cell  // of the rows, once Values was asked
	split  bool    // cells are there
	room   []byte  // cells that are not as they stand in Raw
}

// rowsOf returns what the source keeps with b.
func rowsOf(b *table.Block) *rows {
	r, ok := b.Source.(*rows)
	if !ok {
		r = &rows{}
		b.Source = r
	}
	return r
}

// start empties r for new rows and keeps its memory.
func (r *rows) start() {
	r.starts, r.ends, r.header, r.quoted, r.split = r.starts[:0], r.ends[:0], -1, false, false
}

// SeekTo makes Fill go on at p. In a plain file it costs nothing, in a stream the
// bytes before p are read.
func (s *Source) SeekTo(p table.Position) error {
	if s.at != nil {
		s.r = io.NewSectionReader(s.at, p.Offset, math.MaxInt64-p.Offset)
	} else if n, err := io.CopyN(io.Discard, s.r, p.Offset); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s: no byte %d to go on from, %d were read: %w", s.file, p.Offset, n, err)
	}
	s.pos, s.line = p.Offset, p.Row
	return nil
}

// Fill reads the next whole rows into b.Raw, which has one more byte, a line end,
// beyond its length.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	r := rowsOf(b)
	for {
		r.start()
		if err := s.next(b, r); err != nil {
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

// next reads whole rows, wanted or not.
func (s *Source) next(b *table.Block, r *rows) error {
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

// tooLong is the error of the row at b.Raw[i:].
func (s *Source) tooLong(b *table.Block, i int, reason string) error {
	return &table.RowError{File: s.file, Line: b.First + int64(bytes.Count(b.Raw[:i], newline)), Reason: reason}
}

// Parse reads the coordinates of b's rows and where their answers go.
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
			if j, ok := s.special(b, r, raw, i); ok {
				i = j
				continue
			}
		} else if s.isNamed(r.offset + int64(i)) {
			i, _ = s.special(b, r, raw, i)
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
		if s.order[2].column+1+s.more(raw[j:end+1], r.quoted) != s.width {
			if err := s.uneven(b, raw, i, end); err != nil {
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

// isNamed reports whether the row at that place of the input is the header or
// belongs to the prologue.
func (s *Source) isNamed(at int64) bool { return at == s.headerAt || at < s.prologue }

// special handles a line that is no data row: blank, comment, header or one of
// the prologue. It returns the place after it.
func (s *Source) special(b *table.Block, r *rows, raw []byte, i int) (next int, ok bool) {
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

// comment counts the comment line at raw[i:], and tells whether it would be a row
// but for its mark: as wide as a row, with numbers in the coordinate columns.
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

// uneven handles a row that is wider or narrower than the others. It is an error
// where decimal commas were cut apart: more fields between commas, all of them
// whole numbers.
func (s *Source) uneven(b *table.Block, raw []byte, i, end int) error {
	fields := s.fields(bytes.TrimSuffix(raw[i:end], []byte("\r")), nil)
	if s.Delimiter == ',' && len(fields) > s.width && !slices.ContainsFunc(fields, isNoInteger) {
		return &table.RowError{File: s.file, Line: s.lineOf(b, i),
			Reason: fmt.Sprintf("%d whole numbers where other rows have %d columns: decimal commas between commas?", len(fields), s.width)}
	}
	s.tally(&b.Ragged, b, i)
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
func (s *Source) rowError(b *table.Block, offset int64, raw []byte, i int) error {
	reason, err := s.explain(raw, i)
	if offset+int64(i) == s.firstRow {
		err = table.ErrPreamble
	}
	return &table.RowError{File: s.file, Line: s.lineOf(b, i), Reason: reason, Err: err}
}

// contentEnd returns where a row that ends at raw[end] = '\n' has its last byte
// before the line ending, CR LF included.
func contentEnd(raw []byte, start, end int) int {
	if end > start && raw[end-1] == '\r' {
		return end - 1
	}
	return end
}

// tally counts the line at b.Raw[i:]. Its number is only found for the first.
func (s *Source) tally(t *table.Tally, b *table.Block, i int) {
	if t.Count++; t.Count == 1 {
		t.First = s.lineOf(b, i)
	}
}

// lineOf returns the number of the line at b.Raw[i:].
func (s *Source) lineOf(b *table.Block, i int) int64 {
	return b.First + int64(bytes.Count(b.Raw[:i], newline))
}
