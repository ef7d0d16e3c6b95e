package collide

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// BenchmarkStep measures the steps of a World with 1,000 moving bodies. The bodies overlap at
// random, or are spheres on a lattice with small overlaps.
func BenchmarkStep(b *testing.B) {
	foam := testmesh.Foam(mesh.FoamOptions{Resolution: 17})
	b.Run("sphere=2048/lattice", func(b *testing.B) {
		var poses []pose.Pose
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 1000 {
			p := randomPose(r, 0.02)
			p.Translation = p.Translation.Add(r3.Vector{X: float64(i % 10), Y: float64(i / 10 % 10), Z: float64(i / 100)}.Mul(1.94))
			poses = append(poses, p)
		}
		benchmarkStep(b, solidOf(b, testmesh.Sphere(4), inpoly.Options{Method: inpoly.Cells}), NoTriangles, poses, 1e-4)
	})
	for _, m := range []struct {
		name  string
		mesh  *mesh.Mesh
		scale float64
	}{{"sphere", testmesh.Sphere(4), 1}, {"foam", foam, 1.6}} {
		s := mesh.Soup{Faces: append([][3]int32(nil), m.mesh.Faces...)}
		for _, v := range m.mesh.Vertices {
			s.Vertices = append(s.Vertices, v.Mul(m.scale))
		}
		scaled, err := mesh.New(b.Context(), s, mesh.Options{})
		if err != nil {
			b.Fatal(err)
		}
		var poses []pose.Pose
		r := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			poses = append(poses, randomPose(r, 12))
		}
		for _, method := range []inpoly.Method{inpoly.Cells, inpoly.RayCrossing, inpoly.FMM} {
			b.Run(fmt.Sprintf("%s=%d/method=%v", m.name, scaled.NumFaces(), method), func(b *testing.B) {
				benchmarkStep(b, solidOf(b, scaled, inpoly.Options{Method: method}), NoTriangles, poses, 0.02)
			})
		}
		b.Run(fmt.Sprintf("%s=%d/triangles", m.name, scaled.NumFaces()), func(b *testing.B) {
			benchmarkStep(b, solidOf(b, scaled, inpoly.Options{Method: inpoly.Cells}), AllTriangles, poses, 0.02)
		})
	}
}

// benchmarkStep moves each body along a straight line, by about the given distance in each step.
func benchmarkStep(b *testing.B, solid *inpoly.Solid, ask Triangles, start []pose.Pose, speed float64) {
	r := rand.New(rand.NewPCG(5, 6))
	var all []Body
	var velocities []r3.Vector
	for _, p := range start {
		all = append(all, Body{solid, p})
		velocities = append(velocities, r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Mul(speed))
	}
	w, err := New(b.Context(), all, Options{Triangles: ask})
	if err != nil {
		b.Fatal(err)
	}
	poses := make([]pose.Pose, len(all))
	for b.Loop() {
		for i := range poses {
			poses[i] = w.Pose(i)
			poses[i].Translation = poses[i].Translation.Add(velocities[i])
		}
		if err := w.SetPoses(poses); err != nil {
			b.Fatal(err)
		}
		if err := w.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	s, t := w.Stats(), w.Timings()
	n := float64(s.Steps)
	b.ReportMetric(float64(s.Pairs)/n, "pairs")
	b.ReportMetric(float64(s.Nodes)/n, "nodes")
	b.ReportMetric(float64(s.Queried)/n, "asked")
	b.ReportMetric(float64(s.Contacts)/n, "contacts")
	for name, d := range map[string]float64{"broad": t.Broad.Seconds(), "filter": t.Filter.Seconds(), "sides": t.Sides.Seconds(),
		"depths": t.Depths.Seconds(), "report": t.Contacts.Seconds(), "triangles": t.Triangles.Seconds()} {
		b.ReportMetric(d/n*1e3, name+"-ms")
	}
}
