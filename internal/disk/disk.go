// Package disk calls the file system. All other packages of the program open, read, write and
// rename files through this package (internal/arch tests it), so tests can make every single call
// fail.
//
// The functions and methods have the names, parameters and errors of package os. A call that a
// signal interrupts (EINTR) is repeated. Closing a file is not repeated, because the system can
// have closed the file already.
package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// File is an open file. Its methods work like the methods of os.File, and are safe for concurrent
// use.
type File struct {
	f    *os.File
	path string
	in   *input // nil unless the File is a regular input file
}

// OpenFile is os.OpenFile.
func OpenFile(path string, flag int, perm fs.FileMode) (*File, error) {
	return open(path, func() (*os.File, error) { return os.OpenFile(path, flag, perm) })
}

// open returns the file that f opens. Errors name the path.
func open(path string, f func() (*os.File, error)) (*File, error) {
	file, err := call("open", path, f)
	if err != nil {
		return nil, err
	}
	return &File{f: file, path: file.Name()}, nil
}

// Name returns the path of the file.
func (f *File) Name() string { return f.path }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) { return transfer("write", f, p, f.f.Write) }

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	return transfer("write", f, p, func(p []byte) (int, error) { return f.f.WriteAt(p, offset) })
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	return call("seek", f.path, func() (int64, error) { return f.f.Seek(offset, whence) })
}

// Stat is os.File.Stat.
func (f *File) Stat() (fs.FileInfo, error) { return call("stat", f.path, f.f.Stat) }

// Sync is os.File.Sync.
func (f *File) Sync() error { return do("sync", f.path, f.f.Sync) }

// Truncate is os.File.Truncate.
func (f *File) Truncate(size int64) error {
	return do("truncate", f.path, func() error { return f.f.Truncate(size) })
}

// Close is os.File.Close. The file is closed even if Close returns an error.
func (f *File) Close() error {
	err := f.f.Close()
	if err == nil {
		err = injected("close", f.path).Err
	}
	return err
}

// Link gives an unnamed file (OpenUnnamed) a name. It fails with fs.ErrExist if the name exists.
func (f *File) Link(name string) error {
	return do("link", name, func() error { return link(f.f, name) })
}

// Lock locks the file for this process until the file is closed. It fails with ErrLocked if another
// process has locked the file. On systems without locks for whole files, Lock does nothing.
func (f *File) Lock() error { return do("lock", f.path, func() error { return lock(f.f) }) }

// ErrLocked means that another process has locked the file.
var ErrLocked = errors.New("another run is writing this file")

// OpenUnnamed creates a file without a name in the folder dir. Error messages contain the given
// path. The file disappears with the process unless Link gives it a name. OpenUnnamed fails on
// systems without such files.
func OpenUnnamed(dir, path string) (*File, error) {
	return open(path, func() (*os.File, error) { return unnamed(dir, path) })
}

// Duplicate returns a second descriptor of the open file fd of this process, for writing. The two
// descriptors share the offset. On systems without duplicates, Duplicate opens path for appending.
func Duplicate(fd int, path string) (*File, error) {
	return open(path, func() (*os.File, error) { return duplicate(fd, path) })
}

// Stat is os.Stat.
func Stat(path string) (fs.FileInfo, error) { return look(path, os.Stat) }

// Lstat is os.Lstat.
func Lstat(path string) (fs.FileInfo, error) { return look(path, os.Lstat) }

// Readlink is os.Readlink.
func Readlink(path string) (string, error) { return look(path, os.Readlink) }

// EvalSymlinks is filepath.EvalSymlinks.
func EvalSymlinks(path string) (string, error) { return look(path, filepath.EvalSymlinks) }

// ReadDir is os.ReadDir.
func ReadDir(path string) ([]fs.DirEntry, error) { return look(path, os.ReadDir) }

// Rename is os.Rename.
func Rename(from, to string) error {
	return do("rename", from, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove.
func Remove(path string) error { return do("remove", path, func() error { return os.Remove(path) }) }

// RemoveAll is os.RemoveAll. It tries twice, because no later run removes a temporary folder.
func RemoveAll(path string) error {
	remove := func() error { return os.RemoveAll(path) }
	if do("remove", path, remove) == nil {
		return nil
	}
	return do("remove", path, remove)
}

// MkdirAll is os.MkdirAll.
func MkdirAll(path string, perm fs.FileMode) error {
	return do("mkdir", path, func() error { return os.MkdirAll(path, perm) })
}

// MkdirTemp is os.MkdirTemp. Only the owner can use the folder.
func MkdirTemp(dir, pattern string) (string, error) {
	return call("mkdir", dir, func() (string, error) { return os.MkdirTemp(dir, pattern) })
}

// Chtimes is os.Chtimes.
func Chtimes(path string, accessed, modified time.Time) error {
	return do("chmod", path, func() error { return os.Chtimes(path, accessed, modified) })
}

// Root is a folder of inputs. It implements fs.StatFS and refuses files outside the folder, even
// through symbolic links.
type Root struct {
	root *os.Root
	fs   fs.StatFS
}

// OpenRoot is os.OpenRoot.
func OpenRoot(dir string) (*Root, error) {
	r, err := call("open", dir, func() (*os.Root, error) { return os.OpenRoot(dir) })
	if err != nil {
		return nil, err
	}
	return &Root{r, r.FS().(fs.StatFS)}, nil
}

// Open implements fs.FS. The file is a *File.
func (r *Root) Open(name string) (fs.File, error) {
	f, err := open(filepath.Join(r.root.Name(), name), func() (*os.File, error) {
		f, err := r.fs.Open(name)
		if err != nil {
			return nil, err
		}
		return f.(*os.File), nil
	})
	if err == nil {
		if err = f.watch(); err != nil {
			f.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat implements fs.StatFS.
func (r *Root) Stat(name string) (fs.FileInfo, error) {
	return look(filepath.Join(r.root.Name(), name), func(string) (fs.FileInfo, error) { return r.fs.Stat(name) })
}

// Close closes the folder.
func (r *Root) Close() error { return r.root.Close() }

// call returns the results of f. It repeats f while a signal interrupts f.
func call[T any](op string, path string, f func() (T, error)) (T, error) {
	for {
		var v T
		err := injected(op, path).Err
		if err == nil {
			v, err = f()
		}
		if !errors.Is(err, syscall.EINTR) {
			return v, err
		}
	}
}

// look calls f, which looks up a path.
func look[T any](path string, f func(string) (T, error)) (T, error) {
	return call("stat", path, func() (T, error) { return f(path) })
}

// do is like call, for functions without a result.
func do(op string, path string, f func() error) error {
	_, err := call(op, path, func() (struct{}, error) { return struct{}{}, f() })
	return err
}
