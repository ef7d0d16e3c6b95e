package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// doorDriver is a program that measures inpoly in one language. The comment of door_go explains it.
type doorDriver struct {
	name, program string
	threads       int    // 0: b.threads
	base          string // name of the driver whose times are the base of the ratios
}

var doorDrivers = []doorDriver{
	{"Go", "door_go", 0, "Go"},
	{"C", "door_c", 0, "Go"},
	{"Python", "door_python", 0, "Go"},
	{"Go, noasm, one thread", "door_go_noasm", 1, "Go, noasm, one thread"},
	{"Node", "door_node", 1, "Go, noasm, one thread"},
	{"Chromium", "door_chromium", 1, "Go, noasm, one thread"},
}

// doorRival is a function of another library, and the language of its users.
type doorRival struct {
	brokenRival
	door string
}

// doorRivals returns functions in the languages of doorDrivers.
func doorRivals() []doorRival {
	var all []doorRival
	for _, r := range brokenRivals {
		switch r.mode {
		case "vtk-select", "vtk-distance", "open3d-occupancy":
			all = append(all, doorRival{r, "Python"})
		case "first":
			if r.program == "three_mesh_bvh" {
				all = append(all, doorRival{r, "Node"})
			}
		}
	}
	return all
}

// doorMesh is a closed mesh of the table doors. Its path is a path in the corpus.
type doorMesh struct {
	name, path string
	rounds     int // number of calls of each driver
}

// The ratios of a driver depend on the time that a point takes. So some of the meshes are easy and
// some are hard.
var doorMeshes = []doorMesh{
	{"sphere131072", "", 3},
	{"fandisk", "pmp-library+pmp-library/data/off/fandisk_quads.off", 1},
	{"bunny", "pmp-library+pmp-library/data/off/bunny.off", 1},
	{"armadillo", "odedstein+meshes/objects/armadillo/armadillo.obj", 1},
	{"two spheres that overlap", "gcherchi+FastAndRobustMeshArrangements/data/two_spheres.stl", 1},
	{"hierarchy_test, nested", "unixpickle+model3d/model3d/test_data/hierarchy_test.stl", 1},
	{"SnowFlake", "SarahWeiii+CoACD/examples/SnowFlake.obj", 1},
	{"complex_bin", "hschendel+stl/testdata/complex_bin.stl", 1},
	{"1002_tray_bottom", "mikedh+trimesh/models/1002_tray_bottom.STL", 1},
	{"sword", "odedstein+meshes/objects/sword/sword-quad-dominant.obj", 1},
	{"rocks", "unixpickle+model3d/examples/renderings/showcase/models/rocks.stl", 1},
}

// doorTimes is the output of a driver: CPU seconds, and the version that the driver reports.
type doorTimes struct {
	Build   float64 `json:"build"`
	Double  float64 `json:"float64"`
	Single  float64 `json:"float32"`
	One     float64 `json:"one"`
	Version string  `json:"version"`
	// Few has the times of calls with arrays of 1, 10 and 1,000 points, if the driver measures them.
	Few []float64 `json:"few"`
}

// doorRow has the medians of a driver for a mesh.
type doorRow struct {
	doorTimes
	ratio, singleRatio float64 // to the base, medians over the rounds
	differ             int     // number of points whose side differs from Go, in the worst round
	measured           bool
}

// doorsTable measures the overhead of the libraries for other languages, and compares them with
// other libraries in the same languages. All times are CPU seconds. All coordinates are float32
// values, so programs in single precision get the same surface and the same points.
func (b *bench) doorsTable() error {
	if _, err := cpuSeconds(); err != nil {
		return err
	}
	var found []doorRival
	var versions []string
	for _, r := range doorRivals() {
		out, err := exec.Command(b.peerPath(r.program), "--version", r.mode).Output()
		if err != nil {
			log.Printf("doors: %s %s is missing", r.tool, r.call)
			continue
		}
		found, versions = append(found, r), append(versions, string(bytes.TrimSpace(out)))
	}
	t := &doorTable{bench: b, found: found, versions: versions}
	for _, j := range doorMeshes {
		if b.match != "" && b.match != j.name {
			continue
		}
		start := time.Now()
		if err := t.measure(j); err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		log.Printf("doors: %s: %.0f s", j.name, time.Since(start).Seconds())
	}
	t.print()
	return nil
}

