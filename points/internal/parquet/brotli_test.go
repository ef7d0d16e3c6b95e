package parquet

import (
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go/format"
)

// TestBrotliTrailingBytes checks the error for bytes after the end of a Brotli stream.
func TestBrotliTrailingBytes(t *testing.T) {
	// "hello" as an uncompressed meta-block, followed by an empty last meta-block (RFC 7932, §9.2).
	stream := []byte("\x0b\x02\x80hello\x03")
	got, err := decompress(format.Brotli, stream, 5)
	if err != nil || string(got) != "hello" {
		t.Fatalf("%q, error %v, want hello", got, err)
	}
	for _, rest := range []string{"\x00", "\x03", "hello"} {
		if got, err := decompress(format.Brotli, append([]byte(stream), rest...), 5); !errors.Is(err, errCorrupt) {
			t.Errorf("%d bytes after the stream: %q, error %v, want %v", len(rest), got, err, errCorrupt)
		}
	}
}
