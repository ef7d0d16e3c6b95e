//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuSeconds returns the CPU time of all threads of the process.
func cpuSeconds() (float64, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, err
	}
	return (time.Duration(r.Utime.Nano()) + time.Duration(r.Stime.Nano())).Seconds(), nil
}
