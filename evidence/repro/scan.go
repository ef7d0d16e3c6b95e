package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/neighbor"
	"github.com/inpoly/inpoly/side"
)

// scanner is the ray-crossing method of Muth, Of, Eberhard, Steinbach 2006, §2.2. It casts a random ray
// from each point in the bounding box, tests the box of every face, and computes signs of volumes for the
// faces whose boxes the ray intersects. It has no tree. The signs are exact, as in package raycross.
type scanner struct {
	box  bvh.Box
	tris []mesh.Triangle
	min  [3][]float64 // boxes of the faces, indexed by axis, then by face
	max  [3][]float64

	tested uint64 // number of boxes of faces that rays were tested against
	signed uint64 // number of faces whose boxes a ray intersected
	rounds int    // number of calls of sidesTo
}

// newScanner copies the boxes of the faces into one slice per axis.
func newScanner(m *mesh.Mesh) *scanner {
	s := &scanner{box: m.Box(), tris: trianglesOf(m)}
	boxes := m.Boxes()
	for axis := range s.min {
		s.min[axis], s.max[axis] = make([]float64, len(boxes)), make([]float64, len(boxes))
		for f, b := range boxes {
			s.min[axis][f], s.max[axis][f] = component(b.Min, axis), component(b.Max, axis)
		}
	}
	return s
}

func trianglesOf(m *mesh.Mesh) []mesh.Triangle {
	tris := make([]mesh.Triangle, m.NumFaces())
	for f := range tris {
		tris[f] = m.Triangle(int32(f))
	}
	return tris
}

func component(v r3.Vector, axis int) float64 { return [3]float64{v.X, v.Y, v.Z}[axis] }

// sidesTo writes the side of every point. It checks ctx once for each point.
func (s *scanner) sidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector) error {
	s.rounds++
	random := rand.New(rand.NewPCG(1, 2006))
	for i, p := range pts {
		if err := ctx.Err(); err != nil {
			return err
		}
		dst[i] = s.side(p, random)
	}
	return nil
}

// side casts rays from p until a ray is not degenerate.
func (s *scanner) side(p r3.Vector, random *rand.Rand) side.Side {
	if !s.box.Contains(p) {
		return side.Outside
	}
	length := 2 * s.box.Size().Norm() // p is in the box, so a ray of this length leaves the box
	for {
		d := r3.Vector{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}
		if d.X == 0 || d.Y == 0 || d.Z == 0 {
			continue
		}
		crossings, outcome := s.cast(p, p.Add(d.Normalize().Mul(length)))
		switch {
		case outcome == onFace:
			return side.OnSurface
		case outcome == degenerate:
			continue
		case crossings%2 == 1:
			return side.Inside
		}
		return side.Outside
	}
}

// outcome is the relation of a ray to a face.
type outcome uint8

const (
	misses outcome = iota
	crosses
	onFace     // the ray begins on the face
	degenerate // the ray intersects an edge or lies in the plane of the face; another ray is needed
)

// slack compensates for the rounding errors of the box test. The ray from p to R intersects a plane
// of the box at the parameter t = (b−p)/(R−p). Two differences, a quotient and a product change t
// by a factor within (1±2⁻⁵³)⁴. If the exact entry is at most the exact exit, the computed entry is
// at most (1+2⁻⁵³)⁸ < 1 + 9·2⁻⁵³ times the computed exit. slack is 1 + 16·2⁻⁵³.
const slack = 1 + 0x1p-49

