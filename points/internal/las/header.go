package las

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

// Byte offsets in the header (LAS 1.4 R15, table 3; LAS 1.5 R00). Version 1.3 adds the field at atWaves. Version
// 1.4 adds the next fields, up to atReturns. Version 1.5 adds the fields from atMaxTime on.
const (
	atMajor         = 24
	atMinor         = 25
	atSize          = 94
	atPoints        = 96 // file offset of the first point
	atVLRCount      = 100
	atFormat        = 104
	atPointSize     = 105 // size of a point
	atLegacyCount   = 107
	atLegacyReturns = 111
	atScale         = 131
	atOffset        = 155
	atBox           = 179 // six float64: max x, min x, max y, …
	atWaves         = 227
	atEVLRs         = 235
	atEVLRCount     = 243
	atCount         = 247
	atReturns       = 255
	atMaxTime       = 375 // largest GPS time
	atMinTime       = 383 // smallest GPS time
	atTimeOffset    = 391 // offset of GPS times, in 10⁶ seconds
	headerSize      = 227 // header size of versions 1.0 to 1.2
	headerSize13    = 235
	headerSize14    = 375
	headerSize15    = 393
	vlrHeaderSize   = 54 // header size of a variable length record
	evlrHeaderSize  = 60 // header size of an extended variable length record
	legacyReturns   = 5
	maxReturns      = 15
)

// maxHeaderBytes bounds the number of bytes before the points. All these bytes stay in memory.
const maxHeaderBytes = 256 << 20

// le is the byte order of LAS.
var le = binary.LittleEndian

func getFloat(b []byte, at int) float64 { return math.Float64frombits(le.Uint64(b[at:])) }

func putFloat(b []byte, at int, x float64) { le.PutUint64(b[at:], math.Float64bits(x)) }

// header holds everything before the points.
type header struct {
	raw           []byte
	minor         int
	size          int // size of the header without its records
	format        int
	pointSize     int   // in bytes, with extra bytes
	count         int64 // number of points
	scale, offset [3]float64
	vlrs          []vlr
	vlrsEnd       int   // offset of the byte after the last variable length record
	evlrOffset    int64 // offset of the first extended record, 0 if there is none
	evlrCount     int64
	packed        *packed // compression of the points, or nil for plain points
}

// vlr is a variable length record.
type vlr struct {
	offset int // offset of the record header in the file
	user   string
	id     uint16
	length int // size of the record without its header
}

// body returns the content of record r, which follows the record header.
func (h *header) body(r vlr) []byte { return h.raw[r.offset+vlrHeaderSize:][:r.length] }

// pointsOffset returns the offset of the first point.
func (h *header) pointsOffset() int64 { return int64(len(h.raw)) }

// pointsEnd returns the offset after the last point. In a LAZ file with extended records, it is the
// offset of the first of them.
func (h *header) pointsEnd() int64 {
	if h.packed != nil && h.evlrOffset > 0 {
		return h.evlrOffset
	}
	return h.pointsOffset() + h.count*int64(h.pointSize)
}

// readHeader reads everything before the points. The file size −1 means unknown.
func readHeader(r io.Reader, size int64) (*header, error) {
	h := &header{raw: make([]byte, headerSize)}
	_, err := pointio.ReadFull(r, h.raw)
	switch {
	case string(h.raw[:4]) != "LASF" && (err == nil || errors.Is(err, io.EOF)):
		return nil, fmt.Errorf("%w: the first bytes are not LASF", table.ErrFormat)
	case err != nil:
		return nil, fmt.Errorf("header: %w", unexpectedEOF(err))
	}
	if major, minor := h.raw[atMajor], h.raw[atMinor]; major != 1 || minor > 5 {
		return nil, fmt.Errorf("%w: LAS %d.%d: expected 1.0 to 1.5", table.ErrFormat, major, minor)
	}
	h.minor = int(h.raw[atMinor])
	h.size = int(le.Uint16(h.raw[atSize:]))
	minSize := [...]int{headerSize, headerSize, headerSize, headerSize13, headerSize14, headerSize15}[h.minor]
	points := int64(le.Uint32(h.raw[atPoints:]))
	switch {
	case h.size < minSize:
		return nil, plural.Errorf("the header has %d bytes, but LAS 1.%d requires at least %d", h.size, h.minor, minSize)
	case points < int64(h.size):
		return nil, plural.Errorf("the points begin at byte %d, within the header of %d bytes", points, h.size)
	case size >= 0 && points > size:
		return nil, plural.Errorf("the points begin at byte %d, but the file has %d bytes: %w", points, size, io.ErrUnexpectedEOF)
	case points > maxHeaderBytes:
		return nil, fmt.Errorf("the points begin at byte %d: expected at most %d", points, maxHeaderBytes)
	}
	if err := h.readUpTo(r, int(points)); err != nil {
		return nil, err
	}
	for _, read := range []func() error{h.readVLRs, h.readFormat, h.readCount, h.readScale, h.readEVLRs} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return h, h.checkSize(size)
}

// unexpectedEOF replaces io.EOF by an error that wraps io.ErrUnexpectedEOF. It returns other errors
// unchanged.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// readUpTo reads the file up to an offset. It allocates memory piece by piece, because a wrong
// offset can be far beyond the end of the file.
func (h *header) readUpTo(r io.Reader, end int) error {
	const piece = 1 << 16
	for len(h.raw) < end {
		from := len(h.raw)
		h.raw = append(h.raw, make([]byte, min(piece, end-from))...)
		if n, err := pointio.ReadFull(r, h.raw[from:]); err != nil {
			return plural.Errorf("byte %d: cannot read the %d bytes before the points: %w", from+n, end, unexpectedEOF(err))
		}
	}
	return nil
}

