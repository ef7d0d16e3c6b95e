package las

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

const copcUser = "copc" // user ID of the records of COPC files

const ( // limits of memory
	maxChunkBytes = 64 << 20 // larger chunks are decoded in sequence if they are not layered
	maxExpansion  = 4        // limit of the ratio of compressed to uncompressed size; encoders stay below it
)

// packed describes the compressed points of a LAZ file. The header that contains it describes the
// same file without compression.
type packed struct {
	vlr      *laz.VLR
	pointsAt int64  // offset of the points in the file
	dropped  int    // number of records of COPC that the header and the outputs do not have
	copc     []byte // content of the info record of COPC, or nil
	chunks   []laz.Chunk
	firstRow []int64 // number of points before each chunk, and the number of all points
	decoders sync.Pool
}

// packedBlock is the Block.Source of compressed points.
type packedBlock struct {
	bytes  []byte
	chunks []laz.Chunk
	first  int   // index of the first chunk
	offset int64 // offset of bytes in the file
}

// unpackHeader changes the header of a LAZ file to the header of the same file without compression.
// It removes the records of LASzip and COPC, because they describe the compressed points.
func (h *header) unpackHeader() error {
	p := &packed{pointsAt: int64(len(h.raw))}
	for _, r := range h.vlrs {
		if r.user == copcUser && r.id == copcInfoID {
			p.copc = slices.Clone(h.body(r))
		}
		if r.user != laz.UserID || r.id != laz.RecordID {
			continue
		}
		v, err := laz.ParseVLR(h.body(r))
		if err != nil {
			return fmt.Errorf("byte %d: %w", r.offset, formatError(err))
		}
		p.vlr = v
	}
	if p.vlr == nil {
		return fmt.Errorf("%w: the points are compressed, but the file has no record of LASzip that says how", table.ErrFormat)
	}
	if p.vlr.Compressor == laz.Uncompressed {
		return fmt.Errorf("%w: the record of LASzip says that the points are not compressed", table.ErrFormat)
	}
	kept, raw := 0, slices.Clone(h.raw[:h.size])
	for _, r := range h.vlrs {
		switch r.user {
		case copcUser:
			p.dropped++
		case laz.UserID:
		default:
			kept++
			raw = append(raw, h.raw[r.offset:r.offset+vlrHeaderSize+r.length]...)
		}
	}
	h.raw = append(raw, h.raw[h.vlrsEnd:]...)
	h.raw[atFormat] &^= packedBits
	le.PutUint32(h.raw[atVLRCount:], uint32(kept))
	le.PutUint32(h.raw[atPoints:], uint32(len(h.raw)))
	h.vlrs, h.packed = nil, p
	return h.readVLRs()
}

// formatError makes err also wrap table.ErrFormat if it reports an unsupported compression.
func formatError(err error) error {
	if errors.Is(err, laz.ErrUnsupported) {
		return fmt.Errorf("%w: %w", table.ErrFormat, err)
	}
	return err
}

// openPacked finds the chunks of a LAZ file and the records after them.
func (s *Source) openPacked(opt Options) error {
	if opt.Bytes != [2]int64{} {
		return errors.New("bytes cannot be selected in a LAZ file, because its points are compressed in chunks: use --shard (Options.Shard)")
	}
	if opt.Shards > 1 && s.file == nil {
		return errors.New("shards need a plain file of known size: the input must be neither a stream nor compressed")
	}
	if s.file == nil {
		if err := s.spoolInput(); err != nil {
			return err
		}
	}
	h, p := s.header, s.header.packed
	if p.pointsAt > s.size {
		return plural.Errorf("the points begin at byte %d, but the file has %d bytes: %w", p.pointsAt, s.size, io.ErrUnexpectedEOF)
	}
	if err := s.findChunks(); err != nil {
		return formatError(err)
	}
	if err := s.scanEVLRs(); err != nil {
		return err
	}
	lo, hi := int64(0), h.count
	if opt.Shards > 0 {
		lo, hi = pointio.ShardRange(h.count, opt.Shard, opt.Shards)
	}
	if s.sequence {
		s.firstPoint, s.endPoint = lo, hi
		return s.startSequence()
	}
	first, _ := slices.BinarySearch(p.firstRow, lo)
	end, _ := slices.BinarySearch(p.firstRow, hi)
	s.firstPoint, s.endPoint = p.firstRow[first], p.firstRow[end]
	s.nextPoint, s.nextChunk = s.firstPoint, first
	return nil
}

