package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// blocksStats are statistics of inpoly blocks.
type blocksStats struct {
	Load  float64 `json:"load_s"`
	Build float64 `json:"build_s"`
	Time  float64 `json:"stream_s"`
	Mixed int64   `json:"mixed"`
	Bound float64 `json:"max_bound"`
}

// blocksTable measures the command inpoly blocks as a process. There are three models: separate layers of a box,
// the same layers with common walls, and spheres that overlap. The stage blocks computes and writes all blocks.
// The rest is mainly the search for faces that meet.
func (b *bench) blocksTable() error {
	command, err := b.buildCommand()
	if err != nil {
		return err
	}
	header("<solids", "triangles", "blocks", "<output", "MB", "at a surface", "largest bound", "wall s", "<min–max", "CPU s", "blocks s", "peak MB")
	sphere := testmesh.Soup(testmesh.Sphere(6))
	var spheres []mesh.Soup
	for i := range 3 {
		spheres = append(spheres, testmesh.Translate(sphere, r3.Vector{X: 0.7 * float64(i)}))
	}
	round, flat := "--origin=-1.21,-1.23,-1.27", "--origin=-0.21,-0.23,-0.57"
	for _, c := range []struct {
		name, origin string
		size         r3.Vector
		solids       []mesh.Soup
	}{
		{"layers apart", flat, r3.Vector{X: 3.5, Y: 3.6, Z: 4.5}, testmesh.Strata(100, 3, 0.1)},
		{"layers with common walls", flat, r3.Vector{X: 3.5, Y: 3.6, Z: 4.5}, testmesh.Strata(100, 3, 0)},
		{"spheres that overlap", round, r3.Vector{X: 4.1, Y: 2.6, Z: 2.7}, spheres},
	} {
		if !strings.Contains(c.name, b.match) {
			continue
		}
		args, triangles := []string{"blocks"}, 0
		for i, s := range c.solids {
			path := filepath.Join(b.tmp, fmt.Sprintf("solid%d.stl", i))
			if err := writeSTL(path, testmesh.Mesh(s)); err != nil {
				return err
			}
			args, triangles = append(args, path), triangles+len(s.Faces)
		}
		for _, n := range []int{100, 215} {
			if count := n * n * n; count <= b.most && !(b.quick && n > 100) {
				size := c.size.Mul(1 / float64(n))
				frame := []string{c.origin, fmt.Sprintf("--size=%g,%g,%g", size.X, size.Y, size.Z), fmt.Sprintf("--counts=%d,%d,%d", n, n, n)}
				for _, format := range []string{"csv", "vti"} {
					if err := b.blocksRow(c.name, command, append(args, frame...), triangles, count, format); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (b *bench) blocksRow(name, command string, args []string, triangles, count int, format string) error {
	out := filepath.Join(b.tmp, "model."+format)
	args = append(args, "--out", out, "--workers", strconv.Itoa(b.threads), "--json", "--quiet")
	var wall, cpu, stage rates
	peak, stats := int64(0), blocksStats{}
	for round, start := 0, time.Now(); b.another(round, time.Since(start)); round++ {
		var r processRun
		if err := r.run(command, args, &stats); err != nil {
			return err
		}
		wall, cpu, stage, peak = append(wall, r.wall), append(cpu, r.cpu), append(stage, stats.Time), max(peak, r.peak)
	}
	fi, err := os.Stat(out)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %d | %s | %.0f | %d | %.2g | %.3g | %s | %.3g | %.3g | %.0f |\n", name, triangles, count, format, math.Ceil(float64(fi.Size())/1e6),
		stats.Mixed, stats.Bound, wall.median(), wall.spread(), cpu.median(), stage.median(), float64(peak)/1e6)
	return nil
}
