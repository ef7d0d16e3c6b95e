// Bench measures inpoly and its peers on the same meshes and points, in turn, and
// prints a Markdown table of medians and ratios. bench/run.sh builds the peers
// and the data that it needs.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// job is one row: a mesh and points for it.
type job struct{ mesh, points string }

var jobs = []job{
	{"sphere131072", "sphere_r1e6"},
	{"sphere2097152", "sphere_r1e6"},
	{"foam", "foam_r1e6"},
}

// peer is one line that a peer's driver prints.
type peer struct {
	Build float64 `json:"build"`
	MQPS  float64 `json:"mqps"`
}

func main() {
	log.SetFlags(0)
	bin := flag.String("peers", "", "folder of the peers' programs")
	data := flag.String("data", "", "folder of the meshes and points")
	threads := flag.Int("threads", 2, "threads of every program")
	reps := flag.Int("reps", 5, "repetitions of ours; the median counts")
	only := flag.String("only", "", "just one of the tables: query, load or cancel")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)

	fmt.Printf("%s, %s/%s, %d threads, medians; query rates in million points a second, tree builds in seconds.\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, *threads)
	tables := []struct {
		name  string
		print func() error
	}{
		{"query", func() error { return queryTable(*bin, *data, *threads, *reps) }},
		{"load", func() error { return loadTable(*data, *reps) }},
		{"cancel", func() error { return cancelTable(*data, *threads) }},
	}
	for _, t := range tables {
		if *only != "" && *only != t.name {
			continue
		}
		if err := t.print(); err != nil {
			log.Fatalf("%s: %v", t.name, err)
		}
	}
}

func queryTable(bin, data string, threads, reps int) error {
	fmt.Println("| mesh | points | inpoly raycross | CGAL | ratio | Embree parity | ratio | build inpoly | build CGAL | ratio | differ from CGAL |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, j := range jobs {
		if err := row(j, bin, data, threads, reps); err != nil {
			return fmt.Errorf("%s: %w", j.mesh, err)
		}
	}
	return nil
}

func row(j job, bin, data string, threads, reps int) error {
	stl := filepath.Join(data, j.mesh+".stl")
	f64 := filepath.Join(data, j.points+".f64")
	answers, err := os.CreateTemp("", "inpoly-bench")
	if err != nil {
		return err
	}
	answers.Close()
	defer os.Remove(answers.Name())

	pts, err := readPoints(f64)
	if err != nil {
		return err
	}
	build, query, sides, err := ours(stl, pts, threads, reps)
	if err != nil {
		return err
	}
	cgal, err := run(filepath.Join(bin, "cgal"), stl, f64, answers.Name(), strconv.Itoa(threads))
	if err != nil {
		return err
	}
	differ, err := differences(answers.Name(), sides)
	if err != nil {
		return err
	}
	embree, err := run(filepath.Join(bin, "embree"), stl, f64, answers.Name(), strconv.Itoa(threads), "occ16", "g")
	if err != nil {
		return err
	}
	rate := float64(len(pts)) / query / 1e6
	fmt.Printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.3f | %.3f | %.2f | %d |\n",
		j.mesh, j.points, rate, cgal.MQPS, rate/cgal.MQPS, embree.MQPS, rate/embree.MQPS,
		build, cgal.Build, build/cgal.Build, differ)
	return nil
}

// ours returns the median seconds of building the index and of answering all
// points, and the answers.
func ours(stl string, pts []r3.Vector, threads, reps int) (build, query float64, sides []inpoly.Side, err error) {
	ctx := context.Background()
	var builds, queries []float64
	var solid *inpoly.Solid
	for range reps {
		runtime.GC()
		solid, err = inpoly.Open(ctx, stl, inpoly.Options{Method: inpoly.RayCrossing, Workers: threads})
		if err != nil {
			return 0, 0, nil, err
		}
		builds = append(builds, solid.Timings().Build.Seconds())
	}
	sides = make([]inpoly.Side, len(pts))
	for range reps {
		start := time.Now()
		if err := solid.SidesTo(ctx, sides, pts); err != nil {
			return 0, 0, nil, err
		}
		queries = append(queries, time.Since(start).Seconds())
	}
	return median(builds), median(queries), sides, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func run(name string, args ...string) (peer, error) {
	var out, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return peer{}, fmt.Errorf("%s: %w: %s", name, err, stderr.String())
	}
	var p peer
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		return peer{}, fmt.Errorf("%s printed %q: %w", name, out.String(), err)
	}
	return p, nil
}

// differences counts the points where a peer's answers (a byte each: 0 out, 1
// in, 2 on) are not ours.
func differences(name string, sides []inpoly.Side) (int, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	if len(b) != len(sides) {
		return 0, fmt.Errorf("%d answers for %d points", len(b), len(sides))
	}
	code := map[inpoly.Side]byte{inpoly.Outside: 0, inpoly.Inside: 1, inpoly.OnSurface: 2, inpoly.Unknown: 255}
	n := 0
	for i, s := range sides {
		if code[s] != b[i] {
			n++
		}
	}
	return n, nil
}

// readPoints reads raw little-endian float64 x, y, z.
func readPoints(name string) ([]r3.Vector, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	var pts []r3.Vector
	var b [24]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err == io.EOF {
			return pts, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }
		pts = append(pts, r3.Vector{X: c(0), Y: c(1), Z: c(2)})
	}
}
