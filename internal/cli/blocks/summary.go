package blocks

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// summary returns the counts and volumes, and the details of --verbose. unit is the volume to which the volumes
// of r.sum refer.
func (r *run) summary(sum points.Summary, unit float64) term.Summary {
	line, _ := term.CountsLine(sum.Rows, "block", []term.Counted{{N: r.sum.mixed, Word: "at a surface"}, {N: sum.Rows - r.sum.mixed, Word: "not"}})
	s := term.Summary{Lines: []string{line}}
	volumes := r.volumes(unit)
	for i, name := range r.Solids.Names() {
		s.Lines = append(s.Lines, r.volumeLines(name, &volumes[i])...)
	}
	s.Lines = append(s.Lines, r.boundLines(volumes)...)
	if r.input == nil {
		s.Details = append(s.Details, term.Detail("frame", "%s", frameText(&r.frame)))
	}
	s.Details = append(s.Details,
		term.Detail("bound", "%.2g at most", r.sum.largest),
		term.Detail("time", "%.3g s, %s blocks/s", sum.Elapsed.Seconds(), term.Short(term.Rate(sum.Rows, sum.Elapsed))))
	return s
}

// solidVolume has the volumes of a solid, with their bounds.
type solidVolume struct {
	modeled, modeledBound float64 // in the blocks, without the space of solids of higher priority
	whole, wholeBound     float64 // of the whole solid
	// The share of the whole solid that is outside the blocks, or NaN if it is not known: a table tells only
	// how much is outside the blocks or in solids of higher priority.
	outside, outsideBound float64
	outranked             bool // whether there are solids of higher priority
}

// cover finds how much of each solid is in the blocks. It does nothing if nobody reads the summary.
func (r *run) cover(ctx context.Context) error {
	if r.Quiet && r.Stats == "" {
		return nil
	}
	var frame *blocks.Frame
	if r.input == nil {
		frame = &r.frame
	}
	r.covered = make([]covered, len(r.order))
	for s := range r.order {
		c := &r.covered[s]
		if frame != nil && !r.outranked(s) {
			in, err := r.model.Contains(ctx, frame, s)
			if err != nil {
				return err
			}
			if c.all = in; in {
				continue // the volume in the blocks is that of the whole solid
			}
		}
		var err error
		if c.Coverage, err = r.model.Coverage(ctx, frame, s); err != nil {
			return err
		}
	}
	return nil
}

// covered tells how much of a solid is in the blocks. all means that they contain the whole solid, and that no
// solid has a higher priority.
type covered struct {
	blocks.Coverage
	all bool
}

// outranked reports whether there are solids with a higher priority than solid s by priority.
func (r *run) outranked(s int) bool { return s > 0 && !r.flags.overlap }

// volumes returns the volumes of the solids in the order of the meshes. unit is the volume to which those of r.sum
// refer.
func (r *run) volumes(unit float64) []solidVolume {
	list := make([]solidVolume, len(r.order))
	for s, k := range r.order {
		v, e := r.sum.volume(s)
		out := solidVolume{modeled: v * unit, modeledBound: e * unit, whole: math.NaN(), wholeBound: math.NaN(), outside: math.NaN(), outsideBound: math.NaN(), outranked: r.outranked(s)}
		if r.covered != nil {
			switch c := &r.covered[s]; {
			case c.all:
				out.whole, out.wholeBound, out.outside, out.outsideBound = out.modeled, out.modeledBound, 0, 0
			default:
				out.whole, out.wholeBound, out.outside, out.outsideBound = c.Whole, c.WholeBound, c.Outside, c.OutsideBound
			}
			if r.input != nil && !out.outranked {
				out.outside, out.outsideBound = out.missing()
			}
		}
		list[k] = out
	}
	return list
}

// missing returns the share of the whole solid that v.modeled lacks, and its bound.
func (v *solidVolume) missing() (x, bound float64) {
	if !(v.whole > v.wholeBound) {
		return 0, 1
	}
	x = 1 - v.modeled/v.whole
	// Let m and w be the exact volumes. |m/w − m₀/w₀| ≤ (|m−m₀| + m₀/w₀·|w−w₀|)/w. The factor covers rounding.
	return x, (v.modeledBound+math.Abs(1-x)*v.wholeBound)/(v.whole-v.wholeBound)*(1+0x1p-20) + 0x1p-50
}

