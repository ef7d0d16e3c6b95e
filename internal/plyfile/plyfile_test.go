package plyfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func read(text string, limit int) (*Header, string, error) {
	r := bufio.NewReader(strings.NewReader(text))
	h, err := ReadHeader(r, limit)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(r)
	return h, string(body), err
}

const sample = "ply\nformat binary_big_endian 1.0\ncomment made by hand\nelement vertex 2\nproperty double x\nproperty uchar y\n" +
	"element face 1\nproperty list uint8 int vertex_indices\nproperty short s\nend_header\n"

func TestReadHeader(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n", "\r"} {
		h, body, err := read(strings.ReplaceAll(sample, "\n", eol)+"\nbody", 0)
		if err != nil {
			t.Fatal(err)
		}
		if body != "\nbody" || h.EOL != eol || h.Lines != 10 || h.ASCII || !h.BigEndian || len(h.Elements) != 2 {
			t.Fatalf("got %+v and body %q", h, body)
		}
		v, f := &h.Elements[0], &h.Elements[1]
		if v.Name != "vertex" || v.Count != 2 || v.Line != 4 || !v.Fixed() || v.MinSize() != 9 || v.Properties[1].Offset != 8 {
			t.Errorf("vertices: got %+v", v)
		}
		if f.Fixed() || f.MinSize() != 3 || f.Properties[0] != (Property{"vertex_indices", true, Uint8, Int32, 0}) {
			t.Errorf("faces: got %+v", f)
		}
		got := string(h.WithVertices(0, "77", []string{"new"}, []string{"int z"}))
		want := strings.NewReplacer("\n", eol, "element vertex 2\n", "comment new"+eol+"element vertex 77"+eol, "property uchar y\n", "property uchar y"+eol+"property int z"+eol).Replace(sample)
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestReadHeaderErrors(t *testing.T) {
	head := func(lines string) string { return "ply\nformat ascii 1.0\n" + lines + "end_header\n" }
	for _, c := range []struct {
		text string
		kind error
		want string
	}{
		{"", ErrNotPLY, "line 1"},
		{"plywood\n", ErrNotPLY, "line 1"},
		{"ply", io.ErrUnexpectedEOF, "line 1: the header has no end_header line"},
		{"ply\nformat ascii 1.0\n", io.ErrUnexpectedEOF, "line 3"},
		{"ply\nend_header\n", ErrSyntax, "line 2: the header has no format line"},
		{head("format\n"), ErrSyntax, "line 3: the format line has no format name"},
		{head("format binary 1.0\n"), ErrUnsupported, "line 3: format \"binary\""},
		{head("element vertex\n"), ErrSyntax, "line 3"},
		{head("element vertex -1\n"), ErrSyntax, "line 3: count \"-1\""},
		{head("property int x\n"), ErrSyntax, "line 3: the property comes before the first element"},
		{head("element a 1\nproperty int128 x\n"), ErrUnsupported, "line 4: type \"int128\""},
		{head("element a 1\nproperty int\n"), ErrSyntax, "line 4"},
		{head("element a 1\nproperty list float int x\n"), ErrSyntax, "line 4: the length of a list cannot be a float"},
		{head("elephant\n"), ErrSyntax, "line 3: unknown word \"elephant\" at the beginning"},
		{head("comment " + strings.Repeat("x", 200) + "\n"), ErrUnsupported, "line 3: the header is longer than 100 bytes"},
	} {
		_, _, err := read(c.text, 100)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %v: %s", c.text, err, c.kind, c.want)
		}
	}
	broken := errors.New("the cable is unplugged")
	if _, err := ReadHeader(bufio.NewReader(iotest.ErrReader(broken)), 0); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	h, _, err := read(head("element vertex 1\nelement vertex 1\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Vertex(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("two vertex elements: got %v", err)
	}
}

func TestFits(t *testing.T) {
	h, _, err := read(sample, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Fits(2*9 + 3); err != nil {
		t.Error(err)
	}
	if err := h.Fits(2*9 + 2); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(fmt.Sprint(err), "line 7: the 20 bytes after the header cannot hold 1 row of element \"face\"") {
		t.Errorf("one byte too few: got %v", err)
	}
	h.Elements[0].Count = 1 << 62
	if err := h.Fits(1 << 62); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("huge count: got %v", err)
	}
}

func TestRowSize(t *testing.T) {
	h, _, err := read(strings.Replace(sample, "uint8", "int8", 1), 0)
	if err != nil {
		t.Fatal(err)
	}
	face := &h.Elements[1]
	row := "\x02" + "12345678" + "ss"
	for n := range len(row) {
		if got, err := face.RowSize([]byte(row[:n]), true); got != 0 || err != nil {
			t.Errorf("%d bytes: got %d, %v", n, got, err)
		}
	}
	if got, err := face.RowSize([]byte(row+"next"), true); got != len(row) || err != nil {
		t.Errorf("got %d, %v, want %d", got, err, len(row))
	}
	if _, err := face.RowSize([]byte("\xff"), true); err == nil {
		t.Error("a list of length −1 was accepted")
	}
}

func TestKinds(t *testing.T) {
	for k := Int8; k <= Float64; k++ {
		if got, ok := ParseKind(k.String()); got != k || !ok {
			t.Errorf("ParseKind(%q) = %v, %v", k, got, ok)
		}
		for _, big := range []bool{false, true} {
			b := make([]byte, k.Size())
			for _, n := range []int64{0, 1, 127, kinds[k].min, kinds[k].max} {
				k.Put(b, n, float64(n))
				if big {
					slices.Reverse(b)
				}
				if got := k.Float(b, big); got != float64(n) {
					t.Errorf("%v, big endian %v: got %v, want %d", k, big, got, n)
				}
				if !k.IsFloat() && (k.Int(b, big) != n || !k.Holds(float64(n))) {
					t.Errorf("%v, big endian %v: got %v, want %d", k, big, k.Int(b, big), n)
				}
			}
		}
		if !k.IsFloat() && (k.Holds(0.5) || k.Holds(float64(kinds[k].max)+1) || k.Holds(float64(kinds[k].min)-1)) {
			t.Errorf("%v.Holds accepts a value that is out of range or not an integer", k)
		}
	}
}
