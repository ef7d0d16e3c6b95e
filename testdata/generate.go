//go:build ignore

// Generate writes the files of this folder: a trefoil knot as a tube (binary STL, in
// millimeters), and points in and around it (CSV). Run it in the root:
//
//	go run testdata/generate.go
package main

import (
	"bufio"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"
)

const (
	rings, sides = 144, 18 // 2·144·18 = 5,184 triangles
	radius       = 4.0
)

func main() {
	corners := knot()
	solid := &stl.Solid{Name: "trefoil knot"}
	corner := func(i, j int) r3.Vector { return corners[i%rings*sides+j%sides] }
	for i := range rings {
		for j := range sides {
			a, b, c, d := corner(i, j), corner(i+1, j), corner(i+1, j+1), corner(i, j+1)
			solid.AppendTriangle(triangle(a, d, c))
			solid.AppendTriangle(triangle(a, c, b))
		}
	}
	if err := solid.WriteFile("testdata/knot.stl"); err != nil {
		log.Fatal(err)
	}
	if err := points(corners); err != nil {
		log.Fatal(err)
	}
}

// knot returns the corners of the tube, rounded to float32 as STL stores them.
func knot() []r3.Vector {
	center := func(t float64) r3.Vector {
		return r3.Vector{
			X: math.Sin(t) + 2*math.Sin(2*t),
			Y: math.Cos(t) - 2*math.Cos(2*t),
			Z: -math.Sin(3 * t),
		}.Mul(10)
	}
	var out []r3.Vector
	for i := range rings {
		t := 2 * math.Pi * float64(i) / rings
		c := center(t)
		along := center(t + 1e-4).Sub(center(t - 1e-4)).Normalize()
		u := along.Cross(r3.Vector{Z: 1}).Normalize()
		v := along.Cross(u)
		for j := range sides {
			s := 2 * math.Pi * float64(j) / sides
			p := c.Add(u.Mul(radius * math.Cos(s))).Add(v.Mul(radius * math.Sin(s)))
			out = append(out, r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))})
		}
	}
	return out
}

func triangle(a, b, c r3.Vector) stl.Triangle {
	n := b.Sub(a).Cross(c.Sub(a)).Normalize()
	f := func(v r3.Vector) stl.Vec3 { return stl.Vec3{float32(v.X), float32(v.Y), float32(v.Z)} }
	return stl.Triangle{Normal: f(n), Vertices: [3]stl.Vec3{f(a), f(b), f(c)}}
}

// points writes 4,000 random points and 96 exactly on vertices.
func points(corners []r3.Vector) error {
	f, err := os.Create("testdata/points.csv")
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "id,x,y,z,source")
	r := rand.New(rand.NewPCG(2006, 3))
	for i := range 4096 {
		if i%43 == 42 {
			p := corners[r.IntN(len(corners))]
			fmt.Fprintf(w, "%d,%v,%v,%v,vertex\n", i+1, p.X, p.Y, p.Z)
			continue
		}
		fmt.Fprintf(w, "%d,%.4f,%.4f,%.4f,random\n", i+1, 36*(2*r.Float64()-1), 36*(2*r.Float64()-1), 15*(2*r.Float64()-1))
	}
	return w.Flush()
}
