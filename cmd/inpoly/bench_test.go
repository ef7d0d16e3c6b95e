package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkFiles starts a process that reads and writes files, once per iteration. This file uses
// no package of the module, so evidence/bench/compare.sh can copy it to another revision.
func BenchmarkFiles(b *testing.B) {
	const points = 500_000
	dir := b.TempDir()
	command := filepath.Join(dir, "inpoly")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	coordinates := make([]float64, 3*points)
	for i := range coordinates {
		coordinates[i] = 2 * rng.Float64()
	}
	files := map[string][]byte{"mesh.obj": tetrahedra(), "points.csv": csvOf(coordinates), "points.npy": npyOf(coordinates)}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, row := range []struct{ in, out, extra string }{
		{"csv", "csv", ""},
		{"csv", "csv", "--winding"},
		{"csv", "csv", "--distance"},
		{"npy", "npy", ""},
		{"csv", "npy", ""},
	} {
		b.Run(fmt.Sprintf("in=%s/out=%s/columns=inside%s/points=%d", row.in, row.out, row.extra, points), func(b *testing.B) {
			args := []string{"mesh.obj", "points." + row.in, "--out", "out." + row.out, "--quiet"}
			if row.extra != "" {
				args = append(args, row.extra)
			}
			for b.Loop() {
				cmd := exec.Command(command, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
			b.ReportMetric(points*float64(b.N)/b.Elapsed().Seconds(), "points/s")
		})
	}
}

// tetrahedra returns 1,000 small tetrahedra in a cube as an OBJ file.
func tetrahedra() []byte {
	var out bytes.Buffer
	for i := range 1000 {
		x, y, z := float64(i%10)/5, float64(i/10%10)/5, float64(i/100)/5
		fmt.Fprintf(&out, "v %g %g %g\nv %g %g %g\nv %g %g %g\nv %g %g %g\n", x, y, z, x+.15, y, z, x, y+.15, z, x, y, z+.15)
		fmt.Fprint(&out, "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n")
	}
	return out.Bytes()
}

func csvOf(coordinates []float64) []byte {
	out := []byte("x,y,z\n")
	for i, x := range coordinates {
		out = append(strconv.AppendFloat(out, x, 'f', 6, 64), ",,\n"[i%3])
	}
	return out
}

func npyOf(coordinates []float64) []byte {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", len(coordinates)/3)
	head = fmt.Sprintf("%-117s\n", head) // 10 bytes precede head, so the header has 128 bytes
	out := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(head)))...)
	out = append(out, head...)
	for _, x := range coordinates {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}
