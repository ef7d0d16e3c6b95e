package loaders

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// plyHead returns a PLY header with the given format and lines.
func plyHead(format string, lines ...string) string {
	return "ply\nformat " + format + " 1.0\n" + strings.Join(lines, "\n") + "\nend_header\n"
}

// These lines of a PLY header declare faces and the coordinates of four vertices.
const (
	plyXYZ  = "element vertex 4\nproperty float x\nproperty float y\nproperty float z"
	plyOne  = "element face 1\nproperty list uchar int vertex_indices"
	plyTwo  = "element face 2\nproperty list uchar int vertex_indices"
	plyFour = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
)

// pack returns the encoding of the values in the given byte order.
func pack(order binary.ByteOrder, values ...any) string {
	var buf bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&buf, order, v); err != nil {
			panic(err)
		}
	}
	return buf.String()
}

// packSquare returns the vertices of a unit square as float32 numbers.
func packSquare(order binary.ByteOrder) string {
	return pack(order, []float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0})
}

func TestPLYAccepted(t *testing.T) {
	ascii := plyHead("ascii", plyXYZ, plyOne) + plyFour + "3 0 1 2\n"
	little, big := binary.LittleEndian, binary.BigEndian
	for _, a := range []acceptance{
		{"faces and trifans", "a.ply", plyHead("ascii", plyXYZ, plyOne, "element trifans 1\nproperty list uchar int vertex_indices", "element line 0\nproperty list uchar int vertex_index") + plyFour + "3 0 1 2\n4 0 1 2 3\n", 4, 1, "", `ignored element "trifans", although it has vertex indices: 1 row`},
		{"ascii", "a.ply", ascii, 4, 1, "", ""},
		{"quad", "a.ply", plyHead("ascii", plyXYZ, plyOne) + plyFour + "4 0 1 2 3\n", 4, 2, "", ""},
		{"no suffix", "a", ascii, 4, 1, "", ""},
		{"CRLF", "a.ply", strings.ReplaceAll(ascii, "\n", "\r\n"), 4, 1, "", ""},
		{"CR", "a.ply", strings.ReplaceAll(ascii, "\n", "\r"), 4, 1, "", ""},
		{"no final newline", "a.ply", strings.TrimSpace(ascii), 4, 1, "", ""},
		{"blank lines", "a.ply", plyHead("ascii", plyXYZ, plyOne) + "\n" + strings.ReplaceAll(plyFour, "\n", "\n \n") + "\n3 0 1 2\n\n", 4, 1, "", ""},
		{"rows over many lines", "a.ply", plyHead("ascii", plyXYZ, plyOne) + strings.ReplaceAll(plyFour+"3 0 1 2", " ", "\n"), 4, 1, "", ""},
		{"rows on one line", "a.ply", plyHead("ascii", plyXYZ, plyOne) + strings.ReplaceAll(plyFour+"3 0 1 2", "\n", " "), 4, 1, "", ""},
		{"comments", "a.ply", plyHead("ascii", "comment made by hand", plyXYZ, "obj_info x y", plyOne) + plyFour + "3 0 1 2\n", 4, 1, "", ""},
		{"trailing text", "a.ply", ascii + "hello\n", 4, 1, "", `text after the last element was ignored: "hello"`},
		{"other properties", "a.ply", plyHead("ascii", "element vertex 4\nproperty uchar red\nproperty double z\nproperty list uchar float w\nproperty float64 x\nproperty int16 y", plyOne+"\nproperty float q") +
			"9 0 0 0 0\n9 0 1 7 1 0\n9 0 2 nan inf 1 1\n9 0 0 0 1\n3 0 1 2 nan\n", 4, 1, "", ""},
		{"other elements", "a.ply", plyHead("ascii", "element camera 1\nproperty list int float m", plyXYZ, "element edge 2\nproperty int vertex1\nproperty int vertex2", plyOne, "element none 9") +
			"2 1 x\n" + plyFour + "0 1\n1 2\n3 0 1 2\n", 4, 1, "", ""},
		{"faces before vertices", "a.ply", plyHead("ascii", plyOne, plyXYZ) + "4 0 1 2 3\n" + plyFour, 4, 2, "", ""},
		{"vertex_index", "a.ply", strings.Replace(ascii, "vertex_indices", "vertex_index", 1), 4, 1, "", ""},
		{"indices as floats", "a.ply", strings.Replace(strings.Replace(ascii, "uchar int", "uchar float", 1), "3 0 1 2", "3 0 1.0 2e0", 1), 4, 1, "", ""},
		{"strip", "a.ply", plyHead("ascii", plyXYZ, "element tristrips 1\nproperty list int int vertex_indices") + plyFour + "9 0 1 2 3 -1 0 0 1 2\n", 4, 3, "", ""},
		{"strip and faces", "a.ply", plyHead("ascii", plyXYZ, plyOne, "element tristrips 1\nproperty list int int vertex_indices") + plyFour + "3 0 1 2\n4 0 1 2 3\n", 4, 3, "", ""},

		{"little endian", "a.ply", plyHead("binary_little_endian", plyXYZ, plyTwo) + packSquare(little) + pack(little, uint8(3), []int32{0, 1, 2}, uint8(4), []int32{0, 1, 2, 3}), 4, 3, "", ""},
		{"big endian", "a.ply", plyHead("binary_big_endian", plyXYZ, plyTwo) + packSquare(big) + pack(big, uint8(3), []int32{0, 1, 2}, uint8(4), []int32{0, 1, 2, 3}), 4, 3, "", ""},
		{"header with CR, body begins with a newline", "a.ply", strings.ReplaceAll(plyHead("binary_little_endian", "element a 1\nproperty char q", plyXYZ, plyOne), "\n", "\r") + "\n" + packSquare(little) + pack(little, uint8(3), []int32{0, 1, 2}), 4, 1, "", ""},
		{"header with CRLF", "a.ply", strings.ReplaceAll(plyHead("binary_little_endian", plyXYZ, plyOne), "\n", "\r\n") + packSquare(little) + pack(little, uint8(3), []int32{0, 1, 2}), 4, 1, "", ""},
		{"all types", "a.ply", plyHead("binary_big_endian", "element vertex 3\nproperty int8 x\nproperty uint16 y\nproperty float64 z\nproperty list ushort short l\nproperty uint u", "element face 1\nproperty list int uint vertex_indices\nproperty double d") +
			pack(big, int8(-1), uint16(65535), 0.25, uint16(2), []int16{1, 2}, uint32(7)) +
			pack(big, int8(1), uint16(0), -0.25, uint16(0), uint32(7)) +
			pack(big, int8(0), uint16(9), 1e300, uint16(1), int16(-3), uint32(7)) +
			pack(big, int32(3), []uint32{2, 1, 0}, 1.5), 3, 1, "", ""},
		{"binary, faces before vertices", "a.ply", plyHead("binary_little_endian", plyOne, plyXYZ) + pack(little, uint8(3), []int32{0, 1, 2}) + packSquare(little), 4, 1, "", ""},
		{"binary, trailing bytes", "a.ply", plyHead("binary_little_endian", plyXYZ, plyOne) + packSquare(little) + pack(little, uint8(3), []int32{0, 1, 2}) + "xy", 4, 1, "", "number of ignored bytes after the last element: 2"},
		{"binary strip", "a.ply", plyHead("binary_little_endian", plyXYZ, "element tristrips 1\nproperty list int int vertex_indices") + packSquare(little) + pack(little, int32(8), []int32{0, 1, 2, -1, 1, 2, 3, -1}), 4, 2, "", ""},
	} {
		a.run(t)
	}
}

