package testmesh

import (
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// clone returns a copy that shares no memory with s.
func clone(s mesh.Soup) mesh.Soup {
	return mesh.Soup{Vertices: slices.Clone(s.Vertices), Faces: slices.Clone(s.Faces), Bodies: slices.Clone(s.Bodies)}
}

// Move returns a copy of s in which f is applied to every vertex.
func Move(s mesh.Soup, f func(r3.Vector) r3.Vector) mesh.Soup {
	out := clone(s)
	for i, p := range out.Vertices {
		out.Vertices[i] = f(p)
	}
	return out
}

// Scale returns s with all coordinates multiplied by k. The result is exact if k is a power of two
// and no coordinate underflows or overflows.
func Scale(s mesh.Soup, k float64) mesh.Soup {
	return Move(s, func(p r3.Vector) r3.Vector { return p.Mul(k) })
}

// Translate returns s moved by d. The new coordinates are rounded.
func Translate(s mesh.Soup, d r3.Vector) mesh.Soup { return Move(s, d.Add) }

// Rotations returns the 24 rotations of the cube. The first one is the identity. The rotations are
// exact, because they only permute coordinates and change signs.
func Rotations() []func(r3.Vector) r3.Vector {
	var all []func(r3.Vector) r3.Vector
	for i, axis := range [6][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}} {
		parity := 1.0
		if i >= 3 {
			parity = -1 // the permutation is odd
		}
		for _, x := range [2]float64{1, -1} {
			for _, y := range [2]float64{1, -1} {
				z := x * y * parity // makes the determinant of the rotation 1
				all = append(all, func(p r3.Vector) r3.Vector {
					c := [3]float64{p.X, p.Y, p.Z}
					return r3.Vector{X: x * c[axis[0]], Y: y * c[axis[1]], Z: z * c[axis[2]]}
				})
			}
		}
	}
	return all
}

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

// Copies returns s with every face repeated n times.
func Copies(s mesh.Soup, n int) mesh.Soup {
	return mesh.Soup{Vertices: slices.Clone(s.Vertices), Faces: slices.Repeat(s.Faces, n)}
}

// Without returns s without the given faces.
func Without(s mesh.Soup, faces ...int) mesh.Soup {
	return selectFaces(s, func(f int) bool { return !slices.Contains(faces, f) })
}

// selectFaces returns s with only the selected faces. All vertices remain.
func selectFaces(s mesh.Soup, selected func(f int) bool) mesh.Soup {
	out := mesh.Soup{Vertices: slices.Clone(s.Vertices)}
	for f, t := range s.Faces {
		if selected(f) {
			out.Faces = append(out.Faces, t)
		}
	}
	return out
}

// Flip returns s with the given faces reversed. If no face is given, it reverses all faces.
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

// Double returns s with copies of the given faces appended. It copies all faces if none is given.
func Double(s mesh.Soup, faces ...int) mesh.Soup {
	out := clone(s)
	for f, t := range s.Faces {
		if len(faces) == 0 || slices.Contains(faces, f) {
			out.Faces = append(out.Faces, t)
		}
	}
	return out
}

// Corners returns s with three separate vertices for each face, as in STL files.
func Corners(s mesh.Soup) mesh.Soup {
	var vertices []r3.Vector
	for _, t := range s.Faces {
		vertices = append(vertices, s.Vertices[t[0]], s.Vertices[t[1]], s.Vertices[t[2]])
	}
	return separate(vertices)
}

// separate returns a soup in which every three consecutive vertices form a face.
func separate(vertices []r3.Vector) mesh.Soup {
	s := mesh.Soup{Vertices: vertices}
	for k := int32(0); int(k) < len(vertices); k += 3 {
		s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
	}
	return s
}

// Nested returns the cube from −1 to 1 inside the cube from −2 to 2. If cavity is true, the inner
// cube is flipped. The winding number in the inner cube is 2, or 0 if cavity is true.
func Nested(cavity bool) mesh.Soup {
	outer, inner := centered(2), centered(1)
	if cavity {
		inner = Flip(inner)
	}
	return Union(outer, inner)
}

// Overlapping returns the cubes from −2 to 2 and from −1 to 3. The winding number in the overlap,
// the cube from −1 to 2, is 2.
func Overlapping() mesh.Soup {
	return Union(centered(2), Translate(centered(2), r3.Vector{X: 1, Y: 1, Z: 1}))
}

