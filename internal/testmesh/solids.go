package testmesh

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Mesh welds s. It panics on an error, which a test solid does not have.
func Mesh(s mesh.Soup) *mesh.Mesh {
	m, err := mesh.New(context.Background(), s, mesh.Options{})
	mustNotFail(err)
	return m
}

// Cube returns the box from lo to hi as 8 vertices and 12 triangles, normals
// outward if lo < hi on every axis. Faces 2k and 2k+1 are the sides
// −x, +x, −y, +y, −z, +z in that order.
func Cube(lo, hi r3.Vector) mesh.Soup {
	var s mesh.Soup
	for i := range 8 { // bit 0, 1, 2: hi in x, y, z
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
		s.Faces = append(s.Faces, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
	}
	return s
}

// UnitCube returns the cube from 0 to 1.
func UnitCube() mesh.Soup { return Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1}) }

// Tetrahedron returns the corner of the unit cube with the vertices 0, x, y and z:
// volume 1/6, normals outward.
func Tetrahedron() mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
}

// Torus returns a torus around the z axis with the radii major and minor, of nu
// times nv squares around the axis and around the tube, each at least 3: 2·nu·nv
// triangles, normals outward if 0 < minor < major.
func Torus(major, minor float64, nu, nv int) mesh.Soup {
	var s mesh.Soup
	for i := range nu {
		su, cu := math.Sincos(2 * math.Pi * float64(i) / float64(nu))
		for j := range nv {
			sv, cv := math.Sincos(2 * math.Pi * float64(j) / float64(nv))
			r := major + minor*cv
			s.Vertices = append(s.Vertices, r3.Vector{X: r * cu, Y: r * su, Z: minor * sv})
		}
	}
	at := func(i, j int) int32 { return int32(i%nu*nv + j%nv) }
	for i := range nu {
		for j := range nv {
			a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
			s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
		}
	}
	return s
}

// Star returns a spiky sphere: Sphere(levels) with every vertex moved along
// its radius by a random factor in [1−depth, 1), 0 ≤ depth < 1. Seen from the
// origin no two faces overlap, so the origin is inside.
func Star(levels int, depth float64, seed uint64) mesh.Soup {
	s := Soup(Sphere(levels))
	rng := rand.New(rand.NewPCG(seed, 0x5742))
	for i, p := range s.Vertices {
		s.Vertices[i] = p.Mul(1 - depth*rng.Float64())
	}
	return s
}

// Hemisphere returns the upper half of Sphere(levels), open along the
// equator: 4·4^levels triangles, 4·2^levels boundary edges.
func Hemisphere(levels int) mesh.Soup {
	s := Soup(Sphere(levels))
	faces := s.Faces[:0]
	for _, t := range s.Faces {
		if s.Vertices[t[0]].Z+s.Vertices[t[1]].Z+s.Vertices[t[2]].Z > 0 {
			faces = append(faces, t)
		}
	}
	s.Faces = faces
	return s
}

// Moebius returns a Möbius strip of n ≥ 3 squares around the z axis, 2n triangles: a surface with
// one side, one boundary loop of 2n edges and one place where the
// orientation breaks.
func Moebius(n int) mesh.Soup {
	var s mesh.Soup
	for i := range n {
		a := 2 * math.Pi * float64(i) / float64(n)
		su, cu := math.Sincos(a)
		sh, ch := math.Sincos(a / 2)
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
		s.Faces = append(s.Faces, [3]int32{a, c, d}, [3]int32{a, d, b})
	}
	return s
}

// Soup returns a copy of the vertices, faces and bodies of m.
func Soup(m *mesh.Mesh) mesh.Soup {
	return clone(mesh.Soup{Vertices: m.Vertices, Faces: m.Faces, Bodies: m.Bodies})
}

// maxSphereLevels is the largest argument of Sphere: 8·4¹³ triangles.
const maxSphereLevels = 13

// Sphere returns the unit sphere around the origin as an octahedron that was
// refined the given number of times, with new vertices projected onto the sphere
// (Muth, Of, Eberhard, Steinbach 2006, §3.1): 8·4^levels triangles, closed,
// normals outward. The volume converges to 4π/3 from below with the square of the
// edge length. It panics unless 0 ≤ levels ≤ maxSphereLevels.
func Sphere(levels int) *mesh.Mesh {
	if levels < 0 || levels > maxSphereLevels {
		panic(fmt.Sprintf("testmesh: sphere with %d levels, want 0 to %d", levels, maxSphereLevels))
	}
	m := Mesh(mesh.Soup{
		Vertices: []r3.Vector{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {Z: 1}, {Z: -1}},
		Faces:    [][3]int32{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}},
	})
	for range levels {
		var err error
		m, err = m.Refined(context.Background(), toUnitSphere)
		mustNotFail(err)
	}
	return m
}

// toUnitSphere returns p/|p|, each coordinate rounded twice.
func toUnitSphere(p r3.Vector) r3.Vector {
	n := math.Sqrt(p.Norm2())
	return r3.Vector{X: p.X / n, Y: p.Y / n, Z: p.Z / n}
}

// mustNotFail panics on an error that a test solid does not have.
func mustNotFail(err error) {
	if err != nil {
		panic("testmesh: " + err.Error())
	}
}
