package rigid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// halfSpace is the set of points x with normal·x ≤ offset. The normal is a unit vector.
type halfSpace struct {
	normal r3.Vector
	offset float64
}

// convexVolume returns the volume of the intersection of half-spaces, which must be in the cube of the
// given radius around the origin.
func convexVolume(spaces []halfSpace, radius float64) (volume float64) {
	for i, s := range spaces {
		u := s.normal.Ortho()
		v := s.normal.Cross(u)
		center := s.normal.Mul(s.offset)
		var polygon []r3.Vector
		for _, c := range [][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
			polygon = append(polygon, center.Add(u.Mul(4*radius*c[0])).Add(v.Mul(4*radius*c[1])))
		}
		for j, o := range spaces {
			if j != i {
				polygon = clipped(polygon, o)
			}
		}
		var area r3.Vector
		for j := range polygon {
			area = area.Add(polygon[j].Sub(center).Cross(polygon[(j+1)%len(polygon)].Sub(center)))
		}
		volume += s.offset * area.Dot(s.normal) / 6
	}
	return volume
}

// clipped returns the part of a convex polygon in a half-space.
func clipped(polygon []r3.Vector, s halfSpace) (out []r3.Vector) {
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		d, e := s.normal.Dot(p)-s.offset, s.normal.Dot(q)-s.offset
		if d <= 0 {
			out = append(out, p)
		}
		if (d <= 0) != (e <= 0) {
			out = append(out, p.Add(q.Sub(p).Mul(d/(d-e))))
		}
	}
	return out
}

// solidParts is a shape that also exists as disjoint convex parts.
type solidParts struct {
	name  string
	shape *Shape
	parts [][]halfSpace
}

// hullOf returns the half-spaces of the faces of a convex polyhedron. Coplanar faces give one.
func hullOf(s mesh.Soup) (out []halfSpace) {
	for _, f := range s.Faces {
		t := mesh.Triangle{s.Vertices[f[0]], s.Vertices[f[1]], s.Vertices[f[2]]}
		n := unitNormal(&t)
		known := false
		for _, o := range out {
			known = known || o.normal.Dot(n) > 1-1e-12
		}
		if !known {
			out = append(out, halfSpace{n, n.Dot(t[0])})
		}
	}
	return out
}

func convexParts(t *testing.T, name string, s mesh.Soup) solidParts {
	return solidParts{name, polyhedron(t, s), [][]halfSpace{hullOf(s)}}
}

// crossParts returns a cross of six arms, which consists of seven boxes.
func crossParts(t *testing.T, arm, width float64) solidParts {
	at := [4]float64{-arm, -width, width, arm}
	x := solidParts{name: "cross"}
	var faces mesh.Soup
	filled := func(c [3]int) bool {
		outer := 0
		for _, i := range c {
			if i < 0 || i > 2 {
				return false
			}
			outer += (i + 1) % 2
		}
		return outer <= 1
	}
	for n := range 27 {
		c := [3]int{n % 3, n / 3 % 3, n / 9}
		if !filled(c) {
			continue
		}
		var lo, hi [3]float64
		for k := range c {
			lo[k], hi[k] = at[c[k]], at[c[k]+1]
		}
		var part []halfSpace
		for k := range c {
			for _, up := range []bool{false, true} {
				step, value, sign := -1, lo[k], -1.
				if up {
					step, value, sign = 1, hi[k], 1
				}
				var normal [3]float64
				normal[k] = sign
				part = append(part, halfSpace{r3.Vector{X: normal[0], Y: normal[1], Z: normal[2]}, sign * value})
				next := c
				next[k] += step
				if filled(next) {
					continue
				}
				u, v := (k+1)%3, (k+2)%3
				if !up {
					u, v = v, u
				}
				faces = join(faces, grid(1, 1, func(a, b float64) r3.Vector {
					var p [3]float64
					p[k], p[u], p[v] = value, lo[u]+a*(hi[u]-lo[u]), lo[v]+b*(hi[v]-lo[v])
					return r3.Vector{X: p[0], Y: p[1], Z: p[2]}
				}))
			}
		}
		x.parts = append(x.parts, part)
	}
	x.shape = polyhedron(t, faces)
	return x
}

