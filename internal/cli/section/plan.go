package section

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
	"github.com/inpoly/inpoly/section"
)

// These are the values of --format.
const (
	formatCSV     = "csv"
	formatGeoJSON = "geojson"
	formatSVG     = "svg"
)

var formats = []string{formatSVG, formatGeoJSON, formatCSV}

// maxPlanes bounds the number of planes. The command stores all planes.
const maxPlanes = 1 << 20

const example = "inpoly section part.stl --z 1.5 --out part.svg"

// plan is the output and the planes that the flags request.
type plan struct {
	format, unit string
	split        bool
	list         []section.Plane
	// With a step above 0, list is empty, and the planes are perpendicular to axis.
	step     float64
	axis     int
	from, to *float64 // nil means the end of the box of the mesh
}

// plan checks the flags. isSet reports whether the command line sets a flag.
func (f *flags) plan(isSet func(flag string) bool) (*plan, error) {
	p := &plan{unit: f.unit, split: f.split}
	var err error
	if p.format, err = parseFormat(f.out, f.output); err != nil {
		return nil, err
	}
	if isSet("unit") {
		if p.format != formatSVG {
			return nil, errors.New("--unit: requires SVG, because other formats have no size")
		}
		if err := term.CheckValue("--unit", f.unit, section.SVGUnits); err != nil {
			return nil, err
		}
	}
	if f.split && (p.format != formatSVG || term.IsStdout(f.out)) {
		return nil, errors.New("--split: requires --out FILE.svg")
	}
	switch {
	case isSet("every"):
		return p, p.readEvery(f, isSet)
	case isSet("plane"):
		v, err := answer.ParseNumbers(f.plane, 6)
		if err != nil {
			return nil, fmt.Errorf("--plane %w", err)
		}
		plane := section.Plane{Origin: r3.Vector{X: v[0], Y: v[1], Z: v[2]}, Normal: r3.Vector{X: v[3], Y: v[4], Z: v[5]}}
		if err := plane.Check(); err != nil {
			return nil, fmt.Errorf("--plane %s: %w", f.plane, err)
		}
		p.list = []section.Plane{plane}
	default:
		for axis, values := range []string{f.x, f.y, f.z} {
			if values == "" {
				continue
			}
			list, err := answer.ParseNumbers(values, strings.Count(values, ",")+1)
			if err != nil {
				return nil, fmt.Errorf("--%c %w", "xyz"[axis], err)
			}
			for _, x := range list {
				plane := section.AxisPlane(axis, x)
				if err := plane.Check(); err != nil {
					return nil, fmt.Errorf("--%c %s: %w", "xyz"[axis], values, err)
				}
				p.list = append(p.list, plane)
			}
		}
		if len(p.list) == 0 {
			return nil, term.WithHint(errors.New("section: expected a plane: --z, --x, --y, --plane or --every"), example)
		}
	}
	return p, nil
}

// readEvery reads the flags of a stack.
func (p *plan) readEvery(f *flags, isSet func(string) bool) error {
	if p.axis = strings.Index("xyz", strings.ToLower(f.axis)); p.axis < 0 || len(f.axis) != 1 {
		return fmt.Errorf("--axis %q: expected x, y or z", f.axis)
	}
	number := func(name, text string) (float64, error) {
		v, err := answer.ParseNumbers(text, 1)
		if err == nil && (math.IsInf(v[0], 0) || math.IsNaN(v[0])) {
			err = fmt.Errorf("%s: must be finite", text)
		}
		if err != nil {
			return 0, fmt.Errorf("--%s %w", name, err)
		}
		return v[0], nil
	}
	var err error
	if p.step, err = number("every", f.every); err != nil {
		return err
	}
	if !(p.step > 0) {
		return fmt.Errorf("--every %s: must be positive", f.every)
	}
	for _, end := range []struct {
		name, text string
		value      **float64
	}{{"from", f.from, &p.from}, {"to", f.to, &p.to}} {
		if isSet(end.name) {
			x, err := number(end.name, end.text)
			if err != nil {
				return err
			}
			*end.value = &x
		}
	}
	if p.from != nil && p.to != nil && *p.from > *p.to {
		return fmt.Errorf("--from %s and --to %s: --from must not exceed --to", f.from, f.to)
	}
	return nil
}

// planes returns the planes for a mesh with the given box.
func (p *plan) planes(box bvh.Box) ([]section.Plane, error) {
	if p.step == 0 {
		return p.list, nil
	}
	if box.Empty() {
		box = bvh.Box{}
	}
	k := func(v r3.Vector) float64 { return [3]float64{v.X, v.Y, v.Z}[p.axis] }
	from, to := k(box.Min), k(box.Max)
	if p.from != nil {
		from = *p.from
	}
	if p.to != nil {
		to = *p.to
	}
	if from > to {
		return nil, fmt.Errorf("there are no sections from %g to %g", from, to)
	}
	steps := (to - from) / p.step
	if math.IsInf(to-from, 0) {
		steps = (to/2 - from/2) / (p.step / 2)
	}
	// The number of steps is rounded down, unless it is an integer up to the rounding of the numbers:
	// there are 3 steps of 0.1 from 0 to 0.3.
	whole := math.Round(steps)
	if math.Abs(steps-whole) > 0x1p-50*(max(math.Abs(from), math.Abs(to))/p.step) {
		whole = math.Floor(steps)
	}
	n := whole + 1
	if n > maxPlanes {
		return nil, fmt.Errorf("--every %g: %.3g sections, expected at most %d", p.step, n, maxPlanes)
	}
	list := make([]section.Plane, 0, int(n))
	for i := range int(n) {
		x := min(math.FMA(float64(i), p.step, from), to) // only rounding can exceed to
		plane := section.AxisPlane(p.axis, x)
		if err := plane.Check(); err != nil {
			return nil, err
		}
		list = append(list, plane)
	}
	return list, nil
}

// parseFormat returns the format for a value of --format. If the value is empty, the suffix of the
// output selects the format. Standard output is CSV.
func parseFormat(out, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	if err := term.RefuseCompressed("--out", out); err != nil {
		return "", err
	}
	if term.IsStdout(out) {
		return formatCSV, nil
	}
	suffix := filepath.Ext(out)
	if strings.EqualFold(suffix, ".json") {
		suffix = formatGeoJSON
	}
	return term.SuffixFormat(out, suffix, formats, ".svg, .geojson, .json or .csv")
}
