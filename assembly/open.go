package assembly

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/meshfile"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Open opens the mesh files at paths as inpoly.Open does. It makes one solid from each file, or
// with Options.SplitBodies one solid from each body. The name of a solid is the name of its file
// without folder and suffix. New describes how equal names are distinguished. Open returns the
// errors of inpoly.Open and New, with the name of the file or the solid.
func Open(ctx context.Context, paths []string, opt Options) (*Assembly, error) {
	return lazy.Detach(ctx, opt.Progress, func(gated lazy.Progress) (*Assembly, error) { return load(ctx, paths, opt, gated, meshfile.Open) })
}

// Read reads the content of one file from r, and otherwise works like Open. The given name replaces
// the path. Read fails if the mesh refers to other files. If ctx ends during a call of r.Read, Read
// waits for the end of this call.
func Read(ctx context.Context, name string, r io.Reader, opt Options) (*Assembly, error) {
	return ReadFiles(ctx, []File{{name, r}}, opt)
}

// File is the content of a mesh file. The name replaces the path.
type File struct {
	Name    string
	Content io.Reader
}

// ReadFiles is like Read for several files, which become several solids.
func ReadFiles(ctx context.Context, files []File, opt Options) (*Assembly, error) {
	gated, stop := lazy.Gate(opt.Progress)
	defer stop()
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	next := 0
	return load(ctx, names, opt, gated, func(ctx context.Context, name string, opt meshfile.Options) (meshfile.File, error) {
		next++
		return meshfile.From(files[next-1].Content)(ctx, name, opt)
	})
}

func load(ctx context.Context, paths []string, opt Options, progress lazy.Progress,
	open func(ctx context.Context, path string, opt meshfile.Options) (meshfile.File, error)) (*Assembly, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	var all []Part
	var files inpoly.Timings
	for _, path := range paths {
		file, err := open(ctx, path, meshfile.Options{Workers: opt.Workers, MaxMemory: opt.MaxMemory, Progress: progress})
		if err != nil {
			return nil, err
		}
		files.Load += file.Load
		files.Weld += file.Weld
		parts := []Part{{Name: stem(path), Mesh: file.Mesh, path: path}}
		if opt.SplitBodies {
			if parts, err = Split(ctx, stem(path), file.Mesh); err != nil {
				return nil, fmt.Errorf("%s: split: %w", path, err)
			}
		}
		for i := range parts {
			parts[i].Source = file.Info
			file.Info.Notes = nil // only the first part has the notes on the file
		}
		all = append(all, parts...)
	}
	a, err := build(ctx, all, opt, progress)
	if err != nil {
		return nil, err
	}
	a.files = files
	return a, nil
}

// Split turns each body of m into a part, in the order of the bodies. Faces outside all bodies
// become an additional last part. The given name is usually the name of a file. The name of a part
// is name/body, where body is the name of the body. Bodies without a name are called body_1, body_2
// and so on, by their position. The name of the last part is name/rest. If the given name is empty,
// the prefix name/ is omitted.
//
// A mesh that has no body, or one body with all faces, becomes one part with the given name. If the
// given name is empty, this part has the name of the body.
//
// Names of parts are unique and not empty. Part.Faces holds the indexes of the faces in m. A body
// without faces becomes a part with an empty mesh. Faces that belong to two bodies are in two
// parts. If ctx ends first, Split returns the error of ctx.
func Split(ctx context.Context, name string, m *mesh.Mesh) ([]Part, error) {
	rest := outsideBodies(m)
	if len(m.Bodies) == 0 || len(m.Bodies) == 1 && len(rest) == 0 {
		if name == "" && len(m.Bodies) == 1 {
			name = m.Bodies[0].Name
		}
		return []Part{{Name: mesh.UniqueNames([]string{name})[0], Mesh: m}}, ctx.Err()
	}
	prefix := ""
	if name != "" {
		prefix = name + "/"
	}
	var parts []Part
	var names []string
	for i, b := range m.Bodies {
		faces := make([]int32, b.Count)
		for f := range faces {
			faces[f] = b.First + int32(f)
		}
		parts = append(parts, Part{Faces: faces})
		names = append(names, prefix+cmp.Or(b.Name, mesh.BodyName(i)))
	}
	if len(rest) > 0 {
		parts, names = append(parts, Part{Faces: rest}), append(names, prefix+"rest")
	}
	names = mesh.UniqueNames(names)
	err := par.Blocks(ctx, len(parts), 1, 0, func(_, i, _ int) {
		parts[i].Name = names[i]
		parts[i].Mesh, _ = m.Extract(ctx, parts[i].Faces) // Extract fails only if ctx ends; par.Blocks then returns the error
	})
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// outsideBodies returns the indexes of the faces of m that are in no body, ascending.
func outsideBodies(m *mesh.Mesh) []int32 {
	in := make([]bool, m.NumFaces())
	for _, b := range m.Bodies {
		for f := range b.Count {
			in[b.First+f] = true
		}
	}
	var out []int32
	for f, ok := range in {
		if !ok {
			out = append(out, int32(f))
		}
	}
	return out
}

// stem returns the name of the file at path without its suffixes. The stem of models/part.stl.gz is
// part.
func stem(path string) string {
	base := filepath.Base(path)
	name := base
	switch ext := filepath.Ext(name); strings.ToLower(ext) {
	case ".gz", ".zst":
		name = strings.TrimSuffix(name, ext)
	}
	return cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), base)
}
