package collide

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// The functions in this file compute the results of World in a simple way. They find the side of
// each node in each other body with inpoly.Direct. They compute the distance of the node from each
// triangle. They test all pairs of triangles of two bodies.

// twinContact has the fields of a Contact that must be equal to the result of twinContacts.
type twinContact struct {
	a, b, node int32
	side       inpoly.Side
}

// twinContacts returns the contacts of w in order. For each contact it also returns the unsigned
// distance and the position of the node in the frame of b. directSolids are the solids with the
// option Method: inpoly.Direct.
func twinContacts(w *World, directSolids []*inpoly.Solid) (found []twinContact, distances []float64, places []r3.Vector) {
	ask := func(a, b int) {
		f, origins := motion.Relative(&w.frames[a], &w.frames[b])
		touch := nodeBound(w.shapes[w.shape[a]].reach, origins) + poseBound(&w.frames[a], &w.frames[b])
		for node, v := range directSolids[a].Mesh().Vertices {
			p := f.Apply(v)
			m := directSolids[b].Mesh()
			side := directSolids[b].Side(p)
			if !m.Closed() && !grown(m.Box(), directSolids[b].Report().Tolerance).Contains(p) {
				side = inpoly.Outside
			}
			// The scale is a power of two, so that squares neither overflow nor underflow.
			_, e := math.Frexp(max(vec.MaxAbs(m.Box().Min), vec.MaxAbs(m.Box().Max)))
			unit := func(v r3.Vector) r3.Vector {
				return r3.Vector{X: math.Ldexp(v.X, -e), Y: math.Ldexp(v.Y, -e), Z: math.Ldexp(v.Z, -e)}
			}
			d := math.Inf(1)
			for face := range m.NumFaces() {
				t := m.Triangle(int32(face))
				d = min(d, twinDistance(unit(p), mesh.Triangle{unit(t[0]), unit(t[1]), unit(t[2])}))
			}
			if d = math.Ldexp(d, e); d <= touch {
				side = inpoly.OnSurface
			}
			if side == inpoly.Outside {
				continue
			}
			found = append(found, twinContact{int32(a), int32(b), int32(node), side})
			distances, places = append(distances, d), append(places, p)
		}
	}
	for a := range w.Len() {
		for b := a + 1; b < w.Len(); b++ {
			if !w.boxes[a].Empty() && !w.boxes[b].Empty() {
				ask(a, b)
				ask(b, a)
			}
		}
	}
	return found, distances, places
}

func grown(b bvh.Box, by float64) bvh.Box {
	if by == 0 {
		return b
	}
	d := r3.Vector{X: by, Y: by, Z: by}
	return bvh.Box{Min: b.Min.Sub(d), Max: b.Max.Add(d)}
}

// twinDistance returns the distance from p to a triangle. If the perpendicular from p to the plane
// meets the triangle, the result is the distance to the plane. Otherwise it is the distance to the
// nearest edge.
func twinDistance(p r3.Vector, t mesh.Triangle) float64 {
	d := math.Inf(1)
	for i := range t {
		a, e := t[i], t[(i+1)%3].Sub(t[i])
		s := 0.0
		if n := e.Norm2(); n > 0 {
			s = max(0, min(1, p.Sub(a).Dot(e)/n))
		}
		d = min(d, p.Sub(a.Add(e.Mul(s))).Norm())
	}
	n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))
	if n.Norm() == 0 {
		return d
	}
	for i := range t {
		if n.Dot(t[(i+1)%3].Sub(t[i]).Cross(p.Sub(t[i]))) < 0 {
			return d
		}
	}
	return min(d, math.Abs(p.Sub(t[0]).Dot(n.Normalize())))
}

// twinFacePairs returns the touching pairs of faces, in order, for the selected pairs of bodies.
func twinFacePairs(w *World, keep func(a, b int) bool) (found []FacePair) {
	for a := range w.Len() {
		for b := a + 1; b < w.Len(); b++ {
			if w.boxes[a].Empty() || w.boxes[b].Empty() || !keep(a, b) {
				continue
			}
			f, _ := motion.Relative(&w.frames[a], &w.frames[b])
			m, o := w.Solid(a).Mesh(), w.Solid(b).Mesh()
			for i := range m.NumFaces() {
				t := m.Triangle(int32(i))
				for k := range t {
					t[k] = f.Apply(t[k])
				}
				for j := range o.NumFaces() {
					if TrianglesTouch(t, o.Triangle(int32(j))) {
						found = append(found, FacePair{int32(a), int32(b), int32(i), int32(j)})
					}
				}
			}
		}
	}
	return found
}

// exactPlace returns the position of a node of a body at pose a in the frame of a body at pose b.
// It computes with 400 bits and rotates by the exact unit quaternions.
func exactPlace(v r3.Vector, a, b pose.Pose) [3]*big.Float {
	x := exactTurn(vectorOf(v), a.Rotation)
	for i := range x {
		x[i].Add(x[i], vectorOf(a.Translation)[i])
		x[i].Sub(x[i], vectorOf(b.Translation)[i])
	}
	return exactTurn(x, quat.Conj(b.Rotation))
}

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

func vectorOf(v r3.Vector) [3]*big.Float {
	return [3]*big.Float{bigFloat(v.X), bigFloat(v.Y), bigFloat(v.Z)}
}

// exactTurn returns q·x·q⁻¹ = x + 2(w·(v×x) + v×(v×x))/|q|², where w is the real part and v the
// vector part of the quaternion q.
func exactTurn(x [3]*big.Float, q quat.Number) [3]*big.Float {
	v := [3]*big.Float{bigFloat(q.Imag), bigFloat(q.Jmag), bigFloat(q.Kmag)}
	mul := func(a, b *big.Float) *big.Float { return bigFloat(0).Mul(a, b) }
	cross := func(a, b [3]*big.Float) (c [3]*big.Float) {
		for i := range c {
			j, k := (i+1)%3, (i+2)%3
			c[i] = bigFloat(0).Sub(mul(a[j], b[k]), mul(a[k], b[j]))
		}
		return c
	}
	norm := mul(bigFloat(q.Real), bigFloat(q.Real))
	for _, c := range v {
		norm.Add(norm, mul(c, c))
	}
	once := cross(v, x)
	twice := cross(v, once)
	var out [3]*big.Float
	for i := range out {
		s := bigFloat(0).Add(mul(bigFloat(q.Real), once[i]), twice[i])
		s.Quo(s.Mul(s, bigFloat(2)), norm)
		out[i] = s.Add(s, x[i])
	}
	return out
}

// randomPose returns a pose with a random rotation and a random translation in a box with half
// lengths s.
func randomPose(r *rand.Rand, s float64) pose.Pose {
	q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
	at := func() float64 { return s * (2*r.Float64() - 1) }
	return pose.Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: r3.Vector{X: at(), Y: at(), Z: at()}}
}

func solidOf(t testing.TB, m *mesh.Mesh, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	s, err := inpoly.New(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
