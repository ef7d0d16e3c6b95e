// Package meshfile reads mesh files and welds them.
package meshfile

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Options are the options of Open and From.
type Options struct {
	Workers   int
	MaxMemory int64         // see loaders.Options
	AllParts  bool          // see loaders.Options
	Progress  lazy.Progress // called in the stages "load" and "weld"
}

// File is a mesh with information about its file.
type File struct {
	Mesh       *mesh.Mesh
	Info       loaders.Info
	Load, Weld time.Duration
}

// Open reads and welds the file at path. If the content of the file is bad, the error is a
// *loaders.Error. Errors of welding begin with the path. If ctx ends first, Open returns the
// error of ctx.
func Open(ctx context.Context, path string, opt Options) (File, error) {
	return load(ctx, path, opt, func(lo loaders.Options) (*loaders.Content, loaders.Info, error) {
		return loaders.LoadContent(ctx, path, lo)
	})
}

// From returns a function that reads a mesh from r as Open reads it from a file. Messages contain
// the given name instead of a path.
func From(r io.Reader) func(ctx context.Context, name string, opt Options) (File, error) {
	return func(ctx context.Context, name string, opt Options) (File, error) {
		return load(ctx, name, opt, func(lo loaders.Options) (*loaders.Content, loaders.Info, error) {
			return loaders.ReadContent(ctx, name, r, lo)
		})
	}
}

func load(ctx context.Context, name string, opt Options, read func(loaders.Options) (*loaders.Content, loaders.Info, error)) (File, error) {
	lo := loaders.Options{MaxMemory: opt.MaxMemory, AllParts: opt.AllParts}
	if opt.Progress != nil {
		lo.Progress = func(done, total int64) { opt.Progress("load", done, total) }
	}
	start := time.Now()
	content, info, err := read(lo)
	if err != nil {
		return File{}, err
	}
	loaded := time.Now()
	opt.Progress.Report("weld", 0, 1)
	m, err := content.Mesh(ctx, mesh.Options{Workers: opt.Workers})
	if err != nil {
		return File{}, fmt.Errorf("%s: weld: %w", name, err)
	}
	opt.Progress.Report("weld", 1, 1)
	return File{Mesh: m, Info: info, Load: loaded.Sub(start), Weld: time.Since(loaded)}, nil
}
