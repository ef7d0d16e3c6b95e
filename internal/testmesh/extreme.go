package testmesh

import (
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// RoundedBox returns the box from −half to half, blown up by the radius r > 0:
// all edges and corners are rounded by q ≥ 1 segments a quarter turn. half is
// positive on every axis. The flat sides are two triangles each, so that faces
// of the size of the box meet faces of the size r/q. Closed, normals outward,
// 16q² + 16q + 12 triangles.
func RoundedBox(half r3.Vector, r float64, q int) mesh.Soup {
	columns, rings := 4*(q+1), 2*(q+1)
	var s mesh.Soup
	for j := range rings {
		// From the pole −z to the equator, and again from the equator to +z.
		sinLat, cosLat := quarter(j%(q+1), q)
		z := half.Z + r*sinLat
		if j <= q {
			sinLat, cosLat = cosLat, sinLat
			z = -half.Z - r*sinLat
		}
		for i := range columns {
			sin, cos := quarter(i%(q+1), q)
			x, y := half.X+r*cosLat*cos, half.Y+r*cosLat*sin
			switch i / (q + 1) {
			case 1:
				x, y = -(half.X + r*cosLat*sin), half.Y+r*cosLat*cos
			case 2:
				x, y = -x, -y
			case 3:
				x, y = half.X+r*cosLat*sin, -(half.Y + r*cosLat*cos)
			}
			s.Vertices = append(s.Vertices, r3.Vector{X: x, Y: y, Z: z})
		}
	}
	at := func(i, j int) int32 { return int32(j*columns + i%columns) }
	add := func(a, b, c int32) {
		v := s.Vertices
		if v[a] != v[b] && v[b] != v[c] && v[c] != v[a] { // columns meet at the corners of the caps
			s.Faces = append(s.Faces, [3]int32{a, b, c})
		}
	}
	for j := range rings - 1 {
		for i := range columns {
			add(at(i, j), at(i+1, j), at(i+1, j+1))
			add(at(i, j), at(i+1, j+1), at(i, j+1))
		}
	}
	top := rings - 1
	for k := 1; k < 3; k++ {
		add(at(0, 0), at((k+1)*(q+1), 0), at(k*(q+1), 0))
		add(at(0, top), at(k*(q+1), top), at((k+1)*(q+1), top))
	}
	return s
}

// quarter returns sine and cosine of i/n of a right angle, exact at both ends.
func quarter(i, n int) (sin, cos float64) {
	if i == n {
		return 1, 0
	}
	return math.Sincos(math.Pi / 2 * float64(i) / float64(n))
}

// DrilledPlate returns the box from −half to half with a hole of n segments, a
// multiple of 4, and radius r along the z axis. Every vertex of the rims is
// joined to a corner of the box: 2n faces as long as the plate and as thin as
// the segments of the hole, n/4 and more of them at each corner. Closed, normals
// outward, 4n + 16 triangles.
func DrilledPlate(half r3.Vector, r float64, n int) mesh.Soup {
	var s mesh.Soup
	// Bottom and top of a vertex are neighbors; the corners come first.
	for k := range 4 {
		x, y := half.X, half.Y
		if k == 1 || k == 2 {
			x = -x
		}
		if k >= 2 {
			y = -y
		}
		s.Vertices = append(s.Vertices, r3.Vector{X: x, Y: y, Z: -half.Z}, r3.Vector{X: x, Y: y, Z: half.Z})
	}
	for k := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		s.Vertices = append(s.Vertices, r3.Vector{X: r * cos, Y: r * sin, Z: -half.Z}, r3.Vector{X: r * cos, Y: r * sin, Z: half.Z})
	}
	corner := func(k int) int32 { return int32(2 * (k % 4)) }
	rim := func(k int) int32 { return int32(8 + 2*(k%n)) }
	side := func(a, b, c int32) { // on top, and turned over on the bottom
		s.Faces = append(s.Faces, [3]int32{a + 1, b + 1, c + 1}, [3]int32{a, c, b})
	}
	wall := func(a, b int32) {
		s.Faces = append(s.Faces, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1})
	}
	for k := range n {
		side(corner(4*k/n), rim(k+1), rim(k))
		wall(rim(k+1), rim(k))
	}
	for k := range 4 {
		side(corner(k), corner(k+1), rim((k+1)*n/4))
		wall(corner(k), corner(k+1))
	}
	return s
}

