package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// brokenMesh is a mesh of the table broken, and the points that all programs classify.
type brokenMesh struct {
	key     string // name of its files and of its column
	solid   bool   // the mesh is the closed surface of a solid with outward normals: every program should be right
	trouble string // what is wrong with the mesh or hard about the points
	soup    mesh.Soup
	intent  *mesh.Soup // surface from which the mesh was made, if it defines the truth; else nil
	truth   truthRule
	axis    int     // the plane of the picture is perpendicular to this axis
	at      float64 // coordinate of this plane
	choose  func(m *mesh.Mesh, n int) ([]r3.Vector, error)
	scatter bool    // the points do not lie in the plane of the picture
	margin  float64 // the picture extends the box of the mesh by this share of its size on each side; 0 means 0.05
}

// truthRule is how the true side of a point is decided.
type truthRule int

const (
	nonzero truthRule = iota // the winding number is not zero; it is an exact integer
	parity                   // a ray crosses an odd number of faces
	half                     // the absolute value of the winding number is above ½
)

func (r truthRule) String() string {
	return [...]string{"W ≠ 0", "odd number of crossings", "\\|W\\| > ½"}[r]
}

// brokenSize is the number of points of each mesh, and sliceSide² of them form a grid in the plane of
// the picture.
const brokenSize, sliceSide = 1000, 24

// invertedKey names the mesh for which the functions have different conventions.
const invertedKey = "inverted"

// far is an offset at which neighboring float32 numbers are as far apart as the radius of the sphere
// that is moved there.
const far = 1e7

// plateHeight is the height of a plate whose other sides are 1. It is a power of two, so float32
// represents the plate.
const plateHeight = 0x1p-20

// brokenMeshes generates the meshes of the table broken. All coordinates are float32 values, so
// programs in single precision get the same surface. The mesh far is an exception.
func brokenMeshes() []brokenMesh {
	sphere := single32(testmesh.Soup(testmesh.Sphere(4)))
	small := single32(testmesh.Soup(testmesh.Sphere(3)))
	cube := testmesh.Soup(subdivided(testmesh.UnitCube(), 2))
	inner := testmesh.Scale(small, 0.5)
	ball := func(x float64) mesh.Soup { return testmesh.Translate(small, r3.Vector{X: x}) }
	box := func(x, y, z float64) mesh.Soup {
		lo := r3.Vector{X: x, Y: y, Z: z}
		return testmesh.Cube(lo, lo.Add(r3.Vector{X: 1, Y: 1, Z: 1}))
	}
	every := func(n int) (faces []int) {
		for f := 0; f < len(sphere.Faces); f += n {
			faces = append(faces, f)
		}
		return faces
	}
	return []brokenMesh{
		{key: "sphere", solid: true, trouble: "nothing: a clean sphere", soup: sphere, axis: 2, at: 0.123},
		{key: "aligned", solid: true, trouble: "a cube of squares of ¼; points in line with its vertices along x, y and z",
			soup: cube, axis: 2, at: 0.5, choose: alignedPoints, margin: 0.3},
		{key: "near", solid: true, trouble: "a sphere; points at 1e-6 and 1e-9 from its surface, relative to its size",
			soup: sphere, axis: 2, choose: nearBroken, scatter: true},
		{key: "on", solid: true, trouble: "a sphere; points exactly on its vertices, edges and faces", soup: sphere, axis: 2, choose: func(m *mesh.Mesh, n int) ([]r3.Vector, error) {
			return onPoints(m, n, 1)
		}, scatter: true},
		{key: "plate", solid: true, trouble: "a box of 1 × 1 × 1e-6; points at half of its height inside, above and below",
			soup: testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: plateHeight}), axis: 2, choose: platePoints, scatter: true},
		{key: "far", solid: true, trouble: "a sphere of radius 1 at x = y = z = 1e7, in double precision",
			soup: testmesh.Translate(sphere, r3.Vector{X: far, Y: far, Z: far}), axis: 2, at: far + 0.123},
		{key: "cavity", solid: true, trouble: "a sphere with a cavity: the inner sphere has inward normals",
			soup: testmesh.Union(small, testmesh.Flip(inner)), axis: 2, at: 0.123},
		{key: "edge", trouble: "two cubes that share an edge, and a cube that shares a vertex with them",
			soup: testmesh.Union(box(0, 0, 0), box(1, 1, 0), box(2, 2, 1)), axis: 2, at: 0.377},
		{key: invertedKey, trouble: "a sphere with all normals inward", soup: testmesh.Flip(sphere), axis: 2, at: 0.123},
		{key: "flipped", trouble: "a sphere with a tenth of its faces reversed; the sphere is meant",
			soup: testmesh.Flip(sphere, every(10)...), intent: &sphere, axis: 2, at: 0.123},
		{key: "doubled", trouble: "a sphere with a tenth of its faces twice; the sphere is meant",
			soup: testmesh.Double(sphere, every(10)...), intent: &sphere, axis: 2, at: 0.123},
		{key: "hole", trouble: "a sphere without its top", soup: testmesh.Without(sphere, above(sphere, 0.6)...), truth: half, axis: 1, at: 0.031},
		{key: "holes", trouble: "a sphere without a tenth of its faces", soup: testmesh.Without(sphere, every(10)...), truth: half, axis: 2, at: 0.123},
		{key: "cracks", trouble: "a sphere whose triangles do not meet: each corner is up to 0.01 off",
			soup: cracked(sphere, 0.01), truth: half, axis: 2, at: 0.123},
		{key: "overlap", trouble: "two spheres that overlap", soup: single32(testmesh.Union(ball(-0.5), ball(0.5))), axis: 2, at: 0.123},
		{key: "nested", trouble: "a sphere in a sphere, both with outward normals", soup: testmesh.Union(small, inner), axis: 2, at: 0.123},
		{key: "pentagram", trouble: "a prism over a pentagram, which crosses itself", soup: single32(pentagram()), axis: 2, at: 0.123},
		{key: "Klein", trouble: "a Klein bottle, which has no consistent orientation", soup: single32(testmesh.Klein(24, 13)), truth: parity, axis: 2, at: 0.123},
	}
}

