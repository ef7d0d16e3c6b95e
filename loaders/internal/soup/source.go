package soup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/inpoly/inpoly/internal/unpack"
)

// Source is the input of a reader: the decompressed content of a file, and the services that
// readers need.
type Source struct {
	Data        []byte // whole decompressed content; must not be modified
	Bytes       int64  // decompressed content and external files
	Compression string // "", "gzip" or "zstd"
	Budget      *Budget
	ChunkSize   int // bytes of text that one goroutine parses at a time

	ctx          context.Context
	folder       fs.FS      // external files; nil refuses them
	mu           sync.Mutex // serializes progress
	progress     func(done, total int64)
	done         int64
	size         int64 // of the input; −1 if unknown
	contentLimit int64 // limit of the bytes of content, packed or not; 0: the budget alone bounds them
	unpacked     int64 // bytes that Unpacking has counted
}

// Options configure a Source.
type Options struct {
	Size      int64 // of the input; −1 if unknown
	MaxMemory int64 // limit of the budget; 0: the default
	FS        fs.FS // external files; nil refuses them
	Progress  func(done, total int64)
	ChunkSize int // bytes of text that one goroutine parses at a time; 0: 1 MB
}

// NewSource returns a Source that Open fills.
func NewSource(ctx context.Context, opt Options) *Source {
	s := &Source{
		ctx: ctx, folder: opt.FS, progress: opt.Progress, Budget: NewBudget(opt.MaxMemory),
		size: opt.Size, contentLimit: contentLimitFor(opt.Size, opt.MaxMemory), ChunkSize: opt.ChunkSize,
	}
	if s.ChunkSize == 0 {
		s.ChunkSize = defaultChunkSize
	}
	return s
}

// CheckEvery is the number of elements that readers handle between two checks of the
// context: about a millisecond of work. // tuning
const CheckEvery = 1 << 16

// blockSize is the number of bytes read between two checks of the context.
const blockSize = 1 << 20

// Open reads and decompresses r.
func (s *Source) Open(r io.Reader) error {
	packed := &contextReader{ctx: s.ctx, r: r}
	data, err := s.readAll(packed, s.size, s.checkContentLimit)
	if err != nil {
		return err
	}
	if name := unpack.Detect(data); name != "" {
		if data, err = s.unpack(data, name); err != nil {
			return err
		}
	}
	if len(data) == 0 {
		return AtPath("", ErrEmpty, "")
	}
	s.Data = data
	s.Bytes = int64(len(data))
	return nil
}

// The window that the compressor used bounds the decoder's memory: 32 KB for gzip, up to
// 8 MB for zstd -19, more for zstd --ultra or --long. The default window leaves half of the
// base of the budget to the rest. A memory limit set by the user raises it up to the limit of
// the zstd command.
const (
	minWindow     = 1 << 10 // RFC 8878, 3.1.1.1.2
	defaultWindow = budgetBase / 2
)

// unpack decompresses packed and releases its memory.
func (s *Source) unpack(packed []byte, name string) ([]byte, error) {
	s.Compression = name
	s.Budget.read.Add(-int64(len(packed))) // only decompressed bytes count
	window := int64(defaultWindow)
	if s.Budget.limit > 0 {
		window = max(min(s.Budget.limit/4, unpack.MaxWindow), minWindow)
	}
	if err := s.Budget.Reserve(window); err != nil {
		return nil, err
	}
	defer s.Budget.Release(window)
	in := &contextReader{ctx: s.ctx, r: bytes.NewReader(packed)}
	z, err := unpack.NewReader(in, name, unpack.Options{Window: window, LowMemory: true})
	if err != nil {
		return nil, unpackError(err)
	}
	defer z.Close()
	guard := func(n int64) error {
		if err := s.checkContentLimit(n); err != nil {
			return err
		}
		if s.Budget.limit == 0 && n > maxUnpacked && n > maxRatio*int64(len(packed)) {
			return AtPath("", ErrTooLarge, "unpacks to more than %d times its size", maxRatio).
				WithHint("set a memory limit if the file can be trusted")
		}
		return nil
	}
	data, err := s.readAll(z, -1, guard)
	if err != nil {
		var own *Error
		if errors.As(err, &own) || s.ctx.Err() != nil {
			return nil, err
		}
		return nil, unpackError(err)
	}
	s.Budget.Release(int64(cap(packed)))
	return data, nil
}

// Unpacking returns a reader of r, a part of the content that is decompressed. It counts
// the bytes as content. All parts together are bounded like a gzip file of the size of the
// content.
func (s *Source) Unpacking(r io.Reader) io.Reader { return &partReader{s, r} }

type partReader struct {
	s *Source
	r io.Reader
}

func (p *partReader) Read(b []byte) (int, error) {
	s := p.s
	if err := s.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	s.unpacked += int64(n)
	s.Budget.read.Add(int64(n))
	s.Bytes += int64(n)
	if s.Budget.limit == 0 && s.unpacked > maxUnpacked && s.unpacked > maxRatio*int64(len(s.Data)) {
		return n, AtPath("", ErrTooLarge, "the package unpacks to more than %d times its size", maxRatio).
			WithHint("set a memory limit if the file can be trusted")
	}
	return n, err
}

// checkContentLimit returns an error if n bytes are more than the limit for streams.
func (s *Source) checkContentLimit(n int64) error {
	if s.contentLimit > 0 && n > s.contentLimit {
		return AtPath("", ErrTooLarge, "a stream of more than %d bytes", s.contentLimit).
			WithHint("set a memory limit if the stream can be trusted to end, or pass a file")
	}
	return nil
}

// unpackError gives an error of package unpack its kind.
func unpackError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return AtPath("", ErrTruncated, "%w", err)
	case errors.Is(err, unpack.ErrWindow):
		return AtPath("", ErrTooLarge, "%w", err).WithHint("raise the memory limit, or pack the file without --long")
	}
	return AtPath("", ErrSyntax, "%w", err)
}

// readAll reads r to its end within the budget. If the size is known from the file system, it
// allocates that at once.
func (s *Source) readAll(r io.Reader, size int64, guard func(n int64) error) ([]byte, error) {
	first := int64(64 << 10)
	if size >= 0 {
		first = size + 1 // one byte more shows the end without growing
	}
	if err := s.Budget.reserveRead(first, size); err != nil {
		return nil, err
	}
	buf := make([]byte, 0, first)
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			grown := 2 * int64(cap(buf))
			if err := s.Budget.Reserve(grown); err != nil {
				return nil, err
			}
			next := make([]byte, len(buf), grown)
			copy(next, buf)
			s.Budget.Release(int64(cap(buf)))
			buf = next
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), len(buf)+blockSize)])
		buf = buf[:len(buf)+n]
		s.Budget.read.Add(int64(n))
		if guard != nil {
			if err := guard(int64(len(buf))); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// reserveRead reserves n bytes for a file of the given size. The size counts as read already
// because it comes from the file system, not from the content of a file.
func (b *Budget) reserveRead(n, size int64) error {
	if size > 0 {
		b.read.Add(size)
		defer b.read.Add(-size)
	}
	return b.Reserve(n)
}

// External returns the content of a file beside the mesh. The path is separated by slashes
// and relative to the folder of the mesh. The content counts in the budget and in Bytes.
// Errors: fs.ErrNotExist, fs.ErrInvalid, ErrUnsupported, ErrTooLarge.
func (s *Source) External(path string) ([]byte, error) {
	if s.folder == nil {
		return nil, AtPath(path, ErrUnsupported, "an external file, but the mesh comes from a stream").
			WithHint("pass the mesh as a file, or as one self-contained file such as .glb")
	}
	fail := func(err error) error {
		return &Error{Offset: -1, Path: path, Err: fmt.Errorf("external file: %w", err)}
	}
	if !fs.ValidPath(path) {
		return nil, fail(fmt.Errorf("not below the folder of the mesh: %w", fs.ErrInvalid))
	}
	// Opening a pipe or a device could block forever.
	st, err := fs.Stat(s.folder, path)
	if err != nil {
		return nil, fail(err)
	}
	if !st.Mode().IsRegular() {
		return nil, AtPath(path, ErrUnsupported, "external file is not a regular file")
	}
	f, err := s.folder.Open(path)
	if err != nil {
		return nil, fail(err)
	}
	defer f.Close()
	data, err := s.readAll(&contextReader{ctx: s.ctx, r: f}, st.Size(), nil)
	if err != nil {
		var own *Error
		if errors.As(err, &own) {
			return nil, err
		}
		return nil, fail(err)
	}
	s.Bytes += int64(len(data))
	return data, nil
}

// Err returns the error of the context.
func (s *Source) Err() error { return s.ctx.Err() }

// Folder is the folder of a mesh as a file system. It gives no access to files outside, also not
// through symbolic links.
type Folder string

// Open implements fs.FS.
func (d Folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(name)
}

// Stat implements fs.StatFS: it does not open the file.
func (d Folder) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(name)
}

// Step reports n more bytes of content as parsed, and returns the error of the context. It
// is safe for concurrent use.
func (s *Source) Step(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	if s.progress != nil {
		total := s.Bytes
		s.progress(min(s.done, total), total)
	}
	return s.ctx.Err()
}

// contextReader reads until the context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
