package las

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

// Options select the coordinate fields and the points to read. If Columns is empty, the coordinate
// fields are x, y and z.
type Options = pointio.Options

const ( // tuning
	blockBytes     = 1 << 20 // tens of thousands of points
	maxBlockBytes  = 1 << 28 // bounds the memory
	minBufferBytes = 1 << 12 // buffer for the records after the points
)

// Source reads a LAS file. It implements table.Source.
type Source struct {
	name         string
	header       *header
	dims         []dimension
	undocumented int // number of bytes of a point that no record describes
	fields       []table.Field
	axes         [3]int
	blockSize    int64

	r                               *bufio.Reader
	offset                          int64       // offset in the file of the next byte of r
	file                            io.ReaderAt // nil for a stream
	size                            int64
	firstPoint, nextPoint, endPoint int64 // start of the shard, next point to read, end of the shard
	passesEVLRs                     bool  // a passthrough sink copies the extended records
	addsExtraBytes                  bool  // the passthrough sink adds extra bytes and their description
	trailing                        int64 // bytes after the data that the header describes

	// The fields of a LAZ file.
	nodes     []table.Node    // nodes of a COPC file, or nil before the call of Nodes
	skipped   []bool          // nodes to skip
	nextChunk int             // next chunk to read
	sequence  bool            // the points are decoded in sequence instead of chunk by chunk
	stream    *laz.Stream     // decoder of points in sequence
	allEVLRs  int64           // number of extended records, including records of COPC; 0 if there are none
	temp      *disk.Temporary // copy of a stream, or nil
}

// New reads the header of a LAS file from r, which begins at the first byte of the file. For a
// plain file, the caller also passes the file as an io.ReaderAt, and its size. For a stream and for
// compressed input, it passes nil and −1. Error messages begin with the given name.
//
// A LAZ file needs random access, so a stream of it is copied to a temporary file, which Close removes.
//
// Errors: table.ErrFormat if the file is not a LAS file, or if its compression is not supported; table.ErrColumns if a
// column does not exist; io.ErrUnexpectedEOF if a LAS file is cut off. If a LAZ file is cut off, the error can also
// come from package laz.
func New(name string, r io.Reader, file io.ReaderAt, size int64, opt Options) (*Source, error) {
	s := &Source{name: name, size: size, blockSize: blockBytes}
	if size >= 0 {
		s.file = file
	}
	if opt.Block > 0 {
		s.blockSize = int64(min(opt.Block, maxBlockBytes))
	}
	s.r = bufio.NewReaderSize(r, max(minBufferBytes, int(s.blockSize)))
	if err := s.open(opt); err != nil {
		s.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// open reads everything before the points.
func (s *Source) open(opt Options) (err error) {
	if s.header, err = readHeader(s.r, s.size); err != nil {
		return err
	}
	var extra []dimension
	if extra, s.undocumented, err = s.header.extraDims(); err != nil {
		return err
	}
	s.dims = append(standardDims(s.header.format), extra...)
	for i := range 3 {
		s.dims[i].scaling = newScaling(s.header.scale[i], s.header.offset[i])
	}
	makeUnique(s.dims)
	for _, d := range s.dims {
		s.fields = append(s.fields, table.Field{Name: d.name, Type: d.typ})
	}
	if s.axes, err = s.findAxes(opt.Columns, opt.Find); err != nil {
		return err
	}
	if s.header.packed != nil {
		if err := opt.Check(); err != nil {
			return err
		}
		return s.openPacked(opt)
	}
	s.offset = s.header.pointsOffset()
	points := pointio.Records{Start: s.offset, Size: int64(s.header.pointSize), Count: s.header.count}
	if s.firstPoint, s.endPoint, err = points.Range(opt, s.file != nil); err != nil {
		return err
	}
	if s.nextPoint = s.firstPoint; s.firstPoint > 0 {
		s.seek(s.firstPoint)
	}
	return nil
}

// findAxes returns the indices of the fields that hold x, y and z. By default, these are the
// standard dimensions x, y and z, even if names of extra bytes look like coordinates.
func (s *Source) findAxes(columns [3]string, find pointio.Finder) ([3]int, error) {
	if columns == [3]string{} && find == nil {
		return [3]int{0, 1, 2}, nil
	}
	return axes.Choose(s.fields, columns, find, func(k int) bool { return axes.IsNumber(s.fields[k]) })
}

// seek moves s.r to the given point.
func (s *Source) seek(row int64) {
	s.offset = s.header.pointsOffset() + row*int64(s.header.pointSize)
	s.r.Reset(io.NewSectionReader(s.file, s.offset, math.MaxInt64-s.offset))
}

// Format returns "las", or "laz" if the points are compressed.
func (s *Source) Format() string {
	if s.header.packed != nil {
		return "laz"
	}
	return "las"
}

// Fields returns x, y and z, the other dimensions of the point format, and the extra bytes. Scaled
// values are float64.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the indices of the fields that hold x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns the number of points of the file, or of the shard.
func (s *Source) Rows() int64 { return s.endPoint - s.firstPoint }

// SeekTo makes Fill continue with point p.Row. In a stream, SeekTo reads all earlier points.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.nextPoint || p.Row > s.endPoint {
		return fmt.Errorf("%s: no point %d: expected a point from %d to %d", s.name, p.Row, s.nextPoint, s.endPoint)
	}
	if s.header.packed != nil {
		if err := s.seekPacked(p.Row); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		return nil
	}
	if s.file != nil {
		s.seek(p.Row)
	} else if err := s.copyBytes(io.Discard, (p.Row-s.nextPoint)*int64(s.header.pointSize)); err != nil {
		return fmt.Errorf("%s: before point %d: %w", s.name, p.Row, err)
	}
	s.nextPoint = p.Row
	return nil
}

