package loaders

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"
)

// Layout of binary STL: 80 bytes of text, a little-endian count, then records of
// 12 float32 (normal and three corners) and two attribute bytes.
const (
	stlHeaderSize = 84
	stlRecordSize = 50
)

func leUint32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// stlFormat describes STL.
func stlFormat() format {
	return format{Name: "stl", Suffixes: []string{"stla", "stlb"}, Signature: stlSignature, Guess: binarySTLSize, Read: readSTL}
}

// stlSignature reports whether data has the size of binary STL with a triangle or more, or
// begins with the word "solid".
func stlSignature(data []byte) bool {
	return len(data) > stlHeaderSize && binarySTLSize(data) || strings.EqualFold(firstWord(data), "solid")
}

// binarySTLSize reports whether data has exactly the size that the triangle
// count of a binary STL header promises.
func binarySTLSize(data []byte) bool {
	if len(data) < stlHeaderSize {
		return false
	}
	count := uint64(leUint32(data[stlHeaderSize-4:]))
	return uint64(len(data)) == stlHeaderSize+stlRecordSize*count
}

// readSTL reads binary or ASCII STL. Normals and attributes are not used, so they
// may be anything. Corners are unshared: three vertices a triangle.
func readSTL(s *source, b *builder) error {
	if utf16Order(s.data) == nil && stlBinary(s.data) {
		return readBinarySTL(s, b)
	}
	if err := s.plainText(); err != nil {
		return err
	}
	return readASCIISTL(s, b)
}

// stlBinary tells the two kinds apart. A size that matches the count decides for
// binary even if the header begins with "solid": in ASCII the four bytes at 80
// are characters of at least 0x09 each, a count that 7.5 GB of records would have
// to follow. Otherwise "solid" decides for ASCII, unless a NUL byte stands in the
// header or the first record with neither "facet" nor "endsolid" before it.
func stlBinary(data []byte) bool {
	if binarySTLSize(data) {
		return true
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) < 5 || !strings.EqualFold(string(text[:5]), "solid") {
		return true
	}
	nul := bytes.IndexByte(data[:min(len(data), stlHeaderSize+stlRecordSize)], 0)
	return nul >= 0 && !hasWord(data[:nul], "facet") && !hasWord(data[:nul], "endsolid")
}

func readBinarySTL(s *source, b *builder) error {
	n, err := checkBinarySTL(s.data, b)
	if err != nil {
		return err
	}
	if err := b.body(stlName(s.data[:stlHeaderSize-4])); err != nil {
		return err
	}
	b.mem.triangles.Add(int64(n))
	if err := b.growVertices(3 * n); err != nil {
		return err
	}
	if err := b.growFaces(n); err != nil {
		return err
	}
	sink := &stlSink{s: s, b: b}
	records := bytes.NewReader(s.data[:stlHeaderSize+stlRecordSize*n])
	err = stl.CopyAll(stlInput{records, sink}, sink)
	if sink.err != nil {
		return sink.err
	}
	if err != nil {
		return atPath("", ErrSyntax, "%w", err)
	}
	return nil
}

// stlInput is what the library reads. It ends with the sink's first error, which
// the library has no other way to learn.
type stlInput struct {
	*bytes.Reader
	sink *stlSink
}

// Read implements io.Reader.
func (r stlInput) Read(p []byte) (int, error) {
	if r.sink.err != nil {
		return 0, r.sink.err
	}
	return r.Reader.Read(p)
}

