package parquet

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// expand undoes the compression of src, which has size bytes without. A size that the
// codec cannot reach is refused before memory is taken for it.
func expand(codec format.CompressionCodec, src []byte, size int) ([]byte, error) {
	if codec == format.Uncompressed {
		if len(src) != size {
			return nil, fmt.Errorf("%w: page of %d bytes where %d are", errCorrupt, len(src), size)
		}
		return src, nil
	}
	if size == 0 {
		return nil, nil
	}
	if len(src) == 0 {
		return nil, fmt.Errorf("%w: empty page", errCorrupt)
	}
	// The most that a byte can stand for: in Snappy 3 bytes copy 64, in deflate
	// 1032:1 (two bits for 258 bytes), in LZ4 255. Brotli and Zstandard know no bound
	// that helps.
	most := map[format.CompressionCodec]int{format.Snappy: 22, format.Gzip: 1032, format.Lz4Raw: 255}[codec]
	if most > 0 && size/most > len(src) {
		return nil, fmt.Errorf("%w: %d bytes in a page of %d bytes", errCorrupt, size, len(src))
	}
	var out []byte
	var err error
	switch codec {
	case format.Gzip:
		out, err = expandGzip(src, size)
	case format.Zstd:
		out, err = expandZstd(src, size)
	case format.Lz4Raw:
		out, err = expandLZ4(make([]byte, 0, size), src, size)
	default:
		// One byte more: the library's readers double a buffer that is full.
		out, err = parquet.LookupCompressionCodec(codec).Decode(make([]byte, size+1), src)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if len(out) != size {
		return nil, fmt.Errorf("%w: %d bytes where %d are", errCorrupt, len(out), size)
	}
	return out, nil
}

// zstdReaders are kept, as they have much memory.
var zstdReaders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	return d
}}

// expandZstd is expand for Zstandard. The library's own reader takes as much memory as
// a damaged page says.
func expandZstd(src []byte, size int) ([]byte, error) {
	got := zstdReaders.Get()
	if err, bad := got.(error); bad {
		return nil, err
	}
	defer zstdReaders.Put(got)
	return got.(*zstd.Decoder).DecodeAll(src, make([]byte, 0, size))
}

// expandGzip is expand for gzip, which reads one byte more to see the end.
func expandGzip(src []byte, size int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	out := make([]byte, size+1)
	n, err := table.ReadFull(z, out)
	if err == io.EOF {
		err = nil // a clean end
	}
	return out[:n], err
}

// pressed returns src compressed; memory is used again for it.
func pressed(codec format.CompressionCodec, src, memory []byte) ([]byte, error) {
	out, err := parquet.LookupCompressionCodec(codec).Encode(memory[:cap(memory)], src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", codec, err)
	}
	if codec == format.Lz4Raw && len(out) == 0 {
		// So it says that it would not become shorter.
		out = literals(out, src)
	}
	return out, nil
}

// literals appends src as a block of LZ4 that copies nothing.
func literals(dst, src []byte) []byte {
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

// expandLZ4 appends the block src to dst, which has room for size bytes (LZ4 block
// format: tokens of literals and copies). The library's own reader looks for room
// without end where a block is damaged.
func expandLZ4(dst, src []byte, size int) ([]byte, error) {
	cut := fmt.Errorf("%w: block cut off", errCorrupt)
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
			return nil, cut
		}
		dst = append(dst, src[:n]...)
		if src = src[n:]; len(src) == 0 {
			break // the last token has literals only
		}
		if len(src) < 2 {
			return nil, cut
		}
		back := int(src[0]) | int(src[1])<<8
		src = src[2:]
		n, ok = length(int(token & 15))
		n += 4
		if !ok || back == 0 || back > len(dst) || n > size-len(dst) {
			return nil, cut
		}
		for n > 0 { // the copy may run into what it writes
			k := min(n, back)
			start := len(dst) - back
			dst = append(dst, dst[start:start+k]...)
			n -= k
			back += k
		}
	}
	return dst, nil
}