func TestPLYRefused(t *testing.T) {
	little := binary.LittleEndian
	body := func(rows string) string { return plyHead("ascii", plyXYZ, plyOne) + rows }
	binaryBody := func(values ...any) string {
		return plyHead("binary_little_endian", plyXYZ, plyOne) + packSquare(little) + pack(little, values...)
	}
	start := len(plyHead("binary_little_endian", plyXYZ, plyOne)) + 48
	for _, r := range []refusal{
		{"triangles instead of faces", "a.ply", plyHead("ascii", plyXYZ, "element triangles 1\nproperty list uchar int vertex_indices") + plyFour + "3 0 1 2\n", ErrUnsupported, `a.ply: line 7: not supported: the element "triangles" has vertex indices, but there is no element "face" or "tristrips"`},
		{"trifans beside no faces", "a.ply", plyHead("ascii", plyXYZ, "element face 0\nproperty list uchar int vertex_indices", "element trifans 1\nproperty list uchar int Vertex_Index") + plyFour + "3 0 1 2\n", ErrUnsupported, `element "trifans"`},
		{"not PLY", "a.ply", "hello\n", ErrSyntax, "a.ply: line 1: syntax error"},
		{"keyword only", "a.ply", "ply", ErrTruncated, "line 1: truncated: the header has no end_header line"},
		{"no format", "a.ply", "ply\n" + plyXYZ + "\nend_header\n", ErrSyntax, "line 6: syntax error: the header has no format line"},
		{"unknown format", "a.ply", plyHead("binary_middle_endian", plyXYZ), ErrUnsupported, `line 2: not supported: format "binary_middle_endian"`},
		{"unknown word", "a.ply", plyHead("ascii", "elephant 4"), ErrSyntax, "line 3"},
		{"unknown type", "a.ply", plyHead("ascii", "element vertex 4\nproperty int128 x"), ErrUnsupported, `line 4: not supported: type "int128"`},
		{"negative count", "a.ply", plyHead("ascii", "element vertex -4"), ErrSyntax, "line 3"},
		{"count is a word", "a.ply", plyHead("ascii", "element vertex many"), ErrSyntax, "line 3"},
		{"property first", "a.ply", plyHead("ascii", "property float x"), ErrSyntax, "line 3"},
		{"property without a name", "a.ply", plyHead("ascii", "element vertex 1\nproperty float"), ErrSyntax, "line 4"},
		{"list of float length", "a.ply", plyHead("ascii", "element face 1\nproperty list float int vertex_indices"), ErrSyntax, "line 4"},
		{"no z", "a.ply", plyHead("ascii", "element vertex 1\nproperty float x\nproperty float y") + "1 2\n", ErrUnsupported, "line 3"},
		{"two vertex elements", "a.ply", plyHead("ascii", plyXYZ, plyXYZ) + plyFour + plyFour, ErrUnsupported, "line 7"},
		{"faces without indices", "a.ply", plyHead("ascii", plyXYZ, "element face 1\nproperty int flags") + plyFour + "1\n", ErrUnsupported, "line 7"},
		{"points", "a.ply", plyHead("ascii", plyXYZ) + plyFour, ErrNoTriangles, "4 vertices"},
		{"no elements", "a.ply", plyHead("ascii"), ErrNoTriangles, ""},
		{"no faces", "a.ply", plyHead("ascii", plyXYZ, "element face 0\nproperty list uchar int vertex_indices") + plyFour, ErrNoTriangles, ""},
		{"huge count", "a.ply", strings.Replace(body(plyFour+"3 0 1 2\n"), "vertex 4", "vertex 4000000000", 1), ErrTruncated, "cannot hold 4000000000 rows"},
		{"huge count of nothing", "a.ply", plyHead("ascii", plyXYZ, "element none 9223372036854775807", plyOne) + plyFour + "3 0 1 7\n", ErrIndexRange, ""},
		{"truncated", "a.ply", body(plyFour + "3 0 1"), ErrTruncated, "line 14: truncated: a list declares 3 elements, but only 4 bytes are left"},
		{"cut in a row", "a.ply", body("0 0 0\n1 0 0\n1 1 0\n0 1"), ErrTruncated, ""},
		{"cut before a face", "a.ply", strings.Replace(body(plyFour), "face 1", "face 0", 1) + "3 0 1 2", ErrNoTriangles, ""},
		{"no body", "a.ply", body(""), ErrTruncated, "line 3"},
		{"word", "a.ply", body("0 0 0\n1 0 z\n1 1 0\n0 1 0\n3 0 1 2\n"), ErrSyntax, `line 11: syntax error: found "z" instead of property z`},
		{"index too large", "a.ply", body(plyFour + "3 0 1 4\n"), ErrIndexRange, "line 14: index out of range: a face refers to vertex 4, counted from 0, but the file has 4 vertices"},
		{"index negative", "a.ply", body(plyFour + "3 0 1 -1\n"), ErrIndexRange, "line 14"},
		{"index broken", "a.ply", body(plyFour + "3 0 1 1.5\n"), ErrIndexRange, "line 14"},
		{"face of two corners", "a.ply", body(plyFour + "2 0 1\n"), ErrSyntax, "line 14: syntax error: a face has 2 corners, must have at least 3"},
		{"face of many corners", "a.ply", body(plyFour + "1e9 0 1\n"), ErrTruncated, "line 14: truncated: a list declares 1e+09 elements, but only 5 bytes are left"},
		{"NaN", "a.ply", body("0 0 0\n1 0 0\n1 nan 0\n0 1 0\n3 0 1 3\n"), ErrNotFinite, "line 12: coordinate is not finite: vertex (1, NaN, 0)"},

		{"binary truncated", "a.ply", binaryBody(uint8(3), []int32{0, 1}), ErrTruncated, fmt.Sprintf("byte %d: truncated", start+1)},
		{"binary, no face", "a.ply", binaryBody(), ErrTruncated, `line 7: truncated: the 48 bytes after the header cannot hold 1 row of element "face"`},
		{"binary, huge vertex count", "a.ply", strings.Replace(binaryBody(uint8(3), []int32{0, 1, 2}), "vertex 4", "vertex 400000000", 1), ErrTruncated, "line 3"},
		{"binary, index too large", "a.ply", binaryBody(uint8(3), []int32{0, 1, 7}), ErrIndexRange, fmt.Sprintf("byte %d: index out of range: a face refers to vertex 7, counted from 0, but the file has 4 vertices", start+9)},
		{"binary, long list", "a.ply", binaryBody(uint8(255), []int32{0, 1, 7}), ErrTruncated, "a list declares 255 elements, but only 12 bytes are left"},
		{"binary, negative list", "a.ply", strings.Replace(binaryBody(int8(-3), []int32{0, 1, 2}), "uchar", "char", 1), ErrSyntax, "the length of a list is -3, must be an integer of at least 0"},
		{"binary, two corners", "a.ply", binaryBody(uint8(2), []int32{0, 1}), ErrSyntax, "row 0"},
		{"binary, NaN", "a.ply", strings.Replace(binaryBody(uint8(3), []int32{0, 1, 2}), pack(little, float32(1)), pack(little, float32(math.NaN())), 1), ErrNotFinite, "row 1"},
	} {
		r.run(t)
	}
}

// TestPLYStrip checks the orientation of the triangles of a strip.
func TestPLYStrip(t *testing.T) {
	soup, _, err := readString("a.ply", plyHead("ascii", plyXYZ, "element tristrips 1\nproperty list int int vertex_indices")+plyFour+"8 0 1 3 2 -1 1 2 3\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(soup.Faces), "[[0 1 3] [3 1 2] [1 2 3]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
