//go:build ignore

// Generate writes the files of this folder, which the pages in docs/tasks use:
//
//	go run testdata/tasks/generate.go testdata/tasks
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: generate FOLDER")
	}
	for name, data := range map[string][]byte{
		"part.stl":    stl(part()),
		"open.stl":    stl(testmesh.Without(part(), 4)),
		"cmm.csv":     cmm(),
		"frame.txt":   []byte(frame),
		"hall.obj":    obj(hall()),
		"scan.las":    scan(),
		"north.obj":   obj(ellipsoid(r3.Vector{X: 1120, Y: 2080, Z: -60}, r3.Vector{X: 90, Y: 50, Z: 40})),
		"south.obj":   obj(ellipsoid(r3.Vector{X: 1200, Y: 2030, Z: -80}, r3.Vector{X: 60, Y: 40, Z: 30})),
		"blocks.csv":  blocks(),
		"seam.obj":    obj(testmesh.Cube(r3.Vector{X: 3000, Y: 5000, Z: 380}, r3.Vector{X: 3400, Y: 5300, Z: 392})),
		"dike.obj":    obj(dike()),
		"lens.obj":    obj(lens()),
		"collars.csv": []byte(collars),
		"surveys.csv": []byte(surveys),
	} {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// part is a block of 100 × 60 × 20 mm.
func part() mesh.Soup { return testmesh.Cube(r3.Vector{}, r3.Vector{X: 100, Y: 60, Z: 20}) }

// frame maps machine coordinates in mm to part coordinates: x = 350 − Y, y = X − 200, z = Z + 120.
const frame = `# machine frame to part frame, mm
 0 -1 0  350
 1  0 0 -200
 0  0 1  120
 0  0 0    1
`

// cmm measures points on the part in the frame of the machine, in inches. Points have deviations
// along the normals of the faces.
func cmm() []byte {
	rng := rand.New(rand.NewPCG(1, 1))
	out := []byte("feature,X,Y,Z\n")
	for i := range 24 {
		p := [3]float64{100 * (0.05 + 0.9*rng.Float64()), 60 * (0.05 + 0.9*rng.Float64()), 20 * (0.05 + 0.9*rng.Float64())}
		deviation := 0.02 * rng.NormFloat64() // mm
		if i == 17 {
			deviation = 0.4 // a burr
		}
		face := i / 4
		size := [3]float64{100, 60, 20}
		p[face/2] = -deviation
		if face%2 == 1 {
			p[face/2] = size[face/2] + deviation
		}
		const inch = 25.4
		out = fmt.Appendf(out, "F%d-%d,%.6f,%.6f,%.6f\n", face+1, i%4+1, (p[1]+200)/inch, (350-p[0])/inch, (p[2]-120)/inch)
	}
	return out
}

// origin moves the hall to coordinates as in a UTM zone, in m.
var origin = r3.Vector{X: 512_300, Y: 5_402_700, Z: 250}

// hall is an L-shaped building of 40 × 30 × 8 m.
func hall() mesh.Soup {
	plan := [][2]float64{{0, 0}, {40, 0}, {40, 12}, {15, 12}, {15, 30}, {0, 30}}
	var s mesh.Soup
	n := int32(len(plan))
	for _, z := range []float64{0, 8} {
		for _, p := range plan {
			s.Vertices = append(s.Vertices, origin.Add(r3.Vector{X: p[0], Y: p[1], Z: z}))
		}
	}
	for i := range n {
		j := (i + 1) % n
		s.Faces = append(s.Faces, [3]int32{i, j, j + n}, [3]int32{i, j + n, i + n})
	}
	for _, t := range [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}} {
		s.Faces = append(s.Faces, [3]int32{t[0], t[2], t[1]}, [3]int32{t[0] + n, t[1] + n, t[2] + n})
	}
	return s
}

