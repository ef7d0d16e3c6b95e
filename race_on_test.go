//go:build race

package inpoly_test

// raceDetector reports whether the race detector is on. It makes sync.Pool drop values at random.
const raceDetector = true
