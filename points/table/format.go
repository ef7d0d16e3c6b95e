package table

import (
	"errors"
	"fmt"
	"io"
)

// Source is a format that is read. Fill is called by one goroutine; Parse, Values and
// the methods that tell may be called by several at once, for different blocks.
type Source interface {
	// Format is the name of the format in lower case, such as ply.
	Format() string
	// Fields are the columns, in their order. The caller must not modify them.
	Fields() []Field
	// Axes are the fields of x, y and z.
	Axes() [3]int
	// Rows is how many rows Fill gives in all, −1 if only reading tells.
	Rows() int64
	// Fill calls b.Start, reads the next whole rows into b.Raw and sets First and
	// Next, and Read if it knows; at the end it returns io.EOF. An error names the file, and line, byte or
	// row.
	Fill(b *Block) error
	// Parse reads the points of b.Raw. It adds each with b.Add.
	Parse(b *Block) error
	// Values reads a field of the rows of b, which were parsed, into v. It fails for an
	// opaque one.
	Values(b *Block, field int, v *Values) error
	// SeekTo makes Fill go on behind an earlier Block.Next of the same input, as if
	// what is before had been read. It is called before the first Fill.
	SeekTo(p Position) error
	// Same returns a sink of the same format that passes all fields through. It fails
	// with an error that wraps ErrCannotHold if the format cannot hold cols.
	Same(cols []Column) (Sink, error)
}

// CheckValues fails with an error that wraps ErrCannotHold if a field of src has no Values,
// so that no sink of another format, whose name is given, can be made of it.
func CheckValues(src Source, format string) error {
	for _, f := range src.Fields() {
		if f.Opaque != "" {
			return fmt.Errorf("column %s is %s: %s: %w: keep the format %s", Quote([]byte(f.Name)), f.Opaque, format, ErrCannotHold, src.Format())
		}
	}
	return nil
}

// Sink is a format that is written. Format may be called by several goroutines at
// once, for different blocks; the other methods by one, in order.
type Sink interface {
	// Begin writes what comes before the first row. rows is how many will follow, −1 if
	// that is not known yet.
	Begin(w io.Writer, rows int64) error
	// Format formats the rows of b that are not dropped, with their answers.
	Format(b *Block) error
	// Write writes what Format made of b.
	Write(w io.Writer, b *Block) error
	// End writes what comes after the last row.
	End(w io.Writer) error
}

// Patcher is a Sink whose Begin holds what only the end tells, such as the number of
// rows. It may be written to a pipe only if rows is known to Begin, or by way of a file.
type Patcher interface {
	Sink
	// Head returns what the first bytes of the output must be replaced by after End:
	// as many bytes as Begin wrote, or fewer; nil if they are right.
	Head() []byte
}

// Later is a Patcher whose Head may have something to say even if Begin knew the number of
// rows, such as the box of the points, if Late returns true.
type Later interface {
	Patcher
	Late() bool
}

// Resumer is a Sink that can go on with an output that was cut off between blocks.
type Resumer interface {
	Sink
	// State returns what Resume needs to know beside the rows written so far: it is
	// called between Writes.
	State() ([]byte, error)
	// Resume takes the place of Begin: rows as for Begin, state as State gave it.
	Resume(rows int64, state []byte) error
}

// Stateless is for a Sink to embed that writes nothing but what Format made of each block:
// the rows so far say all that Resume needs to know, so that the Sink is a Resumer.
type Stateless struct{}

// Begin writes nothing.
func (Stateless) Begin(io.Writer, int64) error { return nil }

// Write writes the rows of b.
func (Stateless) Write(w io.Writer, b *Block) error {
	_, err := w.Write(b.Out)
	return err
}

// End writes nothing.
func (Stateless) End(io.Writer) error { return nil }

// State returns nothing.
func (Stateless) State() ([]byte, error) { return nil, nil }

// Resume has nothing to do.
func (Stateless) Resume(int64, []byte) error { return nil }

// Warner is a Sink that may have changed what it was given.
type Warner interface {
	Sink
	// Warnings tells what the rows written so far have lost, a sentence each. It is called
	// after End.
	Warnings() []string
}

// ErrCannotHold is wrapped by errors about columns that a format cannot hold.
var ErrCannotHold = errors.New("the format cannot hold it")
