//go:build small

package unpack

import "io"

func zstdSize([]byte) int64 { return 0 }

func newZstdReader(io.Reader, Options) (plain io.Reader, free func(), err error) {
	return nil, nil, errNoZstd
}

func isZstdWindow(error) bool { return false }
func isZstdMagic(error) bool  { return false }
