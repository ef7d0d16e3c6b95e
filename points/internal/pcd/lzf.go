package pcd

import (
	"errors"
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/pointio"
)

// This is the compression LZF of Marc Lehmann (liblzf, lzf_d.c). A byte c < 32 is followed by c + 1
// literal bytes. A byte c ≥ 32 repeats earlier output. The length of the repeated output is (c >> 5)
// + 2; if c >> 5 is 7, the next byte is added to this length. The distance back is ((c & 31) << 8 |
// last byte) + 1, a number of 13 bits.
const (
	lzfWindow = 1 << 13 // largest distance
	lzfMost   = 7 + 255 + 2
	lzfChunk  = 1 << 13 // tuning: bytes that are decoded at once
	lzfInput  = 1 << 12 // tuning: bytes that are read at once
)

var errLZF = errors.New("the compressed points are damaged")

// lzfReader decodes the bytes [pos, end) of a file. It implements io.Reader.
type lzfReader struct {
	at       io.ReaderAt
	pos, end int64 // next byte that is read into in, and end of the compressed bytes
	in       []byte
	used     int    // bytes of in that are decoded
	out      []byte // the last bytes of the output, up to lzfWindow, and those that are not read yet
	read     int    // bytes of out that are read, or that only serve as the window
}

// clone returns a reader that continues at the same place.
func (z *lzfReader) clone() *lzfReader {
	c := *z
	c.pos, c.in, c.used = z.pos-int64(len(z.in)-z.used), nil, 0
	c.out = append([]byte(nil), z.out...)
	return &c
}

func (z *lzfReader) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if z.read == len(z.out) {
			if err = z.decode(); err != nil {
				break
			}
		}
		k := copy(p[n:], z.out[z.read:])
		z.read += k
		n += k
	}
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// skip reads n bytes without returning them.
func (z *lzfReader) skip(n int64) error {
	for n > 0 {
		k := int(min(n, int64(len(z.out)-z.read)))
		z.read += k
		if n -= int64(k); n == 0 {
			return nil
		}
		if err := z.decode(); err != nil {
			return err
		}
	}
	return nil
}

// byte returns the next compressed byte, or -1 at the end and after an error.
func (z *lzfReader) byte() (c int, err error) {
	if z.used == len(z.in) {
		n := min(lzfInput, z.end-z.pos)
		if n == 0 {
			return 0, io.EOF
		}
		if z.in == nil {
			z.in = make([]byte, lzfInput)
		}
		z.in, z.used = z.in[:n], 0
		if _, err := io.ReadFull(io.NewSectionReader(z.at, z.pos, n), z.in); err != nil {
			z.in = z.in[:0]
			return 0, err
		}
		z.pos += n
	}
	z.used++
	return int(z.in[z.used-1]), nil
}

// decode appends output to z.out. It returns io.EOF at the end of the compressed bytes.
func (z *lzfReader) decode() error {
	if k := len(z.out) - lzfWindow; k > 0 {
		z.out = z.out[:copy(z.out, z.out[k:])]
	}
	z.read = len(z.out)
	for from := len(z.out); len(z.out)-from < lzfChunk; {
		c, err := z.byte()
		if errors.Is(err, io.EOF) && len(z.out) > from {
			return nil
		}
		if err != nil {
			return err
		}
		if c < 32 {
			err = z.literal(c + 1)
		} else {
			err = z.repeat(c)
		}
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: they are cut off", errLZF)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// literal copies n compressed bytes to the output.
func (z *lzfReader) literal(n int) error {
	if k := len(z.in) - z.used; k >= n {
		z.out = append(z.out, z.in[z.used:z.used+n]...)
		z.used += n
		return nil
	}
	for range n {
		c, err := z.byte()
		if err != nil {
			return err
		}
		z.out = append(z.out, byte(c))
	}
	return nil
}

// repeat copies earlier output.
func (z *lzfReader) repeat(c int) error {
	n := c>>5 + 2
	if n == 9 {
		more, err := z.byte()
		if err != nil {
			return err
		}
		n += more
	}
	low, err := z.byte()
	if err != nil {
		return err
	}
	from := len(z.out) - (c&31<<8 | low) - 1
	if from < 0 {
		return fmt.Errorf("%w: they refer to bytes before the first", errLZF)
	}
	if from+n <= len(z.out) {
		z.out = append(z.out, z.out[from:from+n]...)
		return nil
	}
	for range n { // the bytes overlap
		z.out = append(z.out, z.out[from])
		from++
	}
	return nil
}

// lzfStarts decodes all compressed bytes once, and returns a reader for each part of the output. The
// parts follow each other, and their lengths are given.
func lzfStarts(at io.ReaderAt, pos, end int64, lengths []int64) ([]*lzfReader, error) {
	z := &lzfReader{at: at, pos: pos, end: end, out: make([]byte, 0, lzfWindow+lzfChunk+lzfMost)}
	list := make([]*lzfReader, len(lengths))
	for i, n := range lengths {
		list[i] = z.clone()
		switch err := z.skip(n); {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: they are too short", errLZF)
		case err != nil:
			return nil, err
		}
	}
	var one [1]byte
	if n, err := pointio.ReadFull(z, one[:]); n > 0 || err != nil && !errors.Is(err, io.EOF) {
		if n > 0 {
			err = fmt.Errorf("%w: they are too long", errLZF)
		}
		return nil, err
	}
	return list, nil
}
