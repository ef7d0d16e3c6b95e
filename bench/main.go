// Bench measures inpoly and its peers on the same meshes and points, in turn, and
// prints Markdown tables of medians and ratios. It works in a clone of the repository
// only: its go.mod replaces the other modules by the folders beside it. bench/run.sh builds
// the peers and the data. To decide about a change of the code, use bench/compare.sh instead: it
// runs the benchmarks of go test on two revisions.
//
// Each table is in a file of its own:
//
//	query   the ray-crossing method beside CGAL and Embree
//	cells   cells beside raycross, CGAL and three ways to use Embree: random,
//	        sorted and near-surface points, grids
//	memory  the limit that memory sets
//	build   seconds to build the indexes, and their memory
//	scale   cells from 2 thousand to 8.4 million triangles, one thread and all
//	total   build and query together, for pairs of triangles and points
//	multipoles  winding numbers by multipoles, beside CGAL
//	potential   the same, not rounded, at several errors
//	open    winding numbers of meshes with holes, beside one ray and a boundary sum
//	depth   build and evaluation by multipoles over the depth of the tree
//	distance  signed distances and nearest faces, beside CGAL and Embree
//	neighbors  pairs of boxes that overlap, beside CGAL
//	motion  steps of bodies that move little, by each neighbor method, and of a tower
//	dynamics  steps of balls, disks and polygons, on one thread and on all
//	collide  steps of moving bodies and their contacts, with every method
//	clouds  the command from file to file, and through pipes
//	load    reading and welding files
//	cancel  time from the cancellation of a context to the end of the call
//
// # How time is measured
//
// One call of a program is the median of three repetitions inside it, for peers
// and for inpoly alike. Calls of inpoly and of the peers alternate, so other load of the
// machine affects both, and the median of the calls counts. Every call writes its answers, and
// they are compared. All programs read the points from the same file.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// bench holds the options of all tables.
type bench struct {
	bin, data string // folders of the peers' programs; of the meshes and points
	tmp       string // folder for files of this run
	threads   int
	reps      int  // repetitions of ours if no peer takes part
	calls     int  // calls of every peer
	quick     bool // small meshes and few repetitions: a smoke test
	ctx       context.Context
}

// tables in the order in which they are printed.
var tables = []struct {
	name  string
	print func(*bench) error
}{
	{"query", (*bench).queryTable},
	{"cells", (*bench).cellsTable},
	{"memory", (*bench).memoryTable},
	{"build", (*bench).buildTable},
	{"scale", (*bench).scaleTable},
	{"total", (*bench).totalTable},
	{"multipoles", (*bench).multipolesTable},
	{"potential", (*bench).potentialTable},
	{"open", (*bench).openTable},
	{"depth", (*bench).depthTable},
	{"distance", (*bench).distanceTable},
	{"neighbors", (*bench).neighborsTable},
	{"motion", (*bench).motionTable},
	{"dynamics", (*bench).dynamicsTable},
	{"collide", (*bench).collideTable},
	{"clouds", (*bench).cloudsTable},
	{"load", (*bench).loadTable},
	{"cancel", (*bench).cancelTable},
}

func main() {
	log.SetFlags(0)
	var names []string
	for _, t := range tables {
		names = append(names, t.name)
	}
	b := &bench{ctx: context.Background()}
	flag.StringVar(&b.bin, "peers", "", "folder of the peers' programs")
	flag.StringVar(&b.data, "data", "", "folder of the meshes and points")
	flag.IntVar(&b.threads, "threads", 2, "threads of every program")
	flag.IntVar(&b.reps, "reps", 5, "repetitions of ours if no peer takes part; the median counts")
	flag.IntVar(&b.calls, "calls", 3, "calls of every peer, each a median of three; the median counts")
	flag.BoolVar(&b.quick, "quick", false, "small meshes and few repetitions: a smoke test, no measurement")
	only := flag.String("only", "", "print these tables only, separated by commas: "+strings.Join(names, ", "))
	flag.Parse()
	if err := b.run(*only, names); err != nil {
		log.Fatal(err)
	}
}

func (b *bench) run(only string, names []string) (err error) {
	if b.threads < 1 || b.reps < 1 || b.calls < 1 || flag.NArg() > 0 {
		return fmt.Errorf("want threads, reps and calls ≥ 1, and no arguments")
	}
	chosen := names
	if only != "" {
		chosen = strings.Split(only, ",")
		for _, name := range chosen {
			if !slices.Contains(names, name) {
				return fmt.Errorf("no table %q: want %s", name, strings.Join(names, ", "))
			}
		}
	}
	if b.quick {
		b.reps, b.calls = 1, 1
	}
	if b.tmp, err = os.MkdirTemp("", "inpoly-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	runtime.GOMAXPROCS(b.threads)

	fmt.Printf("%s, %s/%s, %d threads, medians; query rates in million points a second, builds in seconds.\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, b.threads)
	if b.quick {
		fmt.Println("\nA smoke test: small meshes, single runs. The figures mean nothing.")
	}
	for _, t := range tables {
		if !slices.Contains(chosen, t.name) {
			continue
		}
		start := time.Now()
		if err := t.print(b); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		runtime.GC()
		log.Printf("%s: %.0f s", t.name, time.Since(start).Seconds())
	}
	return nil
}

// stl, f64 and program return the paths of a mesh, of points and of a peer.
func (b *bench) stl(mesh string) string     { return filepath.Join(b.data, mesh+".stl") }
func (b *bench) f64(points string) string   { return filepath.Join(b.data, points+".f64") }
func (b *bench) program(name string) string { return filepath.Join(b.bin, name) }

// header prints the head of a Markdown table. Columns that start with "<" are text, all others
// numbers.
func header(columns ...string) {
	fmt.Println()
	rule := "|"
	for _, c := range columns {
		text, left := strings.CutPrefix(c, "<")
		fmt.Printf("| %s ", text)
		if left {
			rule += " --- |"
		} else {
			rule += " ---: |"
		}
	}
	fmt.Printf("|\n%s\n", rule)
}
