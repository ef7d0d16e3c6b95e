package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/golang/geo/r3"
)

// cloudsTable measures the command from the files of mesh and points to the file of answers: text,
// arrays, PLY, LAS and Parquet, and text through pipes of growing length.
func (b *bench) cloudsTable() error {
	mesh, n, pipes := "sphere131072", 10_000_000, []int{10_000_000, 50_000_000, 100_000_000}
	if b.quick {
		mesh, n, pipes = "sphere2048", 20_000, []int{10_000, 20_000}
	}
	command := filepath.Join(b.tmp, "inpoly")
	build := exec.CommandContext(b.ctx, "go", "build", "-o", command, "./cmd/inpoly")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	text := filepath.Join(b.tmp, "points.csv")
	if err := writeText(text, n); err != nil {
		return err
	}
	header("<points", "rows", "MB in", "MB out", "seconds", "M points/s, all", "M points/s, stream", "<min–max", "resident MB", "<goal")
	for _, c := range []struct{ name, goal string }{
		{"points.csv", "4 M/s, 300 MB"}, {"points.npy", "30 M/s"}, {"points.parquet", "10 M/s"}, {"points.ply", "–"}, {"points.las", "–"},
	} {
		in := filepath.Join(b.tmp, c.name)
		switch {
		case c.name == "points.npy":
			if err := writeArray(in, n); err != nil {
				return err
			}
		case in != text:
			if out, err := exec.CommandContext(b.ctx, command, b.stl(mesh), text, "--out", in, "--quiet").CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w: %s", c.name, err, out)
			}
		}
		out := filepath.Join(b.tmp, "out"+filepath.Ext(in))
		if err := b.cloudRow(command, mesh, in, out, n, c.goal); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		os.Remove(out)
		if in != text {
			os.Remove(in)
		}
	}
	os.Remove(text)
	fmt.Printf("\nText through pipes, in and out; constant memory is a constant last column:\n\n")
	header("rows", "seconds", "M points/s, all", "resident MB")
	for _, n := range pipes {
		r, err := b.pipe(command, mesh, n)
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %.1f | %.2f | %.0f |\n", n, r.seconds, float64(n)/1e6/r.seconds, r.resident)
	}
	return nil
}

// ran is the cost of one run of the command.
type ran struct {
	seconds, stream float64
	resident        float64 // MB
	points          int
}

// run runs the command. Its standard error ends in its statistics.
func run(cmd *exec.Cmd) (r ran, err error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	ended, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- watch(cmd.Process.Pid, ended) }()
	err = cmd.Wait()
	r.seconds = time.Since(start).Seconds()
	close(ended)
	r.resident = float64(<-peak) / 1e6
	if err != nil {
		return r, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var s struct {
		Points int     `json:"points"`
		Stream float64 `json:"stream_s"`
	}
	if err := json.Unmarshal(stderr.Bytes(), &s); err != nil {
		return r, err
	}
	r.stream, r.points = s.Stream, s.Points
	return r, nil
}

// watch returns the peak of the resident memory of a process in bytes, 0 without the /proc of Linux.
// It samples while the process runs, because the statistics of an ended process include the memory
// of its parent.
func watch(pid int, ended <-chan struct{}) (peak int64) {
	for {
		select {
		case <-ended:
			return peak
		case <-time.After(5 * time.Millisecond):
			if n, ok := peakOf(fmt.Sprintf("/proc/%d/status", pid)); ok {
				peak = max(peak, n)
			}
		}
	}
}

func (b *bench) cloudRow(command, mesh, in, out string, n int, goal string) error {
	var all, stream rates
	var took []float64
	resident := 0.0
	for range max(b.calls, 1) {
		r, err := run(exec.CommandContext(b.ctx, command, b.stl(mesh), in, "--out", out, "--quiet", "--stats", "json"))
		if err != nil {
			return err
		}
		if r.points != n {
			return fmt.Errorf("%d points were answered, not %d", r.points, n)
		}
		all, stream = append(all, perSecond(n, r.seconds)), append(stream, perSecond(n, r.stream))
		took = append(took, r.seconds)
		resident = max(resident, r.resident)
	}
	size := func(path string) float64 {
		fi, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return float64(fi.Size()) / 1e6
	}
	fmt.Printf("| %s | %d | %.0f | %.0f | %.2f | %.2f | %.2f | %s | %.0f | %s |\n", filepath.Ext(in)[1:], n, size(in), size(out), median(took),
		all.median(), stream.median(), all.spread(), resident, goal)
	return nil
}

// pipe writes n rows to the standard input of the command and drops its output.
func (b *bench) pipe(command, mesh string, n int) (ran, error) {
	cmd := exec.CommandContext(b.ctx, command, b.stl(mesh), "-", "--quiet", "--stats", "json")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return ran{}, err
	}
	cmd.Stdout = struct{ io.Writer }{io.Discard} // makes a pipe; io.Discard itself would become the null device
	go func() {
		defer stdin.Close()
		// After an error the command reports another number of rows.
		_ = rowsTo(stdin, n)
	}()
	r, err := run(cmd)
	if err == nil && r.points != n {
		err = fmt.Errorf("%d points were answered, not %d", r.points, n)
	}
	return r, err
}

// writeArray writes an n×3 array of random points, of which at most a million differ.
func writeArray(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	const front = 128 // a multiple of 64, more than enough
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", n)
	fmt.Fprintf(out, "\x93NUMPY\x01\x00%c\x00%-*s\n", front-10, front-11, head)
	pts := cube(min(n, 1_000_000), 1, 3)
	var row [24]byte
	for i := range n {
		p := &pts[i%len(pts)]
		for k, x := range [3]float64{p.X, p.Y, p.Z} {
			binary.LittleEndian.PutUint64(row[8*k:], math.Float64bits(x))
		}
		if _, err := out.Write(row[:]); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// writeText writes a text of n random points.
func writeText(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := rowsTo(f, n); err != nil {
		return err
	}
	return f.Close()
}

// rowsTo writes a header and n rows of random points with six decimals, of which at most a million
// differ.
func rowsTo(w io.Writer, n int) error {
	out := bufio.NewWriterSize(w, 1<<20)
	if _, err := out.WriteString("x,y,z\n"); err != nil {
		return err
	}
	const most = 1_000_000
	var rows []byte
	for _, p := range cube(min(n, most), 1, 3) {
		rows = appendRow(rows, p)
	}
	for ; n >= most; n -= most {
		if _, err := out.Write(rows); err != nil {
			return err
		}
	}
	for range n {
		end := bytes.IndexByte(rows, '\n') + 1
		if _, err := out.Write(rows[:end]); err != nil {
			return err
		}
		rows = rows[end:]
	}
	return out.Flush()
}

func appendRow(dst []byte, p r3.Vector) []byte {
	for i, x := range [3]float64{p.X, p.Y, p.Z} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendFloat(dst, x, 'f', 6, 64)
	}
	return append(dst, '\n')
}
