//go:build !small

package unpack

import (
	"io"

	"github.com/klauspost/compress/gzip"
)

// small reports whether the build has the tag small.
const small = false

// gzipReader is a decoder of gzip. It returns the errors of compress/gzip.
type gzipReader = gzip.Reader

func newGzipReader(r io.Reader) (*gzipReader, error) { return gzip.NewReader(r) }
