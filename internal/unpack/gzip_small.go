//go:build small

package unpack

import (
	"compress/gzip"
	"io"
)

// small reports whether the build has the tag small.
const small = true

// gzipReader is a decoder of gzip. The small build uses the decompressor of the standard library,
// which archive/zip links in any case for 3MF.
type gzipReader = gzip.Reader

func newGzipReader(r io.Reader) (*gzipReader, error) { return gzip.NewReader(r) }
