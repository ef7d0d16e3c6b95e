package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// processRun is one run of the command inpoly, from start to end.
type processRun struct {
	wall, cpu float64 // seconds
	peak      int64   // peak memory in bytes
	stats     struct {
		Method   string  `json:"method"`
		Load     float64 `json:"load_s"`
		Weld     float64 `json:"weld_s"`
		Diagnose float64 `json:"diagnose_s"`
		Build    float64 `json:"build_s"`
		Stream   float64 `json:"stream_s"`
	}
}

// processTable measures the command `inpoly part.stl points.csv --out answers.csv` as a process. The
// files are in the file cache. The stages load, weld, diagnose and build are those of Report.Timings.
// The stage stream reads the points, finds their sides and writes the answers. The rest is the start
// and the end of the process.
func (b *bench) processTable() error {
	command, err := b.buildCommand()
	if err != nil {
		return err
	}
	levels, counts := []int{4, 7, 10}, []int{100, 100_000, 10_000_000}
	if b.quick {
		levels, counts = levels[:1], counts[:2]
	}
	header("triangles", "points", "<method", "wall s", "<min–max", "CPU s", "peak MB", "load %", "weld %", "diagnose %", "build %", "stream %", "rest %")
	for _, level := range levels {
		stl := filepath.Join(b.tmp, "part.stl")
		triangles, err := writeSphere(stl, level, false)
		if err != nil {
			return err
		}
		for _, n := range counts {
			if n > b.most {
				break
			}
			csv := filepath.Join(b.tmp, "points.csv")
			if err := writeCSV(csv, n); err != nil {
				return err
			}
			var runs []processRun
			for round, start := 0, time.Now(); b.another(round, time.Since(start)); round++ {
				var r processRun
				args := []string{stl, csv, "--out", filepath.Join(b.tmp, "answers.csv"), "--workers", strconv.Itoa(b.threads), "--stats", "json", "--quiet"}
				if err := r.run(command, args, &r.stats); err != nil {
					return err
				}
				runs = append(runs, r)
			}
			printProcess(triangles, n, runs)
		}
	}
	return nil
}

// buildCommand builds the command inpoly and returns its path.
func (b *bench) buildCommand() (string, error) {
	command := filepath.Join(b.tmp, "inpoly")
	build := exec.Command("go", "build", "-o", command, "./cmd/inpoly")
	build.Dir = "../.." // evidence/bench/run.sh starts this program in the folder bench
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return command, nil
}

// writeCSV writes n random points in the box of the unit sphere.
func writeCSV(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	_, _ = out.WriteString("x,y,z\n")
	rng := newRand(uint64(n))
	line := make([]byte, 0, 80)
	for range n {
		line = line[:0]
		for k := range 3 {
			line = strconv.AppendFloat(line, 2*rng.Float64()-1, 'f', 9, 64)
			line = append(line, ",,\n"[k])
		}
		_, _ = out.Write(line) // Flush returns the error
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// run runs a command and decodes the statistics that it prints.
func (r *processRun) run(command string, args []string, stats any) error {
	cmd := exec.Command(command, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	r.wall = time.Since(start).Seconds()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	r.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	r.peak = peakBytes(cmd.ProcessState)
	at := bytes.IndexByte(out.Bytes(), '{')
	if at < 0 {
		return fmt.Errorf("inpoly printed no statistics: %q", out.String())
	}
	return json.NewDecoder(bytes.NewReader(out.Bytes()[at:])).Decode(stats)
}

func printProcess(triangles, points int, runs []processRun) {
	var wall, cpu rates
	for _, r := range runs {
		wall, cpu = append(wall, r.wall), append(cpu, r.cpu)
	}
	share := func(stage func(r *processRun) float64) float64 {
		var shares []float64
		for i := range runs {
			shares = append(shares, 100*stage(&runs[i])/runs[i].wall)
		}
		return median(shares)
	}
	last := &runs[len(runs)-1]
	fmt.Printf("| %d | %d | %s | %.3g | %s | %.3g | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", triangles, points, last.stats.Method,
		wall.median(), wall.spread(), cpu.median(), float64(last.peak)/1e6,
		share(func(r *processRun) float64 { return r.stats.Load }), share(func(r *processRun) float64 { return r.stats.Weld }),
		share(func(r *processRun) float64 { return r.stats.Diagnose }), share(func(r *processRun) float64 { return r.stats.Build }),
		share(func(r *processRun) float64 { return r.stats.Stream }),
		share(func(r *processRun) float64 {
			return r.wall - r.stats.Load - r.stats.Weld - r.stats.Diagnose - r.stats.Build - r.stats.Stream
		}))
}
