package raster

import (
	"math"
	"slices"
	"testing"
)

// cube returns the unit cube with 8 vertices, divided into 12 triangles.
func cube() (vertices [][3]float32, faces [][3]uint32) {
	for i := range 8 {
		vertices = append(vertices, [3]float32{float32(i & 1), float32(i >> 1 & 1), float32(i >> 2)})
	}
	for _, q := range [][4]uint32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		faces = append(faces, [3]uint32{q[0], q[1], q[2]}, [3]uint32{q[0], q[2], q[3]})
	}
	return vertices, faces
}

// The corners of a cube keep the normals of their faces, and its 12 edges are creases. The
// orientations of the faces do not matter.
func TestSmoothCube(t *testing.T) {
	v, f := cube()
	for turned := range 3 {
		faces := slices.Clone(f)
		for i := range faces {
			if turned > 0 && i%(turned+1) == 0 {
				faces[i][1], faces[i][2] = faces[i][2], faces[i][1]
			}
		}
		s, err := Smooth(t.Context(), v, faces, 0.6, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Creases) != 12 {
			t.Errorf("%d creases, want 12", len(s.Creases))
		}
		for _, c := range s.Creases {
			a, b := v[c[0]], v[c[1]]
			if d := math.Abs(float64(a[0]-b[0])) + math.Abs(float64(a[1]-b[1])) + math.Abs(float64(a[2]-b[2])); d != 1 {
				t.Errorf("crease from %v to %v", a, b)
			}
		}
		for i, n := range s.Normals {
			sum, largest := 0.0, 0.0
			for _, x := range n {
				sum, largest = sum+math.Abs(float64(x)), max(largest, math.Abs(float64(x)))
			}
			if sum != 1 || largest != 1 {
				t.Errorf("normal %d: %v is not parallel to an axis", i, n)
			}
		}
	}
}

// The normals of a sphere of shared vertices are radial, with either sign.
func TestSmoothSphere(t *testing.T) {
	v, f := sphere(4)
	// Vertices of sphere are not shared, so equal ones are merged first.
	index := map[[3]float32]uint32{}
	for i := range f {
		for k := range f[i] {
			p := v[f[i][k]]
			if _, ok := index[p]; !ok {
				index[p] = f[i][k]
			}
			f[i][k] = index[p]
		}
		if i%3 == 0 {
			f[i][0], f[i][1] = f[i][1], f[i][0]
		}
	}
	s, err := Smooth(t.Context(), v, f, 0.6, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Creases) > 0 {
		t.Errorf("%d creases on a sphere", len(s.Creases))
	}
	for i, n := range s.Normals {
		p := vector(v[f[i/3][i%3]])
		if c := math.Abs(vector(n).Dot(p)); c < 0.999 {
			t.Fatalf("normal %v at %v: cosine %g", n, p, c)
		}
	}
}

// A vertex with very many faces does not take quadratic time: its corners keep the normals of their
// faces. Edges of one face and of three faces are no creases.
func TestSmoothFan(t *testing.T) {
	const n = 100_000
	v := [][3]float32{{0, 0, 1}}
	var f [][3]uint32
	for i := range uint32(n) {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		v = append(v, [3]float32{float32(cos), float32(sin), 0})
		f = append(f, [3]uint32{0, 1 + i, 1 + (i+1)%n})
	}
	s, err := Smooth(t.Context(), v, f, 0.6, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Creases) != 0 {
		t.Errorf("%d creases on a cone", len(s.Creases))
	}
	for _, i := range []int{0, 1, 5, n / 2} {
		a, b, c := vector(v[f[i][0]]), vector(v[f[i][1]]), vector(v[f[i][2]])
		want := b.Sub(a).Cross(c.Sub(a)).Normalize()
		if got := vector(s.Normals[3*i]); got.Sub(want).Norm() > 1e-6 { // float32
			t.Errorf("normal of face %d at the apex: %v, want that of the face, %v", i, got, want)
		}
	}
	fin := [][3]uint32{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}
	s, err = Smooth(t.Context(), [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}}, fin, 0.6, 1)
	if err != nil || len(s.Creases) != 0 {
		t.Errorf("%v, creases %v, want none", err, s.Creases)
	}
}
