package apitest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// The script evidence/bench/compare.sh copies this file to another revision. This file therefore makes its
// own meshes, and calls only Open and the methods of Solid.

// knot is a torus with bumps and 4·n² triangles. An open knot has one hole, where a hundredth of
// the triangles is missing.
type knot struct {
	name string
	n    int
	open bool
}

var knots = []knot{{"small", 25, false}, {"large", 200, false}, {"open", 100, true}}

// vertex returns vertex (i, j) of a grid of 2n by n quadrilaterals.
func (k knot) vertex(i, j int) r3.Vector {
	u := 2 * math.Pi * float64(i%(2*k.n)) / float64(2*k.n)
	v := 2 * math.Pi * float64(j%k.n) / float64(k.n)
	r := .4 + .05*math.Sin(5*u+2*v) + .02*math.Cos(9*v)
	ring := 1 + r*math.Cos(v)
	return r3.Vector{X: ring * math.Cos(u), Y: ring * math.Sin(u), Z: r * math.Sin(v)}
}

func (k knot) triangles() [][3]r3.Vector {
	var out [][3]r3.Vector
	for i := range 2 * k.n {
		for j := range k.n {
			if k.open && i < k.n/5 && j < k.n/10 {
				continue
			}
			a, b, c, d := k.vertex(i, j), k.vertex(i+1, j), k.vertex(i+1, j+1), k.vertex(i, j+1)
			out = append(out, [3]r3.Vector{a, b, c}, [3]r3.Vector{a, c, d})
		}
	}
	return out
}

func (k knot) write(b *testing.B) string {
	b.Helper()
	triangles := k.triangles()
	var out bytes.Buffer
	out.Write(make([]byte, 80))
	binary.Write(&out, binary.LittleEndian, uint32(len(triangles)))
	for _, t := range triangles {
		var record [50]byte
		for c, p := range t {
			for d, x := range [3]float64{p.X, p.Y, p.Z} {
				binary.LittleEndian.PutUint32(record[12+12*c+4*d:], math.Float32bits(float32(x)))
			}
		}
		out.Write(record[:])
	}
	path := filepath.Join(b.TempDir(), k.name+".stl")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}

// openKnot returns the solid of a knot, with one worker and many expected points.
func openKnot(b *testing.B, k knot, m inpoly.Method, epsilon float64) *inpoly.Solid {
	b.Helper()
	s, err := inpoly.Open(b.Context(), k.write(b), inpoly.Options{Method: m, Epsilon: epsilon, Workers: 1, ExpectedPoints: 1e6})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

type pointSet struct {
	name   string
	points func(k knot, n int) []r3.Vector
}

var pointSets = []pointSet{
	{"random", func(_ knot, n int) []r3.Vector { return randomPoints(n) }},
	{"morton", func(_ knot, n int) []r3.Vector { return mortonOrder(randomPoints(n)) }},
	{"near", nearPoints},
}

// randomPoints returns random points in a box around the knots.
func randomPoints(n int) []r3.Vector {
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]r3.Vector, n)
	for i := range points {
		points[i] = r3.Vector{X: 3*rng.Float64() - 1.5, Y: 3*rng.Float64() - 1.5, Z: rng.Float64() - .5}
	}
	return points
}

// mortonOrder sorts points along a Z-order curve with 2^10 cells on each axis.
func mortonOrder(points []r3.Vector) []r3.Vector {
	code := func(p r3.Vector) (c uint64) {
		for d, x := range [3]float64{(p.X + 1.5) / 3, (p.Y + 1.5) / 3, p.Z + .5} {
			for bit := range 10 {
				c |= uint64(x*1024) >> bit & 1 << (3*bit + d)
			}
		}
		return c
	}
	slices.SortFunc(points, func(p, q r3.Vector) int { return cmp.Compare(code(p), code(q)) })
	return points
}

// nearPoints returns points at a distance of about 1e-4 from the surface.
func nearPoints(k knot, n int) []r3.Vector {
	rng := rand.New(rand.NewPCG(3, 4))
	triangles := k.triangles()
	points := make([]r3.Vector, n)
	for i := range points {
		t := triangles[rng.IntN(len(triangles))]
		off := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Mul(1e-4)
		points[i] = t[0].Add(t[1]).Add(t[2]).Mul(1. / 3).Add(off)
	}
	return points
}