// DoubleCone returns two cones of n faces each on a common rim, the unit circle
// in the plane z = 0, with the apexes at ±height on the z axis: two vertices of
// valence n. Closed, normals outward, 2n triangles.
func DoubleCone(n int, height float64) mesh.Soup {
	s := mesh.Soup{Vertices: []r3.Vector{{Z: height}, {Z: -height}}}
	for k := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		s.Vertices = append(s.Vertices, r3.Vector{X: cos, Y: sin})
		a, b := int32(2+k), int32(2+(k+1)%n)
		s.Faces = append(s.Faces, [3]int32{a, b, 0}, [3]int32{b, a, 1})
	}
	return s
}

// Prism returns the prism over the triangle base along axis: 8 triangles, normals
// outward if the normal of base and axis point to the same side.
func Prism(base mesh.Triangle, axis r3.Vector) mesh.Soup {
	var s mesh.Soup
	for _, p := range base {
		s.Vertices = append(s.Vertices, p)
	}
	for _, p := range base {
		s.Vertices = append(s.Vertices, p.Add(axis))
	}
	s.Faces = [][3]int32{{0, 2, 1}, {3, 4, 5}}
	for k := range int32(3) {
		n := (k + 1) % 3
		s.Faces = append(s.Faces, [3]int32{k, n, n + 3}, [3]int32{k, n + 3, k + 3})
	}
	return s
}

// Simplex returns the boundary of the tetrahedron a, b, c, d: normals outward if
// (b−a)·((c−a)×(d−a)) > 0, inward if it is negative. It is a closed chain
// whatever the corners are.
func Simplex(a, b, c, d r3.Vector) mesh.Soup {
	return mesh.Soup{
		Vertices: []r3.Vector{a, b, c, d},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
}

// Copies returns s with every face n times.
func Copies(s mesh.Soup, n int) mesh.Soup {
	out := mesh.Soup{Vertices: clone(s).Vertices}
	for range n {
		out.Faces = append(out.Faces, s.Faces...)
	}
	return out
}

// Sheet returns the unit square in the plane z = 0 as n by n squares of two
// triangles, normals along +z.
func Sheet(n int) mesh.Soup {
	var s mesh.Soup
	for j := range n + 1 {
		for i := range n + 1 {
			s.Vertices = append(s.Vertices, r3.Vector{X: float64(i) / float64(n), Y: float64(j) / float64(n)})
		}
	}
	for j := range n {
		for i := range n {
			a := int32(j*(n+1) + i)
			b, c, d := a+1, a+int32(n)+2, a+int32(n)+1
			s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
		}
	}
	return s
}

// Whiskers returns n faces without area around the unit cube, a third each of
// points, of segments there and back and of three corners on a line, with
// coordinates that are multiples of 1/8 from −1/2 to 3/2. They belong to the
// surface and enclose nothing, but most have a boundary chain of edges that
// cancel only in pairs: the corners a, b, c on a line leave ab + bc − ac.
func Whiskers(n int, seed uint64) mesh.Soup {
	rng := rand.New(rand.NewPCG(seed, 0x3415))
	eighths := func(lo, span int) r3.Vector {
		return r3.Vector{
			X: float64(lo+rng.IntN(span)) / 8, Y: float64(lo+rng.IntN(span)) / 8, Z: float64(lo+rng.IntN(span)) / 8,
		}
	}
	var s mesh.Soup
	for f := range n {
		k := int32(len(s.Vertices))
		a, d := eighths(-4, 13), eighths(-4, 9).Mul(0.5)
		s.Vertices = append(s.Vertices, a, a.Add(d), a.Add(d.Mul(2)))
		switch f % 3 {
		case 0:
			s.Faces = append(s.Faces, [3]int32{k, k, k})
		case 1:
			s.Faces = append(s.Faces, [3]int32{k, k + 2, k})
		default:
			s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
		}
	}
	return s
}
