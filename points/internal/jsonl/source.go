package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

const (
	blockBytes = 1 << 20 // tuning: usual size of a block; it has thousands of rows
	maxRow     = 1 << 24 // maximum length of a line, to bound the memory
	// sampleBytes and sampleRows limit the sample that determines the fields. If no line ends in the
	// sample, the sample grows until a line of maxRow bytes fits.
	sampleBytes = 1 << 20 // tuning
	sampleRows  = 200     // tuning
	// maxCells bounds the number of cells of a block and thus its memory. A row of a few bytes can
	// lack thousands of fields.
	maxCells = 1 << 20 // tuning
)

// bom is the byte order mark of UTF-8.
var bom = []byte("\xef\xbb\xbf")

// Options select the rows, and the fields of x, y and z.
type Options = pointio.Options

// Source reads JSON Lines. It implements table.Source.
type Source struct {
	features // used only for GeoJSON
	file     string
	root     *node
	fields   []table.Field
	axes     [3]int
	parents  int             // number of nodes that have children, without the root
	watched  map[string]bool // keys of answers

	r      io.Reader
	at     io.ReaderAt // the plain file, or nil for a stream
	rest   []byte      // bytes that were read after the last complete line
	pos    int64       // offset of s.rest in the input
	line   int64       // number of lines before s.rest
	block  int         // usual size of a block in bytes
	ended  bool        // r has no further bytes
	lo, hi int64       // rows of this Source begin at the offsets [lo, hi)
}

// New finds the fields of JSON Lines from the first rows of r. The given name is the name of the
// file in error messages. For a plain file, the io.ReaderAt is the file, and the size is its size
// in bytes. For a stream and for decompressed data, the io.ReaderAt is nil and the size is −1.
//
// If a line is not an object, New returns a *table.RowError. If it is unclear which fields are the
// coordinates, New returns table.ErrColumns. New also fails for invalid options.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	s := &Source{file: file, hi: math.MaxInt64, block: opt.Block}
	if size >= 0 {
		s.at = at
	}
	r, err := s.readSchema(r)
	if err != nil {
		return nil, err
	}
	s.r = r
	s.fields = s.root.addFields(nil)
	s.top = s.root
	return s, s.choose(size, opt)
}

// readSchema finds the keys in the first rows of r. It returns a reader of all rows.
func (s *Source) readSchema(r io.Reader) (io.Reader, error) {
	var line int64
	err := errNoLine
	for n := sampleBytes; errors.Is(err, errNoLine) && n <= 2*maxRow; n *= 2 {
		var sample []byte
		var whole bool
		if sample, r, whole, err = pointio.Peek(r, n); err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
		s.root, line, err = readSample(sample, whole)
	}
	if err != nil {
		return nil, s.rowError(line, err.Error(), nil)
	}
	return r, nil
}

// choose finds the coordinates, and the rows that opt selects.
func (s *Source) choose(size int64, opt Options) (err error) {
	if s.block <= 0 {
		s.block = blockBytes
	}
	s.parents = s.root.numberParents(0)
	makeUnique(s.fields)
	if s.axes, err = axes.Choose(s.fields, opt.Columns, opt.Find, func(k int) bool { return axes.IsNumber(s.fields[k]) }); err == nil {
		err = opt.Restrict(&s.lo, &s.hi, size)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", s.file, err)
	}
	return err
}

// Format returns "jsonl", or "geojson" if the rows are features.
func (s *Source) Format() string {
	if s.isGeo {
		return "geojson"
	}
	return "jsonl"
}

// Fields returns the keys of the first rows, at most 200, in the order of their first occurrence.
// The members of a nested object are fields whose names have dots, such as position.x. A list is an
// opaque field. Numbers are Float64. If the first rows have integers that float64 would round, and
// no other numbers, the type is Int64. A field with values of several types is Text.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the indices of the fields of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns −1, because the number of rows is unknown before all rows are read.
func (s *Source) Rows() int64 { return -1 }

// cell is the range of a value in Block.Raw. If a row lacks the value, both indices are 0.
type cell struct{ start, end int32 }

