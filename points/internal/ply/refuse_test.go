package ply_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/table"
)

func TestRefused(t *testing.T) {
	const xyz = "property float x\nproperty float y\nproperty float z\n"
	head := func(format, rest string) string {
		return "ply\nformat " + format + " 1.0\n" + rest + "end_header\n"
	}
	ascii := head("ascii", "element vertex 2\n"+xyz)
	little := head("binary_little_endian", "element vertex 2\n"+xyz)
	listed := head("binary_little_endian", "element vertex 2\n"+xyz+"property list char int l\n")
	faces := head("binary_little_endian", "element vertex 1\n"+xyz+"element face 2\nproperty list char int l\n")
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the first line is not \"ply\""},
		{"not ply", "plyx\n", "the first line is not \"ply\""},
		{"cut header", "ply\nformat ascii 1.0\n", "line 3: the header has no end_header line: unexpected EOF"},
		{"no format", "ply\nelement vertex 0\n" + xyz + "end_header\n", "line 6: the header has no format line"},
		{"unknown format", head("binary", ""), "line 2: unsupported point format: format \"binary\""},
		{"unknown type", head("ascii", "element vertex 1\nproperty int128 x\n"), "line 4: unsupported point format: type \"int128\""},
		{"float length", head("ascii", "element vertex 1\nproperty list float int x\n"), "line 4: the length of a list cannot be a float"},
		{"negative count", head("ascii", "element vertex -1\n"), "line 3: count \"-1\""},
		{"property first", head("ascii", "property float x\n"), "line 3: the property comes before the first element"},
		{"two vertices", head("ascii", "element vertex 1\nelement vertex 1\n"), "line 4: the header has two elements named vertex"},
		{"no vertex", head("ascii", "element face 1\n"), "no element vertex"},
		{"no properties", head("ascii", "element vertex 1\n"), "line 3: element vertex has no properties"},
		{"two x", head("ascii", "element vertex 0\nproperty int x\n"+xyz), "more than once: x, x, y, z"},
		{"strange word", head("ascii", "elephant\n"), "line 3: unknown word \"elephant\" at the beginning"},
		{"huge header", "ply\ncomment " + strings.Repeat("x", 2<<20), "the header is longer than 1048576 bytes"},
		{"huge count", head("binary_little_endian", "element vertex 9000000000000000000\n"+xyz), "line 3: the 0 bytes after the header cannot hold 9000000000000000000 rows of element \"vertex\""},
		{"huge count before", head("binary_little_endian", "element a 9000000000000000000\nproperty int q\nelement vertex 0\n"+xyz), "line 3"},

		{"ascii, cut", ascii + "1.000000 2 3\n", "a.ply: line 9: the file is cut off"},
		{"ascii, cut in a row", ascii + "1.00 2 3\n1 2", "a.ply: line 9: \"1 2\" has no value for property \"z\""},
		{"ascii, word", ascii + "1 2 3\n1 2 z\n", "a.ply: line 9: property \"z\": \"z\" is not a number"},
		{"ascii, glued", ascii + "1 2 3\n1 2 3x\n", "a.ply: line 9: property \"z\": \"3x\" is not a number"},
		{"ascii, more", ascii + "1 2 3 4\n1 2 3\n", "a.ply: line 8: the line has more values than the 3 properties"},
		{"ascii, blank", ascii + "1 2 3\n\n1 2 3\n", "a.ply: line 9: the line is blank"},
		{"ascii, list", head("ascii", "element vertex 1\n"+xyz+"property list uchar int l\n") + "1 2 3 2 7\n", "line 9: property \"l\": the list length is 2, but 1 value follows"},
		{"ascii, long list", head("ascii", "element vertex 1\n"+xyz+"property list uchar int l\n") + "1 2 3 256 7\n", "\"256\" is not a valid list length of type uchar"},
		{"ascii, no body", ascii, "line 3: the 0 bytes after the header cannot hold 2 rows of element \"vertex\""},
		{"ascii, no faces", head("ascii", "element vertex 1\n"+xyz+"element face 2\nproperty list char int l\n") + "1 2 3\n0\n", "row 1 of 2 of element \"face\": the file is cut off"},
		{"ascii, zeros", ascii + zeros(100), "line 8"},

		{"binary, cut", little + zeros(23), "the 23 bytes after the header cannot hold 2 rows of element \"vertex\""},
		{"lists, cut", listed + zeros(13) + zeros(12) + "\x02" + zeros(7), "row 1 of 2, before byte"},
		{"lists, negative", listed + zeros(13) + zeros(12) + "\xff", "row 1 of 2, before byte 153: property \"l\": a list has the negative length -1"},
		{"faces, cut", faces + zeros(12) + "\x00\x01" + zeros(3), "row 1 of 2 of element \"face\": the file is cut off"},
		{"faces, negative", faces + zeros(12) + "\x00\xfe" + zeros(3), "a list has the negative length -2"},
	} {
		for _, stream := range []bool{false, true} {
			src, err := files.Open(c.text, stream, ply.Options{})
			if err == nil {
				err = testcloud.ReadAll(src)
			}
			if stream && strings.Contains(c.want, "cannot hold") && err != nil {
				continue // the error message for a stream is different
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.ply: ") {
				t.Errorf("%s, stream %v: %v, want %s", c.name, stream, err, c.want)
			}
		}
	}
}

// TestWrongValues checks the errors for values that are not valid for their type. The function
// Values must return an error, but Parse must accept the rows.
func TestWrongValues(t *testing.T) {
	const head = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty uchar c\nproperty float f\nend_header\n"
	for _, c := range []struct{ rows, want string }{
		{"1 2 3 4 5\n1 2 3 256 5\n", "a.ply: line 11: property \"c\": \"256\" is not a number of type uchar"},
		{"1 2 3 4 5\n1 2 3 1.5 5\n", "a.ply: line 11: property \"c\": \"1.5\" is not a number of type uchar"},
		{"1 2 3 4 -\n1 2 3 2 5\n", "a.ply: line 10: property \"f\": \"-\" is not a number"},
	} {
		src, err := files.Open(head+c.rows, false, ply.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		if err := errors.Join(src.Fill(&b), src.Parse(&b)); err != nil {
			t.Fatal(err)
		}
		var v table.Values
		err = errors.Join(src.Values(&b, 3, &v), src.Values(&b, 4, &v))
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q: %s, want %s", c.rows, got, c.want)
		}
	}
}

// TestLies reads small files whose headers declare many rows. The reader must not allocate much
// memory for these files.
func TestLies(t *testing.T) {
	const xyz = "property float x\nproperty float y\nproperty float z\n"
	const huge = "1000000000000000"
	for _, text := range []string{
		"ply\nformat binary_little_endian 1.0\nelement vertex " + huge + "\n" + xyz + "end_header\n0123456789",
		"ply\nformat ascii 1.0\nelement vertex " + huge + "\n" + xyz + "end_header\n1 2 3\n",
		"ply\nformat binary_little_endian 1.0\nelement vertex 1\n" + xyz + "property list uint double l\nend_header\n0123456789ab\xff\xff\xff\xff1",
		"ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint double l\nelement vertex 1\n" + xyz + "end_header\n\xff\xff\xff\xff1",
		"ply\nformat binary_little_endian 1.0\nelement face " + huge + "\nproperty list uint double l\nelement vertex 1\n" + xyz + "end_header\n\x00\x00\x00\x00",
	} {
		files.CheckTruncated(t, fmt.Sprintf("%q", text), text, ply.Options{Block: 1000})
	}
}
