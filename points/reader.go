package points

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/unpack"
	"github.com/inpoly/inpoly/points/internal/npy"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// Options configures a Reader. The zero value is ready to use.
type Options struct {
	// Columns names the columns of x, y and z by header or by number from 1. If all are
	// empty, the columns are detected.
	Columns [3]string
	// Text names columns of a text, by header or by number from 1, whose cells are text
	// even if they look like numbers. It is an error for columns of x, y and z, and for
	// other formats, whose columns have types.
	Text []string
	// Shard of Shards, from 1, restricts the input to the rows that begin in one of Shards
	// equal parts: by bytes in text, by rows in other formats. The concatenated outputs of
	// all text shards equal the output of the whole input. 0 of 0 means the whole input. Line
	// numbers refer to the file.
	Shard, Shards int
	// Bytes restricts a text to the rows that begin in [Bytes[0], Bytes[1]) of its plain
	// bytes, and files whose rows have fixed offsets (not ASCII PLY, not Parquet) to the
	// rows that begin there. Adjacent ranges give each row once. Two zeros mean the whole
	// input. Bytes and Shard cannot be combined.
	Bytes [2]int64

	block int // bytes of a block; 0 means the format's default
}

// Reader reads a point cloud once, from front to back. It is not safe for concurrent use,
// except Close.
type Reader struct {
	name        string
	file        io.Closer      // nil for a stream of the caller
	unpacker    *unpack.Reader // nil for plain input
	raw         *countingReader
	size        int64
	compression string
	src         table.Source
	mu          sync.Mutex // held while the input is read
}

// Open opens the point file at path. The format is recognized by the first bytes, not by the
// suffix.
//
// Errors: table.ErrFormat for an empty file and for a format that is not supported;
// table.ErrColumns, table.ErrPreamble and table.ErrTransposed if it is unclear where the
// coordinates are; *table.RowError for a row of a text; errors of the file system and of
// damaged files, with the place.
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

// NewReader reads a point cloud from a stream, which messages call name. The size of a
// stream is unknown. It cannot be divided into shards, and can be neither an array in
// Fortran order nor Parquet. Its errors are the errors of Open.
func NewReader(name string, r io.Reader, opt Options) (*Reader, error) {
	return newReader(name, r, -1, opt)
}

// newReader returns a Reader of in, whose size is −1 if unknown.
func newReader(name string, in io.Reader, size int64, opt Options) (*Reader, error) {
	r := &Reader{name: name, raw: &countingReader{r: in}, size: max(size, 0)}
	magic, plain, _, err := pointio.Peek(r.raw, magicBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.compression = unpack.Detect(magic); r.compression != "" {
		if r.unpacker, err = unpack.NewReader(plain, r.compression, unpack.Options{}); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		plain = r.unpacker
	}
	var at io.ReaderAt
	if a, ok := in.(io.ReaderAt); ok && r.compression == "" && size >= 0 {
		r.raw.at, at = a, r.raw
	} else {
		size = -1
	}
	if r.src, err = newSource(name, plain, at, size, opt); err != nil {
		r.freeUnpacker()
		return nil, r.named(err)
	}
	return r, nil
}

// freeUnpacker frees the memory of the decompressor.
func (r *Reader) freeUnpacker() {
	if r.unpacker != nil {
		r.unpacker.Close()
		r.unpacker = nil
	}
}

// countingReader counts the bytes that are read.
type countingReader struct {
	r  io.Reader
	at io.ReaderAt // nil if r is none
	n  atomic.Int64
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// ReadAt implements io.ReaderAt.
func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Format returns the name of the format: text, npy, ply, las or parquet.
func (r *Reader) Format() string { return r.src.Format() }

// Compression returns gzip, zstd or "".
func (r *Reader) Compression() string { return r.compression }

// Fields returns the columns. They must not be modified.
func (r *Reader) Fields() []table.Field { return r.src.Fields() }

// Axes returns the indices of the columns of x, y and z.
func (r *Reader) Axes() [3]int { return r.src.Axes() }

// Layout is the layout of a text, as detected.
//
// Tab, semicolon, bar, comma and blanks are tried as the delimiter of the first rows, with
// decimal points and (except for comma) with decimal commas. The delimiter with which most
// rows have three numeric coordinates wins, and of several equal ones the earliest.
//
// The first row is a header if it names the coordinates (x, y, z; lon, lat, alt; easting,
// northing, elevation; any names that differ in one letter x, y, z, such as x_pos or cx;
// units in brackets are ignored), or if it has at least three different words and nothing
// else. A comment line directly before the first row that names as many columns as the row
// has is a header too. A header has the same number of columns as the first data row, or
// one less if the rows begin with a name, quoted or text: R writes row names like that.
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

// Warnings returns doubts about the columns, one sentence each.
func (r *Reader) Warnings() []string {
	switch src := r.src.(type) {
	case *text.Source:
		return src.Warnings
	case *npy.Source:
		return src.Warnings()
	}
	return nil
}

// String returns a short description of the input.
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

// Source returns the Source of the rows, for writers of a Sink. Only a Job or Next may read
// from it.
func (r *Reader) Source() table.Source { return r.src }

// Rows returns the number of rows, −1 if it is unknown before all are read.
func (r *Reader) Rows() int64 { return r.src.Rows() }

// Size returns the bytes of the input as stored, compressed or not, 0 if unknown.
func (r *Reader) Size() int64 { return r.size }

// Next reads the next rows into b, a new or a used Block. At the end it returns io.EOF and
// no rows. Next is for programs that only read points; a Job answers them in parallel.
//
// Errors: io.EOF; *table.RowError for a row of a text; errors of the input and of damaged
// files, with the place.
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

// fill reads the bytes of the next rows, and counts the bytes of the input so far.
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

// Close closes the file, but not a stream of the caller. It may be called while another
// goroutine waits for input.
func (r *Reader) Close() error {
	if r.mu.TryLock() {
		r.freeUnpacker()
		r.mu.Unlock()
	}
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
