package soup

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"sync"
	"unicode/utf16"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/loaders/internal/scan"
)

// defaultChunkSize is large enough that the cost of cutting and joining chunks is small. It is
// small enough that a canceled reader stops soon (tuning).
const defaultChunkSize = 1 << 20

// PlainText converts Data for readers of text. It converts UTF-16 with a byte order mark to UTF-8.
// It removes the byte order mark of UTF-8. It replaces each lone carriage return by a newline.
func (s *Source) PlainText() error {
	if order := scan.UTF16Order(s.Data); order != nil {
		text, err := s.decodeUTF16(s.Data, order)
		if err != nil {
			return err
		}
		s.Data = text
	}
	s.Data = bytes.TrimPrefix(s.Data, []byte("\xef\xbb\xbf"))
	if i := loneReturn(s.Data, 0); i < len(s.Data) {
		if err := s.Budget.Reserve(int64(len(s.Data))); err != nil {
			return err
		}
		s.Data = bytes.Clone(s.Data)
		for ; i < len(s.Data); i = loneReturn(s.Data, i+1) {
			s.Data[i] = '\n'
		}
	}
	return nil
}

// loneReturn returns the position of the first lone carriage return from b[i] on, or len(b) if
// there is none. A carriage return is lone if no newline and no other carriage return follows it.
func loneReturn(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '\r')
		if n < 0 {
			return len(b)
		}
		if i += n + 1; i == len(b) || b[i] != '\n' && b[i] != '\r' {
			return i - 1
		}
	}
}

// ReadUTF16 reads UTF-16 text with a byte order mark from r, to the end of r. It returns the text
// in UTF-8.
func (s *Source) ReadUTF16(r io.Reader, order binary.ByteOrder) ([]byte, error) {
	data, err := s.readAll(r, -1, 0, nil)
	if err != nil {
		return nil, err
	}
	defer s.Budget.Release(int64(cap(data)))
	s.Budget.read.Add(-int64(len(data))) // count only once: r has counted these bytes too
	return s.decodeUTF16(data, order)
}

// decodeUTF16 converts UTF-16 text with a byte order mark to UTF-8. Lone surrogates become U+FFFD.
func (s *Source) decodeUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	if len(data)%2 != 0 {
		return nil, AtByte(int64(len(data)-1), ErrTruncated, "the text ends inside a UTF-16 character")
	}
	units := len(data)/2 - 1
	// A code unit of UTF-16 becomes at most three bytes of UTF-8.
	if err := s.Budget.Reserve(3 * int64(units)); err != nil {
		return nil, err
	}
	text := make([]byte, 0, 3*units)
	for i := 2; i < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+4 <= len(data) {
				low = rune(order.Uint16(data[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != '\uFFFD' {
				i += 2
			}
		}
		text = append(text, string(r)...)
	}
	return text, nil
}

// InOrder calls work for each index in 0 … n−1 on all processors. It returns the results in the order
// of the indices. If several calls fail, it returns the error of the lowest index, like a sequential
// loop. The argument worker is below Workers. Calls with the same worker do not overlap.
func InOrder[T any](n int, work func(worker, i int) (T, error)) ([]T, error) {
	results, errs := make([]T, n), make([]error, n)
	var mu sync.Mutex
	failed := n // lowest index whose call failed; n if none failed
	_ = par.Blocks(context.Background(), n, 1, 0, func(worker, i, _ int) {
		mu.Lock()
		skip := i > failed
		mu.Unlock()
		if skip {
			return
		}
		if results[i], errs[i] = work(worker, i); errs[i] != nil {
			mu.Lock()
			failed = min(failed, i)
			mu.Unlock()
		}
	})
	if failed < n {
		return nil, errs[failed]
	}
	return results, nil
}

// Workers returns the number of workers of InOrder.
func Workers() int { return par.Workers(0) }
