package ply

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*passthrough)(nil)

// passthrough writes a source unchanged, with the answers appended. It implements table.HeaderPatcher and
// table.Resumer.
type passthrough struct {
	rowCounter
	src     *Source
	answers pointio.Answers
	size    int  // bytes of the answers of a binary row
	refers  bool // other elements refer to vertices
}

// rowCounter counts the rows written and encodes headers with their number.
type rowCounter struct {
	Written int64 `json:"written"`
	rows    int64 // argument of Begin; −1 if unknown
	most    int64 // upper bound of the rows; −1 if unknown
	begun   int64 // rows in the header that Begin wrote
	encode  func(count string, pad []string) []byte
}

// Passthrough implements table.Source. The sink itself reads the elements after the rows from
// the source. Therefore only one such sink may begin, before Fill has reached the end.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := answers(s.fields, cols)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	k := &passthrough{src: s, answers: list, size: list.Size()}
	for i := range s.head.Elements {
		k.refers = k.refers || i != s.vertexAt && refers(&s.head.Elements[i])
	}
	if k.refers && s.Rows() != s.vertex.Count {
		return nil, k.faceError("a shard does not have all vertices")
	}
	comments, props := declarations(list)
	k.most, k.rows = s.Rows(), -1
	k.encode = func(count string, pad []string) []byte {
		return s.head.WithVertices(s.vertexAt, count, append(slices.Clone(comments), pad...), props)
	}
	return k, nil
}

// faceError returns the error for dropped rows in a file whose faces refer to vertices by
// number.
func (k *passthrough) faceError(why string) error {
	return fmt.Errorf("%s: %s: faces would refer to other vertices: ply: %w: want another format, or a cloud without faces",
		k.src.file, why, table.ErrCannotHold)
}

// Begin implements table.Sink. It writes the header and the elements before the vertices.
func (k *passthrough) Begin(w io.Writer, rows int64) error {
	k.src.passthrough = true
	if err := k.begin(w, rows); err != nil {
		return err
	}
	s := k.src
	if s.at == nil {
		_, err := w.Write(s.prefix)
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(s.at, int64(len(s.head.Text)), s.start-int64(len(s.head.Text))))
	return err
}

// Format implements table.Sink.
func (k *passthrough) Format(b *table.Block) error {
	if k.refers && b.Kept() < len(b.Points) {
		return k.faceError("rows are dropped")
	}
	if err := k.answers.Check(k.src, b, "ply", int32Name); err != nil {
		return fmt.Errorf("%s: %w", k.src.file, err)
	}
	b.Out = b.Out[:0]
	if len(k.answers) == 0 && b.Drop == nil {
		b.Out = append(b.Out, b.Raw...)
		return nil
	}
	switch {
	case k.src.head.ASCII:
		k.formatLines(b)
	case k.src.fixed:
		k.answers.FormatRows(b, int(k.src.row), k.src.head.BigEndian)
	default:
		k.formatLists(b)
	}
	return nil
}

func (k *passthrough) formatLists(b *table.Block) {
	b.Out = slices.Grow(b.Out, len(b.Raw)+len(b.Points)*k.size)
	for i := range b.Points {
		if b.Dropped(i) {
			continue
		}
		b.Out = append(b.Out, k.src.rowAt(b, i)...)
		n := len(b.Out)
		b.Out = b.Out[:n+k.size]
		k.answers.PutTo(b.Out[n:], b, i, k.src.head.BigEndian)
	}
}

// formatLines appends the answers after the last value of each line.
func (k *passthrough) formatLines(b *table.Block) {
	const room = 4 // bytes of a short answer
	m := b.Source.(*rowBounds)
	b.Out = slices.Grow(b.Out, len(b.Raw)+len(b.Points)*len(k.answers)*room)
	for i := range b.Points {
		if b.Dropped(i) {
			continue
		}
		row := k.src.rowAt(b, i)
		used := m.end[i] - m.start[i]
		b.Out = append(b.Out, row[:used]...)
		b.Out = appendText(b.Out, k.answers, b, i)
		b.Out = append(b.Out, row[used:]...)
	}
}

// Resume implements table.Resumer.
func (k *passthrough) Resume(rows int64, state []byte) error {
	k.src.passthrough = true
	return k.rowCounter.Resume(rows, state)
}

// Write implements table.Sink.
func (k *passthrough) Write(w io.Writer, b *table.Block) error {
	k.Written += int64(b.Kept())
	_, err := w.Write(b.Out)
	return err
}

// End implements table.Sink. It writes the elements after the vertices.
func (k *passthrough) End(w io.Writer) error {
	if err := k.end(); err != nil {
		return fmt.Errorf("%s: %w", k.src.file, err)
	}
	if k.refers && k.Written != k.most {
		return k.faceError("rows are dropped")
	}
	return k.src.copyRest(w)
}

// begin writes the header. If the number of rows is unknown, the header has its upper bound,
// and a comment that reserves space for more digits.
func (c *rowCounter) begin(w io.Writer, rows int64) error {
	c.setRows(rows)
	_, err := w.Write(c.header(c.begun))
	return err
}

func (c *rowCounter) setRows(rows int64) {
	if c.rows, c.begun = rows, rows; rows < 0 {
		c.begun = max(0, c.most)
	}
}

// header returns the header for a number of rows. Unless Begin was told the number, the length
// does not depend on it.
func (c *rowCounter) header(rows int64) []byte {
	count := strconv.FormatInt(rows, 10)
	if c.rows >= 0 {
		return c.encode(count, nil)
	}
	const digits = 19 // of the largest int64
	return c.encode(count, []string{padding + strings.Repeat(" ", digits-len(count))})
}

// end returns an error if the number of rows differs from the number that Begin was given.
func (c *rowCounter) end() error {
	if c.rows >= 0 && c.rows != c.Written {
		return fmt.Errorf("%d rows were written, but the header says %d", c.Written, c.rows)
	}
	return nil
}

// NeedsPatch implements table.HeaderPatcher.
func (c *rowCounter) NeedsPatch(rows int64) bool { return rows < 0 }

// FinalHeader implements table.HeaderPatcher.
func (c *rowCounter) FinalHeader() []byte {
	if c.rows >= 0 || c.Written == c.begun {
		return nil
	}
	return c.header(c.Written)
}

// State implements table.Resumer.
func (c *rowCounter) State() ([]byte, error) { return json.Marshal(c) }

// Resume implements table.Resumer.
func (c *rowCounter) Resume(rows int64, state []byte) error {
	c.setRows(rows)
	if err := json.Unmarshal(state, c); err != nil {
		return fmt.Errorf("ply: state of an earlier run: %w", err)
	}
	if c.Written < 0 || c.most >= 0 && c.Written > c.most {
		return fmt.Errorf("ply: state of an earlier run: %d rows of %d", c.Written, c.most)
	}
	return nil
}
