package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/evidence/repro/chart"
)

// openTable measures inpoly.Open of binary STL files and the report: the stages of Report.Timings, and
// the peak memory of the process. A file has the triangles of a
// refined octahedron in one of two orders. In the order near, consecutive triangles are usually
// neighbors. In the order far, they lie in different octants, so no cache helps.
func (b *bench) openTable() error {
	header("triangles", "<order", "load s", "weld s", "diagnose s", "index s", "all s", "<min–max", "ns/triangle",
		"peak MB", "peak B/triangle", "Embree s", "all / Embree")
	f := chart.Chart{Name: "open", Title: "Opening a binary STL file: neighboring triangles near each other in the file, and far", X: "triangles", Y: "ns per triangle", LogX: true, LogY: true}
	levels := []int{4, 5, 6, 7, 8, 9}
	if b.quick {
		levels = levels[:1]
	}
	if b.huge {
		levels = append(levels, 10, 11, 12)
	}
	for _, level := range levels {
		for _, order := range []string{"near", "far"} {
			if err := b.openRow(level, order, &f); err != nil {
				return fmt.Errorf("level %d, order %s: %w", level, order, err)
			}
		}
	}
	return b.draw(&f)
}

// openRow prints a row, and adds its point to f.
// largestForPeer is the level of the largest sphere for Embree, which needs several hundred bytes for
// each triangle.
const largestForPeer = 10

func (b *bench) openRow(level int, order string, f *chart.Chart) error {
	path := filepath.Join(b.tmp, "sphere.stl")
	n, err := writeSphere(path, level, order == "far")
	if err != nil {
		return err
	}
	defer os.Remove(path)
	var stages [4][]float64
	var all, embree []float64
	peak := int64(0)
	for round, start := 0, time.Now(); round < b.reps || b.another(round, time.Since(start)); round++ {
		debug.FreeOSMemory()
		before, err := resetPeak()
		if err != nil {
			return err
		}
		var s *inpoly.Solid
		t, err := seconds(func() (err error) {
			if s, err = inpoly.Open(b.ctx, path, inpoly.Options{Workers: b.threads}); err == nil {
				s.Report() // diagnoses the mesh
			}
			return err
		})
		if err != nil {
			return err
		}
		after, err := statusBytes("VmHWM:")
		if err != nil {
			return err
		}
		timings := s.Report().Timings
		for i, d := range []time.Duration{timings.Load, timings.Weld, timings.Diagnose, timings.Build} {
			stages[i] = append(stages[i], d.Seconds())
		}
		all, peak = append(all, t), max(peak, after-before)
		runtime.KeepAlive(s)
		s = nil
		if b.bin != "" && round < b.calls && level <= largestForPeer {
			const points = "sphere_g10"
			p, _, err := b.ask("embree", path, b.f64(points), 1000, embreeModes[0]...)
			if err != nil {
				return err
			}
			embree = append(embree, p.Build)
		}
	}
	addPoint(f, "order "+order, float64(n), median(all)/float64(n)*1e9)
	them, ratio := "–", "–"
	if len(embree) > 0 {
		them, ratio = fmt.Sprintf("%.4g", median(embree)), fmt.Sprintf("%.2f", median(all)/median(embree))
	}
	fmt.Printf("| %d | %s | %.4g | %.4g | %.4g | %.4g | %.4g | %s | %.0f | %.0f | %.0f | %s | %s |\n", n, order,
		median(stages[0]), median(stages[1]), median(stages[2]), median(stages[3]), median(all), span(all),
		median(all)/float64(n)*1e9, float64(peak)/1e6, float64(peak)/float64(n), them, ratio)
	return nil
}

// resetPeak sets the peak of the resident memory to the present resident memory and returns it.
func resetPeak() (int64, error) {
	const peak = "5" // resets the peak resident set size; see proc(5)
	if err := os.WriteFile("/proc/self/clear_refs", []byte(peak), 0); err != nil {
		return 0, err
	}
	return statusBytes("VmHWM:")
}

// statusBytes returns a size in /proc/self/status in bytes.
func statusBytes(key string) (int64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), key)
	var kb int64
	_, err = fmt.Sscan(after, &kb)
	return kb << 10, err
}

// writeSphere writes a sphere of 8·4^level triangles as binary STL, without its normals.
func writeSphere(path string, level int, far bool) (triangles int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	triangles = 8 << (2 * level)
	var head [84]byte
	binary.LittleEndian.PutUint32(head[80:], uint32(triangles))
	if _, err := out.Write(head[:]); err != nil {
		return 0, err
	}
	var record [50]byte
	for i := range triangles {
		for k, p := range sphereTriangle(i, level, far) {
			for d, x := range [3]float64{p.X, p.Y, p.Z} {
				binary.LittleEndian.PutUint32(record[12+12*k+4*d:], math.Float32bits(float32(x)))
			}
		}
		if _, err := out.Write(record[:]); err != nil {
			return 0, err
		}
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	return triangles, f.Close()
}

// sphereTriangle returns triangle i of a sphere. Two bits of i for each level choose one of four
// children. In the order near, the highest bits choose the face of the octahedron, and the lowest
// bits choose the child in the last level. In the order far, the lowest bits choose the face of the
// octahedron, and the highest bits choose the child in the last level.
func sphereTriangle(i, level int, far bool) [3]r3.Vector {
	face, path := i>>(2*level), i
	if far {
		face = i & 7
		path = 0
		for k := range level {
			path |= i >> (3 + 2*k) & 3 << (2 * (level - 1 - k))
		}
	}
	axis := func(bit int, v r3.Vector) r3.Vector {
		if face>>bit&1 == 1 {
			return v.Mul(-1)
		}
		return v
	}
	a, b, c := axis(0, r3.Vector{X: 1}), axis(1, r3.Vector{Y: 1}), axis(2, r3.Vector{Z: 1})
	if face&1^face>>1&1^face>>2&1 == 1 {
		b, c = c, b
	}
	for k := level - 1; k >= 0; k-- {
		ab, bc, ca := a.Add(b).Normalize(), b.Add(c).Normalize(), c.Add(a).Normalize()
		switch path >> (2 * k) & 3 {
		case 0:
			b, c = ab, ca
		case 1:
			a, c = ab, bc
		case 2:
			a, b = ca, bc
		default:
			a, b, c = ab, bc, ca
		}
	}
	return [3]r3.Vector{a, b, c}
}
