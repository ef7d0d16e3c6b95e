package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// Load measures the other work of the machine during our measurements. NaN means unknown.
type Load struct {
	Share  float64 // CPU time divided by elapsed time of all measured calls of one thread
	Others float64 // mean number of processors that other processes used during the run
	Drift  float64 // largest time of the calibration kernel divided by the smallest
}

// These are the limits of a quiet machine.
const (
	quietShare  = 0.97
	quietOthers = 0.1
	quietDrift  = 1.15
)

// busy returns why the times of a process with this load cannot be judged, or "".
func (l Load) busy() string {
	switch {
	case l.Share >= 0 && l.Share < quietShare:
		return fmt.Sprintf("the measured calls ran only %.0f %% of their elapsed time", 100*l.Share)
	case l.Others > quietOthers:
		return fmt.Sprintf("other processes used %.1f processors", l.Others)
	}
	return ""
}

// drift returns the factor by which the speed of the machine may have changed between two measurements. It
// returns 1 if the change is unknown or within the scatter of the calibration.
func (l Load) drift() float64 {
	if l.Drift > quietDrift {
		return l.Drift
	}
	return 1
}

// quiet reports whether times with this load need no reservation.
func (l Load) quiet() bool { return l.busy() == "" && l.drift() == 1 }

// loadMeter measures the load of a run.
type loadMeter struct {
	start       time.Time
	cpu         float64 // CPU seconds of this process at the start
	machine     float64 // busy seconds of all processors at the start
	calibration []float64
	elapsed     float64 // seconds of all calls of watch
	used        float64 // CPU seconds of all calls of watch
}

func newLoadMeter() *loadMeter {
	m := &loadMeter{start: time.Now(), cpu: cpuSeconds(), machine: machineSeconds()}
	m.calibrate()
	return m
}

// watch returns the seconds of f. It compares them with the CPU time.
func (m *loadMeter) watch(f func() error) (float64, error) {
	cpu := cpuSeconds()
	s, err := seconds(f)
	if m != nil && s > 1e-3 { // CPU times have a resolution of some microseconds
		m.elapsed += s
		m.used += min(cpuSeconds()-cpu, s) // threads that collect garbage also use CPU time
	}
	return s, err
}

// calibrate measures a fixed work: a walk through 8 MiB in random order, and a sum.
func (m *loadMeter) calibrate() {
	const n = 1 << 21
	next := make([]int32, n)
	for i := range next {
		next[i] = int32(i)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for i := n - 1; i > 0; i-- { // Sattolo's algorithm: a permutation with one cycle
		k := random.IntN(i)
		next[i], next[k] = next[k], next[i]
	}
	best := math.Inf(1)
	for range 15 { // the best of a few rounds is often slow by chance, even on an idle machine
		s, _ := seconds(func() error {
			at, sum := int32(0), 1.0
			for range 200_000 {
				at = next[at]
				sum = math.Sqrt(sum + float64(at))
			}
			if sum < 0 {
				return os.ErrInvalid
			}
			return nil
		})
		best = min(best, s)
	}
	m.calibration = append(m.calibration, best)
}

// load returns the load from the start until now. It compares the calibration at the start with one now, so
// the number of calls does not matter.
func (m *loadMeter) load() Load {
	m.calibration = m.calibration[:1]
	m.calibrate()
	l := Load{Share: 1, Others: math.NaN(), Drift: spreadOf(m.calibration)}
	if m.elapsed > 0 {
		l.Share = m.used / m.elapsed
	}
	if wall := time.Since(m.start).Seconds(); wall > 0 {
		l.Others = math.Max(0, machineSeconds()-m.machine-(cpuSeconds()-m.cpu)) / wall
	}
	return l
}

// machineSeconds returns the seconds that all processors of the machine have worked, including time
// that a hypervisor gave to others. It returns NaN if the system does not report this time (proc(5),
// /proc/stat).
func machineSeconds() float64 {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return math.NaN()
	}
	line, _, _ := strings.Cut(string(data), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return math.NaN()
	}
	const ticks = 100 // a second
	sum := 0.0
	for _, k := range []int{1, 2, 3, 6, 7, 8} { // user, nice, system, irq, softirq, steal
		v, err := strconv.ParseFloat(fields[k], 64)
		if err != nil {
			return math.NaN()
		}
		sum += v
	}
	return sum / ticks
}
