// Command budget runs the commands of inpoly with memory limits and measures the memory of the processes.
//
//	go build -o /tmp/inpoly ../cmd/inpoly && go run ./budget -inpoly /tmp/inpoly [-corpus DIR] [-limits 64M,256M,1G]
//
// The command makes large inputs in a temporary folder. The memory of a process is its peak memory without pages of
// files. A run is right if this memory is at most 64 MB above the limit. The command must also end with exit code 0, or
// report that the memory limit is too small. The table has a row for each command. Exit code 1 means that a run was not
// right. With -corpus, the tool also checks and measures each mesh in the folder, and prints the worst meshes only.
//
// Budget needs Linux.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// allowed is the number of bytes that a process can have above its limit.
const allowed = 64 << 20

func main() {
	inpoly := flag.String("inpoly", "inpoly", "the program to measure")
	corpus := flag.String("corpus", "", "a folder of meshes")
	limits := flag.String("limits", "64M,256M,1G", "values of --max-memory")
	only := flag.String("run", "", "run only the commands that match this regular expression")
	flag.Parse()
	if err := run(*inpoly, *corpus, strings.Split(*limits, ","), *only); err != nil {
		fmt.Fprintln(os.Stderr, "budget:", err)
		os.Exit(1)
	}
}

func run(inpoly, corpus string, limits []string, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if inpoly, err = filepath.Abs(inpoly); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "budget")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	m := &meter{program: inpoly, folder: folder, limits: limits}
	if err := m.inputs(); err != nil {
		return err
	}
	fmt.Printf("| command | %s |\n| --- |%s\n", strings.Join(limits, " | "), strings.Repeat(" --- |", len(limits)))
	for _, args := range commands {
		if match.MatchString(args) {
			m.row(args)
		}
	}
	if corpus != "" {
		if err := m.corpus(corpus); err != nil {
			return err
		}
	}
	fmt.Printf("\n%d runs, %d not right.\n", m.runs, m.wrong)
	if m.wrong > 0 {
		return errors.New("some runs took too much memory or failed otherwise")
	}
	return nil
}

// commands are the measured commands. Their files are in the folder of inputs.
var commands = []string{
	"sphere.stl points.npy --out out.npy",
	"sphere.stl points.npy --winding --distance --out out.npy",
	"sphere.stl points.csv --out out.csv",
	"sphere.stl points.csv --out out.parquet",
	"sphere.stl wide.csv --out out.csv",
	"sphere.stl points.npy --method fmm --epsilon 1e-6 --out out.npy",
	"sphere.stl foam.stl sphere.stl foam.stl points.csv --body all --out out.csv",
	"foam.stl points.npy --weld 1e-6 --out out.npy",
	"foam.stl points.npy --orient=always --distance --out out.npy",
	"check sphere.stl",
	"check foam.stl --json",
	"check turned.stl",
	"explain sphere.stl 0.1,0.2,0.3",
	"voxels sphere.stl --dims 600,600,600 --out out.npy",
	"voxels foam.stl --dims 200,200,200 --fraction 4 --error --out out.vti",
	"voxels foam.stl --dims 200,200,200 --distance --out out.npy",
	"blocks sphere.stl foam.stl --origin -1,-1,-1 --size 0.01 --counts 200,200,200 --out out.parquet",
	"rays foam.stl rays.npy --all --out out.npy",
	"rays foam.stl foam.stl rays.npy --out out.npy",
	"segments foam.stl segments.npy --out out.npy",
	"section foam.stl --every 0.01 --out out.svg",
	"section foam.stl --every 0.01 --json --out out.json",
	"measure foam.stl",
	"measure sphere.stl --json",
	"view foam.stl points.npy --out out.html",
	"collide four.json --out out.csv",
	"collide bodies.json --out out.csv",
	"collide many.json --out out.csv",
	"make sphere --refine 10 --out out.stl",
	"make foam --cells 20 --resolution 200 --out out.obj",
}

// inputs makes the files of the commands.
func (m *meter) inputs() error {
	for _, args := range []string{
		"make sphere --refine 8 --out sphere.stl",
		"make foam --cells 40 --resolution 120 --out foam.stl",
		"make sphere --refine 2 --out ball.stl",
	} {
		c := exec.Command(m.program, strings.Fields(args)...)
		c.Dir = m.folder
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", args, err, out)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 2.2*r.Float64() - 1.1
		}
		return x
	}
	if err := errors.Join(
		m.npy("points.npy", numbers(3*5_000_000), 3),
		m.npy("rays.npy", numbers(6*1_000_000), 6),
		m.npy("segments.npy", numbers(6*1_000_000), 6),
		m.csv("points.csv", 2_000_000, 3, r), m.csv("wide.csv", 50_000, 400, r),
		m.turned(),
	); err != nil {
		return err
	}
	file := func(name, text string) error { return os.WriteFile(filepath.Join(m.folder, name), []byte(text), 0o600) }
	repeat := func(body string, n int) string {
		return `{"bodies": [` + strings.TrimSuffix(strings.Repeat(body+",", n), ",") + `]}`
	}
	return errors.Join(
		file("four.json", repeat(`{"mesh": "foam.stl"}`, 4)),
		file("bodies.json", repeat(`{"mesh": "ball.stl"}`, 100)),
		file("many.json", repeat(`{"mesh": "ball.stl", "poses": [[0,0,0,0],[1,1,0,0]]}`, 120)),
	)
}

