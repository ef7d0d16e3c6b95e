// Package pointio has the helpers that the point formats share. They read streams, find the rows
// of a shard, and write answer columns into binary records.
package pointio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// Peek reads the first n bytes of r, or fewer if r ends earlier. It returns these bytes and a
// reader that returns all bytes of r from the beginning. whole reports whether front has all bytes
// of r.
func Peek(r io.Reader, n int) (front []byte, all io.Reader, whole bool, err error) {
	// The size begins at 4096 and doubles, so a small input needs little memory.
	for size := min(n, 4096); ; size = min(n, 2*size) {
		front = slices.Grow(front, size-len(front))
		k, err := ReadFull(r, front[len(front):size])
		front = front[:len(front)+k]
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, false, err
		}
		if whole = err != nil; whole || size == n {
			return front, io.MultiReader(bytes.NewReader(front), r), whole, nil
		}
	}
}

// ReadFull reads from r until p is full. If r ends earlier, ReadFull returns io.EOF, unlike
// io.ReadFull. Therefore io.ErrUnexpectedEOF always comes from r and means that a compressed stream
// is truncated. If r returns no bytes a hundred times in a row, the error is io.ErrNoProgress, as
// in package bufio.
func ReadFull(r io.Reader, p []byte) (n int, err error) {
	const patience = 100
	for empty := 0; n < len(p) && err == nil; {
		var k int
		k, err = r.Read(p[n:])
		n += k
		if empty++; k > 0 {
			empty = 0
		}
		if empty == patience {
			return n, io.ErrNoProgress
		}
	}
	if n == len(p) {
		err = nil
	}
	return n, err
}

// Place returns the place of row k of b in the input, for use in an error message. If src is a
// table.Placer, the place is a line. Otherwise the place is the row number, from 0.
func Place(src table.Source, b *table.Block, k int) string {
	if p, ok := src.(table.Placer); ok {
		return p.Place(b, k)
	}
	return fmt.Sprintf("row %d", b.First+int64(k))
}

// CannotHoldf returns an error that wraps table.ErrCannotHold. It formats the message like
// fmt.Sprintf. The message does not repeat the text of table.ErrCannotHold.
func CannotHoldf(format string, args ...any) error {
	return cannotHold(fmt.Sprintf(format, args...))
}

type cannotHold string

func (e cannotHold) Error() string { return string(e) }
func (cannotHold) Unwrap() error   { return table.ErrCannotHold }

// CheckValues fails if a field of src is opaque, because such a field cannot be converted to the
// given format. The error wraps table.ErrCannotHold.
func CheckValues(src table.Source, format string) error {
	for _, f := range src.Fields() {
		if f.Opaque != "" {
			return CannotHoldf("column %s is %s, which inpoly cannot convert to %s: keep the format %s, or remove the column first", quote.Word(f.Name), f.Opaque, format, src.Format())
		}
	}
	return nil
}

// CheckComplete fails if rows of b have cells that belong to no field. A Sink that reads no Values
// would drop these cells silently.
func CheckComplete(src table.Source, b *table.Block) error {
	if t, ok := src.(table.Texter); ok {
		return t.Complete(b)
	}
	return nil
}

// AllTexts returns all fields of the rows of b for a format of text. The fields are texts if src is
// a table.Texter, and typed values otherwise. A float32 coordinate gets the type float64, so that
// its text has enough digits: the digits that restore a float32 usually denote another float64,
// which would move the point. AllTexts stores the returned slice in b.Sink and reuses its memory
// for the next block.
func AllTexts(src table.Source, b *table.Block) ([]table.Values, error) {
	read := src.Values
	if t, ok := src.(table.Texter); ok {
		read = t.Texts
	}
	n := len(src.Fields())
	if n == 0 {
		return nil, nil
	}
	vals, _ := b.Sink.([]table.Values)
	if len(vals) != n {
		vals = make([]table.Values, n)
		b.Sink = vals
	}
	for i := range vals {
		if err := read(b, i, &vals[i]); err != nil {
			return nil, err
		}
	}
	for _, i := range src.Axes() {
		if vals[i].Type == table.Float32 {
			vals[i].Type = table.Float64 // Values.Floats has float64 for both types
		}
	}
	return vals, nil
}
