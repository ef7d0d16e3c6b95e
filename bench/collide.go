package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// collideJob is one row of the table of moving bodies.
type collideJob struct {
	shape  string
	mesh   *mesh.Mesh
	packed bool // on a lattice, where neighbors overlap a little; else anywhere
	method inpoly.Method
	ask    collide.Triangles
}

// collideTable measures steps of 1,000 bodies of some 2,000 triangles that move and turn
// in a box: the contacts of nodes with each oracle, and the triangles that touch.
func (b *bench) collideTable() error {
	header("<bodies", "<place", "<oracle", "<test", "steps/s", "<min–max", "broad %", "filter %", "sides %", "depths %", "contacts %", "triangles %",
		"M nodes a step", "asked", "contacts", "pairs of faces", "indexes", "looked at", "differ")
	foam, err := testmesh.Foam(testmesh.FoamOptions{Resolution: 7, Cells: 2})
	if err != nil {
		return err
	}
	if foam, err = centered(foam); err != nil {
		return err
	}
	shapes := []struct {
		name string
		mesh *mesh.Mesh
	}{{"spheres of 2,048", testmesh.Sphere(4)}, {fmt.Sprintf("foams of %d", foam.NumFaces()), foam}}
	for _, s := range shapes {
		for _, packed := range []bool{true, false} {
			for _, method := range []inpoly.Method{inpoly.Cells, inpoly.RayCrossing, inpoly.FMM, inpoly.Direct} {
				if err := b.collideRow(collideJob{s.name, s.mesh, packed, method, collide.NoTriangles}); err != nil {
					return fmt.Errorf("%s, %v: %w", s.name, method, err)
				}
			}
			for _, ask := range []collide.Triangles{collide.MissedTriangles, collide.AllTriangles} {
				if err := b.collideRow(collideJob{s.name, s.mesh, packed, inpoly.Cells, ask}); err != nil {
					return fmt.Errorf("%s, triangles: %w", s.name, err)
				}
			}
		}
	}
	return nil
}

// centered returns a mesh around the origin that reaches to 1 along its longest axis.
func centered(m *mesh.Mesh) (*mesh.Mesh, error) {
	box := m.Box()
	c, size := box.Min.Add(box.Max).Mul(0.5), box.Size()
	scale := 2 / max(size.X, size.Y, size.Z)
	s := mesh.Soup{Faces: slices.Clone(m.Faces)}
	for _, v := range m.Vertices {
		s.Vertices = append(s.Vertices, v.Sub(c).Mul(scale))
	}
	return mesh.NewOwned(context.Background(), s, mesh.Options{})
}

func (b *bench) collideRow(j collideJob) error {
	bodies, steps := 1000, 100
	switch {
	case j.method == inpoly.Direct:
		steps = 2
	case j.ask != collide.NoTriangles:
		steps = 20
	}
	if b.quick {
		bodies, steps = 27, 2
	}
	solid, err := inpoly.New(b.ctx, j.mesh, inpoly.Options{Method: j.method, Workers: b.threads})
	if err != nil {
		return err
	}
	var rates rates
	var w *collide.World
	var moved *motion
	for range b.calls {
		moved = newMotion(bodies, j.packed)
		var all []collide.Body
		for _, p := range moved.poses {
			all = append(all, collide.Body{Solid: solid, Pose: p})
		}
		if w, err = collide.New(b.ctx, all, collide.Options{Triangles: j.ask, Workers: b.threads}); err != nil {
			return err
		}
		var took time.Duration
		for range steps {
			moved.advance()
			start := time.Now()
			if err = w.SetPoses(moved.poses); err == nil {
				err = w.Step(b.ctx)
			}
			if err != nil {
				return err
			}
			took += time.Since(start)
		}
		rates = append(rates, float64(steps)/took.Seconds())
	}
	looked, differ, err := b.sampleContacts(w, j.mesh)
	if err != nil {
		return err
	}
	s, t := w.Stats(), w.Timings()
	total := t.Broad + t.Filter + t.Sides + t.Depths + t.Contacts + t.Triangles
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / total.Seconds() }
	each := func(n uint64) float64 { return float64(n) / float64(steps) }
	fmt.Printf("| %s | %s | %v | %s | %.3g | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.3g | %.0f | %.0f | %.0f | %d | %d | %d |\n",
		j.shape, map[bool]string{true: "lattice", false: "anywhere"}[j.packed], j.method, testName(j.ask),
		rates.median(), rates.spread(), share(t.Broad), share(t.Filter), share(t.Sides), share(t.Depths), share(t.Contacts), share(t.Triangles),
		each(s.Nodes)/1e6, each(s.Queried), each(s.Contacts), each(s.FacePairs), s.Indexes, looked, differ)
	return nil
}

