package points

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/internal/npy"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// Options of a Reader. The zero value is good.
type Options struct {
	// Columns names the columns of x, y and z by header or by number from 1; all
	// empty means that they are detected.
	Columns [3]string
	// Text names columns of a text, by header or by number from 1, that are taken as
	// text whatever is in them. It is an error for other formats, whose columns have
	// types, and for columns of x, y and z.
	Text []string
	// Shard i of Shards, from 1, restricts a file to its rows that begin in the i-th
	// of Shards equal parts, by bytes in text and by rows in other formats. The outputs
	// of text shards one after the other are the output of the whole. 0 of 0 means
	// the whole. Line numbers stay those of the file.
	Shard, Shards int
	// Bytes restricts a text to the rows that begin in [Bytes[0], Bytes[1]) of its plain
	// bytes, and other files whose rows have fixed places (not ASCII PLY, nor Parquet) to
	// those that begin there. Ranges that meet give each row once. Two zeros mean the
	// whole. It excludes shards.
	Bytes [2]int64

	block int // bytes a block; 0 means what the format takes
}

// Reader reads one point cloud, once, from front to back. Its methods are not
// for concurrent use, but for Close.
type Reader struct {
	name        string
	file        io.Closer // nil for a stream of the caller
	undo        func()    // frees the decompressor
	raw         *counter
	size        int64
	compression string
	src         table.Source
	mu          sync.Mutex // held while the input is read
}

// Open opens the point file at path. The format is told by its first bytes, not
// by its suffix. It fails for a directory, for an empty file and for a format
// that is not read (ErrFormat).
func Open(path string, opt Options) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = fmt.Errorf("%s: %w", path, p.Err)
		}
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && fi.IsDir() {
		err = fmt.Errorf("%s: is a directory, want a point file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	size := int64(-1)
	if fi.Mode().IsRegular() {
		size = fi.Size()
	}
	r, err := newReader(path, f, size, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// NewReader reads a point cloud from a stream; name stands for it in messages.
// Streams have no known size: they cannot be sharded, and neither arrays in Fortran
// order nor Parquet files can be read from them.
func NewReader(name string, r io.Reader, opt Options) (*Reader, error) {
	return newReader(name, r, -1, opt)
}

// newReader looks at the first bytes of src, whose size is −1 if not known.
func newReader(name string, src io.Reader, size int64, opt Options) (*Reader, error) {
	r := &Reader{name: name, raw: &counter{r: src}, size: max(size, 0)}
	magic, packed, _, err := pointio.Peek(r.raw, magicBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var plain io.Reader
	if plain, r.compression, r.undo, err = decompress(magic, packed); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var at io.ReaderAt
	if a, ok := src.(io.ReaderAt); ok && r.compression == "" && size >= 0 {
		r.raw.at, at = a, r.raw
	} else {
		size = -1
	}
	if r.src, err = newSource(name, plain, at, size, opt); err != nil {
		r.undo()
		return nil, r.explain(err)
	}
	return r, nil
}

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Format returns the name of the format: text, npy, ply, las or parquet.
func (r *Reader) Format() string { return r.src.Format() }

// Compression returns gzip, zstd or "".
func (r *Reader) Compression() string { return r.compression }

// Fields returns the columns. They must not be modified.
func (r *Reader) Fields() []table.Field { return r.src.Fields() }

// Axes returns the columns of x, y and z, from 0.
func (r *Reader) Axes() [3]int { return r.src.Axes() }

// Layout is the layout of a text, as detected.
//
// Tab, semicolon, bar, comma and blanks are tried as the delimiter of the first rows, with
// decimal points and (except for comma) with decimal commas. The one under which most rows
// have three numeric coordinates wins, the earlier of equals.
//
// The first row is a header if it names the coordinates (x, y, z; lon, lat, alt; easting,
// northing, elevation; any names that differ in one letter x, y, z, such as x_pos or cx;
// units in brackets are ignored), or if it has at least three different words and nothing
// else. A comment line directly before the first row that names as many columns as the row
// has is a header too. A header has as many columns as the first data row, or one less if
// the rows begin with a name, quoted or text: R writes row names like that.
//
// Without names the first three numeric columns are the coordinates. A header that names
// only some of the axes, or none with more than three numeric columns, is an error
// (table.ErrColumns).
//
// A first line sep=; gives the delimiter. A first line with one whole number counts the
// points, and a line of free text may follow it, as in molecular .xyz files. These lines
// pass through.
type Layout struct {
	// Delimiter separates columns: '\t', ';', '|', ',' or ' ' for any run of blanks.
	Delimiter byte
	// DecimalComma means that 1,5 is three halves.
	DecimalComma bool
	// Header has the column names, nil without a header.
	Header []string
	// HeaderLine is the number of the header's line, 0 without a header.
	HeaderLine int64
	// Columns are the columns of x, y and z, from 0.
	Columns [3]int
}

// Layout returns the layout of a text, nil for other formats. Header must not be modified.
func (r *Reader) Layout() *Layout {
	t, ok := r.src.(*text.Source)
	if !ok {
		return nil
	}
	l := &t.Layout
	return &Layout{Delimiter: l.Delimiter, DecimalComma: l.DecimalComma, Header: l.Header, HeaderLine: l.HeaderLine, Columns: l.Columns}
}

// Warnings are doubts about the columns, one sentence each.
func (r *Reader) Warnings() []string {
	switch src := r.src.(type) {
	case *text.Source:
		return src.Warnings
	case *npy.Source:
		return src.Warnings()
	}
	return nil
}

// String describes the input in a few words.
func (r *Reader) String() string {
	s := r.src.Format()
	if d, ok := r.src.(fmt.Stringer); ok {
		s = d.String()
	}
	if r.compression != "" {
		s += ", " + r.compression
	}
	return s
}

// Source returns the source behind the reader, for those who write sinks. Nothing but a
// Job or Next may read from it.
func (r *Reader) Source() table.Source { return r.src }

// Rows returns the number of rows, or −1 where only reading them tells.
func (r *Reader) Rows() int64 { return r.src.Rows() }

// Size returns the bytes of the input as stored, or 0 if not known.
func (r *Reader) Size() int64 { return r.size }

// Next reads the next rows into b, which may be new or used. At the end it
// returns io.EOF and no rows. It is the way to read points alone; with answers,
// and in parallel, see Job.
func (r *Reader) Next(b *table.Block) error {
	if err := r.fill(b); err != nil {
		return err
	}
	if err := r.src.Parse(b); err != nil {
		return err
	}
	b.Resize(nil)
	return nil
}

// fill reads the bytes of the next rows.
func (r *Reader) fill(b *table.Block) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b.Start()
	b.Read = 0
	err := r.src.Fill(b)
	if b.Read == 0 || r.compression != "" {
		b.Read = r.raw.n.Load()
	}
	return err
}

// Close closes the file, not a stream of the caller. It may be called while
// another goroutine waits for input.
func (r *Reader) Close() error {
	if r.mu.TryLock() {
		r.undo()
		r.undo = func() {}
		r.mu.Unlock()
	}
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
