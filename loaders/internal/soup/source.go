package soup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/inpoly/inpoly/internal/unpack"
)

// Source is the input of a reader. It holds the decompressed content of a file, the memory budget,
// the context and the external files.
type Source struct {
	Data        []byte   // the whole decompressed content; nobody modifies it; nil after OpenAt
	Bytes       int64    // number of bytes of decompressed content and external files
	Compression string   // "", "gzip" or "zstd"
	Externals   []string // paths that External has opened
	Budget      *Budget
	ChunkSize   int  // number of bytes of text that one goroutine parses at a time
	AllParts    bool // documented in loaders.Options

	ctx          context.Context
	at           io.ReaderAt // the content if Data is nil
	folder       fs.FS       // external files; if it is nil, external files are refused
	mu           sync.Mutex  // serializes calls of the progress function
	progress     func(done, total int64)
	done         int64
	size         int64 // size of the input; −1 if unknown
	contentLimit int64 // size limit of a packed or unpacked stream; if 0, only the budget limits it
	packed       int64 // number of bytes of the file itself and of external files
	unpacked     int64 // number of unpacked bytes; see Unpacking and Unpack
}

// Options configures a Source.
type Options struct {
	Size      int64 // size of the input; −1 if unknown
	MaxMemory int64 // limit of the budget; 0 means the default limit
	FS        fs.FS // external files; if it is nil, external files are refused
	Progress  func(done, total int64)
	ChunkSize int // number of bytes of text that one goroutine parses at a time; 0 means 1 MB
	AllParts  bool
}

// NewSource returns a Source without content. Open reads the content.
func NewSource(ctx context.Context, opt Options) *Source {
	s := &Source{
		ctx: ctx, folder: opt.FS, progress: opt.Progress, Budget: &Budget{limit: opt.MaxMemory},
		size: opt.Size, ChunkSize: cmp.Or(opt.ChunkSize, defaultChunkSize), AllParts: opt.AllParts,
	}
	if opt.Size < 0 && opt.MaxMemory == 0 {
		s.contentLimit = maxStream
	}
	return s
}

// checkEvery is the number of elements, such as faces or lines, between two checks of the context.
// The work for these elements takes at most about a millisecond (tuning).
const checkEvery = 1 << 12

// Check returns the error of the context if k is a multiple of 4096. For other k it returns nil.
func (s *Source) Check(k int) error {
	if k%checkEvery != 0 {
		return nil
	}
	return s.ctx.Err()
}

// blockSize is the number of bytes read between two checks of the context.
const blockSize = 1 << 20

// Open reads the content from r and decompresses it.
func (s *Source) Open(r io.Reader) error {
	data, err := s.readAll(r, s.size, 0, s.checkContentLimit)
	if err != nil {
		return err
	}
	s.packed = int64(len(data))
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

// OpenAt makes s read its content in sections; see Section. The content of r must not be packed.
func (s *Source) OpenAt(r io.ReaderAt, size int64) {
	s.at, s.packed, s.Bytes = r, size, size
	s.Budget.read.Add(size)
}

// Section returns the bytes [from, to) of the content, which it can store in buf. It is safe for
// concurrent use.
func (s *Source) Section(buf *[]byte, from, to int64) ([]byte, error) {
	if s.at == nil {
		return s.Data[from:to], nil
	}
	*buf = slices.Grow((*buf)[:0], int(to-from))[:to-from]
	if n, err := s.at.ReadAt(*buf, from); n < len(*buf) {
		return nil, err
	}
	return *buf, nil
}

// These constants limit the window of a decoder. Most of the memory of a decoder is its window: 32
// KB for gzip, up to 8 MB for zstd -19, and more for zstd --ultra or --long. By default the limit is
// about half of budgetBase. If the user sets a memory limit, the window limit is a quarter of the
// memory limit, but at most unpack.MaxWindow, the maximum of the zstd command.
const (
	minWindow     = 1 << 10 // smallest window (RFC 8878, 3.1.1.1.2)
	defaultWindow = 32 << 20
)

// unpack decompresses the content and releases the memory of the packed bytes.
func (s *Source) unpack(packed []byte, name string) ([]byte, error) {
	s.Compression = name
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
		return s.checkRatio(n)
	}
	data, err := s.readAll(z, -1, unpack.DeclaredSize(packed, name), guard)
	if err != nil {
		if Placed(err) || s.ctx.Err() != nil {
			return nil, err
		}
		return nil, unpackError(err)
	}
	// The allowance includes the packed bytes while they are in memory. From here on it counts only the
	// unpacked bytes.
	s.Budget.read.Add(-int64(len(packed)))
	s.Budget.Release(int64(cap(packed)))
	return data, nil
}

