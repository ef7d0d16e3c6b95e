package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// rival is a peer of the table peers.
type rival struct {
	name    string
	program string
	mode    []string
	most    int // largest number of triangles that the peer gets, or 0 for no limit
}

// The limits of OpenCASCADE and Manifold bound the time of the table. OpenCASCADE sews 3,000 triangles
// in about a CPU second, and 33,000 triangles in 50. The time of a ray of Manifold grows in
// proportion to the number of triangles.
var rivals = []rival{
	{"VTK SelectEnclosedPoints", "vtk_sides", []string{"select"}, 0},
	{"VTK SelectEnclosedPoints, tolerance 0", "vtk_sides", []string{"select0"}, 0},
	{"VTK ImplicitPolyDataDistance", "vtk_sides", []string{"distance"}, 0},
	{"OpenCASCADE SolidClassifier", "occt_sides", nil, 3000},
	{"three-mesh-bvh, first hit", "three_mesh_bvh", []string{"first"}, 0},
	{"three-mesh-bvh, parity", "three_mesh_bvh", []string{"parity"}, 0},
	{"Manifold rayCast, parity", "manifold", nil, 250_000},
}

// voxelRival is the driver of OpenVDB.
const voxelRival = "openvdb_voxels"

// rivalMesh is a mesh of the table peers. A mesh with a path is part of the corpus, and the others
// are generated.
type rivalMesh struct {
	name, path string
	flip       bool // every tenth face is reversed
	voxels     bool // the mesh is also part of the table of voxels
}

var rivalMeshes = []rivalMesh{
	{name: "sphere131072", voxels: true},
	{name: "foam", voxels: true},
	{name: "fandisk", path: "pmp-library+pmp-library/data/off/fandisk_quads.off"},
	{name: "fandisk, a tenth of the faces reversed", path: "pmp-library+pmp-library/data/off/fandisk_quads.off", flip: true},
	{name: "two spheres that overlap", path: "gcherchi+FastAndRobustMeshArrangements/data/two_spheres.stl"},
	{name: "reference, open", path: "mikedh+trimesh/models/reference.ply"},
	{name: "demosthenes, open", path: "odedstein+meshes/objects/demosthenes/demosthenes-low-res.obj", voxels: true},
	{name: "armadillo", path: "odedstein+meshes/objects/armadillo/armadillo.obj", voxels: true},
	{name: "hierarchy_test, nested", path: "unixpickle+model3d/model3d/test_data/hierarchy_test.stl", voxels: true},
}

// fewPoints is the number of points of the column for a small batch.
const fewPoints = 10_000

// rivalRow holds the measurements of one peer for a mesh and a set of points. Times are CPU seconds.
type rivalRow struct {
	peer, points     string
	triangles        int
	asked, answered  int  // numbers of points
	few              int  // number of points of the small batch
	fails            bool // the peer rejects the mesh
	theirs           cost // the peer's time for all points that it was asked about
	ours, oursForFew cost
	differ           int
	verdict          verdict

	// ratio says how many times faster our queries are. fewRatio and withBuild include the build:
	// fewRatio for the small batch, and withBuild for all points.
	ratio, fewRatio, withBuild float64
}

// finish computes the ratios.
func (r *rivalRow) finish() {
	forFew := r.theirs.query * float64(r.few) / float64(r.asked)
	r.ratio = r.theirs.query / r.ours.query
	r.fewRatio = (r.theirs.build + forFew) / r.oursForFew.sum()
	r.withBuild = r.theirs.sum() / r.ours.sum()
}

// rivalsTable measures the sides of points against peers of other ecosystems, and voxels against
// OpenVDB. All programs read binary STL. Times are CPU seconds, so that other load on the machine
// hardly changes them. A slow peer answers only as many points as -limit permits. The query time of
// such a peer is extrapolated. A peer that is not installed is left out.
//
// The referee judges the points where the answers differ. For a closed mesh, the truth is the
// exact parity of crossings and the winding number, which must agree modulo 2. For an open mesh, the
// truth is the winding number. If faces are reversed, the truth is the parity.
func (b *bench) rivalsTable() error {
	if _, err := cpuSeconds(); err != nil {
		return err
	}
	var found []rival
	for _, r := range rivals {
		if b.has(r.program) {
			found = append(found, r)
		} else {
			log.Printf("peers: %s skipped, because %s is missing", r.name, b.peerPath(r.program))
		}
	}
	if !b.has("refexact") {
		log.Print("peers: no answers are judged, because refexact is missing")
	}
	var rows []rivalRow
	header("<mesh", "triangles", "<points", "<program", "build CPU s", "M points / CPU s", "answered", "ours / peer",
		"with build, few points", "with build", "differ", "judged", "ours wrong", "peer wrong")
	err := b.eachRivalMesh(func(j rivalMesh, stl string, m *mesh.Mesh) error {
		some, err := b.rivalRows(j, stl, m, found)
		rows = append(rows, some...)
		return err
	})
	if err != nil {
		return err
	}
	printRivals(rows)
	return b.rivalVoxels()
}

