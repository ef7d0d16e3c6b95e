package las

import (
	"io"
	"runtime"
	"slices"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/table"
)

var (
	_ table.HeaderPatcher = (*packer)(nil)
	_ table.Lossy         = (*packer)(nil)
)

// tableOffsetSize is the number of bytes before the first chunk, which hold the offset of the chunk table.
const tableOffsetSize = 8

// packer is a sink that writes the LAS file of another sink as a LAZ file. Several goroutines compress chunks. The
// output does not depend on their number.
type packer struct {
	las table.HeaderPatcher // passthrough or converter

	head    []byte // the header that las has written, or the front of it
	vlr     *laz.VLR
	size    int   // of a point
	rows    int64 // number of points that las has written
	written int64 // number of bytes of the LAZ file
	table   int64 // offset of the chunk table
	tail    int64 // offset of the extended records

	chunks []laz.Chunk
	rest   []byte // points of the next chunk
	jobs   []*packing
	idle   chan *laz.Encoder
}

// packing is a chunk that is being compressed, or is compressed once done is closed.
type packing struct {
	rows, out []byte
	err       error
	done      chan struct{}
}

func newPacker(las table.HeaderPatcher) *packer {
	return &packer{las: las, idle: make(chan *laz.Encoder, runtime.GOMAXPROCS(0)+1)}
}

// ConvertPacked is Convert for LAZ. The sink cannot be resumed.
func ConvertPacked(src table.Source, cols []table.Column) (table.Sink, error) {
	c, err := convert(src, cols, "laz")
	if err != nil {
		return nil, err
	}
	return newPacker(c), nil
}

// NeedsPatch returns true, because only the end of the file tells where the chunk table is.
func (p *packer) NeedsPatch(int64) bool { return true }

func (p *packer) Begin(w io.Writer, rows int64) error { return p.las.Begin(pointsWriter{p, w}, rows) }

func (p *packer) Format(b *table.Block) error { return p.las.Format(b) }

func (p *packer) Write(w io.Writer, b *table.Block) error { return p.las.Write(pointsWriter{p, w}, b) }

// Warnings returns the warnings of the other sink.
func (p *packer) Warnings() []string {
	if l, ok := p.las.(table.Lossy); ok {
		return l.Warnings()
	}
	return nil
}

// End writes the last chunk and the chunk table. The other sink then writes the extended records.
func (p *packer) End(w io.Writer) error {
	if p.vlr == nil { // a converter without rows writes its header now
		if err := p.las.End(pointsWriter{p, w}); err != nil {
			return err
		}
		return p.finish(w)
	}
	if err := p.finish(w); err != nil {
		return err
	}
	return p.las.End(writerFunc(func(b []byte) (int, error) { return p.write(w, b) }))
}

// finish writes the last chunk and the chunk table.
func (p *packer) finish(w io.Writer) error {
	if len(p.rest) > 0 {
		p.pack(p.rest)
		p.rest = nil
	}
	if err := p.flush(w, 0); err != nil {
		return err
	}
	p.table = p.written
	out, err := laz.AppendTable(nil, p.vlr, p.chunks)
	if err == nil {
		_, err = p.write(w, out)
	}
	p.tail = p.written
	return err
}

// FinalHeader returns the whole header, with the offset of the chunk table.
func (p *packer) FinalHeader() []byte {
	head := p.las.FinalHeader()
	if head == nil {
		head = p.head
	}
	return p.packedHead(head)
}

