package table

import "io"

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
	// Passthrough returns a sink of the same format that passes all fields through. It fails
	// with an error that wraps ErrCannotHold if the format cannot hold cols.
	Passthrough(cols []Column) (Sink, error)
}

// Placer is a Source that locates its rows by something else than their numbers.
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

// HeaderPatcher is a Sink whose header holds values that may be known only after the last
// row, such as the number of rows. Where NeedsPatch returns true, the output must go to
// a file, whose header is replaced at the end.
type HeaderPatcher interface {
	Sink
	// NeedsPatch reports whether the header that Begin writes for this number of rows, −1
	// if unknown, may turn out wrong.
	NeedsPatch(rows int64) bool
	// FinalHeader returns the bytes that must replace the first bytes of the output after
	// End: as many as Begin wrote, or fewer. It returns nil if Begin's are right.
	FinalHeader() []byte
}

// Joiner joins the headers of the parts of a file. A format needs it if its header depends
// on the number of rows. It is safe for concurrent use.
type Joiner interface {
	// JoinHeads returns the header of a file that consists of the rows of all parts, in
	// order: the bytes that a Sink writes before the rows, in place of the heads of the
	// parts. heads are the bytes before the rows of each part, at least one. rows are the
	// rows of each part, as its head counts them. Heads are not modified.
	//
	// Errors: a head that is not valid, or that has no room for the number of all rows. A
	// header has room for any number if Begin was not told it.
	JoinHeads(heads [][]byte, rows []int64) ([]byte, error)
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

// NoState is for a Sink to embed that writes nothing but what Format made of each block:
// the rows so far say all that Resume needs to know, so that the Sink is a Resumer.
type NoState struct{}

// Begin writes nothing.
func (NoState) Begin(io.Writer, int64) error { return nil }

// Write writes the rows of b.
func (NoState) Write(w io.Writer, b *Block) error {
	_, err := w.Write(b.Out)
	return err
}

// End writes nothing.
func (NoState) End(io.Writer) error { return nil }

// State returns nothing.
func (NoState) State() ([]byte, error) { return nil, nil }

// Resume has nothing to do.
func (NoState) Resume(int64, []byte) error { return nil }

// Lossy is a Sink that may have changed what it was given.
type Lossy interface {
	Sink
	// Warnings tells what the rows written so far have lost, a sentence each. It is called
	// after End.
	Warnings() []string
}
