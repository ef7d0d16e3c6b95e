package las

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*compressor)(nil)

// plainSink is a sink that writes a LAS file: a passthrough or a converter.
type plainSink interface {
	table.HeaderPatcher
	table.Resumer
	table.Lossy
	// lastHeader returns the header of the written points.
	lastHeader() []byte
	// movesTrailing reports whether the header has offsets of data after the points.
	movesTrailing() bool
}

// compressor writes the LAS file of a plainSink as LAZ. Goroutines encode the chunks, and Write and End
// write them in order. A compressor implements table.HeaderPatcher, table.Resumer and table.Lossy.
type compressor struct {
	plainSink
	out      io.Writer // writer of the last call
	head     []byte    // first bytes of the header until it is complete
	layout   packedLayout
	vlr      *laz.VLR     // nil until the header is written
	pending  []byte       // records of the next chunk
	jobs     []*encodeJob // chunks that are being encoded
	encoding int64        // total number of bytes of the records in jobs
	encoders sync.Pool
	free     [][]byte // buffers for records
	chunks   []laz.Chunk
	at       int64 // offset of the next chunk, or of the chunk table
	trailing int64 // offset of the extended records
}

// encodingBase and encodingPerWorker bound the records of the chunks that are being encoded: at most
// encodingBase bytes, plus encodingPerWorker for each processor. A chunk waits until the records in progress
// have fewer bytes.
const ( // tuning
	encodingBase      = 64 << 20
	encodingPerWorker = 2 << 20 // enough for a chunk of 50,000 points with 40 bytes
)

// packedLayout is the part of the header that determines where the points are and how long they
// are.
type packedLayout struct {
	Format, PointSize int
	PointsAt          int64 // offset of the points
}

// encodeJob is a chunk that a goroutine encodes.
type encodeJob struct {
	rows, data []byte
	err        error
	done       chan struct{}
}

// ConvertPacked returns a sink that writes src as LAZ. The points of a LAS or LAZ file are copied bit by
// bit. The points of other sources are converted as by Convert. The chunks have 50,000 points, or fewer
// if 50,000 points have more than 64 MB. NeedsPatch returns true.
//
// ConvertPacked returns the same errors as Convert and Passthrough.
func ConvertPacked(src table.Source, cols []table.Column) (table.Sink, error) {
	var inner plainSink
	var err error
	if s, ok := src.(*Source); ok {
		inner, err = s.plainPassthrough(cols)
	} else {
		inner, err = newConverter(src, cols, "laz")
	}
	if err != nil {
		return nil, err
	}
	return &compressor{plainSink: inner}, nil
}

func (c *compressor) NeedsPatch(int64) bool { return true }

func (c *compressor) Begin(w io.Writer, rows int64) error {
	c.out = w
	return c.plainSink.Begin(plainBytes{c}, rows)
}

func (c *compressor) Write(w io.Writer, b *table.Block) error {
	c.out = w
	return c.plainSink.Write(plainBytes{c}, b)
}

// End writes the last chunk, the chunk table and the data after the points.
func (c *compressor) End(w io.Writer) error {
	c.out = w
	if c.vlr == nil { // a converter without rows
		if err := c.plainSink.End(plainBytes{c}); err != nil {
			return err
		}
		return c.finish()
	}
	if err := c.finish(); err != nil {
		return err
	}
	return c.plainSink.End(w)
}

// finish writes the last chunk and the chunk table.
func (c *compressor) finish() error {
	if c.vlr == nil {
		return errors.New("laz: the header is missing")
	}
	if len(c.pending) > 0 {
		c.encode(c.pending)
		c.pending = nil
	}
	if err := c.drain(0, 0); err != nil {
		return err
	}
	data, err := laz.AppendTable(nil, c.vlr, c.chunks)
	if err != nil {
		return fmt.Errorf("laz: %w", err)
	}
	c.trailing = c.at + int64(len(data))
	_, err = c.out.Write(data)
	return err
}

// plainBytes receives the header and the records of the LAS file.
type plainBytes struct{ c *compressor }

func (p plainBytes) Write(b []byte) (int, error) {
	n := len(b)
	rest, err := p.c.takeHeader(b)
	if err == nil {
		err = p.c.addRows(rest)
	}
	if err != nil {
		return 0, err
	}
	return n, nil
}

