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

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
)

// decompressors lists the codecs that this package can read.
var decompressors = map[format.CompressionCodec]struct {
	// maxRatio is the highest compression ratio, or 0 if there is no useful bound. In Snappy, 3
	// bytes copy 64 bytes. In deflate, 2 bits copy 258 bytes. In LZ4, a byte can lengthen a copy by
	// 255 bytes.
	maxRatio   int
	decompress func(src []byte, size int) ([]byte, error)
}{
	format.Snappy: {22, func(src []byte, size int) ([]byte, error) {
		return compressors[format.Snappy].Decode(make([]byte, size), src)
	}},
	format.Gzip:   {1032, decompressGzip},
	format.Brotli: {0, decompressBrotli},
	format.Zstd:   {0, decompressZstd},
	format.Lz4Raw: {255, func(src []byte, size int) ([]byte, error) {
		// For a damaged page, the Parquet library would grow its buffer without limit.
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(src, out)
		return out[:n], err
	}},
}

// decompress decompresses src to size bytes. If the compression ratio would exceed maxRatio, it
// fails before it allocates memory.
func decompress(codec format.CompressionCodec, src []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		if len(src) != size {
			return nil, plural.Errorf("%w: the page has %d bytes, expected %d", errCorrupt, len(src), size)
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
		return nil, plural.Errorf("%w: %d bytes cannot be compressed to a page of %d bytes", errCorrupt, size, len(src))
	}
	out, err := d.decompress(src, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if len(out) != size {
		return nil, plural.Errorf("%w: the decompressed page has %d bytes, expected %d", errCorrupt, len(out), size)
	}
	return out, nil
}

func decompressGzip(src []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	return readAtMost(r, size)
}

// decompressBrotli decompresses a Brotli page. It fails if bytes follow the end of the stream. The
// reader would ignore these bytes if the stream of a damaged page ends early.
//
// The decoder has no maintainer since 2019, but the maintained one (github.com/andybalholm/brotli) links
// an HTTP client and server. So decompressBrotli limits the damage that the decoder can do. Its output is
// limited to size bytes, which count against the memory limit of the reader. Its window is at most 16 MiB
// and at most four times the output. A panic is an error. FuzzBrotli compares its answers with the
// maintained decoder.
func decompressBrotli(src []byte, size int) (out []byte, err error) {
	defer recoverDamage(&err)
	r, err := brotli.NewReader(bytes.NewReader(src), nil)
	if err != nil {
		return nil, err
	}
	out, err = readAtMost(r, size)
	if rest := int64(len(src)) - r.InputOffset; err == nil && len(out) == size && rest != 0 {
		err = plural.Errorf("%w: %d bytes follow the compressed data", errCorrupt, rest)
	}
	return out, err
}

// readAtMost reads r to its end, but at most size+1 bytes.
func readAtMost(r io.Reader, size int) ([]byte, error) {
	out := make([]byte, size+1)
	n, err := pointio.ReadFull(r, out)
	if errors.Is(err, io.EOF) {
		err = nil // the reader has no more bytes
	}
	return out[:n], err
}

// zstdDecoder is shared by all goroutines. To save memory, it limits how many goroutines decode at
// once.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

// decompressZstd decompresses a Zstandard page. The decoder of the Parquet library would allocate
// any amount of memory that a damaged page specifies.
func decompressZstd(src []byte, size int) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, make([]byte, 0, size))
}

// compressors lists the codecs that this package can write. They are safe for concurrent use and
// reuse their memory. Brotli is missing (see writtenCodec).
var compressors = map[format.CompressionCodec]compress.Codec{
	format.Snappy: new(snappy.Codec),
	format.Gzip:   &gzipcodec.Codec{Level: gzipcodec.DefaultCompression},
	format.Zstd:   new(zstdcodec.Codec),
	format.Lz4Raw: &lz4codec.Codec{Level: lz4codec.DefaultLevel},
}

// writtenCodec returns the codec for a rewritten column. Zstandard replaces Brotli, because the Go
// packages that compress with Brotli link an HTTP server into every program.
func writtenCodec(codec format.CompressionCodec) format.CompressionCodec {
	if codec == format.Brotli {
		return format.Zstd
	}
	return codec
}

// compressTo compresses src. The result can reuse the memory of dst.
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
