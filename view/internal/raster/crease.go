package raster

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
)

// maxFan is the largest number of faces at a vertex that is smoothed. The work at a vertex is
// proportional to the square of the number of its faces.
const maxFan = 48 // tuning

// Smoothed holds the normals and the creases of a mesh.
type Smoothed struct {
	Normals [][3]float32 // normals of the corners, three for each face
	Creases [][2]uint32  // edges of two faces, at which the mesh bends by more than the angle
}

// Smooth returns the normals for a smooth look. The normal of a corner of a face is the mean of the
// normals of the faces at the vertex, weighted by area. Faces whose normals differ by more than
// angle from the normal of this face are left out. The sign of normals does not matter, so faces
// with inconsistent orientations are smoothed too. The angle is in radians, from 0 to π/2. Smooth
// takes O(n) time for n faces, and panics if an index of a face is out of range. Errors: the error
// of ctx.
func Smooth(ctx context.Context, vertices [][3]float32, faces [][3]uint32, angle float64, workers int) (Smoothed, error) {
	s := smoother{vertices: vertices, faces: faces, cos: math.Cos(angle)}
	s.start, s.at = fans(len(vertices), faces)
	s.normals = make([]r3.Vector, len(faces))
	err := par.Blocks(ctx, len(faces), block, workers, func(_, lo, hi int) {
		for f := lo; f < hi; f++ {
			t := faces[f]
			a := vector(vertices[t[0]])
			s.normals[f] = vector(vertices[t[1]]).Sub(a).Cross(vector(vertices[t[2]]).Sub(a))
		}
	})
	if err != nil {
		return Smoothed{}, err
	}
	out := Smoothed{Normals: make([][3]float32, 3*len(faces))}
	creases := make([][][2]uint32, (len(faces)+block-1)/block)
	err = par.Blocks(ctx, len(faces), block, workers, func(_, lo, hi int) {
		var list [][2]uint32
		for f := lo; f < hi; f++ {
			for k := range 3 {
				n := s.corner(int32(f), faces[f][k])
				out.Normals[3*f+k] = [3]float32{float32(n.X), float32(n.Y), float32(n.Z)}
				if s.crease(int32(f), k) {
					list = append(list, [2]uint32{faces[f][k], faces[f][(k+1)%3]})
				}
			}
		}
		creases[lo/block] = list
	})
	for _, list := range creases {
		out.Creases = append(out.Creases, list...)
	}
	return out, err
}

type smoother struct {
	vertices [][3]float32
	faces    [][3]uint32
	normals  []r3.Vector // normals of the faces; the length is twice the area
	start    []int32     // the faces at vertex v are at[start[v]:start[v+1]]
	at       []int32
	cos      float64
}

// fans returns the faces at each vertex, in ascending order.
func fans(vertices int, faces [][3]uint32) (start, at []int32) {
	start = make([]int32, vertices+2)
	for _, t := range faces {
		for _, v := range t {
			start[v+2]++
		}
	}
	for v := 2; v < len(start); v++ {
		start[v] += start[v-1]
	}
	at = make([]int32, 3*len(faces))
	for f, t := range faces {
		for _, v := range t {
			at[start[v+1]] = int32(f)
			start[v+1]++
		}
	}
	return start[:vertices+1], at
}

// corner returns the unit normal of face f at vertex v, or 0 if the face has no area.
func (s *smoother) corner(f int32, v uint32) r3.Vector {
	own := s.normals[f]
	fan := s.at[s.start[v]:s.start[v+1]]
	if len(fan) > maxFan {
		return unitVector(own)
	}
	sum := r3.Vector{}
	length := own.Norm()
	for _, g := range fan {
		n := s.normals[g]
		switch d, limit := n.Dot(own), s.cos*length*n.Norm(); {
		case d >= limit:
			sum = sum.Add(n)
		case -d >= limit:
			sum = sum.Sub(n)
		}
	}
	return unitVector(sum)
}

// crease reports whether the edge from corner k of face f is a crease, and f is the first face of
// the edge.
func (s *smoother) crease(f int32, k int) bool {
	a, b := s.faces[f][k], s.faces[f][(k+1)%3]
	if s.start[b+1]-s.start[b] < s.start[a+1]-s.start[a] {
		a, b = b, a
	}
	fan := s.at[s.start[a]:s.start[a+1]]
	if len(fan) > maxFan {
		return false
	}
	other := int32(-1)
	for _, g := range fan {
		t := s.faces[g]
		if g == f || t[0] != b && t[1] != b && t[2] != b {
			continue
		}
		if g < f || other >= 0 { // f is not the first face, or the edge has more than two faces
			return false
		}
		other = g
	}
	if other < 0 {
		return false
	}
	n, m := s.normals[f], s.normals[other]
	d := n.Dot(m)
	if s.forward(f, a, b) == s.forward(other, a, b) {
		d = -d // the faces have opposite orientations
	}
	return d < s.cos*n.Norm()*m.Norm()
}

// forward reports whether face f contains the edge from a to b in this direction.
func (s *smoother) forward(f int32, a, b uint32) bool {
	t := s.faces[f]
	return t[0] == a && t[1] == b || t[1] == a && t[2] == b || t[2] == a && t[0] == b
}
