package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/mesh"
)

// openTable measures winding numbers of meshes with holes at ε = 1e-6, beside one ray and the sum
// over all boundary edges. It removes the same faces as the peer.
func (b *bench) openTable() error {
	header("<mesh", "removed", "boundary edges", "<way", "set-up s", "M points/s", "<min–max", "one ray", "ours / one ray", "<goal", "largest bound", "largest error", "points compared")
	jobs := []struct{ mesh, points string }{{"sphere131072", "sphere_g40"}, {"foam", "foam_g40"}}
	if b.quick {
		jobs = jobs[:1]
		jobs[0].mesh, jobs[0].points = "sphere2048", "sphere_g10"
	}
	for _, j := range jobs {
		m, err := load(b.ctx, b.stl(j.mesh), b.threads)
		if err != nil {
			return err
		}
		for _, share := range []float64{1e-4, 1e-3, 1e-2} {
			if err := b.openRow(m, j.mesh, j.points, share); err != nil {
				return fmt.Errorf("%s less %g of its faces: %w", j.mesh, share, err)
			}
		}
	}
	return nil
}

// openEpsilon is the default error of winding numbers of open meshes under Auto. openExpected is the
// expected number of points of the plan, more than are asked: enough to make the preparation
// worthwhile.
const (
	openEpsilon  = 1e-6
	openExpected = 1_000_000
)

func (b *bench) openRow(whole *mesh.Mesh, name, points string, share float64) error {
	soup := mesh.Soup{Vertices: slices.Clone(whole.Vertices)}
	random := newLibcRandom(1)
	for _, f := range whole.Faces {
		if float64(random.next()) > share*libcMax {
			soup.Faces = append(soup.Faces, f)
		}
	}
	m, err := mesh.NewOwned(b.ctx, soup, mesh.Options{Workers: b.threads})
	if err != nil {
		return err
	}
	pts, err := readPoints(b.f64(points))
	if err != nil {
		return err
	}
	w, bound := make([]float64, len(pts)), make([]float64, len(pts))
	var rate, peer rates
	var setups []float64
	reason := ""
	for range b.calls {
		s, err := inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.FMM, Epsilon: openEpsilon, Workers: b.threads, ExpectedPoints: openExpected})
		if err != nil {
			return err
		}
		setups = append(setups, s.Report().Timings.Build.Seconds())
		reason = s.Report().MethodReason
		t, err := b.call(nothing, func() error { return s.WindingsTo(b.ctx, w, bound, pts) })
		if err != nil {
			return err
		}
		rate = append(rate, perSecond(len(pts), t))
		p, edges, err := b.askOneRay(b.stl(name), b.f64(points), share)
		if err != nil {
			return err
		}
		if edges != len(m.Boundary()) {
			return fmt.Errorf("the peer has %d boundary edges, not %d", edges, len(m.Boundary()))
		}
		peer = append(peer, p)
	}
	tris := trianglesOf(m)
	c, err := b.compare(tris, pts, w, bound)
	if err != nil {
		return err
	}
	goal := "10×"
	if len(m.Boundary()) < 100 {
		goal = "1×"
	}
	fmt.Printf("| %s | %g | %d | %s | %.3f | %.3g | %s | %.3g | %.2f | %s | %.2g | %.2g | %d |\n", name, share, len(m.Boundary()), reason, median(setups),
		rate.median(), rate.spread(), peer.median(), rate.median()/peer.median(), goal, c.largest, c.worst, c.points)
	return nil
}

// askOneRay runs the peer, which prints a line of text, and returns its rate and the
// number of boundary edges.
func (b *bench) askOneRay(stl, f64 string, share float64) (rate float64, edges int, err error) {
	out, err := execute(b.program("oneray"), stl, f64, "-", strconv.Itoa(b.threads), strconv.FormatFloat(share, 'g', -1, 64))
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(out))
	for i := 1; i < len(fields); i++ {
		switch {
		case fields[i-1] == "boundary":
			edges, err = strconv.Atoi(fields[i])
		case fields[i] == "Mq/s":
			rate, err = strconv.ParseFloat(fields[i-1], 64)
		}
		if err != nil {
			break
		}
	}
	if err != nil || rate == 0 {
		return 0, 0, fmt.Errorf("oneray printed %q", out)
	}
	return rate, edges, nil
}

// libcRandom is rand() of the GNU C library: an additive feedback generator over 31
// words, seeded by a linear one, whose first 310 numbers are thrown away.
type libcRandom struct {
	state [31]uint32
	at    int
}

// libcMax is RAND_MAX.
const libcMax = 1<<31 - 1

func newLibcRandom(seed int64) *libcRandom {
	r := &libcRandom{at: 3}
	r.state[0] = uint32(seed)
	for i := 1; i < len(r.state); i++ {
		seed = seed * 16807 % libcMax
		r.state[i] = uint32(seed)
	}
	for range 310 {
		r.next()
	}
	return r
}

func (r *libcRandom) next() uint32 {
	i := r.at
	r.at = (i + 1) % 31
	// The word of 31 steps ago is here, the word of 3 steps ago 28 further on.
	r.state[i] += r.state[(i+28)%31]
	return r.state[i] >> 1
}
