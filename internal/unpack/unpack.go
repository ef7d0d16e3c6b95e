// Package unpack recognizes and decompresses gzip (RFC 1952) and zstandard (RFC 8878) streams. With the
// build tag small, it refuses to decompress zstandard, and decompresses gzip with the standard library,
// which is slower.
package unpack

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxWindow is the default limit of the zstd window in bytes. The zstd command has the same limit.
const MaxWindow = 128 << 20

// ErrWindow means that the window of a zstd frame exceeds Options.Window.
var ErrWindow = errors.New("the zstd window exceeds the limit")

// errNoZstd is the error of builds without zstd.
var errNoZstd = errors.New("this build does not read zstd data: use gzip")

// Detect returns the compression of a stream that begins with head: "gzip", "zstd", or "" for any
// other stream. Detect needs only the first four bytes.
func Detect(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}): // a skippable frame of zstd
		return "zstd"
	}
	return ""
}

// DeclaredSize returns the decompressed size that the packed data declares, or 0 if it declares none.
// The size can be wrong: it describes one gzip member modulo 2³² or one zstd frame.
func DeclaredSize(packed []byte, name string) int64 {
	const gzipLeast = 18 // size of the header and the trailer of gzip
	switch {
	case name == "gzip" && len(packed) >= gzipLeast:
		return int64(binary.LittleEndian.Uint32(packed[len(packed)-4:])) // ISIZE, RFC 1952 §2.3.1
	case name == "zstd":
		return zstdSize(packed)
	}
	return 0
}

// Options configure a Reader. The zero value is ready to use.
type Options struct {
	// Window is the limit of the zstd window in bytes; 0 means MaxWindow.
	Window int64
	// LowMemory makes the zstd decoder use smaller buffers, which is slower.
	LowMemory bool
}

// Reader decompresses a stream. It is not safe for concurrent use.
type Reader struct {
	name  string
	in    *countingReader
	plain io.Reader
	free  func()
	begun bool // Read has returned data
}

// NewReader returns a Reader that decompresses r. name is the compression, "gzip" or "zstd". The
// Reader reads all gzip members or zstd frames of the stream. The Reader can read more bytes of r
// than necessary. It ignores zero bytes after the last gzip member, because tapes and archives pad
// blocks with zeros.
//
// If the stream is truncated, NewReader and Read return io.ErrUnexpectedEOF. If the window of a
// zstd frame is too large, NewReader and Read return ErrWindow. They return errors of r unchanged,
// and add a byte offset to other errors.
func NewReader(r io.Reader, name string, opt Options) (*Reader, error) {
	z := &Reader{name: name, in: &countingReader{r: r}, free: func() {}}
	switch name {
	case "gzip":
		in := bufio.NewReader(z.in)
		member, err := newGzipReader(in)
		if err != nil {
			return nil, z.explain(err)
		}
		member.Multistream(false)
		z.plain = &multiReader{member, in}
	case "zstd":
		if opt.Window == 0 {
			opt.Window = MaxWindow
		}
		var err error
		if z.plain, z.free, err = newZstdReader(z.in, opt); err != nil {
			return nil, z.explain(err)
		}
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

// explain returns the error of the input if there is one. Otherwise it adds the byte offset to the
// decompressor's error.
func (z *Reader) explain(err error) error {
	switch {
	case z.in.err != nil:
		return z.in.err
	case errors.Is(err, errNoZstd):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%s data is cut off at byte %d: %w", z.name, z.in.n, io.ErrUnexpectedEOF)
	case isZstdWindow(err):
		return fmt.Errorf("cannot decompress the %s data before byte %d: %w: %w", z.name, z.in.n, ErrWindow, err)
	case z.begun && (errors.Is(err, gzip.ErrHeader) || isZstdMagic(err)):
		return fmt.Errorf("there are bytes after the end of the %s data: %w", z.name, err)
	}
	return fmt.Errorf("there is invalid %s data before byte %d: %w", z.name, z.in.n, err)
}

// countingReader counts the bytes that are read from r.
type countingReader struct {
	r   io.Reader
	n   int64
	err error // first error of r except io.EOF
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
	*gzipReader
	r *bufio.Reader // gzipReader reads no byte after a member, because bufio.Reader is an io.ByteReader
}

func (m *multiReader) Read(p []byte) (int, error) {
	n, err := m.gzipReader.Read(p)
	if errors.Is(err, io.EOF) {
		err = m.nextMember()
	}
	return n, err
}

// nextMember moves to the next member. It returns io.EOF after the last member.
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