// copyBytes copies the next n bytes to w.
func (s *Source) copyBytes(w io.Writer, n int64) error {
	k, err := io.CopyN(w, s.r, n)
	s.offset += k
	return unexpectedEOF(err)
}

// Fill reads the next points. After the last point, it also checks the extended records, unless a
// passthrough sink copies these records.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	if s.header.packed != nil && s.nextPoint < s.endPoint {
		if err := s.fillPacked(b); !errors.Is(err, errNoMore) {
			return err
		}
	}
	if s.nextPoint == s.endPoint {
		if !s.passesEVLRs {
			if err := s.copyEVLRs(io.Discard); err != nil {
				return err
			}
		}
		return io.EOF
	}
	size := int64(s.header.pointSize)
	n := min(s.endPoint-s.nextPoint, max(1, s.blockSize/size))
	want := int(n * size)
	b.Raw = slices.Grow(b.Raw, want)[:want]
	b.First = s.nextPoint
	k, err := pointio.ReadFull(s.r, b.Raw)
	s.offset += int64(k)
	if err != nil {
		return fmt.Errorf("%s: point %d of %d: %w", s.name, s.nextPoint+int64(k)/size, s.header.count, unexpectedEOF(err))
	}
	s.nextPoint += n
	b.Next = table.Position{Row: s.nextPoint}
	return nil
}

// copyEVLRs copies the extended records after the points to w. It does not copy bytes after the last record.
func (s *Source) copyEVLRs(w io.Writer) error {
	h := s.header
	if h.packed != nil {
		return s.copyPackedEVLRs(w)
	}
	if s.endPoint < h.count {
		if h.evlrOffset == 0 {
			return nil
		}
		s.seek(h.count)
	}
	if h.evlrOffset > 0 {
		if err := s.copyBytes(w, h.evlrOffset-s.offset); err != nil {
			return fmt.Errorf("%s: byte %d: before the extended records: %w", s.name, s.offset, err)
		}
	}
	for i := range h.evlrCount {
		if err := s.copyEVLR(w); err != nil {
			return fmt.Errorf("%s: byte %d: extended record %d of %d: %w", s.name, s.offset, i+1, h.evlrCount, err)
		}
	}
	n, err := io.Copy(io.Discard, s.r)
	if err != nil {
		return fmt.Errorf("%s: byte %d: %w", s.name, s.offset+n, err)
	}
	s.trailing += n
	return nil
}

// Trailing implements table.Trailer.
func (s *Source) Trailing() int64 { return s.trailing }

func (s *Source) copyEVLR(w io.Writer) error {
	header, err := s.r.Peek(evlrHeaderSize)
	if len(header) < evlrHeaderSize {
		return unexpectedEOF(err)
	}
	n := le.Uint64(header[20:])
	if n > math.MaxInt64/2 {
		return plural.Errorf("%d bytes are more than any file has", n)
	}
	if s.passesEVLRs && s.addsExtraBytes && cString(header[2:18]) == specUser && le.Uint16(header[18:]) == extraID {
		return fmt.Errorf("extended records already describe extra bytes: las: %w: answers would need a second description", table.ErrCannotHold)
	}
	if s.header.packed != nil && cString(header[2:18]) == copcUser {
		w = io.Discard
	}
	return s.copyBytes(w, evlrHeaderSize+int64(n))
}