// volumeLines returns the lines of the summary about the volumes of a solid.
func (r *run) volumeLines(name string, v *solidVolume) []string {
	where := "in the model"
	if r.input != nil {
		where = "in the blocks"
	}
	line := name + ": volume " + plural.GroupedDecimal(v.modeled, 6) + " ± " + plural.GroupedDecimal(v.modeledBound, 2) + " " + where
	if v.outranked {
		line += " after priorities"
	}
	lines := []string{line + "; " + plural.GroupedDecimal(v.whole, 6) + " ± " + plural.GroupedDecimal(v.wholeBound, 2) + " in all"}
	outside := strings.Replace(where, "in", "outside", 1)
	missing, bound := v.missing()
	switch {
	case r.input != nil && missing < -bound:
		return append(lines, "blocks overlap: they have more of "+name+" than there is")
	case r.input != nil && v.outranked:
		return append(lines, percentLine(name, missing, bound, "is "+outside+" or goes to solids of higher priority")...)
	case v.outside != v.outside:
		return lines
	}
	lines = append(lines, percentLine(name, v.outside, v.outsideBound, "is "+outside)...)
	if v.outranked {
		lines = append(lines, percentLine(name, missing-v.outside, bound+v.outsideBound, "goes to solids of higher priority")...)
	}
	return lines
}

// percentLine says how much of a solid is elsewhere. It returns nothing if this can be nothing.
func percentLine(name string, x, bound float64, what string) []string {
	if !(x > bound) {
		return nil
	}
	text := plural.GroupedDecimal(100*x, 3)
	if bound > x/1000 {
		text += " ± " + plural.GroupedDecimal(100*bound, 2)
	}
	return []string{text + " % of " + name + " " + what}
}

// wideBound is a bound relative to a volume that another number of levels improves. Others are due to rounding.
const wideBound = 1e-6

// boundLines says what makes wide bounds smaller.
func (r *run) boundLines(volumes []solidVolume) []string {
	if !slices.ContainsFunc(volumes, func(v solidVolume) bool { return max(v.modeledBound, v.wholeBound) > wideBound*v.whole }) {
		return nil
	}
	const cause = "wide bounds: if faces cross or touch others, or if a mesh is open, "
	if r.flags.levels >= blocks.MaxLevels {
		return []string{cause + "smaller blocks halve them"}
	}
	return []string{fmt.Sprintf("%s--levels %d halves them", cause, r.flags.levels+1)}
}

// statistics returns the JSON object of --json.
func (r *run) statistics(sum points.Summary, unit float64, in *points.Reader) term.Object {
	list := r.volumes(unit)
	numbers := func(get func(v *solidVolume) float64) (out []term.Number) {
		for i := range list {
			out = append(out, term.Number(get(&list[i])))
		}
		return out
	}
	return append(append(append(r.describe(),
		"blocks", sum.Rows, "mixed", r.sum.mixed,
		"volumes", numbers(func(v *solidVolume) float64 { return v.modeled }), "volume_bounds", numbers(func(v *solidVolume) float64 { return v.modeledBound }),
		"whole_volumes", numbers(func(v *solidVolume) float64 { return v.whole }), "whole_volume_bounds", numbers(func(v *solidVolume) float64 { return v.wholeBound }),
		"outside", numbers(func(v *solidVolume) float64 { return v.outside }), "outside_bounds", numbers(func(v *solidVolume) float64 { return v.outsideBound }),
		"levels", r.flags.levels, "overlap", r.flags.overlap, "max_bound", term.Number(r.sum.largest)),
		r.Seconds(sum.Elapsed)...), "blocks_per_s", term.Rate(sum.Rows, sum.Elapsed), "warnings", r.AllWarnings(in))
}

// describe returns the fields of --json that describe the inputs.
func (r *run) describe() term.Object {
	names := r.Solids.Names()
	priority := make([]string, len(names))
	for i, k := range r.order {
		priority[i] = names[k]
	}
	o := term.Object{"mesh", r.Solids.Name, "solids", names, "priority", priority}
	if f := &r.frame; r.input == nil {
		o = append(o, "counts", f.Counts, "origin", term.Numbers(f.Origin), "size", term.Numbers(f.Size))
	} else {
		o = append(o, "table", r.Input)
	}
	q := r.frame.Rotation
	return append(o, "rotation", [4]float64{q.Real, q.Imag, q.Jmag, q.Kmag})
}
