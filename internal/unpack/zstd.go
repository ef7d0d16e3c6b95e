//go:build !small

package unpack

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdSize is DeclaredSize for zstd.
func zstdSize(packed []byte) int64 {
	var h zstd.Header
	if h.Decode(packed) == nil && h.FrameContentSize < 1<<40 {
		return int64(h.FrameContentSize)
	}
	return 0
}

func newZstdReader(r io.Reader, opt Options) (plain io.Reader, free func(), err error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(opt.LowMemory),
		zstd.WithDecoderMaxWindow(uint64(opt.Window)))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

func isZstdWindow(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}

func isZstdMagic(err error) bool { return errors.Is(err, zstd.ErrMagicMismatch) }