// findChunks reads the chunk table. Without a table, it finds the chunks by their content.
func (s *Source) findChunks() (err error) {
	h, p := s.header, s.header.packed
	if p.vlr.Compressor == laz.Pointwise {
		s.sequence = true
		return nil
	}
	p.chunks, err = laz.ReadChunks(s.file, p.vlr, p.pointsAt, h.count, s.size)
	missing := errors.Is(err, laz.ErrNoTable)
	if missing {
		p.chunks, err = laz.FindChunks(s.file, p.vlr, p.pointsAt, h.count, s.size)
	}
	if err != nil {
		return err
	}
	row, size := int64(0), int64(h.pointSize)
	for i, c := range p.chunks {
		p.firstRow = append(p.firstRow, row)
		row += c.Points
		raw := c.Points * size
		switch {
		case c.Bytes > maxExpansion*raw+1<<16:
			return plural.Errorf("chunk %d has %d bytes for %d points: %w", i, c.Bytes, c.Points, laz.ErrDamaged)
		case raw <= maxChunkBytes:
		case p.vlr.Compressor == laz.PointwiseChunked && p.vlr.ChunkSize != laz.VariableChunks:
			s.sequence = true
		case raw > maxBlockBytes:
			return fmt.Errorf("%w: chunk %d has %d points of %d bytes, more than %d bytes: write the file with chunks of 50000 points, for example with laszip",
				table.ErrFormat, i, c.Points, size, maxBlockBytes)
		}
	}
	p.firstRow = append(p.firstRow, row)
	if h.evlrCount > 0 || missing {
		return nil
	}
	return s.measureTable()
}

// maxTable returns an upper limit for the size of a chunk table in bytes, with the bytes that writers
// leave after it: 16 bytes for each chunk, and 64 more. Old writers leave up to 30 bytes after the
// table, in which some of them store the offset of the table.
func (p *packed) maxTable() int64 { return 64 + 16*int64(len(p.chunks)) }

// measureTable counts the trailing bytes after the chunk table. The exact length of the table is unknown, so
// measureTable assumes the greatest possible length.
func (s *Source) measureTable() error {
	p := s.header.packed
	if len(p.chunks) == 0 {
		return nil
	}
	var b [8]byte
	if _, err := s.file.ReadAt(b[:], p.pointsAt); err != nil {
		return unexpectedEOF(err)
	}
	if at := int64(le.Uint64(b[:])); at >= 0 {
		s.trailing = max(0, s.size-at-p.maxTable())
	}
	return nil
}

// scanEVLRs checks the sizes of the extended records. It removes the records of COPC from the
// header, because they have offsets of compressed points.
func (s *Source) scanEVLRs() error {
	h, p := s.header, s.header.packed
	if h.evlrCount == 0 {
		return nil
	}
	at, dropped := h.evlrOffset, int64(0)
	waves := int64(0)
	if h.minor >= 3 {
		waves = int64(le.Uint64(h.raw[atWaves:]))
	}
	for i := range h.evlrCount {
		var b [evlrHeaderSize]byte
		if _, err := s.file.ReadAt(b[:], at); err != nil {
			return plural.Errorf("byte %d: extended record %d of %d: %w", at, i+1, h.evlrCount, unexpectedEOF(err))
		}
		n := le.Uint64(b[20:])
		if n > uint64(max(0, s.size-at-evlrHeaderSize)) {
			return plural.Errorf("byte %d: extended record %d of %d has %d bytes: %w", at, i+1, h.evlrCount, n, io.ErrUnexpectedEOF)
		}
		whole := evlrHeaderSize + int64(n)
		if cString(b[2:18]) == copcUser {
			if dropped++; waves >= at+whole {
				le.PutUint64(h.raw[atWaves:], le.Uint64(h.raw[atWaves:])-uint64(whole))
			}
		}
		at += whole
	}
	if at < s.size && !s.tableFollows(at) {
		s.trailing = s.size - at
	}
	if dropped == 0 {
		return nil
	}
	p.dropped += int(dropped)
	s.allEVLRs = h.evlrCount
	if h.evlrCount -= dropped; h.evlrCount == 0 {
		h.evlrOffset = 0
		le.PutUint64(h.raw[atEVLRs:], 0)
	}
	le.PutUint32(h.raw[atEVLRCount:], uint32(h.evlrCount))
	return nil
}

