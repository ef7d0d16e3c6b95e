package table

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// Peek returns the first bytes of r, at most n, and a reader of everything, them
// included. whole says that there is nothing else.
func Peek(r io.Reader, n int) (front []byte, all io.Reader, whole bool, err error) {
	// Small inputs need little memory: the slice grows to n by doubling.
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

// ReadFull reads until p is full. Other than io.ReadFull it returns io.EOF for a
// clean end after some bytes, so that a cut compressed stream, which is
// io.ErrUnexpectedEOF, cannot be taken for one. A reader that gives nothing a
// hundred times in a row ends in io.ErrNoProgress, as in package bufio.
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
