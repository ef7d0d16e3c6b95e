package pointio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPeek(t *testing.T) {
	data := []byte(strings.Repeat("0123456789", 1000))
	for _, n := range []int{1, 6, 4096, 9999, 10_000, 20_000} {
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			front, all, whole, err := Peek(r, n)
			if err != nil || !bytes.Equal(front, data[:min(n, len(data))]) || n > len(data) && !whole || n < len(data) && whole {
				t.Fatalf("%d: %d bytes, whole %v, %v", n, len(front), whole, err)
			}
			if got, err := io.ReadAll(all); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d: %d bytes in all, %v", n, len(got), err)
			}
		}
	}
	broken := errors.New("broken")
	if _, _, _, err := Peek(iotest.ErrReader(broken), 5); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// lazy is a reader that returns no bytes and no error.
type lazy struct{}

func (lazy) Read([]byte) (int, error) { return 0, nil }

// TestReadFull checks that ReadFull returns different errors for a short stream and for a truncated
// compressed stream.
func TestReadFull(t *testing.T) {
	p := make([]byte, 4)
	for _, c := range []struct {
		r    io.Reader
		n    int
		want error
	}{
		{strings.NewReader("abcd"), 4, nil},
		{iotest.DataErrReader(strings.NewReader("abcd")), 4, nil},
		{strings.NewReader("abc"), 3, io.EOF},
		{io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(io.ErrUnexpectedEOF)), 2, io.ErrUnexpectedEOF},
		{lazy{}, 0, io.ErrNoProgress},
	} {
		if n, err := ReadFull(c.r, p); n != c.n || !errors.Is(err, c.want) {
			t.Errorf("%d bytes, %v; want %d, %v", n, err, c.n, c.want)
		}
	}
}