// scan returns a LAS file of 600 points around the hall, with intensity and classification.
func scan() []byte {
	const points, scale = 600, 0.001
	le := binary.LittleEndian
	head := make([]byte, 227)
	copy(head, "LASF")
	head[24], head[25] = 1, 2
	copy(head[26:], "inpoly")
	copy(head[58:], "testdata/tasks/generate.go")
	le.PutUint16(head[94:], 227)
	le.PutUint32(head[96:], 227)
	le.PutUint16(head[105:], 20) // length of a point; the format is 0
	le.PutUint32(head[107:], points)
	le.PutUint32(head[111:], points)
	putFloats := func(at int, values ...float64) {
		for i, v := range values {
			le.PutUint64(head[at+8*i:], math.Float64bits(v))
		}
	}
	putFloats(131, scale, scale, scale, origin.X, origin.Y, origin.Z)
	rng := rand.New(rand.NewPCG(2, 2))
	lo, hi := [3]int32{math.MaxInt32, math.MaxInt32, math.MaxInt32}, [3]int32{math.MinInt32, math.MinInt32, math.MinInt32}
	var body bytes.Buffer
	for range points {
		p := [3]int32{rng.Int32N(60_000) - 10_000, rng.Int32N(50_000) - 10_000, rng.Int32N(12_000) - 2_000}
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
		class := byte(6) // building
		if p[2] < 0 {
			class = 2 // ground
		}
		binary.Write(&body, le, p)
		binary.Write(&body, le, uint16(rng.IntN(4096))) // intensity
		body.Write([]byte{0b1001, class, 0, 0, 7, 0})   // the first of one return; source 7
	}
	o := [3]float64{origin.X, origin.Y, origin.Z}
	for k := range o {
		putFloats(179+16*k, o[k]+scale*float64(hi[k]), o[k]+scale*float64(lo[k]))
	}
	return append(head, body.Bytes()...)
}

// ellipsoid returns an ore body with 512 triangles.
func ellipsoid(center, radii r3.Vector) mesh.Soup {
	return testmesh.Move(testmesh.Soup(testmesh.Sphere(3)), func(p r3.Vector) r3.Vector {
		q := center.Add(r3.Vector{X: radii.X * p.X, Y: radii.Y * p.Y, Z: radii.Z * p.Z})
		return r3.Vector{X: math.Round(100*q.X) / 100, Y: math.Round(100*q.Y) / 100, Z: math.Round(100*q.Z) / 100}
	})
}

// blocks returns the centers of a block model of 20 × 20 × 10 m.
func blocks() []byte {
	out := []byte("block,xc,yc,zc,density\n")
	n := 0
	for k := range 10 {
		for j := range 8 {
			for i := range 14 {
				n++
				out = fmt.Appendf(out, "B%04d,%d,%d,%d,%.2f\n", n, 1010+20*i, 1990+20*j, -115+10*k, 2.7+0.05*float64(k))
			}
		}
	}
	return out
}

// dike is a prism 30 m wide that dips 45° to the east: the points with 3600 ≤ x+z ≤ 3630, 5000 ≤ y ≤
// 5300 and 350 ≤ z ≤ 500.
func dike() mesh.Soup {
	return testmesh.Move(testmesh.Cube(r3.Vector{X: 3600, Y: 5000, Z: 350}, r3.Vector{X: 3630, Y: 5300, Z: 500}), func(p r3.Vector) r3.Vector {
		return r3.Vector{X: p.X - p.Z, Y: p.Y, Z: p.Z}
	})
}

// lens is an octahedron: the points with |x−3150|/80 + |y−5100|/80 + |z−440|/40 ≤ 1.
func lens() mesh.Soup {
	return testmesh.Move(testmesh.Soup(testmesh.Sphere(0)), func(p r3.Vector) r3.Vector {
		return r3.Vector{X: 3150 + 80*p.X, Y: 5100 + 80*p.Y, Z: 440 + 40*p.Z}
	})
}

// collars and surveys are three drill holes: one is vertical, one is straight, and one turns from down
// to east on a quarter of a circle.
const (
	collars = "BHID,Easting,Northing,RL,Depth\nDH1,3200,5100,500,150\nDH2,3300,5100,500,200\nDH3,3140,5250,500,300\n"
	surveys = "BHID,AT,BRG,DIP\nDH1,0,0,-90\nDH2,0,270,-45\nDH2,100,270,-45\nDH3,0,90,-90\nDH3,300,90,0\n"
)

func stl(s mesh.Soup) []byte {
	out := make([]byte, 80)
	copy(out, "inpoly testdata/tasks")
	out = binary.LittleEndian.AppendUint32(out, uint32(len(s.Faces)))
	for _, f := range s.Faces {
		out = append(out, make([]byte, 12)...)
		for _, v := range f {
			for _, c := range []float64{s.Vertices[v].X, s.Vertices[v].Y, s.Vertices[v].Z} {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(c)))
			}
		}
		out = append(out, 0, 0)
	}
	return out
}

func obj(s mesh.Soup) (out []byte) {
	for _, v := range s.Vertices {
		out = fmt.Appendf(out, "v %v %v %v\n", v.X, v.Y, v.Z)
	}
	for _, f := range s.Faces {
		out = fmt.Appendf(out, "f %d %d %d\n", f[0]+1, f[1]+1, f[2]+1)
	}
	return out
}
