package testmesh

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/hschendel/stl"
)

// TestKnot checks that testdata holds the files that knotSTL and knotPoints generate. One file is a
// tube around a trefoil knot as binary STL, in millimeters. The other file is a CSV file of points
// in and around the tube. INPOLY_UPDATE=1 writes the files.
func TestKnot(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may fuse multiplications with additions")
	}
	corners := knot()
	for name, want := range map[string][]byte{"knot.stl": knotSTL(t, corners), "points.csv": knotPoints(corners)} {
		path := filepath.Join("../../testdata", name)
		if os.Getenv("INPOLY_UPDATE") == "1" {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the generated file (%v)", path, err)
		}
	}
}

// The tube has 2·knotRings·knotSides = 5,184 triangles.
const knotRings, knotSides = 144, 18

// knot returns the corners of the triangles of the tube, rounded to float32 as in STL.
func knot() []r3.Vector {
	center := func(t float64) r3.Vector {
		return r3.Vector{
			X: math.Sin(t) + 2*math.Sin(2*t),
			Y: math.Cos(t) - 2*math.Cos(2*t),
			Z: -math.Sin(3 * t),
		}.Mul(10)
	}
	const radius = 4.0
	var out []r3.Vector
	for i := range knotRings {
		t := 2 * math.Pi * float64(i) / knotRings
		c := center(t)
		along := center(t + 1e-4).Sub(center(t - 1e-4)).Normalize()
		u := along.Cross(r3.Vector{Z: 1}).Normalize()
		v := along.Cross(u)
		for j := range knotSides {
			s := 2 * math.Pi * float64(j) / knotSides
			p := c.Add(u.Mul(radius * math.Cos(s))).Add(v.Mul(radius * math.Sin(s)))
			out = append(out, r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))})
		}
	}
	return out
}

func knotSTL(t *testing.T, corners []r3.Vector) []byte {
	t.Helper()
	solid := &stl.Solid{Name: "trefoil knot"}
	add := func(a, b, c r3.Vector) {
		f := func(v r3.Vector) stl.Vec3 { return stl.Vec3{float32(v.X), float32(v.Y), float32(v.Z)} }
		normal := b.Sub(a).Cross(c.Sub(a)).Normalize()
		solid.AppendTriangle(stl.Triangle{Normal: f(normal), Vertices: [3]stl.Vec3{f(a), f(b), f(c)}})
	}
	corner := func(i, j int) r3.Vector { return corners[i%knotRings*knotSides+j%knotSides] }
	for i := range knotRings {
		for j := range knotSides {
			a, b, c, d := corner(i, j), corner(i+1, j), corner(i+1, j+1), corner(i, j+1)
			add(a, d, c)
			add(a, c, b)
		}
	}
	var out bytes.Buffer
	if err := solid.WriteAll(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// knotPoints returns a CSV file of points. Some points are random, the others are exactly on
// vertices.
func knotPoints(corners []r3.Vector) []byte {
	var out bytes.Buffer
	fmt.Fprintln(&out, "id,x,y,z,source")
	r := rand.New(rand.NewPCG(2006, 3))
	for i := range 4096 {
		if i%43 == 42 {
			p := corners[r.IntN(len(corners))]
			fmt.Fprintf(&out, "%d,%v,%v,%v,vertex\n", i+1, p.X, p.Y, p.Z)
			continue
		}
		fmt.Fprintf(&out, "%d,%.4f,%.4f,%.4f,random\n", i+1, 36*(2*r.Float64()-1), 36*(2*r.Float64()-1), 15*(2*r.Float64()-1))
	}
	return out.Bytes()
}
