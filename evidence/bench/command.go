package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// commandRow holds the measurements of one mesh and number of points.
type commandRow struct {
	name              string
	triangles, points int
	method            string
	wall, cpu         float64 // seconds of the whole process
	embree            float64 // seconds of Embree's queries alone
	mode              string
}

func (r *commandRow) ratio() float64 { return r.embree / r.wall }

// commandTable measures the command `inpoly part.stl points.npy --out answers.npy` as a process on the closed meshes of a
// folder, for random points in the box. It compares with the queries of Embree alone, which exclude reading, building and
// writing. The answers are a new file. All files are in the file cache.
func (b *bench) commandTable() error {
	if b.corpus == "" {
		log.Print("command: skipped, because INPOLY_CORPUS is not set")
		return nil
	}
	names, err := manifest(b.corpus)
	if err != nil {
		return err
	}
	command, err := b.buildCommand()
	if err != nil {
		return err
	}
	header("<mesh", "triangles", "points", "<method", "wall ms", "CPU ms", "Embree's queries ms", "<mode", "Embree / command")
	rows, closed := map[int][]commandRow{}, 0
	for _, name := range names {
		m, err := load(b.ctx, filepath.Join(b.corpus, name), b.threads)
		if err != nil || m.NumFaces() < leastTriangles || !m.Closed() {
			continue // the corpus contains broken files on purpose
		}
		if closed++; (closed-1)%b.every != 0 || !strings.Contains(name, b.match) {
			continue
		}
		if b.quick && len(rows[1_000_000]) > 0 {
			break
		}
		for _, n := range []int{1_000_000, 10_000_000} {
			if n > b.most || b.quick && n > 1_000_000 {
				break
			}
			r := commandRow{name: name, triangles: m.NumFaces(), points: n}
			if err := b.commandRow(command, m, &r); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Printf("| %s | %d | %d | %s | %.3g | %.3g | %.3g | %s | %.2f |\n", r.name, r.triangles, n, r.method,
				1e3*r.wall, 1e3*r.cpu, 1e3*r.embree, r.mode, r.ratio())
			rows[n] = append(rows[n], r)
		}
	}
	header("points", "number", "geometric mean", "median", "<five least")
	for _, n := range []int{1_000_000, 10_000_000} {
		some, sum, worst := rows[n], 0.0, []string(nil)
		if len(some) == 0 {
			continue
		}
		slices.SortFunc(some, func(a, b commandRow) int { return cmp.Compare(a.ratio(), b.ratio()) })
		for i := range some {
			sum += math.Log(some[i].ratio())
			if i < 5 {
				worst = append(worst, fmt.Sprintf("%s %.2f", filepath.Base(some[i].name), some[i].ratio()))
			}
		}
		fmt.Printf("| %d | %d | %.2f | %.2f | %s |\n", n, len(some), math.Exp(sum/float64(len(some))), some[len(some)/2].ratio(), strings.Join(worst, ", "))
	}
	return nil
}

// commandRow measures the command and Embree in turn.
func (b *bench) commandRow(command string, m *mesh.Mesh, r *commandRow) error {
	stl, npy, f64, out := filepath.Join(b.tmp, "command.stl"), filepath.Join(b.tmp, "command.npy"), filepath.Join(b.tmp, "command.f64"), filepath.Join(b.tmp, "command-out.npy")
	pts := inBox(m, r.points)
	for _, write := range []func() error{
		func() error { return writeSTL(stl, m) },
		func() error { return writePoints(f64, pts) },
		func() error { return writeNPY(npy, pts) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	modes := make([]rates, len(embreeModes))
	var walls, cpus []float64
	for range b.calls {
		for i, mode := range embreeModes {
			var p processRun
			if err := os.Remove(out); err != nil && !os.IsNotExist(err) {
				return err
			}
			args := []string{stl, npy, "--out", out, "--workers", strconv.Itoa(b.threads), "--stats", "json", "--quiet"}
			if err := p.run(command, args, &p.stats); err != nil {
				return err
			}
			walls, cpus, r.method = append(walls, p.wall), append(cpus, p.cpu), p.stats.Method
			answer, _, err := b.ask("embree", stl, f64, r.points, mode...)
			if err != nil {
				return err
			}
			modes[i] = append(modes[i], answer.MQPS)
		}
	}
	best := fastest(modes)
	r.wall, r.cpu = median(walls), median(cpus)
	r.embree, r.mode = float64(r.points)/modes[best].median()/1e6, strings.Join(embreeModes[best], " ")
	return nil
}

// writeNPY writes an array of shape (n, 3) of float64 numbers.
func writeNPY(path string, pts []r3.Vector) error {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", len(pts))
	for (len(head)+11)%64 != 0 {
		head += " "
	}
	head += "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	_, _ = w.Write(append(data, head...)) // Flush returns the error
	var line []byte
	for _, p := range pts {
		line = line[:0]
		for _, x := range [...]float64{p.X, p.Y, p.Z} {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(x))
		}
		_, _ = w.Write(line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
