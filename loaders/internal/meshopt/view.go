package meshopt

import (
	"cmp"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Mode is the kind of a stream.
type Mode uint8

// These are the modes of the specification.
const (
	Attributes Mode = iota // elements of any kind
	Triangles              // indices of a list of triangles
	Indices                // other indices
)

// Filter is a function that is applied to decoded attributes.
type Filter uint8

// These are the filters of the specification.
const (
	None        Filter = iota
	Octahedral         // unit vectors
	Quaternion         // rotations
	Exponential        // float32 numbers
	Color              // colors; only in KHR_meshopt_compression
)

var (
	modeNames   = [...]string{"ATTRIBUTES", "TRIANGLES", "INDICES"}
	filterNames = [...]string{"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"}
)

// ParseMode returns the mode with the given name in the specification, such as "ATTRIBUTES".
func ParseMode(name string) (Mode, bool) {
	i, ok := find(modeNames[:], name)
	return Mode(i), ok
}

// ParseFilter returns the filter with the given name in the specification, such as "NONE".
func ParseFilter(name string) (Filter, bool) {
	i, ok := find(filterNames[:], name)
	return Filter(i), ok
}

func find(names []string, name string) (int, bool) {
	for i, n := range names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// View describes the decoded content of a stream: Count elements of Stride bytes each.
type View struct {
	Mode          Mode
	Filter        Filter
	Count, Stride int
}

// Size returns the number of decoded bytes of a view that Check has accepted.
func (v View) Size() int64 { return int64(v.Count) * int64(v.Stride) }

// Check refuses a view that breaks a rule of the specification. It also refuses a stream with an
// unknown first byte, and a stream that is shorter than the shortest stream for v.
// Errors: soup.ErrSyntax, soup.ErrTruncated, soup.ErrTooLarge.
func (v View) Check(stream []byte) error {
	if err := v.checkRules(); err != nil {
		return err
	}
	if len(stream) == 0 {
		return soup.Reason(soup.ErrTruncated, "the compressed stream is empty")
	}
	least, err := v.leastBytes(stream[0])
	if err == nil && int64(len(stream)) < least {
		err = soup.Reason(soup.ErrTruncated, "the compressed stream has %d bytes, must have at least %d for %d elements of %d bytes",
			len(stream), least, v.Count, v.Stride)
	}
	return err
}

// checkRules checks the rules for count, stride and filter (section "JSON schema updates").
func (v View) checkRules() error {
	fail := func(format string, args ...any) error { return soup.Reason(soup.ErrSyntax, format, args...) }
	switch {
	case v.Count < 0:
		return fail("count is %d, must not be negative", v.Count)
	case v.Count > math.MaxInt32:
		return soup.Reason(soup.ErrTooLarge, "count is %d, must be at most %d", v.Count, math.MaxInt32)
	case v.Mode == Attributes && (v.Stride < 4 || v.Stride > 256 || v.Stride%4 != 0):
		return fail("byteStride is %d, must be a multiple of 4 from 4 to 256", v.Stride)
	case v.Mode != Attributes && v.Stride != 2 && v.Stride != 4:
		return fail("byteStride is %d, must be 2 or 4 for the mode %s", v.Stride, modeNames[v.Mode])
	case v.Mode == Triangles && v.Count%3 != 0:
		return fail("count is %d, must be a multiple of 3 for the mode TRIANGLES", v.Count)
	case v.Mode != Attributes && v.Filter != None:
		return fail("the mode %s has the filter %s, must have no filter", modeNames[v.Mode], filterNames[v.Filter])
	case v.Filter == Quaternion && v.Stride != 8:
		return fail("byteStride is %d, must be 8 for the filter QUATERNION", v.Stride)
	case (v.Filter == Octahedral || v.Filter == Color) && v.Stride != 4 && v.Stride != 8:
		return fail("byteStride is %d, must be 4 or 8 for the filter %s", v.Stride, filterNames[v.Filter])
	}
	return nil
}

// These are the first bytes of streams (appendix A).
const (
	headerAttributes0 = 0xa0
	headerAttributes1 = 0xa1
	headerTriangles   = 0xe1
	headerIndices     = 0xd1
)

// leastBytes returns the length of the shortest stream for v that begins with the byte header.
func (v View) leastBytes(header byte) (int64, error) {
	n := int64(v.Count)
	switch {
	case v.Mode == Triangles && header == headerTriangles:
		return 1 + n/3 + triangleTail, nil
	case v.Mode == Indices && header == headerIndices:
		return 1 + n + indexTail, nil
	case v.Mode == Attributes && (header == headerAttributes0 || header == headerAttributes1):
		version := int(header & 1)
		block := int64(blockElements(v.Stride))
		full, rest := n/block, n%block
		least := full * leastBlock(version, v.Stride, block)
		if rest > 0 {
			least += leastBlock(version, v.Stride, rest)
		}
		return 1 + least + int64(attributeTail(version, v.Stride)), nil
	}
	return 0, soup.Reason(soup.ErrSyntax, "the compressed stream begins with the byte %#02x, which the mode %s does not define", header, modeNames[v.Mode])
}

// Decode decodes the stream into dst, which must have v.Size() bytes. It calls done from time to time,
// and returns the error of done. The caller must have called Check. If Decode fails, the content of
// dst is undefined. Errors: soup.ErrSyntax, soup.ErrTruncated, the error of done.
func (v View) Decode(dst, stream []byte, done func() error) error {
	if int64(len(dst)) != v.Size() {
		panic(fmt.Sprintf("meshopt: %d bytes for %d elements of %d bytes", len(dst), v.Count, v.Stride))
	}
	switch v.Mode {
	case Triangles:
		return decodeTriangles(dst, stream, v, done)
	case Indices:
		return decodeIndices(dst, stream, v, done)
	}
	return cmp.Or(decodeAttributes(dst, stream, v, done), v.Filter.apply(dst, v.Stride, done))
}

// reader reads the bytes of a stream before its tail.
type reader struct {
	data []byte // the stream without its tail
	at   int    // number of bytes that were read
}

// fail returns an error at the present byte.
func (r *reader) fail(kind error, format string, args ...any) error {
	return soup.Reason(kind, "byte %d of the compressed stream: "+format, append([]any{r.at}, args...)...)
}

// next returns the next n bytes, or nil if fewer bytes are left.
func (r *reader) next(n int) []byte {
	if n > len(r.data)-r.at {
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

// truncated returns the error for a stream that ends too early.
func (r *reader) truncated() error {
	return r.fail(soup.ErrTruncated, "the data ends before the last element")
}

// end returns an error if bytes are left.
func (r *reader) end() error {
	if left := len(r.data) - r.at; left > 0 {
		return r.fail(soup.ErrSyntax, "the last element ends %d bytes before the tail", left)
	}
	return nil
}

// varint reads an unsigned number of 1 to 5 bytes with 7 bits each (LEB128). Bits beyond 32 are
// ignored, as the specification says.
func (r *reader) varint() (uint32, error) {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.next(1)
		if b == nil {
			return 0, r.truncated()
		}
		v |= uint32(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return v, nil
		}
	}
	return 0, r.fail(soup.ErrSyntax, "a number has more than 5 bytes")
}

// zigzag decodes a signed number whose lowest bit is the sign.
func zigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }
