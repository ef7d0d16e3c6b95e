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

// Scale returns s times k. The result is exact if k is a power of two and no coordinate
// underflows or overflows.
func Scale(s mesh.Soup, k float64) mesh.Soup {
	return Move(s, func(p r3.Vector) r3.Vector { return p.Mul(k) })
}

// Translate returns s moved by d. The coordinates are rounded.
func Translate(s mesh.Soup, d r3.Vector) mesh.Soup { return Move(s, d.Add) }

// Rotation is one of the 24 rotations of the cube. They are exact, because they only permute
// coordinates and change signs.
type Rotation struct {
	axis [3]int     // coordinate i of the image is sign[i] times coordinate axis[i]
	sign [3]float64 // ±1
}

// Rotations returns all rotations of the cube. The first is the identity.
func Rotations() []Rotation {
	var all []Rotation
	for i, axis := range [6][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}} {
		parity := 1.0
		if i >= 3 {
			parity = -1 // an odd permutation
		}
		for _, x := range [2]float64{1, -1} {
			for _, y := range [2]float64{1, -1} {
				all = append(all, Rotation{axis, [3]float64{x, y, x * y * parity}}) // determinant 1
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

// Union returns the faces of all soups, with one body for each soup.
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

// Copies returns s with every face n times.
func Copies(s mesh.Soup, n int) mesh.Soup {
	return mesh.Soup{Vertices: slices.Clone(s.Vertices), Faces: slices.Repeat(s.Faces, n)}
}

// Without returns s without the given faces.
func Without(s mesh.Soup, faces ...int) mesh.Soup {
	return selectFaces(s, func(f int) bool { return !slices.Contains(faces, f) })
}

// selectFaces returns the faces of s that selected accepts. All vertices remain.
func selectFaces(s mesh.Soup, selected func(f int) bool) mesh.Soup {
	out := mesh.Soup{Vertices: slices.Clone(s.Vertices)}
	for f, t := range s.Faces {
		if selected(f) {
			out.Faces = append(out.Faces, t)
		}
	}
	return out
}

// Flip returns s with the given faces turned over. It flips all faces if none is given.
func Flip(s mesh.Soup, faces ...int) mesh.Soup {
	out := clone(s)
	for f := range out.Faces {
		if len(faces) == 0 || slices.Contains(faces, f) {
			t := &out.Faces[f]
			t[1], t[2] = t[2], t[1]
		}
	}
	return out
}

// Double appends copies of the given faces to s. It copies all faces if none is given.
func Double(s mesh.Soup, faces ...int) mesh.Soup {
	out := clone(s)
	for f, t := range s.Faces {
		if len(faces) == 0 || slices.Contains(faces, f) {
			out.Faces = append(out.Faces, t)
		}
	}
	return out
}

// Corners returns s with three separate vertices for each face, as STL stores it.
func Corners(s mesh.Soup) mesh.Soup {
	var vertices []r3.Vector
	for _, t := range s.Faces {
		vertices = append(vertices, s.Vertices[t[0]], s.Vertices[t[1]], s.Vertices[t[2]])
	}
	return separate(vertices)
}

// separate returns faces of three consecutive vertices each.
func separate(vertices []r3.Vector) mesh.Soup {
	s := mesh.Soup{Vertices: vertices}
	for k := int32(0); int(k) < len(vertices); k += 3 {
		s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
	}
	return s
}
