package table

import (
	"errors"
	"fmt"
	"io"
)

// Source is an input format. One goroutine calls Fill. Several goroutines call the other methods at
// once, with different blocks.
type Source interface {
	// Format returns the name of the format in lower case, such as ply.
	Format() string
	// Fields returns the columns in the order of the file. The caller must not modify the slice.
	Fields() []Field
	// Axes returns the indices of the fields of x, y and z.
	Axes() [3]int
	// Rows returns the total number of rows that Fill reads, or −1 if the number is unknown before
	// all rows are read.
	Rows() int64
	// Fill calls b.Start, reads the next whole rows into b.Raw, and sets b.First and b.Next. If the
	// position in the file is known, it also sets b.Read. At the end of the input it returns
	// io.EOF. Any other error names the file and the line, byte or row.
	Fill(b *Block) error
	// Parse parses the points of b.Raw and calls b.Add for each point.
	Parse(b *Block) error
	// Values reads a field of the rows of b into v. b must be parsed. Values fails for an opaque
	// field.
	Values(b *Block, field int, v *Values) error
	// SeekTo makes Fill continue at p. An earlier Source of the same input must have stored p in
	// Block.Next. SeekTo is called before the first call of Fill.
	SeekTo(p Position) error
	// Passthrough returns a Sink of the same format that copies all fields. If the format cannot
	// hold the given columns, the error wraps ErrCannotHold.
	Passthrough(cols []Column) (Sink, error)
}

// Sizer is a Source whose blocks can need much memory, for example because a LAZ file has large chunks. A
// Job reads fewer blocks at once if they are large.
type Sizer interface {
	Source
	// NextBytes returns the number of bytes of memory that the block of the next call of Fill needs. It
	// is called between calls of Fill.
	NextBytes() int64
}

// Placer is a Source that can describe the places of its rows in the file. For a Source that is not
// a Placer, error messages have the numbers of the rows.
type Placer interface {
	Source
	// Place returns the place of row k of b in the input, such as "line 7". b must be parsed.
	Place(b *Block, k int) string
}

// Texter is a Source of a text format. It can return its cells as texts.
type Texter interface {
	Source
	// Texts reads a field of the rows of b into v. It is for a Sink that writes the texts of the
	// cells. Unlike Values, Texts accepts a cell that does not have the type of its field. Such a
	// cell is NaN in v.Floats but does not count as missing. A cell with the text NaN does count as
	// missing.
	Texts(b *Block, field int, v *Values) error
	// Complete fails if a row of b has cells that belong to no field. In this case, Values and
	// Texts also fail.
	Complete(b *Block) error
}

// Sink is an output format. Several goroutines call Format at once, with different blocks. A single
// goroutine calls the other methods in order.
type Sink interface {
	// Begin writes the bytes before the first row. The second argument is the number of rows that
	// follow, or −1 if it is unknown.
	Begin(w io.Writer, rows int64) error
	// Format formats the rows of b that are not dropped, and their answers.
	Format(b *Block) error
	// Write writes the formatted rows of b.
	Write(w io.Writer, b *Block) error
	// End writes the bytes after the last row.
	End(w io.Writer) error
}

// HeaderPatcher is a Sink whose header has values that can be unknown before the last row, such as
// the number of rows. If NeedsPatch returns true, the caller must be able to replace the first
// bytes of the output after the last row.
type HeaderPatcher interface {
	Sink
	// NeedsPatch reports whether the header that Begin writes can be wrong after the last row. The
	// argument is the number of rows that was passed to Begin.
	NeedsPatch(rows int64) bool
	// FinalHeader is called after End. It returns the bytes that must replace the first bytes of
	// the output. It returns at most as many bytes as Begin wrote. If the output is already
	// correct, it returns nil.
	FinalHeader() []byte
}

// Joiner joins the headers of the parts of a file. A format needs a Joiner if its header depends on
// the number of rows. A Joiner is safe for concurrent use.
type Joiner interface {
	// JoinHeads returns the header of a file that has the rows of all parts in order. It is the
	// header that a Sink for the whole file writes. heads[i] has the bytes before the rows of part
	// i, and rows[i] is the number of rows of part i. There must be at least one part. JoinHeads
	// does not modify heads.
	//
	// JoinHeads fails if a head is not valid, or has no room for the total number of rows. A head
	// that Begin wrote for an unknown number of rows has room for any number.
	JoinHeads(heads [][]byte, rows []int64) ([]byte, error)
}

// Resumer is a Sink that can continue an output that was interrupted between two blocks.
type Resumer interface {
	Sink
	// State returns the data that Resume needs to continue after the rows that are written so far.
	// State is called between calls of Write.
	State() ([]byte, error)
	// Resume is called instead of Begin. The number of rows has the same meaning as in Begin. The
	// state is the result of State.
	Resume(rows int64, state []byte) error
}

// NoState can be embedded in a Sink that writes only b.Out for each block. The Sink then implements
// Resumer, and its state is empty.
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

// Lossy is a Sink that can change values, because its format cannot hold them exactly.
type Lossy interface {
	Sink
	// Warnings returns a sentence for each kind of value that the format could not hold. It is
	// called after End.
	Warnings() []string
}

// Trailer is a Source that counts the bytes after the last row.
type Trailer interface {
	// Trailing returns the number of bytes after the last row that are not part of the format. White space in a text
	// does not count. A Source does not read these bytes as rows, and Passthrough does not copy them. Trailing is
	// called after Fill has returned io.EOF, and after End of a sink of Passthrough. A source of a part of the rows
	// can return 0.
	Trailing() int64
}

// Errors of formats can wrap one of these errors.
var (
	// ErrFormat means that the input is not in a supported format.
	ErrFormat = errors.New("unsupported point format")
	// ErrColumns means that it is unclear which columns are x, y and z. The user can specify the
	// columns with Options.Columns of package points.
	ErrColumns = errors.New("the columns of x, y and z are not clear")
	// ErrPreamble means that the first row of a text is neither a header nor data. The user can
	// turn the row into a comment.
	ErrPreamble = errors.New("the first row is neither a header nor data")
	// ErrTransposed means that an array has three rows and many columns, so its columns are
	// probably the points. The user can accept the array with Options.Columns of package points.
	ErrTransposed = errors.New("the columns of the array are probably the points: the array must be N×3")
	// ErrCannotHold means that the output format has no place for a column or a value.
	ErrCannotHold = errors.New("the format cannot hold this column or value")
)

// FormatError is the error for a file in a known format that cannot be read. It wraps ErrFormat.
type FormatError struct {
	Name string // name of the format with its article, such as "an E57 scan"
	Hint string // says how to convert the file
}

// Unwrap returns ErrFormat.
func (e *FormatError) Unwrap() error { return ErrFormat }

// Error returns a text such as "unsupported point format: the file is an E57 scan".
func (e *FormatError) Error() string {
	return fmt.Sprintf("%v: the file is %s", ErrFormat, e.Name)
}

// RowError is an error in a row of a text.
type RowError struct {
	File   string // name of the input
	Line   int64  // line number in the file, from 1
	Reason string
	Err    error // ErrColumns, ErrCannotHold, ErrPreamble or nil
	// Columns has the numbers, from 1, of the columns that are probably x, y and z. It is zero
	// unless Err is ErrColumns and the columns can be guessed.
	Columns [3]int
	// Hint explains how to correct the file or the call. It is "" if there is no specific advice.
	Hint string
}

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// Error returns a text such as "file: line 7: reason".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s: line %d: %s", e.File, e.Line, e.Reason)
}
