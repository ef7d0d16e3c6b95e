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

	"github.com/inpoly/inpoly/internal/unpack"
	"github.com/inpoly/inpoly/internal/weld"
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
	return soup.Format{Name: "stl", Signature: signature, Guess: hasBinarySize, Read: read}
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
	return readRecords(s, b, s.Data[:headerSize], n)
}

// Plain reports whether a file of the given size is certainly binary STL, is not packed and has
// triangles. The header must have the first HeaderSize bytes of the file.
func Plain(header []byte, size int64) bool {
	count := binary.LittleEndian.Uint32(header[countAt:])
	return count > 0 && count <= math.MaxInt32/3 && size == headerSize+recordSize*int64(count) &&
		unpack.Detect(header) == "" && scan.UTF16Order(header) == nil
}

// HeaderSize is the number of bytes that Plain needs.
const HeaderSize = headerSize

// ReadPlain reads a file that Plain accepts. It reads the file in sections.
func ReadPlain(s *soup.Source, b *soup.Builder) error {
	var buf []byte
	header, err := s.Section(&buf, 0, headerSize)
	if err != nil {
		return err
	}
	return readRecords(s, b, header, int(binary.LittleEndian.Uint32(header[countAt:])))
}

// A worker decodes chunks of triangles. It reads a section of a chunk at a time, and decodes a block
// of a section at a time.
const (
	largestChunk  = 1 << 15 // number of triangles; the points of a chunk fit in the second-level cache; tuning
	smallestChunk = 1 << 11 // tuning
	sectionSize   = 1 << 12 // number of triangles between two checks of the context; tuning
	blockSize     = 1 << 8  // tuning
)

// readRecords reads n triangles after the header.
func readRecords(s *soup.Source, b *soup.Builder, header []byte, n int) error {
	if err := b.BeginBody(headerName(header[:countAt])); err != nil {
		return err
	}
	workers := soup.Workers()
	size := min(max(n/(2*workers), smallestChunk), largestChunk)
	chunks := (n + size - 1) / size
	buffers := int64(0)
	if s.Data == nil {
		buffers = recordSize * int64(min(n, workers*sectionSize))
	}
	if err := b.Budget.Reserve(buffers); err != nil {
		return err
	}
	defer b.Budget.Release(buffers)
	decoders := make([]decoder, min(workers, chunks))
	var store func(worker, chunk, lo, hi int) error
	if b.Chunked {
		// Each triangle can have three points in the buffers and three more in the copy.
		points := pointBytes * 3 * int64(min(n, workers*size))
		if err := cmp.Or(b.ExpectChunked(n), b.Budget.Reserve(pointBytes*3*int64(n)+points)); err != nil {
			return err
		}
		defer b.Budget.Release(points)
		ends := make([]int, chunks)
		for c := range ends {
			ends[c] = min(n, (c+1)*size)
		}
		bits := weld.PartitionBits(3 * n)
		triangles := weld.NewTriangles[weld.Point32](ends, bits)
		filters := make([]weld.Filter[weld.Point32], len(decoders))
		b.Triangles = triangles
		b.AddChunked(n)
		store = func(worker, chunk, lo, hi int) error {
			d, f, faces := &decoders[worker], &filters[worker], triangles.Faces(chunk)
			err := d.decode(s, lo, hi, func(points []weld.Point32) {
				index := d.index[:len(points)]
				f.Add(points, index)
				for k := range len(index) / 3 {
					faces[k] = [3]int32(index[3*k:])
				}
				faces = faces[len(index)/3:]
			})
			triangles.Fill(chunk, f.Take(nil, bits))
			return err
		}
	} else {
		if err := b.GrowUnshared(n); err != nil {
			return err
		}
		b.Vertices, b.Faces = b.Vertices[:3*n], b.Faces[:n]
		store = func(worker, _, lo, hi int) error {
			next := 3 * lo
			return decoders[worker].decode(s, lo, hi, func(points []weld.Point32) {
				for _, p := range points {
					b.Vertices[next] = r3.Vector{X: float64(p.X), Y: float64(p.Y), Z: float64(p.Z)}
					next++
				}
				for i := next - len(points); i < next; i += 3 {
					b.Faces[i/3] = [3]int32{int32(i), int32(i + 1), int32(i + 2)}
				}
			})
		}
	}
	_, err := soup.InOrder(chunks, func(worker, c int) (struct{}, error) {
		return struct{}{}, store(worker, c, c*size, min(n, (c+1)*size))
	})
	if err == nil {
		b.StoredVertices = 3 * n
	}
	return err
}

// pointBytes is the size of a weld.Point32 with its index or its hash.
const pointBytes = 12 + 4

// decoder has the buffers of one worker.
type decoder struct {
	section []byte
	points  [3 * blockSize]weld.Point32
	index   [3 * blockSize]int32
}

// decode reads the triangles lo … hi−1 and calls use for each block of their corners. The argument of
// use is valid during the call.
func (d *decoder) decode(s *soup.Source, lo, hi int, use func(points []weld.Point32)) error {
	for ; lo < hi; lo += sectionSize {
		end := min(hi, lo+sectionSize)
		if err := s.Step(int64(end-lo) * recordSize); err != nil {
			return err
		}
		data, err := s.Section(&d.section, headerSize+recordSize*int64(lo), headerSize+recordSize*int64(end))
		if err != nil {
			return err
		}
		for f := lo; f < end; f += blockSize {
			n := min(blockSize, end-f)
			if bad := corners(d.points[:3*n], data[recordSize*(f-lo):]); bad >= 0 {
				corner := 3*f + bad
				return soup.AtByte(int64(headerSize+recordSize*(corner/3)+12*(1+corner%3)), soup.ErrNotFinite, "triangle %d, corner %d", corner/3, corner%3)
			}
			use(d.points[:3*n])
		}
	}
	return nil
}

// corners decodes len(dst)/3 records. It returns the first corner with a coordinate that is not
// finite, or −1. All float32 numbers are below mesh.MaxCoordinate.
func corners(dst []weld.Point32, records []byte) int {
	const infinity = 0xff << 23 // bits of the exponent
	for i := 0; i < len(dst); i += 3 {
		r := (*[recordSize]byte)(records)
		records = records[recordSize:]
		d := (*[3]weld.Point32)(dst[i:])
		for k := range d { // vector 0 of the record is the normal
			x := binary.LittleEndian.Uint32(r[12*k+12:])
			y := binary.LittleEndian.Uint32(r[12*k+16:])
			z := binary.LittleEndian.Uint32(r[12*k+20:])
			if max(x&^(1<<31), y&^(1<<31), z&^(1<<31)) >= infinity {
				return i + k
			}
			d[k] = weld.Point32{X: math.Float32frombits(x), Y: math.Float32frombits(y), Z: math.Float32frombits(z)}
		}
	}
	return -1
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
// the file. Such a conversion replaces single bytes by the three bytes of replacementChar. The
// conversion can also add a newline at the end.
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
		return soup.AtByte(0, soup.ErrUnknownFormat, "the %d bytes are neither text that begins with \"solid\" nor binary STL", len(data))
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
