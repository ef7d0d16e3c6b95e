package ply

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*passthrough)(nil)

// passthrough is a sink that copies a source and appends the answers to each row. It implements
// table.HeaderPatcher and table.Resumer.
type passthrough struct {
	rowCounter
	src     *Source
	answers pointio.Answers
	size    int  // number of bytes that the answers add to a row (an estimate if the file is ASCII)
	refers  bool // an element such as face refers to vertices by number
}

// rowCounter is the part of a sink that counts rows and writes their number into the header.
type rowCounter struct {
	Written int64                                   `json:"written"` // number of rows written
	rows    int64                                   // argument of Begin: the number of rows, or −1 if unknown
	most    int64                                   // upper bound of the number of rows, or −1 if unknown
	begun   int64                                   // number of rows in the header that Begin wrote
	encode  func(count string, pad []string) []byte // returns the header for a number of rows
}

// Passthrough implements table.Source. Only one sink of s can be used, because a sink reads the
// elements after the rows from s. Begin must be called before s.Fill reaches the end.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := newAnswers(s.fields, cols)
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
	comments, props := answerLines(list)
	k.most, k.rows = s.Rows(), -1
	k.encode = func(count string, pad []string) []byte {
		return s.head.WithVertices(s.vertexAt, count, append(slices.Clone(comments), pad...), props)
	}
	return k, nil
}

// faceError returns the error for a file whose faces would refer to the wrong vertices.
func (k *passthrough) faceError(why string) error {
	return fmt.Errorf("%s: %s: faces would refer to the wrong vertices: ply: %w: use another format or a cloud without faces",
		k.src.file, why, table.ErrCannotHold)
}

// Begin writes the header and the elements before the vertices.
func (k *passthrough) Begin(w io.Writer, rows int64) error {
	k.src.passthrough = true
	if err := k.rowCounter.Begin(w, rows); err != nil {
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
	if k.src.fixed {
		k.answers.FormatRows(b, int(k.src.row), k.src.head.BigEndian)
	} else {
		k.formatRows(b)
	}
	return nil
}

// formatRows formats rows that can differ in length. In an ASCII file, it inserts the answers after
// the last value of each line.
func (k *passthrough) formatRows(b *table.Block) {
	ascii := k.src.head.ASCII
	m := b.Source.(*rowBounds)
	b.Out = slices.Grow(b.Out, len(b.Raw)+len(b.Points)*k.size)
	for i := range b.Points {
		if b.Dropped(i) {
			continue
		}
		row := k.src.rowAt(b, i)
		if ascii {
			used := m.end[i] - m.start[i]
			b.Out = appendText(append(b.Out, row[:used]...), k.answers, b, i)
			b.Out = append(b.Out, row[used:]...)
			continue
		}
		b.Out = append(b.Out, row...)
		n := len(b.Out)
		b.Out = b.Out[:n+k.size]
		k.answers.PutTo(b.Out[n:], b, i, k.src.head.BigEndian)
	}
}

func (k *passthrough) Resume(rows int64, state []byte) error {
	k.src.passthrough = true
	return k.rowCounter.Resume(rows, state)
}

// End writes the elements after the vertices.
func (k *passthrough) End(w io.Writer) error {
	if err := k.rowCounter.End(w); err != nil {
		return fmt.Errorf("%s: %w", k.src.file, err)
	}
	if k.refers && k.Written != k.most {
		return k.faceError("rows are dropped")
	}
	return k.src.copyRest(w)
}

// Begin writes the header. If the number of rows is unknown, the header has an upper bound of the
// number, and a comment whose spaces reserve room for more digits.
func (c *rowCounter) Begin(w io.Writer, rows int64) error {
	c.setRows(rows)
	_, err := w.Write(c.header(c.begun))
	return err
}

// setRows stores the number of rows that follow, or −1 if the number is unknown.
func (c *rowCounter) setRows(rows int64) {
	if c.rows, c.begun = rows, rows; rows < 0 {
		c.begun = max(0, c.most)
	}
}

// header returns the header for the given number of rows. If the argument of Begin was −1, the
// length of the header does not depend on this number.
func (c *rowCounter) header(rows int64) []byte {
	count := strconv.FormatInt(rows, 10)
	if c.rows >= 0 {
		return c.encode(count, nil)
	}
	const digits = 19 // the largest int64 has 19 digits
	return c.encode(count, []string{padding + strings.Repeat(" ", digits-len(count))})
}

func (c *rowCounter) Write(w io.Writer, b *table.Block) error {
	c.Written += int64(b.Kept())
	_, err := w.Write(b.Out)
	return err
}

// End fails if the number of written rows differs from the argument of Begin.
func (c *rowCounter) End(io.Writer) error {
	if c.rows >= 0 && c.rows != c.Written {
		return plural.Errorf("%d rows were written, but the header says %d", c.Written, c.rows)
	}
	return nil
}

func (c *rowCounter) NeedsPatch(rows int64) bool { return rows < 0 }

func (c *rowCounter) FinalHeader() []byte {
	if c.rows >= 0 || c.Written == c.begun {
		return nil
	}
	return c.header(c.Written)
}

func (c *rowCounter) State() ([]byte, error) { return json.Marshal(c) }

func (c *rowCounter) Resume(rows int64, state []byte) error {
	c.setRows(rows)
	if err := json.Unmarshal(state, c); err != nil {
		return fmt.Errorf("ply: cannot read the state of an earlier run: %w", err)
	}
	if c.Written < 0 || c.most >= 0 && c.Written > c.most {
		return plural.Errorf("ply: the state of an earlier run does not fit the input: %d rows were written, but the input has %d", c.Written, c.most)
	}
	return nil
}
