package soup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func packGzip(data string) string {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	io.WriteString(w, data)
	w.Close()
	return buf.String()
}

func packZstd(data string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(data), nil))
}

type zeroStream struct{}

func (zeroStream) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestEndless checks the limit for endless streams, plain and compressed. A memory limit that the
// user sets replaces this limit.
func TestEndless(t *testing.T) {
	const most = 1 << 20
	open := func(most int64, r io.Reader) error {
		s := NewSource(context.Background(), Options{Size: -1})
		s.contentLimit = most
		return s.Open(r)
	}
	if err := open(most, zeroStream{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("endless stream: got %v, want ErrTooLarge", err)
	}
	if err := open(most, io.LimitReader(zeroStream{}, most)); err != nil {
		t.Errorf("as much as allowed: %v", err)
	}
	for _, packed := range []string{packGzip(strings.Repeat("x", most+1)), packZstd(strings.Repeat("x", most+1))} {
		if err := open(most, strings.NewReader(packed)); !errors.Is(err, ErrTooLarge) {
			t.Errorf("packed: got %v, want ErrTooLarge", err)
		}
	}
	for _, c := range []struct{ size, limit, want int64 }{{-1, 0, maxStream}, {-1, 5, 0}, {7, 0, 0}} {
		if got := NewSource(t.Context(), Options{Size: c.size, MaxMemory: c.limit}).contentLimit; got != c.want {
			t.Errorf("size %d, limit %d: got %d, want %d", c.size, c.limit, got, c.want)
		}
	}
}

// TestPackedSize opens compressed content that is about as large as the file. The packed bytes must
// not use up the default limit.
func TestPackedSize(t *testing.T) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, budgetBase)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	s := NewSource(t.Context(), Options{Size: int64(packed.Len())})
	if err := s.Open(bytes.NewReader(packed.Bytes())); err != nil {
		t.Fatal(err)
	}
	if read := s.Budget.read.Load(); len(s.Data) != budgetBase || read != budgetBase {
		t.Errorf("got %d bytes, and %d bytes counted, want %d", len(s.Data), read, budgetBase)
	}
}

func TestBudget(t *testing.T) {
	b := &Budget{}
	if err := b.Reserve(budgetBase); err != nil {
		t.Fatal(err)
	}
	if err := b.Reserve(1); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("got %v, want ErrTooLarge", err)
	}
	b.read.Add(10)
	if err := b.Reserve(16 * 10); err != nil {
		t.Fatal(err)
	}
	if err := b.Reserve(1); err == nil {
		t.Fatal("one byte too many was granted")
	}
	b.Release(1)
	if err := b.Reserve(1); err != nil {
		t.Fatal(err)
	}
}

// TestErrorPlace checks the text of an error with each kind of place.
func TestErrorPlace(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{AtLine(17, ErrSyntax, "%d", 3), "line 17: syntax error: 3"},
		{AtByte(0, ErrTruncated, ""), "byte 0: truncated"},
		{AtPath("/meshes/0", ErrUnsupported, "x"), "/meshes/0: not supported: x"},
	} {
		err := error(c.err)
		if err.Error() != c.want {
			t.Errorf("got %q, want %q", err, c.want)
		}
		if !errors.Is(err, c.err.Err) {
			t.Errorf("%v does not wrap its reason", err)
		}
	}
}

// TestBombInParts unpacks three parts of 96 MB each from a package of a few bytes. The three parts
// together exceed the limit, so the third part must be refused.
func TestBombInParts(t *testing.T) {
	const each = 3 * (maxUnpacked / 8)
	for _, c := range []struct {
		name   string
		packed int
		limit  int64
		kind   error
	}{
		{"small package", 1 << 10, 0, ErrTooLarge},
		{"package large enough", 3*each/maxRatio + 1, 0, nil},
		{"limit of the user", 1 << 10, 1 << 40, ErrTooLarge},
	} {
		s := NewSource(t.Context(), Options{MaxMemory: c.limit})
		s.packed = int64(c.packed)
		for part := range 3 {
			_, err := io.CopyBuffer(io.Discard, s.Unpacking(io.LimitReader(asIs{}, each)), make([]byte, 1<<20))
			if part < 2 && err != nil || part == 2 && !errors.Is(err, c.kind) {
				t.Errorf("%s, part %d: got %v", c.name, part, err)
			}
		}
	}
}

// asIs is an endless stream. Its method Read leaves the buffer unchanged.
type asIs struct{}

func (asIs) Read(b []byte) (int, error) { return len(b), nil }