func (b *bench) has(program string) bool {
	_, err := os.Stat(b.peerPath(program))
	return err == nil
}

// eachRivalMesh calls visit with each mesh that is available, and with its STL file.
func (b *bench) eachRivalMesh(visit func(j rivalMesh, stl string, m *mesh.Mesh) error) error {
	jobs := rivalMeshes
	if b.quick {
		jobs = []rivalMesh{{name: "sphere2048", voxels: true}, jobs[3]}
	}
	for _, j := range jobs {
		if !strings.Contains(j.name, b.match) {
			continue
		}
		file := b.stl(j.name)
		if j.path != "" {
			file = filepath.Join(b.corpus, j.path)
		}
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) || j.path != "" && b.corpus == "" {
			log.Printf("peers: mesh %s skipped, because its file is missing", j.name)
			continue
		}
		m, err := load(b.ctx, file, b.threads)
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		if j.flip {
			if m, err = m.Flipped(b.ctx, everyTenth(m.NumFaces())); err != nil {
				return err
			}
		}
		stl := filepath.Join(b.tmp, "peers.stl")
		if err := writeSTL(stl, m); err != nil {
			return err
		}
		if m, err = load(b.ctx, stl, b.threads); err != nil {
			return err
		}
		if err := visit(j, stl, m); err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
	}
	return nil
}

func everyTenth(n int) (faces []int32) {
	for f := 0; f < n; f += 10 {
		faces = append(faces, int32(f))
	}
	return faces
}

// rivalRows measures one mesh: random points in its box, points near the surface, and points exactly
// on it.
func (b *bench) rivalRows(j rivalMesh, stl string, m *mesh.Mesh, found []rival) ([]rivalRow, error) {
	random, near, on := 1_000_000, 100_000, 30_000
	if b.quick {
		random, near, on = 1000, 300, 300
	}
	random = min(random, b.most)
	nearby, err := nearPoints(m, near, 1e-6, 1)
	if err != nil {
		return nil, err
	}
	onto, err := onPoints(m, on, 1)
	if err != nil {
		return nil, err
	}
	var rows []rivalRow
	for _, set := range []struct {
		name string
		pts  []r3.Vector
	}{{"random", inBox(m, random)}, {"1e-6 off", nearby}, {"exactly on", onto}} {
		f64 := filepath.Join(b.tmp, "peers.f64")
		if err := writePoints(f64, set.pts); err != nil {
			return nil, err
		}
		some, err := b.rivalSet(j, stl, f64, set.name, m, set.pts, found)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.name, err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// cost is a build and a query in CPU seconds.
type cost struct{ build, query float64 }

func (c cost) sum() float64 { return c.build + c.query }

func medianCost(c []cost) cost {
	var builds, queries []float64
	for _, x := range c {
		builds, queries = append(builds, x.build), append(queries, x.query)
	}
	return cost{median(builds), median(queries)}
}

// cpu returns the CPU seconds of work.
func cpu(work func() error) (float64, error) {
	start, err := cpuSeconds()
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	end, err := cpuSeconds()
	return end - start, err
}

// ourSides classifies pts by the method that Auto selects. If the first batch takes longer than the
// median batch, the difference counts as a part of the build.
func (b *bench) ourSides(m *mesh.Mesh, pts []r3.Vector) (c cost, sides []side.Side, method string, err error) {
	sides = make([]side.Side, len(pts))
	runtime.GC()
	var s *inpoly.Solid
	c.build, err = cpu(func() (err error) {
		s, err = inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(len(pts))})
		return err
	})
	if err != nil {
		return c, nil, "", err
	}
	var queries []float64
	for range repetitions {
		q, err := cpu(func() error { return s.SidesTo(b.ctx, sides, pts) })
		if err != nil {
			return c, nil, "", err
		}
		queries = append(queries, q)
	}
	c.query = median(queries)
	c.build += max(0, queries[0]-c.query)
	return c, sides, string(s.Report().Method), nil
}

