package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/dsnet/compress/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/compress"
	gzipcodec "github.com/parquet-go/parquet-go/compress/gzip"
	"github.com/parquet-go/parquet-go/compress/lz4"
	"github.com/parquet-go/parquet-go/compress/snappy"
	zstdcodec "github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/pointio"
)

// decompress decompresses src, which must give size bytes. It refuses a size that the codec
// cannot reach before it allocates memory for it.
func decompress(codec format.CompressionCodec, src []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		if len(src) != size {
			return nil, fmt.Errorf("%w: page of %d bytes, want %d", errCorrupt, len(src), size)
		}
		return src, nil
	}
	if size == 0 {
		return nil, nil
	}
	if len(src) == 0 {
		return nil, fmt.Errorf("%w: empty page", errCorrupt)
	}
	// The highest ratio of each codec: in Snappy 3 bytes copy 64, in deflate two bits copy
	// 258 bytes (1032:1), in LZ4 a byte adds at most 255. Brotli and Zstandard have no useful
	// bound.
	ratio := map[format.CompressionCodec]int{format.Snappy: 22, format.Gzip: 1032, format.Lz4Raw: 255}[codec]
	if ratio > 0 && size/ratio > len(src) {
		return nil, fmt.Errorf("%w: %d bytes in a page of %d bytes", errCorrupt, size, len(src))
	}
	var out []byte
	var err error
	switch codec {
	case format.Snappy:
		out, err = compressors[codec].Decode(make([]byte, size), src)
	case format.Gzip:
		var r io.Reader
		if r, err = gzip.NewReader(bytes.NewReader(src)); err == nil {
			out, err = readAtMost(r, size)
		}
	case format.Brotli:
		var r *brotli.Reader
		if r, err = brotli.NewReader(bytes.NewReader(src), nil); err == nil {
			out, err = readAtMost(r, size)
			if err == nil && len(out) == size && r.InputOffset != int64(len(src)) {
				// A damaged stream may end early; the reader does not look at what follows.
				err = fmt.Errorf("%w: %d bytes after the compressed data", errCorrupt, int64(len(src))-r.InputOffset)
			}
		}
	case format.Zstd:
		out, err = decompressZstd(src, size)
	case format.Lz4Raw:
		out, err = decompressLZ4(make([]byte, 0, size), src, size)
	default:
		err = fmt.Errorf("unsupported compression codec: %s", codec)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if len(out) != size {
		return nil, fmt.Errorf("%w: %d bytes, want %d", errCorrupt, len(out), size)
	}
	return out, nil
}

// readAtMost reads r to its end, or one byte more than size.
func readAtMost(r io.Reader, size int) ([]byte, error) {
	out := make([]byte, size+1)
	n, err := pointio.ReadFull(r, out)
	if errors.Is(err, io.EOF) {
		err = nil // a clean end
	}
	return out[:n], err
}

// zstdReaders keeps decoders, because each holds much memory.
var zstdReaders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}}

// decompressZstd is decompress for Zstandard. The decoder of the Parquet library would
// allocate as much memory as a damaged page asks for.
func decompressZstd(src []byte, size int) ([]byte, error) {
	reader := zstdReaders.Get()
	if err, bad := reader.(error); bad {
		return nil, err
	}
	defer zstdReaders.Put(reader)
	return reader.(*zstd.Decoder).DecodeAll(src, make([]byte, 0, size))
}

// compressors are the codecs of pages that this package writes. They are safe for concurrent
// use and reuse their memory. Brotli is missing: see writtenCodec.
var compressors = map[format.CompressionCodec]compress.Codec{
	format.Snappy: new(snappy.Codec),
	format.Gzip:   &gzipcodec.Codec{Level: gzipcodec.DefaultCompression},
	format.Zstd:   new(zstdcodec.Codec),
	format.Lz4Raw: &lz4.Codec{Level: lz4.DefaultLevel},
}

// writtenCodec returns the codec of new pages of a column that was read with codec. It is the
// same codec, and Zstandard for Brotli: the Go packages that compress with Brotli link an
// HTTP server into every program.
func writtenCodec(codec format.CompressionCodec) format.CompressionCodec {
	if codec == format.Brotli {
		return format.Zstd
	}
	return codec
}

// compressTo returns src compressed. It reuses the memory of dst.
func compressTo(dst []byte, codec format.CompressionCodec, src []byte) ([]byte, error) {
	if codec == format.Uncompressed {
		return append(dst[:0], src...), nil
	}
	c := compressors[codec]
	if c == nil {
		return nil, fmt.Errorf("unsupported compression codec: %s", codec)
	}
	out, err := c.Encode(dst[:cap(dst)], src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if codec == format.Lz4Raw && len(out) == 0 {
		// The library returns nothing for a block that would not become shorter.
		out = appendLiterals(out, src)
	}
	return out, nil
}

// appendLiterals appends src as an LZ4 block without copies.
func appendLiterals(dst, src []byte) []byte {
	n := len(src)
	dst = append(dst, byte(min(n, 15))<<4)
	if n -= 15; n >= 0 {
		for ; n >= 255; n -= 255 {
			dst = append(dst, 255)
		}
		dst = append(dst, byte(n))
	}
	return append(dst, src...)
}

// decompressLZ4 appends the decompressed block src to dst, which has room for size bytes (LZ4
// block format: tokens of literals and copies). The decoder of the library would grow its buffer
// without limit for a damaged block.
func decompressLZ4(dst, src []byte, size int) ([]byte, error) {
	errCut := fmt.Errorf("%w: block cut off", errCorrupt)
	length := func(n int) (int, bool) {
		for c := byte(255); n >= 15 && c == 255; {
			if len(src) == 0 || n > size {
				return 0, false
			}
			c, src = src[0], src[1:]
			n += int(c)
		}
		return n, true
	}
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		n, ok := length(int(token >> 4))
		if !ok || n > len(src) || n > size-len(dst) {
			return nil, errCut
		}
		dst = append(dst, src[:n]...)
		if src = src[n:]; len(src) == 0 {
			break // the last token has literals only
		}
		if len(src) < 2 {
			return nil, errCut
		}
		distance := int(src[0]) | int(src[1])<<8
		src = src[2:]
		n, ok = length(int(token & 15))
		n += 4
		if !ok || distance == 0 || distance > len(dst) || n > size-len(dst) {
			return nil, errCut
		}
		for n > 0 { // the copy may overlap its own output
			k := min(n, distance)
			start := len(dst) - distance
			dst = append(dst, dst[start:start+k]...)
			n -= k
			distance += k
		}
	}
	return dst, nil
}
