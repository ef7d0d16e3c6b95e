package voxels

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/voxels"
)

// plan is the grid and the quantity that the flags request.
type plan struct {
	opt        voxels.Options
	compressed bool // the output is compressed with gzip
	spacing    *r3.Vector
	dims       *[3]int
	box        *bvh.Box // nil selects the box of the mesh
	margin     float64
}

// plan checks the flags and returns the plan. isSet reports whether the command line sets a flag.
func (f *flags) plan(isSet func(flag string) bool) (p plan, err error) {
	p.opt.Workers, p.margin = f.Workers, f.margin
	if isSet("spacing") == isSet("dims") {
		return p, term.WithHint(errors.New("voxels: expected either --spacing or --dims"), "inpoly voxels part.stl --spacing 0.5 --out part.npy")
	}
	p.opt.Error, p.opt.Float64 = f.error, f.float64
	if f.Winding {
		p.opt.Quantity = voxels.Winding
	}
	if f.Distance {
		p.opt.Quantity = voxels.Distance
	}
	if isSet("fraction") {
		p.opt.Quantity, p.opt.Samples = voxels.Fraction, f.fraction
	}
	if err := p.readGrid(f, isSet); err != nil {
		return p, err
	}
	if f.out == "" {
		return p, term.WithHint(errors.New("voxels: expected --out FILE"), "the suffix of FILE selects the format: .npy, .vti, .nrrd, .raw, .npy.gz or .raw.gz; - is standard output")
	}
	p.opt.Format, p.compressed, err = parseFormat(f.out, f.output)
	return p, err
}

func (p *plan) readGrid(f *flags, isSet func(string) bool) error {
	if isSet("spacing") {
		h, err := answer.ParseNumbers(f.spacing, 1, 3)
		if err != nil {
			return fmt.Errorf("--spacing %w", err)
		}
		if len(h) == 1 {
			h = []float64{h[0], h[0], h[0]}
		}
		for _, x := range h {
			if !(x > 0) || math.IsInf(x, 0) {
				return fmt.Errorf("--spacing %s: lengths must be finite and positive", f.spacing)
			}
		}
		p.spacing = &r3.Vector{X: h[0], Y: h[1], Z: h[2]}
	} else {
		n, err := answer.ParseNumbers(f.dims, 3)
		if err != nil {
			return fmt.Errorf("--dims %w", err)
		}
		p.dims = new([3]int)
		for k, x := range n {
			if x != math.Trunc(x) || x < 1 || x > 1<<40 { // the library checks the exact limit
				return fmt.Errorf("--dims %s: expected positive integers", f.dims)
			}
			p.dims[k] = int(x)
		}
	}
	if !isSet("box") {
		return nil
	}
	v, err := answer.ParseNumbers(f.box, 6)
	if err != nil {
		return fmt.Errorf("--box %w", err)
	}
	p.box = &bvh.Box{Min: r3.Vector{X: v[0], Y: v[1], Z: v[2]}, Max: r3.Vector{X: v[3], Y: v[4], Z: v[5]}}
	for k, x := range v {
		if math.IsInf(x-x, 0) || math.IsNaN(x-x) || k >= 3 && !(v[k-3] < x) {
			return fmt.Errorf("--box %s: expected finite x0,y0,z0,x1,y1,z1 with x0 < x1, y0 < y1 and z0 < z1", f.box)
		}
	}
	return nil
}

// formats are the values of --format.
var formats = []string{"npy", "vti", "nrrd", "raw"}

// parseFormat returns the format for a value of --format. If the value is empty, the suffix of the
// output selects the format. Only npy and raw files can be compressed, because they can be read
// without seeking.
func parseFormat(out, name string) (f voxels.Format, compressed bool, err error) {
	base := strings.ToLower(filepath.Base(out))
	if compressed = strings.HasSuffix(base, ".gz"); compressed {
		base = strings.TrimSuffix(base, ".gz")
	}
	if name == "" && out == "-" {
		name = voxels.NPY.String()
	} else if name == "" {
		if name, err = term.SuffixFormat(out, filepath.Ext(base), formats, ".npy, .vti, .nrrd or .raw"); err != nil {
			return f, compressed, err
		}
	}
	if f, err = voxels.ParseFormat(name); err != nil {
		return f, compressed, term.DidYouMean(fmt.Errorf("--format: %w", err), "--format", name, formats)
	}
	if compressed && f != voxels.NPY && f != voxels.Raw {
		return f, compressed, fmt.Errorf("--out %s: cannot compress a file of the format %v: expected .npy.gz or .raw.gz", out, f)
	}
	return f, compressed, nil
}

// grid returns the grid for --box, or for the box of the mesh extended by --margin.
func (p *plan) grid(box bvh.Box) (voxels.Grid, error) {
	var err error
	if p.box != nil {
		box = *p.box
	} else if box, err = voxels.Margin(box, p.margin); err != nil {
		return voxels.Grid{}, err
	}
	if p.spacing != nil {
		return voxels.FitSpacing(box, *p.spacing)
	}
	return voxels.FitCounts(box, *p.dims)
}

// expected returns the number of voxels, or 0 if the number depends on the box of the mesh.
func (p *plan) expected() int64 {
	if p.dims != nil {
		n := 1.0
		for _, c := range p.dims {
			n *= float64(c)
		}
		return int64(min(n, 1<<62))
	}
	if p.box == nil {
		return 0
	}
	g, err := p.grid(*p.box)
	if err != nil {
		return 0 // run reports the error after it has loaded the mesh
	}
	return int64(g.Len())
}