// rivalSet measures all peers for one set of points and prints the rows. Calls of inpoly and of the
// peers alternate.
func (b *bench) rivalSet(j rivalMesh, stl, f64, set string, m *mesh.Mesh, pts []r3.Vector, found []rival) ([]rivalRow, error) {
	few := pts[:min(len(pts), fewPoints)]
	var all, small []cost
	var sides []side.Side
	var method string
	ours := func() error {
		c, s, name, err := b.ourSides(m, pts)
		if err != nil {
			return err
		}
		all, sides, method = append(all, c), s, name
		c, _, _, err = b.ourSides(m, few)
		small = append(small, c)
		return err
	}
	if err := ours(); err != nil {
		return nil, err
	}
	var rows []rivalRow
	var answers [][]byte
	for _, r := range found {
		if r.most > 0 && m.NumFaces() > r.most {
			continue
		}
		row := rivalRow{peer: r.name, points: set, triangles: m.NumFaces(), asked: len(pts), few: len(few)}
		var theirs []cost
		var answered []byte
		for range b.calls {
			if err := ours(); err != nil {
				return nil, err
			}
			p, some, err := b.askUpTo(r.program, stl, f64, len(pts), append([]string{b.limitText()}, r.mode...)...)
			if err != nil {
				log.Printf("peers: %s, %s: %v", j.name, r.name, err)
				row.fails = true
				break
			}
			theirs = append(theirs, cost{p.Build, p.Query * float64(len(pts)) / float64(p.Points)})
			if answered == nil || len(some) < len(answered) {
				answered = some
			}
		}
		if !row.fails {
			row.theirs, row.answered = medianCost(theirs), len(answered)
		}
		rows, answers = append(rows, row), append(answers, answered)
	}
	wrong, err := b.judgeAll(j, stl, m, pts, sides, answers)
	if err != nil {
		return nil, err
	}
	a, s := medianCost(all), medianCost(small)
	fmt.Printf("| %s | %d | %d %s | inpoly (%s) | %.3g | %.3g | %d | – | – | – | – | – | – | – |\n",
		j.name, m.NumFaces(), len(pts), set, method, a.build, perSecond(len(pts), a.query), len(pts))
	for i := range rows {
		r := &rows[i]
		if r.fails {
			fmt.Printf("| %s | %d | %d %s | %s | fails | – | 0 | – | – | – | – | – | – | – |\n", j.name, r.triangles, r.asked, set, r.peer)
			continue
		}
		r.ours, r.oursForFew = a, s
		r.finish()
		r.differ, r.verdict = len(differing(answers[i], sides[:r.answered])), wrong[i]
		v := r.verdict
		fmt.Printf("| %s | %d | %d %s | %s | %.3g | %.3g | %s | %s | %s | %s | %d | %d | %d | %d |\n",
			j.name, r.triangles, r.asked, set, r.peer, r.theirs.build, perSecond(r.asked, r.theirs.query), r.answeredText(),
			short(r.ratio), short(r.fewRatio), short(r.withBuild), r.differ, v.looked-v.open, v.ours, v.theirs)
	}
	return rows, nil
}

// answeredText marks the number of answers of a peer that did not answer all points.
func (r *rivalRow) answeredText() string {
	if r.answered < r.asked {
		return fmt.Sprintf("%d ≈", r.answered)
	}
	return strconv.Itoa(r.answered)
}

func (b *bench) limitText() string { return strconv.FormatFloat(b.limit, 'g', -1, 64) }

// printRivals prints geometric means and sums over the meshes.
func printRivals(rows []rivalRow) {
	header("<peer", "<points", "meshes", "fails", "ours / peer", "least", "with build, few points", "with build", "least",
		"judged", "undecided", "ours wrong", "peer wrong")
	for _, r := range rivals {
		for _, set := range []string{"random", "1e-6 off", "exactly on"} {
			var some []rivalRow
			fails := 0
			for _, row := range rows {
				switch {
				case row.peer != r.name || row.points != set:
				case row.fails:
					fails++
				default:
					some = append(some, row)
				}
			}
			if len(some) == 0 {
				continue
			}
			var v verdict
			for _, row := range some {
				v.looked, v.ours, v.theirs, v.open = v.looked+row.verdict.looked, v.ours+row.verdict.ours, v.theirs+row.verdict.theirs, v.open+row.verdict.open
			}
			ratio, least := means(some, func(r *rivalRow) float64 { return r.ratio })
			few, _ := means(some, func(r *rivalRow) float64 { return r.fewRatio })
			with, leastWith := means(some, func(r *rivalRow) float64 { return r.withBuild })
			fmt.Printf("| %s | %s | %d | %d | %s | %s | %s | %s | %s | %d | %d | %d | %d |\n", r.name, set, len(some), fails,
				short(ratio), short(least), short(few), short(with), short(leastWith), v.looked-v.open, v.open, v.ours, v.theirs)
		}
	}
}

// short formats a ratio with at least three digits, without an exponent.
func short(ratio float64) string {
	if ratio < 100 {
		return fmt.Sprintf("%.3g", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}

// means returns the geometric mean and the minimum of a ratio.
func means(rows []rivalRow, ratio func(*rivalRow) float64) (mean, least float64) {
	sum := 0.0
	least = math.Inf(1)
	for i := range rows {
		x := ratio(&rows[i])
		sum += math.Log(x)
		least = min(least, x)
	}
	return math.Exp(sum / float64(len(rows))), least
}

// voxelsAcross is the number of voxels along the longest edge of a mesh; 466³ is about 10⁸.
const voxelsAcross = 466