// doorTable collects the rows of the table doors.
type doorTable struct {
	*bench
	found    []doorRival
	versions []string
	meshes   []doorResult
}

// doorResult has the measurements of one mesh.
type doorResult struct {
	doorMesh
	triangles, points int
	doors             []doorRow // results of doorDrivers, in their order
	rivals            []doorRivalRow
}

// doorRivalRow is the measurement of another library.
type doorRivalRow struct {
	state    string // why there are no times, or ""
	answered int
	cost     cost
	differ   int
	verdict  verdict
}

// measure measures all programs for one mesh.
func (t *doorTable) measure(j doorMesh) error {
	m, err := t.doorMesh(j)
	if m == nil || err != nil {
		return err
	}
	n := min(1_000_000, t.most)
	if t.quick {
		n = 1000
	}
	pts := inBox(m, n)
	for i, p := range pts {
		pts[i] = r3.Vector{X: float64(float32(p.X)), Y: float64(float32(p.Y)), Z: float64(float32(p.Z))}
	}
	ply, f64 := filepath.Join(t.tmp, "doors.ply"), filepath.Join(t.tmp, "doors.f64")
	if err := writePLY(ply, m); err != nil {
		return err
	}
	if err := writePoints(f64, pts); err != nil {
		return err
	}
	r := doorResult{doorMesh: j, triangles: m.NumFaces(), points: n}
	var sides []byte
	if r.doors, sides, err = t.askDoors(j, ply, f64, n); err != nil {
		return err
	}
	var judged judgments
	for _, rival := range t.found {
		r.rivals = append(r.rivals, t.askRival(rival, ply, f64, m, pts, sides, &judged))
	}
	t.meshes = append(t.meshes, r)
	return nil
}

// doorMesh returns a mesh with float32 coordinates, or nil if its file is missing.
func (t *doorTable) doorMesh(j doorMesh) (*mesh.Mesh, error) {
	if j.path == "" {
		levels := 7
		if t.quick {
			levels = 2
		}
		return mesh.New(t.ctx, single32(testmesh.Soup(testmesh.Sphere(levels))), mesh.Options{})
	}
	path := filepath.Join(t.corpus, j.path)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) || t.corpus == "" {
		log.Printf("doors: mesh %s skipped, because its file is missing", j.name)
		return nil, nil
	}
	m, err := load(t.ctx, path, t.threads)
	if err != nil {
		return nil, err
	}
	return mesh.New(t.ctx, single32(testmesh.Soup(m)), mesh.Options{})
}

// askDoors runs all drivers in turn. It returns their rows and the sides from Go.
func (t *doorTable) askDoors(j doorMesh, ply, f64 string, n int) (rows []doorRow, sides []byte, err error) {
	times := make([][]doorTimes, len(doorDrivers)) // by driver and round
	rows = make([]doorRow, len(doorDrivers))
	rounds := j.rounds
	if t.quick {
		rounds = 1
	}
	for range rounds {
		for i, d := range doorDrivers {
			if len(sides) == 0 && i > 0 {
				return nil, nil, fmt.Errorf("%s is missing", t.peerPath(doorDrivers[0].program))
			}
			if !t.has(d.program) {
				continue
			}
			some, answers, err := t.askDoor(d, ply, f64)
			if err != nil {
				log.Printf("doors: %s: %s: %v", j.name, d.name, err)
				continue
			}
			if i == 0 {
				sides = answers
			}
			differ := max(0, n-len(answers))
			for k, x := range answers {
				if x != sides[k%n] {
					differ++
				}
			}
			rows[i].differ = max(rows[i].differ, differ)
			times[i] = append(times[i], some)
		}
	}
	for i, d := range doorDrivers {
		base := times[slices.IndexFunc(doorDrivers, func(o doorDriver) bool { return o.name == d.base })]
		if len(times[i]) == 0 || len(times[i]) != len(base) {
			continue
		}
		of := func(value func(k int) float64) float64 {
			var all []float64
			for k := range times[i] {
				all = append(all, value(k))
			}
			return median(all)
		}
		r := &rows[i]
		r.measured = true
		r.Version = times[i][0].Version
		r.Build = of(func(k int) float64 { return times[i][k].Build })
		r.Double = of(func(k int) float64 { return times[i][k].Double })
		r.Single = of(func(k int) float64 { return times[i][k].Single })
		r.One = of(func(k int) float64 { return times[i][k].One })
		for f := range times[i][0].Few {
			r.Few = append(r.Few, of(func(k int) float64 { return times[i][k].Few[f] }))
		}
		r.ratio = of(func(k int) float64 { return times[i][k].Double / base[k].Double })
		r.singleRatio = of(func(k int) float64 { return times[i][k].Single / base[k].Double })
	}
	return rows, sides, nil
}

