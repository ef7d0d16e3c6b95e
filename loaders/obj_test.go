package loaders

import (
	"encoding/binary"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// square holds the four vertices of a unit square in OBJ.
const square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

func TestOBJAccepted(t *testing.T) {
	for _, a := range []acceptance{
		{"triangle", "a.obj", square + "f 1 2 3\n", 4, 1, "", ""},
		{"quad", "a.obj", square + "f 1 2 3 4\n", 4, 2, "", ""},
		{"all kinds of corners", "a.obj", square + "f 1/1/1 2//2 3/3 4\nf 1// 2// 3//\n", 4, 3, "", ""},
		{"negative", "a.obj", square + "f -4 -3 -2 -1\nv 0 0 1\nf -1 1 -4\n", 5, 3, "", ""},
		{"faces before vertices", "a.obj", "f 1 2 3\n" + square, 4, 1, "", ""},
		{"no final newline", "a.obj", square + "f 1 2 3", 4, 1, "", ""},
		{"CRLF", "a.obj", strings.ReplaceAll(square+"f 1 2 3\n", "\n", "\r\n"), 4, 1, "", ""},
		{"CR", "a.obj", strings.ReplaceAll(square+"f 1 2 3\n", "\n", "\r"), 4, 1, "", ""},
		{"tabs and blanks", "a.obj", "\t v\t0 0 0 \n" + square + "\n\n  f\t1  2\t3 \n", 5, 1, "", ""},
		{"byte order mark", "a.obj", "\xef\xbb\xbf" + square + "f 1 2 3\n", 4, 1, "", ""},
		{"UTF-16 little endian", "a.obj", utf16Text(binary.LittleEndian, square+"f 1 2 3\n"), 4, 1, "", ""},
		{"UTF-16 big endian, no suffix", "a", utf16Text(binary.BigEndian, square+"f 1 2 3\n"), 4, 1, "", ""},
		{"comments", "a.obj", "# v 1\n" + square + "f 1 2 3 # f 4 5 6\n#end", 4, 1, "", ""},
		{"continued", "a.obj", square + "f 1 \\\n2 \\\r\n3\n", 4, 1, "", ""},
		{"backslash in a name", "a.obj", "mtllib c:\\x\\y.mtl\n" + square + "usemtl a\\b\nf 1 2 3\n", 4, 1, "", ""},
		{"weights", "a.obj", strings.ReplaceAll(square, "\n", " 0.5\n") + "f 1 2 3\n", 4, 1, "", "number of vertices whose weight w is ignored: 4"},
		{"colors, also NaN", "a.obj", strings.ReplaceAll(square, "\n", " 0.5 nan 1\n") + "f 1 2 3\n", 4, 1, "", ""},
		{"groups and objects", "a.obj", square + "f 1 2 3\no  a b \nf 1 2 4\ng c\ng d\nf 1 3 4\nf 2 3 4\ng\n", 4, 4, "|a b|d", ""},
		{"lines and points", "a.obj", square + "l 1 2\np 1\np 2\nf 1 2 3\n", 4, 1, "", "number of ignored line elements: 1|number of ignored point elements: 2"},
		{"free form", "a.obj", square + "cstype bezier\nf 1 2 3\n", 4, 1, "", "free-form statements ignored: 1"},
		{"unknown", "a.obj", square + "vw 1 2\nf 1 2 3\nvw 3\n", 4, 1, "", "number of ignored unknown statements: 2, the first on line 5"},
		{"a corner twice", "a.obj", square + "f 1 2 2 3\n", 4, 2, "", ""},
		{"no suffix", "a", "# c\nmtllib x\n" + square + "f 1 2 3\n", 4, 1, "", ""},
		{"comment that ends in a backslash", "a.obj", square + "# from C:\\parts\\\nf 1 2 3\nf 2 3 4 # D:\\\r\nf 1 2 4\n", 4, 3, "", ""},
		{"names that end in a backslash", "a.obj", square + "usemtl C:\\\nf 1 2 3\ng b\\\nf 2 3 4\nmtllib x\\\n\tf 1 2 4\n", 4, 3, "|b\\", ""},
		{"lines that end in a backslash", "a.obj", square + "vt 0 0 \\\nf 1 2 3\n", 4, 1, "", ""},
		{"continued blank line", "a.obj", square + "f 1 2 3 \\\n\nf 1 2 4\n", 4, 2, "", ""},
		{"lone CR among LF", "a.obj", "# a\rv 0 0 0\rv 1 0 0\n# b\rv 1 1 0\r\r\nv 0 1 0\nvt 0 0\rf 1 2 3\n", 4, 1, "", ""},
		{"colors with alpha", "a.obj", strings.ReplaceAll(square, "\n", " 0.5 1 1 1 # c\n") + "f 1 2 3\n", 4, 1, "", ""},
		{"obsolete fo", "a.obj", square + "fo 1 2 3\n", 4, 1, "", ""},
	} {
		a.run(t)
	}
}

func TestOBJRefused(t *testing.T) {
	for _, r := range []refusal{
		{"empty", "a.obj", "", ErrEmpty, ""},
		{"comments only", "a.obj", "# hello\n", ErrNoTriangles, "a.obj: no triangles: 0 vertices, no faces"},
		{"lines only", "a.obj", square + "l 1 2 3\n", ErrNoTriangles, "4 vertices"},
		{"not OBJ", "a.obj", "hello\nworld\n", ErrSyntax, `line 1: syntax error: "hello" is not an OBJ statement`},
		{"index too large", "a.obj", square + "\nf 1 2 3\nf 1 2 5\n", ErrIndexRange, "a.obj: line 7: index out of range: a face refers to vertex 5, but the file has 4"},
		{"index beyond int32", "a.obj", square + "f 1 2 4294967297\n", ErrIndexRange, "line 5: index out of range: a face refers to vertex 4294967297, but the file has 4"},
		{"index beyond int64", "a.obj", square + "f 1 2 99999999999999999999\n", ErrSyntax, "line 5"},
		{"index zero", "a.obj", square + "f 0 1 2\n", ErrIndexRange, "line 5: index out of range: a face refers to vertex 0"},
		{"negative index too far", "a.obj", square + "f -1 -2 -5\nv 1 2 3\n", ErrIndexRange, "line 5: index out of range: a face refers to vertex -5, but only 4 vertices precede the face"},
		{"face without corners", "a.obj", square + "f\n", ErrSyntax, "line 5: syntax error: a face has 0 corners, must have at least 3"},
		{"face of two corners", "a.obj", square + "f 1 2\n", ErrSyntax, "line 5: syntax error: a face has 2 corners, must have at least 3"},
		{"word for a corner", "a.obj", square + "f 1 2 x\n", ErrSyntax, `line 5: syntax error: "x" is not a corner`},
		{"float for a corner", "a.obj", square + "f 1 2 3.5\n", ErrSyntax, `"3.5" is not a corner`},
		{"junk after a slash", "a.obj", square + "f 1/a 2 3\n", ErrSyntax, `"1/a" is not a corner`},
		{"two coordinates", "a.obj", "v 1 2\n", ErrSyntax, "line 1: syntax error: the line ends where a coordinate should follow"},
		{"two coordinates and a comment", "a.obj", "v 1 2 #3\n", ErrSyntax, "line 1: syntax error: the line ends"},
		{"v alone", "a.obj", "v\nv", ErrSyntax, "line 1"},
		{"word for a coordinate", "a.obj", square + "v 1 2 a\n", ErrSyntax, `line 5: syntax error: "a" is not a coordinate`},
		{"sign inside", "a.obj", "v 1 2 3.1+e2\n", ErrSyntax, `"3.1+e2"`},
		{"decimal comma", "a.obj", "v 1,5 2 3\n", ErrSyntax, `"1,5" is not a coordinate`},
		{"NaN", "a.obj", square + "v 1 nan 2\nf 1 2 3\n", ErrNotFinite, `line 5: coordinate is not finite: "nan"`},
		{"infinite at the end of a line", "a.obj", square + "v 1 2 -inf\nf 1 2 3\n", ErrNotFinite, `line 5: coordinate is not finite: "-inf"`},
		{"beyond float64", "a.obj", square + "v 1 2 1e400\nf 1 2 3\n", ErrNotFinite, "line 5"},
		{"vertices on one line", "a.obj", square + "v 0 0 0 v 1 0 0\nf 1 2 3\n", ErrSyntax, `line 5: syntax error: "v" is not a weight or color`},
		{"word behind a vertex", "a.obj", square + "v 0 0 0 abc\nf 1 2 3\n", ErrSyntax, `line 5: syntax error: "abc"`},
		{"decimal comma at the end", "a.obj", square + "v 0 0 0 1,5\nf 1 2 3\n", ErrSyntax, `line 5: syntax error: "1,5"`},
		{"five numbers", "a.obj", square + "v 0 0 0 1 1\nf 1 2 3\n", ErrSyntax, "line 5: syntax error: a vertex has 5 numbers, must have 3, 4, 6 or 7"},
		{"eight numbers", "a.obj", square + "v 0 0 0 1 1 1 1 1\nf 1 2 3\n", ErrSyntax, "line 5: syntax error: a vertex has 8 numbers, must have 3, 4, 6 or 7"},
		{"continued by a statement", "a.obj", square + "f 1 2 3 \\\nf 2 3 4\n", ErrSyntax, `line 5: syntax error: "\\" is not a corner`},
		{"call", "a.obj", square + "f 1 2 3\ncall other.obj\n", ErrUnsupported, `line 6: not supported: the statement "call"`},
		{"csh", "a.obj", square + "csh cat other.obj\nf 1 2 3\n", ErrUnsupported, `line 5: not supported: the statement "csh"`},
		{"least index", "a.obj", "f -9223372036854775808 1 2\n" + square, ErrIndexRange, "line 1: index out of range: a face refers to vertex -9223372036854775808, but only 0 vertices precede the face"},
		{"largest index", "a.obj", square + "f 9223372036854775807 1 2\n", ErrIndexRange, "line 5: index out of range: a face refers to vertex 9223372036854775807, but the file has 4"},
		{"line of a continued face", "a.obj", square + "f 1 \\\n2 \\\r\n?\n", ErrSyntax, "line 7"},
	} {
		r.run(t)
	}
}

// TestOBJOrder checks the meaning of indices, and the order and orientation of faces.
func TestOBJOrder(t *testing.T) {
	soup, info, err := readString("a.obj", "v 1 0 0\nv 2 0 0\nf -2 3 -1\nv 3 0 0\nf 3 2 1 -1\n")
	if err != nil {
		t.Fatal(err)
	}
	want := "1,0,0 3,0,0 2,0,0 \n3,0,0 2,0,0 1,0,0 \n3,0,0 1,0,0 3,0,0 \n\"\" 3\n"
	if got := describe(soup); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if info.Polygons != 2 || info.StoredVertices != 3 {
		t.Errorf("got %d polygons, %d vertices, want 2, 3", info.Polygons, info.StoredVertices)
	}
}

// TestOBJPieces reads files with random damage in small pieces and in one piece. The results must
// be equal.
func TestOBJPieces(t *testing.T) {
	base := "o a\n" + square + "f 1 2 3\nf -4 -3 -2 -1\nv 5 5 5\ng b\nl 1 2\nf 1/1 2//2 \\\n5\nxyz 1\nf -1 -2 -3\nf 5 4 3\n"
	rapid.Check(t, func(t *rapid.T) {
		data := damage(t, base, []string{"f 1 2 3\n", "f -1 -2 -7\n", "v 1 2 3\n", "g x\n", "\\\n", " ", "\n", "#", "-", "9", "o y\n", "zz 3\n"})
		sameReading(t, data, OBJ, 1, 5, 17, 60)
	})
}

// A stream without a suffix is recognized as OBJ after any number of comments.
func TestOBJAfterComments(t *testing.T) {
	text := strings.Repeat("# comment\r\n", 1<<18) + "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	s, info, err := Read(t.Context(), "stream", strings.NewReader(text), Options{})
	if err != nil || info.Format != OBJ || len(s.Faces) != 1 {
		t.Errorf("%v, %v", info, err)
	}
}