// checkRatio refuses content whose unpacked size is a very large multiple of the size of the file. A
// memory limit of the user does not replace this check, because the check also bounds the time.
func (s *Source) checkRatio(unpacked int64) error {
	if unpacked > maxUnpacked && unpacked > maxRatio*s.packed {
		return AtPath("", ErrTooLarge, "the content unpacks to more than %d times its size", maxRatio).
			WithHint("decompress the file with another program if the file can be trusted")
	}
	return nil
}

// Unpacking wraps a reader of the decompressed bytes of one part of the content. The new reader
// counts these bytes in Bytes. The new reader fails if all parts together are too large; see
// checkRatio.
func (s *Source) Unpacking(r io.Reader) io.Reader { return &partReader{s: s, r: r} }

// UnpackingAgain is like Unpacking for a part that was unpacked before. Its bytes are not new content,
// so they do not increase the default memory limit. But they count in the check of the ratio, which
// bounds the time.
func (s *Source) UnpackingAgain(r io.Reader) io.Reader { return &partReader{s: s, r: r, again: true} }

type partReader struct {
	s     *Source
	r     io.Reader
	again bool
}

func (p *partReader) Read(b []byte) (int, error) {
	s := p.s
	if err := s.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	s.unpacked += int64(n)
	if !p.again {
		s.Budget.read.Add(int64(n))
		s.Bytes += int64(n)
	}
	return n, cmp.Or(s.checkRatio(s.unpacked), err)
}

// Unpack makes room for n bytes that the caller is about to unpack from a part of the content or of an
// external file. Like Unpacking, it counts the bytes and refuses too many. Errors: ErrTooLarge.
func (s *Source) Unpack(n int64) error {
	s.unpacked += n
	if err := s.checkRatio(s.unpacked); err != nil {
		return err
	}
	s.Budget.read.Add(n)
	s.Bytes += n
	return s.Budget.Reserve(n)
}

// checkContentLimit refuses a stream that has returned n bytes if n exceeds the limit.
func (s *Source) checkContentLimit(n int64) error {
	if s.contentLimit > 0 && n > s.contentLimit {
		return AtPath("", ErrTooLarge, "a stream of more than %d bytes", s.contentLimit).
			WithHint("set a memory limit if the stream can be trusted to end, or pass a file")
	}
	return nil
}

// unpackError converts an error of package unpack to an *Error with a reason, such as ErrSyntax.
func unpackError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return AtPath("", ErrTruncated, "%w", err)
	case errors.Is(err, unpack.ErrWindow):
		return AtPath("", ErrTooLarge, "%w", err).WithHint("raise the memory limit, or pack the file without --long")
	}
	return AtPath("", ErrSyntax, "%w", err)
}

// readAll reads r to its end within the budget. The size is −1 if it is unknown; declared is then
// the size that a header states, or 0. The header can be wrong. If checkSize is not nil, readAll
// calls it with the number of bytes read so far.
//
// readAll copies the content at most once. It reads into blocks. After a quarter of the declared
// size, it allocates the declared size. Otherwise it joins the blocks at the end.
func (s *Source) readAll(r io.Reader, size, declared int64, checkSize func(n int64) error) ([]byte, error) {
	// The budget counts the whole file in advance. This is safe because the size comes from the
	// file system and not from the content of a file.
	s.Budget.read.Add(max(size, 0))
	b := blocks{budget: s.Budget, declared: declared + 1}
	first := int64(firstBlock)
	if size >= 0 {
		first = size + 1 // with one more byte, readAll finds the end of r without another block
	}
	err := b.grow(first)
	s.Budget.read.Add(-max(size, 0))
	if err != nil {
		return nil, err
	}
	for {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		if len(b.last) == cap(b.last) {
			if err := b.grow(max(b.size()/8, firstBlock)); err != nil {
				return nil, err
			}
		}
		n, err := r.Read(b.last[len(b.last):min(cap(b.last), len(b.last)+blockSize)])
		b.last = b.last[:len(b.last)+n]
		s.Budget.read.Add(int64(n))
		if checkSize != nil {
			if err := checkSize(b.size()); err != nil {
				return nil, err
			}
		}
		if err == io.EOF {
			return b.join(b.size())
		}
		if err != nil {
			return nil, err
		}
	}
}