// checkBinarySTL compares the count of the header with the size of the file.
func checkBinarySTL(data []byte, b *builder) (int, error) {
	const record = stlRecordSize
	if len(data) < stlHeaderSize {
		if err := notSTL(data); err != nil {
			return 0, err
		}
		return 0, atByte(int64(len(data)), ErrTruncated, "a binary STL header has %d bytes", stlHeaderSize)
	}
	count := int64(leUint32(data[stlHeaderSize-4:]))
	room, rest := int64(len(data)-stlHeaderSize)/record, int64(len(data)-stlHeaderSize)-count*record
	const countAt = stlHeaderSize - 4
	if rest < 0 || rest >= record {
		if err := notSTL(data); err != nil {
			return 0, err
		}
	}
	switch {
	case rest < 0:
		return 0, atByte(countAt, ErrTruncated, "the header promises %d triangles, the file has room for %d", count, room)
	case rest >= record:
		return 0, atByte(countAt, ErrSyntax, "the header promises %d triangles, the file has room for %d", count, room)
	case rest > 0 && reencoded(data, rest):
		return 0, atByte(int64(bytes.Index(data, replacement)), ErrSyntax, "the file was converted as if it were UTF-8 text: bytes above 127 are lost").
			withHint("get the file again, as binary")
	case rest > 0:
		b.note("bytes ignored after the last triangle: %d", rest)
	}
	if count > math.MaxInt32/3 {
		return 0, atByte(countAt, ErrTooLarge, "%d triangles", count)
	}
	return int(count), nil
}

// replacement is U+FFFD, which stands for what is no character.
var replacement = []byte("\xef\xbf\xbd")

// reencoded reports whether the rest bytes too many are those that a conversion
// through UTF-8 text adds: it writes the three bytes of replacement for one that is
// not text, and perhaps a final newline.
func reencoded(data []byte, rest int64) bool {
	added := 2 * int64(bytes.Count(data, replacement))
	return added > 0 && (added == rest || added == rest-1)
}

// notSTL returns ErrUnknownFormat for content whose size is not that of a binary STL and
// that does not look like a damaged one either: text, or a header of which more than a
// quarter of the bytes are no text. (Writers put text there, padded with zeros or blanks.
// About 60 % of random bytes are no text.)
func notSTL(data []byte) error {
	if isText(data) {
		return atLine(1, ErrUnknownFormat, "text that does not begin with \"solid\"")
	}
	header := data[:min(len(data), stlHeaderSize-4)]
	odd := 0
	for _, c := range header {
		if c >= 0x7f || c < ' ' && c != 0 && !isSpace(c) {
			odd++
		}
	}
	if 4*odd > len(header) {
		return atByte(0, ErrUnknownFormat, "neither text that begins with \"solid\" nor a binary STL of %d bytes", len(data))
	}
	return nil
}

// isText reports whether the first bytes of data are printable ASCII or white space.
func isText(data []byte) bool {
	for _, c := range data[:min(len(data), 256)] {
		if c >= 0x7f || c < ' ' && (!isSpace(c) || c == 0) {
			return false
		}
	}
	return true
}

// stlName returns the name in a binary header: its text up to the first byte that
// is not printable ASCII, without "solid".
func stlName(header []byte) string {
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

// stlSink is the library's stl.Writer. After an error it ignores what comes until
// stlInput ends the reading.
type stlSink struct {
	s   *source
	b   *builder
	err error
}

// SetName implements stl.Writer; the name was taken from the header already.
func (k *stlSink) SetName(string) {}

// SetBinaryHeader implements stl.Writer.
func (k *stlSink) SetBinaryHeader([]byte) {}

// SetASCII implements stl.Writer.
func (k *stlSink) SetASCII(bool) {}

// SetTriangleCount implements stl.Writer; room was made before.
func (k *stlSink) SetTriangleCount(uint32) {}

// AppendTriangle implements stl.Writer. Room was reserved for all triangles.
func (k *stlSink) AppendTriangle(t stl.Triangle) {
	if k.err != nil {
		return
	}
	const look = 1 << 14 // triangles between looks at the context
	n := int32(len(k.b.verts))
	if f := len(k.b.faces); f%look == 0 {
		if k.err = k.s.step(min(int64(look), int64(cap(k.b.faces)-f)) * stlRecordSize); k.err != nil {
			return
		}
	}
	for i := range t.Vertices {
		p := &t.Vertices[i]
		v := r3.Vector{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
		if err := checkVertex(v); err != nil { // a float32 is never too large
			f := int64(len(k.b.faces))
			k.err = atByte(stlHeaderSize+stlRecordSize*f+12*int64(i+1), err, "triangle %d, corner %d", f, i)
			return
		}
		k.b.verts = append(k.b.verts, v)
	}
	k.b.faces = append(k.b.faces, [3]int32{n, n + 1, n + 2})
}