// tableFollows reports whether the bytes from at to the end of the file can be a chunk table. Writers
// that cannot patch the file put the table and then its offset at the end.
func (s *Source) tableFollows(at int64) bool {
	p := s.header.packed
	if s.size-at > p.maxTable() {
		return false
	}
	var b [8]byte
	if p.vlr.Compressor == laz.Pointwise { // such a file has no chunk table
		return false
	}
	if _, err := s.file.ReadAt(b[:], p.pointsAt); err != nil {
		return false
	}
	table := int64(le.Uint64(b[:]))
	return table == -1 || table >= at
}

// spoolInput copies the points of a stream to a temporary file, because chunks need random access.
func (s *Source) spoolInput() error {
	f, err := disk.CreateTemporary("")
	if err != nil {
		return fmt.Errorf("create a temporary file for the LAZ input: %w", err)
	}
	s.temp = f
	n, err := io.Copy(f, s.r)
	if err != nil {
		return errors.Join(fmt.Errorf("copy the LAZ input to a temporary file: %w", err), s.Close())
	}
	at := s.header.packed.pointsAt
	s.file, s.size = shifted{f, at}, at+n
	return nil
}

// shifted is a file whose first bytes are missing.
type shifted struct {
	r  io.ReaderAt
	by int64 // number of missing bytes
}

func (f shifted) ReadAt(b []byte, at int64) (int, error) {
	if at < f.by {
		return 0, io.ErrUnexpectedEOF
	}
	return f.r.ReadAt(b, at-f.by)
}

// Close removes the temporary file of a LAZ stream. It does not close the input.
func (s *Source) Close() error {
	if s.temp == nil {
		return nil
	}
	err := s.temp.Close()
	s.temp = nil
	return err
}

// startSequence begins to decode all points in sequence, and skips those before s.firstPoint.
func (s *Source) startSequence() (err error) {
	p := s.header.packed
	at := p.pointsAt
	if p.vlr.Compressor != laz.Pointwise {
		at += 8 // offset of the chunk table
	}
	s.stream, err = laz.NewStream(io.NewSectionReader(s.file, at, s.size-at), p.vlr, s.header.count)
	if err != nil {
		return formatError(err)
	}
	s.nextPoint = 0
	return s.skipTo(s.firstPoint)
}

// skipTo decodes the points before the given one.
func (s *Source) skipTo(row int64) error {
	size := int64(s.header.pointSize)
	var buf []byte
	for s.nextPoint < row {
		want := min(row-s.nextPoint, max(1, s.blockSize/size)) * size
		buf = slices.Grow(buf[:0], int(want))[:want]
		if err := s.nextInSequence(buf); err != nil {
			return err
		}
	}
	return nil
}

// nextInSequence decodes the next points to dst.
func (s *Source) nextInSequence(dst []byte) error {
	size := s.header.pointSize
	n, err := s.stream.Next(dst)
	if err == nil && n < len(dst)/size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("point %d of %d: %w", s.nextPoint+int64(n), s.header.count, unexpectedEOF(err))
	}
	s.nextPoint += int64(n)
	return nil
}

// errNoMore is the error of fillPacked if all remaining nodes are skipped.
var errNoMore = errors.New("no more chunks")

// skipNodes skips chunks up to the next one that must be read.
func (s *Source) skipNodes() {
	for s.nextPoint < s.endPoint && s.skipped != nil && s.skipped[s.nextChunk] {
		s.nextPoint += s.header.packed.chunks[s.nextChunk].Points
		s.nextChunk++
	}
}

// nextBlock skips nodes, and returns the index after the last chunk of the next block and the number of its
// points. A block has at least one chunk, unless there are no more points.
func (s *Source) nextBlock() (end int, points int64) {
	p, size := s.header.packed, int64(s.header.pointSize)
	s.skipNodes()
	bytes := int64(0)
	for end = s.nextChunk; s.nextPoint+points < s.endPoint && (s.skipped == nil || !s.skipped[end]); end++ {
		c := p.chunks[end]
		// The number of bytes must be checked too: in a damaged file, a chunk of few points can
		// have many bytes.
		if bytes += c.Bytes; points > 0 && ((points+c.Points)*size > s.blockSize || bytes > 2*s.blockSize) {
			break
		}
		points += c.Points
	}
	return end, points
}

