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
// without folder and suffix. A file with negative parts is always divided into its bodies; see
// Part.Negative. New describes how equal names are distinguished. Open returns the errors of inpoly.Open
// and New, with the name of the file or the solid.
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
	objects := int32(0) // number of objects in the files so far
	for _, path := range paths {
		file, err := open(ctx, path, meshfile.Options{Workers: opt.Workers, MaxMemory: opt.MaxMemory, AllParts: opt.AllParts, Progress: progress})
		if err != nil {
			return nil, err
		}
		files.Load += file.Load
		files.Weld += file.Weld
		parts := []Part{{Name: stem(path), Mesh: file.Mesh, path: path}}
		if opt.SplitBodies || file.Mesh.NegativeBodies() > 0 {
			if parts, err = Split(ctx, stem(path), file.Mesh); err != nil {
				return nil, fmt.Errorf("%s: split: %w", path, err)
			}
		}
		first := objects
		for i := range parts {
			parts[i].Source = file.Info
			file.Info.Notes = nil // only the first part has the notes on the file
			parts[i].Object += first
			objects = max(objects, parts[i].Object+1)
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
// A mesh that has no body, or one solid body with all faces, becomes one part with the given name. If the
// given name is empty, this part has the name of the body.
//
// Part.Negative and Part.Object are those of the body.
//
// Names of parts are unique and not empty. Part.Faces holds the indexes of the faces in m. A body
// without faces becomes a part with an empty mesh. Faces that belong to two bodies are in two
// parts. If ctx ends first, Split returns the error of ctx.
func Split(ctx context.Context, name string, m *mesh.Mesh) ([]Part, error) {
	d := divide(name, m)
	parts := make([]Part, len(d.names))
	err := par.Blocks(ctx, len(parts), 1, 0, func(_, i, _ int) {
		parts[i], _ = d.part(ctx, i) // part fails only if ctx ends; par.Blocks then returns the error
	})
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// SplitTo makes the parts that Split returns one after another, so that only a few of them are in
// memory. It calls examine for each part, on several goroutines, and then visit with the number and
// the name of the part and the result, in order. workers is the number of goroutines; 0 means one for
// each processor. Errors: the first error of examine, or the error of ctx.
func SplitTo[T any](ctx context.Context, name string, m *mesh.Mesh, workers int, examine func(p Part) (T, error), visit func(i int, name string, result T)) error {
	d := divide(name, m)
	results, failures := make([]T, par.Workers(workers)), make([]error, par.Workers(workers))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := par.Ordered(ctx, len(d.names), 1, workers, func(k, i, _ int) {
		p, err := d.part(ctx, i)
		if err == nil {
			results[k], err = examine(p)
		}
		failures[k] = err
	}, func(k, i, _ int) {
		if failures[k] != nil {
			cancel(failures[k])
		} else if ctx.Err() == nil {
			visit(i, d.names[i], results[k])
		}
	})
	if cause := context.Cause(ctx); err == nil || cause != nil {
		return cause
	}
	return err
}

// division is a mesh and the names of the parts that Split makes of it.
type division struct {
	mesh  *mesh.Mesh
	names []string
	whole bool    // the mesh is the only part
	rest  []int32 // faces of the last part, which has the faces of no body
}

// divide finds the parts of a mesh.
func divide(name string, m *mesh.Mesh) division {
	d := division{mesh: m, rest: outsideBodies(m)}
	if len(m.Bodies) == 0 || len(m.Bodies) == 1 && len(d.rest) == 0 && !m.Bodies[0].Negative {
		if name == "" && len(m.Bodies) == 1 {
			name = m.Bodies[0].Name
		}
		d.names, d.whole = mesh.UniqueNames([]string{name}), true
		return d
	}
	prefix := ""
	if name != "" {
		prefix = name + "/"
	}
	names := make([]string, len(m.Bodies), len(m.Bodies)+1)
	for i, b := range m.Bodies {
		names[i] = prefix + cmp.Or(b.Name, mesh.BodyName(i))
	}
	if len(d.rest) > 0 {
		names = append(names, prefix+"rest")
	}
	d.names = mesh.UniqueNames(names)
	return d
}

// part returns part i. Errors: the error of ctx.
func (d *division) part(ctx context.Context, i int) (Part, error) {
	if d.whole {
		return Part{Name: d.names[0], Mesh: d.mesh}, ctx.Err()
	}
	p := Part{Name: d.names[i], Faces: d.rest}
	if i < len(d.mesh.Bodies) {
		b := d.mesh.Bodies[i]
		p.Negative, p.Object = b.Negative, b.Object
		p.Faces = make([]int32, b.Count)
		for f := range p.Faces {
			p.Faces[f] = b.First + int32(f)
		}
	}
	var err error
	p.Mesh, err = d.mesh.Extract(ctx, p.Faces)
	return p, err
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
