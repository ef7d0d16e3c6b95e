package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Times holds the times that one process has measured.
type Times struct {
	Origin  []string           // the head of the files of the run
	Seconds map[string]float64 // median seconds of each measurement
	Load    Load
}

// record stores the seconds of a measurement. It returns the seconds that the other processes have
// measured for the same key. If there are no other processes, it returns the given seconds. Other
// processes are shorter, so other programs disturb them less. Further measurements with the same key
// get a number.
func (r *Run) record(key string, seconds float64) []float64 {
	if r.own == nil {
		r.own = map[string]float64{}
	}
	base := key
	for k := 2; ; k++ {
		if _, ok := r.own[key]; !ok {
			break
		}
		key = fmt.Sprintf("%s (%d)", base, k)
	}
	r.own[key] = seconds
	var samples []float64
	for _, t := range r.others {
		if s, ok := t.Seconds[key]; ok {
			samples = append(samples, s)
		}
	}
	if samples == nil {
		samples = append(samples, seconds)
	}
	return samples
}

// samples returns the number of processes whose times count.
func (r *Run) samples() int { return max(1, len(r.others)) }

// overProcesses records the seconds of a measurement, and returns the interval of all processes.
func (r *Run) overProcesses(key string, seconds float64) Interval {
	return newInterval(r.record(key, seconds))
}

// busy returns why the times of the run cannot be judged, or "". It considers all measurements so
// far.
func (r *Run) busy() string {
	if r.meter != nil && len(r.others) == 0 {
		if why := r.meter.load().busy(); why != "" {
			return why
		}
	}
	for _, t := range r.others {
		if why := t.Load.busy(); why != "" {
			return why
		}
	}
	return ""
}

// drift returns the median of the drifts of the processes whose times count. If only one process drifts,
// its times differ from the others, so the interval of a statement includes the drift.
func (r *Run) drift() float64 {
	if len(r.others) == 0 {
		if r.meter == nil {
			return 1
		}
		return r.meter.load().drift()
	}
	list := make([]float64, len(r.others))
	for i, t := range r.others {
		list[i] = t.Load.drift()
	}
	return median(list)
}

// plainTime returns a time of the process whose binary has no assembly, or NaN.
func (r *Run) plainTime(key string) float64 {
	if r.plain == nil {
		return math.NaN()
	}
	if s, ok := r.plain.Seconds[key]; ok {
		return s
	}
	return math.NaN()
}

// processCount returns the number of processes whose times of an experiment count. If it is 1, this
// process measures the times. Otherwise, this number of other processes measures them.
func (f *flags) processCount(e Experiment, r *Run) int {
	if !e.Repeated {
		return 1
	}
	if f.processes > 0 {
		return f.processes
	}
	return pick(r.Size, 1, 1, enough)
}

// withoutAssembly reports whether a process without assembly measures an experiment.
func (f *flags) withoutAssembly(e Experiment, r *Run) bool {
	return e.Plain && (r.Size == Paper || f.noasm)
}

// ask measures the times of e in other processes, one after the other, and reads their files. If
// the file of a process has the same origin, ask does not run this process again.
func (f *flags) ask(ctx context.Context, e Experiment, r *Run, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if f.withoutAssembly(e, r) {
		program := filepath.Join(r.Cache, "repro-noasm")
		if err := buildPlain(ctx, program); err != nil {
			return err
		}
		t, err := f.askOne(ctx, e, r, program, filepath.Join(dir, "times-noasm.json"), "--all-methods")
		if err != nil {
			return err
		}
		r.plain = &t
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	count := f.processCount(e, r)
	if count == 1 {
		return nil
	}
	for k := 1; k <= count; k++ {
		t, err := f.askOne(ctx, e, r, program, filepath.Join(dir, fmt.Sprintf("times-%d.json", k)))
		if err != nil {
			return err
		}
		r.others = append(r.others, t)
	}
	return nil
}

// buildPlain builds this program without assembly.
func buildPlain(ctx context.Context, program string) error {
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-tags", "noasm", "-o", program, ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building without assembly, in the folder of the module repro: %w\n%s", err, out)
	}
	return nil
}

// A process that was measured under load is measured again: at most moreTries times, and only if it
// takes less than longTry.
const (
	moreTries = 2
	longTry   = time.Minute
)

// askOne runs one process and reads its file.
func (f *flags) askOne(ctx context.Context, e Experiment, r *Run, program, path string, more ...string) (Times, error) {
	t, err := readTimes(path)
	if err == nil && sameOrigin(t.Origin, head(e, r)) && t.Load.quiet() {
		return t, nil
	}
	args := append([]string{"measure", e.Name, "--size", r.Size.String(), "--threads", fmt.Sprint(r.Threads), "--cache", r.Cache, "--to", path, "--commit", commit()}, more...)
	for try := 0; ; try++ {
		r.progress.say("process " + filepath.Base(path))
		c := exec.CommandContext(ctx, program, args...)
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		start := time.Now()
		if err := c.Run(); err != nil {
			return Times{}, fmt.Errorf("process %s: %w\n%s", path, err, output.String())
		}
		t, err := readTimes(path)
		if err != nil || t.Load.quiet() || try == moreTries || time.Since(start) > longTry {
			return t, err
		}
	}
}

// readTimes reads the file of a process.
func readTimes(path string) (t Times, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// sameOrigin reports whether two heads have the same experiment, size, machine, Go version and commit,
// so that results with one head are valid for the other. A head with modified files has no known
// origin, so sameOrigin returns false for it.
func sameOrigin(a, b []string) bool {
	return len(a) == headLines && slices.Equal(a, b) && a[headCommit] != commitPrefix && !strings.HasSuffix(a[headCommit], modified)
}

// measureCommand returns the command that measures the times of one experiment in this process.
func (f *flags) measureCommand() *cobra.Command {
	var to, id string
	var all bool
	c := &cobra.Command{
		Use:    "measure experiment",
		Short:  "Measure the times of an experiment and write them to a file",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := find(args[0])
			if err != nil {
				return err
			}
			if id != "" {
				commit = func() string { return id }
			}
			r, err := f.newRun()
			if err != nil {
				return err
			}
			r.TimesOnly, r.AllMethods, r.meter = true, all, newLoadMeter()
			if _, err := e.Run(c.Context(), r); err != nil {
				return err
			}
			data, err := json.Marshal(Times{head(e, r), r.own, r.meter.load().finite()})
			if err != nil {
				return err
			}
			return writeWhole(to, data)
		},
	}
	f.addMeasurement(c)
	c.Flags().StringVar(&to, "to", "", "the file (required)")
	_ = c.MarkFlagRequired("to") // the flag exists
	c.Flags().BoolVar(&all, "all-methods", false, "also measure methods and grids that no statement about times needs")
	c.Flags().StringVar(&id, "commit", "", "the commit of the run (default: that of the folder)")
	return c
}

// finite returns a copy that JSON can hold: an unknown number of processors becomes −1.
func (l Load) finite() Load {
	for _, v := range []*float64{&l.Share, &l.Others, &l.Drift} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = -1
		}
	}
	return l
}

// writeWhole writes a file through a temporary name, so that the file is whole if it exists.
func writeWhole(path string, data []byte) error {
	temporary := fmt.Sprintf("%s.%d.tmp", path, time.Now().UnixNano())
	err := os.WriteFile(temporary, data, 0o644)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(temporary))
	}
	return nil
}

// removeIfThere removes a file. A missing file is not an error.
func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
