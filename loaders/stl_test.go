package loaders

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0.5\nendloop\nendfacet\n"

// binarySTL returns a binary STL file of n right triangles. The header states the given count,
// which can be wrong.
func binarySTL(header string, n int, count uint32) string {
	data := make([]byte, 84+50*n)
	copy(data, header)
	binary.LittleEndian.PutUint32(data[80:], count)
	for i := range n {
		record := data[84+50*i:]
		for k, x := range []float32{float32(math.NaN()), 0, 0, 0, 0, float32(i), 1, 0, float32(i), 0, 1, float32(i)} {
			binary.LittleEndian.PutUint32(record[4*k:], math.Float32bits(x))
		}
	}
	return string(data)
}

func TestSTLAccepted(t *testing.T) {
	one := "solid s\n" + facet + "endsolid s\n"
	for _, a := range []acceptance{
		{"facets behind endsolid on its line", "a.stl", "solid a\n" + facet + "endsolid a " + strings.ReplaceAll(facet, "\n", " "), 6, 2, "a", "endsolid is missing at the end"},
		{"header like another format", "a", binarySTL("OFF 4 4 6", 2, 2), 6, 2, "OFF 4 4 6", ""},
		{"header like JSON", "a.stl", binarySTL("{\"asset\":1}", 2, 2), 6, 2, "{\"asset\":1}", ""},
		{"plain", "a.stl", one, 3, 1, "s", ""},
		{"upper case", "a.stl", strings.ToUpper(one), 3, 1, "S", ""},
		{"tabs", "a.stl", strings.ReplaceAll(one, " ", "\t"), 3, 1, "s", ""},
		{"CRLF", "a.stl", strings.ReplaceAll(one, "\n", "\r\n"), 3, 1, "s", ""},
		{"CR", "a.stl", strings.ReplaceAll(one, "\n", "\r"), 3, 1, "s", ""},
		{"no final newline", "a.stl", strings.TrimSpace(one), 3, 1, "s", ""},
		{"no name", "a.stl", "solid\n" + facet + "endsolid\n", 3, 1, "", ""},
		{"name of many words", "a.stl", "solid a facet of my solid\n" + facet + "endsolid a facet of my solid\n", 3, 1, "a facet of my solid", ""},
		{"name not ASCII", "a.stl", "solid \xd4\xc2\xc7\xf2\n" + facet + "endsolid\n", 3, 1, "\xd4\xc2\xc7\xf2", ""},
		{"two solids", "a.stl", "solid a\n" + facet + "endsolid a\nsolid b\n" + facet + facet + "endsolid b\n", 9, 3, "a|b", ""},
		{"second solid without end", "a.stl", "solid a\n" + facet + "solid b\n" + facet + "endsolid b\n", 6, 2, "a|b", ""},
		{"empty solid between", "a.stl", "solid a\nendsolid\nsolid b\n" + facet + "endsolid b\n", 3, 1, "b", ""},
		{"no endsolid", "a.stl", "solid a\n" + facet, 3, 1, "a", "endsolid is missing at the end"},
		{"trailing bytes", "a.stl", one + "\x00\x1a\n \x00", 3, 1, "s", ""},
		{"byte order mark", "a.stl", "\xef\xbb\xbf" + one, 3, 1, "s", ""},
		{"UTF-16", "a.stl", utf16Text(binary.LittleEndian, one), 3, 1, "s", ""},
		{"normal is NaN", "a.stl", strings.Replace(one, "0 0 1\n", "nan -nan(ind) inf\n", 1), 3, 1, "s", ""},
		{"no normal", "a.stl", strings.Replace(one, "normal 0 0 1", "normal", 1), 3, 1, "s", ""},
		{"words after keywords", "a.stl", strings.NewReplacer("endloop", "endloop foo 1", "endfacet", "endfacet bar").Replace(one), 3, 1, "s", ""},
		{"words after keywords in one line", "a.stl", strings.NewReplacer("endloop", "endloop foo", "endfacet", "endfacet bar", "\n", " ").Replace("solid s\n" + facet + facet + "endsolid s"), 6, 2, "s", ""},
		{"one line", "a.stl", strings.ReplaceAll("solid a "+facet+"endsolid a solid b "+facet+"endsolid b", "\n", " "), 6, 2, "a|b", ""},
		{"suffix unknown", "a.txt", one, 3, 1, "s", ""},

		{"binary", "a.stl", binarySTL("", 2, 2), 6, 2, "", ""},
		{"binary, no suffix", "a", binarySTL("x", 2, 2), 6, 2, "x", ""},
		{"binary, header begins with solid", "a.stl", binarySTL("solid part", 2, 2), 6, 2, "part", ""},
		{"binary, solid header and trailing bytes", "a.stl", binarySTL("solid part", 2, 2) + "xyz", 6, 2, "part", "number of ignored bytes after the last triangle: 3"},
		{"binary, COLOR header", "a.stl", binarySTL("COLOR=\xff\x00", 1, 1), 3, 1, "COLOR=", ""},
		{"binary, one byte more", "a.stl", binarySTL("x", 2, 2) + "\n", 6, 2, "x", "number of ignored bytes after the last triangle: 1"},
	} {
		a.run(t)
	}
}

