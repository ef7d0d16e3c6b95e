package laz

import (
	"errors"
	"fmt"
	"io"
)

// A Stream decodes the points of the point formats 0 to 5 in sequence. It reads files without chunks
// (compressor 1), and consecutive chunks of the same size (compressor 2) without a chunk table.
type Stream struct {
	r    io.Reader
	eof  bool
	size int

	p      *pointwise
	a      arithmeticDecoder
	buf    []byte // bytes that were read; a.src is a part of buf
	before int64  // bytes before buf

	left    int64  // points
	chunk   int64  // points in a chunk
	inChunk int64  // points until the next chunk
	last    []byte // the last record
	need    int    // upper bound of the bytes of rows points
	rows    int
}

// NewStream returns a Stream of the given number of points. r begins at the first point of the file for
// compressor 1, and at the first chunk for compressor 2. Errors wrap ErrDamaged or ErrUnsupported.
func NewStream(r io.Reader, v *VLR, points int64) (*Stream, error) {
	d, err := NewDecoder(v)
	if err != nil {
		return nil, err
	}
	if d.pointwise == nil {
		return nil, unsupported("a stream of layered chunks")
	}
	s := &Stream{r: r, size: d.size, p: d.pointwise, left: points, chunk: points, last: make([]byte, d.size)}
	if v.Compressor == PointwiseChunked {
		if v.ChunkSize == VariableChunks {
			return nil, unsupported("chunks of variable sizes without a chunk table")
		}
		s.chunk = int64(chunkSize(v))
	}
	// A symbol of a model has at most 2 bytes, an integer at most 8. POINT10 has 5 integers, RGB12 6
	// and a wave packet 6; GPS times have at most 40 bytes. Each extra byte has one integer or symbol.
	most := 256 + 8*d.size
	s.rows = max(1, (32<<10)/most)
	s.need = s.rows * most
	s.buf = make([]byte, 0, 4*s.need)
	return s, nil
}

// consumed returns the number of bytes of the points that were decoded so far. After the last point
// of a chunk, this is the end of the chunk.
func (s *Stream) consumed() int64 { return s.before + int64(s.a.pos) }

// Next decodes the next points to dst, which must have whole records and at least one. It returns the
// number of records. This number is less than dst can hold only after the last point. Then further
// calls return 0 and io.EOF. Errors: ErrDamaged for damaged data; the error of the reader, wrapped.
// Next must not be called again after an error.
func (s *Stream) Next(dst []byte) (int, error) {
	if len(dst) == 0 || len(dst)%s.size != 0 {
		panic(fmt.Sprintf("laz: Next: dst has %d bytes: expected records of %d bytes", len(dst), s.size))
	}
	if s.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(dst)/s.size), s.left))
	for done := 0; done < n; {
		if err := s.fill(); err != nil {
			return done, err
		}
		if s.inChunk == 0 {
			if err := s.begin(dst[done*s.size : (done+1)*s.size]); err != nil {
				return done, err
			}
			done++
			continue
		}
		k := int(min(int64(n-done), int64(s.rows), s.inChunk))
		to := dst[done*s.size : (done+k)*s.size]
		s.p.decode(&s.a, to, s.last)
		copy(s.last, to[len(to)-s.size:])
		if s.a.bad || s.a.pos > len(s.a.src) {
			return done, s.a.check("the points")
		}
		done += k
		s.left -= int64(k)
		s.inChunk -= int64(k)
	}
	return n, nil
}

// fill reads until a.src has enough bytes for s.rows points after a.pos, or until the end of the
// file.
func (s *Stream) fill() error {
	if s.eof || len(s.a.src)-s.a.pos >= s.need {
		return nil
	}
	n := copy(s.buf[:cap(s.buf)], s.a.src[s.a.pos:])
	s.before += int64(s.a.pos)
	s.buf = s.buf[:n]
	for empty := 0; len(s.buf) < cap(s.buf) && !s.eof; {
		k, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+k]
		switch {
		case errors.Is(err, io.EOF):
			s.eof = true
		case err != nil:
			return err
		case k > 0:
			empty = 0
		default:
			empty++
			if empty == 100 {
				return io.ErrNoProgress
			}
		}
	}
	s.a.src, s.a.pos = s.buf, 0
	return nil
}

// begin decodes the first record of a chunk.
func (s *Stream) begin(rec []byte) error {
	src := s.a.src[s.a.pos:]
	if len(src) < s.size {
		return damaged("the points end at byte %d, but %d points are missing", s.consumed()+int64(len(src)), s.left)
	}
	copy(rec, src)
	copy(s.last, rec)
	s.p.reset(rec)
	s.before += int64(s.a.pos + s.size)
	s.a.start(src[s.size:])
	s.left--
	s.inChunk = min(s.chunk, s.left+1) - 1
	if s.a.bad || s.a.pos > len(s.a.src) {
		return s.a.check("the points")
	}
	return nil
}
