//go:build unix

package main

import (
	"os"
	"runtime"
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

// peakBytes returns the peak memory of a process that has ended.
func peakBytes(p *os.ProcessState) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10 // other systems count in KiB
}
