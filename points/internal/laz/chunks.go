package laz

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// A Chunk is the place of a chunk in a file and its number of points.
type Chunk struct{ Offset, Bytes, Points int64 }

// tableHead is the number of bytes of the version and the number of chunks, before the compressed
// sizes of the chunks.
const tableHead = 8

// ReadChunks reads the chunk table of a file of size bytes. pointData is the offset of the points and
// points their number, both from the header of the file. The 8 bytes at pointData are the offset of
// the table, or -1 if the last 8 bytes of the file are the offset. The chunks are in the order of the
// points, without gaps, and have at least one point each.
//
// Errors: ErrDamaged for a damaged table; ErrDamaged and ErrNoTable for a missing table;
// ErrUnsupported for a compressor without chunks; the error of r, wrapped.
func ReadChunks(r io.ReaderAt, v *VLR, pointData, points, size int64) ([]Chunk, error) {
	if v.Compressor != PointwiseChunked && v.Compressor != LayeredChunked {
		return nil, unsupported("compressor %d has no chunks", v.Compressor)
	}
	if points == 0 && size < pointData+8 {
		return nil, nil
	}
	table, err := findTable(r, pointData, size)
	if err != nil {
		return nil, err
	}
	var head [tableHead]byte
	if err := readAt(r, head[:], table); err != nil {
		return nil, err
	}
	version, count := binary.LittleEndian.Uint32(head[:]), int64(binary.LittleEndian.Uint32(head[4:]))
	if version != 0 {
		return nil, damaged("the chunk table has version %d: expected 0", version)
	}
	// Each chunk begins with a record.
	if most := (size - pointData) / int64(max(1, v.RecordLength())); count > most || count > points {
		return nil, damaged("the chunk table has %d chunks: expected at most %d for %d points in %d bytes", count, min(most, points), points, size-pointData)
	}
	if need := fixedChunks(v, points); need >= 0 && count != need {
		return nil, damaged("the chunk table has %d chunks: expected %d for %d points in chunks of %d", count, need, points, v.ChunkSize)
	}
	// An entry has 2 integers of at most 8 bytes each. The arithmetic decoder reads 4 bytes more.
	packed := make([]byte, min(16*count+4, size-table-tableHead))
	if err := readAt(r, packed, table+tableHead); err != nil {
		return nil, err
	}
	chunks, err := unpackTable(v, packed, int(count), points)
	if err != nil {
		return nil, err
	}
	return chunks, setOffsets(chunks, pointData+8, points, table, size)
}

// findTable returns the offset of the chunk table. At least tableHead bytes of the file follow this
// offset.
func findTable(r io.ReaderAt, pointData, size int64) (int64, error) {
	if pointData < 0 || pointData+8 > size {
		return 0, damaged("the points begin at byte %d, but the file has %d bytes", pointData, size)
	}
	var b [8]byte
	if err := readAt(r, b[:], pointData); err != nil {
		return 0, err
	}
	table := int64(binary.LittleEndian.Uint64(b[:]))
	if table == pointData {
		return 0, ErrNoTable
	}
	if table == -1 {
		if err := readAt(r, b[:], size-8); err != nil {
			return 0, err
		}
		table = int64(binary.LittleEndian.Uint64(b[:]))
		if table < pointData+8 || table > size-8-tableHead {
			return 0, ErrNoTable
		}
	}
	if table < pointData+8 || table > size-tableHead {
		return 0, damaged("the chunk table begins at byte %d: expected %d to %d", table, pointData+8, size-tableHead)
	}
	return table, nil
}

// readAt fills b from r. If the file ends first, the error wraps ErrDamaged.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return damaged("the file ends at byte %d, in the middle of the points or of the chunk table", at+int64(n))
	}
	return err
}

// fixedChunks returns the number of chunks of a file whose chunks have the same size, and -1 for
// other files.
func fixedChunks(v *VLR, points int64) int64 {
	if v.ChunkSize == VariableChunks {
		return -1
	}
	k := int64(chunkSize(v))
	return (points + k - 1) / k
}

// chunkSize returns the number of points in a chunk. LASzip reads 0 as one chunk for all points.
func chunkSize(v *VLR) uint32 {
	if v.ChunkSize == 0 {
		return math.MaxUint32
	}
	return v.ChunkSize
}

// unpackTable decodes the numbers of points and bytes of the chunks.
func unpackTable(v *VLR, packed []byte, count int, points int64) ([]Chunk, error) {
	if count == 0 {
		return nil, nil
	}
	var d arithmeticDecoder
	d.start(packed)
	c := newInteger(32, 2)
	chunks := make([]Chunk, count)
	var lastPoints, lastBytes uint32
	for i := range chunks {
		n := min(points, int64(chunkSize(v)))
		if v.ChunkSize == VariableChunks {
			diff, _ := c.decode(&d, 0)
			lastPoints += uint32(diff)
			n = int64(lastPoints)
		}
		diff, _ := c.decode(&d, 1)
		lastBytes += uint32(diff)
		chunks[i] = Chunk{Bytes: int64(lastBytes), Points: n}
		points -= n
		if n == 0 || points < 0 || lastBytes == 0 {
			return nil, damaged("chunk %d of the chunk table has %d points and %d bytes", i, n, lastBytes)
		}
	}
	if d.bad || d.pos > len(packed) {
		return nil, damaged("the chunk table is cut off or contradicts itself")
	}
	return chunks, nil
}

