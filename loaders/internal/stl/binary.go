// Package stl reads and writes STL. An STL file is a list of triangles in binary or ASCII form.
package stl

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Layout of binary STL. All numbers are little-endian. The header consists of 80 bytes of text and
// the number of triangles as a uint32. Each triangle has a record: 12 float32 numbers for the
// normal and three corners, and two bytes of attributes.
const (
	headerSize = 84
	countAt    = 80
	recordSize = 50
)

// Format describes STL.
func Format() soup.Format {
	return soup.Format{Name: "stl", Suffixes: []string{"stla", "stlb"}, Signature: signature, Guess: hasBinarySize, Read: read}
}

// signature reports whether data is certainly STL. Either data has the size of binary STL with at
// least one triangle, or data begins with the word "solid".
func signature(data []byte) bool {
	return len(data) > headerSize && hasBinarySize(data) || strings.EqualFold(scan.FirstWord(data), "solid")
}

// hasBinarySize reports whether data has exactly the size that follows from the number of triangles
// in a binary STL header.
func hasBinarySize(data []byte) bool {
	return len(data) >= headerSize && excess(data) == 0
}

// excess returns the number of bytes after the last triangle, according to the number of triangles
// in the header. The result is negative if bytes are missing.
func excess(data []byte) int64 {
	return int64(len(data)-headerSize) - recordSize*int64(binary.LittleEndian.Uint32(data[countAt:]))
}

// read reads binary or ASCII STL. It ignores normals and attributes, which can have any value.
// Every triangle gets three vertices of its own.
func read(s *soup.Source, b *soup.Builder) error {
	if scan.UTF16Order(s.Data) == nil && isBinary(s.Data) {
		return readBinary(s, b)
	}
	if err := s.PlainText(); err != nil {
		return err
	}
	return readASCII(s, b)
}

// isBinary reports whether an STL file is binary. A file is binary if its size matches the number
// of triangles in its header, even if it begins with "solid". An ASCII file of such a size would
// have at least 7.5 GB, because each of the four bytes of the number would be at least 0x09. Any
// other file is binary if it does not begin with "solid", or if a NUL byte in the header or the
// first record comes before every "facet" and "endsolid".
func isBinary(data []byte) bool {
	if hasBinarySize(data) {
		return true
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) < 5 || !strings.EqualFold(string(text[:5]), "solid") {
		return true
	}
	nul := bytes.IndexByte(data[:min(len(data), headerSize+recordSize)], 0)
	return nul >= 0 && !hasWord(data[:nul], "facet") && !hasWord(data[:nul], "endsolid")
}

func readBinary(s *soup.Source, b *soup.Builder) error {
	n, err := checkBinary(s.Data, b)
	if err != nil {
		return err
	}
	if err := cmp.Or(b.BeginBody(headerName(s.Data[:countAt])), b.GrowUnshared(n)); err != nil {
		return err
	}
	vertices, faces := b.Vertices, b.Faces
	const look = 1 << 14 // number of triangles between two checks of the context
	for f := range n {
		if f%look == 0 {
			if err := s.Step(int64(min(look, n-f)) * recordSize); err != nil {
				return err
			}
		}
		at := headerSize + recordSize*f
		record := s.Data[at : at+recordSize]
		for k := 1; k <= 3; k++ { // vector 0 is the normal
			v := r3.Vector{X: float(record[12*k:]), Y: float(record[12*k+4:]), Z: float(record[12*k+8:])}
			if !soup.InRange(v) { // infinite or NaN, because all float32 numbers are below the limit
				return soup.AtByte(int64(at+12*k), soup.ErrNotFinite, "triangle %d, corner %d", f, k-1)
			}
			vertices = append(vertices, v)
		}
		i := int32(len(vertices))
		faces = append(faces, [3]int32{i - 3, i - 2, i - 1})
	}
	b.Vertices, b.Faces = vertices, faces
	return nil
}

// float returns the little-endian float32 number at the front of b.
func float(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// checkBinary returns the number of triangles in the header. It compares this number with the size
// of the file.
func checkBinary(data []byte, b *soup.Builder) (int, error) {
	if len(data) < headerSize {
		if err := checkPlausible(data); err != nil {
			return 0, err
		}
		return 0, soup.AtByte(int64(len(data)), soup.ErrTruncated, "the file is shorter than a binary STL header of %d bytes", headerSize)
	}
	count, rest := binary.LittleEndian.Uint32(data[countAt:]), excess(data)
	if rest < 0 || rest >= recordSize {
		if err := checkPlausible(data); err != nil {
			return 0, err
		}
		kind := soup.ErrSyntax
		if rest < 0 {
			kind = soup.ErrTruncated
		}
		return 0, soup.AtByte(countAt, kind, "the header declares %d triangles, but the file has room for %d", count, (len(data)-headerSize)/recordSize)
	}
	if rest > 0 && reencoded(data, rest) {
		return 0, soup.AtByte(int64(bytes.Index(data, replacementChar)), soup.ErrSyntax, "the file was converted as if it were UTF-8 text: bytes above 127 are lost").
			WithHint("get the file again, as binary")
	}
	b.NoteCount("number of ignored bytes after the last triangle: %d", int(rest))
	if count > math.MaxInt32/3 {
		return 0, soup.AtByte(countAt, soup.ErrTooLarge, "%d triangles", count)
	}
	return int(count), nil
}

// replacementChar is U+FFFD in UTF-8. A conversion to text writes it in place of invalid bytes.
var replacementChar = []byte("\xef\xbf\xbd")

// reencoded reports whether a conversion to UTF-8 text can have added the given number of bytes to
// the file. Such a conversion replaces single bytes by the three bytes of replacementChar. It can
// also add a newline at the end.
func reencoded(data []byte, rest int64) bool {
	added := 2 * int64(bytes.Count(data, replacementChar))
	return added > 0 && (added == rest || added == rest-1)
}

// checkPlausible returns ErrUnknownFormat for text, and for a header in which more than a quarter
// of the bytes are not text. Writers put text into the header and pad it with zeros or blanks. In
// random data, 60 % of the bytes are not text.
func checkPlausible(data []byte) error {
	if slices.IndexFunc(data[:min(len(data), 256)], func(c byte) bool { return notText(c) || c == 0 }) < 0 {
		return soup.AtLine(1, soup.ErrUnknownFormat, "the text does not begin with \"solid\"")
	}
	header := data[:min(len(data), countAt)]
	odd := 0
	for _, c := range header {
		if notText(c) {
			odd++
		}
	}
	if 4*odd > len(header) {
		return soup.AtByte(0, soup.ErrUnknownFormat, "the %[1]d bytes are neither text that begins with \"solid\" nor binary STL", len(data))
	}
	return nil
}

// notText reports whether c is neither printable ASCII nor white space nor NUL.
func notText(c byte) bool { return c >= 0x7f || c < ' ' && !scan.IsSpace(c) }

// headerName returns the name in a binary header. The name is the text before the first byte that
// is not printable ASCII, without the word "solid".
func headerName(header []byte) string {
	n := 0
	for n < len(header) && header[n] >= ' ' && header[n] < 0x7f {
		n++
	}
	name := strings.TrimSpace(string(header[:n]))
	if word, rest, _ := strings.Cut(name, " "); strings.EqualFold(word, "solid") {
		name = strings.TrimSpace(rest)
	}
	return name
}

// hasWord reports whether a line contains a word, in any letter case.
func hasWord(line []byte, word string) bool {
	return slices.ContainsFunc(bytes.Fields(line), func(f []byte) bool { return isWord(f, word) })
}
