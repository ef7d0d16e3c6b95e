package points

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Options of a Reader. The zero value is good.
type Options struct {
	// Columns names the columns of x, y and z by header or by number from 1; all
	// empty means that they are detected.
	Columns [3]string
	// Shard i of Shards, from 1, restricts a file to its rows that begin in the i-th
	// of Shards equal parts, by bytes in text and by rows in arrays. The outputs
	// of text shards one after the other are the output of the whole. 0 of 0 means
	// the whole. Line numbers stay those of the file.
	Shard, Shards int

	chunk int // bytes a block; 0 means chunkBytes
}

// check reports options out of range.
func (o *Options) check() error {
	if o.Shard == 0 && o.Shards == 0 {
		return nil
	}
	if o.Shards < 1 || o.Shard < 1 || o.Shard > o.Shards {
		return fmt.Errorf("shard %d/%d: want i/n with 1 ≤ i ≤ n", o.Shard, o.Shards)
	}
	return nil
}

// blockBytes returns the usual size of a block.
func (o *Options) blockBytes() int {
	if o.chunk > 0 {
		return o.chunk
	}
	return chunkBytes
}

// bounds returns the part [lo, hi) of n that the shard has. The products are
// taken in 128 bits, so that no n is too large.
func (o *Options) bounds(n int64) (lo, hi int64) {
	if o.Shards == 0 {
		return 0, n
	}
	return share(n, o.Shard-1, o.Shards), share(n, o.Shard, o.Shards)
}

// format is what a file format supplies. fill runs in one goroutine; parse and
// append may run at the same time for other blocks.
type format interface {
	layout() *Layout
	fill(b *Block) error // next whole rows into b.raw, or io.EOF
	parse(b *Block) error
	begin(cols []Column) []byte // output before the first row
	append(dst []byte, b *Block, cols []Column) []byte
}

// Reader reads one point cloud, once, from front to back. Its methods are not
// for concurrent use, but for Close.
type Reader struct {
	name   string
	file   io.Closer // nil for a stream of the caller
	undo   func()    // frees the decompressor
	raw    *counter
	size   int64
	rows   int64
	format format
	mu     sync.Mutex // held while the input is read
}

// counter counts the bytes that pass.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacked is decompressed data whose errors say what is wrong with the packed.
type unpacked struct {
	r    io.Reader
	kind string
	from *counter
	some bool // some data came
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.some = u.some || n > 0
	return n, u.explain(err)
}

// explain words an error of the decompressor.
func (u *unpacked) explain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("%s data cut off at byte %d: %w", u.kind, u.from.n, io.ErrUnexpectedEOF)
	case u.some && (errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch)):
		return fmt.Errorf("bytes after the end of the %s data: %w", u.kind, err)
	}
	return fmt.Errorf("%s data not valid before byte %d: %w", u.kind, u.from.n, err)
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
// Streams have no known size: they cannot be sharded, and arrays in Fortran
// order cannot be read from them.
func NewReader(name string, r io.Reader, opt Options) (*Reader, error) {
	return newReader(name, struct{ io.Reader }{r}, -1, opt)
}

// maxWindow is the largest zstd window that is accepted: 128 MiB is what the
// strongest regular level of the zstd program writes. It bounds the memory.
const maxWindow = 128 << 20

// newReader looks at the first bytes of src, whose size is −1 if not known.
func newReader(name string, src io.Reader, size int64, opt Options) (*Reader, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	r := &Reader{name: name, raw: &counter{r: src}, size: max(size, 0), rows: -1, undo: func() {}}
	at, _ := src.(io.ReaderAt)
	magic, packed, _, err := peek(r.raw, 4)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	plain, compression := packed, ""
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		compression = "gzip"
		if plain, err = gzip.NewReader(packed); err != nil {
			return nil, fmt.Errorf("%s: %w", name, (&unpacked{kind: compression, from: r.raw}).explain(err))
		}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		compression = "zstd"
		z, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("%s: zstd: %w", name, err)
		}
		plain, r.undo = z, z.Close
	}
	if compression != "" {
		at, size = nil, -1
		plain = &unpacked{r: plain, kind: compression, from: r.raw}
	}
	if err := r.detect(plain, at, size, opt); err != nil {
		r.undo()
		return nil, err
	}
	r.format.layout().Compression = compression
	return r, nil
}

// detect chooses the format by the first bytes of src.
func (r *Reader) detect(src io.Reader, at io.ReaderAt, size int64, opt Options) error {
	if opt.Shards > 1 && size < 0 {
		return fmt.Errorf("%s: shards need a plain file of known size: neither a stream nor compressed", r.name)
	}
	sample, src, whole, err := peek(src, sampleBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	if bytes.HasPrefix(sample, npyMagic) {
		n, err := newNPY(r.name, src, at, size, opt)
		if err != nil {
			return err
		}
		r.rows, r.format = n.end-n.first, n
		return nil
	}
	var columns []string
	if opt.Columns != [3]string{} {
		columns = opt.Columns[:]
	}
	l, err := detect(r.name, sample, whole, columns)
	if err != nil {
		return err
	}
	t := &text{Layout: l, file: r.name, r: src, hi: math.MaxInt64, chunk: opt.blockBytes()}
	if opt.Shards > 1 {
		t.lo, t.hi = opt.bounds(size)
	}
	r.format = t
	return nil
}

// Name returns the name of the input.
func (r *Reader) Name() string { return r.name }

// Layout returns what was detected. It must not be modified.
func (r *Reader) Layout() *Layout { return r.format.layout() }

// Rows returns the number of rows, or −1 where only reading them tells.
func (r *Reader) Rows() int64 { return r.rows }

// Size returns the bytes of the input as stored, or 0 if not known.
func (r *Reader) Size() int64 { return r.size }

// Next reads the next rows into b, which may be new or used. At the end it
// returns io.EOF and no rows. It is the way to read points alone; with answers,
// and in parallel, see Job.
func (r *Reader) Next(b *Block) error {
	if err := r.fill(b); err != nil {
		return err
	}
	if err := r.format.parse(b); err != nil {
		return err
	}
	b.resize(nil)
	return nil
}

// fill reads the bytes of the next rows.
func (r *Reader) fill(b *Block) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	b.start()
	err := r.format.fill(b)
	b.read = r.raw.n
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

// peek returns the first bytes of r, at most n, and a reader of everything, them
// included. whole says that there is nothing else.
func peek(r io.Reader, n int) (front []byte, all io.Reader, whole bool, err error) {
	// Small inputs need little memory: the slice grows to n by doubling.
	for size := min(n, 4096); ; size = min(n, 2*size) {
		front = slices.Grow(front, size-len(front))
		k, err := readFull(r, front[len(front):size])
		front = front[:len(front)+k]
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, false, err
		}
		if whole = err != nil; whole || size == n {
			return front, io.MultiReader(bytes.NewReader(front), r), whole, nil
		}
	}
}

// readFull reads until p is full. Other than io.ReadFull it returns io.EOF for a
// clean end after some bytes, so that a cut compressed stream, which is
// io.ErrUnexpectedEOF, cannot be taken for one. A reader that gives nothing a
// hundred times in a row ends in io.ErrNoProgress, as in package bufio.
func readFull(r io.Reader, p []byte) (n int, err error) {
	const patience = 100
	for empty := 0; n < len(p) && err == nil; {
		var k int
		k, err = r.Read(p[n:])
		n += k
		if empty++; k > 0 {
			empty = 0
		}
		if empty == patience {
			return n, io.ErrNoProgress
		}
	}
	if n == len(p) {
		err = nil
	}
	return n, err
}
