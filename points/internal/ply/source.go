package ply

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// Options configure a Source. The zero value reads the whole file.
type Options struct {
	// Columns are the properties of x, y and z, by name or by number from 1. The zero value
	// means the properties named x, y and z.
	Columns [3]string
	// Shard i of Shards, from 1, restricts a plain file to the i-th of Shards equal parts
	// of its rows. 0 of 0 means the whole file.
	Shard, Shards int
	// Bytes restricts a plain file to the rows that begin in its bytes [Bytes[0],
	// Bytes[1]). Two zeros mean the whole file. It excludes Shards, and needs rows of equal
	// size: no text, and no lists.
	Bytes [2]int64
	// Block is the usual size of a block in bytes; 0 means 1 MB.
	Block int
}

// Limits. A block of blockBytes has tens of thousands of rows, so the cost of a block vanishes.
// mostBlock and maxRow bound the memory, and keep places in a block within int32. maxPrefix
// bounds the elements of a stream that are kept. // tuning
const (
	blockBytes = 1 << 20
	leastPeek  = 1 << 12
	mostBlock  = 1 << 28
	maxRow     = 1 << 24
	maxPrefix  = 256 << 20
)

// Source reads a PLY file. It implements table.Source.
type Source struct {
	file     string
	head     *plyfile.Header
	vertex   *plyfile.Element // element vertexAt of the header
	vertexAt int
	fields   []table.Field
	axes     [3]int
	kinds    [3]plyfile.Kind // of the axes
	fixed    bool            // binary rows of equal size
	row      int64           // bytes of a fixed row
	block    int

	br     *bufio.Reader
	pos    int64       // place of br in the decompressed input
	copied int64       // lines of other elements
	at     io.ReaderAt // nil for a stream
	size   int64       // of the input; −1 if unknown
	prefix []byte      // elements before the vertices, of a stream
	start  int64       // place of the first vertex
	line   int64       // lines before it, in an ASCII file

	first, next, end int64 // rows: first of the shard, next one, after the last
	posRow           int64 // row at pos
	passthrough      bool  // a sink copies the rest of the file after the rows
}

// New reads the header of a PLY file. r is the file from its first byte. at is the same file, or
// nil for a stream and for compressed input. size is the number of its bytes, or −1. file is
// its name for messages.
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
	s.setFields()
	if s.axes, err = s.findAxes(opt.Columns); err != nil {
		return err
	}
	for i, a := range s.axes {
		s.kinds[i] = s.vertex.Properties[a].Kind
	}
	room := s.size
	if room < 0 {
		room = math.MaxInt64 / 2 // larger than any file, and sums do not overflow
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
	if s.first, s.end, err = rows.Range(opt.Shard, opt.Shards, opt.Bytes, s.at != nil); err != nil {
		return err
	}
	s.next = s.first
	return nil
}

// setFields lists the properties of the vertices.
func (s *Source) setFields() {
	s.fields = make([]table.Field, len(s.vertex.Properties))
	for i, p := range s.vertex.Properties {
		f := table.Field{Name: p.Name, Type: types[p.Kind]}
		switch {
		case p.List:
			f.Type, f.Opaque = table.Text, "a list"
		case s.head.ASCII && p.Kind.IsFloat():
			f.Type = table.Float64
		}
		s.fields[i] = f
	}
}

// findAxes returns the properties of x, y and z.
func (s *Source) findAxes(columns [3]string) (axes [3]int, err error) {
	chosen := columns != [3]string{}
	for i := range axes {
		name := "xyz"[i : i+1]
		if chosen {
			name = columns[i]
		}
		exact, fold, n := -1, -1, 0
		for k := len(s.fields) - 1; k >= 0; k-- {
			switch {
			case s.fields[k].Name == name:
				exact = k
				n++
			case strings.EqualFold(s.fields[k].Name, name):
				fold = k
			}
		}
		if exact < 0 {
			exact = fold
		}
		if number, err := strconv.ParseUint(name, 10, 31); chosen && exact < 0 && err == nil && number > 0 && int(number) <= len(s.fields) {
			exact = int(number) - 1
		}
		switch {
		case exact < 0:
			return axes, fmt.Errorf("%w: the vertices have no property %s: they have %s", table.ErrColumns, quote(name), s.names())
		case n > 1 && !chosen:
			return axes, fmt.Errorf("%w: the vertices have %d properties %s", table.ErrColumns, n, quote(name))
		case s.vertex.Properties[exact].List:
			return axes, fmt.Errorf("property %s is a list, not a coordinate", quote(name))
		}
		axes[i] = exact
	}
	if axes[0] == axes[1] || axes[1] == axes[2] || axes[0] == axes[2] {
		return axes, fmt.Errorf("columns %s: want three different ones", strings.Join(columns[:], ", "))
	}
	return axes, nil
}

// names lists the properties, for messages.
func (s *Source) names() string {
	const most = 20
	var names []string
	for _, f := range s.fields {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// readPrefix reads the elements before the vertices. It keeps the bytes of a stream.
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

// seek makes br continue at pos in the file, the place of a row.
func (s *Source) seek(pos, row int64) {
	s.pos, s.posRow = pos, row
	s.br.Reset(io.NewSectionReader(s.at, pos, math.MaxInt64-pos))
}

// limited refuses to write more than left bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fmt.Errorf("more than %d bytes of elements before the vertices: want an uncompressed file instead of a stream", maxPrefix)
	}
	return l.w.Write(p)
}

// Format returns "ply".
func (s *Source) Format() string { return "ply" }

// Fields returns the properties of the vertices. Lists are opaque.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the properties of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns the number of rows of the file, or of the shard.
func (s *Source) Rows() int64 { return s.end - s.first }

// SeekTo implements table.Source. It reads a stream up to the place.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.first || p.Row > s.end {
		return fmt.Errorf("%s: row %d is not in %d to %d", s.file, p.Row, s.first, s.end)
	}
	pos := p.Offset
	if s.fixed {
		pos = s.start + p.Row*s.row
	}
	if pos < s.start || s.size >= 0 && pos > s.size {
		return fmt.Errorf("%s: row %d cannot be at byte %d", s.file, p.Row, pos)
	}
	s.next = p.Row
	if s.at != nil {
		s.seek(pos, p.Row)
		return nil
	}
	if pos < s.pos {
		return fmt.Errorf("%s: row %d was read already", s.file, p.Row)
	}
	if err := s.copyBytes(io.Discard, pos-s.pos); err != nil {
		return fmt.Errorf("%s: before row %d: %w", s.file, p.Row, err)
	}
	s.posRow = p.Row
	return nil
}
