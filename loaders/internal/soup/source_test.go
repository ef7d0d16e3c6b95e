package soup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestExternal reads external files in the folder of the mesh. External must refuse paths that lead
// out of the folder.
func TestExternal(t *testing.T) {
	outer := t.TempDir()
	dir := filepath.Join(outer, "in")
	for path, data := range map[string]string{"secret": "s", "in/a.bin": "abc", "in/sub/b.bin": "de"} {
		path = filepath.Join(outer, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outer, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := &Source{ctx: context.Background(), Budget: &Budget{}, folder: openRoot(t, dir).FS()}
	for path, want := range map[string]string{"a.bin": "abc", "sub/b.bin": "de"} {
		got, err := s.External(path)
		if string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
	if s.Bytes != 5 || s.Budget.read.Load() != 5 {
		t.Errorf("got %d and %d bytes counted, want 5", s.Bytes, s.Budget.read.Load())
	}
	for path, kind := range map[string]error{
		"none": fs.ErrNotExist, "sub": ErrUnsupported, "link": nil, "../secret": fs.ErrInvalid,
		"/etc/passwd": fs.ErrInvalid, "sub/../../secret": fs.ErrInvalid, "": fs.ErrInvalid,
	} {
		got, err := s.External(path)
		var e *Error
		if !errors.As(err, &e) || kind != nil && !errors.Is(err, kind) || got != nil {
			t.Errorf("%q: got %q, %v, want %v", path, got, err, kind)
		}
	}
	s.folder = nil
	if _, err := s.External("a.bin"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("stream: got %v, want ErrUnsupported", err)
	}
	s.folder, s.Budget = openRoot(t, dir).FS(), &Budget{limit: 2}
	if _, err := s.External("a.bin"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("limit: got %v, want ErrTooLarge", err)
	}
}

func openRoot(t *testing.T, dir string) *os.Root {
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// TestUTF16 converts characters that take one to four bytes in UTF-8, and lone surrogates.
func TestUTF16(t *testing.T) {
	text := "o " + strings.Repeat("a", 16) + "é€𝄞\n"
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := []byte{0, 0}
		order.PutUint16(data, 0xfeff)
		add := func(units ...uint16) {
			for _, u := range units {
				data = append(data, 0, 0)
				order.PutUint16(data[len(data)-2:], u)
			}
		}
		add(utf16.Encode([]rune(text))...)
		add(0xd834, 'x', 0xdd1e, 0xd834)
		s := &Source{Budget: &Budget{}, Data: data}
		if err := s.PlainText(); err != nil {
			t.Fatal(err)
		}
		if got, want := string(s.Data), text+"\uFFFDx\uFFFD\uFFFD"; got != want {
			t.Errorf("%v: got %q, want %q", order, got, want)
		}
	}
}

// TestQueue compares the queue of the ear clipper with a simple slice.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		e := &earClipper{queue: make([]int32, 0, 2*n), queued: make([]bool, n)}
		var twin []int32
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(twin) > 0 && rapid.Bool().Draw(t, "pop") {
				if got := e.pop(); got != twin[0] {
					t.Fatalf("got %d, want %d", got, twin[0])
				}
				twin = twin[1:]
				continue
			}
			i := int32(rapid.IntRange(0, n-1).Draw(t, "i"))
			waiting := false
			for _, k := range twin {
				waiting = waiting || k == i
			}
			if e.push(i); !waiting {
				twin = append(twin, i)
			}
			if cap(e.queue) != 2*n {
				t.Fatalf("the queue of %d grew to %d", n, cap(e.queue))
			}
		}
	})
}

// TestBuilder checks memory limits, bodies and notes of a Builder.
func TestBuilder(t *testing.T) {
	b := NewBuilder(&Source{ctx: context.Background(), Budget: &Budget{limit: 300}})
	if err := b.AddTriangle(0, 0, 0); !errors.Is(err, ErrIndexRange) {
		t.Errorf("got %v, want ErrIndexRange", err)
	}
	if err := b.AddPolygon([]int32{0, 1, -1}); !errors.Is(err, ErrIndexRange) {
		t.Errorf("got %v, want ErrIndexRange", err)
	}
	if err := b.GrowVertices(10); err != nil { // 12 vertices (288 bytes) fit in the budget, but 64 do not
		t.Errorf("growth to the limit: %v", err)
	}
	if err := b.GrowVertices(13); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	for i := range 40 {
		b.Note("note %d", i)
	}
	if _, err := b.Finish(); !errors.Is(err, ErrNoTriangles) {
		t.Errorf("got %v, want ErrNoTriangles", err)
	}
	if n := len(b.Notes); n != maxNotes+1 || b.Notes[maxNotes] != "further notes left out: 8" {
		t.Errorf("got %d notes, the last %q", n, b.Notes[n-1])
	}
}

// TestInOrder checks the order of the results. If several calls fail, InOrder must return the error
// of the lowest index.
func TestInOrder(t *testing.T) {
	got, err := InOrder(100, func(_, i int) (int, error) { return i * i, nil })
	if err != nil || len(got) != 100 || got[99] != 99*99 || got[7] != 49 {
		t.Errorf("got %v, %v", got, err)
	}
	for range 50 {
		_, err := InOrder(100, func(_, i int) (int, error) {
			if i%10 == 3 {
				return 0, fmt.Errorf("piece %d", i)
			}
			return i, nil
		})
		if err == nil || err.Error() != "piece 3" {
			t.Fatalf("got %v, want piece 3", err)
		}
	}
	if got, err := InOrder(0, func(int, int) (int, error) { return 0, errors.New("called") }); len(got) != 0 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}
