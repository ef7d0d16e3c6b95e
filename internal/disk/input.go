package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/plural"
)

// ErrChanged means that an input file has changed since it was opened.
var ErrChanged = errors.New("the file changed while it was read")

// input is the state of a regular input file.
type input struct {
	opened fs.FileInfo  // the file when it was opened
	at     atomic.Int64 // offset of the next Read
}

// Open opens an input: a regular file or a named pipe. Devices are refused, because they can be
// endless. The only exception is the device that is the standard input of the process.
//
// Reading a regular file to its end returns ErrChanged instead of io.EOF if its size or its
// modification time has changed since Open. ErrChanged also reports bytes after the end of the
// opened file, so reading ends although another process appends to the file.
func Open(path string) (*File, error) {
	fi, err := Stat(path)
	if err == nil && fi.Mode()&fs.ModeDevice != 0 {
		if stdin, err := os.Stdin.Stat(); err != nil || !os.SameFile(fi, stdin) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a device: expected a file, a pipe or - for standard input")}
		}
	}
	f, err := OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if err := f.watch(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Stdin returns standard input. If it is a regular file, the File reports changes like a File from
// Open.
func Stdin() *File {
	f := &File{f: os.Stdin, path: os.Stdin.Name()}
	_ = f.watch() // a closed standard input fails when it is read
	return f
}

// watch makes f report changes if f is a regular file.
func (f *File) watch() error {
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		f.in = &input{opened: fi}
		f.in.at.Store(at)
	}
	return err
}

// Unchanged returns an error that wraps ErrChanged if a regular input file has changed since it was
// opened. Readers that do not read a file to its end call Unchanged after the last read. If a
// program renames another file to the path, the open file does not change.
func (f *File) Unchanged() error {
	if f.in == nil {
		return nil
	}
	now, err := f.Stat()
	if err != nil {
		return err
	}
	switch was := f.in.opened; {
	case now.Size() != was.Size():
		return f.changed("it had %d bytes and now has %d", was.Size(), now.Size())
	case !now.ModTime().Equal(was.ModTime()):
		return f.changed("its modification time is now %v", now.ModTime())
	}
	return nil
}

func (f *File) changed(format string, args ...any) error {
	return &fs.PathError{Op: "read", Path: f.path, Err: fmt.Errorf("%w: %s", ErrChanged, fmt.Sprintf(format, args...))}
}

// Opened returns information about a regular input file when it was opened, or nil.
func (f *File) Opened() fs.FileInfo {
	if f.in == nil {
		return nil
	}
	return f.in.opened
}

// Size returns the number of bytes of a regular input when it was opened. It returns −1 if the size
// is unknown: for pipes, and for files of size 0. /proc and some other file systems report the size
// 0 for files with content.
func (f *File) Size() int64 {
	if f.in == nil || f.in.opened.Size() == 0 {
		return -1
	}
	return f.in.opened.Size()
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	n, err := transfer("read", f, p, f.f.Read)
	if f.in == nil {
		return n, err
	}
	return n, f.check(f.in.at.Add(int64(n)), n, err)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	n, err := transfer("pread", f, p, func(p []byte) (int, error) { return f.f.ReadAt(p, offset) })
	if f.in == nil {
		return n, err
	}
	return n, f.check(offset+int64(n), n, err)
}

// check returns the final error of a read. The read has returned err and n bytes, the last of which
// ends at the offset end.
func (f *File) check(end int64, n int, err error) error {
	size := f.in.opened.Size()
	if size == 0 && (n > 0 || errors.Is(err, io.EOF)) {
		// The file has changed, unless its file system reports no sizes; see Size.
		return cmp.Or(f.Unchanged(), err)
	}
	ended := errors.Is(err, io.EOF)
	if !ended && (err != nil || n == 0 || end <= size) {
		return err
	}
	if changed := f.Unchanged(); changed != nil {
		return changed
	}
	if n > 0 && end > size || ended && end < size {
		return f.changed("it has %d bytes, but reading ended at byte %d", size, end)
	}
	return err
}

// Reason returns err without the path of an fs.PathError, for messages that name the file already.
func Reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// maxStream bounds the content of a pipe that ReadAll returns, because a pipe can be endless.
const maxStream = 64 << 20 // tuning

// ReadFile returns the content of an input. See Open and ReadAll.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, limit)
}

// ErrTooLarge means that an input exceeds the limit of ReadAll.
var ErrTooLarge = errors.New("the input is too large")

// ReadAll returns the content of r. It returns ErrTooLarge if the content has more bytes than the
// limit. The limit 0 means the size of a regular file, and 64 MB for other inputs.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	if limit == 0 {
		limit = maxStream
		if f, ok := r.(*File); ok && f.in != nil {
			limit = max(limit, f.in.opened.Size())
		}
	}
	limit = min(limit, math.MaxInt64-1)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = plural.Errorf("%w: the limit is %d bytes", ErrTooLarge, limit)
	}
	return data, err
}
