//go:build !unix

package main

import (
	"errors"
	"os"
)

func cpuSeconds() (float64, error) {
	return 0, errors.New("CPU time is known only on Unix")
}

// peakBytes returns 0, because only Unix reports the peak memory.
func peakBytes(*os.ProcessState) int64 { return 0 }
