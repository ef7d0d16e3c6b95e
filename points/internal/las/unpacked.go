package las

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sort"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

// copcUser is the user ID of the records of COPC.
const copcUser = "copc"

// compressedBits are bits of the point format that compressors set.
const compressedBits = 0xc0

// unpacked is the LAS file that a LAZ file contains: ReadAt returns the bytes of the header, of the points, and of
// the extended records. The header does not have the LASzip record. The records of COPC are left out too,
// because the hierarchy refers to bytes of the LAZ file.
//
// Several goroutines decode chunks ahead of the reader. ReadAt is for one goroutine at a time.
type unpacked struct {
	file   io.ReaderAt
	header *header
	vlr    *laz.VLR
	rows   int64
	end    int64 // rows from this one on are not decoded ahead
	tail   []span
	size   int64

	chunks []laz.Chunk
	firsts []int64 // the first row of each chunk
	ahead  []*decoding
	next   int // chunk of ahead[0]
	idle   chan *laz.Decoder

	stream *sequence // replaces the chunks if the file has no chunk table
}

// span is a range of bytes of the LAZ file.
type span struct{ offset, length int64 }

// decoding is a chunk that is being decoded, or is decoded once done is closed.
type decoding struct {
	rows []byte
	err  error
	done chan struct{}
}

// maxChunkBytes limits the decoded size of a chunk, because a chunk is decoded as a whole.
const maxChunkBytes = 1 << 30

// isPacked reports whether a header, which can be cut off after 227 bytes, has the marks of compressed points.
func (h *header) isPacked() bool {
	return h.raw[atFormat]&compressedBits != 0 || slices.ContainsFunc(h.vlrs, func(r vlr) bool { return r.user == laz.UserID })
}

// unpack returns the LAS file in a LAZ file of the given size. h is its header up to the variable length records.
//
// Errors: table.ErrFormat if a compressor is not supported; other errors if the file is damaged.
func unpack(h *header, file io.ReaderAt, size int64) (*unpacked, error) {
	i := slices.IndexFunc(h.vlrs, func(r vlr) bool { return r.user == laz.UserID && r.id == laz.RecordID })
	if i < 0 {
		return nil, fmt.Errorf("%w: the points are compressed, but there is no record 22204 of LASzip: write the file again with laszip or PDAL", table.ErrFormat)
	}
	u := &unpacked{file: file, idle: make(chan *laz.Decoder, runtime.GOMAXPROCS(0)+1)}
	var err error
	if u.vlr, err = laz.ParseVLR(h.body(h.vlrs[i])); err != nil {
		return nil, lazError(err)
	}
	plain := &header{raw: h.withoutPacking(), minor: h.minor, size: h.size}
	for _, read := range []func() error{plain.readVLRs, plain.readFormat, plain.readCount} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	if err := u.vlr.Check(plain.format, plain.pointSize); err != nil {
		return nil, lazError(err)
	}
	u.header, u.rows, u.end = plain, plain.count, plain.count
	if err := u.findTail(h, size); err != nil {
		return nil, err
	}
	u.size = plain.pointsEnd()
	for _, s := range u.tail {
		u.size += s.length
	}
	return u, u.findChunks(h.pointsOffset(), size)
}

// lazError adds table.ErrFormat to an error about an unsupported compressor.
func lazError(err error) error {
	if errors.Is(err, laz.ErrUnsupported) {
		return fmt.Errorf("%w: LAZ: %w", table.ErrFormat, err)
	}
	return fmt.Errorf("LAZ: %w", err)
}

// withoutPacking returns the header and the records of h without those of LASzip and COPC.
func (h *header) withoutPacking() []byte {
	raw := bytes.Clone(h.raw[:h.size])
	count := 0
	for _, r := range h.vlrs {
		if r.user != laz.UserID && r.user != copcUser {
			raw = append(raw, h.raw[r.offset:][:vlrHeaderSize+r.length]...)
			count++
		}
	}
	raw = append(raw, h.raw[h.vlrsEnd:]...)
	raw[atFormat] &^= compressedBits
	le.PutUint32(raw[atVLRCount:], uint32(count))
	le.PutUint32(raw[atPoints:], uint32(len(raw)))
	return raw
}

