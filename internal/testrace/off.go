//go:build !race

// Package testrace reports to tests whether the race detector is on. The race detector makes
// sync.Pool drop values at random, and reserves terabytes of addresses. Tests that count
// allocations or limit the address space fail with it.
package testrace

// Enabled reports whether the race detector is on.
const Enabled = false
