package testmesh

import (
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Without returns s without the given faces.
func Without(s mesh.Soup, faces ...int) mesh.Soup {
	out := mesh.Soup{Vertices: slices.Clone(s.Vertices)}
	for f, t := range s.Faces {
		if !slices.Contains(faces, f) {
			out.Faces = append(out.Faces, t)
		}
	}
	return out
}

// Flip returns s with the given faces turned over; all faces if none is given.
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

// Double returns s with copies of the given faces appended; of all faces if none
// is given.
func Double(s mesh.Soup, faces ...int) mesh.Soup {
	out := clone(s)
	for f, t := range s.Faces {
		if len(faces) == 0 || slices.Contains(faces, f) {
			out.Faces = append(out.Faces, t)
		}
	}
	return out
}

// Nested returns the cube from −2 to 2 with the cube from −1 to 1 in it, a solid
// in a solid (winding number 2) or, if cavity is set, a hollow in it (0).
func Nested(cavity bool) mesh.Soup {
	outer, inner := centered(2), centered(1)
	if cavity {
		inner = Flip(inner)
	}
	return Union(outer, inner)
}

// Overlapping returns the cubes from −2 to 2 and from −1 to 3 in x, y and z: the
// winding number is 2 between −1 and 2.
func Overlapping() mesh.Soup {
	return Union(centered(2), Translate(centered(2), r3.Vector{X: 1, Y: 1, Z: 1}))
}

// centered returns the cube from −h to h.
func centered(h float64) mesh.Soup {
	return Cube(r3.Vector{X: -h, Y: -h, Z: -h}, r3.Vector{X: h, Y: h, Z: h})
}

// TJunction returns the unit cube with the side +z split at the middle of one of its
// edges, a vertex that the neighboring side +y does not have: a closed surface to the
// eye, but not as a chain. Its boundary consists of three edges on one line, which
// enclose no area.
func TJunction() mesh.Soup {
	s := UnitCube()
	n := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Vector{X: 0.5, Y: 1, Z: 1})
	// Side +z is 4, 5, 7, 6; the edge from 7 to 6 runs along y = z = 1.
	s.Faces = append(s.Faces[:10], [3]int32{4, 5, n}, [3]int32{5, 7, n}, [3]int32{4, n, 6})
	return s
}

// WithDegenerate returns s with zero-area faces mixed in at random places, k times
// each of: a face with one corner thrice; a face that runs along an edge and back
// to a second copy of its first corner, so that only welding shows its collapse; and a
// face on an edge and its middle together with its opposite, so that the boundary
// chain stays as it is. The last are left out where rounding makes the middle miss the
// edge.
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

// Corners returns s with three vertices of its own for each face, as STL stores it.
func Corners(s mesh.Soup) mesh.Soup {
	var out mesh.Soup
	for f, t := range s.Faces {
		for _, v := range t {
			out.Vertices = append(out.Vertices, s.Vertices[v])
		}
		n := int32(3 * f)
		out.Faces = append(out.Faces, [3]int32{n, n + 1, n + 2})
	}
	return out
}

// Triangles returns n random triangles in the unit cube that share nothing.
func Triangles(n int, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x5009))
	var s mesh.Soup
	for f := range n {
		for range 3 {
			s.Vertices = append(s.Vertices, r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()})
		}
		k := int32(3 * f)
		s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
	}
	return s
}

// Tangle returns n random faces over few random points of the unit cube: edges of
// many faces, doubled and opposite faces, a boundary chain with multiplicities.
func Tangle(points, n int, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x7a61))
	var s mesh.Soup
	for range points {
		s.Vertices = append(s.Vertices, r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()})
	}
	for range n {
		p := rng.Perm(points)
		s.Faces = append(s.Faces, [3]int32{int32(p[0]), int32(p[1]), int32(p[2])})
	}
	return s
}
