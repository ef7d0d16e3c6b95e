// Package atomicfile writes output files that appear completely or not at all.
//
// A File appears at its path when it is committed. If the File is aborted or the process dies, no
// file appears. If a Resumable is interrupted, its bytes and a journal stay on the disk. The next
// run continues from these bytes.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/disk"
)

// File is an output file that appears completely or not at all. Before Commit it is an unnamed
// file. If the system does not support unnamed files, it is a temporary file in the same folder.
//
// If the path is a symbolic link, Commit replaces or creates the target of the link. If the path is
// a device, a named pipe or an open file (/dev/stdout, /dev/fd/3), File writes to it directly.
type File struct {
	f    *disk.File
	temp string // path of the temporary file, or ""
	path string // final path, or "" if File writes directly or after Commit
}

// Create begins a File at path. Commit replaces an existing file. The new file has the owner, the
// group and the permissions of the old file, as far as the system permits (disk.File.CopyOwner).
// The new file does not have access control lists and extended attributes of the old file.
//
// Create fails if path is a directory, if the existing file is not writable, or if the folder of
// the file is missing or not writable.
func Create(path string) (*File, error) {
	target, d, err := follow(path)
	if err != nil {
		return nil, err
	}
	if d != nil {
		f, err := d.open()
		if err != nil {
			return nil, cannotError("write", path, err)
		}
		return &File{f: f}, nil
	}
	old, err := existing(path, target)
	if err != nil {
		return nil, err
	}
	if old != nil && !old.Mode().IsRegular() {
		f, err := disk.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{f: f}, nil
	}
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = 0o600 // nobody can read more than before; CopyOwner sets the final permissions
	}
	file, err := begin(target, perm)
	if err == nil && old != nil {
		if err = file.f.CopyOwner(old); err != nil {
			file.Abort()
		}
	}
	if err != nil {
		return nil, cannotError("create", path, err)
	}
	return file, nil
}

// Replaces reports whether Create replaces the regular file at path atomically, or creates it. If
// path is a device, a named pipe or an open file, Create writes to it directly.
func Replaces(path string) bool {
	target, d, err := follow(path)
	if err != nil || d != nil {
		return false
	}
	fi, err := disk.Stat(target)
	return errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode().IsRegular()
}

// SameFile reports whether Create writes the same file for two paths. Two paths can name one file
// because of a relative path, a symbolic link or a hard link. The files do not have to exist. If
// neither exists and the names differ only in case, SameFile returns true, because many disks ignore
// case.
func SameFile(a, b string) bool {
	old, errA := disk.Stat(a)
	other, errB := disk.Stat(b)
	if errA == nil || errB == nil {
		return errA == nil && errB == nil && os.SameFile(old, other)
	}
	first, errA := finalPath(a)
	second, errB := finalPath(b)
	if errA != nil || errB != nil || !strings.EqualFold(filepath.Base(first), filepath.Base(second)) {
		return false
	}
	old, errA = disk.Stat(filepath.Dir(first))
	other, errB = disk.Stat(filepath.Dir(second))
	return errA == nil && errB == nil && os.SameFile(old, other)
}

// finalPath returns the absolute path, without symbolic links, of the file that Create writes.
func finalPath(path string) (string, error) {
	target, _, err := follow(path)
	if err != nil {
		return "", err
	}
	if target, err = filepath.Abs(target); err != nil {
		return "", err
	}
	dir, err := disk.EvalSymlinks(filepath.Dir(target))
	return filepath.Join(dir, filepath.Base(target)), err
}

// existing describes the existing file at path, whose links lead to target. It returns nil if there
// is no file. It fails if path is a directory, or if the file is not writable. Without this check,
// Commit would replace a read-only file, because a rename needs only a writable folder.
func existing(path, target string) (fs.FileInfo, error) {
	old, err := disk.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, cannotError("create", path, err)
	case old.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case !old.Mode().IsRegular():
		return old, nil
	}
	f, err := disk.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return nil, cannotError("replace", path, err)
	}
	f.Close()
	return old, nil
}

// begin creates a file that has no final name yet. Commit later renames the file to path. If the
// system supports it, the file is unnamed, so that it disappears if the process is killed.
func begin(path string, perm fs.FileMode) (*File, error) {
	f, err := openUnnamed(path)
	if err != nil { // beginNamed needs no unnamed files, and reports any other error again
		return beginNamed(path, perm)
	}
	return &File{f: f, path: path}, nil
}

// openUnnamed creates an unnamed file in the folder of path. The file disappears with the process
// unless Link gives it a name. openUnnamed first creates and links a test file, because some file
// systems have no unnamed files, and Link needs /proc.
func openUnnamed(path string) (*disk.File, error) {
	dir := filepath.Dir(path)
	trial, err := disk.OpenUnnamed(dir, path)
	if err != nil {
		return nil, err
	}
	defer trial.Close()
	temp, err := tryNames(path, trial.Link)
	if err == nil {
		err = removeTemp(temp)
	}
	if err != nil {
		return nil, err
	}
	return disk.OpenUnnamed(dir, path)
}

