package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/nearest"
	"github.com/inpoly/inpoly/mesh"
)

type distanceJob struct {
	mesh, points string
	file         string  // file of the points; "" generates points near the surface
	near         float64 // distance of generated points from the surface, divided by the size of the mesh
}

// peerPoints is the number of points that each peer gets. A peer takes up to a minute for a million
// points, and its rate does not depend on the number of points.
const peerPoints = 100_000

// Distances differ if their difference exceeds a tolerance times the size of the mesh.
const (
	doubleTolerance = 1e-12 // for a peer in double precision
	singleTolerance = 1e-6  // for a peer in single precision
)

// distanceTable measures signed distances and nearest faces against two peers. CGAL's AABB tree uses
// double precision. Embree's point queries, which are also part of Open3D, use single precision.
// The distances of the peers have no sign.
func (b *bench) distanceTable() error {
	header("<mesh", "<points", "set-up s", "signed", "<min–max", "unsigned", "CGAL", "<min–max", "CGAL set-up", "Embree", "<min–max", "Embree set-up",
		"signed / CGAL", "signed / Embree", "<goal", "points compared", "CGAL differs", "Embree differs", "signs differ from Side", "singles differ")
	jobs := []distanceJob{
		{mesh: "sphere131072", points: "random", file: "sphere_r1e6"},
		{mesh: "sphere131072", points: "1e-3 off", near: 1e-3},
		{mesh: "foam", points: "random", file: "foam_r1e6"},
		{mesh: "foam", points: "1e-3 off", near: 1e-3},
	}
	if b.quick {
		jobs = jobs[:2]
		jobs[0].mesh, jobs[0].file, jobs[1].mesh = "sphere2048", "sphere_g10", "sphere2048"
	}
	for _, j := range jobs {
		if err := b.distanceRow(j); err != nil {
			return fmt.Errorf("%s, %s: %w", j.mesh, j.points, err)
		}
	}
	return nil
}

func (b *bench) distanceRow(j distanceJob) error {
	m, err := load(b.ctx, b.stl(j.mesh), b.threads)
	if err != nil {
		return err
	}
	pts, err := b.distancePoints(m, j)
	if err != nil {
		return err
	}
	some := pts[:min(len(pts), peerPoints)]
	file := filepath.Join(b.tmp, "some.f64")
	if err := writePoints(file, some); err != nil {
		return err
	}
	var ours, unsigned, cgal, embree rates
	var setups []float64
	var byCGAL, byEmbree distances
	d, face := make([]float64, len(pts)), make([]int32, len(pts))
	single := 0
	sign := 0
	for i := range b.calls {
		s, err := inpoly.New(b.ctx, m, inpoly.Options{Workers: b.threads, ExpectedPoints: int64(len(pts))})
		if err != nil {
			return err
		}
		// The first call also builds the tree and the data that only batches need.
		first, err := seconds(func() error { return s.DistancesTo(b.ctx, d, face, pts) })
		if err != nil {
			return err
		}
		t, err := b.call(nothing, func() error { return s.DistancesTo(b.ctx, d, face, pts) })
		if err != nil {
			return err
		}
		ours = append(ours, perSecond(len(pts), t))
		setups = append(setups, s.Report().Timings.Build.Seconds()+max(0, first-t))
		if byCGAL, err = b.askDistances("cgal_distance", j.mesh, file, len(some)); err != nil {
			return err
		}
		cgal = append(cgal, byCGAL.MQPS)
		near, err := b.unsignedOnly(m, pts)
		if err != nil {
			return err
		}
		unsigned = append(unsigned, near)
		if byEmbree, err = b.askDistances("embree_distance", j.mesh, file, len(some)); err != nil {
			return err
		}
		embree = append(embree, byEmbree.MQPS)
		if i == 0 {
			single, sign = differingSingles(s, pts, d, face)
		}
	}
	size := m.Box().Size()
	scale := max(size.X, size.Y, size.Z)
	fmt.Printf("| %s | %s | %.3f | %.3g | %s | %.3g | %.3g | %s | %.3f | %.3g | %s | %.3f | %.2f | %.2f | 3× | %d | %d | %d | %d | %d |\n",
		j.mesh, j.points, median(setups), ours.median(), ours.spread(), unsigned.median(),
		cgal.median(), cgal.spread(), byCGAL.Build, embree.median(), embree.spread(), byEmbree.Build,
		ours.median()/cgal.median(), ours.median()/embree.median(), len(some),
		byCGAL.differing(d, doubleTolerance*scale), byEmbree.differing(d, singleTolerance*scale), sign, single)
	return nil
}

