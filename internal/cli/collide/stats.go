package collide

import (
	"fmt"
	"time"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

// statistics returns the JSON object of --stats.
func statistics(path string, s *scene, solids []*inpoly.Solid, w *collide.World, uncertain int64, took time.Duration) term.Object {
	n, t := w.Stats(), w.Timings()
	var triangles int
	var methods []string
	var load, build time.Duration
	seen := map[*inpoly.Solid]bool{}
	for _, solid := range solids {
		r := solid.Report()
		triangles += r.Diagnosis.Triangles
		if seen[solid] {
			continue
		}
		seen[solid] = true
		methods = append(methods, r.Method.String())
		load += r.Timings.Load + r.Timings.Weld
		build += r.Timings.Build
	}
	return term.Object{
		"scene", path, "bodies", len(s.bodies), "meshes", s.meshes,
		"triangles", triangles, // of all bodies
		"methods", methods, // of each mesh
		"steps", n.Steps, "indexes", n.Indexes, "pairs", n.Pairs, "nodes", n.Nodes, "asked", n.Queried,
		"contacts", n.Contacts, "uncertain", uncertain, "face_tests", n.Tests, "face_pairs", n.FacePairs,
		"load_s", load.Seconds(), "build_s", build.Seconds(), "broad_s", t.Broad.Seconds(), "filter_s", t.Filter.Seconds(),
		"sides_s", t.Sides.Seconds(), "depths_s", t.Depths.Seconds(), "contacts_s", t.Contacts.Seconds(),
		"faces_s", t.Triangles.Seconds(), "run_s", took.Seconds(), "steps_per_s", float64(n.Steps) / took.Seconds(),
	}
}

// summary returns the last line that the command prints. faces reports whether triangles were
// tested.
func summary(path string, s *scene, w *collide.World, uncertain int64, faces bool, took time.Duration) string {
	n := w.Stats()
	pairs := ""
	if faces {
		pairs = fmt.Sprintf(", %s of faces", plural.Count(int64(n.FacePairs), "pair"))
	}
	mesh := "mesh"
	if s.meshes > 1 {
		mesh = "meshes"
	}
	return fmt.Sprintf("%s: %s of %d %s, %s: %s, %d uncertain%s; %s steps/s",
		term.InputName(path), plural.Count(int64(len(s.bodies)), "body"), s.meshes, mesh, plural.Count(int64(n.Steps), "step"),
		plural.Count(int64(n.Contacts), "contact"), uncertain, pairs, term.Short(float64(n.Steps)/took.Seconds()))
}
