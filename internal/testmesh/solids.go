package testmesh

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Mesh welds s. It panics if mesh.New refuses s.
func Mesh(s mesh.Soup) *mesh.Mesh { return must(mesh.New(context.Background(), s, mesh.Options{})) }

// must returns v. It panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic("testmesh: " + err.Error())
	}
	return v
}

// Cube returns the box from lo to hi as 8 vertices and 12 triangles. The normals point outward if
// lo < hi on every axis. Faces 2k and 2k+1 form side k in the order −x, +x, −y, +y, −z, +z.
func Cube(lo, hi r3.Vector) mesh.Soup {
	var s mesh.Soup
	for i := range 8 { // bits 0, 1 and 2 of i select hi instead of lo for x, y and z
		p := lo
		if i&1 != 0 {
			p.X = hi.X
		}
		if i&2 != 0 {
			p.Y = hi.Y
		}
		if i&4 != 0 {
			p.Z = hi.Z
		}
		s.Vertices = append(s.Vertices, p)
	}
	for _, q := range [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
		addSquare(&s, q[0], q[1], q[2], q[3])
	}
	return s
}

func addSquare(s *mesh.Soup, a, b, c, d int32) {
	s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
}

// addSquares adds columns × rows squares. The function vertex returns the index of the vertex in
// column i and row j. The normals have the direction of the cross product of the column axis and
// the row axis.
func addSquares(s *mesh.Soup, columns, rows int, vertex func(i, j int) int32) {
	for j := range rows {
		for i := range columns {
			addSquare(s, vertex(i, j), vertex(i+1, j), vertex(i+1, j+1), vertex(i, j+1))
		}
	}
}

// UnitCube returns the cube with the corners (0, 0, 0) and (1, 1, 1).
func UnitCube() mesh.Soup { return Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1}) }

// Tetrahedron returns the tetrahedron with the vertices (0, 0, 0), (1, 0, 0), (0, 1, 0) and (0, 0,
// 1). Its volume is 1/6, and its normals point outward.
func Tetrahedron() mesh.Soup {
	return Simplex(r3.Vector{}, r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1})
}

// Simplex returns the boundary of the tetrahedron abcd. The normals point outward if
// (b−a)·((c−a)×(d−a)) > 0, and inward if the product is negative. The mesh is closed even if all
// four corners lie in one plane.
func Simplex(a, b, c, d r3.Vector) mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{a, b, c, d},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
}

// Torus returns a torus around the z axis. It has nu squares around the axis and nv squares around
// the tube, so it has 2·nu·nv triangles. nu and nv are at least 3. The normals point outward if
// minorRadius is positive and less than majorRadius.
func Torus(majorRadius, minorRadius float64, nu, nv int) mesh.Soup {
	var s mesh.Soup
	for i := range nu {
		su, cu := turn(i, nu)
		for j := range nv {
			sv, cv := turn(j, nv)
			r := majorRadius + minorRadius*cv
			s.Vertices = append(s.Vertices, r3.Vector{X: r * cu, Y: r * su, Z: minorRadius * sv})
		}
	}
	addSquares(&s, nu, nv, func(i, j int) int32 { return int32(i%nu*nv + j%nv) })
	return s
}

// turn returns the sine and the cosine of the angle 2π·i/n.
func turn(i, n int) (sin, cos float64) { return math.Sincos(2 * math.Pi * float64(i) / float64(n)) }

// DoubleCone returns two cones on the unit circle in the plane z = 0. Each cone has n faces. The
// apexes lie on the z axis at ±height, and each apex has n neighbors. The mesh is closed, with
// outward normals.
func DoubleCone(n int, height float64) mesh.Soup {
	s := mesh.Soup{Vertices: []r3.Vector{{Z: height}, {Z: -height}}}
	for k := range n {
		sin, cos := turn(k, n)
		s.Vertices = append(s.Vertices, r3.Vector{X: cos, Y: sin})
		a, b := int32(2+k), int32(2+(k+1)%n)
		s.Faces = append(s.Faces, [3]int32{a, b, 0}, [3]int32{b, a, 1})
	}
	return s
}

// Sheet returns the unit square in the plane z = 0, divided into n by n squares of two triangles
// each. The normals have the direction +z.
func Sheet(n int) mesh.Soup {
	var s mesh.Soup
	for j := range n + 1 {
		for i := range n + 1 {
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(i) / float64(n), Y: float64(j) / float64(n)})
		}
	}
	addSquares(&s, n, n, func(i, j int) int32 { return int32(j*(n+1) + i) })
	return s
}

// Star returns a spiky sphere: Sphere(levels) with each vertex multiplied by a random factor in
// [1−depth, 1), where 0 ≤ depth < 1. Every ray from the origin crosses the surface once, so the
// origin is inside.
func Star(levels int, depth float64, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x5742))
	return Move(Soup(Sphere(levels)), func(p r3.Vector) r3.Vector { return p.Mul(1 - depth*rng.Float64()) })
}

// Hemisphere returns the upper half of Sphere(levels), which is open along the equator. It has
// 4·4^levels triangles and 4·2^levels boundary edges.
func Hemisphere(levels int) mesh.Soup {
	s := Soup(Sphere(levels))
	return selectFaces(s, func(f int) bool {
		t := s.Faces[f]
		return s.Vertices[t[0]].Z+s.Vertices[t[1]].Z+s.Vertices[t[2]].Z > 0
	})
}

// Moebius returns a Möbius strip of n squares around the z axis, n ≥ 3. It has 2n triangles and one
// boundary loop of 2n edges. At one edge the orientations of the two faces disagree.
func Moebius(n int) mesh.Soup {
	var s mesh.Soup
	for i := range n {
		su, cu := turn(i, n)
		sh, ch := math.Sincos(2 * math.Pi * float64(i) / float64(n) / 2)
		for _, w := range [2]float64{-0.5, 0.5} {
			r := 1 + w*ch
			s.Vertices = append(s.Vertices, r3.Vector{X: r * cu, Y: r * su, Z: w * sh})
		}
	}
	for i := range n {
		a, b := int32(2*i), int32(2*i+1)
		c, d := a+2, b+2
		if i == n-1 {
			c, d = 1, 0
		}
		addSquare(&s, a, c, d, b)
	}
	return s
}

// Soup returns a copy of the vertices, faces and bodies of m.
func Soup(m *mesh.Mesh) mesh.Soup {
	return clone(mesh.Soup{Vertices: m.Vertices, Faces: m.Faces, Bodies: m.Bodies})
}

// Sphere returns mesh.Sphere with the radius 1: a closed mesh of 8·4^levels triangles. It panics unless
// 0 ≤ levels ≤ mesh.MaxRefine.
func Sphere(levels int) *mesh.Mesh {
	return must(mesh.Sphere(context.Background(), mesh.SphereOptions{Refine: levels}))
}

// Foam returns mesh.Foam. It panics if mesh.Foam refuses the options.
func Foam(opt mesh.FoamOptions) *mesh.Mesh { return must(mesh.Foam(context.Background(), opt)) }
