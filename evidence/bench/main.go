// Bench measures inpoly and its peers on the same meshes and points and prints Markdown tables of
// medians and ratios. It needs a clone of the repository, because its go.mod replaces the other
// modules with folders of the clone. evidence/bench/run.sh builds the peers and the data. To judge a change
// of the code, use evidence/bench/compare.sh, which runs the benchmarks of go test on two revisions.
//
// Each table has its own source file:
//
//	cells       cells and raycross against CGAL and three modes of Embree, for random, sorted
//	            and near-surface points and for grids
//	build       seconds to build the indexes, and their memory
//	open        inpoly.Open of binary STL by stages, and its peak memory
//	total       build and query together, for several numbers of triangles and points
//	multipoles  winding numbers by multipoles, against CGAL
//	windings    winding numbers of open meshes, against two methods of libigl
//	distance    signed distances and nearest faces, against CGAL and Embree
//	nearest     closest points with features and normals, against distances; in CPU time
//	boxes       positions of random boxes of several sizes; in CPU time
//	neighbors   pairs of boxes that overlap, against CGAL
//	bullet      pairs of boxes that overlap, at rest and moving, against the dynamic tree of Bullet
//	sections    sections with planes, against CGAL, and integrals
//	corpusdistance  signed distances on a folder of real meshes, against Embree
//	corpus      sides on a folder of real meshes, against CGAL and Embree
//	holes       sides on a sphere with missing faces, against Embree
//	slivers     meshes of long thin faces: the search for intersections, sides and distances near the
//	            surface, and their growth with the number of faces; in CPU time
//	peers       sides on some of these and other meshes, against VTK, OpenCASCADE, three-mesh-bvh and
//	            Manifold, and voxels against OpenVDB; in CPU seconds (rivals.go)
//	rays        first, any and all hits of rays and segments against Embree and CGAL, and intervals of
//	            segments; in CPU seconds
//	broken      wrong answers on broken meshes, against trimesh, Open3D, VTK, PyVista, CGAL, Embree,
//	            libigl, three-mesh-bvh, Warp and cuBQL; evidence/bench/broken.sh prints this table alone
//	versions    two versions of Embree and of CGAL on these meshes, and their speed; evidence/bench/versions.sh
//	            prints this table alone
//	doors       the libraries for C, Python and JavaScript, against Go, VTK, Open3D and three-mesh-bvh;
//	            evidence/bench/doors.sh prints this table alone
//	refit       Solid.Refit against New, for several shares of moved vertices
//	auto        the method that Auto selects, against all methods, on a folder of real meshes
//	process     the command inpoly from start to end, for several numbers of triangles and points
//	blocks      the command inpoly blocks for three solids that are apart, overlap or share walls
//	scale       sides of up to 10⁹ points, and the memory for them
//
// # How time is measured
//
// A call of a program returns the median of three repetitions inside the program. This holds for
// the peers and for inpoly. Calls of inpoly and of the peers alternate, so other load on the
// machine slows both. A table prints the median of the calls. Every call writes its answers, and
// the answers are compared. All programs read the points from the same file.
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

type bench struct {
	bin, data string  // folders of the peers' programs, and of the meshes and points
	corpus    string  // folder of real meshes with a MANIFEST.tsv, or ""
	match     string  // measure only the meshes of the corpus whose path contains this text
	limit     float64 // seconds of the queries of a peer in the tables peers and rays
	most      int     // largest number of points in the tables corpus, holes, peers, auto, process, command and scale
	every     int     // the tables auto and command use one in every meshes
	plots     string  // folder for the plots of the tables open, scale and broken, or ""
	meshes    string  // folder for the meshes and points of the table broken, or ""
	tmp       string
	threads   int
	reps      int  // number of repetitions of a measurement without peers
	calls     int  // number of calls of each peer
	huge      bool // the table open has larger meshes
	quick     bool // small meshes and few repetitions: a smoke test
	ctx       context.Context
}

