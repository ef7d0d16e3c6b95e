// Package gain measures how much faster a second worker makes a simulation.
package gain

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Measure reports two metrics of a benchmark. Each function makes some steps of its own world. All
// worlds start from the same scene. The worlds of one and other have one worker, and the world of
// two has two workers.
//
// The metric "gain" is the time of one divided by the time of two. The metric "machine" is the gain
// that the machine allows: the gain if one and other make their steps at the same time. "machine"
// can be below 2, because two virtual processors can share a core or its memory. Both metrics are
// medians, and the worlds take turns.
func Measure(b *testing.B, one, other, two func()) {
	var gain, machine []float64
	for b.Loop() {
		alone := seconds(one)
		gain = append(gain, alone/seconds(two))
		machine = append(machine, 2*alone/seconds(func() {
			var wg sync.WaitGroup
			wg.Go(other)
			one()
			wg.Wait()
		}))
	}
	b.ReportMetric(0, "ns/op") // the sum of all worlds says nothing
	b.ReportMetric(median(gain), "gain")
	b.ReportMetric(median(machine), "machine")
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