// findTail finds the extended records, and sets their offsets in the header of u. h is the header of the LAZ file.
func (u *unpacked) findTail(h *header, size int64) error {
	raw := u.header.raw
	start, count := int64(0), int64(0)
	if h.minor >= 4 {
		start, count = int64(min(le.Uint64(raw[atEVLRs:]), math.MaxInt64/2)), int64(le.Uint32(raw[atEVLRCount:]))
	}
	waves := int64(0)
	if h.minor >= 3 {
		waves = int64(min(le.Uint64(raw[atWaves:]), math.MaxInt64/2))
	}
	if count == 0 && waves != 0 {
		start, count = waves, 1
	}
	at, kept, newWaves := start, uint32(0), uint64(0)
	end := u.header.pointsEnd()
	for i := range count {
		var head [evlrHeaderSize]byte
		if err := readFull(u.file, head[:], at); err != nil {
			return fmt.Errorf("byte %d: extended record %d of %d: %w", at, i+1, count, err)
		}
		n := le.Uint64(head[20:])
		if n > uint64(max(0, size-at-evlrHeaderSize)) {
			return plural.Errorf("byte %d: extended record %d of %d has %d bytes, but the file has %d: %w", at, i+1, count, n, size, io.ErrUnexpectedEOF)
		}
		length := evlrHeaderSize + int64(n)
		if cString(head[2:18]) != copcUser {
			if at == waves {
				newWaves = uint64(end)
			}
			u.tail = append(u.tail, span{at, length})
			kept++
			end += length
		}
		at += length
	}
	if h.minor >= 4 {
		le.PutUint32(raw[atEVLRCount:], kept)
		le.PutUint64(raw[atEVLRs:], 0)
		if kept > 0 {
			le.PutUint64(raw[atEVLRs:], uint64(u.header.pointsEnd()))
		}
	}
	if h.minor >= 3 && waves >= h.pointsOffset() {
		le.PutUint64(raw[atWaves:], newWaves)
	}
	if h.minor == 3 && newWaves == 0 {
		u.tail = nil
	}
	return nil
}