// Parse parses the points of b.
func (s *Source) Parse(b *table.Block) error {
	if s.header.packed != nil && !s.sequence {
		if err := s.unpack(b); err != nil {
			return err
		}
	}
	size := s.header.pointSize
	n := len(b.Raw) / size
	b.Reserve(n)
	b.Points = b.Points[:n]
	if s.axes == [3]int{0, 1, 2} {
		x, y, z := &s.dims[0].scaling, &s.dims[1].scaling, &s.dims[2].scaling
		for k := range b.Points {
			row := b.Raw[k*size:][:12]
			b.Points[k] = r3.Vector{
				X: x.value(float64(int32(le.Uint32(row)))),
				Y: y.value(float64(int32(le.Uint32(row[4:])))),
				Z: z.value(float64(int32(le.Uint32(row[8:])))),
			}
		}
	} else {
		var v [3]table.Values
		for i, a := range s.axes {
			s.readDim(b, n, &s.dims[a], &v[i])
		}
		for k := range b.Points {
			b.Points[k] = r3.Vector{X: floatValue(&v[0], k), Y: floatValue(&v[1], k), Z: floatValue(&v[2], k)}
		}
	}
	if s.nodes != nil {
		if err := s.checkNodes(b); err != nil {
			return err
		}
	}
	b.CountPoints()
	return nil
}

// Values reads one field of all points of b into v.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	s.readDim(b, len(b.Points), &s.dims[field], v)
	return nil
}

// readDim reads dimension d of the n points of b into v.
func (s *Source) readDim(b *table.Block, n int, d *dimension, v *table.Values) {
	v.Reset(d.typ)
	if n == 0 {
		return
	}
	raw, size := b.Raw[d.offset:], s.header.pointSize
	if d.typ.IsFloat() {
		v.Floats = slices.Grow(v.Floats, n)[:n]
		d.readFloats(v.Floats, raw, size)
	} else {
		v.Ints = slices.Grow(v.Ints, n)[:n]
		d.readInts(v.Ints, raw, size)
	}
	if !d.hasNoData {
		return
	}
	for k := range n {
		if !d.isNoData(raw[k*size:]) {
			continue
		}
		if len(v.Missing) == 0 {
			v.Missing = append(v.Missing, make([]bool, n)...)
		}
		v.Missing[k] = true
		if d.typ.IsFloat() {
			v.Floats[k] = math.NaN()
		}
	}
}

// readInts reads one integer from each point. The most common types have their own loops.
func (d *dimension) readInts(dst []int64, raw []byte, size int) {
	switch {
	case d.bits > 0:
		mask := byte(1<<d.bits - 1)
		for k := range dst {
			dst[k] = int64(raw[k*size] >> d.shift & mask)
		}
	case d.raw == table.Uint8:
		for k := range dst {
			dst[k] = int64(raw[k*size])
		}
	case d.raw == table.Uint16:
		for k := range dst {
			dst[k] = int64(le.Uint16(raw[k*size:]))
		}
	default:
		for k := range dst {
			dst[k] = records.Integer(d.raw, raw[k*size:])
		}
	}
}

// readFloats reads one number from each point. The most common types have their own loops.
func (d *dimension) readFloats(dst []float64, raw []byte, size int) {
	switch {
	case d.scaled && d.raw == table.Int32:
		for k := range dst {
			dst[k] = d.scaling.value(float64(int32(le.Uint32(raw[k*size:]))))
		}
	case d.scaled:
		for k := range dst {
			dst[k] = d.scaling.value(records.Number(d.raw, raw[k*size:]))
		}
	case d.raw == table.Float64:
		for k := range dst {
			dst[k] = getFloat(raw, k*size)
		}
	default:
		for k := range dst {
			dst[k] = records.Number(d.raw, raw[k*size:])
		}
	}
}

// floatValue returns value k of v as float64, or NaN if the value is missing.
func floatValue(v *table.Values, k int) float64 {
	switch {
	case len(v.Missing) > 0 && v.Missing[k]:
		return math.NaN()
	case v.Type.IsFloat():
		return v.Floats[k]
	case v.Type == table.Uint64:
		return float64(uint64(v.Ints[k]))
	}
	return float64(v.Ints[k])
}

// isNoData reports whether the number at the start of b stands for a missing value. The field
// d.noData holds the bits of an int64 or a float64.
func (d *dimension) isNoData(b []byte) bool {
	if d.raw.IsFloat() {
		x, none := records.Number(d.raw, b), math.Float64frombits(d.noData)
		return x == none || math.IsNaN(x) && math.IsNaN(none)
	}
	return uint64(records.Integer(d.raw, b)) == d.noData
}
