package unpack

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(data string) string {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	io.WriteString(w, data)
	w.Close()
	return buf.String()
}

func zstandard(data string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(data), nil))
}

// readAll detects the compression of packed and returns the decompressed text.
func readAll(packed string, opt Options) (string, error) {
	z, err := NewReader(strings.NewReader(packed), Detect([]byte(packed)), opt)
	if err != nil {
		return "", err
	}
	defer z.Close()
	data, err := io.ReadAll(z)
	return string(data), err
}

func TestDetect(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"", ""}, {"\x1f", ""}, {"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\x28\xb5\x2f", ""},
		{"\x5a\x2a\x4d\x18", "zstd"}, {"\x6a\x2a\x4d\x18", ""}, {"ply\n", ""},
	} {
		if got := Detect([]byte(c.head)); got != c.want {
			t.Errorf("Detect(%q) = %q, want %q", c.head, got, c.want)
		}
	}
}

func TestReader(t *testing.T) {
	text := strings.Repeat("one line of text\n", 1000)
	for name, packed := range map[string]string{
		"gzip":                  gzipped(text),
		"gzip of two members":   gzipped(text[:100]) + gzipped(text[100:]),
		"gzip with padding":     gzipped(text) + strings.Repeat("\x00", 700),
		"zstd":                  zstandard(text),
		"zstd of two frames":    zstandard(text[:100]) + zstandard(text[100:]),
		"zstd, skippable frame": "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc" + zstandard(text),
	} {
		got, err := readAll(packed, Options{})
		if small && strings.HasPrefix(name, "zstd") {
			if !errors.Is(err, errNoZstd) {
				t.Errorf("%s: got %v, want %v", name, err, errNoZstd)
			}
			continue
		}
		if got != text || err != nil {
			t.Errorf("%s: got %d bytes and %v, want %d", name, len(got), err, len(text))
		}
	}
}

func TestReaderErrors(t *testing.T) {
	text := strings.Repeat("one line of text\n", 10)
	flipped := []byte(gzipped(text))
	flipped[len(flipped)-6] ^= 1 // changes the checksum
	// In this zstd frame header, the single-segment flag is 0 and the window exponent is 31 (RFC
	// 8878).
	const huge = "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00"
	for _, c := range []struct {
		name, packed string
		kind         error
		want         string
	}{
		{"header cut", gzipped(text)[:5], io.ErrUnexpectedEOF, "gzip data is cut off at byte 5"},
		{"gzip cut", gzipped(text)[:25], io.ErrUnexpectedEOF, "gzip data is cut off at byte 25"},
		{"zstd cut", zstandard(text)[:20], io.ErrUnexpectedEOF, "zstd data is cut off at byte 20"},
		{"tail", gzipped(text) + "a tail of text", gzip.ErrHeader, "bytes after the end of the gzip data"},
		{"padding inside", gzipped(text) + "\x00" + gzipped(text), gzip.ErrHeader, "bytes after the end of the gzip data"},
		{"checksum", string(flipped), gzip.ErrChecksum, "there is invalid gzip data before byte"},
		{"window", huge, ErrWindow, "window"},
	} {
		if small && Detect([]byte(c.packed)) == "zstd" {
			continue
		}
		_, err := readAll(c.packed, Options{})
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q and %v", c.name, err, c.want, c.kind)
		}
	}
	// Read must return an error of the input unchanged.
	broken := errors.New("the cable is unplugged")
	z, err := NewReader(io.MultiReader(strings.NewReader(gzipped(text)[:25]), iotest.ErrReader(broken)), "gzip", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(z); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
