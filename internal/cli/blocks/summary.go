package blocks

import (
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// summary returns the counts and volumes, and the details of --verbose. unit is the volume to which the volumes
// of r.sum refer.
func (r *run) summary(sum points.Summary, unit float64) term.Summary {
	line, _ := term.CountsLine(sum.Rows, "block", []term.Counted{{N: r.sum.mixed, Word: "at a surface"}, {N: sum.Rows - r.sum.mixed, Word: "not"}})
	s := term.Summary{Lines: []string{line}}
	volumes, bounds := r.volumes(unit)
	for i, name := range r.Solids.Names() {
		s.Lines = append(s.Lines, name+": volume "+plural.GroupedDecimal(volumes[i], 6)+" ± "+plural.GroupedDecimal(bounds[i], 2))
	}
	if r.input == nil {
		s.Details = append(s.Details, term.Detail("frame", "%s", frameText(&r.frame)))
	}
	s.Details = append(s.Details,
		term.Detail("bound", "%.2g at most", r.sum.largest),
		term.Detail("time", "%.3g s, %s blocks/s", sum.Elapsed.Seconds(), term.Short(term.Rate(sum.Rows, sum.Elapsed))))
	return s
}

// volumes returns the volumes and their bounds in the order of the meshes.
func (r *run) volumes(unit float64) (volumes, bounds []float64) {
	volumes, bounds = make([]float64, len(r.order)), make([]float64, len(r.order))
	for s, k := range r.order {
		v, e := r.sum.volume(s)
		volumes[k], bounds[k] = v*unit, e*unit
	}
	return volumes, bounds
}

// statistics returns the JSON object of --json.
func (r *run) statistics(sum points.Summary, unit float64, in *points.Reader) term.Object {
	v, e := r.volumes(unit)
	volumes, bounds := make([]term.Number, len(v)), make([]term.Number, len(v))
	for i := range v {
		volumes[i], bounds[i] = term.Number(v[i]), term.Number(e[i])
	}
	return append(append(append(r.describe(),
		"blocks", sum.Rows, "mixed", r.sum.mixed, "volumes", volumes, "volume_bounds", bounds, "max_bound", term.Number(r.sum.largest)),
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
