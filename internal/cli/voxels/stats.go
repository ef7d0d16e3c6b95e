package voxels

import (
	"fmt"
	"time"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/voxels"
)

// statistics returns the JSON object of --stats. It contains all parameters that a reader of a raw
// array needs.
func statistics(mesh, out string, solid *inpoly.Solid, g voxels.Grid, p *plan, sum voxels.Summary, size int64, took time.Duration) term.Object {
	r, quantity := solid.Report(), p.opt.Quantity.String()
	compression, kind := "", "<f4"
	if p.compressed {
		compression = "gzip"
	}
	if p.opt.Float64 {
		kind = "<f8"
	}
	components := []string{quantity}
	var volumeError, maxError, mixed, windingMin, windingMax, windingBound any
	second := ""
	switch p.opt.Quantity {
	case voxels.Occupancy:
		kind = "|u1"
	case voxels.Fraction:
		volumeError, maxError, mixed, second = term.Number(sum.VolumeError), term.Number(sum.MaxError), sum.Mixed, "error"
	case voxels.Winding:
		windingMin, windingMax, windingBound = term.Number(sum.MinWinding), term.Number(sum.MaxWinding), term.Number(sum.MaxBound)
		second = "bound"
	}
	if p.opt.Error {
		components = append(components, second)
	}
	return term.Object{
		"mesh", mesh, "triangles", r.Diagnosis.Triangles, "method", r.Method.String(), "method_reason", r.MethodReason,
		"rule", r.Rule.String(), "out", out, "format", p.opt.Format.String(), "compression", term.OmitZero(compression), "bytes", size,
		"quantity", quantity, "samples", term.OmitZero(p.opt.Samples), "type", kind, // as NumPy names the type
		"components", components, "dims", g.Counts, // x runs fastest
		"origin", term.Numbers(g.Origin), "spacing", term.Numbers(g.Spacing),
		"inside", sum.Inside, "outside", sum.Outside, "on", sum.On, "uncertain", sum.Uncertain, "volume", term.Number(sum.Volume),
		"volume_error", volumeError, "max_error", maxError, "mixed", mixed,
		"winding_min", windingMin, "winding_max", windingMax, "winding_bound", windingBound,
		"mesh_volume", term.Number(r.Diagnosis.Volume), "mesh_closed", solid.Mesh().Closed(),
		"load_s", r.Timings.Load.Seconds(), "build_s", r.Timings.Build.Seconds(), "voxels_s", took.Seconds(),
		"voxels_per_s", term.Rate(int64(g.Len()), took),
	}
}

// summary returns the last line that the command prints.
func summary(mesh string, solid *inpoly.Solid, g voxels.Grid, p *plan, sum voxels.Summary, size int64, took time.Duration) string {
	volume := fmt.Sprintf("volume %.6g", sum.Volume)
	switch p.opt.Quantity {
	case voxels.Fraction:
		volume += fmt.Sprintf(" ± %.2g (%s in part)", sum.VolumeError, plural.Count(sum.Mixed, "voxel"))
	case voxels.Winding:
		volume += fmt.Sprintf(", winding numbers %.4g to %.4g ± %.1g", sum.MinWinding, sum.MaxWinding, sum.MaxBound)
	}
	r := solid.Report()
	ofMesh := fmt.Sprintf("volume of the mesh %.6g", r.Diagnosis.Volume)
	if !solid.Mesh().Closed() {
		ofMesh = "the mesh is open and has no volume"
	}
	counts := answer.SideCounts([4]int64{inpoly.Inside: sum.Inside, inpoly.Outside: sum.Outside, inpoly.OnSurface: sum.On, inpoly.Unknown: sum.Uncertain})
	return fmt.Sprintf("%s: %d triangles, %v (%s), rule %v; %d×%d×%d voxels of %.4g×%.4g×%.4g: %s; %s, %s; %v of %v, %d bytes; %s voxels/s",
		term.InputName(mesh), r.Diagnosis.Triangles, r.Method, r.MethodReason, r.Rule, g.Counts[0], g.Counts[1], g.Counts[2],
		g.Spacing.X, g.Spacing.Y, g.Spacing.Z, counts, volume, ofMesh,
		p.opt.Format, p.opt.Quantity, size, term.Short(term.Rate(int64(g.Len()), took)))
}