// overlapOf returns the volume of the overlap of two bodies, from their convex parts.
func overlapOf(a, b *solidParts, p, q pose.Pose) (volume float64) {
	relative := q.Inverse().Mul(p) // from the frame of a to the frame of b
	for _, f := range a.parts {
		for _, g := range b.parts {
			all := append([]halfSpace(nil), g...)
			for _, s := range f {
				n := relative.Apply(s.normal).Sub(relative.Apply(r3.Vector{})).Normalize()
				all = append(all, halfSpace{n, n.Dot(relative.Apply(s.normal.Mul(s.offset)))})
			}
			volume += convexVolume(all, 20)
		}
	}
	return volume
}

// tetrahedron is a tetrahedron with two long opposite edges.
func tetrahedron(length, width, height float64) mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{{X: length, Z: height}, {X: -length, Z: height}, {Y: width, Z: -height}, {Y: -width, Z: -height}},
		Faces:    [][3]int32{{0, 1, 3}, {1, 0, 2}, {2, 3, 1}, {3, 2, 0}},
	}
}

// prism is a bar along x with a triangle as its section.
func prism(length, width, height float64) mesh.Soup {
	s := mesh.Soup{Faces: [][3]int32{{0, 2, 1}, {3, 4, 5}}}
	for _, x := range []float64{-length, length} {
		s.Vertices = append(s.Vertices, r3.Vector{X: x, Y: -width}, r3.Vector{X: x, Y: width}, r3.Vector{X: x, Y: .2 * width, Z: height})
	}
	for i := range int32(3) {
		j := (i + 1) % 3
		s.Faces = append(s.Faces, [3]int32{i, j, j + 3}, [3]int32{i, j + 3, i + 3})
	}
	return s
}

func crossingShapes(t *testing.T) []solidParts {
	return []solidParts{
		convexParts(t, "bar", box(r3.Vector{X: 8, Y: 1, Z: 1}, 1)),
		convexParts(t, "plank", box(r3.Vector{X: 5, Y: 2, Z: .6}, 1)),
		convexParts(t, "prism", prism(4, .8, 1.1)),
		convexParts(t, "tetrahedron", tetrahedron(3, 3, 1)),
		crossParts(t, 4, .5),
	}
}

// crossed returns a scene of two bodies with random poses that touch only at edges.
func crossed(t *testing.T, rng *rand.Rand, a, b *solidParts, law ForceLaw) *World {
	t.Helper()
	random := func() r3.Vector { return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()} }
	for range 20000 {
		s := Scene{Bodies: []Body{
			{Shape: a.shape, Pose: turned(t, random(), 6*rng.Float64(), random())},
			{Shape: b.shape, Pose: turned(t, random(), 6*rng.Float64(), random().Mul(2))},
		}}
		w := newWorld(t, s, Options{TimeStep: 1e-4, Contacts: Nodes, Law: law, Workers: 1})
		if c := w.Contacts(); len(c) > 0 && c[0].Kind == Edges && c[0].Depth < .3 {
			return w
		}
	}
	t.Fatalf("%s and %s: no pose has a contact of edges only", a.name, b.name)
	return nil
}

// movedBody returns the world after the motion of body 0 by the vector t, and its rotation about its center
// of mass.
func movedBody(t *testing.T, w *World, shift, turn r3.Vector) *World {
	t.Helper()
	p, c := w.Pose(0), w.Center(0)
	if turn != (r3.Vector{}) {
		p = pose.At(c).Mul(turned(t, turn, turn.Norm(), r3.Vector{})).Mul(pose.At(c.Mul(-1))).Mul(p)
	}
	p.Translation = p.Translation.Add(shift)
	s := Scene{Bodies: []Body{{Shape: w.Shape(0), Pose: p}, {Shape: w.Shape(1), Pose: w.Pose(1)}}}
	return newWorld(t, s, w.opt)
}

// TestOverlap compares the volumes of regions with the volumes of intersections of convex polyhedra.
func TestOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	shapes := crossingShapes(t)
	poses, most := 10, 0
	if full {
		poses = 300
	}
	for i := range shapes {
		for j := range shapes {
			for range poses {
				w := crossed(t, rng, &shapes[i], &shapes[j], Linear{Surface: Spring{1, 0}})
				got, regions := overlapFound(w)
				most = max(most, regions)
				want := overlapOf(&shapes[i], &shapes[j], w.Pose(0), w.Pose(1))
				if math.Abs(got-want) > 1e-11+1e-9*want {
					t.Errorf("%s and %s at %v and %v: volume %v in %d regions, want %v", shapes[i].name, shapes[j].name, w.Pose(0), w.Pose(1), got, regions, want)
				}
			}
		}
	}
	if most < 2 {
		t.Errorf("at most %d region: the test says little", most)
	}
}