// firstBlock is the size of the first block of content of unknown size. Each later block has an
// eighth of the size of all earlier blocks. So up to an eighth of the memory can be unused
// (tuning).
const firstBlock = 64 << 10

// blocks holds content whose size is not yet known.
type blocks struct {
	budget   *Budget
	full     [][]byte
	fullSize int64
	last     []byte
	declared int64 // expected number of bytes
}

func (b *blocks) size() int64 { return b.fullSize + int64(len(b.last)) }

// grow adds a block with room for n bytes. If at least a quarter of the declared size was read, grow
// makes one block of the declared size instead.
func (b *blocks) grow(n int64) (err error) {
	if size := b.size(); size < b.declared && b.declared <= 4*size {
		b.last, err = b.join(b.declared)
		return err
	}
	if err := b.budget.Reserve(n); err != nil {
		return err
	}
	if len(b.last) > 0 {
		b.full = append(b.full, b.last)
	}
	b.fullSize, b.last = b.size(), make([]byte, 0, n)
	return nil
}

// join returns the content as one block with room for n bytes.
func (b *blocks) join(n int64) ([]byte, error) {
	if len(b.full) == 0 && n <= int64(cap(b.last)) {
		return b.last, nil
	}
	if err := b.budget.Reserve(n); err != nil {
		return nil, err
	}
	all := make([]byte, 0, n)
	for _, block := range append(b.full, b.last) {
		all = append(all, block...)
		b.budget.Release(int64(cap(block)))
	}
	b.full, b.fullSize = nil, 0
	return all, nil
}

// External returns the content of a file in or below the folder of the mesh. The path is relative
// and has slashes as separators. The budget and s.Bytes include the size of the content. Errors:
// fs.ErrNotExist, fs.ErrInvalid, ErrUnsupported, ErrTooLarge.
func (s *Source) External(path string) ([]byte, error) {
	if s.folder == nil {
		return nil, AtPath(path, ErrUnsupported, "the mesh comes from a stream, so external files cannot be read").
			WithHint("pass the mesh as a file, or as one self-contained file such as .glb")
	}
	fail := func(err error) error {
		return &Error{Offset: -1, Path: path, Err: fmt.Errorf("external file: %w", err)}
	}
	if !fs.ValidPath(path) {
		return nil, fail(fmt.Errorf("the path leads out of the folder of the mesh: %w", fs.ErrInvalid))
	}
	// Stat runs before Open, because opening a pipe or a device could block forever.
	st, err := fs.Stat(s.folder, path)
	if err != nil {
		return nil, fail(err)
	}
	if !st.Mode().IsRegular() {
		return nil, AtPath(path, ErrUnsupported, "external file is not a regular file")
	}
	s.Externals = append(s.Externals, path)
	f, err := s.folder.Open(path)
	if err != nil {
		return nil, fail(err)
	}
	defer f.Close()
	data, err := s.readAll(f, st.Size(), 0, nil)
	if err != nil {
		if Placed(err) {
			return nil, err
		}
		return nil, fail(err)
	}
	s.Bytes += int64(len(data))
	s.packed += int64(len(data))
	return data, nil
}

// Err returns the error of the context.
func (s *Source) Err() error { return s.ctx.Err() }

// Step adds n to the number of parsed bytes and reports this number to the progress function. It
// returns the error of the context. It is safe for concurrent use.
func (s *Source) Step(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	if s.progress != nil {
		s.progress(min(s.done, s.Bytes), s.Bytes)
	}
	return s.ctx.Err()
}

// contextReader reads from r. It fails after the context has ended.
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
