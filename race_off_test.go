//go:build !race

package inpoly_test

const raceDetector = false
