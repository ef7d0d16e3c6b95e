package points

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/unpack"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// Options configures a Reader. The zero value is ready to use.
type Options struct {
	// Columns specifies the columns of x, y and z. Each element is a column name or a column
	// number. The first column has the number 1. If all elements are empty, the Reader detects the
	// columns. For NumPy arrays, "row:1" is a row of an array whose columns are the points. For .npz
	// files, "name:1" is a column of the array with this name, and "name:row:1" is a row.
	Columns [3]string
	// Find finds the columns of x, y and z if Columns is empty. It is for tables whose columns have
	// other names than those that a Reader knows. The argument has the names of all columns; a
	// column without a name has the name "". Find returns three different indices into names, from
	// 0. If Find fails, the error of Open has the text of this error and wraps table.ErrColumns.
	// For a text, the Reader calls Find several times, with the names for each possible layout.
	Find func(names []string) (columns [3]int, err error)
	// Text lists columns of a text input by name or number. The first column has the number 1. The
	// cells in these columns stay text even if they look like numbers. The columns of x, y and z
	// cannot be in Text. For other formats, Text must be empty, because their columns have types.
	Text []string
	// Shards is the number of equal parts of the input. Shard is from 1 to Shards and selects the
	// rows that begin in one part. The parts of a text have the same number of bytes, and the parts
	// of other formats have the same number of rows. If both fields are 0, the whole input is
	// selected. The concatenated outputs of all shards of a text equal the output of the whole
	// text. Line numbers refer to the whole file.
	Shard, Shards int
	// Bytes selects the rows that begin in the bytes [Bytes[0], Bytes[1]) of the plain file.
	// Adjacent ranges select each row exactly once. If both elements are 0, the whole input is
	// selected. ASCII PLY, PCD unless its data is binary, Parquet, GeoJSON and .npz files do not support
	// Bytes. Bytes and Shard cannot be combined.
	Bytes [2]int64
	// If Transform is not nil, it maps each point into another frame, such as the frame of a mesh.
	// Block.Points and the box of the points are in this frame. The columns of the file, from which
	// outputs are written, do not change. A point whose image is not finite counts in
	// Block.NonFinite. Several goroutines call Transform at the same time.
	Transform func(p r3.Vector) r3.Vector

	block int // usual size of a block in bytes; 0 means the default of the format
}

// Reader reads a point cloud once, from front to back. Only Close is safe for concurrent use.
type Reader struct {
	name        string
	file        io.Closer      // file that Open opened, or nil for a stream
	input       *disk.File     // the input if it is a file, else nil
	unpacker    *unpack.Reader // decompressor, or nil for plain input
	raw         *countingReader
	size        int64
	compression string
	src         table.Source
	transform   func(p r3.Vector) r3.Vector // Options.Transform
	mu          sync.Mutex                  // locked while the input is read
}