// setOffsets sets the offsets of chunks that begin at byte at.
func setOffsets(chunks []Chunk, at, points, table, size int64) error {
	for i := range chunks {
		chunks[i].Offset = at
		at += chunks[i].Bytes
		points -= chunks[i].Points
	}
	if at > table {
		return damaged("the chunks end at byte %d, but the chunk table begins at byte %d of %d", at, table, size)
	}
	if points != 0 {
		return damaged("the chunk table has %d points less than the header", points)
	}
	return nil
}

// AppendTable appends the chunk table of a file to dst. The caller must write the offset of the table
// to the 8 bytes before the first chunk. The chunks must have the order of the points. If v.ChunkSize
// is not VariableChunks, each chunk except the last must have v.ChunkSize points. Errors wrap
// ErrUnsupported.
func AppendTable(dst []byte, v *VLR, chunks []Chunk) ([]byte, error) {
	if int64(len(chunks)) > math.MaxUint32 {
		return nil, unsupported("%d chunks: expected at most %d", len(chunks), uint32(math.MaxUint32))
	}
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(chunks)))
	if len(chunks) == 0 {
		return dst, nil
	}
	var e arithmeticEncoder
	e.start(dst)
	c := newInteger(32, 2)
	var last Chunk
	for i, k := range chunks {
		fixed := v.ChunkSize != VariableChunks
		size := int64(chunkSize(v))
		if k.Bytes < 1 || k.Bytes > math.MaxUint32 || k.Points < 1 || k.Points > size || fixed && k.Points < size && i < len(chunks)-1 {
			return nil, unsupported("chunk %d has %d points in %d bytes: the chunk size is %d", i, k.Points, k.Bytes, v.ChunkSize)
		}
		if !fixed {
			c.encode(&e, int32(uint32(k.Points)-uint32(last.Points)), 0)
		}
		c.encode(&e, int32(uint32(k.Bytes)-uint32(last.Bytes)), 1)
		last = k
	}
	e.finish()
	return e.out, nil
}

// FindChunks finds the chunks of a file whose chunk table is missing or damaged. The arguments have the
// same meaning as for ReadChunks. FindChunks reads the heads of layered chunks, and decodes all other
// chunks. If it finds fewer points than the file should have, it returns the chunks before the first
// damage and an error. The error wraps ErrUnsupported for chunks of variable size that are not layered:
// only a table can locate them.
func FindChunks(r io.ReaderAt, v *VLR, pointData, points, size int64) ([]Chunk, error) {
	if pointData < 0 || points < 0 {
		return nil, damaged("%d points begin at byte %d", points, pointData)
	}
	if v.Compressor == LayeredChunked {
		return findLayered(r, v, pointData+8, points, size)
	}
	at := pointData + 8
	s, err := NewStream(io.NewSectionReader(r, at, max(0, size-at)), v, points)
	if err != nil {
		return nil, err
	}
	var chunks []Chunk
	dst := make([]byte, s.size*max(1, (64<<10)/s.size))
	k := Chunk{Offset: at}
	for points > 0 {
		most := min(points, int64(chunkSize(v))-k.Points)
		n, err := s.Next(dst[:s.size*int(min(most, int64(len(dst)/s.size)))])
		if err != nil {
			return chunks, err
		}
		points -= int64(n)
		k.Points += int64(n)
		if points == 0 || k.Points == int64(chunkSize(v)) {
			k.Bytes = at + s.consumed() - k.Offset
			chunks = append(chunks, k)
			k = Chunk{Offset: k.Offset + k.Bytes}
		}
	}
	return chunks, nil
}

func findLayered(r io.ReaderAt, v *VLR, at, points, size int64) (chunks []Chunk, err error) {
	d, err := NewDecoder(v)
	if err != nil {
		return nil, err
	}
	head := make([]byte, d.layered.header())
	for points > 0 {
		if at > size-int64(len(head)) {
			return chunks, damaged("the file ends at byte %d, but %d points are missing", size, points)
		}
		if err := readAt(r, head, at); err != nil {
			return chunks, err
		}
		n, bytes := d.layered.layout(head)
		if n == 0 || n > points || bytes > size-at {
			return chunks, damaged("chunk %d has %d points and %d bytes: expected at most %d and %d", len(chunks), n, bytes, points, size-at)
		}
		chunks = append(chunks, Chunk{at, bytes, n})
		at += bytes
		points -= n
	}
	return chunks, nil
}