func (b *bench) distancePoints(m *mesh.Mesh, j distanceJob) ([]r3.Vector, error) {
	if j.file != "" {
		return readPoints(b.f64(j.file))
	}
	n := 1_000_000
	if b.quick {
		n = 1000
	}
	return nearPoints(m, n, j.near, 1)
}

// unsignedOnly returns the rate of a search for nearest faces only. The rate excludes the build.
func (b *bench) unsignedOnly(m *mesh.Mesh, pts []r3.Vector) (float64, error) {
	s, err := buildSearcher(b.ctx, m, b.threads)
	if err != nil {
		return 0, err
	}
	d, face := make([]float64, len(pts)), make([]int32, len(pts))
	if err := s.DistancesTo(b.ctx, d, face, pts, b.threads); err != nil {
		return 0, err
	}
	t, err := b.call(nothing, func() error { return s.DistancesTo(b.ctx, d, face, pts, b.threads) })
	return perSecond(len(pts), t), err
}

// differingSingles compares every 101st distance of a batch with Distance and Side of the same
// point. It returns how many distances or faces differ, and how many signs contradict the side.
func differingSingles(s *inpoly.Solid, pts []r3.Vector, d []float64, face []int32) (single, sign int) {
	for i := 0; i < len(pts); i += 101 {
		x, f := s.Distance(pts[i])
		if math.Float64bits(x) != math.Float64bits(d[i]) || f != face[i] {
			single++
		}
		want := inpoly.Outside
		switch {
		case d[i] < 0:
			want = inpoly.Inside
		case d[i] == 0:
			want = inpoly.OnSurface
		}
		if s.Side(pts[i]) != want {
			sign++
		}
	}
	return single, sign
}

// distances are the answers of a peer.
type distances struct {
	peer
	d    []float64
	face []int32
}

func (b *bench) askDistances(name, mesh, f64 string, points int) (distances, error) {
	return b.askDistancesOf(name, b.stl(mesh), f64, points)
}

// askDistancesOf runs the program of a peer on a mesh file and a file of points.
func (b *bench) askDistancesOf(name, stl, f64 string, points int) (distances, error) {
	file := filepath.Join(b.tmp, "distances")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return distances{}, err // do not read the answers of an earlier call
	}
	out, err := execute(b.peerPath(name), stl, f64, file, strconv.Itoa(b.threads))
	if err != nil {
		return distances{}, err
	}
	a := distances{d: make([]float64, points), face: make([]int32, points)}
	if err := json.Unmarshal(out, &a.peer); err != nil {
		return a, fmt.Errorf("%s printed %q: %w", name, out, err)
	}
	answers, err := os.ReadFile(file)
	if err != nil {
		return a, err
	}
	if a.Points != points || len(answers) != 12*points || a.Threads != b.threads {
		return a, fmt.Errorf("%s on %d threads wrote %d bytes for %d points; expected %d points on %d threads",
			name, a.Threads, len(answers), a.Points, points, b.threads)
	}
	r := bytes.NewReader(answers)
	if err := binary.Read(r, binary.LittleEndian, a.d); err != nil {
		return a, err
	}
	return a, binary.Read(r, binary.LittleEndian, a.face)
}

// differing counts the distances of the peer that differ from ours by more than the tolerance.
func (a *distances) differing(d []float64, tolerance float64) int {
	n := 0
	for i, x := range a.d {
		if !(math.Abs(x-math.Abs(d[i])) <= tolerance) {
			n++
		}
	}
	return n
}

func buildSearcher(ctx context.Context, m *mesh.Mesh, threads int) (*nearest.Searcher, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: threads})
	if err != nil {
		return nil, err
	}
	return nearest.New(x), nil
}
