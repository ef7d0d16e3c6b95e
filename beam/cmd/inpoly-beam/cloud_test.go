package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// These are OBJ files: a cube, the cube without one face, and a tetrahedron.
const (
	corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
	cube    = corners + "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
	open    = corners + "f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
	beside  = "v 0.5 0 0\nv 2 0 0\nv 0.5 2 0\nv 0.5 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
)

func put(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// cloud returns n random points around the cube. Some of the points are on the cube.
func cloud(seed uint64, n int) [][3]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	pts := make([][3]float64, n)
	for i := range pts {
		for k := range 3 {
			pts[i][k] = math.Round((2*r.Float64()-.5)*1e4) / 1e4
		}
		if i%50 == 0 {
			pts[i][i/50%3] = 1
		}
	}
	return pts
}

// csvOf returns a CSV text with a header and an extra column.
func csvOf(pts [][3]float64, lineEnd string) []byte {
	out := append([]byte("id,x,y,z"), lineEnd...)
	for i, p := range pts {
		out = strconv.AppendInt(out, int64(i), 10)
		for _, x := range p {
			out = strconv.AppendFloat(append(out, ','), x, 'f', -1, 64)
		}
		out = append(out, lineEnd...)
	}
	return out
}

// xyzOf returns a text without a header: x, y, z and the number of the point, with comments between the
// rows.
func xyzOf(pts [][3]float64) []byte {
	out := []byte("# comment\n\n")
	for i, p := range pts {
		for _, x := range p {
			out = append(strconv.AppendFloat(out, x, 'f', -1, 64), ' ')
		}
		out = append(strconv.AppendInt(out, int64(i), 10), "\n# between \n"...)
	}
	return out
}

// npyOf returns an npy array of floats with 64 or 32 bits.
func npyOf(pts [][3]float64, bits int) []byte {
	dict := fmt.Sprintf("{'descr': '<f%d', 'fortran_order': False, 'shape': (%d, 3), }", bits/8, len(pts))
	for (10+len(dict)+1)%64 != 0 {
		dict += " "
	}
	dict += "\n"
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dict)))
	out = append(out, dict...)
	for _, p := range pts {
		for _, x := range p {
			if bits == 32 {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
			} else {
				out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
			}
		}
	}
	return out
}

// plyOf returns a PLY file without faces, but with other elements before and after the vertices.
func plyOf(pts [][3]float64) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "ply\nformat binary_little_endian 1.0\nelement sensor 2\nproperty uchar kind\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\nelement end 3\nproperty short mark\nend_header\n", len(pts))
	out.WriteString("ab")
	for _, p := range pts {
		binary.Write(&out, binary.LittleEndian, p)
	}
	out.WriteString("123456")
	return out.Bytes()
}

func packed(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(data)
	w.Close()
	return out.Bytes()
}
