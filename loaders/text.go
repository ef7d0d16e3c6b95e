package loaders

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode/utf16"

	"github.com/inpoly/inpoly/internal/decimal"
)

// defaultChunkSize is long enough that cutting and joining cost nothing, and short enough
// to stop soon. // tuning
const defaultChunkSize = 1 << 20

// number reads a decimal number at b[i:] after blanks (not newlines). It returns
// the place after it; ok is false if there is none or if it does not end at white
// space or the end of b.
func number(b []byte, i int) (v float64, next int, ok bool) {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	v, n, ok := decimal.Parse(b[i:])
	i += n
	return v, i, ok && (i == len(b) || b[i] <= ' ')
}

// isBlank reports whether c is white space inside a line.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// isSpace reports whether c is white space. NUL counts: some writers pad with it.
func isSpace(c byte) bool { return isBlank(c) || c == '\n' || c == 0 }

// skipBlank returns the first place from i on that is no blank.
func skipBlank(b []byte, i int) int {
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

// skipSpace returns the first place from i on that is no white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// wordEnd returns the end of the word that begins at i.
func wordEnd(b []byte, i int) int {
	for i < len(b) && !isSpace(b[i]) {
		i++
	}
	return i
}

// lineEnd returns the place of the newline that ends the line at i, or len(b).
func lineEnd(b []byte, i int) int {
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(b)
}

// lineAt returns the number, from 1, of the line that holds byte i of text.
func lineAt(text []byte, i int) int { return bytes.Count(text[:i], []byte{'\n'}) + 1 }

// excerpt returns word for a message, shortened.
func excerpt(word []byte) string {
	const enough = 24
	if len(word) > enough {
		return string(word[:enough]) + "…"
	}
	return string(word)
}

// plainText prepares the source's data for the readers of text: UTF-16 with a
// byte order mark becomes UTF-8, a UTF-8 mark is removed, and a carriage return that
// ends a line by itself becomes a newline. Apart from marks and UTF-16, offsets
// stay as they are.
func (s *source) plainText() error {
	if order := utf16Order(s.data); order != nil {
		text, err := s.fromUTF16(order)
		if err != nil {
			return err
		}
		s.data = text
	}
	s.data = bytes.TrimPrefix(s.data, []byte("\xef\xbb\xbf"))
	if i := loneReturn(s.data, 0); i < len(s.data) {
		if err := s.mem.reserve(int64(len(s.data))); err != nil {
			return err
		}
		s.data = bytes.Clone(s.data)
		for ; i < len(s.data); i = loneReturn(s.data, i+1) {
			s.data[i] = '\n'
		}
	}
	return nil
}

// loneReturn returns the place, from i on, of a carriage return with neither a
// newline nor another one behind it, or len(b).
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

// utf16Order returns the byte order of UTF-16 text: a byte order mark and, so that
// binary data is not mistaken for it, ASCII in the code units after it.
func utf16Order(data []byte) binary.ByteOrder {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	default:
		return nil
	}
	const look = 16 // code units
	for i := 2; i+2 <= min(len(data), 2+2*look); i += 2 {
		if c := order.Uint16(data[i:]); c == 0 || c >= 0x80 {
			return nil
		}
	}
	return order
}

// asciiUnits returns the first code units of UTF-16 text as bytes, as far as they
// are ASCII.
func asciiUnits(data []byte, order binary.ByteOrder) []byte {
	const look = 4096 // code units
	text := make([]byte, 0, look)
	for i := 2; i+2 <= len(data) && len(text) < look; i += 2 {
		c := order.Uint16(data[i:])
		if c >= 0x80 {
			break
		}
		text = append(text, byte(c))
	}
	return text
}

// firstWord returns the first word of data, as text in UTF-8 or UTF-16; of a long word only the
// beginning.
func firstWord(data []byte) string {
	if order := utf16Order(data); order != nil {
		data = asciiUnits(data, order)
	}
	word := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	const longest = 16
	word = word[:min(len(word), longest)]
	if i := bytes.IndexAny(word, " \t\r\n"); i >= 0 {
		word = word[:i]
	}
	return string(word)
}

func (s *source) fromUTF16(order binary.ByteOrder) ([]byte, error) {
	if len(s.data)%2 != 0 {
		return nil, atByte(int64(len(s.data)-1), ErrTruncated, "half a character of UTF-16")
	}
	units := len(s.data)/2 - 1
	// A unit becomes at most three bytes of UTF-8.
	if err := s.mem.reserve(3 * int64(units)); err != nil {
		return nil, err
	}
	text := make([]byte, 0, 3*units)
	for i := 2; i < len(s.data); i += 2 {
		r := rune(order.Uint16(s.data[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+4 <= len(s.data) {
				low = rune(order.Uint16(s.data[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != '\uFFFD' {
				i += 2
			}
		}
		text = append(text, string(r)...)
	}
	return text, nil
}

// cutLines cuts text into pieces of about size bytes that end after a newline;
// it returns their ends.
func cutLines(text []byte, size int) []int {
	var ends []int
	for at := 0; at < len(text); {
		end := len(text)
		if len(text)-at > size {
			end = min(lineEnd(text, at+size)+1, len(text))
		}
		ends = append(ends, end)
		at = end
	}
	return ends
}

// inOrder calls work(0) … work(n−1) on all processors and returns the results in
// order. If calls fail the error is that of the lowest index, as if they had run
// one after the other.
func inOrder[T any](n int, work func(i int) (T, error)) ([]T, error) {
	results, errs := make([]T, n), make([]error, n)
	var next, failed atomic.Int64
	failed.Store(int64(n))
	run := func() {
		for {
			i := next.Add(1) - 1
			if i >= int64(n) || i > failed.Load() {
				return
			}
			var err error
			if results[i], err = work(int(i)); err != nil {
				errs[i] = err
				for f := failed.Load(); i < f && !failed.CompareAndSwap(f, i); {
					f = failed.Load()
				}
			}
		}
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
	if f := failed.Load(); f < int64(n) {
		return nil, errs[f]
	}
	return results, nil
}
