package points

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// File is an output file that is there whole or not at all: it is written without a
// name, or where the system or the file system has no such files under a temporary one,
// in the same folder, and renamed by Commit. Where the path is
// something else than a regular file (a device, a named pipe), or a file that is open
// already (/dev/stdout, /dev/fd/3), it is written directly. A symbolic link stays, its
// target is replaced or made.
type File struct {
	f    *os.File
	temp string // "" where there is none now
	path string // "" when written directly or done
}

// Create begins a File. Neither is a file at path touched before Commit, nor are
// its permissions lost then; one that may not be written is an error.
func Create(path string) (*File, error) {
	real, err := follow(path)
	if err != nil {
		return nil, err
	}
	if d, ok := descriptorAt(real); ok {
		f, err := d.open()
		if err != nil {
			return nil, cannotWrite(path, "write", err)
		}
		return &File{f: f}, nil
	}
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case err == nil && !fi.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{f: f}, nil
	case err != nil:
		fi = nil
	default:
		// The folder may allow what the file does not.
		f, err := os.OpenFile(real, os.O_WRONLY, 0)
		if err != nil {
			return nil, cannotWrite(path, "replace", err)
		}
		f.Close()
	}
	file, err := begin(real)
	if err == nil && fi != nil {
		if err = file.f.Chmod(fi.Mode().Perm()); err != nil {
			file.Abort()
		}
	}
	if err != nil {
		return nil, cannotWrite(path, "create", err)
	}
	return file, nil
}

// begin makes the file that will be path: without a name where the system can, so that
// a process that is killed leaves nothing.
func begin(path string) (*File, error) {
	f, err := openUnnamed(path)
	if err != nil { // whatever it is: what is not the want of a name is met again
		return beginNamed(path)
	}
	return &File{f: f, path: path}, nil
}

// beginNamed is begin with a temporary name.
func beginNamed(path string) (*File, error) {
	file := &File{path: path}
	var err error
	file.temp, err = inventName(path, func(temp string) (err error) {
		file.f, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// inventName calls take with temporary names beside path until it finds none that is
// taken by something else, and returns the last.
func inventName(path string, take func(temp string) error) (string, error) {
	dir, base := filepath.Split(path)
	// That many in a row mean that something else is wrong.
	const tries = 100
	for range tries {
		temp := fmt.Sprintf("%s.%s.%08x.tmp", dir, base, rand.Uint32())
		if err := take(temp); !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	return "", fmt.Errorf("no free temporary name in %s", filepath.Dir(path))
}

// follow returns what path is after all symbolic links, also where nothing is
// there yet. It stops at a descriptor: what that links to is a name that need not
// lead anywhere.
func follow(path string) (string, error) {
	const most = 40 // as many as Linux follows
	for range most {
		if _, ok := descriptorAt(path); ok {
			return path, nil
		}
		fi, err := os.Lstat(path)
		if err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: more than %d symbolic links", path, most)
}

// cannotWrite names the file that was asked for in place of the temporary one.
func cannotWrite(path, verb string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: cannot %s: %w", path, verb, err)
}

// Write writes to the file that is to be.
func (f *File) Write(p []byte) (int, error) { return f.f.Write(p) }

// CanPatch reports whether the first bytes can be replaced: not in a device or a pipe.
func (f *File) CanPatch() bool { return f.path != "" }

// Patch replaces the first bytes.
func (f *File) Patch(head []byte) error {
	_, err := f.f.WriteAt(head, 0)
	return err
}

// Commit closes the file and gives it its name. After an error nothing is left.
func (f *File) Commit() error {
	err := f.name()
	err = errors.Join(err, f.f.Close())
	if err == nil && f.temp != "" {
		err = os.Rename(f.temp, f.path)
	}
	if err != nil {
		f.remove()
		return err
	}
	f.temp, f.path = "", ""
	return nil
}

// name gives a file without a name a temporary one: to take the place of another file it
// must have one.
func (f *File) name() (err error) {
	if f.path == "" || f.temp != "" {
		return nil
	}
	temp, err := inventName(f.path, func(temp string) error { return linkUnnamed(f.f, temp) })
	if err != nil {
		return cannotWrite(f.path, "create", err)
	}
	f.temp = temp
	return nil
}

// Abort closes and removes the file; after Commit it does nothing. It may be
// called while another goroutine writes.
func (f *File) Abort() {
	f.f.Close()
	f.remove()
}

func (f *File) remove() {
	if f.temp != "" {
		os.Remove(f.temp)
		f.temp = ""
	}
}
