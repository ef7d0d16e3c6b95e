// Package binding has what the C library (bindings/c) and the WebAssembly module (bindings/js/wasm) share: options
// as plain values, meshes from arrays, batches with progress, reports as JSON, and codes of errors.
//
//	s, err := binding.Open(ctx, []string{"part.stl"}, binding.Options{})
//	if err != nil {
//		return binding.CodeOf(err)
//	}
//	err = s.LocateTo(ctx, binding.Answers{Sides: sides}, points, nil)
package binding

import (
	"bytes"
	"context"
	"fmt"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/rays"
)

// Options are assembly.Options with names instead of constants. An empty name means the default. As
// JSON, the names of the fields begin with a lower-case letter.
type Options struct {
	Method         string  `json:"method"`
	Rule           string  `json:"rule"`
	Orient         string  `json:"orient"`
	Tolerance      float64 `json:"tolerance"`
	Weld           float64 `json:"weld"`
	Epsilon        float64 `json:"epsilon"`
	ExpectedPoints int64   `json:"expectedPoints"`
	MaxMemory      int64   `json:"maxMemory"`
	Seed           uint64  `json:"seed"`
	Workers        int     `json:"workers"`
	SplitBodies    bool    `json:"splitBodies"`
	Parts          string  `json:"parts"`
	// Progress is called while the solids are built; see inpoly.Options.Progress.
	Progress func(stage string, done, total int64) `json:"-"`
}

// parse returns the options as assembly.Options. Its errors wrap inpoly.ErrOption.
func (o Options) parse() (assembly.Options, error) {
	opt := assembly.Options{SplitBodies: o.SplitBodies, Options: inpoly.Options{
		Tolerance: o.Tolerance, Weld: o.Weld, Epsilon: o.Epsilon, ExpectedPoints: o.ExpectedPoints,
		MaxMemory: o.MaxMemory, Seed: o.Seed, Workers: o.Workers,
	}}
	for _, set := range []struct {
		name  string
		parse func(string) error
	}{
		{o.Method, func(s string) (err error) { opt.Method, err = inpoly.ParseMethod(s); return err }},
		{o.Rule, func(s string) (err error) { opt.Rule, err = inpoly.ParseRule(s); return err }},
		{o.Orient, func(s string) (err error) { opt.Orient, err = inpoly.ParseOrient(s); return err }},
		{o.Parts, func(s string) (err error) { opt.AllParts, err = loaders.ParseParts(s); return err }},
	} {
		if set.name == "" {
			continue
		}
		if err := set.parse(set.name); err != nil {
			return opt, fmt.Errorf("%w: %w", inpoly.ErrOption, err)
		}
	}
	return opt, opt.Check()
}

// Solid is one or several solids. It is safe for concurrent use.
type Solid struct {
	*assembly.Assembly
	workers int

	group   *lazy.Value[rays.Group]    // of all solids
	casters []*lazy.Value[rays.Caster] // of each solid
}

func newSolid(a *assembly.Assembly, workers int) *Solid {
	s := &Solid{Assembly: a, workers: workers, casters: make([]*lazy.Value[rays.Caster], a.Len())}
	s.group = lazy.New(func(ctx context.Context) (*rays.Group, error) {
		if err := a.CheckNegative(); err != nil {
			return nil, err
		}
		return rays.NewGroup(ctx, a.Targets(), workers)
	})
	for i := range s.casters {
		s.casters[i] = lazy.New(func(ctx context.Context) (*rays.Caster, error) { return rays.New(ctx, a.Target(i)) })
	}
	return s
}

// Open opens the mesh files at paths as assembly.Open does.
func Open(ctx context.Context, paths []string, o Options) (*Solid, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w: no path", ErrArgument)
	}
	return o.build("load", func(opt assembly.Options) (*assembly.Assembly, error) { return assembly.Open(ctx, paths, opt) })
}

// Read reads a mesh from the bytes of a file. Messages contain the given name, whose suffix also
// decides the format if the content does not.
func Read(ctx context.Context, name string, data []byte, o Options) (*Solid, error) {
	return ReadFiles(ctx, []FileContent{{name, data}}, o)
}

// FileContent is the bytes of a mesh file. See Read for the name.
type FileContent struct {
	Name string
	Data []byte
}

// ReadFiles is like Read for several files, which become several solids.
func ReadFiles(ctx context.Context, files []FileContent, o Options) (*Solid, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: no file", ErrArgument)
	}
	list := make([]assembly.File, len(files))
	for i, f := range files {
		list[i] = assembly.File{Name: f.Name, Content: bytes.NewReader(f.Data)}
	}
	return o.build("load", func(opt assembly.Options) (*assembly.Assembly, error) {
		return assembly.ReadFiles(ctx, list, opt)
	})
}

// Mesh is a named mesh in memory.
type Mesh struct {
	Name string // can be empty
	mesh.Soup
}

// New welds the meshes and builds one solid from each. The caller must not use the slices of the
// meshes again, even after an error. Option SplitBodies has no effect.
func New(ctx context.Context, meshes []Mesh, o Options) (*Solid, error) {
	if len(meshes) == 0 {
		return nil, fmt.Errorf("%w: no mesh", ErrArgument)
	}
	return o.build("weld", func(opt assembly.Options) (*assembly.Assembly, error) {
		parts := make([]assembly.Part, len(meshes))
		for i, m := range meshes {
			welded, err := mesh.NewOwned(ctx, m.Soup, mesh.Options{Workers: o.Workers})
			if err != nil {
				if len(meshes) > 1 || m.Name != "" {
					err = fmt.Errorf("%s: %w", nameOf(m.Name, i), err)
				}
				return nil, err
			}
			parts[i] = assembly.Part{Name: m.Name, Mesh: welded}
			lazy.Progress(opt.Progress).Report("weld", int64(i)+1, int64(len(meshes)))
		}
		return assembly.New(ctx, parts, opt)
	})
}

func nameOf(name string, i int) string {
	if name == "" {
		return mesh.BodyName(i)
	}
	return name
}

// build calls f with the options as assembly.Options. Progress is called with the first stage at once,
// and not after build returns.
func (o Options) build(stage string, f func(assembly.Options) (*assembly.Assembly, error)) (*Solid, error) {
	opt, err := o.parse()
	if err != nil {
		return nil, err
	}
	gated, stop := lazy.Gate(o.Progress)
	defer stop()
	gated.Report(stage, 0, 0)
	opt.Progress = gated
	a, err := f(opt)
	if err != nil {
		return nil, err
	}
	if err := a.CheckNegative(); err != nil {
		return nil, fmt.Errorf("%w; the option parts with the value \"all\" reads all parts as solid", err)
	}
	return newSolid(a, o.Workers), nil
}
