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
	"github.com/inpoly/inpoly/internal/disk"
)

// remote reports whether a path belongs to a file system other than the local one, such as gs://.
func remote(name string) bool { return strings.Contains(name, "://") }

// absolute returns the absolute path of a local file. Remote paths do not change.
func absolute(path string) (string, error) {
	if remote(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

func makeAbsolute(lists ...[]string) (err error) {
	for _, list := range lists {
		for i := range list {
			if list[i], err = absolute(list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// base is filepath.Base for paths of any file system.
func base(name string) string {
	if remote(name) {
		return path.Base(name)
	}
	return filepath.Base(name)
}

// join is filepath.Join for paths of any file system.
func join(dir, name string) string {
	if remote(dir) {
		return strings.TrimSuffix(dir, "/") + "/" + name
	}
	return filepath.Join(dir, name)
}

// local is the local file system. It reads, removes and renames files through package disk.
type local struct{ filesystem.Interface }

func (local) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (local) Remove(_ context.Context, name string) error { return disk.Remove(name) }

func (local) Rename(_ context.Context, from, to string) error { return disk.Rename(from, to) }

// withFS calls a function with the file system of the given path.
func withFS(ctx context.Context, name string, do func(filesystem.Interface) error) error {
	f, err := filesystem.New(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	if !remote(name) {
		f = local{f}
	}
	return withName(name, do(f))
}

// withName adds a file name to an error that does not contain it yet. It recognizes the name only
// in quotes or before a colon, because the name can also be an ordinary word.
func withName(name string, err error) error {
	if err == nil {
		return nil
	}
	text := " " + err.Error()
	if strings.Contains(text, " "+name+":") || strings.Contains(text, strconv.Quote(name)) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// glob returns the files that match a pattern. If no file matches, it returns an error.
func glob(ctx context.Context, pattern string) (list []string, err error) {
	err = withFS(ctx, pattern, func(f filesystem.Interface) error {
		if _, err := disk.Stat(pattern); err == nil && !remote(pattern) {
			list = []string{pattern} // the name of a file can look like a pattern
			return nil
		}
		var err error
		if list, err = f.List(ctx, pattern); err == nil && len(list) == 0 {
			err = errors.New("no file has this name or matches this pattern")
		}
		return err
	})
	return list, err
}

func readAll(ctx context.Context, name string) (data []byte, err error) {
	err = withFS(ctx, name, func(f filesystem.Interface) error {
		data, err = filesystem.Read(ctx, f, name)
		return err
	})
	return data, err
}

// writeWhole writes a file, which appears completely or not at all.
func writeWhole(ctx context.Context, name string, data []byte) error {
	commit, abort, err := stage(ctx, name, data)
	if err != nil {
		return err
	}
	defer abort()
	return commit()
}

// stage prepares a file. It becomes visible when commit is called. To discard it, call abort, which
// has no effect after commit. A remote file is not written before commit.
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

// upload writes an object of a remote file system. The object becomes visible only if the reader
// returns no error.
func upload(ctx context.Context, name string, r io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return withFS(ctx, name, func(f filesystem.Interface) error {
		w, err := f.OpenWrite(ctx, name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			cancel() // discards the object
			return err
		}
		return w.Close()
	})
}

// download copies an object to a file of the same name in a new local folder. The function done
// removes the folder.
func download(ctx context.Context, name string) (copied string, done func(), err error) {
	dir, err := disk.MkdirTemp("", "inpoly-beam-")
	if err != nil {
		return "", nil, err
	}
	copied = filepath.Join(dir, path.Base(name))
	err = withFS(ctx, name, func(f filesystem.Interface) error {
		r, err := f.OpenRead(ctx, name)
		if err != nil {
			return err
		}
		defer r.Close()
		w, err := disk.OpenFile(copied, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		return errors.Join(err, w.Close())
	})
	done = func() { disk.RemoveAll(dir) }
	if err != nil {
		done()
	}
	return copied, done, err
}

// remove removes a file or an empty folder. A file that does not exist is not an error. remove tries
// twice, because no later run removes the file.
func remove(ctx context.Context, name string) error {
	return withFS(ctx, name, func(f filesystem.Interface) error {
		r, ok := f.(filesystem.Remover)
		if !ok {
			return fmt.Errorf("%s: its file system cannot remove files", name)
		}
		err := r.Remove(ctx, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = r.Remove(ctx, name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// unchanged returns an error if a file no longer has the given stamp.
func unchanged(ctx context.Context, name, old string) error {
	now, _, err := stamp(ctx, name)
	if err == nil && now != old {
		err = fmt.Errorf("%s: the file has changed since the run began", name)
	}
	return err
}

// stamp returns the size of a file and a text that changes when the file changes. The text contains
// the path, the size and, if the file system stores it, the modification time.
func stamp(ctx context.Context, name string) (text string, size int64, err error) {
	if !remote(name) {
		fi, err := disk.Stat(name)
		if err != nil {
			return "", 0, fmt.Errorf("%s: %w", name, disk.Reason(err))
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
