package las

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// Places in the header (LAS 1.4 R15, table 3). Version 1.3 adds the place of the waveform
// data, 1.4 the rest.
const (
	atMajor        = 24
	atMinor        = 25
	atSize         = 94
	atPoints       = 96 // where the points begin
	atRecords      = 100
	atFormat       = 104
	atRecord       = 105 // bytes of a point
	atCount32      = 107
	atReturns32    = 111
	atScale        = 131
	atOffset       = 155
	atBox          = 179 // max x, min x, max y, …
	atWaves        = 227
	atExtended     = 235
	atExtendedNum  = 243
	atCount        = 247
	atReturns      = 255
	headSize       = 227 // of versions up to 1.2
	headSize3      = 235
	headSize4      = 375
	recordHead     = 54 // of a variable length record
	extendedHead   = 60 // of an extended one
	returns32      = 5
	returnsMost    = 15
	maxRecordBytes = math.MaxUint16
)

// maxHead bounds what is held of a file before its points, and so the memory; a choice.
const maxHead = 256 << 20

// le is the byte order of LAS.
var le = binary.LittleEndian

// head is what stands before the points.
type head struct {
	raw           []byte
	minor         int
	size          int // of the header itself
	format        int
	record        int   // bytes of a point
	count         int64 // points
	scale, offset [3]float64
	records       []record
	recordsEnd    int   // place behind the last record
	tail          int64 // place of the first extended record, 0 if there is none
	tailCount     int64
}

// record is a variable length record.
type record struct {
	at     int // of its header
	user   string
	id     uint16
	length int // behind its header
}

// body returns the bytes of a record.
func (h *head) body(r record) []byte { return h.raw[r.at+recordHead:][:r.length] }

// points returns the place of the points.
func (h *head) points() int64 { return int64(len(h.raw)) }

// end returns the place behind the points.
func (h *head) end() int64 { return h.points() + h.count*int64(h.record) }

// readHead reads everything before the points; size is that of the file, −1 if not known.
func readHead(r io.Reader, size int64) (*head, error) {
	h := &head{raw: make([]byte, headSize)}
	if n, err := pointio.ReadFull(r, h.raw); err != nil {
		if n < 4 || string(h.raw[:4]) != "LASF" {
			return nil, notLAS(err)
		}
		return nil, fmt.Errorf("header: %w", cutOff(err))
	}
	if string(h.raw[:4]) != "LASF" {
		return nil, notLAS(nil)
	}
	if major, minor := h.raw[atMajor], h.raw[atMinor]; major != 1 || minor > 4 {
		return nil, fmt.Errorf("%w: LAS %d.%d: want 1.0 to 1.4", table.ErrFormat, major, minor)
	}
	h.minor = int(h.raw[atMinor])
	h.size = int(le.Uint16(h.raw[atSize:]))
	least := [...]int{headSize, headSize, headSize, headSize3, headSize4}[h.minor]
	points := int64(le.Uint32(h.raw[atPoints:]))
	switch {
	case h.size < least:
		return nil, fmt.Errorf("header size %d: LAS 1.%d has at least %d bytes", h.size, h.minor, least)
	case points < int64(h.size):
		return nil, fmt.Errorf("the points begin at byte %d, within the header of %d bytes", points, h.size)
	case size >= 0 && points > size:
		return nil, fmt.Errorf("the points begin at byte %d, but the file has %d: %w", points, size, io.ErrUnexpectedEOF)
	case points > maxHead:
		return nil, fmt.Errorf("the points begin at byte %d: want at most %d", points, maxHead)
	}
	if err := h.readTo(r, int(points)); err != nil {
		return nil, err
	}
	for _, read := range []func() error{h.readRecords, h.readFormat, h.readCount, h.readScale, h.readTail} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return h, h.fits(size)
}

// notLAS is the error of a file that begins with something else.
func notLAS(err error) error {
	if err != nil && err != io.EOF {
		return err
	}
	return fmt.Errorf("%w: the first bytes are not LASF", table.ErrFormat)
}

// cutOff makes the end of a file an error.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// readTo reads on up to a place of the file, in pieces, so that memory does not grow
// beyond what there is.
func (h *head) readTo(r io.Reader, end int) error {
	const piece = 1 << 16
	for len(h.raw) < end {
		from := len(h.raw)
		h.raw = append(h.raw, make([]byte, min(piece, end-from))...)
		if n, err := pointio.ReadFull(r, h.raw[from:]); err != nil {
			return fmt.Errorf("byte %d: header and records of %d bytes: %w", from+n, end, cutOff(err))
		}
	}
	return nil
}

