package generate

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/mesh"
)

// These are the shapes.
const (
	sphere = "sphere"
	foam   = "foam"
)

var shapes = []string{sphere, foam}

// flagsOf lists the flags that only one shape has.
var flagsOf = map[string][]string{
	sphere: {"refine", "radius"},
	foam:   {"cells", "resolution", "strut", "size", "seed"},
}

// formats are the values of --format.
var formats = []string{"stl", "obj", "ply"}

// plan is the shape and the output that the flags request.
type plan struct {
	shape      string
	sphere     mesh.SphereOptions
	foam       mesh.FoamOptions
	format     string
	compressed bool // the output is compressed with gzip
}

// name returns the name of the format in messages.
func (p *plan) name() string {
	if p.compressed {
		return p.format + ".gz"
	}
	return p.format
}

// plan checks the flags. isSet reports whether the command line sets a flag.
func (f *flags) plan(shape string, isSet func(flag string) bool) (*plan, error) {
	if !slices.Contains(shapes, shape) {
		return nil, term.DidYouMean(fmt.Errorf("make %s: unknown shape: expected %s", shape, term.Either(shapes)), "inpoly make", shape, shapes)
	}
	for _, other := range shapes {
		for _, name := range flagsOf[other] {
			if other != shape && isSet(name) {
				return nil, fmt.Errorf("--%s: a %s has no such option: only a %s has it", name, shape, other)
			}
		}
	}
	p := &plan{shape: shape, sphere: f.sphere, foam: f.foam}
	p.foam.Seed = f.Seed
	for _, x := range []struct { // package mesh replaces 0 by the default value
		name string
		zero bool
	}{{"radius", p.sphere.Radius == 0}, {"cells", p.foam.Cells == 0}, {"resolution", p.foam.Resolution == 0}, {"strut", p.foam.Strut == 0}, {"size", p.foam.Size == 0}} {
		if x.zero && isSet(x.name) {
			return nil, fmt.Errorf("--%s 0: must be positive", x.name)
		}
	}
	err := p.sphere.Check()
	if shape == foam {
		p.foam, err = p.foam.Complete()
	}
	if errors.Is(err, mesh.ErrOption) { // the message begins with the name of an option, which is that of the flag
		err = fmt.Errorf("--%w", err)
	}
	if err != nil {
		return nil, err
	}
	p.format, p.compressed, err = parseFormat(f.out, f.output)
	return p, err
}

// parseFormat returns the format for a value of --format. If the value is empty, the suffix of the
// output selects the format. Standard output is STL.
func parseFormat(out, name string) (format string, compressed bool, err error) {
	base := out
	if compressed = term.IsCompressed(out); compressed {
		base = strings.TrimSuffix(out, filepath.Ext(out))
		if strings.EqualFold(filepath.Ext(out), ".zst") {
			return "", false, term.WithHint(fmt.Errorf("--out %s: cannot write .zst: expected .gz or no compression", out), "pipe standard output through zstd")
		}
	}
	if name != "" {
		return name, compressed, nil
	}
	if term.IsStdout(out) {
		return "stl", false, nil
	}
	format, err = term.SuffixFormat(out, filepath.Ext(base), formats, ".stl, .obj or .ply, or one of these with .gz")
	return format, compressed, err
}
