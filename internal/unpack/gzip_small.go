//go:build small

package unpack

import (
	"compress/gzip"
	"io"
)

// small reports whether the build has the tag small.
const small = true

// gzipReader is a decoder of gzip. 3MF links its decompressor anyway, by archive/zip.
type gzipReader = gzip.Reader

func newGzipReader(r io.Reader) (*gzipReader, error) { return gzip.NewReader(r) }