// beginNamed creates a file with a temporary name. Commit later renames the file to path.
func beginNamed(path string, perm fs.FileMode) (*File, error) {
	file := &File{path: path}
	var err error
	file.temp, err = tryNames(path, func(temp string) (err error) {
		file.f, err = disk.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// tryNames calls create with random temporary names in the folder of path. While create fails with
// fs.ErrExist, tryNames tries another name. tryNames returns the last name and the last result of
// create.
func tryNames(path string, create func(temp string) error) (string, error) {
	dir, base := filepath.Split(path)
	const tries = 100 // 100 collisions in a row are practically impossible with 2⁶⁴ names
	for range tries {
		temp := fmt.Sprintf("%s.%s.%016x.tmp", dir, base, rand.Uint64()) // a random number that others cannot guess
		if err := create(temp); !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	return "", fmt.Errorf("no free temporary name in %s", filepath.Dir(path))
}

// follow resolves the symbolic links at the end of path. The target need not exist. follow stops at
// a descriptor such as /dev/fd/1, because the link of a descriptor is not always a path. In this
// case, follow returns the descriptor.
func follow(path string) (target string, d *descriptor, err error) {
	target = path
	const most = 40 // maximum number of links that Linux follows
	for range most {
		if d, err = descriptorAt(target); d != nil || err != nil {
			return target, d, err
		}
		fi, err := disk.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode()&fs.ModeSymlink == 0 {
			return target, nil, nil
		}
		var next string
		if err == nil {
			next, err = disk.Readlink(target)
		}
		if err != nil {
			return "", nil, cannotError("create", path, err)
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(target), next)
		}
		target = next
	}
	return "", nil, fmt.Errorf("%s: more than %d symbolic links", path, most)
}

// cannotError returns the error "PATH: cannot VERB: ERR" with the values of its parameters. If err
// is an *fs.PathError, the message omits the path in err, which can be the path of a temporary
// file.
func cannotError(verb, path string, err error) error {
	return fmt.Errorf("%s: cannot %s: %w", path, verb, disk.Reason(err))
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) { return f.f.Write(p) }

// CanPatch reports whether Patch works. Patch does not work for a device, a pipe or an open file.
func (f *File) CanPatch() bool { return f.path != "" }

// Patch replaces the first bytes of the file.
func (f *File) Patch(head []byte) error {
	_, err := f.f.WriteAt(head, 0)
	return err
}

// Commit closes the file and gives the file its final name. If Commit fails, the file disappears.
func (f *File) Commit() error {
	fi, err := f.f.Stat()
	err = errors.Join(err, f.link())
	err = errors.Join(err, f.f.Close())
	if err == nil && f.temp != "" {
		err = move(fi, f.temp, f.path)
	}
	if err != nil {
		return errors.Join(err, f.remove())
	}
	f.temp, f.path = "", ""
	return nil
}

// move renames the file at from, which fi describes, to its final name. It fails if another process
// has replaced the file. So the output is never a link that another user has planted.
func move(fi fs.FileInfo, from, to string) error {
	named, err := disk.Lstat(from)
	if err != nil {
		return err
	}
	if !os.SameFile(fi, named) {
		return fmt.Errorf("%s: another process has replaced this file", from)
	}
	return disk.Rename(from, to)
}

// link gives an unnamed file a temporary name, because only a named file can replace another file.
func (f *File) link() error {
	if f.path == "" || f.temp != "" {
		return nil
	}
	temp, err := tryNames(f.path, f.f.Link)
	if err != nil {
		return cannotError("create", f.path, err)
	}
	f.temp = temp
	return nil
}

// Abort closes and removes the file. After Commit, Abort does nothing. Abort can be called while
// another goroutine writes.
func (f *File) Abort() {
	f.f.Close()
	_ = f.remove()
}

func (f *File) remove() error {
	temp := f.temp
	if temp == "" {
		return nil
	}
	f.temp = ""
	return removeTemp(temp)
}

// removeTemp removes a temporary file. It tries twice, because no later run removes the file.
func removeTemp(temp string) error {
	err := disk.Remove(temp)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = disk.Remove(temp)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cannotError("remove", temp, err)
	}
	return nil
}

// descriptor is an open file of a process. Its path is a name such as /dev/fd/1.
type descriptor struct {
	path string
	fd   int // descriptor number, or −1 for a file of another process
}

// descriptorFolders matches the folders that list the open files of this process (/dev/fd on BSD)
// or of any process (/proc/PID/fd on Linux, see proc(5)).
var descriptorFolders = regexp.MustCompile(`^(?:/dev/fd|/proc/([0-9]+)(?:/task/[0-9]+)?/fd)$`)

// descriptorAt returns the descriptor that path names, or nil if path does not name a descriptor. It
// does not follow a symbolic link at the end of path.
func descriptorAt(path string) (*descriptor, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fd, err := strconv.ParseUint(filepath.Base(path), 10, 31)
	if err != nil {
		return nil, nil
	}
	dir, err := disk.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, cannotError("create", path, err)
	}
	m := descriptorFolders.FindStringSubmatch(dir)
	if m == nil {
		return nil, nil
	}
	// The process id is read from the link /proc/self. os.Getpid can return a wrong id if /proc
	// belongs to another PID namespace.
	if self, err := disk.Readlink("/proc/self"); m[1] != "" && (err != nil || self != m[1]) {
		return &descriptor{path, -1}, nil
	}
	return &descriptor{path, int(fd)}, nil
}

// open opens the file of d for writing. If d belongs to this process, the first write is at the
// current offset. If d belongs to another process, all writes are at the end of the file.
func (d descriptor) open() (*disk.File, error) {
	if d.fd < 0 {
		return disk.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0)
	}
	return disk.Duplicate(d.fd, d.path)
}