// packedHead returns the header of the LAZ file for a header of the LAS file, and the offset of the chunk table.
func (p *packer) packedHead(las []byte) []byte {
	h := &header{raw: slices.Clone(las), minor: int(las[atMinor]), size: int(le.Uint16(las[atSize:]))}
	if err := h.readVLRs(); err != nil {
		panic("las: a header of its own is damaged: " + err.Error())
	}
	record := appendRecord(nil, laz.UserID, laz.RecordID, "inpoly", p.vlr.Append(nil))
	out := slices.Insert(h.raw, h.vlrsEnd, record...)
	out[atFormat] |= 0x80
	le.PutUint32(out[atVLRCount:], uint32(len(h.vlrs)+1))
	le.PutUint32(out[atPoints:], uint32(len(out)))
	// Offsets after the points move to the end of the chunk table.
	end := int64(len(las)) + p.rows*int64(p.size)
	for _, field := range []struct{ at, minor int }{{atWaves, 3}, {atEVLRs, 4}} {
		if h.minor < field.minor {
			continue
		}
		if old := int64(le.Uint64(las[field.at:])); p.tail > 0 && old >= end {
			le.PutUint64(out[field.at:], uint64(old-end+p.tail))
		}
	}
	return le.AppendUint64(out, uint64(p.table))
}

// writerFunc is a function that implements io.Writer.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func (p *packer) write(w io.Writer, b []byte) (int, error) {
	n, err := w.Write(b)
	p.written += int64(n)
	return n, err
}

// pointsWriter receives the header and the points of the LAS file.
type pointsWriter struct {
	p *packer
	w io.Writer
}

func (s pointsWriter) Write(b []byte) (int, error) {
	n := len(b)
	if s.p.vlr == nil {
		k, err := s.p.addHead(s.w, b)
		if err != nil {
			return 0, err
		}
		b = b[k:]
	}
	return n, s.p.addRows(s.w, b)
}

// addHead adds bytes to the header, and writes the header when it is complete. It returns the number of bytes that
// belong to the header.
func (p *packer) addHead(w io.Writer, b []byte) (n int, err error) {
	length := headerSize
	for {
		k := min(length-len(p.head), len(b)-n)
		p.head = append(p.head, b[n:n+k]...)
		if n += k; len(p.head) < length {
			return n, nil
		}
		if length = int(le.Uint32(p.head[atPoints:])); len(p.head) == length {
			break
		}
	}
	p.size = int(le.Uint16(p.head[atPointSize:]))
	if p.vlr, err = laz.NewVLR(int(p.head[atFormat]), p.size); err != nil {
		return n, lazError(err)
	}
	_, err = p.write(w, p.packedHead(p.head))
	return n, err
}

// addRows adds points, and writes the chunks that are compressed.
func (p *packer) addRows(w io.Writer, b []byte) error {
	p.rows += int64(len(b) / max(1, p.size))
	full := laz.DefaultChunkSize * p.size
	for len(b) > 0 {
		if p.rest == nil {
			p.rest = make([]byte, 0, full)
		}
		k := min(full-len(p.rest), len(b))
		p.rest = append(p.rest, b[:k]...)
		if b = b[k:]; len(p.rest) == full {
			p.pack(p.rest)
			p.rest = nil
		}
	}
	return p.flush(w, runtime.GOMAXPROCS(0))
}

// pack begins to compress a chunk.
func (p *packer) pack(rows []byte) {
	j := &packing{rows: rows, done: make(chan struct{})}
	p.jobs = append(p.jobs, j)
	go func() {
		defer close(j.done)
		var e *laz.Encoder
		select {
		case e = <-p.idle:
		default:
			if e, j.err = laz.NewEncoder(p.vlr); j.err != nil {
				return
			}
		}
		j.out, j.err = e.Append(nil, j.rows)
		select {
		case p.idle <- e:
		default:
		}
	}()
}

// flush writes chunks in order until at most the given number is being compressed.
func (p *packer) flush(w io.Writer, left int) error {
	for len(p.jobs) > left {
		j := p.jobs[0]
		<-j.done
		if j.err != nil {
			return lazError(j.err)
		}
		p.chunks = append(p.chunks, laz.Chunk{Offset: p.written, Bytes: int64(len(j.out)), Points: int64(len(j.rows) / p.size)})
		if n, err := p.write(w, j.out); err != nil || n < len(j.out) {
			if err == nil {
				err = plural.Errorf("only %d of %d bytes were written: %w", n, len(j.out), io.ErrShortWrite)
			}
			return err
		}
		p.jobs = p.jobs[1:]
	}
	return nil
}
