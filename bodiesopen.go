package inpoly

import (
	"context"
	"fmt"
	"time"

	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// OpenAssembly opens the mesh files at paths, as Open does, as one solid each. They
// are called after their files without folder and suffix; equal names are told
// apart as NewAssembly does. Options.Progress reports the stages "load" and "weld"
// for each file, then "build" in solids. Errors name the file or the solid.
func OpenAssembly(ctx context.Context, paths []string, opt Options) (*Assembly, error) {
	return openAssembly(ctx, paths, opt, func(_ context.Context, name string, m *mesh.Mesh) ([]Part, error) {
		return []Part{{Name: name, Mesh: m}}, nil
	})
}

// OpenBodies is OpenAssembly with one solid for each body of the files, as Split
// makes them: OBJ groups and objects, STL solids, glTF nodes, 3MF build items. It is
// for files whose bodies are solids by themselves; where they are patches of one
// surface each is an open mesh, and Report says so.
func OpenBodies(ctx context.Context, paths []string, opt Options) (*Assembly, error) {
	return openAssembly(ctx, paths, opt, Split)
}

// source is what is known of a file, and how many parts it has become.
type source struct {
	info       loaders.Info
	load, weld time.Duration
	parts      int
}

type splitter func(ctx context.Context, name string, m *mesh.Mesh) ([]Part, error)

func openAssembly(ctx context.Context, paths []string, opt Options, split splitter) (*Assembly, error) {
	var stop func()
	opt.Progress, stop = stoppable(opt.Progress)
	defer stop()
	return abandon(ctx, func() (*Assembly, error) {
		if err := opt.check(); err != nil {
			return nil, err
		}
		var all []Part
		var sources []source
		for _, path := range paths {
			m, s, err := loadMesh(ctx, path, &opt, func(lo loaders.Options) (*mesh.Soup, loaders.Info, error) {
				return loaders.Load(ctx, path, lo)
			})
			if err != nil {
				return nil, err
			}
			parts, err := split(ctx, stem(path), m)
			if err != nil {
				return nil, fmt.Errorf("%s: split: %w", path, err)
			}
			s.parts = len(parts)
			all, sources = append(all, parts...), append(sources, s)
		}
		a, err := newAssembly(ctx, all, opt)
		if err != nil {
			return nil, err
		}
		a.describe(sources)
		return a, nil
	})
}

// loader reads a mesh, as loaders.Load does.
type loader func(loaders.Options) (*mesh.Soup, loaders.Info, error)

// loadMesh reads a mesh, whose name stands in messages, and welds it.
func loadMesh(ctx context.Context, name string, opt *Options, load loader) (*mesh.Mesh, source, error) {
	lo := loaders.Options{MaxMemory: opt.MaxMemory}
	if opt.Progress != nil {
		lo.Progress = func(done, total int64) { opt.Progress("load", done, total) }
	}
	start := time.Now()
	soup, info, err := load(lo)
	if err != nil {
		return nil, source{}, err
	}
	loaded := time.Now()
	opt.progress("weld", 0)
	m, err := mesh.NewContext(ctx, *soup, mesh.Options{Workers: opt.Workers})
	if err != nil {
		return nil, source{}, fmt.Errorf("%s: weld: %w", name, err)
	}
	opt.progress("weld", 1)
	return m, source{info: info, load: loaded.Sub(start), weld: time.Since(loaded)}, nil
}

// describe adds what is known of the files to the reports and timings of the solids.
// The notes on a file, and the time that it took, are given to its first solid.
func (a *Assembly) describe(sources []source) {
	i := 0
	for _, src := range sources {
		for range src.parts {
			s := a.members[i].solid
			s.report.Source = src.info
			s.timings.Load, s.timings.Weld = src.load, src.weld
			src.info.Notes, src.load, src.weld = nil, 0, 0
			i++
		}
	}
}
