package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

var (
	methods = methodNames()
	rules   = []string{"nonzero", "positive", "negative", "evenodd"}
)

func methodNames() (names []string) {
	for _, m := range inpoly.Methods() {
		names = append(names, m.String())
	}
	return names
}

// fewPoints is the largest number of points in the file some.csv, which is for commands that do not
// need all test points.
const fewPoints = 300

// prepare writes about points test points of a unit into dir and returns the commands to run there. For a
// group, it also writes copies of the meshes, moved and scaled so that they overlap.
func (u unit) prepare(ctx context.Context, dir string, points int) (commands [][]string, err error) {
	var stored, moved []string
	var pts []r3.Vector
	var explained []string
	for i, path := range u.paths {
		soup, _, err := loaders.Load(ctx, path, loaders.Options{})
		if err != nil || len(soup.Faces) == 0 {
			continue // each mesh also has a unit of its own, which compares the load errors
		}
		stored = append(stored, path)
		if len(u.paths) > 1 {
			normalize(soup, i)
			name := fmt.Sprintf("%d.ply", i)
			moved = append(moved, name)
			if err := writeMesh(ctx, filepath.Join(dir, name), soup); err != nil {
				return nil, err
			}
		}
		p := testPoints(u.name+path[len(filepath.Dir(path)):], soup, points)
		pts = append(pts, p[:len(p)/len(u.paths)]...)
	}
	if len(pts) == 0 {
		pts, stored = []r3.Vector{{X: 1, Y: 2, Z: 3}}, u.paths
	}
	if err := writePoints(filepath.Join(dir, "all.csv"), pts); err != nil {
		return nil, err
	}
	if err := writePoints(filepath.Join(dir, "some.csv"), pts[:min(len(pts), fewPoints)]); err != nil {
		return nil, err
	}
	if err := writeLines(dir, pts[:min(len(pts), fewPoints)]); err != nil {
		return nil, err
	}
	for _, p := range pts[:min(len(pts), 16)] {
		explained = append(explained, fmt.Sprintf("%v,%v,%v", p.X, p.Y, p.Z))
	}
	add := func(meshes []string, format string, args ...any) {
		var words []string
		for _, w := range strings.Fields(fmt.Sprintf(format, args...)) {
			if w == "MESH" {
				words = append(words, meshes...)
			} else {
				words = append(words, w)
			}
		}
		commands = append(commands, words)
	}
	const columns = "--state --winding --certify --distance --nearest"
	answers := func(meshes []string, body string) {
		for _, method := range methods {
			for _, rule := range rules {
				for _, workers := range []int{1, 3} {
					add(meshes, "MESH all.csv -q %s %s --method %s --rule %s --workers %d", columns, body, method, rule, workers)
				}
			}
			add(meshes, "MESH some.csv -q --method %s --workers 1 --epsilon 1e-5 --winding --certify", method)
			add(meshes, "MESH some.csv -q --method %s --workers 3 --tolerance 0.01 --distance", method)
		}
		for _, body := range []string{"first", "innermost", "all", "count"} {
			add(meshes, "MESH some.csv -q --winding --nearest --body %s", body)
		}
	}
	if len(u.paths) > 1 {
		answers(moved, "--body all")
		add(stored, "MESH all.csv -q %s --body all", columns)
		for _, line := range []string{
			"rays MESH rays.csv -q", "rays MESH rays.csv -q --all", "rays MESH rays.csv -q --any",
			"segments MESH segments.csv -q --step 0.01 --body first", "segments MESH segments.csv -q --step 0.01 --body all",
			"blocks MESH -q --origin -1,-1,-1 --size 0.25 --counts 8,8,8",
			"blocks MESH -q --origin -1,-1,-1 --size 0.5 --counts 4,4,4 --rotation 30,20,10 --overlap --distance",
		} {
			add(moved, "%s", line)
		}
		return commands, nil
	}
	answers(stored, "")
	for _, f := range formats.Outputs() {
		format := f.Output
		add(stored, "MESH some.csv -q --state --distance --nearest --format %s", format)
		add(stored, "MESH some.csv -q --winding --keep inside,outside --out p.%s", format)
		if format != "jsonl" {
			add(stored, "MESH p.%s -q --certify --distance", format)
			add(stored, "MESH p.%s -q --distance --keep outside --out q.%s", format, format)
		}
	}
	for i, p := range explained {
		add(stored, "explain MESH --json -q --method %s -- %s", methods[i%len(methods)], p)
	}
	for _, line := range []string{
		"check MESH --format json -q",
		"check MESH --format json -q --strict --rule evenodd",
		"MESH some.csv -q --orient --winding",
		"MESH some.csv -q --shard 2/3",
		"MESH some.csv -q --bytes 100-5000",
		"MESH some.csv -q --keep on,uncertain --state",
		"MESH some.csv -q --strict --out strict.csv",
		"MESH some.csv -q --verify 50 --method cells",
		"MESH some.csv --nosuch",
		"voxels MESH --dims 17,15,13 -q --out v.npy",
		"voxels MESH --dims 9,8,7 -q --out -",
		"voxels MESH --dims 6,5,4 -q --fraction 3 --error --out f.vti",
		"voxels MESH --dims 9,8,7 -q --winding --error --float64 --method raycross --out w.nrrd",
		"voxels MESH --dims 9,8,7 -q --winding --error --method fmm --out w.raw",
		"view MESH some.csv -q --out view.png --pixels 64",
		"view MESH some.csv -q --out view.glb --pixels 64",
		"rays MESH rays.csv -q",
		"rays MESH rays.csv -q --all",
		"rays MESH rays.csv -q --any --orient=never",
		"rays MESH rays.csv -q --all --bodies",
		"segments MESH segments.csv -q",
		"segments MESH segments.csv -q --rule evenodd --keep inside",
		"measure MESH --json -q",
		"measure MESH --by component --csv -q",
		"measure MESH --by body --csv -q --rule positive",
		"MESH some.csv -q --proof p.proof --proof-points rows:1-30 --out proved.csv",
	} {
		add(stored, "%s", line)
	}
	if box := boxOf(pts); len(box) > 0 {
		size := box[1].Sub(box[0])
		middle := box[0].Add(size.Mul(0.5))
		for _, out := range []string{"s.csv", "s.geojson", "s.svg"} {
			add(stored, "section MESH -q --z %v,%v,%v --out %s", box[0].Z, middle.Z, box[0].Z+size.Z/3, out)
		}
		add(stored, "section MESH -q --plane %v,%v,%v,0.6,0.5,0.62 --rule evenodd", middle.X, middle.Y, middle.Z)
		grid := fmt.Sprintf("--origin %v,%v,%v --size %v,%v,%v --counts 5,4,3", box[0].X, box[0].Y, box[0].Z, size.X/5, size.Y/4, size.Z/3)
		add(stored, "blocks MESH -q --levels 1 %s", grid)
		add(stored, "blocks MESH -q --levels 1 %s --rotation 10,20,30 --overlap", grid)
	}
	return commands, nil
}

