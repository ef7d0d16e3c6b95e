package collide

import (
	"fmt"
	"time"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

// statistics is the JSON object of --stats.
type statistics struct {
	Scene     string   `json:"scene"`
	Bodies    int      `json:"bodies"`
	Meshes    int      `json:"meshes"`
	Triangles int      `json:"triangles"` // of all bodies
	Methods   []string `json:"methods"`   // of the meshes, in order
	Steps     uint64   `json:"steps"`
	Indexes   uint64   `json:"indexes"`
	Pairs     uint64   `json:"pairs"`
	Nodes     uint64   `json:"nodes"`
	Queried   uint64   `json:"asked"`
	Contacts  uint64   `json:"contacts"`
	Uncertain int64    `json:"uncertain"`
	FaceTests uint64   `json:"face_tests"`
	FacePairs uint64   `json:"face_pairs"`
	LoadS     float64  `json:"load_s"`
	BuildS    float64  `json:"build_s"`
	BroadS    float64  `json:"broad_s"`
	FilterS   float64  `json:"filter_s"`
	SidesS    float64  `json:"sides_s"`
	DepthsS   float64  `json:"depths_s"`
	ContactsS float64  `json:"contacts_s"`
	FacesS    float64  `json:"faces_s"`
	RunS      float64  `json:"run_s"`
	StepsASec float64  `json:"steps_per_s"`

	faces bool
}

// newStatistics collects the numbers of a run.
func newStatistics(path string, s *scene, solids []*inpoly.Solid, w *collide.World, out *contactWriter, triangles collide.Triangles, took time.Duration) *statistics {
	n, t := w.Stats(), w.Timings()
	v := &statistics{
		Scene: path, Bodies: len(s.bodies), Steps: n.Steps, Indexes: n.Indexes, Pairs: n.Pairs, Nodes: n.Nodes, Queried: n.Queried,
		Contacts: n.Contacts, Uncertain: out.uncertain, FaceTests: n.Tests, FacePairs: n.FacePairs,
		BroadS: t.Broad.Seconds(), FilterS: t.Filter.Seconds(), SidesS: t.Sides.Seconds(), DepthsS: t.Depths.Seconds(),
		ContactsS: t.Contacts.Seconds(), FacesS: t.Triangles.Seconds(),
		RunS: took.Seconds(), StepsASec: float64(n.Steps) / took.Seconds(), faces: triangles != collide.NoTriangles,
	}
	seen := map[*inpoly.Solid]bool{}
	for _, solid := range solids {
		v.Triangles += solid.Report().Diagnosis.Triangles
		if seen[solid] {
			continue
		}
		seen[solid] = true
		r := solid.Report()
		v.Methods = append(v.Methods, r.Method.String())
		v.LoadS += (r.Timings.Load + r.Timings.Weld).Seconds()
		v.BuildS += r.Timings.Build.Seconds()
	}
	v.Meshes = len(seen)
	return v
}

// summary is the last line for people.
func (v *statistics) summary() string {
	faces := ""
	if v.faces {
		faces = fmt.Sprintf(", %s of faces", plural.Count(int64(v.FacePairs), "pair"))
	}
	mesh := "mesh"
	if v.Meshes > 1 {
		mesh = "meshes"
	}
	return fmt.Sprintf("%s: %s of %d %s, %s: %s, %d uncertain%s; %s steps/s",
		term.InputName(v.Scene), plural.Count(int64(v.Bodies), "body"), v.Meshes, mesh, plural.Count(int64(v.Steps), "step"),
		plural.Count(int64(v.Contacts), "contact"), v.Uncertain, faces, term.Short(v.StepsASec))
}
