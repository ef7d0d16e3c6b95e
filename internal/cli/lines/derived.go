package lines

import (
	"context"
	"errors"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// Rows are the rows that a block of lines gives, and their answer columns. Row k belongs to the line
// Origin[k] of the block. The other slices are those of table.Block, and a slice that is nil has no
// column.
type Rows struct {
	Origin   []int32
	Sides    []side.Side
	Numbers  [][]float64
	Integers [][]int64
	Words    [][]string
}

// copyTo writes the answers to the columns of b.
func (a *Rows) copyTo(b *table.Block) {
	if a.Sides != nil {
		copy(b.Sides, a.Sides)
	}
	for i := range a.Numbers {
		copy(b.Numbers[i], a.Numbers[i])
	}
	for i := range a.Integers {
		copy(b.Integers[i], a.Integers[i])
	}
	for i := range a.Words {
		copy(b.Words[i], a.Words[i])
	}
}

// Compute computes the answers for a block of lines. Several goroutines call it at the same time.
type Compute func(ctx context.Context, b *table.Block) (*Rows, error)

// Same returns a function for points.Job.Answer, for lines that give one row each.
func Same(compute Compute) func(context.Context, *table.Block) error {
	return func(ctx context.Context, b *table.Block) error {
		a, err := compute(ctx, b)
		if err == nil {
			a.copyTo(b)
		}
		return err
	}
}

// derived is a table.Source. Each row of a Reader becomes any number of rows, which have the fields of
// this row.
type derived struct {
	ctx     context.Context
	in      *points.Reader
	compute Compute
}

// derivedTexts is a derived whose cells are texts.
type derivedTexts struct{ *derived }

// block is the data that a derived stores with a block.
type block struct {
	lines   table.Block
	answers *Rows
	values  table.Values
}

// Derive returns a Reader of the rows that the lines of in give, and a function for
// points.Job.Answer. A Job writes the rows in a format that it converts to, so Job.Format must not be
// empty. ctx ends the computation.
func Derive(ctx context.Context, in *points.Reader, compute Compute) (*points.Reader, func(context.Context, *table.Block) error) {
	d := &derived{ctx, in, compute}
	var src table.Source = d
	if _, ok := in.Source().(table.Texter); ok {
		src = &derivedTexts{d}
	}
	return points.FromSource(in.Name(), src, in.Size()), func(_ context.Context, b *table.Block) error {
		b.Source.(*block).answers.copyTo(b)
		return nil
	}
}

// Format returns a name that no format has.
func (d *derived) Format() string { return "derived" }

// Fields returns the fields of the lines.
func (d *derived) Fields() []table.Field { return d.in.Fields() }

// Axes returns the axes of the lines.
func (d *derived) Axes() [3]int { return d.in.Axes() }

// Rows returns −1, because the number of rows is unknown.
func (d *derived) Rows() int64 { return -1 }

// Fill reads the next lines.
func (d *derived) Fill(b *table.Block) error {
	s, ok := b.Source.(*block)
	if !ok {
		s = new(block)
		b.Source = s
	}
	b.Start()
	if err := d.in.Next(&s.lines); err != nil {
		return err
	}
	b.First, b.Next, b.Read, b.Counts = s.lines.First, s.lines.Next, s.lines.Read, s.lines.Counts
	return nil
}

// Parse computes the rows of b.
func (d *derived) Parse(b *table.Block) (err error) {
	s := b.Source.(*block)
	if s.answers, err = d.compute(d.ctx, &s.lines); err != nil {
		return err
	}
	b.Reserve(len(s.answers.Origin))
	for _, k := range s.answers.Origin {
		b.Points = append(b.Points, s.lines.Points[k])
	}
	return nil
}

// Values reads a field of the line of each row.
func (d *derived) Values(b *table.Block, field int, v *table.Values) error {
	return repeat(b, field, v, d.in.Source().Values)
}

// Texts implements table.Texter.
func (d *derivedTexts) Texts(b *table.Block, field int, v *table.Values) error {
	return repeat(b, field, v, d.in.Source().(table.Texter).Texts)
}

// Complete implements table.Texter.
func (d *derivedTexts) Complete(b *table.Block) error {
	return pointio.CheckComplete(d.in.Source(), &b.Source.(*block).lines)
}

// Place implements table.Placer.
func (d *derived) Place(b *table.Block, k int) string {
	s := b.Source.(*block)
	return pointio.Place(d.in.Source(), &s.lines, int(s.answers.Origin[k]))
}

// repeat reads a field of the lines of b and copies the cell of each line to its rows.
func repeat(b *table.Block, field int, v *table.Values, read func(*table.Block, int, *table.Values) error) error {
	s := b.Source.(*block)
	if err := read(&s.lines, field, &s.values); err != nil {
		return err
	}
	v.Reset(s.values.Type)
	origin := s.answers.Origin
	v.Floats = pick(v.Floats, s.values.Floats, origin)
	v.Ints = pick(v.Ints, s.values.Ints, origin)
	v.Texts = pick(v.Texts, s.values.Texts, origin)
	v.Missing = pick(v.Missing, s.values.Missing, origin)
	return nil
}

// pick appends the elements of src with the given indices to dst, or nothing if src is empty.
func pick[T any](dst, src []T, at []int32) []T {
	if len(src) > 0 {
		for _, k := range at {
			dst = append(dst, src[k])
		}
	}
	return dst
}

// errOnlyOnce is the error of the methods that need an input that can be read in parts.
var errOnlyOnce = errors.New("derived rows cannot be continued or copied")

// SeekTo fails.
func (d *derived) SeekTo(table.Position) error { return errOnlyOnce }

// Passthrough fails.
func (d *derived) Passthrough([]table.Column) (table.Sink, error) { return nil, errOnlyOnce }