// tables lists the tables in the order in which they are printed.
var tables = []struct {
	name  string
	print func(*bench) error
}{
	{"cells", (*bench).cellsTable},
	{"build", (*bench).buildTable},
	{"open", (*bench).openTable},
	{"total", (*bench).totalTable},
	{"multipoles", (*bench).multipolesTable},
	{"windings", (*bench).windingsTable},
	{"distance", (*bench).distanceTable},
	{"nearest", (*bench).nearestTable},
	{"boxes", (*bench).boxesTable},
	{"neighbors", (*bench).neighborsTable},
	{"bullet", (*bench).bulletTable},
	{"sections", (*bench).sectionsTable},
	{"corpusdistance", (*bench).corpusDistanceTable},
	{"corpus", (*bench).corpusTable},
	{"holes", (*bench).holesTable},
	{"slivers", (*bench).sliversTable},
	{"peers", (*bench).rivalsTable},
	{"broken", (*bench).brokenTable},
	{"versions", (*bench).versionsTable},
	{"rays", (*bench).raysTable},
	{"doors", (*bench).doorsTable},
	{"refit", (*bench).refitTable},
	{"auto", (*bench).autoTable},
	{"process", (*bench).processTable},
	{"command", (*bench).commandTable},
	{"blocks", (*bench).blocksTable},
	{"scale", (*bench).scaleTable},
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
	flag.StringVar(&b.corpus, "corpus", os.Getenv("INPOLY_CORPUS"), "folder of real meshes with a MANIFEST.tsv")
	flag.StringVar(&b.match, "match", "", "measure only the meshes of the tables corpusdistance, nearest, boxes, peers, rays, command and blocks whose path or name contains this `text`, and the mesh of the tables broken and versions with this name (speed: only the speeds of broken)")
	flag.Float64Var(&b.limit, "limit", 1, "`seconds` after which a peer of the tables peers and rays answers no more points")
	flag.IntVar(&b.most, "most", 10_000_000, "largest number of points in the tables corpus, holes, peers, auto, process, command and scale, and of blocks in the table blocks")
	flag.IntVar(&b.every, "every", 1, "use one in this number of meshes in the tables auto and command")
	flag.IntVar(&b.threads, "threads", 2, "threads of every program")
	flag.IntVar(&b.reps, "reps", 5, "repetitions of ours if no peer takes part; the median counts")
	flag.IntVar(&b.calls, "calls", 3, "calls of every peer, each a median of three; the median counts")
	flag.BoolVar(&b.huge, "huge", false, "the table open also has 8, 34 and 134 million triangles, which take 7 GB of disk and 12 GB of memory")
	flag.BoolVar(&b.quick, "quick", false, "small meshes and few repetitions: a smoke test, no measurement")
	flag.StringVar(&b.plots, "plots", "", "`folder` for the plots of the tables open, scale and broken; without it, no plots are drawn")
	flag.StringVar(&b.meshes, "meshes", "", "`folder` for the meshes and points of the table broken; without it, they are not kept")
	only := flag.String("only", "", "print these tables only, separated by commas: "+strings.Join(names, ", "))
	flag.Parse()
	if err := b.run(*only, names); err != nil {
		log.Fatal(err)
	}
}

func (b *bench) run(only string, names []string) (err error) {
	if b.threads < 1 || b.reps < 1 || b.calls < 1 || b.every < 1 || b.most < 1 || !(b.limit > 0) || flag.NArg() > 0 {
		return fmt.Errorf("-threads, -reps, -calls, -every and -most must be at least 1, -limit must be positive, and bench takes no arguments")
	}
	chosen := names
	if only != "" {
		chosen = strings.Split(only, ",")
		for _, name := range chosen {
			if !slices.Contains(names, name) {
				return fmt.Errorf("-only: no table %q; the tables are %s", name, strings.Join(names, ", "))
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

// stl, f64 and peerPath return the paths of a mesh, of a file of points, and of a peer's program.
func (b *bench) stl(mesh string) string      { return filepath.Join(b.data, mesh+".stl") }
func (b *bench) f64(points string) string    { return filepath.Join(b.data, points+".f64") }
func (b *bench) peerPath(name string) string { return filepath.Join(b.bin, name) }

// header prints the head of a Markdown table. A name that starts with "<" marks a column of text.
// All other columns hold numbers.
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