// readRecords finds the variable length records.
func (h *head) readRecords() error {
	n := int64(le.Uint32(h.raw[atRecords:]))
	at := h.size
	for i := range n {
		if len(h.raw)-at < recordHead {
			return fmt.Errorf("byte %d: record %d of %d is beyond the %d bytes before the points", at, i+1, n, len(h.raw))
		}
		r := record{at: at, user: name(h.raw[at+2 : at+18]), id: le.Uint16(h.raw[at+18:]), length: int(le.Uint16(h.raw[at+20:]))}
		if at += recordHead; r.length > len(h.raw)-at {
			return fmt.Errorf("byte %d: record %d of %d has %d bytes, and %d are left before the points", at, i+1, n, r.length, len(h.raw)-at)
		}
		at += r.length
		h.records = append(h.records, r)
	}
	h.recordsEnd = at
	return nil
}

// name returns a string that ends with its room or at a NUL.
func name(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// readFormat reads the point format and refuses compressed ones.
func (h *head) readFormat() error {
	const compressed = 0xc0 // bits that compressors set
	format := h.raw[atFormat]
	packed := format&compressed != 0
	for _, r := range h.records {
		packed = packed || r.user == "laszip encoded"
	}
	if packed {
		return fmt.Errorf("%w: the points are compressed (LAZ): decompress the file first, with laszip -i in.laz -o in.las or pdal translate in.laz in.las", table.ErrFormat)
	}
	if int(format) >= len(recordSizes) {
		return fmt.Errorf("%w: point format %d: want 0 to %d", table.ErrFormat, format, len(recordSizes)-1)
	}
	if format > 5 && h.minor < 4 {
		return fmt.Errorf("point format %d in LAS 1.%d: want 1.4", format, h.minor)
	}
	h.format, h.record = int(format), int(le.Uint16(h.raw[atRecord:]))
	if least := recordSizes[format]; h.record < least {
		return fmt.Errorf("points of %d bytes: format %d has at least %d", h.record, format, least)
	}
	return nil
}

// readCount reads the number of points.
func (h *head) readCount() error {
	old := uint64(le.Uint32(h.raw[atCount32:]))
	n := old
	if h.minor >= 4 {
		if n = le.Uint64(h.raw[atCount:]); n == 0 {
			n = old // left out by some writers
		}
		if old != 0 && old != n {
			return fmt.Errorf("the header counts %d points, and %d in the field of earlier versions", n, old)
		}
	}
	if n > math.MaxInt64/4/uint64(h.record) {
		return fmt.Errorf("%d points are more than any file holds", n)
	}
	h.count = int64(n)
	return nil
}

// readScale reads scales and offsets.
func (h *head) readScale() error {
	for i := range 3 {
		h.scale[i] = math.Float64frombits(le.Uint64(h.raw[atScale+8*i:]))
		h.offset[i] = math.Float64frombits(le.Uint64(h.raw[atOffset+8*i:]))
		axis := "xyz"[i : i+1]
		if s := h.scale[i]; h.count > 0 && (s == 0 || s-s != 0) {
			return fmt.Errorf("scale of %s is %v: want a finite number other than 0", axis, s)
		}
		if o := h.offset[i]; h.count > 0 && o-o != 0 {
			return fmt.Errorf("offset of %s is %v: want a finite number", axis, o)
		}
	}
	return nil
}

// readTail finds the extended records behind the points. Waveform data of LAS 1.3 are
// one, without a count.
func (h *head) readTail() error {
	start := uint64(0)
	if h.minor >= 4 {
		start, h.tailCount = le.Uint64(h.raw[atExtended:]), int64(le.Uint32(h.raw[atExtendedNum:]))
	}
	if h.tailCount == 0 {
		start = 0
		if h.minor >= 3 {
			if waves := le.Uint64(h.raw[atWaves:]); waves != 0 {
				start, h.tailCount = waves, 1
			}
		}
	}
	if h.tailCount == 0 {
		return nil
	}
	if start > math.MaxInt64/2 || int64(start) < h.end() {
		return fmt.Errorf("extended records begin at byte %d, but the points end at byte %d", start, h.end())
	}
	h.tail = int64(start)
	return nil
}

// fits compares the counts with the size of the file, if that is known.
func (h *head) fits(size int64) error {
	switch {
	case size < 0:
		return nil
	case h.end() > size:
		return fmt.Errorf("%d points of %d bytes end at byte %d, but the file has %d: %w", h.count, h.record, h.end(), size, io.ErrUnexpectedEOF)
	case h.tail == 0 && h.end() < size:
		return fmt.Errorf("%d points of %d bytes end at byte %d, but the file has %d: more than the header says", h.count, h.record, h.end(), size)
	case h.tail > 0 && (h.tail > size || h.tailCount > (size-h.tail)/extendedHead):
		return fmt.Errorf("%d extended records from byte %d on, but the file has %d: %w", h.tailCount, h.tail, size, io.ErrUnexpectedEOF)
	}
	return nil
}

// tally is what a header says about its points.
type tally struct {
	Count    int64              `json:"count"`
	Returns  [returnsMost]int64 `json:"returns"` // by return number, from 1
	Min, Max [3]int32           // of X, Y and Z; Min > Max if there are none
}

// noTally returns the tally of no points.
func noTally() tally {
	t := tally{}
	for i := range t.Min {
		t.Min[i], t.Max[i] = math.MaxInt32, math.MinInt32
	}
	return t
}

// add adds the points of other.
func (t *tally) add(other *tally) {
	t.Count += other.Count
	for i, n := range other.Returns {
		t.Returns[i] += n
	}
	for i := range t.Min {
		t.Min[i], t.Max[i] = min(t.Min[i], other.Min[i]), max(t.Max[i], other.Max[i])
	}
}

// points counts whole records of that size; mask has the bits of the return number.
func (t *tally) points(b []byte, size int, mask byte) {
	lo, hi := t.Min, t.Max
	var returns [returnsMost + 1]int64 // 0 is no return
	for at := 0; at < len(b); at += size {
		row := b[at:][:15]
		x, y, z := int32(le.Uint32(row)), int32(le.Uint32(row[4:])), int32(le.Uint32(row[8:]))
		lo[0], lo[1], lo[2] = min(lo[0], x), min(lo[1], y), min(lo[2], z)
		hi[0], hi[1], hi[2] = max(hi[0], x), max(hi[1], y), max(hi[2], z)
		returns[row[14]&mask&15]++
	}
	t.Count += int64(len(b) / size)
	t.Min, t.Max = lo, hi
	for i, n := range returns[1:] {
		t.Returns[i] += n
	}
}

// returnMask returns the bits of the return number in byte 14 of a record.
func returnMask(format int) byte {
	if format < 6 {
		return 7
	}
	return 15
}

// setCount writes the number of points to the header raw, in all its fields.
func setCount(raw []byte, n int64) {
	minor, format := raw[atMinor], raw[atFormat]
	old := uint32(0)
	if minor < 4 || format < 6 && n <= math.MaxUint32 {
		old = uint32(n)
	}
	le.PutUint32(raw[atCount32:], old)
	if minor >= 4 {
		le.PutUint64(raw[atCount:], uint64(n))
	}
}

// setTally writes t to the header raw: counts, returns and the box, which is all zero
// without points.
func setTally(raw []byte, t *tally) {
	setCount(raw, t.Count)
	minor, format := raw[atMinor], raw[atFormat]
	for i := range returns32 {
		old := uint32(0)
		if minor < 4 || format < 6 && t.Count <= math.MaxUint32 {
			old = uint32(t.Returns[i])
		}
		le.PutUint32(raw[atReturns32+4*i:], old)
	}
	if minor >= 4 {
		for i, n := range t.Returns {
			le.PutUint64(raw[atReturns+8*i:], uint64(n))
		}
	}
	for i := range 3 {
		var lo, hi float64
		if t.Count > 0 {
			scale := math.Float64frombits(le.Uint64(raw[atScale+8*i:]))
			offset := math.Float64frombits(le.Uint64(raw[atOffset+8*i:]))
			lo, hi = float64(float64(t.Min[i])*scale)+offset, float64(float64(t.Max[i])*scale)+offset
			lo, hi = min(lo, hi), max(lo, hi) // a scale may be negative
		}
		le.PutUint64(raw[atBox+16*i:], math.Float64bits(hi))
		le.PutUint64(raw[atBox+16*i+8:], math.Float64bits(lo))
	}
}
