//go:build !linux

package disk

// Limits returns 0, 0, because the limits are unknown.
func Limits() (files, space uint64) { return 0, 0 }
