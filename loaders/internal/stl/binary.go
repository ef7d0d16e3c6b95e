// Package stl reads and writes STL, a list of triangles in binary or ASCII.
package stl

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Layout of binary STL: 80 bytes of text, the number of triangles as a little-endian uint32,
// and a record for each triangle: 12 float32 (normal and three corners) and two bytes of
// attributes.
const (
	headerSize = 84
	recordSize = 50
)

func leUint32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// Format describes STL.
func Format() soup.Format {
	return soup.Format{Name: "stl", Suffixes: []string{"stla", "stlb"}, Signature: signature, Guess: hasBinarySize, Read: read}
}

// signature reports whether data has the size of binary STL with a triangle or more, or
// begins with the word "solid".
func signature(data []byte) bool {
	return len(data) > headerSize && hasBinarySize(data) || strings.EqualFold(scan.FirstWord(data), "solid")
}

// hasBinarySize reports whether data has exactly the size that the triangle
// count of a binary STL header promises.
func hasBinarySize(data []byte) bool {
	if len(data) < headerSize {
		return false
	}
	count := uint64(leUint32(data[headerSize-4:]))
	return uint64(len(data)) == headerSize+recordSize*count
}

// read reads binary or ASCII STL. Normals and attributes may be anything because they are not
// used. Corners are not shared: every triangle has three vertices of its own.
func read(s *soup.Source, b *soup.Builder) error {
	if scan.UTF16Order(s.Data) == nil && isBinary(s.Data) {
		return readBinary(s, b)
	}
	if err := s.PlainText(); err != nil {
		return err
	}
	return readASCII(s, b)
}

// isBinary distinguishes binary from ASCII STL. A file whose size matches its count is binary,
// even if its header begins with "solid": in ASCII, the four bytes at 80 are characters of at
// least 0x09 each, a count that 7.5 GB of records would have to follow. Any other file that begins
// with "solid" is ASCII, unless there is a NUL byte in the header or the first record, with
// neither "facet" nor "endsolid" before it.
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
	if err := b.BeginBody(headerName(s.Data[:headerSize-4])); err != nil {
		return err
	}
	if err := b.GrowUnshared(n); err != nil {
		return err
	}
	sink := &sink{s: s, b: b}
	records := bytes.NewReader(s.Data[:headerSize+recordSize*n])
	err = stl.CopyAll(input{records, sink}, sink)
	if sink.err != nil {
		return sink.err
	}
	if err != nil {
		return soup.AtPath("", soup.ErrSyntax, "%w", err)
	}
	return nil
}

// input is the reader that the library gets. It returns the first error of the sink, which
// is the only way to stop the library.
type input struct {
	*bytes.Reader
	sink *sink
}

// Read implements io.Reader.
func (r input) Read(p []byte) (int, error) {
	if r.sink.err != nil {
		return 0, r.sink.err
	}
	return r.Reader.Read(p)
}

// checkBinary compares the count of the header with the size of the file.
func checkBinary(data []byte, b *soup.Builder) (int, error) {
	const record = recordSize
	if len(data) < headerSize {
		if err := checkPlausible(data); err != nil {
			return 0, err
		}
		return 0, soup.AtByte(int64(len(data)), soup.ErrTruncated, "a binary STL header has %d bytes", headerSize)
	}
	count := int64(leUint32(data[headerSize-4:]))
	room, rest := int64(len(data)-headerSize)/record, int64(len(data)-headerSize)-count*record
	const countAt = headerSize - 4
	if rest < 0 || rest >= record {
		if err := checkPlausible(data); err != nil {
			return 0, err
		}
	}
	switch {
	case rest < 0:
		return 0, soup.AtByte(countAt, soup.ErrTruncated, "the header promises %d triangles, the file has room for %d", count, room)
	case rest >= record:
		return 0, soup.AtByte(countAt, soup.ErrSyntax, "the header promises %d triangles, the file has room for %d", count, room)
	case rest > 0 && reencoded(data, rest):
		return 0, soup.AtByte(int64(bytes.Index(data, replacement)), soup.ErrSyntax, "the file was converted as if it were UTF-8 text: bytes above 127 are lost").
			WithHint("get the file again, as binary")
	case rest > 0:
		b.Note("bytes ignored after the last triangle: %d", rest)
	}
	if count > math.MaxInt32/3 {
		return 0, soup.AtByte(countAt, soup.ErrTooLarge, "%d triangles", count)
	}
	return int(count), nil
}

