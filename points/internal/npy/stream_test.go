package npy

import (
	"os"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

// files are those of this package, read as streams.
var files = testcloud.Format[*Source, Options]{File: "in", New: New}

// file opens a file that the test closes.
func file(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// open reads a plain file.
func open(t *testing.T, path string, opt Options) *Source {
	t.Helper()
	f := file(t, path)
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src, err := New(path, f, f, fi.Size(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// append appends x as an element.
func (h *header) append(dst []byte, x float64) []byte {
	dst = append(dst, make([]byte, h.item)...)
	h.putFloats(dst[len(dst)-h.item:], h.item, []float64{x})
	return dst
}
