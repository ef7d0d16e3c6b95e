package testmesh

import (
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Sliver is a closed mesh of long or narrow faces that do not meet except as neighbors.
type Sliver struct {
	Name string
	Soup mesh.Soup
}

// Slivers returns meshes of about n faces, at least 100, whose long faces have the direction of
// the z axis and then of (1,1,1):
//
//   - rod: a cylinder of length 100 and radius 1 whose sides have the full length
//   - twisted: a rod with one end turned by a right angle, so that its sides are skew
//   - gear: the outline of a gear, extruded over the length 100
//   - lens, spike: two cones with a common base, flat and long
//   - needles: tetrahedra of length 100, side by side
//   - bar: a square bar whose long edges have many vertices, with sides that are fans around corners
//   - thread: a rod with a triangular thread, whose flanks are narrow quadrilaterals
func Slivers(n int) []Sliver {
	if n < 100 {
		panic("testmesh: a sliver mesh has at least 100 faces")
	}
	sides := n / 4
	round := func(turned float64) func(i int, z float64) r3.Vector {
		return func(i int, z float64) r3.Vector {
			sin, cos := math.Sincos(2*math.Pi*float64(i)/float64(sides) + turned*z/100)
			return r3.Vector{X: cos, Y: sin, Z: z}
		}
	}
	gear := func(i int, z float64) r3.Vector {
		p := round(0)(i, z)
		if i/2%2 == 0 {
			p.X, p.Y = .8*p.X, .8*p.Y
		}
		return p
	}
	shapes := []Sliver{
		{"rod", prism(sides, round(0))},
		{"twisted", prism(sides, round(math.Pi/2))},
		{"gear", prism(sides, gear)},
		{"lens", DoubleCone(n/2, .01)},
		{"spike", DoubleCone(n/2, 100)},
		{"needles", needles(n / 4)},
		{"bar", bar((n - 4) / 8)},
		{"thread", thread(n)},
	}
	for _, s := range shapes {
		s.Name += "-diagonal"
		s.Soup = Move(s.Soup, tilt)
		shapes = append(shapes, s)
	}
	return shapes
}

// tilt turns the z axis to the direction (1,1,1).
func tilt(p r3.Vector) r3.Vector {
	u := r3.Vector{X: 1, Y: -1}.Mul(math.Sqrt(1. / 2))
	v := r3.Vector{X: 1, Y: 1, Z: -2}.Mul(math.Sqrt(1. / 6))
	w := r3.Vector{X: 1, Y: 1, Z: 1}.Mul(math.Sqrt(1. / 3))
	return u.Mul(p.X).Add(v.Mul(p.Y)).Add(w.Mul(p.Z))
}

// prism returns a closed prism between z = 0 and z = 100. vertex(i, z) is corner i of n at height z.
// The end faces are fans around points of the z axis.
func prism(n int, vertex func(i int, z float64) r3.Vector) (s mesh.Soup) {
	for i := range n {
		s.Vertices = append(s.Vertices, vertex(i, 0), vertex(i, 100))
	}
	s.Vertices = append(s.Vertices, r3.Vector{}, r3.Vector{Z: 100})
	low, high := int32(2*n), int32(2*n+1)
	for i := range n {
		a, b := int32(2*i), int32(2*((i+1)%n))
		s.Faces = append(s.Faces, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1}, [3]int32{low, b, a}, [3]int32{high, a + 1, b + 1})
	}
	return s
}

// needles returns n tetrahedra along the z axis.
func needles(n int) mesh.Soup {
	var list []mesh.Soup
	columns := int(math.Ceil(math.Sqrt(float64(n))))
	for i := range n {
		o := r3.Vector{X: float64(i%columns) / float64(columns), Y: float64(i/columns) / float64(columns)}
		d := .4 / float64(columns)
		list = append(list, Simplex(o, o.Add(r3.Vector{X: d}), o.Add(r3.Vector{Y: d}), o.Add(r3.Vector{X: d / 2, Y: d / 2, Z: 100})))
	}
	return Union(list...)
}

// bar returns a bar of length 100 with a square cross-section. Its long edges are divided into k parts.
func bar(k int) (s mesh.Soup) {
	for _, c := range [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
		for i := range k + 1 {
			s.Vertices = append(s.Vertices, r3.Vector{X: c[0], Y: c[1], Z: 100 * float64(i) / float64(k)})
		}
	}
	at := func(edge, i int) int32 { return int32(edge%4*(k+1) + i) }
	for e := range 4 {
		for i := range k {
			s.Faces = append(s.Faces,
				[3]int32{at(e, 0), at(e+1, i), at(e+1, i+1)}, [3]int32{at(e+1, k), at(e, i+1), at(e, i)})
		}
	}
	s.Faces = append(s.Faces, [3]int32{at(0, 0), at(2, 0), at(1, 0)}, [3]int32{at(0, 0), at(3, 0), at(2, 0)},
		[3]int32{at(0, k), at(1, k), at(2, k)}, [3]int32{at(0, k), at(2, k), at(3, k)})
	return s
}

// thread returns a rod with a right-handed thread of two turns, of about n faces.
func thread(n int) (s mesh.Soup) {
	const rings = 9 // four steps a turn
	around := n / (2 * rings)
	for j := range rings {
		for i := range around {
			sin, cos := turn(i, around)
			_, t := math.Modf(float64(j)/4 + float64(i)/float64(around))
			r := .8 + .4*min(t, 1-t)
			s.Vertices = append(s.Vertices, r3.Vector{X: r * cos, Y: r * sin, Z: float64(j)})
		}
	}
	low := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, r3.Vector{}, r3.Vector{Z: rings - 1})
	addSquares(&s, around, rings-1, func(i, j int) int32 { return int32(j*around + i%around) })
	for i := range around {
		a, b := int32(i), int32((i+1)%around)
		top := int32((rings - 1) * around)
		s.Faces = append(s.Faces, [3]int32{low, b, a}, [3]int32{low + 1, top + a, top + b})
	}
	return s
}

// Near returns n points near random faces of m. Their distances from points of the faces have a normal distribution with the
// standard deviation sigma on each axis.
func Near(m *mesh.Mesh, n int, sigma float64, r *rand.Rand) []r3.Vector {
	pts := make([]r3.Vector, n)
	for i := range pts {
		t := m.Triangle(int32(r.IntN(m.NumFaces())))
		u, v := r.Float64(), r.Float64()
		if u+v > 1 {
			u, v = 1-u, 1-v
		}
		pts[i] = t[0].Mul(1 - u - v).Add(t[1].Mul(u)).Add(t[2].Mul(v)).
			Add(r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Mul(sigma))
	}
	return pts
}