// blockRows is the data that a Source stores with a block. Its indices refer to Block.Raw.
type blockRows struct {
	offset  int64           // offset of Raw in the decompressed input
	starts  []int32         // index of the first byte of each row
	lasts   []int32         // index after the last member of each row; answers are inserted there
	empty   []bool          // whether the object of the row has no members
	places  []place         // where the answers of a feature are inserted; empty for JSON Lines
	cells   []cell          // cells of all rows
	strange []int32         // rows with keys that the sample lacks
	keys    map[string]bool // keys in watched that the sample lacks
	parents []int32         // for each node.parent, the last row that has this key, counted from 1
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

// SeekTo makes Fill continue at p. In a stream, SeekTo reads and discards the bytes before p.
func (s *Source) SeekTo(p table.Position) error {
	if s.at != nil {
		s.r = io.NewSectionReader(s.at, p.Offset, math.MaxInt64-p.Offset)
	} else if n, err := io.CopyN(io.Discard, s.r, p.Offset); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s: cannot continue at byte %d: the input has only %d bytes: %w", s.file, p.Offset, n, err)
	}
	s.pos, s.line = p.Offset, p.Row
	return nil
}

// Fill reads the next complete lines into b.Raw.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	r := rowsOf(b)
	for {
		if err := s.readLines(b, r); err != nil {
			return err
		}
		if r.offset >= s.hi {
			return io.EOF
		}
		if first := lineFrom(b.Raw, s.lo-r.offset); first > 0 {
			b.First += int64(bytes.Count(b.Raw[:first], newline))
			r.offset += int64(first)
			b.Raw = append(b.Raw[:0], b.Raw[first:]...)
		}
		if end := s.hi - r.offset; end < int64(len(b.Raw)) {
			b.Raw = b.Raw[:lineFrom(b.Raw, end)]
		}
		if len(b.Raw) > 0 {
			b.Next = table.Position{Offset: r.offset + int64(len(b.Raw)), Row: s.line}
			if b.Next.Offset < s.pos { // lines after s.hi were removed from b.Raw
				b.Next.Row = b.First - 1 + int64(bytes.Count(b.Raw, newline))
			}
			if !s.isGeo {
				b.Read = b.Next.Offset
			}
			return nil
		}
	}
}

var newline = []byte("\n")

// lineFrom returns the index of the first line of b that begins at b[at] or later, or len(b).
func lineFrom(b []byte, at int64) int {
	if at <= 0 {
		return 0
	}
	if at < int64(len(b)) {
		if k := bytes.IndexByte(b[at-1:], '\n'); k >= 0 {
			return int(at) + k
		}
	}
	return len(b)
}

// readLines reads the next complete lines of the input into b.Raw. It does not check whether they
// begin in the range from s.lo to s.hi.
func (s *Source) readLines(b *table.Block, r *blockRows) error {
	b.Raw = append(b.Raw[:0], s.rest...)
	r.offset, b.First = s.pos, s.line+1
	cut := 0
	for want := s.block; ; want = min(2*len(b.Raw), maxRow+1) {
		if err := s.read(b, want); err != nil {
			return err
		}
		if cut = s.cut(b.Raw); cut > 0 {
			break
		}
		if s.ended {
			cut = len(b.Raw)
			break
		}
		if len(b.Raw) > maxRow {
			return s.rowError(s.line+1, fmt.Sprintf("no line end within %d bytes", maxRow), nil)
		}
	}
	if cut == 0 {
		return io.EOF
	}
	s.rest = append(s.rest[:0], b.Raw[cut:]...)
	b.Raw = b.Raw[:cut]
	s.pos += int64(cut)
	s.line += int64(bytes.Count(b.Raw, newline))
	return nil
}

// cut returns the length of the lines at the front of raw that make a block.
func (s *Source) cut(raw []byte) int {
	most, end := max(1, maxCells/len(s.fields)), 0
	if bytes.Count(raw, newline) <= most {
		return bytes.LastIndexByte(raw, '\n') + 1
	}
	for range most {
		end += bytes.IndexByte(raw[end:], '\n') + 1
	}
	return end
}

