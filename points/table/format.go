package table

import (
	"errors"
	"fmt"
	"io"
)

// Source is an input format. One goroutine calls Fill. Several may call the other
// methods at once, with different blocks.
type Source interface {
	// Format returns the name of the format in lower case, such as ply.
	Format() string
	// Fields returns the columns in their order. They must not be modified.
	Fields() []Field
	// Axes returns the indices of the fields of x, y and z.
	Axes() [3]int
	// Rows returns the total number of rows that Fill gives, or −1 if it is unknown before
	// all are read.
	Rows() int64
	// Fill calls b.Start, reads the next whole rows into b.Raw, and sets b.First, b.Next and,
	// if known, b.Read. At the end it returns io.EOF. Other errors name the file, and the
	// line, byte or row.
	Fill(b *Block) error
	// Parse parses the points of b.Raw, and calls b.Add for each.
	Parse(b *Block) error
	// Values reads a field of the rows of b, which was parsed, into v. It fails for an
	// opaque field.
	Values(b *Block, field int, v *Values) error
	// SeekTo makes Fill continue at p, an earlier Block.Next of the same input, as if the
	// rows before p had been read. It is called before the first Fill.
	SeekTo(p Position) error
	// Passthrough returns a Sink of the same format that passes all fields through. It fails
	// with an error that wraps ErrCannotHold if the format cannot hold cols.
	Passthrough(cols []Column) (Sink, error)
}

// Placer is a Source that does not locate its rows by their numbers.
type Placer interface {
	Source
	// Place returns the place of row k of b in the input, such as line 7. b was parsed.
	Place(b *Block, k int) string
}

// Texter is a Source whose cells are texts.
type Texter interface {
	Source
	// Texts is Values for a Sink that writes the cells as they are. A cell that does not
	// have the type of its field is not an error: it is NaN in v.Floats, and not Missing. A
	// cell that says NaN is Missing.
	Texts(b *Block, field int, v *Values) error
	// Complete fails if rows of b have cells that belong to no field, as Values and Texts
	// do.
	Complete(b *Block) error
}

// Sink is an output format. Several goroutines may call Format at once, with different
// blocks. A single goroutine calls the other methods, in order.
type Sink interface {
	// Begin writes the bytes before the first row. rows is the number of rows that will follow,
	// −1 if unknown.
	Begin(w io.Writer, rows int64) error
	// Format formats the rows of b that are not dropped, with their answers.
	Format(b *Block) error
	// Write writes the formatted rows of b.
	Write(w io.Writer, b *Block) error
	// End writes the bytes after the last row.
	End(w io.Writer) error
}

// HeaderPatcher is a Sink whose header holds values that may be known only after the last
// row, such as the number of rows. If NeedsPatch returns true, the output must go to a
// file, so that its header can be replaced at the end.
type HeaderPatcher interface {
	Sink
	// NeedsPatch reports whether the header that Begin writes for this number of rows, −1
	// if unknown, may turn out wrong.
	NeedsPatch(rows int64) bool
	// FinalHeader returns the bytes that must replace the first bytes of the output after
	// End: no more bytes than Begin wrote. It returns nil if the bytes that Begin wrote
	// are correct.
	FinalHeader() []byte
}

// Joiner joins the headers of the parts of a file. A format needs it if its header depends
// on the number of rows. It is safe for concurrent use.
type Joiner interface {
	// JoinHeads returns the header of a file with the rows of all parts, in order: the bytes
	// that a Sink of the whole writes before its rows. heads are the bytes before the rows of
	// each part, at least one part. rows are the numbers of rows of the parts, as their heads
	// count them. JoinHeads does not modify heads.
	//
	// Errors: a head that is not valid, or that has no room for the number of all rows. A
	// header has room for any number if Begin did not get the number.
	JoinHeads(heads [][]byte, rows []int64) ([]byte, error)
}

// Resumer is a Sink that can continue an output that was cut off between blocks.
type Resumer interface {
	Sink
	// State returns the data that Resume needs in addition to the number of rows written so
	// far. It is called between Writes.
	State() ([]byte, error)
	// Resume replaces Begin: rows as for Begin, state as State returned it.
	Resume(rows int64, state []byte) error
}

// NoState is for embedding in a Sink that writes only b.Out for each block. Such a
// Sink is a Resumer without state.
type NoState struct{}

// Begin writes nothing.
func (NoState) Begin(io.Writer, int64) error { return nil }

// Write writes b.Out.
func (NoState) Write(w io.Writer, b *Block) error {
	_, err := w.Write(b.Out)
	return err
}

// End writes nothing.
func (NoState) End(io.Writer) error { return nil }

// State returns nil.
func (NoState) State() ([]byte, error) { return nil, nil }

// Resume does nothing.
func (NoState) Resume(int64, []byte) error { return nil }

// Lossy is a Sink that may change the values that it writes.
type Lossy interface {
	Sink
	// Warnings lists the values that the format could not hold, one sentence each. It is called
	// after End.
	Warnings() []string
}

// The kinds of errors. The first concerns the file. The next three concern its
// interpretation, which the user can specify. The last concerns the output.
var (
	// ErrFormat is wrapped by every error of an input that is not in a supported format.
	ErrFormat = errors.New("unsupported point format")
	// ErrColumns is wrapped if it is unclear which columns hold x, y and z. The option
	// Columns settles it.
	ErrColumns = errors.New("columns of x, y and z not clear")
	// ErrPreamble is wrapped if the first row of a text is neither a header nor data. A
	// comment mark before it settles it.
	ErrPreamble = errors.New("the first row is neither a header nor data")
	// ErrTransposed is wrapped if an array has three rows and more columns than points
	// have. The option Columns settles it.
	ErrTransposed = errors.New("three rows of points, or points in columns? want N×3")
	// ErrCannotHold is wrapped if the output format has no place for a column or a value.
	ErrCannotHold = errors.New("the format cannot hold it")
)

// RowError is the error of a row of a text.
type RowError struct {
	File   string // name of the input
	Line   int64  // physical line, from 1
	Reason string
	Err    error // ErrColumns, ErrCannotHold, ErrPreamble or nil
}

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// Error returns "file: line 7: reason".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s: line %d: %s", e.File, e.Line, e.Reason)
}