// boxOf returns the corners of the box of the test points, without the special points of testPoints that are not finite
// or distant. It returns nil if the box has no volume.
func boxOf(pts []r3.Vector) []r3.Vector {
	if len(pts) < 8 {
		return nil
	}
	box := bvh.EmptyBox()
	for _, p := range pts[5:] {
		box = box.Add(p)
	}
	if size := box.Size(); !(size.X > 0 && size.Y > 0 && size.Z > 0) {
		return nil
	}
	return []r3.Vector{box.Min, box.Max}
}

// writeLines writes rays.csv and segments.csv: lines from each point to the next.
func writeLines(dir string, pts []r3.Vector) error {
	var rays, segments bytes.Buffer
	rays.WriteString("x,y,z,dx,dy,dz\n")
	segments.WriteString("x1,y1,z1,x2,y2,z2\n")
	for i, p := range pts {
		q := pts[(i+1)%len(pts)]
		d := q.Sub(p)
		fmt.Fprintf(&rays, "%v,%v,%v,%v,%v,%v\n", p.X, p.Y, p.Z, d.X, d.Y, d.Z)
		fmt.Fprintf(&segments, "%v,%v,%v,%v,%v,%v\n", p.X, p.Y, p.Z, q.X, q.Y, q.Z)
	}
	if err := os.WriteFile(filepath.Join(dir, "rays.csv"), rays.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "segments.csv"), segments.Bytes(), 0o644)
}

// writePoints writes a CSV file. Its numbers have enough digits to restore each float64 exactly.
func writePoints(name string, pts []r3.Vector) error {
	var b bytes.Buffer
	b.WriteString("id,x,y,z\n")
	for i, p := range pts {
		fmt.Fprintf(&b, "%d,%v,%v,%v\n", i, p.X, p.Y, p.Z)
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func writeMesh(ctx context.Context, name string, soup *mesh.Soup) error {
	m, err := mesh.New(ctx, *soup, mesh.Options{})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := loaders.WritePLY(&b, m); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// normalize moves a soup to the origin and scales it by a power of two into the cube [0,1]³. Then
// normalize moves the soup by i/8 along axis i mod 3.
func normalize(soup *mesh.Soup, i int) {
	lo, hi := bounds(soup)
	d := hi.Sub(lo)
	_, exponent := math.Frexp(max(d.X, d.Y, d.Z))
	scale := math.Ldexp(1, -exponent)
	off := [3]float64{}
	off[i%3] = float64(i) / 8
	for k, p := range soup.Vertices {
		soup.Vertices[k] = p.Sub(lo).Mul(scale).Add(r3.Vector{X: off[0], Y: off[1], Z: off[2]})
	}
}
