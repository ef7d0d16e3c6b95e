package pcd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// blockBytes is the usual size of a block of text, and maxBlock the largest. Indices are int32.
const (
	blockBytes = 1 << 20 // tuning
	maxBlock   = 1 << 28
	leastBlock = 16 // smallest buffer of bufio
)

// textSource reads points of DATA ascii: a line for each point.
type textSource struct {
	name    string
	head    *header
	columns []column
	fields  []table.Field
	axes    [3]int
	words   int // words of a line

	br               *bufio.Reader
	at               io.ReaderAt // the file, or nil for a stream
	pos, posRow      int64       // offset of the next byte of br, and the row that begins there
	first, next, end int64
	atEnd            bool // there is no shard after this one
	copyEnd          bool // a sink copies the white space after the last line
	trailing         int64
}

func newText(name string, h *header, columns []column, fields []table.Field, xyz [3]int, br *bufio.Reader, at io.ReaderAt, opt Options) (Source, error) {
	s := &textSource{name: name, head: h, columns: columns, fields: fields, axes: xyz, br: br, at: at, pos: int64(len(h.text))}
	for i := range h.fields {
		s.words += h.fields[i].count
	}
	if s.words > records.MaxRow {
		return nil, plural.Errorf("a point of %d numbers exceeds the limit of %d numbers", s.words, records.MaxRow)
	}
	block := blockBytes
	if opt.Block > 0 {
		block = max(leastBlock, min(opt.Block, maxBlock))
	}
	s.br = bufio.NewReaderSize(br, block)
	var err error
	s.first, s.end, err = pointio.Records{Count: h.points}.Range(opt, at != nil)
	s.next = s.first
	s.atEnd = s.end == h.points && opt.Shard == opt.Shards
	return s, err
}

func (s *textSource) Format() string        { return "pcd" }
func (s *textSource) Fields() []table.Field { return s.fields }
func (s *textSource) Axes() [3]int          { return s.axes }
func (s *textSource) Rows() int64           { return s.end - s.first }
func (s *textSource) Warnings() []string    { return s.head.warnings }
func (s *textSource) ASCII() bool           { return true }
func (s *textSource) Trailing() int64       { return s.trailing }
func (s *textSource) String() string        { return "pcd, ascii" }

// Place returns the line of a row.
func (s *textSource) Place(b *table.Block, k int) string {
	return fmt.Sprintf("line %d", int64(s.head.lines)+b.First+int64(k)+1)
}

// Texts implements table.Texter. All cells are texts.
func (s *textSource) Texts(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, false)
}

// Complete implements table.Texter. All cells belong to a field.
func (s *textSource) Complete(*table.Block) error { return nil }

// SeekTo makes Fill continue at p.
func (s *textSource) SeekTo(p table.Position) error {
	if p.Row < s.first || p.Row > s.end || p.Offset < s.pos {
		return fmt.Errorf("%s: no row %d at byte %d", s.name, p.Row, p.Offset)
	}
	if s.at != nil {
		s.br.Reset(io.NewSectionReader(s.at, p.Offset, math.MaxInt64-p.Offset))
	} else if _, err := io.CopyN(io.Discard, s.br, p.Offset-s.pos); err != nil {
		return s.rowError(s.posRow, err)
	}
	s.pos, s.posRow, s.next = p.Offset, p.Row, p.Row
	return nil
}

func (s *textSource) rowError(row int64, err error) error {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the file is cut off after row %d of %d: %w", row, s.head.points, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: line %d: %w", s.name, int64(s.head.lines)+row+1, err)
}

// Fill reads the next lines.
func (s *textSource) Fill(b *table.Block) error {
	for s.posRow < s.next { // the rows before a shard
		if err := s.fill(b, s.next-s.posRow); err != nil {
			return err
		}
	}
	if s.next == s.end {
		b.Start()
		if s.atEnd && !s.copyEnd {
			if err := s.readEnd(io.Discard); err != nil {
				return err
			}
		}
		return io.EOF
	}
	if err := s.fill(b, s.end-s.next); err != nil {
		return err
	}
	s.next = s.posRow
	b.Next = table.Position{Row: s.next, Offset: s.pos}
	b.Read = s.pos
	return nil
}

func (s *textSource) fill(b *table.Block, most int64) error {
	b.Start()
	b.First = s.posRow
	n, err := records.FillLines(s.br, b, most, '\n')
	if err != nil {
		return s.rowError(s.posRow, err)
	}
	s.pos += int64(len(b.Raw))
	s.posRow += n
	return nil
}

// readEnd reads the rest of the file. It copies the white space after the last line to w. It counts the bytes that
// follow this white space, and does not copy them.
func (s *textSource) readEnd(w io.Writer) error {
	for {
		_, err := s.br.Peek(1)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.rowError(s.head.points, err)
		}
		part, _ := s.br.Peek(s.br.Buffered())
		if s.trailing == 0 {
			more := bytes.TrimLeft(part, " \t\r\n")
			if _, err := w.Write(part[:len(part)-len(more)]); err != nil {
				return err
			}
			part = part[len(part)-len(more):]
		}
		s.trailing += int64(len(part))
		s.br.Discard(s.br.Buffered())
	}
}

