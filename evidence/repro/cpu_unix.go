//go:build unix

package main

import (
	"math"
	"syscall"
	"time"
)

// cpuSeconds returns the CPU time of all threads of the process, or NaN.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return math.NaN()
	}
	return (time.Duration(r.Utime.Nano()) + time.Duration(r.Stime.Nano())).Seconds()
}
