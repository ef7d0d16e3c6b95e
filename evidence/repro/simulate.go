package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// simulated holds what a simulated processor counts in one step of a workload. Valgrind's tool cachegrind runs
// the simulation. The simulated caches have the same sizes on every machine. So the counts depend only on the
// program, up to a few hundred instructions of the run-time system.
type simulated struct {
	instructions float64
	misses       float64 // misses of the first-level caches
	lastMisses   float64 // misses of the last-level cache
}

// The simulated caches: bytes, ways and bytes per line.
const (
	firstCache = "32768,8,64"
	lastCache  = "8388608,16,64"
)

// The cycle estimation of KCachegrind counts a miss of the first cache as 10 instructions, and a miss of the last
// cache as 100. But while a processor waits 100 ns for memory, it could execute 300 to 1,000 instructions, at one to
// four in a third of a nanosecond. So counts decide only statements that hold for all of these costs.
const firstCost = 10

var lastCosts = []float64{30, 100, 300, 1000}

// overCosts returns the least and the largest value of a function of the cost of a miss of the last cache.
func overCosts(f func(cost float64) float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range lastCosts {
		low, high = min(low, f(c)), max(high, f(c))
	}
	return low, high
}

// simulatedCaches describes the simulation, for notes.
const simulatedCaches = "Instructions and cache misses are those of Valgrind's cachegrind, with caches of 32 KiB and 8 MiB and one thread. Cycles are estimated as instructions + 10 for each miss of the first cache + 30 to 1,000 for each of the last."

// cycles returns an estimate of the cycles, if a miss of the last cache costs as many instructions as given.
func (s simulated) cycles(cost float64) float64 {
	return s.instructions + firstCost*s.misses + cost*s.lastMisses
}

func (s simulated) minus(t simulated) simulated {
	return simulated{s.instructions - t.instructions, s.misses - t.misses, s.lastMisses - t.lastMisses}
}

// breakEven returns the cost of a miss of the last cache, in instructions, at which a and b take the same number of
// cycles. It returns NaN or a negative number if there is no such cost.
func breakEven(a, b simulated) float64 {
	d := a.minus(b)
	return -(d.instructions + firstCost*d.misses) / d.lastMisses
}

// errNoValgrind means that a workload cannot be simulated here.
var errNoValgrind = errors.New("valgrind is missing")

// workload prepares something and returns one step of it.
type workload func(ctx context.Context, r *Run) (step func() error, err error)

// workloadNamed returns a workload that can be simulated.
func workloadNamed(name string) (workload, error) {
	for _, list := range []map[string]workload{diluteWorkloads, levelWorkloads()} {
		if w := list[name]; w != nil {
			return w, nil
		}
	}
	return nil, fmt.Errorf("no workload %q", name)
}

// simulate counts one step of a workload: the difference between a process that makes two steps and one that
// makes a single step. All other work of both processes is the same. The processes run at the same time, because
// counts do not depend on the load of the machine.
func (r *Run) simulate(ctx context.Context, name string) (simulated, error) {
	r.progress.say("simulating " + name)
	var counts [2]simulated
	var errs [2]error
	var wait sync.WaitGroup
	for k := range counts {
		wait.Go(func() { counts[k], errs[k] = r.simulateSteps(ctx, name, k+1) })
	}
	wait.Wait()
	return counts[1].minus(counts[0]), errors.Join(errs[:]...)
}

// simulateSteps counts a whole process that makes steps of a workload.
func (r *Run) simulateSteps(ctx context.Context, name string, steps int) (s simulated, err error) {
	tool, err := exec.LookPath("valgrind")
	if err != nil {
		return s, errNoValgrind
	}
	program, err := os.Executable()
	if err != nil {
		return s, err
	}
	dir, err := os.MkdirTemp("", "repro-count")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	cache, err := filepath.Abs(r.Cache)
	if err != nil {
		return s, err
	}
	c := exec.CommandContext(ctx, tool, "--tool=cachegrind", "--cache-sim=yes", "--I1="+firstCache, "--D1="+firstCache, "--LL="+lastCache, "--cachegrind-out-file=counts",
		program, "steps", name, "--steps", strconv.Itoa(steps), "--size", r.Size.String(), "--cache", cache)
	c.Dir = dir
	// Without garbage collection and with one thread, every run has the same counts.
	c.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", stepsVariable+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		return s, fmt.Errorf("simulating %s: %w\n%s", name, err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "counts"))
	if err != nil {
		return s, err
	}
	return readCachegrind(data)
}

// stepsVariable is an environment variable that makes the test program act as the command repro.
const stepsVariable = "REPRO_STEPS"

// readCachegrind reads the sums of a file of cachegrind: the line "events:" names the columns of the line "summary:".
func readCachegrind(data []byte) (s simulated, err error) {
	var events, values []string
	for line := range bytes.Lines(data) {
		if text, ok := strings.CutPrefix(string(line), "events:"); ok {
			events = strings.Fields(text)
		}
		if text, ok := strings.CutPrefix(string(line), "summary:"); ok {
			values = strings.Fields(text)
		}
	}
	sum := func(names ...string) (sum float64) {
		for _, name := range names {
			k := slices.Index(events, name)
			if k < 0 || k >= len(values) {
				err = fmt.Errorf("a file of cachegrind has no sum of the event %s", name)
				return 0
			}
			v, bad := strconv.ParseFloat(values[k], 64)
			err, sum = errors.Join(err, bad), sum+v
		}
		return sum
	}
	s = simulated{sum("Ir"), sum("I1mr", "D1mr", "D1mw"), sum("ILmr", "DLmr", "DLmw")}
	return s, err
}

// stepsCommand returns the command that makes steps of a workload, which another process simulates.
func (f *flags) stepsCommand() *cobra.Command {
	var steps int
	c := &cobra.Command{
		Use:    "steps workload",
		Short:  "Make steps of a workload, for a simulated processor",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := workloadNamed(args[0])
			if err != nil {
				return err
			}
			r, err := f.newRun()
			if err != nil {
				return err
			}
			step, err := w(c.Context(), r)
			if err != nil {
				return err
			}
			for range steps {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.addMeasurement(c)
	c.Flags().IntVar(&steps, "steps", 1, "number of steps")
	return c
}
