package view

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
)

// TestFont compares font.gz with the font of golang.org/x/image. INPOLY_UPDATE=1 writes font.gz.
func TestFont(t *testing.T) {
	if os.Getenv("INPOLY_UPDATE") == "1" {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err == nil {
			_, err = w.Write(goregular.TTF)
			err = errors.Join(err, w.Close())
		}
		if err == nil {
			err = os.WriteFile("font.gz", b.Bytes(), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := unpackFont(); err != nil || !bytes.Equal(got, goregular.TTF) {
		t.Errorf("font.gz has %d bytes (%v), want the %d bytes of Go Regular: run INPOLY_UPDATE=1 go test -run TestFont", len(got), err, len(goregular.TTF))
	}
}