// findChunks sets the chunks of the points, which begin at the given offset. A file without chunks, or without the
// table of its chunks, is decoded in sequence if possible.
func (u *unpacked) findChunks(pointsAt, size int64) (err error) {
	switch {
	case u.rows == 0:
		return nil
	case u.vlr.Compressor == laz.Pointwise:
		u.stream = &sequence{u: u, at: pointsAt, size: size}
		return nil
	}
	u.chunks, err = laz.ReadChunks(u.file, u.vlr, pointsAt, u.rows, size)
	if errors.Is(err, laz.ErrNoTable) {
		u.chunks, err = laz.FindChunks(u.file, u.vlr, pointsAt, u.rows, size)
	}
	if err != nil {
		return lazError(err)
	}
	row := int64(0)
	for i, c := range u.chunks {
		if c.Points > maxChunkBytes/int64(u.header.pointSize) {
			return plural.Errorf("LAZ: chunk %d of %d has %d points: more than %d bytes: write the file again with smaller chunks, such as laszip -chunk_size 50000", i+1, len(u.chunks), c.Points, maxChunkBytes)
		}
		if c.Bytes > 2*c.Points*int64(u.header.pointSize)+1<<16 { // no compressor makes points so much longer
			return plural.Errorf("LAZ: chunk %d of %d has %d bytes for %d points of %d bytes", i+1, len(u.chunks), c.Bytes, c.Points, u.header.pointSize)
		}
		u.firsts = append(u.firsts, row)
		row += c.Points
	}
	if row != u.rows {
		return plural.Errorf("LAZ: the chunks have %d points, but the header counts %d", row, u.rows)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (u *unpacked) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		k, err := u.read(p[n:], off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// read reads bytes of one part of the file: at least one byte, or it returns an error.
func (u *unpacked) read(p []byte, off int64) (int, error) {
	raw := u.header.raw
	if off < int64(len(raw)) {
		return copy(p, raw[off:]), nil
	}
	if end := u.header.pointsEnd(); off < end {
		at := off - int64(len(raw))
		rows, first, err := u.block(at / int64(u.header.pointSize))
		if err != nil {
			return 0, err
		}
		return copy(p, rows[at-first*int64(u.header.pointSize):]), nil
	} else {
		off -= end
	}
	for _, s := range u.tail {
		if off < s.length {
			k := int(min(int64(len(p)), s.length-off))
			return k, readFull(u.file, p[:k], s.offset+off)
		}
		off -= s.length
	}
	return 0, io.EOF
}

// readFull fills p with the bytes from an offset.
func readFull(r io.ReaderAt, p []byte, off int64) error {
	if n, err := r.ReadAt(p, off); n < len(p) {
		return unexpectedEOF(err)
	}
	return nil
}

// block returns the records of the rows around the given row, and the number of the first of them. They are valid
// until the next call.
func (u *unpacked) block(row int64) (rows []byte, first int64, err error) {
	if u.stream != nil {
		return u.stream.block(row)
	}
	k := sort.Search(len(u.firsts), func(i int) bool { return u.firsts[i] > row }) - 1
	u.advance(k)
	d := u.ahead[0]
	<-d.done
	if d.err != nil {
		c := u.chunks[k]
		return nil, 0, plural.Errorf("byte %d: points %d to %d: %w", c.Offset, u.firsts[k], u.firsts[k]+c.Points-1, lazError(d.err))
	}
	return d.rows, u.firsts[k], nil
}

// advance makes chunk k the first of u.ahead, and begins to decode it and some chunks after it.
func (u *unpacked) advance(k int) {
	var free [][]byte
	for len(u.ahead) > 0 && u.next != k {
		d := u.ahead[0]
		<-d.done
		free = append(free, d.rows)
		u.ahead = u.ahead[1:]
		u.next++
	}
	if len(u.ahead) == 0 {
		u.next = k
	}
	for len(u.ahead) <= runtime.GOMAXPROCS(0) {
		i := u.next + len(u.ahead)
		if i >= len(u.chunks) || i > k && u.firsts[i] >= u.end {
			return
		}
		d := &decoding{done: make(chan struct{})}
		if len(free) > 0 {
			d.rows, free = free[0], free[1:]
		}
		u.ahead = append(u.ahead, d)
		go u.decode(d, u.chunks[i])
	}
}

// decode decodes a chunk.
func (u *unpacked) decode(d *decoding, c laz.Chunk) {
	defer close(d.done)
	var decoder *laz.Decoder
	select {
	case decoder = <-u.idle:
	default:
		if decoder, d.err = laz.NewDecoder(u.vlr); d.err != nil {
			return
		}
	}
	packed := make([]byte, c.Bytes)
	if d.err = readFull(u.file, packed, c.Offset); d.err == nil {
		n := int(c.Points) * u.header.pointSize
		d.rows = slices.Grow(d.rows[:0], n)[:n]
		d.err = decoder.Decode(d.rows, packed, int(c.Points))
	}
	select {
	case u.idle <- decoder:
	default:
	}
}

// sequence decodes points without chunks.
type sequence struct {
	u        *unpacked
	at, size int64 // the points begin at byte at of the LAZ file, which has this size
	stream   *laz.Stream
	rows     []byte
	first    int64 // the first row of rows
	next     int64 // the next row of stream
}

// sequenceRows is the number of rows that are decoded at once.
const sequenceRows = 1 << 14 // tuning

// block does the work of unpacked.block. Earlier rows are decoded again.
func (s *sequence) block(row int64) ([]byte, int64, error) {
	size := int64(s.u.header.pointSize)
	if s.stream == nil || row < s.first {
		var err error
		if s.stream, err = laz.NewStream(io.NewSectionReader(s.u.file, s.at, s.size-s.at), s.u.vlr, s.u.rows); err != nil {
			return nil, 0, lazError(err)
		}
		s.first, s.next, s.rows = 0, 0, s.rows[:0]
	}
	for row >= s.next {
		n := min(sequenceRows, s.u.rows-s.next) * size
		s.rows = slices.Grow(s.rows[:0], int(n))[:n]
		k, err := s.stream.Next(s.rows)
		if err == nil && int64(k)*size < n {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			s.stream = nil
			return nil, 0, fmt.Errorf("point %d: %w", s.next+int64(k), lazError(err))
		}
		s.first, s.next = s.next, s.next+int64(k)
	}
	return s.rows, s.first, nil
}