// centered returns the cube from −h to h on each axis.
func centered(h float64) mesh.Soup {
	return Cube(r3.Vector{X: -h, Y: -h, Z: -h}, r3.Vector{X: h, Y: h, Z: h})
}

// TJunction returns the unit cube with an additional vertex in the middle of one edge of the side
// +z. The neighboring side +y lacks this vertex. Therefore the cube looks closed, but its boundary
// chain is not empty. The chain has three edges on one line, which enclose no area.
func TJunction() mesh.Soup {
	s := UnitCube()
	n := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Vector{X: 0.5, Y: 1, Z: 1})
	// The corners of side +z are 4, 5, 7, 6. The edge from 7 to 6 is on the line y = z = 1.
	s.Faces = append(s.Faces[:10], [3]int32{4, 5, n}, [3]int32{5, 7, n}, [3]int32{4, n, 6})
	return s
}

// WithDegenerate returns s with faces of zero area inserted at random places. There are k faces of
// each kind:
//   - a face that repeats one corner three times;
//   - a face whose corners are the two ends of an edge and a copy of the first end. It collapses
//     only when the copy is welded;
//   - two opposite faces whose corners are the ends and the middle of an edge. Their boundaries
//     cancel. The pair is omitted if the rounded middle is not on the edge.
func WithDegenerate(s mesh.Soup, k int, seed uint64) mesh.Soup {
	out := clone(s)
	rng := rand.New(rand.NewPCG(seed, 0xde6e))
	insert := func(t [3]int32) {
		out.Faces = slices.Insert(out.Faces, rng.IntN(len(out.Faces)+1), t)
	}
	for range k {
		t := s.Faces[rng.IntN(len(s.Faces))]
		a, b := t[0], t[1]
		insert([3]int32{a, a, a})
		n := int32(len(out.Vertices))
		pa, pb := out.Vertices[a], out.Vertices[b]
		middle := pa.Add(pb).Mul(0.5)
		out.Vertices = append(out.Vertices, pa, middle)
		insert([3]int32{a, b, n})
		exact := mesh.Soup{Vertices: []r3.Vector{pa, pb, middle}, Faces: [][3]int32{{0, 1, 2}}}
		if len(Mesh(exact).Degenerate()) == 1 {
			insert([3]int32{a, b, n + 1})
			insert([3]int32{b, a, n + 1})
		}
	}
	return out
}

// Triangles returns n random triangles in the unit cube. The triangles share no vertices.
func Triangles(n int, seed uint64) mesh.Soup {
	return separate(randomPoints(3*n, rand.New(rand.NewPCG(seed, 0x5009))))
}

// randomPoints returns n random points in the unit cube.
func randomPoints(n int, rng *rand.Rand) []r3.Vector {
	pts := make([]r3.Vector, n)
	for i := range pts {
		pts[i] = r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()}
	}
	return pts
}

// Tangle returns n random faces over a few random points of the unit cube. Faces can be repeated or
// reversed, and an edge can have many faces.
func Tangle(points, n int, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x7a61))
	s := mesh.Soup{Vertices: randomPoints(points, rng)}
	for range n {
		p := rng.Perm(points)
		s.Faces = append(s.Faces, [3]int32{int32(p[0]), int32(p[1]), int32(p[2])})
	}
	return s
}

// Whiskers returns n faces without area, which enclose nothing. Each face is a point, a segment, or
// three corners on a line. Three corners a, b, c on a line have the boundary chain ab + bc − ac.
// The coordinates are multiples of 1/16 from −1 to 3/2.
func Whiskers(n int, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x3415))
	eighths := func(lo, span int) r3.Vector {
		return r3.Vector{
			X: float64(lo+rng.IntN(span)) / 8, Y: float64(lo+rng.IntN(span)) / 8, Z: float64(lo+rng.IntN(span)) / 8,
		}
	}
	var s mesh.Soup
	for f := range n {
		k := int32(3 * f)
		a, d := eighths(-4, 13), eighths(-4, 9).Mul(0.5)
		s.Vertices = append(s.Vertices, a, a.Add(d), a.Add(d.Mul(2)))
		s.Faces = append(s.Faces, [][3]int32{{k, k, k}, {k, k + 2, k}, {k, k + 1, k + 2}}[f%3])
	}
	return s
}
