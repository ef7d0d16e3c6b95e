// Package ply reads and writes clouds of points as PLY files (Turk, "The PLY Polygon
// File Format", 1994): ascii, binary_little_endian and binary_big_endian.
//
// The rows of the element vertex are the points. Package axes finds the properties that hold the
// coordinates. They can have any numeric type. Source.Passthrough also copies other properties
// (including lists), comments, and the elements before and after the vertices. Source.Passthrough
// fails if rows are dropped and another element refers to vertices by number. A conversion to
// another format reads only the vertices.
//
// Answers become properties after the other properties. Comments in the header explain the values
// of the answers:
//
//	Inside         uchar   1 inside or on the surface, 0 outside, 255 uncertain
//	State          uchar   0 out, 1 in, 2 on, 255 uncertain
//	Number, Bound  double
//	Integer, Label int     a label is its number, or −1 if there is none
//
// In an ASCII file, each row is one line. Source.Passthrough copies its bytes with the line end. A
// blank line is an error. A line with more or fewer values than the element has properties is also
// an error. Floats in ASCII files are read as float64, whatever their declared type is.
//
// If the input is a stream, the elements before the vertices are stored in memory, up to 256 MB.
package ply

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// Options select the rows, and the properties that hold the coordinates; see package axes. A range of bytes needs rows of equal size, that is, a binary
// file without lists.
type Options = pointio.Options

const ( // tuning
	blockBytes = 1 << 20   // usual size of a block; it has tens of thousands of rows, so the cost per block is negligible
	leastPeek  = 1 << 12   // minimum size of the input buffer
	mostBlock  = 1 << 28   // maximum value of Options.Block, because indices into a block are int32
	maxRow     = 1 << 24   // maximum number of bytes of a row, to bound the memory
	maxPrefix  = 256 << 20 // for a stream, maximum number of bytes of elements before the vertices
)

// Source reads a PLY file. It implements table.Source.
type Source struct {
	file     string
	head     *plyfile.Header
	vertex   *plyfile.Element // the element named vertex
	vertexAt int
	fields   []table.Field
	axes     [3]int
	kinds    [3]plyfile.Kind // kinds of the properties of x, y and z
	fixed    bool            // rows are binary and have equal size
	row      int64           // number of bytes of a row, if fixed is true
	block    int             // usual size of a block in bytes

	br     *bufio.Reader
	pos    int64       // offset of the next byte of br in the decompressed input
	copied int64       // number of lines that copyLines has read
	at     io.ReaderAt // the file, or nil for a stream
	size   int64       // size of the input in bytes, or −1 if unknown
	prefix []byte      // bytes of the elements before the vertices, if the input is a stream
	start  int64       // offset of the first vertex
	line   int64       // number of lines before the first vertex of an ASCII file

	first, next, end int64 // first row of the shard, next row that Fill reads, and end of the shard
	posRow           int64 // number of the row that begins at pos
	passthrough      bool  // a sink copies the elements after the rows
	trailing         int64 // bytes after the last element
}

// New reads the header of a PLY file from r. The given name is the name of the file in error
// messages. The io.ReaderAt is the same file, or nil for a stream and for compressed input. The
// size in bytes is −1 if it is unknown.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	s := &Source{file: file, size: size, block: blockBytes}
	if size >= 0 {
		s.at = at
	}
	if opt.Block > 0 {
		s.block = min(opt.Block, mostBlock)
	}
	s.br = bufio.NewReaderSize(r, max(leastPeek, s.block))
	if err := s.open(opt); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// ASCII reports whether the file is text.
func (s *Source) ASCII() bool { return s.head.ASCII }

// open reads the header and the elements before the vertices.
func (s *Source) open(opt Options) error {
	h, vertex, err := readHeader(s.br)
	if err != nil {
		return err
	}
	s.head, s.vertexAt, s.vertex = h, vertex, &h.Elements[vertex]
	s.pos, s.line = int64(len(h.Text)), int64(h.Lines)
	s.fixed = !h.ASCII && s.vertex.Fixed()
	s.row = s.vertex.MinSize()
	for _, p := range s.vertex.Properties {
		f := table.Field{Name: p.Name, Type: tableTypes[p.Kind]}
		switch {
		case p.List:
			f.Type, f.Opaque = table.Text, "a list"
		case h.ASCII && p.Kind.IsFloat():
			f.Type = table.Float64
		}
		s.fields = append(s.fields, f)
	}
	if s.axes, err = axes.Choose(s.fields, opt.Columns, opt.Find, func(k int) bool { return axes.IsNumber(s.fields[k]) }); err != nil {
		return err
	}
	for i, a := range s.axes {
		s.kinds[i] = s.vertex.Properties[a].Kind
	}
	room := s.size
	if room < 0 {
		room = math.MaxInt64 / 2 // larger than any file, but small enough that sums do not overflow
	}
	if err := h.Fits(room - s.pos); err != nil {
		return headerError(err)
	}
	if err := s.readPrefix(); err != nil {
		return err
	}
	rows := pointio.Records{Start: s.start, Count: s.vertex.Count}
	if s.fixed {
		rows.Size = s.row
	}
	if s.first, s.end, err = rows.Range(opt, s.at != nil); err != nil {
		return err
	}
	s.next = s.first
	return nil
}

// readPrefix reads the elements before the vertices. If the input is a stream, it stores their
// bytes in s.prefix.
func (s *Source) readPrefix() error {
	var held bytes.Buffer
	var w io.Writer = io.Discard
	if s.at == nil {
		w = &limited{w: &held, left: maxPrefix}
	}
	for i := range s.vertexAt {
		if err := s.copyElement(w, &s.head.Elements[i]); err != nil {
			return err
		}
	}
	s.prefix, s.start = held.Bytes(), s.pos
	s.line += s.copied
	return nil
}

// seek makes s.br continue at the given offset of the file, at which the given row begins.
func (s *Source) seek(pos, row int64) {
	s.pos, s.posRow = pos, row
	s.br.Reset(io.NewSectionReader(s.at, pos, math.MaxInt64-pos))
}

// limited is a writer that fails if more than the given number of bytes are written.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, plural.Errorf("the elements before the vertices have more than %d bytes: use an uncompressed file instead of a stream", maxPrefix)
	}
	return l.w.Write(p)
}

// Format returns "ply".
func (s *Source) Format() string { return "ply" }

// Fields returns the properties of the vertices. Lists are opaque.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the indices of the properties of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns the number of rows that s reads: the rows of the file, or of the shard.
func (s *Source) Rows() int64 { return s.end - s.first }

// SeekTo implements table.Source. In a stream, SeekTo reads and discards the bytes before p.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.first || p.Row > s.end {
		return fmt.Errorf("%s: no row %d: expected a row from %d to %d", s.file, p.Row, s.first, s.end)
	}
	pos := p.Offset
	if s.fixed {
		pos = s.start + p.Row*s.row
	}
	if pos < s.start || s.size >= 0 && pos > s.size {
		return plural.Errorf("%s: row %d cannot be at byte %d", s.file, p.Row, pos)
	}
	s.next = p.Row
	if s.at != nil {
		s.seek(pos, p.Row)
		return nil
	}
	if pos < s.pos {
		return fmt.Errorf("%s: row %d has already been read", s.file, p.Row)
	}
	if err := s.copyBytes(io.Discard, pos-s.pos); err != nil {
		return fmt.Errorf("%s: before row %d: %w", s.file, p.Row, err)
	}
	s.posRow = p.Row
	return nil
}