func testName(t collide.Triangles) string {
	switch t {
	case collide.MissedTriangles:
		return "nodes, triangles where none"
	case collide.AllTriangles:
		return "nodes, all triangles"
	}
	return "nodes"
}

// motion moves bodies straight on and turns them evenly. They are on a cubic lattice whose
// spacing is 0.97 diameters of a sphere, as in a dense packing, and tremble by 2 % of a diameter
// around it; or anywhere in a box, three tenths of which they would fill as spheres, and move
// by 1 % a step.
type motion struct {
	poses  []collide.Pose
	homes  []r3.Vector
	moves  []r3.Vector
	turns  []quat.Number
	packed bool
	steps  float64
}

func newMotion(bodies int, packed bool) *motion {
	r := rand.New(rand.NewPCG(1, 2))
	m := &motion{packed: packed}
	gauss := func() r3.Vector { return r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()} }
	n := int(math.Ceil(math.Cbrt(float64(bodies))))
	side := math.Cbrt(float64(bodies) * 4 / 3 * math.Pi / 0.3)
	for i := range bodies {
		at := r3.Vector{X: float64(i % n), Y: float64(i / n % n), Z: float64(i / n / n)}.Mul(1.94)
		speed := 0.04
		if !packed {
			at = r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}.Mul(side)
			speed = 0.02
		}
		q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		p := collide.At(at)
		p.Rotation = quat.Scale(1/quat.Abs(q), q)
		axis := gauss().Normalize()
		sin, cos := math.Sincos(0.01)
		m.poses, m.homes = append(m.poses, p), append(m.homes, at)
		m.moves = append(m.moves, gauss().Normalize().Mul(speed))
		m.turns = append(m.turns, quat.Number{Real: cos, Imag: sin * axis.X, Jmag: sin * axis.Y, Kmag: sin * axis.Z})
	}
	return m
}

// advance is one step.
func (m *motion) advance() {
	m.steps++
	along := m.steps
	if m.packed {
		along = math.Sin(m.steps / 10)
	}
	for i := range m.poses {
		q := quat.Mul(m.turns[i], m.poses[i].Rotation)
		m.poses[i] = collide.Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: m.homes[i].Add(m.moves[i].Mul(along))}
	}
}

// sampled is the number of bodies whose nodes are compared with all other bodies.
const sampled = 10

// rounding exceeds the distance between the two places of a node in the frame of another body: the
// place of the world and the place of sampleContacts. Let u = 2⁻⁵³. Nodes are within √3 of the
// origin of their body, so within d = 2√3 of the origin of a body whose box they are in; bodies are
// within 48 of the origin of the world. The error of the first place is 142u·√3 + 77u·d < 520u, as
// package collide derives it; of the second, 70u·√3 + 7u·48 for the place in the world, u·d for the
// difference and 70u·d for the inverse rotation, < 710u. The sum is less than 1.4e-13; the rest is
// room for the errors of distances.
const rounding = 1e-12

// sampleContacts compares the contacts of the last step with brute force for some bodies. It returns
// the number of nodes in boxes of other bodies, and the number that are contacts for only one of
// the two. Places are rounded differently here, so nodes within rounding of a surface do not count.
func (b *bench) sampleContacts(w *collide.World, m *mesh.Mesh) (looked, differ int, err error) {
	direct, err := inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.Direct, Workers: b.threads})
	if err != nil {
		return 0, 0, err
	}
	type key struct{ a, b, node int32 }
	depth := map[key]float64{}
	for _, c := range w.Contacts() {
		depth[key{c.A, c.B, c.Node}] = c.Depth
	}
	var pts []r3.Vector
	var keys []key
	for i := range sampled {
		a := i * w.Len() / sampled
		for other := range w.Len() {
			if other == a {
				continue
			}
			to := w.Pose(other)
			back := collide.Pose{Rotation: quat.Conj(to.Rotation)}
			for node, v := range m.Vertices {
				if p := back.Apply(w.Pose(a).Apply(v).Sub(to.Translation)); m.Box().Contains(p) {
					pts, keys = append(pts, p), append(keys, key{int32(a), int32(other), int32(node)})
				}
			}
		}
	}
	sides := make([]inpoly.Side, len(pts))
	if err := direct.SidesTo(b.ctx, sides, pts); err != nil {
		return 0, 0, err
	}
	for i, k := range keys {
		d, found := depth[k]
		if found == (sides[i] == inpoly.Outside) && d > rounding {
			differ++
		} else if !found && sides[i] != inpoly.Outside {
			if d, _ := direct.Distance(pts[i]); -d > rounding {
				differ++
			}
		}
	}
	return len(pts), differ, nil
}
