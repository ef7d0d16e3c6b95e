package main

import (
	"fmt"
	"os"
	"strings"
)

// resetPeak sets the largest resident memory of this process to the present one,
// and returns that in bytes; ok is false where there is no /proc of Linux.
func resetPeak() (bytes int64, ok bool) {
	// 5 resets the peak, see proc(5).
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0, false
	}
	return peakMemory()
}

// peakMemory returns the largest resident memory since resetPeak, in bytes.
func peakMemory() (bytes int64, ok bool) { return peakOf("/proc/self/status") }

// peakOf reads the largest resident memory from the status of a process.
func peakOf(path string) (bytes int64, ok bool) {
	status, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kB); n == 1 {
			return kB << 10, true
		}
	}
	return 0, false
}
