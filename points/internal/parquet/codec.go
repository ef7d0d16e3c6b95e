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
	lz4codec "github.com/parquet-go/parquet-go/compress/lz4"
	"github.com/parquet-go/parquet-go/compress/snappy"
	zstdcodec "github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/inpoly/inpoly/internal/pointio"
)

// decompressors are the codecs of pages that this package reads.
var decompressors = map[format.CompressionCodec]struct {
	// maxRatio is the highest compression ratio: in Snappy 3 bytes copy 64, in deflate two bits
	// copy 258 bytes (1032:1), in LZ4 a byte adds at most 255. It is 0 if there is no useful bound.
	maxRatio   int
	decompress func(src []byte, size int) ([]byte, error) // see the function decompress
}{
	format.Snappy: {22, func(src []byte, size int) ([]byte, error) {
		return compressors[format.Snappy].Decode(make([]byte, size), src)
	}},
	format.Gzip:   {1032, decompressGzip},
	format.Brotli: {0, decompressBrotli},
	format.Zstd:   {0, decompressZstd},
	format.Lz4Raw: {255, func(src []byte, size int) ([]byte, error) {
		// The Parquet library would grow its buffer without limit for a damaged page.
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(src, out)
		return out[:n], err
	}},
}

// decompress decompresses src, which must yield size bytes. It refuses a size that the codec
// cannot reach before it allocates memory for it.
func decompress(codec format.CompressionCodec, src []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		if len(src) != size {
			return nil, fmt.Errorf("%w: page of %d bytes, expected %d", errCorrupt, len(src), size)
		}
		return src, nil
	}
	if size == 0 {
		return nil, nil
	}
	if len(src) == 0 {
		return nil, fmt.Errorf("%w: empty page", errCorrupt)
	}
	d, ok := decompressors[codec]
	if !ok {
		return nil, fmt.Errorf("unsupported compression codec: %s", codec)
	}
	if d.maxRatio > 0 && size/d.maxRatio > len(src) {
		return nil, fmt.Errorf("%w: %d bytes cannot come from a page of %d", errCorrupt, size, len(src))
	}
	out, err := d.decompress(src, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if len(out) != size {
		return nil, fmt.Errorf("%w: %d bytes, expected %d", errCorrupt, len(out), size)
	}
	return out, nil
}

// decompressGzip is decompress for gzip.
func decompressGzip(src []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	return readAtMost(r, size)
}

// decompressBrotli is decompress for Brotli. It also refuses bytes after the end of the stream. A
// damaged stream can end early, and the reader would ignore the rest.
func decompressBrotli(src []byte, size int) ([]byte, error) {
	r, err := brotli.NewReader(bytes.NewReader(src), nil)
	if err != nil {
		return nil, err
	}
	out, err := readAtMost(r, size)
	if rest := int64(len(src)) - r.InputOffset; err == nil && len(out) == size && rest != 0 {
		err = fmt.Errorf("%w: %d bytes after the compressed data", errCorrupt, rest)
	}
	return out, err
}

// readAtMost reads r to its end, but at most size+1 bytes.
func readAtMost(r io.Reader, size int) ([]byte, error) {
	out := make([]byte, size+1)
	n, err := pointio.ReadFull(r, out)
	if errors.Is(err, io.EOF) {
		err = nil // a clean end
	}
	return out[:n], err
}

// zstdDecoder serves all goroutines. It bounds the number of decoders, which use much memory.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

// decompressZstd is decompress for Zstandard. The decoder of the Parquet library would allocate any
// amount of memory that a damaged page specifies.
func decompressZstd(src []byte, size int) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, make([]byte, 0, size))
}

// compressors are the codecs of pages that this package writes. They are safe for concurrent
// use and reuse their memory. Brotli is missing: see writtenCodec.
var compressors = map[format.CompressionCodec]compress.Codec{
	format.Snappy: new(snappy.Codec),
	format.Gzip:   &gzipcodec.Codec{Level: gzipcodec.DefaultCompression},
	format.Zstd:   new(zstdcodec.Codec),
	format.Lz4Raw: &lz4codec.Codec{Level: lz4codec.DefaultLevel},
}

// writtenCodec returns the codec of new pages of a column that was read with codec. It is the same
// codec, except that Zstandard replaces Brotli. The Go packages that compress with Brotli link an
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
	return out, nil
}