// single32 rounds all coordinates to float32.
func single32(s mesh.Soup) mesh.Soup {
	return testmesh.Move(s, func(p r3.Vector) r3.Vector {
		return r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))}
	})
}

// subdivided halves all edges of s the given number of times.
func subdivided(s mesh.Soup, times int) *mesh.Mesh {
	m := testmesh.Mesh(s)
	for range times {
		var err error
		if m, err = m.Refined(context.Background(), func(p r3.Vector) r3.Vector { return p }); err != nil {
			panic(err) // a cube can be refined
		}
	}
	return m
}

// above returns the faces of s whose corners have z > limit on average.
func above(s mesh.Soup, limit float64) (faces []int) {
	for f, t := range s.Faces {
		if s.Vertices[t[0]].Z+s.Vertices[t[1]].Z+s.Vertices[t[2]].Z > 3*limit {
			faces = append(faces, f)
		}
	}
	return faces
}

// cracked gives each triangle its own corners, moved by up to size along each axis.
func cracked(s mesh.Soup, size float64) mesh.Soup {
	rng := newRand(3)
	shift := func() float64 { return size * (2*rng.Float64() - 1) }
	return single32(testmesh.Move(testmesh.Corners(s), func(p r3.Vector) r3.Vector {
		return p.Add(r3.Vector{X: shift(), Y: shift(), Z: shift()})
	}))
}

// pentagram returns a prism over the star polygon {5/2}. The winding number is 2 in the pentagon in
// the middle, and 1 in the five tips.
func pentagram() mesh.Soup {
	const n = 5
	s := mesh.Soup{Vertices: []r3.Vector{{Z: -0.5}, {Z: 0.5}}}
	for k := range n {
		sin, cos := math.Sincos(2 * math.Pi * 2 * float64(k) / n) // the next vertex is two steps further
		s.Vertices = append(s.Vertices, r3.Vector{X: cos, Y: sin, Z: -0.5}, r3.Vector{X: cos, Y: sin, Z: 0.5})
	}
	for k := range n {
		a, b := int32(2+2*k), int32(2+2*((k+1)%n)) // at the bottom; the vertices at the top follow
		s.Faces = append(s.Faces, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1}, [3]int32{0, b, a}, [3]int32{1, a + 1, b + 1})
	}
	return s
}

// alignedPoints returns points whose coordinates are multiples of ⅛, from −¼ to 5⁄4. Points in the
// plane z = ½ come first. Points on the surface are left out.
func alignedPoints(_ *mesh.Mesh, n int) ([]r3.Vector, error) {
	var pts []r3.Vector
	for _, k := range []int{4, 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, -1, -2} {
		for i := -2; i <= 10; i++ {
			for j := -2; j <= 10; j++ {
				in, on := true, false
				for _, c := range []int{i, j, k} {
					in = in && c >= 0 && c <= 8
					on = on || c == 0 || c == 8
				}
				if !(in && on) {
					pts = append(pts, r3.Vector{X: float64(i) / 8, Y: float64(j) / 8, Z: float64(k) / 8})
				}
			}
		}
	}
	return pts[:n], nil
}