// askDoor runs a driver. It returns the sides as numbers of package side.
func (t *doorTable) askDoor(d doorDriver, ply, f64 string) (times doorTimes, sides []byte, err error) {
	threads := d.threads
	if threads == 0 {
		threads = t.threads
	}
	file := filepath.Join(t.tmp, "doors.answers")
	out, err := execute(t.peerPath(d.program), ply, f64, file, strconv.Itoa(threads))
	if err != nil {
		return times, nil, err
	}
	if err := json.Unmarshal(out, &times); err != nil {
		return times, nil, fmt.Errorf("%s printed %q: %w", d.program, out, err)
	}
	sides, err = os.ReadFile(file)
	return times, sides, err
}

// askRival runs the driver of another library, and judges the first points where it differs.
func (t *doorTable) askRival(r doorRival, ply, f64 string, m *mesh.Mesh, pts []r3.Vector, sides []byte, judged *judgments) (row doorRivalRow) {
	p, answers, err := t.askBroken(r.brokenRival, ply, f64, len(pts), t.limit)
	if err != nil {
		log.Printf("doors: %s %s: %v", r.tool, r.call, err)
		return doorRivalRow{state: fails}
	}
	row.answered = len(answers)
	row.cost = cost{p.Build, p.Query * float64(len(pts)) / float64(p.Points)}
	for i, x := range answers {
		ours := codes[side.Side(sides[i])]
		if x == ours || ours == 2 && !r.hasOn {
			continue
		}
		row.differ++
		if row.verdict.looked < judgedPoints {
			if truth, ok := judged.truth(m, pts[i], i); ok {
				row.verdict.add(truth, ours, x)
			}
		}
	}
	return row
}

// judgments are the true sides of points of one mesh.
type judgments struct {
	known map[int]byte
	spent time.Duration
}

// judgePatience is the time after which no more points of a mesh are judged (tuning).
const judgePatience = 5 * time.Second

// truth returns the true side of point i: 0 outside, 1 inside, 2 on the surface. ok is false if the
// time judgePatience is over.
func (j *judgments) truth(m *mesh.Mesh, p r3.Vector, i int) (truth byte, ok bool) {
	if truth, ok = j.known[i]; ok {
		return truth, true
	}
	if j.spent > judgePatience {
		return 0, false
	}
	start := time.Now()
	w, _, on := referee.Judge(m.Vertices, m.Faces, p)
	j.spent += time.Since(start)
	switch {
	case on:
		truth = 2
	case w != 0:
		truth = 1
	}
	if j.known == nil {
		j.known = map[int]byte{}
	}
	j.known[i] = truth
	return truth, true
}

// print prints the tables.
func (t *doorTable) print() {
	t.printDoors()
	t.printRivals()
}