// replacement is U+FFFD in UTF-8. It replaces bytes that are not text.
var replacement = []byte("\xef\xbf\xbd")

// reencoded reports whether a conversion through UTF-8 text explains the rest bytes after the
// last record. Such a conversion writes the three bytes of replacement in place of one, and
// perhaps a newline at the end.
func reencoded(data []byte, rest int64) bool {
	added := 2 * int64(bytes.Count(data, replacement))
	return added > 0 && (added == rest || added == rest-1)
}

// checkPlausible returns ErrUnknownFormat for content that does not look like a damaged binary
// STL either: text, or a header in which more than a quarter of the bytes are not text.
// (Writers store text there, padded with zeros or blanks. Of random bytes, 60 % are not text.)
func checkPlausible(data []byte) error {
	if isText(data) {
		return soup.AtLine(1, soup.ErrUnknownFormat, "text that does not begin with \"solid\"")
	}
	header := data[:min(len(data), headerSize-4)]
	odd := 0
	for _, c := range header {
		if c >= 0x7f || c < ' ' && c != 0 && !scan.IsSpace(c) {
			odd++
		}
	}
	if 4*odd > len(header) {
		return soup.AtByte(0, soup.ErrUnknownFormat, "neither text that begins with \"solid\" nor a binary STL of %d bytes", len(data))
	}
	return nil
}

// isText reports whether the first bytes of data are printable ASCII or white space.
func isText(data []byte) bool {
	for _, c := range data[:min(len(data), 256)] {
		if c >= 0x7f || c < ' ' && (!scan.IsSpace(c) || c == 0) {
			return false
		}
	}
	return true
}

// headerName returns the name in a binary header: the text before the first byte that is not
// printable ASCII, without the word "solid".
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

// sink is the stl.Writer that the library calls. After an error it ignores the triangles that
// still come before input stops the library.
type sink struct {
	s   *soup.Source
	b   *soup.Builder
	err error
}

// SetName implements stl.Writer; readBinary has read the name.
func (k *sink) SetName(string) {}

// SetBinaryHeader implements stl.Writer.
func (k *sink) SetBinaryHeader([]byte) {}

// SetASCII implements stl.Writer.
func (k *sink) SetASCII(bool) {}

// SetTriangleCount implements stl.Writer; readBinary has made room.
func (k *sink) SetTriangleCount(uint32) {}

// AppendTriangle implements stl.Writer. readBinary has made room for all triangles.
func (k *sink) AppendTriangle(t stl.Triangle) {
	if k.err != nil {
		return
	}
	const look = 1 << 14 // triangles between two checks of the context
	n := int32(len(k.b.Vertices))
	if f := len(k.b.Faces); f%look == 0 {
		if k.err = k.s.Step(min(int64(look), int64(cap(k.b.Faces)-f)) * recordSize); k.err != nil {
			return
		}
	}
	for i := range t.Vertices {
		p := &t.Vertices[i]
		v := r3.Vector{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
		if !soup.InRange(v) { // infinite or NaN: no float32 is too large
			f := int64(len(k.b.Faces))
			k.err = soup.AtByte(headerSize+recordSize*f+12*int64(i+1), soup.ErrNotFinite, "triangle %d, corner %d", f, i)
			return
		}
		k.b.Vertices = append(k.b.Vertices, v)
	}
	k.b.Faces = append(k.b.Faces, [3]int32{n, n + 1, n + 2})
}
