// Package unpack recognizes and decompresses gzip (RFC 1952) and zstandard (RFC 8878)
// streams.
//
//	if name := unpack.Detect(head); name != "" {
//		z, err := unpack.NewReader(r, name, unpack.Options{})
//		if err != nil {
//			return err
//		}
//		defer z.Close()
//		r = z
//	}
package unpack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest zstd window that is accepted by default, in bytes. It is
// the limit of the zstd command and bounds the decoder's memory. Levels up to 19
// write windows of at most 8 MiB; zstd --ultra and --long write larger ones.
const MaxWindow = 128 << 20

// ErrWindow reports a zstd frame whose window exceeds Options.Window.
var ErrWindow = errors.New("the zstd window exceeds the limit")

// Detect returns the compression of a stream that begins with head: "gzip", "zstd",
// or "" if it is neither. Four bytes suffice.
func Detect(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}): // skippable frame
		return "zstd"
	}
	return ""
}

// Options configure a Reader. The zero value is ready to use.
type Options struct {
	// Window is the largest accepted zstd window in bytes; 0 means MaxWindow.
	Window int64
	// LowMemory makes the zstd decoder allocate smaller buffers, at some cost in speed.
	LowMemory bool
}

// Reader decompresses a stream. It is not safe for concurrent use.
type Reader struct {
	name  string
	in    *countingReader
	plain io.Reader
	free  func()
	begun bool // some data was decompressed
}

// NewReader returns a Reader for r, whose compression is name, a result of Detect other
// than "". It may read ahead in r. A stream of several gzip members or zstd frames is
// read to its end. Zero bytes after the last gzip member, which tapes and archives use to
// fill a block, are ignored.
//
// Errors (also of Read): io.ErrUnexpectedEOF if the stream is cut off; ErrWindow; any
// error of r, unchanged; otherwise the decompressor's error and the byte near which it
// was found.
func NewReader(r io.Reader, name string, opt Options) (*Reader, error) {
	z := &Reader{name: name, in: &countingReader{r: r}, free: func() {}}
	switch name {
	case "gzip":
		members, err := newMultiReader(z.in)
		if err != nil {
			return nil, z.explain(err)
		}
		z.plain = members
	case "zstd":
		if opt.Window == 0 {
			opt.Window = MaxWindow
		}
		d, err := zstd.NewReader(z.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(opt.LowMemory),
			zstd.WithDecoderMaxWindow(uint64(opt.Window)))
		if err != nil {
			return nil, z.explain(err)
		}
		z.plain, z.free = d, d.Close
	default:
		panic("unpack: unknown compression " + name)
	}
	return z, nil
}

// Read implements io.Reader.
func (z *Reader) Read(p []byte) (int, error) {
	n, err := z.plain.Read(p)
	z.begun = z.begun || n > 0
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, z.explain(err)
}

// Close releases the decoder's memory. It does not close the underlying reader.
func (z *Reader) Close() { z.free() }

// explain adds the place and the cause to an error of the decompressor.
func (z *Reader) explain(err error) error {
	switch {
	case z.in.err != nil:
		return z.in.err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s data cut off at byte %d: %w", z.name, z.in.n, io.ErrUnexpectedEOF)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("%s data before byte %d: %w: %w", z.name, z.in.n, ErrWindow, err)
	case z.begun && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		return fmt.Errorf("bytes after the end of the %s data: %w", z.name, err)
	}
	return fmt.Errorf("%s data not valid before byte %d: %w", z.name, z.in.n, err)
}

// countingReader counts the packed bytes and keeps the first error of the input.
type countingReader struct {
	r   io.Reader
	n   int64
	err error // other than io.EOF
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && err != io.EOF && c.err == nil {
		c.err = err
	}
	return n, err
}

// multiReader reads all members of a gzip stream.
type multiReader struct {
	*gzip.Reader
	r *bufio.Reader // an io.ByteReader, so the member's reader does not read past its end
}

func newMultiReader(r io.Reader) (*multiReader, error) {
	in := bufio.NewReader(r)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &multiReader{z, in}, nil
}

func (m *multiReader) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = m.nextMember()
	}
	return n, err
}

// nextMember starts the next member. It returns io.EOF if there is none.
func (m *multiReader) nextMember() error {
	padded := false
	for {
		c, err := m.r.ReadByte()
		switch {
		case err != nil:
			return err
		case c == 0:
			padded = true
			continue
		case padded:
			return gzip.ErrHeader
		}
		if err := m.r.UnreadByte(); err != nil {
			return err
		}
		if err := m.Reset(m.r); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		m.Multistream(false)
		return nil
	}
}