// overlapFound returns the sum of the volumes of all regions, and their number.
func overlapFound(w *World) (volume float64, regions int) {
	var e edgeMemory
	e.cross(w, w.polyhedra.FacePairs(), 0, 1)
	for root := range e.segments {
		if e.find(root) == root {
			volume += e.region(root).volume
			regions++
		}
	}
	return volume, regions
}

// TestOverlapAtEdges moves an edge of one body, which crosses the other, to an edge of the other, up to
// rounding. Package collide tests other roundings of the same faces, so pairs of faces can be absent.
func TestOverlapAtEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	shapes := crossingShapes(t)
	poses, compared := 400, 0
	if full {
		poses = 20000
	}
	for range poses {
		a, b := &shapes[rng.IntN(len(shapes))], &shapes[rng.IntN(len(shapes))]
		w := crossed(t, rng, a, b, Linear{Surface: Spring{1, 0}})
		var e edgeMemory
		e.cross(w, w.polyhedra.FacePairs(), 0, 1)
		x := e.corners[rng.IntN(len(e.corners))]
		if x.ofB {
			continue
		}
		_, place := w.motionsOf(1)
		g := placedMesh{b.shape.surface, place}
		u := g.triangle(x.face)
		k := rng.IntN(3)
		side := u[(k+1)%3].Sub(u[k])
		n := side.Cross(x.unit).Normalize()
		w = movedBody(t, w, n.Mul(n.Dot(u[k].Sub(x.at))).Add(n.Mul(float64(rng.IntN(3)-1)*3e-17)), r3.Vector{})
		if c := w.Contacts(); len(c) == 0 || c[0].Kind != Edges || c[0].Depth > .3 {
			continue
		}
		compared++
		got, _ := overlapFound(w)
		want := overlapOf(a, b, w.Pose(0), w.Pose(1))
		if math.Abs(got-want) > 1e-11+1e-9*want {
			t.Errorf("%s and %s at %v and %v: volume %v, want %v", a.name, b.name, w.Pose(0), w.Pose(1), got, want)
		}
	}
	t.Logf("%d poses", compared)
	if compared < poses/20 {
		t.Errorf("%d poses compared: the test says little", compared)
	}
}

// TestEdgeForceIsGradient compares the force and the moment of edges with differences of the energy.
func TestEdgeForceIsGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	shapes := crossingShapes(t)
	poses := 3
	if full {
		poses = 200
	}
	worst, pitch := 0., 0.
	for i := range shapes {
		for j := range shapes {
			for range poses {
				w := crossed(t, rng, &shapes[i], &shapes[j], Linear{Surface: Spring{1, 0}})
				m := &w.now.motions[0]
				scale, h := 0., 1.
				for _, c := range w.Contacts() {
					h = min(h, 3e-5*c.Depth)
					scale += c.Force.Norm()
					pitch = max(pitch, math.Abs(c.Pitch)/math.Sqrt(c.Area))
				}
				for k, got := range []float64{m.force.X, m.force.Y, m.force.Z, m.torque.X, m.torque.Y, m.torque.Z} {
					var step [2]r3.Vector
					*[]*float64{&step[k/3].X, &step[k/3].Y, &step[k/3].Z}[k%3] = h
					after := movedBody(t, w, step[0], step[1]).Energy().Elastic
					before := movedBody(t, w, step[0].Mul(-1), step[1].Mul(-1)).Energy().Elastic
					want := (before - after) / (2 * h)
					worst = max(worst, math.Abs(got-want)/scale)
					if math.Abs(got-want) > 1e-5*scale {
						t.Errorf("%s and %s, component %d: %v, want %v of %v; contacts %+v", shapes[i].name, shapes[j].name, k, got, want, scale, w.Contacts())
					}
				}
			}
		}
	}
	t.Logf("force and moment off by %.2g; pitch %.2g", worst, pitch)
}