// Open opens the point file at path. The first bytes of the file determine the format. The suffix
// has no effect. Open refuses devices, except the standard input of the process. Reading fails if
// the size or the modification time of the file changes before the end.
//
// Open returns table.ErrFormat for an empty file and for a format that is not supported. For a known format that
// it cannot read, it returns a *table.FormatError, whose Hint says how to convert the file. If it is unclear
// which values are the coordinates, Open returns table.ErrColumns, table.ErrPreamble or table.ErrTransposed. For
// a bad row of a text, it returns a *table.RowError. Open also returns errors of the file system and errors of
// damaged files.
func Open(path string, opt Options) (*Reader, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Reason(err))
	}
	fi, err := f.Stat()
	if err == nil && fi.IsDir() {
		err = fmt.Errorf("%s: is a directory, not a point file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := newReader(path, f, f.Size(), opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// NewReader returns a Reader of a stream of unknown size. Error messages contain the name. A stream
// cannot be divided into shards. Parquet cannot be read from a stream. Formats that do not store their
// rows in order are kept in memory, up to 256 MiB. NewReader returns the same kinds of errors as Open.
func NewReader(name string, r io.Reader, opt Options) (*Reader, error) {
	return newReader(name, r, -1, opt)
}

// FromSource returns a Reader of a table that the program itself provides, for example of rows that
// it derives from the rows of another Reader. Error messages contain the name. The size is the value
// of Block.Read after the last row, or 0 if it is unknown.
func FromSource(name string, src table.Source, size int64) *Reader {
	return &Reader{name: name, src: src, raw: new(countingReader), size: size}
}

// newReader returns a Reader of the input. The size is in bytes, or −1 if it is unknown.
func newReader(name string, in io.Reader, size int64, opt Options) (*Reader, error) {
	input, _ := in.(*disk.File)
	r := &Reader{name: name, input: input, raw: &countingReader{r: in}, size: max(size, 0), transform: opt.Transform}
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
	r.src, err = detect(name, plain, at, size, pointio.Options{Columns: opt.Columns, Find: opt.Find, Text: opt.Text,
		Shard: opt.Shard, Shards: opt.Shards, Bytes: opt.Bytes, Block: opt.block})
	if err == nil && len(opt.Text) > 0 && r.Format() != "text" {
		err = fmt.Errorf("columns %s cannot be read as text, because the format %s defines the types of its columns", strings.Join(opt.Text, ", "), r.Format())
		if c, ok := r.src.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	if err != nil {
		r.freeUnpacker()
		return nil, r.named(err)
	}
	return r, nil
}

func (r *Reader) freeUnpacker() {
	if r.unpacker != nil {
		r.unpacker.Close()
		r.unpacker = nil
	}
}

// countingReader counts the bytes that Read and ReadAt return.
type countingReader struct {
	r  io.Reader
	at io.ReaderAt // the reader r as an io.ReaderAt, or nil if ReadAt is not called
	n  atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.at.ReadAt(p, off)
	c.n.Add(int64(n))
	return n, err
}

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Format returns the name of the format: text, npy, ply, las, laz, parquet, jsonl, geojson or pcd.
func (r *Reader) Format() string { return r.src.Format() }

// Compression returns gzip, zstd, or "" for plain input.
func (r *Reader) Compression() string { return r.compression }

// Fields returns the columns. The caller must not modify the slice.
func (r *Reader) Fields() []table.Field { return r.src.Fields() }

// Axes returns the indices of the columns of x, y and z.
func (r *Reader) Axes() [3]int { return r.src.Axes() }

// Layout is the layout that a Reader detects in a text.
//
// The Reader tries tab, semicolon, bar, comma and blanks as the delimiter of the first rows. The
// Reader tries each delimiter with decimal points, and each delimiter except the comma with decimal
// commas. For each combination it counts the rows that have three numeric coordinates. The Reader
// selects the first combination with the largest count.
//
// The first row is a header if it names the coordinates, or if it consists of at least three
// different words. Names of coordinates are x, y, z; lon, lat, alt; easting, northing, elevation;
// and any three names that differ only in a letter x, y or z, such as x_pos, y_pos, z_pos. Units in
// brackets are ignored. The last comment line before the first row is a header if it names the
// coordinates and has as many columns as the first row.
//
// A header must have the same number of columns as the first data row. Files of R are an exception:
// the header has one column fewer, and each row begins with a row name, which is quoted or is not a
// number.
//
// If no column names a coordinate, the first three numeric columns are the coordinates. With a
// header, more than three numeric columns are an error (table.ErrColumns). A header that names only
// one or two axes is always an error.
//
// A first line such as "sep=;" specifies the delimiter. A first line that is an integer is the
// number of points. The next line can be free text, as in molecular .xyz files. A Job copies these
// lines.
type Layout struct {
	// Delimiter separates columns. It is '\t', ';', '|', ',' or ' ' (one or more blanks).
	Delimiter byte
	// DecimalComma reports whether numbers have a decimal comma, as in "1,5".
	DecimalComma bool
	// Header has the names of the columns. It is nil if there is no header.
	Header []string
	// HeaderLine is the line number of the header, from 1. It is 0 if there is no header.
	HeaderLine int64
	// Columns has the column indices of x, y and z, from 0.
	Columns [3]int
}

// Layout returns the layout of a text, or nil for other formats. The caller must not modify Header.
func (r *Reader) Layout() *Layout {
	t, ok := r.src.(*text.Source)
	if !ok {
		return nil
	}
	l := &t.Layout
	return &Layout{Delimiter: l.Delimiter, DecimalComma: l.DecimalComma, Header: l.Header, HeaderLine: l.HeaderLine, Columns: l.Columns}
}

// Warnings returns one sentence for each reason why the coordinates can be wrong.
func (r *Reader) Warnings() []string {
	switch src := r.src.(type) {
	case *text.Source:
		return src.Warnings
	case interface{ Warnings() []string }:
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

// Source returns the Source of the rows, which is useful for authors of a Sink. The caller must not
// call Fill of the Source, because only a Job or Next can read rows.
func (r *Reader) Source() table.Source { return r.src }

// Rows returns the number of rows, or −1 if the number is unknown before all rows are read.
func (r *Reader) Rows() int64 { return r.src.Rows() }

// Size returns the size of the file in bytes, or 0 if the size is unknown. The size of a compressed
// file is the compressed size.
func (r *Reader) Size() int64 { return r.size }

// ModTime returns the modification time of the file when it was opened. It returns the zero time if
// the input is not a regular file.
func (r *Reader) ModTime() time.Time {
	if r.input == nil || r.input.Opened() == nil {
		return time.Time{}
	}
	return r.input.Opened().ModTime()
}

// Next reads the next rows into b, which can be a new Block or a Block of an earlier call. At the
// end of the input, it reads no rows and returns io.EOF. Next is for programs that only read
// points. A Job computes answers in parallel.
//
// For a bad row of a text, Next returns a *table.RowError. Next also returns errors of the input
// and errors of damaged files. If the file has changed since Open, the last call returns an error
// instead of io.EOF.
func (r *Reader) Next(b *table.Block) error {
	if err := r.fill(b); err != nil {
		return err
	}
	if err := r.src.Parse(b); err != nil {
		return err
	}
	if r.transform != nil {
		r.transformTo(b.Points, b)
	}
	b.Resize(nil)
	return nil
}

// transformTo writes the images of b.Points to dst, which can be b.Points. It adapts b.Counts to the
// images.
func (r *Reader) transformTo(dst []r3.Vector, b *table.Block) {
	box := table.NoCounts()
	lo, hi := box.Min, box.Max
	var lost table.Tally // finite points whose images are not finite
	for k, p := range b.Points {
		q := r.transform(p)
		dst[k] = q
		switch {
		case vec.Finite(q):
			lo = r3.Vector{X: min(lo.X, q.X), Y: min(lo.Y, q.Y), Z: min(lo.Z, q.Z)}
			hi = r3.Vector{X: max(hi.X, q.X), Y: max(hi.Y, q.Y), Z: max(hi.Z, q.Z)}
		case !vec.Finite(p):
		case lost.Count == 0:
			lost = table.Tally{Count: 1, First: r.rowNumber(b, k)}
		default:
			lost.Count++
		}
	}
	b.Min, b.Max = lo, hi
	if lost.Count > 0 && (b.NonFinite.Count == 0 || lost.First < b.NonFinite.First) {
		b.NonFinite.First = lost.First
	}
	b.NonFinite.Count += lost.Count
}

// rowNumber returns the number of row k of b as in table.Tally: the line of a text, or the row of
// another format.
func (r *Reader) rowNumber(b *table.Block, k int) int64 {
	if s, ok := r.src.(interface {
		Line(b *table.Block, k int) int64
	}); ok {
		return s.Line(b, k)
	}
	return b.First + int64(k)
}

// fill reads the next rows into b without parsing them, and sets b.Read.
func (r *Reader) fill(b *table.Block) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b.Start()
	b.Read = 0
	err := r.src.Fill(b)
	if b.Read == 0 || r.compression != "" {
		b.Read = r.raw.n.Load()
	}
	if errors.Is(err, io.EOF) { // some formats end before the end of the file
		err = cmp.Or(r.unchanged(), err)
	}
	return err
}

// nextBytes returns the memory that the next block needs, or 0 if the blocks of the format are small.
func (r *Reader) nextBytes() int64 {
	s, ok := r.src.(table.Sizer)
	if !ok {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.NextBytes()
}

// unchanged returns an error if the file has changed since it was opened.
func (r *Reader) unchanged() error {
	if r.input == nil {
		return nil
	}
	return r.named(disk.Reason(r.input.Unchanged()))
}

// Close closes the file that Open opened. It does not close the stream of NewReader. A goroutine
// can call Close while another goroutine waits for input.
func (r *Reader) Close() error {
	if r.mu.TryLock() {
		r.freeUnpacker()
		r.mu.Unlock()
	}
	var err error
	if c, ok := r.src.(io.Closer); ok { // a Source with a temporary file
		err = c.Close()
	}
	if r.file != nil {
		err = errors.Join(err, r.file.Close())
	}
	return err
}
