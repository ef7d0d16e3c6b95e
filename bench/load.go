package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// loadTable measures reading and welding of 1,048,576 triangles in every uncompressed format.
func (b *bench) loadTable() error {
	level := 8
	if b.quick {
		level = 4
	}
	m, err := twoSpheres(level)
	if err != nil {
		return err
	}
	header("<file", "triangles", "MB", "load s", "weld s", "load + weld s", "load MB/s")
	for _, f := range []struct {
		name  string
		write func(io.Writer, *mesh.Mesh) error
	}{
		{"binary.stl", loaders.WriteSTL}, {"ascii.stl", writeASCIISTL}, {"mesh.obj", writeOBJ},
		{"ascii.ply", writeASCIIPLY}, {"binary.ply", loaders.WritePLY}, {"mesh.glb", loaders.WriteGLB},
	} {
		path := filepath.Join(b.tmp, f.name)
		if err := writeFile(path, m, f.write); err != nil {
			return err
		}
		if err := b.loadRow(path); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) loadRow(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	var loads, welds, sums []float64
	triangles := 0
	for range b.reps {
		runtime.GC()
		start := time.Now()
		soup, _, err := loaders.Load(b.ctx, path, loaders.Options{})
		if err != nil {
			return err
		}
		load := time.Since(start).Seconds()
		m, err := mesh.NewOwned(b.ctx, *soup, mesh.Options{})
		if err != nil {
			return err
		}
		sum := time.Since(start).Seconds()
		loads, welds, sums = append(loads, load), append(welds, sum-load), append(sums, sum)
		triangles = m.NumFaces()
	}
	mb := float64(st.Size()) / 1e6
	load := median(loads)
	fmt.Printf("| %s | %d | %.1f | %.3f | %.3f | %.3f | %.0f |\n",
		filepath.Base(path), triangles, mb, load, median(welds), median(sums), mb/load)
	return nil
}

// twoSpheres returns two spheres side by side: 16·4^level triangles.
func twoSpheres(level int) (*mesh.Mesh, error) {
	sphere := testmesh.Sphere(level)
	var s mesh.Soup
	for i := range 2 {
		first := int32(len(s.Vertices))
		for _, v := range sphere.Vertices {
			s.Vertices = append(s.Vertices, v.Add(r3.Vector{X: 3 * float64(i)}))
		}
		for _, f := range sphere.Faces {
			s.Faces = append(s.Faces, [3]int32{f[0] + first, f[1] + first, f[2] + first})
		}
	}
	return mesh.NewOwned(context.Background(), s, mesh.Options{})
}

func writeFile(path string, m *mesh.Mesh, write func(io.Writer, *mesh.Mesh) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w, m); err != nil {
		return err
	}
	return w.Flush()
}

// The text writers print float32 values with six digits, as most programs do.

func writeASCIISTL(w io.Writer, m *mesh.Mesh) error {
	fmt.Fprintln(w, "solid spheres")
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0])).Normalize()
		fmt.Fprintf(w, "  facet normal %e %e %e\n    outer loop\n", n.X, n.Y, n.Z)
		for _, v := range t {
			fmt.Fprintf(w, "      vertex %e %e %e\n", v.X, v.Y, v.Z)
		}
		fmt.Fprint(w, "    endloop\n  endfacet\n")
	}
	_, err := fmt.Fprintln(w, "endsolid spheres")
	return err
}

func writeOBJ(w io.Writer, m *mesh.Mesh) error {
	for _, v := range m.Vertices {
		fmt.Fprintf(w, "v %f %f %f\n", v.X, v.Y, v.Z)
	}
	for _, f := range m.Faces {
		if _, err := fmt.Fprintf(w, "f %d %d %d\n", f[0]+1, f[1]+1, f[2]+1); err != nil {
			return err
		}
	}
	return nil
}

func writeASCIIPLY(w io.Writer, m *mesh.Mesh) error {
	fmt.Fprintf(w, "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n", len(m.Vertices))
	fmt.Fprintf(w, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", len(m.Faces))
	for _, v := range m.Vertices {
		fmt.Fprintf(w, "%f %f %f\n", v.X, v.Y, v.Z)
	}
	for _, f := range m.Faces {
		if _, err := fmt.Fprintf(w, "3 %d %d %d\n", f[0], f[1], f[2]); err != nil {
			return err
		}
	}
	return nil
}
