package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// Options of Load and Read; the zero value is good.
type Options struct {
	// Format forces a format; Auto recognises it.
	Format Format

	// MaxMemory bounds the bytes that loading may hold at once. 0 means
	// 64 MB + 16 × (decompressed bytes + external files + 50 × triangles), with
	// the triangles' part at most 2 GB and, for packed files, at most 1 GB or 200
	// times the packed size of content; what comes from a stream or a pipe, whose
	// size is not known beforehand, has at most 4 GB. A positive value is an absolute limit in
	// place of all of that. The mesh that is built from the soup afterwards is
	// not counted.
	MaxMemory int64

	// FS opens external files (buffers of glTF) by their path relative to the
	// mesh. nil: Load uses the folder of the file and nothing above it; Read
	// refuses external files.
	FS fs.FS

	// Progress, if set, is told the bytes parsed and their total. Calls are
	// serialised; they may come from other goroutines than the caller's.
	Progress func(done, total int64)
}

// Info describes what was read.
type Info struct {
	Format         Format
	Compression    string   // "", "gzip" or "zstd"
	Bytes          int64    // decompressed content and external files
	Polygons       int      // faces as stored, before triangulation; an instance counts again
	StoredVertices int      // vertices as stored, used or not
	Notes          []string // what was interpreted or left out; beyond 32 the rest is only counted
}

// Load reads the mesh in the file at path. The format is recognised by content
// first, by suffix second; gzip and zstandard are unpacked by their magic.
//
// Faces keep their order in the file. A polygon becomes the fan around its first
// corner where that covers it, else it is cut into triangles by exact ear clipping
// in its projection along the largest component of its area vector; Info.Notes
// counts those, and faces without area or that cross themselves, which become fans
// too. Whatever the choice, the triangles' boundary is that of the face.
//
// The soup's indices are valid and its vertices finite. Every error is an *Error;
// after a done context it wraps ctx.Err(). Load is safe for concurrent use, and its
// result does not depend on the number of processors.
func Load(ctx context.Context, path string, opt Options) (*mesh.Soup, Info, error) {
	soup, info, err := loadFile(ctx, path, opt)
	return soup, info, placed(err, path, info.Format)
}

func loadFile(ctx context.Context, path string, opt Options) (*mesh.Soup, Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, Info{}, systemReason(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, Info{}, systemReason(err)
	}
	if st.IsDir() {
		return nil, Info{}, fmt.Errorf("cannot read a mesh: %w", syscall.EISDIR)
	}
	size := int64(-1)
	if st.Mode().IsRegular() {
		size = st.Size()
	}
	if opt.FS == nil {
		opt.FS = soup.Folder(filepath.Dir(path))
	}
	return read(ctx, path, f, size, opt)
}

// systemReason strips the path from an error of package os: Error names the file.
func systemReason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("cannot %s: %w", p.Op, p.Err)
	}
	return err
}

// Read reads the mesh that r holds, up to its end. The name stands in errors, and
// its suffix helps to recognise the format. Otherwise it is like Load.
func Read(ctx context.Context, name string, r io.Reader, opt Options) (*mesh.Soup, Info, error) {
	soup, info, err := read(ctx, name, r, -1, opt)
	return soup, info, placed(err, name, info.Format)
}

func read(ctx context.Context, name string, r io.Reader, size int64, opt Options) (*mesh.Soup, Info, error) {
	info := Info{Format: opt.Format}
	if opt.MaxMemory < 0 {
		return nil, info, soup.AtPath("", ErrTooLarge, "the memory limit is negative")
	}
	if int(opt.Format) >= len(formats) {
		return nil, info, soup.AtPath("", ErrUnknownFormat, "%v", opt.Format)
	}
	src := soup.NewSource(ctx, soup.Options{Size: size, MaxMemory: opt.MaxMemory, FS: opt.FS, Progress: opt.Progress})
	err := src.Open(r)
	info.Compression, info.Bytes = src.Compression, src.Bytes
	if err != nil {
		return nil, info, err
	}
	if info.Format == Auto {
		info.Format = detect(name, src.Data)
	}
	if info.Format == Auto {
		list := names()
		return nil, info, soup.AtPath("", ErrUnknownFormat, "neither content nor suffix is known").
			WithHint(fmt.Sprintf("inpoly reads %s and %s, also packed as .gz or .zst",
				strings.Join(list[:len(list)-1], ", "), list[len(list)-1]))
	}
	b := soup.NewBuilder(src)
	soup, err := build(src, b, formats[info.Format].Read)
	info.Bytes, info.Polygons, info.StoredVertices, info.Notes = src.Bytes, b.Polygons, b.StoredVertices, b.Notes
	if err == nil && opt.Progress != nil {
		opt.Progress(info.Bytes, info.Bytes)
	}
	return soup, info, err
}

// build reads src into b and returns the soup.
func build(src *soup.Source, b *soup.Builder, read func(*soup.Source, *soup.Builder) error) (*mesh.Soup, error) {
	if err := read(src, b); err != nil {
		return nil, err
	}
	if err := src.Err(); err != nil {
		return nil, err
	}
	return b.Finish()
}