// read appends bytes of the input to b.Raw until len(b.Raw) is wantLen or the input ends.
func (s *Source) read(b *table.Block, wantLen int) error {
	if s.ended || len(b.Raw) >= wantLen {
		return nil
	}
	if cap(b.Raw) <= wantLen {
		raw := make([]byte, len(b.Raw), wantLen+wantLen/8)
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

func (s *Source) rowError(line int64, reason string, err error) error {
	if s.isGeo {
		return featureError(s.file, line, reason, err)
	}
	return &table.RowError{File: s.file, Line: line, Reason: reason, Err: err}
}

// Line returns the line number of row k of b.
func (s *Source) Line(b *table.Block, k int) int64 {
	return b.First + int64(bytes.Count(b.Raw[:rowsOf(b).starts[k]], newline))
}

// Place implements table.Placer.
func (s *Source) Place(b *table.Block, k int) string {
	if s.isGeo {
		return fmt.Sprintf("feature %d", s.Line(b, k))
	}
	return fmt.Sprintf("line %d", s.Line(b, k))
}

// Parse finds the values of all fields in the rows of b, and parses the coordinates.
func (s *Source) Parse(b *table.Block) error {
	r := rowsOf(b)
	r.starts, r.lasts, r.empty, r.cells, r.strange, r.keys = r.starts[:0], r.lasts[:0], r.empty[:0], r.cells[:0], r.strange[:0], nil
	r.places = r.places[:0]
	r.parents = slices.Grow(r.parents[:0], s.parents)[:s.parents]
	clear(r.parents)
	i, line := 0, b.First
	if r.offset == 0 && bytes.HasPrefix(b.Raw, bom) {
		i = len(bom)
	}
	for ; i < len(b.Raw); line++ {
		end := bytes.IndexByte(b.Raw[i:], '\n')
		if end += i; end < i {
			end = len(b.Raw)
		}
		if from := skipBlanks(b.Raw[:end], i); from < end {
			if err := s.parseRow(b, r, i, from, end, line); err != nil {
				return s.rowError(line, err.Error(), nil)
			}
		}
		i = end + 1
	}
	return nil
}

// parseRow parses the row b.Raw[from:end], whose line begins at b.Raw[start:].
func (s *Source) parseRow(b *table.Block, r *blockRows, start, from, end int, line int64) error {
	text := b.Raw[start:end] // errors count the bytes from the start of the line
	if err := checkRow(text, from-start); err != nil {
		return err
	}
	n := len(r.cells)
	r.cells = append(r.cells, make([]cell, len(s.fields))...)
	row := r.cells[n:]
	strange, number := false, int32(len(r.starts)+1)
	var geo feature
	var visit func(n *node, depth int) func(m *member) error
	visit = func(n *node, depth int) func(m *member) error {
		return func(m *member) error {
			key := m.Text()
			child := n.child(key)
			if s.isGeo && n == s.root {
				if done, err := s.parseMember(text, start, m, &geo, row, &strange, depth, visit); done || err != nil {
					return err
				}
			}
			switch {
			case child == nil:
				if strange = true; n == s.top {
					if s.watched[string(key)] {
						if r.keys == nil {
							r.keys = map[string]bool{}
						}
						r.keys[string(key)] = true
					}
				}
				return nil
			case child.children != nil && r.parents[child.parent] == number:
				return errTwice(child)
			case child.children != nil:
				r.parents[child.parent] = number
			}
			switch {
			case m.kind == jsontext.Object && child.children != nil:
				_, _, err := scanObject(text, m.start, depth+1, visit(child, depth+1))
				return err
			case child.field < 0 && m.kind == jsontext.Null:
				return nil
			case child.field < 0:
				strange = true
				return nil
			}
			c := &row[child.field]
			if c.end != 0 {
				return errTwice(child)
			}
			*c = cell{int32(start + m.start), int32(start + m.end)}
			return nil
		}
	}
	after, last, err := scanObject(text, from-start, 1, visit(s.root, 1))
	if err == nil {
		err = checkEnd(text, after)
	}
	if err != nil {
		return err
	}
	if s.isGeo {
		if last, err = s.finishFeature(r, &geo, last); err != nil {
			return err
		}
	}
	var p [3]float64
	for axis, k := range s.axes {
		value := b.Raw[row[k].start:row[k].end]
		if p[axis], err = coordinate(value); err != nil {
			return fmt.Errorf("%s: %w", quote.Word(s.fields[k].Name), err)
		}
	}
	r.starts, r.lasts = append(r.starts, int32(start)), append(r.lasts, int32(start+last))
	r.empty = append(r.empty, geo.empty || !s.isGeo && start+last == from+1)
	if strange {
		r.strange = append(r.strange, int32(len(r.starts)-1))
	}
	b.Add(r3.Vector{X: p[0], Y: p[1], Z: p[2]}, line)
	return nil
}

func errTwice(n *node) error { return fmt.Errorf("the key %s occurs twice", quote.Word(n.name)) }

// coordinate parses the value of a coordinate. A null and a missing value are NaN.
func coordinate(value []byte) (float64, error) {
	if len(value) == 0 || value[0] == 'n' {
		return math.NaN(), nil
	}
	x, n, ok := decimal.Parse(value)
	if !ok || n != len(value) {
		return 0, fmt.Errorf("expected a number, found %s", quote.Word(value))
	}
	return x, nil
}
