package testmesh

import (
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// clone returns a copy that shares no memory with s.
func clone(s mesh.Soup) mesh.Soup {
	return mesh.Soup{Vertices: slices.Clone(s.Vertices), Faces: slices.Clone(s.Faces), Bodies: slices.Clone(s.Bodies)}
}

// Move returns s with f applied to every vertex.
func Move(s mesh.Soup, f func(r3.Vector) r3.Vector) mesh.Soup {
	out := clone(s)
	for i, p := range out.Vertices {
		out.Vertices[i] = f(p)
	}
	return out
}

// Scale returns s times k. It is exact if k is a power of two and nothing under- or
// overflows.
func Scale(s mesh.Soup, k float64) mesh.Soup {
	return Move(s, func(p r3.Vector) r3.Vector { return p.Mul(k) })
}

// Translate returns s moved by d, rounded.
func Translate(s mesh.Soup, d r3.Vector) mesh.Soup {
	return Move(s, func(p r3.Vector) r3.Vector { return p.Add(d) })
}

// Rotation is one of the 24 rotations of the cube, which are exact: they permute
// the coordinates and change signs.
type Rotation struct {
	axis [3]int     // coordinate i of the image is sign[i] times coordinate axis[i]
	sign [3]float64 // ±1
}

// Rotations returns all 24; the first is the identity.
func Rotations() []Rotation {
	var all []Rotation
	for _, p := range [6]struct {
		axis [3]int
		sign float64 // of the permutation
	}{
		{[3]int{0, 1, 2}, 1}, {[3]int{1, 2, 0}, 1}, {[3]int{2, 0, 1}, 1},
		{[3]int{1, 0, 2}, -1}, {[3]int{0, 2, 1}, -1}, {[3]int{2, 1, 0}, -1},
	} {
		for _, x := range [2]float64{1, -1} {
			for _, y := range [2]float64{1, -1} {
				// The determinant is 1: a rotation, not a mirror.
				all = append(all, Rotation{p.axis, [3]float64{x, y, x * y * p.sign}})
			}
		}
	}
	return all
}

// Apply returns the image of p.
func (r Rotation) Apply(p r3.Vector) r3.Vector {
	c := [3]float64{p.X, p.Y, p.Z}
	return r3.Vector{X: r.sign[0] * c[r.axis[0]], Y: r.sign[1] * c[r.axis[1]], Z: r.sign[2] * c[r.axis[2]]}
}

// Rotate returns the image of s.
func Rotate(s mesh.Soup, r Rotation) mesh.Soup { return Move(s, r.Apply) }

// Union returns all faces of all soups, one body for each.
func Union(soups ...mesh.Soup) mesh.Soup {
	var out mesh.Soup
	for _, s := range soups {
		base := int32(len(out.Vertices))
		out.Bodies = append(out.Bodies, mesh.Body{First: int32(len(out.Faces)), Count: int32(len(s.Faces))})
		out.Vertices = append(out.Vertices, s.Vertices...)
		for _, t := range s.Faces {
			out.Faces = append(out.Faces, [3]int32{base + t[0], base + t[1], base + t[2]})
		}
	}
	return out
}
