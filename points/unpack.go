package points

import (
	"io"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/unpack"
)

// counter counts the bytes read.
type counter struct {
	r  io.Reader
	at io.ReaderAt // nil if r does not implement it
	n  atomic.Int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// ReadAt implements io.ReaderAt.
func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

// decompress returns the decompressed bytes of r, which begins with head; the name of the
// compression, or "" if there is none; and a function that frees the decoder's memory.
func decompress(head []byte, r io.Reader) (plain io.Reader, compression string, free func(), err error) {
	compression = unpack.Detect(head)
	if compression == "" {
		return r, "", func() {}, nil
	}
	z, err := unpack.NewReader(r, compression, unpack.Options{})
	if err != nil {
		return nil, "", func() {}, err
	}
	return z, compression, z.Close, nil
}
