package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/voxels"
)

// voxelPlan is what is to be written.
type voxelPlan struct {
	opt     voxels.Options
	packed  bool // by gzip
	spacing *r3.Vector
	dims    *[3]int
	box     *bvh.Box // nil: that of the mesh
	margin  float64
}

// plan reads the flags.
func (f *voxelFlags) plan(c *cobra.Command, mesh string) (p voxelPlan, err error) {
	given := c.Flags().Changed
	p.opt.Workers, p.margin = f.Workers, f.margin
	switch {
	case f.stats != "" && f.stats != "json":
		return p, fmt.Errorf("--stats %q: want json", f.stats)
	case given("spacing") == given("dims"):
		return p, hinted{errors.New("want either --spacing or --dims"), "inpoly voxels part.stl --spacing 0.5 --out part.npy"}
	case given("box") && given("margin"):
		return p, errors.New("--margin is for the box of the mesh: want it or --box, not both")
	case f.Winding && given("fraction"):
		return p, errors.New("want --winding or --fraction, not both")
	case f.error && !f.Winding && !given("fraction"):
		return p, errors.New("--error: occupancy has none; want --winding or --fraction with it")
	case f.float64 && !f.Winding && !given("fraction"):
		return p, errors.New("--float64: occupancy is a byte; want --winding or --fraction with it")
	case given("fraction") && (f.fraction < 1 || f.fraction > voxels.MaxSamples):
		return p, fmt.Errorf("--fraction %d: want a number from 1 to %d", f.fraction, voxels.MaxSamples)
	case given("fraction") && f.Tolerance > 0:
		return p, errors.New("--tolerance: fractions are those of the mesh itself")
	case !(f.margin >= 0) || math.IsInf(f.margin, 0):
		return p, fmt.Errorf("--margin %g: want a finite length ≥ 0", f.margin)
	}
	p.opt.Error, p.opt.Float64 = f.error, f.float64
	if f.Winding {
		p.opt.Quantity = voxels.Winding
	}
	if given("fraction") {
		p.opt.Quantity, p.opt.Samples = voxels.Fraction, f.fraction
	}
	if err := p.readGrid(f, given); err != nil {
		return p, err
	}
	if err := f.checkVoxelOutput(mesh); err != nil {
		return p, err
	}
	p.opt.Format, p.packed, err = voxelFormat(f.out, f.format)
	return p, err
}

// readGrid reads --spacing, --dims and --box.
func (p *voxelPlan) readGrid(f *voxelFlags, given func(string) bool) error {
	if given("spacing") {
		h, err := parseNumbers(f.spacing, 1, 3)
		if err != nil {
			return fmt.Errorf("--spacing: %w", err)
		}
		if len(h) == 1 {
			h = []float64{h[0], h[0], h[0]}
		}
		for _, x := range h {
			if !(x > 0) || math.IsInf(x, 0) {
				return fmt.Errorf("--spacing %s: want finite lengths above 0", f.spacing)
			}
		}
		p.spacing = &r3.Vector{X: h[0], Y: h[1], Z: h[2]}
	} else {
		n, err := parseNumbers(f.dims, 3)
		if err != nil {
			return fmt.Errorf("--dims: %w", err)
		}
		p.dims = new([3]int)
		for k, x := range n {
			if x != math.Trunc(x) || x < 1 || x > 1<<40 { // what is too large is told by the library
				return fmt.Errorf("--dims %s: want whole numbers above 0", f.dims)
			}
			p.dims[k] = int(x)
		}
	}
	if !given("box") {
		return nil
	}
	v, err := parseNumbers(f.box, 6)
	if err != nil {
		return fmt.Errorf("--box: %w", err)
	}
	p.box = &bvh.Box{Min: r3.Vector{X: v[0], Y: v[1], Z: v[2]}, Max: r3.Vector{X: v[3], Y: v[4], Z: v[5]}}
	for k, x := range v {
		if math.IsInf(x-x, 0) || math.IsNaN(x-x) || k >= 3 && !(v[k-3] < x) {
			return fmt.Errorf("--box %s: want x0,y0,z0,x1,y1,z1, finite, with x0 < x1, y0 < y1 and z0 < z1", f.box)
		}
	}
	return nil
}

// parseNumbers reads numbers with decimal points between commas, as many as one of
// the counts.
func parseNumbers(s string, counts ...int) ([]float64, error) {
	parts := strings.Split(s, ",")
	ok := false
	text := ""
	for i, n := range counts {
		ok = ok || len(parts) == n
		if i > 0 {
			text += " or "
		}
		text += strconv.Itoa(n)
	}
	if !ok {
		return nil, fmt.Errorf("%q: want %s numbers with decimal points, separated by commas", s, text)
	}
	out := make([]float64, len(parts))
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %q is not a number", s, p)
		}
		out[i] = x
	}
	return out, nil
}

// checkVoxelOutput refuses an --out that is missing or would replace the mesh.
func (f *voxelFlags) checkVoxelOutput(mesh string) error {
	if f.out == "" {
		return hinted{errors.New("want --out FILE"), "the suffix tells the format: .npy, .vti, .nrrd, .raw, .npy.gz, .raw.gz; - is standard output"}
	}
	out, errOut := os.Stat(f.out)
	in, errIn := os.Stat(mesh)
	if f.out != "-" && errOut == nil && errIn == nil && out.Mode().IsRegular() && os.SameFile(out, in) {
		return fmt.Errorf("--out %s: this is the mesh", f.out)
	}
	return nil
}

// voxelFormat tells the format of --out by its suffix or by --format. Only formats
// without a frame that readers want to seek in are packed.
func voxelFormat(out, name string) (f voxels.Format, packed bool, err error) {
	base := strings.ToLower(filepath.Base(out))
	if packed = strings.HasSuffix(base, ".gz"); packed {
		base = strings.TrimSuffix(base, ".gz")
	}
	if name == "" {
		if name = strings.TrimPrefix(filepath.Ext(base), "."); out == "-" {
			name = voxels.NPY.String()
		}
		if f, err = voxels.ParseFormat(name); err != nil {
			return f, packed, hinted{fmt.Errorf("--out %s: the suffix tells no format: want .npy, .vti, .nrrd or .raw", out), "or --format"}
		}
	} else if f, err = voxels.ParseFormat(name); err != nil {
		return f, packed, fmt.Errorf("--format: %w", err)
	}
	if packed && f != voxels.NPY && f != voxels.Raw {
		return f, packed, fmt.Errorf("--out %s: %v is not packed as a whole: want .npy.gz or .raw.gz", out, f)
	}
	return f, packed, nil
}

// grid fits the grid to the box of the mesh or that of the flags.
func (p *voxelPlan) grid(box bvh.Box) (voxels.Grid, error) {
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

// expected returns how many points will be asked for, 0 if that is not known before
// the mesh is.
func (p *voxelPlan) expected() int64 {
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
		return 0 // it is told when the mesh is loaded
	}
	return int64(g.Len())
}