func reportPoints(b *testing.B, points int) {
	b.ReportMetric(float64(points)*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}

func BenchmarkOpen(b *testing.B) {
	for _, m := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells, inpoly.FMM} {
		for _, k := range knots {
			b.Run(fmt.Sprintf("mesh=%s/method=%v", k.name, m), func(b *testing.B) {
				path := k.write(b)
				for b.Loop() {
					if _, err := inpoly.Open(b.Context(), path, inpoly.Options{Method: m, Workers: 1, ExpectedPoints: 1e6}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkSides(b *testing.B) {
	const n = 100_000
	dst := make([]inpoly.Side, n)
	for _, m := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells, inpoly.FMM} {
		for _, k := range knots {
			for _, set := range pointSets {
				if m == inpoly.FMM && (!k.open || set.name != "random") {
					continue // FMM is slower than the other methods for closed meshes
				}
				b.Run(fmt.Sprintf("mesh=%s/method=%v/points=%s", k.name, m, set.name), func(b *testing.B) {
					s, points := openKnot(b, k, m, 0), set.points(k, n)
					for b.Loop() {
						if err := s.SidesTo(b.Context(), dst, points); err != nil {
							b.Fatal(err)
						}
					}
					reportPoints(b, n)
				})
			}
		}
	}
}

func BenchmarkSidesGrid(b *testing.B) {
	const side = 64
	dst := make([]inpoly.Side, side*side*side)
	grid := inpoly.Grid{Origin: r3.Vector{X: -1.5, Y: -1.5, Z: -.5}, Counts: [3]int{side, side, side},
		Spacing: r3.Vector{X: 3. / side, Y: 3. / side, Z: 1. / side}}
	for _, m := range []inpoly.Method{inpoly.RayCrossing, inpoly.Cells} {
		for _, k := range knots {
			b.Run(fmt.Sprintf("mesh=%s/method=%v/points=grid", k.name, m), func(b *testing.B) {
				s := openKnot(b, k, m, 0)
				for b.Loop() {
					if err := s.SidesGridTo(b.Context(), dst, grid); err != nil {
						b.Fatal(err)
					}
				}
				reportPoints(b, len(dst))
			})
		}
	}
}

// BenchmarkSide finds the sides of single points, and of batches of a few points.
func BenchmarkSide(b *testing.B) {
	points := randomPoints(4096)
	for _, m := range []inpoly.Method{inpoly.Direct, inpoly.RayCrossing, inpoly.Cells} {
		for _, k := range knots {
			if m == inpoly.Direct && k.name != "small" {
				continue
			}
			b.Run(fmt.Sprintf("mesh=%s/method=%v/points=single", k.name, m), func(b *testing.B) {
				s := openKnot(b, k, m, 0)
				i := 0
				for b.Loop() {
					s.Side(points[i%len(points)])
					i++
				}
				reportPoints(b, 1)
			})
			for _, n := range []int{1, 16} {
				b.Run(fmt.Sprintf("mesh=%s/method=%v/points=%d", k.name, m, n), func(b *testing.B) {
					s, dst := openKnot(b, k, m, 0), make([]inpoly.Side, n)
					i := 0
					for b.Loop() {
						at := i % (len(points) / 16) * 16
						if err := s.SidesTo(b.Context(), dst, points[at:at+n]); err != nil {
							b.Fatal(err)
						}
						i++
					}
					reportPoints(b, n)
				})
			}
		}
	}
}

func BenchmarkDistances(b *testing.B) {
	const n = 20_000
	d, face := make([]float64, n), make([]int32, n)
	for _, k := range knots {
		for _, set := range pointSets {
			b.Run(fmt.Sprintf("mesh=%s/points=%s", k.name, set.name), func(b *testing.B) {
				s, points := openKnot(b, k, inpoly.Cells, 0), set.points(k, n)
				// The benchmark does not time the first batch, which can build an index.
				if err := s.DistancesTo(b.Context(), d, face, points); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := s.DistancesTo(b.Context(), d, face, points); err != nil {
						b.Fatal(err)
					}
				}
				reportPoints(b, n)
			})
		}
	}
}

// BenchmarkWindings computes winding numbers of a closed mesh and of an open mesh.
func BenchmarkWindings(b *testing.B) {
	const n = 20_000
	w, bound := make([]float64, n), make([]float64, n)
	for _, row := range []struct {
		knot    knot
		method  inpoly.Method
		epsilon float64
		points  int
	}{
		{knots[1], inpoly.Cells, 0, n},
		{knots[1], inpoly.RayCrossing, 0, n},
		{knots[2], inpoly.RayCrossing, 0, n / 10},
		{knots[2], inpoly.Direct, 0, 100},
		{knots[2], inpoly.FMM, 1e-3, n},
		{knots[2], inpoly.FMM, 1e-6, n},
	} {
		b.Run(fmt.Sprintf("mesh=%s/method=%v/epsilon=%g/points=random", row.knot.name, row.method, row.epsilon), func(b *testing.B) {
			s, points := openKnot(b, row.knot, row.method, row.epsilon), randomPoints(row.points)
			for b.Loop() {
				if err := s.WindingsTo(b.Context(), w[:row.points], bound[:row.points], points); err != nil {
					b.Fatal(err)
				}
			}
			reportPoints(b, row.points)
		})
	}
}