func TestSTLRefused(t *testing.T) {
	nan := []byte(binarySTL("x", 2, 2))
	binary.LittleEndian.PutUint32(nan[84+50+12+12+4:], math.Float32bits(float32(math.Inf(1))))
	for _, r := range []refusal{
		{"facet inside a facet", "a.stl", "solid a\nfacet normal 0 0 1\n" + facet + "endsolid a\n", ErrSyntax, `line 3: syntax error: found "facet" instead of outer loop`},
		{"endsolid inside a facet", "a.stl", "solid a\nfacet normal 0 0 1\nendsolid a\nsolid b\n" + facet, ErrSyntax, `line 3: syntax error: found "endsolid" instead of outer loop`},
		{"solid inside a facet", "a.stl", "solid a\nfacet normal 0 0 1\nsolid b\n" + facet, ErrSyntax, `line 3: syntax error: found "solid" instead of outer loop`},
		{"empty", "a.stl", "", ErrEmpty, "a.stl: the file is empty"},
		{"no facets", "a.stl", "solid a\nendsolid a", ErrNoTriangles, "no triangles"},
		{"four corners", "a.stl", strings.Replace("solid\n"+facet, "endloop", "vertex 1 1 1\nendloop", 1), ErrSyntax, "a.stl: line 7: syntax error: a loop has more than three corners"},
		{"two corners", "a.stl", strings.Replace("solid\n"+facet, "vertex 1 0 0\n", "", 1), ErrSyntax, "line 6: syntax error: a loop has fewer than three corners"},
		{"word for a number", "a.stl", strings.Replace("solid\n"+facet, "vertex 1 0", "vertex 1 x0", 1), ErrSyntax, `line 5: syntax error: found "x0" instead of a coordinate`},
		{"number with a tail", "a.stl", strings.Replace("solid\n"+facet, "0.5", "0.5f", 1), ErrSyntax, `line 6: syntax error: found "0.5f" instead of a coordinate`},
		{"NaN", "a.stl", strings.Replace("solid\n"+facet, "0.5", "NaN", 1), ErrNotFinite, `line 6: coordinate is not finite: "NaN"`},
		{"beyond float64", "a.stl", strings.Replace("solid\n"+facet, "0.5", "1e999", 1), ErrNotFinite, "line 6"},
		{"truncated in a facet", "a.stl", ("solid\n" + facet)[:60], ErrTruncated, "line 5: truncated: the file ends where"},
		{"truncated before outer", "a.stl", "solid\nfacet normal 0 0", ErrTruncated, "outer loop"},
		{"second facet broken", "a.stl", "solid\n" + facet + strings.Replace(facet, "endfacet", "endfact", 1), ErrSyntax, `line 15: syntax error: found "endfact" instead of endfacet`},
		{"stray word", "a.stl", "solid\n" + facet + "hello\n", ErrSyntax, `line 9: syntax error: found "hello" instead of facet`},
		{"text, no solid", "a.stl", "hello\n", ErrUnknownFormat, `line 1: unknown format: the text does not begin with "solid"`},
		{"long text, no solid", "a.stl", strings.Repeat("hello\n", 100), ErrUnknownFormat, "line 1"},
		{"PNG", "a.stl", "\x89PNG\r\n\x1a\n" + strings.Repeat("\xfe\x01", 100), ErrUnknownFormat, `byte 0: unknown format: the 208 bytes are neither text that begins with "solid" nor binary STL`},
		{"half a character", "a.stl", utf16Text(binary.BigEndian, "solid\n"+facet) + "x", ErrTruncated, "UTF-16"},

		{"binary header cut", "a.stl", binarySTL("", 0, 0)[:83], ErrTruncated, "byte 83: truncated: the file is shorter than a binary STL header of 84 bytes"},
		{"binary without triangles", "a.stl", binarySTL("", 0, 0), ErrNoTriangles, ""},
		{"binary truncated", "a.stl", binarySTL("", 4, 66), ErrTruncated, "byte 80: truncated: the header declares 66 triangles, but the file has room for 4"},
		{"binary, huge count", "a.stl", binarySTL("", 4, math.MaxUint32), ErrTruncated, "4294967295"},
		{"binary, count too small", "a.stl", binarySTL("", 4, 2), ErrSyntax, "the header declares 2 triangles, but the file has room for 4"},
		{"binary, count zero", "a.stl", binarySTL("", 4, 0), ErrSyntax, "the header declares 0 triangles, but the file has room for 4"},
		{"binary, infinite", "a.stl", string(nan), ErrNotFinite, "byte 158: coordinate is not finite: triangle 1, corner 1"},
		{"binary, re-encoded", "a.stl", strings.Replace(binarySTL("", 4, 4), "\x00\x00\x80\x3f", "\x00\x00\xef\xbf\xbd\x3f", 10) + "\n", ErrSyntax, "byte 110: syntax error: the file was converted"},
	} {
		r.run(t)
	}
}