// takeHeader collects the header and writes the header of the LAZ file when it is complete. It returns
// the bytes after the header.
func (c *compressor) takeHeader(b []byte) ([]byte, error) {
	if c.vlr != nil {
		return b, nil
	}
	c.head = append(c.head, b...)
	if len(c.head) < headerSize {
		return nil, nil
	}
	size := int(le.Uint32(c.head[atPoints:]))
	if len(c.head) < size {
		return nil, nil
	}
	raw, rest := c.head[:size], c.head[size:]
	c.layout = packedLayout{Format: int(raw[atFormat]), PointSize: int(le.Uint16(raw[atPointSize:]))}
	if err := c.makeVLR(); err != nil {
		return nil, err
	}
	head, err := c.packHeader(raw)
	if err != nil {
		return nil, err
	}
	c.layout.PointsAt = int64(len(head)) - 8
	// LASzip also writes the offset of the points at first. Readers can then recognize a file whose
	// writer stopped early.
	le.PutUint64(head[c.layout.PointsAt:], uint64(c.layout.PointsAt))
	c.at, c.head = int64(len(head)), nil
	_, err = c.out.Write(head)
	return rest, err
}

func (c *compressor) makeVLR() (err error) {
	if c.vlr, err = laz.NewVLR(c.layout.Format, c.layout.PointSize); err != nil {
		c.vlr = nil
		return fmt.Errorf("laz: %w: %w", table.ErrCannotHold, err)
	}
	c.vlr.ChunkSize = uint32(min(laz.DefaultChunkSize, maxChunkBytes/c.layout.PointSize))
	return nil
}

// packHeader returns the header of the LAZ file for the header of the LAS file, and 8 bytes for the
// offset of the chunk table.
func (c *compressor) packHeader(raw []byte) ([]byte, error) {
	h := &header{raw: raw, size: int(le.Uint16(raw[atSize:]))}
	if err := h.readVLRs(); err != nil {
		return nil, err
	}
	record := appendRecord(nil, laz.UserID, laz.RecordID, "by inpoly", c.vlr.Append(nil))
	out := slices.Insert(slices.Clone(raw), h.vlrsEnd, record...)
	if int64(len(out)) > math.MaxUint32-8 {
		return nil, plural.Errorf("laz: %w: the header has %d bytes", table.ErrCannotHold, len(out))
	}
	out[atFormat] |= 0x80
	le.PutUint32(out[atVLRCount:], uint32(len(h.vlrs)+1))
	le.PutUint32(out[atPoints:], uint32(len(out)))
	return append(out, make([]byte, 8)...), nil
}

// addRows adds records to the chunks.
func (c *compressor) addRows(rows []byte) error {
	if len(rows) == 0 {
		return nil
	}
	size := int(c.vlr.ChunkSize) * c.layout.PointSize
	for len(rows) > 0 {
		if c.pending == nil && len(c.free) > 0 {
			c.pending = c.free[len(c.free)-1]
			c.free = c.free[:len(c.free)-1]
		}
		k := min(len(rows), size-len(c.pending))
		c.pending = append(c.pending, rows[:k]...)
		rows = rows[k:]
		if len(c.pending) < size {
			return nil
		}
		c.encode(c.pending)
		c.pending = nil
		workers := runtime.GOMAXPROCS(0)
		if err := c.drain(workers, encodingBase+encodingPerWorker*int64(workers)); err != nil {
			return err
		}
	}
	return nil
}

// encode starts to encode a chunk.
func (c *compressor) encode(rows []byte) {
	j := &encodeJob{rows: rows, done: make(chan struct{})}
	c.jobs = append(c.jobs, j)
	c.encoding += int64(len(rows))
	go func() {
		defer close(j.done)
		j.data, j.err = c.encodeRows(rows)
	}()
}

// encodeRows returns the chunk of the given records.
func (c *compressor) encodeRows(rows []byte) ([]byte, error) {
	e, ok := c.encoders.Get().(*laz.Encoder)
	if !ok {
		var err error
		if e, err = laz.NewEncoder(c.vlr); err != nil {
			return nil, err
		}
	}
	defer c.encoders.Put(e)
	return e.Append(nil, rows)
}

