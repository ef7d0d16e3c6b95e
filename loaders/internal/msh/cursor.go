package msh

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// cursor reads the values of a file, which are words of text or binary numbers.
type cursor struct {
	data  []byte
	i     int              // position of the next byte
	order binary.ByteOrder // byte order of binary numbers; nil in a file of text
}

// fail returns an error at byte i, or at its line in a file of text.
func (c *cursor) fail(i int, reason error, format string, args ...any) *soup.Error {
	if c.order == nil {
		return soup.Text(c.data).Fail(i, reason, format, args...)
	}
	return soup.AtByte(int64(i), reason, format, args...)
}

// placed adds the place of byte i to an error of package soup.
func (c *cursor) placed(i int, err error, format string, args ...any) error {
	if err == nil || soup.Placed(err) {
		return err
	}
	return c.fail(i, err, format, args...)
}

// next returns n bytes of binary data.
func (c *cursor) next(n int, what string) ([]byte, error) {
	if len(c.data)-c.i < n {
		return nil, c.fail(c.i, soup.ErrTruncated, "the file ends where %s should follow", what)
	}
	c.i += n
	return c.data[c.i-n : c.i], nil
}

// integer reads an integer of 32 bits.
func (c *cursor) integer(what string) (int, error) {
	if c.order == nil {
		v, err := c.digits(what)
		if err == nil && v != int64(int32(v)) {
			return 0, c.fail(c.i-1, soup.ErrSyntax, "%s is %d, must fit in 32 bits", what, v)
		}
		return int(v), err
	}
	b, err := c.next(4, what)
	if err != nil {
		return 0, err
	}
	return int(int32(c.order.Uint32(b))), nil
}

// size reads a number of 64 bits that is not negative. The format calls its type size_t.
func (c *cursor) size(what string) (int64, error) {
	at := c.i
	var v int64
	var err error
	if c.order == nil {
		v, err = c.digits(what)
	} else {
		var b []byte
		if b, err = c.next(8, what); err == nil {
			v = int64(c.order.Uint64(b))
		}
	}
	if err == nil && v < 0 {
		return 0, c.fail(at, soup.ErrSyntax, "%s is %d, must not be negative", what, v)
	}
	return v, err
}

// count reads a number of elements. An element of a binary file has at least least bytes. count
// refuses a number of elements that do not fit in the rest of the file.
func (c *cursor) count(what string, wide bool, least int) (int, error) {
	at := c.i
	var n int64
	var err error
	if wide {
		n, err = c.size(what)
	} else {
		var small int
		small, err = c.integer(what)
		n = int64(small)
	}
	if err != nil {
		return 0, err
	}
	if c.order == nil {
		least = 1 // a word and a blank, except at the end of the file
	}
	if n < 0 || n > int64((len(c.data)-c.i)/least) {
		return 0, c.fail(at, soup.ErrTruncated, "%s is %d, which do not fit in the %d bytes that are left", what, n, len(c.data)-c.i)
	}
	return int(n), nil
}

// float reads a number of 64 bits.
func (c *cursor) float(what string) (float64, error) {
	if c.order == nil {
		i := scan.SkipSpace(c.data, c.i)
		v, next, ok := scan.Number(c.data, i)
		if !ok {
			return 0, soup.Text(c.data).Expected(i, what)
		}
		c.i = next
		return v, nil
	}
	b, err := c.next(8, what)
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(c.order.Uint64(b)), nil
}

// digits reads a decimal integer of text.
func (c *cursor) digits(what string) (int64, error) {
	i := scan.SkipSpace(c.data, c.i)
	start, negative := i, false
	if i < len(c.data) && (c.data[i] == '-' || c.data[i] == '+') {
		negative = c.data[i] == '-'
		i++
	}
	first, v := i, int64(0)
	for ; i < len(c.data) && '0' <= c.data[i] && c.data[i] <= '9'; i++ {
		if v > (math.MaxInt64-9)/10 {
			return 0, c.fail(start, soup.ErrSyntax, "%s must fit in 64 bits", what)
		}
		v = 10*v + int64(c.data[i]-'0')
	}
	if i == first || i < len(c.data) && !scan.IsSpace(c.data[i]) {
		return 0, soup.Text(c.data).Expected(start, what)
	}
	c.i = i
	if negative {
		v = -v
	}
	return v, nil
}

// skip reads n values of the given size in bytes without using them.
func (c *cursor) skip(n, size int, what string) error {
	if c.order != nil {
		if n > (len(c.data)-c.i)/size {
			return c.fail(c.i, soup.ErrTruncated, "the file ends where %s should follow", what)
		}
		c.i += n * size
		return nil
	}
	for range n {
		i := scan.SkipSpace(c.data, c.i)
		if i == len(c.data) || c.data[i] == '$' {
			return soup.Text(c.data).Expected(i, what)
		}
		c.i = scan.WordEnd(c.data, i)
	}
	return nil
}

// word reads a word of text. Binary files have such words too.
func (c *cursor) word() (string, int) {
	start := scan.SkipSpace(c.data, c.i)
	c.i = scan.WordEnd(c.data, start)
	return string(c.data[start:min(c.i, start+64)]), start
}

// end reads the word that ends a section.
func (c *cursor) end(section string) error {
	word, at := c.word()
	switch {
	case word == "$End"+section:
		return nil
	case word == "":
		return c.fail(at, soup.ErrTruncated, "the file ends inside the section %s", quote.Word("$"+section))
	case c.order != nil:
		return c.fail(at, soup.ErrSyntax, "the section $%s does not end here as its counts say", section)
	}
	return c.fail(at, soup.ErrSyntax, "found %s instead of $End%s", quote.Word(word), section)
}

// skipSection skips a section that is not read, up to the line after its end.
func (c *cursor) skipSection(section string) error {
	mark := []byte("$End" + section)
	for from := c.i; ; {
		n := bytes.Index(c.data[from:], mark)
		if n < 0 {
			return c.fail(c.i, soup.ErrTruncated, "the section %s has no end", quote.Word("$"+section))
		}
		if from += n + len(mark); from == len(c.data) || scan.IsSpace(c.data[from]) {
			c.i = from
			return nil
		}
	}
}
