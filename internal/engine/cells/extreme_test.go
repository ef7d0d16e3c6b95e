package cells_test

import (
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// roundedBox returns a box around the origin, enlarged by the radius r > 0. The edges and corners
// are rounded, with q ≥ 1 segments for each quarter turn. Each flat side has two triangles, so very
// large faces touch faces of size r/q. The mesh is closed, with outward normals and 16q² + 16q + 12
// triangles.
func roundedBox(half r3.Vector, r float64, q int) mesh.Soup {
	columns, rings := 4*(q+1), 2*(q+1)
	var s mesh.Soup
	for j := range rings {
		// The first half of the rings runs from the pole −z to the equator. The second half runs
		// from the equator to the pole +z.
		sinLat, cosLat := quarter(j%(q+1), q)
		z := half.Z + r*sinLat
		if j <= q {
			sinLat, cosLat = cosLat, sinLat
			z = -half.Z - r*sinLat
		}
		for i := range columns {
			quadrant := i / (q + 1)
			sin, cos := quarter(i%(q+1), q)
			if quadrant%2 == 1 {
				sin, cos = cos, sin
			}
			x, y := toQuadrant(half.X+r*cosLat*cos, half.Y+r*cosLat*sin, quadrant)
			s.Vertices = append(s.Vertices, r3.Vector{X: x, Y: y, Z: z})
		}
	}
	vertex := func(i, j int) int32 { return int32(j*columns + i%columns) }
	for j := range rings - 1 {
		for i := range columns {
			addSquare(&s, vertex(i, j), vertex(i+1, j), vertex(i+1, j+1), vertex(i, j+1))
		}
	}
	corner := func(k, j int) int32 { return int32(j*columns + k*(q+1)) }
	top := rings - 1
	addSquare(&s, corner(0, 0), corner(3, 0), corner(2, 0), corner(1, 0))
	addSquare(&s, corner(0, top), corner(1, top), corner(2, top), corner(3, top))
	// The columns of one quadrant meet at the top and at the bottom, so some triangles have equal
	// vertices.
	s.Faces = slices.DeleteFunc(s.Faces, func(t [3]int32) bool {
		a, b, c := s.Vertices[t[0]], s.Vertices[t[1]], s.Vertices[t[2]]
		return a == b || b == c || c == a
	})
	return s
}

// quarter returns the sine and the cosine of i/n of a right angle. If i is 0 or n, both are exact.
func quarter(i, n int) (sin, cos float64) {
	if i == n {
		return 1, 0
	}
	return math.Sincos(math.Pi / 2 * float64(i) / float64(n))
}

// toQuadrant mirrors a point with x, y > 0 into quadrant k. Quadrants 0 to 3 are in
// counterclockwise order.
func toQuadrant(x, y float64, k int) (float64, float64) {
	if k == 1 || k == 2 {
		x = -x
	}
	if k >= 2 {
		y = -y
	}
	return x, y
}

// drilledPlate returns a box around the origin with a hole of radius r along the z axis. The wall
// of the hole has n segments, and n is a multiple of 4. Faces join each vertex of the two rims to a
// corner of the box. These slivers are as long as the plate and as thin as a segment. More than n/4
// slivers meet at each corner. The mesh is closed, with outward normals and 4n + 16 triangles.
func drilledPlate(half r3.Vector, r float64, n int) mesh.Soup {
	var s mesh.Soup
	add := func(x, y float64) { // adds one vertex at the bottom and one vertex at the top
		s.Vertices = append(s.Vertices, r3.Vector{X: x, Y: y, Z: -half.Z}, r3.Vector{X: x, Y: y, Z: half.Z})
	}
	for k := range 4 {
		add(toQuadrant(half.X, half.Y, k))
	}
	for k := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		add(r*cos, r*sin)
	}
	corner := func(k int) int32 { return int32(2 * (k % 4)) }
	rim := func(k int) int32 { return int32(8 + 2*(k%n)) }
	side := func(a, b, c int32) { // adds a triangle on the top and its mirror image on the bottom
		s.Faces = append(s.Faces, [3]int32{a + 1, b + 1, c + 1}, [3]int32{a, c, b})
	}
	wall := func(a, b int32) { addSquare(&s, a, b, b+1, a+1) }
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

// prism returns the prism that a triangle sweeps along a vector, with 8 triangles. The normals
// point outward if the dot product of the vector and the normal of the triangle is positive.
func prism(base mesh.Triangle, axis r3.Vector) mesh.Soup {
	s := mesh.Soup{Vertices: base[:], Faces: [][3]int32{{0, 2, 1}, {3, 4, 5}}}
	for _, p := range base {
		s.Vertices = append(s.Vertices, p.Add(axis))
	}
	for k := range int32(3) {
		n := (k + 1) % 3
		addSquare(&s, k, n, n+3, k+3)
	}
	return s
}

func addSquare(s *mesh.Soup, a, b, c, d int32) {
	s.Faces = append(s.Faces, [3]int32{a, b, c}, [3]int32{a, c, d})
}

// TestExtremeSolids checks that the extreme solids are closed and have the right volume. The Euler
// characteristic must be 0 for the solid with a hole, and 2 for the other solids.
func TestExtremeSolids(t *testing.T) {
	polygon := func(n int) float64 { return float64(n) / 2 * math.Sin(2*math.Pi/float64(n)) } // area of a regular n-gon in the unit circle
	// ball returns the volume of a unit ball with q segments for each quarter turn. By Steiner's
	// formula, a rounded box consists of a box, prisms over sides and edges, and a ball.
	ball := func(q int) float64 {
		v := 0.0
		for j := range q {
			// The part between two rings is a frustum with regular polygons as bases.
			s0, c0 := quarter(j, q)
			s1, c1 := quarter(j+1, q)
			v += 2 * polygon(4*q) * (s1 - s0) * (c0*c0 + c0*c1 + c1*c1) / 3
		}
		return v
	}
	rounded := func(h r3.Vector, r float64, q int) float64 {
		return 8*h.X*h.Y*h.Z + 8*r*(h.X*h.Y+h.Y*h.Z+h.Z*h.X) +
			2*r*r*polygon(4*q)*(h.X+h.Y+h.Z) + r*r*r*ball(q)
	}
	for _, row := range []struct {
		name   string
		soup   mesh.Soup
		faces  int
		volume float64
		euler  int
	}{
		{"rounded box", roundedBox(at(3, 2, 1), 0.5, 4), 332, rounded(at(3, 2, 1), 0.5, 4), 2},
		{"rounded plate", roundedBox(at(500, 500, 5), 0.001, 3), 204, rounded(at(500, 500, 5), 0.001, 3), 2},
		{"octahedral box", roundedBox(at(1, 1, 1), 1, 1), 44, rounded(at(1, 1, 1), 1, 1), 2},
		{"drilled plate", drilledPlate(at(3, 2, 1), 0.5, 12), 64, 48 - 2*0.25*polygon(12), 0},
		{"prism", prism(mesh.Triangle{at(0, 0, 0), at(1, 0, 0), at(0, 1, 0)}, at(1, 1, 3)), 8, 1.5, 2},
	} {
		m := testmesh.Mesh(row.soup)
		d, err := m.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !m.Closed() || len(m.Degenerate()) > 0 {
			t.Errorf("%s: closed %v, %d faces without area; want a closed mesh without", row.name, m.Closed(), len(m.Degenerate()))
		}
		if d.Faces != row.faces {
			t.Errorf("%s: %d faces, want %d", row.name, d.Faces, row.faces)
		}
		if math.Abs(d.Volume-row.volume) > d.VolumeError+1e-12*math.Abs(row.volume) {
			t.Errorf("%s: volume %v ± %v, want %v", row.name, d.Volume, d.VolumeError, row.volume)
		}
		if e := d.Vertices - d.Edges + d.Triangles; row.euler != math.MaxInt && e != row.euler {
			t.Errorf("%s: Euler characteristic %d, want %d", row.name, e, row.euler)
		}
	}
}
