package voxels

import (
	"fmt"
	"time"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/voxels"
)

// statistics is the JSON object of --stats. It contains all parameters that a reader of a
// raw array needs.
type statistics struct {
	Mesh         string       `json:"mesh"`
	Triangles    int          `json:"triangles"`
	Method       string       `json:"method"`
	MethodReason string       `json:"method_reason"`
	Rule         string       `json:"rule"`
	Out          string       `json:"out"`
	Format       string       `json:"format"`
	Compression  string       `json:"compression,omitempty"`
	Bytes        int64        `json:"bytes"`
	Quantity     string       `json:"quantity"`
	Samples      int          `json:"samples,omitempty"`
	Type         string       `json:"type"` // as NumPy names it
	Components   []string     `json:"components"`
	Dims         [3]int       `json:"dims"` // x runs fastest
	Origin       [3]float64   `json:"origin"`
	Spacing      [3]float64   `json:"spacing"`
	Inside       int64        `json:"inside"`
	Outside      int64        `json:"outside"`
	On           int64        `json:"on"`
	Uncertain    int64        `json:"uncertain"`
	Volume       term.Number  `json:"volume"`
	VolumeError  *term.Number `json:"volume_error,omitempty"`
	MaxError     *term.Number `json:"max_error,omitempty"`
	Mixed        *int64       `json:"mixed,omitempty"`
	WindingMin   *term.Number `json:"winding_min,omitempty"`
	WindingMax   *term.Number `json:"winding_max,omitempty"`
	WindingBound *term.Number `json:"winding_bound,omitempty"`
	MeshVolume   term.Number  `json:"mesh_volume"`
	MeshClosed   bool         `json:"mesh_closed"`
	LoadS        float64      `json:"load_s"`
	BuildS       float64      `json:"build_s"`
	VoxelsS      float64      `json:"voxels_s"`
	VoxelsASec   float64      `json:"voxels_per_s"`
}

// newStatistics collects the numbers of a run.
func newStatistics(mesh, out string, solid *inpoly.Solid, g voxels.Grid, p *plan, sum voxels.Summary, size int64, took time.Duration) *statistics {
	r := solid.Report()
	v := &statistics{
		Mesh: mesh, Triangles: r.Diagnosis.Triangles, Method: r.Method.String(), MethodReason: r.MethodReason, Rule: r.Rule.String(),
		Out: out, Format: p.opt.Format.String(), Bytes: size, Quantity: p.opt.Quantity.String(), Samples: p.opt.Samples,
		Type: "<f4", Components: []string{p.opt.Quantity.String()}, Dims: g.Counts, Origin: term.Triple(g.Origin), Spacing: term.Triple(g.Spacing),
		Inside: sum.Inside, Outside: sum.Outside, On: sum.On, Uncertain: sum.Uncertain, Volume: term.Number(sum.Volume),
		MeshVolume: term.Number(r.Diagnosis.Volume), MeshClosed: solid.Mesh().Closed(),
		LoadS: r.Timings.Load.Seconds(), BuildS: r.Timings.Build.Seconds(), VoxelsS: took.Seconds(), VoxelsASec: term.Rate(int64(g.Len()), took),
	}
	if p.compressed {
		v.Compression = "gzip"
	}
	pointer := func(x float64) *term.Number { n := term.Number(x); return &n }
	second := ""
	switch p.opt.Quantity {
	case voxels.Occupancy:
		v.Type = "|u1"
	case voxels.Fraction:
		v.VolumeError, v.MaxError, v.Mixed, second = pointer(sum.VolumeError), pointer(sum.MaxError), &sum.Mixed, "error"
	case voxels.Winding:
		v.WindingMin, v.WindingMax, v.WindingBound, second = pointer(sum.MinWinding), pointer(sum.MaxWinding), pointer(sum.MaxBound), "bound"
	}
	if p.opt.Float64 {
		v.Type = "<f8"
	}
	if p.opt.Error {
		v.Components = append(v.Components, second)
	}
	return v
}

// summary is the last line for people.
func (v *statistics) summary() string {
	volume := fmt.Sprintf("volume %.6g", float64(v.Volume))
	if v.VolumeError != nil {
		volume += fmt.Sprintf(" ± %.2g (%s in part)", float64(*v.VolumeError), plural.Count(*v.Mixed, "voxel"))
	}
	if v.WindingBound != nil {
		volume += fmt.Sprintf(", winding numbers %.4g to %.4g ± %.1g", float64(*v.WindingMin), float64(*v.WindingMax), float64(*v.WindingBound))
	}
	ofMesh := fmt.Sprintf("that of the mesh %.6g", float64(v.MeshVolume))
	if !v.MeshClosed {
		ofMesh = "the mesh is open and has none"
	}
	return fmt.Sprintf("%s: %d triangles, %s (%s), rule %s; %d×%d×%d voxels of %.4g×%.4g×%.4g: %d inside, %d outside, %d on, %d uncertain; %s, %s; %s of %s, %d bytes; %s voxels/s",
		term.InputName(v.Mesh), v.Triangles, v.Method, v.MethodReason, v.Rule, v.Dims[0], v.Dims[1], v.Dims[2],
		v.Spacing[0], v.Spacing[1], v.Spacing[2], v.Inside, v.Outside, v.On, v.Uncertain, volume, ofMesh,
		v.Format, v.Quantity, v.Bytes, term.Short(v.VoxelsASec))
}