// nearBroken returns points at the relative distances 1e-6 and 1e-9 from the surface of m.
func nearBroken(m *mesh.Mesh, n int) ([]r3.Vector, error) {
	pts, err := nearPoints(m, n/2, 1e-6, 1)
	if err != nil {
		return nil, err
	}
	closer, err := nearPoints(m, n-n/2, 1e-9, 2)
	return append(pts, closer...), err
}

// platePoints returns points inside, above and below the plate.
func platePoints(_ *mesh.Mesh, n int) ([]r3.Vector, error) {
	rng := newRand(4)
	pts := make([]r3.Vector, n)
	for i := range pts {
		z := [...]float64{0.5, 1.5, -0.5}[i%3] * plateHeight
		pts[i] = r3.Vector{X: 1.2*rng.Float64() - 0.1, Y: 1.2*rng.Float64() - 0.1, Z: z}
	}
	return pts, nil
}

// slicePoints returns n points in the window of the mesh. The first points form a grid of
// sliceSide² points in the plane of the picture, and the others are random.
func (j *brokenMesh) slicePoints(m *mesh.Mesh, n int) ([]r3.Vector, error) {
	lo, size := j.window(m)
	rng := newRand(5)
	var pts []r3.Vector
	for i := range n {
		u := [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
		if i < sliceSide*sliceSide {
			u[(j.axis+1)%3] = (float64(i%sliceSide) + 0.5) / sliceSide
			u[(j.axis+2)%3] = (float64(i/sliceSide) + 0.5) / sliceSide
		}
		p := [3]float64{lo.X + u[0]*size.X, lo.Y + u[1]*size.Y, lo.Z + u[2]*size.Z}
		if i < sliceSide*sliceSide {
			p[j.axis] = j.at
		}
		pts = append(pts, r3.Vector{X: p[0], Y: p[1], Z: p[2]})
	}
	return pts, nil
}

// window returns the lower corner and the size of the box that the picture shows.
func (j *brokenMesh) window(m *mesh.Mesh) (lo, size r3.Vector) {
	margin := j.margin
	if margin == 0 {
		margin = 0.05
	}
	size = m.Box().Size()
	return m.Box().Min.Sub(size.Mul(margin)), size.Mul(1 + 2*margin)
}

// points returns the points of the mesh.
func (j *brokenMesh) points(m *mesh.Mesh, n int) ([]r3.Vector, error) {
	choose := j.choose
	if choose == nil {
		choose = j.slicePoints
	}
	pts, err := choose(m, n)
	if err == nil && len(pts) != n {
		err = fmt.Errorf("%s: %d of %d points", j.key, len(pts), n)
	}
	return pts, err
}

// truths returns the true side of each point as a byte: 0 outside, 1 inside, 2 on the surface, or
// undecided. The winding numbers of open meshes are sums in double precision. Points with |W| within
// 1e-9 of ½ are undecided, because the sums of some thousand solid angles are accurate to about 1e-12.
func (j *brokenMesh) truths(m *mesh.Mesh, pts []r3.Vector) []byte {
	vertices, faces := m.Vertices, m.Faces
	if j.intent != nil {
		vertices, faces = j.intent.Vertices, j.intent.Faces
	}
	out := make([]byte, len(pts))
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		wait.Go(func() {
			for i := first; i < len(pts); i += workers {
				out[i] = j.truthAt(vertices, faces, pts[i])
			}
		})
	}
	wait.Wait()
	return out
}

func (j *brokenMesh) truthAt(vertices []r3.Vector, faces [][3]int32, p r3.Vector) byte {
	in := false
	if j.truth == half {
		w := 0.0
		for _, f := range faces {
			a, b, c := vertices[f[0]], vertices[f[1]], vertices[f[2]]
			if referee.OnTriangle(p, a, b, c) {
				return 2
			}
			w += solidAngle(a.Sub(p), b.Sub(p), c.Sub(p)) / (4 * math.Pi)
		}
		if math.Abs(math.Abs(w)-0.5) < 1e-9 {
			return undecided
		}
		in = math.Abs(w) > 0.5
	} else {
		w, crossings, on := referee.Judge(vertices, faces, p)
		if on {
			return 2
		}
		in = w != 0
		if j.truth == parity {
			in = crossings%2 == 1
		}
	}
	if in {
		return 1
	}
	return 0
}

// solidAngle returns the signed solid angle of the triangle abc seen from the origin (van Oosterom
// and Strackee 1983).
func solidAngle(a, b, c r3.Vector) float64 {
	la, lb, lc := a.Norm(), b.Norm(), c.Norm()
	return 2 * math.Atan2(a.Dot(b.Cross(c)), la*lb*lc+a.Dot(b)*lc+b.Dot(c)*la+c.Dot(a)*lb)
}