// cast returns the number of faces that the segment from p to r crosses.
func (s *scanner) cast(p, r r3.Vector) (crossings int, o outcome) {
	d := r.Sub(p)
	n := len(s.tris)
	var near, far [3][]float64
	var origin, inverse [3]float64
	for axis := range near {
		near[axis], far[axis] = s.min[axis][:n], s.max[axis][:n]
		origin[axis], inverse[axis] = component(p, axis), 1/component(d, axis)
		if inverse[axis] < 0 {
			near[axis], far[axis] = far[axis], near[axis]
		}
	}
	nx, ny, nz := near[0][:n], near[1][:n], near[2][:n]
	fx, fy, fz := far[0][:n], far[1][:n], far[2][:n]
	ox, oy, oz := origin[0], origin[1], origin[2]
	ix, iy, iz := inverse[0], inverse[1], inverse[2]
	for f := range nx {
		exit := (fx[f] - ox) * ix
		if exit < 0 {
			continue
		}
		exit *= slack
		enter := (nx[f] - ox) * ix
		if e := (ny[f] - oy) * iy; e > exit {
			continue
		} else if e > enter {
			enter = e
		}
		if x := (fy[f] - oy) * iy * slack; x < enter || x < 0 {
			continue
		} else if x < exit {
			exit = x
		}
		if (nz[f]-oz)*iz > exit || enter > slack {
			continue
		}
		if x := (fz[f] - oz) * iz * slack; x < enter || x < 0 {
			continue
		}
		s.signed++
		switch o := meet(p, r, &s.tris[f]); o {
		case crosses:
			crossings++
		case onFace, degenerate:
			s.tested += uint64(f + 1)
			return 0, o
		}
	}
	s.tested += uint64(n)
	return crossings, misses
}

// meet returns the relation of a triangle to the segment from p to r. r must lie outside the box of
// the body.
func meet(p, r r3.Vector, t *mesh.Triangle) outcome {
	a, b, c := t[0], t[1], t[2]
	if predicates.ZeroArea(a, b, c) {
		if predicates.OnTriangle(p, a, b, c) {
			return onFace
		}
		return misses
	}
	d1, dr := predicates.Orient3D(a, b, c, p), predicates.Orient3D(a, b, c, r)
	switch {
	case d1 == 0 && predicates.OnTriangle(p, a, b, c):
		return onFace
	case d1 == 0 && dr == 0:
		return degenerate
	case d1 == 0 || dr == 0 || d1 == dr:
		return misses
	}
	u, v, w := predicates.Orient3D(p, r, a, b), predicates.Orient3D(p, r, b, c), predicates.Orient3D(p, r, c, a)
	low, high := min(u, v, w), max(u, v, w)
	switch {
	case low < 0 && high > 0:
		return misses
	case u == 0 || v == 0 || w == 0:
		return degenerate
	}
	return crosses
}

// sampled returns all points if triangles × points does not exceed the limit. Otherwise it returns
// evenly spaced points. share is the number of points divided by the number of returned points.
func sampled(pts []r3.Vector, triangles int, limit float64) (some []r3.Vector, index []int, share float64) {
	n := len(pts)
	if product := float64(triangles) * float64(n); product > limit {
		n = max(1, int(limit/float64(triangles)))
	}
	for k := range n {
		// i is the middle of part k if pts is divided into n equal parts.
		i := int(math.Floor((float64(k) + 0.5) / float64(n) * float64(len(pts))))
		some, index = append(some, pts[i]), append(index, i)
	}
	return some, index, float64(len(pts)) / float64(n)
}

// pairSorter sorts pairs by A, then by B. It groups the pairs by A, and sorts each group by
// insertion. This takes linear time if each A has few pairs.
type pairSorter struct {
	found  []neighbor.Pair
	sorted []neighbor.Pair
	starts []int32
}

// reset removes all pairs and prepares for n particles.
func (s *pairSorter) reset(n int) {
	s.found = s.found[:0]
	if cap(s.starts) < n+1 {
		s.starts = make([]int32, n+1)
	}
	s.starts = s.starts[:n+1]
	clear(s.starts)
}

// add adds a pair. The order of i and j does not matter.
func (s *pairSorter) add(i, j int32) {
	p := neighbor.Pair{A: min(i, j), B: max(i, j)}
	s.found = append(s.found, p)
	s.starts[p.A+1]++
}

// sort copies the pairs from s.found to s.sorted, in ascending order.
func (s *pairSorter) sort() {
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	if cap(s.sorted) < len(s.found) {
		s.sorted = make([]neighbor.Pair, len(s.found), 2*len(s.found))
	}
	s.sorted = s.sorted[:len(s.found)]
	for _, p := range s.found { // starts[A] advances to the end of the pairs of A
		s.sorted[s.starts[p.A]] = p
		s.starts[p.A]++
	}
	for i := 1; i < len(s.sorted); i++ {
		p, k := s.sorted[i], i
		for ; k > 0 && s.sorted[k-1].A == p.A && s.sorted[k-1].B > p.B; k-- {
			s.sorted[k] = s.sorted[k-1]
		}
		s.sorted[k] = p
	}
}
