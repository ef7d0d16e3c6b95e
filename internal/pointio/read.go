// Package pointio has the helpers that the point formats share: reading streams, dividing
// files into shards, and writing answer columns into binary records. They implement the
// interfaces of package table.
package pointio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// Peek returns the first bytes of r, at most n, and a reader of all of r including them.
// whole reports whether r has no further bytes.
func Peek(r io.Reader, n int) (front []byte, all io.Reader, whole bool, err error) {
	// Doubling keeps the memory for small inputs small.
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

// ReadFull reads until p is full. Unlike io.ReadFull it returns io.EOF also if r ends after
// some bytes. A truncated compressed stream, which returns io.ErrUnexpectedEOF, thus differs
// from a clean end. A reader that returns nothing a hundred times in a row is
// io.ErrNoProgress, as in package bufio.
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

// Quote returns s in quotes for messages, shortened to forty bytes.
func Quote(s []byte) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(string(s[:most]), "?"))
	}
	return fmt.Sprintf("%q", s)
}

// Place returns the place of row k of b in the input, for messages: its line if src is a
// table.Placer, else its number from 0.
func Place(src table.Source, b *table.Block, k int) string {
	if p, ok := src.(table.Placer); ok {
		return p.Place(b, k)
	}
	return fmt.Sprintf("row %d", b.First+int64(k))
}

// CheckValues fails with an error that wraps table.ErrCannotHold if a field of src is
// opaque. No other format, such as the one named in the message, can be made of src then.
func CheckValues(src table.Source, format string) error {
	for _, f := range src.Fields() {
		if f.Opaque != "" {
			return fmt.Errorf("column %s is %s: %s: %w: keep the format %s", Quote([]byte(f.Name)), f.Opaque, format, table.ErrCannotHold, src.Format())
		}
	}
	return nil
}

// CheckComplete fails if rows of b have cells that belong to no field. A Sink that asks for
// no Values would lose them unnoticed.
func CheckComplete(src table.Source, b *table.Block) error {
	if t, ok := src.(table.Texter); ok {
		return t.Complete(b)
	}
	return nil
}

// Texts reads a field of the rows of b into v: as texts if src is a table.Texter, else as
// values.
func Texts(src table.Source, b *table.Block, field int, v *table.Values) error {
	if t, ok := src.(table.Texter); ok {
		return t.Texts(b, field, v)
	}
	return src.Values(b, field, v)
}

// AllTexts is Texts for all fields of src. The memory stays in b.Sink.
func AllTexts(src table.Source, b *table.Block) ([]table.Values, error) {
	n := len(src.Fields())
	vals, _ := b.Sink.([]table.Values)
	if len(vals) != n {
		vals = make([]table.Values, n)
		b.Sink = vals
	}
	for i := range vals {
		if err := Texts(src, b, i, &vals[i]); err != nil {
			return nil, err
		}
	}
	return vals, nil
}
