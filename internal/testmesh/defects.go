package testmesh

import (
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Nested returns the cube from −1 to 1 inside the cube from −2 to 2. The winding number of
// the inner cube is 2. If cavity is set, the inner cube is flipped and the number is 0.
func Nested(cavity bool) mesh.Soup {
	outer, inner := centered(2), centered(1)
	if cavity {
		inner = Flip(inner)
	}
	return Union(outer, inner)
}

// Overlapping returns the cubes from −2 to 2 and from −1 to 3. The winding number is 2
// where they overlap, from −1 to 2.
func Overlapping() mesh.Soup {
	return Union(centered(2), Translate(centered(2), r3.Vector{X: 1, Y: 1, Z: 1}))
}

// centered returns the cube from −h to h.
func centered(h float64) mesh.Soup {
	return Cube(r3.Vector{X: -h, Y: -h, Z: -h}, r3.Vector{X: h, Y: h, Z: h})
}

// TJunction returns the unit cube with a vertex in the middle of one edge of the side +z. The
// neighboring side +y lacks this vertex, so the cube looks closed but is open as a chain. The
// boundary chain has three edges on one line, which enclose no area.
func TJunction() mesh.Soup {
	s := UnitCube()
	n := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Vector{X: 0.5, Y: 1, Z: 1})
	// Side +z is 4, 5, 7, 6; the edge from 7 to 6 runs along y = z = 1.
	s.Faces = append(s.Faces[:10], [3]int32{4, 5, n}, [3]int32{5, 7, n}, [3]int32{4, n, 6})
	return s
}

// WithDegenerate returns s with faces of zero area inserted at random places. There are k
// faces of each kind:
//   - a face that repeats one corner three times;
//   - a face that runs along an edge and back to a second copy of the first corner, which
//     only welding reveals as collapsed;
//   - a face on an edge and its middle, together with its opposite, so that the boundary
//     chain does not change. It is omitted if the rounded middle misses the edge.
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

// Triangles returns n random triangles in the unit cube that share nothing.
func Triangles(n int, seed uint64) mesh.Soup {
	return separate(randomPoints(3*n, rand.New(rand.NewPCG(seed, 0x5009))))
}

// randomPoints returns n points in the unit cube.
func randomPoints(n int, rng *rand.Rand) []r3.Vector {
	pts := make([]r3.Vector, n)
	for i := range pts {
		pts[i] = r3.Vector{X: rng.Float64(), Y: rng.Float64(), Z: rng.Float64()}
	}
	return pts
}

// Tangle returns n random faces over a few random points of the unit cube. It has edges of
// many faces, doubled and opposite faces, and a boundary chain with multiplicities.
func Tangle(points, n int, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x7a61))
	s := mesh.Soup{Vertices: randomPoints(points, rng)}
	for range n {
		p := rng.Perm(points)
		s.Faces = append(s.Faces, [3]int32{int32(p[0]), int32(p[1]), int32(p[2])})
	}
	return s
}

// Whiskers returns n faces without area around the unit cube. A third each are points,
// segments there and back, and three corners on a line. The coordinates are multiples of
// 1/8 from −1/2 to 3/2. The faces enclose nothing. Most have a boundary chain: the corners
// a, b, c on a line leave ab + bc − ac.
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
