package ply

import (
	"fmt"
	"io"
	"slices"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*passthrough)(nil)

// passthrough is a sink that copies a source and appends the answers to each row. It implements
// table.HeaderPatcher and table.Resumer.
type passthrough struct {
	records.Counter
	src     *Source
	answers pointio.Answers
	size    int  // number of bytes that the answers add to a row (an estimate if the file is ASCII)
	refers  bool // an element such as face contains numbers of vertices
}

// Passthrough implements table.Source. Only one sink of s can be used, because a sink reads the
// elements after the rows from s. Begin must be called before s.Fill reaches the end.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	list, err := records.NewAnswers("ply", s.fields, cols)
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
	k.Counter = records.NewCounter("ply", s.Rows(), func(count string, pad int) []byte {
		return s.head.WithVertices(s.vertexAt, count, padded(comments, pad), props)
	})
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
	if err := k.Counter.Begin(w, rows); err != nil {
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
			b.Out = records.AppendAnswers(append(b.Out, row[:used]...), k.answers, b, i)
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
	return k.Counter.Resume(rows, state)
}

// End writes the elements after the vertices.
func (k *passthrough) End(w io.Writer) error {
	if err := k.Counter.End(w); err != nil {
		return fmt.Errorf("%s: %w", k.src.file, err)
	}
	if k.refers && k.Written != k.src.Rows() {
		return k.faceError("rows are dropped")
	}
	return k.src.copyRest(w)
}