// NextBytes returns the memory that the compressed and decoded records of the next block, their points and
// the decoder need. It returns 0 if all blocks are small.
func (s *Source) NextBytes() int64 {
	p := s.header.packed
	if p == nil || s.sequence {
		return 0
	}
	end, points := s.nextBlock()
	if points == 0 {
		return 0
	}
	const perPoint = 24 + 4 // a point and the facts of a laz.Decoder
	first, last := p.chunks[s.nextChunk], p.chunks[end-1]
	return last.Offset + last.Bytes - first.Offset + points*int64(s.header.pointSize+perPoint) + p.vlr.ExtraMemory()
}

// fillPacked reads the next chunks into b. Parse decodes them.
func (s *Source) fillPacked(b *table.Block) error {
	p, size := s.header.packed, int64(s.header.pointSize)
	if s.sequence {
		b.First = s.nextPoint
		want := min(s.endPoint-s.nextPoint, max(1, s.blockSize/size)) * size
		b.Raw = slices.Grow(b.Raw[:0], int(want))[:want]
		if err := s.nextInSequence(b.Raw); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.Next = table.Position{Row: s.nextPoint}
		return nil
	}
	c, ok := b.Source.(*packedBlock)
	if !ok {
		c = new(packedBlock)
		b.Source = c
	}
	end, n := s.nextBlock()
	if n == 0 {
		return errNoMore
	}
	b.First = s.nextPoint
	c.chunks, c.first = p.chunks[s.nextChunk:end], s.nextChunk
	s.nextChunk, s.nextPoint = end, s.nextPoint+n
	last := c.chunks[len(c.chunks)-1]
	c.offset = c.chunks[0].Offset
	want := last.Offset + last.Bytes - c.offset
	c.bytes = slices.Grow(c.bytes[:0], int(want))[:want]
	if k, err := s.file.ReadAt(c.bytes, c.offset); k < len(c.bytes) {
		return fmt.Errorf("%s: point %d of %d: %w", s.name, b.First, s.header.count, unexpectedEOF(err))
	}
	b.Next, b.Read = table.Position{Row: s.nextPoint}, last.Offset+last.Bytes
	return nil
}

// unpack decodes the chunks of b to b.Raw.
func (s *Source) unpack(b *table.Block) error {
	p, c := s.header.packed, b.Source.(*packedBlock)
	d, ok := p.decoders.Get().(*laz.Decoder)
	if !ok {
		var err error
		if d, err = laz.NewDecoder(p.vlr); err != nil {
			return fmt.Errorf("%s: %w", s.name, formatError(err))
		}
	}
	defer p.decoders.Put(d)
	n := int64(0)
	for _, k := range c.chunks {
		n += k.Points
	}
	size := int64(s.header.pointSize)
	b.Raw = slices.Grow(b.Raw[:0], int(n*size))[:n*size]
	at, row := int64(0), b.First
	for _, k := range c.chunks {
		src := c.bytes[k.Offset-c.offset:][:k.Bytes]
		if err := d.Decode(b.Raw[at:at+k.Points*size], src, int(k.Points)); err != nil {
			return fmt.Errorf("%s: byte %d: points %d to %d: %w", s.name, k.Offset, row, row+k.Points-1, err)
		}
		at += k.Points * size
		row += k.Points
	}
	return nil
}

// seekPacked makes Fill continue with the given point, which begins a chunk.
func (s *Source) seekPacked(row int64) error {
	if s.sequence {
		return s.skipTo(row)
	}
	i, found := slices.BinarySearch(s.header.packed.firstRow, row)
	if !found {
		return fmt.Errorf("no chunk begins at point %d", row)
	}
	s.nextChunk, s.nextPoint = i, row
	return nil
}

// copyPackedEVLRs copies the extended records of a LAZ file to w, except the records of COPC.
func (s *Source) copyPackedEVLRs(w io.Writer) error {
	h := s.header
	if h.evlrOffset == 0 {
		return nil
	}
	s.offset = h.evlrOffset
	s.r.Reset(io.NewSectionReader(s.file, s.offset, math.MaxInt64-s.offset))
	for i := range max(h.evlrCount, s.allEVLRs) {
		if err := s.copyEVLR(w); err != nil {
			return fmt.Errorf("%s: byte %d: extended record %d: %w", s.name, s.offset, i+1, err)
		}
	}
	return nil
}
