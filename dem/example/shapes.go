package main

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/mesh"
)

func solid(ctx context.Context, s mesh.Soup) (*inpoly.Solid, error) {
	m, err := mesh.New(ctx, s, mesh.Options{})
	if err != nil {
		return nil, err
	}
	return inpoly.New(ctx, m, inpoly.Options{})
}

// polyhedron returns the shape of a mesh.
func polyhedron(ctx context.Context, s mesh.Soup) (*rigid.Shape, error) {
	body, err := solid(ctx, s)
	if err != nil {
		return nil, err
	}
	return rigid.NewPolyhedron(ctx, body)
}

// box returns a box around the origin with the given lengths of its sides.
func box(size r3.Vector) (s mesh.Soup) {
	for i := range 8 {
		sign := func(bit int) float64 { return float64(i>>bit&1) - .5 }
		s.Vertices = append(s.Vertices, r3.Vector{X: sign(0) * size.X, Y: sign(1) * size.Y, Z: sign(2) * size.Z})
	}
	for _, q := range [][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
		s.Faces = append(s.Faces, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
	}
	return s
}

// newJack returns a compound of three bars that cross. Half of the length of a bar is size, and half of its
// width is w.
func newJack(ctx context.Context, size, w float64) (*rigid.Shape, error) {
	whole, err := solid(ctx, jack(size, w))
	if err != nil {
		return nil, err
	}
	var bars []*inpoly.Solid
	for _, half := range []r3.Vector{{X: size, Y: w, Z: w}, {X: w, Y: size, Z: w}, {X: w, Y: w, Z: size}} {
		bar, err := solid(ctx, box(half.Mul(2)))
		if err != nil {
			return nil, err
		}
		bars = append(bars, bar)
	}
	return rigid.NewCompound(ctx, whole, bars...)
}

// jack returns the mesh of a cube with a square arm on each side. It is not convex. Half of its extent is
// size, and half of the width of an arm is w.
func jack(size, w float64) (s mesh.Soup) {
	axes := [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}
	quad := func(a, b, c, d r3.Vector) {
		n := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, a, b, c, d)
		s.Faces = append(s.Faces, [3]int32{n, n + 1, n + 2}, [3]int32{n, n + 2, n + 3})
	}
	for k := range axes {
		for _, sign := range []float64{-1, 1} {
			x, y, z := axes[k].Mul(sign), axes[(k+1)%3].Mul(w), axes[(k+2)%3].Mul(w*sign)
			corners := [4]r3.Vector{y.Mul(-1).Sub(z), y.Sub(z), y.Add(z), z.Sub(y)}
			for i := range corners {
				a, b := corners[i], corners[(i+1)%4]
				quad(a.Add(x.Mul(w)), b.Add(x.Mul(w)), b.Add(x.Mul(size)), a.Add(x.Mul(size)))
			}
			quad(corners[0].Add(x.Mul(size)), corners[1].Add(x.Mul(size)), corners[2].Add(x.Mul(size)), corners[3].Add(x.Mul(size)))
		}
	}
	return s
}

// pebble returns a convex body of revolution.
func pebble() mesh.Soup {
	return revolved(12, [][2]float64{{0, -.12}, {.1, -.09}, {.16, 0}, {.1, .09}, {0, .12}})
}

// bowl returns a bowl whose inner side is the half of an ellipsoid. It is not convex.
func bowl() mesh.Soup {
	const steps, r, h, wall = 12, 1.3, 1.1, .15
	var outline [][2]float64
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi / 2 * float64(i) / steps)
		outline = append(outline, [2]float64{(r + wall) * sin, h - (h+wall)*cos})
	}
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi / 2 * float64(steps-i) / steps)
		outline = append(outline, [2]float64{r * sin, h - h*cos})
	}
	return revolved(48, outline)
}

// sphere returns a mesh for pictures of a ball.
func sphere(r float64) mesh.Soup {
	const steps = 12
	var outline [][2]float64
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi * float64(i) / steps)
		outline = append(outline, [2]float64{r * sin, -r * cos})
	}
	outline[0][0], outline[steps][0] = 0, 0
	return revolved(20, outline)
}

// revolved turns an outline about the z axis. A point of the outline consists of its distance from
// the axis and its height. The outline begins and ends on the axis, and the solid is on its left.
func revolved(n int, outline [][2]float64) (s mesh.Soup) {
	index := make([][]int32, len(outline))
	for j, p := range outline {
		for i := range n {
			if p[0] == 0 && i > 0 {
				index[j] = append(index[j], index[j][0])
				continue
			}
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			index[j] = append(index[j], int32(len(s.Vertices)))
			s.Vertices = append(s.Vertices, r3.Vector{X: p[0] * cos, Y: p[0] * sin, Z: p[1]})
		}
	}
	for j := range len(outline) - 1 {
		for i := range n {
			a, b, c, d := index[j][i], index[j][(i+1)%n], index[j+1][(i+1)%n], index[j+1][i]
			if a != b {
				s.Faces = append(s.Faces, [3]int32{a, b, c})
			}
			if c != d {
				s.Faces = append(s.Faces, [3]int32{a, c, d})
			}
		}
	}
	return s
}