// TestSTLValues checks that each coordinate is the float64 number nearest to the number in the
// text.
func TestSTLValues(t *testing.T) {
	text := strings.NewReplacer("vertex 1 0 0", "vertex 0.1 -1e-3 +.5", "vertex 0 1 0.5", "vertex 1E2 5. 0.30000000000000004").Replace("solid\n" + facet)
	soup, _, err := readString("a.stl", text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describe(soup), "0,0,0 0.1,-0.001,0.5 100,5,0.30000000000000004 \n\"\" 1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSTLPieces reads files with random damage in small pieces and in one piece. The results must
// be equal.
func TestSTLPieces(t *testing.T) {
	base := "solid a\n" + facet + facet + "endsolid a\nsolid b\n\n" + facet + "endsolid\n"
	rapid.Check(t, func(t *rapid.T) {
		data := damage(t, base, []string{"endfacet\n", "endfacet", "solid x\n", "endsolid\n", "facet", " ", "\n", "vertex 1 2 3\n", "nan"})
		sameReading(t, data, STL, 1, 10, 40, 150)
	})
}

// damage returns text with up to three random insertions, deletions or replacements.
func damage(t *rapid.T, text string, words []string) []byte {
	data := []byte(text)
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(data)).Draw(t, "at")
		cut := rapid.IntRange(0, min(12, len(data)-at)).Draw(t, "cut")
		word := ""
		if rapid.Bool().Draw(t, "insert") {
			word = rapid.SampledFrom(words).Draw(t, "word")
		}
		data = append(data[:at:at], append([]byte(word), data[at+cut:]...)...)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return []byte(text)
	}
	return data
}

// utf16Text returns text as UTF-16 with a byte order mark.
func utf16Text(order binary.ByteOrder, text string) string {
	data := make([]byte, 2, 2+2*len(text))
	order.PutUint16(data, 0xfeff)
	for _, c := range []byte(text) {
		data = append(data, 0, 0)
		order.PutUint16(data[len(data)-2:], uint16(c))
	}
	return string(data)
}
