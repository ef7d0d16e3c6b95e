//go:build !unix

package main

import "math"

// cpuSeconds returns NaN, because the CPU time is known only on Unix.
func cpuSeconds() float64 { return math.NaN() }