// bounds has the bounds of the lines of a block.
type bounds struct{ start, end []int32 }

func (s *textSource) bounds(b *table.Block) *bounds {
	m, ok := b.Source.(*bounds)
	if !ok {
		m = &bounds{}
		b.Source = m
	}
	return m
}

// Parse parses the coordinates, and checks that each line has a word for each element.
func (s *textSource) Parse(b *table.Block) error {
	m := s.bounds(b)
	m.start, m.end = records.FindLines(b.Raw, '\n', m.start[:0], m.end[:0])
	b.Reserve(len(m.start))
	axis := make([]int, s.words) // axis + 1 of each word
	for a, k := range s.axes {
		axis[s.columns[k].word] = a + 1
	}
	for k := range m.start {
		p, err := s.parseLine(b.Raw[m.start[k]:m.end[k]], axis)
		if err != nil {
			return s.rowError(b.First+int64(k), err)
		}
		b.Add(p, b.First+int64(k))
	}
	return nil
}

func (s *textSource) parseLine(line []byte, axis []int) (r3.Vector, error) {
	var v [3]float64
	i := 0
	for w := range s.words {
		if i = records.SkipBlanks(line, i); i == len(line) {
			if w == 0 {
				return r3.Vector{}, fmt.Errorf("the line is blank: expected a point")
			}
			return r3.Vector{}, plural.Errorf("found %d numbers, expected %d: %s", w, s.words, quote.Word(line))
		}
		end := i
		if a := axis[w]; a > 0 {
			var ok bool
			if v[a-1], end, ok = records.ParseNumber(line, i); !ok {
				return r3.Vector{}, fmt.Errorf("%s: %s is not a number", "xyz"[a-1:a], quote.Word(line[i:records.WordEnd(line, i)]))
			}
		}
		i = records.WordEnd(line, end)
	}
	if records.SkipBlanks(line, i) < len(line) {
		return r3.Vector{}, plural.Errorf("the line has more than %d numbers: %s", s.words, quote.Word(line))
	}
	return r3.Vector{X: v[0], Y: v[1], Z: v[2]}, nil
}

// Values reads a column. Each word must be a number that the type of the column can represent.
func (s *textSource) Values(b *table.Block, f int, v *table.Values) error {
	return s.values(b, f, v, true)
}

func (s *textSource) values(b *table.Block, f int, v *table.Values, strict bool) error {
	c, m := &s.columns[f], s.bounds(b)
	v.Reset(c.Type)
	if c.Opaque != "" {
		return pointio.CannotHoldf("%s: field %s is %s", s.name, quote.Word(c.Name), c.Opaque)
	}
	for k := range b.Points {
		line := b.Raw[m.start[k]:m.end[k]]
		i := 0
		for range c.word {
			i = records.WordEnd(line, records.SkipBlanks(line, i))
		}
		i = records.SkipBlanks(line, i)
		word := line[i:records.WordEnd(line, i)]
		x, _, ok := records.ParseNumber(word, 0)
		if c.Type.IsFloat() {
			if !ok {
				x = math.NaN()
			}
			v.Floats = append(v.Floats, x)
		} else {
			n, exact := parseInt(c.Type, word)
			ok = exact
			v.Ints = append(v.Ints, n)
		}
		if !ok && strict {
			return s.rowError(b.First+int64(k), fmt.Errorf("field %s: %s is not a number of type %s: %w", quote.Word(c.Name), quote.Word(word), c.Type, table.ErrCannotHold))
		}
		if v.Texts = append(v.Texts, word); !strict && ok && x != x { // Texter wants NaN to be missing
			if len(v.Missing) == 0 {
				v.Missing = slices.Grow(v.Missing, len(b.Points))[:len(b.Points)]
				clear(v.Missing)
			}
			v.Missing[k] = true
		}
	}
	return nil
}

// Format appends the answers to each line.
func (k *textPass) Format(b *table.Block) error {
	if err := k.answers.Check(k.src, b, "pcd", int32Name); err != nil {
		return fmt.Errorf("%s: %w", k.src.name, err)
	}
	m, raw := k.src.bounds(b), b.Raw
	b.Out = slices.Grow(b.Out[:0], len(raw)+len(b.Points)*k.answers.Size())
	for i := range b.Points {
		next := len(raw)
		if i+1 < len(m.start) {
			next = int(m.start[i+1])
		}
		if b.Dropped(i) {
			continue
		}
		b.Out = records.AppendAnswers(append(b.Out, raw[m.start[i]:m.end[i]]...), k.answers, b, i)
		b.Out = append(b.Out, raw[m.end[i]:next]...)
		if k.answered() && b.Out[len(b.Out)-1] != '\n' { // the last line of the file
			b.Out = append(b.Out, k.src.head.eol()...)
		}
	}
	return nil
}
