package main

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// neighborsJob is one row of the table of neighbors: balls at random places with radii from 1 to
// ratio. The density of the radii is proportional to r^-3. Ogarko & Luding (2012) call this
// distribution uniform volume.
type neighborsJob struct {
	n        int
	ratio    float64
	fraction float64 // sum of the balls' volumes / volume of the cube that contains their centers
}

// neighborsTable measures two searches. The first search finds all overlapping pairs of boxes, as
// CGAL does. The second search finds all overlapping pairs of balls.
func (b *bench) neighborsTable() error {
	header("bodies", "ratio", "fraction", "pairs of boxes", "boxes, first ms", "boxes ms", "<min–max", "ns a box",
		"CGAL ms", "<min–max", "CGAL parallel ms", "CGAL / first", "CGAL / boxes", "<goal", "pairs differ",
		"pairs of balls", "balls, first ms", "balls ms")
	jobs := []neighborsJob{
		{125_001, 50, .62}, {125_001, 50, .1}, {125_001, 1, .62}, {10_000, 50, .62}, {1_000_000, 50, .62},
	}
	if b.quick {
		jobs = []neighborsJob{{1000, 50, .62}}
	}
	for _, j := range jobs {
		if err := b.neighborsRow(j); err != nil {
			return fmt.Errorf("%d bodies: %w", j.n, err)
		}
	}
	return nil
}

func (b *bench) neighborsRow(j neighborsJob) error {
	balls := j.balls()
	boxes := make([]bvh.Box, len(balls))
	for i, s := range balls {
		r := r3.Vector{X: s.Radius, Y: s.Radius, Z: s.Radius}
		boxes[i] = bvh.Box{Min: s.Center.Sub(r), Max: s.Center.Add(r)}
	}
	file := filepath.Join(b.tmp, "boxes.f64")
	if err := writeBoxes(file, boxes); err != nil {
		return err
	}
	var first, again, ballsFirst, ballsAgain, sequential, parallel []float64
	var pairs, ballPairs []neighbor.Pair
	differ := 0
	for range b.calls {
		m := neighbor.NewHierarchicalGrid[bvh.Box](neighbor.GridOptions{Workers: b.threads})
		f, a, err := steps(b, m, boxes)
		if err != nil {
			return err
		}
		first, again = append(first, f), append(again, a)
		pairs = m.Pairs()
		theirs, list, err := b.askBoxes(file, len(boxes))
		if err != nil {
			return err
		}
		sequential, parallel = append(sequential, theirs.Sequential*1e3), append(parallel, theirs.Parallel*1e3)
		differ = differingPairs(pairs, list)
		s := neighbor.NewHierarchicalGrid[neighbor.Sphere](neighbor.GridOptions{Workers: b.threads})
		if f, a, err = steps(b, s, balls); err != nil {
			return err
		}
		ballsFirst, ballsAgain = append(ballsFirst, f), append(ballsAgain, a)
		ballPairs = s.Pairs()
	}
	fmt.Printf("| %d | %g | %g | %d | %.3g | %.3g | %s | %.3g | %.3g | %s | %.3g | %.1f | %.1f | 10× | %d | %d | %.3g | %.3g |\n",
		j.n, j.ratio, j.fraction, len(pairs), median(first), median(again), rates(again).spread(), median(again)*1e6/float64(j.n),
		median(sequential), rates(sequential).spread(), median(parallel), median(sequential)/median(first), median(sequential)/median(again),
		differ, len(ballPairs), median(ballsFirst), median(ballsAgain))
	return nil
}

func (j neighborsJob) balls() []neighbor.Sphere {
	rng := rand.New(rand.NewPCG(1, 2))
	balls := make([]neighbor.Sphere, j.n)
	volume := 0.0
	for i := range balls {
		// The distribution function of r is (1 − r^-2)/(1 − ratio^-2). Its inverse maps a random
		// number to r.
		r := 1 / math.Sqrt(1-rng.Float64()*(1-1/(j.ratio*j.ratio)))
		balls[i].Radius = r
		volume += 4. / 3 * math.Pi * r * r * r
	}
	side := math.Cbrt(volume / j.fraction)
	for i := range balls {
		balls[i].Center = r3.Vector{X: side * rng.Float64(), Y: side * rng.Float64(), Z: side * rng.Float64()}
	}
	return balls
}

// steps returns the milliseconds of the first step, which allocates all memory. It also returns the
// median of three more steps, which rebuild everything in the same memory.
func steps[T neighbor.Body](b *bench, m neighbor.Method[T], bodies []T) (first, again float64, err error) {
	step := func() error { return m.Update(b.ctx, bodies) }
	if first, err = seconds(step); err != nil {
		return 0, 0, err
	}
	again, err = b.call(nothing, step)
	return first * 1e3, again * 1e3, err
}

func writeBoxes(name string, boxes []bvh.Box) error {
	out := make([]byte, 0, 48*len(boxes))
	for _, b := range boxes {
		for _, x := range []float64{b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z} {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	return os.WriteFile(name, out, 0o600)
}

// boxesPeer is the line that the program of CGAL prints. Each time is the median of three runs, in
// seconds.
type boxesPeer struct {
	Boxes      int     `json:"boxes"`
	Pairs      int     `json:"pairs"`
	Threads    int     `json:"threads"`
	Sequential float64 `json:"sequential"`
	Parallel   float64 `json:"parallel"` // time on all threads; on one thread it equals Sequential
}

// askBoxes runs box_self_intersection_d of CGAL. It returns the measurements and the sorted pairs.
func (b *bench) askBoxes(boxes string, n int) (boxesPeer, []neighbor.Pair, error) {
	var p boxesPeer
	file := filepath.Join(b.tmp, "pairs")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return p, nil, err // do not read the answers of an earlier call
	}
	out, err := execute(b.peerPath("cgal_boxes"), boxes, file, strconv.Itoa(b.threads))
	if err != nil {
		return p, nil, err
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return p, nil, fmt.Errorf("cgal_boxes printed %q: %w", out, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return p, nil, err
	}
	if p.Boxes != n || p.Threads != b.threads || len(raw) != 8*p.Pairs {
		return p, nil, fmt.Errorf("cgal_boxes wrote %d bytes for %d pairs of %d boxes on %d threads; expected %d boxes on %d threads",
			len(raw), p.Pairs, p.Boxes, p.Threads, n, b.threads)
	}
	pairs := make([]neighbor.Pair, p.Pairs)
	for i := range pairs {
		pairs[i].A = int32(binary.LittleEndian.Uint32(raw[8*i:]))
		pairs[i].B = int32(binary.LittleEndian.Uint32(raw[8*i+4:]))
	}
	slices.SortFunc(pairs, comparePairs)
	return p, pairs, nil
}

func comparePairs(p, q neighbor.Pair) int {
	return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
}

// differingPairs returns the number of pairs that only one of two sorted lists contains.
func differingPairs(p, q []neighbor.Pair) int {
	n := 0
	for len(p) > 0 && len(q) > 0 {
		switch c := comparePairs(p[0], q[0]); {
		case c < 0:
			n, p = n+1, p[1:]
		case c > 0:
			n, q = n+1, q[1:]
		default:
			p, q = p[1:], q[1:]
		}
	}
	return n + len(p) + len(q)
}
