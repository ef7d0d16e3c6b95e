package disk

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file that grows as fast as it is read has an end, for Read and for ReadAt.
func TestAppendedInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	defer Inject(func(op, _ string) Fault {
		if strings.HasSuffix(op, "read") {
			if _, err := out.Write(make([]byte, 100)); err != nil {
				t.Error(err)
			}
		}
		return Fault{}
	})()
	for _, sequential := range []bool{true, false} {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		size, n := f.Opened().Size(), int64(0)
		for err == nil && n < 10*size {
			var k int
			if sequential {
				k, err = f.Read(make([]byte, 64))
			} else {
				k, err = f.ReadAt(make([]byte, 64), n)
			}
			n += int64(k)
		}
		if !errors.Is(err, ErrChanged) || n > size+64 {
			t.Errorf("sequential %v: %d of %d bytes: %v", sequential, n, size, err)
		}
		f.Close()
	}
}

// An input that does not change has no error: read in pieces, from the middle, and after its end.
func TestUnchangedInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	want := bytes.Repeat([]byte("0123456789"), 100)
	if err := os.WriteFile(path, want, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := ReadAll(f, 1000); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, c := range []struct {
		offset int64
		n      int
		err    error
	}{{0, 10, nil}, {990, 10, nil}, {995, 5, io.EOF}, {1000, 0, io.EOF}, {5000, 0, io.EOF}} {
		if n, err := f.ReadAt(make([]byte, 10), c.offset); n != c.n || !errors.Is(err, c.err) {
			t.Errorf("offset %d: %d bytes, %v; want %d, %v", c.offset, n, err, c.n, c.err)
		}
	}
	if _, err := ReadFile(path, 999); !errors.Is(err, ErrTooLarge) {
		t.Errorf("limit 999: %v", err)
	}
	if err := errors.Join(f.Unchanged(), os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	if err := f.Unchanged(); !errors.Is(err, ErrChanged) {
		t.Errorf("after a modification: %v", err)
	}
}

// The files of /proc have the size 0 and yet have content.
func TestFileWithoutSize(t *testing.T) {
	const path = "/proc/self/status"
	want, err := os.ReadFile(path)
	if err != nil || len(want) == 0 {
		t.Skip("no " + path)
	}
	got, err := ReadFile(path, 0)
	if err != nil || !bytes.HasPrefix(got, want[:5]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Reading a file that was empty when it was opened ends at the first bytes that another process has
// appended.
func TestEmptyFileGrows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path, []byte("x,y,z\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Read(make([]byte, 4)); !errors.Is(err, ErrChanged) {
		t.Errorf("%d bytes, %v; want %v", n, err, ErrChanged)
	}
}