// readVLRs finds the variable length records.
func (h *header) readVLRs() error {
	n := int64(le.Uint32(h.raw[atVLRCount:]))
	at := h.size
	for i := range n {
		if len(h.raw)-at < vlrHeaderSize {
			return plural.Errorf("byte %d: record %d of %d does not fit into the %d bytes before the points", at, i+1, n, len(h.raw))
		}
		r := vlr{offset: at, user: cString(h.raw[at+2 : at+18]), id: le.Uint16(h.raw[at+18:]), length: int(le.Uint16(h.raw[at+20:]))}
		if at += vlrHeaderSize; r.length > len(h.raw)-at {
			return plural.Errorf("byte %d: record %d of %d has %d bytes, but only %d are left before the points", at, i+1, n, r.length, len(h.raw)-at)
		}
		at += r.length
		h.vlrs = append(h.vlrs, r)
	}
	h.vlrsEnd = at
	return nil
}

// cString returns the bytes of b before the first NUL, or all bytes if b contains no NUL.
func cString(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}

// packedBits are the bits of the point format that compressors set.
const packedBits = 0xc0

// readFormat reads the point format. If the points are compressed, it removes the compression from the
// header (see unpackHeader).
func (h *header) readFormat() error {
	isPacked := h.raw[atFormat]&packedBits != 0 || slices.ContainsFunc(h.vlrs, func(r vlr) bool { return r.user == laz.UserID })
	if isPacked {
		if err := h.unpackHeader(); err != nil {
			return err
		}
	}
	format := h.raw[atFormat]
	if int(format) >= len(pointSizes) {
		return fmt.Errorf("%w: point format %d: expected 0 to %d", table.ErrFormat, format, len(pointSizes)-1)
	}
	if format < 6 && h.minor > 4 {
		return fmt.Errorf("point format %d in LAS 1.%d: expected 6 to 10", format, h.minor)
	}
	if format > 5 && h.minor < 4 {
		return fmt.Errorf("point format %d in LAS 1.%d: expected LAS 1.4", format, h.minor)
	}
	h.format, h.pointSize = int(format), int(le.Uint16(h.raw[atPointSize:]))
	if minSize := pointSizes[format]; h.pointSize < minSize {
		return plural.Errorf("a point has %d bytes, but point format %d needs at least %d", h.pointSize, format, minSize)
	}
	if isPacked {
		return formatError(h.packed.vlr.Check(h.format, h.pointSize))
	}
	return nil
}

// readCount reads the number of points.
func (h *header) readCount() error {
	old := uint64(le.Uint32(h.raw[atLegacyCount:]))
	n := old
	if h.minor >= 4 {
		if n = le.Uint64(h.raw[atCount:]); n == 0 {
			n = old // some writers set only the field for earlier versions
		}
		if old != 0 && old != n {
			return plural.Errorf("the header counts %d points, but its field for earlier versions counts %d", n, old)
		}
	}
	if n > math.MaxInt64/4/uint64(h.pointSize) {
		return plural.Errorf("%d points are more than any file holds", n)
	}
	h.count = int64(n)
	return nil
}

func (h *header) readScale() error {
	for i := range 3 {
		h.scale[i], h.offset[i] = getFloat(h.raw, atScale+8*i), getFloat(h.raw, atOffset+8*i)
		axis := "xyz"[i : i+1]
		if s := h.scale[i]; h.count > 0 && (s == 0 || s-s != 0) {
			return fmt.Errorf("scale of %s is %v: expected a finite number other than 0", axis, s)
		}
		if o := h.offset[i]; h.count > 0 && o-o != 0 {
			return fmt.Errorf("offset of %s is %v: expected a finite number", axis, o)
		}
	}
	return nil
}

// readEVLRs finds the extended records after the points. Waveform data are an extended record. The
// header of LAS 1.3 stores the offset of this record, but not the number of extended records.
func (h *header) readEVLRs() error {
	start := uint64(0)
	if h.minor >= 4 {
		start, h.evlrCount = le.Uint64(h.raw[atEVLRs:]), int64(le.Uint32(h.raw[atEVLRCount:]))
	}
	if h.evlrCount == 0 && h.minor >= 3 {
		if start = le.Uint64(h.raw[atWaves:]); start != 0 {
			h.evlrCount = 1
		}
	}
	if h.evlrCount == 0 {
		return nil
	}
	end := h.pointsEnd()
	if h.packed != nil {
		end = h.packed.pointsAt
	}
	if start > math.MaxInt64/2 || int64(start) < end {
		return fmt.Errorf("extended records begin at byte %d, but the points end at byte %d", start, end)
	}
	h.evlrOffset = int64(start)
	return nil
}

// checkSize fails if the points and records do not fit the file size. The size −1 means unknown.
func (h *header) checkSize(size int64) error {
	switch {
	case size < 0 || h.packed != nil:
		return nil // openPacked checks a LAZ file
	case h.pointsEnd() > size:
		return plural.Errorf("%d points of %d bytes end at byte %d, but the file has %d bytes: %w", h.count, h.pointSize, h.pointsEnd(), size, io.ErrUnexpectedEOF)
	case h.evlrOffset > 0 && (h.evlrOffset > size || h.evlrCount > (size-h.evlrOffset)/evlrHeaderSize):
		return plural.Errorf("%d extended records begin at byte %d, but the file has %d bytes: %w", h.evlrCount, h.evlrOffset, size, io.ErrUnexpectedEOF)
	}
	return nil
}