func (t *doorTable) printDoors() {
	header("<mesh", "triangles", "<language", "open CPU s", "CPU ns / point", "ratio", "float32: CPU ns / point", "ratio", "one point: CPU ns", "arrays of 1, 10, 1000 points: CPU µs a call", "differ")
	for _, r := range t.meshes {
		for i, d := range doorDrivers {
			row := r.doors[i]
			if !row.measured {
				continue
			}
			scale := 1e9 / float64(r.points)
			single, ratio := "–", "–"
			if row.Single > 0 {
				single, ratio = fmt.Sprintf("%.3g", row.Single*scale), fmt.Sprintf("%.2f", row.singleRatio)
			}
			one := "–"
			if row.One > 0 {
				one = fmt.Sprintf("%.0f", row.One*1e9)
			}
			fmt.Printf("| %s | %d | %s | %.3g | %.3g | %.2f | %s | %s | %s | %s | %d |\n", r.name, r.triangles, d.name,
				row.Build, row.Double*scale, row.ratio, single, ratio, one, microseconds(row.Few), row.differ)
		}
	}
	header("<language", "<base", "meshes", "median ratio", "largest", "float32: median ratio", "largest", "one point: largest CPU ns", "differ")
	for i, d := range doorDrivers {
		var ratios, singles, ones []float64
		differ := 0
		for _, r := range t.meshes {
			if row := r.doors[i]; row.measured {
				ratios, singles, ones = append(ratios, row.ratio), append(singles, row.singleRatio), append(ones, row.One*1e9)
				differ += row.differ
			}
		}
		if len(ratios) == 0 || d.base == d.name {
			continue
		}
		one := "–"
		if x := slices.Max(ones); x > 0 {
			one = fmt.Sprintf("%.0f", x)
		}
		fmt.Printf("| %s | %s | %d | %.2f | %.2f | %.2f | %.2f | %s | %d |\n", d.name, d.base, len(ratios),
			median(ratios), slices.Max(ratios), median(singles), slices.Max(singles), one, differ)
	}
}

// microseconds returns times as a list of microseconds.
func microseconds(times []float64) string {
	if len(times) == 0 {
		return "–"
	}
	list := make([]string, len(times))
	for i, s := range times {
		list[i] = fmt.Sprintf("%.3g", s*1e6)
	}
	return strings.Join(list, ", ")
}

func (t *doorTable) printRivals() {
	if len(t.found) == 0 {
		return
	}
	header("<mesh", "triangles", "<tool", "<function", "<version", "points answered", "CPU ns / point", "<language", "inpoly / tool", "with opening",
		"differ", "judged", "inpoly wrong", "tool wrong")
	ratios := make([][]float64, len(t.found))
	for _, r := range t.meshes {
		for i, rival := range t.found {
			row := r.rivals[i]
			if row.state != "" {
				fmt.Printf("| %s | %d | %s | %s | %s | %s | – | – | – | – | – | – | – | – |\n", r.name, r.triangles, rival.tool, rival.call, t.versions[i], row.state)
				continue
			}
			door := r.doors[slices.IndexFunc(doorDrivers, func(d doorDriver) bool { return d.name == rival.door })]
			ratio, all := math.NaN(), math.NaN()
			if door.measured {
				ratio, all = row.cost.query/door.Double, row.cost.sum()/(door.Build+door.Double)
				ratios[i] = append(ratios[i], ratio)
			}
			fmt.Printf("| %s | %d | %s | %s | %s | %d | %.4g | %s | %s | %s | %d | %d | %d | %d |\n", r.name, r.triangles,
				rival.tool, rival.call, t.versions[i], row.answered, row.cost.query*1e9/float64(r.points), rival.door,
				short(ratio), short(all), row.differ, row.verdict.looked-row.verdict.open, row.verdict.ours, row.verdict.theirs)
		}
	}
	header("<tool", "<function", "<language", "meshes", "geometric mean", "least", "largest")
	for i, rival := range t.found {
		if len(ratios[i]) == 0 {
			continue
		}
		sum := 0.0
		for _, x := range ratios[i] {
			sum += math.Log(x)
		}
		fmt.Printf("| %s | %s | %s | %d | %s | %s | %s |\n", rival.tool, rival.call, rival.door, len(ratios[i]),
			short(math.Exp(sum/float64(len(ratios[i])))), short(slices.Min(ratios[i])), short(slices.Max(ratios[i])))
	}
}
