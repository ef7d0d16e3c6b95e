package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/inpoly/inpoly/internal/atomicfile"
)

// remote reports whether a path belongs to another file system than that of the machine.
func remote(name string) bool { return strings.Contains(name, "://") }

// absolute returns the absolute path of a local file, and other paths unchanged.
func absolute(path string) (string, error) {
	if remote(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

// base and join are path.Base and path.Join for paths of any file system.
func base(name string) string {
	if remote(name) {
		return path.Base(name)
	}
	return filepath.Base(name)
}

func join(dir, name string) string {
	if remote(dir) {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// withFS calls do with the file system of name.
func withFS(ctx context.Context, name string, do func(filesystem.Interface) error) error {
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	return withName(name, do(f))
}

// withName adds a name to an error that does not contain it.
func withName(name string, err error) error {
	if err == nil || hasName(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// hasName reports whether the text of an error contains a name before a colon or in quotes. Elsewhere
// the letters may belong to a word: a file may be called "file".
func hasName(text, name string) bool {
	return strings.HasPrefix(text, name+":") || strings.Contains(text, " "+name+":") || strings.Contains(text, strconv.Quote(name))
}

// errNone says that no file matches a pattern.
var errNone = errors.New("no such file, and none that matches")

// glob returns the files that match, at least one.
func glob(ctx context.Context, pattern string) (list []string, err error) {
	err = withFS(ctx, pattern, func(f filesystem.Interface) error {
		if _, err := os.Stat(pattern); err == nil && !remote(pattern) {
			list = []string{pattern} // even if its name looks like a pattern
			return nil
		}
		var err error
		if list, err = f.List(ctx, pattern); err == nil && len(list) == 0 {
			err = errNone
		}
		return err
	})
	return list, err
}

// readAll returns the contents of a file.
func readAll(ctx context.Context, name string) (data []byte, err error) {
	err = withFS(ctx, name, func(f filesystem.Interface) error {
		data, err = filesystem.Read(ctx, f, name)
		return err
	})
	return data, err
}

// writeWhole writes a file that is complete or absent.
func writeWhole(ctx context.Context, name string, data []byte) error {
	commit, abort, err := stage(ctx, name, data)
	if err != nil {
		return err
	}
	defer abort()
	return commit()
}

// stage writes a file that appears when commit is called; abort removes it. After commit, abort does
// nothing. On remote file systems commit does all the work.
func stage(ctx context.Context, name string, data []byte) (commit func() error, abort func(), err error) {
	if remote(name) {
		return func() error { return upload(ctx, name, bytes.NewReader(data)) }, func() {}, nil
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, nil, err
	}
	if _, err := f.Write(data); err != nil {
		f.Abort()
		return nil, nil, withName(name, err)
	}
	return func() error { return withName(name, f.Commit()) }, f.Abort, nil
}

// upload copies r to an object, which appears when it is closed, as in object stores. If r fails, the
// object is not closed.
func upload(ctx context.Context, name string, r io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return withFS(ctx, name, func(f filesystem.Interface) error {
		w, err := f.OpenWrite(ctx, name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			cancel() // drops the bytes written
			return err
		}
		return w.Close()
	})
}

// download copies an object to a file with the same name in dir.
func download(ctx context.Context, name, dir string) (string, error) {
	to := filepath.Join(dir, path.Base(name))
	err := withFS(ctx, name, func(f filesystem.Interface) error {
		r, err := f.OpenRead(ctx, name)
		if err != nil {
			return err
		}
		defer r.Close()
		w, err := os.Create(to)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			w.Close()
			return err
		}
		return w.Close()
	})
	return to, err
}

// move renames a file.
func move(ctx context.Context, from, to string) error {
	return withFS(ctx, to, func(f filesystem.Interface) error { return filesystem.Rename(ctx, f, from, to) })
}

// remove removes a file or an empty folder. It is no error if there is none.
func remove(ctx context.Context, name string) error {
	return withFS(ctx, name, func(f filesystem.Interface) error {
		r, ok := f.(filesystem.Remover)
		if !ok {
			return fmt.Errorf("%s: its file system cannot remove files", name)
		}
		if err := r.Remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// unchanged returns an error if the stamp of a file is not old any more.
func unchanged(ctx context.Context, name, old string) error {
	now, _, err := stamp(ctx, name)
	if err == nil && now != old {
		err = fmt.Errorf("%s: it has changed since the run began", name)
	}
	return err
}

// stamp returns a text that differs once a file has changed: size and time, or what a remote file
// system reports.
func stamp(ctx context.Context, name string) (text string, size int64, err error) {
	if !remote(name) {
		fi, err := os.Stat(name)
		if err != nil {
			var p *fs.PathError
			if errors.As(err, &p) {
				err = p.Err
			}
			return "", 0, fmt.Errorf("%s: %w", name, err)
		}
		full, err := filepath.Abs(name)
		return fmt.Sprintf("%q %d %d", full, fi.Size(), fi.ModTime().UnixNano()), fi.Size(), err
	}
	err = withFS(ctx, name, func(f filesystem.Interface) error {
		if size, err = f.Size(ctx, name); err != nil {
			return err
		}
		text = fmt.Sprintf("%q %d", name, size)
		if m, ok := f.(filesystem.LastModifiedGetter); ok {
			at, err := m.LastModified(ctx, name)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %d", at.UnixNano())
		}
		return nil
	})
	return text, size, err
}
