package main

import (
	"fmt"
	"slices"
)

// median returns the middle of x, the upper one of two.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[len(s)/2]
}

// rates are million points a second of several calls.
type rates []float64

func (r rates) median() float64 { return median(r) }

// spread returns the smallest and the largest.
func (r rates) spread() string {
	return fmt.Sprintf("%.3g–%.3g", slices.Min(r), slices.Max(r))
}

// perSecond returns n points in the given seconds as a rate.
func perSecond(n int, seconds float64) float64 { return float64(n) / seconds / 1e6 }