// npy writes float64 numbers with the given number of columns.
func (m *meter) npy(name string, x []float64, columns int) error {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", len(x)/columns, columns)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	data = append(data, header...)
	for _, v := range x {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return os.WriteFile(filepath.Join(m.folder, name), data, 0o600)
}

// csv writes rows of random numbers between -1.1 and 1.1. The first columns are x, y and z.
func (m *meter) csv(name string, rows, columns int, r *rand.Rand) error {
	f, err := os.Create(filepath.Join(m.folder, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	w.WriteString("x,y,z")
	for c := 3; c < columns; c++ {
		fmt.Fprintf(w, ",c%d", c)
	}
	for range rows {
		for c := range columns {
			w.WriteByte("\n,"[min(1, c)])
			w.Write(strconv.AppendFloat(nil, 2.2*r.Float64()-1.1, 'g', 9, 64))
		}
	}
	w.WriteByte('\n')
	return errors.Join(w.Flush(), f.Close())
}

// turned writes the sphere with every second face turned over. It has as many defects as edges.
func (m *meter) turned() error {
	data, err := os.ReadFile(filepath.Join(m.folder, "sphere.stl"))
	if err != nil {
		return err
	}
	for at := 84; at+50 <= len(data); at += 100 {
		var corner [12]byte
		copy(corner[:], data[at+12:])
		copy(data[at+12:], data[at+24:at+36])
		copy(data[at+24:], corner[:])
	}
	return os.WriteFile(filepath.Join(m.folder, "turned.stl"), data, 0o600)
}

// meter runs commands and counts the runs.
type meter struct {
	program, folder string
	limits          []string
	runs, wrong     int
}

// row runs a command with all limits and prints a row of the table.
func (m *meter) row(args string) {
	cells := make([]string, len(m.limits))
	for i, limit := range m.limits {
		r := m.measure(strings.Fields(args), limit)
		cells[i] = r.cell
		if r.wrong {
			cells[i] = "**" + r.cell + "**"
		}
	}
	fmt.Printf("| `%s` | %s |\n", args, strings.Join(cells, " | "))
}

// result is the result of a run.
type result struct {
	cell  string
	peak  int64
	wrong bool
}

// measure runs a command with a limit.
func (m *meter) measure(args []string, limit string) result {
	m.runs++
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, m.program, append(args, "--max-memory", limit)...)
	c.Dir = m.folder
	var message bytes.Buffer
	c.Stderr = &message
	start := time.Now()
	if err := c.Start(); err != nil {
		m.wrong++
		return result{cell: err.Error(), wrong: true}
	}
	peak, done := int64(0), make(chan error, 1)
	go func() { done <- c.Wait() }()
	var err error
	for running := true; running; {
		peak = max(peak, anonymous(c.Process.Pid))
		select {
		case err = <-done:
			running = false
		case <-time.After(time.Millisecond):
		}
	}
	r := result{cell: fmt.Sprintf("%d MB, %.1f s", peak>>20, time.Since(start).Seconds()), peak: peak, wrong: peak > parse(limit)+allowed}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		last := lastError(message.String())
		if strings.Contains(last, "memory") || strings.Contains(last, "too many") {
			r.cell += ", refused: " + last
		} else {
			r.cell += ", " + last
			r.wrong = true
		}
	}
	if r.wrong {
		m.wrong++
	}
	return r
}

// lastError returns the last error message of the program.
func lastError(text string) string {
	last := text
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(line, "inpoly: "); ok {
			last = strings.TrimSpace(after)
		}
	}
	return last
}

// anonymous returns the anonymous memory of a process in bytes: its memory without pages of files.
func anonymous(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// parse returns a limit in bytes.
func parse(limit string) int64 {
	n, _ := strconv.ParseInt(strings.TrimRight(limit, "MG"), 10, 64)
	switch {
	case strings.HasSuffix(limit, "G"):
		return n << 30
	case strings.HasSuffix(limit, "M"):
		return n << 20
	}
	return n
}

// corpus runs check and measure with each mesh in a folder, and prints the runs that are not right.
func (m *meter) corpus(folder string) error {
	table, err := os.ReadFile(filepath.Join(folder, "MANIFEST.tsv"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(table)) {
		name, _, _ := strings.Cut(line, "\t")
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue // the header
		}
		for _, command := range []string{"check", "measure"} {
			for _, limit := range m.limits {
				wrong := m.wrong
				r := m.measure([]string{command, path}, limit)
				if m.wrong = wrong; r.peak > parse(limit)+allowed { // many meshes of a corpus are refused for other reasons
					m.wrong++
					fmt.Printf("| `%s %s` | **%s with %s** |\n", command, name, r.cell, limit)
				}
			}
		}
	}
	return nil
}
