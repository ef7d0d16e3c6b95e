package loaders

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// offFour holds the four vertices of a unit square in OFF.
const offFour = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

func TestOFFAccepted(t *testing.T) {
	plain := "OFF\n4 1 0\n" + offFour + "3 0 1 2\n"
	big := binary.BigEndian
	for _, a := range []acceptance{
		{"plain", "a.off", plain, 4, 1, "", ""},
		{"no suffix", "a", plain, 4, 1, "", ""},
		{"CRLF", "a.off", strings.ReplaceAll(plain, "\n", "\r\n"), 4, 1, "", ""},
		{"CR", "a.off", strings.ReplaceAll(plain, "\n", "\r"), 4, 1, "", ""},
		{"no final newline", "a.off", strings.TrimSpace(plain), 4, 1, "", ""},
		{"counts on the keyword's line", "a.off", "OFF 4 1 0\n" + offFour + "3 0 1 2\n", 4, 1, "", ""},
		{"keyword and count glued", "a.off", "  OFF4 1 0 # or nah\n" + offFour + "3 0 1 2\n", 4, 1, "", ""},
		{"no keyword", "a.off", "4 1 0\n" + offFour + "3 0 1 2\n", 4, 1, "", ""},
		{"no number of edges", "a.off", "OFF\n4 1\n" + offFour + "3 0 1 2\n", 4, 1, "", ""},
		{"counts on three lines", "a.off", "OFF\n4\n1\n0\n" + offFour + "3 0 1 2\n", 4, 1, "", ""},
		{"comments", "a.off", "# a\nOFF # b\n4 1 0 # c\n# d\n\n" + strings.ReplaceAll(offFour, "\n", " # e\n#f\n") + "3 0 1 2 # g\n# h", 4, 1, "", ""},
		{"quad with color", "a.off", "OFF\n4 1 0\n" + offFour + "4 0 1 2 3 0.5 0.5 0.5 1\n", 4, 2, "", ""},
		{"vertex colors without saying so", "a.off", "OFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " 255 0 0\n") + "3 0 1 2\n", 4, 1, "", "ignored 3 extra numbers of each vertex: the keyword in the header does not declare them"},
		{"COFF", "a.off", "COFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " 1 0 0 1\n") + "3 0 1 2 1 2 3\n", 4, 1, "", ""},
		{"NOFF", "a.off", "NOFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " nan 0 1\n") + "3 0 1 2\n", 4, 1, "", ""},
		{"NCOFF", "a.off", "NCOFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " 1 0 0 1 0 0 1\n") + "3 0 1 2\n", 4, 1, "", ""},
		{"CSTNOFF without suffix", "a", "CSTNOFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " 0 0 1 1 0 0 1 .5 .5\n") + "3 0 1 2\n", 4, 1, "", ""},
		{"STCNOFF", "a.off", "STCNOFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " 0 0 1 1 0 0 1 .5 .5\n") + "3 0 1 2\n", 4, 1, "", ""},
		{"STCNOFF in one line", "a.off", strings.ReplaceAll("STCNOFF\n4 1 0\n"+strings.ReplaceAll(offFour, "\n", " 0 0 1 1 0 0 1 .5 .5\n")+"3 0 1 2\n", "\n", " "), 4, 1, "", ""},
		{"nOFF of dimension 3", "a.off", "nOFF\n3\n4 1 0\n" + offFour + "3 0 1 2\n", 4, 1, "", ""},
		{"all on one line", "a.off", strings.ReplaceAll(plain, "\n", " "), 4, 1, "", ""},
		{"a face over two lines", "a.off", "OFF\n4 1 0\n" + offFour + "3 0\n1 2\n", 4, 1, "", ""},
		{"two faces on one line", "a.off", strings.ReplaceAll("OFF\n4 2 0\n"+offFour+"3 0 1 2\n3 0 2 3", "\n", " "), 4, 2, "", ""},
		{"counts of corners on lines of their own", "a.off", "OFF\n4 2 0\n" + offFour + "3\n0 1 2\n3\n0 2 3\n", 4, 2, "", ""},
		{"two vertices a line, colors", "a.off", "OFF\n4 2 0\n0 0 0 1 0 0\n1 1 0 0 1 0 # c\n3 0 1 2 255 0 0\n3 0 2 3 7\n", 4, 2, "", ""},
		{"COFF with three colors", "a.off", "COFF\n4 1 0\n" + strings.ReplaceAll(offFour, "\n", " 255 0 0\n") + "3 0 1 2\n", 4, 1, "", ""},
		{"words behind a face", "a.off", "OFF\n4 2 0\n" + offFour + "3 0 1 2 9 9\n3 0 2 3\n", 4, 2, "", "ignored the words after the corners of 1 face, which are not a color"},
		{"points and edges", "a.off", "OFF\n4 3 0\n" + offFour + "2 0 1\n3 0 1 2\n1 3\n", 4, 1, "", "faces of one or two corners (points, edges) ignored: 2"},
		{"trailing text", "a.off", plain + "hello\n", 4, 1, "", `text after the last face was ignored: "hello"`},
		{"byte order mark", "a.off", "\xef\xbb\xbf" + plain, 4, 1, "", ""},

		{"binary", "a.off", "OFF BINARY\n" + pack(big, []int32{4, 2, 0}) + packSquare(big) + pack(big, []int32{3, 0, 1, 2, 0, 4, 0, 1, 2, 3, 1}, float32(0.5)), 4, 3, "", ""},
		{"binary with normals", "a.off", "NOFF BINARY\n" + pack(big, []int32{3, 2, 0}, [18]float32{0, 0, 0, 9, 9, 9, 1, 0, 0, 9, 9, 9, 0, 1, 0, 9, 9, 9}, []int32{2, 0, 1, 0, 3, 0, 1, 2, 0}) + "x", 3, 1, "", "faces of one or two corners (points, edges) ignored: 1|number of ignored bytes after the last face: 1"},
	} {
		a.run(t)
	}
}

func TestOFFRefused(t *testing.T) {
	big := binary.BigEndian
	binaryFile := func(values ...any) string { return "OFF BINARY\n" + pack(big, values...) }
	for _, r := range []refusal{
		{"empty", "a.off", "", ErrEmpty, ""},
		{"keyword only", "a.off", "OFF\n", ErrTruncated, "a.off: line 2: truncated: the file ends where the number of vertices should follow"},
		{"word for a count", "a.off", "OFF\nfour 1 0\n", ErrSyntax, `line 2: syntax error: found "four" instead of the number of vertices`},
		{"keyword with a part twice", "a.off", "NNOFF\n4 1 0\n" + offFour + "3 0 1 2\n", ErrSyntax, "line 1"},
		{"negative count", "a.off", "OFF\n-4 1 0\n", ErrSyntax, "line 2"},
		{"huge counts", "a.off", "OFF\n2000000000 2000000000 0\n" + offFour, ErrTruncated, "line 2: truncated: 2000000000 vertices"},
		{"four coordinates", "a.off", "4OFF\n1 0 0\n0 0 0 1\n", ErrUnsupported, "line 1: not supported: vertices have four coordinates, must have three"},
		{"two coordinates", "a.off", "nOFF 2\n1 0 0\n0 0\n", ErrUnsupported, "vertices have 2 coordinates, must have 3"},
		{"points", "a.off", "OFF\n4 0 0\n" + offFour, ErrNoTriangles, ""},
		{"edges", "a.off", "OFF\n4 1 0\n" + offFour + "2 0 1\n", ErrNoTriangles, ""},
		{"truncated", "a.off", "OFF\n4 2 0\n" + offFour + "3 0 1 2\n3 0", ErrTruncated, "line 8: truncated: a face declares 3 corners, but only 2 bytes are left"},
		{"face missing", "a.off", "OFF\n4 2 0\n" + offFour + "3 0 1 2\n", ErrTruncated, "line 8: truncated: the file ends where the number of corners should follow"},
		{"word", "a.off", "OFF\n4 1 0\n0 0 0\n1 0 x\n1 1 0\n0 1 0\n3 0 1 2\n", ErrSyntax, `line 4: syntax error: found "x" instead of a coordinate`},
		{"short line", "a.off", "OFF\n4 1 0\n0 0 0\n1 0\n1 1 0\n0 1 0\n3 0 1 2\n", ErrSyntax, "line 4: syntax error: the line ends where a coordinate should follow"},
		{"long line", "a.off", "OFF\n4 1 0\n0 0 0\n1 0 0 1 1 0\n0 1 0\n0 0 1\n3 0 1 2\n", ErrSyntax, "line 4: syntax error: vertex 1 has more numbers than the first vertex, which has 3"},
		{"long last line", "a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1 5\n3 0 1 2\n", ErrSyntax, "line 6"},
		{"short line that the faces could fill", "a.off", "OFF\n4 2 0\n0 0 0\n1 0\n1 1 0\n0 1 0\n3 2 0 1\n3 0 1 2\n", ErrSyntax, "line 4: syntax error: the line ends where a coordinate should follow"},
		{"normals missing", "a.off", "NOFF\n4 1 0\n" + offFour + "3 0 1 2\n", ErrSyntax, "line 3: syntax error: the line ends where a normal"},
		{"rest of one line", "a.off", "OFF 4 1 0 " + strings.ReplaceAll(offFour, "\n", " ") + "3 0 1 2 7", ErrSyntax, `"7" follows the last face`},
		{"NaN", "a.off", "OFF\n4 1 0\n0 0 0\n1 0 nan\n1 1 0\n0 1 0\n3 0 1 2\n", ErrNotFinite, "line 4: coordinate is not finite: vertex 1"},
		{"index too large", "a.off", "OFF\n4 1 0\n" + offFour + "3 0 1 4\n", ErrIndexRange, "line 7: index out of range: a face refers to vertex 4, counted from 0, but the file has 4 vertices"},
		{"index negative", "a.off", "OFF\n4 1 0\n" + offFour + "3 0 1 -2\n", ErrIndexRange, "line 7"},
		{"no corners", "a.off", "OFF\n4 1 0\n" + offFour + "0\n", ErrSyntax, "line 7: syntax error: a face has no corners"},
		{"too many corners", "a.off", "OFF\n4 1 0\n" + offFour + "999999 0 1 2\n", ErrTruncated, "line 7: truncated: a face declares 999999 corners, but only 7 bytes are left"},

		{"binary, empty", "a.off", "OFF BINARY\n", ErrTruncated, "byte 11"},
		{"binary, huge counts", "a.off", binaryFile([]int32{math.MaxInt32, 1, 0}), ErrTruncated, "byte 11: truncated: 2147483647 vertices"},
		{"binary, negative count", "a.off", binaryFile([]int32{-1, 1, 0}), ErrTruncated, "-1 vertices"},
		{"binary, cut", "a.off", binaryFile([]int32{4, 1, 0}) + packSquare(big) + pack(big, []int32{3, 0}), ErrTruncated, "byte"},
		{"binary, index", "a.off", binaryFile([]int32{4, 1, 0}) + packSquare(big) + pack(big, []int32{3, 0, 1, -1, 0}), ErrIndexRange, "byte 83: index out of range: a face refers to vertex -1, counted from 0, but the file has 4 vertices"},
		{"binary, NaN", "a.off", binaryFile([]int32{1, 0, 0}, float32(0), float32(math.NaN()), float32(0)), ErrNotFinite, "byte 23"},
		{"binary, dimension", "a.off", "4OFF BINARY\n" + pack(big, []int32{1, 0, 0}), ErrUnsupported, ""},
	} {
		r.run(t)
	}
}

// TestOFFFreeForm reads a tetrahedron with line ends at different positions. The line ends must
// have no effect.
func TestOFFFreeForm(t *testing.T) {
	want := ""
	for _, vertices := range []string{"0 0 0\n1 0 0\n0 1 0\n0 0 1\n", "0 0 0 1 0 0\n0 1 0\n0 0 1\n", "0 0 0 1 0 0\n0 1 0 0 0 1\n", "0 0 0 1 0 0 0 1\n0 0 0\n1\n", "0 0 0 1 0 0 0 1 0 0 0 1 "} {
		for _, faces := range []string{"3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "3 0 2 1 3 0 1 3\n3 0 3 2 3 1 2 3\n", "3 0 2 1 3 0 1 3 3 0 3 2 3 1 2 3", "3\n0 2 1\n3\n0 1 3\n3\n0 3 2\n3\n1 2 3\n"} {
			for _, head := range []string{"OFF\n4 4 6\n", "OFF 4 4 6 "} {
				soup, info, err := readString("a.off", head+vertices+faces)
				if err != nil {
					t.Fatalf("got %v for %q", err, head+vertices+faces)
				}
				got := describe(soup)
				if want == "" {
					want = got
				}
				if got != want || len(info.Notes) > 0 {
					t.Errorf("got %q, notes %q, want %q; input %q", got, info.Notes, want, head+vertices+faces)
				}
			}
		}
	}
}
