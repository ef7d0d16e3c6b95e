package points

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest zstd window that is accepted: 128 MiB is what the
// strongest regular level of the zstd program writes. It bounds the memory.
const maxWindow = 128 << 20

// counter counts the bytes that are read.
type counter struct {
	r  io.Reader
	at io.ReaderAt // nil if r is none
	n  atomic.Int64
}

// Read reads from r.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// ReadAt reads from at.
func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

// unpack returns the plain bytes of r, which begins with magic and counts in from, the
// name of the compression, "" for none, and what frees its memory.
func unpack(magic []byte, r io.Reader, from *counter) (plain io.Reader, compression string, undo func(), err error) {
	undo = func() {}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		compression = "gzip"
		if plain, err = gzip.NewReader(r); err != nil {
			return nil, "", undo, (&unpacked{kind: compression, from: from}).explain(err)
		}
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		compression = "zstd"
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, "", undo, fmt.Errorf("zstd: %w", err)
		}
		plain, undo = z, z.Close
	default:
		return r, "", undo, nil
	}
	return &unpacked{r: plain, kind: compression, from: from}, compression, undo, nil
}

// unpacked is decompressed data whose errors say what is wrong with the packed.
type unpacked struct {
	r    io.Reader
	kind string
	from *counter
	some bool // some data came
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.some = u.some || n > 0
	return n, u.explain(err)
}

// explain words an error of the decompressor.
func (u *unpacked) explain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%s data cut off at byte %d: %w", u.kind, u.from.n.Load(), io.ErrUnexpectedEOF)
	case u.some && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		return fmt.Errorf("bytes after the end of the %s data: %w", u.kind, err)
	}
	return fmt.Errorf("%s data not valid before byte %d: %w", u.kind, u.from.n.Load(), err)
}
