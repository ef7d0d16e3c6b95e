package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// windingMeshes are the endings of the paths of open meshes in the folder of real meshes.
var windingMeshes = []string{"/bunny.ply", "/target.obj", "/01_vertex_count_32bit.gltf", "/pumpkin_inside.stl"}

// windingsTable measures winding numbers of open meshes. The peer igl_windings is a program for two
// methods of libigl: "antipodal" (Martens, Trettner and Bessmeltsev 2026) and "fast" (Barill et al.
// 2018, order 2, accuracy 2). igl_windings takes the arguments mesh, points, answers, threads and
// method, and writes a float64 for each point. Errors are relative to a ray and the sum over the
// boundary, whose largest bound is below 1e-8. If the program is missing, the table has only rows of
// inpoly.
func (b *bench) windingsTable() error {
	header("<mesh", "triangles", "boundary edges", "<program", "set-up ms", "M points/s", "with set-up", "largest bound", "largest error", "errors above 1e-6")
	sphere, err := b.withoutFaces(testmesh.Sphere(7), 1345)
	if err != nil {
		return err
	}
	if err := b.windingRows("sphere without 1345 faces", sphere); err != nil {
		return err
	}
	if b.quick || b.corpus == "" {
		return nil
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return err
	}
	for _, ending := range windingMeshes {
		for _, name := range names {
			if matched, err := filepath.Match("*"+ending, "/"+filepath.Base(name)); err != nil || !matched {
				continue
			}
			m, err := load(b.ctx, filepath.Join(b.corpus, name), b.threads)
			if err != nil {
				return err
			}
			if err := b.windingRows(name, m); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			break
		}
	}
	return nil
}

// windingRows prints the rows of one mesh.
func (b *bench) windingRows(name string, m *mesh.Mesh) error {
	stl, f64 := filepath.Join(b.tmp, "windings.stl"), filepath.Join(b.tmp, "windings.f64")
	if err := writeSTL(stl, m); err != nil {
		return err
	}
	m, err := load(b.ctx, stl, b.threads) // the peer reads single precision
	if err != nil {
		return err
	}
	n := 100_000
	if b.quick {
		n = 1000
	}
	pts := inBox(m, n)
	if err := writePoints(f64, pts); err != nil {
		return err
	}
	var want []float64
	print := func(program string, build, query, bound float64, w []float64) {
		largest, above := 0.0, 0
		for i, x := range w {
			e := math.Abs(x - want[i])
			largest = max(largest, e)
			if !(e <= 1e-6) {
				above++
			}
		}
		limit := "–"
		if bound >= 0 {
			limit = fmt.Sprintf("%.1e", bound)
		}
		fmt.Printf("| %s | %d | %d | %s | %.3g | %.3g | %.3g | %s | %.1e | %d |\n", name, m.NumFaces(), len(m.Boundary()), program,
			1e3*build, perSecond(n, query), perSecond(n, build+query), limit, largest, above)
	}
	for _, o := range []struct {
		name string
		opt  inpoly.Options
	}{
		{"raycross", inpoly.Options{Method: inpoly.RayCrossing}},
		{"auto, error 1e-9", inpoly.Options{Epsilon: 1e-9}},
		{"auto, error 1e-6", inpoly.Options{Epsilon: 1e-6}},
		{"fmm, error 4e-3", inpoly.Options{Method: inpoly.FMM, Epsilon: 4e-3}},
	} {
		o.opt.Workers, o.opt.ExpectedPoints = b.threads, int64(n)
		build, query, bound, w, err := b.ourWindings(m, o.opt, pts)
		if err != nil {
			return err
		}
		if want == nil {
			want = w
		}
		print(o.name, build, query, bound, w)
	}
	if !b.has("igl_windings") {
		log.Print("windings: igl_windings is missing")
		return nil
	}
	for _, method := range []string{"antipodal", "fast"} {
		p, w, err := b.askWindings(stl, f64, n, method)
		if err != nil {
			return err
		}
		print("libigl "+method, p.Build, p.Query, -1, w)
	}
	return nil
}

// ourWindings returns median seconds, the largest bound and the winding numbers.
func (b *bench) ourWindings(m *mesh.Mesh, opt inpoly.Options, pts []r3.Vector) (build, query, bound float64, w []float64, err error) {
	w = make([]float64, len(pts))
	bounds := make([]float64, len(pts))
	var builds, queries []float64
	for range repetitions {
		var s *inpoly.Solid
		t, err := seconds(func() (err error) {
			s, err = inpoly.New(b.ctx, m, opt)
			return err
		})
		if err != nil {
			return 0, 0, 0, nil, err
		}
		q, err := seconds(func() error { return s.WindingsTo(b.ctx, w, bounds, pts) })
		if err != nil {
			return 0, 0, 0, nil, err
		}
		builds, queries = append(builds, t), append(queries, q)
	}
	for _, x := range bounds {
		bound = max(bound, x)
	}
	return median(builds), median(queries), bound, w, nil
}

// askWindings runs igl_windings.
func (b *bench) askWindings(stl, f64 string, n int, method string) (p peer, w []float64, err error) {
	file := filepath.Join(b.tmp, "windings")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return p, nil, err
	}
	out, err := execute(b.peerPath("igl_windings"), stl, f64, file, strconv.Itoa(b.threads), method)
	if err != nil {
		return p, nil, err
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return p, nil, fmt.Errorf("igl_windings printed %q: %w", out, err)
	}
	answers, err := os.ReadFile(file)
	for i := 0; i+8 <= len(answers); i += 8 {
		w = append(w, math.Float64frombits(binary.LittleEndian.Uint64(answers[i:])))
	}
	if err == nil && (len(w) != n || p.Threads != b.threads) {
		err = fmt.Errorf("igl_windings on %d threads wrote %d winding numbers for %d points", p.Threads, len(w), n)
	}
	return p, w, err
}