// drain waits for the oldest chunks and writes them. It stops when at most the given number of chunks, with
// records of at most the given number of bytes, are being encoded.
func (c *compressor) drain(chunks int, bytes int64) error {
	for len(c.jobs) > chunks || c.encoding > bytes {
		j := c.jobs[0]
		c.jobs = c.jobs[1:]
		c.encoding -= int64(len(j.rows))
		if <-j.done; j.err != nil {
			return fmt.Errorf("laz: %w", j.err)
		}
		n := int64(len(j.data))
		c.chunks = append(c.chunks, laz.Chunk{Offset: c.at, Bytes: n, Points: int64(len(j.rows) / c.layout.PointSize)})
		c.at += n
		c.free = append(c.free, j.rows[:0])
		if _, err := c.out.Write(j.data); err != nil {
			return err
		}
	}
	return nil
}

// FinalHeader returns the header with the counts, the box, and the offsets of the chunk table and of
// the extended records.
func (c *compressor) FinalHeader() []byte {
	raw := c.lastHeader()
	if raw == nil || c.vlr == nil {
		return nil
	}
	count := int64(le.Uint32(raw[atLegacyCount:]))
	if raw[atMinor] >= 4 {
		count = int64(le.Uint64(raw[atCount:]))
	}
	head, err := c.packHeader(raw)
	if err != nil {
		return nil // packHeader cannot fail, because it has packed the header of the same records
	}
	if c.movesTrailing() {
		end := int64(len(raw)) + count*int64(c.layout.PointSize)
		for _, field := range trailingFields {
			if raw[atMinor] < field.minor {
				continue
			}
			if old := int64(le.Uint64(raw[field.at:])); old >= end {
				le.PutUint64(head[field.at:], uint64(old+c.trailing-end))
			}
		}
	}
	le.PutUint64(head[len(head)-8:], uint64(c.at))
	return head
}

// packedState is the part of a compressor that Resume restores.
type packedState struct {
	Inner  []byte
	Layout *packedLayout // nil before the header is written
	Chunks []uint32      // sizes of the written chunks in bytes
	Rows   int           // number of records of the next chunk
	Next   []byte        // these records, encoded
}

// State writes the chunks that are being encoded. The state has the records of the next chunk.
func (c *compressor) State() ([]byte, error) {
	inner, err := c.plainSink.State()
	if err != nil {
		return nil, err
	}
	s := packedState{Inner: inner}
	if c.vlr == nil {
		return json.Marshal(s)
	}
	if err := c.drain(0, 0); err != nil {
		return nil, err
	}
	s.Layout, s.Rows = &c.layout, len(c.pending)/c.layout.PointSize
	if s.Next, err = c.encodeRows(c.pending); err != nil {
		return nil, fmt.Errorf("laz: %w", err)
	}
	for _, k := range c.chunks {
		s.Chunks = append(s.Chunks, uint32(k.Bytes))
	}
	return json.Marshal(s)
}

// Resume restores a state.
func (c *compressor) Resume(rows int64, state []byte) error {
	var s packedState
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("laz: cannot read the state of an earlier run: %w", err)
	}
	if err := c.plainSink.Resume(rows, s.Inner); err != nil || s.Layout == nil {
		return err
	}
	c.layout = *s.Layout
	if err := c.makeVLR(); err != nil {
		return err
	}
	if s.Rows < 0 || s.Rows >= int(c.vlr.ChunkSize) {
		return plural.Errorf("laz: the state of an earlier run is not valid: %d records in the next chunk", s.Rows)
	}
	c.at = c.layout.PointsAt + 8
	for _, n := range s.Chunks {
		c.chunks = append(c.chunks, laz.Chunk{Offset: c.at, Bytes: int64(n), Points: int64(c.vlr.ChunkSize)})
		c.at += int64(n)
	}
	if s.Rows == 0 {
		return nil
	}
	d, err := laz.NewDecoder(c.vlr)
	if err != nil {
		return err
	}
	c.pending = make([]byte, s.Rows*c.layout.PointSize)
	if err := d.Decode(c.pending, s.Next, s.Rows); err != nil {
		return fmt.Errorf("laz: the state of an earlier run is not valid: %w", err)
	}
	return nil
}
