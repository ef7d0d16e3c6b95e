package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// readPoints reads a file of little-endian float64 coordinates x, y, z.
func readPoints(name string) ([]r3.Vector, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	var pts []r3.Vector
	var b [24]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err == io.EOF {
			return pts, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }
		pts = append(pts, r3.Vector{X: c(0), Y: c(1), Z: c(2)})
	}
}

// writePoints writes pts in the format that readPoints reads.
func writePoints(name string, pts []r3.Vector) error {
	buf := make([]byte, 0, 24*len(pts))
	for _, p := range pts {
		for _, c := range [3]float64{p.X, p.Y, p.Z} {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(c))
		}
	}
	return os.WriteFile(name, buf, 0o644)
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// cube returns n random points in the cube [-half, half]³.
func cube(n int, half float64, seed uint64) []r3.Vector {
	rng := newRand(seed)
	pts := make([]r3.Vector, n)
	c := func() float64 { return (2*rng.Float64() - 1) * half }
	for i := range pts {
		pts[i] = r3.Vector{X: c(), Y: c(), Z: c()}
	}
	return pts
}

// nearPoints chooses n random points on random faces and moves them along the normals of the faces.
// Points of even index move outward, the others inward. The distance is relative to the longest
// edge of the bounding box. Coordinates are rounded, so the true distance can be off by an ulp.
func nearPoints(m *mesh.Mesh, n int, share float64, seed uint64) ([]r3.Vector, error) {
	rng := newRand(seed)
	size := m.Box().Size()
	distance := share * max(size.X, size.Y, size.Z)
	pts := make([]r3.Vector, 0, n)
	for try := 0; len(pts) < n; try++ {
		if try >= 100*(n+1) {
			return nil, fmt.Errorf("found only %d of %d points: too many faces of the mesh have zero area", len(pts), n)
		}
		t := m.Triangle(rng.Int32N(int32(m.NumFaces())))
		// Folding the unit square along its diagonal gives uniformly distributed points of a
		// triangle.
		u, v := rng.Float64(), rng.Float64()
		if u+v > 1 {
			u, v = 1-u, 1-v
		}
		ab, ac := t[1].Sub(t[0]), t[2].Sub(t[0])
		normal := ab.Cross(ac).Normalize()
		if normal == (r3.Vector{}) {
			continue
		}
		if len(pts)%2 == 1 {
			normal = normal.Mul(-1)
		}
		pts = append(pts, t[0].Add(ab.Mul(u)).Add(ac.Mul(v)).Add(normal.Mul(distance)))
	}
	return pts, nil
}

// onParts is the denominator of barycentric weights. A float32 coordinate has 24 significant bits,
// and a weight has 8. So products and sums fit into the 53 bits of a float64 if the exponents are
// close.
const onParts = 256

// onPoints returns n points that lie exactly on faces of m. A third of the points are vertices, a
// third lie on edges, and a third lie inside faces.
func onPoints(m *mesh.Mesh, n int, seed uint64) ([]r3.Vector, error) {
	rng := newRand(seed)
	pts := make([]r3.Vector, 0, n)
	for try := 0; len(pts) < n; try++ {
		if try >= 100*(n+1) {
			return nil, fmt.Errorf("found only %d of %d exact points: the mesh coordinates have too many significant bits", len(pts), n)
		}
		t := m.Triangle(rng.Int32N(int32(m.NumFaces())))
		weights := [3]int{onParts, 0, 0}
		switch len(pts) % 3 {
		case 1:
			weights[1] = 1 + rng.IntN(onParts-1)
		case 2:
			weights[1] = 1 + rng.IntN(onParts-2)
			weights[2] = 1 + rng.IntN(onParts-1-weights[1])
		}
		weights[0] -= weights[1] + weights[2]
		turn := rng.IntN(3)
		if p, ok := combine(mesh.Triangle{t[turn], t[(turn+1)%3], t[(turn+2)%3]}, weights); ok {
			pts = append(pts, p)
		}
	}
	return pts, nil
}

// combine returns Σ weights[k]·t[k] / onParts. ok is false if a rounding error occurred.
func combine(t mesh.Triangle, weights [3]int) (p r3.Vector, ok bool) {
	var w [3]float64
	for k := range w {
		w[k] = float64(weights[k]) / onParts
	}
	ok = true
	sum := func(a, b, c float64) float64 {
		x, exact := exactSum(exactProduct(&ok, a, w[0]), exactProduct(&ok, b, w[1]))
		ok = ok && exact
		x, exact = exactSum(x, exactProduct(&ok, c, w[2]))
		ok = ok && exact
		return x
	}
	p = r3.Vector{
		X: sum(t[0].X, t[1].X, t[2].X),
		Y: sum(t[0].Y, t[1].Y, t[2].Y),
		Z: sum(t[0].Z, t[1].Z, t[2].Z),
	}
	return p, ok
}

// exactProduct returns a·b. It clears *ok if the product is rounded.
func exactProduct(ok *bool, a, b float64) float64 {
	x := float64(a * b)
	*ok = *ok && math.FMA(a, b, -x) == 0
	return x
}

// exactSum returns a+b and whether the sum is exact (Knuth, TAOCP 2, 4.2.2).
func exactSum(a, b float64) (sum float64, exact bool) {
	sum = a + b
	t := sum - a
	return sum, (a-(sum-t))+(b-t) == 0
}

// gridOf returns the grid of n³ points between two opposite corners.
func gridOf(first, last r3.Vector, n int) side.Grid {
	d := last.Sub(first).Mul(1 / float64(n-1))
	return side.Grid{Origin: first, Spacing: d, Counts: [3]int{n, n, n}}
}

// gridPoints returns the points of g and the index of each point in g. The z coordinate varies
// fastest. This order suits packets of rays along z.
func gridPoints(g side.Grid) (pts []r3.Vector, number []int) {
	for i := range g.Counts[0] {
		for j := range g.Counts[1] {
			for k := range g.Counts[2] {
				pts = append(pts, g.Point(i, j, k))
				number = append(number, i+g.Counts[0]*(j+g.Counts[1]*k))
			}
		}
	}
	return pts, number
}

// writeSTL writes m as binary STL, with coordinates in single precision.
func writeSTL(name string, m *mesh.Mesh) error {
	buf := make([]byte, 80, 84+50*m.NumFaces())
	buf = binary.LittleEndian.AppendUint32(buf, uint32(m.NumFaces()))
	for f := range int32(m.NumFaces()) {
		buf = append(buf, make([]byte, 12)...) // the normal
		for _, v := range m.Triangle(f) {
			for _, c := range [3]float64{v.X, v.Y, v.Z} {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(c)))
			}
		}
		buf = append(buf, 0, 0)
	}
	return os.WriteFile(name, buf, 0o644)
}
