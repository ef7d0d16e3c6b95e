package vtk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/klauspost/compress/zlib"
	"github.com/pierrec/lz4/v4"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// blocks decompresses the blocks of an array. A header of integers comes first: the number of blocks, the
// size of a block, the size of the last block, and the compressed size of each block. The size of the
// last block is 0 if it equals the others.
type blocks struct {
	place
	src   *soup.Source
	in    *stream
	lz4   bool
	size  int64 // size of a block
	last  int64 // size of the last block
	sizes []int64
	next  int // number of blocks whose decompression has begun
	done  int64

	block  bytes.Reader // compressed bytes of the block for zlib, plain bytes for LZ4
	out    io.Reader    // plain bytes of the block
	left   int64        // number of plain bytes of the block that are left
	zlib   io.ReadCloser
	seen   spans  // compressed bytes of the blocks of all arrays
	packed []byte // scratch
	plain  []byte // scratch
}

// mostRatio bounds the ratio of plain bytes to compressed bytes in LZ4: each byte of a length encodes at
// most 255 bytes (LZ4 block format description).
const mostRatio = 255

// open reads the header.
func (z *blocks) open(order binary.ByteOrder, width int) error {
	var head [3]int64
	if err := z.words(head[:], order, width); err != nil {
		return err
	}
	n, size, last := head[0], head[1], head[2]
	switch {
	case n > z.in.left()/int64(width):
		return z.fail(soup.ErrTruncated, "%d compressed blocks do not fit in the bytes that follow", n)
	case n > 0 && (size == 0 || last > size):
		return z.fail(soup.ErrSyntax, "compressed blocks have the size %d, and the last block has the size %d", size, last)
	}
	z.size, z.last = size, cmp.Or(last, size)
	if err := soup.Grow(z.src.Budget, &z.sizes, int(n), 8); err != nil {
		return err
	}
	z.sizes = z.sizes[:n]
	return z.words(z.sizes, order, width)
}

// words reads integers of the given size.
func (z *blocks) words(dst []int64, order binary.ByteOrder, width int) (err error) {
	for i := range dst {
		if dst[i], err = z.in.word(order, width); err != nil {
			return err
		}
		if err := z.src.Check(i); err != nil {
			return err
		}
	}
	return nil
}

// Read implements io.Reader.
func (z *blocks) Read(p []byte) (int, error) {
	if z.left == 0 {
		if z.next == len(z.sizes) {
			return 0, io.EOF
		}
		if err := z.begin(); err != nil {
			return 0, err
		}
	}
	n, err := z.out.Read(p[:min(int64(len(p)), z.left)])
	z.left -= int64(n)
	z.done += int64(n)
	if z.left == 0 && (err == nil || errors.Is(err, io.EOF)) {
		err = z.end()
	}
	if err != nil {
		return n, z.bad(err)
	}
	return n, nil
}

// bad returns the error for a block that cannot be decompressed.
func (z *blocks) bad(err error) error {
	if soup.Placed(err) || z.src.Err() != nil {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return z.fail(soup.ErrSyntax, "compressed block %d has fewer bytes than the header states", z.next-1)
	}
	return z.fail(soup.ErrSyntax, "compressed block %d: %w", z.next-1, err)
}

// errLong means that a block has more bytes than it should have.
var errLong = errors.New("has more bytes than the header states")

// end checks that the block has no more bytes. For zlib, this includes the checksum.
func (z *blocks) end() error {
	var b [1]byte
	n, err := io.ReadFull(z.out, b[:])
	switch {
	case n > 0 || z.block.Len() > 0:
		return errLong
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// begin reads the next block.
func (z *blocks) begin() error {
	from := z.in.at
	packed, err := z.take(z.sizes[z.next])
	if err != nil {
		return err
	}
	unpacking := z.src.UnpackingAgain // for blocks that an earlier array has decompressed
	if z.seen.add(from, z.in.at) {
		unpacking = z.src.Unpacking
	}
	z.next++
	size := z.size
	if z.next == len(z.sizes) {
		size = z.last
	}
	z.block.Reset(packed)
	z.left = size
	if z.lz4 {
		if size > mostRatio*int64(len(packed)+1) {
			return z.fail(soup.ErrSyntax, "compressed block %d has %d bytes, but the header states a size of %d", z.next-1, len(packed), size)
		}
		if size > math.MaxInt32 {
			return z.fail(soup.ErrTooLarge, "a compressed block of %d bytes", size)
		}
		z.plain = z.plain[:0]
		if err := soup.Grow(z.src.Budget, &z.plain, int(size), 1); err != nil {
			return err
		}
		n, err := lz4.UncompressBlock(packed, z.plain[:size])
		if err == nil && int64(n) < size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return z.bad(err)
		}
		z.block.Reset(z.plain[:size])
		z.out = unpacking(&z.block)
		return nil
	}
	if z.zlib == nil {
		z.zlib, err = zlib.NewReader(&z.block)
	} else {
		err = z.zlib.(zlib.Resetter).Reset(&z.block, nil)
	}
	if err != nil {
		return z.bad(err)
	}
	z.out = unpacking(z.zlib)
	return nil
}

// take returns the next n bytes of the file.
func (z *blocks) take(n int64) ([]byte, error) {
	if n > z.in.left() {
		return nil, z.fail(soup.ErrTruncated, "a compressed block of %d bytes does not fit in the bytes that follow", n)
	}
	if !z.in.base64 {
		from := z.in.at
		z.in.at += int(n)
		return z.in.text[from:z.in.at], nil
	}
	z.packed = z.packed[:0]
	if err := soup.Grow(z.src.Budget, &z.packed, int(n), 1); err != nil {
		return nil, err
	}
	z.packed = z.packed[:n]
	return z.packed, readFull(z.in, z.packed, z.place)
}

// release releases the memory of the blocks.
func (z *blocks) release(b *soup.Budget) {
	b.Release(8*int64(cap(z.sizes)) + int64(cap(z.packed)+cap(z.plain)))
	z.sizes, z.packed, z.plain = nil, nil, nil
}
